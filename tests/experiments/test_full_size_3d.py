"""The bars of the experiments in space at full size. Long: `make validate`."""

import pytest
from full_size import measured

pytestmark = pytest.mark.validate


@pytest.mark.parametrize("shape", ["cube", "tetrahedron", "cross", "capsule"])
def test_gas(tmp_path, shape):
    found = measured("gas-3d", tmp_path / "gas", shape=shape)
    assert found["energy error over 1e5 steps"].measured < 3e-6
    for name in ("rotational share, second half", "⟨ε²⟩/⟨ε⟩² of translation, second half", "⟨ε²⟩/⟨ε⟩² of rotation, second half"):
        assert found[name].agrees is True


@pytest.mark.parametrize("shape", ["sphere", "cube", "tetrahedron", "soil"])
def test_packing(tmp_path, shape):
    found = measured("packing-3d", tmp_path / "packing", shape=shape)
    assert all(each.agrees is True for each in found.values() if each.published is not None)
    assert 0.45 < found["packing fraction"].measured < 0.75 and found["neighbours per grain"].measured > 3.0


def test_drum(tmp_path):
    """Cubes stand steeper than spheres; in both drums torque and lever, work and heat balance."""
    cubes, spheres = (measured("drum-3d", tmp_path / shape, shape=shape) for shape in ("cube", "sphere"))
    for found in (cubes, spheres):
        assert all(each.agrees is True for each in found.values() if each.published is not None)
    assert cubes["angle of the centre of mass"].measured > spheres["angle of the centre of mass"].measured + 5.0


def test_hopper(tmp_path):
    found = measured("hopper-3d", tmp_path / "hopper")
    assert found["exponent of the flow"].agrees is True and found["largest energy error"].measured < 1e-3
