"""The area of a contact of two sharp pieces: second moments of the loop in which the surfaces meet, and what lies within it.

The loop is that of the overlap which `clast.contact.sharp.overlap.clip` has left in its scratch, seen along the normal. It runs
about the vector area A = ½ ∮ x × dx; edges of the loop have a face of i on one side and a plane of j on the other.
"""

from typing import Any, NamedTuple

from clast.algebra.space import cross, dot, minus, triple
from clast.backend.device import device, routine, stay_whole
from clast.contact.sharp.overlap import EDGE


class Overlapping(NamedTuple):
    """An overlap as it lies in the scratch, in the frame of i."""

    edges: int  # how many
    begin: int  # where its points begin
    faces: int  # of i; higher ones are planes of j
    point: Any
    link: Any


class Spread(NamedTuple):
    """Second moments over the area, about its middle, along two axes: u and w."""

    uu: float  # ∫ u² dA / A
    uw: float
    ww: float


@device
def loop_edge(e, overlap):
    """Whether edge e of an overlap is one of the loop, and its ends in the direction in which the loop runs."""
    link, begin = overlap.link, overlap.begin
    left, right = link[EDGE * e + 2], link[EDGE * e + 3]
    a, b = triple(overlap.point, begin + 3 * link[EDGE * e]), triple(overlap.point, begin + 3 * link[EDGE * e + 1])
    if (left < overlap.faces) == (right < overlap.faces):
        return False, a, b
    return (True, a, b) if left >= overlap.faces else (True, b, a)


@routine
def spread_of(overlap, origin, one, two):
    """Second moments of the area, whose middle is near `origin`; `one` × `two` points against A (model §4).

    Of a triangle (0, a, b) with doubled area D: ∫ x ⊗ x dA = D/24 (a ⊗ a + b ⊗ b + (a + b) ⊗ (a + b)).
    """
    stay_whole()
    area = u = w = uu = uw = ww = 0.0
    for e in range(overlap.edges):
        of_loop, start, end = loop_edge(e, overlap)
        if not of_loop:
            continue
        start, end = minus(start, origin), minus(end, origin)
        a_u, a_w, b_u, b_w = dot(start, one), dot(start, two), dot(end, one), dot(end, two)
        doubled, c_u, c_w = a_w * b_u - a_u * b_w, a_u + b_u, a_w + b_w
        area += doubled
        u, w = u + doubled * c_u, w + doubled * c_w
        uu += doubled * (a_u * a_u + b_u * b_u + c_u * c_u)
        uw += doubled * (a_u * a_w + b_u * b_w + c_u * c_w)
        ww += doubled * (a_w * a_w + b_w * b_w + c_w * c_w)
    if area <= 0.0:
        return Spread(0.0, 0.0, 0.0)
    u, w = u / (3.0 * area), w / (3.0 * area)
    return Spread(max(uu / (12.0 * area) - u * u, 0.0), uw / (12.0 * area) - u * w, max(ww / (12.0 * area) - w * w, 0.0))


@routine
def part_inside(overlap, start, way, against, short):
    """How much of `way`, at most all of it, a point may go from `start` and stay within the loop, seen along `against`, −A.

    short   square of the length of an edge whose direction is that of rounding alone
    """
    stay_whole()
    part = 1.0
    for e in range(overlap.edges):
        of_loop, a, b = loop_edge(e, overlap)
        edge = minus(b, a)
        if not of_loop or dot(edge, edge) <= short:
            continue
        outward = cross(against, edge)
        gone, room = dot(outward, way), dot(outward, minus(a, start))
        if gone > 0.0 and room < part * gone:
            part = max(room, 0.0) / gone
    return part
