"""The bars of elastic-gas, friction-loop, cost-of-shape and bouncing-ball at the papers' size. Long: `make validate`."""

import pytest
from full_size import measured

pytestmark = pytest.mark.validate


@pytest.mark.parametrize("shape", ["disk", "rice", "peanut", "pebble"])
def test_elastic_gas(tmp_path, shape):
    assert measured("elastic-gas", tmp_path / "gas", shape=shape)["energy error"].measured < 1e-5


@pytest.mark.parametrize("shape", ["disk", "rice", "peanut", "pebble"])
def test_elastic_gas_at_the_step_of_the_paper(tmp_path, shape):
    """2.8 times our safe step: a second-order error of 0.4e-5 … 2.6e-5 over twelve runs, without a trend."""
    assert measured("elastic-gas", tmp_path / "gas", shape=shape, dt=0.05)["energy error"].measured < 5e-5


def test_friction_loop(tmp_path):
    found = measured("friction-loop", tmp_path / "loop")
    assert found["vertex-vertex: departure from ½ k_t Δ² (2n − 1) × 2"].measured < 1e-9
    assert found["vertex-edge: work of a turn / energy of the spring"].measured < 1e-12


def test_cost_of_shape(tmp_path):
    found = measured("cost-of-shape", tmp_path / "costs")
    for name in ("disks", "cows", "clumps of 296 disks", "clumps of 726 disks"):
        assert abs(found[f"{name}: exponent of c against N"].measured) < 0.2  # the machine wanders by a quarter
    assert found["disks / cows"].measured < 50 and found["cows / clumps of 726"].measured < 40
    for disks in (296, 726):
        assert found[f"clumps of {disks} disks: energy error"].measured < 1e-6


def test_bouncing_ball(tmp_path):
    found = measured("bouncing-ball", tmp_path / "ball")
    assert found["strong: step near rest, LSODA / RK45"].measured > 10
    assert found["strong: step near rest, BDF / RK45"].measured > 10
