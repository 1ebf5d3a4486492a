"""shear-band with a few grains, and its judgement on bands that are made up."""

from types import SimpleNamespace

import numpy as np
import pytest
from made_failures import made_up

from clast.element_tests.failure import Ending, read_failure
from clast.experiments import find
from clast.experiments.shared.failing import table_name
from clast.experiments.shared.running import run_experiment
from clast.experiments.shear_band import (
    ShearBand,
    cases_of,
    draw_band,
    evaluate,
    grains_of,
    mohr_coulomb,
    places_of,
    read_case,
    roscoe,
    spread,
    strongest,
)

TINY = {"columns": 6, "rows": 8, "seeds": 1, "others": 0, "rate": 0.004}
P = ShearBand(columns=16, rows=20, seeds=3, others=0)


def test_a_small_study_keeps_three_instants_and_is_drawn(tmp_path):
    outcome = run_experiment(find("shear-band"), given=TINY, out=tmp_path / "run")
    p, table = ShearBand(**TINY), outcome.run.tables[table_name(3e-3, 1)]
    failure = read_failure(table)
    kept = places_of(p, outcome.run, 3e-3, 1)
    strain = np.interp([each.time for each in kept.frames], table["time"], table["axial_strain"])
    assert strain == pytest.approx([0.0, failure.strain, failure.strain + 0.02], abs=3e-4)
    assert "angles.png" in [path.name for path in outcome.figures] and all(path.exists() for path in outcome.figures)
    found = {each.name: each for each in outcome.quantities}
    assert found["Mohr-Coulomb angle"].measured == pytest.approx(45.0 + 0.5 * failure.phi_degrees)
    assert found["band − Roscoe, to failure + 0.02"].agrees is None  # one sample has no spread


def test_criteria():
    failure = read_failure(made_up(30.0, 1.0, dilatancy=0.5))  # σ₁ = 3 σ₃, sin φ = ½
    assert mohr_coulomb(failure) == pytest.approx(60.0, abs=0.1)
    assert failure.dilatancy == pytest.approx(0.5, abs=1e-6)
    assert roscoe(failure) == pytest.approx(45.0 + 0.5 * np.degrees(np.arctan(0.5)))
    assert roscoe(failure, np.arcsin) == pytest.approx(60.0, abs=1e-3)


def test_most_seeds_are_at_one_pressure():
    cases = cases_of(ShearBand())
    assert cases[:8] == [(3e-3, seed) for seed in range(1, 9)] and len(cases) == 20
    assert {share for share, _ in cases} == {3e-4, 1e-3, 3e-3, 1e-2}


# --- judgement -------------------------------------------------------------------------------------------------------


def bodies(seed, angle, share):
    """A sample in which one stripe through the middle is sheared, by `share` of it to failure, and all of it later."""
    scene = grains_of(P, seed)
    start = np.array([body.position for body in scene.bodies])
    rng = np.random.default_rng(seed)
    along = np.array([np.cos(angle), np.sin(angle)])
    across = (start - start[:-4].mean(axis=0)) @ np.array([-along[1], along[0]])
    slip = np.clip(across / 1.2, -1.0, 1.0)[:, None] * along
    frames = [start + size * slip + 0.005 * rng.normal(size=start.shape) for size in (0.0, share, 1.0)]
    columns = {"step": np.repeat([0, 800, 1600], len(start)), "time": np.repeat([0.0, 8.0, 16.0], len(start))}
    for axis in range(2):
        columns[f"positions_{'xy'[axis]}"] = np.concatenate([each[:, axis] for each in frames])
    columns["angles"] = np.zeros(3 * len(start))
    return columns


def made(angles, *, ratio=4.0, share=0.3, change=None):
    tables = {}
    for seed, angle in enumerate(angles, start=1):
        name = table_name(3e-3, seed)
        tables[name] = made_up(30.0, ratio + 0.1 * seed)
        tables[f"{name}: bodies"] = bodies(seed, np.radians(angle), share)
    return SimpleNamespace(tables={**tables, **(change or {})})


def judged(run):
    return {each.name: each for each in evaluate(P, run)}


def test_the_angle_of_a_band_is_found_with_its_spread():
    found = judged(made((66.0, 114.0, 70.0)))  # one rises to the left
    band = found["band angle, to failure + 0.02"]
    assert band.measured == pytest.approx(67.3, abs=1.5) and "3 of 3 seeds" in band.note
    assert found["bands rising to the right"].measured == 2.0
    assert found["Mohr-Coulomb angle"].measured == pytest.approx(45.0 + 0.5 * np.degrees(np.arcsin(4.2 / 5.2)), abs=0.1)
    assert (
        found["band − Mohr-Coulomb, to failure + 0.02"].agrees is False
        and found["band − Roscoe, to failure + 0.02"].agrees is False
    )
    assert "Arthur" in found["band − Mohr-Coulomb, to failure + 0.02"].note  # 45° + ¼ (53.9° + 30°) = 66°
    flat = judged(made((51.0, 52.0, 53.0)))
    assert "Arthur" not in flat["band − Mohr-Coulomb, to failure + 0.02"].note  # it would be no reason
    assert "have only begun" in flat["band − Mohr-Coulomb, to failure"].note
    assert found["band − Mohr-Coulomb, to failure + 0.02"].measured == pytest.approx(
        band.measured - found["Mohr-Coulomb angle"].measured
    )


def test_a_band_agrees_within_the_spreads_of_both():
    found = judged(made((69.0, 77.0, 73.0)))
    assert (
        found["band − Mohr-Coulomb, to failure + 0.02"].agrees is True
        and found["band − Roscoe, to failure + 0.02"].agrees is False
    )
    assert spread([1.0, float("nan"), 3.0]) == (2.0, pytest.approx(np.sqrt(2.0)))  # of samples, not of their mean
    assert judged(made((59.0, 57.0, 62.0)))["band − Roscoe, to failure + 0.02"].agrees is True


def test_samples_without_a_band_are_counted():
    quiet = judged(made((66.0, 68.0, 70.0), share=0.0))
    assert "0 of 3 seeds" in quiet["band angle, to failure"].note and np.isnan(quiet["band angle, to failure"].measured)
    assert "3 of 3 seeds" in quiet["band angle, to failure + 0.02"].note
    lost = {table_name(3e-3, 2): made_up(30.0, 4.0, at=0.05, end=0.05, ending=Ending.BROKE_OFF)}
    broken = judged(made((66.0, 68.0, 70.0), change=lost))
    assert "2 of 3 seeds" in broken["band angle, to failure + 0.02"].note
    assert broken["tests without failure"].measured == 1.0


def test_the_line_in_the_picture_lies_on_the_band():
    import matplotlib.pyplot as plt

    band = read_case(P, made((66.0, 114.0, 70.0)), 3e-3, 2).bands["to failure + 0.02"]
    middle = band.field.points.mean(axis=0)
    angle = band.angle * band.rising
    away = (np.array(strongest(band)) - middle) @ np.array([-np.sin(angle), np.cos(angle)])
    assert band.rising == -1 and abs(away) < band.field.spacing
    figure, axes = plt.subplots()
    draw_band(axes, band, colours=True)
    low, high = axes.collections[0].get_clim()
    assert low == 0.0 and 0.05 < high < band.field.deviatoric.max()  # a few triangles do not take all the colours
    plt.close(figure)
