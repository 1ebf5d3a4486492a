"""Cubes in a turning drum of pieces, and the same bits whatever the threads, alpha, outputs, stops or the unit of length."""

import math
from functools import partial

import numpy as np
import pytest
from same_bits import after, assert_same_bits, assert_threads_change_no_bit, hand_over, result, with_outputs

from clast.algebra.quaternions import random_turns
from clast.dynamics.engine import Engine
from clast.dynamics.space.columns import SPIN, TURN
from clast.laws import Law, OverlapEnergy, OverlapVolume
from clast.measures.snapshots.accounts import accounts
from clast.scene.space import Box3D, Scene3D
from clast.scene.tags import Velocity
from clast.shapes import ellipsoid_grain, floor_with_rim, sharp_drum
from clast.shapes.space.make import cuboid, tetrahedron

SPIN_OF_DRUM = 2.0 * math.pi


def drum(cubes: int, law: Law, radius: float = 0.1) -> Scene3D:
    """Cubes of 1 cm at random angles in the lower part of a drum of 24 staves, which turns about y."""
    scene = Scene3D(law=law, gravity=(0.0, 0.0, -9.81))
    rng = np.random.default_rng(4)
    grain, pitch = cuboid(0.01, 0.0), 0.0185
    reach = radius - 0.0095
    half = 0.5 * 5 * pitch
    places = [
        (pitch * x, pitch * (y - 2), pitch * z)
        for z in range(-5, 6) for x in range(-5, 6) for y in range(5) if math.hypot(pitch * x, pitch * z) < reach
    ]  # fmt: skip
    for place, turn in zip(places[:cubes], random_turns(rng, cubes), strict=True):
        scene.add(grain, place, orientation=turn, density=2600.0)
    tags = [Velocity(x=0.0, y=0.0, z=0.0, spin=0.0, spin_x=0.0, spin_y=SPIN_OF_DRUM)]
    scene.add_wall(sharp_drum(radius, 2.0 * half, 24, 0.02), tags=tags)
    return scene


def tumbled(cubes: int, law: Law, until: float, threads: int = 1, dt: float | None = None) -> tuple[Engine, float]:
    """The engine at `until` and the fastest any cube was."""
    engine = Engine(drum(cubes, law), threads=threads, alpha=5e-4, dt=dt)
    fastest = 0.0
    for step in np.linspace(0, round(until / engine.dt), 100).astype(int)[1:]:
        engine.advance(int(step))
        speeds = np.linalg.norm(engine.velocities[engine.free_ids], axis=1)
        fastest = max(fastest, float(speeds.max()))
    return engine, fastest


MEANT = OverlapVolume(1e6, friction=0.5, damping=0.3, tangential_damping=0.1)


def test_a_drum_for_a_short_while():
    """A few cubes fall and are lifted: none is thrown about or lost through a stave."""
    engine, fastest = tumbled(40, MEANT, 0.25)
    places = engine.positions[engine.free_ids]
    assert 0.3 < fastest < 3.0
    assert np.hypot(places[:, 0], places[:, 2]).max() < 0.1 and np.abs(places[:, 1]).max() < 0.05
    assert accounts(engine, engine.snapshot())["heat_sliding"] > 0.0
    assert len(engine.snapshot().contacts) > 30


@pytest.mark.validate
@pytest.mark.parametrize("kind", [OverlapVolume, OverlapEnergy])
def test_drum_with_200_cubes(kind):
    """2π rad/s for 1.5 s (YADE's check of jumpy polyhedra): slower than 50 m/s, and 1, 2 and 3 threads give the same bits, from
    the start and from the tumbling state on (regions are slow on a busy machine)."""
    law = kind(1e6, friction=0.5, damping=0.3, tangential_damping=0.1)
    engine, fastest = tumbled(200, law, 1.5)
    places = engine.positions[engine.free_ids]
    print(f"\n{kind.__name__}: 200 cubes in a drum, {engine.step} steps, the fastest was {fastest:.2f} m/s", end="")
    assert fastest < 50.0
    assert np.hypot(places[:, 0], places[:, 2]).max() < 0.1
    arrays, scalars = engine.checkpoint()
    ends = []
    for threads in (1, 2, 3):
        other = Engine(drum(200, law), threads=threads, alpha=5e-4)
        other.advance(300)
        early = other.state.body.copy()
        other.restore({name: array.copy() for name, array in arrays.items()}, scalars)
        other.advance(engine.step + 300)
        ends.append((early, other.state.body.copy()))
    for early, late in ends[1:]:
        assert np.array_equal(early, ends[0][0]) and np.array_equal(late, ends[0][1])


# --- the same bits ----------------------------------------------------------------------------------------------------

STEPS, DT, WIDTH = 700, 2e-4, 3.3
SOLIDS = [cuboid((0.8, 0.7, 0.6), 0.0), tetrahedron(1.2, 0.0), ellipsoid_grain((0.55, 0.5, 0.45))]
STILL = {"spin": 0.0, "spin_x": 0.0, "spin_y": 0.0}


