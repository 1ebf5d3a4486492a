"""Small scenes of every family, run by threads and on a grid (a GPU, or numba's simulator of one).

python tests/tools/grid_scenes.py STEPS [NAME …]     prints a line of JSON: how far the two are apart, scene by scene
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from clast.dynamics.engine import Engine
from clast.laws import Cohesion, Hertz, Linear, OverlapEnergy, OverlapVolume, Rolling
from clast.scene.plane import Box, Scene
from clast.scene.space import Box3D, Scene3D
from clast.scene.tags import Force, Pressure, Shear, Velocity
from clast.shapes import cow, cuboid, disk, polyline, regular, segment, sphere

DT = 2e-4
ROUGH = {"normal_damping": 20.0, "tangential_damping": 5.0}


def pentagons() -> Scene:
    """Three on a wall that moves: opening, closing, sliding, a prescribed velocity."""
    scene = Scene(law=Linear(1e4, 5e3, friction=0.5, **ROUGH), gravity=(0.0, -10.0))
    for k in range(3):
        scene.add(regular(5, 0.1, side=0.6), (0.7 * k, 0.72 + 0.02 * k), velocity=(1.0 - k, -1.0), spin=2.0 - k, angle=0.3 * k)
    scene.add_wall(segment((-5.0, 0.0), (5.0, 0.0), 0.1), tags=[Velocity(x=0.3, y=0.0, spin=0.0)])
    return scene


def elastic() -> Scene:
    """A law that remembers nothing, in a periodic box; no grain is convex."""
    scene = Scene(law=Linear(1e4), box=Box(7.0, 7.0))
    for k in range(4):
        scene.add(cow(), (3.4 * (k % 2), 3.4 * (k // 2)), velocity=(1.0 - k, 0.5 * k), spin=1.0 - k)
    return scene


def sticky_disks() -> Scene:
    """Round bodies with rolling and cohesion, beside a square, under a lid that is pushed down."""
    law = Linear(1e4, 5e3, friction=0.5, rolling=Rolling(1e3, 1e-3), cohesion=Cohesion(5.0, 0.02), **ROUGH)
    scene = Scene(law=law, gravity=(0.0, -10.0))
    for k in range(3):
        scene.add(disk(0.4), (0.79 * k, 0.39), velocity=(0.2 * k, -0.5), spin=3.0 * k)
    scene.add(regular(4, 0.1, side=0.6), (0.8, 1.1), velocity=(0.0, -0.5))
    scene.add_wall(segment((-5.0, -0.1), (5.0, -0.1), 0.1))
    lid = segment((-5.0, 1.6), (5.0, 1.6), 0.1)
    scene.add(lid, (0.0, 1.6), density=1.0, big=True, tags=(Velocity(x=0.0, spin=0.0), Force(y=-20.0)))
    return scene


def angles() -> Scene:
    """Pentagons and disks on the corners of a wall: springs measure sliding between vertices as an angle."""
    scene = Scene(law=Linear(1e4, 5e3, friction=0.5, sliding_by="angle", **ROUGH), gravity=(0.0, -10.0))
    scene.add_wall(polyline([(-5.0, -0.3), (0.0, 0.0), (0.7, -0.1), (5.0, 0.2)], 0.1))
    scene.add(disk(0.4), (0.0, 0.503), velocity=(0.2, -1.0), spin=3.0)
    scene.add(disk(0.3), (0.7, 0.31), velocity=(-0.5, -1.0), spin=-3.0)
    scene.add(regular(5, 0.1, side=0.6), (0.36, 1.38), velocity=(0.0, -2.0), spin=1.0, angle=0.3)
    return scene


def across_a_seam() -> Scene:
    """A triangle and a disk, pressed on endless floors, slide over their seams, and springs go with them."""
    scene = Scene(law=Linear(1e4, 5e3, friction=0.5, **ROUGH), gravity=(0.0, -100.0), box=Box(period_x=4.0))
    scene.add(regular(3, 0.1, side=0.6), (0.304, 0.372), velocity=(-1.0, 0.0), angle=0.5 * np.pi)
    scene.add(disk(0.3), (-0.004, 3.398), velocity=(1.0, 0.0), spin=0.5)
    for height in (0.0, 3.0):
        scene.add_wall(polyline([(0.0, height), (2.0, height), (4.0, height)], 0.1))
    return scene


def angled_spheres() -> Scene3D:
    """The same of spheres and a cube."""
    law = Linear(1e4, 5e3, friction=0.5, sliding_by="angle", **ROUGH)
    scene = Scene3D(law=law)
    for k in range(2):
        scene.add(sphere(0.5 - 0.1 * k), (0.9 * k, 0.1 * k, 0.0), velocity=(1.0 - k, 0.0, 0.2), spin=(0.0, k, 1.0))
    turn, spin = (1.0, 0.5, 0.45, 0.0), (0.3, 1.0, -2.0)
    scene.add(cuboid((0.6,) * 3, 0.1), (0.0, 0.1, 1.05), orientation=turn, velocity=(0.0, 0.3, -3.0), spin=spin)
    return scene


def gear() -> Scene:
    """For Gear's method."""
    return pentagons()


