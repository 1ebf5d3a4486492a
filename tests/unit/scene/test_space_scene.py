"""Scenes in space: what is given is kept as it should be, bad input is refused with a sentence that names the thing."""

import math
from typing import NamedTuple

import numpy as np
import pytest

import clast
from clast.algebra.quaternions import about, matrix, random_turns
from clast.errors import SceneError
from clast.laws import Hertz, Linear
from clast.scene.plane import Box, Scene
from clast.scene.space import Box3D, Scene3D
from clast.scene.springs import Springs, Springs3D
from clast.scene.tags import Dashpot, Fixed, Force, Pressure, Velocity
from clast.scene.timed import Ramp
from clast.shapes import disk
from clast.shapes.space.make import hull, sphere

LAW = Linear(1e4)
BALL = sphere(0.5)
WEDGE = hull([(0, 0, 0), (3, 0, 0), (0, 2, 0), (0, 0, 1)], 0.1)  # neither its centre nor its axes are the user's
DRAWN = np.array([(0, 0, 0), (3, 0, 0), (0, 2, 0), (0, 0, 1)], float)


def scene(**given) -> Scene3D:
    return Scene3D(law=LAW, **given)


def in_the_world(body) -> np.ndarray:
    """Vertices where they stand, in an order that does not depend on the solid."""
    points = body.turned_vertices() + body.position
    return points[np.lexsort(np.round(points, 9).T)]


def in_order(points) -> np.ndarray:
    return points[np.lexsort(np.round(points, 9).T)]


# --- what is kept ----------------------------------------------------------------------------------------------------


def test_public_names():
    assert clast.Scene3D is Scene3D and clast.Box3D is Box3D


def test_a_body_is_what_was_given():
    s = scene()
    number = s.add(
        WEDGE, (1, 2, 3), orientation=(0, 3, 0, 4), velocity=(4, 5, 6), spin=(7, 8, 9), density=2.0, material="ore", name="a"
    )
    body = s.bodies[number]
    assert (number, len(s)) == (0, 1)
    assert body.position == (1.0, 2.0, 3.0) and body.velocity == (4.0, 5.0, 6.0) and body.spin == (7.0, 8.0, 9.0)
    assert body.orientation == pytest.approx((0, 0.6, 0, 0.8))
    assert body.mass == 2.0 * WEDGE.volume
    assert body.inertia == pytest.approx(2.0 * WEDGE.inertia, rel=1e-15)
    assert (body.material, body.name, body.big, body.weighed) == ("ore", "a", False, True)


def test_mass_and_density_mean_the_same_body():
    s = scene()
    s.add(WEDGE, (0, 0, 0), mass=5.0)
    s.add(WEDGE, (9, 0, 0), density=5.0 / WEDGE.volume)
    s.add(WEDGE, (18, 0, 0))
    one, other, plain = s.bodies
    assert one.mass == pytest.approx(5.0, rel=1e-15)
    assert one.inertia == pytest.approx(other.inertia, rel=1e-15)
    assert plain.mass == WEDGE.volume and not plain.weighed


def test_quaternions_are_brought_to_length_one_and_unit_ones_keep_their_bits():
    s = scene()
    for turn in random_turns(np.random.default_rng(1), 50):
        once = s.bodies[s.add(BALL, (0, 0, 0), orientation=7.3 * turn)].orientation
        assert math.hypot(*once) == pytest.approx(1.0, abs=1e-15)
        assert s.bodies[s.add(BALL, (0, 0, 0), orientation=once)].orientation == once


def test_a_wall_stays_where_it_was_drawn():
    s = scene()
    body = s.bodies[s.add_wall(WEDGE)]
    assert in_the_world(body) == pytest.approx(in_order(DRAWN), abs=1e-12)
    assert body.big and body.tags == [Fixed()] and body.material == "wall"


def test_a_drawn_solid_is_turned_about_the_origin_of_its_drawing():
    turn = about((1, 2, -1), 0.7)
    s = scene()
    body = s.bodies[s.add_drawn(WEDGE, (5, 6, 7), turn=turn)]
    assert in_the_world(body) == pytest.approx(in_order(DRAWN @ matrix(turn).T + (5, 6, 7)), abs=1e-12)


def test_add_puts_the_centre_of_mass_and_turns_the_principal_axes():
    turn = about((0, 0, 1), 0.5 * math.pi)
    s = scene()
    body = s.bodies[s.add(WEDGE, (5, 6, 7), orientation=turn)]
    assert in_the_world(body) == pytest.approx(in_order(WEDGE.vertices @ matrix(turn).T + (5, 6, 7)), abs=1e-12)


