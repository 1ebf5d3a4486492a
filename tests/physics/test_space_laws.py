"""The laws in space beside closed forms: restitution by count, Hertz, rolling, cohesion, and an own law that is ours."""

import math

import numpy as np
import pytest

from clast.algebra.quaternions import random_turns
from clast.dynamics.engine import Engine
from clast.laws import Cohesion, Hertz, Linear, OwnLaw, Rolling
from clast.laws.linear import elastic, force, normal_energy, spring_energy
from clast.scene.space import Scene3D
from clast.shapes.space.make import cuboid, hull, plate, sphere

RADIUS = 0.2
K = 1e5
FLOOR = plate([(-3.0, -3.0, -RADIUS), (3.0, -3.0, -RADIUS), (3.0, 3.0, -RADIUS), (-3.0, 3.0, -RADIUS)], RADIUS)
# a vertex straight below the centre of mass, so that no impact on it turns the grain
SPIKE = hull([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)], RADIUS, name="spike")
# of both the top lies at z = −r, so that the surface is at z = 0
RIDGE = hull([(-3, 0, -RADIUS), (3, 0, -RADIUS), (-3, 3, -4), (3, 3, -4), (-3, -3, -4), (3, -3, -4)], RADIUS, name="ridge")
TIP = hull([(0, 0, -RADIUS), (3, 3, -4), (-3, 3, -4), (3, -3, -4), (-3, -3, -4)], RADIUS, name="tip")
MEETINGS = {
    "sphere on a face": (sphere(RADIUS), FLOOR, 1),
    "sphere on a ridge": (sphere(RADIUS), RIDGE, 1),
    "vertex on a face": (SPIKE, FLOOR, 1),
    "vertex on a ridge": (SPIKE, RIDGE, 2),
    "vertex on a tip": (SPIKE, TIP, 3),
}


def drop(solid, wall, law, speed, steps, turn=(1.0, 0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0)):
    """A solid just above a wall whose top is z = 0, thrown down: the engine after every step until it is free again."""
    scene = Scene3D(law=law)
    scene.add_wall(wall)
    low = float(solid.vertices[:, 2].min()) - solid.radius if turn[0] == 1.0 else -solid.reach
    period = math.pi * math.sqrt(solid.volume / K)
    dt = period / steps
    scene.add(solid, (0.0, 0.0, 1.7 * dt * speed - low), orientation=turn, velocity=(0.0, 0.0, -speed), spin=spin)
    return Engine(scene, dt=dt)


def bounce(engine):
    """Largest push, when contacts began and ended, largest count, and what flies off: velocity, spin."""
    pushes, counts, touched = [0.0], [0.0], []
    while True:
        engine.advance(engine.step + 1)
        seen = engine.snapshot()
        if len(seen.contacts):
            pushes.append(seen.contacts.pushes.sum())
            counts.append(seen.contacts.counts.sum())
            touched.append(seen.time)
        elif touched:
            break
        assert engine.step < 100_000
    return max(pushes), touched[-1] - touched[0], max(counts), seen.velocities[1], seen.spins[1]


def restitution(count, mass, damping):
    """Model §3, with the cut-off of pulling."""
    zeta = count * damping * mass / (2.0 * math.sqrt(count * K * mass))
    root = math.sqrt(1.0 - zeta**2)
    return math.exp(-zeta / root * (math.pi - math.atan2(2.0 * zeta * root, 1.0 - 2.0 * zeta**2)))


@pytest.mark.parametrize("meeting", MEETINGS)
def test_restitution_of_a_contact_counted_so_often(meeting):
    solid, wall, count = MEETINGS[meeting]
    damping = 0.4 * math.sqrt(K / solid.volume)  # ζ = 0.2 √count
    law = Linear(K, 0.5 * K, 0.3, normal_damping=damping)
    back = []
    for steps in (400, 800):
        _, _, counted, velocity, spin = bounce(drop(solid, wall, law, 0.01, steps))
        assert counted == pytest.approx(count, abs=1e-12)
        assert np.abs(velocity[:2]).max() < 1e-12 and np.abs(spin).max() < 1e-10
        back.append(velocity[2] / 0.01)
    expected = restitution(count, solid.volume, damping)
    assert back[1] == pytest.approx(expected, rel=2e-3)
    assert 2.0 * back[1] - back[0] == pytest.approx(expected, rel=2e-5)  # a dashpot begins with a jump: the error goes with Δt


@pytest.mark.parametrize("meeting", MEETINGS)
def test_elastic_impact_of_a_contact_counted_so_often(meeting):
    """Largest force v√(n k m) and half a period π√(m/nk)."""
    solid, wall, count = MEETINGS[meeting]
    push, lasted, _, velocity, _ = bounce(drop(solid, wall, Linear(K), 0.01, 400))
    assert push == pytest.approx(0.01 * math.sqrt(count * K * solid.volume), rel=1e-4)
    assert lasted == pytest.approx(math.pi * math.sqrt(solid.volume / (count * K)), rel=2 / 200)  # within two steps
    assert velocity[2] == pytest.approx(0.01, rel=1e-5)


