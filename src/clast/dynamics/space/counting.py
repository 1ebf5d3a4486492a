"""What a candidate in space counts: features of a, carried into the frame of b, against features of b.

The counts themselves stand in `clast.contact.space.spheropolyhedron`; `side` is a `clast.dynamics.space.visit.Side`.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from clast.algebra.space import along, cross, dot, minus, plus, times, triple, turn, turn_back
from clast.backend.bare import bare
from clast.backend.device import device, routine
from clast.contact.space.spheropolyhedron import (
    EDGE,
    FACE,
    KIND,
    ROW,
    edge_count,
    edge_way,
    edges_meet,
    face_count,
    face_distance,
    fade,
    vertex_count,
    vertex_on_edge,
    vertex_on_vertex,
)  # fmt: skip
from clast.dynamics.space.columns import CANDIDATE
from clast.dynamics.space.tangents import NONE

GRAPH = 1 << 31  # mark on the first number of a candidate: this vertex meets an edge as an end of its own edges
NUMBER = GRAPH - 1
# how the normal turns when the probe slides over b: not at all, about an edge, about a vertex, with two crossing edges
FLAT, STRAIGHT, ROUND, CROSSING = 0, 1, 2, 3


class Features(NamedTuple):
    """What passes see of `clast.contact.space.features`."""

    feature: Any
    side: Any
    fan: Any
    corner: Any


@device
def look_at(geometry):
    """What passes see of the shapes."""
    return Features(bare(geometry.feature), bare(geometry.side), bare(geometry.fan), bare(geometry.corner))


class Met(NamedTuple):
    """Candidate k of a section; vectors in the world."""

    k: int
    counts: float  # how much it counts, 0 where the closest points lie on other features
    way: Any  # from the point X of a to that of b
    arm: Any  # from a's centre to X
    square: float  # of the way
    bend: int  # how the normal turns
    axis: Any  # direction of b's edge,
    own_axis: Any  # and of a's, where there is one
    twist: Any  # torque of the fade on a per energy
    touching: bool


@device
def edges_of(k, row, other, side, feature):
    """An edge of a against an edge of b."""
    a, b, start = side.a, side.b, triple(feature, row)
    way = minus(triple(feature, row + 3), start)
    turned = turn(side.relative, way)
    part, q, square = edges_meet(plus(turn(side.relative, start), side.shift), turned, other, feature)
    if square >= side.near:
        return Met(k, 0.0, q, NONE, square, CROSSING, NONE, NONE, NONE, False)
    own_axis = times(feature[row + 14], turned)
    axis = times(feature[other + 14], minus(triple(feature, other + 3), triple(feature, other)))
    count, slope = fade(dot(own_axis, axis))
    twist = NONE
    if slope != 0.0:
        twist = turn(b.rotation, times(-slope, cross(own_axis, axis)))
    arm = turn(a.rotation, along(start, part, way))
    touching = count != 0.0 and square < side.reach * side.reach
    return Met(
        k, count, turn(b.rotation, q), arm, square, CROSSING, turn(b.rotation, axis), turn(b.rotation, own_axis), twist, touching
    )  # fmt: skip


@device
def on_face(x, other, side, geometry):
    """A vertex of a, seen from b at x, over a face of b: square of the distance, count, way."""
    q, square = face_distance(x, other, geometry.feature)
    count = 0.0
    if square < side.near:
        count = face_count(x, other, geometry.feature, geometry.side)
    return square, count, q


@device
def on_edge(x, mark, row, other, side, geometry):
    """The same at an edge of b: square, count, way, direction of the edge, torque of the fade."""
    feature = geometry.feature
    q, square = edge_way(x, other, feature)
    count, axis, twist = 0.0, NONE, NONE
    if square < side.near:
        axis = times(math.sqrt(feature[other + 6]), minus(triple(feature, other + 3), triple(feature, other)))
        if mark >= GRAPH:
            seen, seen_axis = turn_back(side.relative, q), turn_back(side.relative, axis)
            count, twist = vertex_on_edge(seen, seen_axis, row, feature, geometry.fan)
            twist = turn(side.a.rotation, twist)
        else:
            count = edge_count(x, other, feature)
        axis = turn(side.b.rotation, axis)
    return square, count, q, axis, twist


@device
def on_vertex(x, row, other, side, geometry):
    """The same at a vertex of b: square, count, way, torque of the fade."""
    feature, fan = geometry.feature, geometry.fan
    q = minus(triple(feature, other), x)
    square, count, twist = dot(q, q), 0.0, NONE
    if square < side.near:
        if side.section == 2:
            count, twist = vertex_on_vertex(q, row, other, feature, fan, side.relative)
            twist = turn(side.b.rotation, twist)
        else:
            count = vertex_count(times(-1.0, q), other, feature, fan, geometry.corner)
    return square, count, q, twist


@device
def meet_candidate(k, side, world):
    """What candidate k of a section counts; nothing further away than side.near does."""
    candidate, geometry = world.lists.candidate, world.geometry
    feature, mark = geometry.feature, np.int64(candidate[CANDIDATE * k])
    row, other = ROW * (mark & NUMBER), ROW * np.int64(candidate[CANDIDATE * k + 1])
    if side.section == 2 and feature[row + KIND] == EDGE:
        return edges_of(k, row, other, side, feature)
    vertex = triple(feature, row)
    x = plus(turn(side.relative, vertex), side.shift)
    kind, bend, axis, twist = feature[other + KIND], FLAT, NONE, NONE
    if kind == FACE:
        square, count, q = on_face(x, other, side, geometry)
    elif kind == EDGE:
        bend = STRAIGHT
        square, count, q, axis, twist = on_edge(x, mark, row, other, side, geometry)
    else:
        bend = ROUND
        square, count, q, twist = on_vertex(x, row, other, side, geometry)
    if count == 0.0:
        return Met(k, 0.0, q, NONE, square, bend, axis, NONE, twist, False)
    touching = square < side.reach * side.reach
    arm = turn(side.a.rotation, vertex)
    return Met(k, count, turn(side.b.rotation, q), arm, square, bend, axis, NONE, twist, touching)


@routine
def meet_apart(k, side, world):
    """`meet_candidate`, compiled once for what is seldom wanted."""
    return meet_candidate(k, side, world)
