"""The lists of near pairs and their candidates, built anew by a team of threads; plane and space alike (GM09 §2.4).

    stage              over         what
    EXTENT             bodies       how far the grains lie, for the room of the cells; how fast they are: so far must lists reach
    COUNT_CELLS        bodies       how many lie in each cell
    SUM, SCAN_CELLS    cells        where each cell begins
    FILL_CELLS         bodies       who lies in it
    COUNT_PAIRS        bodies       how many near pairs belong to each
    SCAN_PAIRS         bodies       where they begin: here the host may have to make room
    FILL_PAIRS         bodies       near pairs, those of one i sorted by (rank of j, image)
    COUNT_CANDIDATES   near pairs   how many features may meet
    SCAN_CANDIDATES    near pairs   where they begin; pairs without any get no place: here the host may have to make room
    FILL_CANDIDATES    near pairs   pairs, their constants, candidates; counts each pair at its second body
    SUM, SCAN_OTHERS   bodies       where the list of pairs begins in which it is the second
    FILL_OTHERS        pairs        these lists; springs carried over from the old pairs
    CLOSE              bodies       these lists sorted by (rank of i, pair); the positions that the lists were made for

A pass is `f(index, world)`. Who computes what and in which order leaves no trace: everything is counted before it is written to
its own place, and whatever is dealt out by atomic counters is sorted afterwards. Near pairs and candidates are counted and
written by the same machine code, run twice: were they two copies, rounding might find one more in one of them. Order is what
makes the bits of a run independent of α: a candidate that does not touch adds nothing, so it does not matter how many there are.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np

from clast.backend.bare import bare, bare_all
from clast.backend.device import device, routine, stay_whole, unsigned
from clast.backend.held import hold, whole
from clast.backend.team import OVER, member_of
from clast.neighbours.candidates import candidates_of
from clast.neighbours.cells import cells_of, lay_grids, sum_up_motion
from clast.neighbours.others import others_of
from clast.neighbours.pairs import near_pairs_of
from clast.neighbours.scan import COLUMNS, scan, share, sum_of, sum_parts
from clast.neighbours.scratch import (
    BODIES,
    CANDIDATES,
    CELLS,
    CHOSEN,
    EXTENTS,
    FULL,
    LOST,
    NEAR,
    NOWHERE,
    PAIRS,
    STAGE,
    STEP,
    WRITING,
    Rebuild,
)  # fmt: skip

(
    EXTENT, COUNT_CELLS, SUM_CELLS, SCAN_CELLS, FILL_CELLS, COUNT_PAIRS, SCAN_PAIRS, FILL_PAIRS, COUNT_CANDIDATES,
    SCAN_CANDIDATES, FILL_CANDIDATES, SUM_OTHERS, SCAN_OTHERS, FILL_OTHERS, CLOSE, DONE,
) = range(16)  # fmt: skip


def loop_of(one_pass: Any) -> Any:
    """A pass over a range."""

    @routine
    def loop(low, high, world):
        stay_whole()
        for q in range(low, high):
            one_pass(unsigned(q), world)

    return loop


def count_loop_of(one_pass: Any) -> Any:
    """A pass that counts two things over a range; the sums are those of a part."""

    @routine
    def loop(part, low, high, world):
        stay_whole()
        a, b = np.int64(0), np.int64(0)
        for q in range(low, high):
            here_a, here_b = one_pass(unsigned(q), world)
            a += here_a
            b += here_b
        sums = world.work.sums
        sums[COLUMNS * part], sums[COLUMNS * part + 1] = a, b

    return loop


@device
def count_of(stage, job):
    """How many things a stage goes over."""
    if stage in (SUM_CELLS, SCAN_CELLS):
        return job.work.size[CELLS]
    if COUNT_CANDIDATES <= stage <= FILL_CANDIDATES:
        return job.work.size[NEAR]
    if stage == FILL_OTHERS:
        return job.work.size[PAIRS]
    return job.work.size[BODIES]


@device
def world_of(part, job):
    """What passes see of a job in one of its parts: the same, as bare tables where nobody needs their lengths."""
    target = bare(job.new.candidate) if job.work.size[WRITING] != 0 else bare(job.work.slot)
    return Rebuild(
        part, job.parts, job.workspace_width, job.alpha[FULL], job.materials, job.parameters, bare_all(job.geometry),
        bare_all(job.probes), bare_all(job.faced), bare_all(job.model), bare_all(job.state), whole(job.roles), bare_all(job.work),
        bare_all(job.old), bare_all(job.new), target,
    )  # fmt: skip


@routine
def clear(part, job):
    """Set the counters of a part to zero."""
    work, parts = job.work, job.parts
    for words in (work.cell_start, work.other_start):
        for k in range(share(words.size, part, parts), share(words.size, part + 1, parts)):
            words[k] = 0


@routine
def scan_part(stage, part, low, high, job):
    """One part of a stage that sums counts or turns them into where things begin. Counts of cells and of second bodies stand
    one further on: these come up to the end of each, which is the beginning of the next."""
    work, at = job.work, COLUMNS * part
    if stage == SUM_CELLS:
        work.sums[at + 1] = sum_of(work.cell_start, low + 1, high + 1)
    elif stage == SCAN_CELLS:
        scan(work.cell_start, low + 1, high + 1, work.sums[at + 1])
    elif stage == SCAN_PAIRS:
        scan(work.first_near, low, high, work.sums[at + 1])
    elif stage == SCAN_CANDIDATES:
        scan(work.rank, low, high, work.sums[at])
        scan(work.first, low, high, work.sums[at + 1])
    elif stage == SUM_OTHERS:
        work.sums[at + 1] = sum_of(work.other_start, low + 1, high + 1)
    else:
        scan(work.other_start, low + 1, high + 1, work.sums[at + 1])


def passes_of(family: SimpleNamespace) -> SimpleNamespace:
    """The passes of all stages, and `note_extent` over a range, from what a family knows; see `rebuild_of`."""
    cells, others, carry, note_reference = cells_of(family), others_of(family.pair_width), family.carry, family.note_reference
    fill_other, close_body = others.fill_other, others.close_body

    @device
    def finish_pair(p, world):
        fill_other(p, world)
        carry(p, world)

    @device
    def finish_body(b, world):
        close_body(b, world)
        note_reference(b, world)

    return SimpleNamespace(
        note_extent=cells.note_extent,
        count_cell=cells.count_cell,
        fill_cell=cells.fill_cell,
        find_pairs=near_pairs_of(family),
        list_candidates=candidates_of(family),
        finish_pair=finish_pair,
        finish_body=finish_body,
    )


def following_of(periods: Any, close_pairs: Any) -> Any:
    """What one thread does between two stages."""

    @routine
    def reach_out(job):
        """How far lists must reach: a contact which opened in the step of a rebuild is still in them, and its spring is not
        forgotten, however small α is. Returns whether all bodies have numbers."""
        fastest, job.work.size[LOST] = sum_up_motion(job.work.size[EXTENTS], job.work)
        job.alpha[FULL] = job.alpha[CHOSEN] + job.alpha[STEP] * fastest
        return job.work.size[LOST] == NOWHERE

    @device
    def following(stage, words, job):
        """The stage after this one, or OVER: all is done, or the host has to make room, or a body is lost."""
        work, new, after = job.work, job.new, stage + 1
        size, sums, near = work.size, work.sums, work.size[NEAR]
        size[STAGE], size[WRITING] = after, after in (FILL_PAIRS, FILL_CANDIDATES)
        if stage == EXTENT:
            if not reach_out(job):
                return OVER
            size[CELLS] = lay_grids(size[EXTENTS], job.alpha[FULL], periods(job.model), job.roles, work)
        elif stage in (SUM_CELLS, SUM_OTHERS):
            sum_parts(sums, job.parts)
        elif stage == COUNT_PAIRS:
            _, size[NEAR] = sum_parts(sums, job.parts)
            work.first_near[work.level.size] = size[NEAR]
        elif stage == SCAN_PAIRS:
            return after if near < work.rank.size else OVER
        elif stage == COUNT_CANDIDATES:
            size[PAIRS], size[CANDIDATES] = sum_parts(sums, job.parts)
            work.rank[near], work.first[near] = size[PAIRS], size[CANDIDATES]
        elif stage == SCAN_CANDIDATES:
            return after if size[PAIRS] <= new.other.size and 2 * size[CANDIDATES] <= new.candidate.size else OVER
        elif stage == FILL_CANDIDATES:
            close_pairs(job)
        return after if after < DONE else OVER

    return following


def rebuild_of(family: SimpleNamespace) -> Any:
    """What each member of a team runs: `member(me, team, job)`, from what a family knows.

    family has what `near_pairs_of` and `candidates_of` read; `carry(p, world)`; `note_reference(b, world)`; and
    `close_pairs(world)`, which ends the table of pairs.
    """
    passes = passes_of(family)
    note_extent, count_cells, fill_cells = passes.note_extent, loop_of(passes.count_cell), loop_of(passes.fill_cell)
    find_pairs, list_candidates = count_loop_of(passes.find_pairs), count_loop_of(passes.list_candidates)
    finish_pairs, finish_bodies = loop_of(passes.finish_pair), loop_of(passes.finish_body)

    @device
    def work(stage, part, me, words, job):
        """One part of one stage."""
        count = count_of(stage, job)
        low, high = share(count, part, job.parts), share(count, part + 1, job.parts)
        if stage == EXTENT:
            clear(part, job)
            note_extent(part, low, high, job)
        elif stage == COUNT_CELLS:
            count_cells(low, high, hold(world_of(part, job)))
        elif stage == FILL_CELLS:
            fill_cells(low, high, hold(world_of(part, job)))
        elif stage in (COUNT_PAIRS, FILL_PAIRS):
            find_pairs(part, low, high, hold(world_of(part, job)))
        elif stage in (COUNT_CANDIDATES, FILL_CANDIDATES):
            list_candidates(part, low, high, hold(world_of(part, job)))
        elif stage == FILL_OTHERS:
            finish_pairs(low, high, hold(world_of(part, job)))
        elif stage == CLOSE:
            finish_bodies(low, high, hold(world_of(part, job)))
        else:
            scan_part(stage, part, low, high, job)

    return member_of(work, following_of(family.periods, family.close_pairs))
