"""Bad input is refused with a sentence that names the thing."""

import math

import numpy as np
import pytest

from clast.dynamics.engine import Engine
from clast.dynamics.plane.layout import lay_out
from clast.errors import InputError, OverlapError, SceneError, StepError
from clast.laws import Linear
from clast.scene.plane import Box, Scene
from clast.scene.tags import Fixed, Force, Velocity
from clast.shapes import disk, polygon, segment

LAW = Linear(1e4)
BALL = disk(radius=0.5)


def scene(**given) -> Scene:
    return Scene(law=LAW, **given)


@pytest.mark.parametrize(
    "axis, gravity, box",
    [("x", (1.0, 0), Box(period_x=3)), ("y", (0, -10.0), Box(period_y=3)), ("y", (0, -10.0), Box(3, 3))],
)
def test_gravity_along_a_periodic_side(axis, gravity, box):
    with pytest.raises(SceneError, match=rf"gravity.*along {axis}.*periodic along {axis}"):
        scene(gravity=gravity, box=box)
    other = (0.0, -10.0) if axis == "x" else (1.0, 0.0)
    if box != Box(3, 3):
        scene(gravity=other, box=box)


@pytest.mark.parametrize("gravity", [(math.nan, 0), (0, math.inf), ("a", 0), (1.0,), None])
def test_gravity_that_is_no_number(gravity):
    with pytest.raises(SceneError, match="gravity"):
        scene(gravity=gravity)


@pytest.mark.parametrize("name", ["period_x", "period_y"])
@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
def test_bad_periods(name, value):
    with pytest.raises(SceneError, match=f"box: {name}"):
        Box(**{name: value})


def test_unknown_counting():
    with pytest.raises(SceneError, match='counting = "some"'):
        scene(counting="some")


@pytest.mark.parametrize(
    "what, given",
    [
        ("position", {"position": (math.nan, 0.0)}),
        ("position", {"position": (0.0, math.inf)}),
        ("position", {"position": (0.0, 0.0, 0.0)}),
        ("position", {"position": (0.0,)}),
        ("velocity", {"velocity": (math.nan, 0.0)}),
        ("velocity", {"velocity": (1.0,)}),
        ("angle", {"angle": math.nan}),
        ("spin", {"spin": math.inf}),
        ("density", {"density": 0.0}),
        ("density", {"density": -1.0}),
        ("density", {"density": math.nan}),
    ],
)
def test_bad_numbers_name_the_body_and_the_quantity(what, given):
    s = scene()
    s.add(BALL, (5, 5))
    with pytest.raises(SceneError, match=rf"body 1.*{what}"):
        s.add(BALL, **{"position": (0.0, 0.0), **given})
    assert len(s) == 1


@pytest.mark.parametrize("axis, box", [("x", Box(period_x=1.0)), ("y", Box(period_y=0.9))])
def test_a_grain_wider_than_the_period(axis, box):
    with pytest.raises(SceneError, match=rf"body 0 \(disk\).*period.*along {axis}.*widen the box"):
        scene(box=box).add(BALL, (0, 0))
    scene(box=box).add(BALL, (0, 0), big=True, tags=[Fixed()])
    scene(box=Box(1.01, 1.01)).add(BALL, (0, 0))


@pytest.mark.parametrize(
    "tag, name", [(Velocity, "x"), (Velocity, "y"), (Velocity, "spin"), (Force, "x"), (Force, "y"), (Force, "torque")]
)
def test_tags_need_finite_numbers(tag, name):
    with pytest.raises(SceneError, match=rf"{tag.__name__} tag: {name} = nan"):
        tag(**{name: math.nan})


def test_tags_on_nobody_or_of_no_kind():
    s = scene()
    s.add(BALL, (0, 0))
    for body in (1, -1, 7):
        with pytest.raises(SceneError, match=rf"there is no body {body}: there are bodies 0"):
            s.tag(body, Fixed())
    with pytest.raises(SceneError, match=r"tag on body 0.*'push'"):
        s.tag(0, "push")


@pytest.mark.parametrize(
    "tags, component",
    [
        ((Fixed(), Velocity(x=1.0)), "x"),
        ((Velocity(y=1.0), Velocity(y=2.0)), "y"),
        ((Velocity(spin=1.0), Fixed()), "spin"),
    ],
)
def test_tags_that_contradict_each_other(tags, component):
    s = scene()
    s.add(BALL, (0, 0))
    s.add(BALL, (3, 0), tags=tags)
    with pytest.raises(SceneError, match=rf"body 1: two tags prescribe different velocities for its {component}"):
        Engine(s)


def test_tags_that_agree_or_add():
    s = scene()
    body = s.add(BALL, (0, 0), tags=[Velocity(x=1.0), Velocity(x=1.0), Force(y=1.0), Force(torque=2.0, y=0.5)])
    imposed = s.imposed(body)
    assert imposed.held == (True, False, False)
    assert imposed.velocity == [1.0, None, None]
    assert [sum(each) for each in imposed.force] == [0.0, 1.5, 2.0]


def test_a_force_that_would_do_nothing_is_refused():
    s = scene()
    s.add(BALL, (0, 0), tags=[Velocity(x=1.0), Force(x=1.0)])
    with pytest.raises(SceneError, match=r"body 0: a Force along x .* would do nothing"):
        Engine(s)


