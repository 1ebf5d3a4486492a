"""Bonds: a beam bends as Timoshenko's, energy is kept at second order and booked where bonds break, bits depend on nothing."""

import math

import numpy as np
import pytest
from bonded_scenes import GAP, beam, cross, torn
from same_bits import after, assert_same_bits, hand_over, result, with_outputs

import clast
from clast.dynamics.engine import Engine
from clast.errors import SceneError
from clast.measures.book import ACCOUNTS, OF_BONDS, Book
from clast.measures.snapshots.accounts import accounts
from clast.scene.plane import Box, Scene
from clast.shapes import disk

YOUNG, SHEAR = 1e4, 4e3
STIFF = clast.Bond(young=YOUNG, shear=SHEAR)
WEAK = clast.Bond(young=YOUNG, shear=SHEAR, tensile_strength=60.0, shear_strength=40.0, friction=0.5, damping=0.05)
DT = 4e-4


def book_of(engine: Engine, end: int, samples: int) -> Book:
    """The book of a run, bonds included."""
    rows, times = [], []
    for step in np.unique(np.linspace(engine.step, end, samples + 1).astype(int)):
        engine.advance(int(step))
        rows.append(accounts(engine, engine.snapshot()))
        times.append(engine.time)
    return Book(np.array(times), {name: np.array([row[name] for row in rows]) for name in (*ACCOUNTS, *OF_BONDS)})


# --- a beam ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [8, 16])
def test_deflection_under_an_end_load_is_that_of_timoshenko(number):
    """A chain of N squares is softer against bending by 1/4N² of the deflection: hinges instead of a curve."""
    load, width = 0.1 / number**3, 1.0 - GAP
    scene = beam(number, STIFF)
    scene.tag(f"square {number}", clast.Force(y=-load))
    engine = Engine(scene, dt=2e-3)
    lowest = 3.516 * math.sqrt(YOUNG * width**3 / 12.0) / number**2
    engine.advance(round(40.0 / (lowest * engine.dt)))
    bending, shearing = load * number**3 / (3.0 * YOUNG * width**3 / 12.0), load * number / (SHEAR * width)
    found, expected = -engine.snapshot().positions[number, 1], bending + shearing
    assert found == pytest.approx(expected, rel=0.01)
    assert found == pytest.approx(bending * (1.0 - 0.25 / number**2) + shearing, rel=2e-4)


def test_a_pulled_chain_is_longer_by_the_force_over_the_stiffness():
    scene = beam(4, STIFF)
    scene.tag("square 4", clast.Force(x=2.0))
    engine = Engine(scene, dt=2e-3)
    engine.advance(20_000)
    snapshot = engine.snapshot()
    assert snapshot.positions[4, 0] - 4.0 == pytest.approx(4.0 * 2.0 / (YOUNG * (1.0 - GAP)), rel=1e-6)
    assert snapshot.bonds.tensions == pytest.approx(2.0 / (1.0 - GAP), rel=1e-6)
    assert snapshot.bonds.forces == pytest.approx(np.tile([2.0, 0.0], (4, 1)), abs=1e-6)


# --- energy ----------------------------------------------------------------------------------------------------------


def energy_error(bond: clast.Bond, dt: float, until: float = 1.0) -> float:
    """Of the cross that whirls, at many instants."""
    engine = Engine(cross(bond), dt=dt)
    return book_of(engine, round(until / dt), 100).energy_error


def test_bonds_keep_energy_at_second_order_for_any_rotation():
    steps = np.array([4.0, 2.0, 1.0]) * DT
    errors = [energy_error(STIFF, dt) for dt in steps]
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.15)
    assert errors[-1] < 1e-5


@pytest.mark.parametrize("damping", [0.0, 0.2])
def test_momentum_and_angular_momentum_are_kept(damping):
    engine = Engine(cross(clast.Bond(young=YOUNG, shear=SHEAR, damping=damping)), dt=DT)

    def moments() -> np.ndarray:
        seen = engine.snapshot()
        mass, inertia = 1.0 / seen.inverse_masses, 1.0 / seen.inverse_inertias
        x, v = seen.positions, seen.velocities
        turning = (mass * (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]) + inertia * seen.spins).sum()
        return np.array([*(mass[:, None] * v).sum(axis=0), turning])

    before = moments()
    engine.advance(5000)
    assert np.abs(engine.snapshot().angles).max() > 2.0
    assert moments() == pytest.approx(before, rel=1e-11)


