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
from costs import hexagon_tile

from clast.backend.bind import cache_folder
from clast.backend.cuda import memory_in_use
from clast.bench.cases import gas, hexagon, voronoi_shapes
from clast.dynamics.engine import Engine
from clast.protocols.periodic import Tile, compress, damped
from clast.shapes import cow

SHAKE = 3e-4  # speed of shaken grains, in diameters per √(m/k_n)
WINDOWS = 5
GAS_STEP, WARM_UP = 1e-5, 0.2  # s, as in EPL08; of motion before a gas is measured


def voronoi_tile() -> tuple[Tile, float]:
    """A hundred and forty-four Voronoi grains packed in a periodic box."""
    path = cache_folder() / "bench-voronoi-tile.npz"
    shapes = voronoi_shapes(144)
    if not path.exists():
        tile = compress(shapes, overlap=1e-3, unbalanced=1e-3)
        np.savez(path, positions=tile.positions, angles=tile.angles, period=tile.period)
    stored = np.load(path)
    area = float(np.mean([shape.area for shape in shapes]))
    return Tile(shapes, stored["positions"], stored["angles"], float(stored["period"])), area


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
    """Dense disks or spheres of `benchmarks/peers.py` at rest, in a periodic box."""
    sample = peers.make_sample(peers.CASES[kind], grains)
    return peers.scene_of(replace(sample, velocities=0.0 * sample.velocities)), {}


CASES: dict[str, Callable[[int], tuple[Any, dict[str, Any]]]] = {
    "hexagon-gas": lambda n: (gas(hexagon(), n), {"dt": GAS_STEP}),
    "cow-gas": lambda n: (gas(cow(), n), {"dt": GAS_STEP}),
    "hexagons": lambda n: repeated(hexagon_tile(), n, False),
    "hexagons-shaken": lambda n: repeated(hexagon_tile(), n, True),
    "voronoi": lambda n: repeated(voronoi_tile(), n, False),
    "voronoi-shaken": lambda n: repeated(voronoi_tile(), n, True),
    "disks": lambda n: round_grains("disks", n),
    "spheres": lambda n: round_grains("spheres", n),
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
    if name.endswith("-shaken"):
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
    before, begin, times, rebuilding = engine.rebuilds, engine.step, [], []
    for _ in range(WINDOWS):
        engine.advance(engine.step + pace)
        times.append(since())
    rebuilds = engine.rebuilds - before
    for _ in range(3):
        engine._rebuild()
        rebuilding.append(since())
    step, rebuild = float(np.median(times)) / pace, min(rebuilding)
    return engine, {
        "case": name, "grains": engine.moving, "device": device, "threads": engine.threads, "us_per_step": 1e6 * step,
        "cundall": engine.moving / step, "rebuilds_per_1000": 1000.0 * rebuilds / (engine.step - begin),
        "rebuild_ms": 1e3 * rebuild, "rebuild_in_steps": rebuild / step, "alpha": engine.alpha, "scene_s": made, "start_s": start,
        "first_step_s": first, "spread": [pace * engine.moving / max(times), pace * engine.moving / min(times)],
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
                f"{name:16s} {row['grains']:8d}  {row['us_per_step']:9.1f} µs a step  c = {row['cundall']:.3g}   rebuilds/1000 "
                f"{row['rebuilds_per_1000']:6.2f} of {row['rebuild_ms']:.2f} ms ({row['rebuild_in_steps']:.0f} steps)   α "
                f"{row['alpha']:.3g}   scene {row['scene_s']:.1f} s, start {row['start_s']:.1f} s"
                + ("   " + ", ".join(f"{key} {1e6 * each:.1f}" for key, each in row.get("split", {}).items())),
                flush=True,
            )
            if given.json:
                given.json.write_text(json.dumps(rows, indent=1))
            del engine


if __name__ == "__main__":
    main()
