"""What a rebuild of the lists knows of spheropolyhedra: which features of a pair may meet (GM09 §2.4; model §3).

Candidates of a pair come in three sections: vertices of i on features of j, vertices of j on features of i, edges on edges and
vertices on vertices. A vertex that meets an edge as an end of its own edges has the mark GRAPH. Two features nearer than the
spheres and 2α are a candidate unless they surely do not count; they are found by trees of the vertices and of all features.
"""

import math
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clast.algebra.space import along, between, dot, minus, plus, times, transposed, triple, turn, turn_back
from clast.backend.device import device, unsigned
from clast.contact.space.features import Geometry
from clast.contact.space.nearness import edges_may_cross, never_counts, squared_distance
from clast.contact.space.spheropolyhedron import EDGE, FACE, KIND, ROW
from clast.dynamics.arrays import SHEARED
from clast.dynamics.contacts.kinds import ONE_ROUND, OTHERS, TWO_ROUND
from clast.dynamics.listing import pair_rows_of, shift_by, shift_in_sheared, with_memory
from clast.dynamics.space.cell import offset_of, speed_in_flow
from clast.dynamics.space.columns import (
    BODY,
    CONSTANT,
    FIRST,
    LAW,
    MARK,
    MASS,
    PAIR,
    RADIUS,
    REACH,
    REDUCED,
    REFERENCE,
    SECOND,
    SPIN,
    THEN,
    THIRD,
    TURN,
    VELOCITY,
    X,
    Y,
    Z,
    four,
    rotation_by,
    write_four,
)  # fmt: skip
from clast.dynamics.space.counting import GRAPH
from clast.neighbours.candidates import beyond, none_found, note, sort_candidates
from clast.neighbours.carry import carry_of
from clast.neighbours.feature_tree import SLACK, Tree, next_leaf, squared_distance_in_space, tree_by_place

AXES = 3
WORDS = 0  # of Scratch.hit: there are too many combinations for bits
WAY = 4.0  # times α: how far a probe may move in the frame of the one it meets, which turns as well


def trees_of(geometry: Geometry) -> tuple[Tree, Tree]:
    """Trees of the vertices and of all features of all shapes."""
    low, high = geometry.bounds[:, :3], geometry.bounds[:, 3:]
    first, last = geometry.first_feature[:-1], geometry.first_feature[1:]
    return tree_by_place(low, high, geometry.first_vertex, last), tree_by_place(low, high, first, last)


def room_of(geometry: Geometry) -> int:
    """Numbers that passes need for themselves: none."""
    return 0


# --- bodies ----------------------------------------------------------------------------------------------------------


@device
def place(body, b):
    """Where body b is."""
    return body[BODY * b + X], body[BODY * b + Y], body[BODY * b + Z]


@device
def periods(model):
    """Lengths of the periodic cell."""
    return model.period[0], model.period[1], model.period[2]


@device
def radius(body, b):
    """Sphero-radius of body b."""
    return body[BODY * b + RADIUS]


@device
def speed(b, world):
    """At most that of any point of body b."""
    body, at = world.state.body, BODY * b
    velocity, spin = triple(body, at + VELOCITY), triple(body, at + SPIN)
    return math.sqrt(dot(velocity, velocity)) + world.model.reach[b] * math.sqrt(dot(spin, spin))


@device
def frame_of(body, b):
    """Rotation of body b."""
    return rotation_by(four(body, BODY * b + TURN))


@device
def is_near_big(way, b, near, world):
    """Whether a point may be nearer than `near` to a feature of body b: by boxes; `way` leads there from its centre."""
    faced, shape = world.faced, world.model.shape[b]
    node, end = unsigned(faced.first_node[shape]), unsigned(faced.first_node[shape + 1])
    return next_leaf(faced, node, end, turn_back(frame_of(world.state.body, b), way), near * near) < end


@device
def note_place(b, reach, world):
    """Where body b is when the lists are made, and how far it reaches from its centre."""
    table, body, at = world.new.reference, world.state.body, REFERENCE * b
    table[at], table[at + 1], table[at + 2] = place(body, b)
    table[at + REACH] = reach
    write_four(table, at + THEN, four(body, BODY * b + TURN))


@device
def note_reference(b, world):
    """Where body b is when the lists are made. A point at the centre goes nowhere when its body turns."""
    note_place(b, 0.0 if world.geometry.round[world.model.shape[b]] != 0 else world.model.reach[b], world)


def motion_of(cell: int) -> SimpleNamespace:
    """`place`, `speed` and `offset`, of a sheared cell or None, for a kind of box."""
    if cell == SHEARED:
        return SimpleNamespace(place=place, speed=speed_in_flow, offset=offset_of)
    return SimpleNamespace(place=place, speed=speed, offset=None)


def shift_of(cell: int) -> Any:
    """`shift(image, model)`: the way to an image, for a kind of box."""
    return shift_in_sheared(periods, offset_of) if cell == SHEARED else shift_by(periods)


# --- candidates ------------------------------------------------------------------------------------------------------


