"""Motion in space (model §6): the free top, kicks and their work, tags and Gear's method, each against what is known exactly."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from clast.backend.device import from_python
from clast.dynamics.arrays import ACCOUNTS, DRAG, LOST, ROLLING, SLIDING, TAG_WORK, VISCOUS
from clast.dynamics.space import drift, gear, motion, tagged
from clast.dynamics.space.arrays import (
    CONSTANT,
    LOSS,
    PAIR,
    PULL,
    ROW,
    SPIN,
    TURN,
    VELOCITY,
    Contacts,
    Forces,
    Model,
    State,
    Tags,
)
from clast.dynamics.space.gear import FIRST_ORDER, MOMENTUM, QUATERNION
from clast.dynamics.space.twin import empty_forces
from clast.shapes.space import quaternions

free_turn, gather, gather_heat, half_turn, moved_too_far, product, turn_about, turned_by_spin = map(
    from_python,
    (
        motion.free_turn, motion.gather, motion.gather_heat, motion.half_turn, motion.moved_too_far, motion.product,
        motion.turn_about, motion.turned_by_spin,
    ),
)  # fmt: skip
kick_and_drift, move_tagged = from_python(drift.kick_and_drift), from_python(tagged.move_tagged)
correct_and_predict, predicted_value = from_python(gear.correct_and_predict), from_python(gear.predicted_value)

MOMENTS = {
    "asymmetric, middle x": (2.0, 1.0, 3.5), "asymmetric, middle y": (3.5, 2.0, 1.0), "asymmetric, middle z": (1.0, 3.5, 2.0),
    "symmetric about x": (1.0, 2.5, 2.5), "symmetric about y": (2.5, 1.0, 2.5), "symmetric about z": (2.5, 2.5, 4.0),
    "isotropic": (1.7, 1.7, 1.7),
}  # fmt: skip
ASYMMETRIC = [name for name in MOMENTS if name.startswith("asymmetric")]
Q0, L0 = tuple(quaternions.random_turns(np.random.default_rng(1), 1)[0].tolist()), (0.8, -1.1, 0.9)


def inverse_of(case: str) -> tuple[float, float, float]:
    return tuple(1.0 / moment for moment in MOMENTS[case])


def energy(momentum, inverse) -> float:
    return 0.5 * float(np.sum(np.square(momentum) * inverse))


def turning(q, momentum, inverse, dt: float, steps: int):
    for _ in range(steps):
        q, momentum, _ = free_turn(q, momentum, inverse, dt)
    return np.array(q), np.array(momentum)


def top_at(time: float, inverse, q=Q0, momentum=L0, torque=lambda t: np.zeros(3)) -> tuple[np.ndarray, np.ndarray]:
    """Quaternion and momentum (body frame) of a top under a torque f(t) in the world, by an accurate integration."""

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        spin = np.array(inverse) * y[4:]
        pull = torque(t) @ quaternions.matrix(y[:4] / np.linalg.norm(y[:4]))
        return np.concatenate([0.5 * quaternions.product(y[:4], [0.0, *spin]), np.cross(y[4:], spin) + pull])

    y = solve_ivp(slope, (0.0, time), [*q, *momentum], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    return y[:4], y[4:]


# --- quaternions ------------------------------------------------------------------------------------------------------


def test_quaternions_are_those_of_the_host():
    rng = np.random.default_rng(2)
    for a, b in zip(quaternions.random_turns(rng, 20), quaternions.random_turns(rng, 20), strict=True):
        assert product(tuple(a), tuple(b)) == pytest.approx(quaternions.product(a, b), abs=1e-15)
        axis, angle = rng.normal(size=3), rng.uniform(-3, 3)
        axis /= np.linalg.norm(axis)
        assert turn_about(tuple(0.5 * angle * axis)) == pytest.approx(quaternions.about(axis, angle), abs=1e-15)
        turned = quaternions.product(quaternions.about(axis, angle * 0.3), a)
        assert turned_by_spin(tuple(a), tuple(angle * axis), 0.3) == pytest.approx(turned, abs=2e-15)


def test_the_series_of_a_turn_is_exact_to_rounding():
    for h in (0.0, 1e-9, 1e-3, 0.03, 0.0499999, 0.0500001, 0.7):
        cosine, quotient = half_turn(h * h)
        assert abs(cosine - math.cos(h)) <= 1.2e-16
        assert abs(quotient - (math.sin(h) / h if h else 1.0)) <= 2.3e-16


# --- the free top -----------------------------------------------------------------------------------------------------


def test_a_top_that_flips():
    """Dzhanibekov, 1e5 steps: no drift of the energy, L to rounding, and the time between flips is Jacobi's (Landau §37)."""
    inertia = np.array([1.0, 2.0, 3.5])
    inverse, dt, steps = tuple((1.0 / inertia).tolist()), 0.01, 100_000
    q, momentum = Q0, (0.02, 2.0, 0.1)
    world, start, length = quaternions.matrix(q) @ momentum, energy(momentum, inverse), np.linalg.norm(momentum)
    kept = np.empty((steps, 3))
    for n in range(steps):
        q, momentum, _ = free_turn(q, momentum, inverse, dt)
        kept[n] = momentum
    errors = 0.5 * (kept**2) @ np.array(inverse) / start - 1.0
    assert np.abs(np.linalg.norm(kept, axis=1) / length - 1.0).max() < 1e-13
    assert np.abs(quaternions.matrix(q) @ momentum - world).max() < 1e-12
    assert abs(np.linalg.norm(q) - 1.0) < 1e-15
    assert 1e-8 < np.abs(errors).max() < 1e-5  # the splitting errs, but it comes back
    tenth = steps // 10
    assert abs(errors[-tenth:].mean() - errors[:tenth].mean()) < 0.02 * np.abs(errors).max()
    # L² > 2 E I₂: momentum about the middle axis goes as sn, from one zero to the next takes 2K
    twice, square = 2.0 * start, length**2
    pace = math.sqrt((inertia[2] - inertia[1]) * (square - twice * inertia[0]) / inertia.prod())
    m = (inertia[1] - inertia[0]) * (twice * inertia[2] - square) / ((inertia[2] - inertia[1]) * (square - twice * inertia[0]))
    before = np.flatnonzero(kept[:-1, 1] * kept[1:, 1] < 0.0)
    crossings = before + kept[before, 1] / (kept[before, 1] - kept[before + 1, 1])
    assert len(crossings) > 40
    assert np.diff(crossings).mean() * dt == pytest.approx(2.0 * float(ellipk(m)) / pace, rel=3e-5)


