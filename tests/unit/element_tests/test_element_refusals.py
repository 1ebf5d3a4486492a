"""What the cells of element tests refuse, and in which words; and that a study that is refused leaves nothing."""

import numpy as np
import pytest
from made_runs import square_packing

from clast.cli import run_command
from clast.element_tests.biaxial import BiaxialCell
from clast.element_tests.periodic_cell import PeriodicCell
from clast.errors import InputError, SceneError
from clast.laws import Linear
from clast.measures import Strain, Stress
from clast.packing.plane.voronoi import voronoi_packing
from clast.protocols.press import Prepared, PressReport
from clast.protocols.walls import drive, press
from clast.scene.springs import Springs

LAW = Linear(1e4, 3.3e3, 0.4)


def cells():
    drawn = {"erosion": 0.1, "seed": 1}
    walls = BiaxialCell(voronoi_packing(4, 4, 0.7, **drawn), LAW)
    return [walls, PeriodicCell(voronoi_packing(4, 4, 0.7, border="periodic", **drawn), LAW)]


def sample_of(count):
    report = PressReport(True, 1, 1.0, 0.0, 0.0, 0.0, 4.0, 0.01, width=2.8, height=2.8)
    return Prepared(np.zeros((count, 2)), np.zeros(count), Springs(np.zeros((0, 6), np.int64), np.zeros((0, 3)), ""), report)


@pytest.mark.parametrize("cell", cells(), ids=["walls", "periodic"])
def test_numbers_that_make_no_test(cell):
    for pressure in (-30.0, 0.0, "30", float("nan")):
        with pytest.raises(SceneError, match=r"pressure = .* must be a positive number"):
            cell.compressed(pressure)
    for rate in (0.0, -0.004):
        with pytest.raises(SceneError, match=r"rate = .* must be a positive number"):
            cell.sheared(30.0, rate, prepared=sample_of(20), onset=1.0)
    with pytest.raises(SceneError, match=r"onset = 0\.0 must be a positive number"):
        cell.sheared(30.0, 0.004, prepared=sample_of(20), onset=0.0)
    with pytest.raises(InputError, match="the sample was prepared with 3 bodies"):
        cell.sheared(30.0, 0.004, prepared=sample_of(3), onset=1.0)


def test_walls_that_a_cell_does_not_have():
    scene = cells()[0].scene()
    for do in (lambda: press(scene, ["lid"], 30.0), lambda: drive(scene, "lid", 1.0, onset=1.0)):
        with pytest.raises(SceneError, match='a cell has no wall "lid"; it has left, right, bottom, top'):
            do()
    press(scene, "top", 30.0)  # one alone needs no list


def test_a_refused_study_leaves_no_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run_command(["run", "biaxial-voronoi", "--pressure", "30000", "--out", "runs/hp"]) == 2
    assert "skeletons would meet" in capsys.readouterr().err
    assert not (tmp_path / "runs" / "hp").exists()


def test_stress_is_drawn_against_strain_and_has_an_angle():
    run = square_packing()
    stress, strain = Stress("walls").compute(run), Strain().compute(run)
    assert stress.phi_degrees == pytest.approx(np.degrees(np.arcsin(stress.sin_phi)))
    line = stress.plot(against=strain).axes[0].lines[0]
    assert line.get_xdata() == pytest.approx(strain.axial)
