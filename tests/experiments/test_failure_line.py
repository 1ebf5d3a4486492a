"""failure-line with thirty grains, pressed too far on purpose, and its judgement on tests that are made up."""

from types import SimpleNamespace

import numpy as np
import pytest
from made_failures import made_up

import clast.experiments.shared.failing as shared
from clast.element_tests.failure import Ending, failure_peak, kept_places, read_failure, trial_table
from clast.errors import InputError, PhysicsError
from clast.experiments import find
from clast.experiments.failure_line import FailureLine, evaluate, local_exponents, slopes, usable, where_published
from clast.experiments.shared.failing import FailingSoil, pressures_of, rate_at, table_name, tried
from clast.experiments.shared.numbers import mean_error
from clast.experiments.shared.running import run_experiment

TINY = {"columns": 5, "rows": 6, "seeds": 1, "lowest": 1e-3, "highest": 3e-3, "rate": 0.004}


@pytest.fixture(scope="module")
def tested(tmp_path_factory):
    return run_experiment(find("failure-line"), given=TINY, out=tmp_path_factory.mktemp("line") / "run")


def test_a_test_begins_under_its_pressure_and_ends_soon_after_its_failure(tested):
    for share in (1e-3, 3e-3):
        table = tested.run.tables[table_name(share, 1)]
        failure = read_failure(table)
        assert table["stress_yy"][0] == pytest.approx(share * 1e4, rel=0.01)
        assert failure.failed and failure.ending is Ending.BEYOND
        assert failure.strain + 0.03 <= table["axial_strain"][-1] < failure.strain + 0.033  # at the first look behind
        assert failure.sigma_3 == pytest.approx(share * 1e4, rel=0.03) and failure.stress_ratio > 5.0
        assert failure.sigma_1 - failure.sigma_3 == pytest.approx(2.0 * failure.q)
        assert 0.0 < failure.dilatancy < 1.0 and table["energy_error"][0] < 1e-3
    assert tested.run.result["grains"] == 30 and tested.run.result["steps"] > 20_000


def test_bodies_at_failure_and_figures(tested):
    assert [path.name for path in tested.figures] == ["failure-line.png", "curves.png", "grains.png"]
    for path in tested.figures:
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 20_000
    p, name = FailureLine(**TINY), table_name(1e-3, 1)
    kept = kept_places(shared.cell_of(p, "dense", 1).scene(), tested.run.tables, name)
    table = tested.run.tables[name]
    strain = np.interp([each.time for each in kept.frames], table["time"], table["axial_strain"])
    assert strain == pytest.approx([0.0, read_failure(table).strain], abs=1e-3)
    assert kept.frames[1].positions.shape == (34, 2)


def test_a_test_pressed_too_far_is_kept_as_far_as_it_came():
    """R = 0.05 cm at 3e-2 K_n: skeletons meet before q has a peak."""
    p = FailingSoil(columns=5, rows=6, radius=0.05, rate=0.004)
    trial = tried(p, 3e-2, 1, 0.03, 1)
    assert trial.ending is Ending.BROKE_OFF
    columns = trial_table(trial)
    failure = read_failure(columns)
    assert columns["overlap_share"].max() > 1.5 and 0.0 < columns["axial_strain"][-1] < 0.1
    assert not failure.failed and np.isnan(failure.q) and failure.highest > 300.0


def test_samples_that_cannot_be_pressed_do_not_end_the_study(tmp_path, monkeypatch):
    def pressed(p, cell, state, pressure):
        raise PhysicsError("overlap too deep")

    monkeypatch.setattr(shared, "pressed", pressed)
    outcome = run_experiment(find("failure-line"), given=TINY, out=tmp_path / "run")
    found = {each.name: each for each in outcome.quantities}
    assert outcome.run.finished and found["tests without failure"].measured == 2.0
    told = "of 2; 0.001 K_n: 1 could not be pressed; 0.003 K_n: 1 could not be pressed"
    assert found["tests without failure"].note == told
    assert (
        np.isnan(found["exponent against p₀, from 0.001 K_n on"].measured)
        and "no line" in found["exponent against p₀, from 0.001 K_n on"].note
    )
    assert outcome.run.result["steps"] == 0 and outcome.run.result["energy_error"] is None


