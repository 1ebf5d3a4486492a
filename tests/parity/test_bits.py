"""The same bits, whatever the number of threads, the outputs, alpha, or a stop in between (design rule 9)."""

from functools import partial

import numpy as np
import pytest
from same_bits import after, assert_same_bits, assert_threads_change_no_bit, hand_over, result, with_outputs

from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.scene.plane import Box, Scene
from clast.shapes import polyline, regular, segment

GRAINS = 203  # no multiple of 8, nor of 2 or 3
COLUMNS = 15
STEPS = 1500
DT = 1e-4
HEXAGON = regular(6, 0.03, circumradius=0.1)
PITCH = 0.252  # nearly touching: falls a hair, then rubs
BOXES = ["periodic", "open"]


def falling_hexagons(box: str) -> Scene:
    width = COLUMNS * PITCH
    law = Linear(2e5, 1e5, friction=0.4, normal_damping=200.0, tangential_damping=50.0)
    scene = Scene(law=law, gravity=(0.0, -100.0), box=Box(period_x=width) if box == "periodic" else None)
    rng = np.random.default_rng(8)
    for k in range(GRAINS):
        x, y = (k % COLUMNS + 0.5) * PITCH, (k // COLUMNS + 0.5) * PITCH
        scene.add(HEXAGON, (x, y), angle=rng.uniform(0, 7), velocity=rng.normal(0, 0.3, 2), spin=rng.normal(0, 3.0))
    if box == "periodic":
        scene.add_wall(segment((0.0, -0.05), (width, -0.05), 0.04))
    else:
        scene.add_wall(polyline([(-0.06, 6), (-0.06, -0.05), (width + 0.06, -0.05), (width + 0.06, 6)], 0.04))
    return scene


@pytest.fixture(scope="module", params=BOXES)
def reference(request) -> tuple[str, dict[str, np.ndarray]]:
    engine = Engine(falling_hexagons(request.param), dt=DT, alpha=0.02)
    engine.advance(STEPS)
    kept = result(engine)
    assert engine.rebuilds > 5
    assert len(kept["spring"]) > 100  # a packing, not a gas
    assert (kept["accounts"][7:9] > 0.0).all()  # heat of sliding and of damping
    return request.param, kept


@pytest.mark.parametrize("threads", [2, 3])
def test_threads(reference, threads):
    box, expected = reference
    make = partial(Engine, falling_hexagons(box), dt=DT, alpha=0.02)
    assert_threads_change_no_bit(make, threads, STEPS, expected, first=30, last=250)


@pytest.mark.parametrize("every", [1, 7])
def test_outputs(reference, every):
    box, expected = reference
    assert_same_bits(with_outputs(Engine(falling_hexagons(box), dt=DT, alpha=0.02), STEPS, every), expected)


@pytest.mark.parametrize("alpha", [0.005, 0.2, "auto"])
def test_alpha(reference, alpha):
    box, expected = reference
    assert_same_bits(after(Engine(falling_hexagons(box), dt=DT, alpha=alpha), STEPS), expected)


def test_an_alpha_smaller_than_the_way_of_one_step(reference):
    box, expected = reference
    assert_same_bits(after(Engine(falling_hexagons(box), dt=DT, alpha=1e-6), STEPS), expected)


@pytest.mark.parametrize("stop", [1, 700])
def test_going_on_from_a_checkpoint(reference, stop):
    box, expected = reference
    first = Engine(falling_hexagons(box), dt=DT, alpha=0.02)
    first.advance(stop)
    second = Engine(falling_hexagons(box), dt=DT, alpha=0.05)
    hand_over(first, second)
    assert_same_bits(after(second, STEPS), expected)


def test_the_comparison_sees_one_bit(reference):
    _, expected = reference
    changed = {name: array.copy() for name, array in expected.items()}
    changed["body"][100, 3] = np.nextafter(changed["body"][100, 3], 2.0)
    with pytest.raises(AssertionError, match="body differs"):
        assert_same_bits(changed, expected)
