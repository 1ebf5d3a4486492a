"""ratcheting, with a few grains and two short cycles; and its judgement on tests that are made up."""

from types import SimpleNamespace

import numpy as np
import pytest

from clast.experiments import find
from clast.experiments.ratcheting import AT_REST, FINER, RADII, Ratcheting, evaluate, sweep_of, table_name
from clast.experiments.ratcheting import tests_of as swings_of
from clast.experiments.shared.cyclic import loops_of
from clast.experiments.shared.running import run_experiment

TINY = {"columns": 4, "rows": 5, "cycles": 2, "seeds": 1, "sweep_seeds": 1, "period": 4.0}


@pytest.fixture(scope="module")
def tested(tmp_path_factory):
    return run_experiment(find("ratcheting"), given=TINY, out=tmp_path_factory.mktemp("ratcheting") / "run")


def test_what_sweep_and_radii_share_is_run_once():
    p = Ratcheting()
    names = swings_of(p)
    assert sweep_of(p) == pytest.approx([0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6])
    assert len(names) == 7 * 3 + 3 * 8 - 3 + 2
    assert names[table_name(0.15, 0.4, 8)].radius == 0.15 and table_name(0.15, 0.4, 9) not in names
    assert names[AT_REST].amplitude == 0.0 and names[FINER].finer == 2
    assert {swing.cycles for swing in names.values()} == {40}


def test_strain_stays_and_rest_is_rest(tested):
    p = Ratcheting(**TINY)
    tables = tested.run.tables
    for name, swing in swings_of(p).items():
        table = tables[name]
        assert len(table["time"]) == 81 and table["time"][-1] == pytest.approx(8.0), name
        assert table["stress_yy"].max() == pytest.approx(30.0 * (1.0 + swing.amplitude), rel=0.05), name
        assert table["energy_error"][0] < 1e-4, name
    rest, swung = (loops_of(p, tables[name]) for name in (AT_REST, table_name(0.1, p.amplitude, 1)))
    assert np.abs(rest.accumulated).max() < 1e-6 < 1e-5 < swung.accumulated[0]
    assert tables[FINER]["step"][-1] == 2 * tables[AT_REST]["step"][-1]
    finer = loops_of(p, tables[FINER]).accumulated[0]
    assert finer == pytest.approx(swung.accumulated[0], rel=0.05) and finer != swung.accumulated[0]
    shares = [tables[table_name(radius, p.amplitude, 1)]["vertex_vertex_start"][0] for radius in RADII]
    assert all(0.0 < share < 0.5 for share in shares)


def test_numbers_and_pictures(tested):
    quantities = {each.name: each for each in tested.quantities}
    assert quantities["strain per cycle, roundest / most angular"].agrees is None  # one sample has no error
    assert quantities["loose: shakedown limit Δσ/p₀"].agrees is None
    assert quantities["loose: strain per cycle at Δσ = 0.4 p₀"].agrees is None
    assert [path.name for path in tested.figures] == ["ratcheting.png", "amplitudes.png", "radii.png"]
    for path in tested.figures:
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 20_000
    assert tested.run.result["grains"] == 20 and tested.run.result["steps"] == 8000 * (7 + 2 + 1 + 2)


# --- judgement -------------------------------------------------------------------------------------------------------


def made_up(p, *, limit=0.2, by_radius=(1.0, 2.0, 3.0), spread=0.1, rest=0.0, early=0.0):
    """Tests whose strain per cycle is 1e-5 × (Δσ − limit) above the limit, times a factor of the radius, seeds ± `spread`."""
    cycle = np.linspace(0.0, p.cycles, 40 * p.cycles + 1)
    tables = {}
    for name, swing in swings_of(p).items():
        factor = by_radius[RADII.index(swing.radius)] / by_radius[1] if swing.radius is not None else 1.0
        rate = 1e-5 * max(0.0, swing.amplitude - limit) * factor * (1.0 + spread * (-1.0) ** swing.seed)
        rate = rest if name == AT_REST else rate
        back = 0.5 * (1.0 - np.cos(2.0 * np.pi * cycle))
        same = {key: np.full(cycle.size, 1e-5) for key in ("inertial_number", "overlap_share", "dashpot_share", "energy_error")}
        share = 0.1 if swing.radius is None else swing.radius
        strain = rate * cycle + early * np.minimum(cycle, 1.0) + 1e-3 * swing.amplitude * back
        tables[name] = {
            "time": p.period * cycle, "axial_strain": strain,
            "stress_yy": p.pressure * (1.0 + swing.amplitude * back), "void_ratio": np.full(cycle.size, 0.2),
            "vertex_vertex_start": np.full(cycle.size, share), "vertex_vertex_end": np.full(cycle.size, 2.0 * share), **same,
        }  # fmt: skip
    return SimpleNamespace(tables=tables)


def judged(**given):
    p = Ratcheting(cycles=4, seeds=4, sweep_seeds=2)
    return {each.name: each for each in evaluate(p, made_up(p, **given))}


def test_a_shakedown_limit_and_an_order_are_recognised():
    found = judged(early=5e-4)
    limit = found["loose: shakedown limit Δσ/p₀"]
    assert limit.measured == pytest.approx(0.2, abs=0.01) and limit.agrees is True
    rate = found["loose: strain per cycle at Δσ = 0.4 p₀"]
    assert rate.measured == pytest.approx(2e-6) and rate.agrees is True  # the first cycle is not in the last half
    order = found["strain per cycle, roundest / most angular"]
    assert order.measured == pytest.approx(3.0) and order.agrees is True and "in order: yes" in order.note
    assert found["R = 0.15 cm: strain per cycle"].measured == pytest.approx(3e-6)
    assert "accumulated 0.000512" in found["R = 0.15 cm: strain per cycle"].note
    assert [found[f"R = {radius:g} cm: vertex-vertex contacts"].measured for radius in RADII] == pytest.approx(
        [0.075, 0.15, 0.225]
    )
    assert [found[f"R = {radius:g} cm: vertex-vertex contacts"].agrees for radius in RADII] == [True, True, False]


def test_what_does_not_agree_is_told():
    assert judged(limit=0.35)["loose: shakedown limit Δσ/p₀"].agrees is False
    assert judged(rest=1e-5)["loose: strain per cycle at Δσ = 0.4 p₀"].agrees is False
    assert judged(spread=1.5)["loose: strain per cycle at Δσ = 0.4 p₀"].agrees is False
    for changed in ({"by_radius": (3.0, 2.0, 1.0)}, {"by_radius": (1.0, 3.0, 2.0)}, {"spread": 0.9}):
        order = judged(**changed)["strain per cycle, roundest / most angular"]
        assert order.agrees is False and "samples differ" in order.note