class Packed(NamedTuple):
    """The least a packing has."""

    shapes: list
    positions: np.ndarray
    orientations: np.ndarray


def test_a_packing_is_added_where_it_lies():
    packing = Packed([BALL, WEDGE], np.array([[0.0, 0, 0], [4, 5, 6]]), np.array([[1.0, 0, 0, 0], [0, 1, 0, 0]]))
    s = scene()
    assert s.add_packing(packing, density=3.0, material="ore", name="soil") == [0, 1]
    assert s.ids("soil") == [0, 1]
    body = s.bodies[1]
    assert body.position == (4.0, 5.0, 6.0) and body.orientation == (0.0, 1.0, 0.0, 0.0) and body.mass == 3.0 * WEDGE.volume


def test_the_scene_says_what_it_is():
    s = scene(box=Box3D(period_x=4.0, period_z=5.0), gravity=(0, -10.0, 0))
    s.add(BALL, (0, 0, 0))
    s.add_wall(WEDGE)
    assert "Scene3D: 1 grains, 1 big bodies, periodic in x and z, gravity (0.0, -10.0, 0.0)" in repr(s)


def test_laws_between_materials_are_those_of_the_plane():
    s = scene()
    s.add(BALL, (0, 0, 0), material="a")
    s.add(BALL, (3, 0, 0), material="b")
    s.set_law("b", "a", Linear(2e4))
    assert [law.normal_stiffness for law in s.laws()] == [1e4, 2e4, 2e4, 1e4]
    with pytest.raises(SceneError, match="of another kind"):
        s.set_law("a", "a", Hertz(1e4))


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", range(3))
def test_gravity_along_a_periodic_side(axis):
    gravity, periods = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    gravity[axis] = -10.0
    periods[axis] = 3.0
    name = "xyz"[axis]
    with pytest.raises(SceneError, match=rf"gravity -10.0 along {name}, but the box is periodic along {name}"):
        scene(gravity=gravity, box=Box3D(*periods))
    scene(gravity=gravity, box=Box3D(*np.roll(periods, 1)))


@pytest.mark.parametrize("gravity", [(math.nan, 0, 0), (0, 0, math.inf), ("a", 0, 0), (0.0, -10.0), None])
def test_gravity_that_is_no_three_numbers(gravity):
    with pytest.raises(SceneError, match="gravity"):
        scene(gravity=gravity)


@pytest.mark.parametrize("name", ["period_x", "period_y", "period_z"])
@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf, "a"])
def test_bad_periods(name, value):
    with pytest.raises(SceneError, match=f"box: {name}"):
        Box3D(**{name: value})


@pytest.mark.parametrize(
    "words, given",
    [
        ("drag falls to -1.0", {"drag": -1.0}),
        ("drag falls to -2", {"drag": Ramp(1.0, -2.0, 1.0)}),
        ("drag = 'a' must be a number", {"drag": "a"}),
        ("onset = 1 must be True or False", {"onset": 1}),
        ("remove_below is nan", {"remove_below": math.nan}),
        (r"box = Box\(.*must be a Box3D", {"box": Box(3.0, 3.0)}),
        ("box = 0 must be a Box3D", {"box": 0}),
        ("law = 3 must be a law", {"law": 3}),
        ("springs must be those of a run in space", {"springs": Springs(np.zeros((0, 6)), np.zeros((0, 3)), "")}),
    ],
)
def test_a_scene_that_cannot_be(words, given):
    with pytest.raises(SceneError, match=words):
        Scene3D(**{"law": LAW, **given})


@pytest.mark.parametrize(
    "what, given",
    [
        ("position", {"position": (math.nan, 0.0, 0.0)}),
        ("position", {"position": (0.0, 0.0)}),
        ("velocity", {"velocity": (0.0, math.inf, 0.0)}),
        ("velocity", {"velocity": 1.0}),
        ("spin", {"spin": 1.0}),
        ("spin", {"spin": (0.0, 0.0, math.nan)}),
        ("orientation", {"orientation": (1.0, 0.0, 0.0)}),
        ("orientation", {"orientation": (math.nan, 0.0, 0.0, 0.0)}),
        ("orientation is a quaternion of length 0", {"orientation": (0.0, 0.0, 0.0, 0.0)}),
        ("density", {"density": 0.0}),
        ("mass", {"mass": -1.0}),
        ("its density or its mass, not both", {"density": 1.0, "mass": 1.0}),
        ("name", {"name": 3}),
        ("material", {"material": 3}),
    ],
)
def test_bad_numbers_name_the_body_and_the_quantity(what, given):
    s = scene()
    s.add(BALL, (5, 5, 5))
    with pytest.raises(SceneError, match=rf"body 1.*{what}"):
        s.add(BALL, **{"position": (0.0, 0.0, 0.0), **given})
    assert len(s) == 1


