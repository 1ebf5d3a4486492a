"""verlet-distance with few grains and short runs: what does not depend on the clock; and its fit on made-up times."""

from types import SimpleNamespace

import numpy as np
import pytest

from clast.experiments import find
from clast.experiments.shared.running import run_experiment
from clast.experiments.verlet_distance import (
    AUTO,
    GAMMA,
    PRE10,
    SPEEDS,
    Fit,
    VerletDistance,
    auto_over_best,
    constant_for,
    distances,
    exponent,
    fit,
    medians,
    name_of,
    slope,
)

SHORT = {"grains": 40, "until": 0.4, "repetitions": 2, "every": 4, "followed": 0.4}
TIMED = [*map(name_of, SPEEDS), "disks"]


@pytest.fixture(scope="module")
def costs(tmp_path_factory):
    return run_experiment(find("verlet-distance"), given=SHORT, out=tmp_path_factory.mktemp("verlet") / "run")


def test_every_distance_is_timed_in_turn(costs):
    assert list(costs.run.tables) == ["sheared", *map(name_of, SPEEDS), "disks"]
    assert distances(VerletDistance(every=4))[-4:] == [AUTO, 0.1, 0.5, 0.9]
    for name in TIMED:
        table = costs.run.tables[name]
        assert table["alpha"].tolist() == 2 * distances(VerletDistance(every=4))
        assert (table["list_seconds"] < table["seconds"]).all() and (table["list_seconds"] >= 0.0).all()
        fixed = table["alpha"] != AUTO
        assert np.array_equal(table["at_end"][fixed], table["alpha"][fixed])
        assert (table["at_end"][~fixed] > 0.0).all()


def test_small_distances_are_rebuilt_often_and_large_ones_list_much(costs):
    for name in TIMED:
        rebuilds, listed = medians(costs.run, name, "rebuilds")[1], medians(costs.run, name, "candidates")[1]
        assert (np.diff(rebuilds) <= 0).all() and rebuilds[0] > 5.0 * rebuilds[-1]
        assert (np.diff(listed) >= 0).all() and listed[-1] > 5.0 * listed[0]
    slow, fast = (medians(costs.run, name_of(speed), "rebuilds")[1][0] for speed in (SPEEDS[0], SPEEDS[-1]))
    assert fast > slow


def test_quantities_are_there(costs):
    found = {quantity.name: quantity for quantity in costs.quantities}
    assert found["β of lists"].published == 0.704 and found["γ of forces"].published == 0.357
    for speed in SPEEDS:
        assert found[f"auto over best, {speed:g} cm/s"].measured == auto_over_best(costs.run, name_of(speed))[0]
    lists, whole = (medians(costs.run, "disks", name)[1] for name in ("list_seconds", "seconds"))
    assert found["share of lists, disks"].measured == pytest.approx(lists[0] / whole[0])
    assert lists[0] > 0.05 * whole[0] and lists[0] > 2.0 * lists[-1]
    assert costs.figures[0].read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("given", [Fit(4e-7, 0.704, 1e-4, 0.357), Fit(2e-7, 1.0, 5e-5, 2.0)])
def test_the_fit_finds_what_was_put_in(given):
    alphas = np.geomspace(0.003, 0.9, 16)
    noise = np.exp(0.01 * np.random.default_rng(1).normal(size=16))
    found = fit(alphas, given(alphas) * noise)
    assert found[:4] == pytest.approx(given[:4], rel=0.1)
    assert abs(found.beta - given.beta) < 4.0 * found.beta_error < 0.2 and 0.0 < found.gamma_error < 0.2
    best = alphas[np.argmin(given(alphas))]
    assert 0.5 < given.optimum / best < 2.0
    assert given(np.array(given.optimum)) <= given(alphas).min()


def test_the_published_fit_has_its_optimum_below_the_published_distances():
    fine = np.geomspace(1e-3, 1.0, 4001)
    assert PRE10.optimum == pytest.approx(fine[np.argmin(PRE10(fine))], rel=0.01) and PRE10.optimum < 0.02 < 0.1
    assert PRE10.lists(0.1) == pytest.approx(0.05, abs=0.005) and PRE10.lists(0.9) < 0.006


def test_a_cost_at_all_distances_makes_times_grow_less():
    alphas = np.arange(0.1, 0.95, 0.1)
    assert slope(alphas, 3.0 * alphas**1.7) == pytest.approx(1.7)
    more = constant_for(alphas, 1e-4 * alphas**1.7)
    assert 0.0 < more < 1e-3 and slope(alphas, 1e-4 * alphas**1.7 + more) == pytest.approx(GAMMA)
    assert np.isnan(constant_for(alphas, 1e-4 * alphas**0.1))


def test_an_exponent_agrees_within_a_tenth_or_its_own_error():
    assert exponent(1.09, 0.0, 1.0) and not exponent(1.11, 0.04, 1.0)
    assert exponent(1.11, 0.06, 1.0) and not exponent(2.0, np.inf, 1.0)


def test_auto_is_held_against_the_best_fixed_one():
    table = {
        "alpha": np.array([0.1, 0.2, AUTO] * 3),
        "seconds": np.array([4.0, 2.0, 3.0, 8.0, 4.0, 4.4, 4.0, 9.0, 4.5]),  # the machine was slow for a while
    }
    ratio, best = auto_over_best(SimpleNamespace(tables={"x": table}), "x")
    assert best == 0.1  # the first of two that are as good
    alphas, times = medians(SimpleNamespace(tables={"x": table}), "x")
    assert alphas.tolist() == [0.1, 0.2] and times.tolist() == [4.0, 4.0]
    assert ratio == pytest.approx(np.median(np.array([3.0, 4.4, 4.5]) / np.array([4.0, 8.0, 4.0])))
