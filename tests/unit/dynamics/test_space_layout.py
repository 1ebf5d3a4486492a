"""From a scene in space to arrays: who stands where, what tags become, the safe step."""

import math

import numpy as np
import pytest

from clast.algebra.morton import interleaved
from clast.algebra.quaternions import matrix, random_turns
from clast.dynamics.bodies.rows import MANY, near_in_memory
from clast.dynamics.program import Program
from clast.dynamics.space.columns import RADIUS, SPIN, TURN, VELOCITY
from clast.dynamics.space.layout import TOGETHER, lay_out
from clast.dynamics.timestep import safe_step, unstable_step
from clast.errors import SceneError
from clast.laws import Cohesion, Linear, Rolling
from clast.scene.space import Box3D, Scene3D
from clast.scene.tags import Dashpot, Fixed, Force, Pressure, Velocity
from clast.scene.timed import Ramp
from clast.shapes.space.make import capsule, cuboid, plate, sphere

LAW = Linear(1e4)
BALL = sphere(0.5)
BRICK = cuboid((1.0, 2.0, 3.0), 0.1)
STILL = {"spin": 0.0, "spin_x": 0.0, "spin_y": 0.0}


def level(side: float, z: float):
    """A square plate about the z axis."""
    return plate([(-side, -side, z), (side, -side, z), (side, side, z), (-side, side, z)], 0.1)


def upright(axis: int, where: float):
    """A square plate across x or y."""
    corners = np.array([(where, -9, -9), (where, 9, -9), (where, 9, 9), (where, -9, 9)], float)
    return plate(corners if axis == 0 else corners[:, [1, 0, 2]], 0.1)


# --- rows ------------------------------------------------------------------------------------------------------------


def test_free_rows_come_first_then_tagged_then_those_at_rest():
    s = Scene3D(law=LAW)
    floor = s.add_wall(level(5, -3))
    driven = s.add(BALL, (9, 0, 0), tags=[Velocity(z=1.0)])
    one = s.add(BALL, (0, 0, 0))
    lid = s.add_wall(level(5, 3), tags=())
    other = s.add(BRICK, (0, 0, 9))
    found = lay_out(s)
    assert found.order.tolist() == [one, other, driven, lid, floor]
    assert (found.free, found.moving) == (2, 4)
    assert found.model.shape.tolist() == [0, 1, 0, 2, 3]  # equal solids share a row of the table
    assert found.geometry.first_feature.size == 5
    assert found.roles.grains.tolist() == [0, 1, 2] and found.roles.big.tolist() == [3, 4]
    assert found.roles.mobile.tolist() == [1, 1, 1, 1, 0]


def test_a_row_of_a_body():
    turn = tuple(random_turns(np.random.default_rng(3), 1)[0])
    s = Scene3D(law=LAW)
    s.add(BRICK, (1, 2, 3), orientation=turn, velocity=(4, 5, 6), spin=(7, 8, 9), density=2.0)
    state = lay_out(s).state
    row = state.body[0]
    assert row.shape == (16,)
    assert row[:3].tolist() == [1, 2, 3] and row[RADIUS] == 0.1
    assert tuple(row[TURN : TURN + 4]) == turn
    assert row[VELOCITY : VELOCITY + 4].tolist() == [4, 5, 6, 0] and row[SPIN : SPIN + 4].tolist() == [7, 8, 9, 0]
    assert state.book.shape == (1, 8) and state.gear.shape == (1, 10, 1)


def test_the_momentum_is_that_of_the_spin_about_the_principal_axes():
    """In the world it is R I Rᵀ ω with the tensor of the brick; and a brick turned by 90° about x swaps y and z."""
    quarter = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
    s = Scene3D(law=LAW)
    turns = random_turns(np.random.default_rng(4), 5)
    for turn in turns:
        s.add(BRICK, (0, 0, 0), orientation=turn, spin=(1.0, -2.0, 0.5), density=3.0)
    s.add(BRICK, (0, 0, 0), orientation=quarter, spin=(0.0, 0.0, 2.0))
    momentum = lay_out(s).state.momentum
    assert (momentum[:, 3] == 0.0).all()
    for k, turn in enumerate(turns):
        to_world = matrix(turn)
        tensor = to_world @ np.diag(3.0 * BRICK.inertia) @ to_world.T
        assert to_world @ momentum[k, :3] == pytest.approx(tensor @ (1.0, -2.0, 0.5), rel=1e-12)
    assert momentum[5, :3] == pytest.approx([0.0, 2.0 * BRICK.inertia[1], 0.0], abs=1e-12)


