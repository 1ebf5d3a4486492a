"""The bars of the first two experiments at the papers' size. Long: `make validate`."""

import pytest

from clast.experiments import find
from clast.experiments.shared.running import conduct

pytestmark = pytest.mark.validate


def measured(name, folder, **given):
    outcome = conduct(find(name), size="full", given=given, out=folder)
    for quantity in outcome.quantities:
        print(f"\n{name} {given}: {quantity.name} = {quantity.measured:.4g} ({quantity.note})", end="")
    return {quantity.name: quantity.measured for quantity in outcome.quantities}


def test_cow_bounce(tmp_path):
    with_onset = measured("cow-bounce", tmp_path / "with")["energy error"]
    without = measured("cow-bounce", tmp_path / "without", onset=False)["energy error"]
    assert with_onset < 1e-6
    assert without > 10 * with_onset


def test_cow_gas(tmp_path):
    found = measured("cow-gas", tmp_path / "gas")
    assert found["energy error over 8 s"] < 1e-5
    assert abs(found["rotational share, 10-40 s"] - 1 / 3) < 0.01
    assert abs(found["⟨ε²⟩/⟨ε⟩², 10-40 s"] - 5 / 3) < 0.05
