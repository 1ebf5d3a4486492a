"""Packings of the benchmarks: kept under what makes them, and refused where grains have lost each other."""

import importlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from clast.protocols.periodic import Tile
from clast.shapes import regular

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture
def tiles(monkeypatch, tmp_path):
    """The module, with an empty cache folder."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    module = importlib.import_module("tiles")
    monkeypatch.setattr(module, "cache_folder", lambda: tmp_path)
    return module


def test_a_packing_is_kept_under_what_makes_it(tiles, tmp_path, monkeypatch):
    """So none is taken for one that another version, other grains or other numbers would make."""
    made = []

    def pack(shapes, *, overlap, unbalanced):
        made.append(unbalanced)
        return Tile(shapes, np.zeros((len(shapes), 2)), np.zeros(len(shapes)), 1.0)

    monkeypatch.setattr(tiles, "compress", pack)
    few = [regular(6, radius=0.1, circumradius=0.45)] * 4
    first, area = tiles.plane_tile("few", few, 1e-4)
    again, _ = tiles.plane_tile("few", few, 1e-4)
    assert len(made) == 1 and again.period == first.period == 1.0 and area == pytest.approx(few[0].area)
    tiles.plane_tile("few", few, 1e-3)
    tiles.plane_tile("few", [regular(6, radius=0.1, circumradius=0.5)] * 4, 1e-4)
    monkeypatch.setattr(tiles, "compress", lambda shapes, *, overlap, unbalanced: pack(shapes, overlap=0.0, unbalanced=2.0))
    tiles.plane_tile("few", few, 1e-4)
    assert made == [1e-4, 1e-3, 1e-4, 2.0]
    assert len(list(tmp_path.glob("bench-few-tile-*.npz"))) == 4


def test_grains_that_lost_each_other_are_no_packing_at_rest(tiles, monkeypatch):
    team = importlib.import_module("team")
    hexagon = regular(6, radius=0.1, circumradius=0.45)
    apart = Tile([hexagon] * 4, np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]]), np.zeros(4), 4.0)
    monkeypatch.setattr(team, "hexagon_tile", lambda: (apart, hexagon.area))
    with pytest.raises(SystemExit, match=r"^the packing of 4 grains at rest has 0.00 .*remove bench-hexagon-tile-\*"):
        team.contacts_per_grain(team.dense(4, False, 1))
    with pytest.raises(SystemExit, match="contacts a grain"):
        monkeypatch.setattr("sys.argv", ["team.py", "--grains", "4", "--threads", "1"])
        team.main()
    near = SimpleNamespace(
        moving=2, snapshot=lambda: SimpleNamespace(contacts=SimpleNamespace(counts=np.array([1.0, 1.0, 0.0, -1.0])))
    )
    assert team.contacts_per_grain(near) == 1.0
