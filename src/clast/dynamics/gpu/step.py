"""The time step of `clast.dynamics.step` on a grid: the same passes in the same order, one launch for each.

    launch     over                      what
    FORCES     pairs, of every kind      pairs in which a contact opens or closes are put on a list
    BONDS      bonds, where there are    their wrenches, or they break
    BALANCE    pairs of that list
    ADD        pairs of that list
    PRESSURES  one thread                forces of loads, where there are any
    CONDENSE   shares of long lists      what pushes tagged bodies is summed up, share by share (`walls`)
    MOVE       free bodies, then tagged  book what their pairs have lost, kick, drift, turn
    TICK       one thread                the step is done; does the stretch go on?

No launch can stop those that are recorded behind it. TICK is the only one that writes STALL, which all others read: where it is
set they do nothing, so that a stretch ends at the very step at which a body has moved too far or bodies overlap too deeply,
however many steps were recorded. A pair writes its own row and a body its own, each by one thread: results do not depend on the
order. Where a wall goes on in its periodic image, springs pass between pairs of the same two bodies, and one thread has these.
"""

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clast.backend.atomics import fetch_add, fetch_min
from clast.backend.device import device, unsigned
from clast.backend.held import hold
from clast.dynamics.arrays import Run
from clast.dynamics.loops import CHANGES, FAST, STOP
from clast.dynamics.worlds import Job, worlds_of

# words: the step reached and the one to stop at; whether the stretch is over; bodies that moved too far; lowest pair too deep;
# pairs on the list of this step, and on those of all steps of the stretch
STEP, END, STALL, MOVED, DEEP, LISTED, PAIRS, FREE, TAGGED, ONE, ROWS, FLAGGED, HASTY, BONDS, WORDS = range(
    15
)  # … how far launches go
NOWHERE = 1 << 62  # no pair is too deep


class GridJob(NamedTuple):
    """A job as launches see it: its numbers stand in tables, so that what is recorded need not change with them."""

    words: np.ndarray  # (WORDS,) int64
    listed: np.ndarray  # (pairs,) int64: those with a contact that opens or closes
    numbers: np.ndarray  # those of Run, in its order
    job: Job


@device
def job_of(grid):
    """The job, with the numbers of the run."""
    n, j = grid.numbers, grid.job
    run = Run(n[0], n[1], n[2], np.int64(n[3]), np.int64(n[4]), np.int64(n[5]), n[6] != 0.0, n[7], n[8], n[9], n[10])
    return Job(j.end, j.pair_cut, j.body_cut, run, j.geometry, j.model, j.state, j.lists, j.forces, j.tags, j.bonds, j.scratch)


@device
def note_way(marks, words):
    """Note the marks of a body that has moved."""
    if marks & STOP:
        words[MOVED] = 1
    if marks & FAST:
        words[HASTY] = 1


def grids_of(passes: SimpleNamespace) -> SimpleNamespace:
    """What each thread of a launch does, `f(q, thread, grid)`, from the passes of a family."""
    (pairs_at, bodies_at), book_pairs, before_moving = worlds_of(passes), passes.book_pairs, passes.before_moving
    balance_pair, add_pair, move_body, lead_body = passes.balance, passes.add_balance, passes.move, passes.move_tagged

    def forces_of(pair_forces: Any) -> Any:
        @device
        def forces(q, thread, grid):
            words = grid.words
            if words[STALL] == 0:
                marks = pair_forces(unsigned(q), hold(pairs_at(words[STEP], thread, hold(job_of(grid)))))
                if marks & STOP:
                    fetch_min(words, DEEP, q)
                if marks & CHANGES:
                    grid.listed[fetch_add(words, LISTED, 1)] = q

        return one_after_the_other(forces) if passes.follows is not None else forces

    def one_after_the_other(forces: Any) -> Any:
        """Springs pass between the pairs of two bodies: one thread goes through all of them, in their order."""
        follows = passes.follows

        @device
        def in_turn(q, thread, grid):
            world = hold(pairs_at(grid.words[STEP], thread, hold(job_of(grid))))
            if not follows(unsigned(q), world):
                forces(q, thread, grid)
                following = q + 1
                while following < grid.words[PAIRS] and follows(unsigned(following), world):
                    forces(following, thread, grid)
                    following += 1

        return in_turn

    def strain_of(bond_forces: Any) -> Any:
        @device
        def strain(q, thread, grid):
            if grid.words[STALL] == 0:
                bond_forces(unsigned(q), hold(pairs_at(grid.words[STEP], thread, hold(job_of(grid)))))

        return strain

    @device
    def balance(q, thread, grid):
        if grid.words[STALL] == 0:
            balance_pair(unsigned(grid.listed[q]), hold(pairs_at(grid.words[STEP], thread, hold(job_of(grid)))))

    @device
    def add(q, thread, grid):
        if grid.words[STALL] == 0:
            add_pair(unsigned(grid.listed[q]), hold(pairs_at(grid.words[STEP], thread, hold(job_of(grid)))))

    @device
    def pressures(q, thread, grid):
        if grid.words[STALL] == 0:
            before_moving(hold(bodies_at(grid.words[STEP], hold(job_of(grid)))))

    @device
    def move(q, thread, grid):
        words = grid.words
        if words[STALL] == 0 and words[DEEP] == NOWHERE:
            world = hold(bodies_at(words[STEP], hold(job_of(grid))))
            book_pairs(unsigned(q), world)
            note_way(move_body(unsigned(q), world), words)

    @device
    def lead(q, thread, grid):
        words = grid.words
        if words[STALL] == 0 and words[DEEP] == NOWHERE:
            world, b = hold(bodies_at(words[STEP], hold(job_of(grid)))), words[FREE] + q
            book_pairs(unsigned(b), world)
            note_way(lead_body(unsigned(b), world), words)

    @device
    def tick(q, thread, grid):
        words = grid.words
        if words[STALL] == 0:
            words[FLAGGED] += words[LISTED]
            words[LISTED] = 0
            if words[DEEP] != NOWHERE:
                words[STALL] = 1
            else:
                words[STEP] += 1
                if words[MOVED] != 0 or words[STEP] >= words[END]:
                    words[STALL] = 1

    forces = [(bits, forces_of(each)) for bits, each in passes.pair_forces]
    strain = None if passes.bonds is None else strain_of(passes.bonds.forces)
    return SimpleNamespace(
        forces=forces, strain=strain, balance=balance, add=add, pressures=pressures, move=move, lead=lead, tick=tick
    )
