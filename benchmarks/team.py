"""What a team of threads gains here: dense frictional hexagons at rest and shaken, quiet, with a busy core, two runs at once.

    python benchmarks/team.py [--threads 1,2,4,8,16] [--grains 900,10000,102400] [--busy] [--beside] [--rebuild] [--json FILE]

At rest nothing is rebuilt; shaken, grains move through each other's neighbourhoods and lists are renewed as in a flow. Speeds
are medians of windows taken by turns over all numbers of threads, so that a wandering machine hurts all alike.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tiles import hexagon_tile

from clast.backend.bind import cache_folder
from clast.dynamics.engine import Engine
from clast.protocols.periodic import damped

SHAKE = 0.3  # speed of shaken grains, in diameters per √(m/k_n)·1000
WINDOW = 0.4  # seconds, about
BESIDE = 3.0  # seconds for which two runs go on beside each other


def dense(grains: int, shaken: bool, threads: int) -> Engine:
    """A hundred packed hexagons repeated; shaken they have random velocities and lose nothing but by friction."""
    tile, area = hexagon_tile()
    repeat = max(round((grains / 100) ** 0.5), 1)
    law = damped(0.5, area)
    if shaken:
        law = type(law)(law.normal_stiffness, law.tangential_stiffness, friction=0.5)
    engine = Engine(tile.scene(law, repeat), threads=threads)
    if shaken:
        rng = np.random.default_rng(1)
        ids = np.arange(len(engine.scene.bodies))
        speed = SHAKE * 1e-3 / np.sqrt(area)
        engine.set_velocities(ids, speed * rng.normal(size=(ids.size, 2)), speed * rng.normal(size=ids.size))
    return engine


def contacts_per_grain(engine: Engine) -> float:
    """Contacts that count, per grain. Ends the program where there are fewer than grains: that is no packing at rest."""
    found = float((engine.snapshot().contacts.counts > 0.0).sum()) / engine.moving
    if found < 1.0:
        sys.exit(
            f"the packing of {engine.moving} grains at rest has {found:.2f} contacts a grain, so its cost would say nothing: "
            f"remove bench-hexagon-tile-*.npz from {cache_folder()}; if that does not help, look at clast.protocols.periodic"
        )
    return found


def pace(engine: Engine, steps: int) -> float:
    """Seconds per step over some steps, rebuilds included."""
    began = time.perf_counter()
    engine.advance(engine.step + steps)
    return (time.perf_counter() - began) / steps


def by_turns(engines: dict[int, Engine], windows: int) -> dict[int, float]:
    """Median seconds per step with each number of threads."""
    steps = {}
    for threads, engine in engines.items():
        pace(engine, 200)  # caches, α
        steps[threads] = max(int(WINDOW / pace(engine, 100)), 20)
    found: dict[int, list[float]] = {threads: [] for threads in engines}
    for _ in range(windows):
        for threads, engine in engines.items():
            found[threads].append(pace(engine, steps[threads]))
    return {threads: float(np.median(each)) for threads, each in found.items()}


def busy(work: Callable[[], object]) -> object:
    """Do something while another process keeps one core busy."""
    other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        time.sleep(0.5)
        return work()
    finally:
        other.kill()
        other.wait()


def beside(grains: int, threads: int) -> tuple[float, float]:
    """Seconds per step of one run alone, and of each of two at once, in processes of their own."""
    command = [sys.executable, __file__, "--one", str(grains), "--threads", str(threads)]

    def run(copies: int) -> float:
        workers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(copies)]
        for worker in workers:
            worker.stdout.readline()  # type: ignore[union-attr]  # ready: none measures before all are
        for worker in workers:
            worker.stdin.write("go\n")  # type: ignore[union-attr]
            worker.stdin.flush()  # type: ignore[union-attr]
        return max(float(worker.communicate()[0].split()[-1]) for worker in workers)

    return run(1), run(2)


def rebuild_seconds(grains: int, threads: int) -> float:
    """Seconds of a rebuild, the least of several."""
    engine = dense(grains, False, threads)
    engine.advance(20)
    times = []
    for _ in range(7):
        began = time.perf_counter()
        engine._rebuild()
        times.append(time.perf_counter() - began)
    return min(times)


def main() -> None:
    """Read the options, measure, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--threads", default=f"1,2,{os.cpu_count()}")
    options.add_argument("--grains", default="900,10000,102400")
    options.add_argument("--windows", type=int, default=7)
    options.add_argument("--busy", action="store_true", help="also with one core kept busy by another process")
    options.add_argument("--beside", action="store_true", help="also two runs of 10 000 at once")
    options.add_argument("--rebuild", action="store_true", help="also the time of a rebuild of the largest")
    options.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options.add_argument("--json", help="a file for the figures")
    given = options.parse_args()
    counts = sorted({int(each) for each in given.threads.split(",")})
    if given.one:
        engine = dense(given.one, False, counts[-1])
        pace(engine, 500)
        print("ready", flush=True)
        sys.stdin.readline()
        ends, paces = time.monotonic() + BESIDE, []
        while time.monotonic() < ends:
            paces.append(pace(engine, 500))
        print(float(np.median(paces)))
        return
    rows: list[dict[str, object]] = []
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores")

    def show(what: str, grains: int, found: dict[int, float]) -> None:
        first = found[min(found)]
        text = "  ".join(f"{threads}: {1e6 * each:.0f} µs, {first / each:.2f} ×" for threads, each in found.items())
        print(f"{what:12s} {grains:7d}   {text}", flush=True)
        rows.append({"what": what, "grains": grains, "seconds": found})

    for grains in (int(each) for each in given.grains.split(",")):
        for shaken in (False, True):
            engines = {threads: dense(grains, shaken, threads) for threads in counts}
            if not shaken:
                contacts_per_grain(engines[counts[0]])
            show("shaken" if shaken else "at rest", grains, by_turns(engines, given.windows))
            if given.busy:
                alone = {min(counts): engines[min(counts)]}
                quiet = by_turns(alone, given.windows)
                others = {n: e for n, e in engines.items() if n > 1}
                found = busy(lambda others=others: by_turns(others, given.windows))
                show("busy core", grains, {**quiet, **found})  # type: ignore[dict-item]
            steps = {engine.rebuilds for engine in engines.values()}
            first = engines[counts[0]]
            contacts = f"{contacts_per_grain(first):.2f} contacts a grain, " if not shaken else ""
            print(f"    {contacts}rebuilds {sorted(steps)}, α {first.alpha:.3g}", flush=True)
    if given.beside:
        one, two = beside(10_000, counts[-1])
        print(
            f"two runs of 10 000 at once, {counts[-1]} threads each: {1e6 * one:.0f} µs alone, {1e6 * two:.0f} µs, "
            f"{two / one:.2f} ×"
        )
        rows.append({"what": "beside", "seconds": {1: one, 2: two}})
    if given.rebuild:
        largest = int(given.grains.split(",")[-1])
        show("rebuild", largest, {threads: rebuild_seconds(largest, threads) for threads in counts})
    if given.json:
        Path(given.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