def test_a_law_for_a_material_nobody_is_made_of():
    s = scene()
    s.add(BALL, (0, 0), material="quartz")
    s.set_law("quartz", "steel", Linear(1e5))
    with pytest.raises(SceneError, match=r'material "steel".*quartz'):
        Engine(s)


def test_each_pair_of_materials_has_its_law():
    s = scene()
    for x, material in ((0.0, "a"), (0.99, "b"), (5.0, "b"), (5.99, "b"), (9.0, "a"), (9.99, "a")):
        s.add(BALL, (x, 0), material=material)
    s.set_law("b", "a", Linear(2e4))
    s.set_law("b", "b", Linear(3e4))
    energy = Engine(s, dt=1e-6).snapshot().contacts.normal_energies
    assert energy == pytest.approx([0.5 * 2e4 * 1e-4, 0.5 * 3e4 * 1e-4, 0.5 * 1e4 * 1e-4], rel=1e-9)


def test_an_empty_scene():
    with pytest.raises(SceneError, match="scene is empty"):
        Engine(scene())


@pytest.mark.parametrize("dt", [0.0, -1.0, math.nan, math.inf])
def test_bad_steps(dt):
    s = scene()
    s.add(BALL, (0, 0))
    with pytest.raises(SceneError, match="time step dt"):
        Engine(s, dt=dt)


@pytest.mark.parametrize("alpha", [0.0, -1.0, math.nan, math.inf, "wide"])
def test_bad_alpha(alpha):
    s = scene()
    s.add(BALL, (0, 0))
    with pytest.raises(SceneError, match="alpha"):
        Engine(s, alpha=alpha)


@pytest.mark.parametrize("threads", [0, -2, "many"])
def test_bad_threads(threads):
    s = scene()
    s.add(BALL, (0, 0))
    with pytest.raises(InputError, match="threads"):
        Engine(s, threads=threads)


def test_skeletons_that_cross_are_named():
    s = scene()
    s.add(BALL, (9, 9))
    s.add(BALL, (0, 0), tags=[Force(x=1.0)])
    s.add(BALL, (0.02, 0))
    engine = Engine(s)
    with pytest.raises(OverlapError, match=r"bodies (1 and 2|2 and 1) overlap by 0\.98 of 1 .*t = 0"):
        engine.advance(10)


def test_skeletons_on_the_same_point_raise_too_and_give_no_nan():
    s = scene()
    s.add(BALL, (0, 0))
    s.add(BALL, (0, 0))
    with np.errstate(all="raise"), pytest.raises(OverlapError, match="bodies 0 and 1"):
        Engine(s).advance(1)


def test_a_wall_stays_where_it_was_drawn():
    s = scene()
    s.add_wall(segment((1, 2), (3, 2), 0.1))
    s.add_wall(polygon([(5, 5), (7, 5), (5, 8)], 0.1))
    engine = Engine(s)
    first, second = engine.positions
    placed = engine.geometry.vertex[2:] + second
    assert placed == pytest.approx(np.array([(5, 5), (7, 5), (5, 8)], float))
    assert engine.geometry.vertex[:2] + first == pytest.approx(np.array([(1, 2), (3, 2)], float))


def test_the_scene_says_what_it_is():
    s = scene(box=Box(period_x=4.0))
    s.add(BALL, (0, 0))
    s.add_wall(segment((0, -1), (4, -1), 0.1))
    assert "1 grains, 1 big bodies, periodic in x" in repr(s)


def test_a_step_too_large_for_a_single_contact_is_refused():
    """Δt = 2/ω of one contact is where Verlet diverges: the message gives that limit and the safe step."""
    s = Scene(law=Linear(1e4))
    s.add(BALL, (0, 0))
    rate = 1 / BALL.area + BALL.reach**2 / BALL.inertia
    limit = 2 / math.sqrt(1e4 * rate)
    Engine(s, dt=0.999 * limit)
    with pytest.raises(StepError, match=rf"unstable above {limit:.3g}.*safe step is"):
        Engine(s, dt=1.001 * limit)


def test_a_driven_wall_does_not_set_the_step():
    """Its mass is nobody's business: what a tag prescribes cannot swing."""
    s = Scene(law=Linear(1e4))
    s.add(BALL, (0, 5))
    alone = Engine(s).dt
    s.add_wall(segment((-1, 0), (1, 0), 1e-3), tags=[Velocity(x=0.1, y=0.0, spin=0.0)])
    assert Engine(s).dt == alone
    s.add_wall(segment((-1, -9), (1, -9), 1e-3), mass=1e-3, tags=[Velocity(x=0.1, spin=0.0)])
    assert Engine(s).dt < alone


def test_a_wall_longer_than_the_period_is_refused():
    """Grains would meet it and its image, and be pushed twice as hard."""
    for length, fine in ((5.0, True), (5.0 + 1e-12, True), (4.0, True), (5.1, False), (10.0, False)):
        scene = Scene(law=Linear(1e4), box=Box(5.0, 0.0))
        scene.add(disk(radius=0.5), (0.0, 1.0))
        scene.add_wall(segment((0.0, 0.0), (length, 0.0), radius=0.1), name="floor")
        if fine:
            lay_out(scene)
        else:
            with pytest.raises(SceneError, match=r"body 1 \(floor\) is .* long along x, and the period there is 5:"):
                lay_out(scene)
    scene.bodies[1].angle = 0.5 * np.pi  # upright it is as thin as can be
    lay_out(scene)