@pytest.mark.parametrize("case", MOMENTS)
def test_a_free_turn_is_of_second_order_and_exact_where_nothing_is_split(case):
    inverse, errors = inverse_of(case), []
    truth_q, truth_momentum = top_at(4.0, inverse)
    for steps in (100, 200, 400):
        q, momentum = turning(Q0, L0, inverse, 4.0 / steps, steps)
        errors.append(max(np.abs(q - truth_q).max(), np.abs(momentum - truth_momentum).max()))
    if case in ASYMMETRIC:
        assert np.diff(np.log2(errors)) == pytest.approx([-2.0, -2.0], abs=0.1)
    else:
        assert max(errors) < 1e-11


@pytest.mark.parametrize("case", MOMENTS)
def test_a_free_turn_keeps_the_momentum_and_goes_back(case):
    inverse = inverse_of(case)
    world = quaternions.matrix(Q0) @ L0
    q, momentum = turning(Q0, L0, inverse, 0.02, 3000)
    assert np.abs(quaternions.matrix(q) @ momentum - world).max() < 2e-13
    assert abs(energy(momentum, inverse) / energy(L0, inverse) - 1.0) < (1e-4 if case in ASYMMETRIC else 1e-13)
    back, old = turning(tuple(q), tuple(momentum), inverse, -0.02, 3000)
    assert np.abs(back - Q0).max() < 1e-12
    assert np.abs(old - L0).max() < 1e-12


def test_a_free_turn_is_symplectic():
    """In the coordinates of a momentum sphere it keeps areas: the map L → L′ has determinant 1 along the sphere."""
    inverse, h = inverse_of("asymmetric, middle y"), 1e-5
    columns = []
    for axis in np.eye(3):
        ends = [free_turn(Q0, tuple((np.array(L0) + s * h * axis).tolist()), inverse, 0.3)[1] for s in (1, -1)]
        columns.append((np.array(ends[0]) - np.array(ends[1])) / (2 * h))
    slope = np.array(columns).T
    after = np.array(free_turn(Q0, L0, inverse, 0.3)[1])
    assert np.linalg.det(slope) == pytest.approx(1.0, abs=1e-8)  # of volumes, and of |L| it is the identity
    assert slope.T @ after == pytest.approx(L0, abs=1e-8)
    assert np.abs(slope - np.eye(3)).max() > 0.05


@pytest.mark.parametrize("case", MOMENTS)
def test_the_mean_spin_is_that_of_before_and_after(case):
    inverse = inverse_of(case)
    q, momentum, spin = free_turn(Q0, L0, inverse, 0.1)
    ends = [quaternions.matrix(t) @ (np.array(inverse) * m) for t, m in ((Q0, L0), (q, momentum))]
    assert spin == pytest.approx(0.5 * (ends[0] + ends[1]), abs=1e-14)


# --- sums, and too far ------------------------------------------------------------------------------------------------