class Sight(NamedTuple):
    """Features of a, seen from b."""

    a: int  # shapes
    b: int
    frame: Any  # a's, seen from b
    shift: Any  # a's centre, seen from b
    there: Any  # b's centre, seen from a
    gap: float  # distance of a candidate
    way: float  # by which "surely" leaves room
    span: float  # square of the distance from b's centre of features of a that may be met
    reach: float  # and from a's centre of features of b
    graph: bool  # whether both have edges


@device
def sight_of(a, b, branch, world):
    """How b sees a; `branch` leads from a to b, or to the image of it that is met."""
    body, reach, geometry, alpha = world.state.body, world.model.reach, world.geometry, world.alpha
    frame_a, frame_b = frame_of(body, a), frame_of(body, b)
    radius_a, radius_b, shape_a, shape_b = radius(body, a), radius(body, b), world.model.shape[a], world.model.shape[b]
    span, far = reach[b] + radius_a + 2.0 * alpha, reach[a] + radius_b + 2.0 * alpha
    return Sight(
        shape_a, shape_b, between(frame_b, frame_a), times(-1.0, turn_back(frame_b, branch)), turn_back(frame_a, branch),
        radius_a + radius_b + 2.0 * alpha, WAY * alpha, span * span, far * far,
        geometry.edged[shape_a] != 0 and geometry.edged[shape_b] != 0,
    )  # fmt: skip


@device
def turned_round(sight):
    """The same, a seen as b was."""
    return Sight(
        sight.b, sight.a, transposed(sight.frame), sight.there, sight.shift, sight.gap, sight.way, sight.reach, sight.span,
        sight.graph,
    )  # fmt: skip


@device
def note_probe(v, x, leaf, sight, found, world):
    """Features of one leaf of b that vertex v of a may come to meet; b sees it at x."""
    geometry, faced, candidate = world.geometry, world.faced, world.target
    feature, row = geometry.feature, ROW * v
    for n in range(faced.first[leaf], faced.last[leaf]):
        f = faced.item[unsigned(n)]
        other = ROW * unsigned(f)
        kind = feature[other + KIND]
        if kind == EDGE and feature[other + 7] != 0.0:  # mute
            continue
        if squared_distance(x, other, geometry, sight.way) < sight.gap * sight.gap:
            if kind == FACE or not never_counts(x, other, geometry, sight.way):
                found = note(v, f, found, candidate)
            if sight.graph and kind == EDGE and feature[other + 14] != 0.0 and feature[row + 5] != 0.0:
                found = note(v | GRAPH, f, found, candidate)
    return found


@device
def list_probes(sight, found, world):
    """Vertices of a on features of b; what was written is sorted by vertex and feature."""
    feature, probes, faced = world.geometry.feature, world.probes, world.faced
    leaf, end = unsigned(faced.first_node[sight.b]), unsigned(faced.first_node[sight.b + 1])
    leaf = next_leaf(faced, leaf, end, sight.shift, sight.reach)
    while leaf < end:
        node, last = unsigned(probes.first_node[sight.a]), unsigned(probes.first_node[sight.a + 1])
        node = next_leaf(probes, node, last, sight.there, sight.span)
        while node < last:
            for n in range(probes.first[node], probes.last[node]):
                v = unsigned(probes.item[unsigned(n)])
                if feature[ROW * v + 9] == 0.0:  # not mute
                    x = plus(turn(sight.frame, triple(feature, ROW * v)), sight.shift)
                    if squared_distance_in_space(faced, leaf, x) <= sight.gap * sight.gap * SLACK:
                        found = note_probe(v, x, leaf, sight, found, world)
            node = next_leaf(probes, node + unsigned(1), last, sight.there, sight.span)
        leaf = next_leaf(faced, leaf + unsigned(1), end, sight.shift, sight.reach)
    sort_candidates(found, world.target)
    return found


@device
def has_graph(feature, row):
    """Whether a feature is a real edge, or a vertex at which edges end."""
    kind = feature[row + KIND]
    return feature[row + 14] != 0.0 if kind == EDGE else (kind > EDGE and feature[row + 5] != 0.0)


@device
def note_graph(f, sight, found, world):
    """Edges of b near edge f of a, or vertices near vertex f."""
    feature, faced, row = world.geometry.feature, world.faced, ROW * f
    kind, x = feature[row + KIND], plus(turn(sight.frame, triple(feature, row)), sight.shift)
    way = turn(sight.frame, minus(triple(feature, row + 3), triple(feature, row))) if kind == EDGE else (0.0, 0.0, 0.0)
    middle, near = along(x, 0.5, way), sight.gap + 0.5 * math.sqrt(dot(way, way))
    leaf, end = unsigned(faced.first_node[sight.b]), unsigned(faced.first_node[sight.b + 1])
    leaf = next_leaf(faced, leaf, end, middle, near * near)
    while leaf < end:
        for n in range(faced.first[leaf], faced.last[leaf]):
            g = faced.item[unsigned(n)]
            other = ROW * unsigned(g)
            if feature[other + KIND] == kind and has_graph(feature, other):
                u = minus(x, triple(feature, other))
                if edges_may_cross(x, way, other, feature, sight.gap, sight.way) if kind == EDGE else dot(u, u) < sight.gap**2:
                    found = note(f, g, found, world.target)
        leaf = next_leaf(faced, leaf + unsigned(1), end, middle, near * near)
    return found


