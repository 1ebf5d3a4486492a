"""Blocks in space on slopes, floors and each other: Coulomb's law with no creep."""

import math
import runpy
from pathlib import Path

import numpy as np
import pytest
from same_bits import assert_out_of_touch

from clast.algebra.quaternions import about
from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.protocols.settle import unbalanced_force
from clast.scene.space import Scene3D
from clast.shapes.space.make import cuboid, plate

BARS = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "space_bars.py"))
G = 10.0
R = 0.05
SIDES = np.array([1.0, 0.6, 0.3])
BLOCK = cuboid(SIDES, R)
STIFFNESS = 1e5
FLOOR = plate([(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)], R)
DT = 1e-4


def slope(angle: float, friction: float, heading: float = 0.0, companion: bool = False, damping: float = 100.0) -> Scene3D:
    """A block on a floor, down which gravity pulls along the block's own x axis turned by `heading` about the normal."""
    law = Linear(STIFFNESS, 0.5 * STIFFNESS, friction=friction, normal_damping=damping, tangential_damping=damping)
    down = math.sin(angle) * np.array([math.cos(heading), math.sin(heading), 0.0]) - math.cos(angle) * np.array([0.0, 0.0, 1.0])
    scene = Scene3D(law=law, gravity=G * down)
    scene.add_wall(FLOOR)
    sunk = BLOCK.volume * G * math.cos(angle) / (4 * STIFFNESS)  # four corners carry it
    scene.add_drawn(BLOCK, (0.0, 0.0, 0.5 * SIDES[2] + 2 * R - sunk))
    if companion:
        scene.add_drawn(BLOCK, (5.0, 5.0, 4.0), turn=about((1.0, 2.0, 3.0), 0.3), spin=(1.0, 0.0, 2.0))
    return scene


def block(engine: Engine) -> tuple[np.ndarray, np.ndarray]:
    """Place and orientation, velocity and spin of the block."""
    seen = engine.snapshot()
    return np.array([*seen.positions[1], *seen.orientations[1]]), np.array([*seen.velocities[1], *seen.spins[1]])


@pytest.mark.parametrize("degrees, friction, heading", [(20.0, 0.2, 0.0), (35.0, 0.5, 0.7), (10.0, 0.0, 1.2)])
def test_a_block_slides_where_the_slope_is_steep(degrees, friction, heading):
    """a = g (sin θ − μ cos θ), straight down whatever way the block is turned."""
    angle = math.radians(degrees)
    assert math.tan(angle) > friction
    engine = Engine(slope(angle, friction, heading), dt=DT, alpha=0.1)
    engine.advance(3000)
    (start, slow), began = block(engine), engine.time
    engine.advance(8000)
    (end, fast), t = block(engine), engine.time - began
    down = np.array([math.cos(heading), math.sin(heading), 0.0])
    expected = G * (math.sin(angle) - friction * math.cos(angle))
    speed, change = slow[:3], fast[:3] - slow[:3]
    assert change @ down / t == pytest.approx(expected, rel=0.01)
    assert (end[:3] - start[:3]) @ down == pytest.approx(speed @ down * t + 0.5 * expected * t * t, rel=0.01)
    assert abs(np.cross(down, change)[2]) < 0.01 * expected * t


@pytest.mark.parametrize("friction", [math.tan(math.radians(21.0)), 1.0])
def test_a_block_rests_where_it_is_not(friction):
    engine = Engine(slope(math.radians(20.0), friction, 0.4), dt=DT, alpha=0.1)
    engine.advance(20_000)
    start, _ = block(engine)
    engine.advance(30_000)
    end, motion = block(engine)
    assert np.abs(start[:2]).max() < 1e-3
    assert np.abs(end - start).max() < 1e-10
    assert np.abs(motion).max() < 1e-9
    assert unbalanced_force(engine)[0] < 1e-6


