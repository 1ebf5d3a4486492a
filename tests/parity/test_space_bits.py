"""The same bits in space, whatever the number of threads, the outputs, alpha, a stop in between, or the unit of length."""

import math
import os
import signal
from functools import partial

import numpy as np
import pytest
from same_bits import after, assert_same_bits, assert_threads_change_no_bit, hand_over, result, with_outputs

import clast
from clast.algebra.quaternions import random_turns
from clast.dynamics.engine import Engine
from clast.dynamics.space.columns import SPIN, TURN
from clast.laws import Linear
from clast.output.recording import Interrupted
from clast.scene.space import Box3D, Scene3D
from clast.scene.tags import Velocity
from clast.shapes.space.forms import cross
from clast.shapes.space.make import capsule, cuboid, plate, sphere, tetrahedron

SIDE, LAYERS = 3, 3
STEPS = 900
DT = 2e-4
PITCH = 1.02
SOLIDS = [cuboid((0.5, 0.6, 0.4), 0.1), sphere(0.35), tetrahedron(0.8, 0.1), capsule(0.4, 0.2), cross(0.15, 0.2, 0.1)]
WIDTH = SIDE * PITCH
FLOOR = plate([(0, 0, 0), (WIDTH, 0, 0), (WIDTH, WIDTH, 0), (0, WIDTH, 0)], 0.1)
LID = plate([(0, 0, 3.4), (WIDTH, 0, 3.4), (WIDTH, WIDTH, 3.4), (0, WIDTH, 3.4)], 0.1)
STILL = {"spin": 0.0, "spin_x": 0.0, "spin_y": 0.0}


def falling(scale: float = 1.0) -> Scene3D:
    """26 grains of five kinds that fall and are pressed by a lid, lengths times `scale`; masses, stiffness, times as they are."""
    law = Linear(2e4, 1e4, friction=0.4, normal_damping=30.0, tangential_damping=10.0)
    box = Box3D(period_x=WIDTH * scale, period_y=WIDTH * scale)
    scene = Scene3D(law=law, gravity=(0.0, 0.0, -40.0 * scale), box=box)
    rng = np.random.default_rng(8)
    solids = [solid.scaled(scale) for solid in SOLIDS]
    for k, turn in enumerate(random_turns(rng, SIDE * SIDE * LAYERS - 1)):
        place = np.array([k % SIDE, k // SIDE % SIDE, k // SIDE**2]) + 0.5
        scene.add(
            solids[k % 5], place * PITCH * scale, orientation=turn, velocity=rng.normal(0, 0.5, 3) * scale,
            spin=rng.normal(0, 3, 3), density=scale**-3,
        )  # fmt: skip
    scene.add_wall(FLOOR.scaled(scale))
    lid = LID.scaled(scale)  # not by add_wall: its weight does work too, so its mass has to be the same
    scene.add(
        lid, lid.centre, orientation=lid.orientation, big=True, density=scale**-3,
        tags=[Velocity(x=0.5 * scale, y=0.0, z=-9.0 * scale, **STILL)],
    )  # fmt: skip
    return scene


@pytest.fixture(scope="module")
def expected() -> dict[str, np.ndarray]:
    engine = Engine(falling(), dt=DT, alpha=0.05)
    engine.advance(STEPS)
    kept = result(engine)
    assert engine.rebuilds > 5
    assert len(kept["spring"]) > 40  # a packing, not a gas
    assert (kept["accounts"][7:9] > 0.0).all()  # heat of sliding and of damping
    return kept


@pytest.mark.parametrize("threads", [2, 3])
def test_threads(expected, threads):
    assert_threads_change_no_bit(partial(Engine, falling(), dt=DT, alpha=0.05), threads, STEPS, expected, first=10, last=40)


@pytest.mark.parametrize("every", [1, 7])
def test_outputs(expected, every):
    assert_same_bits(with_outputs(Engine(falling(), dt=DT, alpha=0.05), STEPS, every), expected)


@pytest.mark.parametrize("alpha", [1e-6, 1e-3, 0.15, "auto"])
def test_alpha(expected, alpha):
    assert_same_bits(after(Engine(falling(), dt=DT, alpha=alpha), STEPS), expected)


@pytest.mark.parametrize("stop", [1, 500])
def test_going_on_from_a_checkpoint(expected, stop):
    first = Engine(falling(), dt=DT, alpha=0.05)
    first.advance(stop)
    second = Engine(falling(), dt=DT, alpha=0.08)
    hand_over(first, second)
    assert_same_bits(after(second, STEPS), expected)


def test_a_run_that_was_stopped_and_resumed(tmp_path):
    """`clast.run` in one go, and stopped by a signal on the way: the same frames and samples."""
    asked = {"until": 300 * DT, "dt": DT, "alpha": 0.05, "frames": 6, "samples": 12, "progress": clast.quiet()}
    whole = clast.run(falling(), out=tmp_path / "whole", **asked)

    def stop_halfway(engine, snapshot):
        if engine.step == 150:
            os.kill(os.getpid(), signal.SIGTERM)
        return {}

    with pytest.raises(Interrupted):
        clast.run(falling(), out=tmp_path / "parts", extra=stop_halfway, **asked)
    parts = clast.run(falling(), out=tmp_path / "parts", resume=True, **asked)
    for one, other in zip(whole.frames, parts.frames, strict=True):
        for name in ("positions", "orientations", "velocities", "spins"):
            assert np.array_equal(one[name], other[name]), name
    for name, series in whole.series.items():
        assert np.array_equal(series, parts.series[name]), name


@pytest.mark.parametrize("power", [-10, -20, 7])
@pytest.mark.parametrize("alpha", [0.05, "auto"])
def test_units_of_length(expected, power, alpha):
    scale = math.ldexp(1.0, power)
    engine = Engine(falling(scale), dt=DT, alpha=alpha if alpha == "auto" else alpha * scale)
    engine.advance(STEPS)
    units = np.full(16, scale)
    units[TURN : TURN + 4] = units[SPIN : SPIN + 3] = 1.0
    assert np.array_equal(engine.state.body / units, expected["body"])
    assert np.array_equal(engine.state.momentum / scale**2, expected["momentum"])
    arrays = engine.checkpoint()[0]
    assert np.array_equal(arrays["spring_key"], expected["spring_key"])
    assert np.array_equal(arrays["spring"][:, :3] / scale, expected["spring"][:, :3])
    assert np.array_equal(engine.state.book / scale**2, expected["book"])


def test_the_comparison_sees_one_bit(expected):
    changed = {name: array.copy() for name, array in expected.items()}
    changed["body"][10, 5] = np.nextafter(changed["body"][10, 5], 2.0)
    with pytest.raises(AssertionError, match="body differs"):
        assert_same_bits(changed, expected)


def test_one_bit_at_the_start_is_seen(expected):
    engine = Engine(falling(), dt=DT, alpha=0.05)
    engine.state.body[3, 0] = np.nextafter(engine.state.body[3, 0], 9.0)
    engine.advance(STEPS)
    assert not np.array_equal(engine.state.body, expected["body"])