def test_damping_is_booked_as_heat_at_second_order():
    bond = clast.Bond(young=YOUNG, shear=SHEAR, damping=0.1)
    steps = np.array([4.0, 2.0, 1.0]) * DT
    errors = [energy_error(bond, dt) for dt in steps]
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.3)
    book = book_of(Engine(cross(bond), dt=DT), 2500, 100)
    assert book["heat_viscous"][-1] > 0.1 * book["bond_elastic"].max()


# --- breaking --------------------------------------------------------------------------------------------------------


def two(strength: dict[str, float], motion: dict[str, float], dt: float = 1e-4) -> Engine:
    """Two bonded disks, the first held, the second moved as a tag prescribes."""
    scene = Scene(law=LAW_OF_TWO)
    scene.add(disk(radius=0.5), (0.0, 0.0), tags=[clast.Fixed()])
    scene.add(disk(radius=0.5), (1.01, 0.0), tags=[clast.Velocity(**{"x": 0.0, "y": 0.0, "spin": 0.0, **motion})])
    scene.bond(clast.Bond(young=1e3, shear=500.0, **strength), gap=0.02)
    return Engine(scene, dt=dt)


LAW_OF_TWO = clast.Linear(1e4)
CASES = [  # how it is moved, which strength, what is reached at the strain ε = 0.01 s⁻¹ t, and how it breaks
    ({"x": 0.0101}, {"tensile_strength": 5.0}, 5.0 / 1e3 / 0.01, 1),
    ({"y": 0.0101}, {"shear_strength": 2.0}, 2.0 / 500.0 / 0.01, 2),
    ({"y": -0.0101}, {"shear_strength": 2.0}, 2.0 / 500.0 / 0.01, 2),
]


@pytest.mark.parametrize(("motion", "strength", "when", "how"), CASES)
def test_a_bond_breaks_where_its_stress_reaches_its_strength(motion, strength, when, how):
    engine = two(strength, motion)
    engine.advance(round(1.2 * when / engine.dt))
    bonds = engine.snapshot().bonds
    assert bonds.broken_steps[0] * engine.dt == pytest.approx(when, rel=2e-3)
    assert bonds.how.tolist() == [how] and not bonds.holding[0]
    assert (bonds.forces == 0.0).all() and bonds.energies[0] == 0.0


def test_bending_breaks_at_the_rim_and_less_where_it_counts_less():
    """Turning the second disk about the middle of the bond bends it and nothing else: M = k_b θ, σ = 6 M/w²."""
    found = {}
    for share in (1.0, 0.5):
        engine = two({"tensile_strength": 0.5, "bending_share": share}, {"spin": 0.01, "y": 0.01 * 0.505})
        engine.advance(2500)
        found[share] = float(engine.snapshot().bonds.broken_steps[0] * engine.dt)
    assert found[1.0] == pytest.approx(0.5 * 1.01 / (1e3 * 0.5 * 0.01), rel=0.01)  # σ = E θ w/2l, w = 1
    assert found[0.5] == pytest.approx(2.0 * found[1.0], rel=0.01)


def test_pressure_adds_to_the_shear_strength():
    """At a shear and a pressure that grow together, τ = c + fσ is reached later than τ = c; here the bond is pressed as well."""
    alone = two({"shear_strength": 2.0}, {"y": 0.01})
    pressed = two({"shear_strength": 2.0, "friction": 0.5}, {"y": 0.01, "x": -0.005})
    for engine in (alone, pressed):
        engine.advance(12_000)
    times = [float(each.snapshot().bonds.broken_steps[0] * each.dt) for each in (alone, pressed)]
    assert times[0] == pytest.approx(2.0 * 1.01 / (500.0 * 0.01), rel=2e-3)
    assert times[1] == pytest.approx(2.0 * 1.01 / (500.0 * 0.01 - 0.5 * 1e3 * 0.005), rel=2e-3)


def test_a_broken_bond_books_its_energy_at_second_order():
    """Breaking frees what the bond held at that instant; the book closes across it as it does elsewhere."""
    weak = clast.Bond(young=YOUNG, shear=SHEAR, tensile_strength=120.0)
    steps = np.array([4.0, 2.0, 1.0]) * DT
    books = [book_of(Engine(cross(weak), dt=dt), round(1.0 / dt), 200) for dt in steps]
    assert all(0.0 < book["heat_fracture"][-1] < book["bond_elastic"].max() * 4.0 for book in books)
    errors = [book.energy_error for book in books]
    assert errors[-1] < 1e-4
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] > 1.5
    lost = books[-1]["heat_fracture"][-1] / books[-1].scale
    unbooked = Book(books[-1].time, {**books[-1].series, "heat_fracture": np.zeros(201)})
    assert unbooked.energy_error > 0.9 * lost > 10.0 * errors[-1]