def test_a_block_out_of_touch_changes_no_bit():
    angle = math.radians(20.0)
    alone = Engine(slope(angle, 0.3), dt=DT)
    together = Engine(slope(angle, 0.3, companion=True), dt=DT)
    assert_out_of_touch(alone, together, who=1, steps=(1, 1000, 3000))
    assert np.abs(together.spins[2]).max() > 1.0


@pytest.mark.parametrize("damping", [0.0, 100.0], ids=["undamped", "damped"])
def test_a_block_on_a_floor_does_not_creep(damping):
    engine = Engine(slope(0.0, 0.5, damping=damping), dt=DT, alpha=0.1)
    engine.advance(1)
    start, _ = block(engine)
    engine.advance(30_000)
    end, motion = block(engine)
    assert np.abs(end - start).max() < 1e-9
    assert np.abs(motion).max() < 1e-8
    assert unbalanced_force(engine)[0] < 1e-6


def test_a_column_of_blocks_comes_to_rest():
    """Five blocks each on the one below, crosswise: edges lie on edges, and some corners hang over."""
    law = Linear(STIFFNESS, 0.5 * STIFFNESS, friction=0.5, normal_damping=200.0, tangential_damping=100.0)
    scene = Scene3D(law=law, gravity=(0.0, 0.0, -G))
    scene.add_wall(FLOOR)
    for k in range(5):
        scene.add_drawn(
            BLOCK, (0.02 * k, 0.0, (SIDES[2] + 2 * R) * (k + 0.5) + R), turn=about((0, 0, 1), 0.5 * math.pi * (k % 2))
        )
    engine = Engine(scene, dt=DT, alpha=0.1)
    engine.advance(60_000)
    places, turns = engine.positions, engine.orientations
    engine.advance(70_000)
    assert unbalanced_force(engine)[0] < 1e-6
    assert np.abs(engine.positions - places).max() < 1e-8 and np.abs(engine.orientations - turns).max() < 1e-8


def on_a_beam(aside: float, friction: float, angle: float) -> float:
    """Acceleration of a block along a beam as wide as itself that slopes by `angle`, put `aside` from flush."""
    law = Linear(STIFFNESS, 0.5 * STIFFNESS, friction=friction, normal_damping=100.0, tangential_damping=100.0)
    scene = Scene3D(law=law, gravity=(G * math.sin(angle), 0.0, -G * math.cos(angle)))
    scene.add_wall(cuboid((6.0, 0.6, 0.5), R))
    scene.add_drawn(BLOCK, (0.0, aside, 0.25 + 0.5 * SIDES[2] + 2 * R - BLOCK.volume * G * math.cos(angle) / (4 * STIFFNESS)))
    engine = Engine(scene, dt=DT, alpha=0.1)
    engine.advance(2000)
    before, began = block(engine)[1][0], engine.time
    engine.advance(4000)
    return float(block(engine)[1][0] - before) / (engine.time - began)


@pytest.mark.parametrize("aside", [
    0.0, 0.05,
    1e-6,
])  # fmt: skip
def test_friction_of_edges_that_are_flush_is_that_of_the_load(aside):
    """Where edges of both lie side by side some features count negative; the friction of all must still be μ times the load."""
    angle, friction = math.radians(25.0), 0.4
    expected = G * (math.sin(angle) - friction * math.cos(angle))
    assert on_a_beam(aside, friction, angle) == pytest.approx(expected, rel=0.02)


@pytest.mark.validate
@pytest.mark.parametrize("uneven", [
    0.01,
    0.0,
])  # fmt: skip
def test_a_wall_of_32_blocks_stands_still(uneven):
    unbalanced, way, turn, _ = BARS["still_wall"](uneven)
    print(
        f"\nwall of 32 blocks: unbalanced force {unbalanced:.1e}, in 1e4 steps moved by {way:.1e}, turned by {turn:.1e}", end=""
    )
    assert unbalanced < 1e-6
    assert max(way, turn) < 1e-8
