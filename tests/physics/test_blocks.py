"""Blocks on slopes and floors: Coulomb's law with no creep."""

import math

import numpy as np
import pytest
from same_bits import assert_out_of_touch

from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.scene.plane import Scene
from clast.shapes import polygon, segment

G = 10.0
R = 0.05
HALF = np.array([0.5, 0.15])
BLOCK = polygon([(-0.5, -0.15), (0.5, -0.15), (0.5, 0.15), (-0.5, 0.15)], R)
STIFFNESS = 1e5


def slope(angle: float, friction: float, companion: bool = False, damping: float = 50.0) -> Scene:
    law = Linear(STIFFNESS, 0.5 * STIFFNESS, friction=friction, normal_damping=damping, tangential_damping=damping)
    scene = Scene(law=law, gravity=(0.0, -G))
    down, up = np.array([math.cos(angle), -math.sin(angle)]), np.array([math.sin(angle), math.cos(angle)])
    scene.add_wall(segment(-30 * down, 30 * down, R))
    sunk = BLOCK.area * G * math.cos(angle) / (2 * STIFFNESS)  # two corners carry it
    scene.add(BLOCK, (HALF[1] + 2 * R - sunk) * up, angle=-angle)
    if companion:
        scene.add(BLOCK, 20 * down + 5 * up, angle=0.3, spin=1.0)
    return scene


def along(engine: Engine, angle: float) -> np.ndarray:
    """Position and velocity of the block down the slope."""
    seen, down = engine.snapshot(), np.array([math.cos(angle), -math.sin(angle)])
    return np.array([seen.positions[1] @ down, seen.velocities[1] @ down])


@pytest.mark.parametrize("degrees, friction", [(20.0, 0.2), (20.0, 0.35), (35.0, 0.5), (10.0, 0.0)])
def test_a_block_slides_where_the_slope_is_steep(degrees, friction):
    angle = math.radians(degrees)
    assert math.tan(angle) > friction
    engine = Engine(slope(angle, friction), dt=1e-4)
    engine.advance(3000)
    (x0, v0), t0 = along(engine, angle), engine.time
    engine.advance(13000)
    (x1, v1), t = along(engine, angle), engine.time - t0
    expected = G * (math.sin(angle) - friction * math.cos(angle))
    assert (v1 - v0) / t == pytest.approx(expected, rel=0.01)
    assert x1 - x0 == pytest.approx(v0 * t + 0.5 * expected * t * t, rel=0.01)


@pytest.mark.parametrize("friction", [math.tan(math.radians(21.0)), 1.0])
def test_a_block_rests_where_it_is_not(friction):
    angle = math.radians(20.0)
    engine = Engine(slope(angle, friction), dt=1e-4)
    engine.advance(20000)
    x0, _ = along(engine, angle)
    engine.advance(60000)
    x1, v1 = along(engine, angle)
    assert abs(x1 - x0) < 1e-10
    assert abs(v1) < 1e-10
    assert abs(x0) < 1e-3


def test_a_block_out_of_touch_changes_no_bit():
    angle = math.radians(20.0)
    alone = Engine(slope(angle, 0.3), dt=1e-4)
    together = Engine(slope(angle, 0.3, companion=True), dt=1e-4)
    assert_out_of_touch(alone, together, who=1, steps=(1, 1000, 5000))
    assert not np.array_equal(together.positions[2], Engine(slope(angle, 0.3, companion=True)).positions[2])


@pytest.mark.parametrize("damping", [0.0, 50.0], ids=["undamped", "damped"])
def test_a_block_on_a_floor_does_not_creep(damping):
    engine = Engine(slope(0.0, 0.5, damping=damping), dt=1e-4)
    engine.advance(1)
    start = engine.snapshot()
    engine.advance(100_000)
    end = engine.snapshot()
    assert np.abs(end.positions - start.positions).max() < 1e-9 and np.abs(end.angles - start.angles).max() < 1e-9
    assert np.abs(end.velocities).max() < 1e-8 and np.abs(end.spins).max() < 1e-8
