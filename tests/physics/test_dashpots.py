"""Dashpots under velocity Verlet: restitution at the step that is taken by itself, and second order in Δt for every law.

The part of a step in which the touch falls is varied: an error that depends on it would hide in one impact.
"""

import math
from importlib import import_module

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from clast.dynamics.engine import Engine
from clast.laws import Hertz, HertzMindlin, Linear, Memory, Overlap, OverlapEnergy, OverlapVolume, OwnLaw, Response
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.shapes import disk, polygon, segment
from clast.shapes.space.make import cuboid, sphere

BALL, SPHERE = disk(radius=0.5), sphere(0.5)
PHASES = (np.arange(12) + 0.5) / 12
ASKED = (0.05, 0.3, 0.6, 0.9, 0.99)
PARTS = (1, 2, 4, 8, 16, 32)  # of twice the safe step
LONG = 40.0  # times √(m_e/k): after these every impact is over


def impacts(scene, shape, gap, *, dt=None, speed=1.0):
    """Pairs of grains that meet head on, each in another part of a step: speeds apart over the speed together, and Δt."""
    law, space = scene.default_law, isinstance(scene, Scene3D)
    step = dt or safe_step(type(scene), law, shape)
    for row, phase in enumerate(PHASES):
        y, way = 10.0 * row, gap + speed * step * phase
        across = (y, 0.0) if space else (y,)
        scene.add(shape, (0.0, *across), velocity=(0.5 * speed, *(0.0 for _ in across)))
        scene.add(shape, (1.0 + way, *across), velocity=(-0.5 * speed, *(0.0 for _ in across)))
    return Engine(scene, dt=step, alpha=0.1)


def safe_step(kind, law, shape):
    """Δt that a scene of such grains takes by itself."""
    scene = kind(law=law)
    scene.add(shape, (0.0, 0.0, 0.0)[: 3 if kind is Scene3D else 2])
    return Engine(scene).dt


def speeds_apart(engine, time):
    """Of all pairs, after `time`; none touches any more."""
    engine.advance(round(time / engine.dt))
    seen = engine.snapshot()
    assert len(seen.contacts) == 0
    velocities = seen.velocities[:, 0].reshape(-1, 2)
    return velocities[:, 1] - velocities[:, 0]


@pytest.mark.parametrize("law, kind, shape", [
    (Linear, Scene, BALL), (Linear, Scene3D, SPHERE), (Hertz, Scene, BALL), (HertzMindlin, Scene3D, SPHERE),
], ids=("linear disks", "linear spheres", "hertz disks", "hertz-mindlin spheres"))  # fmt: skip
@pytest.mark.parametrize("asked", ASKED)
def test_restitution_is_the_one_that_was_given(law, kind, shape, asked):
    """Within 1e-4 at the safe step."""
    scene = kind(law=law(1e6, restitution=asked))
    engine = impacts(scene, shape, 0.003)
    stiffest = 1e6 if law is Linear else 1e6 * math.sqrt(0.005)
    found = speeds_apart(engine, 0.003 + LONG * math.sqrt(0.5 * mass_of(shape) / stiffest) * (1.0 if asked > 0.1 else 3.0))
    assert np.abs(found - asked).max() < 1e-4
    assert np.abs(found - asked).max() > 1e-12  # something was computed


def mass_of(shape):
    """Of density 1."""
    return shape.area if hasattr(shape, "area") else shape.volume


# --- order ------------------------------------------------------------------------------------------------------------------

FLAT = polygon([(-0.4, -0.4), (0.4, -0.4), (0.4, 0.4), (-0.4, 0.4)], 0.1)
CUBE = cuboid((1.0, 1.0, 1.0), 0.0)


def exact(force, mass, speed=1.0, until=50.0):
    """Speed apart of two grains by an integrator of high order: `force(depth, closing)` on the relative motion."""

    def motion(_, y):
        return y[1], -max(force(max(y[0], 0.0), y[1]), 0.0) / (0.5 * mass)

    def over(_, y):
        return y[0] + 1e-14

    over.terminal, over.direction = True, -1.0
    found = solve_ivp(
        motion, (0.0, until), (0.0, speed), method="DOP853", rtol=1e-12, atol=1e-15, events=over, max_step=until / 2000
    )
    return -float(found.y[1, -1])


def on_faces(law, mass, depth, closing):
    """Two cubes of edge 1 face to face: V = depth, |A| = 1, its centroid half way in; sizes of balls and shadows."""
    ball = (0.75 / math.pi) ** (1.0 / 3.0)
    record = Overlap(depth, 1.0, 1.0 - depth, 2.0 * ball, 1.5, closing, 0.0, 0.0, 0.5 * mass)
    answer = import_module(law.module).force(law.row, record, Memory(0.0, 0.0, 0.0), 0.0)
    return answer.elastic + answer.viscous