def test_sums_of_pairs():
    """Pairs in which a body comes second first, then those in which it comes first, ascending: to the last bit."""
    rng = np.random.default_rng(3)
    rows = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4)]
    table, loss = rng.normal(size=(len(rows), PULL)), rng.normal(size=(len(rows), LOSS))
    first = np.searchsorted([i for i, _ in rows], range(6)).astype(np.uint32)
    other = np.array(sorted(range(len(rows)), key=lambda p: (rows[p][1], p)), np.uint32)
    second = np.searchsorted([rows[p][1] for p in other], range(6)).astype(np.uint32)
    for b in range(5):
        force, torque, heats = np.zeros(3), np.zeros(3), np.zeros(3)
        for p, (_, j) in enumerate(rows):
            if j == b:
                force, torque = force - table[p, :3], torque + table[p, 6:9]
        for p, (i, _) in enumerate(rows):
            if i == b:
                force, torque, heats = force + table[p, :3], torque + table[p, 3:6], heats + loss[p, 9:12]
        assert gather(b, first, second, other, table.reshape(-1), PULL) == (*force, *torque)
        assert gather_heat(b, first, loss.reshape(-1)) == tuple(heats)


def test_too_far_is_the_way_of_the_farthest_point():
    rng = np.random.default_rng(4)
    points = rng.normal(size=(20000, 3))
    points *= 1.5 / np.linalg.norm(points, axis=1, keepdims=True)
    for old in quaternions.random_turns(rng, 5):
        axis = rng.normal(size=3)
        new = quaternions.product(quaternions.about(axis, rng.uniform(0.1, 3.0)), old)
        turned, before = points @ quaternions.matrix(new).T, points @ quaternions.matrix(old).T
        for d in (np.zeros(3), rng.normal(size=3)):
            chord = np.linalg.norm(turned - before, axis=1).max()
            far = float(np.linalg.norm(d) + chord)
            assert np.linalg.norm(d + turned - before, axis=1).max() <= far
            for sign in (1.0, -1.0):  # q and −q are one orientation
                given = (*map(float, d), tuple(sign * new), tuple(old), 1.5)
                assert not moved_too_far(*given, 1.001 * far)
                assert moved_too_far(*given, 0.999 * far)
    still = (1.0, 0.0, 0.0, 0.0)
    assert not moved_too_far(0.0, 0.0, 0.0, still, still, 1.0, 0.0)
    assert moved_too_far(math.nan, 0.0, 0.0, still, still, 1.0, 1.0)
    assert moved_too_far(0.0, 0.0, 0.0, (math.nan, 0.0, 0.0, 0.0), still, 1.0, 1.0)


# --- kicks ------------------------------------------------------------------------------------------------------------


class Run(NamedTuple):
    """One body that moves (row 0), one that stays, and the pair of them: what the pair does to the first is given."""

    model: Model
    state: State
    contacts: Contacts
    forces: Forces


def a_run(inverse, gravity=(0.0, 0.0, 0.0), mass: float = 0.7, order: int = 0) -> Run:
    none, two = np.zeros(2), np.zeros((2, 3))
    model = Model(
        np.zeros(2, np.int64), np.zeros(2, np.int64), np.full(2, 1.0 / mass), np.array([inverse, inverse]), none, two, none,
        np.ones(2), none, np.zeros((1, 1)), none, np.zeros(3), np.array(gravity),
    )  # fmt: skip
    gear = np.zeros((2, 10, order) if order else (1, 10, 1))
    state = State(np.zeros((2, ROW)), np.zeros((2, 4)), np.zeros((2, ACCOUNTS)), gear)
    state.body[:, TURN : TURN + 4] = Q0
    state.body[0, :3], state.body[0, VELOCITY : VELOCITY + 3] = (0.1, 0.2, 0.3), (1.0, -0.5, 0.4)
    state.momentum[0, :3] = L0
    state.body[0, SPIN : SPIN + 3] = quaternions.matrix(Q0) @ (np.array(inverse) * L0)
    pair = np.array([[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]], np.uint32)
    assert pair.shape[1] == PAIR
    reference = np.zeros((2, 8))
    reference[:, :3], reference[:, 3], reference[:, 4:] = state.body[:, :3], 1.0, state.body[:, TURN : TURN + 4]
    contacts = Contacts(
        pair, np.zeros((1, CONSTANT)), np.zeros((1, 3), np.int32), np.zeros((1, 2), np.uint32), np.zeros((1, 3)), np.zeros(1),
        np.array([0, 1, 1], np.uint32), np.array([0, 0, 1], np.uint32), np.zeros(1, np.uint32), reference,
    )  # fmt: skip
    return Run(model, state, contacts, empty_forces(1, 1))


def kinetic(run: Run) -> float:
    body, momentum = run.state.body[0], run.state.momentum[0, :3]
    speed = body[VELOCITY : VELOCITY + 3]
    return 0.5 * float(speed @ speed) / run.model.inverse_mass[0] + energy(momentum, run.model.inverse_inertia[0])


