"""triaxial, with 27 grains and a little strain; and its judgement on curves that are made up."""

from types import SimpleNamespace

import numpy as np
import pytest

from clast.element_tests.curves import level
from clast.errors import InputError
from clast.experiments import find
from clast.experiments.shared.running import run_experiment
from clast.experiments.triaxial import Triaxial, cell_of, evaluate, roundnesses_of, scene_at_end, table_name
from clast.packing.space.voronoi import voronoi_packing3d

TINY = {"grains": 3, "roundnesses": 2, "seeds": 1, "strain": 0.02, "rate": 4e-3}


@pytest.fixture(scope="module")
def tested(tmp_path_factory):
    return run_experiment(find("triaxial"), given=TINY, out=tmp_path_factory.mktemp("triaxial") / "run")


def test_roundnesses_grow_by_one_factor():
    assert roundnesses_of(Triaxial()) == [0.05, 0.1, 0.2]
    for roundness in (0.05, 0.2):
        packing = cell_of(Triaxial(**TINY), roundness, 1).packing
        least = min(shape.radius for shape in packing.shapes)
        assert len(packing) == 27 and least == pytest.approx(roundness * np.cbrt(6.0 / np.pi), rel=1e-6)


def test_a_test_begins_at_rest_and_keeps_its_pressure(tested):
    for roundness in roundnesses_of(Triaxial(**TINY)):
        table = tested.run.tables[table_name(roundness, 1)]
        assert [table["axial_stress"][0], table["lateral_stress"][0]] == pytest.approx([1.0, 1.0], rel=0.02)
        assert level(table["axial_strain"], table["lateral_stress"], 0.0) == pytest.approx(1.0, rel=0.02)
        assert table["axial_strain"][-1] == pytest.approx(0.02, rel=1e-2)
        assert table["axial_stress"][-1] > 1.5
        assert table["dashpot_share"].max() < 0.05 and table["energy_error"][0] < 1e-3


def test_places_at_the_end_and_figures(tested):
    p = Triaxial(**TINY)
    scene = scene_at_end(p, tested.run, 0.05)
    assert len(scene) == 27 and scene.box.period_z == pytest.approx(3.0 * 0.98, rel=0.01)
    assert tested.figures[0].name == "triaxial.png"
    for path in tested.figures:
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 20_000
    assert tested.run.result["grains"] == 27 and tested.run.result["energy_error"] < 1e-3


def made_up(angles):
    """Tests that reach these angles [degrees], by roundness and seed, at a strain of 0.1."""
    strain = np.linspace(0.0, 0.24, 481)
    found = {}
    for roundness, seeds in angles.items():
        for seed, angle in enumerate(seeds, 1):
            sine = np.sin(np.radians(angle)) * np.minimum(strain / 0.1, 1.0)
            none = np.zeros(len(strain))
            found[table_name(roundness, seed)] = {
                "axial_strain": strain, "axial_stress": (1.0 + sine) / (1.0 - sine), "lateral_stress": none + 1.0,
                "void_ratio": none + 0.1, "inertial_number": none, "overlap_share": none, "dashpot_share": none,
                "energy_error": none,
            }  # fmt: skip
    return SimpleNamespace(tables=found)


@pytest.mark.parametrize(("middle", "agrees"), [([50, 51, 52], True), ([39, 51, 63], False), ([61, 62, 63], False)])
def test_rounder_is_weaker_beyond_the_errors_or_not(middle, agrees):
    run = made_up({0.05: [60.0, 61.0, 62.0], 0.1: middle, 0.2: [40.0, 41.0, 42.0]})
    found = {each.name: each for each in evaluate(Triaxial(), run)}
    assert found["φ, R/ℓ = 0.1"].measured == pytest.approx(np.mean(middle), abs=0.1)
    assert found["φ(0.05) − φ(0.2)"].agrees and found["φ(0.05) − φ(0.2)"].measured == pytest.approx(20.0, abs=0.1)
    assert found["φ(0.05) − φ(0.1)"].agrees is agrees


def test_a_packing_with_borders_is_refused():
    p = Triaxial(**TINY)
    walled = voronoi_packing3d(3, 3, 3, 1.0, roundness=0.1, seed=1)
    with pytest.raises(InputError, match="the packing has borders"):
        type(cell_of(p, 0.1, 1))(walled, cell_of(p, 0.1, 1).law).scene()
