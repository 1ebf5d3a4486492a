"""The linear law in plain Python, and its restitution in the engine (model §3)."""

import math

import numpy as np
import pytest

from clast.dynamics.engine import Engine
from clast.errors import SceneError
from clast.laws import Linear
from clast.laws.law import Contact, Memory
from clast.laws.linear import elastic, force, spring_energy
from clast.laws.linear import normal_energy as normal_energy_of
from clast.laws.restitution import damping_ratio
from clast.measures.snapshots.accounts import accounts
from clast.scene.plane import Scene
from clast.shapes import disk, polygon


def friction_force(law, depth, closing, sliding, spring, reduced_mass, dt):
    """The law in two dimensions: elastic, viscous, tangential elastic, tangential viscous, new spring, heat."""
    answer = force(law, Contact(depth, closing, sliding, 0.0, reduced_mass, 0.0, sliding), Memory(spring, 0.0, 0.0), dt)
    assert (answer.shear_w, answer.drag_w, answer.spring_w, answer.extra) == (0.0, 0.0, 0.0, 0.0)
    return answer.elastic, answer.viscous, answer.shear_u, answer.drag_u, answer.spring_u, answer.heat


def normal_energy(law, depth):
    return normal_energy_of(law, depth, 0.0)


def tangential_energy(law, spring):
    return spring_energy(law, spring, 0.0, 0.0)


def parameters(**changes) -> tuple[float, ...]:
    given = {"normal_stiffness": 1000.0, "tangential_stiffness": 400.0, "friction": 0.5, **changes}
    return Linear(**given).row


def test_row_is_read_back_in_its_order():
    law = Linear(1.0, 2.0, 3.0, 4.0, 5.0, "elastic")
    assert law.row == (1.0, 2.0, 3.0, 4.0, 5.0, 0.0, 0.0)
    assert Linear(1.0).row[5] == 1.0
    assert Linear(4.0, restitution=0.5).row[6] == pytest.approx(4.0 * damping_ratio(0.5))


def test_a_held_contact_is_a_spring():
    elastic, viscous, tangential, drag, spring, heat = friction_force(parameters(), 0.01, 0.0, 0.1, 0.002, 1.0, 0.001)
    assert (elastic, viscous, drag, heat) == (10.0, 0.0, 0.0, 0.0)
    assert spring == pytest.approx(0.0021)
    assert tangential == pytest.approx(-400 * 0.0021)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_sliding_is_cut_back_to_the_cap(sign):
    law = parameters()
    _, _, tangential, _, spring, heat = friction_force(law, 0.01, 0.0, sign * 10.0, sign * 0.012, 1.0, 0.001)
    assert tangential == pytest.approx(-sign * 0.5 * 10.0)
    assert spring == pytest.approx(sign * 5.0 / 400.0)
    # work of the mean force along the displacement = stored + heat
    moved = 0.01
    work = 0.5 * 400 * (0.012 + 0.0125) * moved
    assert heat == pytest.approx(work - (tangential_energy(law, 0.0125) - tangential_energy(law, 0.012)))
    assert heat > 0.0


@pytest.mark.parametrize("cap", ["total", "elastic"])
def test_cap(cap):
    rng = np.random.default_rng(1)
    law = parameters(cap=cap, normal_damping=50.0, tangential_damping=30.0)
    total_exceeded = elastic_cap_differs = 0
    for _ in range(2000):
        depth, closing, sliding, spring = rng.uniform(0, 0.02), *rng.normal(0, 0.3, 2), rng.normal(0, 0.01)
        elastic, viscous, tangential, drag, new, _ = friction_force(law, depth, closing, sliding, spring, 0.7, 1e-3)
        assert elastic + viscous >= 0.0
        assert abs(tangential) == pytest.approx(400 * abs(new))
        if cap == "total":
            limit = 0.5 * (elastic + viscous)
            assert abs(tangential + drag) <= limit * (1 + 1e-12) + 1e-15
            assert abs(tangential) <= limit * (1 + 1e-12) + 1e-15
        else:
            limit = 0.5 * elastic
            assert abs(tangential) <= limit * (1 + 1e-12)
            assert drag == pytest.approx(-30 * 0.7 * sliding)
            total_exceeded += abs(tangential + drag) > limit
            elastic_cap_differs += abs(tangential) > 0.5 * (elastic + viscous) * (1 + 1e-12)
    if cap == "elastic":
        assert total_exceeded > 0
        assert elastic_cap_differs > 0


