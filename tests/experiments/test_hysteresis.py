"""hysteresis, with thirty grains and short cycles; the load itself; and judgement on loops that are made up."""

from types import SimpleNamespace

import numpy as np
import pytest

from clast.element_tests.biaxial import swing
from clast.element_tests.recorded import record
from clast.errors import SceneError
from clast.experiments import find
from clast.experiments.hysteresis import Hysteresis, amplitudes_of, evaluate, fit_damping, is_inside, table_name
from clast.experiments.hysteresis import tests_of as swings_of
from clast.experiments.shared.cyclic import Cyclic, Swing, agrees_about, cycled, dashpot_heat, knee, knee_of_seeds, power_law
from clast.experiments.shared.running import run_experiment
from clast.experiments.shared.soil import cell_of, pressed
from clast.measures import Loops, Strain, Stress

TINY = {"columns": 5, "rows": 6, "seeds": 1, "amplitudes": 3, "amplitude": 0.9, "state": "dense", "period": 5.0}


@pytest.fixture(scope="module")
def tested(tmp_path_factory):
    return run_experiment(find("hysteresis"), given=TINY, out=tmp_path_factory.mktemp("hysteresis") / "run")


# --- the load --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("boundary", ["walls", "periodic"])
def test_the_stress_follows_the_load_from_rest(boundary):
    p = Cyclic(columns=5, rows=6, state="dense", boundary=boundary)
    table = cycled(p, Swing(1, 0.4, 2, 40), 1)
    load = p.pressure * (1.0 + 0.2 * (1.0 - np.cos(2.0 * np.pi * table["time"] / p.period)))
    assert table["stress_yy"] == pytest.approx(load, rel=0.01)
    assert table["axial_strain"][0] == 0.0 and abs(table["axial_strain"][1]) < 0.02 * table["axial_strain"].max()  # no jump
    assert table["dashpot_share"].max() < 1e-3 and table["energy_error"][0] < 1e-6
    assert table["time"][-1] == pytest.approx(2.0 * p.period) and len(table["time"]) == 81


@pytest.mark.parametrize("boundary", ["walls", "periodic"])
def test_heat_of_dashpots_is_told_from_that_of_contacts(boundary):
    """A hundredfold dashpot takes a hundred times as much, and what contacts lose stays as it was."""
    p = Cyclic(columns=5, rows=6, state="dense", boundary=boundary, period=5.0)
    usual, more = (cycled(p, Swing(1, 0.4, 1, 100, brake=brake), 1) for brake in (1.0, 100.0))
    assert more["heat_dashpots"][-1] == pytest.approx(100.0 * usual["heat_dashpots"][-1], rel=0.05)
    assert more["heat_dashpots"][-1] > 3.0 * more["heat_contacts"][-1] > 0.0
    assert more["heat_contacts"][-1] == pytest.approx(usual["heat_contacts"][-1], rel=0.2)


@pytest.mark.parametrize("boundary", ["walls", "periodic"])
def test_what_a_loop_takes_is_what_the_contacts_lose(boundary):
    """Loop × area, and what the load does along the chord and on the sides = heat of contacts + change of stored energy."""
    p = Cyclic(columns=5, rows=6, state="dense", boundary=boundary, period=5.0)
    cell = cell_of(p, "dense", 1)
    sample = pressed(p, cell, "dense", p.pressure)
    scene = cell.cycled(p.pressure, 3.0 * p.pressure, p.period, prepared=sample)  # a tenth of it is lost, most by sliding
    test = record(scene, until=p.period, dt=p.dt, samples=200, frames=1)
    strain, book = Strain().compute(test), test.book
    stress = Stress("contacts" if boundary == "periodic" else "walls").compute(test)
    area = sample.report.width * sample.report.height
    axial = Loops(p.period).read(strain.time, strain.axial, stress.yy).area[0]
    axial += 0.5 * (stress.yy[0] + stress.yy[-1]) * strain.axial[-1]
    lateral = np.trapezoid(stress.xx * (1.0 - strain.axial), strain.lateral)  # the height on which they press has changed
    work = area * (axial + lateral)
    lost = book.heat[-1] - dashpot_heat(scene, test)[-1] + book.energy[-1] - book.energy[0]
    assert work == pytest.approx(lost, rel=0.005)
    kept = cycled(p, Swing(1, 3.0, 1, 200), 1)
    heat = area * (kept["heat_sliding"][-1] + kept["heat_contacts"][-1])
    assert heat == pytest.approx(book.heat[-1] - dashpot_heat(scene, test)[-1], rel=1e-3)


def test_loads_that_make_no_test():
    for amplitude in (-1.0, float("nan"), "much"):
        with pytest.raises(SceneError, match=r"amplitude = .* must be a positive number"):
            swing(30.0, amplitude, 10.0)
    rest = swing(30.0, 0.0, 10.0)
    assert rest(np.array([0.0, 3.0])).tolist() == [30.0, 30.0]


