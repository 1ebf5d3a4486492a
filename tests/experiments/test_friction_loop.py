"""friction-loop, with fewer steps: the work of a closed path and what it depends on."""

import numpy as np
import pytest

from clast.experiments import find
from clast.experiments.friction_loop import ANGLE, EDGE, VERTEX, FrictionLoop, closed_form, path_of, walk, work_of_turns
from clast.experiments.shared.running import run_experiment

FEW = {"turns": 2, "steps": 400}


@pytest.fixture(scope="module")
def loop(tmp_path_factory):
    return run_experiment(find("friction-loop"), given=FEW, out=tmp_path_factory.mktemp("loop") / "run")


@pytest.mark.parametrize("kind", [VERTEX, EDGE, ANGLE])
def test_the_path_is_closed(kind):
    path = path_of(kind, FrictionLoop(**FEW))
    assert np.array_equal(path[0], path[-1])
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).max() < 0.01


def test_corner_on_corner_keeps_back_what_the_closed_form_says(loop):
    p = FrictionLoop(**FEW)
    step = p.arc / p.steps
    work = work_of_turns(loop.run, VERTEX)
    assert work == pytest.approx(closed_form(p), rel=step**2)  # chords instead of arcs: step²/12
    assert work[0] > 0.0 and work[1] == pytest.approx(3.0 * work[0], rel=1e-9)
    assert (loop.run.tables[VERTEX]["contacts"] == 2).all()
    left = (p.outer - p.inner) * p.arc
    assert loop.run.tables[VERTEX]["spring"][-1] == pytest.approx(2.0 * left, rel=step**2)


def test_corner_on_edge_gives_everything_back(loop):
    table = loop.run.tables[EDGE]
    stored = 0.5 * FrictionLoop().tangential * table["spring"].max() ** 2
    assert stored > 1.0
    assert np.abs(work_of_turns(loop.run, EDGE)).max() < 1e-12 * stored
    assert (table["contacts"] == 1).all()


def test_the_same_way_out_and_back_costs_nothing_on_a_corner_too():
    p = FrictionLoop(turns=1, steps=200, outer=0.15, inner=0.15)
    table = walk(VERTEX, p)
    assert abs(table["work"][-1]) < 1e-12 * table["work"].max()


def test_result_and_figure(loop):
    agrees = {quantity.name: quantity.agrees for quantity in loop.quantities}
    assert agrees["vertex-edge: work of a turn / energy of the spring"] is True
    assert agrees["vertex-vertex by angle: spring after a turn / longest"] is True
    assert agrees["vertex-vertex by angle: work of a turn / energy of the spring"] is True
    assert agrees["vertex-vertex: departure from ½ k_t Δ² (2n − 1) × 2"] is False  # 2e-8 with so few steps
    assert loop.run.result["steps"] == 3 * 2 * (800 + 20)
    assert [path.name for path in loop.figures] == ["friction-loop.png"]
    assert loop.figures[0].read_bytes().startswith(b"\x89PNG")