@device
def list_graphs(sight, found, world):
    """Edges of a on edges of b, and vertices on vertices as ends of edges; what was written is sorted."""
    feature, faced = world.geometry.feature, world.faced
    leaf, end = unsigned(faced.first_node[sight.a]), unsigned(faced.first_node[sight.a + 1])
    leaf = next_leaf(faced, leaf, end, sight.there, sight.span)
    while leaf < end:
        for n in range(faced.first[leaf], faced.last[leaf]):
            f = unsigned(faced.item[unsigned(n)])
            row = ROW * f
            if has_graph(feature, row) and squared_distance(sight.there, row, world.geometry, 0.0) < sight.span:
                found = note_graph(f, sight, found, world)
        leaf = next_leaf(faced, leaf + unsigned(1), end, sight.there, sight.span)
    sort_candidates(found, world.target)
    return found


@device
def list_sections(i, j, branch, found, world):
    """The three sections of the candidates of a pair, each from where it begins."""
    sight = sight_of(i, j, branch, world)
    edged_i = world.geometry.edged[sight.a] != 0
    first = list_probes(sight, found, world) if sight.graph or not edged_i else found  # an edgeless body probes and is not
    second = list_probes(turned_round(sight), beyond(first), world) if edged_i else beyond(first)  # probed: one contact
    third = list_graphs(sight, beyond(second), world) if sight.graph else beyond(second)
    return first, second, third


@device
def kind_of(i, j, world):
    """The kind of a pair: who of two is round and probes. Of bodies without edges the first does."""
    geometry, a, b = world.geometry, world.model.shape[i], world.model.shape[j]
    if geometry.round[a] != 0:
        return TWO_ROUND if geometry.round[b] != 0 else ONE_ROUND
    return ONE_ROUND if geometry.round[b] != 0 and geometry.edged[a] != 0 else OTHERS


def rows_of(shift: Any) -> SimpleNamespace:
    """`list_pair` (see `clast.neighbours.candidates`), `write_row` and `close_pairs` where `shift(image, model)` leads to an
    image."""
    rows = pair_rows_of(SimpleNamespace(axes=AXES, PAIR=PAIR, CONSTANT=CONSTANT, MASS=MASS, LAW=LAW, place=place, shift=shift))
    read_pair, write_pair = rows.read_pair, rows.write_pair

    @device
    def write_row(p, q, at, first, second, world):
        """Row p of the pairs, which was near pair q and whose candidates begin at `at`, so many in its first two sections."""
        new, model = world.new, world.model
        i, j, _, _ = read_pair(q, world)
        write_pair(p, q, at, world)
        new.pair[PAIR * p + SECOND], new.pair[PAIR * p + THIRD] = at + first, at + first + second
        new.pair[PAIR * p + MARK] = kind_of(i, j, world)
        curvature = model.inverse_radius[i] + model.inverse_radius[j]
        new.pair_constant[CONSTANT * p + REDUCED] = 1.0 / curvature if curvature > 0.0 else 0.0

    @device
    def list_pair(q, p, at, room, world):
        """Candidates of near pair q; returns the rows they take, 1 or none, their number, and those of the first two sections."""
        i, j, _, branch = read_pair(q, world)
        geometry, shape_i, shape_j = world.geometry, world.model.shape[i], world.model.shape[j]
        first = none_found(at, room)
        if geometry.round[shape_i] & geometry.round[shape_j] != 0:  # near pairs of spheres are candidates
            first = note(geometry.first_feature[shape_i], geometry.first_feature[shape_j], first, world.target)
            second = third = beyond(first)
        else:
            first, second, third = list_sections(i, j, branch, first, world)
        if p >= 0:
            write_row(unsigned(p), q, at, first.number, second.number, world)
        number = first.number + second.number + third.number
        return np.int64(number > 0), number, first.number, second.number

    return SimpleNamespace(list_pair=list_pair, write_row=write_row, close_pairs=rows.close_pairs)


def listing_of(choice: SimpleNamespace) -> SimpleNamespace:
    """What `clast.neighbours.rebuild.rebuild_of` reads, for what contacts remember and a kind of box."""
    columns, rows = SimpleNamespace(width=PAIR, sections=(FIRST, SECOND, THIRD)), rows_of(shift_of(choice.cell))
    return SimpleNamespace(
        axes=AXES, periods=periods, radius=radius, is_near_big=is_near_big, pair_width=PAIR, body_width=BODY,
        note_reference=note_reference, **vars(motion_of(choice.cell)), **vars(rows),
        carry=with_memory(choice.remembers, carry_of(AXES, columns, 3 * (1 + choice.rolling) + choice.extra)),
    )  # fmt: skip
