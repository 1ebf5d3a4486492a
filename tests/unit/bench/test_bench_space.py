"""Benchmark states in space: they must be what their numbers are quoted for."""

import numpy as np
import pytest

from clast.bench import space as bench_space
from clast.bench import states
from clast.bench.space import STILL, cube_solids, prepare_settled, sphere_solids
from clast.protocols.settle import unbalanced_force

FILL = 0.8


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch, tmp_path):
    """States of the bench in a folder of their own; the kernels stay where they are."""
    monkeypatch.setattr(states, "cache_folder", lambda: tmp_path)
    return tmp_path


def test_cubes_are_jammed_between_walls_that_stand(empty_cache, monkeypatch):
    monkeypatch.setattr(bench_space, "FILL", FILL)  # so few line up along the walls, and need more to jam
    solids = cube_solids(27)
    engine = prepare_settled("few", solids, 1)
    ratio, contacts = unbalanced_force(engine)
    assert ratio < STILL
    assert contacts > 2.0
    assert engine.moving == 27, "the walls stand"
    walls = engine.positions[27:]
    gaps = [walls[2 * axis + 1, axis] - walls[2 * axis, axis] - 2.0 * solids[0].radius for axis in range(3)]
    assert sum(solid.volume for solid in solids) / np.prod(gaps) == pytest.approx(FILL, rel=2e-3)
    grains = engine.positions[:27]
    assert ((grains.min(axis=0) > walls.min(axis=0)) & (grains.max(axis=0) < walls.max(axis=0))).all()
    assert len(list(empty_cache.iterdir())) == 1
    again = prepare_settled("few", solids, 1)
    assert again.step == engine.step and (again.positions == engine.positions).all(), "from the cache"


def test_spheres_lie_on_a_floor(empty_cache):
    engine = prepare_settled("few", sphere_solids(27), 1)
    ratio, contacts = unbalanced_force(engine)
    assert ratio < STILL and contacts > 1.5
    assert engine.scene.gravity[2] < 0.0 and engine.positions[:27, 2].min() > 0.0
