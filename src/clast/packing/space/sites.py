"""Where the sites of a Voronoi diagram in space are: one in every cube of a grid, anywhere, or the user's own."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from clast.errors import InputError
from clast.packing.plane.erosion import Floats, Ints
from clast.packing.plane.sites import SAME, Draw
from clast.packing.space.packing import Periodic


def grid_sites3d(columns: int, rows: int, cube: float) -> Draw:
    """One site at random in every cube of a grid: along x first, then along y, then layer by layer from below."""

    def draw(numbers: Ints, rng: np.random.Generator) -> Floats:
        corner = np.stack([numbers % columns, numbers // columns % rows, numbers // (columns * rows)], axis=1)
        return (corner + rng.uniform(0.0, 1.0, corner.shape)) * cube

    return draw


def random_sites3d(size: Floats) -> Draw:
    """Sites anywhere in the box."""

    def draw(numbers: Ints, rng: np.random.Generator) -> Floats:
        return rng.uniform(0.0, 1.0, (numbers.size, 3)) * size

    return draw


def checked_sites3d(sites: ArrayLike, size: Floats, periodic: Periodic) -> Floats:
    """The user's own sites as an (n, 3) array; InputError, naming the first, for one outside the box or given twice.

    Along a periodic side 0 is in the box and the period is not, being the same place.
    """
    try:
        array = np.array(sites, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("sites must be triples of numbers (x, y, z)") from None
    if array.ndim != 2 or array.shape[1] != 3 or len(array) == 0:
        raise InputError(f"sites must be an array of shape (n, 3), not {array.shape}")
    high = np.where(periodic, array < size, array <= size)
    outside = np.flatnonzero(~((array >= 0.0) & high).all(axis=1))  # what is not a number is outside too
    if outside.size:
        k = int(outside[0])
        raise InputError(
            f"{outside.size} of {len(array)} sites lie outside the box, the first is site {k} at {site_at(array[k])}: "
            f"x must be in 0 … {size[0]:.6g}, y in 0 … {size[1]:.6g} and z in 0 … {size[2]:.6g}"
        )
    tree = cKDTree(array, boxsize=np.where(periodic, size, 0.0) if any(periodic) else None)
    twins = tree.query_pairs(SAME * float(np.prod(size) / len(array)) ** (1.0 / 3.0), output_type="ndarray")
    if len(twins):
        i, j = (int(k) for k in twins[np.lexsort((twins[:, 0], twins[:, 1]))[0]])
        raise InputError(f"site {j} at {site_at(array[j])} is the same as site {i}: take one of them out")
    return array


def site_at(point: Floats) -> str:
    """A place for a message."""
    return f"({point[0]:.6g}, {point[1]:.6g}, {point[2]:.6g})"