def exert(run: Run, wrench: np.ndarray, part: float = 1.0) -> None:
    """Let the pair act with a force and a torque on the first body, all of it counted as viscous."""
    run.forces.pair[0, :6] = part * wrench
    run.forces.loss[0, :6] = part * wrench


def step(run: Run, dt: float, drift: float, kick: float, share: float, drag: float = 0.0, alpha: float = 1e9) -> bool:
    return bool(kick_and_drift(1, 0, 1, run.model, run.state, run.contacts, run.forces, dt, drift, kick, share, drag, alpha))


EVEN = [case for case in MOMENTS if case not in ASYMMETRIC]


@pytest.mark.parametrize("case", ["symmetric about x", "isotropic", "asymmetric, middle x"])
@pytest.mark.parametrize("drag", [0.0, 2.0])
def test_the_work_of_kicks_is_the_change_of_energy(case, drag):
    """Between half steps, with any forces and torques: to rounding, less what a free turn errs in the energy."""
    dt, inverse = 0.02, inverse_of(case)
    gravity = np.array([0.3, -0.4, -9.81])
    run = a_run(inverse, gravity)
    rng = np.random.default_rng(6)
    start, erred, weighed = kinetic(run), 0.0, 0.0
    for _ in range(500):
        exert(run, rng.normal(size=6))
        old = run.state.body[0, VELOCITY : VELOCITY + 3].copy()
        step(run, dt, 0.0, 1.0, 0.5, drag)
        weighed += 0.7 * dt * float(gravity @ (0.5 * (old + run.state.body[0, VELOCITY : VELOCITY + 3])))
        kicked = energy(run.state.momentum[0, :3], inverse)
        run.forces.pair[:], run.forces.loss[:] = 0.0, 0.0
        run.model.gravity[:] = 0.0
        step(run, dt, dt, 0.0, 0.5)
        run.model.gravity[:] = gravity
        erred += energy(run.state.momentum[0, :3], inverse) - kicked
    book = run.state.book[0]
    assert (abs(erred) < 1e-12) == (case in EVEN)
    assert (book[DRAG] > 1.0) == (drag > 0.0)
    assert abs(book[VISCOUS]) > 1.0
    assert kinetic(run) - start - weighed - erred + book[VISCOUS] + book[DRAG] == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("case", EVEN)
def test_the_energy_at_an_instant_is_that_of_both_half_kicks(case):
    """From the first step (half a kick) to an output (the other half): ½ v₋·m v₊ + ½ L₋·I⁻¹L₊ closes to rounding."""
    dt, inverse, rng = 0.02, inverse_of(case), np.random.default_rng(7)
    run = a_run(inverse, gravity=(0.0, 0.0, -2.0))
    mass, high = 0.7, run.state.body[0, 2]

    def at_instant(before: Run, after: Run) -> float:
        place = slice(VELOCITY, VELOCITY + 3)
        moved = 0.5 * mass * float(before.state.body[0, place] @ after.state.body[0, place])
        spun = 0.5 * float(np.sum(before.state.momentum[0, :3] * np.array(inverse) * after.state.momentum[0, :3]))
        return moved + spun + mass * 2.0 * before.state.body[0, 2]

    def copy_of(given: Run) -> Run:
        return given._replace(state=State(*(array.copy() for array in given.state)))

    wrench = rng.normal(size=6)
    exert(run, wrench, 0.5)
    before, after = copy_of(run), copy_of(run)
    step(after, dt, 0.0, 0.5, 1.0)
    place = slice(VELOCITY, VELOCITY + 3)
    before.state.body[0, place] = 2.0 * run.state.body[0, place] - after.state.body[0, place]
    before.state.momentum[0] = 2.0 * run.state.momentum[0] - after.state.momentum[0]
    start = at_instant(before, after)
    step(run, dt, dt, 0.5, 1.0)
    for n in range(1, 200):
        wrench = rng.normal(size=6)
        if n % 50 == 0:
            finished, after = copy_of(run), copy_of(run)
            exert(run, wrench, 0.5)
            step(finished, dt, 0.0, 0.5, 0.0)
            exert(run, wrench)
            step(after, dt, 0.0, 1.0, 0.5)
            assert at_instant(run, after) - start == pytest.approx(-finished.state.book[0, VISCOUS], abs=1e-12)
        exert(run, wrench)
        step(run, dt, dt, 1.0, 0.5)
    assert run.state.body[0, 2] != high