def test_a_drawing_turned_by_nothing():
    with pytest.raises(SceneError, match="body 0: turn is a quaternion of length 0"):
        scene().add_drawn(BALL, turn=(0, 0, 0, 0))


@pytest.mark.parametrize("axis", range(3))
def test_a_grain_wider_than_the_period(axis):
    periods = [0.0, 0.0, 0.0]
    periods[axis] = 1.0
    with pytest.raises(SceneError, match=rf"body 0 \(sphere\).*period.*along {'xyz'[axis]}.*widen the box"):
        scene(box=Box3D(*periods)).add(BALL, (0, 0, 0))
    scene(box=Box3D(*periods)).add(BALL, (0, 0, 0), big=True)
    periods[axis] = 1.01
    scene(box=Box3D(*periods)).add(BALL, (0, 0, 0))


def test_plane_and_space_do_not_mix():
    with pytest.raises(SceneError, match=r"body 0: disk is a shape of the plane; a Scene3D takes solids"):
        scene().add(disk(radius=0.5), (0, 0, 0))
    with pytest.raises(SceneError, match=r"body 0: disk is a shape of the plane"):
        scene().add_wall(disk(radius=0.5))
    with pytest.raises(SceneError, match=r"body 0: sphere is a solid, and this scene is in the plane: add it to a Scene3D"):
        Scene(law=LAW).add(BALL, (0, 0))
    with pytest.raises(SceneError, match=r"body 0: 'ball' is not a solid"):
        scene().add("ball", (0, 0, 0))
    with pytest.raises(SceneError, match="springs are those of a run in space"):
        Scene(law=LAW, springs=Springs3D(np.zeros((0, 8)), np.zeros((0, 8)), ""))


# --- tags ------------------------------------------------------------------------------------------------------------


def test_components_are_x_y_z_and_spins_about_x_y_z():
    s = scene()
    body = s.add(BALL, (0, 0, 0), tags=[Velocity(x=1, y=2, z=3), Velocity(spin=6, spin_x=4, spin_y=5)])
    other = s.add(BALL, (3, 0, 0), tags=[Force(x=1, y=2, torque=6, z=3, torque_x=4, torque_y=5)])
    assert s.imposed(body).velocity == [1, 2, 3, 4, 5, 6]
    assert s.imposed(other).force == [[1], [2], [3], [4], [5], [6]]
    assert s.imposed(body).held == (True,) * 6 and s.imposed(other).held == (False,) * 6


def test_fixed_holds_all_six():
    s = scene()
    fixed = s.imposed(s.add(BALL, (0, 0, 0), tags=[Fixed()]))
    assert fixed.velocity == [0.0] * 6 and fixed.at_rest and fixed.never_turns
    sliding = s.imposed(s.add(BALL, (3, 0, 0), tags=[Velocity(x=1.0, spin=0, spin_x=0, spin_y=0)]))
    assert sliding.never_turns and not sliding.at_rest
    assert not s.imposed(s.add(BALL, (6, 0, 0), tags=[Velocity(x=0, y=0, z=0)])).never_turns


@pytest.mark.parametrize(
    "tags, missing",
    [
        ([Velocity(spin=1.0)], "spin_x and spin_y"),
        ([Velocity(spin_x=0.0, spin_y=0.0)], "spin"),
        ([Velocity(x=1.0, spin_x=0.0), Velocity(spin=0.0)], "spin_y"),
    ],
)
def test_spins_are_prescribed_all_three_or_none(tags, missing):
    s = scene()
    body = s.add(BALL, (0, 0, 0), tags=tags)
    with pytest.raises(SceneError, match=rf"body 0: .*all three or none, and {missing} is not: say all three"):
        s.imposed(body)


@pytest.mark.parametrize(
    "tags, words",
    [
        ((Fixed(), Velocity(z=1.0)), "two tags prescribe different velocities for its z"),
        ((Velocity(z=1.0), Force(z=1.0)), "a Force along z .* would do nothing"),
        ((Velocity(spin=0, spin_x=0, spin_y=0), Force(torque_y=1.0)), "a Force along spin_y .* would do nothing"),
        ((Velocity(z=1.0), Pressure(1.0, "-z")), "a Pressure along -z .* would do nothing"),
        ((Velocity(x=1.0), Pressure(1.0, "+y"), Pressure(1.0, "+x")), r"a Pressure along \+x .* would do nothing"),
        ((Dashpot(1.0), Dashpot((1.0, 1.0, 2.0))), "two Dashpot tags"),
    ],
)
def test_tags_that_contradict_each_other(tags, words):
    s = scene()
    body = s.add(BALL, (0, 0, 0), tags=tags)
    with pytest.raises(SceneError, match=f"body 0: {words}"):
        s.imposed(body)


