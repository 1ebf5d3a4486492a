"""What a rebuild of the lists knows of the plane: boxes of big bodies, and which probes of a pair may meet which features.

A candidate is a probe and a feature nearer than the sphero-radii and 2α. They are found by trees of the probes and of the
features (`clast.neighbours.feature_tree`), and come out sorted by (probe, feature).

Counting is most of the work of a rebuild. Where a side of a pair has at most 64 combinations, what was found is kept in 64 bits,
and writing the list looks at nothing but these.
"""

import math
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clast.algebra.plane import Vector, opposite, turn, turn_back
from clast.backend.device import device, unsigned
from clast.contact.plane.features import Geometry
from clast.contact.plane.spheropolygon import FEATURE, NOTCH
from clast.dynamics.arrays import SHEARED
from clast.dynamics.contacts.kinds import OTHERS, TWO_ROUND
from clast.dynamics.listing import pair_rows_of, shift_by, shift_in_sheared, with_memory
from clast.dynamics.plane.columns import (
    BODY,
    CONSTANT,
    COS,
    FIRST,
    LAW,
    MARK,
    MASS,
    MIDDLE,
    PAIR,
    RADIUS,
    REACH,
    REDUCED,
    REFERENCE,
    SIN,
    SPIN,
    VX,
    VY,
    X,
    Y,
)  # fmt: skip
from clast.dynamics.plane.sheared import offset_of, speed_in_flow
from clast.neighbours.candidates import Found, beyond, none_found, note, sort_candidates
from clast.neighbours.carry import carry_of
from clast.neighbours.feature_tree import SLACK, Tree, squared_distance_to_box, tree_of
from clast.neighbours.scratch import WRITING

AXES = 2
WORDS = 2  # of Scratch.hit for a near pair: i's probes on j's features, j's on i's
BITS, LARGEST = 64, (1 << 63) - 1


def trees_of(geometry: Geometry) -> tuple[Tree, Tree]:
    """Trees of the probes and of the features of all shapes."""
    a, b = geometry.feature[:, 0:2], geometry.feature[:, 2:4]
    end = np.where(geometry.feature[:, 7:8] == NOTCH, a, b)
    return (
        tree_of(geometry.vertex, geometry.vertex, geometry.first_vertex[:-1], geometry.first_vertex[1:]),
        tree_of(np.minimum(a, end), np.maximum(a, end), geometry.first_feature[:-1], geometry.first_feature[1:]),
    )


def room_of(geometry: Geometry) -> int:
    """Numbers that passes need for themselves: none."""
    return 0


# --- bodies ----------------------------------------------------------------------------------------------------------


@device
def place(body, b):
    """Where body b is; the plane lies at z = 0."""
    return body[BODY * b + X], body[BODY * b + Y], 0.0


@device
def periods(model):
    """Lengths of the periodic cell; nothing repeats along z."""
    return model.period[0], model.period[1], 0.0


@device
def radius(body, b):
    """Sphero-radius of body b."""
    return body[BODY * b + RADIUS]


@device
def speed(b, world):
    """At most that of any point of body b."""
    body, at = world.state.body, BODY * b
    vx, vy = body[at + VX], body[at + VY]
    return math.sqrt(vx * vx + vy * vy) + world.model.reach[b] * abs(body[at + SPIN])


@device
def note_reference(b, world):
    """Where body b is when the lists are made."""
    table, body, at = world.new.reference, world.state.body, REFERENCE * b
    table[at], table[at + 1] = body[BODY * b + X], body[BODY * b + Y]
    skeleton = world.model.reach[b] - radius(body, b)
    table[at + 2] = world.state.angle[b]
    table[at + REACH] = 0.0 if world.geometry.round[world.model.shape[b]] != 0 else skeleton  # a disk may turn for ever


def rows_of(shift: Any) -> SimpleNamespace:
    """How rows of the lists are read and written where `shift(image, model)` leads to an image."""
    rows = pair_rows_of(SimpleNamespace(axes=AXES, PAIR=PAIR, CONSTANT=CONSTANT, MASS=MASS, LAW=LAW, place=place, shift=shift))
    read_pair, write_pair = rows.read_pair, rows.write_pair

    @device
    def write_row(p, q, at, here, there, world):
        """Row p of the pairs, which was near pair q: `here` candidates of i's probes from `at` on, then `there` of j's."""
        write_pair(p, q, at, world)
        i, j, _, _ = read_pair(q, world)
        world.new.pair[PAIR * p + MIDDLE] = at + here
        world.new.pair[PAIR * p + MARK] = TWO_ROUND if are_disks(i, j, world) else OTHERS
        world.new.pair_constant[CONSTANT * p + REDUCED] = 1.0 / (world.model.inverse_radius[i] + world.model.inverse_radius[j])

    return SimpleNamespace(read_pair=read_pair, write_row=write_row, close_pairs=rows.close_pairs)


# --- candidates ------------------------------------------------------------------------------------------------------


