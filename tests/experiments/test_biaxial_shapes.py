"""biaxial-shapes, with sixteen pebbles and a little strain; and what it reads off curves that are made up."""

from types import SimpleNamespace

import numpy as np
import pytest

from clast.element_tests.curves import find_drops, find_peak, level, resampled, smoothed, softening
from clast.experiments import find
from clast.experiments.biaxial_shapes import BiaxialShapes, evaluate, record_of, softened, void_numbers
from clast.experiments.shared.drops import beside_disks, drop_quantities, drops_of
from clast.experiments.shared.running import run_experiment

TINY = {"grains": 16, "seeds": 1, "shape": "pebble", "strain": 0.01}


@pytest.fixture(scope="module")
def tested(tmp_path_factory):
    return run_experiment(find("biaxial-shapes"), given=TINY, out=tmp_path_factory.mktemp("shapes") / "run")


def test_the_test_is_a_biaxial_test(tested):
    table = tested.run.tables["pebble, seed 1"]
    strain, p = table["axial_strain"], 1e-3
    assert strain[0] == 0.0 and strain[-1] == pytest.approx(0.01, rel=1e-3) and (np.diff(strain) > 0.0).all()
    assert table["stress_yy"][0] == pytest.approx(p, rel=0.01) and table["stress_xx"][0] == pytest.approx(p, rel=0.01)
    assert level(strain, table["stress_xx"], 0.0) == pytest.approx(p, rel=0.01)
    assert table["stress_yy"].max() > 1.5 * p
    assert table["inertial_number"].max() < 1e-3 and table["dashpot_share"].max() < 0.02
    assert table["energy_error"][0] < 1e-5 and table["overlap_share"].max() < 0.1


def test_walls_and_contacts_tell_the_same_stress(tested):
    table = tested.run.tables["pebble, seed 1"]
    for axis in ("xx", "yy"):
        assert table[f"contact_stress_{axis}"] == pytest.approx(table[f"stress_{axis}"], rel=0.03)
        assert level(table["axial_strain"], table[f"contact_stress_{axis}"], 0.0) == pytest.approx(
            level(table["axial_strain"], table[f"stress_{axis}"], 0.0), rel=0.005
        )


def test_void_ratio_and_volume_go_together(tested):
    table = tested.run.tables["pebble, seed 1"]
    expected = (1.0 + table["void_ratio"][0]) * (1.0 + table["volumetric_strain"]) - 1.0
    assert table["void_ratio"] == pytest.approx(expected, rel=1e-9)


def test_three_frames_with_their_contacts_are_kept(tested):
    kept = record_of(BiaxialShapes(**TINY), tested.run, "pebble")
    assert 2 <= len(kept.frames) <= 3
    assert np.array_equal(kept.frames.steps, kept.contacts.steps) and kept.frames.times[0] == kept.frames.steps[0] == 0
    assert kept.frames[0].positions.shape == (20, 2) and kept.contacts[0].bodies.dtype.kind == "i"
    # top and bottom have come nearer, alike
    move = kept.frames[-1].positions[18:, 1] - kept.frames[0].positions[18:, 1]
    assert move[0] > 0.0 and move[1] == pytest.approx(-move[0], rel=1e-9)


def test_figures_are_drawn(tested):
    assert [path.name for path in tested.figures] == ["biaxial-shapes.png", "chains.png"]
    for path in tested.figures:
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 20_000
    critical = {quantity.name: quantity for quantity in tested.quantities}["pebbles: critical stress / p₀"]
    assert np.isnan(critical.measured)  # the test ends long before


# --- judgement on curves that are made up -----------------------------------------------------------------------------

STRAIN = np.linspace(0.0, 0.3, 1501)


def curve(start: float, peak: float, late: float, rise: float = 0.02) -> np.ndarray:
    """From `start` to `peak` at ε = rise, then down to `late`."""
    up, down = start + (peak - start) * STRAIN / rise, late + (peak - late) * np.exp(-(STRAIN - rise) / 0.02)
    return np.where(rise > STRAIN, up, down)


def columns(peak: float, late: float) -> dict[str, np.ndarray]:
    void = 0.2 - 0.01 * np.sin(np.pi * np.clip(STRAIN / 0.02, 0, 1)) + 0.05 * (1.0 - np.exp(-np.maximum(STRAIN - 0.02, 0) / 0.03))
    same = {name: np.full(STRAIN.size, 1e-4) for name in ("inertial_number", "dashpot_share", "overlap_share", "energy_error")}
    return {
        "axial_strain": STRAIN,
        "stress_yy": 1e-3 * curve(1.0, peak, late),
        "stress_xx": np.full(STRAIN.size, 1e-3),
        "void_ratio": void,
        **same,
    }