def test_what_is_prescribed_overwrites_what_was_given():
    s = Scene3D(law=LAW)
    s.add(
        BRICK, (0, 0, 0), velocity=(1, 1, 1), spin=(9, 9, 9),
        tags=[Velocity(y=Ramp(2.0, 5.0, 1.0), spin=0.0, spin_x=0.25, spin_y=0.0)],
    )  # fmt: skip
    state = lay_out(s).state
    assert state.body[0, VELOCITY : VELOCITY + 3].tolist() == [1, 2, 1]
    assert state.body[0, SPIN : SPIN + 3].tolist() == [0.25, 0, 0]
    assert state.momentum[0, :3] == pytest.approx([0.25 * BRICK.inertia[0], 0, 0], rel=1e-15)


def test_constants_of_the_bodies():
    s = Scene3D(law=Linear(1e4, rolling=Rolling(3.0, 0.5)), gravity=(0, 0, -9.0), box=Box3D(20.0, 30.0, 0.0))
    s.add(BRICK, (0, 0, 0), density=2.0, material="b")
    s.add(BALL, (9, 0, 0), material="a", tags=[Velocity(z=0.0)])
    s.add(BALL, (9, 9, 0), material="a", tags=[Velocity(**STILL)])
    s.add_wall(level(5, -3), tags=[Velocity(x=1.0)], mass=7.0)
    s.set_law("a", "b", Linear(2e4, rolling=Rolling(4.0, 0.5)))
    model = lay_out(s).model
    assert model.inverse_mass == pytest.approx([1 / (2 * BRICK.volume), 1 / BALL.volume, 1 / BALL.volume, 1 / 7.0])
    assert model.inverse_inertia[0] == pytest.approx(1 / (2 * BRICK.inertia))
    assert (model.contact_inverse_mass == 0.0).tolist() == [False, True, False, True]
    assert (model.contact_inverse_inertia == 0.0).tolist() == [[False] * 3, [False] * 3, [True] * 3, [True] * 3]
    assert model.contact_inverse_inertia[:2] == pytest.approx(model.inverse_inertia[:2])
    assert model.inverse_radius.tolist() == [10.0, 2.0, 2.0, 0.0]
    assert model.reach[0] == BRICK.reach
    assert model.material.tolist() == [1, 0, 0, 2]
    assert model.law[:, 0].tolist() == [1e4, 2e4, 1e4, 2e4, 1e4, 1e4, 1e4, 1e4, 1e4]
    assert model.law[1, -2:].tolist() == [4.0, 0.5]
    assert model.period.tolist() == [20.0, 30.0, 0.0] and model.gravity.tolist() == [0.0, 0.0, -9.0]
    assert model.stiffness.tolist() == [2e4, 2e4]


def test_a_free_wall_weighs_root_n_grains_and_has_a_dashpot():
    s = Scene3D(law=LAW)
    for k in range(4):
        s.add(BALL, (3 * k, 0, 0), mass=1.0 + k)
    lid = level(5, 3)
    s.add_wall(lid, tags=[Force(z=-1.0), Velocity(x=0, y=0)])
    s.add_wall(level(5, 6), tags=[Velocity(x=0, y=0, z=1.0)])
    s.add_wall(level(5, 9), mass=3.0, tags=[Dashpot((1.0, 2.0, 3.0))])
    s.add(BALL, (0, 9, 0), mass=2.5, tags=[Force(x=1.0)])
    found = lay_out(s)
    mass = math.sqrt(5) * 2.5
    assert 1.0 / found.model.inverse_mass[4] == pytest.approx(mass)
    assert 1.0 / found.model.inverse_inertia[4] == pytest.approx(lid.inertia * mass / lid.volume)
    assert found.tags.dashpot[0] == pytest.approx([0.2 * math.sqrt(0.5 * 1e4 * mass)] * 3)
    assert found.tags.dashpot[1].tolist() == [0.0] * 3
    assert found.tags.dashpot[2].tolist() == [1.0, 2.0, 3.0] and 1.0 / found.model.inverse_mass[6] == pytest.approx(3.0)
    assert found.tags.dashpot[3].tolist() == [0.0] * 3  # of a grain
    assert found.tags.dragged.tolist() == [0, 0, 0, 1]


