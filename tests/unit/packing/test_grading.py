"""Gradings: drawn sizes follow the asked curves, by number and by mass; curves agree with plain integration; refusals."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from clast.errors import InputError
from clast.packing.grading import PowerLaw, SieveCurve, UniformArea, read_sieve_curve

TABLE = ([0.1, 0.2, 0.5, 1.0, 2.0], [0.0, 0.1, 0.3, 0.9, 1.0])
GAP = ([0.1, 0.2, 0.5, 1.0, 2.0], [0.0, 0.4, 0.4, 0.9, 1.0])  # nothing between 0.2 and 0.5
GRADINGS = {
    "areas": UniformArea(2.0, 0.1),
    "wide areas": UniformArea(2.0, 0.9),
    "power 2.5": PowerLaw(1.0, 5.0, 2.5),
    "power 1": PowerLaw(1.0, 5.0, 1.0),  # evenly in the logarithm
    "power 3": PowerLaw(1.0, 5.0, 3.0),  # mass evenly in the logarithm
    "power -2": PowerLaw(1.0, 5.0, -2.0),
    "by mass": SieveCurve(*TABLE, by="mass"),
    "by number": SieveCurve(*TABLE, by="number"),
    "gap by mass": SieveCurve(*GAP, by="mass"),
    "gap by number": SieveCurve(*GAP, by="number"),
}
KOLMOGOROV = 1.95  # exceeded once in a thousand


def distance(drawn, grading, by):
    """Kolmogorov-Smirnov distance times √n; by mass the number n of equal grains that would be as uncertain."""
    sizes = np.sort(drawn)
    weight = sizes**2 if by == "mass" else np.ones(sizes.size)
    steps = np.cumsum(weight) / weight.sum()
    curve = grading.passing(sizes, by=by)
    worst = max(np.abs(steps - curve).max(), np.abs(steps - weight / weight.sum() - curve).max())
    return worst * math.sqrt(weight.sum() ** 2 / (weight**2).sum())


@pytest.mark.parametrize("by", ["mass", "number"])
@pytest.mark.parametrize("name", GRADINGS)
def test_drawn_sizes_follow_the_curve(name, by):
    drawn = GRADINGS[name].draw(20_000, np.random.default_rng(1))
    assert distance(drawn, GRADINGS[name], by) < KOLMOGOROV
    low, high = GRADINGS[name].limits
    assert low <= drawn.min() < low + 0.02 * (high - low) and high - 0.1 * (high - low) < drawn.max() <= high


def test_the_test_tells_mass_from_number():
    drawn = GRADINGS["by number"].draw(20_000, np.random.default_rng(1))
    assert distance(drawn, GRADINGS["by mass"], "number") > 10 * KOLMOGOROV
    assert distance(drawn, GRADINGS["by mass"], "mass") > 10 * KOLMOGOROV


@pytest.mark.parametrize("table", [TABLE, GAP])
@pytest.mark.parametrize("by", ["mass", "number"])
def test_the_users_table_is_met(table, by):
    """What was given comes back, at the sieves and on the straight lines between them."""
    curve = SieveCurve(*table, by=by)
    assert curve.passing(table[0], by=by) == pytest.approx(table[1], abs=1e-14)
    between = np.linspace(0.05, 2.2, 300)
    assert curve.passing(between, by=by) == pytest.approx(np.interp(between, *table), abs=1e-13)


def test_numbers_from_a_curve_by_mass():
    """A sieve curve by mass has the density p'(d)/d² by number: integrated here by quadrature."""
    curve = SieveCurve(*TABLE, by="mass")
    slope = np.diff(TABLE[1]) / np.diff(TABLE[0])

    def density(d):
        return slope[min(np.searchsorted(TABLE[0], d, side="right") - 1, 3)] / d**2

    total = quad(density, 0.1, 2.0, points=TABLE[0][1:-1], limit=200)[0]
    for d in (0.15, 0.3, 0.7, 1.5):
        want = quad(density, 0.1, d, points=[x for x in TABLE[0][1:-1] if x < d] or None, limit=200)[0] / total
        assert curve.passing(d, by="number") == pytest.approx(want, rel=1e-9)


