"""Contact forces of a range of pairs, with the law evaluated for 32 contacts side by side.

Touching candidates are collected as lanes of a table of columns, one number of each contact in a column. When the table is full,
one loop computes all lanes in packed instructions, and their answers are added to their pairs in the order in which they came:
the sums are those of one contact after the other. Two round bodies have one contact, and its answer is the sum. A lane looks
like the world: `contact` is the function by which `clast.dynamics.contacts.forces` computes one contact, and finds spring and
parameters of the law in its lane as it would in the tables. Idle lanes are computed too, so the bits do not depend on how a
range is cut.

Columns of a lane: what the family writes of a candidate and its side · reduced mass and radius · parameters of the law ·
what the contact remembers · answers: force, its viscous part, heat of sliding and of rolling, whether it opens or closes.
"""

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clast.backend.ahead import bring_of
from clast.backend.bare import LANES, bare, lane, onwards
from clast.backend.device import PLAIN, device, routine, stay_whole, unlikely, unsigned
from clast.backend.packed import WIDEST, packed_of
from clast.dynamics.arrays import ACCOUNTS, LOST, ROLLING, SLIDING
from clast.dynamics.contacts.forces import contact_of_law, is_too_deep, memory_width, plain_contact_of_law
from clast.dynamics.contacts.springs import springs_of_law
from clast.dynamics.loops import CHANGES, STOP

WHICH, SLOT, BOOKED, HELD, INTEGERS = range(5)  # integer columns: pair, candidate, row of the book, whose parameters a lane holds

AHEAD = 8  # pairs whose second body is brought near
GAP = 16  # numbers: two cache lines, which some processors fetch together


class LanePair(NamedTuple):
    """Of a pair what contacts need."""

    row: int  # where the parameters of the law begin, in the lane's own table
    mass: float
    radius: float


class LaneModel(NamedTuple):
    """Of the model what contacts need."""

    law: Any


class LaneLists(NamedTuple):
    """Of the lists what contacts need."""

    spring: Any


class LaneWorld(NamedTuple):
    """Of a world what contacts need."""

    model: LaneModel
    lists: LaneLists
    clock: Any


class Block(NamedTuple):
    """The lanes of a thread, and where their answers go: little, for it is handed on for every contact."""

    floats: Any
    integers: Any
    at: int  # first of the thread's floats
    at_integers: int
    pair: Any  # Forces
    refine: Any
    spring: Any  # Lists
    book: Any  # State


class Tally(NamedTuple):
    """While pairs are collected: lanes in use, marks; of the present pair whether springs change hands, and whether it is too
    deep."""

    lanes: int
    marks: int
    unsteady: bool
    too_deep: bool


class Change(NamedTuple):
    """The same where springs change hands: with the energy that they lose."""

    lanes: int
    marks: int
    lost: float
    too_deep: bool


class Columns(NamedTuple):
    """Where the columns of a lane begin, and how many there are."""

    pair: int
    law: int
    memory: int
    force: int
    drag: int
    changes: int
    heat: int
    rows: int  # force and drag again, lane by lane: as rows of Forces.pair
    number: int
    remembered: int  # numbers that a contact remembers
    sums: int  # of a row: force and drag, or the force alone


def columns_of(family: SimpleNamespace, law: SimpleNamespace) -> Columns:
    """The columns for a family and a law."""
    parameters, remembers = family.LANE + 2, family.REMEMBERS
    memory, remembered = parameters + law.width, memory_width(family, law) if remembers else 0
    force, sums = memory + remembered, family.SUMS if remembers else family.PULL
    changes = force + sums
    rows = changes + (3 if remembers else 1)
    return Columns(
        family.LANE, parameters, memory, force, force + family.PULL, changes, changes + 1, rows, rows + sums, remembered, sums
    )  # fmt: skip


@device
def groups_of(number):
    """Groups of lanes that hold so many: a group is computed whole, so the bits do not depend on how many of them are idle."""
    return (number + WIDEST - 1) // WIDEST


def compute_of(family: SimpleNamespace, law: SimpleNamespace) -> Any:
    """`compute(number, table, at, clock)`: the answers of the first `number` lanes of the table that begins at `at`, and of those
    that go with the last of them."""
    column, remembers = columns_of(family, law), family.REMEMBERS
    contact = (contact_of_law if remembers else plain_contact_of_law)(family, law, family.lane_touch)
    read_lane, write_wrench, rolling, surely = family.read_lane, family.write_wrench, law.rolling, not law.cohesive

    @device
    def compute_lane(here, clock):
        """The answer of one lane."""
        met, side = read_lane(here, surely)
        pair = LanePair(0, here[column.pair], here[column.pair + 1])
        model, lists = LaneModel(onwards(here, column.law)), LaneLists(onwards(here, column.memory))
        answer = contact(met, side, pair, LaneWorld(model, lists, clock))
        write_wrench(here, column.force, answer.force)
        here[column.changes] = 1.0 if answer.changes else 0.0
        if remembers:
            write_wrench(here, column.drag, answer.drag)
            here[column.heat] = answer.heat
            if rolling:
                here[column.heat + 1] = answer.rolled

    @device
    def compute(number, table, at, clock):
        for group in range(groups_of(number)):
            for n in range(WIDEST):
                if not PLAIN or WIDEST * group + n < number:  # what stands in an idle lane may be an error to Python
                    compute_lane(lane(table, at + unsigned(WIDEST * group + n)), clock)

    return compute


