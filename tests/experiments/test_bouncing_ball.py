"""bouncing-ball, for a shorter time and with fewer steps."""

import math

import numpy as np
import pytest

from clast.experiments import find
from clast.experiments.bouncing_ball import ADAPTIVE, FIXED, STRONG, WEAK, BouncingBall, error_and_calls, exact, scene_of
from clast.experiments.shared.running import run_experiment

SHORT = {"until": 4.0, "halvings": 4}
P = BouncingBall(**SHORT)


@pytest.fixture(scope="module")
def ball(tmp_path_factory):
    return run_experiment(find("bouncing-ball"), given=SHORT, out=tmp_path_factory.mktemp("ball") / "run")


def test_the_exact_way_falls_bounces_and_rests():
    times = np.linspace(0.0, 0.6, 7)
    assert exact(WEAK, P)(times) == pytest.approx(2.0 - 4.9 * times**2, abs=1e-10)  # it lands at 0.639 s
    assert exact(STRONG, P)(np.array([4.0]))[0] == pytest.approx(-9.8 / 1e3, abs=1e-8)
    # without damping it comes back to where it was: two falls and half an oscillation about m g / k
    period = 2.0 * math.sqrt(4.0 / 9.8) + 2.0 * (math.pi - math.atan(math.sqrt(2.0 * 2.0 * 1e3 / 9.8))) / math.sqrt(1e3)
    assert exact(WEAK, BouncingBall(damping=0.0, until=2.0))(np.array([period]))[0] == pytest.approx(2.0, abs=1e-9)


def test_the_engines_ball_is_the_papers():
    body = scene_of(WEAK, P).bodies[0]
    assert body.mass == pytest.approx(1.0)
    assert body.position[1] - body.shape.reach == pytest.approx(2.0)


@pytest.mark.validate
@pytest.mark.parametrize("case", [WEAK, STRONG])
@pytest.mark.parametrize("name", [*ADAPTIVE, *FIXED])
def test_everyone_finds_the_same_way(ball, case, name):
    error, calls = error_and_calls(ball.run, case, name, P)
    assert 0.0 < error[-1] < (5e-3 if name in FIXED else 1e-3)
    if name in FIXED:
        assert list(calls) == [400 * 2**k for k in range(5)]  # one call of the force a step
        assert error[-1] < 0.3 * error[0]


@pytest.mark.validate
def test_fixed_steps_are_those_of_three_integrators(ball):
    ways = [ball.run.tables[f"weak {name}"]["height"] for name in FIXED]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert np.abs(ways[one] - ways[other]).max() > 1e-4


@pytest.mark.validate
def test_backward_differences_take_larger_steps_near_rest(ball):
    found = {quantity.name: quantity for quantity in ball.quantities}
    rest = run_experiment(find("bouncing-ball"), given={"until": 10.0, "halvings": 1}, out=ball.run.folder.parent / "rest")
    for method in ("LSODA", "BDF"):
        quantity = {each.name: each for each in rest.quantities}[f"strong: step near rest, {method} / RK45"]
        assert quantity.measured > 5.0 and quantity.agrees is True
    assert math.isnan(found["weak: step near rest, BDF / RK45"].measured)  # it still bounces
    assert found["strong: calls of the force, RK45"].measured > ball.run.tables["strong RK45"].rows
    assert ball.figures[0].read_bytes().startswith(b"\x89PNG")