def test_a_look_at_the_step_of_breaking_is_as_good_as_any():
    engine = Engine(cross(clast.Bond(young=YOUNG, shear=SHEAR, tensile_strength=120.0)), dt=DT)
    book = book_of(engine, 2500, 2500)
    broken = np.flatnonzero(np.diff(book["heat_fracture"]) > 0.0)
    assert broken.size > 0
    assert np.abs(np.diff(book.residual)).max() < 1e-4 * book.scale


# --- bits ------------------------------------------------------------------------------------------------------------

STEPS = 3000


@pytest.fixture(scope="module")
def reference() -> dict[str, np.ndarray]:
    engine = Engine(torn(WEAK), dt=DT, alpha=0.05)
    engine.advance(STEPS)
    bonds = engine.snapshot().bonds
    assert 3 < np.count_nonzero(~bonds.holding) < bonds.holding.size
    assert len(engine.snapshot().contacts) > 0
    return result(engine)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_no_bit(reference, threads):
    assert_same_bits(after(Engine(torn(WEAK), dt=DT, alpha=0.05, threads=threads), STEPS), reference)


@pytest.mark.parametrize("alpha", [0.01, "auto"])
def test_alpha_changes_no_bit(reference, alpha):
    assert_same_bits(after(Engine(torn(WEAK), dt=DT, alpha=alpha), STEPS), reference)


def test_outputs_change_no_bit(reference):
    assert_same_bits(with_outputs(Engine(torn(WEAK), dt=DT, alpha=0.05), STEPS, 7), reference)


@pytest.mark.parametrize("stop", [1, 1700])
def test_going_on_from_a_checkpoint_changes_no_bit(reference, stop):
    first, second = (Engine(torn(WEAK), dt=DT, alpha=alpha) for alpha in (0.05, 0.02))
    first.advance(stop)
    hand_over(first, second)
    assert_same_bits(after(second, STEPS), reference)


def test_the_order_of_rows_changes_no_bit(reference):
    """As where lost locality is mended: free rows change places, and the tables of bonds with them."""
    from clast.dynamics.bodies.removal import reorder

    engine = Engine(torn(WEAK), dt=DT, alpha=0.05)
    engine.advance(1000)
    rows = np.arange(engine.order.size)
    rows[: engine.free] = rows[: engine.free][::-1]
    reorder(engine, rows, 0, engine._memory(engine._seen_lists))
    engine.advance(STEPS)
    seen = engine.snapshot()
    assert np.array_equal(np.array(list(accounts(engine, seen).values())), reference["accounts"])
    assert np.array_equal(seen.state.bond, reference["bond"])


# --- what cannot be --------------------------------------------------------------------------------------------------


def test_what_bonds_cannot_do_is_refused_in_a_sentence():
    scene = cross(STIFF)
    with pytest.raises(SceneError, match='bonds need integrator="verlet", not "gear4"'):
        Engine(scene, integrator="gear4")
    moving = Scene(law=LAW_OF_TWO, box=Box(5.0, 5.0, tags=(clast.Velocity(x=-0.1),)))
    for x in (1.0, 2.01):
        moving.add(disk(radius=0.5), (x, 1.0))
    moving.bond(STIFF, gap=0.1)
    with pytest.raises(SceneError, match="tags move the periodic cell"):
        Engine(moving)
    with pytest.raises(SceneError, match=r"bonds hold grains of a Scene, in the plane"):
        clast.Scene3D(law=LAW_OF_TWO).bond(STIFF, gap=0.1)
    for wrong, words in (
        ({"young": 0.0}, "young = 0.0 must be a number that is positive"),
        ({"young": math.inf}, "young = inf must be"),
        ({"young": 1.0, "bending_share": 2.0}, "must lie in 0 … 1"),
        ({"young": 1.0, "friction": -1.0}, "friction = -1.0 must be a number that is not negative"),
        ({"young": 1.0, "tensile_strength": math.nan}, "tensile_strength = nan must be"),
    ):
        with pytest.raises(SceneError, match=words):
            clast.Bond(**wrong)


def test_too_large_a_step_for_bonds_is_refused():
    with pytest.raises(clast.errors.StepError, match="unstable above"):
        Engine(cross(clast.Bond(young=1e9)), dt=DT)


def test_the_safe_step_is_that_of_the_stiffest():
    soft, stiff = (Engine(cross(clast.Bond(young=young))).dt for young in (1e-3, 1e8))
    engine = Engine(cross(clast.Bond(young=1e8)))
    engine.advance(2000)
    assert stiff < 0.05 * soft
    assert np.abs(engine.positions).max() < 3.0  # it holds