def pressed_cell() -> Scene:
    """Squares and a disk in a periodic cell that a pressure closes: pairs across its sides pull at it."""
    box = Box(2.02, 2.02, tags=(Pressure(300.0, "-x"), Velocity(y=-0.3)))
    scene = Scene(law=Linear(1e4, 5e3, friction=0.5, **ROUGH), box=box)
    for k in range(4):
        shape = disk(0.5) if k == 3 else regular(4, 0.1, side=0.8)
        scene.add(shape, (1.01 * (k % 2), 1.01 * (k // 2)), velocity=(1.0 - k, 0.5 * k), spin=1.0 - k, angle=0.785 + 0.005 * k)
    return scene


def sheared_cell() -> Scene:
    """The same in a cell that leans and is sheared by a stress, while a pressure closes it."""
    box = Box(2.02, 2.0, offset=0.3, tags=(Shear(stress=200.0), Pressure(300.0, "-y")))
    scene = Scene(law=Linear(1e4, 5e3, friction=0.5, **ROUGH), box=box)
    for k in range(4):
        shape = disk(radius=0.5) if k > 1 else regular(4, 0.1, side=0.8)
        scene.add(shape, (1.01 * (k % 2), 1.01 * (k // 2)), velocity=(1.0 - k, 0.5 * k), spin=1.0 - k, angle=0.785 + 0.005 * k)
    return scene


def cubes_and_sphere() -> Scene3D:
    """The same with a sphere: three kinds of pairs."""
    scene = cubes()
    scene.add(sphere(0.5), (0.5, 0.99, 0.99), velocity=(0.0, -0.3, -0.2), spin=(1.0, 0.0, 2.0))
    return scene


def cubes() -> Scene3D:
    """Rounded cubes on a plate."""
    scene = Scene3D(law=Linear(1e4, 5e3, friction=0.5, **ROUGH), gravity=(0.0, 0.0, -150.0))
    for k in range(2):
        scene.add(cuboid((0.8,) * 3, 0.1), (0.98 * k, 0.1, 0.99 + 0.005 * k), velocity=(0.6 - k, 0.2, -0.1), spin=(0.3, 1.0, -k))
    scene.add_wall(cuboid((6.0, 6.0, 0.8), 0.1))
    return scene


def full_layer() -> Scene3D:
    """Rounded cubes face on face, a layer that fills a periodic box: springs are left where features face no more."""
    scene = Scene3D(law=Linear(1e4, 5e3, friction=0.5, **ROUGH), box=Box3D(2.0, 2.0, 3.0))
    for k in range(4):
        scene.add(cuboid((0.8,) * 3, 0.1), (k % 2, k // 2, 0.0), velocity=(1.0 - k % 3, 0.5 * (k % 2), 0.3), spin=(0.3, 1.0, -k))
    return scene


def hertz_spheres() -> Scene3D:
    """Spheres alone, in a law with powers."""
    scene = Scene3D(law=Hertz(1e5, 5e4, friction=0.3), gravity=(0.0, 0.0, -10.0))
    for k in range(4):
        scene.add(sphere(0.5), (0.98 * k, 0.1 * k, 0.0), velocity=(1.0 - k, 0.0, 0.2), spin=(0.0, k, 1.0))
    return scene


def pressed_cubes() -> Scene3D:
    """Rounded cubes and a sphere in a periodic cell that pressures close: pairs across its sides pull at it."""
    return in_cell(Pressure(300.0, "-x"), Pressure(300.0, "-y"), Velocity(z=-0.3))


def sheared_cubes() -> Scene3D:
    """The same in a cell that leans and is sheared by a stress, while a pressure closes it."""
    return in_cell(Shear(stress=200.0), Pressure(300.0, "-y"), Velocity(z=-0.3), offset=0.3)


def sheared_sharp_cubes() -> Scene3D:
    """Sharp cubes with a push that has no potential in such a cell."""
    return in_cell(Shear(rate=2.0), Pressure(300.0, "-y"), offset=0.3, law=OverlapVolume(1e5, friction=0.5), rounded=False)


def in_cell(*tags: Any, offset: float = 0.0, law: Any = None, rounded: bool = True) -> Scene3D:
    """Eight cubes, or seven and a sphere, that fill a periodic cell."""
    law = law or Linear(1e4, 5e3, friction=0.5, **ROUGH)
    scene = Scene3D(law=law, box=Box3D(2.0, 1.98, 1.99, tags=tags, offset=offset))
    cube = cuboid((0.8,) * 3, 0.1) if rounded else cuboid((1.0,) * 3, 0.0)
    for k in range(8):
        shape = sphere(0.5) if rounded and k == 3 else cube
        place, tilt = (1.005 * (k % 2), 0.985 * (k // 2 % 2), 0.99 * (k // 4)), (1.0, 0.001, 0.002 * (k % 3), 0.001)
        scene.add(shape, place, orientation=tilt, velocity=(1.0 - k % 3, 0.5 * (k % 2), 0.3), spin=(0.3, 1.0, -k % 4))
    return scene


def sharp_cubes() -> Scene3D:
    """Sharp cubes, by the volume of their overlap, on a plate."""
    return sharp(OverlapVolume(1e5, friction=0.5))


def conserving_cubes() -> Scene3D:
    """The same with pushes that have a potential."""
    return sharp(OverlapEnergy(1e5))


def holding_cubes() -> Scene3D:
    """And with springs and dashpots against turning."""
    from clast.laws import Turning  # here, for versions without it run the other scenes of this file (`benchmarks/net.py`)

    return sharp(OverlapEnergy(1e5, friction=0.5, damping=0.1, tangential_damping=0.1, turning=Turning()))


def sharp(law: Any) -> Scene3D:
    """Two sharp cubes on a plate."""
    scene = Scene3D(law=law, gravity=(0.0, 0.0, -150.0))
    for k in range(2):
        scene.add(cuboid((1.0,) * 3, 0.0), (0.98 * k, 0.1, 0.99 + 0.005 * k), velocity=(0.6 - k, 0.2, -0.1), spin=(0.3, 1.0, -k))
    scene.add_wall(cuboid((6.0, 6.0, 1.0), 0.0))
    return scene


SCENES: dict[str, Callable[[], Any]] = {
    each.__name__: each
    for each in (
        pentagons, elastic, sticky_disks, angles, angled_spheres, across_a_seam, gear, pressed_cell, sheared_cell, cubes,
        cubes_and_sphere, full_layer, hertz_spheres, pressed_cubes, sheared_cubes, sheared_sharp_cubes, sharp_cubes,
        conserving_cubes, holding_cubes,
    )
}  # fmt: skip


def after(name: str, steps: int, device: str, cuts: int = 1) -> dict[str, np.ndarray]:
    """What a scene has come to, in `cuts` calls: places, motion, totals of the book, forces of contacts."""
    engine = Engine(SCENES[name](), dt=DT, alpha=0.01, integrator="gear4" if name == "gear" else "verlet", device=device)
    for k in range(cuts):
        engine.advance((k + 1) * steps // cuts)
    seen = engine.snapshot()
    totals = {name: float(value) for name, value in seen.totals.items()}
    arrays, _ = engine.checkpoint()
    return {
        "positions": seen.positions, "velocities": seen.velocities, "spins": seen.spins, "book": np.array(list(totals.values())),
        "forces": seen.contacts.forces, "springs": arrays["spring"], "rebuilds": np.array([float(engine.rebuilds)]),
        "names": np.array(list(totals)),
    }  # fmt: skip


def apart(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> dict[str, float]:
    """Largest difference of each quantity, over its largest value; inf where sizes differ."""
    found = {}
    for name, here in one.items():
        if name == "names":
            continue
        there = other[name]
        scale = max(float(np.abs(here).max(initial=0.0)), 1e-300)
        found[name] = float(np.abs(here - there).max(initial=0.0)) / scale if here.shape == there.shape else float("inf")
    return found


def figures(found: dict[str, np.ndarray]) -> dict[str, list[float]]:
    """Of each quantity the sum and the sum of squares: what a run has come to, in few numbers."""
    return {name: [float(each.sum()), float((each * each).sum())] for name, each in found.items() if name != "names"}


def main() -> None:
    steps, names = int(sys.argv[1]), sys.argv[2:] or list(SCENES)
    result = {}
    for name in names:
        by_threads, on_grid, in_pieces = after(name, steps, "cpu"), after(name, steps, "cuda"), after(name, steps, "cuda", 3)
        moved = np.abs(on_grid["positions"] - after(name, 0, "cpu")["positions"]).max()
        result[name] = {
            "apart": apart(by_threads, on_grid), "pieces": apart(on_grid, in_pieces), "rebuilds": float(on_grid["rebuilds"][0]),
            "book": dict(zip(on_grid["names"].tolist(), on_grid["book"].tolist(), strict=True)),
            "moved": float(moved), "springs": len(on_grid["springs"]), "contacts": len(on_grid["forces"]),
            "figures": figures(by_threads),
        }  # fmt: skip
    print(json.dumps(result))


if __name__ == "__main__":
    main()
