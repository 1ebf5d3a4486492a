"""Contact forces of a range of pairs, with the law evaluated for 32 contacts side by side.

Touching candidates are collected as lanes of a table of columns, one number of each contact in a column. When the table is full,
one loop computes all lanes in packed instructions, and their answers are added to their pairs in the order in which they came:
the sums are those of one contact after the other. Two round bodies have one contact, and its answer is the sum. A lane looks
like the world: `contact` is the function by which `clast.dynamics.forces` computes one contact, and finds spring and parameters
of the law in its lane as it would in the tables. Idle lanes are computed too, so the bits do not depend on how a range is cut.

Columns of a lane: what the family writes of a candidate and its side · reduced mass and radius · parameters of the law ·
what the contact remembers · answers: force, its viscous part, heat of sliding and of rolling, whether it opens or closes.
"""

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clast.backend.bare import LANES, bare, lane, onwards
from clast.backend.device import device, routine, stay_whole, unlikely, unsigned
from clast.dynamics.arrays import ACCOUNTS, LOST, ROLLING, SLIDING
from clast.dynamics.forces import contact_of_law, is_too_deep, memory_width
from clast.dynamics.loops import CHANGES, STOP
from clast.dynamics.springs import springs_of_law

WHICH, SLOT, BOOKED, HELD, INTEGERS = range(5)  # integer columns: pair, candidate, row of the book, whose parameters a lane holds

GAP = 16  # numbers: two cache lines, which some processors fetch together


class LanePair(NamedTuple):
    """Of a pair what contacts need."""

    row: int  # where the parameters of the law begin, in the lane's own table
    mass: float
    radius: float


class LaneModel(NamedTuple):
    """Of the model what contacts need."""

    law: Any


class LaneContacts(NamedTuple):
    """Of the lists what contacts need."""

    spring: Any


class LaneWorld(NamedTuple):
    """Of a world what contacts need."""

    model: LaneModel
    contacts: LaneContacts
    clock: Any


class Block(NamedTuple):
    """The lanes of a thread, and where their answers go: little, for it is handed on for every contact."""

    floats: Any
    integers: Any
    at: int  # first of the thread's floats
    at_integers: int
    pair: Any  # Forces
    refine: Any
    spring: Any  # Contacts
    book: Any  # State


class Tally(NamedTuple):
    """While pairs are collected: lanes in use, marks; of the present pair the energy that springs lost, and whether it is too
    deep."""

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
    heat: int
    number: int


def columns_of(family: SimpleNamespace, law: SimpleNamespace) -> Columns:
    """The columns for a family and a law."""
    parameters = family.LANE + 2
    memory = parameters + law.width
    force = memory + memory_width(family, law)
    heat = force + 2 * family.PULL
    return Columns(family.LANE, parameters, memory, force, force + family.PULL, heat, heat + 3)


def compute_of(family: SimpleNamespace, law: SimpleNamespace) -> Any:
    """`compute(table, at, clock)`: the answers of all lanes of the table that begins at `at`."""
    column, contact = columns_of(family, law), contact_of_law(family, law, family.lane_touch)
    read_lane, write_wrench, rolling, surely = family.read_lane, family.write_wrench, law.rolling, not law.cohesive

    @device
    def compute(table, at, clock):
        for n in range(LANES):
            here = lane(table, at + unsigned(n))
            met, side = read_lane(here, surely)
            pair = LanePair(0, here[column.pair], here[column.pair + 1])
            own = LaneModel(onwards(here, column.law)), LaneContacts(onwards(here, column.memory))
            answer = contact(met, side, pair, LaneWorld(own[0], own[1], clock))
            write_wrench(here, column.force, answer.force)
            write_wrench(here, column.drag, answer.drag)
            here[column.heat] = answer.heat
            if rolling:
                here[column.heat + 1] = answer.rolled
            here[column.heat + 2] = 1.0 if answer.changes else 0.0

    return compute


def flush_of(family: SimpleNamespace, law: SimpleNamespace) -> Any:
    """`flush(number, block, clock)`: compute, and give the answers of the first `number` lanes to their pairs; returns marks."""
    column, compute, width = columns_of(family, law), compute_of(family, law), memory_width(family, law)
    add, read_wrench, write_wrench = family.add_wrench, family.read_wrench, family.write_wrench
    SUMS, PULL, rolling, alone = family.SUMS, family.PULL, law.rolling, family.ALONE

    @device
    def give(answer, column, table, at):
        """A wrench of a lane to its pair."""
        found = read_wrench(answer, column)
        write_wrench(table, at, found if alone else add(read_wrench(table, at), found))

    @device
    def give_lane(n, block):
        """What lane n answers, to its pair and to the book; what it remembers, to where that belongs."""
        numbers, answer = lane(block.integers, block.at_integers + n), lane(block.floats, block.at + n)
        p, k, at = unsigned(numbers[WHICH]), unsigned(numbers[SLOT]), numbers[BOOKED]
        give(answer, column.force, block.pair, SUMS * p)
        give(answer, column.drag, block.pair, SUMS * p + PULL)
        block.book[at + SLIDING] += answer[column.heat]
        if rolling:
            block.book[at + ROLLING] += answer[column.heat + 1]
        for c in range(width):
            block.spring[width * k + c] = answer[column.memory + c]
        if unlikely(answer[column.heat + 2] != 0.0):
            block.refine[p] = 1
            return CHANGES
        return 0

    @routine
    def flush(number, block, clock):
        stay_whole()
        compute(block.floats, block.at, clock)
        marks = np.int64(0)
        for n in range(number):
            marks |= give_lane(unsigned(n), block)
        return marks

    return flush


