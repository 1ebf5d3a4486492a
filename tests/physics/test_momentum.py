"""Momenta without walls are kept to rounding, whatever the grains do to each other."""

import numpy as np
import pytest

from clast.dynamics.engine import Engine
from clast.laws import Cohesion, Hertz, HertzMindlin, Law, Linear, Rolling
from clast.measures.snapshots.accounts import accounts
from clast.scene.plane import Box, Scene
from clast.shapes import clump, disk, peanut, pebble, polygon, regular, rice

MORE = {"rolling": Rolling(50.0, 0.5), "cohesion": Cohesion(5.0, 0.05)}
LAWS = {
    "elastic": Linear(1e4),
    "frictional": Linear(1e4, 5e3, friction=0.6),
    "damped": Linear(1e4, 5e3, friction=0.6, normal_damping=5.0, tangential_damping=3.0),
    "by angle": Linear(1e4, 5e3, friction=0.6, normal_damping=5.0, tangential_damping=3.0, sliding_by="angle"),
    "papers' cap": Linear(1e4, 5e3, friction=0.6, normal_damping=5.0, tangential_damping=3.0, cap="elastic"),
    "rolling and cohesion": Linear(1e4, 5e3, friction=0.6, normal_damping=5.0, **MORE),
    "hertz": Hertz(5e4, 5e3, friction=0.6, normal_damping=5.0),
    "hertz-mindlin": HertzMindlin(3e4, 1e4, friction=0.6, restitution=0.8, **MORE),
}


def gas(law: Law, box: Box | None = None) -> Scene:
    rng = np.random.default_rng(2)
    shapes = [
        disk(), rice(), peanut(), pebble(), regular(6, 0.1, circumradius=0.5), clump([(0, 0), (0.5, 0.2)], 0.35),
        polygon([(0, 0), (1.2, 0), (1.2, 0.5), (0.5, 0.5), (0.5, 1.2), (0, 1.2)], 0.1),
    ]  # fmt: skip
    scene = Scene(law=law, box=box)
    for k in range(49):
        x, y = 2.0 * (k % 7) + 1.0, 2.0 * (k // 7) + 1.0
        inwards = np.array([7.0 - x, 7.0 - y]) * 0.6
        scene.add(
            shapes[k % 7],
            (x, y),
            angle=rng.uniform(0, 7),
            velocity=inwards + rng.normal(0, 1, 2),
            spin=rng.normal(0, 3),
            density=rng.uniform(0.3, 3),
        )
    return scene


def momenta(engine: Engine) -> tuple[np.ndarray, np.ndarray]:
    """Linear and angular momentum about the origin, and the size of their terms."""
    seen = engine.snapshot()
    mass, inertia = 1.0 / seen.inverse_masses, 1.0 / seen.inverse_inertias
    (x, y), (vx, vy) = seen.positions.T, seen.velocities.T
    terms = np.stack([mass * vx, mass * vy, mass * (x * vy - y * vx) + inertia * seen.spins])
    return terms.sum(axis=1), np.abs(terms).sum(axis=1)


@pytest.mark.parametrize("law", LAWS)
def test_momenta_in_the_open(law, device):
    engine = Engine(gas(LAWS[law]), dt=5e-4, device=device)
    before, _ = momenta(engine)
    touched = 0
    for step in range(400, 4001, 400):
        engine.advance(step)
        touched += len(engine.snapshot().contacts)
        now, size = momenta(engine)
        assert (np.abs(now - before) < 1e-12 * size).all()
    assert touched > 30
    book = accounts(engine, engine.snapshot())
    assert (book["heat_sliding"] > 0.0) == (law != "elastic")


@pytest.mark.parametrize("law", LAWS)
def test_linear_momentum_in_a_periodic_cell(law, device):
    engine = Engine(gas(LAWS[law], Box(14.0, 14.0)), dt=5e-4, device=device)
    before, _ = momenta(engine)
    engine.advance(4000)
    now, size = momenta(engine)
    assert (np.abs(now - before) < 1e-12 * size)[:2].all()


def test_a_single_body_flies_straight():
    scene = Scene(law=Linear(1e4), gravity=(0.0, -10.0))
    scene.add(peanut(), (0, 0), velocity=(1.0, 2.0), spin=30.0)
    engine = Engine(scene, dt=1e-3)
    engine.advance(3000)
    seen = engine.snapshot()
    assert seen.positions[0] == pytest.approx([3.0, 6.0 - 45.0], rel=1e-12)
    assert seen.velocities[0] == pytest.approx([1.0, 2.0 - 30.0], rel=1e-12) and seen.spins[0] == pytest.approx(30.0, rel=1e-12)
    assert seen.angles[0] == pytest.approx(90.0, abs=1e-11)
