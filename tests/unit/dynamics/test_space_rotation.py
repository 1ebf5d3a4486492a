"""Free rotation in space (model §6): quaternions and the free top, against the host's and what is known exactly."""

import math

import numpy as np
import pytest
from scipy.special import ellipk
from space_tops import ASYMMETRIC, L0, MOMENTS, Q0, energy, inverse_of, top_at

from clast.algebra import quaternions
from clast.backend.device import from_python
from clast.dynamics.space import motion

free_turn, half_turn, product, turn_about, turned_by_spin = map(
    from_python, (motion.free_turn, motion.half_turn, motion.product, motion.turn_about, motion.turned_by_spin)
)


def turning(q, momentum, inverse, dt: float, steps: int):
    for _ in range(steps):
        q, momentum, _ = free_turn(q, momentum, inverse, dt)
    return np.array(q), np.array(momentum)


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
