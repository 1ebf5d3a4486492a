"""Runs rebuilds of the lists on a GPU, and makes room there where a rebuild needs more than there is."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from clast.backend.cuda import (
    ROOMY_THREADS,
    SIMULATED,
    Kernel,
    Launch,
    LaunchGraph,
    fetch,
    mirror,
    put,
    send,
    times_in_turn,
    wait_for_copies,
)
from clast.neighbours.cells import PART
from clast.neighbours.grid_rebuild import (
    GRID_SIZES,
    LOOKED,
    OLD_CANDIDATES,
    OLD_PAIRS,
    ONE,
    PARTS,
    SAVED,
    STALL,
    grid_rebuild_of,
    order_of_launches,
)  # fmt: skip
from clast.neighbours.rebuild import DONE, FILL_PAIRS
from clast.neighbours.rebuilder import LostBodyError, Reach, Rebuilder
from clast.neighbours.scratch import BODIES, CANDIDATES, EXTENTS, LOST, MOVING, NEAR, NOWHERE, PAIRS, STAGE, Rebuild, Scratch

COUNTING_THREADS = 1024  # that share the counts of a stage, each its own stretch of them
LOOKING_THREADS, EXTENT_ROWS = 8192, 64  # that look how far bodies lie, and rows that tell of all of them


def rebuild_kernels_of(family: SimpleNamespace, made_of: str) -> dict[str, Kernel]:
    """The kernels of a rebuild, by name; for `family` see `clast.neighbours.rebuild.rebuild_of`, for `made_of` see `Kernel`."""
    return {name: Kernel(one_pass, name, made_of) for name, one_pass in vars(grid_rebuild_of(family)).items()}


class GridRebuilder(Rebuilder):
    """Rebuilds of one run on a GPU."""

    SIZES = GRID_SIZES

    def __init__(self, kernels: dict[str, Kernel], axes: int, words: int, room: int, remembers: bool) -> None:
        super().__init__(None, axes, words, room)
        self._kernels, self._remembers = kernels, remembers
        self._parts, self._extents, self._looked = (1, 2, 3) if SIMULATED else (COUNTING_THREADS, EXTENT_ROWS, LOOKING_THREADS)
        self._like: Scratch | None = None  # tables of the host, as large as those there, of which only `size` and roles are used
        self._there: Any = None  # Scratch of the GPU
        self._reach: Any = None
        self._graph: tuple[Any, LaunchGraph] | None = None

    def _room_for_threads(self, work: Scratch, parts: int) -> Scratch:
        """Every thread that looks for candidates needs room of its own."""
        work = super()._room_for_threads(work, parts)
        work = work._replace(extent=np.zeros(PART * (self._extents + self._looked)))
        return work._replace(workspace=np.zeros(self.room * max(parts, ROOMY_THREADS))) if self.room else work

    def renew_there(
        self, reach: Reach, moving: int, laws: tuple[int, int], roles: Any, world: Any, grown: Callable[[int, int], Any]
    ) -> tuple[int, int]:
        """New lists where the old ones stand; returns the numbers of pairs and candidates. See `Rebuilder.renew`.

        roles       of the host
        world       geometry, its two trees, model, state, roles, lists to save the old ones to, and lists, all there;
                    and the numbers of old pairs and candidates
        grown       makes larger lists there: grown(pairs, candidates)
        """
        (*world, old, lists), (pairs, candidates) = world
        saved = max(pairs + 1, candidates, roles.mobile.size + 1) if self._remembers else 0
        while True:
            work = self._scratch(roles, self._parts)
            size = work.size
            size[BODIES], size[MOVING], size[LOST], size[STAGE] = roles.mobile.size, moving, NOWHERE, 0
            size[PARTS], size[ONE], size[STALL], size[SAVED] = self._parts, 1, 0, saved
            size[EXTENTS], size[LOOKED] = self._extents, self._looked
            size[OLD_PAIRS], size[OLD_CANDIDATES] = pairs, candidates
            self._run(reach, laws, (*world, old, lists), work)
            if size[LOST] != NOWHERE:
                raise LostBodyError(int(size[LOST]))
            if size[STAGE] == DONE:
                return int(size[PAIRS]), int(size[CANDIDATES])
            if size[STAGE] == FILL_PAIRS:
                self._work = self._with_room(work, self._more(work, NEAR))
            else:
                lists = grown(self._more(work, PAIRS), self._more(work, CANDIDATES))
            saved = 0  # the old lists are safe already

    def _run(self, reach: Reach, laws: tuple[int, int], world: Any, work: Scratch) -> None:
        """All launches; `work.size` is what they have come to."""
        self._there = mirror(work, self._like, self._there, ("level", "members"))
        self._like, self._size_before = work, work.size.copy()
        alpha = reach.table()
        if self._reach is None:
            self._reach = put(alpha)
        send(alpha, self._reach)
        send(work.size, self._there.size)
        (*records, old, lists), there = world, self._there
        job = Rebuild._make((0, self._parts, self.room, self._reach, *laws, *records, there, old, lists, there.slot))
        if self._graph is None or not same(self._graph[0], job):
            self._graph = job, LaunchGraph(self._launches(job, work), 1)
        wait_for_copies()
        self._graph[1].begin()
        self._graph[1].finish()
        fetch(self._there.size, work.size)

    def launch_times(self) -> dict[str, float]:
        """Seconds of each kind of launch in the last rebuild, done again."""

        def begin_again() -> None:
            send(self._size_before, self._there.size)
            wait_for_copies()

        assert self._graph is not None
        return times_in_turn(self._graph[1].launches, None, begin_again, 1)

    def _launches(self, job: Rebuild, work: Scratch) -> list[Launch]:
        items = {BODIES: work.level.size, NEAR: len(work.rank), PAIRS: job.new.other.size, PARTS: self._parts, ONE: 1}
        items |= {LOOKED: self._looked, EXTENTS: self._extents}
        items[SAVED] = max(items[BODIES], job.new.weight.size, items[PAIRS])
        most = {"most": ROOMY_THREADS} if self.room else {}
        found = []
        for name, at in order_of_launches():
            found.append(Launch(self._kernels[name], job.work.size, at, job, items[at], **(most if at == NEAR else {})))
        return found


def same(one: Any, other: Any) -> bool:
    """Whether two records hold the very same tables and equal numbers."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return one is other or (isinstance(one, int | float) and one == other)
