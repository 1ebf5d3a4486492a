"""The stretch runner: everything between two outputs runs in compiled code; here lists are renewed and errors get names."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from clast.backend.threads import ThreadSearch, count_threads
from clast.dynamics.arrays import Run, flat
from clast.dynamics.binding import kernels_of, kinds_in
from clast.dynamics.bodies import cell, flow, haste, locality, passing, prescribed, removal
from clast.dynamics.bodies.bonds import lay_out_bonds
from clast.dynamics.bodies.room import empty_forces, empty_lists
from clast.dynamics.contacts.memory import put_springs, springs_of, without_extra
from clast.dynamics.contacts.remark import remark_on
from clast.dynamics.family import family_of
from clast.dynamics.follow import Known, refuse_changed
from clast.dynamics.gpu.devices import GPU, check_device, choose_device
from clast.dynamics.gpu.grid import Grid
from clast.dynamics.gpu.home import HomeEngine
from clast.dynamics.identity import identity_of
from clast.dynamics.program import Program
from clast.dynamics.snapshot import Snapshot, take_snapshot
from clast.dynamics.stretch import DEEP_OVERLAP, DONE, STALE, TOO_FAST, Flat, Stretcher, step_of
from clast.dynamics.timestep import safe_step, unstable_step
from clast.errors import NotFiniteError, OverlapError, SceneError, StepError
from clast.neighbours.alpha import AlphaSearch
from clast.neighbours.rebuilder import LostBodyError, Reach, Rebuilder
from clast.scene.plane import Scene
from clast.scene.space import Scene3D

SLICE = 0.25  # seconds: compiled code comes back that often, at a whole step, so that Ctrl-C is heard


@dataclass
class Interval:
    """From one rebuild to the next: steps, seconds with the rebuild that began it, and those of that rebuild alone."""

    steps: int
    seconds: float
    rebuilding: float


class Engine(HomeEngine):
    """A scene in motion; what can be read and set between stretches has names, see `clast.dynamics.named`.

    dt           time step [time]; None takes the safe step of `clast.dynamics.timestep`
    alpha        Verlet distance [length], or "auto"
    threads      1, a number, or "auto", which compares several on the run itself and takes the quickest; beside a GPU those of
                 outputs, which the host makes
    integrator   "verlet", "gear4" or "gear5"
    device       "cpu", or "cuda": steps and rebuilds of lists run on a GPU; or "auto", see `clast.dynamics.gpu.devices`.
                 Afterwards `device` is one of the first two, and `device_reason` a sentence why

    SceneError for what cannot be stepped, StepError for a step at which a contact would be unstable; while it runs OverlapError
    for bodies that overlap too deeply, SpeedError for one so fast that it may pass through another unseen, NotFiniteError for
    numbers that are none any more.
    """

    def __init__(
        self,
        scene: Scene | Scene3D,
        *,
        dt: float | None = None,
        alpha: float | str = "auto",
        threads: int | str = 1,
        integrator: str = "verlet",
        device: str = "cpu",
    ) -> None:
        self._set_up(scene, dt, alpha, threads, integrator, device)
        flow.begin(self)
        if scene.springs is not None and self.history:
            self._lists, self.pairs = self._lists_with(scene.springs, self.order, self.roles.rank, self.model)
        self._rebuild()
        self._compile()
        self._prescribed = prescribed.Prescribed(self)

    @classmethod
    def without_lists(
        cls, scene: Scene | Scene3D, dt: float, alpha: float | str, threads: int, integrator: str, device: str
    ) -> Self:
        """An engine whose bodies are not where the scene has them: whoever makes it puts them somewhere and makes lists."""
        made = cls.__new__(cls)
        made._set_up(scene, dt, alpha, threads, integrator, device)
        return made

    def _set_up(
        self, scene: Scene | Scene3D, dt: float | None, alpha: float | str, threads: int | str, integrator: str, device: str
    ) -> None:
        check_device(device)
        self.scene: Any = scene  # of the plane or of space: each module knows which it works on
        self.known = Known.of(scene)
        self.work_changes = 0.0  # done on the run by whoever changed it (`clast.laboratory.booking`)
        self.family = family_of(scene)
        (self.geometry, self.model, self.state, self.tags, columns, self.roles, self.order, self.free, self.moving) = (
            self.family.lay_out(scene)
        )
        self.device, self.device_reason = choose_device(device, self.moving, self.family.DIMENSION, threads)
        self.bonds, self.state = lay_out_bonds(scene, self.order, self.model, self.state)
        safe = safe_step(self.model, self.tags, self.moving, self.family.TOGETHER, self.bonds)
        self.dt = safe if dt is None else float(dt)
        if not (math.isfinite(self.dt) and self.dt > 0.0):
            raise SceneError(f"time step dt = {dt} must be a positive number")
        if self.dt > (limit := unstable_step(self.model, self.tags, self.moving, self.bonds)):
            raise StepError(
                f"time step dt = {self.dt:.3g}: a single contact is unstable above {limit:.3g}; the safe step is {safe:.3g}"
            )
        self.kernels = kernels_of(scene, integrator)
        self._kinds = kinds_in(scene)
        self.integrator = integrator
        self.history = bool(self.kernels.HISTORY)
        if self.kernels.GEAR:
            self.state = self.family.with_derivatives(self.state, self.kernels.GEAR)
        elif self.kernels.DAMPED:
            self.state = self.family.with_gains(self.state)
        self._stretcher, self._flat = Stretcher(self.kernels), Flat()
        self._rebuilder = Rebuilder(self.kernels, self.family.DIMENSION, self.family.WORDS, self.family.room_of(self.geometry))
        self._trees = self.family.trees_of(self.geometry)
        self._laws = math.isqrt(len(self.model.law)), self.model.law.shape[1]  # materials, parameters
        self._words: np.ndarray | None = None  # of the team at work
        self.step = 0
        self.rebuilds = 0
        self.seconds = 0.0
        self.grain_steps = 0
        self.fresh_spread: float | None = 0.0  # see `clast.dynamics.bodies.locality`
        self.gone, self.flow = 0, flow.Flow()  # bodies that take no part, the last rows; who has come in and gone out
        self.whole_roles = removal.WholeRoles.of(self.order, self.roles, self.free, self.moving)
        self._furthest = max(law.range for law in scene.laws()) if self.kernels.COHESIVE else 0.0  # that a pull reaches
        self._program = Program(columns, self.dt, ahead=1.0 if self.kernels.GEAR else 0.5)
        self._write_program(0)
        self.identity = self._identity()
        self._search: AlphaSearch | None = None
        self._chosen_alpha = self.alpha = 0.0
        smallest = self._smallest_alpha()
        if alpha == "auto":
            self._search = AlphaSearch(smallest, 0.5 * float(self.model.reach[self.roles.grains].max(initial=smallest)))
        elif isinstance(alpha, str) or not (math.isfinite(alpha) and alpha > 0.0):
            raise SceneError(f'alpha = {alpha!r} must be a positive length or "auto"')
        else:
            self._chosen_alpha = float(alpha)
        self.thickness = haste.thicknesses(scene)
        self.threads = count_threads(threads)
        self._scratch = self.family.scratch_of(self.geometry, 1, self.kernels.ROOM)
        self._thread_search = ThreadSearch(self.threads) if threads == "auto" and self.device != GPU else None
        self._unsure = False  # whether an interrupt came in the middle of a stretch, or rows have changed places
        self._slice = 64  # steps between two chances to be interrupted
        self._lists = self._empty_lists(64, 256)
        self._spare = self._empty_lists(64, 256)
        self._forces = self._empty_forces(64, 1)
        self.pairs = 0
        self._grid = Grid(self) if self.device == GPU else None

    def _identity(self) -> str:
        """A hash of how a run starts and of everything constant in it: a checkpoint goes with one scene, step, integrator."""
        tags = self.tags._replace(program=self._program.block(0, 64))
        arrays = (array for part in (self.geometry, self.model, self.state, tags, self.bonds) for array in part)
        kernels = self.kernels.__name__
        return identity_of(arrays, scene=self.scene.settings(), dt=self.dt, integrator=self.integrator, kernels=kernels)

    def _compile(self) -> None:
        """Load or compile every kernel now, by calls that do nothing, so that no clock ever measures it."""
        self._stretch(self.step)
        if self._grid is not None:
            self._grid.prepare(self)
        self._kick(*self._copy(), 0.0, 0.0, 0.5)
        self.seconds = 0.0
        self._rebuild()  # once more: the time of the first was that of its compiler

    # --- lists -------------------------------------------------------------------------------------------------------

    def _smallest_alpha(self) -> float:
        """A thousandth of the smallest grain: a start from which the search can only grow."""
        reach = self.model.reach[self.roles.grains] if self.roles.grains.size else self.model.reach
        return 1e-3 * float(reach.min())

    def _empty_lists(self, pairs: int, candidates: int) -> Any:
        spring = len(self.family.MEMORY.columns(self.kernels.EXTRA, self.kernels.ROLLING))
        kept = candidates if self.history else 1
        return empty_lists(self.family.WIDTHS, spring, self.order.size, pairs, candidates, kept)

    def _empty_forces(self, pairs: int, left: int) -> Any:
        return empty_forces(self.family.WIDTHS, pairs, pairs if self.history else 1, left if self.history else 1)

    def _fit_forces(self) -> None:
        """Tables of forces for the present lists."""
        if self.pairs > len(self._forces.pair):
            self._forces = self._empty_forces(len(self._lists_here.pair), 1)

    def _rebuild(self) -> None:
        """New lists at the present positions, with the springs of the old ones."""
        began = time.perf_counter()
        self.alpha = self._search.alpha if self._search is not None else self._chosen_alpha
        reach = self.alpha + 0.5 * self._furthest
        if self.kernels.CELL:
            way = 0.5 * self.dt * cell.speed(self)
            cell.measure(self)
            reach += 0.5 * self.alpha + way  # the cell may move images by α before the lists are stale, its grains by α each
        if self._grid is not None:
            self.pairs = self._list(partial(self._grid.renew, self), reach)
            if self.kernels.CELL:
                self._grid.set_haste(self.model.cell[0], cell.haste(self))
        else:
            pairs = self._list(self._list_by_team, reach)
            self._lists_here, self._spare, self.pairs = self._spare, self._lists_here, pairs  # no interrupt comes between these
            if self.kernels.CELL:
                self._lists_here.reference[self.model.cell[0], 3] = cell.haste(self)
            self._fit_forces()
            self._cut()
        self.rebuilds += 1
        took = time.perf_counter() - began
        self.seconds += took
        self._interval = Interval(steps=0, seconds=took, rebuilding=took)
        self._unsure = False

    def _list_by_team(self, reach: Reach) -> int:
        """New lists into the spare ones, by as many threads as steps take; returns the number of pairs."""
        geometry, model, state = flat(self.geometry), flat(self.model), flat(self.state)
        world = (geometry, *map(flat, self._trees), model, state, self.roles, flat(self._lists), flat(self._spare))
        return self._rebuilder.renew(self.threads, reach, self.moving, self._laws, world, self._wider)

    def _list(self, renew: Callable[[Reach], int], reach: float) -> int:
        """New lists by one of the ways to make them; returns the number of pairs."""
        try:
            return renew(Reach(reach, self.dt))
        except LostBodyError as lost:
            raise NotFiniteError(
                f"body {self.order[lost.row]} left the finite numbers at t = {self.time:.6g} (step {self.step}); "
                f"take a smaller time step than {self.dt:.3g}"
            ) from None

    def _wider(self, pairs: int, candidates: int) -> Any:
        """Spare lists with room for so many, flat."""
        self._spare = self._empty_lists(pairs, candidates)
        return flat(self._spare)

    def _cut(self) -> None:
        """Divide pairs and bodies among the threads, by candidates and by pairs."""
        if self.threads != self._stretcher.threads:
            self._scratch = self.family.scratch_of(self.geometry, self.threads, self.kernels.ROOM)
        lists = self._lists_here
        self._stretcher.cut(lists.pair[: self.pairs + 1, 2], lists.first_pair, self.moving, self.threads)

    # --- motion ------------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """t = n Δt, from the integer n."""
        return self.step * self.dt

    def advance(self, end: int) -> None:
        """Run to step `end`."""
        refuse_changed(self)
        if self._unsure:
            self._rebuild()
        while self.step < end:
            passing.look(self)
            self._prescribed.look()
            if not self._program_start <= self.step < self._program_end:
                self._write_program(end)
            stop = min(end, passing.next_look(self), self._prescribed.next_look(), self._program_end, self.step + self._slice)
            if self._thread_search is not None:
                stop = self._with_threads(stop)
            began, before = time.perf_counter(), self.step
            self._unsure = True  # until all is done that the end of the stretch calls for
            _, status, pair = self._stretch(stop)
            took = time.perf_counter() - began
            self.seconds += took
            self._interval.seconds += took
            self._interval.steps += self.step - before
            self.grain_steps += self.moving * (self.step - before)
            if took < 0.5 * SLICE or took > SLICE:
                pace = (self.step - before) * SLICE / max(took, 1e-6)
                self._slice = int(min(max(0.75 * pace, 1.0), 4.0 * self._slice))
            if self._thread_search is not None:
                self._thread_search.record(self.step - before, took)
            if status == DEEP_OVERLAP:
                self._raise_overlap(int(pair))
            if status == TOO_FAST:
                haste.refuse_fast(self)
            if status in (STALE, TOO_FAST):
                if self._search is not None:
                    self._search.record(self._interval.steps, self._interval.seconds, self._interval.rebuilding)
                locality.keep(self)
                self._rebuild()
            self._unsure = False

    def _write_program(self, last: int) -> None:
        """What the tags prescribe from this step on, to step `last` or as far as a block goes."""
        block = self._program.block(self.step, last)
        tags = self.tags._replace(program=block)
        end = self.step + len(block) if not self._program.is_constant else np.iinfo(np.int64).max
        self.tags, self._program_start, self._program_end = tags, self.step, end

    def _renew_program(self) -> None:
        """Make sure that the program holds this step."""
        if not self._program_start <= self.step < self._program_end:
            self._write_program(self.step)

    def _stretch(self, end: int) -> tuple[int, int, int]:
        """Compiled steps until `end` or until the host is needed: (step reached, status, pair).

        An interrupt finds the run at a whole step, that of the words of the team.
        """
        if self.step >= end:
            return self.step, DONE, -1
        if self._grid is not None:
            return self._grid.run(self, end)
        run, team = self._run(self._onset), self._stretcher.team_at(self.step)
        world = tuple(self._flat(each) for each in self._records(self.state, self._lists))
        self._words = team.words
        found = self._stretcher.run(team, end, run, world)
        self.step = found[0]
        return found

    @property
    def step(self) -> int:
        """Steps done so far."""
        return self._step if self._words is None else step_of(self._words)

    @step.setter
    def step(self, step: int) -> None:
        self._step, self._words = step, None

    @property
    def _thin(self) -> float:
        """The thinnest body [length]."""
        return float(self.thickness.min())

    def _run(self, onset: float) -> Run:
        """Numbers of a stretch of steps."""
        return Run(self.dt, onset, self.alpha, self.free, self._program_start, self._kinds, False, 0.0, 0.0, 0.0, self._thin)

    def _world(self, state: Any, lists: Any) -> tuple[Any, ...]:
        """All that a pass may read or write, flat."""
        return tuple(flat(each) for each in self._records(state, lists))

    def _records(self, state: Any, lists: Any) -> tuple[Any, ...]:
        """The same as tables."""
        return self.geometry, self.model, state, lists, self._forces, self.tags, self.bonds, self._scratch

    @property
    def _onset(self) -> float:
        """Whether opening and closing steps are weighted; Gear's method takes forces, not kicks, and cannot."""
        return float(self.scene.onset and not self.kernels.GEAR)

    def _with_threads(self, stop: int) -> int:
        """Take the number of threads that is to be tried or kept; returns where the stretch ends then."""
        assert self._thread_search is not None
        if self.threads != self._thread_search.threads:
            self.threads = self._thread_search.threads
            self._cut()
        steps = self._thread_search.steps
        return stop if steps is None else min(stop, self.step + steps)

    def refuse_deep_overlap(self) -> None:
        """OverlapError if an overlap is too deep in the present state."""
        deep = self._kick(*self._copy(), 0.0, 0.5, 0.5)
        if deep >= 0:
            self._raise_overlap(int(deep))

    def _raise_overlap(self, pair: int) -> None:
        i, j = (int(self.order[k]) for k in self._seen_lists.pair[pair, :2])
        table, floats = self.contact_table(self._seen_state)
        rows = (np.sort(self.order[table[:, :2]], axis=1) == sorted((i, j))).all(axis=1)
        depth, reach = (floats[rows, column].max(initial=0.0) for column in (self.family.TABLE.DEPTH, self.family.TABLE.REACH))
        words = self.family.DEPTH
        cure = f"{words.cure}, or a smaller time step than {self.dt:.3g}" if self.step > 0 else "move them apart"
        raise OverlapError(
            f"bodies {i} and {j} overlap by {depth:.3g} of {reach:.3g} ({words.held_against}) at t = {self.time:.6g} "
            f"(step {self.step}): {words.too_deep}; {cure}"
        )

    # --- looking -----------------------------------------------------------------------------------------------------

    def contact_table(self, state: Any, lists: Any = None, pairs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Touching contacts of a state under the present lists (integers, floats); see `clast.dynamics.contacts.table`.

        By the ranks of the first bodies of pairs: in the same order wherever bodies lie in memory. Other lists are given with
        their number of pairs."""
        lists, pairs = lists or self._seen_lists, self.pairs if pairs is None else pairs
        table = self.family.TABLE
        room = max(64, 4 * pairs)
        while True:
            integers, floats = np.zeros((room, table.INTEGERS), np.int64), np.zeros((room, table.WIDTH))
            *world, scratch = self._world(state, lists)
            scratch = scratch._replace(row_floats=floats.reshape(-1), row_integers=integers.reshape(-1))
            rows = self._stretcher.fill_table(pairs, self._run(0.0), (*world, scratch))
            if rows <= room:
                return locality.by_rank(self.roles.rank, integers[:rows], floats[:rows])
            room = rows

    def snapshot(self) -> Snapshot:
        """The run at this instant, velocities and path integrals finished to t = n Δt, on a copy: the run is not touched."""
        return take_snapshot(self)

    def _copy(self) -> tuple[Any, Any]:
        """A state to play with: the run does not see what is done to it."""
        state, lists = self._seen_state, self._seen_lists
        state = type(state)(*(array.copy() for array in state))
        return state, lists._replace(spring=lists.spring.copy(), weight=lists.weight.copy())

    def _kick(self, state: Any, lists: Any, past: float, future: float, whole: float, onset: float | None = None) -> int:
        """Forces at the present positions and the parts `past` and `future` of Δt of the `whole` kick, without moving.

        Returns the first pair that overlaps too deeply, or −1."""
        onset = self._onset if onset is None else onset
        run = Run(self.dt, onset, self.alpha, self.free, self._program_start, self._kinds, True, past, future, whole, self._thin)
        return self._stretcher.run(self._stretcher.team_at(self.step), self.step + 1, run, self._world(state, lists))[2]

    @property
    def candidates(self) -> int:
        """Length of the candidate list."""
        return int(self._seen_lists.pair[self.pairs, 2])

    @property
    def grains(self) -> int:
        """Bodies that are not walls."""
        return int(np.count_nonzero(~self.scene.bodies.column("big")))

    @property
    def cundall(self) -> float:
        """Cundall number so far: bodies that move × steps / seconds."""
        return self.grain_steps / self.seconds if self.seconds > 0.0 else 0.0

    def remark_on_law(self) -> str:
        """A sentence if contacts of this law go one after the other where they could go side by side, else ""."""
        return remark_on(self.known.law, self.kernels)

    # --- stopping and going on ---------------------------------------------------------------------------------------

    def springs(self) -> Any:
        """What touching contacts remember at this instant; a scene can be started with it."""
        state, lists = self._copy()
        past = 0.5 if self.step > 0 else 0.0
        self._renew_program()
        self._kick(state, lists, past, 0.0, past + 0.5)
        return self._memory(lists)

    def _memory(self, lists: Any) -> Any:
        """What the contacts of some lists remember."""
        law = self.known.law.module
        extra, rolling = self.kernels.EXTRA, self.kernels.ROLLING
        pairs = self.pairs
        if not self.history:  # nothing is remembered: as of no pairs
            lists, pairs = self._empty_lists(1, 1), 0
        kind, order, rank = self.family.MEMORY, self.order, self.roles.rank
        return springs_of(kind, lists, pairs, order, rank, self.geometry, self.model, extra, rolling, law)

    def _lists_with(self, springs: Any, order: np.ndarray, rank: np.ndarray, model: Any) -> tuple[Any, int]:
        """Lists in which a rebuild will find these springs, for bodies that stand in this order, and the number of pairs."""
        kind, lists = self.family.MEMORY, self._empty_lists(len(springs.key) + 1, len(springs.key) + 1)
        if not self.history:
            return lists, 0
        if springs.law != self.known.law.module:  # another law may mean something else by its extra number
            springs = without_extra(kind, springs)
        extra, rolling = self.kernels.EXTRA, self.kernels.ROLLING
        return lists, put_springs(kind, springs, lists, order, rank, self.geometry, model, extra, rolling)

    def checkpoint(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Everything needed to go on bit for bit: state, and what touching contacts remember."""
        springs = self._memory(self._seen_lists)
        arrays = {name: array.copy() for name, array in self._seen_state._asdict().items()}
        arrays |= {"order": self.order.copy(), "spring_key": springs.key, "spring": springs.memory} | self.flow.arrays()
        return arrays, {
            "step": self.step,
            "dt": self.dt,
            "rebuilds": self.rebuilds,
            "seconds": self.seconds,
            "alpha": self.alpha,
            "gone": self.gone,
            "grain_steps": self.grain_steps,
            "work_changes": self.work_changes,
            "scene_changes": self.known.times,
            "law": self.known.law.module,
        }

    def restore(self, arrays: dict[str, np.ndarray], scalars: dict[str, Any]) -> None:
        """Go on from a checkpoint of the same scene."""
        arrays = self.family.completed(arrays, self.dt)
        if arrays["body"].shape != self.state.body.shape or float(scalars["dt"]) != self.dt:
            raise SceneError(
                f"the checkpoint holds {len(arrays['body'])} bodies at dt = {scalars['dt']}, the scene {self.order.size} at "
                f"dt = {self.dt}: resume with the scene and step it was made with"
            )
        springs = self.family.MEMORY.springs(arrays["spring_key"], arrays["spring"], self.known.law.module)
        removal.reorder(self, np.argsort(self.order)[arrays["order"]], int(scalars["gone"]), springs, self.flow.restored(arrays))
        for name, array in self.state._asdict().items():
            array[...] = arrays[name]
        self.step = int(scalars["step"])
        self._write_program(self.step)
        self.rebuilds, self.seconds = int(scalars["rebuilds"]), float(scalars["seconds"])
        self.grain_steps = int(scalars["grain_steps"])
        self.work_changes = float(scalars.get("work_changes", 0.0))
        if self._search is not None:
            self._search.alpha = self._search.holder = float(scalars["alpha"])
        self._rebuild()
