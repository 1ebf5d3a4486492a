"""Runs rebuilds of the lists by a team of threads, and makes room where a rebuild needs more than there is."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clast.backend.team import new_team, run_team, turns_per_microsecond
from clast.neighbours.cells import BIG, CELLS_EACH, CELLS_MORE, GRID, PART, ROOM
from clast.neighbours.rebuild import DONE, EXTENT, FILL_PAIRS
from clast.neighbours.scan import COLUMNS
from clast.neighbours.scratch import (
    BODIES,
    CANDIDATES,
    CHOSEN,
    EXTENTS,
    LOST,
    MOVING,
    NEAR,
    NOWHERE,
    PAIRS,
    REACHES,
    SIZES,
    SLOT,
    STAGE,
    STEP,
    Rebuild,
    Scratch,
)  # fmt: skip

SPARE = 1.3  # growth of arrays beyond what is needed
LEAST_SLOT, MOST_SLOT = 8, 128  # candidates that counting keeps for a near pair
PARTS_EACH = 8  # parts of a stage for each thread
ABSENT = -2  # Scratch.level of who is not searched


class LostBodyError(Exception):
    """A body whose numbers are none any more: its row."""

    def __init__(self, row: int) -> None:
        super().__init__(f"row {row}")
        self.row = row


class Reach(NamedTuple):
    """How far lists reach: to surfaces nearer than twice alpha and the way of the fastest point in a step."""

    alpha: float
    dt: float

    def table(self) -> np.ndarray:
        """As a job has it."""
        table = np.zeros(REACHES)
        table[CHOSEN], table[STEP] = self
        return table


class Rebuilder:
    """Rebuilds of one run, of a family of some axes.

    words   in which its passes note the candidates of a near pair as bits; with none, they are noted in slots
    room    numbers that its passes need for themselves
    """

    SIZES = SIZES  # words of Scratch.size

    def __init__(self, kernels: Any, axes: int, words: int, room: int) -> None:
        self.kernels, self.axes, self.words, self.room = kernels, axes, words, room
        self._grains: Any = None
        self._work: Any = None

    def renew(
        self,
        threads: int,
        reach: Reach,
        moving: int,
        laws: tuple[int, int],
        world: tuple[Any, ...],
        grown: Callable[[int, int], Any],
    ) -> int:
        """New lists; returns the number of pairs. LostBodyError for a body whose numbers are none any more.

        moving      the first rows are bodies that move
        laws        materials, and parameters of the law between two
        world       geometry, its two trees, model, state, roles, old lists and lists to write to, all flat
        grown       makes larger lists to write to: grown(pairs, candidates)
        """
        geometry, probes, faced, model, state, roles, old, new = world
        parts = 1 if threads == 1 else PARTS_EACH * threads
        work, alpha = self._scratch(roles, parts), reach.table()
        work.size[BODIES], work.size[MOVING], work.size[LOST] = roles.mobile.size, moving, NOWHERE
        work.size[EXTENTS] = parts
        stage = EXTENT
        while stage != DONE:
            if stage == FILL_PAIRS:
                work = self._work = self._with_room(work, self._more(work, NEAR))
            elif stage > FILL_PAIRS:
                new = grown(self._more(work, PAIRS), self._more(work, CANDIDATES))
            team = new_team(threads, parts, stage, turns_per_microsecond(self.kernels.still_going))
            run_team(
                self.kernels.rebuild,
                team,
                Rebuild(
                    0, parts, self.room, alpha, *laws, geometry, probes, faced, model, state, roles, work, old, new, work.slot
                ),
            )
            stage = int(work.size[STAGE])
            if work.size[LOST] != NOWHERE:
                raise LostBodyError(int(work.size[LOST]))
        return int(work.size[PAIRS])

    @staticmethod
    def _more(work: Scratch, what: int) -> int:
        """Room for a little more than there is of something."""
        return int(SPARE * work.size[what]) + 16

    def _scratch(self, roles: Any, parts: int) -> Scratch:
        """Scratch for so many parts and for who takes part now."""
        bodies = roles.mobile.size
        if self._work is None:
            none = np.zeros(0, np.int64)
            self._work = Scratch(
                np.zeros(self.SIZES, np.int64), none, np.zeros(0), np.zeros(ROOM), none, none, np.zeros(bodies, np.int8),
                np.zeros(bodies, np.int32), none, np.zeros(bodies, np.int32), np.zeros(bodies + 1, np.int64),
                np.zeros(bodies + 1, np.int64), none, none, none, none, none, none, np.zeros(0),
            )  # fmt: skip
            self._work = self._with_room(self._work, 64)
        if self._grains is not roles.grains:  # bodies have left, or this is the first time
            self._grains = roles.grains
            self._work = self._with_grains(self._work, roles)
        if self._slot(self._work) > 1.5 * self._work.size[SLOT]:
            self._work = self._with_room(self._work, len(self._work.rank) - 1)
        if len(self._work.sums) < COLUMNS * parts:
            self._work = self._room_for_threads(self._work, parts)
        return self._work

    def _room_for_threads(self, work: Scratch, parts: int) -> Scratch:
        """The same with room for so many parts."""
        return work._replace(
            sums=np.zeros(COLUMNS * parts, np.int64), extent=np.zeros(PART * parts), workspace=np.zeros(self.room * parts)
        )

    def _with_grains(self, work: Scratch, roles: Any) -> Scratch:
        """The same for who takes part now."""
        level = np.full(work.level.size, ABSENT, np.int8)
        level[roles.grains], level[roles.big] = roles.level, BIG
        members = np.bincount(roles.level, minlength=roles.level_reach.size)
        cells = int((CELLS_EACH * members + CELLS_MORE).sum())
        return work._replace(
            level=level,
            members=members.astype(np.int64),
            grid=np.zeros(GRID * members.size, np.int64),
            cell_start=np.zeros(cells + 1, np.int64),
        )

    def _slot(self, work: Scratch) -> int:
        """Candidates that the slot of a near pair holds: twice as many as a pair had in the mean."""
        if self.words > 0:
            return 0
        return int(min(max(2.0 * work.size[CANDIDATES] / max(work.size[PAIRS], 1), LEAST_SLOT), MOST_SLOT))

    def _with_room(self, work: Scratch, pairs: int) -> Scratch:
        """The same with room for so many near pairs."""
        work.size[SLOT] = self._slot(work)
        return work._replace(
            near=np.zeros((2 + self.axes) * pairs, np.int32),
            hit=np.zeros(self.words * pairs, np.int64),
            slot=np.zeros(2 * work.size[SLOT] * pairs, np.uint32),
            side=np.zeros(2 * pairs, np.uint32),
            first=np.zeros(pairs + 1, np.uint32),
            rank=np.zeros(pairs + 1, np.uint32),
        )
