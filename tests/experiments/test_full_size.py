"""The bars of the first two experiments at the papers' size. Long: `make validate`."""

import pytest
from full_size import measured

pytestmark = pytest.mark.validate


def test_cow_bounce(tmp_path):
    with_onset = measured("cow-bounce", tmp_path / "with")["energy error"].measured
    without = measured("cow-bounce", tmp_path / "without", onset=False)["energy error"].measured
    assert with_onset < 1e-6
    assert without > 10 * with_onset


def test_cow_gas(tmp_path):
    found = measured("cow-gas", tmp_path / "gas")
    assert found["energy error over 8 s"].measured < 1e-5
    assert abs(found["rotational share, 10-40 s"].measured - 1 / 3) < 0.01
    assert abs(found["⟨ε²⟩/⟨ε⟩², 10-40 s"].measured - 5 / 3) < 0.05
