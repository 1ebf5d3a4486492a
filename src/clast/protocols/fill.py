"""Filling a container: grains fall under gravity until they lie still. What came of it is kept in the cache folder.

What the fall takes out of the motion is not booked: a run starts after it, at rest, in a scene of its own (without the
gate, with another damping).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from clast.backend import bind
from clast.dynamics.engine import Engine, kernels_of
from clast.errors import PhysicsError, SceneError
from clast.output.progress import Progress, quiet
from clast.protocols.prepared import StateAtRest, Turned, keep, lay, state_path, take, turns_of
from clast.scene.plane import Scene
from clast.scene.space import Scene3D

MOST_FALLS = 20.0  # times the fall through the height of the grains: after that they are not going to rest
EXPECTED_FALLS = 1.5  # what it usually takes, for the progress bar


Filled = TypeVar("Filled", Scene, Scene3D)


@dataclass(frozen=True)
class Bed(Turned):
    """Grains at rest, by the ids of the scene they fell in; big bodies are where they were."""

    positions: np.ndarray  # (n, 2), in space (n, 3)
    turns: np.ndarray  # (n,) radians, in space (n, 4) quaternions w x y z
    springs: Any  # what the contacts remember
    time: float  # how long it took
    energy: float  # mean kinetic energy of a grain at the end


def fill(scene: Scene | Scene3D, *, dt: float, rest: float, progress: Progress | None = None) -> Bed:
    """Let the grains of `scene` fall until their mean kinetic energy is below `rest` [energy]; or take that from the cache.

    PhysicsError when they do not come to rest: nothing catches them, or nothing takes the energy out of their motion.
    """
    progress = progress or quiet()
    path = bed_path(scene, dt, rest)
    bed = read_bed(path, scene)
    if bed is not None:
        progress.detail(f"the grains were filled in before: taken from {path}")
        return bed
    if not bind.is_compiled(kernels_of(scene)):
        progress.say("compiling once, about 30 s")
    engine = Engine(scene, dt=dt)
    progress.say(f"filling: {engine.free} grains fall until they lie still; kept for the next time")
    with progress:
        fall_to_rest(engine, rest, progress)
    bed = Bed(engine.positions, turns_of(engine), engine.springs(), engine.time, kinetic_energy(engine))
    keep(path, StateAtRest(bed.positions, bed.turns, bed.springs, {"time": bed.time, "energy": bed.energy}))
    return bed


def fall_to_rest(engine: Engine, rest: float, progress: Progress) -> None:
    """Step until the mean kinetic energy of the free bodies is below `rest`.

    It must be so twice, a stretch apart in which a falling grain gains ten times `rest`: so grains that hang in the air at
    the beginning, or at the top of a bounce, are not taken for grains at rest.
    """
    gravity = float(np.hypot.reduce(engine.gravity))
    if gravity == 0.0:
        raise SceneError("a container is filled by gravity, and this scene has none: give Scene(gravity=…)")
    free = engine.free_ids
    mass = float(np.mean(1.0 / engine.inverse_masses[free]))
    stretch = max(1, round(float(np.sqrt(20.0 * rest / mass)) / gravity / engine.dt))
    along = engine.positions[free] @ engine.gravity / gravity
    fall = float(np.sqrt(2.0 * (np.ptp(along) + 2.0 * engine.reaches[free].max()) / gravity))
    expected, most = round(EXPECTED_FALLS * fall / engine.dt), MOST_FALLS * fall
    slow = True
    while True:
        engine.advance(engine.step + stretch)
        progress.update(min(engine.step, expected), expected, engine.cundall)
        energy, was_slow = kinetic_energy(engine), slow
        slow = energy < rest
        if slow and was_slow:
            return
        if engine.time > most:
            raise PhysicsError(
                f"filling: after {engine.time:.4g} the mean kinetic energy of a grain is still {energy:.3g}, not below "
                f"{rest:.3g}; close the container below the grains, or damp their contacts more"
            )


def kinetic_energy(engine: Engine) -> float:
    """Mean kinetic energy of a free body, with the velocities half a step before."""
    translational, rotational = engine.kinetic_energies
    return float(np.mean((translational + rotational)[engine.free_ids]))


def lay_in(scene: Filled, bed: Bed) -> Filled:
    """Put the grains of `scene` where those of a bed lie, at rest, their contacts loaded as they were.

    The scene may lack big bodies that were added last when the bed was made (the gate); the grains have the same ids.
    """
    scene.springs = bed.springs
    lay(scene, np.flatnonzero(~scene.bodies.column("big")), bed.positions, bed.turns)
    return scene


# --- the cache -------------------------------------------------------------------------------------------------------


def bed_path(scene: Scene | Scene3D, dt: float, rest: float) -> Path:
    """Where a bed is kept, named by all it depends on: scene, time step, bar, and the text of what is run."""
    return state_path("fill", scene, f"{dt!r} {rest!r}", Path(__file__))


def read_bed(path: Path, scene: Scene | Scene3D) -> Bed | None:
    """A bed kept before; None if there is none, or its file is damaged and the container has to be filled again."""
    cached = take(path, scene)
    if cached is None or not {"time", "energy"} <= cached.numbers.keys():
        return None
    return Bed(cached.positions, cached.turns, cached.springs, cached.numbers["time"], cached.numbers["energy"])
