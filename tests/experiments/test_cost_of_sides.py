"""cost-of-sides with few grains and short runs: what does not depend on the clock."""

import numpy as np
import pytest

from clast.experiments import find
from clast.experiments.cost_of_sides import DISTANCES, SIDES, medians, power
from clast.experiments.shared.running import run_experiment

SHORT = {"grains": 20, "until": 0.3, "repetitions": 2, "followed": 0.3}


@pytest.fixture(scope="module")
def costs(tmp_path_factory):
    return run_experiment(find("cost-of-sides"), given=SHORT, out=tmp_path_factory.mktemp("sides") / "run")


def test_every_run_is_there_in_turn(costs):
    table = costs.run.tables["times"]
    assert len(table["seconds"]) == 2 * len(SIDES) * len(DISTANCES)
    assert table["kind"][:4].tolist() == [0, 1, 2, 0] and table["sides"][:4].tolist() == [3, 3, 3, 4]
    assert table["repetition"][0] == 0 and table["repetition"][-1] == 1
    assert table["alpha"][table["kind"] == 0].tolist() == [0.9] * 10 and table["alpha"][table["kind"] == 1].tolist() == [0.3] * 10
    assert table["seconds"].min() > 1e-8 and table["seconds"].max() < 1e-4  # compiled, not Python


def test_lists_grow_with_sides_and_with_alpha(costs):
    off, on, auto = (medians(costs.run, kind, "candidates") for kind in range(3))
    assert off[-1] > 2.0 * off[0] and (off > 2.0 * on).all() and (on > auto).all()  # squares stack, and have fewer
    assert 1.0 < power(SIDES, off)[0] < 2.2  # as good as off: every vertex with every edge
    assert medians(costs.run, 0, "rebuilds").max() < medians(costs.run, 2, "rebuilds").min()


def test_exponents_are_those_of_the_medians(costs):
    found = {quantity.name: quantity for quantity in costs.quantities}
    for kind, (alpha, published, _) in enumerate(DISTANCES):
        quantity = found[f"exponent, α = {alpha}"]
        assert quantity.measured == pytest.approx(np.polyfit(np.log(SIDES), np.log(medians(costs.run, kind)), 1)[0])
        if published is None:
            assert quantity.agrees is None
        else:
            assert quantity.published == published[0]
            assert quantity.agrees == (abs(quantity.measured - published[0]) <= published[1])
    assert costs.run.result["cundall"] == pytest.approx(1.0 / medians(costs.run, 2)[2])
    assert costs.figures[0].read_bytes().startswith(b"\x89PNG")


def test_a_power_law_is_found():
    slope, error, factor = power(SIDES, 3.0 * np.array(SIDES) ** 1.5)
    assert (slope, factor) == pytest.approx((1.5, 3.0)) and error < 1e-6
    assert power(SIDES, np.array([3.0, 4.0, 5.5, 6.0, 7.0]))[1] > 0.01