def test_dashpots_of_one_number_and_of_three():
    s = scene()
    assert s.imposed(s.add(BALL, (0, 0, 0), tags=[Dashpot(2.0), Dashpot((2.0, 2.0, 2.0))])).dashpot == (2.0, 2.0, 2.0)
    with pytest.raises(SceneError, match="body 1: a Dashpot with 2 coefficients, but space has three axes"):
        s.add(BALL, (0, 0, 0), tags=[Dashpot((1.0, 2.0))])
    with pytest.raises(SceneError, match="must be a finite number that is not negative"):
        Dashpot((1.0, 2.0, 3.0, 4.0))


@pytest.mark.parametrize(
    "tag, words",
    [
        (Velocity(z=0.0), "a Velocity with z acts in space"),
        (Velocity(spin_x=1.0), "a Velocity with spin_x acts in space"),
        (Velocity(spin_y=Ramp(0.0, 1.0, 1.0)), "a Velocity with spin_y acts in space"),
        (Force(z=1.0), "a Force with z acts in space"),
        (Force(torque_x=1.0), "a Force with torque_x acts in space"),
        (Force(torque_y=lambda t: t), "a Force with torque_y acts in space"),
        (Dashpot((1.0, 2.0, 3.0)), "a Dashpot with 3 coefficients, but the plane has two axes"),
        (Pressure(1.0, "+z"), r'a Pressure along "\+z", but this scene is in the plane'),
        (Pressure(1.0, "+x", between=((0, 1), None)), "a Pressure in the plane acts between one pair of walls"),
    ],
)
def test_the_plane_refuses_what_only_space_has(tag, words):
    s = Scene(law=LAW)
    s.add(disk(radius=0.5), (0, 0))
    with pytest.raises(SceneError, match=f"body 0: {words}"):
        s.tag(0, tag)
    assert s.bodies[0].tags == []
    if not isinstance(tag, Pressure):
        with pytest.raises(SceneError, match=f"box: {words}"):
            Box(3.0, 3.0, tags=(tag,))


def test_a_pressure_in_space_needs_two_pairs():
    s = scene()
    s.add(BALL, (0, 0, 0))
    with pytest.raises(SceneError, match=r"body 0: a Pressure along -y in space acts on an area: .* along x and z each"):
        s.tag(0, Pressure(1.0, "-y", between=("a", "b")))
    s.tag(0, Pressure(1.0, "-y", between=(("a", "b"), (0, 1))))
    s.tag(0, Pressure(1.0, "-y", between=(None, ("c", "d"))))


@pytest.mark.parametrize(
    "between",
    [
        (("a", "a"), ("b", "c")),
        (("a", "b"), ("b",)),
        (("a", "b"), ("b", 1.5)),
        (("a", "b"), "c"),
        (("a", "b"), ("c", True)),
        ("a", "a"),
        "ab",
        3,
    ],
)
def test_walls_of_a_pressure_are_two_different_ones(between):
    with pytest.raises(SceneError, match=r"Pressure tag: between = .* must name two different walls"):
        Pressure(1.0, "+z", between=between)


def test_as_many_pairs_as_axes():
    with pytest.raises(SceneError, match=r"must be two pairs of walls, one for each axis across \+z"):
        Pressure(1.0, "+z", between=(("a", "b"), ("c", "d"), ("e", "f")))


def test_tags_of_the_plane_look_as_ever():
    assert repr(Velocity(x=1.0)) == "Velocity(x=1.0, y=None, spin=None)"
    assert repr(Force(y=2.0)) == "Force(x=0.0, y=2.0, torque=0.0)"
    assert repr(Velocity(z=1.0, spin_y=0.0)) == "Velocity(x=None, y=None, spin=None, z=1.0, spin_y=0.0)"
    assert repr(Force(torque_x=2.0)) == "Force(x=0.0, y=0.0, torque=0.0, torque_x=2.0)"


@pytest.mark.parametrize("tag, name", [(Velocity, "z"), (Velocity, "spin_x"), (Force, "torque_y"), (Force, "z")])
def test_tags_need_finite_numbers(tag, name):
    with pytest.raises(SceneError, match=rf"{tag.__name__} tag: {name} = nan"):
        tag(**{name: math.nan})