def test_damping_never_pulls():
    law = parameters(normal_damping=50.0)
    elastic, viscous, tangential, drag, spring, _ = friction_force(law, 0.01, -100.0, 0.3, 0.001, 1.0, 1e-3)
    assert elastic + viscous == 0.0
    assert (tangential, drag, spring) == (0.0, 0.0, 0.0)  # nothing to hold on to
    elastic, viscous, *_ = friction_force(law, 0.01, 0.1, 0.0, 0.0, 1.0, 1e-3)
    assert viscous == pytest.approx(50 * 0.1)


def test_dashpot_gives_way_before_the_spring():
    law = parameters(tangential_damping=1000.0)
    _, _, tangential, drag, spring, heat = friction_force(law, 0.01, 0.0, 0.1, 0.01, 1.0, 1e-3)
    assert heat == 0.0
    assert spring == pytest.approx(0.0101)
    assert tangential + drag == pytest.approx(-5.0)
    assert drag < 0.0


def test_the_cut_back_of_an_unloaded_contact_books_all_it_loses():
    """Depth falls while nothing slides: the spring's energy above the new cap is heat, exactly."""
    law = parameters()
    *_, new, heat = friction_force(law, 0.004, 0.0, 0.0, 0.01, 1.0, 1e-3)
    assert new == pytest.approx(0.005)
    assert heat == pytest.approx(tangential_energy(law, 0.01) - tangential_energy(law, 0.005))


def cycle_residual(cap: str, steps: int) -> float:
    """Energy in − stored − heat along a random smooth path of depth and slip, over the energy that went in."""
    rng = np.random.default_rng(4)
    law = parameters(cap=cap, normal_damping=3.0, tangential_damping=2.0)
    waves = rng.normal(size=(2, 6)), rng.uniform(0, 7, (2, 6)), np.arange(1, 7)
    t = np.linspace(0.0, 1.0, steps + 1)
    depth = 0.01 + 0.003 * np.tanh(
        (waves[0][0, :, None] * np.sin(2 * np.pi * waves[2][:, None] * t + waves[1][0, :, None])).sum(0)
    )
    slip = 0.008 * (waves[0][1, :, None] * np.sin(2 * np.pi * waves[2][:, None] * t + waves[1][1, :, None])).sum(0)
    dt = t[1]
    spring, heat, work, viscous_heat, put_in = 0.0, 0.0, 0.0, 0.0, 0.0
    old = None
    start = normal_energy(law, depth[0])
    for n in range(1, steps + 1):
        closing, sliding = (depth[n] - depth[n - 1]) / dt, (slip[n] - slip[n - 1]) / dt
        elastic, viscous, tangential, drag, spring, warmth = friction_force(law, depth[n], closing, sliding, spring, 1.0, dt)
        now = (elastic, tangential)
        if old is None:
            old = (law[0] * depth[0], 0.0)
        # what the two bodies put in against the contact: normal force along closing, tangential against sliding
        step_work = 0.5 * (now[0] + old[0]) * closing * dt - 0.5 * (now[1] + old[1]) * sliding * dt
        step_viscous = (viscous * closing - drag * sliding) * dt
        work += step_work + step_viscous
        viscous_heat += step_viscous
        put_in += abs(step_work) + abs(step_viscous)
        heat += warmth
        assert step_viscous >= -1e-15
        old = now
    stored = normal_energy(law, depth[-1]) + tangential_energy(law, spring) - start
    assert heat > 0.1 * put_in
    return abs(work - stored - heat - viscous_heat) / put_in


@pytest.mark.parametrize("cap", ["total", "elastic"])
def test_the_cycle_closes(cap):
    assert cycle_residual(cap, 20000) < 1e-12  # exact for any step: the heat is the difference of two exact sums
    assert cycle_residual(cap, 200) < 1e-12


def test_sliding_heat_is_friction_times_way():
    law = parameters()
    spring, heat, way, dt = 0.0, 0.0, 0.0, 1e-4
    for _ in range(5000):
        *_, spring, warmth = friction_force(law, 0.01, 0.0, 1.0, spring, 1.0, dt)
        heat += warmth
        way += dt
    stored = tangential_energy(law, spring)
    assert heat == pytest.approx(5.0 * (way - 0.0125), rel=1e-3)
    assert stored == pytest.approx(0.5 * 400 * 0.0125**2)


def test_the_elastic_twin_is_the_normal_force_alone():
    law = parameters()
    assert elastic(law, 0.01, 0.0) == friction_force(law, 0.01, 0.0, 0.0, 0.0, 1.0, 1e-3)[0] == 10.0


