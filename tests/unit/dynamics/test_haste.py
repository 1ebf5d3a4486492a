"""Who passes through another body unseen is named: one so fast that it steps over it, and one that only its tags move."""

import math

import numpy as np
import pytest

from clast.dynamics.engine import Engine
from clast.errors import OverlapError, SpeedError
from clast.laws import Linear, OverlapVolume
from clast.scene.plane import Box, Scene
from clast.scene.space import Scene3D
from clast.scene.tags import Fixed, Velocity
from clast.shapes import cuboid, disk, regular, segment, sphere

STIFFNESS, DT = 1e4, 1e-3
STILL = {"spin_x": 0.0, "spin_y": 0.0, "spin": 0.0}


def in_plane(grain, height, **motion):
    """A grain over a thin wall, which it may pass."""
    scene = Scene(law=Linear(STIFFNESS))
    scene.add_wall(segment((-5.0, 0.0), (5.0, 0.0), radius=0.01))
    scene.add(grain, (0.0, height), density=100.0, **motion)
    return scene


def in_space(grain, height, **motion):
    """The same in space."""
    scene = Scene3D(law=Linear(STIFFNESS))
    scene.add_wall(cuboid((4.0, 4.0, 0.01), 0.01))
    scene.add(grain, (0.0, 0.0, height), density=100.0, **motion)
    return scene


def sharp(height, **motion):
    """The same of sharp bodies: a cube over a thin slab."""
    scene = Scene3D(law=OverlapVolume(1e4))
    scene.add_wall(cuboid((4.0, 4.0, 0.1), 0.0))
    scene.add(cuboid((0.5, 0.5, 0.5), 0.0), (0.0, 0.0, height), density=100.0, **motion)
    return scene


def down(speed, axes):
    return {"velocity": (*(0.0,) * (axes - 1), -speed)}


SCENES = {
    "disk": lambda height, **motion: in_plane(disk(0.05), height, **(motion or down(100.0, 2))),
    "hexagon": lambda height, **motion: in_plane(regular(6, 0.05, side=0.2), height, **(motion or down(100.0, 2))),
    "sphere": lambda height, **motion: in_space(sphere(0.05), height, **(motion or down(100.0, 3))),
    "cube": lambda height, **motion: in_space(cuboid((0.2, 0.2, 0.2), 0.05), height, **(motion or down(100.0, 3))),
    "sharp": lambda height, **motion: sharp(height, **(motion or down(100.0, 3))),
}


@pytest.mark.parametrize("name", SCENES)
def test_a_grain_that_steps_over_a_wall_is_named(name):
    said = []
    for alpha in (0.005, 0.05, 0.4):
        engine = Engine(SCENES[name](2.03), dt=DT, alpha=alpha)
        with pytest.raises(SpeedError, match=r"bodies 0 and 1 move 0\.1 against each other in one step of 0\.001") as raised:
            engine.advance(400)
        said.append(str(raised.value))
    assert len(set(said)) == 1, said
    assert "at a speed of 100" in said[0] and "take a time step below" in said[0]


@pytest.mark.parametrize("name", SCENES)
def test_a_grain_in_open_space_may_be_as_fast_as_it_likes(name):
    engine = Engine(SCENES[name](-2.0), dt=DT, alpha=0.05)
    engine.advance(100)
    assert engine.positions.min() == pytest.approx(-12.0)


@pytest.mark.parametrize("name", SCENES)
def test_the_step_that_the_message_names_is_short_enough(name):
    scene = SCENES[name](2.03)
    with pytest.raises(SpeedError) as raised:
        Engine(scene, dt=DT).advance(400)
    named = float(str(raised.value).split("take a time step below ")[1].split(",")[0])
    engine = Engine(SCENES[name](2.03), dt=0.9 * named)
    with pytest.raises(OverlapError, match="bodies 1 and 0 overlap"):  # too fast for its stiffness: seen
        engine.advance(round(0.03 / (0.9 * named)))


def test_speed_is_that_of_one_against_the_other():
    """A wall with its grains may move as fast as it likes."""
    for speed in (0.0, 300.0):
        scene = Scene(law=Linear(STIFFNESS))
        drive = [Velocity(x=speed, y=0.0, spin=0.0)]
        scene.add_wall(segment((-5.0, 0.0), (5.0, 0.0), radius=0.05), tags=drive)
        for x in (-1.0, 1.0):
            scene.add(disk(0.05), (x, 0.2), velocity=(speed, -1.0), density=100.0)
        engine = Engine(scene, dt=DT)
        engine.advance(250)
        assert (engine.velocities[1:, 1] > 0.99).all()


def test_a_blade_that_turns_too_fast_is_named():
    """The tips of a blade step over a grain beside it; a blade in open space, and one that is slow, do not."""
    for spin, away, caught in ((200.0, 0.9, True), (200.0, 3.0, False), (2.0, 0.9, False)):
        scene = Scene(law=Linear(STIFFNESS))
        scene.add(segment((-1.0, 0.0), (1.0, 0.0), radius=0.05), (0.0, 0.0), tags=[Velocity(x=0.0, y=0.0, spin=spin)])
        scene.add(disk(0.05), (0.0, away), density=1000.0)
        engine = Engine(scene, dt=DT)
        if caught:
            with pytest.raises(SpeedError, match="bodies 0 and 1 move"):
                engine.advance(40)
        else:
            engine.advance(40)