@pytest.mark.parametrize("boundary", ["walls", "periodic"])
def test_loads_that_a_cell_refuses(boundary):
    p = Cyclic(columns=4, rows=4, state="dense", boundary=boundary)
    cell = cell_of(p, "dense", 1)
    sample = pressed(p, cell, "dense", 30.0)
    with pytest.raises(SceneError, match=r"period = 0.0 must be a positive number"):
        cell.cycled(30.0, 3.0, 0.0, prepared=sample)
    with pytest.raises(SceneError, match=r"pressure = -30.0 must be a positive number"):
        cell.cycled(-30.0, 3.0, 10.0, prepared=sample)
    with pytest.raises(SceneError, match="skeletons would meet"):  # at the tip
        cell.cycled(30.0, 3000.0, 10.0, prepared=sample)


# --- the study -------------------------------------------------------------------------------------------------------


def test_loops_grow_and_nest(tested):
    p = Hysteresis(**TINY)
    quantities = {each.name: each for each in tested.quantities}
    assert set(tested.run.tables) == set(swings_of(p)) and len(swings_of(p)) == 3 + 9
    areas = [
        float(Loops(p.period).read(*(table[name] for name in ("time", "axial_strain", "stress_yy"))).area[0])
        for table in (tested.run.tables[table_name(amplitude, 1)] for amplitude in amplitudes_of(p))
    ]
    assert 0.0 < areas[0] < 0.2 * areas[1] < 0.04 * areas[2]
    assert quantities["dense: share of loops inside the next larger"].agrees is True
    assert quantities["exponent of the area in Δσ"].measured > 1.5
    assert quantities["energy error"].measured < 1e-4 and quantities["largest inertial number"].note.startswith("slow")
    assert quantities["dense: Δσ/p₀ where the area grows fast"].agrees is None  # one sample has no error
    assert 0.0 < quantities["Δσ = 0.075 p₀: share of contact dampers in the loop"].measured < 1.5
    slower = quantities["Δσ = 0.075 p₀: area at 4 T / at T"]
    assert slower.measured < 1.05 and "at 2 T" in slower.note  # what dampers take goes with the rate
    assert tested.run.result["grains"] == 30 and tested.run.result["steps"] == 5000 * (3 + 4 + 2 * (2 + 4 + 1 + 1))


def test_pictures(tested):
    assert [path.name for path in tested.figures] == ["hysteresis.png", "damping.png"]
    for path in tested.figures:
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 20_000


# --- judgement -------------------------------------------------------------------------------------------------------


def test_a_knee_is_found_and_its_error():
    x = np.linspace(0.05, 0.6, 12)
    bent = 3.0 + 5.0 * np.maximum(0.0, x - 0.23)
    assert knee(x, bent) == pytest.approx(0.23, abs=1e-3)
    assert np.isnan(knee(x, -x))
    at, error = knee_of_seeds(x, np.array([bent, bent, bent]))
    assert at == pytest.approx(0.23, abs=1e-3) and error == pytest.approx(0.0, abs=1e-9)
    others = [3.0 + 5.0 * np.maximum(0.0, x - where) for where in (0.2, 0.23, 0.26)]
    assert knee_of_seeds(x, np.array(others))[1] == pytest.approx(0.03 / np.sqrt(3.0), rel=0.1)
    assert np.isnan(knee_of_seeds(x, bent[None])[1])
    assert np.isnan(knee(x, bent + np.nan))


def test_a_power_law_takes_what_is_positive():
    x = np.linspace(0.05, 0.6, 12)
    y = 7.0 * x**2.5
    assert power_law(x, y) == pytest.approx((2.5, 7.0, 12))
    y[1] = -1e-9
    assert power_law(x, y) == pytest.approx((2.5, 7.0, 11))
    assert np.isnan(power_law(x, -(x**2)).exponent)


def test_what_is_published_about_a_number():
    assert agrees_about(0.219, 0.0, 0.2) is True and agrees_about(0.23, 0.0, 0.2) is False
    assert agrees_about(0.23, 0.011, 0.2) is True and agrees_about(0.23, 0.009, 0.2) is False
    assert agrees_about(float("nan"), 0.0, 0.2) is None and agrees_about(0.2, float("nan"), 0.2) is None


def test_the_fit_of_damping():
    modulus = np.array([1.0, 2.0, 3.0, 4.0])
    fit = fit_damping(1.6 * (1.0 - modulus / 5.0), modulus)
    assert fit.d_max == pytest.approx(1.6) and fit.e_max == pytest.approx(5.0) and fit.correlation == pytest.approx(-1.0)
    assert fit.d_error < 1e-6 and fit.e_error < 1e-6
    rng, found = np.random.default_rng(1), []
    for _ in range(300):  # the errors it gives are those one sees
        found.append(fit_damping(1.6 * (1.0 - modulus / 5.0) + rng.normal(0.0, 0.02, 4), modulus))
    for value, error in (("d_max", "d_error"), ("e_max", "e_error")):
        seen = np.std([getattr(each, value) for each in found])
        told = np.sqrt(np.mean([getattr(each, error) ** 2 for each in found]))
        assert told == pytest.approx(seen, rel=0.2)


