"""Point in spheropolygon: crossing number for the skeleton's interior, distance to the skeleton for the rest (GM09).

All functions take plain arrays, lengths in any one unit, and are chunked so that memory stays small whatever the
number of points.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_CHUNK = 1 << 20  # largest number of (point, edge) pairs held at a time: 8 MB an array


def in_polygon(points: Floats, ring: Floats) -> Bools:
    """Crossing-number test of `points` (k, 2) against the closed polygon `ring` (n, 2); returns (k,).

    A point on the boundary may fall on either side: a grain's boundary layer is decided by the distance instead.
    """
    x0, y0 = ring[:, 0], ring[:, 1]
    x1, y1 = np.roll(x0, -1), np.roll(y0, -1)
    rise = np.where(y1 == y0, 1.0, y1 - y0)  # level edges are never crossed: any divisor but 0 will do
    inside = np.zeros(len(points), dtype=np.bool_)
    step = max(1, _CHUNK // len(ring))
    for start in range(0, len(points), step):
        x = points[start : start + step, 0, None]
        y = points[start : start + step, 1, None]
        crosses = ((y0 > y) != (y1 > y)) & (x < x0 + (y - y0) * (x1 - x0) / rise)
        inside[start : start + step] = np.count_nonzero(crosses, axis=1) % 2 == 1
    return inside


def distance_to_segments(points: Floats, a: Floats, b: Floats) -> Floats:
    """Distance of each of `points` (k, 2) to each segment a→b, (m, 2) each; a == b is a point. Returns (k, m)."""
    return distance_to_segment(points[:, None], a, b)


def distance_to_segment(points: Floats, a: Floats, b: Floats) -> Floats:
    """Distance (…) of points to their segments a→b, (…, 2) each and broadcast; a == b is a point."""
    d = b - a
    length2 = d[..., 0] * d[..., 0] + d[..., 1] * d[..., 1]
    x = points[..., 0] - a[..., 0]
    y = points[..., 1] - a[..., 1]
    t = np.clip((x * d[..., 0] + y * d[..., 1]) / np.where(length2 > 0.0, length2, 1.0), 0.0, 1.0)
    x = x - t * d[..., 0]
    y = y - t * d[..., 1]
    return np.asarray(np.sqrt(x * x + y * y), dtype=np.float64)


def segments_of(vertices: Floats, edges: Ints) -> tuple[Floats, Floats]:
    """The skeleton as segments (a, b), (m, 2) each: its edges, then its isolated points as segments of length zero."""
    alone = np.ones(len(vertices), dtype=np.bool_)
    alone[edges.ravel()] = False
    points = vertices[alone]
    return np.concatenate([vertices[edges[:, 0]], points]), np.concatenate([vertices[edges[:, 1]], points])


def distance_to_skeleton(points: ArrayLike, vertices: Floats, edges: Ints) -> Floats:
    """Distance of `points` (k, 2) to the nearest point of the skeleton's curve (not of its interior); returns (k,)."""
    where = np.asarray(points, dtype=np.float64)
    a, b = segments_of(vertices, edges)
    nearest = np.empty(len(where))
    step = max(1, _CHUNK // len(a))
    for start in range(0, len(where), step):
        nearest[start : start + step] = distance_to_segments(where[start : start + step], a, b).min(axis=1)
    return nearest
