"""Sharp blocks on each other, on slopes and in a wedge: CSM10's force, Coulomb's law, and no creep (model §4)."""

import math

import numpy as np
import pytest
from same_bits import assert_out_of_touch

from clast.algebra.quaternions import about
from clast.dynamics.engine import Engine
from clast.laws import OverlapEnergy, OverlapVolume
from clast.protocols.settle import unbalanced_force
from clast.scene.space import Scene3D
from clast.scene.tags import Velocity
from clast.shapes.space.make import cuboid

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
    contacts = Engine(scene, dt=1e-5).snapshot().contacts
    dx = side - (side - overlap)
    assert contacts.pushes[0] == pytest.approx(YOUNG * side**2 * dx / (side - dx), rel=1e-15 + 1e-16 * side / dx)
    assert contacts.normals[0] == pytest.approx([1.0, 0.0, 0.0], abs=1e-15)


def test_the_floor_may_be_as_thick_as_one_likes():
    pushes = []
    for thick in (0.1, 1.0, 30.0):
        scene = Scene3D(law=OverlapVolume(YOUNG))
        scene.add_drawn(BLOCK, (0.0, 0.0, 0.14))
        scene.add_wall(cuboid((18.0, 18.0, thick), 0.0).moved((0.0, 0.0, -0.5 * thick)))
        pushes.append(float(Engine(scene, dt=DT).snapshot().contacts.pushes[0]))
    assert pushes == pytest.approx([YOUNG * 0.6 * 0.01 / 0.29] * 3, rel=1e-12)


@pytest.mark.parametrize("kind", LAWS)
def test_a_grain_that_a_tag_holds_meets_a_wall(kind):
    """Neither gives way, so neither mass nor size of the other stands in for its own: forces are finite all the same."""
    scene = Scene3D(law=kind(YOUNG, friction=0.5))
    scene.add_drawn(BLOCK, (0.0, 0.0, 0.149), tags=[Velocity(x=0.0, y=0.0, spin=0.0, spin_x=0.0, spin_y=0.0)])
    scene.add_wall(FLOOR)
    engine = Engine(scene, dt=DT)
    engine.advance(3)
    free = Scene3D(law=kind(YOUNG, friction=0.5))
    free.add_drawn(BLOCK, (0.0, 0.0, 0.149))
    free.add_wall(FLOOR)
    other = Engine(free, dt=DT)
    other.advance(3)
    assert engine.snapshot().contacts.pushes[0] == pytest.approx(other.snapshot().contacts.pushes[0], rel=1e-6)


# --- slopes -----------------------------------------------------------------------------------------------------------


def slope(kind, angle: float, friction: float, heading: float = 0.4, companion: bool = False) -> Scene3D:
    """A block on a floor with gravity tilted along its x axis turned by `heading`, sunk in as far as its weight asks for."""
    law = kind(YOUNG, friction=friction, damping=0.3, tangential_damping=0.3)
    down = math.sin(angle) * np.array([math.cos(heading), math.sin(heading), 0.0]) - math.cos(angle) * np.array([0.0, 0.0, 1.0])
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


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("heading", [0.0, 0.4])
@pytest.mark.parametrize("part", [0.99, 1.01])
def test_a_block_slips_if_the_slope_is_steeper_than_its_friction(kind, part, heading):
    """1 % below μ = tan θ it stands still, 1 % above it slides, at g (sin θ − μ cos θ).

    An overlap has one spring, which nothing holds against twisting: what the first moments have left of a turn about the normal
    stays, and moves the centre of a block that stands askew by some 1e-6.
    """
    friction = 0.5
    angle = math.atan(part * friction)
    engine = Engine(slope(kind, angle, friction, heading), dt=DT, alpha=0.05)
    engine.advance(4000)
    start = engine.snapshot()
    engine.advance(8000)
    end = engine.snapshot()
    way = float(np.linalg.norm((end.positions - start.positions)[0, :2]))
    if part < 1.0:
        assert way < (1e-9 if heading == 0.0 else 2e-6)
        assert abs(end.spins[0, 2]) <= (1e-9 if heading == 0.0 else 2e-5)
        assert np.abs(end.spins[0, :2]).max() < 1e-9
    else:
        gained = np.linalg.norm(end.velocities[0, :2]) - np.linalg.norm(start.velocities[0, :2])
        assert gained / 0.4 == pytest.approx(G * (math.sin(angle) - friction * math.cos(angle)), rel=0.01)


