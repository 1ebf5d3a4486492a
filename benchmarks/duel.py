"""Two versions of clast by turns on one core: the cases of `clast bench`, and dense ones shaken.

    git worktree add ../old 7e6eafc && python benchmarks/duel.py ../old          this checkout over that one
    python benchmarks/duel.py ../old --case hexagon-gas --windows 15 --processes 3

Each version runs in a process of its own and makes its own state of a case; windows of the two alternate, so that both see the
same moods of the machine. A process may be slow for its whole life (where its memory lies), hence several of them.
"""

import argparse
import importlib
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

SHAKEN = "-shaken"  # after the name of a dense case: random velocities and no dashpots, so that contacts open and close
SPEED = 9e-4  # of shaken grains, in diameters per √(m/k_n)


def bench_module():
    """Where this version of clast keeps its benchmark states."""
    try:
        return importlib.import_module("clast.bench.cases")
    except ModuleNotFoundError:
        return importlib.import_module("clast.preparation.bench")


def shaken(bench, engine):
    """The grains of a dense state, where they lie, without dashpots."""
    from clast import Engine, Linear

    scene = bench.place_again(engine.scene, engine)
    scene.law = Linear(1.0, 0.5, bench.FRICTION)
    return Engine(scene, dt=engine.dt)


def shake(engine, seed):
    """Give all grains random velocities: friction would soon bring them to rest. Versions that know no names have the velocities
    in columns 4 and 5 of the table of bodies."""
    import numpy as np

    velocities = np.random.default_rng(seed).normal(0.0, SPEED, (engine.free, 2))
    if hasattr(engine, "set_velocities"):
        engine.set_velocities(engine.free_ids, velocities, engine.spins[engine.free_ids])
    else:
        engine.state.body[: engine.free, 4:6] = velocities


def window(engine, steps):
    """Seconds of some steps."""
    began = time.perf_counter()
    engine.advance(engine.step + steps)
    return time.perf_counter() - began


def serve(case, seconds):
    """Runs a window for every line of input, and prints nanoseconds a grain and step."""
    bench = bench_module()
    engine = bench.CASES[case.removesuffix(SHAKEN)].prepare(1)
    if case.endswith(SHAKEN):
        engine = shaken(bench, engine)
    steps = 200
    for number in range(12):  # until α and the pace are found
        if case.endswith(SHAKEN):
            shake(engine, number)
        steps = max(1, round(steps * min(4.0, seconds / window(engine, steps))))
    print("ready", flush=True)
    for number, _ in enumerate(sys.stdin):
        if case.endswith(SHAKEN):
            shake(engine, number)
        print(1e9 * window(engine, steps) / (steps * engine.moving), flush=True)


def ratios(new, old, case, windows, seconds):
    """Time of the old version over that of the new one, window by window, and both times [ns a grain and step]."""
    runs = []
    for root in (old, new):
        environment = {**os.environ, "PYTHONPATH": str(root / "src"), "NUMBA_NUM_THREADS": "1"}
        command = [sys.executable, __file__, "--serve", case, "--seconds", str(seconds)]
        runs.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment))
        if (line := runs[-1].stdout.readline().strip()) != "ready":
            sys.exit(f"{case} did not start in {root}: {line or 'see above'}")
    times = []
    for _ in range(windows):
        pair = []
        for run in runs:
            run.stdin.write("\n")
            run.stdin.flush()
            pair.append(float(run.stdout.readline()))
        times.append(pair)
    for run in runs:
        run.communicate()
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, nargs="?", help="another checkout")
    parser.add_argument("--case", action="append", help="may be given several times; all by default")
    parser.add_argument("--windows", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.4, help="of a window")
    parser.add_argument("--processes", type=int, default=2, help="of each version, one after the other")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        serve(chosen.serve, chosen.seconds)
        return
    if chosen.old is None or not (chosen.old / "src" / "clast").is_dir():
        parser.error(f"{chosen.old} is no checkout of clast: name a folder that has src/clast")
    new = Path(__file__).resolve().parent.parent
    for case in chosen.case or [*bench_module().CASES, "hexagon-dense" + SHAKEN, "voronoi-dense" + SHAKEN]:
        times = []
        for _ in range(chosen.processes):
            times += ratios(new, chosen.old.resolve(), case, chosen.windows, chosen.seconds)
        faster = [old / new for old, new in times]
        least = [min(each) for each in zip(*times, strict=True)]
        spread = f"best over best {least[0] / least[1]:5.2f}, windows {min(faster):.2f} … {max(faster):.2f}"
        print(
            f"{case:24s} {statistics.median(faster):5.2f} ({spread})   {least[0]:8.2f} → {least[1]:8.2f} ns a grain and step",
            flush=True,
        )


if __name__ == "__main__":
    main()
