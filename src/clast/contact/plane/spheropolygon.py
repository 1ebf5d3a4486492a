"""Which features of two spheropolygons meet, and how deep (EPL08 eq 1, GM09; weights after PRE10 eq 13-18).

A *probe* is a vertex of one body, carried into the body frame of the other. A *feature* is an edge a→b together with
its start vertex a. With m the edge that ends at a (zero where there is none), the probe V counts

    +1 at the edge       where its foot is inside:      (V−a)·l > 0 and (V−b)·l < 0
    +1 at the vertex a   where V lies in a's cap:       (V−a)·l ≤ 0 and (V−a)·m ≥ 0
    −1 at the vertex a   where V lies in a's notch:     (V−a)·l > 0 and (V−a)·m < 0   (a feature row of its own)

which is the sum over edges plus (1 − deg) times the sum over vertices, summed up locally. An open end is a feature of
length zero (a = b) with its m; an isolated point has neither. So one row and one function serve disk, segment,
polyline, polygon and clump, and the tests at both ends of an edge are the same expression as those of its neighbours.
"""

from typing import NamedTuple

from clast.algebra.plane import Vector, dot, minus, opposite, times
from clast.backend.device import device

FEATURE = 8  # numbers of a feature row: ax ay bx by mx my 1/l² kind
NOTCH, EDGE = -1.0, 1.0  # kinds


class Feature(NamedTuple):
    """One row of the table of features, in the frame of its body."""

    a: Vector
    b: Vector
    m: Vector
    inverse: float  # 1/l²
    kind: float


@device
def read_feature(table, f):
    """Feature f of a flat table."""
    at = FEATURE * f
    return Feature(
        Vector(table[at], table[at + 1]),
        Vector(table[at + 2], table[at + 3]),
        Vector(table[at + 4], table[at + 5]),
        table[at + 6],
        table[at + 7],
    )


@device
def meet(place, at):
    """Count of a probe at `place` on the feature `at`, the way from the probe to the closest point of the feature, and whether
    that point is a vertex (1) or inside an edge (0).
    """
    u, edge = minus(place, at.a), minus(at.b, at.a)
    along, before = dot(u, edge), dot(u, at.m)
    if at.kind == NOTCH:
        if along > 0.0 and before < 0.0:
            return -1.0, opposite(u), 1.0
        return 0.0, Vector(0.0, 0.0), 0.0
    if along > 0.0:
        if dot(minus(place, at.b), edge) < 0.0:
            return 1.0, minus(times(along * at.inverse, edge), u), 0.0
        return 0.0, Vector(0.0, 0.0), 0.0
    if before >= 0.0:
        return 1.0, opposite(u), 1.0
    return 0.0, Vector(0.0, 0.0), 0.0


@device
def meet_any(place, at):
    """The papers' literal count (all-pairs): every edge once, at its closest point, ends included."""
    u, edge = minus(place, at.a), minus(at.b, at.a)
    t = min(max(dot(u, edge) * at.inverse, 0.0), 1.0)
    at_vertex = 0.0 if 0.0 < t < 1.0 else 1.0
    return 1.0, minus(times(t, edge), u), at_vertex


@device
def way_to_line(place, at):
    """The way from a probe to the line of an edge, as if the edge went on beyond its ends."""
    u, edge = minus(place, at.a), minus(at.b, at.a)
    return minus(times(dot(u, edge) * at.inverse, edge), u)
