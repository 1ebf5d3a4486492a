"""biaxial-voronoi, with thirty grains and a little strain; and its judgement on curves that are made up."""

from types import SimpleNamespace

import numpy as np
import pytest

from clast.element_tests.curves import level
from clast.experiments import find
from clast.experiments.biaxial_voronoi import BiaxialVoronoi, cell_of, evaluate, record_of
from clast.experiments.shared.running import run_experiment

TINY = {"columns": 5, "rows": 6, "seeds": 1, "strain": 0.01, "rate": 0.003}


@pytest.fixture(scope="module")
def tested(tmp_path_factory):
    return run_experiment(find("biaxial-voronoi"), given=TINY, out=tmp_path_factory.mktemp("voronoi") / "run")


def test_dense_is_as_drawn_and_loose_is_not():
    p = BiaxialVoronoi(**TINY)
    dense, loose = cell_of(p, "dense", 1).packing, cell_of(p, "loose", 1).packing
    assert dense.fraction > 0.97 and loose.fraction == pytest.approx(dense.fraction / 2.25, rel=1e-4)
    assert [each.area for each in dense.shapes] == [each.area for each in loose.shapes]  # the same grains
    assert len(loose.overlaps()[0]) == 0 and len(dense.overlaps()[0]) == 0
    assert np.ptp(loose.angles) > 1.0 and not dense.angles.any()


def test_both_start_at_rest_under_the_pressure(tested):
    void = {}
    for state in ("dense", "loose"):
        table = tested.run.tables[f"{state}, seed 1"]
        assert table["stress_yy"][0] == pytest.approx(30.0, rel=0.01) and table["stress_xx"][0] == pytest.approx(30.0, rel=0.01)
        assert level(table["axial_strain"], table["stress_xx"], 0.0) == pytest.approx(30.0, rel=0.01)
        assert table["axial_strain"][-1] == pytest.approx(0.01, rel=1e-3)
        assert table["inertial_number"].max() < 1e-3 and table["dashpot_share"].max() < 0.02
        assert table["energy_error"][0] < 1e-3
        void[state] = table["void_ratio"][0]
    assert void["loose"] > void["dense"] + 0.1
    dense, loose = (tested.run.tables[f"{state}, seed 1"]["stress_yy"][-1] for state in ("dense", "loose"))
    assert dense > 1.5 * loose  # as drawn it is much stiffer


def test_frames_and_figures(tested):
    assert [path.name for path in tested.figures] == ["biaxial-voronoi.png", "chains.png"]
    for path in tested.figures:
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 20_000
    kept = record_of(BiaxialVoronoi(**TINY), tested.run, "loose")
    assert kept.frames[0].positions.shape == (34, 2) and len(kept.contacts) == len(kept.frames) >= 2
    assert tested.run.result["grains"] == 30 and tested.run.result["energy_error"] < 1e-3


# --- judgement --------------------------------------------------------------------------------------------------------

STRAIN = np.linspace(0.0, 0.3, 1501)


def made_up(dense: float, loose: float, *, bump: float = 0.0, growing: float = 0.0):
    """Two seeds each: dense peaks at 3 and falls to `dense`, loose rises to `loose` with a bump on the way; in pressures."""
    same = {name: np.full(STRAIN.size, 1e-4) for name in ("inertial_number", "dashpot_share", "overlap_share", "energy_error")}
    tables = {}
    for seed, off in ((1, -0.05), (2, 0.05)):
        for state, q in (
            ("dense", dense + off + (3.0 - dense) * np.exp(-(((STRAIN - 0.02) / 0.02) ** 2))),
            ("loose", (loose + off) * (1.0 - np.exp(-STRAIN / 0.03)) + bump * np.exp(-(((STRAIN - 0.1) / 0.03) ** 2))),
        ):
            tables[f"{state}, seed {seed}"] = {
                "axial_strain": STRAIN, "stress_yy": 30.0 * (1.0 + 2.0 * q), "stress_xx": np.full(STRAIN.size, 30.0),
                "void_ratio": 0.2 + growing * STRAIN, **same,
            }  # fmt: skip
    return SimpleNamespace(tables=tables)


def judged(**given):
    return {each.name: each for each in evaluate(BiaxialVoronoi(seeds=2), made_up(**given))}


def test_a_critical_state_is_recognised():
    found = judged(dense=0.8, loose=0.78)
    assert found["dense: softening"].agrees is True and found["dense: softening"].measured > 0.6
    assert found["loose: softening"].agrees is True and abs(found["loose: softening"].measured) < 0.02
    assert found["|q dense − q loose| / mean"].agrees is True
    assert found["dense: (σ_a − σ_l)/p₀ at ε ≥ 0.25"].measured == pytest.approx(1.6, rel=1e-3)
    assert found["loose: late change of the void ratio"].agrees is True
    assert found["void ratio, loose / dense"].measured == pytest.approx(1.0)


def test_states_that_do_not_meet_are_told():
    assert judged(dense=0.8, loose=0.7)["|q dense − q loose| / mean"].agrees is False
    assert judged(dense=0.8, loose=0.8, bump=0.3)["loose: softening"].agrees is False
    assert judged(dense=3.0, loose=3.0)["dense: softening"].agrees is False
    assert judged(dense=0.8, loose=0.8, growing=4.0)["dense: late change of the void ratio"].agrees is False


def test_a_periodic_cell_stands_in_for_the_walls(tmp_path):
    """Dense only: pressed and sheared by its periods, drawn with them, and read by its contacts."""
    given = {**TINY, "boundary": "periodic", "state": "dense"}
    outcome = run_experiment(find("biaxial-voronoi"), given=given, out=tmp_path / "run")
    table = outcome.run.tables["dense, seed 1"]
    assert table["stress_yy"][0] == pytest.approx(30.0, rel=0.01) and table["stress_xx"] == pytest.approx(30.0, rel=0.05)
    assert (table["stress_yy"] == table["contact_stress_yy"]).all() and table["stress_yy"].max() > 60.0
    assert table["axial_strain"][-1] == pytest.approx(0.01, rel=1e-3)
    kept = record_of(BiaxialVoronoi(**given), outcome.run, "dense")
    assert kept.frames[-1]["period"][1] == pytest.approx(0.99 * kept.frames[0]["period"][1], rel=1e-3)
    assert not kept.scene["body_big"].any() and all(path.exists() for path in outcome.figures)