def falling(scale: float = 1.0) -> Scene3D:
    """26 grains that fall on a floor of pieces and are pressed by a lid, periodic along x and y; lengths times `scale`."""
    law = OverlapVolume(2e4 / scale, friction=0.4, damping=0.2, tangential_damping=0.1)
    box = Box3D(period_x=WIDTH * scale, period_y=WIDTH * scale)
    scene = Scene3D(law=law, gravity=(0.0, 0.0, -40.0 * scale), box=box)
    rng = np.random.default_rng(8)
    solids = [solid.scaled(scale) for solid in SOLIDS]
    for k, turn in enumerate(random_turns(rng, 26)):
        place = (np.array([k % 3, k // 3 % 3, k // 9]) + 0.5) * 1.1
        scene.add(
            solids[k % 3], place * scale, orientation=turn, velocity=rng.normal(0, 0.5, 3) * scale, spin=rng.normal(0, 3, 3),
            density=scale**-3,
        )  # fmt: skip
    floor = cuboid((WIDTH, WIDTH, 1.0), 0.0).moved((0.5 * WIDTH, 0.5 * WIDTH, -0.5)).scaled(scale)
    lid = cuboid((WIDTH, WIDTH, 1.0), 0.0).moved((0.5 * WIDTH, 0.5 * WIDTH, 4.2)).scaled(scale)
    scene.add_wall(floor)
    scene.add(
        lid, lid.centre, orientation=lid.orientation, big=True, density=scale**-3,
        tags=[Velocity(x=0.5 * scale, y=0.0, z=-6.0 * scale, **STILL)],
    )  # fmt: skip
    return scene


@pytest.fixture(scope="module")
def expected() -> dict[str, np.ndarray]:
    engine = Engine(falling(), dt=DT, alpha=0.05)
    engine.advance(STEPS)
    kept = result(engine)
    assert engine.rebuilds > 5
    assert len(kept["table"]) > 20 and len(kept["spring"]) > 20  # in the middle of contacts
    return kept


@pytest.mark.parametrize("threads", [2, 3])
def test_threads(expected, threads):
    assert_threads_change_no_bit(partial(Engine, falling(), dt=DT, alpha=0.05), threads, STEPS, expected, first=10, last=40)


def test_outputs(expected):
    assert_same_bits(with_outputs(Engine(falling(), dt=DT, alpha=0.05), STEPS, 7), expected)


@pytest.mark.parametrize("alpha", [1e-4, 0.012, 0.2, "auto"])
def test_alpha(expected, alpha):
    assert_same_bits(after(Engine(falling(), dt=DT, alpha=alpha), STEPS), expected)


@pytest.mark.parametrize("stop", [1, 600])
def test_going_on_from_a_checkpoint(expected, stop):
    first = Engine(falling(), dt=DT, alpha=0.05)
    first.advance(stop)
    second = Engine(falling(), dt=DT, alpha=0.08)
    hand_over(first, second)
    assert_same_bits(after(second, STEPS), expected)


@pytest.mark.parametrize("power", [-10, -20])
def test_units_of_length(expected, power):
    scale = math.ldexp(1.0, power)
    engine = Engine(falling(scale), dt=DT, alpha=0.05 * scale)
    engine.advance(STEPS)
    units = np.full(16, scale)
    units[TURN : TURN + 4] = units[SPIN : SPIN + 3] = 1.0
    assert np.array_equal(engine.state.body / units, expected["body"])
    assert np.array_equal(engine.state.book / scale**2, expected["book"])


def test_one_bit_at_the_start_is_seen(expected):
    engine = Engine(falling(), dt=DT, alpha=0.05)
    engine.state.body[3, 0] = np.nextafter(engine.state.body[3, 0], 9.0)
    engine.advance(STEPS)
    assert not np.array_equal(engine.state.body, expected["body"])


@pytest.mark.validate
@pytest.mark.parametrize("integrator", ["gear4", "gear5"])
def test_gear_from_a_checkpoint_and_with_threads(integrator):
    whole, second, threaded = (
        Engine(falling(), dt=DT, alpha=alpha, integrator=integrator, threads=threads)
        for alpha, threads in ((0.05, 1), (0.08, 1), (0.05, 3))
    )
    whole.advance(600)
    hand_over(whole, second)
    for engine in (whole, second, threaded):
        engine.advance(STEPS)
    assert_same_bits(result(second), result(whole))
    assert_same_bits(result(threaded), result(whole))


def test_a_floor_with_rims_holds_what_falls_on_it():
    """Five pieces that move as one: grains rest in the corner of floor and rims, on two or three pieces at once."""
    scene = Scene3D(law=OverlapVolume(1e5, friction=0.3, damping=0.4), gravity=(4.0, 3.0, -10.0), drag=2.0)
    for k in range(3):
        scene.add(SOLIDS[0], (0.6 + 0.1 * k, 0.5, 0.7 + 1.2 * k))
    scene.add_wall(floor_with_rim((3.0, 3.0), 4.5, 0.5))
    engine = Engine(scene, alpha=0.03)
    engine.advance(round(6.0 / engine.dt))
    snap = engine.snapshot()
    assert np.abs(snap.velocities[:3]).max() < 1e-2
    contacts = snap.contacts
    assert len(set(contacts.second_features[contacts.second == 3].tolist())) >= 3
