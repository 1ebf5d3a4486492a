"""What a wall of many triangles costs: spheres that lie on a terrain of 20 000, over the same spheres on a plate.

    python benchmarks/terrain.py [--spheres 10000] [--triangles 20000] [--bumpy 0.05]

The spheres lie in one loose layer, touch the ground at the start and come to rest; windows of the two take turns. A step contains
its share of the rebuilds.
"""

import argparse
import statistics
import time

import numpy as np

import clast
from clast import Engine, Scene3D
from clast.shapes import Solid, plate, shell, sphere

RADIUS = 0.5
STEPS = 100  # of a window


def ground(side: float, triangles: int, bumpy: float) -> Solid:
    """A terrain over a square whose middle is the origin."""
    n = round((triangles / 2) ** 0.5) + 1
    line = np.linspace(-0.5 * side, 0.5 * side, n)
    x, y = np.meshgrid(line, line, indexing="ij")
    at = np.arange(n * n).reshape(n, n)
    faces = np.concatenate([
        np.stack(each, axis=-1).reshape(-1, 3)
        for each in ((at[:-1, :-1], at[1:, :-1], at[1:, 1:]), (at[:-1, :-1], at[1:, 1:], at[:-1, 1:]))
    ])  # fmt: skip
    heights = bumpy * np.sin(0.9 * x) * np.cos(0.7 * y)
    return shell(np.stack([x, y, heights], axis=-1).reshape(-1, 3).tolist(), faces.tolist(), radius=0.05)


def layer(spheres: int, floor: str, triangles: int, bumpy: float) -> Engine:
    """Spheres at rest on a floor, "terrain" or "plate"."""
    n = round(spheres**0.5)
    side = 1.2 * n + 2.0
    line = 1.2 * (np.arange(n) - 0.5 * (n - 1))
    x, y = (each.ravel() for each in np.meshgrid(line, line, indexing="ij"))
    law = clast.Linear(1e4, 5e3, friction=0.5, normal_damping=20.0, tangential_damping=20.0)
    scene = Scene3D(law=law, gravity=(0.0, 0.0, -10.0))
    half = 0.5 * side
    corners = [(-half, -half, 0.0), (half, -half, 0.0), (half, half, 0.0), (-half, half, 0.0)]
    low = ground(side, triangles, bumpy) if floor == "terrain" else plate(corners, radius=0.05)
    scene.add_wall(low)
    height = RADIUS + 0.06 + (bumpy * np.sin(0.9 * x) * np.cos(0.7 * y) if floor == "terrain" else 0.0) + 0.02
    scene.add_many(sphere(RADIUS), np.stack([x, y, height + np.zeros_like(x)], axis=1))
    return Engine(scene, threads=1)


def seen(engine: Engine) -> str:
    """α and how many spheres touch the ground."""
    return f"α = {engine.alpha:.3g}, {len(engine.snapshot().contacts)} contacts"


def main() -> None:
    """Print the table."""
    read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    read.add_argument("--spheres", type=int, default=10_000)
    read.add_argument("--triangles", type=int, default=20_000)
    read.add_argument("--bumpy", type=float, default=0.05)
    read.add_argument("--windows", type=int, default=40)
    given = read.parse_args()
    runs = {}
    for floor in ("plate", "terrain"):
        began = time.perf_counter()
        runs[floor] = layer(given.spheres, floor, given.triangles, given.bumpy)
        runs[floor].advance(1)
        print(f"{floor}: scene, lists and first step {time.perf_counter() - began:.1f} s", flush=True)
    found: dict[str, list[float]] = {"plate": [], "terrain": []}
    for engine in runs.values():
        engine.advance(1000)
    was = {floor: engine.rebuilds for floor, engine in runs.items()}
    for _ in range(given.windows):
        for floor, engine in runs.items():
            began = time.perf_counter()
            engine.advance(engine.step + STEPS)
            found[floor].append((time.perf_counter() - began) / STEPS)
    for floor, engine in runs.items():
        renewed = 1000 * (engine.rebuilds - was[floor]) / (given.windows * STEPS)
        step = 1e6 * statistics.median(found[floor])
        print(f"{floor}: {step:.0f} µs a step, {renewed:.0f} rebuilds in 1000 steps, {seen(engine)}")
    print(f"terrain over plate: {statistics.fmean(found['terrain']) / statistics.fmean(found['plate']):.2f}")


if __name__ == "__main__":
    main()
