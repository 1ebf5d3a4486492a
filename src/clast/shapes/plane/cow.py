"""The Minkowski cow of EPL08 fig 1 and the clumps of disks that stand for it.

EPL08 prints no coordinates: only 62 vertices, a sphero-radius of 0.1 m, 3 m of length and an area of 6.52 m². This
cow is our own drawing with the same number of vertices, radius and area; it is 3.49 m long and 2.76 m high
(skeleton), because a stouter animal of 3 m would hide its legs.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from clast.errors import ShapeError
from clast.shapes.plane.inside import Floats, distance_to_skeleton, in_polygon
from clast.shapes.plane.make import clump, polygon
from clast.shapes.plane.skeleton import Shape

COW_RADIUS = 0.1  # m
COW_AREA = 6.52  # m², fixes the packing fraction of EPL08's gas
SHELL_DISKS = 296  # EPL08: disks on the boundary
FILLED_DISKS = 726  # EPL08: disks in all

# Drawn to the centimetre, seen from the side, looking left, counter-clockwise from the nose. Gaps that are meant to
# be seen are wider than 0.2 m, since the rounding takes 0.1 m from either side.
# fmt: off
_DRAWING = (
    (-1.68, 1.63), (-1.73, 1.41), (-1.64, 1.23), (-1.43, 1.23), (-1.26, 1.43), (-1.03, 1.51),  # muzzle, jaw
    (-0.95, 1.29), (-1.00, 1.04), (-0.89, 0.78),                                               # throat, dewlap, brisket
    (-0.87, 0.18), (-0.95, 0.00), (-0.67, 0.00), (-0.63, 0.60),                                # near fore leg
    (-0.31, 0.60), (-0.35, 0.22), (-0.43, 0.04), (-0.17, 0.04), (-0.11, 0.63),                 # far fore leg
    (0.10, 0.63), (0.16, 0.41), (0.25, 0.31), (0.35, 0.41), (0.39, 0.63),                      # udder
    (0.66, 0.63), (0.58, 0.41), (0.63, 0.22), (0.55, 0.04), (0.82, 0.04), (0.80, 0.43), (0.86, 0.69),  # far hind leg
    (1.15, 0.65), (1.07, 0.41), (1.12, 0.18), (1.04, 0.00), (1.32, 0.00), (1.28, 0.43),        # near hind leg
    (1.29, 0.86), (1.24, 1.63),                                                                # thigh, rump
    (1.44, 1.43), (1.58, 1.04), (1.57, 0.86), (1.66, 0.61), (1.77, 0.86), (1.70, 1.08), (1.58, 1.54),  # tail
    (1.38, 1.93), (1.03, 2.04), (0.34, 1.93), (-0.34, 1.99),                                   # hips, back, withers
    (-0.68, 2.08), (-0.37, 2.34), (-0.86, 2.27),                                               # ear
    (-0.69, 2.53), (-0.86, 2.77), (-0.86, 2.53), (-1.02, 2.35),                                # far horn
    (-1.17, 2.33), (-1.32, 2.51), (-1.32, 2.75), (-1.49, 2.51),                                # near horn
    (-1.34, 2.21), (-1.47, 1.98),                                                              # forehead
)
_LONG_LEGGED = (
    (-1.80, 2.46), (-1.87, 2.26), (-1.78, 2.11), (-1.58, 2.12), (-1.39, 2.31), (-1.10, 2.32),  # muzzle, jaw
    (-1.02, 2.12), (-0.97, 1.76),                                                              # throat, brisket
    (-1.03, 0.90), (-1.12, 0.00), (-0.88, 0.00), (-0.81, 0.88), (-0.74, 1.66),                 # near fore leg
    (-0.42, 1.66), (-0.46, 0.90), (-0.50, 0.04), (-0.26, 0.04), (-0.24, 0.88), (-0.16, 1.68),  # far fore leg
    (0.24, 1.70), (0.30, 1.54), (0.38, 1.54), (0.46, 1.70),                                    # udder
    (0.68, 1.68), (0.68, 1.10), (0.58, 0.84), (0.58, 0.04), (0.80, 0.04), (0.80, 0.80), (0.92, 1.36),  # far hind leg
    (1.18, 1.34), (1.27, 1.08), (1.20, 0.82), (1.22, 0.00), (1.46, 0.00), (1.42, 0.82), (1.50, 1.12),  # near hind leg
    (1.45, 1.64), (1.36, 2.20),                                                                # thigh, rump
    (1.62, 1.92), (1.75, 1.40), (1.86, 1.00), (1.96, 1.42), (1.76, 2.10),                      # tail
    (1.44, 2.40), (1.03, 2.46), (0.34, 2.37), (-0.36, 2.41),                                   # hips, back, withers
    (-0.76, 2.66), (-0.44, 2.96), (-0.94, 2.92),                                               # ear
    (-0.76, 3.18), (-0.90, 3.50), (-0.99, 3.18), (-1.12, 2.98),                                # far horn
    (-1.26, 2.98), (-1.44, 3.18), (-1.46, 3.50), (-1.65, 3.16),                                # near horn
    (-1.45, 2.86), (-1.58, 2.70), (-1.66, 2.60),                                                # forehead
)
# fmt: on

# Brings the area of the union to COW_AREA with the radius held at COW_RADIUS; found once with the exact union.
_SCALE = 0.9961792897988597
_LONG_LEGGED_SCALE = 0.9391803484790004

# Spacing of the filling's lattice (m): with it exactly FILLED_DISKS − SHELL_DISKS points lie deep enough.
_PITCH = 0.09892


def cow_outline() -> Floats:
    """The cow's skeleton, (62, 2), m, counter-clockwise from the nose, feet at y = 0."""
    return np.array(_DRAWING) * _SCALE


