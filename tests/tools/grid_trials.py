"""What may happen to a run beside its steps, by threads and on a grid: errors, removal, another order in memory, a user's hand.

python tests/tools/grid_trials.py     prints a line of JSON: what came of each trial on either device
"""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grid_scenes
import numpy as np

from clast.dynamics.bodies import flow, locality, passing, removal
from clast.dynamics.engine import Engine
from clast.errors import ClastError
from clast.laws import Linear, OverlapVolume
from clast.protocols import pour as pouring
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.scene.tags import Velocity
from clast.shapes import cuboid, disk, regular, segment


def soft() -> Scene:
    """Two squares that run into each other, too soft for that."""
    scene = Scene(law=Linear(10.0))
    for k in range(2):
        scene.add(regular(4, 0.05, side=0.5), (1.0 * k, 0.0), velocity=(3.0 - 6.0 * k, 0.0))
    return scene


def falling() -> Scene:
    """Disks of which two miss a short floor, and leave the run."""
    scene = Scene(law=Linear(1e4, 5e3, friction=0.5), gravity=(0.0, -10.0), remove_below=-0.5)
    for k in range(4):
        scene.add(disk(0.3), (0.7 * k, -0.1 * k - 0.2), velocity=(0.1 * k, -4.0 * k))
    scene.add_wall(segment((-1.0, -0.7), (0.9, -0.7), 0.1))
    return scene


def numbers(engine: Engine) -> list[float]:
    """What a run has come to: places, totals of the book, springs, bodies gone."""
    seen = engine.snapshot()
    return [*seen.positions.ravel().tolist(), *seen.totals.values(), *engine.springs().memory.ravel().tolist(), engine.gone]


def too_deep(device: str) -> list[Any]:
    """The error of bodies that overlap too deeply."""
    return [message(lambda: Engine(soft(), dt=1e-3, alpha=0.05, device=device).advance(400))]


def too_fast(device: str) -> list[Any]:
    """The error of a body that steps over a wall, and none in open space."""
    found = []
    for height in (1.03, -1.0):
        scene = Scene(law=Linear(1e3))
        scene.add(disk(0.1), (0.0, height), velocity=(0.0, -200.0))
        scene.add_wall(segment((-1.0, 0.0), (1.0, 0.0), 0.01))
        engine = Engine(scene, dt=1e-3, alpha=0.05, device=device)
        found.append(message(lambda engine=engine: engine.advance(20)))
    return [*found, engine.step]


def only_tags(device: str) -> list[Any]:
    """The error of a grain that only its tags move, and that goes through a wall."""
    scene = Scene(law=Linear(1e3))
    scene.add(disk(0.1), (0.0, 0.2), tags=[Velocity(x=0.0, y=-5.0, spin=0.0)])
    scene.add(disk(0.1), (2.0, 0.2))
    scene.add_wall(segment((-1.0, 0.0), (1.0, 0.0), 0.1))
    return [message(lambda: Engine(scene, dt=1e-3, alpha=0.05, device=device).advance(200))]


def no_number(device: str) -> list[Any]:
    """The error of a body whose velocity is no number."""
    engine = Engine(grid_scenes.pentagons(), dt=grid_scenes.DT, alpha=0.01, device=device)
    engine.advance(5)
    engine.set_velocities(np.array([1]), np.array([[np.nan, 0.0]]), np.array([0.0]))
    return [message(lambda: engine.advance(20))]


def removed(device: str) -> list[Any]:
    """Fallen grains leave the run."""
    engine = Engine(falling(), dt=1e-3, alpha=0.05, device=device)
    engine.advance(200)
    return numbers(engine)


def reordered(device: str) -> list[Any]:
    """Rows change places at every rebuild."""
    kept = locality.MANY, locality.LOOKS, locality.LOST, locality.GROWN
    locality.MANY, locality.LOOKS, locality.LOST, locality.GROWN = 1, 1, -1.0, 0.0
    engine = Engine(grid_scenes.pentagons(), dt=grid_scenes.DT, alpha=0.01, device=device)
    engine.advance(60)
    locality.MANY, locality.LOOKS, locality.LOST, locality.GROWN = kept
    return numbers(engine)


def changed(device: str) -> list[Any]:
    """A user slows grains and gives one another velocity."""
    engine = Engine(grid_scenes.pentagons(), dt=grid_scenes.DT, alpha=0.01, device=device)
    engine.advance(30)
    engine.slow(0.5)
    engine.set_velocities(np.array([0]), np.array([[0.3, 0.1]]), np.array([1.0]))
    engine.advance(60)
    return numbers(engine)


def poured(device: str) -> list[Any]:
    """Sharp cubes come one after the other onto a floor, as those of a heap do."""
    scene = Scene3D(law=OverlapVolume(1e5, friction=0.5), gravity=(0.0, 0.0, -150.0))
    for k in range(2):
        scene.add(cuboid((0.5, 0.5, 0.5), 0.0), (5.0 + k, 0.0, 5.0))
    scene.add_wall(cuboid((4.0, 4.0, 0.2), 0.0).moved((0.0, 0.0, -0.1)))
    stream = pouring.Stream(
        batches=[np.array([0]), np.array([1])], interval=0.04, patch=0.3, gap=0.01, after=0.08, looks=0.01, still=10.0,
        slowest=1e9, longest=0.1, seed=1,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        pouring.cache_folder = lambda: Path(folder)  # a pour goes on where one of the same scene was kept
        found = pouring.pour(scene, stream, dt=1e-3, integrator="verlet", device=device)
    assert found.engine.device == device
    return [*numbers(found.engine), found.series["contacts"].max()]


def flowing(device: str) -> list[Any]:
    """Grains come in from a source and go out, one of them while another lies on it."""
    scene = Scene(law=Linear(1e4, 5e3, friction=0.5), gravity=(0.0, -10.0))
    scene.add_wall(segment((-1.0, -0.7), (0.9, -0.7), 0.1))
    scene.add(disk(0.3), (0.0, -0.301))
    scene.add(disk(0.3), (0.1, 0.28))
    scene.source(regular(4, 0.05, side=0.2), (-1.0, 0.0), (1.0, 1.5), count=6, rate=60.0, velocity=(0.5, -3.0))
    scene.sink(lower=(0.2, -2.0), upper=(9.0, -0.2))
    scene.sink(lower=(-0.2, -0.5), upper=(0.2, 0.0))
    engine = Engine(scene, dt=1e-3, alpha=0.05, device=device)
    engine.advance(200)
    return [*numbers(engine), *engine.flow.came.ravel().tolist(), *engine.flow.went.ravel().tolist()]


TRIALS = (too_deep, too_fast, only_tags, no_number, removed, reordered, changed, poured, flowing)


def message(work: Callable[[], object]) -> str:
    """The error of a call, with its kind; "" for none."""
    try:
        work()
    except ClastError as error:
        return f"{type(error).__name__}: {error}"
    return ""


def main() -> None:
    removal.INTERVAL = 32
    for module in (flow, passing):
        module.INTERVAL = 32
    print(json.dumps({each.__name__: {device: each(device) for device in ("cpu", "cuda")} for each in TRIALS}))


if __name__ == "__main__":
    main()
