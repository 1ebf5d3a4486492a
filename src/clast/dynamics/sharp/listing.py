"""What a rebuild of the lists knows of sharp bodies: which pieces, planes and edges may take part in an overlap (model §4).

A row of the pairs is a piece of i and a piece of j. Its candidates, in three sections:

    0   the two pieces: the contact itself, which the spring belongs to
    1   planes of j, with a mark on those which may be the first to cut: the one that leaves least of the depth of i
    2   edges of i that may reach behind a plane with a mark

A plane is left out where the part of i behind any marked plane is surely inside it. Pieces are found by trees of their boxes;
then the tests of `clast.contact.sharp.parting` part them, the cheapest first: shadows on the line of centres, planes.
"""

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clast.algebra.space import between, times, transposed, turn_back
from clast.backend.device import device, unsigned
from clast.contact.sharp.parting import (
    COLUMNS,
    bring_planes,
    may_cut_later,
    may_reach_behind,
    parted,
    parted_along_centres,
    slack,
    surely_apart,
)  # fmt: skip
from clast.contact.sharp.polyhedra import Polyhedra
from clast.dynamics.listing import pair_rows_of, with_memory
from clast.dynamics.sharp.columns import AREA, CONSTANT, LENGTH, width_of
from clast.dynamics.space.columns import BODY, FIRST, LAW, MARK, MASS, PAIR, SECOND, THIRD
from clast.dynamics.space.listing import (
    AXES,
    WORDS,
    frame_of,
    is_near_big,
    motion_of,
    note_place,
    periods,
    place,
    radius,
    shift_of,
)
from clast.neighbours.candidates import CANDIDATE, FACED, PROBE, beyond, none_found, note
from clast.neighbours.carry import find_of
from clast.neighbours.feature_tree import Tree, least_of, next_leaf, tree_of

__all__ = ["WORDS", "listing_of", "room_of", "trees_of"]


@device
def note_reference(b, world):
    """Where body b is when the lists are made."""
    note_place(b, world.model.reach[b], world)


def trees_of(geometry: Polyhedra) -> tuple[Tree, Tree]:
    """The tree of the pieces of all shapes, twice: a piece meets pieces."""
    first, last = geometry.piece_vertex[:-1], geometry.piece_vertex[1:]
    low, high = least_of(geometry.vertex, first, last), -least_of(-geometry.vertex, first, last)
    tree = tree_of(low, high, geometry.first_feature[:-1], geometry.first_feature[1:])
    return tree, tree


def room_of(geometry: Polyhedra) -> int:
    """Numbers for the planes of any piece."""
    return COLUMNS * int(np.diff(geometry.piece_plane).max())


class Sight(NamedTuple):
    """Two sharp bodies, each seen from the other."""

    i: int
    j: int
    shape_i: int
    shape_j: int
    frame: Any  # j's, seen from i
    to_j: Any  # j's centre, seen from i
    to_i: Any  # i's centre, seen from j
    gap: float  # how far points of i may move in j's frame
    gap_back: float  # and points of j in i's


@device
def sight_of(i, j, branch, world):
    """How two bodies see each other; `branch` leads from i to the image of j that is met."""
    body, reach = world.state.body, world.model.reach
    frame_i, frame_j = frame_of(body, i), frame_of(body, j)
    return Sight(
        i, j, world.model.shape[i], world.model.shape[j], between(frame_i, frame_j),
        turn_back(frame_i, branch), times(-1.0, turn_back(frame_j, branch)),
        slack(world.alpha, branch, reach[i], reach[j]), slack(world.alpha, branch, reach[j], reach[i]),
    )  # fmt: skip


@device
def list_overlap(one_i, one_j, best, sight, found, world):
    """The three sections of the candidates of two pieces, each from where it begins."""
    geometry, candidate, gap = world.geometry, world.target, sight.gap
    rows, begin = table = planes_of(world)
    first = note(one_i, one_j, found, candidate)
    planes = beyond(first)
    for g in range(geometry.piece_plane[one_j], geometry.piece_plane[one_j + 1]):
        leads = rows[begin + COLUMNS * (g - geometry.piece_plane[one_j]) + 5] >= best
        if leads or may_cut_later(g, one_i, one_j, best, gap, geometry, table):
            planes = note(g, np.int64(leads), planes, candidate)
    edges = beyond(planes)
    for e in range(geometry.piece_edge[one_i], geometry.piece_edge[one_i + 1]):
        if may_reach_behind(e, one_i, one_j, best, gap, geometry, table):
            edges = note(e, np.int64(0), edges, candidate)
    return planes, edges


@device
def planes_of(world):
    """The room for planes of this part: its array, and where to begin."""
    return world.work.workspace, world.part * world.workspace_width


@device
def list_pieces(one_i, one_j, sight, found, world):
    """Candidates of two pieces, none where they are surely parted: planes and edges found, each from where it begins."""
    geometry, alpha = world.geometry, world.alpha
    none = beyond(found)
    if parted_along_centres(one_i, one_j, sight.to_j, sight.to_i, alpha, geometry):
        return none, none
    if parted(one_j, one_i, transposed(sight.frame), sight.to_i, sight.gap_back, geometry):
        return none, none
    reach = world.model.reach[sight.j]
    best = bring_planes(one_i, one_j, sight.frame, sight.to_j, alpha, reach, geometry, planes_of(world))
    if best > 0.0:
        return none, none
    return list_overlap(one_i, one_j, best, sight, found, world)