def made_loop(amplitude, *, width=1.0, shift=0.0):
    """Soft on the way up along ε = σ + σ², stiff on the way down; strain in 1e-3, stress in p₀."""
    up = np.linspace(0.0, amplitude, 100)
    tip = amplitude + width * amplitude**2
    strain = np.concatenate([up + width * up**2, tip - (amplitude - up[::-1][1:])])
    return 1e-3 * (strain + shift), 30.0 * (1.0 + np.concatenate([up, up[::-1][1:]]))


def test_what_is_nested_and_what_is_not():
    large = made_loop(0.4)
    assert is_inside(made_loop(0.2), large)
    assert not is_inside(large, made_loop(0.2)) and not is_inside(large, large)
    assert not is_inside(made_loop(0.2, shift=-0.02), large)  # left of it, by more than a twentieth of its width 0.16
    assert is_inside(made_loop(0.2, shift=-0.007), large)
    assert not is_inside(made_loop(0.2, width=8.0), large)  # it comes back on the right of the larger


def made_up(p, *, spread=0.1, crossed=(), stiffening=None):
    """Tables of made-up loops whose area is ∝ Δσ³; seeds differ; the seeds of `crossed` have loops that shrink.

    With `stiffening` there is hardly a loop, and strain falls behind by that part of its square.
    """
    tables = {}
    time = np.linspace(0.0, 1.0, 199)
    for name, swing_ in swings_of(p).items():
        width = 1.0 + spread * (swing_.seed - 1.5)
        if swing_.seed in crossed:
            width /= swing_.amplitude**3
        strain, stress = made_loop(swing_.amplitude, width=width if stiffening is None else 1e-3)
        strain = strain if stiffening is None else strain - 1e-3 * stiffening * (stress / 30.0 - 1.0) ** 2
        same = {key: np.full(199, 1e-5) for key in ("inertial_number", "overlap_share", "dashpot_share", "energy_error")}
        heats = {f"heat_{what}": share * time for what, share in (("sliding", 2e-3), ("contacts", 1e-4), ("dashpots", 1e-5))}
        same["volumetric_strain"] = -2e-5 * time
        tables[name] = {"time": swing_.longer * p.period * time, "axial_strain": strain, "stress_yy": stress, **same, **heats}
    return SimpleNamespace(tables=tables)


def test_judgement_of_made_up_loops():
    p = Hysteresis(seeds=2, amplitudes=6)
    found = {each.name: each for each in evaluate(p, made_up(p))}
    assert found["loose: share of loops inside the next larger"].measured == 1.0
    assert found["exponent of the area in Δσ"].measured == pytest.approx(3.0, abs=0.02)
    area = 1e-3 * 0.6**3 * 2.0 / 3.0 * 30.0  # ∫σ d(σ²): what is straight comes back
    assert found["area at the largest amplitude / p₀"].measured == pytest.approx(area / 30.0, rel=1e-3)
    share = found["Δσ = 0.6 p₀: share of contact dampers in the loop"]
    assert share.measured == pytest.approx(1e-4 / area, rel=1e-3)
    assert "sliding 0.463 of the area: p₀ gave 0.139 as the sample contracted, springs -0.653" in share.note
    correlation = found["loose: correlation of D with σ_m/ε_m"]
    assert correlation.agrees is True and "D falls with E" in correlation.note
    soft = made_up(p)
    for name, swing_ in swings_of(p).items():
        soft.tables[name]["axial_strain"] *= swing_.seed  # the same D at half the modulus
    apart = {each.name: each for each in evaluate(p, soft)}["loose: correlation of D with σ_m/ε_m"]
    assert correlation.note.endswith("of single tests 1.000") and apart.measured > 0.999
    assert float(apart.note.split()[-1]) < 0.9
    assert found["loose: D_max"].agrees is False and found["loose: E_max"].agrees is False
    assert found["loose: D_max"].measured == pytest.approx(4.0 / 3.0, abs=2e-3)  # what slides is ∝ σ²
    assert "1.33 by the exponent of the area" in found["loose: D_max"].note
    assert found["loose: E_max"].measured == pytest.approx(3.0, abs=0.01)  # the modulus on the way back, 30/1e-3 over 1e4
    half = {each.name: each for each in evaluate(p, made_up(p, crossed=(2,)))}
    assert half["loose: share of loops inside the next larger"].measured == 0.5
    assert half["loose: share of loops inside the next larger"].agrees is False
    assert "at 4 T are nested" in half["loose: share of loops inside the next larger"].note
    straight = {each.name: each for each in evaluate(p, made_up(p, stiffening=0.05))}
    rising = straight["loose: correlation of D with σ_m/ε_m"]
    assert rising.agrees is False and rising.measured > 0.9 and "D rises with E; E changes by less than 5%" in rising.note
    assert all("this means nothing" in straight[f"loose: {what}"].note for what in ("D_max", "E_max"))
    assert "rings" in half["loose: share of loops inside the next larger"].note
    none = {each.name: each for each in evaluate(p, made_up(p, crossed=(1, 2)))}
    assert "rings" not in none["loose: share of loops inside the next larger"].note  # slow ones are not nested either
    assert "at 4 T are not" in none["loose: share of loops inside the next larger"].note