@pytest.mark.parametrize("name", GRADINGS)
def test_quantiles_undo_passing(name):
    grading = GRADINGS[name]
    share = np.linspace(0.0, 1.0, 501)
    assert grading.passing(grading.quantile(share), by="number") == pytest.approx(share, abs=1e-12)
    low, high = grading.limits
    assert grading.passing([0.5 * low, low, high, 2 * high], by="mass") == pytest.approx([0, 0, 1, 1], abs=1e-14)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8),
    st.lists(st.floats(0.01, 10.0), min_size=9, max_size=9),
    st.sampled_from(["mass", "number"]),
)
def test_any_table(inner, steps, by):
    passing = [0.0, *sorted(inner), 1.0]
    diameters = np.cumsum(steps)[: len(passing)] if len(passing) <= 9 else np.cumsum([*steps, 1.0])[: len(passing)]
    curve = SieveCurve(diameters, passing, by=by)
    share = np.linspace(0.0, 1.0, 101)
    sizes = curve.quantile(share)
    assert (np.diff(sizes) >= 0.0).all() and np.isfinite(sizes).all()
    assert curve.passing(sizes, by="number") == pytest.approx(share, abs=1e-9)
    assert curve.passing(diameters, by=by) == pytest.approx(passing, abs=1e-9)


def test_areas_of_gm09():
    """1 ± 10 %: areas even between 0.9 and 1.1."""
    areas = 0.25 * math.pi * UniformArea(1.0, 0.1).draw(20_000, np.random.default_rng(2)) ** 2
    assert areas.min() == pytest.approx(0.9, abs=1e-3) and areas.max() == pytest.approx(1.1, abs=1e-3)
    assert np.histogram(areas, 4)[0] == pytest.approx([5000] * 4, abs=250)
    same = UniformArea(2.0, 0.0).draw(5, np.random.default_rng(1))
    assert 0.25 * math.pi * same**2 == pytest.approx([2.0] * 5)
    assert UniformArea(2.0, 0.0).mean_area == pytest.approx(2.0)


@pytest.mark.parametrize("name", GRADINGS)
def test_mean_area_and_drawing_a_total(name):
    grading = GRADINGS[name]
    many = 0.25 * math.pi * grading.draw(200_000, np.random.default_rng(3)) ** 2
    assert grading.mean_area == pytest.approx(many.mean(), abs=5 * many.std() / math.sqrt(many.size))
    wanted = 500.0 * grading.mean_area
    area = 0.25 * math.pi * grading.draw_area(wanted, np.random.default_rng(4)) ** 2
    assert abs(area.sum() - wanted) <= 0.5 * many.max()
    one = grading.draw_area(1e-9 * grading.mean_area, np.random.default_rng(4))
    assert one.size == 1


