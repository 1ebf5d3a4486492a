"""Plates with teeth: a row of grains of the sample, half sunk and glued, so that a sample follows a plate that moves along it.

A plate is one wall, an endless chain of edges along x: the upper outline of its teeth and of the flat face between them.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from clast.errors import InputError
from clast.shapes import Shape

CHORDS = 5  # of a quarter of a circle, where a tooth is rounder than the plate's sphero-radius
SHORT = 0.05  # of the sphero-radius: edges of the outline shorter than that are left out


def toothed_face(grains: Sequence[Shape], period: float, radius: float, rng: np.random.Generator) -> np.ndarray:
    """Corners (n, 2) of the skeleton of a plate that looks up: one period, the last corner is the image of the first.

    The flat face has its skeleton at y = 0. As many teeth as fit side by side with the grains' mean diameter stand on it with
    their centres of mass, each a grain picked at random, at a random angle.

    radius   of the plate, the sphero-radius; InputError if it is larger than that of a grain
    """
    import shapely

    if radius > min(grain.radius for grain in grains) * (1.0 + 1e-9):
        raise InputError(f"teeth: the sphero-radius {radius:.4g} of a plate must not exceed that of the grains on it")
    diameter = math.sqrt(4.0 * float(np.mean([grain.area for grain in grains])) / math.pi)
    count = max(1, round(period / diameter))
    parts: list[Any] = [shapely.box(-2.0 * period, -diameter, 3.0 * period, 0.0)]
    for k in range(count):
        tooth = skeleton_of(grains[int(rng.integers(len(grains)))], float(rng.uniform(0.0, 2.0 * np.pi)), radius)
        x = (k + 0.5) * period / count
        parts += [shapely.affinity.translate(tooth, x + turn * period, 0.0) for turn in (-1.0, 0.0, 1.0, 2.0)]
    ring = np.asarray(shapely.unary_union(parts).exterior.coords)[:-1]
    return one_period(ring, period, SHORT * radius)


def skeleton_of(grain: Shape, angle: float, radius: float) -> Any:
    """The grain turned, without its outermost layer of thickness `radius`, a shapely polygon."""
    import shapely

    cos, sin = math.cos(angle), math.sin(angle)
    corners = grain.vertices @ np.array([[cos, sin], [-sin, cos]])
    body = shapely.Polygon(corners) if grain.is_closed else shapely.MultiPoint(corners)
    more = grain.radius - radius
    return body.buffer(more, quad_segs=CHORDS) if more > 1e-9 * radius else body


def one_period(ring: np.ndarray, period: float, short: float) -> np.ndarray:
    """One period of the upper side of a closed outline (k, 2), from left to right, without edges shorter than `short`.

    It begins where the outline lies neither left nor right of itself: an endless wall is exactly one period wide.
    """
    if (np.roll(ring[:, 0], -1) - ring[:, 0]) @ (np.roll(ring[:, 1], -1) + ring[:, 1]) < 0.0:
        ring = ring[::-1]  # clockwise: the upper side goes from left to right
    start = int(np.lexsort((ring[:, 0], ring[:, 1] < 0.0))[0])  # the leftmost corner above the bottom of the box
    upper = np.roll(ring, -start, axis=0)
    upper = upper[upper[:, 1] >= -1e-12 * period]
    x = upper[:, 0]
    clear = (np.maximum.accumulate(x) <= x) & (x <= np.minimum.accumulate(x[::-1])[::-1])  # no tooth leans over these
    inside = np.flatnonzero(clear & (x >= 0.0) & (x < period))
    first = int(inside[np.argmin(upper[inside, 1])])
    last = int(np.argmin(np.hypot(*(upper - upper[first] - (period, 0.0)).T)))
    chain = [upper[first]]
    for corner in upper[first + 1 : last]:
        if np.hypot(*(corner - chain[-1])) > short:
            chain.append(corner)
    end = upper[first] + (period, 0.0)
    if np.hypot(*(end - chain[-1])) <= short:
        chain.pop()
    return np.array([*chain, end])
