"""Runs rebuilds of the lists by a team of threads, and makes room where a rebuild needs more than there is."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from clast.backend.team import new_team, run_team, turns_per_microsecond
from clast.neighbours.cells import CELLS_EACH, CELLS_MORE, GRID, ROOM
from clast.neighbours.rebuild import DONE, EXTENT, FILL_PAIRS
from clast.neighbours.scan import COLUMNS
from clast.neighbours.scratch import CANDIDATES, NEAR, PAIRS, SIZES, SLOT, STAGE, Rebuild, Scratch

SPARE = 1.3  # growth of arrays beyond what is needed
LEAST_SLOT, MOST_SLOT = 8, 128  # candidates that counting keeps for a near pair
PARTS_EACH = 8  # parts of a stage for each thread
ABSENT, BIG = -2, -1  # Scratch.level of who is not searched, and of big bodies


class Rebuilder:
    """Rebuilds of one run, of a family of some axes.

    words   in which its passes note the candidates of a near pair as bits; with none, they are noted in slots
    room    numbers that its passes need for themselves
    """

    def __init__(self, kernels: ModuleType, axes: int, words: int, room: int) -> None:
        self.kernels, self.axes, self.words, self.room = kernels, axes, words, room
        self._cast: Any = None
        self._work: Any = None

    def renew(
        self, threads: int, alpha: float, laws: tuple[int, int], world: tuple[Any, ...], grown: Callable[[int, int], Any]
    ) -> int:
        """Lists for surfaces nearer than 2 alpha; returns the number of pairs.

        laws        materials, and parameters of the law between two
        world       geometry, its two trees, model, state, roles, old lists and lists to write to, all flat
        grown       makes larger lists to write to: grown(pairs, candidates)
        """
        geometry, probes, faced, model, state, roles, old, new = world
        parts = 1 if threads == 1 else PARTS_EACH * threads
        work = self._scratch(roles, parts)
        stage = EXTENT
        while stage != DONE:
            if stage == FILL_PAIRS:
                work = self._work = self._with_room(work, int(SPARE * work.size[NEAR]) + 16)
            elif stage > FILL_PAIRS:
                new = grown(int(SPARE * work.size[PAIRS]) + 16, int(SPARE * work.size[CANDIDATES]) + 16)
            team = new_team(threads, parts, stage, turns_per_microsecond(self.kernels.still_going))
            run_team(
                self.kernels.rebuild,
                team,
                Rebuild(
                    0, parts, self.room, alpha, *laws, geometry, probes, faced, model, state, roles, work, old, new, work.slot
                ),
            )
            stage = int(work.size[STAGE])
        return int(work.size[PAIRS])

    def _scratch(self, roles: Any, parts: int) -> Scratch:
        """Scratch for so many parts and for who takes part now."""
        bodies = roles.mobile.size
        if self._work is None:
            none = np.zeros(0, np.int64)
            self._work = Scratch(
                np.zeros(SIZES, np.int64), none, np.zeros(0), np.zeros(ROOM), none, none, np.zeros(bodies, np.int8),
                np.zeros(bodies, np.int32), none, np.zeros(bodies, np.int32), np.zeros(bodies + 1, np.int64),
                np.zeros(bodies + 1, np.int64), none, none, none, none, none, none, np.zeros(0),
            )  # fmt: skip
            self._work = self._with_room(self._work, 64)
        if self._cast is not roles.grains:  # bodies have left, or this is the first time
            self._cast = roles.grains
            self._work = self._with_cast(self._work, roles)
        if self._slot(self._work) > 1.5 * self._work.size[SLOT]:
            self._work = self._with_room(self._work, len(self._work.rank) - 1)
        if len(self._work.sums) < COLUMNS * parts:
            self._work = self._work._replace(
                sums=np.zeros(COLUMNS * parts, np.int64), extent=np.zeros(ROOM * parts), own=np.zeros(self.room * parts)
            )
        return self._work

    def _with_cast(self, work: Scratch, roles: Any) -> Scratch:
        """The same for who takes part now."""
        work.level[:] = ABSENT
        work.level[roles.grains] = roles.level
        work.level[roles.big] = BIG
        members = np.bincount(roles.level, minlength=roles.level_reach.size)
        cells = int((CELLS_EACH * members + CELLS_MORE).sum())
        return work._replace(
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
