"""A run on a GPU: its tables are there, steps and rebuilds of lists run there, and the host gets back what it looks at.

The tables of the host and those of the GPU are two copies of one run. `newer` names what the GPU has changed since the host has
seen it; `touched` what the host may have changed since. Whoever only reads leaves the tables of the GPU as they are.
"""

from __future__ import annotations

from functools import cache, partial
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from clast.backend.bind import key
from clast.backend.cuda import (
    MOST_THREADS,
    ROOMY_THREADS,
    SIMULATED,
    Kernel,
    Launch,
    LaunchGraph,
    fetch,
    put,
    room_like,
    send,
    times_in_turn,
    wait_for_copies,
)  # fmt: skip
from clast.dynamics.arrays import SHEARED, STAYS, Run, flat
from clast.dynamics.bodies.room import Widths
from clast.dynamics.contacts.heats import LOSS
from clast.dynamics.gpu.step import (
    BONDS,
    DEEP,
    END,
    FLAGGED,
    FREE,
    HASTY,
    LISTED,
    MOVED,
    NOWHERE,
    ONE,
    PAIRS,
    ROWS,
    STALL,
    STEP,
    TAGGED,
    WORDS,
    GridJob,
    grids_of,
)  # fmt: skip
from clast.dynamics.gpu.walls import Short, condense_of, shares_of, short_lists
from clast.dynamics.stretch import DEEP_OVERLAP, ending
from clast.dynamics.worlds import Job
from clast.neighbours.grid_rebuilder import GridRebuilder, rebuild_kernels_of, same
from clast.neighbours.rebuilder import Reach

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine

RECORDED = 32  # steps of a graph
AHEAD = 4  # graphs that are begun before the host looks how far they have come, where none was stopped
CHANGED = ("body", "angle", "momentum", "book", "gear", "mid_step", "gain", "bond")  # of a state, by steps
STATE, LISTS = "state", "lists"
COMPILED = "clast.dynamics.gpu.step", "clast.dynamics.gpu.walls", "clast.neighbours.grid_rebuild", "clast.backend.cuda"
HASTE = 3  # column of Lists.reference: of a moving cell, see `clast.dynamics.bodies.cell.haste`


@cache
def launches_of(kernels: ModuleType, widths: Widths) -> SimpleNamespace:
    """The kernels of a kind of run."""
    grids, made_of = grids_of(kernels.passes), key(kernels.__name__, *COMPILED)
    places = SimpleNamespace(TAGGED=TAGGED, FREE=FREE, PAIRS=PAIRS, STALL=STALL)
    passes = {name: getattr(grids, name) for name in ("balance", "add", "pressures", "move", "lead", "tick")}
    passes["condense"] = condense_of(widths, int(kernels.HISTORY), places, sheared=kernels.CELL == SHEARED)
    return SimpleNamespace(
        forces=[(bits, Kernel(each, f"forces of {bits}", made_of)) for bits, each in grids.forces],
        rebuild=rebuild_kernels_of(kernels.family.listing_of(kernels.choice), made_of),
        strain=None if grids.strain is None else Kernel(grids.strain, "strain", made_of),
        **{name: Kernel(one_pass, name, made_of) for name, one_pass in passes.items()},
    )


