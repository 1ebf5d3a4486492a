"""Sharp blocks on each other, on slopes and in a wedge: CSM10's force, Coulomb's law, and no creep (model §4)."""

import math

import numpy as np
import pytest

from clast.dynamics.engine import Engine
from clast.dynamics.space import table
from clast.dynamics.space.arrays import SPIN, VELOCITY
from clast.laws import OverlapEnergy, OverlapVolume
from clast.preparation.settle import unbalanced_force
from clast.scene.space import Scene3D
from clast.scene.tags import Velocity
from clast.shapes.space.make import cuboid
from clast.shapes.space.quaternions import about

G = 10.0
YOUNG = 1e6
SIDES = np.array([1.0, 0.6, 0.3])
BLOCK = cuboid(SIDES, 0.0)
FLOOR = cuboid((18.0, 18.0, 1.0), 0.0).moved((0.0, 0.0, -0.5))
DT = 1e-4
LAWS = [OverlapVolume, OverlapEnergy]


@pytest.mark.parametrize("overlap", [0.1, 1e-3, 1e-6, 1e-9])
def test_aligned_cubes(overlap):
    """F = Y A dx/(L − dx), along the line of centres, to round-off."""
    side = 0.7
    cube = cuboid(side, 0.0)
    scene = Scene3D(law=OverlapVolume(YOUNG))
    scene.add_drawn(cube)
    scene.add_drawn(cube, (side - overlap, 0.0, 0.0))
    snap = Engine(scene, dt=1e-5).snapshot()
    dx = side - (side - overlap)
    assert snap.floats[0, table.PUSH] == pytest.approx(YOUNG * side**2 * dx / (side - dx), rel=1e-15 + 1e-16 * side / dx)
    assert snap.floats[0, table.NORMAL : table.NORMAL + 3] == pytest.approx([1.0, 0.0, 0.0], abs=1e-15)


def test_the_floor_may_be_as_thick_as_one_likes():
    pushes = []
    for thick in (0.1, 1.0, 30.0):
        scene = Scene3D(law=OverlapVolume(YOUNG))
        scene.add_drawn(BLOCK, (0.0, 0.0, 0.14))
        scene.add_wall(cuboid((18.0, 18.0, thick), 0.0).moved((0.0, 0.0, -0.5 * thick)))
        pushes.append(float(Engine(scene, dt=DT).snapshot().floats[0, table.PUSH]))
    assert pushes == pytest.approx([YOUNG * 0.6 * 0.01 / (2 * 0.135 + 0.01)] * 3, rel=1e-2)
    assert pushes[1] == pytest.approx(pushes[0], rel=1e-12) and pushes[2] == pytest.approx(pushes[0], rel=1e-12)


@pytest.mark.parametrize("kind", LAWS)
def test_a_grain_that_a_tag_holds_meets_a_wall(kind):
    """Neither gives way, so neither mass nor size of the other stands in for its own: forces are finite all the same."""
    scene = Scene3D(law=kind(YOUNG, friction=0.5))
    scene.add_drawn(BLOCK, (0.0, 0.0, 0.149), tags=[Velocity(x=0.0, y=0.0, spin=0.0, spin_x=0.0, spin_y=0.0)])
    scene.add_wall(FLOOR)
    engine = Engine(scene, dt=DT)
    engine.advance(10)
    free = Scene3D(law=kind(YOUNG, friction=0.5))
    free.add_drawn(BLOCK, (0.0, 0.0, 0.149))
    free.add_wall(FLOOR)
    other = Engine(free, dt=DT)
    other.advance(10)
    assert engine.snapshot().floats[0, table.PUSH] == pytest.approx(other.snapshot().floats[0, table.PUSH], rel=1e-6)


# --- slopes -----------------------------------------------------------------------------------------------------------