def flush_of(family: SimpleNamespace, law: SimpleNamespace) -> Any:
    """`flush(number, block, clock)`: compute, and give the answers of the first `number` lanes to their pairs; returns marks."""
    column, compute = columns_of(family, law), compute_of(family, law)
    SUMS, rolling, alone, remembers, sums, width = (
        family.SUMS, law.rolling, family.ALONE, family.REMEMBERS, column.sums, column.remembered
    )  # fmt: skip
    row = packed_of(sums)
    read, add, write, rows_of_lanes = row.read, row.add, row.write, row.rows_of_lanes

    @device
    def give_memory(k, at, answer, block):
        """Heats of a lane to the book, what it remembers to its candidate."""
        if unlikely(answer[column.heat] != 0.0):  # most contacts stick, and a sum in memory is waited for
            block.book[at + SLIDING] += answer[column.heat]
        if rolling and unlikely(answer[column.heat + 1] != 0.0):
            block.book[at + ROLLING] += answer[column.heat + 1]
        for c in range(width):
            block.spring[width * k + c] = answer[column.memory + c]

    @device
    def give_lane(n, block):
        """What lane n answers, to its pair and to the book; what it remembers, to where that belongs."""
        numbers, answer = lane(block.integers, block.at_integers + n), lane(block.floats, block.at + n)
        p = unsigned(numbers[WHICH])
        found = read(block.floats, block.at + LANES * column.rows + sums * n)
        write(block.pair, SUMS * p, found if alone else add(read(block.pair, SUMS * p), found))
        if remembers:
            give_memory(unsigned(numbers[SLOT]), numbers[BOOKED], answer, block)
        if unlikely(answer[column.changes] != 0.0):
            block.refine[p] = 1
            return CHANGES
        return 0

    @routine
    def flush(number, block, clock):
        stay_whole()
        compute(number, block.floats, block.at, clock)
        for group in range(groups_of(number)):
            to = block.at + LANES * column.rows + sums * WIDEST * group
            rows_of_lanes(block.floats, block.at + LANES * column.force + WIDEST * group, block.floats, to)
        marks = np.int64(0)
        for n in range(number):
            marks |= give_lane(unsigned(n), block)
        return marks

    return flush


def fill_of(family: SimpleNamespace, law: SimpleNamespace, block_of: Any) -> Any:
    """`fill(n, met, side, pair, world)`: the contact into lane n."""
    column, write_lane, parameters = columns_of(family, law), family.write_lane, law.width
    width, remembers = column.remembered, family.REMEMBERS

    @device
    def fill(n, met, side, pair, world):
        block = block_of(world)
        here, numbers = lane(block.floats, block.at + n), lane(block.integers, block.at_integers + n)
        write_lane(here, met, side)
        here[column.pair], here[column.pair + 1] = pair.mass, pair.radius
        numbers[WHICH] = pair.p
        if remembers:
            numbers[SLOT], numbers[BOOKED] = met.k, ACCOUNTS * pair.i
        for c in range(width):
            here[column.memory + c] = world.lists.spring[width * met.k + c]
        if unlikely(numbers[HELD] != pair.row):
            numbers[HELD] = pair.row
            for c in range(parameters):
                here[column.law + c] = world.model.law[pair.row + c]

    return fill


def collect_of(family: SimpleNamespace, law: SimpleNamespace, fill: Any) -> Any:
    """`collect(met, side, pair, world, tally)`: a consumer of `visit` that puts what acts into the next lane, of which there are
    enough; it only notes where springs change hands."""
    is_idle, counted_now, remembers = law.is_idle, counted_of(family), family.REMEMBERS

    @device
    def collect(met, side, pair, world, s):
        unsteady = s.unsteady
        if remembers:
            unsteady |= counted_now(met) != world.lists.weight[met.k]
        if is_idle(met, side):
            return Tally(s.lanes, s.marks, unsteady, s.too_deep)
        fill(unsigned(s.lanes), met, side, pair, world)
        return Tally(s.lanes + 1, s.marks, unsteady, s.too_deep or is_too_deep(met, side))

    return collect


def counted_of(family: SimpleNamespace) -> Any:
    """`counted_now(met)`: how much a candidate counts as a contact with a spring, as in Lists.weight."""
    whole = family.WHOLE

    @device
    def counted_now(met):
        if whole:
            return np.uint8(met.touching and met.counts > 0.0)
        return met.counts if met.touching and met.counts > 0.0 else 0.0

    return counted_now


