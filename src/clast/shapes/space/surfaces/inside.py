"""Point in spheropolyhedron: crossing number for the inside of a closed surface, distance to the skeleton for the rest (GM09).

All functions take plain arrays, lengths in any one unit, and are chunked so that memory stays small whatever the number of
points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from clast.shapes.plane.inside import Bools, Floats, Ints
from clast.shapes.plane.nearness import Boxes
from clast.shapes.space.surfaces.box_tree import FEW, BoxTree, plain_boxes
from clast.shapes.space.surfaces.faces import plane_of
from clast.shapes.space.vectors import cross, dot

_CHUNK = 1 << 18  # largest number of (point, feature) pairs held at a time: 6 MB for an array of vectors

# A direction no face of a drawn body is likely to be parallel to, and two more square to it: rows of a rotation.
_LONG = np.array([0.21, 0.33, 0.92])
_W = _LONG / math.sqrt(float(_LONG @ _LONG))
_U = cross(np.array([0.6, -0.7, 0.4]), _W)
_U = _U / math.sqrt(float(_U @ _U))
OBLIQUE: Floats = np.stack([_U, cross(_W, _U), _W])


def distance_to_segments(points: Floats, a: Floats, b: Floats) -> Floats:
    """Distance (…) of points to segments a→b, (…, 3) each and broadcast; a == b is a point."""
    d = b - a
    length2 = dot(d, d)
    x, y, z = (points[..., k] - a[..., k] for k in range(3))
    t = np.clip((x * d[..., 0] + y * d[..., 1] + z * d[..., 2]) / np.where(length2 > 0.0, length2, 1.0), 0.0, 1.0)
    x, y, z = x - t * d[..., 0], y - t * d[..., 1], z - t * d[..., 2]
    return np.asarray(np.sqrt(x * x + y * y + z * z))


def over_triangles(points: Floats, a: Floats, b: Floats, c: Floats, normal: Floats) -> Bools:
    """Whether the feet of points on the planes of triangles lie within these; `normal` (…, 3) of any length, all broadcast.

    A foot on a side counts for both triangles there, also when rounding puts it a little outside: there is no crack between them.
    """
    slack = -1e-12 * dot(normal, normal)
    within = dot(cross(b - a, points - a), normal) >= slack
    within &= dot(cross(c - b, points - b), normal) >= slack
    within &= dot(cross(a - c, points - c), normal) >= slack
    return np.asarray(within)


def height_over_triangles(points: Floats, a: Floats, b: Floats, c: Floats) -> Floats:
    """Distance (…) of points to the planes of triangles, (…, 3) a corner and all broadcast; inf where a foot is not within."""
    ab, ac = b - a, c - a
    normal = cross(ab, ac)
    square = dot(normal, normal)
    x, y, z = (points[..., k] - a[..., k] for k in range(3))
    # along two vectors of the plane that measure the foot in parts of ab and ac; as in `over_triangles` there is no crack
    to_b, to_c = cross(ac, normal) / square[..., None], cross(normal, ab) / square[..., None]
    second = x * to_b[..., 0] + y * to_b[..., 1] + z * to_b[..., 2]
    third = x * to_c[..., 0] + y * to_c[..., 1] + z * to_c[..., 2]
    within = (second >= -1e-12) & (third >= -1e-12) & (second + third <= 1.0 + 1e-12)
    unit = normal / np.sqrt(square)[..., None]
    return np.where(within, np.abs(x * unit[..., 0] + y * unit[..., 1] + z * unit[..., 2]), np.inf)


def distance_to_skeleton(
    points: Floats, vertices: Floats, edges: Ints, triangles: Ints, *, within: float | Floats = math.inf
) -> Floats:
    """Distance (k,) of `points` (k, 3) to the nearest point of the skeleton's surface, edges and vertices.

    vertices (n, 3), edges (m, 2), triangles (t, 3): the faces cut up. `within`: a length, or one for each point; of a point
    farther away than that only so much is found, that it is.
    """
    alone = np.ones(len(vertices), dtype=np.bool_)
    alone[edges.ravel()] = False
    a = np.concatenate([vertices[edges[:, 0]], vertices[alone]])
    b = np.concatenate([vertices[edges[:, 1]], vertices[alone]])
    corners = vertices[triangles]
    if len(a) + len(triangles) > FEW:
        return _distance_by_boxes(points, vertices, a, b, corners, within)
    nearest = np.empty(len(points))
    step = max(1, _CHUNK // (len(a) + len(triangles)))
    for start in range(0, len(points), step):
        some = points[start : start + step, None]
        least = distance_to_segments(some, a, b).min(axis=1)
        if len(triangles):
            least = np.minimum(least, height_over_triangles(some, corners[:, 0], corners[:, 1], corners[:, 2]).min(axis=1))
        nearest[start : start + step] = least
    return nearest


def _distance_by_boxes(points: Floats, vertices: Floats, a: Floats, b: Floats, corners: Floats, within: float | Floats) -> Floats:
    """The same of segments a→b, (m, 3) each, and triangles (t, 3, 3): only those near a point are looked at."""
    reach = np.broadcast_to(np.asarray(within, dtype=np.float64), len(points))
    if np.isinf(reach).any():
        from scipy.spatial import cKDTree  # slow to import, and a run in the plane does not need it

        reach = np.minimum(reach, cKDTree(vertices).query(points)[0])
    near = (reach * (1.0 + 1e-9) + 1e-12 * np.ptp(vertices, axis=0).max())[:, None]
    tree = BoxTree(
        np.concatenate([np.minimum(a, b), corners.min(axis=1)]), np.concatenate([np.maximum(a, b), corners.max(axis=1)])
    )
    nearest = np.full(len(points), np.inf)
    for point, feature in tree.meeting(plain_boxes(points - near, points + near)):
        line = feature < len(a)
        at, of = points[point[line]], feature[line]
        np.minimum.at(nearest, point[line], distance_to_segments(at, a[of], b[of]))
        at, flat = points[point[~line]], corners[feature[~line] - len(a)]
        np.minimum.at(nearest, point[~line], height_over_triangles(at, flat[:, 0], flat[:, 1], flat[:, 2]))
    return nearest


def in_surface(points: Floats, vertices: Floats, triangles: Ints) -> Bools:
    """Whether each of `points` (k, 3) is inside the closed surface of `triangles` (t, 3); returns (k,).

    A ray in a direction oblique to everything is cut with the triangles and crossings counted. A point on the surface may fall
    on either side: a grain's boundary layer is decided by the distance instead.
    """
    turned, at = vertices @ OBLIQUE.T, points @ OBLIQUE.T
    corners = turned[triangles, :2]
    slack = 1e-12 * np.ptp(turned, axis=0).max(initial=0.0)  # of the boxes: nothing is lost to round-off
    boxes = Boxes(corners.min(axis=1) - slack, corners.max(axis=1) + slack)
    crossed = np.zeros(len(points), dtype=np.int64)
    for rows, k, t in boxes.meeting(at[:, :2], at[:, :2]):
        hit, height = crossings(at[k, 0], at[k, 1], turned, triangles[t])
        crossed[rows.start : rows.stop] = np.bincount(k[hit & (height > at[k, 2])] - rows.start, minlength=len(rows))
    return crossed % 2 == 1


def in_convex(points: Floats, vertices: Floats, loops: Sequence[Ints], slack: float) -> Bools:
    """Whether each of `points` (k, 3) is behind the planes of all faces of a convex solid, or within `slack` of them; (k,)."""
    inside = np.ones(len(points), dtype=np.bool_)
    for loop in loops:
        at, normal = plane_of(vertices, loop.tolist())
        inside &= (points - at) @ normal <= slack
    return inside


def crossings(x: Floats, y: Floats, vertices: Floats, triangles: Ints) -> tuple[Bools, Floats]:
    """Which upright lines at (x, y), (t,) or (…, 1) each, go through which `triangles` (t, 3), and at which height.

    An edge gives the same answer to both of its triangles, to the last bit, so no line slips between two of them.
    """
    inside = None
    for k in range(3):
        i, j = triangles[:, k], triangles[:, (k + 1) % 3]
        low, high = vertices[np.minimum(i, j)], vertices[np.maximum(i, j)]
        left = (high[:, 0] - low[:, 0]) * (y - low[:, 1]) - (high[:, 1] - low[:, 1]) * (x - low[:, 0]) > 0.0
        side = left == (i < j)
        inside = (side, side) if inside is None else (inside[0] & side, inside[1] | side)
    assert inside is not None
    a = vertices[triangles[:, 0]]
    normal = cross(vertices[triangles[:, 1]] - a, vertices[triangles[:, 2]] - a)
    slope = np.where(normal[:, 2] == 0.0, 1.0, normal[:, 2])
    height = a[:, 2] - (normal[:, 0] * (x - a[:, 0]) + normal[:, 1] * (y - a[:, 1])) / slope
    return inside[0] | ~inside[1], height