class Grid:
    """Tables, steps and rebuilds of one run on a GPU."""

    def __init__(self, engine: Engine) -> None:
        self._launches = launches_of(engine.kernels, engine.family.WIDTHS)
        room = engine.family.room_of(engine.geometry)
        self._rebuilder = GridRebuilder(
            self._launches.rebuild, engine.family.DIMENSION, engine.family.WORDS, room, engine.history
        )
        scratch = flat(engine.family.scratch_of(engine.geometry, ROOMY_THREADS, (0, 0)))
        self._geometry, self._scratch = put(flat(engine.geometry)), put(scratch)
        self._trees = tuple(put(flat(each)) for each in engine._trees)
        self._words, self._numbers = np.zeros(WORDS, np.int64), np.zeros(len(Run._fields))
        self._words_there, self._numbers_there = put(self._words), put(self._numbers)
        self._model: Any = None  # records there, flat …
        self._roles: Any = None
        self._state: Any = None
        self._lists: Any = None
        self._old: Any = None
        self._forces: Any = None
        self._listed: Any = None
        self._tags: Any = None
        self._bonds: Any = None
        self._short: Short | None = None
        self._short_of: Any = None  # the lists and the rows of bodies it was made for
        self._sent: dict[str, Any] = {}  # … and the records of the host that they were made of
        self._graph: tuple[Any, LaunchGraph] | None = None
        self._candidates = 0
        self.flagged = 0.0  # of the pairs, how many were weighed for opening or closing, on average over the last stretch
        self.newer: set[str] = set()
        self.touched = {STATE, LISTS}

    # --- tables ------------------------------------------------------------------------------------------------------

    def bring_state(self, state: Any) -> None:
        """What moves, into the tables of the host."""
        if STATE in self.newer:
            for name in state._fields:
                if name in CHANGED:
                    fetch(getattr(self._state, name), getattr(flat(state), name))
            self.newer.discard(STATE)

    def bring_lists(self, engine: Engine) -> None:
        """The lists, into tables of the host; larger ones where there are more pairs or candidates now."""
        if LISTS not in self.newer:
            return
        here = engine._lists_here
        if any(one.size != other.size for one, other in zip(here, self._lists, strict=True)):
            here = engine._lists_here = engine._empty_lists(self._lists.other.size, self._lists.candidate.size // 2)
        for source, target in zip(self._lists, flat(here), strict=True):
            fetch(source, target)
        self.newer.discard(LISTS)
        engine._fit_forces()
        engine._cut()

    def pairs_of(self, engine: Engine) -> np.ndarray:
        """Rows of both bodies of each pair; the lists stay there."""
        if LISTS not in self.newer:
            return engine._lists_here.pair[: engine.pairs, :2]
        table = np.empty((engine.pairs, engine.family.WIDTHS.pair), engine._lists_here.pair.dtype)
        fetch(self._lists.pair[: table.size], table.reshape(-1))
        return table[:, :2]

    def _bring_there(self, engine: Engine) -> None:
        """All that the host may have changed."""
        self._model = self._mirrored("model", engine.model, self._model, always=bool(engine.kernels.CELL))
        self._roles = self._mirrored("roles", engine.roles, self._roles)
        self._tags = self._mirrored("tags", self._tags_of(engine), self._tags, engine.tags)
        self._bonds = self._mirrored("bonds", engine.bonds, self._bonds)
        if STATE in self.touched:
            self._state = sent(flat(engine._state_here), self._state)
        if LISTS in self.touched:
            self._lists = sent(flat(engine._lists_here), self._lists)
            self._candidates = int(engine._lists_here.pair[engine.pairs, 2])
        self._fit(engine)
        self.touched.clear()

    def _mirrored(self, name: str, record: Any, there: Any, source: Any = None, *, always: bool = False) -> Any:
        """A record there, sent again where the host has another one."""
        source = record if source is None else source
        if not always and self._sent.get(name) is source:
            return there
        self._sent[name] = source
        return sent(flat(record), there)

    @staticmethod
    def _tags_of(engine: Engine) -> Any:
        """Tags with a program of a fixed number of rows, so that its table stays where it is."""
        program = np.zeros((engine._program.rows, engine.tags.program.shape[1]))
        program[: len(engine.tags.program)] = engine.tags.program
        return engine.tags._replace(program=program)

    def _fit(self, engine: Engine) -> None:
        """Tables of forces as long as the lists."""
        pairs = self._lists.other.size
        if self._listed is None or self._listed.size != pairs:
            self._forces = type(engine._forces)(*(room_like(each) for each in flat(engine._empty_forces(pairs, pairs))))
            self._listed = room_like(np.zeros(pairs, np.int64))
        self._fit_short(engine)

    # --- steps -------------------------------------------------------------------------------------------------------

    def prepare(self, engine: Engine) -> None:
        """Compile and record a step, so that no clock measures it."""
        self._bring_there(engine)
        self._steps(engine)

    def run(self, engine: Engine, end: int) -> tuple[int, int, int]:
        """Steps until `end`, until lists are stale, a body too fast or an overlap too deep: (step reached, why, pair or −1)."""
        self._bring_there(engine)
        words, graph, began = self._words, self._steps(engine), engine.step
        self._send_words(engine, end)
        self.newer |= {STATE, LISTS}
        graphs = 1
        try:
            while words[STALL] == 0:
                for _ in range(min(graphs, -(-int(end - words[STEP]) // RECORDED))):
                    graph.begin()
                graph.finish()
                fetch(self._words_there, words)
                graphs = AHEAD
        finally:  # an interrupt finds the run at a whole step as well
            graph.finish()
            fetch(self._words_there, words)
            engine.step = int(words[STEP])
        self.flagged = float(words[FLAGGED] / max((words[STEP] - began) * engine.pairs, 1))
        if words[DEEP] != NOWHERE:
            return int(words[STEP]), DEEP_OVERLAP, int(words[DEEP])
        return int(words[STEP]), ending(words[MOVED], words[HASTY]), -1

    def _steps(self, engine: Engine) -> LaunchGraph:
        """The graph of steps, recorded anew where a table lies elsewhere or other launches are wanted."""
        nothing = np.zeros(2, np.int64)
        run = Run(0.0, 0.0, 0.0, 0, 0, 0, False, 0.0, 0.0, 0.0, 0.0)  # its numbers stand in a table
        records = (
            self._geometry, self._model, self._state, self._lists, self._forces, self._tags, self._bonds, self._scratch
        )  # fmt: skip
        cuts = self._sent.setdefault("cuts", put(nothing))
        grid = GridJob(self._words_there, self._listed, self._numbers_there, Job(0, cuts, cuts, run, *records))
        wanted = (engine._onset != 0.0, engine._kinds, engine.free, engine.moving, engine.tags.push.size > 0)
        if self._graph is None or not same(self._graph[0], (grid, wanted)):
            self._graph = (grid, wanted), LaunchGraph(self._launches_of_step(grid, engine), RECORDED)
        return self._graph[1]

    def _launches_of_step(self, grid: GridJob, engine: Engine) -> list[Launch]:
        found, pairs = self._launches, self._listed.size

        def launch(kernel: Any, at: int, items: int, most: int = MOST_THREADS) -> Launch:
            return Launch(kernel, self._words_there, at, grid, items, most)

        most = ROOMY_THREADS if self._scratch.floats.size > 1 else MOST_THREADS
        forces = found.forces if len(found.forces) == 1 else [each for each in found.forces if engine._kinds & each[0]]
        made = [launch(kernel, PAIRS, pairs, most) for _, kernel in forces]
        if found.strain is not None:
            made.append(launch(found.strain, BONDS, len(engine.bonds.link)))
        if engine._onset != 0.0:
            made += [launch(found.balance, LISTED, pairs // 16, most), launch(found.add, LISTED, pairs // 16, most)]
        if engine.tags.push.size or engine.kernels.CELL == SHEARED:
            made.append(launch(found.pressures, ONE, 1))
        made.append(launch(found.move, FREE, engine.free))
        if self._short is not None:
            rows = self._short.loss.size // LOSS
            made.append(Launch(found.condense, self._words_there, ROWS, self._short, rows))
            made.append(Launch(found.lead, self._words_there, TAGGED, self._job_of_lead(grid), engine.moving - engine.free))
        return [*made, launch(found.tick, ONE, 1)]

    def _job_of_lead(self, grid: GridJob) -> GridJob:
        """The job with short lists in place of long ones."""
        short, job = self._short, grid.job
        assert short is not None
        cuts = put(np.array([0, short.shares * short.cells]))
        forces = job.forces._replace(pair=short.pair, work=short.work, loss=short.loss)
        return grid._replace(job=job._replace(pair_cut=cuts, lists=self._short_lists, forces=forces))

    def _fit_short(self, engine: Engine) -> None:
        """Short tables for the sums over pairs of tagged bodies, where there are any."""
        wanted = (self._lists, self._forces, engine.free, engine.moving)
        if engine.moving == engine.free:
            self._short = self._short_of = None
        elif self._short_of is None or not same(self._short_of, wanted):
            self._short_of, widths, cells = wanted, engine.family.WIDTHS, int(engine.kernels.CELL != STAYS)
            shares = 4 if SIMULATED else shares_of(engine.moving - engine.free, cells)
            rows = shares * (cells + 2 * (engine.moving - engine.free))
            empty = [put(np.zeros(rows * width)) for width in (2 * widths.pull, widths.pull, LOSS)]
            self._short = Short(self._words_there, shares, cells, self._lists, self._forces, *empty)
            short, lists = short_lists(self._lists, range(engine.free, engine.moving), shares, cells), self._lists._asdict()
            made = {name: put(each) for name, each in short._asdict().items() if each is not lists[name]}
            self._short_lists = short._replace(**made)

    def launch_times(self, engine: Engine, times: int = 64) -> dict[str, float]:
        """Seconds that each launch takes, by its name: those of a step, and those of a rebuild with "rebuild " before the name.

        Measured is how long the launches up to each one take, less the time of those before it. The run cannot go on afterwards.
        """
        self._bring_there(engine)
        *launches, tick = self._steps(engine).launches
        found = times_in_turn(launches, tick, lambda: self._send_words(engine, engine.step + 2 * times, alpha=np.inf), times)
        self.renew(engine, Reach(engine.alpha, engine.dt))
        return found | {f"rebuild {name}": seconds for name, seconds in self._rebuilder.launch_times().items()}

    def _send_words(self, engine: Engine, end: int, alpha: float | None = None) -> None:
        """Copy to the GPU what launches read: the step to stop at, how many bodies and pairs there are, numbers such as Δt."""
        run, words = engine._run(engine._onset), self._words
        words[:] = 0
        words[STEP], words[END], words[DEEP], words[PAIRS] = engine.step, end, NOWHERE, engine.pairs
        words[FREE], words[TAGGED], words[ONE] = run.free, engine.moving - run.free, 1
        words[BONDS] = len(engine.bonds.link) if engine.bonds else 0
        words[ROWS] = 0 if self._short is None else self._short.loss.size // LOSS
        self._numbers[:] = run if alpha is None else run._replace(alpha=alpha)
        send(words, self._words_there)
        send(self._numbers, self._numbers_there)
        wait_for_copies()

    # --- lists -------------------------------------------------------------------------------------------------------

    def renew(self, engine: Engine, reach: Reach) -> int:
        """New lists at the present positions, with the springs of the old ones; returns the number of pairs."""
        self._bring_there(engine)
        if self._old is None or any(one.size != other.size for one, other in zip(self._old, self._lists, strict=True)):
            self._old = type(self._lists)(*(room_like(each) for each in self._lists))
        records = (self._geometry, *self._trees, self._model, self._state, self._roles, self._old, self._lists)
        world = records, (engine.pairs, self._candidates)
        pairs, self._candidates = self._rebuilder.renew_there(
            reach, engine.moving, engine._laws, engine.roles, world, partial(self._wider, engine)
        )
        self._fit(engine)
        self.newer.add(LISTS)
        return pairs

    def set_haste(self, row: int, haste: float) -> None:
        """Copy to the GPU the factor `haste`: the motion of the periodic cell is multiplied by it before it is compared with α.

        row   that of the cell among the bodies
        """
        width = self._lists.reference.size // self._roles.mobile.size
        send(np.array([haste]), self._lists.reference[width * row + HASTE : width * row + HASTE + 1])

    def _wider(self, engine: Engine, pairs: int, candidates: int) -> Any:
        """Lists with room for so many."""
        self._lists = type(self._lists)(*(room_like(each) for each in flat(engine._empty_lists(pairs, candidates))))
        return self._lists


def sent(record: Any, there: Any) -> Any:
    """A record in the memory of the GPU: into `there`, table by table, where it has the same size."""
    made = []
    for k, array in enumerate(record):
        if there is not None and there[k].shape == array.shape:
            send(array, there[k])
            made.append(there[k])
        else:
            made.append(put(array))
    return type(record)(*made)
