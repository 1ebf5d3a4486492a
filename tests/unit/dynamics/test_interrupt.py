"""Ctrl-C in the middle of a run: heard soon, at a whole step, and the run goes on as if nothing had been."""

import signal
import time

import numpy as np
import pytest
from interrupted import advance_interrupted, interrupt

from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.scene.plane import Scene
from clast.shapes import regular, segment

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")


def falling(threads: int) -> Engine:
    scene = Scene(law=Linear(2e5, 1e5, friction=0.4, normal_damping=200.0), gravity=(0.0, -100.0))
    rng = np.random.default_rng(2)
    for k in range(60):
        scene.add(regular(6, 0.03, circumradius=0.1), (0.26 * (k % 10), 0.3 + 0.26 * (k // 10)), angle=rng.uniform(0, 7))
    scene.add_wall(segment((-2.0, 0.0), (5.0, 0.0), 0.05))
    return Engine(scene, dt=1e-4, alpha=0.01, threads=threads)


@pytest.mark.parametrize("threads", [1, 3])
def test_interrupts_change_nothing(threads):
    steps = 12_000
    unbroken = falling(threads)
    unbroken.advance(1)  # compiles
    began = time.perf_counter()
    unbroken.advance(steps)
    engine = falling(threads)
    broken = advance_interrupted(engine, steps, (time.perf_counter() - began) / 20)
    assert broken > 5
    for name, array in engine.checkpoint()[0].items():
        assert np.array_equal(array, unbroken.checkpoint()[0][name]), name


def test_an_interrupt_is_heard_within_half_a_second():
    engine = falling(2)
    engine.advance(200)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        began = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            engine.advance(100_000_000)
        assert time.perf_counter() - began < 0.3 + 0.5
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert engine.step > 200
