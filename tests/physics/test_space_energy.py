"""The energy book closes in space, at the order it should; gases share their energy out; a broken account is seen (model §7)."""

import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from books import assert_a_broken_account_is_seen

from clast.algebra.quaternions import about, matrix, random_turns
from clast.dynamics.engine import Engine
from clast.laws import Cohesion, Hertz, HertzMindlin, Law, Linear, Rolling
from clast.measures.book import ACCOUNTS, HEATS, Book
from clast.measures.snapshots.accounts import accounts
from clast.scene.space import Box3D, Scene3D
from clast.scene.tags import Force, Velocity
from clast.shapes.space.make import cuboid, plate, sphere, tetrahedron
from clast.shapes.space.solid import Solid

BARS = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "space_bars.py"))
SHAPES, booked = BARS["SHAPES"], BARS["booked"]
K = 1e4
STILL = {"spin": 0.0, "spin_x": 0.0, "spin_y": 0.0}


# --- no friction ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHAPES)
def test_order_of_elastic_collisions(name):
    slope, rms = BARS["order_of"](BARS["errors"](SHAPES[name], pairs=40))
    assert slope >= 1.9
    assert rms[1] < 3e-5


@pytest.mark.validate
@pytest.mark.parametrize("name", SHAPES)
def test_order_over_240_collisions(name):
    found = BARS["errors"](SHAPES[name])
    slope, rms = BARS["order_of"](found)
    print(f"\n{name:12s} " + "  ".join(f"{value:.2e}" for value in rms) + f"   order {slope:.2f}", end="")
    assert (found[0] != 0.0).sum() >= 200
    assert slope >= 1.9


def test_weighting_the_onset_pays():
    scene = BARS["collisions"](SHAPES["cube"], pairs=40)
    rms = []
    for onset in (True, False):
        scene.onset = onset
        engine = Engine(scene, dt=BARS["contact_time"](SHAPES["cube"], 1e4) / 50, alpha=0.1)
        before = BARS["pair_energy"](engine)
        engine.advance(300)
        rms.append(np.sqrt(((BARS["pair_energy"](engine) / before - 1.0) ** 2).mean()))
    assert rms[0] < 0.1 * rms[1]


@pytest.mark.parametrize("name", SHAPES)
def test_a_small_gas(name):
    """Momentum to rounding, energy to a few millionths, and rotation takes its share."""
    engine = BARS["gas"](SHAPES[name], 100, count=27)
    start = engine.velocities.sum(axis=0)
    book = booked(engine, 6000, 60)
    assert book.energy_error < 2e-5
    assert np.abs(engine.velocities.sum(axis=0) - start).max() < 1e-11
    assert 0.2 < (book["rotational"] / book.kinetic)[-20:].mean() < 0.7


@pytest.mark.validate
@pytest.mark.parametrize("name", SHAPES)
def test_gas_of_512(name):
    book = booked(BARS["gas"](SHAPES[name], 200), 100_000, 250)
    share, _ = BARS["rotation"](book)
    print(f"\n{name:12s} energy error {book.energy_error:.2e}, rotation {share:.4f} of the kinetic energy", end="")
    assert book.energy_error < 3e-6
    assert share == pytest.approx(0.5, abs=0.02)


# --- every account ----------------------------------------------------------------------------------------------------

CUBE, TETRAHEDRON = cuboid(0.6, 0.1), tetrahedron(0.9, 0.1)
LAW = Linear(K, 0.5 * K, friction=0.5, normal_damping=3.0, tangential_damping=3.0)
WIDTH = 3.9  # room for three grains in any orientation


def level(z: float) -> Solid:
    return plate([(0, 0, z), (WIDTH, 0, z), (WIDTH, WIDTH, z), (0, WIDTH, z)], 0.1)


