"""Candidates of near pairs: counted first, written when all are counted, sorted by (probe, feature) within a section of a pair.

Looking for them is most of the work of a rebuild. What counting finds is therefore kept in a slot of each near pair, and writing
copies it; where a slot was too small, or a pair takes several rows, it is looked for again.
"""

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clast.backend.device import device, unsigned
from clast.neighbours.others import count_other_of
from clast.neighbours.scratch import SLOT, WRITING

CANDIDATE, PROBE, FACED = 2, 0, 1  # a row of Lists.candidate


class Found(NamedTuple):
    """Candidates so far: written from `at` as far as there is room, counted, and where a family likes to, noted in bits."""

    at: int
    room: int
    number: int
    hit: int


@device
def none_found(at, room):
    """None so far."""
    return Found(np.int64(at), np.int64(room), np.int64(0), np.int64(0))


@device
def beyond(found):
    """What comes after these: none so far."""
    return Found(found.at + found.number, found.room - found.number, np.int64(0), np.int64(0))


@device
def note(probe, faced, found, candidate):
    """One more into `candidate`; where there is no room, it is only counted."""
    if found.number < found.room:
        at = CANDIDATE * (found.at + found.number)
        candidate[at + PROBE], candidate[at + FACED] = probe, faced
    return Found(found.at, found.room, found.number + 1, found.hit)


@device
def is_behind(candidate, k, v, f):
    """Whether candidate k sorts behind (v, f)."""
    other = candidate[CANDIDATE * k + PROBE]
    return other > v or (other == v and candidate[CANDIDATE * k + FACED] > f)


@device
def sort_candidates(found, candidate):
    """Sort what was written by probe and feature: by insertion, far apart first (Shell)."""
    first, last = found.at, found.at + min(found.number, found.room)
    gap = 1
    while 3 * gap + 1 < last - first:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(first + gap, last):
            v, f, at = candidate[CANDIDATE * k + PROBE], candidate[CANDIDATE * k + FACED], k
            while at - gap >= first and is_behind(candidate, at - gap, v, f):
                candidate[CANDIDATE * at + PROBE] = candidate[CANDIDATE * (at - gap) + PROBE]
                candidate[CANDIDATE * at + FACED] = candidate[CANDIDATE * (at - gap) + FACED]
                at -= gap
            candidate[CANDIDATE * at + PROBE], candidate[CANDIDATE * at + FACED] = v, f
        gap //= 3


@device
def copy_slot(q, slot, at, number, world):
    """The candidates that counting has left in the slot of near pair q, to where they belong."""
    for k in range(CANDIDATE * number):
        world.new.candidate[CANDIDATE * at + k] = world.work.slot[CANDIDATE * slot * q + k]


def candidates_of(family: SimpleNamespace) -> Any:
    """The pass `list_candidates` over near pairs, which counts, and writes pairs and candidates where size[WRITING] is set.

    family has `pair_width`;
    `list_pair(q, p, at, room, world)`, which finds the candidates of near pair q and returns the rows of Lists.pair they take,
    their number, and how many of these are in the first and in the second section; as far as there is room it writes them to
    world.target from `at` on, and the rows from p on unless p is negative;
    `write_row(p, q, at, first, second, world)`, a row whose candidates begin at `at`, and so many in its first two sections.
    """
    list_pair, write_row, count_other = family.list_pair, family.write_row, count_other_of(family.pair_width)

    @device
    def list_candidates(q, world):
        """Candidates of near pair q; returns how many rows they take, and their number."""
        work, slot, writing = world.work, world.work.size[SLOT], world.work.size[WRITING] != 0
        p, at, room = np.int64(-1), slot * q, slot
        if writing:
            p, at = np.int64(work.rank[q]), np.int64(work.first[q])
            room, rows = np.int64(work.first[q + 1]) - at, np.int64(work.rank[q + 1]) - p
            if 0 < room <= slot and rows == 1:
                copy_slot(q, slot, at, room, world)
                write_row(unsigned(p), q, at, np.int64(work.side[2 * q]), np.int64(work.side[2 * q + 1]), world)
                count_other(unsigned(p), world)
            if room <= slot and rows < 2:
                return np.int64(0), np.int64(0)
        rows, number, first, second = list_pair(q, p, at, room, world)
        if not writing:
            work.rank[q], work.first[q], work.side[2 * q], work.side[2 * q + 1] = rows, number, first, second
        for k in range(rows if writing else 0):
            count_other(unsigned(p + k), world)
        return rows, number

    return list_candidates
