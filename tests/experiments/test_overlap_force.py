"""overlap-force, with few corners and angles; and that it sees a force which jumps."""

from types import SimpleNamespace

import numpy as np
import pytest

from clast.experiments import find
from clast.experiments.overlap_force import DEPTHS, HALVINGS, OverlapForce, evaluate, largest_jump, power, turning_name
from clast.experiments.shared.running import run_experiment

TINY = {"corners": 120, "turns": 3, "angles": 10}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    return run_experiment(find("overlap-force"), given=TINY, out=tmp_path_factory.mktemp("force") / "run")


def test_faces_meet_linearly(measured):
    table = measured.run.tables["faces"]
    # the push is Y A d/L_c, and L_c the side less the depth: the radii end in the middle of the overlap
    assert table["force"] == pytest.approx(DEPTHS / (1.0 - DEPTHS), rel=1e-5)
    found = {each.name: each for each in measured.quantities}
    assert found["faces: power of the depth"].agrees
    assert found["cube of 1 g: Δl/l"].measured == pytest.approx(9.81e-10, rel=1e-5) and found["cube of 1 g: Δl/l"].agrees
    assert 0.0 <= found["cube of 1 g: force off by"].measured < 1e-6


def test_a_ball_is_a_cap_and_not_hertz(measured):
    found = {each.name: each for each in measured.quantities}["ball: power of the depth"]
    assert 1.8 < found.measured < 2.3 and found.agrees is False and found.published == 1.5


def test_a_turning_cube_is_pushed_alike_from_both_sides(measured):
    table = measured.run.tables[turning_name(HALVINGS)]
    middle = len(table["angle"]) // 2
    assert table["angle"][middle] == pytest.approx(0.0, abs=1e-12)
    assert table["z"] == pytest.approx(table["z"][::-1], rel=1e-6)
    assert table["y"] == pytest.approx(-table["y"][::-1], abs=1e-6 * table["z"].max())
    assert len(measured.run.tables[turning_name(0)]["angle"]) == 11
    assert measured.figures[0].read_bytes().startswith(b"\x89PNG")


def made_up(jump):
    """Tables of a smooth force, with a jump at the angle 0."""
    tables = {name: {"depth": DEPTHS, "force": DEPTHS} for name in ("faces", "ball")}
    tables["sunk"] = {"depth": np.array([1e-9]), "off": np.array([0.0])}
    for k in range(HALVINGS + 1):
        angle = np.linspace(-0.6, 0.6, 40 * 2**k + 1)
        tables[turning_name(k)] = {"angle": angle, "x": 0.0 * angle, "y": angle, "z": np.cos(angle) + jump * (angle > 0.01)}
    return SimpleNamespace(tables=tables)


def test_a_force_that_jumps_is_seen():
    name = "turning cube: power of the largest jump in the step, last halving"
    for jump, smooth in ((0.0, True), (0.5, False)):
        found = {each.name: each for each in evaluate(OverlapForce(), made_up(jump))}[name]
        assert found.agrees is smooth and found.measured == pytest.approx(1.0 if smooth else 0.0, abs=0.2)
    assert power(DEPTHS, DEPTHS**1.5) == pytest.approx(1.5)
    assert largest_jump({"x": np.array([0.0, 3.0]), "y": np.array([0.0, 4.0]), "z": np.zeros(2)}) == 1.0