def sheared(law: Law = LAW, dt: float | None = None, drag: float = 0.5, device: str = "cpu") -> Engine:
    """Cubes and tetrahedra between a fixed floor and a lid that presses and slides, under a drag, in a periodic cell."""
    scene = Scene3D(law=law, gravity=(0.0, 0.0, -5.0), box=Box3D(WIDTH, WIDTH), drag=drag)
    scene.add_wall(level(-0.1))
    rng = np.random.default_rng(3)
    for k, turn in enumerate(random_turns(rng, 18)):
        place = (1.3 * (k % 3 + 0.5), 1.3 * (k // 3 % 3 + 0.5), 0.65 + 1.25 * (k // 9))
        scene.add((CUBE, TETRAHEDRON)[k % 2], place, orientation=turn, spin=rng.normal(0, 1, 3))
    scene.add_wall(level(2.65), tags=[Velocity(x=1.0, y=0.3, **STILL), Force(z=-60.0)], mass=5.0)
    return Engine(scene, dt=dt, alpha=0.1, device=device)


@pytest.fixture(scope="module")
def book(device) -> Book:
    engine = sheared(device=device)
    return booked(engine, round(2.0 / engine.dt), 250)


def test_the_book_closes(book):
    # accounts that have tests of their own
    idle = {
        "rolling_elastic",
        "cohesive",
        "heat_rolling",
        "carried_off",
        "overlap_work",
        "work_changes",
    }
    assert {name for name in ACCOUNTS if np.ptp(book[name]) == 0.0} == idle
    assert book.energy_error < 2e-4


BREAKABLE = ["heat_sliding", "heat_viscous", "heat_drag", "work_tags", "gravitational", "translational", "normal_elastic"]


@pytest.mark.parametrize("name", BREAKABLE)
def test_a_broken_account_is_seen(book, name):
    """One account wrong by some per cent: the residual grows by what is missing."""
    wrong = 1.05 if name in (*HEATS, "work_tags", "gravitational") else 1.2
    assert_a_broken_account_is_seen(book, name, wrong)


def test_heats_only_grow(book):
    for name in ("heat_sliding", "heat_viscous", "heat_drag"):
        assert (np.diff(book[name]) >= -1e-12 * book.scale).all()


LAWS = {
    "rolling and cohesion": Linear(
        K, 0.5 * K, friction=0.5, normal_damping=3.0, rolling=Rolling(50.0, 0.3), cohesion=Cohesion(1.0, 0.05)
    ),
    "hertz": Hertz(5e4, 5e3, friction=0.5, normal_damping=3.0),
    "hertz-mindlin": HertzMindlin(3e4, 1e4, friction=0.5, restitution=0.8),
}


@pytest.mark.validate
@pytest.mark.parametrize("law", LAWS)
def test_the_book_closes_with_any_law(law):
    engine = sheared(LAWS[law])
    book = booked(engine, round(2.0 / engine.dt), 250)
    print(f"\n{law:22s} energy error {book.energy_error:.1e}", end="")
    assert book.energy_error < 5e-4
    if law.startswith("rolling"):
        assert np.ptp(book["rolling_elastic"]) > 0.0 and book["heat_rolling"][-1] > 0.0 and np.ptp(book["cohesive"]) > 0.0


@pytest.mark.validate
@pytest.mark.parametrize("damped", [False, True], ids=["undamped", "damped"])
def test_the_residual_falls_with_the_step(damped):
    """Without dashpots at second order while contacts last, with them at first; features that change leave more of it."""
    law = LAW if damped else Linear(K, 0.5 * K, friction=0.5)
    steps = [2e-4, 1e-4, 5e-5]
    errors = [booked(sheared(law, dt), round(1.0 / dt), 250).energy_error for dt in steps]
    print("\nsheared bed: " + "  ".join(f"Δt {dt:.0e}: {error:.1e}" for dt, error in zip(steps, errors, strict=True)), end="")
    assert errors[0] / errors[-1] > 3.5


# --- friction --------------------------------------------------------------------------------------------------------


def rubbing(grain: Solid, dt: float) -> Book:
    """A spinning grain pressed on a plate by a force: the contact lasts, nothing damps, it slides and then rolls."""
    scene = Scene3D(law=Linear(K, 0.5 * K, friction=0.3))
    wide = [(-4, -4, 0), (4, -4, 0), (4, 4, 0), (-4, 4, 0)]
    scene.add_wall(plate(wide, 0.1))
    press = [Force(z=-20.0, x=1.0)]
    scene.add(grain, (0, 0, 0.1 + grain.reach - 20.0 / K), spin=(3.0, 5.0, 8.0), velocity=(0.4, 0.2, 0.0), tags=press)
    return booked(Engine(scene, dt=dt, alpha=0.1), round(0.5 / dt), 100)


def test_rubbing_is_of_second_order():
    """A ball that spins, slides and rolls on a plate: sphere, vector spring and plane that turn with it."""
    coarse, fine = (rubbing(sphere(0.4), dt) for dt in (4e-4, 1e-4))
    assert fine["heat_sliding"][-1] > 0.0
    assert coarse.energy_error / fine.energy_error > 10.0
    assert fine.energy_error < 1e-5


def slid_over_an_edge(dt: float, across: float = 0.0) -> Book:
    """A block drawn over the end of another: corners pass its rim, springs go from faces to edges or are lost."""
    law = Linear(K, 0.5 * K, friction=0.4, normal_damping=20.0, tangential_damping=5.0)
    scene = Scene3D(law=law, gravity=(0.0, 0.0, -10.0))
    scene.add_wall(cuboid((2.0, 1.0, 0.5), 0.1))
    scene.add_drawn(
        cuboid((1.0, 0.6, 0.4), 0.1), (0.3, 0.02, 0.25 + 0.2 + 0.2 - 1e-3), turn=about((0, 0, 1), across),
        tags=[Velocity(x=1.0, y=0.0, z=None, **STILL)],
    )  # fmt: skip
    return booked(Engine(scene, dt=dt, alpha=0.1), round(0.9 / dt), 100)


@pytest.mark.parametrize("across", [0.0, 0.4])
def test_springs_are_handed_over_or_booked_where_features_change(across):
    book = slid_over_an_edge(2e-4, across)
    assert book["heat_sliding"][-1] > 0.1
    assert np.ptp(book["tangential_elastic"]) > 0.0
    assert book.energy_error < 3e-4
    fine = slid_over_an_edge(5e-5, across)
    assert fine.energy_error < 0.5 * book.energy_error


def test_the_error_does_not_depend_on_the_zero_of_height():
    errors = []
    for height in (0.0, 1000.0):
        scene = Scene3D(law=Linear(K), gravity=(0.0, 0.0, -10.0))
        scene.add(sphere(0.5), (0.0, 0.0, 1.0 + height))
        scene.add_wall(plate([(-2, -2, height), (2, -2, height), (2, 2, height), (-2, 2, height)], 0.1))
        errors.append(booked(Engine(scene, dt=5e-4), 6000).energy_error)
    assert errors[0] < 1e-11  # a straight bounce on a linear spring loses nothing at all
    assert errors[1] < 1e-9  # 1000 m higher: rounding


@pytest.mark.validate
def test_a_ball_on_a_hertz_spring_bounces_for_ever():
    """The elastic part of Hertz' law is the slope of its energy: halving the step leaves a quarter of the error."""
    errors = []
    for dt in (1e-4, 5e-5):
        scene = Scene3D(law=Hertz(1e6), gravity=(0.0, 0.0, -10.0))
        scene.add(sphere(0.5), (0.0, 0.0, 0.8))
        scene.add_wall(plate([(-2, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)], 0.1))
        book = booked(Engine(scene, dt=dt), round(2.0 / dt))
        assert np.ptp(book["normal_elastic"]) > 0.5
        assert abs(book.residual[-1]) < 2e-5 * book.scale
        errors.append(book.energy_error)  # the largest are inside collisions
    assert errors[0] / errors[1] > 3.5


@pytest.mark.parametrize("by", ["path", "angle"])
def test_momentum_of_a_frictional_cluster(by):
    """Linear and angular momentum to rounding: whatever the grains do to each other, in the open."""
    rng = np.random.default_rng(2)
    scene = Scene3D(law=replace(LAW, sliding_by=by))
    solids = [CUBE, TETRAHEDRON, sphere(0.35), SHAPES["cross"]]
    for k, turn in enumerate(random_turns(rng, 27)):
        place = 1.4 * np.array([k % 3 - 1, k // 3 % 3 - 1, k // 9 - 1])
        scene.add(solids[k % 4], place, orientation=turn, velocity=-1.5 * place + rng.normal(0, 0.5, 3), spin=rng.normal(0, 2, 3),
                  density=rng.uniform(0.5, 2.0))  # fmt: skip
    engine = Engine(scene, dt=5e-4, alpha=0.1)

    def momenta() -> tuple[np.ndarray, np.ndarray]:
        snap = engine.snapshot()
        turn, moving = matrix(snap.orientations), snap.velocities / snap.inverse_masses[:, None]
        own = np.einsum("nij,nj->ni", turn, np.einsum("nji,nj->ni", turn, snap.spins) / snap.inverse_inertias)
        terms = np.concatenate([moving, np.cross(snap.positions, moving) + own], axis=1)
        return terms.sum(axis=0), np.abs(terms).sum(axis=0)

    before, _ = momenta()
    touched = 0
    for step in range(100, 1601, 100):
        engine.advance(step)
        touched += len(engine.snapshot().contacts)
        now, size = momenta()
        assert (np.abs(now - before) < 1e-12 * size).all()
    assert touched > 20
    assert accounts(engine, engine.snapshot())["heat_sliding"] > 0.0
