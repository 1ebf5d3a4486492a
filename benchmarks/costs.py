"""Cost of a step against the number of grains, of corners, and the mix of sizes; two threads; time per contact; memory.

    python benchmarks/costs.py grains | corners | sizes | threads | contacts        (all when none is named)

Medians of seven windows on one thread unless named otherwise; states are described in benchmarks/README.md.
"""

import resource
import sys
import time

import numpy as np
from tiles import hexagon_tile

from clast.bench.cases import CASES, gas, measure, prepare_dense, voronoi_shapes
from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.packing.plane.insertion import insert_at_random, power_law
from clast.protocols.periodic import damped
from clast.protocols.settle import unbalanced_force
from clast.scene.plane import Box, Scene
from clast.shapes import cow, disk, regular

AREA = 6.52  # of a gas grain, that of the cow


def peak_bytes() -> int:
    """Largest resident memory so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def grains() -> None:
    """c against N: the same dense frictional packing repeated, and a gas of hexagons at one density and temperature."""
    tile, area = hexagon_tile()
    Engine(tile.scene(damped(0.5, area)))  # compiled code and libraries are in memory before the first reading
    before = peak_bytes()
    print("dense frictional hexagons\n      N        c   candidates/grain  contacts/grain  unbalanced  peak KiB/grain")
    found = []
    for repeat in (1, 3, 10, 32):
        engine = Engine(tile.scene(damped(0.5, area), repeat))
        row = measure(engine, seconds=0.5)
        found.append(row["cundall"])
        engine._rebuild()
        size = engine.moving
        kept = (peak_bytes() - before) / size / 1024
        print(f"{size:7d} {row['cundall']:8.3g} {row['candidates_per_grain']:12.1f} {row['contacts_per_grain']:15.1f} "
              f"{unbalanced_force(engine)[0]:15.1e} {kept:10.2f}", flush=True)  # fmt: skip
    print(f"largest / smallest c: {max(found) / min(found):.2f}")
    print("gas of hexagons\n      N        c   rebuilds/1000 steps")
    found = []
    shape = regular(6, radius=0.1, circumradius=1.4).with_area(AREA)
    for size in (100, 1000, 10_000, 100_000):
        engine = Engine(gas(shape, size), dt=1e-5)
        engine.advance(max(200, 40_000_000 // size // 100))
        row = measure(engine, seconds=0.5)
        found.append(row["cundall"])
        print(f"{size:7d} {row['cundall']:8.3g} {row['rebuilds_per_1000_steps']:12.2f}", flush=True)
    print(f"largest / smallest c: {max(found) / min(found):.2f}")


def corners() -> None:
    """c against the number of corners at equal area, in a gas of 400 after 4 s."""
    shapes = [regular(n, radius=0.1, circumradius=1.4).with_area(AREA) for n in (3, 4, 6, 10, 20, 40, 62)] + [cow()]
    print("gas of 400\ncorners        c   µs per grain-step")
    logs = []
    for shape in shapes:
        engine = Engine(gas(shape), dt=1e-5)
        engine.advance(400_000)
        row = measure(engine, seconds=0.5)
        size = len(shape.vertices)
        logs.append((np.log(size), -np.log(row["cundall"])))
        print(f"{size:5d} {shape.name[:8]:>8s} {row['cundall']:8.3g} {1e6 / row['cundall']:10.5f}", flush=True)
    slope = np.polyfit(*np.array(logs[:-1]).T, 1)[0]
    print(f"exponent of time against corners, regular polygons: {slope:.2f}")


def sizes() -> None:
    """10 000 disks in a gas: equal, and radii between 1 and 30 with numbers ∝ r^−2.5."""
    rng = np.random.default_rng(1)
    found = {}
    for name, radii in (("equal", np.ones(10_000)), ("30:1", power_law(10_000, 30.0, 2.5, rng))):
        side = float(np.sqrt(np.sum(np.pi * radii**2) / 0.25))
        scene = Scene(law=Linear(1e4), box=Box(side, side))
        places, ways = insert_at_random(1.01 * radii, side, side, rng), rng.uniform(0.0, 2.0 * np.pi, len(radii))
        velocities = np.stack([np.cos(ways), np.sin(ways)], axis=1)
        scene.add_many([disk(radius=radius) for radius in radii.tolist()], places, velocities=velocities)
        engine = Engine(scene)
        engine.advance(5000)
        found[name] = measure(engine, seconds=0.5)["cundall"]
        print(
            f"{name:6s} largest {radii.max():5.1f}  levels {engine.levels}  c = {found[name]:.3g}",
            flush=True,
        )
    print(f"ratio {found['30:1'] / found['equal']:.2f}")


def threads() -> None:
    """Speed-up of two threads on 1200 dense Voronoi grains, windows by turns."""
    shapes = voronoi_shapes()
    engines = {count: prepare_dense("voronoi", shapes, count) for count in (1, 2)}
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(15):
        for count, engine in engines.items():
            began = time.perf_counter()
            engine.advance(engine.step + 2000)
            times[count].append(time.perf_counter() - began)
    one, two = np.median(times[1]), np.median(times[2])
    one_by_one = zip(*(engine.checkpoint()[0].values() for engine in engines.values()), strict=True)
    same = all(np.array_equal(first, second) for first, second in one_by_one)
    print(
        f"1200 dense grains: {one / 2000 * 1e6:.0f} µs and {two / 2000 * 1e6:.0f} µs per step, "
        f"{one / two:.2f} ×, same bits: {same}"
    )


def contacts() -> None:
    """Time of a step beside 60 ns per contact + 7 ns per further candidate + 15 ns per grain."""
    for name in ("disk-dense", "hexagon-dense", "voronoi-dense"):
        engine = CASES[name].prepare(1)
        row = measure(engine, seconds=0.5)
        touching = len(engine.snapshot().contacts)
        allowed = 60 * touching + 7 * (engine.candidates - touching) + 15 * engine.moving
        print(f"{name}: {row['wall_s'] / row['steps'] * 1e6:.1f} µs per step, allowed {allowed / 1000:.1f} "
              f"({touching} contacts, {engine.candidates} candidates, c = {row['cundall']:.3g})", flush=True)  # fmt: skip


if __name__ == "__main__":
    named = sys.argv[1:] or ["contacts", "grains", "corners", "sizes", "threads"]
    for each in named:
        {"grains": grains, "corners": corners, "sizes": sizes, "threads": threads, "contacts": contacts}[each]()