def test_strength_is_compared_with_that_of_disks():
    tables = {"disk, seed 1": columns(2.5, 1.6), "disk, seed 2": columns(2.7, 1.8)}
    tables |= {f"{shape}, seed {seed}": columns(4.0, late) for seed in (1, 2) for shape, late in
               (("peanut", 2.8), ("rice", 2.0), ("pebble", 2.1))}  # fmt: skip
    found = {each.name: each for each in evaluate(BiaxialShapes(seeds=2), SimpleNamespace(tables=tables))}
    assert found["peanuts: q at the critical state / disks'"].measured == pytest.approx(0.9 / 0.35, rel=1e-3)
    assert found["peanuts: q at the critical state / disks'"].agrees is True
    assert found["rice: q at the critical state / disks'"].agrees is False  # 1.43
    assert "ratio of σ_yy 1.65" in found["peanuts: q at the critical state / disks'"].note
    assert found["disks: peak stress / p₀"].measured == pytest.approx(2.6, rel=0.03) and found["disks: peak stress / p₀"].agrees
    assert found["disks: critical stress / p₀"].measured == pytest.approx(1.7, rel=1e-3)
    assert found["disks: void ratio at the critical state"].agrees is True
    assert found["largest inertial number"].note.startswith("slow")


def test_the_first_rise_the_peak_and_the_end_are_looked_at():
    tables = {f"disk, seed {seed}": columns(2.5 + 0.1 * seed, 1.6) for seed in (1, 2)}
    bent = columns(2.5, 1.6)
    up = STRAIN <= 0.02
    bent["stress_yy"][up] = 1e-3 * (1.0 + 1.5 * np.sqrt(STRAIN[up] / 0.02))
    assert softened(columns(2.5, 1.6)) == pytest.approx(1.0, rel=0.05), "a straight rise"
    assert softened(bent) < 0.5
    found = {each.name: each for each in evaluate(BiaxialShapes(seeds=2, shape="disk"), SimpleNamespace(tables=tables))}
    steady = found["disks: drift of the stress at the critical state"]
    assert steady.measured == pytest.approx(0.0, abs=1e-3) and steady.agrees is True
    assert found["disks: ε of fastest dilation − ε of the peak"].agrees is True
    falling = columns(2.5, 1.6)
    falling["stress_yy"][STRAIN > 0.25] *= 0.8
    tables = {"disk, seed 1": falling, "disk, seed 2": falling}
    found = {each.name: each for each in evaluate(BiaxialShapes(seeds=2, shape="disk"), SimpleNamespace(tables=tables))}
    assert found["disks: drift of the stress at the critical state"].agrees is False
    one = {each.name: each for each in evaluate(BiaxialShapes(seeds=1, shape="disk"), SimpleNamespace(tables=tables))}
    assert one["disks: drift of the stress at the critical state"].agrees is None, "one sample has no error"


def dropping(number: int, size: float, gain: float) -> dict[str, np.ndarray]:
    """A stress of 1 with `number` sudden falls of a size beyond ε = 0.1, in each of which the void ratio grows by `gain`."""
    table = columns(1.0, 1.0)
    table["stress_yy"], table["void_ratio"] = np.ones(STRAIN.size), np.full(STRAIN.size, 0.2)
    for k in np.linspace(600, 1400, number).astype(int):
        table["stress_yy"][k : k + 20] -= size * np.linspace(1.0, 0.0, 20)
        table["void_ratio"][k:] += gain
    return table


