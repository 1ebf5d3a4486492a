"""cow-gas, with few cows and for a short time."""

import numpy as np
import pytest

from clast.experiments import find
from clast.experiments.shared.running import run_experiment


@pytest.fixture(scope="module")
def gas(tmp_path_factory):
    return run_experiment(find("cow-gas"), given={"grains": 40, "until": 2.0}, out=tmp_path_factory.mktemp("gas") / "run").run


def test_cows_meet_and_energy_stays(gas):
    assert gas.series["contacts"].max() >= 1
    assert gas.series["rotational"][-1] > 0.0
    assert gas.result["energy_error"] < 1e-6  # the paper's bar; 5.6e-6 without the weighted onset


def test_momentum_stays(gas):
    mass = gas.scene["body_mass"]
    momentum = np.array([mass @ frame.velocities for frame in gas.frames])
    scale = np.abs(mass[:, None] * gas.frames[0].velocities).sum()
    assert np.abs(momentum - momentum[0]).max() < 1e-12 * scale
    velocities = np.array([frame.velocities for frame in gas.frames])
    assert np.abs(velocities - velocities[0]).max() > 0.1  # not because nothing happened


def test_seed_is_what_makes_the_gas(gas):
    from clast.experiments.cow_gas import CowGas, build

    same, other = build(CowGas(grains=40)), build(CowGas(grains=40, seed=2))
    assert [body.angle for body in same.bodies] == list(gas.frames[0].angles)
    assert [body.angle for body in other.bodies] != list(gas.frames[0].angles)


def test_the_literal_count_of_all_pairs_keeps_energy_too(gas, tmp_path):
    given = {"grains": 40, "until": 2.0, "counting": "all-pairs"}
    literal = run_experiment(find("cow-gas"), given=given, out=tmp_path / "run").run
    assert literal.result["energy_error"] < 1e-6
    assert literal.series["contacts"].sum() > gas.series["contacts"].sum()  # corners on corners count four times, not twice
    assert literal.frames[-1].positions.tolist() != gas.frames[-1].positions.tolist()
