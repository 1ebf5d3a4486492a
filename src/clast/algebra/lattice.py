"""The images of a periodic box: n periods along each axis away, and in a sheared cell n_y offsets further along x as well."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def shifts(images: NDArray[Any], period: Floats, offset: float = 0.0) -> Floats:
    """The ways (…, d) to images of these numbers (…, d)."""
    ways = np.asarray(images, np.float64) * period
    if offset != 0.0:
        ways[..., 0] += offset * images[..., 1]
    return ways


def numbers(ways: Floats, period: Floats, offset: float = 0.0, *, lowest: bool = True) -> Floats:
    """Numbers (…, d) of the images to which some ways (…, d) lead from the cell at the origin; 0 along an open side.

    lowest   of points: the cell that holds each. Without, of ways from image to image: the nearest
    """
    whole = np.floor if lowest else np.rint
    length, ways = np.where(period > 0.0, period, np.inf), np.array(ways, np.float64)
    if offset != 0.0:
        ways[..., 0] -= offset * whole(ways[..., 1] / length[1])
    return np.asarray(whole(ways / length))


def put_back(places: Floats, period: Floats, offset: float = 0.0) -> Floats:
    """Places (…, d) moved into the box at the origin, which holds one cell however that leans."""
    inside = np.array(places, np.float64)
    if offset != 0.0:
        inside[..., 0] -= offset * np.floor(inside[..., 1] / period[1])
    for axis in np.flatnonzero(period > 0.0):
        inside[..., axis] %= period[axis]
    return inside
