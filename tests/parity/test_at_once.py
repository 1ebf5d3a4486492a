"""Several engines stepped at the same time, from several threads of one process, give the bits that each gives alone.

Kernels, the search for them, and the threads kept for teams are shared by all engines of a process; tables and lanes are not.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from falling_grains import ALPHA, DT, cubes_and_spheres, hexagons_and_disks
from same_bits import assert_same_bits, result

from clast.dynamics.engine import Engine

STEPS = 4500
LOOKS = 8  # calls of `advance`, with a snapshot after each
RUNS = [(make, seed) for seed in (1, 2, 3) for make in (hexagons_and_disks, cubes_and_spheres)]


def carried_out(make: Callable[[int], Any], seed: int, start: threading.Barrier | None) -> dict[str, np.ndarray]:
    """What a run comes to."""
    engine = Engine(make(seed), dt=DT, alpha=ALPHA, threads=2)
    if start is not None:
        start.wait(60.0)
    for look in range(LOOKS):
        engine.advance((look + 1) * STEPS // LOOKS)
        engine.snapshot()
    assert engine.rebuilds > 3
    return result(engine)


@pytest.fixture(scope="module")
def alone() -> list[dict[str, np.ndarray]]:
    """Each run by itself, one after the other."""
    found = [carried_out(*run, None) for run in RUNS]
    for each in found:
        assert len(each["spring"]) > 30 and (each["accounts"][7:9] > 0.0).all(), "they rub"
    return found


def test_engines_at_work_at_the_same_time_give_the_bits_of_each_alone(alone):
    start = threading.Barrier(len(RUNS))
    with ThreadPoolExecutor(len(RUNS)) as pool:
        runs = [pool.submit(carried_out, *run, start) for run in RUNS]
        for expected, run in zip(alone, runs, strict=True):
            assert_same_bits(run.result(300.0), expected)