class Sight(NamedTuple):
    """Probes of a, seen from b."""

    a: int  # shapes
    b: int
    frame: Vector  # of a, seen from b
    shift: Vector  # of a's centre, seen from b
    there: Vector  # b's centre, seen from a
    gap: float  # square of the distance of a candidate
    span: float  # square of the distance from b's centre of probes that may be one
    reach: float  # and from a's centre of features
    bits: int  # features of b where all combinations fit into bits, else 0


@device
def bits_of(a, b, geometry):
    """Features of shape b where all combinations with probes of shape a fit into bits, else 0."""
    features = geometry.first_feature[b + 1] - geometry.first_feature[b]
    return features if features * (geometry.first_vertex[a + 1] - geometry.first_vertex[a]) <= BITS else np.int64(0)


@device
def sight_of(a, b, branch, world):
    """How b sees a; `branch` leads from a to b, or to the image of it that is met."""
    body = world.state.body
    frame_a = Vector(body[BODY * a + COS], body[BODY * a + SIN])
    frame_b = Vector(body[BODY * b + COS], body[BODY * b + SIN])
    gap = body[BODY * a + RADIUS] + body[BODY * b + RADIUS] + 2.0 * world.alpha
    span = world.model.reach[b] + body[BODY * a + RADIUS] + 2.0 * world.alpha
    reach = world.model.reach[a] + body[BODY * b + RADIUS] + 2.0 * world.alpha
    shape_a, shape_b = world.model.shape[a], world.model.shape[b]
    return Sight(
        shape_a, shape_b, turn_back(frame_b, frame_a), opposite(turn_back(frame_b, branch)), turn_back(frame_a, branch),
        gap * gap, span * span, reach * reach, bits_of(shape_a, shape_b, world.geometry),
    )  # fmt: skip


@device
def squared_distance(place, feature, f):
    """Of a point to a feature: to its segment, or to its vertex where only that counts."""
    at = FEATURE * f
    ux, uy = place.x - feature[at], place.y - feature[at + 1]
    lx, ly = feature[at + 2] - feature[at], feature[at + 3] - feature[at + 1]
    t = min(max((ux * lx + uy * ly) * feature[at + 6], 0.0), 1.0) if feature[at + 7] != NOTCH else 0.0
    dx, dy = ux - t * lx, uy - t * ly
    return dx * dx + dy * dy


@device
def is_near_big(way, b, near, world):
    """Whether a point is nearer than `near` to a feature of body b; `way` leads there from its centre."""
    body, faced, shape = world.state.body, world.faced, world.model.shape[b]
    seen = turn_back(Vector(body[BODY * b + COS], body[BODY * b + SIN]), Vector(way[0], way[1]))
    node, end, limit = unsigned(faced.first_node[shape]), faced.first_node[shape + 1], near * near * SLACK
    while node < end:
        if squared_distance_to_box(faced, node, seen.x, seen.y) > limit:
            node = unsigned(faced.skip[node])
        else:
            for f in range(faced.first[node], faced.last[node]):
                if squared_distance(seen, world.geometry.feature, unsigned(f)) < limit:
                    return True
            node += 1
    return False


@device
def note_run(v, seen, first, last, sight, found, world):
    """Features first … last of b that are near probe v of a, which b sees at `seen`."""
    feature, hit, count = world.geometry.feature, found.hit, found.number
    if sight.bits > 0:  # without a branch: which are near cannot be foretold, and a wrong guess costs more than a distance
        bit = (v - world.geometry.first_vertex[sight.a]) * sight.bits - world.geometry.first_feature[sight.b]
        for f in range(first, last):
            near = np.int64(squared_distance(seen, feature, unsigned(f)) < sight.gap)
            hit |= near << (bit + f)
            count += near
        return Found(found.at, found.room, count, hit)
    for f in range(first, last):
        if squared_distance(seen, feature, unsigned(f)) < sight.gap:
            found = note(v, f, found, world.target)
    return found


@device
def look_at_leaf(leaf, sight, found, world):
    """Probes of a near the features of one leaf of b."""
    probes, faced, vertex = world.probes, world.faced, world.geometry.vertex
    node, end = unsigned(probes.first_node[sight.a]), probes.first_node[sight.a + 1]
    while node < end:
        if squared_distance_to_box(probes, node, sight.there.x, sight.there.y) > sight.span * SLACK:
            node = unsigned(probes.skip[node])
            continue
        for v in range(probes.first[node], probes.last[node]):
            seen = turn(sight.frame, Vector(vertex[2 * unsigned(v)], vertex[2 * unsigned(v) + 1]))
            seen = Vector(seen.x + sight.shift.x, seen.y + sight.shift.y)
            if squared_distance_to_box(faced, leaf, seen.x, seen.y) <= sight.gap * SLACK:
                found = note_run(v, seen, faced.first[leaf], faced.last[leaf], sight, found, world)
        node += 1
    return found


