"""Stretches of steps on a GPU: tables go there once, steps run there, and the host gets them back when it looks."""

from collections.abc import Callable
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from clast.backend.cuda import MOST_THREADS, ROOMY_THREADS, Launch, Program, fetch, kernel_of, put, send
from clast.dynamics.arrays import Run, Scratch, flat
from clast.dynamics.grid_step import DEEP, END, FREE, LISTED, MOVED, NOWHERE, ONE, PAIRS, STALL, STEP, TAGGED, WORDS, grids_of
from clast.dynamics.stretch import DEEP_OVERLAP, DONE, STALE
from clast.dynamics.worlds import Job

RECORDED = 32  # steps of a program
BROUGHT_HOME = {"state": ("body", "angle", "momentum", "book", "gear", "late"), "contacts": ("spring", "weight")}


@cache
def launches_of(kernels: ModuleType) -> SimpleNamespace:
    """The kernels of a kind of run."""
    grids = grids_of(kernels.passes)
    found = {name: kernel_of(getattr(grids, name)) for name in ("balance", "add", "pressures", "move", "lead", "tick")}
    return SimpleNamespace(forces=[(bits, kernel_of(each)) for bits, each in grids.forces], **found)


class GridStretcher:
    """Steps of one run on a GPU. Its tables are the newest from the first step on until `bring_home`.

    room    makes the scratch of so many threads, each with this room for blocks of contacts, of which there are none
    """

    def __init__(self, kernels: ModuleType, room: Callable[[int, tuple[int, int]], Scratch]) -> None:
        self._launches, self._scratch = launches_of(kernels), room(ROOMY_THREADS, (0, 0))
        self._words = np.zeros(WORDS, np.int64)
        self._there: Any = None  # a Job in the memory of the GPU
        self._here: Any = None  # the same on the host
        self._program: Program | None = None
        self._newest = False  # whether the tables there are newer than those here
        self._sizes: Any = None

    def bring_home(self) -> None:
        """Copy what the GPU has changed to the tables of the host, who may then change them."""
        if self._newest:
            for record, names in BROUGHT_HOME.items():
                here, there = getattr(self._here, record), getattr(self._there, record)
                for name in names:
                    if name in here._fields:
                        fetch(getattr(there, name), getattr(here, name))
        self._newest = False
        self._here = None

    def run(self, step: int, end: int, run: Run, counts: tuple[int, int], world: tuple[Any, ...]) -> tuple[int, int, int]:
        """Steps from `step` until `end`, until the lists are stale or until an overlap is too deep: (step reached, why, pair or
        −1). `counts` are pairs and moving bodies; `world` is as in `Stretcher.run`, whose scratch is not used."""
        (pairs, moving), world = counts, (*world[:-1], flat(self._scratch))
        words = self._words
        words[:] = 0
        words[STEP], words[END], words[DEEP], words[PAIRS] = step, end, NOWHERE, pairs
        words[FREE], words[TAGGED], words[ONE] = run.free, moving - run.free, 1
        self._send(Job(end, np.zeros(2, np.int64), np.zeros(2, np.int64), run, *world), pairs, moving)
        send(words, self._words_there)
        while words[STALL] == 0:
            self._program.run()  # type: ignore[union-attr]
            fetch(self._words_there, words)
        self._newest = True
        if words[DEEP] != NOWHERE:
            return int(words[STEP]), DEEP_OVERLAP, int(words[DEEP])
        return int(words[STEP]), STALE if words[MOVED] else DONE, -1

    def _send(self, job: Job, pairs: int, moving: int) -> None:
        """Bring the tables to the GPU where the host may have changed them; a new program where any has another size."""
        job = job._replace(pair_cut=np.array([0, pairs], np.int64))
        sizes = (job.run, tuple(each.shape for record in job[4:] for each in record), moving)
        if sizes != self._sizes:
            self._there, self._words_there, self._sizes = put(job), put(self._words), sizes
            self._listed = put(np.zeros(len(job.forces.refine), np.int64))
            self._program = Program(self._steps(job, moving), RECORDED)
        elif self._here is None:
            for here, there in zip(job[4:], self._there[4:], strict=True):
                for source, target in zip(here, there, strict=True):
                    send(source, target)
            send(job.pair_cut, self._there.pair_cut)
        else:
            send(job.tags.program, self._there.tags.program)
        self._here = job

    def _steps(self, job: Job, moving: int) -> list[Launch]:
        """The launches of one step."""
        found, room, run = self._launches, len(job.forces.refine), job.run

        def launch(kernel: Any, at: int, items: int, most: int = MOST_THREADS) -> Launch:
            return Launch(kernel, (self._words_there, at, self._words_there, self._listed, self._there), items, most)

        most = ROOMY_THREADS if job.scratch.floats.size > 1 else MOST_THREADS
        made = [launch(kernel, PAIRS, room, most) for bits, kernel in found.forces if run.kinds & bits or len(found.forces) == 1]
        if run.onset != 0.0:
            made += [launch(found.balance, LISTED, room // 16), launch(found.add, LISTED, room // 16)]
        if job.tags.push.size:
            made.append(launch(found.pressures, ONE, 1))
        made.append(launch(found.move, FREE, run.free))
        if moving > run.free:
            made.append(launch(found.lead, TAGGED, moving - run.free))
        return [*made, launch(found.tick, ONE, 1)]
