"""Protocols that bring a sample to rest under its loads, with the real drag and pressures of its scene (model §6).

A protocol is a scene and a `Stop`: the scene holds what acts on the grains (gravity, drag, walls under a rising pressure,
friction on or off), the stop decides when they lie still enough. What comes of it is kept in the cache folder:

    settled = prepare(scene, Stop(longest=60.0), dt=1e-3)
    print(settled.report)
    run(start_from(another_scene, settled), …)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from clast.backend import bind
from clast.dynamics.engine import Engine, Snapshot, kernels_of
from clast.errors import InputError, PhysicsError
from clast.measures.snapshots.accounts import accounts
from clast.measures.snapshots.contacts import body_forces, virial
from clast.output.progress import Progress, quiet
from clast.protocols.prepared import StateAtRest, Turned, keep, lay, state_path, take, turns_of
from clast.protocols.settle import unbalanced_force
from clast.protocols.walls import OPPOSITE, Extent, extent_of
from clast.scene.plane import Scene
from clast.scene.space import Scene3D

COARSE = 5.0  # safe steps: more may keep a sample moving
LOOKS = 500  # steps between two looks at a sample
SOURCES = tuple(Path(__file__).with_name(name) for name in ("press.py", "settle.py", "walls.py"))  # decide what comes of it


@dataclass(frozen=True)
class Stop:
    """When a sample counts as prepared: it is still, its forces balance, and its loads have risen.

    kinetic      kinetic / elastic energy, below which it is still
    unbalanced   mean |ΣF| of the grains / mean contact force, and of loaded walls net force / load, below which it balances
    earliest     time before which it does not count: the end of a ramp
    longest      time at which one gives up

    A sample that swings passes through rest where its forces are largest, so both together are not met by chance.
    """

    longest: float
    kinetic: float = 1e-6
    unbalanced: float = 1e-3
    earliest: float = 0.0

    def __post_init__(self) -> None:
        for name in ("kinetic", "unbalanced", "longest"):
            if not getattr(self, name) > 0.0:
                raise InputError(f"stop: {name} = {getattr(self, name)} must be positive")
        if not 0.0 <= self.earliest < self.longest:
            raise InputError(f"stop: earliest = {self.earliest} must lie between 0 and longest = {self.longest}")


@dataclass(frozen=True)
class PressReport:
    """What a protocol led to. Stresses by wall [force/length], compression positive; without four walls there are none. Of a
    periodic cell those of its contacts, in space [force/area]."""

    reached: bool  # whether the sample came to rest in time
    steps: int
    time: float  # since the start of the protocol
    seconds: float  # of computing
    kinetic: float  # kinetic / elastic energy
    unbalanced: float  # see Stop
    coordination: float  # bodies that touch a grain, mean over grains
    overlap: float  # largest, over the sphero-radius
    width: float = math.nan  # of the sample: between its walls, or its periods
    height: float = math.nan
    depth: float = 0.0  # along y, in space; 0 in the plane
    fraction: float = math.nan  # area of grains / area of the sample, in space volumes
    stresses: dict[str, float] = field(default_factory=dict)  # contact force on the wall / its length between the others
    targets: dict[str, float] = field(default_factory=dict)  # what presses it, where anything does

    def __str__(self) -> str:
        state = "at rest" if self.reached else "NOT at rest"
        lines = [
            f"{state} after t = {self.time:.6g} ({self.steps} steps, {self.seconds:.3g} s)",
            f"  kinetic / elastic energy {self.kinetic:.2g}, unbalanced force {self.unbalanced:.2g}",
            f"  {self.coordination:.3f} neighbours per grain, largest overlap {self.overlap:.2%} of the sphero-radius",
        ]
        if not math.isnan(self.fraction):
            lines.append(f"  packing fraction {self.fraction:.4f} in {' × '.join(f'{each:.6g}' for each in self.size)}")
        for name, stress in self.stresses.items():
            wanted = self.targets.get(name)
            aim = f" of {wanted:.6g} ({stress / wanted - 1.0:+.2%})" if wanted else ""
            lines.append(f"  stress on {name:<7} {stress:.6g}{aim}")
        return "\n".join(lines)

    @property
    def size(self) -> tuple[float, ...]:
        """Lengths of the sample along x, y and in space z."""
        return (self.width, self.height) if self.depth == 0.0 else (self.width, self.depth, self.height)

    def worst_stress(self) -> float:
        """Largest |stress / target − 1| of the loaded walls; 0 without any."""
        return max((abs(self.stresses[name] / wanted - 1.0) for name, wanted in self.targets.items() if wanted), default=0.0)

    def numbers(self) -> dict[str, float]:
        """All of it as plain numbers, to be cached."""
        plain = {name: float(value) for name, value in vars(self).items() if not isinstance(value, dict)}
        plain |= {f"stress {name}": value for name, value in self.stresses.items()}
        return plain | {f"target {name}": value for name, value in self.targets.items()}

    @classmethod
    def from_numbers(cls, numbers: dict[str, float]) -> PressReport:
        """The report that `numbers` wrote."""
        plain = {name: value for name, value in numbers.items() if " " not in name}
        split = {
            kind: {name[7:]: value for name, value in numbers.items() if name.startswith(kind)} for kind in ("stress ", "target ")
        }
        return cls(
            **{**plain, "reached": bool(plain["reached"]), "steps": int(plain["steps"])},  # type: ignore[arg-type]
            stresses=split["stress "],
            targets=split["target "],
        )


Started = TypeVar("Started", Scene, Scene3D)


@dataclass(frozen=True)
class Prepared(Turned):
    """A sample at rest, by the ids of its scene, with its contacts loaded as they were."""

    positions: np.ndarray  # (n, 2), in space (n, 3)
    turns: np.ndarray  # (n,) radians, in space (n, 4) quaternions w x y z
    springs: Any  # what contacts remember
    report: PressReport

    def extent(self, scene: Scene) -> Extent:
        """The rectangle between the four walls of a scene it was prepared in."""
        found = extent_of(scene, self.positions)
        assert found is not None
        return found


def prepare(scene: Scene | Scene3D, stop: Stop, *, dt: float | None = None, progress: Progress | None = None) -> Prepared:
    """Step `scene` until it is at rest, or take that from the cache; PhysicsError with the report if it does not come to rest."""
    progress = progress or quiet()
    path = state_path("prepared", scene, f"{dt!r} {stop!r}", *SOURCES)
    cached = take(path, scene)
    if cached is not None:
        progress.detail(f"prepared before: taken from {path}")
        return Prepared(cached.positions, cached.turns, cached.springs, PressReport.from_numbers(dict(cached.numbers)))
    if not bind.is_compiled(kernels_of(scene)):
        progress.say("compiling once, about 30 s")
    engine = Engine(scene, dt=dt)
    with progress:
        report = come_to_rest(engine, stop, progress)
    if not report.reached:
        raise PhysicsError(
            f"preparation: kinetic / elastic energy {report.kinetic:.2g} (limit: {stop.kinetic:g}) and unbalanced force "
            f"{report.unbalanced:.2g} (limit: {stop.unbalanced:g}) after t = {report.time:.4g}; raise the drag, the damping or "
            f"the time allowed, or raise the limits{coarse(engine)}"
        )
    found = Prepared(engine.positions, turns_of(engine), engine.springs(), report)
    keep(path, StateAtRest(found.positions, found.turns, found.springs, report.numbers()))
    return found


def coarse(engine: Engine) -> str:
    """A word on the time step where that may be why a sample does not come to rest."""
    times = engine.dt / engine.safe_step
    return f"; dt = {engine.dt:g} is {times:.2g} times the safe step, so try a smaller one" if times > COARSE else ""


def come_to_rest(engine: Engine, stop: Stop, progress: Progress | None = None) -> PressReport:
    """Step until the stop's conditions hold together, or its time is over; then return the state reached."""
    progress = progress or quiet()
    begin, last = engine.step, engine.step + round(stop.longest / engine.dt)
    while True:
        engine.advance(min(engine.step + LOOKS, last))
        progress.update(engine.step - begin, last - begin, engine.cundall)
        still, balance = stillness(engine)
        done = still < stop.kinetic and balance < stop.unbalanced and (engine.step - begin) * engine.dt >= stop.earliest
        if done or engine.step >= last:
            return report_on(engine, done, begin)