def test_tips_that_step_over_a_wall_are_named():
    """The middle of the blade does not move."""
    for away, caught in ((0.9, True), (3.0, False)):
        scene = Scene(law=Linear(STIFFNESS))
        scene.add_wall(segment((-5.0, 0.0), (5.0, 0.0), radius=0.01))
        scene.add(segment((-1.0, 0.0), (1.0, 0.0), radius=0.05), (0.0, away), spin=200.0, density=100.0)
        engine = Engine(scene, dt=DT)
        if caught:
            with pytest.raises(SpeedError, match="bodies 0 and 1 move"):
                engine.advance(40)
        else:
            engine.advance(40)


def test_across_a_periodic_side():
    scene = Scene(law=Linear(STIFFNESS), box=Box(4.0, 4.0))
    scene.add(disk(0.05), (0.1, 1.0), density=100.0)
    scene.add(disk(0.05), (3.8, 1.0), velocity=(200.0, 0.0), density=100.0)
    with pytest.raises(SpeedError, match="bodies 0 and 1"):
        Engine(scene, dt=DT).advance(10)


def test_half_the_width_of_a_sharp_body():
    assert Engine(sharp(1.0), dt=DT).thickness == pytest.approx([0.05, 0.25])
    assert Engine(in_space(sphere(0.3), 1.0), dt=DT).thickness == pytest.approx([0.01, 0.3])


# --- bodies that only tags move ----------------------------------------------------------------------------------------------


PUSHED = {
    "disk": lambda tag: in_plane(disk(0.05), 0.3, tags=[tag]),
    "hexagon": lambda tag: in_plane(regular(6, 0.05, side=0.2), 0.4, tags=[tag]),
    "sphere": lambda tag: in_space(sphere(0.05), 0.3, tags=[tag]),
    "cube": lambda tag: in_space(cuboid((0.2, 0.2, 0.2), 0.05), 0.4, tags=[tag]),
    "sharp": lambda tag: sharp(0.5, tags=[tag]),
}


def drive(name, speed):
    """A tag for a grain that goes up and down."""
    return Velocity(x=0.0, y=speed, spin=0.0) if name in ("disk", "hexagon") else Velocity(x=0.0, y=0.0, z=speed, **STILL)


@pytest.mark.parametrize("name", PUSHED)
def test_a_prescribed_grain_that_goes_through_a_wall_is_named(name):
    said = []
    for alpha, pieces in ((0.005, 1), (0.4, 7)):
        engine = Engine(PUSHED[name](drive(name, -1.0)), dt=DT, alpha=alpha)
        with pytest.raises(OverlapError, match=r"bodies 0 and 1 overlap by .* every component of both is prescribed") as raised:
            for k in range(pieces):
                engine.advance(800 * (k + 1) // pieces)
        said.append(str(raised.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("name", PUSHED)
def test_one_that_turns_back_in_time_is_left_alone(name):
    engine = Engine(PUSHED[name](drive(name, lambda t: -1.0 if t < 0.2 else 1.0)), dt=DT)
    engine.advance(800)


def test_a_sudden_start_is_not_missed():
    """The looks are planned from what tags will prescribe, not from what they do now."""
    engine = Engine(PUSHED["disk"](drive("disk", lambda t: 0.0 if t < 1.7 else -5.0)), dt=DT)
    with pytest.raises(OverlapError, match="every component of both"):
        engine.advance(4000)


def test_a_function_need_not_be_known_beyond_the_end():
    """Where it is not, every step is looked at."""

    def velocity(t):
        if t > 0.45:
            raise ValueError("nobody wants this")
        return -1.0

    Engine(PUSHED["disk"](drive("disk", velocity)), dt=DT).advance(100)
    with pytest.raises(OverlapError, match="every component of both"):
        Engine(PUSHED["disk"](drive("disk", velocity)), dt=DT).advance(400)


def test_parts_of_one_thing_may_overlap():
    """Grains that overlap deeply from the start and move together."""
    scene = Scene(law=Linear(STIFFNESS))
    for x in (0.0, 0.01):
        scene.add(disk(0.1), (x, 0.0), tags=[Velocity(x=1.0, y=0.0, spin=0.0)])
    scene.add(disk(0.1), (0.0, 1.0), tags=[Fixed()])
    scene.add(disk(0.1), (0.01, 1.0), tags=[Fixed()])
    engine = Engine(scene, dt=DT)
    engine.advance(500)
    assert engine.pairs == 0


def test_looks_leave_no_trace():
    """The bits of a run are the same with and without a body that is looked after."""
    found = []
    for extra in (False, True):
        scene = Scene(law=Linear(1e4, 5e3, friction=0.5), gravity=(0.0, -10.0))
        scene.add_wall(segment((-5.0, 0.0), (5.0, 0.0), radius=0.05))
        for k in range(3):
            scene.add(regular(5, 0.1, side=0.3), (0.8 * k, 0.5 + 0.1 * k), angle=k, spin=2.0 - k)
        if extra:
            scene.add(disk(0.1), (0.0, 4.0), tags=[Velocity(x=0.1, y=0.0, spin=0.0)])
        engine = Engine(scene, dt=2e-4, alpha=0.05)
        engine.advance(3000)
        found.append(engine.snapshot().positions[:4])
    assert np.array_equal(*found)
    assert math.isfinite(found[0].sum())
