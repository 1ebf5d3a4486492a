"""Gear's method in space (model §6): its coefficients, and its orders for a top, an orbit and driven bodies."""

import math

import numpy as np
import pytest
from space_tops import L0, Q0, a_run, exert, geared, inverse_of, kinetic, top_at

from clast.algebra import quaternions
from clast.backend.device import from_python
from clast.dynamics.arrays import VISCOUS
from clast.dynamics.space import predicting
from clast.dynamics.space.columns import SPIN, TURN, VELOCITY
from clast.dynamics.space.predicting import FIRST_ORDER, QUATERNION, TURNING

predicted_value = from_python(predicting.predicted_value)


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
    gear[0, TURNING] = coefficients[1:]
    assert predicted_value(order, coefficients[0], gear, 0, TURNING) == pytest.approx(later[0])
    assert gear[0, TURNING] == pytest.approx(later[1:])


def series_of_top(inverse, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Taylor coefficients (order + 1, …) of quaternion and body-frame momentum of the free top at t = 0, by recurrence."""
    q, momentum = [np.array(Q0)], [np.array(L0)]
    for k in range(order):
        spins = [np.array(inverse) * m for m in momentum]
        momentum.append(sum(np.cross(momentum[a], spins[k - a]) for a in range(k + 1)) / (k + 1))
        q.append(sum(0.5 * quaternions.product(q[a], [0.0, *spins[k - a]]) for a in range(k + 1)) / (k + 1))
    return np.array(q), np.array(momentum)


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
    assert run.state.gear[0, TURNING : TURNING + 3, 0] == pytest.approx(dt * torque)