def test_a_driven_top_is_of_second_order():
    inverse = inverse_of("asymmetric, middle z")

    def torque(t: float) -> np.ndarray:
        return np.array([math.sin(3 * t), 0.7, math.cos(2 * t)])

    truth_q, truth_momentum = top_at(2.0, inverse, torque=torque)
    errors = []
    for steps in (100, 200, 400):
        run, dt = a_run(inverse), 2.0 / steps
        for n in range(steps):
            exert(run, np.array([0, 0, 0, *torque(n * dt)]), 0.5 if n == 0 else 1.0)
            step(run, dt, dt, 0.5 if n == 0 else 1.0, 0.5)
        exert(run, np.array([0, 0, 0, *torque(2.0)]), 0.5)
        step(run, dt, 0.0, 0.5, 0.0)
        momentum, q = run.state.momentum[0, :3], run.state.body[0, TURN : TURN + 4]
        errors.append(max(np.abs(momentum - truth_momentum).max(), np.abs(q - truth_q).max()))
        spin = quaternions.matrix(q) @ (np.array(inverse) * momentum)  # finished: that of the instant, not the mean
        assert run.state.body[0, SPIN : SPIN + 3] == pytest.approx(spin, abs=1e-14)
    assert np.diff(np.log2(errors)) == pytest.approx([-2.0, -2.0], abs=0.15)


def test_a_kick_moves_books_and_tells():
    """Place, heats of the pair, and when the lists are stale; the row's other numbers stay."""
    run = a_run(inverse_of("isotropic"))
    run.state.body[0, 3], run.forces.loss[0, 9:] = 0.25, (1.0, 2.0, 4.0)
    assert not step(run, 0.1, 0.1, 1.0, 0.5, alpha=0.3)  # 0.119 and a chord of 0.094
    assert run.state.body[0, :3] == pytest.approx([0.2, 0.15, 0.34])
    assert run.state.body[0, 3] == 0.25
    assert [run.state.book[0, k] for k in (SLIDING, ROLLING, LOST)] == [1.0, 2.0, 4.0]
    assert step(run, 0.1, 0.1, 1.0, 0.5, alpha=0.3)


# --- tags -------------------------------------------------------------------------------------------------------------


def tags_of(imposed=(0,) * 6, program=(0.0,) * 12, loads=(), numbers=(), pressures=(), drag=0.0, dashpot=(0, 0, 0)) -> Tags:
    return Tags(
        np.array([imposed], np.uint8), np.array([[*program, *pressures, drag]], float), np.array(loads, np.int64).reshape(-1, 8),
        np.array(numbers, float).reshape(-1, 3), np.array([dashpot], float), np.ones(1, np.uint8), np.zeros((1, 6)),
    )  # fmt: skip


def tagged_step(run: Run, tags: Tags, dt: float, drift: float, kick: float, whole: float, share: float, order: int = 0) -> None:
    move_tagged(order, 1, 0, 1, run.model, run.state, run.contacts, run.forces, tags, 0, dt, drift, kick, whole, share, 1e9)


@pytest.mark.validate
@pytest.mark.parametrize("drag", [0.0, 1.5])
@pytest.mark.parametrize("order", [0, 4, 5])
@pytest.mark.parametrize("case", ["asymmetric, middle y", "isotropic"])
def test_a_tagged_body_without_tags_moves_as_a_free_one(case, order, drag):
    rng = np.random.default_rng(8)
    runs = [a_run(inverse_of(case), (0.1, 0.2, -3.0), order=order) for _ in range(2)]
    dt, tags = 0.02, tags_of(drag=drag)
    for n in range(100):
        wrench, first = rng.normal(size=6), n == 0
        kick = 0.5 if first else 1.0
        for run in runs:
            exert(run, wrench, kick if order == 0 else 1.0)
        tagged_step(runs[1], tags, dt, dt, kick, kick, 1.0 if first else 0.5, order)
        if order == 0:
            step(runs[0], dt, dt, kick, 1.0 if first else 0.5, drag)
        else:
            model, state, contacts, forces = runs[0]
            correct_and_predict(order, 1, 0, 1, model, state, contacts, forces, dt, True, kick, first, drag, 1e9)
    for one, other in zip(runs[0].state, runs[1].state, strict=True):
        assert one[0] == pytest.approx(other[0], abs=1e-11)
    assert np.abs(runs[0].state.body[0, :3] - (0.1, 0.2, 0.3)).max() > 1.0


@pytest.mark.validate
@pytest.mark.parametrize("order", [0, 5])
def test_a_push_moves_as_a_contact_does_and_its_work_is_booked(order):
    rng = np.random.default_rng(9)
    runs, dt = [a_run(inverse_of("asymmetric, middle y"), order=order) for _ in range(2)], 0.02
    for n in range(100):
        wrench, first = rng.normal(size=6), n == 0
        kick = 0.5 if first else 1.0
        exert(runs[0], wrench, kick if order == 0 else 1.0)
        pushed = tags_of(program=(*np.zeros(6), *wrench))
        for run, tags in zip(runs, (tags_of(), pushed), strict=True):
            tagged_step(run, tags, dt, dt, kick, kick, 1.0 if first else 0.5, order)
    assert runs[0].state.body[0] == pytest.approx(runs[1].state.body[0], abs=1e-11)
    assert runs[0].state.book[0, VISCOUS] == pytest.approx(-runs[1].state.book[0, TAG_WORK], abs=1e-11)
    assert abs(runs[1].state.book[0, TAG_WORK]) > 0.1