def collect_of(family: SimpleNamespace, law: SimpleNamespace, flush: Any) -> Any:
    """`collect(met, side, pair, world, tally)`: a consumer of `visit` that puts what acts into the next lane."""
    column, write_lane = columns_of(family, law), family.write_lane
    change_hands, block_of = springs_of_law(family, law), block_of_law(family, law)
    is_idle, width, parameters = law.is_idle, memory_width(family, law), law.width

    @device
    def fill(n, met, side, pair, world):
        """The contact into lane n."""
        block = block_of(world)
        here, numbers = lane(block.floats, block.at + n), lane(block.integers, block.at_integers + n)
        write_lane(here, met, side)
        here[column.pair], here[column.pair + 1] = pair.mass, pair.radius
        numbers[WHICH], numbers[SLOT], numbers[BOOKED] = pair.p, met.k, ACCOUNTS * pair.i
        for c in range(width):
            here[column.memory + c] = world.contacts.spring[width * met.k + c]
        if unlikely(numbers[HELD] != pair.row):
            numbers[HELD] = pair.row
            for c in range(parameters):
                here[column.law + c] = world.model.law[pair.row + c]

    @device
    def collect(met, side, pair, world, s):
        counted = met.counts if met.touching and met.counts > 0.0 else 0.0
        lost = s.lost
        if unlikely(counted != world.contacts.weight[met.k]):
            lost += change_hands(met, counted, side, pair, world)
        if is_idle(met, side):
            return Tally(s.lanes, s.marks, lost, s.too_deep)
        n, marks = s.lanes, s.marks
        if unlikely(n == LANES):
            marks |= flush(n, block_of(world), world.clock)
            n = np.int64(0)
        fill(unsigned(n), met, side, pair, world)
        return Tally(n + 1, marks, lost, s.too_deep or is_too_deep(met, side))

    return collect


def block_of_law(family: SimpleNamespace, law: SimpleNamespace) -> Any:
    """`block_of(world)`: the lanes of the thread that works."""
    floats, integers = room_of(family, law)

    @device
    def block_of(world):
        scratch, me, forces = world.scratch, world.thread, world.forces
        return Block(
            bare(scratch.floats), bare(scratch.integers), floats * me, integers * me, forces.pair, forces.refine,
            world.contacts.spring, world.state.book,
        )  # fmt: skip

    return block_of


def blocks_of(family: SimpleNamespace, law: SimpleNamespace, is_mine: Any) -> Any:
    """`loop(low, high, world)` over the pairs of a range for which is_mine(p, world): the first of them that is too deep, or −1,
    and marks. Like `clast.dynamics.loops.loop_of` of the pass `forces_with_memory`."""
    flush, block_of = flush_of(family, law), block_of_law(family, law)
    collect = collect_of(family, law, flush)
    visit, read_pair, write_wrench, nothing = family.visit, family.read_pair, family.write_wrench, family.NOTHING
    SUMS, PULL, alone = family.SUMS, family.PULL, family.ALONE

    @device
    def clear(p, world):
        """No forces."""
        write_wrench(world.forces.pair, SUMS * p, nothing)
        write_wrench(world.forces.pair, SUMS * p + PULL, nothing)

    @device
    def look_at(p, world, tally):
        """Collect what acts between two bodies."""
        pair = read_pair(world, p)
        world.forces.refine[p] = 0
        if not alone:
            clear(p, world)
        found = visit(pair, world, collect, Tally(tally.lanes, tally.marks, 0.0, False))
        if alone and found.lanes == tally.lanes:
            clear(p, world)
        if unlikely(found.lost != 0.0):
            world.state.book[ACCOUNTS * pair.i + LOST] += found.lost
        return found

    @routine
    def loop(low, high, world):
        stay_whole()
        block, first, tally = block_of(world), np.int64(-1), Tally(np.int64(0), np.int64(0), 0.0, False)
        for n in range(LANES):
            lane(block.integers, block.at_integers + n)[HELD] = -1
        for q in range(low, high):
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
