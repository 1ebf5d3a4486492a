"""Speed on an NVIDIA GPU: grain-steps per second against the number of grains, where a step and a rebuild go, memory.

    python benchmarks/gpu.py [--case hexagons …] [--grains 10000,100000,1000000] [--seconds 1] [--split] [--json FILE]

Dense states are small packings repeated; states and bars are described in benchmarks/gpu.md. A window includes the rebuilds that
fall into it. Shaken grains have random velocities and lose nothing but by friction, so that contacts open and close all the time.
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import peers
from tiles import hexagon_tile, kept, plane_tile

from clast.algebra.quaternions import random_turns
from clast.backend.cuda import memory_in_use
from clast.bench.cases import gas, hexagon, voronoi_shapes
from clast.dynamics.engine import Engine
from clast.laws import Law, Linear, OverlapVolume
from clast.protocols.periodic import Tile, damped
from clast.scene.space import Box3D, Scene3D
from clast.shapes import Solid, cow, cuboid, sphere_clump
from clast.shapes.space.library import library_solid

SHAKE, SHAKEN_STEPS = 0.01, 320  # speed of shaken grains, in diameters per √(m/k_n); steps until they are shaken again
WINDOWS = 5
SQUEEZES, SQUEEZE_STEPS, SQUEEZE_SPEED, REST_STEPS = 40, 600, 0.02, 6000  # boxes on the way to a dense one; grains in these
GAS_STEP, WARM_UP = 1e-5, 0.2  # s, as in EPL08; of motion before a gas is measured


def voronoi_tile() -> tuple[Tile, float]:
    """A hundred and forty-four Voronoi grains packed in a periodic box."""
    return plane_tile("voronoi", voronoi_shapes(144), 1e-3)


def cow_tile() -> tuple[Tile, float]:
    """Sixty-four cows packed in a periodic box, in units of the root of their area."""
    drawn = cow()
    small = drawn.scaled(drawn.area**-0.5)
    return plane_tile("cow", [small] * 64, 1e-3)


def repeated(tile: tuple[Tile, float], grains: int, shaken: bool) -> tuple[Any, dict[str, Any]]:
    """The scene of a tile repeated to about so many grains, with friction."""
    packing, area = tile
    law = damped(0.5, area)
    if shaken:
        law = type(law)(law.normal_stiffness, law.tangential_stiffness, friction=0.5)
    return packing.scene(law, max(round((grains / len(packing.shapes)) ** 0.5), 1)), {}


def shake(engine: Engine) -> None:
    """Random velocities and spins."""
    rng, ids = np.random.default_rng(1), np.arange(len(engine.scene.bodies))
    area = engine.scene.bodies[0].shape.area
    speed = SHAKE / np.sqrt(area)
    engine.set_velocities(ids, speed * rng.normal(size=(ids.size, 2)), speed * rng.normal(size=ids.size))


def round_grains(kind: str, grains: int) -> tuple[Any, dict[str, Any]]:
    """Dense disks or spheres of `benchmarks/peers.py` at rest, in a periodic box: a packing of a thousand repeated."""
    case, count = peers.CASES[kind], peers.LARGEST_TILE

    def make() -> dict[str, Any]:
        packed = peers.pack(case, count)
        return {"places": packed.places, "angles": packed.angles, "side": packed.side}

    shapes = case.shapes(count)
    stored = kept(kind, make, shapes, f"{case.dimension} {case.corners} {case.fill}")
    tile = peers.Sample(case, shapes, stored["places"], stored["angles"], np.zeros_like(stored["places"]), float(stored["side"]))
    times = max(round((grains / count) ** (1.0 / case.dimension)), 1)
    return peers.scene_of(peers.repeat(tile, times)), {}


def solid_tile(name: str, solid: Solid, law: Law, fill: float, count: int = 216) -> tuple[np.ndarray, np.ndarray, float]:
    """Places, orientations and side of a periodic box of equal solids: a box that shrinks around moving grains until they take a
    part `fill` of it, and then a drag that brings them to rest."""

    def make() -> dict[str, Any]:
        rng, across = np.random.default_rng(1), round(count ** (1.0 / 3.0))
        spacing = 2.05 * solid.reach
        cells = np.stack(np.unravel_index(np.arange(count), (across,) * 3), axis=1)
        places = spacing * (cells + 0.5 + 0.005 * rng.uniform(-1.0, 1.0, cells.shape))
        turns, side = random_turns(rng, count), across * spacing
        pace = SQUEEZE_SPEED * np.sqrt(1.0 / solid.volume)
        for goal in (*np.geomspace(side, (count * solid.volume / fill) ** (1.0 / 3.0), SQUEEZES)[1:].tolist(), None):
            places, side = (places, side) if goal is None else (places * goal / side, goal)
            scene = Scene3D(law=law, box=Box3D(side, side, side), drag=0.1 * np.sqrt(1.0 / solid.volume) if goal is None else 0.0)
            velocities = pace * rng.normal(size=places.shape) if goal is not None else np.zeros_like(places)
            scene.add_many(solid, places, orientations=turns, velocities=velocities)
            engine = Engine(scene)
            engine.advance(SQUEEZE_STEPS if goal is not None else REST_STEPS)
            seen = engine.snapshot()
            places, turns = seen.positions, seen.orientations
        return {"places": places, "turns": turns, "side": side}

    stored = kept(name, make, [solid], repr(law))
    return stored["places"], stored["turns"], float(stored["side"])


def solids(name: str, solid: Solid, smooth: Law, law: Law, fill: float, grains: int) -> tuple[Any, dict[str, Any]]:
    """A tile of solids repeated to about so many, with friction."""
    places, turns, side = solid_tile(name, solid, smooth, fill)
    times = max(round((grains / len(places)) ** (1.0 / 3.0)), 1)
    shifts = side * np.array(list(np.ndindex((times,) * 3)))
    scene = Scene3D(law=law, box=Box3D(*(times * side,) * 3))
    scene.add_many(solid, np.concatenate([places + shift for shift in shifts]), orientations=np.tile(turns, (len(shifts), 1)))
    return scene, {}


def linear(solid: Solid, friction: float) -> Linear:
    """k_n = 1, k_t = ½, dashpots of 0.3 critical."""
    damping = 0.6 / np.sqrt(solid.volume)
    return Linear(1.0, 0.5, friction, normal_damping=damping, tangential_damping=0.5 * damping)


def rounded_cubes(grains: int) -> tuple[Any, dict[str, Any]]:
    """Rounded cubes that touch each other at about ten points each."""
    cube = cuboid((0.8,) * 3, 0.1)
    return solids("cube", cube, linear(cube, 0.0), linear(cube, 0.5), 0.74, grains)


def clumps(grains: int) -> tuple[Any, dict[str, Any]]:
    """Clumps of three balls at the corners of a triangle."""
    clump = sphere_clump([(0.0, 0.0, 0.0), (0.6, 0.0, 0.0), (0.3, 0.5, 0.0)], 0.5)
    return solids("clump", clump, linear(clump, 0.0), linear(clump, 0.5), 0.72, grains)


def sharp_cubes(grains: int) -> tuple[Any, dict[str, Any]]:
    """Sharp cubes by the volume of their overlap."""
    cube = cuboid((1.0,) * 3, 0.0)
    rough = OverlapVolume(1.0, friction=0.5, damping=0.3, tangential_damping=0.3)
    return solids("sharp-cube", cube, OverlapVolume(1.0, damping=0.3), rough, 0.57, grains)


def heap_grains(grains: int) -> tuple[Any, dict[str, Any]]:
    """Sharp grains with twelve corners on an ellipsoid, those of a heap (CSM10)."""
    grain = library_solid("ellipsoid-grain")
    law = OverlapVolume(1.0, damping=0.3)
    return solids("heap-grain", grain, law, replace(law, friction=0.5, tangential_damping=0.3), 0.57, grains)


CASES: dict[str, Callable[[int], tuple[Any, dict[str, Any]]]] = {
    "hexagon-gas": lambda n: (gas(hexagon(), n), {"dt": GAS_STEP}),
    "cow-gas": lambda n: (gas(cow(), n), {"dt": GAS_STEP}),
    "hexagons": lambda n: repeated(hexagon_tile(), n, False),
    "hexagons-shaken": lambda n: repeated(hexagon_tile(), n, True),
    "voronoi": lambda n: repeated(voronoi_tile(), n, False),
    "voronoi-shaken": lambda n: repeated(voronoi_tile(), n, True),
    "cows": lambda n: repeated(cow_tile(), n, False),
    "disks": lambda n: round_grains("disks", n),
    "spheres": lambda n: round_grains("spheres", n),
    "cubes": rounded_cubes,
    "clumps": clumps,
    "sharp-cubes": sharp_cubes,
    "heap-grains": heap_grains,
}


def measure(name: str, grains: int, seconds: float, device: str, threads: str | int) -> tuple[Engine, dict[str, Any]]:
    """Median speed over windows, after α has settled; a gas after some motion."""
    clock = [time.perf_counter()]

    def since() -> float:
        clock.append(time.perf_counter())
        return clock[-1] - clock[-2]

    scene, options = CASES[name](grains)
    made = since()
    engine = Engine(scene, device=device, threads=threads, **options)
    shaken = name.endswith("-shaken")
    if shaken:
        shake(engine)
    start = since()
    engine.advance(1)
    first = since()
    if name.endswith("-gas"):
        engine.advance(round(WARM_UP / GAS_STEP))
    pace, took = 64, 0.0
    while took < 0.6 * seconds:
        pace = int(pace * min(4.0, seconds / max(took, 1e-4))) + 1
        since()
        engine.advance(engine.step + pace)
        took = since()
    if shaken:
        pace = SHAKEN_STEPS
    before, begin, times, rebuilding, flagged = engine.rebuilds, engine.step, [], [], []
    for _ in range(3 * WINDOWS if shaken else WINDOWS):
        if shaken:
            shake(engine)
            engine.advance(engine.step + 1)  # new velocities are on the GPU
        since()
        engine.advance(engine.step + pace)
        times.append(since())
        flagged.append(engine.flagged)
    rebuilds = engine.rebuilds - before
    for _ in range(3):
        engine._rebuild()
        rebuilding.append(since())
    step, rebuild = float(np.median(times)) / pace, min(rebuilding)
    return engine, {
        "case": name, "grains": engine.moving, "device": device, "threads": engine.threads,
        "us_per_step": 1e6 * step, "cundall": engine.moving / step,
        "spread": [pace * engine.moving / max(times), pace * engine.moving / min(times)],
        "flagged": float(np.mean(flagged)), "alpha": engine.alpha, "rebuilds_per_1000": 1000.0 * rebuilds / (engine.step - begin),
        "rebuild_ms": 1e3 * rebuild, "rebuild_in_steps": rebuild / step,
        "scene_s": made, "start_s": start, "first_step_s": first,
    }  # fmt: skip


def main() -> None:
    """Read the options, measure, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--case", action="append", choices=list(CASES))
    options.add_argument("--grains", default="10000,100000,1000000")
    options.add_argument("--seconds", type=float, default=0.5, help="of a window, about")
    options.add_argument("--device", default="cuda")
    options.add_argument("--threads", default="1", help="of the host")
    options.add_argument("--split", action="store_true", help="also the launches of a step one by one")
    options.add_argument("--json", type=Path, help="a file for the figures")
    given = options.parse_args()
    threads = given.threads if given.threads == "auto" else int(given.threads)
    rows = []
    for name in given.case or list(CASES):
        for grains in (int(float(each)) for each in given.grains.split(",")):
            engine, row = measure(name, grains, given.seconds, given.device, threads)
            if given.device == "cuda":
                row["gpu_bytes"] = memory_in_use()
            if given.split and given.device == "cuda":
                row["split"] = engine.launch_times()
            rows.append(row)
            print(
                f"{name:16s} {row['grains']:8d} {row['us_per_step']:9.1f} µs a step  c = {row['cundall']:.3g}  flagged "
                f"{100 * row['flagged']:.1f} %  rebuilds/1000 {row['rebuilds_per_1000']:6.2f} of {row['rebuild_ms']:.2f} ms "
                f"({row['rebuild_in_steps']:.0f} steps)  α {row['alpha']:.2g}  scene {row['scene_s']:.1f} s, start "
                f"{row['start_s']:.1f} s",
                flush=True,
            )
            if "split" in row:
                print("    µs: " + ", ".join(f"{key} {1e6 * each:.1f}" for key, each in row["split"].items()), flush=True)
            if given.json:
                given.json.write_text(json.dumps(rows, indent=1))
            del engine


if __name__ == "__main__":
    main()