@pytest.mark.validate
@pytest.mark.parametrize("order", [0, 4])
def test_a_led_turn_is_about_its_axis_and_its_work_is_booked(order):
    """A steady spin: the exact turn. One that changes: what it takes is the energy it gains and what contacts take."""
    inverse, dt, spin = inverse_of("asymmetric, middle x"), 0.02, np.array([0.5, -1.2, 0.8])
    run = a_run(inverse, order=order)
    run.state.body[0, SPIN : SPIN + 3] = spin
    seen = spin @ quaternions.matrix(Q0)
    run.state.momentum[0, :3] = seen / np.array(inverse)
    imposed = (0, 0, 0, 1, 1, 1)
    for n in range(200):
        tags = tags_of(imposed, (0, 0, 0, *spin, *np.zeros(6)))
        tagged_step(run, tags, dt, dt, 0.5 if n == 0 else 1.0, 0.5 if n == 0 else 1.0, 1.0 if n == 0 else 0.5, order)
    turned = quaternions.product(quaternions.about(spin, np.linalg.norm(spin) * 200 * dt), Q0)
    assert run.state.body[0, TURN : TURN + 4] == pytest.approx(turned, abs=1e-12)
    assert run.state.momentum[0, :3] == pytest.approx(seen / np.array(inverse), abs=1e-12)
    assert run.state.book[0, TAG_WORK] == pytest.approx(0.0, abs=1e-12)  # a torque ω × L does no work
    rng = np.random.default_rng(10)
    start = energy(run.state.momentum[0, :3], inverse)
    pushed = 0.0
    for _ in range(200):
        aim, wrench = rng.normal(size=3), rng.normal(size=6)
        exert(run, wrench)
        old = run.state.body[0, SPIN : SPIN + 3].copy()
        tagged_step(run, tags_of(imposed, (0, 0, 0, *aim, *np.zeros(6))), dt, dt, 1.0, 1.0, 0.5, order)
        assert run.state.body[0, SPIN : SPIN + 3] == pytest.approx(aim)
        pushed += dt * float(wrench[3:] @ (old if order else 0.5 * (old + aim)))
        if order:  # what springs ask for, and no derivatives of its own
            assert run.state.gear[0, :3, -1] == pytest.approx(0.5 * (aim - old))
            assert (run.state.gear[0, 3:] == 0.0).all()
    book, momentum = run.state.book[0], run.state.momentum[0, :3]
    moved = 0.5 * 0.7 * float(np.sum(run.state.body[0, VELOCITY : VELOCITY + 3] ** 2)) - 0.5 * 0.7 * 1.41
    assert energy(momentum, inverse) - start - pushed == pytest.approx(book[TAG_WORK], abs=1e-11)
    if order == 0:
        assert moved + pushed == pytest.approx(-book[VISCOUS], abs=1e-11)
    assert abs(book[TAG_WORK]) > 0.1


@pytest.mark.validate
@pytest.mark.parametrize("order", [0, 4])
def test_a_led_place_and_a_dashpot(order):
    run, dt = a_run(inverse_of("isotropic"), (0.0, 0.0, -1.0), order=order), 0.01
    tags = tags_of((1, 0, 0, 0, 0, 0), (0.25, *np.zeros(11)), dashpot=(0.0, 3.0, 0.0))
    run.state.body[0, VELOCITY] = 0.25
    exert(run, np.array([-2.0, 0, 0, 0, 0, 0]))
    for n in range(100):
        first = n == 0
        exert(run, np.array([-2.0, 0, 0, 0, 0, 0]), 0.5 if first and order == 0 else 1.0)
        kick = 0.5 if first else 1.0
        tagged_step(run, tags, dt, dt, kick, kick, 1.0 if first else 0.5, order)
    body, book = run.state.body[0], run.state.book[0]
    assert body[0] == pytest.approx(0.1 + 0.25)
    assert body[VELOCITY + 1] == pytest.approx(-0.5 * math.exp(-3.0 / 0.7), rel=0.05)
    assert book[TAG_WORK] == pytest.approx(2.0 * 0.25, rel=0.01)
    heat = 0.5 * 0.7 * 0.25 * (1.0 - math.exp(-6.0 / 0.7))
    assert book[VISCOUS] == pytest.approx(heat + 2.0 * 0.25, rel=0.01)  # of the dashpot and of the contact
    assert body[VELOCITY + 2] == pytest.approx(0.4 - 1.0, rel=0.02)


