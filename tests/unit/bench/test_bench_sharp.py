"""Benchmark states of sharp solids, with a handful of grains; and that the cases are there."""

import numpy as np
import pytest

from clast.bench import sharp as bench_sharp
from clast.bench import states
from clast.bench.cases import CASES
from clast.bench.sharp import FRICTION, STILL, bed, heap_grains, prepare_bed, sharp_cubes
from clast.protocols.settle import unbalanced_force


def test_a_bed_lies_in_its_box_at_rest_and_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(states, "cache_folder", lambda: tmp_path)
    engine = prepare_bed("few", sharp_cubes(8), 1)
    assert unbalanced_force(engine)[0] < STILL
    places, start = engine.positions[:8], np.array([body.position for body in bed(sharp_cubes(8), 1).bodies[:8]])
    width = 2.02 * np.sqrt(3.0)
    assert np.abs(places[:, :2]).max() < 0.5 * width and places[:, 2].min() > 0.45 and places[:, 2].max() < start[:, 2].max()
    (path,) = tmp_path.glob("bench-few-*.npz")
    monkeypatch.setattr(bench_sharp, "settle", lambda *_, **__: pytest.fail("it was kept"))
    again = prepare_bed("few", sharp_cubes(8), 1)
    assert np.array_equal(again.positions, engine.positions) and again.step == engine.step and path.exists()
    assert len(again.springs().key) == len(engine.springs().key) > 0


def test_the_cases_are_there():
    assert {"sharp-cube-dense", "heap-dense"} <= CASES.keys()
    cubes, grains = sharp_cubes(), heap_grains(20)
    assert len(cubes) == 343 and cubes[0].sharp and cubes[0].volume == pytest.approx(1.0)
    assert all(len(grain.faces) == 20 and grain.sharp for grain in grains)
    assert np.mean([grain.volume for grain in grains]) == pytest.approx(1.0)
    assert bed(grains, 1).default_law.friction == FRICTION > 0.0
