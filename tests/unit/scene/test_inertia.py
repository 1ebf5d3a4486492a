"""Moments of inertia that a user gives, and tags on walls that are fixed."""

import math
from pathlib import Path

import numpy as np
import pytest

import clast
from clast.dynamics.engine import Engine
from clast.errors import ClastError, SceneError
from clast.scene_files.reading import parse, scene_of
from clast.shapes import cuboid, disk, segment, sphere

LAW = clast.Linear(1e2)


def turned(inertia: float | None) -> Engine:
    """A disk under a torque of 2 for one unit of time."""
    scene = clast.Scene(law=LAW)
    scene.add(disk(radius=0.1), (0.0, 0.0), mass=3.0, inertia=inertia, tags=[clast.Force(torque=2.0)])
    return Engine(scene, dt=1e-2)


def test_a_torque_turns_by_the_moment_that_was_given():
    engine, usual = turned(0.5), turned(None)
    for each in (engine, usual):
        each.advance(100)
    assert engine.snapshot().spins[0] == pytest.approx(4.0)
    assert usual.snapshot().spins[0] == pytest.approx(2.0 / (0.5 * 3.0 * 0.01))


def test_in_space_a_body_precesses_by_the_moments_that_were_given():
    """A free symmetric body: its spin goes round its axis at (I_3 − I_1)/I_1 ω_3, seen from the body."""
    scene = clast.Scene3D(law=LAW)
    scene.add(cuboid((1.0, 1.0, 1.0), 0.1), (0.0, 0.0, 0.0), inertia=(2.0, 2.0, 3.0), spin=(0.1, 0.0, 1.0))
    scene.add_drawn(sphere(0.5), (5.0, 0.0, 0.0), inertia=(2.0, 2.0, 3.0), spin=(0.1, 0.0, 1.0))
    engine = Engine(scene, dt=1e-3)
    seen = engine.snapshot()
    assert np.allclose(1.0 / seen.inverse_inertias, [2.0, 2.0, 3.0])
    engine.advance(2000)
    after = engine.snapshot()
    momentum = np.hypot(0.2, 3.0) / 2.0  # of the axis about the angular momentum, seen from outside
    assert after.spins[0] == pytest.approx(after.spins[1], abs=1e-12)
    axis = np.array([0.2, 0.0, 3.0]) / math.hypot(0.2, 3.0)
    sideways = seen.spins[0] - (seen.spins[0] @ axis) * axis
    about = np.cross(axis, sideways)
    angle = momentum * 2.0
    expected = (seen.spins[0] @ axis) * axis + math.cos(angle) * sideways + math.sin(angle) * about
    assert after.spins[0] == pytest.approx(expected, abs=1e-5)


def test_it_is_part_of_the_identity_of_a_run():
    assert turned(0.5).identity != turned(0.6).identity
    assert turned(0.5).identity == turned(0.5).identity


@pytest.mark.parametrize(
    ("inertia", "more", "match"),
    [
        (-1.0, {}, "body 0: inertia = -1.0 must be positive"),
        ("heavy", {}, "body 0: inertia = .*must be a number"),
        (math.nan, {}, "finite"),
        ((1.0, 2.0), {}, "must be a number"),
        (1.0, {"big": True}, "body 0: inertia of a big body needs its mass as well"),
    ],
)
def test_what_is_refused_in_the_plane(inertia, more, match):
    with pytest.raises(SceneError, match=match):
        clast.Scene(law=LAW).add(disk(), (0, 0), inertia=inertia, **more)


@pytest.mark.parametrize(
    ("inertia", "match"),
    [
        (1.0, "must be 3 numbers"),
        ((1.0, 1.0, 0.0), "must be positive"),
        ((1.0, 1.0, 2.5), "is that of no body: the largest moment is above the sum of the two others"),
    ],
)
def test_what_is_refused_in_space(inertia, match):
    scene = clast.Scene3D(law=LAW)
    with pytest.raises(SceneError, match=match):
        scene.add(sphere(0.5), (0, 0, 0), inertia=inertia)
    if inertia != 1.0:
        with pytest.raises(SceneError, match=f"row 1, body 2: .*{match}|body 1: .*{match}"):
            scene.add_many(sphere(0.5), [(0, 0, 0), (2, 0, 0)], inertia=[(1.0, 1.0, 1.0), inertia])
    assert len(scene) == 0


TEXT = """
law = { kind = "linear", normal_stiffness = 1e5 }
[[grains]]
shape = "disk"
position = [0.0, 0.0]
inertia = 0.25
[run]
until = 1.0
"""
SPACE = """
dimension = 3
law = { kind = "linear", normal_stiffness = 1e5 }
[shapes.ball]
kind = "sphere"
radius = 0.5
[[grains]]
shape = "ball"
position = [0.0, 0.0, 0.0]
inertia = [1.0, 1.5, 2.0]
[run]
until = 1.0
"""


@pytest.mark.parametrize(("text", "expected"), [(TEXT, 0.25), (SPACE, (1.0, 1.5, 2.0))])
def test_in_scene_files(text, expected):
    assert scene_of(parse(Path("scene.toml"), text, {}), Path(), [])[0].bodies[0].inertia == expected


def test_a_tag_on_a_wall_that_is_fixed_says_so():
    scene = clast.Scene(law=LAW)
    floor = scene.add_wall(segment((0.0, 0.0), (1.0, 0.0), 0.1), name="floor")
    grain = scene.add(disk(), (0.0, 3.0), name="glued", tags=[clast.Fixed()])
    for tag in (clast.Velocity(x=0.0), clast.Force(y=1.0), clast.Dashpot(1.0)):
        with pytest.raises(SceneError, match=r"body 0 \(floor\) is a wall that is fixed.*add_wall\(…, tags=\[") as caught:
            scene.tag([grain, "floor"], tag)
        assert type(tag).__name__ in str(caught.value)
    assert [*scene.bodies[floor].tags] == [clast.Fixed()]
    assert len(scene.bodies[grain].tags) == 1, "nobody is tagged"
    scene.tag("floor", clast.Fixed())
    moving = scene.add_wall(segment((0.0, 5.0), (1.0, 5.0), 0.1), tags=[clast.Velocity(x=1.0)])
    scene.tag(moving, clast.Velocity(y=1.0))
    with pytest.raises(ClastError):
        clast.Scene3D(law=LAW).tag(0, clast.Fixed())
