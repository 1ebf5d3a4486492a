"""Grazing impacts with friction: no angle creates energy."""

import math

import numpy as np
import pytest
import shapely

from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.scene.plane import Scene
from clast.shapes import Shape, disk, regular

DEGREES = [*range(0, 90, 5), 87, 88, 89]
K = 1e4
SHAPES = {"disk": disk(radius=0.5), "hexagon": regular(6, 0.1, circumradius=0.45)}


def impacts(shape: Shape, law: Linear, phases: int = 6) -> np.ndarray:
    """Kinetic energy after over before (degrees, phases) for the same impacts; pairs far apart in one scene.

    Half the safe step: at the safe step itself one hexagon in a hundred gains 5.5e-5 for μ ≥ 1, where 2.0e-5 is the error
    without friction; the gain falls with Δt and is gone at a quarter of it.

    One grain flies along −x with the offset h sin θ, h the offset at which it would just pass: 0° is head on for disks,
    89° a graze. Orientation, spin and the phase of the step are random.
    """
    rng = np.random.default_rng(9)
    scene = Scene(law=law)
    period = math.pi * math.sqrt(0.5 * shape.area / K)
    speed = 0.02 / (period / math.pi)  # head on they overlap by 0.02
    for k, degrees in enumerate(np.repeat(DEGREES, phases)):
        at = np.array([30.0 * (k % 12), 30.0 * (k // 12)])
        turns, spins, gap = rng.uniform(0, 7, 2), rng.normal(0, 0.5 * speed, 2), rng.uniform(0.0, 0.01)
        still, flying = (turned(shape, turn) for turn in turns)
        offset = (still[:, 1].max() - flying[:, 1].min() + 2 * shape.radius) * math.sin(math.radians(degrees))
        far = 3 * shape.reach
        while (apart := skeleton(still).distance(skeleton(flying + np.array([far, offset]))) - 2 * shape.radius - gap) > 1e-9:
            far -= apart
            assert far > -2 * shape.reach
        scene.add(shape, at, angle=turns[0], spin=spins[0])
        scene.add(shape, at + np.array([far, offset]), angle=turns[1], spin=spins[1], velocity=(-speed, 0.0))
    engine = Engine(scene, dt=0.5 * Engine(scene).dt)
    start = kinetic(engine)
    engine.advance(round(30 * period / engine.dt))
    assert len(engine.snapshot().contacts) == 0
    return (kinetic(engine) / start).reshape(len(DEGREES), phases)


def turned(shape: Shape, angle: float) -> np.ndarray:
    return shape.vertices @ np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])


def skeleton(points: np.ndarray) -> shapely.Geometry:
    return shapely.MultiPoint(points).convex_hull


def kinetic(engine: Engine) -> np.ndarray:
    seen = engine.snapshot()
    each = 0.5 * (seen.velocities**2).sum(axis=1) / seen.inverse_masses + 0.5 * seen.spins**2 / seen.inverse_inertias
    return each[0::2] + each[1::2]


@pytest.mark.parametrize("friction", [0.1, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("name", SHAPES)
def test_friction_creates_no_energy(name, friction):
    shape = SHAPES[name]
    free = impacts(shape, Linear(K))
    error = np.abs(free - 1.0).max()
    assert error < 1e-4
    rubbed = impacts(shape, Linear(K, 0.4 * K, friction=friction))
    assert (rubbed <= 1.0 + error).all(), f"{rubbed.max() - 1.0} gained, {error} without friction"
    assert rubbed.min() < 0.995


@pytest.mark.parametrize("law", [Linear(K), Linear(K, 0.3 * K, 0.4, normal_damping=16.0)], ids=["elastic", "frictional"])
def test_a_contact_that_only_just_touches_is_a_contact_like_any_other(law):
    """Skeletons as far apart as the radii say, to the last bit: no depth and no force after rounding, and no 0/0.

    That is how the grains of a Voronoi diagram lie, eroded and dilated by the same disk.
    """
    ways = np.random.default_rng(2).uniform(0.0, 2.0 * math.pi, 10_000)
    places = 0.2 * np.stack([np.cos(ways), np.sin(ways)], axis=1)
    squares = places[:, 0] * places[:, 0] + places[:, 1] * places[:, 1]
    between = places[(squares < 0.2 * 0.2) & (np.sqrt(squares) == 0.2)]
    touching = 0
    for place in between[:20]:
        scene = Scene(law=law)
        scene.add(disk(radius=0.1), (0.0, 0.0), velocity=0.5 * place)
        scene.add(disk(radius=0.1), place, velocity=-0.5 * place)
        engine = Engine(scene)
        touching += list(engine.contacts().depths) == [0.0]  # a fused square may round the other way
        engine.advance(2000)
        assert np.isfinite(engine.positions).all() and np.isfinite(engine.velocities).all()
        if law.friction == 0.0:
            assert np.hypot(*engine.velocities.T) == pytest.approx(0.1, rel=1e-6)
    assert touching > 0