def slope(kind, angle: float, friction: float, companion: bool = False) -> Scene3D:
    """A block on a floor with gravity tilted along its x axis turned by 0.4, sunk in as far as its weight asks for."""
    law = kind(YOUNG, friction=friction, damping=0.3, tangential_damping=0.3)
    down = math.sin(angle) * np.array([math.cos(0.4), math.sin(0.4), 0.0]) - math.cos(angle) * np.array([0.0, 0.0, 1.0])
    scene = Scene3D(law=law, gravity=G * down)
    weight = BLOCK.volume * G * math.cos(angle)
    if kind is OverlapVolume:
        sunk = weight * SIDES[2] / (YOUNG * SIDES[0] * SIDES[1])
    else:
        ball = 2.0 * (3.0 * BLOCK.volume / (4.0 * math.pi)) ** (1.0 / 3.0)
        section = 0.5 * (SIDES[0] * SIDES[1] + SIDES[1] * SIDES[2] + SIDES[2] * SIDES[0])
        sunk = weight * ball * section / (YOUNG * (SIDES[0] * SIDES[1]) ** 2)
    scene.add_drawn(BLOCK, (0.0, 0.0, 0.5 * SIDES[2] - sunk))
    scene.add_wall(FLOOR)
    if companion:
        scene.add_drawn(BLOCK, (5.0, 5.0, 4.0), turn=about((1.0, 2.0, 3.0), 0.3), spin=(1.0, 0.0, 2.0))
    return scene


def block(engine: Engine) -> np.ndarray:
    return engine.snapshot().state.body[np.argsort(engine.order)[0]]


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("part", [0.99, 1.01])
def test_a_block_slips_if_the_slope_is_steeper_than_its_friction(kind, part):
    """1 % below μ = tan θ it stands still, 1 % above it slides, at g (sin θ − μ cos θ)."""
    friction = 0.5
    angle = math.atan(part * friction)
    engine = Engine(slope(kind, angle, friction), dt=DT, alpha=0.05)
    engine.advance(8000)
    start = block(engine)
    engine.advance(16000)
    end = block(engine)
    way = float(np.linalg.norm(end[:2] - start[:2]))
    if part < 1.0:
        assert way < 1e-9 and np.abs(end[VELOCITY : VELOCITY + 3]).max() < 1e-9
    else:
        gained = np.linalg.norm(end[VELOCITY : VELOCITY + 2]) - np.linalg.norm(start[VELOCITY : VELOCITY + 2])
        assert gained / 0.8 == pytest.approx(G * (math.sin(angle) - friction * math.cos(angle)), rel=0.02)


@pytest.mark.parametrize("kind", LAWS)
def test_a_block_out_of_touch_changes_no_bit(kind):
    angle = math.radians(20.0)
    alone, together = (Engine(slope(kind, angle, 0.3, companion), dt=DT) for companion in (False, True))
    for step in (1, 1000, 3000):
        alone.advance(step)
        together.advance(step)
        assert np.array_equal(alone.state.body[0], together.state.body[0])
        assert np.array_equal(alone.state.book[0], together.state.book[0])
    assert np.abs(together.state.body[1, SPIN : SPIN + 3]).max() > 1.0


# --- a wedge ----------------------------------------------------------------------------------------------------------

HEIGHTS = (7, 6, 5, 4, 4, 3, 2, 1)  # blocks of each column, the tall ones uphill: they lean on the lower ones


def wedge(kind, friction: float = 0.7, degrees: float = 26.5, damping: float = 0.25) -> Scene3D:
    """32 cubes on a slope of 26.5° (YADE answers#4142), in columns that touch each other, each block 1e-3 off its place."""
    law = kind(1e5, friction=friction, damping=damping, tangential_damping=damping)
    angle = math.radians(degrees)
    scene = Scene3D(law=law, gravity=(G * math.sin(angle), 0.0, -G * math.cos(angle)))
    rng = np.random.default_rng(5)
    cube = cuboid(1.0, 0.0)
    for column, height in enumerate(HEIGHTS):
        for level in range(height):
            scene.add_drawn(cube, (1.001 * column, 1e-3 * rng.uniform(-1.0, 1.0), 0.5 + level))
    scene.add_wall(cuboid((30.0, 10.0, 1.0), 0.0).moved((4.0, 0.0, -0.5)))
    return scene