def test_grains_of_different_sizes_have_levels():
    s = Scene3D(law=LAW)
    for k, radius in enumerate((1.0, 0.3, 0.6, 0.28)):
        s.add(sphere(radius), (9 * k, 0, 0))
    roles = lay_out(s).roles
    assert roles.level.tolist() == [0, 1, 0, 1] and roles.level_reach.tolist() == [1.0, 0.3]


@pytest.mark.parametrize("axes", [2, 3])
def test_bits_are_taken_in_turn(axes):
    cells = np.random.default_rng(5).integers(0, 2**20, (200, axes))
    cells[0], cells[1] = 0, 2**20 - 1
    for cell, key in zip(cells.tolist(), interleaved(cells).tolist(), strict=True):
        words = [f"{number:020b}" for number in reversed(cell)]
        assert int("".join("".join(bits) for bits in zip(*words, strict=True)), 2) == key


def test_many_bodies_stand_near_their_neighbours():
    places = np.stack(np.meshgrid(*[np.arange(16)] * 3), -1).reshape(-1, 3)
    assert len(places) == MANY
    s = Scene3D(law=LAW)
    for place in np.random.default_rng(6).permutation(places):
        s.add(BALL, place)
    key = near_in_memory(s)
    assert len(set(key.tolist())) == MANY
    at = np.array([body.position for body in s.bodies])[np.argsort(key)]
    blocks = at.reshape(-1, 8, 3)  # eight in a row are a cube of two by two by two
    assert (np.ptp(blocks, axis=1) == 1.0).all()
    del s.bodies[0]
    assert (near_in_memory(s) == 0).all()


# --- tags ------------------------------------------------------------------------------------------------------------


def test_columns_of_the_program():
    s = Scene3D(law=LAW, drag=0.125)
    s.add(BALL, (0, 0, 0))
    s.add(BALL, (3, 0, 0), tags=[Velocity(x=1, z=3), Force(y=20, torque_x=40, torque_y=50, torque=60), Force(y=0.5)])
    s.add(BALL, (6, 0, 0), tags=[Velocity(z=Ramp(0.0, 8.0, 1.0), spin_x=4, spin_y=5, spin=6), Force(x=Ramp(0.0, 8.0, 1.0))])
    s.add_wall(level(3, -3), tags=[Pressure(7.0, "+z", ((4, 5), (6, 7))), Velocity(**STILL)])
    for axis, where in ((0, -3.0), (0, 3.0), (1, -3.0), (1, 3.0)):
        s.add_wall(upright(axis, where))
    found = lay_out(s)
    assert found.tags.imposed.tolist() == [[1, 0, 1, 0, 0, 0], [0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]]
    assert found.tags.program.shape == (1, 12 * 3 + 1 + 1) and found.tags.push.shape == (1,)
    row = Program(found.columns, dt=0.5, ahead=0.5).block(1, 1)[0]
    assert row[:12].tolist() == [1, 0, 3, 0, 0, 0, 0, 20.5, 0, 40, 50, 60]
    assert row[12:24].tolist() == [0, 0, 6, 4, 5, 6, 4, 0, 0, 0, 0, 0]  # the velocity half a step later than the force
    assert row[24:].tolist() == [0] * 12 + [7.0, 0.125]


def area(found, load: int) -> float:
    """What the compiled step makes of a load: the product of its two gaps."""
    _, _, *sides = found.tags.load[load].tolist()
    size = 1.0
    for k in range(2):
        a, b, axis = sides[3 * k : 3 * k + 3]
        gap = found.tags.load_number[load, 1 + k]
        if b >= 0:
            gap += found.state.body[b, axis]
        if a >= 0:
            gap -= found.state.body[a, axis]
        size *= gap
    return size