@pytest.mark.validate
def test_a_pressure_acts_on_the_product_of_two_gaps():
    """Gaps between body 1 and the edge of body 0 along x and y, and a period; walls that have passed each other: none."""
    for second, expected in (((0, 1, 1), 2.5 * 0.5 * (2.0 + 0.1) * (4.0 - 0.2)), ((-1, -1, 1), 2.5 * 0.5 * (2.0 + 0.1) * 4.0)):
        run = a_run(inverse_of("isotropic"))
        run.state.body[1, :3] = 0.0
        before = run.state.body[0, VELOCITY + 2]
        tags = tags_of(loads=[0, 2, 1, 0, 0, *second], numbers=[-0.5, 2.0, 4.0], pressures=[2.5])
        tagged_step(run, tags, 0.01, 0.0, 1.0, 1.0, 0.5)
        assert (before - run.state.body[0, VELOCITY + 2]) * 0.7 / 0.01 == pytest.approx(expected)
    tags = tags_of(loads=[0, 2, 1, 0, 0, -1, -1, 1], numbers=[-0.5, -2.0, 4.0], pressures=[2.5])
    before = run.state.body[0, VELOCITY + 2]
    tagged_step(run, tags, 0.01, 0.0, 1.0, 1.0, 0.5)
    assert run.state.body[0, VELOCITY + 2] == before


# --- Gear's method ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [4, 5])
def test_the_coefficients_are_those_of_adams_and_moulton(order):
    """Nordsieck: Σ c_k t^k is the integral of (1 + t)(1 + t/2) … up to order − 1; c₀ is the integral from −1 to 0, one higher."""

    def integral(factors: int) -> np.polynomial.Polynomial:
        whole = np.polynomial.Polynomial([1.0])
        for k in range(1, factors + 1):
            whole *= np.polynomial.Polynomial([1.0, 1.0 / k])
        return whole.integ(lbnd=-1.0)

    expected = [integral(order)(0.0), *integral(order - 1).coef[1:]]
    assert FIRST_ORDER[order] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("order", [4, 5])
def test_a_prediction_is_exact_for_a_polynomial(order):
    """Of the degree of the method: its Taylor coefficients one step on."""
    coefficients = np.random.default_rng(12).normal(size=order + 1)
    later = np.polynomial.Polynomial(coefficients)(np.polynomial.Polynomial([1.0, 1.0])).coef
    gear = np.zeros((1, 10, order))
    gear[0, MOMENTUM] = coefficients[1:]
    assert predicted_value(order, coefficients[0], gear, 0, MOMENTUM) == pytest.approx(later[0])
    assert gear[0, MOMENTUM] == pytest.approx(later[1:])