def stillness(engine: Engine) -> tuple[float, float]:
    """Kinetic / elastic energy, and the unbalanced force; both infinite where nothing touches."""
    snapshot = engine.snapshot()
    book = accounts(engine, snapshot)
    elastic = book["normal_elastic"] + book["tangential_elastic"] + book["rolling_elastic"]
    if elastic <= 0.0:
        return math.inf, math.inf
    return (book["translational"] + book["rotational"]) / elastic, unbalanced_force(engine)[0]


def report_on(engine: Engine, reached: bool, begin: int = 0) -> PressReport:
    """How a sample stands now."""
    snapshot = engine.snapshot()
    kinetic, balance = stillness(engine)
    size, fraction, stresses, targets = size_of(engine, snapshot), math.nan, {}, {}
    if size is not None:
        area = (lambda shape: shape.area) if engine.dimension == 2 else (lambda solid: solid.volume)
        grains = engine.scene.bodies.of_shapes(area)[~engine.scene.bodies.column("big")]
        fraction = sum(grains.tolist()) / float(np.prod(size))
        stresses, targets = wall_stresses(engine, snapshot, size), wall_targets(engine.scene, snapshot, size)
    return PressReport(
        reached=reached,
        steps=engine.step - begin,
        time=(engine.step - begin) * engine.dt,
        seconds=engine.seconds,
        kinetic=kinetic,
        unbalanced=balance,
        coordination=coordination(engine, snapshot),
        overlap=float((2.0 * snapshot.contacts.depths / snapshot.contacts.reaches).max(initial=0.0)),
        width=size[0] if size else math.nan,
        height=size[-1] if size else math.nan,
        depth=size[1] if size and len(size) == 3 else 0.0,
        fraction=fraction,
        stresses=stresses,
        targets={name: load for name, load in targets.items() if load > 0.0},
    )