def linear(law, mass, depth, closing):
    """One contact of the linear law."""
    return law.normal_stiffness * depth + law.normal_damping * 0.5 * mass * closing


def hertz_mindlin(law, mass, depth, closing):
    """One contact of two spheres of radius ½."""
    width = math.sqrt(0.25 * depth)
    dashpot = 2.0 * math.sqrt(5.0 / 6.0) * law.row[3] * math.sqrt(2.0 * law.young * width * 0.5 * mass)
    return 4.0 / 3.0 * law.young * width * depth + dashpot * closing


DAMPED = Linear(1e4, normal_damping=60.0)
CASES = {
    "linear": (DAMPED, Scene, BALL, linear),
    "linear, flats": (DAMPED, Scene, FLAT, lambda *given: 4.0 * linear(*given)),
    "linear, spheres": (DAMPED, Scene3D, SPHERE, linear),
    "hertz": (Hertz(1e5, normal_damping=30.0), Scene, BALL, lambda law, m, d, c: 1e5 * d**1.5 + 30.0 * 0.5 * m * c),
    "hertz-mindlin": (HertzMindlin(1e5, restitution=0.5), Scene3D, SPHERE, hertz_mindlin),
    "volume": (OverlapVolume(1e4, damping=0.3), Scene3D, CUBE, on_faces),
    "overlap energy": (OverlapEnergy(1e4, damping=0.3), Scene3D, CUBE, on_faces),
}


@pytest.mark.parametrize("case", CASES)
def test_a_damped_impact_is_of_second_order(case):
    """The rms over twelve phases, from twice the safe step to a sixteenth of it."""
    law, kind, shape, force = CASES[case]
    mass = mass_of(shape)
    wanted = exact(lambda depth, closing: force(law, mass, depth, closing), mass)
    first, errors = safe_step(kind, law, shape) * 2.0, []
    for part in PARTS:
        found = speeds_apart(impacts(kind(law=law), shape, 0.01, dt=first / part), 0.6)
        errors.append(math.sqrt(np.mean((found - wanted) ** 2)))
    order = -np.polyfit(np.log(PARTS), np.log(errors), 1)[0]
    print(f"{case}: order {order:.2f}, errors {errors}")
    assert order > 1.9
    assert errors[-1] < 1e-4


def pulling(parameters, contact, memory, dt):
    """A spring and a dashpot that may pull."""
    viscous = parameters[1] * contact.reduced_mass * contact.closing_speed
    return Response(parameters[0] * contact.depth, viscous, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def test_a_dashpot_that_pulls_stops_at_once():
    """e = exp(−πζ/√(1−ζ²)) to second order: where such a contact opens, its pull acts in full to the end."""
    numbers, zeta = {"k": 1e4, "rate": 60.0}, 0.5 * 60.0 * math.sqrt(0.5 * BALL.area / 1e4)
    law = OwnLaw(numbers, lambda p, depth, radius: p[0] * depth, lambda p, depth, radius: 0.5 * p[0] * depth**2, 1e4, pulling)
    wanted, errors = math.exp(-math.pi * zeta / math.sqrt(1.0 - zeta**2)), []
    for part in (2, 4, 8, 16):
        found = speeds_apart(impacts(Scene(law=law), BALL, 0.01, dt=2.0 * safe_step(Scene, law, BALL) / part), 0.6)
        errors.append(np.abs(found - wanted).max())
    order = -np.polyfit(np.log([2, 4, 8, 16]), np.log(errors), 1)[0]
    print(f"pulling: order {order:.2f}, errors {errors}")
    assert order > 1.8


@pytest.mark.parametrize("strength", [0.3, 0.7, 1.5])
def test_strong_dashpots_bring_to_rest(strength):
    """A square falls on a floor: also where its dashpots slow it down at 0.7 and 1.5 times 1/Δt."""
    law = Linear(1e5, 5e4, friction=0.5)
    dt = safe_step(Scene, law, FLAT)
    law = Linear(1e5, 5e4, friction=0.5, normal_damping=0.5 * strength / dt, tangential_damping=0.1 * strength / dt)
    scene = Scene(law=law, gravity=(0.0, -10.0))
    scene.add_wall(segment((-3.0, 0.0), (3.0, 0.0), 0.1))
    scene.add(FLAT, (0.0, 0.61), angle=0.05, velocity=(0.3, 0.0))
    engine = Engine(scene, dt=dt)
    engine.advance(int(3.0 / dt))
    seen = engine.snapshot()
    assert len(seen.contacts) == 2
    assert np.abs([*seen.velocities[:, 1], *seen.spins]).max() < 1e-9
