"""Which planes and edges of two sharp pieces may take part in their overlap before lists are built anew (model §4, GM09 §2.4).

All of "may" and "surely" hold until a body has moved by α, so the bits of a step do not depend on α (see
`clast.contact.sharp.overlap`). Tables are those of `clast.contact.sharp.polyhedra`, flat.
"""

import math

import numpy as np

from clast.algebra.space import dot, minus, triple
from clast.backend.device import device
from clast.contact.sharp.overlap import EDGE, PLANE, lowest, plane_in_frame

NEVER = -1e300
COLUMNS = 6  # of the scratch for planes


@device
def slack(alpha, branch, reach_i, reach_j):
    """How far a point of i may move in the frame of j, which turns, before the lists are stale."""
    far = math.sqrt(dot(branch, branch)) + reach_i
    return alpha * (1.0 + max(1.0, far / reach_j))


@device
def support(direction, one, geometry):
    """How far a piece reaches in a direction of its own frame, times the length of the direction."""
    furthest = -np.inf
    for v in range(geometry.piece_vertex[one], geometry.piece_vertex[one + 1]):
        furthest = max(furthest, dot(direction, triple(geometry.vertex, 3 * v)))
    return furthest


@device
def parted_along_centres(one_i, one_j, to_j, to_i, alpha, geometry):
    """Whether the shadows of two pieces on the line of the centres of their bodies lie further apart than 2α (CSM10 §3).

    to_j is the way to j's centre in i's frame, to_i the way to i's centre in j's. All is times their distance: no division, and a
    distance of 0 parts nothing."""
    squared = dot(to_j, to_j)
    covered = support(to_j, one_i, geometry) + support(to_i, one_j, geometry)
    return squared - covered > 2.0 * alpha * math.sqrt(squared)


@device
def surely_apart(centre, reach, one, geometry):
    """Whether a ball, its centre in the frame of a piece, lies outside one of its planes."""
    plane, apart = geometry.plane, False
    for g in range(geometry.piece_plane[one], geometry.piece_plane[one + 1]):
        apart |= dot(triple(plane, PLANE * g), centre) - plane[PLANE * g + 3] > reach
    return apart


@device
def parted(one_i, one_j, relative, shift, gap, geometry):
    """Whether a plane of a piece of j has all of a piece of i further than `gap` outside."""
    first, last = geometry.piece_vertex[one_i], geometry.piece_vertex[one_i + 1]
    apart = False
    for g in range(geometry.piece_plane[one_j], geometry.piece_plane[one_j + 1]):
        normal, level = plane_in_frame(geometry.plane, PLANE * g, relative, shift)
        apart |= lowest(normal, level, geometry.vertex, first, last) > gap
    return apart


@device
def bring_planes(one_i, one_j, relative, shift, alpha, reach_j, geometry, table):
    """Planes of a piece of j in i's frame, into `table` (its array, and where to begin), rows of six: n, d, the least distance of
    i that it may come to, and that it may come to at most. Returns the largest of the former: positive where a plane parts the
    two for good."""
    rows, begin = table
    first, last = geometry.piece_vertex[one_i], geometry.piece_vertex[one_i + 1]
    best = -np.inf
    for g in range(geometry.piece_plane[one_j], geometry.piece_plane[one_j + 1]):
        normal, level = plane_in_frame(geometry.plane, PLANE * g, relative, shift)
        least = most = np.inf
        for v in range(first, last):
            x = triple(geometry.vertex, 3 * v)
            away = minus(x, shift)
            # j may turn by α over its reach: a point beyond that moves further in its frame
            way = alpha * (1.0 + max(1.0, math.sqrt(dot(away, away)) / reach_j))
            height = dot(normal, x) - level
            least, most = min(least, height - way), min(most, height + way)
        at = begin + COLUMNS * (g - geometry.piece_plane[one_j])
        rows[at], rows[at + 1], rows[at + 2] = normal
        rows[at + 3], rows[at + 4], rows[at + 5] = level, least, most
        best = max(best, least)
    return best


@device
def ends_of(e, one, geometry):
    """The two ends of an edge of a piece."""
    first, at = geometry.piece_vertex[one], EDGE * e
    return (
        triple(geometry.vertex, 3 * (first + np.int64(geometry.edge[at]))),
        triple(geometry.vertex, 3 * (first + np.int64(geometry.edge[at + 1]))),
    )


@device
def highest_behind(cut, at, one_i, reach, geometry, rows):
    """Largest distance from the plane in row `at` of what a piece of i has behind the plane in row `cut`, moved outwards by
    `reach`; NEVER where that is nothing."""
    high, normal, other = NEVER, triple(rows, at), triple(rows, cut)
    for e in range(geometry.piece_edge[one_i], geometry.piece_edge[one_i + 1]):
        a, b = ends_of(e, one_i, geometry)
        in_a, in_b = dot(other, a) - rows[cut + 3] - reach, dot(other, b) - rows[cut + 3] - reach
        if in_a > 0.0 and in_b > 0.0:
            continue
        out_a, out_b = dot(normal, a) - rows[at + 3], dot(normal, b) - rows[at + 3]
        if in_a <= 0.0:
            high = max(high, out_a)
        if in_b <= 0.0:
            high = max(high, out_b)
        if (in_a > 0.0) != (in_b > 0.0):
            high = max(high, out_a + (out_b - out_a) * (in_a / (in_a - in_b)))
    return high


@device
def may_cut_later(g, one_i, one_j, best, gap, geometry, table):
    """Whether plane g of j, which is not the first to cut, may cut what is left behind a plane that may be the first."""
    rows, begin = table
    first, last = geometry.piece_plane[one_j], geometry.piece_plane[one_j + 1]
    for p in range(first, last):
        cut = begin + COLUMNS * (p - first)
        if rows[cut + 5] >= best and highest_behind(cut, begin + COLUMNS * (g - first), one_i, gap, geometry, rows) >= -gap:
            return True
    return False


@device
def may_reach_behind(e, one_i, one_j, best, gap, geometry, table):
    """Whether edge e of i may reach behind a plane of j that may be the first to cut."""
    rows, begin = table
    a, b = ends_of(e, one_i, geometry)
    for p in range(geometry.piece_plane[one_j + 1] - geometry.piece_plane[one_j]):
        at = begin + COLUMNS * p
        if rows[at + 5] >= best and min(dot(triple(rows, at), a), dot(triple(rows, at), b)) - rows[at + 3] <= gap:
            return True
    return False