def test_the_area_between_two_pairs_of_walls():
    s = Scene3D(law=LAW)
    s.add(BALL, (0, 0, 0))
    s.add(cuboid((4.0, 18.0, 18.0), 0.1), (-4.0, 0, 0), big=True, name="left", tags=[Fixed()])  # its inner face is at −2
    for name, wall in {"right": upright(0, 3.0), "front": upright(1, -4.0), "back": upright(1, 3.0)}.items():
        s.add_wall(wall, name=name)
    s.add_wall(level(9, 5), tags=[Velocity(x=0, y=0, **STILL), Pressure(1.0, "-z", (("left", "right"), ("front", "back")))])
    found = lay_out(s)
    assert found.tags.load[0, :2].tolist() == [0, 2] and found.tags.load_number[0, 0] == -1.0
    assert found.tags.load[0, [4, 7]].tolist() == [0, 1]
    assert area(found, 0) == pytest.approx((5.0 - 0.2) * (7.0 - 0.2), rel=1e-12)
    left = int(np.flatnonzero(found.order == 1)[0])
    found.state.body[left, 0] -= 1.0
    assert area(found, 0) == pytest.approx((6.0 - 0.2) * (7.0 - 0.2), rel=1e-12)


@pytest.mark.parametrize("direction, expected", [("+x", 4 * 5.0), ("-y", 3 * 5.0), ("+z", 3 * 4.0)])
def test_the_area_across_periods(direction, expected):
    s = Scene3D(law=LAW, box=Box3D(3.0, 4.0, 5.0))
    s.add(BALL, (0, 0, 0), tags=[Pressure(1.0, direction)])
    found = lay_out(s)
    assert area(found, 0) == expected
    assert (found.tags.load[0, [2, 3, 5, 6]] == -1).all()
    assert found.tags.load[0, 1] == "xyz".index(direction[1])


def test_one_pair_of_walls_and_one_period():
    s = Scene3D(law=LAW, box=Box3D(0.0, 4.0, 0.0))
    s.add(BALL, (0, 0, 0), tags=[Pressure(1.0, "+z", ((1, 2), None))])
    for where in (-2.0, 3.0):
        s.add_wall(plate([(where, -2, -9), (where, 2, -9), (where, 2, 9), (where, -2, 9)], 0.1))
    assert area(lay_out(s), 0) == pytest.approx(4.8 * 4.0)


@pytest.mark.parametrize(
    "between, words",
    [
        (None, r"Pressure on body 0 along \+z: the box is open along x, so say between which walls"),
        ((("left", "right"), None), r"Pressure on body 0 along \+z: the box is open along y"),
        ((("right", "left"), ("front", "back")), "the inner faces of right and left leave no gap along x"),
        ((("left", "turning"), ("front", "back")), "wall turning can turn"),
        ((("left", "many"), ("front", "back")), 'there are 2 bodies named "many"'),
        ((("left", "nobody"), ("front", "back")), 'there is no body named "nobody"'),
    ],
)
def test_pressures_that_act_on_no_area(between, words):
    s = Scene3D(law=LAW)
    s.add(BALL, (0, 0, 0), tags=[Pressure(1.0, "+z", between)])
    for name, axis, where in (
        ("left", 0, -2.0), ("right", 0, 3.0), ("front", 1, -4.0), ("back", 1, 3.0), ("many", 0, 4.0), ("many", 0, 5.0)
    ):  # fmt: skip
        s.add_wall(upright(axis, where), name=name)
    s.add_wall(upright(0, 6.0), name="turning", tags=[Velocity(x=0, y=0, z=0)])
    with pytest.raises(SceneError, match=words):
        lay_out(s)


# --- what is refused -------------------------------------------------------------------------------------------------


def test_an_empty_scene():
    with pytest.raises(SceneError, match="the scene is empty"):
        lay_out(Scene3D(law=LAW))


@pytest.mark.parametrize("axis", range(3))
def test_a_wall_longer_than_the_period_is_refused(axis):
    name = "xyz"[axis]
    for length, fine in ((5.0, True), (5.0 + 1e-12, True), (4.0, True), (5.1, False)):
        periods, end = [0.0] * 3, np.zeros(3)
        periods[axis], end[axis] = 5.0, length
        across = np.roll(end, 1)
        s = Scene3D(law=LAW, box=Box3D(*periods))
        s.add_wall(plate([(0, 0, 0), end, end + across, across], 0.1), name="floor")
        if fine:
            lay_out(s)
        else:
            with pytest.raises(SceneError, match=rf"body 0 \(floor\) is 5.1 long along {name}, and the period there is 5:"):
                lay_out(s)