def change_of(family: SimpleNamespace, law: SimpleNamespace, fill: Any, flush: Any, block_of: Any) -> Any:
    """`change(p, lanes, world)`: the same for a pair in which springs change hands, or of more candidates than there are lanes;
    returns lanes in use, marks, energy lost, whether it is too deep. Rare."""
    visit, read_pair, is_idle = family.visit, family.read_pair, law.is_idle
    change_hands, counted_now, remembers = springs_of_law(family, law), counted_of(family), family.REMEMBERS

    @device
    def collect(met, side, pair, world, s):
        lost = s.lost
        if remembers:
            counted = counted_now(met)
            if counted != world.lists.weight[met.k]:
                lost += change_hands(met, counted, side, pair, world)
        if is_idle(met, side):
            return Change(s.lanes, s.marks, lost, s.too_deep)
        n, marks = s.lanes, s.marks
        if n == LANES:
            marks |= flush(n, block_of(world), world.clock)
            n = np.int64(0)
        fill(unsigned(n), met, side, pair, world)
        return Change(n + 1, marks, lost, s.too_deep or is_too_deep(met, side))

    @routine
    def change(p, lanes, world):
        stay_whole()
        pair = read_pair(world, p)
        s = visit(pair, world, collect, Change(lanes, np.int64(0), 0.0, False))
        if remembers:
            world.state.book[ACCOUNTS * pair.i + LOST] += s.lost
        return s.lanes, s.marks, s.too_deep

    return change


def block_of_room(room: tuple[int, int]) -> Any:
    """`block_of(world)`: the lanes of the thread that works, for the floats and integers of each thread. All kinds of pairs must
    have the same: threads work on different kinds at a time, and one's room would reach into that of another."""
    floats, integers = room

    @device
    def block_of(world):
        scratch, me, forces = world.scratch, world.thread, world.forces
        return Block(
            bare(scratch.floats), bare(scratch.integers), floats * me, integers * me, forces.pair, forces.refine,
            world.lists.spring, world.state.book,
        )  # fmt: skip

    return block_of


def pair_of_blocks(family: SimpleNamespace, law: SimpleNamespace, flush: Any, block_of: Any) -> Any:
    """`look_at(p, world, tally)`: collect what acts between two bodies."""
    fill = fill_of(family, law, block_of)
    collect, change = collect_of(family, law, fill), change_of(family, law, fill, flush, block_of)
    visit, read_pair, candidates_of, alone = family.visit, family.read_pair, family.candidates_of, family.ALONE
    SUMS, row = family.SUMS, packed_of(columns_of(family, law).sums)
    none, write = row.none, row.write

    @device
    def look_at(p, world, tally):
        pair, lanes, marks = read_pair(world, p), tally.lanes, tally.marks
        candidates = candidates_of(pair)
        world.forces.refine[p] = 0
        if not alone:
            write(world.forces.pair, SUMS * p, none())
        if unlikely(candidates > LANES - lanes):
            marks |= flush(lanes, block_of(world), world.clock)
            lanes = np.int64(0)
        found = Tally(lanes, marks, True, False)
        if candidates <= LANES:
            found = visit(pair, world, collect, Tally(lanes, marks, False, False))
        if unlikely(found.unsteady):
            n, more, deep = change(p, lanes, world)
            found = Tally(n, marks | more, False, deep)
        if alone and found.lanes == lanes:
            write(world.forces.pair, SUMS * p, none())
        return found

    return look_at


def blocks_of(family: SimpleNamespace, law: SimpleNamespace, is_mine: Any, room: tuple[int, int]) -> Any:
    """`loop(low, high, world)` over the pairs of a range for which is_mine(p, world): the first of them that is too deep, or −1,
    and marks. Like `clast.dynamics.loops.loop_of` of the pass `forces_with_memory`."""
    flush, block_of = flush_of(family, law), block_of_room(room)
    look_at, bring, width, second = (
        pair_of_blocks(family, law, flush, block_of),
        bring_of(family.BODY),
        family.PAIR,
        family.BODY_J,
    )

    @routine
    def loop(low, high, world):
        stay_whole()
        block, first, tally = block_of(world), np.int64(-1), Tally(np.int64(0), np.int64(0), False, False)
        for n in range(LANES):
            lane(block.integers, block.at_integers + n)[HELD] = -1
        for q in range(low, high):
            bring(world.state.body, world.lists.pair, width * (q + AHEAD) + second)
            if is_mine(unsigned(q), world):
                tally = look_at(unsigned(q), world, tally)
                if unlikely(tally.too_deep) and first < 0:
                    first = np.int64(q)
        marks = tally.marks | (STOP if first >= 0 else 0)
        if tally.lanes > 0:
            marks |= flush(tally.lanes, block, world.clock)
        return first, marks

    return loop


def room_of(family: SimpleNamespace, law: SimpleNamespace) -> tuple[int, int]:
    """Floats and integers that each thread needs, with a gap to those of the next: what one writes must not lie in the cache line
    of another."""
    return LANES * columns_of(family, law).number + GAP, LANES * INTEGERS + GAP
