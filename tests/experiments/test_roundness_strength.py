"""roundness-strength with a few grains, and its judgement on tests that are made up."""

from types import SimpleNamespace

import numpy as np
import pytest
from made_failures import made_up

from clast.element_tests.failure import Ending, read_failure
from clast.experiments import find
from clast.experiments.roundness_strength import RoundnessStrength, evaluate, name_of, radii_of, shared_pressures, with_radius
from clast.experiments.shared.failing import cell_of
from clast.experiments.shared.running import run_experiment

TINY = {"columns": 4, "rows": 5, "seeds": 1, "lowest": 1e-3, "highest": 1e-3, "rate": 0.004}


def test_three_roundnesses_of_nearly_the_same_sites():
    p = RoundnessStrength(columns=10, rows=10)
    assert radii_of(p) == [0.05, 0.1, 0.15]
    angular, rounded = (cell_of(with_radius(p, radius), "dense", 1).packing for radius in (0.05, 0.15))
    assert all(shape.radius == 0.05 for shape in angular.shapes) and all(shape.radius == 0.15 for shape in rounded.shapes)
    moved = np.hypot(*(np.array(angular.positions) - np.array(rounded.positions)).T)
    assert np.median(moved) < 0.02 < 0.674  # most cells are the same ones


def test_a_small_study_runs_and_is_drawn(tmp_path):
    outcome = run_experiment(find("roundness-strength"), given=TINY, out=tmp_path / "run")
    assert [path.name for path in outcome.figures] == ["roundness-strength.png", "friction-angle.png", "grains.png"]
    assert all(path.stat().st_size > 20_000 for path in outcome.figures)
    failed = [read_failure(outcome.run.tables[name_of(radius, 1e-3, 1)]) for radius in (0.05, 0.1, 0.15)]
    assert all(each.failed and 30.0 < each.phi_degrees < 80.0 for each in failed)
    found = {each.name: each for each in outcome.quantities}
    assert found["φ, R = 0.1 cm, Mohr"].measured == pytest.approx(failed[1].phi_degrees)
    assert found["φ(0.05 cm) − φ(0.1 cm)"].agrees is None and "one seed" in found["φ(0.05 cm) − φ(0.1 cm)"].note


# --- judgement -------------------------------------------------------------------------------------------------------


def ratio_of(phi):
    """(σ₁ − σ₃)/2 over σ₃ of a friction angle in degrees."""
    sine = np.sin(np.radians(phi))
    return sine / (1.0 - sine)


def judged(angles, scatter=0.2, change=None):
    """Tests at two pressures; `angles` by radius, at the larger pressure one degree less."""
    tables = {}
    for seed in (1, 2, 3):
        for radius, phi in zip((0.05, 0.1, 0.15), angles, strict=True):
            for share, less in ((1e-3, 0.0), (3e-3, 1.0)):
                ratio = ratio_of(phi - less + scatter * (seed - 2))
                tables[name_of(radius, share, seed)] = made_up(share * 1e4, ratio, at=0.03, end=0.06)
    run = SimpleNamespace(tables={**tables, **(change or {})})
    return {each.name: each for each in evaluate(RoundnessStrength(seeds=3, lowest=1e-3), run)}


def test_both_readings_stand_beside_the_published_angles():
    found = judged((60.5, 58.5, 51.5))
    for radius, phi in ((0.05, 60.0), (0.1, 58.0), (0.15, 51.0)):
        mohr, drawn = found[f"φ, R = {radius:g} cm, Mohr"], found[f"σ₁/σ₃, R = {radius:g} cm, as drawn"]
        assert mohr.published == phi and mohr.measured == pytest.approx(phi, abs=0.1) and mohr.agrees is True
        assert drawn.published == pytest.approx(1.0 + np.sin(np.radians(phi))) and drawn.agrees is False
        assert "hold the origin" in drawn.note
    ratio = found["σ₁/σ₃, R = 0.05 cm, Mohr"]
    assert ratio.published == pytest.approx(13.93, abs=0.01) and ratio.agrees is True
    assert judged((57.5, 58.5, 51.5))["σ₁/σ₃, R = 0.05 cm, Mohr"].agrees is False  # while φ still does
    weak = judged((42.0, 40.0, 17.3))
    assert weak["φ, R = 0.1 cm, Mohr"].agrees is False
    assert weak["σ₁/σ₃, R = 0.15 cm, as drawn"].agrees is True  # σ₁/σ₃ = 1.8: then circles about σ₃ do have a tangent


def test_rounder_is_weaker_only_beyond_the_errors():
    clear = judged((60.0, 58.0, 51.0), scatter=0.5)
    assert all(clear[f"φ({a} cm) − φ({b} cm)"].agrees is True for a, b in (("0.05", "0.1"), ("0.1", "0.15"), ("0.05", "0.15")))
    assert clear["φ(0.05 cm) − φ(0.15 cm)"].measured == pytest.approx(9.0, abs=0.1)
    assert clear["φ(0.05 cm) − φ(0.15 cm)"].published == 9.0
    assert "judged is the order alone" in clear["φ(0.1 cm) − φ(0.15 cm)"].note
    noisy = judged((60.0, 58.0, 51.0), scatter=2.0)
    assert noisy["φ(0.05 cm) − φ(0.1 cm)"].agrees is False  # 2° with a standard error of 1.6°, though each seed says so
    assert "larger in 3 of 3 seeds" in noisy["φ(0.05 cm) − φ(0.1 cm)"].note
    assert judged((58.0, 60.0, 51.0))["φ(0.05 cm) − φ(0.1 cm)"].agrees is False


def test_only_pressures_at_which_all_failed_are_compared():
    lost = {name_of(0.05, 3e-3, 2): made_up(30.0, 4.0, at=0.05, end=0.05, ending=Ending.BROKE_OFF)}
    found = judged((60.0, 58.0, 51.0), scatter=0.0, change=lost)
    assert found["φ, R = 0.05 cm, Mohr"].measured == pytest.approx(60.0, abs=0.05)  # 1e-3 K_n alone
    assert "R = 0.05 cm, 0.003 K_n: 1 broke off" in found["tests without failure"].note
    p = RoundnessStrength(seeds=1, lowest=1e-3)
    good, none = (read_failure(made_up(10.0, 4.0, ending=each)) for each in (Ending.BEYOND, Ending.NEVER))
    failures = {(radius, share): [good] for radius in radii_of(p) for share in (1e-3, 3e-3)}
    assert shared_pressures(p, failures) == [1e-3, 3e-3]
    assert shared_pressures(p, {**failures, (0.15, 1e-3): [none]}) == [3e-3]