def test_cohesion_does_not_reach_through_a_grain():
    for reach, fine in ((0.5, True), (0.9, False)):
        s = Scene3D(law=Linear(1e4, cohesion=Cohesion(1.0, reach)))
        s.add(capsule(2.0, 0.1), (0, 0, 5))
        s.add(BRICK, (0, 0, 0))
        if fine:
            lay_out(s)
        else:
            with pytest.raises(SceneError, match=r"body 1 \(cuboid\): its skeleton is 1 thick, and a cohesion of range 0.9"):
                lay_out(s)


# --- the step --------------------------------------------------------------------------------------------------------


def test_the_safe_step_of_a_ball():
    """Four contacts that count three at the end of its reach: ω² = 2·4·3 k (1/m + l²/I) and I = ⅖ m l²."""
    s = Scene3D(law=LAW)
    s.add(BALL, (0, 0, 0), mass=2.0)
    found = lay_out(s)
    rate = 1e4 * 3.5 / 2.0
    assert safe_step(found.model, found.tags, found.moving, TOGETHER) == pytest.approx(0.15 / math.sqrt(24 * rate), rel=1e-12)
    assert unstable_step(found.model, found.tags, found.moving) == pytest.approx(2.0 / math.sqrt(rate), rel=1e-12)


@pytest.mark.parametrize("solid", [BRICK, capsule(2.0, 0.1)], ids=["brick", "rod"])
def test_the_easiest_push_sets_the_step(solid):
    """No push at the surface, in whatever direction, moves its point more easily than the step allows for; and some nearly do."""
    s = Scene3D(law=LAW)
    s.add(solid, (0, 0, 0))
    found = lay_out(s)
    rng = np.random.default_rng(5)
    outward, push = (each / np.linalg.norm(each, axis=1)[:, None] for each in rng.normal(size=(2, 20000, 3)))
    points = rng.choice(solid.vertices, len(outward)) + solid.radius * outward
    ease = 1.0 / solid.volume + (np.cross(points, push) ** 2 / solid.inertia).sum(axis=1)
    allowed = (2.0 / unstable_step(found.model, found.tags, found.moving)) ** 2 / 1e4
    assert 0.4 * allowed < ease.max() <= allowed  # a radius and a lever do not add up in one direction


def test_what_a_tag_prescribes_does_not_set_the_step():
    s = Scene3D(law=LAW)
    s.add(BALL, (0, 0, 5))

    def step() -> float:
        found = lay_out(s)
        return safe_step(found.model, found.tags, found.moving, TOGETHER)

    alone = step()
    light = s.add_wall(plate([(0, 0, 0), (1e-2, 0, 0), (0, 1e-2, 0)], 1e-3), tags=[Velocity(x=0.1, y=0.0, z=0.0, **STILL)])
    assert step() == alone
    s.bodies[light].tags[:] = [Velocity(x=0.1, y=0.0, **STILL)]
    s.bodies[light].weighed = True
    assert step() < alone


def test_nothing_that_moves_gives_a_step_of_its_own():
    s = Scene3D(law=LAW)
    s.add_wall(level(5, 0))
    found = lay_out(s)
    assert (found.free, found.moving) == (0, 0)
    assert safe_step(found.model, found.tags, 0, TOGETHER) == 0.15 and unstable_step(found.model, found.tags, 0) == math.inf


def test_lengths_in_another_unit_change_no_bit_but_the_exponent():
    def laid_out(scale: float):
        s = Scene3D(law=LAW, box=Box3D(8.0 * scale, 0.0, 0.0))
        s.add(BRICK.scaled(scale), np.array([0.3, 0.7, 0.1]) * scale, orientation=(1, 2, 3, 4), spin=(1.0, 2.0, 3.0))
        return lay_out(s)

    one, small = laid_out(1.0), laid_out(2.0**-10)
    assert (small.state.momentum == one.state.momentum * 2.0**-50).all()
    assert (small.model.inverse_inertia == one.model.inverse_inertia * 2.0**50).all()
    assert (small.state.body[:, TURN : TURN + 4] == one.state.body[:, TURN : TURN + 4]).all()