@pytest.mark.validate
def test_hertz_impact():
    """F_max = k δ^{3/2}, δ = (5 m v²/4k)^{2/5}, duration 2.9433 δ/v."""
    ball, speed = sphere(RADIUS), 0.05
    push, lasted, _, velocity, _ = bounce(drop(ball, FLOOR, Hertz(K), speed, 4000))
    depth = (1.25 * ball.volume * speed**2 / K) ** 0.4
    assert push == pytest.approx(K * depth**1.5, rel=1e-5)
    assert lasted == pytest.approx(2.9433 * depth / speed, rel=1e-3)
    assert velocity[2] == pytest.approx(speed, rel=1e-5)


@pytest.mark.validate
def test_rolling_resistance_stops_a_sphere_where_it_should():
    """Torque μ_r F_n R on a rolling sphere: a = 5/7 μ_r g, so it stops after v²/2a; the direction of rolling is any."""
    ball, gravity, mu, speed = sphere(RADIUS), 9.81, 0.05, 0.5
    law = Linear(1e6, 5e5, 0.8, normal_damping=300.0, tangential_damping=300.0, rolling=Rolling(500.0, mu))
    depth = ball.volume * gravity / 1e6
    way = np.array([math.cos(0.4), math.sin(0.4)])
    scene = Scene3D(law=law, gravity=(0.0, 0.0, -gravity))
    scene.add_wall(FLOOR)
    spin = speed / RADIUS * np.array([-way[1], way[0], 0.0])
    scene.add(ball, (*(-0.5 * way), RADIUS - depth), velocity=(*(speed * way), 0.0), spin=spin)
    engine = Engine(scene)
    slowing = 5.0 / 7.0 * mu * gravity
    engine.advance(round(1.3 * speed / slowing / engine.dt))
    seen = engine.snapshot()
    assert np.linalg.norm(seen.velocities[1]) < 1e-3 * speed
    rolled = seen.positions[1, :2] + 0.5 * way
    assert rolled @ way == pytest.approx(0.5 * speed**2 / slowing, rel=5e-3)
    assert abs(rolled @ np.array([-way[1], way[0]])) < 1e-9


@pytest.mark.validate
def test_cohesion_holds_what_it_should():
    """A sphere hangs from a ceiling while m g < F_c, deepest δ = (F_c − m g)/k; a little more and it falls."""
    ball, strength, reach = sphere(RADIUS), 2.0, 1e-3
    law = Linear(K, cohesion=Cohesion(strength, reach))
    ends = {}
    for share in (0.5, 0.98, 1.02):
        scene = Scene3D(law=law, gravity=(0.0, 0.0, -share * strength / ball.volume), drag=20.0)
        scene.add_wall(plate(-FLOOR.vertices + FLOOR.centre + (0.0, 0.0, 2.0 * RADIUS), RADIUS))
        depth = max(0.0, (1.0 - share) * strength / K)
        scene.add(ball, (0.0, 0.0, -RADIUS + 0.5 * depth))
        engine = Engine(scene)
        engine.advance(round(2.0 / engine.dt))
        ends[share] = float(engine.positions[1, 2]) + RADIUS
    assert ends[0.5] == pytest.approx(0.5 * strength / K, rel=1e-6)
    assert ends[0.98] == pytest.approx(0.02 * strength / K, rel=1e-6)
    assert ends[1.02] < -10.0 * reach


@pytest.mark.validate
def test_an_own_law_that_says_the_same_does_the_same():
    """A spinning box thrown on a floor, with friction and damping: the same functions, bound as a user's own."""
    ours = Linear(K, 0.5 * K, 0.3, normal_damping=20.0, tangential_damping=10.0)
    names = ("k_n", "k_t", "friction", "g_n", "g_t", "cap")
    own = OwnLaw(dict(zip(names, ours.row, strict=True)), elastic, normal_energy, K, force, spring_energy)
    turn = random_turns(np.random.default_rng(5), 1)[0]
    ends = []
    for law in (ours, own):
        engine = drop(cuboid((0.6, 0.8, 1.0), RADIUS), FLOOR, law, 0.3, 200, turn, (0.3, -0.2, 0.5))
        engine.advance(4000)
        seen = engine.snapshot()
        ends.append(np.column_stack([seen.velocities, seen.positions, seen.orientations, seen.spins]))
    assert np.abs(ends[0][:, :3]).max() > 0.01
    assert ends[1] == pytest.approx(ends[0], rel=1e-11, abs=1e-12)
