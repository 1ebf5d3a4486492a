"""A scene that is stepped by hand: look at it, change it, go on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from clast.dynamics.engine import Engine, Snapshot
from clast.dynamics.follow import follow, leave, set_velocities_now
from clast.errors import InputError, SceneError
from clast.laboratory.booking import booked, sum_now
from clast.laboratory.calls import Calls
from clast.laboratory.seen import Seen
from clast.laws.law import Law
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.scene.tags import Force, Tag
from clast.shapes.plane.skeleton import Shape
from clast.shapes.space.solid import Solid

Who = int | str | Iterable[int | str]


class Simulation(Seen):
    """A scene in motion, to be stepped, looked at and changed.

    >>> sim = clast.Simulation(scene)
    >>> sim.run_until(0.5)
    >>> sim.velocities[ball]
    >>> sim.gravity = (0.0, 9.81)
    >>> sim.step(1000)

    dt, alpha, threads, integrator, device   as for `clast.run`

    Row k of every array is the body with id k, the number that `add` returned; docs/names.md lists the names. What is changed,
    here or in the scene itself (`sim.scene`), takes effect at this instant, and its work is booked as `work_changes`.
    SceneError for what cannot be changed; the run is then as it was before. OverlapError and NotFiniteError as of a run.
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
        engine = Engine(scene, dt=dt, alpha=alpha, threads=threads, integrator=integrator, device=device)
        engine.refuse_deep_overlap()
        self._take(engine, grows=True)

    @classmethod
    def around(cls, engine: Engine, calls: Calls) -> Self:
        """A simulation of an engine whose run is stored by somebody else: bodies cannot be added to it."""
        made = cls.__new__(cls)
        made._take(engine, grows=False)
        made.calls = calls
        return made

    def _take(self, engine: Engine, *, grows: bool) -> None:
        self.engine = engine
        self.scene: Any = engine.scene
        self.calls = Calls()
        self.stopped = False  # whether the last `step` or `run_until` was ended by `stop`
        self._grows, self._calling = grows, False
        self._seen: tuple[Any, Snapshot] | None = None
        self._pushes: dict[int, Force] = {}
        self._start = sum_now(engine)

    # --- stepping ----------------------------------------------------------------------------------------------------

    def step(self, count: int = 1) -> None:
        """Go on by `count` steps, or until a function called on the way stops the run."""
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
            raise InputError(f"step: {count!r} must be a whole number of steps")
        self._advance(self.engine.step + int(count))

    def run_until(self, time: float) -> None:
        """Go on to the step nearest to `time`, or until a function called on the way stops the run."""
        end = round(time / self.engine.dt) if np.isfinite(time) else -1
        if end < self.engine.step:
            raise InputError(f"run_until({time}): the run is at t = {self.time:.6g} already, and time runs forwards")
        self._advance(end)

    def _advance(self, end: int) -> None:
        if self._calling:
            raise InputError("a function called every so many steps cannot step the run: it goes on when the function returns")
        self.stopped = False
        engine, calls = self.engine, self.calls
        while engine.step < end and not self.stopped:
            self._follow()
            due = calls.next_step(engine.step)
            engine.advance(end if due is None else min(end, due))
            if due == engine.step:
                self.call_due()

    def every(self, interval: int, function: Callable[[Simulation], object]) -> None:
        """Call `function(simulation)` whenever the number of steps is a multiple of `interval`.

        It may look, change the run as one does between two calls of `step`, and `stop` it.
        """
        self.calls.add(interval, function)

    def call_due(self, snapshot: Snapshot | None = None) -> None:
        """Call the functions that are due at this step; `snapshot` is one of this instant, if somebody has it already."""
        if snapshot is not None:
            self._seen = self._instant(), snapshot
        self._calling = True
        try:
            for function in self.calls.due(self.engine.step):
                function(self)
        finally:
            self._calling = False
        self._follow()

    def stop(self) -> None:
        """End the present `step`, `run_until` or run, when the functions of this step have been called."""
        self.stopped = True

    # --- changing ----------------------------------------------------------------------------------------------------

    @property
    def law(self) -> Law:
        """The law between all materials that have none of their own; another one may be set."""
        return self.scene.law

    @law.setter
    def law(self, law: Law) -> None:
        with self._changing():
            self.scene.law = law

    def set_law(self, one: str, other: str, law: Law) -> None:
        """Another law between two materials, see `Scene.set_law`."""
        with self._changing():
            self.scene.set_law(one, other, law)

    @property
    def gravity(self) -> np.ndarray:
        """Acceleration (2 or 3,) [m/s²]; another one may be set."""
        return np.array(self.scene.gravity)

    @gravity.setter
    def gravity(self, gravity: Sequence[float]) -> None:
        with self._changing():
            self.scene.gravity = gravity

    def tag(self, who: Who, tag: Tag) -> None:
        """Impose something more on bodies, given by id, name or a list of these."""
        with self._changing():
            self.scene.tag(who, tag)

    def retag(self, who: Who, *tags: Tag) -> None:
        """Impose `tags` on bodies in place of all they have; without any they are free. Time in them is that of the run."""
        with self._changing():
            for number in self.scene.ids(who):
                self._pushes.pop(number, None)
                self.scene.bodies[number].tags = self.scene._checked(number, tags)

    def push(self, who: Who, forces: ArrayLike, torques: ArrayLike | None = None) -> None:
        """Let forces act on bodies from now on, in place of those of the last push: (d,) for all or (k, d) for each [N].

        torques   [N m]: in the plane one for all or (k,), in space (3,) or (k, 3)

        Zeros end a push. Their work is booked as that of tags; a tag `Force` that a body has besides goes on.
        """
        ids, d = self.scene.ids(who), self.scene.axes
        wrench = np.zeros((len(ids), 3 if d == 2 else 6))
        wrench[:, :d] = forces
        if torques is not None:
            given = np.asarray(torques, float)
            wrench[:, d:] = given[..., None] if d == 2 and given.ndim else given
        with self._changing():
            for number, values in zip(ids, wrench.tolist(), strict=True):
                self._push_one(number, values)

    def _push_one(self, number: int, values: list[float]) -> None:
        body, old = self.scene.bodies[number], self._pushes.pop(number, None)
        tags = [tag for tag in body.tags if tag is not old]
        if any(values):
            names = ("x", "y", "torque") if len(values) == 3 else ("x", "y", "z", "torque_x", "torque_y", "torque")
            self._pushes[number] = Force(**dict(zip(names, values, strict=True)))
            tags.append(self._pushes[number])
        body.tags = tags

    def add(self, shape: Shape | Solid, position: ArrayLike, **given: Any) -> int:
        """Add a body at this instant, as `Scene.add` does; returns its id."""
        with self._changing():
            return int(self.scene.add(shape, position, **given))

    def add_many(
        self, shapes: Shape | Solid | Sequence[Shape] | Sequence[Solid], positions: ArrayLike, **given: Any
    ) -> np.ndarray:
        """Add a body for each row of `positions` at this instant, as `Scene.add_many` does; returns their ids."""
        with self._changing():
            return np.asarray(self.scene.add_many(shapes, positions, **given))

    def add_wall(self, shape: Shape | Solid, **given: Any) -> int:
        """Add a wall at this instant, as `Scene.add_wall` does; returns its id."""
        with self._changing():
            return int(self.scene.add_wall(shape, **given))

    def remove(self, who: Who) -> None:
        """Take bodies out of the run, walls as well. They keep their ids and rows in all arrays, at their last place, at rest."""
        self._follow()
        ids = np.unique(np.array(self.scene.ids(who), np.int64))
        ids = ids[self.present[ids]]
        if ids.size:
            with booked(self.engine):
                leave(self.engine, ids)
            self._seen = None

    def place(self, who: Who, positions: ArrayLike, turns: ArrayLike | None = None) -> None:
        """Put bodies somewhere: `positions` (k, 2 or 3) [m]; `turns` are angles (k,) [rad] or quaternions (k, 4)."""
        with self._moving(who) as ids:
            self.engine.place(ids, positions, turns)

    def set_velocities(self, who: Who, velocities: ArrayLike, spins: ArrayLike) -> None:
        """Let bodies move at this instant: `velocities` (k, 2 or 3) [m/s]; `spins` (k,) [rad/s], in space (k, 3)."""
        with self._moving(who) as ids:
            set_velocities_now(self.engine, ids, np.asarray(velocities, float), np.asarray(spins, float))

    @contextmanager
    def _moving(self, who: Who) -> Iterator[np.ndarray]:
        """Set something of bodies (ids) that moves, and book it; where an overlap becomes too deep, nothing is set."""
        self._follow()
        ids, engine = np.array(self.scene.ids(who), np.int64), self.engine
        arrays, scalars = engine.checkpoint()
        with booked(engine):
            try:
                yield ids
                engine.refuse_deep_overlap()
            except BaseException:
                engine.restore(arrays, scalars)
                raise
            finally:
                self._seen = None

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Change the scene and let it take effect; where it cannot, the scene is put back."""
        self._follow()
        saved, pushes = self.scene.saved(), self._pushes.copy()
        try:
            yield
            self._follow()
        except BaseException:
            self.scene.put_back(saved)
            self._pushes = pushes
            raise

    def _follow(self) -> None:
        """Let changes of the scene take effect."""
        engine = self.engine
        if engine.scene.revision == engine.known.revision:
            return
        if not self._grows and len(engine.scene.bodies) != engine.known.bodies:
            raise SceneError(
                "bodies cannot be added to a run that is stored: its frames have one row for each body there is at the start; "
                "step it with clast.Simulation"
            )
        if not self._grows and engine.scene.bonds.size != engine.bond_count:
            raise SceneError(
                "bonds cannot be added to a run that is stored: its frames have one row for each bond there is at the start; "
                "step it with clast.Simulation"
            )
        with booked(engine):
            follow(engine)
        self._seen = None
