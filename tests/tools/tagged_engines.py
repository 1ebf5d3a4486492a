"""Engines for tests of what is imposed on bodies: a law, grains, values that change with time, and what is read off."""

import math

import numpy as np

from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.scene.plane import Scene
from clast.scene.timed import Harmonic, Ramp, Table
from clast.shapes import disk, segment

K = 1e4
LAW = Linear(K, 0.5 * K, friction=0.5, normal_damping=10.0, tangential_damping=5.0)
BALL = disk(radius=0.5)
BAR = segment((-1.0, 0.0), (1.0, 0.0), 0.1)
TIMED = {
    "function": lambda t: math.sin(3 * t) + t * t,
    "harmonic": Harmonic(0.7, period=1.3, mean=0.2, phase=0.4),
    "smooth ramp": Ramp(-0.3, 1.0, finish=1.7, smooth=True),
    "ramp": Ramp(-0.3, 1.0, begin=0.1, finish=0.8),
    "table": Table([0.0, 0.3, 1.0], [0.0, 1.0, -1.0]),
    "steps": Table([0.0, 0.3, 0.77], [0.0, 1.0, -1.0], steps=True),
}


def engine_of(scene: Scene, dt: float, **given) -> Engine:
    return Engine(scene, dt=dt, alpha=0.05, **given)


def by_id(engine: Engine) -> np.ndarray:
    """x, y, angle, velocity x, y, spin at the present time, rows by id."""
    seen = engine.snapshot()
    return np.column_stack([seen.positions, seen.angles, seen.velocities, seen.spins])
