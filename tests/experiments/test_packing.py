"""packing, with sixteen grains of each shape; and its judgement on made-up numbers."""

from types import SimpleNamespace

import numpy as np
import pytest

from clast.experiments import find
from clast.experiments.packing import PUBLISHED, SHAPES, PackingOfShapes, cell_of, evaluate, record_of, scattered, smooth_law
from clast.experiments.shared.running import run_experiment

TINY = {"grains": 16, "seeds": 1}


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    return run_experiment(find("packing"), given=TINY, out=tmp_path_factory.mktemp("packing") / "run")


@pytest.mark.parametrize("shape", SHAPES)
def test_grains_start_apart(shape):
    for grains in (16, 30):
        packing = scattered(shape, grains, 1)
        assert len(packing) == grains and packing.area == pytest.approx(grains)
        assert packing.fraction == pytest.approx(0.3, rel=1e-9)  # 16 and 30 fill their rows
        assert len(packing.overlaps()[0]) == 0
        areas = np.array([each.area for each in packing.shapes])
        assert areas.min() > 0.85 and areas.max() < 1.15 and np.ptp(areas) > 0.1
        reach = np.array([each.reach for each in packing.shapes])[:, None]
        assert (packing.positions - reach > 0.0).all()
        assert (packing.positions + reach < [packing.width, packing.height]).all()


def test_every_sample_is_at_rest_under_the_pressure(packed):
    for shape in SHAPES:
        table = packed.run.tables[f"{shape}, seed 1"]
        assert table["reached"][0] == 1.0 and table["kinetic"][0] < 1e-6 and table["unbalanced"][0] < 1e-3
        for wall in ("left", "right", "bottom", "top"):
            assert table[f"stress {wall}"][0] == pytest.approx(1e-3, rel=0.01)
    found = {quantity.name: quantity for quantity in packed.quantities}
    assert found["largest |wall stress / pressure − 1|"].measured < 0.01
    assert found["largest overlap / r"].measured < 0.1


def test_fractions_are_those_of_the_kept_bodies(packed):
    """Area of the grains over the rectangle between the walls, from the places in the tables."""
    for shape in SHAPES:
        record = record_of(PackingOfShapes(**TINY), packed.run, shape)
        places = record.frames[0].positions
        left, right, bottom, top = (places[16 + k] for k in range(4))
        r = SHAPES[shape](1.0).radius
        area = (right[0] - left[0] - 2 * r) * (top[1] - bottom[1] - 2 * r)
        assert packed.run.tables[f"{shape}, seed 1"]["fraction"][0] == pytest.approx(16.0 / area, rel=1e-9)
        assert 0.6 < 16.0 / area < 0.95
        assert (places[:16] > [left[0], bottom[1]]).all() and (places[:16] < [right[0], top[1]]).all()


def test_figures_are_drawn(packed):
    assert [path.name for path in packed.figures] == ["packing.png", "chains.png"]
    for path in packed.figures:
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 20_000
    assert packed.run.result["grains"] == 16 and packed.run.result["steps"] > 1000


def made_up(**fractions):
    """Tables of four shapes, two seeds each."""
    rest = {"kinetic": [1e-7], "unbalanced": [1e-4], "overlap": [0.01], "coordination": [4.0], "steps": [10]}
    walls = {f"{kind} {wall}": [1e-3] for kind in ("stress", "target") for wall in ("left", "right", "bottom", "top")}
    tables = {}
    for shape, fraction in fractions.items():
        for seed, off in ((1, -0.01), (2, 0.01)):
            columns = {**rest, **walls, "fraction": [fraction + off]}
            tables[f"{shape}, seed {seed}"] = {name: np.array(values) for name, values in columns.items()}
    for shape, spread in (("rice", 0.2), ("peanut", 3.0)):
        angles = np.random.default_rng(1).normal(0.0, spread, 404)
        pairs = np.array([[k, k + 1] for k in range(399)] + [[0, 1], [5, 4], [3, 401]])
        tables[f"{shape}, seed 1: bodies"] = {"angles": angles}
        tables[f"{shape}, seed 1: contacts"] = {"bodies_x": pairs[:, 0], "bodies_y": pairs[:, 1]}
    return SimpleNamespace(tables=tables)


@pytest.mark.parametrize(
    "fractions, ordered, alike",
    [
        ({"disk": 0.80, "peanut": 0.87, "rice": 0.88, "pebble": 0.885}, True, True),
        ({"disk": 0.88, "peanut": 0.87, "rice": 0.89, "pebble": 0.885}, False, True),
        ({"disk": 0.80, "peanut": 0.87, "rice": 0.90, "pebble": 0.875}, True, False),
        ({"disk": 0.80, "peanut": 0.87, "rice": 0.88, "pebble": 0.865}, False, True),
    ],
)
def test_the_order_is_judged(fractions, ordered, alike):
    p = PackingOfShapes(seeds=2)
    found = {quantity.name: quantity for quantity in evaluate(p, made_up(**fractions))}
    assert found["disks < peanuts < rice, pebbles (1) or not (0)"].agrees is ordered
    assert found["|rice − pebbles|"].agrees is alike
    assert found["disks: fraction"].measured == pytest.approx(fractions["disk"])
    assert found["disks: fraction"].published == PUBLISHED["disk"]
    assert found["disks: fraction"].error == pytest.approx(0.01)
    assert found["rice: alignment of neighbours"].measured == pytest.approx(np.exp(-4.0 * 0.2**2), abs=0.05)
    assert found["rice: alignment of neighbours"].agrees and not found["peanuts: alignment of neighbours"].agrees
    assert "of 399 pairs" in found["rice: alignment of neighbours"].note, "a pair counts once, walls do not"


def test_a_fraction_off_by_more_than_a_tenth_disagrees():
    found = evaluate(PackingOfShapes(seeds=2, shape="disk"), made_up(disk=0.70))
    assert found[0].agrees is False
    assert not any("rice" in quantity.name for quantity in found)


def test_walls_are_as_round_as_the_grains():
    cell = cell_of("rice", 16, 1, smooth_law(PackingOfShapes()))
    walls = [body for body in cell.scene().bodies if body.big]
    assert [body.name for body in walls] == ["left", "right", "bottom", "top"]
    assert {body.shape.radius for body in walls} == {SHAPES["rice"](1.0).radius}
