"""The same scene in other units of length gives the same bits: no tolerance hides a metre."""

import math

import numpy as np
import pytest

from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.scene.plane import Box, Scene
from clast.scene.tags import Velocity
from clast.shapes import cow, disk, polygon, polyline, regular, rice

SHAPES = [
    regular(6, 0.05, circumradius=0.2), disk(radius=0.22), rice(0.12), cow().with_area(0.12),
    polygon([(0, 0), (0.4, 0), (0.4, 0.15), (0.15, 0.15), (0.15, 0.4), (0, 0.4)], 0.05),
]  # fmt: skip
FLOOR = polyline([(0, 0), (1.0, 0.2), (2.5, -0.1), (3.0, 0)], 0.05)
LID = polyline([(0, 3.2), (3.0, 3.2)], 0.05)


def shaken(scale: float, alpha: float | str) -> Engine:
    """Grains between a rough floor and a moving lid, every length times `scale`; masses, stiffness and times as they are."""
    law = Linear(1e5, 5e4, friction=0.4, normal_damping=400.0, tangential_damping=50.0)
    scene = Scene(law=law, gravity=(0.0, -20.0 * scale), box=Box(period_x=3.0 * scale))
    rng = np.random.default_rng(6)
    scaled = [shape.scaled(scale) for shape in SHAPES]
    for k in range(16):
        x, y = 0.75 * (k % 4) + 0.3, 0.7 + 0.62 * (k // 4)
        scene.add(
            scaled[k % 5], (x * scale, y * scale), angle=rng.uniform(0, 7), velocity=rng.normal(0, 0.5, 2) * scale,
            spin=rng.normal(0, 2.0), density=scale**-2,
        )  # fmt: skip
    scene.add_wall(FLOOR.scaled(scale))
    lid = LID.scaled(scale)  # not by add_wall: its weight does work too, so its mass has to be the same
    scene.add(lid, -lid.origin, big=True, density=scale**-2, tags=[Velocity(x=0.5 * scale, y=-0.3 * scale, spin=0.0)])
    return Engine(scene, dt=2e-4, alpha=alpha if alpha == "auto" else alpha * scale)


@pytest.fixture(scope="module")
def metres() -> Engine:
    engine = shaken(1.0, 0.03)
    engine.advance(4000)
    assert len(engine.checkpoint()[0]["spring"]) > 15
    assert engine.state.book[:, 1].sum() > 0.0
    return engine


@pytest.mark.parametrize("power", [-10, -20, 7])
@pytest.mark.parametrize("alpha", [0.03, "auto"])
def test_units_of_length(metres, power, alpha):
    scale = math.ldexp(1.0, power)
    engine = shaken(scale, alpha)
    engine.advance(4000)
    units = np.array([scale, scale, 1, 1, scale, scale, 1, scale])
    assert np.array_equal(engine.state.body / units, metres.state.body)
    assert np.array_equal(engine.state.angle, metres.state.angle)
    arrays, expected = engine.checkpoint()[0], metres.checkpoint()[0]
    assert np.array_equal(arrays["spring_key"], expected["spring_key"])
    assert np.array_equal(arrays["spring"] / scale, expected["spring"])
    assert np.array_equal(engine.state.book / scale**2, metres.state.book)


def test_it_would_be_seen():
    a, b = shaken(1.0, 0.03), shaken(1.0, 0.03)
    a.advance(500)
    b.state.body[3, 0] = np.nextafter(b.state.body[3, 0], 9.0)
    b.advance(500)
    assert not np.array_equal(a.state.body, b.state.body)