def test_friction_is_the_same_in_every_direction_of_the_tangent_plane():
    law = parameters(normal_damping=50.0, tangential_damping=30.0)
    rng = np.random.default_rng(2)
    for _ in range(200):
        turn = rng.uniform(0, 2 * np.pi)
        c, s = math.cos(turn), math.sin(turn)
        depth, closing, sliding, spring = rng.uniform(0, 0.02), *rng.normal(0, 0.3, 2), rng.normal(0, 0.01)
        flat = friction_force(law, depth, closing, sliding, spring, 0.7, 1e-3)
        turned = force(
            law, Contact(depth, closing, sliding * c, sliding * s, 0.7, 0.0, sliding * c, sliding * s),
            Memory(spring * c, spring * s, 0.0), 1e-3,
        )  # fmt: skip
        assert (turned.shear_u, turned.shear_w) == pytest.approx((flat[2] * c, flat[2] * s), abs=1e-12)
        assert (turned.drag_u, turned.drag_w) == pytest.approx((flat[3] * c, flat[3] * s), abs=1e-12)
        assert turned.heat == pytest.approx(flat[5], abs=1e-13)


# --- restitution ----------------------------------------------------------------------------------------------------


def closed_form(zeta: float) -> float:
    root = math.sqrt(1.0 - zeta**2)
    return math.exp(-(zeta / root) * (math.pi - math.atan2(2 * zeta * root, 1 - 2 * zeta**2)))


def collide(zeta: float, shape, gap: float, counts: int, part: int = 400) -> tuple[float, dict[str, float]]:
    mass = shape.area
    reduced, stiffness = 0.5 * mass, 1e4
    omega = math.sqrt(counts * stiffness / reduced)
    scene = Scene(law=Linear(stiffness, normal_damping=2 * zeta * omega / counts))
    scene.add(shape, (0, 0), velocity=(0.5, 0))
    scene.add(shape, (gap, 0), velocity=(-0.5, 0))
    engine = Engine(scene, dt=math.pi / omega / part)
    engine.advance(3 * part)
    snap = engine.snapshot()
    assert len(snap.contacts) == 0
    return float(snap.velocities[1, 0] - snap.velocities[0, 0]), accounts(engine, snap)


@pytest.mark.parametrize("zeta", [0.0, 0.05, 0.3, 0.7, 0.95])
def test_restitution_of_two_disks(zeta):
    ball = disk(radius=0.5)
    speed, book = collide(zeta, ball, 1.0 + 1e-4, 1)
    assert speed == pytest.approx(closed_form(zeta), abs=2e-3)
    lost = 0.25 * ball.area * (1 - speed**2)
    assert book["heat_viscous"] == pytest.approx(lost, abs=2e-5)


def test_restitution_of_two_flats_counts_two_contacts():
    square = polygon([(-0.4, -0.4), (0.4, -0.4), (0.4, 0.4), (-0.4, 0.4)], 0.1)
    scene_offset = 1.0 + 1e-4
    speed, _ = collide(0.3, square, scene_offset, 4)  # equal faces: all four corners meet
    assert speed == pytest.approx(closed_form(0.3), abs=2e-3)


# --- bad parameters -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given, name",
    [
        ({"normal_stiffness": 0.0}, "normal_stiffness"),
        ({"normal_stiffness": -1.0}, "normal_stiffness"),
        ({"normal_stiffness": math.nan}, "normal_stiffness"),
        ({"normal_stiffness": math.inf}, "normal_stiffness"),
        ({"tangential_stiffness": -1.0}, "tangential_stiffness"),
        ({"tangential_stiffness": math.inf}, "tangential_stiffness"),
        ({"friction": -0.1}, "friction"),
        ({"friction": math.nan}, "friction"),
        ({"tangential_stiffness": 0.0}, "tangential_stiffness"),
        ({"normal_damping": -1.0}, "normal_damping"),
        ({"normal_damping": math.inf}, "normal_damping"),
        ({"tangential_damping": math.nan}, "tangential_damping"),
        ({"cap": "none"}, "cap"),
    ],
)
def test_bad_parameters_are_named(given, name):
    with pytest.raises(SceneError, match=name):
        parameters(**given)


def test_infinite_friction_holds_every_contact():
    *_, spring, heat = friction_force(parameters(friction=math.inf), 1e-9, 0.0, 1.0, 0.0, 1.0, 1.0)
    assert (spring, heat) == (1.0, 0.0)