@device
def list_side(sight, found, world):
    """Candidates of a's probes on b's features, leaf by leaf; what was written is sorted by probe and feature."""
    faced, leaves = world.faced, 0
    node, end = unsigned(faced.first_node[sight.b]), faced.first_node[sight.b + 1]
    while node < end:
        if squared_distance_to_box(faced, node, sight.shift.x, sight.shift.y) > sight.reach * SLACK:
            node = unsigned(faced.skip[node])
            continue
        if faced.first[node] < faced.last[node]:
            found = look_at_leaf(node, sight, found, world)
            leaves += 1
        node += 1
    if leaves > 1:
        sort_candidates(found, world.target)
    return found


@device
def write_hits(a, b, hit, found, world):
    """The candidates of probes of shape a on features of shape b that are noted in bits."""
    v, first, bits = world.geometry.first_vertex[a], world.geometry.first_feature[b], bits_of(a, b, world.geometry)
    mask = ((np.int64(1) << bits) - 1) if bits < BITS else np.int64(-1)
    while hit != 0:
        here, f = hit & mask, first
        while here != 0:
            if here & 1:
                found = note(v, f, found, world.target)
            here = (here >> 1) & LARGEST  # the sign is a bit like any other
            f += 1
        hit = ((hit >> bits) & (LARGEST >> (bits - 1))) if bits < BITS else np.int64(0)
        v += 1
    return found


@device
def edged_bodies_are_probed(i, j, world):
    """Whether i probes j, and j probes i: an edgeless body (disk, clump) probes the other and is not probed by it; one contact,
    one spring."""
    edged_i, edged_j = world.geometry.edged[world.model.shape[i]] != 0, world.geometry.edged[world.model.shape[j]] != 0
    return (not edged_i) or edged_j, edged_i


@device
def all_are_probed(i, j, world):
    """The papers' literal count: both."""
    return True, True


@device
def are_disks(i, j, world):
    """Whether two bodies are disks: near ones are candidates, and the point of i probes that of j."""
    shape, is_round = world.model.shape, world.geometry.round
    return is_round[shape[i]] & is_round[shape[j]]


def list_pair_of(sides: Any, rows: SimpleNamespace) -> Any:
    """`list_pair` (see `clast.neighbours.candidates`); sides(i, j, world) tells who probes whom."""
    read_pair, write_row = rows.read_pair, rows.write_row

    @device
    def list_side_of(a, b, branch, hit, found, world):
        """Candidates of a's probes on b's features, from bits where they were noted before."""
        shape_a, shape_b = world.model.shape[a], world.model.shape[b]
        if world.work.size[WRITING] != 0 and bits_of(shape_a, shape_b, world.geometry) > 0:
            return write_hits(shape_a, shape_b, hit, found, world)
        return list_side(sight_of(a, b, branch, world), found, world)

    @device
    def list_pair(q, p, at, room, world):
        """Candidates of near pair q; returns the rows they take, 1 or none, their number, and those of the two sides."""
        hit = world.work.hit
        i, j, _, way = read_pair(q, world)
        branch = Vector(way[0], way[1])
        i_probes, j_probes = sides(i, j, world)
        here = none_found(at, room)
        if i_probes and not j_probes and are_disks(i, j, world):
            geometry, shape = world.geometry, world.model.shape
            here = note(geometry.first_vertex[shape[i]], geometry.first_feature[shape[j]], here, world.target)
        elif i_probes:
            here = list_side_of(i, j, branch, hit[WORDS * q], here, world)
        there = beyond(here)
        if j_probes:
            there = list_side_of(j, i, opposite(branch), hit[WORDS * q + 1], there, world)
        if p >= 0:
            write_row(unsigned(p), q, at, here.number, there.number, world)
        else:
            hit[WORDS * q], hit[WORDS * q + 1] = here.hit, there.hit
        number = here.number + there.number
        return np.int64(number > 0), number, here.number, there.number

    return list_pair


def listing_of(choice: SimpleNamespace) -> SimpleNamespace:
    """What `clast.neighbours.rebuild.rebuild_of` reads, for a way of counting and what contacts remember."""
    columns, sheared = SimpleNamespace(width=PAIR, sections=(FIRST, MIDDLE)), choice.cell == SHEARED
    rows = rows_of(shift_in_sheared(periods, offset_of) if sheared else shift_by(periods))
    return SimpleNamespace(
        axes=AXES, place=place, periods=periods, offset=offset_of if sheared else None, radius=radius,
        speed=speed_in_flow if sheared else speed, is_near_big=is_near_big, pair_width=PAIR, body_width=BODY,
        note_reference=note_reference, close_pairs=rows.close_pairs, write_row=rows.write_row,
        carry=with_memory(choice.remembers, carry_of(AXES, columns, 1 + choice.extra + choice.rolling)),
        list_pair=list_pair_of(edged_bodies_are_probed if choice.meet == "meet" else all_are_probed, rows),
    )  # fmt: skip