def test_pressures_are_steps_of_a_ladder():
    assert pressures_of(FailureLine()) == [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2]
    assert pressures_of(FailureLine(lowest=3e-3, highest=3e-3)) == [3e-3]
    with pytest.raises(InputError, match="no pressure between"):
        pressures_of(FailureLine(lowest=2e-3, highest=1e-3))


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("failure-line", {"highest": 0.3}),
        ("roundness-strength", {"highest": 0.1}),  # too much for the smallest of its radii only
        ("shear-band", {"pressure": 0.3}),
    ],
)
def test_a_pressure_that_no_sample_bears_is_refused_before_the_first_test(tmp_path, name, given):
    with pytest.raises(InputError, match="skeletons would meet; lower the pressure"):
        run_experiment(find(name), given={"columns": 5, "rows": 6, **given}, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_time_to_failure_is_no_shorter_at_low_pressures():
    p = FailureLine(rate=0.003)
    assert [rate_at(p, share) for share in (1e-3, 3e-2)] == [0.003, 0.003]
    assert rate_at(p, 1e-5) / 1e-5 == pytest.approx(0.003 / 1e-3)  # strain at failure goes as p


def test_an_early_failure_is_smoothed_less():
    strain = np.arange(0.0, 0.03, 1e-4)
    for at, width in ((0.0016, 0.0004), (0.02, 0.002)):
        q = strain / at * np.exp(1.0 - strain / at)
        peak, used = failure_peak(strain, q)
        assert used == pytest.approx(width, rel=0.15)
        assert peak.value == pytest.approx(1.0, abs=0.01) and peak.strain == pytest.approx(at, rel=0.15)


# --- judgement -------------------------------------------------------------------------------------------------------


def run_of(strength, *, seeds=(1, 2, 3), overlap=lambda share: 0.1, change=None):
    """Tests with (σ₁ − σ₃)/2 = strength(share, seed) pressures at failure."""
    tables = {}
    for seed in seeds:
        for share in (1e-3, 3e-3, 1e-2, 3e-2):
            tables[table_name(share, seed)] = made_up(share * 1e4, strength(share, seed), overlap=overlap(share))
    return SimpleNamespace(tables={**tables, **(change or {})})


def judged(run, **given):
    return {each.name: each for each in evaluate(FailureLine(lowest=1e-3, seeds=3, **given), run)}


def power(m, scatter=0.0):
    return lambda share, seed: 4.0 * (share / 1e-3) ** (m - 1.0 + scatter * (seed - 2))


def test_the_exponent_of_a_power_law_is_found_with_the_error_of_the_seeds():
    found = judged(run_of(power(0.86, 0.01)))
    m = found["exponent against p₀, from 0.001 K_n on"]
    assert m.measured == pytest.approx(0.86, abs=1e-6) and m.agrees is True and m.published == 0.85
    assert f"± {0.01 / np.sqrt(3.0):.2g}" in m.note
    assert found["local exponent at 0.0017 K_n"].measured == pytest.approx(0.86, abs=1e-6)
    assert found["fall of the exponent with p/K_n"].agrees is False  # a power law has no trend
    assert found["exponent against p_f, from 0.001 K_n on"].measured > 0.87  # p_f = p₀ + q_f falls behind p₀ as well
    assert judged(run_of(power(0.88)))["exponent against p₀, from 0.001 K_n on"].agrees is False


def test_the_fit_is_repeated_without_deep_overlaps():
    bent = lambda share, seed: 4.0 if share < 5e-3 else 4.0 * (share / 3e-3) ** -0.3  # noqa: E731
    found = judged(run_of(bent, overlap=lambda share: 0.1 if share < 5e-3 else 1.2))
    assert found["exponent against p₀, overlap < 0.2 r"].measured == pytest.approx(1.0, abs=1e-6)
    assert found["exponent against p₀, from 0.001 K_n on"].measured < 0.9
    assert "skeletons inside neighbours" in found["(σ_a − σ_l)/p₀ at failure, p₀ = 0.03 K_n"].note
    assert "above 0.2 in 6 of 12 tests, beyond 1 in 6" in found["largest overlap / r at failure"].note


def test_added_pressures_do_not_change_the_exponent_of_the_first_choice():
    run = run_of(power(0.8))
    for seed in (1, 2, 3):
        run.tables[table_name(1e-4, seed)] = made_up(1.0, 4.0)
        run.tables[table_name(3e-4, seed)] = made_up(3.0, 4.0)
    found = {each.name: each for each in evaluate(FailureLine(seeds=3), run)}
    assert found["exponent against p₀, from 0.001 K_n on"].measured == pytest.approx(0.8, abs=1e-6)
    assert 0.81 < found["exponent against p₀, all"].measured < 0.95
    assert "exponent against p₀, overlap < 0.2 r" not in found  # all are valid


def test_a_trend_is_seen_and_where_it_passes_the_published_exponent():
    falling = lambda share, seed: 4.0 * np.exp(-0.03 * np.log(share / 3e-4) ** 2 + 0.01 * seed)  # noqa: E731
    run = run_of(falling)
    found = judged(run)
    fall = found["fall of the exponent with p/K_n"]
    assert fall.agrees is True and fall.measured == pytest.approx(0.06 * np.log(10.0), abs=2e-3)  # from 1.7e-3 to 1.7e-2 K_n
    at = found["p₀/K_n where the local exponent is 0.85"].measured
    assert 1.0 - 0.06 * np.log(at / 3e-4) == pytest.approx(0.85, abs=2e-3)
    assert np.isnan(where_published([(1e-3, 0.7, 0.0), (1e-2, 0.6, 0.0)]))


def test_tests_without_failure_are_counted_and_left_out():
    lost = {
        table_name(3e-2, 1): made_up(300.0, 2.0, at=0.05, end=0.05, ending=Ending.BROKE_OFF),
        table_name(3e-2, 2): made_up(300.0, 2.0, at=0.05, end=0.05, ending=Ending.STRAIN),
        table_name(1e-3, 3): made_up(10.0, 4.0, ending=Ending.NEVER),
        table_name(1e-2, 3): made_up(100.0, power(0.86)(1e-2, 2), ending=Ending.BROKE_OFF),
    }
    run = run_of(power(0.86), change=lost)
    found = judged(run)
    assert found["tests without failure"].measured == 3.0
    for words in (
        "0.03 K_n: 1 broke off",
        "0.03 K_n: 1 still rose",
        "0.001 K_n: 1 could not be",
        "1 broke off after the failure",
    ):
        assert words in found["tests without failure"].note
    assert found["exponent against p₀, from 0.001 K_n on"].measured == pytest.approx(0.86, abs=1e-6)
    failures = {share: [read_failure(run.tables[table_name(share, seed)]) for seed in (1, 2, 3)] for share in (1e-3, 1e-2, 3e-2)}
    assert np.isnan(slopes(failures, [1e-3, 1e-2], mean_stress=False)).tolist() == [False, False, True]
    assert usable(failures)[0] == [1e-3, 1e-2, 3e-2] and len(local_exponents(failures)) == 2


def test_fast_tests_and_single_seeds_are_told():
    run = run_of(power(0.86))
    run.tables[table_name(1e-3, 1)] = made_up(10.0, 4.0, inertial=2e-3)
    assert "not slow" in judged(run)["largest inertial number"].note
    time = judged(run)["shortest time from the onset to failure"]
    assert time.measured == pytest.approx(0.02 / 0.0025 - 3.0) and "sooner" not in time.note
    run.tables[table_name(1e-3, 2)] = made_up(10.0, 4.0, at=0.009)  # 0.6 s behind the onset, a wave takes 0.7
    time = judged(run)["shortest time from the onset to failure"]
    assert time.measured == pytest.approx(0.6, abs=0.02) and "1 of 12 tests failed sooner" in time.note
    assert mean_error([3.0, float("nan")])[0] == 3.0 and np.isnan(mean_error([3.0, float("nan")])[1])
    assert mean_error([1.0, 3.0]) == (2.0, pytest.approx(1.0))