def listing_rows_of(shift: Any) -> SimpleNamespace:
    """`list_pair` (see `clast.neighbours.candidates`), `write_row` and `close_pairs` where `shift(image, model)` leads to an
    image."""
    made = pair_rows_of(SimpleNamespace(axes=AXES, PAIR=PAIR, CONSTANT=CONSTANT, MASS=MASS, LAW=LAW, place=place, shift=shift))
    read_pair, write_pair = made.read_pair, made.write_pair

    @device
    def write_row(p, q, at, one, planes, world):
        """Row p of the pairs, two pieces of near pair q: the contact at `at`, one candidate, so many planes, and edges."""
        model, new, section = world.model, world.new, world.geometry.section
        i, j, _, _ = read_pair(q, world)
        write_pair(p, q, at, world)
        new.pair[PAIR * p + SECOND], new.pair[PAIR * p + THIRD] = at + one, at + one + planes
        # a body that does not give way is as long and as wide as the other; if neither does, a wall is
        still_i, still_j = model.contact_inverse_mass[i] == 0.0, model.contact_inverse_mass[j] == 0.0
        if still_i and still_j:
            still_i, still_j = model.inverse_radius[i] == 0.0, model.inverse_radius[j] == 0.0
        lone_i, lone_j = still_i and not still_j, still_j and not still_i
        new.pair[PAIR * p + MARK] = 1 * lone_i + 2 * lone_j
        round_i = model.inverse_radius[j] if lone_i else model.inverse_radius[i]
        round_j = model.inverse_radius[i] if lone_j else model.inverse_radius[j]
        wide_i, wide_j = section[model.shape[i]], section[model.shape[j]]
        new.pair_constant[CONSTANT * p + LENGTH] = 4.0 / (round_i + round_j)
        new.pair_constant[CONSTANT * p + AREA] = min(wide_j if lone_i else wide_i, wide_i if lone_j else wide_j)

    @device
    def list_row(one_j, p, q, sight, so_far, world):
        """Pieces of i on a piece of j; `so_far` is what was found of this near pair: (rows, planes of the last, candidates)."""
        tree, (rows, planes, found) = world.faced, so_far
        near = world.model.reach[sight.j] + sight.gap_back
        leaf, last = unsigned(tree.first_node[sight.shape_i]), unsigned(tree.first_node[sight.shape_i + 1])
        leaf = next_leaf(tree, leaf, last, sight.to_j, near * near)
        while leaf < last:
            for one_i in range(tree.first[leaf], tree.last[leaf]):
                cut, edges = list_pieces(unsigned(one_i), one_j, sight, found, world)
                if cut.number > 0:
                    if p >= 0:
                        write_row(unsigned(p + rows), q, found.at, np.int64(1), cut.number, world)
                    rows, planes, found = rows + 1, cut.number, beyond(edges)
            leaf = next_leaf(tree, leaf + unsigned(1), last, sight.to_j, near * near)
        return rows, planes, found

    @device
    def list_pair(q, p, at, room, world):
        """Candidates of near pair q; returns the rows they take, one for two pieces, their number, and those of the first two
        sections where there is one row."""
        i, j, _, branch = read_pair(q, world)
        sight, tree = sight_of(i, j, branch, world), world.faced
        near = world.model.reach[i] + sight.gap
        so_far = np.int64(0), np.int64(0), none_found(at, room)
        leaf, last = unsigned(tree.first_node[sight.shape_j]), unsigned(tree.first_node[sight.shape_j + 1])
        leaf = next_leaf(tree, leaf, last, sight.to_i, near * near)
        while leaf < last:
            for one_j in range(tree.first[leaf], tree.last[leaf]):
                if not surely_apart(sight.to_i, near, unsigned(one_j), world.geometry):
                    so_far = list_row(unsigned(one_j), p, q, sight, so_far, world)
            leaf = next_leaf(tree, leaf + unsigned(1), last, sight.to_i, near * near)
        rows, planes, found = so_far
        return rows, found.at - at, np.int64(1), planes

    return SimpleNamespace(list_pair=list_pair, write_row=write_row, close_pairs=made.close_pairs)


# --- springs ---------------------------------------------------------------------------------------------------------


@device
def order_of_pieces(old, q, new, p):
    """Negative where row q of the old pairs of two bodies comes before row p of the new: by the piece of j, then of i."""
    a, b = CANDIDATE * np.int64(old.pair[PAIR * q + FIRST]), CANDIDATE * np.int64(new.pair[PAIR * p + FIRST])
    difference = np.int64(old.candidate[a + FACED]) - np.int64(new.candidate[b + FACED])
    if difference == 0:
        difference = np.int64(old.candidate[a + PROBE]) - np.int64(new.candidate[b + PROBE])
    return difference


find = find_of(AXES, PAIR, order_of_pieces)


def carry_of(width: int) -> Any:
    """`carry(p, world)`, where an overlap remembers so many numbers."""

    @device
    def carry(p, world):
        """Take over what the overlap of row p remembered; a new one remembers nothing. The spring is its first candidate's."""
        old, new, was = world.old, world.new, find(p, world)
        k, found = np.int64(new.pair[PAIR * p + FIRST]), was >= 0
        m = np.int64(old.pair[PAIR * was + FIRST]) if found else np.int64(0)
        for c in range(width):
            new.spring[width * k + c] = old.spring[width * m + c] if found else 0.0
        new.weight[k] = old.weight[m] if found else 0.0
        return was

    return carry


def listing_of(choice: SimpleNamespace) -> SimpleNamespace:
    """What `clast.neighbours.rebuild.rebuild_of` reads, for what contacts remember and a kind of box."""
    return SimpleNamespace(
        axes=AXES, periods=periods, radius=radius, is_near_big=is_near_big, pair_width=PAIR, body_width=BODY,
        note_reference=note_reference, **vars(motion_of(choice.cell)), **vars(listing_rows_of(shift_of(choice.cell))),
        carry=with_memory(choice.remembers, carry_of(width_of(choice.rolling))),
    )  # fmt: skip
