"""What an option of a law costs: the same dense grains with and without it, by turns on one core.

    python benchmarks/options.py [--windows 9]

`sliding_by="angle"` for hexagons and spheres, `turning=Turning()` for sharp cubes; ratios are times of a step over those without.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gpu

from clast.dynamics.engine import Engine
from clast.laws import Turning

SECONDS = 0.3  # of a window


def hexagons() -> Any:
    """900 dense hexagons at rest."""
    return gpu.repeated(gpu.hexagon_tile(), 900, False)[0]


def spheres() -> Any:
    """1000 dense spheres."""
    return gpu.round_grains("spheres", 1000)[0]


def sharp_cubes() -> Any:
    """216 sharp cubes."""
    return gpu.sharp_cubes(216)[0]


CASES: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "hexagons, sliding_by angle": (hexagons, {"sliding_by": "angle"}),
    "spheres, sliding_by angle": (spheres, {"sliding_by": "angle"}),
    "sharp cubes, turning": (sharp_cubes, {"turning": Turning()}),
}


def pace(engine: Engine, steps: int) -> float:
    """Seconds a step."""
    began = time.perf_counter()
    engine.advance(engine.step + steps)
    return (time.perf_counter() - began) / steps


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--windows", type=int, default=9)
    windows = parser.parse_args().windows
    for name, (make, option) in CASES.items():
        plain, other = make(), make()
        other.law = replace(other.law, **option)
        engines = [Engine(plain), Engine(other)]
        for engine in engines:
            pace(engine, 200)
        steps = [max(20, int(SECONDS / pace(engine, 100))) for engine in engines]
        times = [[pace(engine, count) for engine, count in zip(engines, steps, strict=True)] for _ in range(windows)]
        ratios = [after / before for before, after in times]
        print(f"{name:28s} {statistics.median(ratios):.2f} (windows {min(ratios):.2f} … {max(ratios):.2f})", flush=True)


if __name__ == "__main__":
    main()