def test_drops_are_counted_and_compared_with_those_of_disks():
    few, many = drops_of([dropping(4, 0.2, 1e-3), dropping(5, 0.22, 2e-3)], 0.1), drops_of([dropping(20, 0.05, 0.0)] * 2, 0.1)
    assert few.numbers.tolist() == [4.0, 5.0] and few.sizes == pytest.approx([0.2, 0.22], rel=0.05)
    assert few.gains == pytest.approx([1e-3] * 4 + [2e-3] * 5)
    number, size = beside_disks("rice", few, many)
    assert number.measured == pytest.approx(4.5 / 20.0) and number.agrees is True
    assert size.measured == pytest.approx(4.2, rel=0.05) and size.agrees is True
    assert [each.agrees for each in beside_disks("rice", many, few)] == [False, False]
    assert [each.agrees for each in beside_disks("rice", drops_of([dropping(4, 0.2, 1e-3)], 0.1), many)] == [None, None]
    found = {each.name: each for each in drop_quantities("rice", few, 0.1)}
    assert found["rice: void ratio gained in a drop"].agrees is True and found["rice: drops of stress"].measured == 4.5
    assert drop_quantities("disks", many, 0.1)[2].agrees is False
    assert np.isnan(drop_quantities("disks", drops_of([dropping(0, 0.1, 0.0)], 0.1), 0.1)[2].measured)


def test_fast_tests_and_rising_curves_are_told():
    table = columns(2.0, 2.0)
    table["inertial_number"] = np.linspace(0.0, 1.1e-3, STRAIN.size)
    found = {
        each.name: each
        for each in evaluate(BiaxialShapes(seeds=1, shape="disk"), SimpleNamespace(tables={"disk, seed 1": table}))
    }
    assert found["largest inertial number"].note.startswith("not slow") and found["largest inertial number"].agrees is None
    assert found["disks: peak stress / p₀"].agrees is False  # it never falls


def test_void_numbers():
    start, least, late, change, steepest = void_numbers(columns(2.0, 1.5))
    assert (start, least, late) == pytest.approx((0.2, 0.19, 0.25), abs=1e-3)
    assert change < 0.01 and 0.01 < steepest < 0.04


def test_smoothing_and_levels():
    uneven = np.sort(np.concatenate([STRAIN, STRAIN[::7] + 1e-5]))
    assert smoothed(uneven, 3.0 * uneven, 0.01)[100:-100] == pytest.approx(3.0 * uneven[100:-100], abs=3e-4)
    assert smoothed(STRAIN, np.ones(STRAIN.size), 0.02) == pytest.approx(1.0)
    assert level(STRAIN, STRAIN, 0.2) == pytest.approx(0.25, abs=2e-4)
    assert level(STRAIN, STRAIN, 0.1, 0.2) == pytest.approx(0.15, abs=2e-4)
    assert np.isnan(level(STRAIN, STRAIN, 0.5))
    assert resampled(STRAIN, STRAIN**2, np.array([0.1, 0.25])) == pytest.approx([0.01, 0.0625], abs=1e-6)


def test_peaks_and_softening():
    falls = find_peak(STRAIN, curve(1.0, 3.0, 1.5))
    assert falls.accepted and falls.strain == pytest.approx(0.02, abs=0.001) and falls.value == pytest.approx(3.0, rel=0.03)
    assert not find_peak(STRAIN, curve(1.0, 3.0, 2.9)).accepted
    assert softening(STRAIN, np.where(STRAIN < 0.06, 3.0, 1.5), 0.25) == pytest.approx(0.5, abs=0.01)
    assert softening(STRAIN, np.where(STRAIN < 0.025, 3.0, 1.5), 0.25) == pytest.approx(1 - 1.5 / 2.25, abs=0.02)  # half a window
    assert softening(STRAIN, 1.0 - np.exp(-STRAIN / 0.05), 0.25) == pytest.approx(0.0, abs=0.002)
    wiggle = 1.0 + 0.3 * np.sin(2 * np.pi * STRAIN / 0.05)  # noise within a window is none between windows
    assert abs(softening(STRAIN, wiggle, 0.25)) < 0.01
    assert np.isnan(softening(STRAIN, wiggle, 0.3))


def test_drops_are_counted_once():
    stress = np.ones(STRAIN.size)
    for begin, size in ((0.05, 0.5), (0.15, 0.1), (0.2, 0.02), (0.25, 0.005)):  # the first too early, the last too small
        at = int(np.searchsorted(STRAIN, begin))
        stress[at : at + 200] -= size * np.linspace(1.0, 0.0, 200)  # falls at once, recovers slowly
    drops = find_drops(STRAIN, stress, 0.1)
    assert drops.number == 2 and drops.size == pytest.approx(0.06, rel=0.05)
    slow = 1.0 - 0.5 * np.clip((STRAIN - 0.15) / 0.1, 0, 1)  # half a percent per window: no drop
    assert find_drops(STRAIN, slow, 0.1).number == 0
    assert find_drops(STRAIN, stress, 0.9) == (0, 0.0)
