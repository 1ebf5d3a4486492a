"""Element tests without walls: a periodic sample is pressed to its pressure and sheared from there without a jump."""

import numpy as np
import pytest

import clast
from clast.element_tests.periodic_cell import PeriodicCell
from clast.errors import InputError, SceneError
from clast.laws import Linear
from clast.measures import QuasiStatic, Strain, Stress, VoidRatio
from clast.packing.plane.voronoi import voronoi_packing
from clast.protocols.press import Stop, prepare

PRESSURE = 30.0
LAW = Linear(1e4, 3.3e3, 0.4, normal_damping=16.0, tangential_damping=4.0)


@pytest.fixture(scope="module")
def cell():
    return PeriodicCell(voronoi_packing(6, 8, 0.674, erosion=0.1, seed=1, border="periodic"), LAW, density=3.0)


@pytest.fixture(scope="module")
def pressed(cell):
    return prepare(cell.compressed(PRESSURE, drag=5.0), Stop(longest=100.0, kinetic=1e-8, unbalanced=1e-5), dt=1e-3)


def test_a_sample_is_pressed_to_its_pressure(cell, pressed):
    report = pressed.report
    assert report.reached and report.worst_stress() < 1e-3
    assert report.width < cell.packing.width and report.height < cell.packing.height
    assert report.fraction == pytest.approx(cell.packing.area / (report.width * report.height))
    assert "cell x" in str(report) and "cell y" in str(report)


def test_held_without_drag_it_stays(cell, pressed):
    engine = clast.Engine(cell.held(PRESSURE, prepared=pressed), dt=1e-3)
    size = engine.period
    engine.advance(20_000)
    assert engine.period == pytest.approx(size, rel=1e-6)
    after = engine.period
    engine.advance(40_000)
    assert engine.period == pytest.approx(after, rel=1e-10)


def test_the_test_begins_without_a_jump_and_keeps_its_lateral_pressure(cell, pressed, tmp_path):
    scene = cell.sheared(PRESSURE, 0.0025, prepared=pressed, onset=2.0)
    run = clast.run(scene, until=13.0, dt=1e-3, out=tmp_path / "run", progress=clast.quiet())
    stress, strain, slow = Stress().compute(run), Strain().compute(run), QuasiStatic().compute(run)
    assert strain.axial[-1] == pytest.approx(0.0025 * 12.0, rel=1e-6)
    assert stress.yy[0] == pytest.approx(PRESSURE, rel=1e-3)
    assert stress.yy[1] == pytest.approx(PRESSURE, rel=0.05)
    assert np.median(stress.xx) == pytest.approx(PRESSURE, rel=0.01)
    assert stress.yy.max() > 4.0 * PRESSURE
    assert strain.volumetric.min() < -1e-4 and strain.volumetric[-1] > 0.01  # shrinks, then dilates
    assert VoidRatio().compute(run).void_ratio[-1] > VoidRatio().compute(run).void_ratio[0]
    assert slow.slow
    assert run.book.energy_error < 1e-4


def test_what_it_refuses(cell):
    with pytest.raises(InputError, match="the packing has borders"):
        PeriodicCell(voronoi_packing(4, 4, 0.674, erosion=0.1, seed=1), LAW).scene()
    with pytest.raises(SceneError, match="skeletons would meet"):
        cell.compressed(2e3)