@pytest.mark.parametrize("kind", LAWS)
def test_a_block_out_of_touch_changes_no_bit(kind):
    angle = math.radians(20.0)
    alone, together = (Engine(slope(kind, angle, 0.3, companion=companion), dt=DT) for companion in (False, True))
    assert_out_of_touch(alone, together, who=0, steps=(1, 1000, 3000))
    assert np.abs(together.spins[-1]).max() > 1.0


# --- a wedge ----------------------------------------------------------------------------------------------------------

LAYERS = (8, 7, 6, 5, 4, 2)  # blocks of each layer, in bond: each lies on two of the layer below


def wedge(kind, friction: float = 0.7, degrees: float = 26.5, damping: float = 0.25, drag: float = 5.0) -> Scene3D:
    """32 blocks laid in bond to a wedge on a slope of 26.5° (YADE answers#4142), flush but for 1e-3 across it.

    An overlap has one dashpot, at its centroid: blocks that rock or twist about it are slowed down by the drag alone.
    """
    law = kind(1e5, friction=friction, damping=damping, tangential_damping=damping)
    angle = math.radians(degrees)
    scene = Scene3D(law=law, gravity=(G * math.sin(angle), 0.0, -G * math.cos(angle)), drag=drag)
    rng = np.random.default_rng(5)
    brick = cuboid((1.0, 0.6, 0.5), 0.0)
    for level, count in enumerate(LAYERS):
        for k in range(count):
            scene.add_drawn(brick, (k - 0.5 * (count - 1), 1e-3 * rng.uniform(-1.0, 1.0), 0.25 + 0.5 * level))
    scene.add_wall(cuboid((30.0, 10.0, 1.0), 0.0).moved((0.0, 0.0, -0.5)))
    return scene


def crept(kind, rest: float, more: float) -> tuple[float, float, float, float]:
    """After `rest`: the largest way and turn of a block in a time `more`, the unbalanced force, the way since the start."""
    engine = Engine(wedge(kind), alpha=0.02)
    first = engine.positions
    engine.advance(round(rest / engine.dt))
    places, turns = engine.positions, engine.orientations
    engine.advance(round((rest + more) / engine.dt))
    moved, turned = np.abs(engine.positions - places).max(), np.abs(engine.orientations - turns).max()
    return float(moved), float(turned), unbalanced_force(engine)[0], float(np.abs(engine.positions - first).max())


def test_a_wedge_comes_to_rest():
    way, turn, unbalanced, whole = crept(OverlapEnergy, 2.5, 0.5)
    assert way < 1e-5 and turn < 1e-4 and unbalanced < 1e-4
    assert whole < 0.05


@pytest.mark.validate
@pytest.mark.parametrize("kind, rest", [(OverlapVolume, 25.0), (OverlapEnergy, 16.0)])
def test_a_wedge_does_not_creep(kind, rest):
    way, turn, unbalanced, whole = crept(kind, rest, rest)
    print(
        f"\n{kind.__name__}: settled by {whole:.1e}; in {rest} more it moved by {way:.1e}, turned by {turn:.1e}, unbalanced "
        f"force {unbalanced:.1e}", end="",
    )  # fmt: skip
    assert way < 1e-8 and turn < 1e-8 and unbalanced < 1e-8
    assert whole < 0.05


def test_a_wedge_with_too_little_friction_slides():
    engine = Engine(wedge(OverlapEnergy, friction=0.4, drag=0.0, damping=0.5), alpha=0.05)
    engine.advance(round(1.5 / engine.dt))
    assert engine.positions[:-1, 0].mean() > 0.3