@pytest.mark.parametrize(
    ("diameters", "passing", "words"),
    [
        ([1, 2, 2, 3], [0, 0.2, 0.3, 1], r"row 3 of the sieve curve \(diameter 2, passing 0\.3\): diameters must be"),
        ([0, 1], [0, 1], "row 1 .* diameters must be positive and ascend"),
        ([1, 2, 3], [0, 0.5, 0.4], r"row 3 .*: passing must ascend from 0 to 1"),
        ([1, 2, 3], [0, 50, 100], "row 2 .* a fraction from 0 to 1, not per cent"),
        ([1, 2, 3], [0, 1.2, 1.2], "row 2 .* passing must ascend from 0 to 1"),
        ([1, 2, 3], [-0.1, 0.5, 1], "row 1 .* passing must ascend"),
        ([1, 2, 3], [0.05, 0.5, 1], r"a part 0\.05 passes the finest sieve, 1, .* add a row"),
        ([1, 2, 3], [0, 0.5, 0.9], r"only 0\.9 passes the coarsest sieve, 3: add a row"),
        ([1, 2], [0, 0.5, 1], "2 diameters and 3 passing"),
        ([1], [1], "two rows at least"),
        ([1, np.nan], [0, 1], "diameters .* finite: row 2"),
        (["fine", "coarse"], [0, 1], "diameters of a sieve curve must be numbers"),
    ],
)
def test_bad_tables(diameters, passing, words):
    with pytest.raises(InputError, match=words):
        SieveCurve(diameters, passing, by="mass")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SieveCurve([1, 2], [0, 1], by="weight"), 'by = \'weight\' must be "mass" or "number"'),
        (lambda: UniformArea(1.0).passing(1.0, by=""), 'must be "mass" or "number"'),
        (lambda: UniformArea(-1.0), r"area = -1\.0 must be a positive"),
        (lambda: UniformArea(1.0, 1.0), r"spread = 1\.0 must be at least 0 and less than 1"),
        (lambda: PowerLaw(2.0, 1.0, 1.0), "largest = 1 must exceed smallest = 2"),
        (lambda: PowerLaw(0.0, 1.0, 1.0), r"smallest = 0\.0 must be"),
        (lambda: PowerLaw(1.0, 2.0, math.nan), "exponent = nan"),
        (lambda: UniformArea(1.0).draw(0, np.random.default_rng(1)), "count = 0 must be a whole number"),
        (lambda: UniformArea(1.0).draw(2.5, np.random.default_rng(1)), r"count = 2\.5"),
        (lambda: UniformArea(1.0).draw_area(0.0, np.random.default_rng(1)), r"total area = 0\.0"),
    ],
)
def test_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


@pytest.mark.parametrize(
    "text",
    [
        "0.1,0\n0.2,0.1\n0.5,0.3\n1,0.9\n2,1\n",
        "# quarry sand\ndiameter; passing\n0.1; 0\n0.2; 0.1\n\n0.5; 0.3\n1; 0.9\n2; 1\n",
        "\ufeffd\tp\n0.1\t0\n0.2\t0.1\n0.5\t0.3\n1\t0.9\n2\t1",
        "d (mm)  passing\n0.1   0\n0.2 0.1\n0.5 0.3\n1 0.9\n2 1\n",
    ],
)
def test_table_from_a_file(tmp_path, text):
    (tmp_path / "sand.csv").write_text(text, encoding="utf-8")
    curve = read_sieve_curve(tmp_path / "sand.csv", by="mass")
    assert curve.diameters.tolist() == TABLE[0] and curve.fractions.tolist() == TABLE[1] and curve.by == "mass"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("d,p\n0.1,0\n0.2;x,1\n", r"line 3 of .*sand\.csv is '0\.2;x,1': give a diameter and a passing fraction"),
        ("0.1,0,7\n0.2,1\n", "line 1 of"),
        ("d,p\n0.1,0\n", "has 1 rows: give two at least"),
        ("d,p\n0.1,0\n0.2,100\n", "not per cent"),
    ],
)
def test_bad_files(tmp_path, text, words):
    (tmp_path / "sand.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        read_sieve_curve(tmp_path / "sand.csv", by="mass")
    with pytest.raises(InputError, match="cannot be read"):
        read_sieve_curve(tmp_path / "none.csv", by="mass")


def test_picture():
    import matplotlib.pyplot as plt

    grading = GRADINGS["by mass"]
    (axes,) = grading.plot(grading.draw(50, np.random.default_rng(1))).axes
    lines = {line.get_label(): line for line in axes.lines}
    assert lines.keys() == {"by mass", "by number", "drawn, by mass", "drawn, by number"}
    assert axes.get_xscale() == "log"
    x, y = lines["by mass"].get_data()
    assert y == pytest.approx(np.interp(x, *TABLE), abs=1e-12)
    assert UniformArea(1.0).plot().axes[0].get_xscale() == "linear"
    plt.close("all")