@cache
def cow() -> Shape:
    """The Minkowski cow: a non-convex polygon of 62 vertices, sphero-radius 0.1 m, area 6.52 m², looking left."""
    return polygon(cow_outline(), COW_RADIUS, name="cow")


@cache
def long_legged_cow() -> Shape:
    """Another cow with as many vertices, the same sphero-radius and area, on legs 1.6 m long that fit between those of another.

    It covers 0.65 of its convex hull where `cow` covers 0.79: beside it, it shows what interlocking does.
    """
    return polygon(np.array(_LONG_LEGGED) * _LONG_LEGGED_SCALE, COW_RADIUS, name="long-legged cow")


def _shell(ring: Floats, count: int) -> Floats:
    """`count` points on the boundary of `ring` (n, 2), every vertex among them, as evenly spaced as that allows."""
    step = np.roll(ring, -1, axis=0) - ring
    length = np.sqrt(step[:, 0] ** 2 + step[:, 1] ** 2)
    parts = np.ones(len(ring), dtype=np.int64)
    for _ in range(count - len(ring)):
        parts[np.argmax(length / parts)] += 1  # the widest gap gets the next disk
    return np.concatenate([p + np.arange(k)[:, None] / k * d for p, d, k in zip(ring, step, parts, strict=True)])


def _filling(ring: Floats) -> Floats:
    """Points of a triangular lattice inside `ring` (n, 2), at least half a spacing from its boundary."""
    low, high = ring.min(axis=0), ring.max(axis=0)
    row_height = _PITCH * np.sqrt(0.75)
    rows = np.arange(int((high[1] - low[1]) / row_height) + 1)
    columns = np.arange(int((high[0] - low[0]) / _PITCH) + 1)
    x = low[0] + _PITCH * (columns[None, :] + 0.5 * (rows[:, None] % 2))
    y = low[1] + row_height * (rows[:, None] + 0.5) + 0.0 * x
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    points = points[in_polygon(points, ring)]
    edges = np.stack([np.arange(len(ring)), np.roll(np.arange(len(ring)), -1)], axis=1)
    return points[distance_to_skeleton(points, ring, edges) > 0.5 * _PITCH]


@cache
def clumpy_cow(disks: int = FILLED_DISKS) -> Shape:
    """The cow as a clump of disks of radius 0.1 m (EPL08 fig 1b): 726 fill it, 296 are only those on its boundary.

    EPL08 leaves the inner disks out for speed but keeps the body, so both clumps have the area, centre of mass and
    inertia of the cow itself, not those of their disks: all three move alike between collisions.
    """
    if disks not in (FILLED_DISKS, SHELL_DISKS):
        raise ShapeError(f"A clumpy cow has {FILLED_DISKS} disks, or the {SHELL_DISKS} on its boundary, not {disks}.")
    ring = cow_outline()
    points = _shell(ring, SHELL_DISKS)
    if disks == FILLED_DISKS:
        points = np.concatenate([points, _filling(ring)])
    whole = cow()
    return clump(points, COW_RADIUS, name=f"cow of {disks} disks", area=whole.area, centroid=-whole.origin, inertia=whole.inertia)