def series_of_top(inverse, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Taylor coefficients (order + 1, …) of quaternion and body-frame momentum of the free top at t = 0, by recurrence."""
    q, momentum = [np.array(Q0)], [np.array(L0)]
    for k in range(order):
        spins = [np.array(inverse) * m for m in momentum]
        momentum.append(sum(np.cross(momentum[a], spins[k - a]) for a in range(k + 1)) / (k + 1))
        q.append(sum(0.5 * quaternions.product(q[a], [0.0, *spins[k - a]]) for a in range(k + 1)) / (k + 1))
    return np.array(q), np.array(momentum)


def geared(run: Run, order: int, dt: float, ahead: bool, first: bool, booked: float = 1.0, history: int = 0) -> None:
    model, state, contacts, forces = run
    correct_and_predict(order, history, 0, 1, model, state, contacts, forces, dt, ahead, booked, first, 0.0, 1e9)


PARTS = (100, 200, 400)


def slope_of(errors: list[float]) -> float:
    return float(-np.polyfit(np.log(PARTS), np.log(errors), 1)[0])


@pytest.mark.validate
@pytest.mark.parametrize("known", [True, False], ids=["begun with derivatives", "cold"])
@pytest.mark.parametrize("order", [4, 5])
def test_order_of_gear_for_the_free_top(order, known):
    """From the derivatives of the solution; or from two, as a run does. L in the world is kept to rounding."""
    inverse, errors = inverse_of("asymmetric, middle y"), []
    truth_q, truth_momentum = top_at(3.0, inverse)
    q, _ = series_of_top(inverse, order)
    for steps in PARTS:
        run, dt = a_run(inverse, order=order), 3.0 / steps
        if known:
            for k in range(1, order + 1):
                run.state.gear[0, QUATERNION:, k - 1] = dt**k * q[k]
        for n in range(steps):
            geared(run, order, dt, True, n == 0 and not known)
        geared(run, order, dt, False, False)
        momentum = run.state.momentum[0, :3]
        errors.append(max(np.abs(run.state.body[0, TURN : TURN + 4] - truth_q).max(), np.abs(momentum - truth_momentum).max()))
        world = quaternions.matrix(run.state.body[0, TURN : TURN + 4]) @ momentum
        assert world == pytest.approx(quaternions.matrix(Q0) @ L0, abs=1e-12)
    print(f"\ngear{order} top {errors} order {slope_of(errors):.2f}", end="")
    assert slope_of(errors) > (order - 0.3 if known else 2.8)
    assert errors[-1] < (1e-7 if known else 1e-5)


@pytest.mark.validate
@pytest.mark.parametrize("order", [4, 5])
def test_order_of_gear_for_an_orbit(order):
    """A circle about a centre that attracts as 1/r², from exact derivatives."""
    axes, errors = np.linalg.qr(np.random.default_rng(11).normal(size=(3, 3)))[0], []

    def place(t: float) -> np.ndarray:
        return axes[0] * math.cos(t) + axes[1] * math.sin(t)

    for steps in PARTS:
        run, dt = a_run(inverse_of("isotropic"), order=order), 6.0 / steps
        run.state.momentum[:] = 0.0
        run.state.body[0, :3], run.state.body[0, VELOCITY : VELOCITY + 3] = place(0.0), place(0.5 * math.pi)
        for k in range(2, order + 1):
            run.state.gear[0, :3, k - 2] = dt**k / math.factorial(k) * place(0.5 * math.pi * k)
        for n in range(steps + 1):
            x = run.state.body[0, :3]
            run.forces.pair[0, :3] = -0.7 * x / np.linalg.norm(x) ** 3
            geared(run, order, dt, n < steps, False)
        errors.append(np.abs(run.state.body[0, :3] - place(6.0)).max())
    print(f"\ngear{order} orbit {errors} order {slope_of(errors):.2f}", end="")
    assert slope_of(errors) > order - 0.3


@pytest.mark.validate
@pytest.mark.parametrize("order", [4, 5])
def test_gear_agrees_with_verlet(order):
    """A driven top and a driven place. The first step does not know how the forces change: that costs all but two orders."""
    inverse = inverse_of("asymmetric, middle z")

    def wrench(t: float) -> np.ndarray:
        return np.array([math.cos(t), 0.3, -math.sin(2 * t), math.sin(3 * t), 0.7, math.cos(2 * t)])

    truth_q, truth_momentum = top_at(2.0, inverse, torque=lambda t: wrench(t)[3:])
    place = np.array(
        [0.1 + 2.0 + (1.0 - math.cos(2.0)) / 0.7, 0.2 - 1.0 + 0.6 / 0.7, 0.3 + 0.8 - (1.0 - math.sin(4.0) / 4) / 0.7]
    )
    errors = []
    for steps in PARTS:
        run, dt = a_run(inverse, order=order), 2.0 / steps
        for n in range(steps + 1):
            exert(run, wrench(n * dt))
            geared(run, order, dt, n < steps, n == 0, 0.5 if n in (0, steps) else 1.0, 1)
        body, momentum = run.state.body[0], run.state.momentum[0, :3]
        ends = body[TURN : TURN + 4] - truth_q, momentum - truth_momentum, body[:3] - place
        errors.append(max(np.abs(end).max() for end in ends))
        spin = quaternions.matrix(body[TURN : TURN + 4]) @ (np.array(inverse) * momentum)
        assert body[SPIN : SPIN + 3] == pytest.approx(spin, abs=1e-13)
    print(f"\ngear{order} cold {errors} order {slope_of(errors):.2f}", end="")
    assert slope_of(errors) > 1.95
    assert errors[-1] < 2e-5
    # all work counted as viscous: the book holds the energy gained
    gained = kinetic(run) - kinetic(a_run(inverse))
    assert run.state.book[0, VISCOUS] == pytest.approx(-gained, abs=1e-4)


@pytest.mark.validate
@pytest.mark.parametrize("order", [4, 5])
def test_springs_can_ask_for_the_velocity_of_half_a_step_ago(order):
    """v − r₂/Δt and spin − the last number of rows 0 … 2 are those of t − ½Δt, to the second order."""
    inverse, dt = inverse_of("asymmetric, middle y"), 0.01
    run = a_run(inverse, (0.0, 0.0, -2.0), order=order)
    torque = np.array([0.4, -0.3, 0.6])
    for n in range(100):
        exert(run, np.array([0, 0, 0, *torque]))
        geared(run, order, dt, True, n == 0)
    q, momentum = top_at(1.0 - 0.5 * dt, inverse, torque=lambda _: torque)
    spin = quaternions.matrix(q) @ (np.array(inverse) * momentum)
    now = run.state.body[0, SPIN : SPIN + 3]
    assert np.abs(now - spin).max() > 5e-4
    assert now - run.state.gear[0, :3, -1] == pytest.approx(spin, abs=2e-5)
    assert run.state.body[0, VELOCITY + 2] - run.state.gear[0, 2, 0] / dt == pytest.approx(0.4 - 2.0 * (1.0 - 0.5 * dt))
    assert run.state.gear[0, MOMENTUM : MOMENTUM + 3, 0] == pytest.approx(dt * torque)