def coordination(engine: Engine, snapshot: Snapshot) -> float:
    """Bodies that touch a grain, walls too, mean over grains."""
    contacts = snapshot.contacts
    touching = np.unique(np.sort(contacts.bodies[contacts.depths > 0.0], axis=1), axis=0)
    return float((~engine.big[touching]).sum() / max(engine.grains, 1))


def size_of(engine: Engine, snapshot: Snapshot) -> tuple[float, ...] | None:
    """Lengths of a sample: the periods of a cell that moves, else those between its four walls; None where it has neither."""
    if snapshot.cell is not None:
        lengths = tuple(snapshot.cell.lengths.tolist())
        return lengths if all(lengths) else None
    extent = extent_of(engine.scene, snapshot.positions) if engine.dimension == 2 else None
    return (extent.width, extent.height) if extent else None


def across(size: tuple[float, ...], axis: int) -> float:
    """The length, or area, of a sample across an axis."""
    return math.prod(length for k, length in enumerate(size) if k != axis)


def wall_stresses(engine: Engine, snapshot: Snapshot, size: tuple[float, ...]) -> dict[str, float]:
    """Contact force on each of the four walls over its length between the others; outwards is positive.

    Of a periodic cell the normal stresses of its contacts, by the names "cell x", "cell y" and in space "cell z".
    """
    if snapshot.cell is not None:
        stress = virial(engine, snapshot).diagonal() / math.prod(size)
        return {f"cell {axis}": float(each) for axis, each in zip("xyz", stress, strict=False)}
    net = body_forces(snapshot)
    found = {}
    for name, (axis, outward, _) in OPPOSITE.items():
        force = outward * net[engine.scene.ids(name)[0], axis]
        found[name] = float(force / across(size, axis))
    return found


def wall_targets(scene: Scene | Scene3D, snapshot: Snapshot, size: tuple[float, ...]) -> dict[str, float]:
    """What presses each of the four walls inwards at the instant of a snapshot, over its length; of a cell, its periods."""
    if snapshot.cell is not None:
        return {f"cell {'xyz'[k]}": float(-push / across(size, k)) for k, push in enumerate(snapshot.cell.loads)}
    loads, found = np.where(snapshot.held, 0.0, snapshot.loads), {}
    for name, (axis, outward, _) in OPPOSITE.items():
        force = -outward * loads[scene.ids(name)[0], axis]
        found[name] = float(force / across(size, axis))
    return found


def start_from(scene: Started, prepared: Prepared) -> Started:
    """Put the bodies of `scene` where those of a prepared sample lie, at rest, their contacts loaded as they were.

    The scene has the same bodies with the same ids; its laws, loads and drag may be others.
    """
    if prepared.positions.shape != (len(scene), scene.axes):
        count, axes = prepared.positions.shape
        raise InputError(
            f"the sample was prepared with {count} bodies in {axes} dimensions, the scene has {len(scene)} in {scene.axes}: give "
            "the same"
        )
    scene.springs = prepared.springs
    lay(scene, np.arange(len(scene)), prepared.positions, prepared.turns)
    return scene
