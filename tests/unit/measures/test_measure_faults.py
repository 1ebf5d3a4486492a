"""Attempts to break what is stored of contacts and walls, and what measures make of it: names, notches, gaps, far images."""

import warnings

import numpy as np
import pytest

import clast
from clast.dynamics.engine import Engine
from clast.errors import InputError
from clast.laws import Cohesion, Linear, Rolling
from clast.measures import Coordination, Fabric, Region, Stress, Walls
from clast.measures.touching import contacts_at
from clast.scene.plane import Box, Scene
from clast.shapes import disk, polygon, segment

BALL = disk(radius=0.5)
STICKY = Linear(100.0, 50.0, 0.5, normal_damping=1.0, rolling=Rolling(1.0, 0.3), cohesion=Cohesion(1.0, 0.1))


def stored(folder, scene):
    """A short run of a scene."""
    return clast.run(scene, until=0.02, dt=0.002, out=folder, samples=10, frames=2, progress=clast.quiet())


def with_walls(names, box=None):
    """Two disks above walls of these names, at y = −2, −3 …"""
    scene = Scene(law=Linear(100.0), box=box)
    for x in (1.0, 2.0):
        scene.add(BALL, (x, 1.0))
    for k, name in enumerate(names):
        scene.add_wall(segment((0.0, -2.0 - k), (4.0, -2.0 - k), radius=0.1), name=name)
    return scene


# --- what holds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("far", [0.0, 1e4, -1e7])
def test_contacts_of_grains_that_went_round_ten_million_times(tmp_path, far):
    """Tables are in single precision, places are not small: arms are, and images are found."""
    scene = Scene(law=Linear(100.0), box=Box(4.0, 4.0))
    scene.add(BALL, (1.0 + 4.0 * far, 1.0))
    scene.add(BALL, (1.95, 1.1))
    scene.add(BALL, (3.6, 1.0))
    run = stored(tmp_path / "run", scene)
    assert contacts_at(run, 0).images.tolist() == [[far, 0]]
    assert Coordination(0).compute(run).neighbours.tolist() == [1, 1, 0]
    depth = 1.0 - np.hypot(0.95, 0.1)
    expected = 100.0 * depth * 0.95**2 / np.hypot(0.95, 0.1) / 16.0
    assert Stress(at="frames").compute(run).xx[0] == pytest.approx(expected, rel=1e-6)
    assert Stress().compute(run).xx[0] == pytest.approx(expected, rel=1e-6)


def test_a_notch_subtracts_in_tables_and_sums_alike(tmp_path):
    """A disk in the notch of a grain meets two sides and their corner, which is subtracted; the sum presses it out."""
    notched = polygon([(0, 0), (2, 0), (2, 1), (1, 0.4), (0, 1)], radius=0.15)
    scene = Scene(law=Linear(100.0), box=Box(6.0, 6.0))
    scene.add(notched, (3.0, 2.0) - np.array([1.0, 0.5]) - notched.origin)
    scene.add(BALL, (3.0, 2.45))
    run = stored(tmp_path / "run", scene)
    table = run.contacts[0]
    assert sorted(table.counts.tolist()) == [-1, 1, 1]
    total = Stress(at="frames").compute(run)
    assert total.yy[0] == pytest.approx(Stress().compute(run).yy[0], rel=1e-6)
    pushed = np.where(table.bodies[:, :1] == 1, table.forces, -table.forces).sum(axis=0)  # on the disk
    slope = np.array([1.0, 0.6]) / np.hypot(1.0, 0.6)  # of a side; the disk's centre is 0.55 above the corner
    sides, corner = 100.0 * (0.65 - 0.55 * slope[0]), 100.0 * (0.65 - 0.55)
    assert pushed == pytest.approx([0.0, 2.0 * sides * slope[0] - corner], abs=1e-4)
    count = Coordination(0).compute(run)
    assert count.neighbours.tolist() == [1, 1] and count.contacts.tolist() == [2, 2]


def test_a_pull_across_a_gap_is_a_force_but_no_contact(tmp_path):
    scene = Scene(law=STICKY)
    for place in ((0.0, 0.0), (1.05, 0.0), (0.0, 0.995)):
        scene.add(BALL, place)
    scene.add_wall(segment((-3.0, -0.53), (3.0, -0.53), radius=0.01), name="floor")
    run = stored(tmp_path / "run", scene)
    table = run.contacts[0]
    assert table.bodies.tolist() == [[0, 1], [0, 2], [0, 3], [1, 3]]
    assert (table.depths > 0.0).tolist() == [False, True, False, False]
    assert table.forces[0] == pytest.approx([0.5, 0.0], abs=1e-6)  # half of the pull, half way across its range
    assert table.forces[1] == pytest.approx([0.0, 0.5], abs=1e-5)  # 1 of cohesion less 100 × 0.005, towards the other
    assert run.series["floor.force_y"][0] == pytest.approx(1.6, rel=1e-6)
    assert run.series["contacts"][0] == 1.0
    assert Coordination(0).compute(run).neighbours.tolist() == [1, 0, 1, 0]
    assert Fabric(0).compute(run).tensor == pytest.approx(np.diag([0.0, 1.0]), abs=1e-6)


def test_a_wall_named_cell_is_not_the_cell(tmp_path):
    run = stored(tmp_path / "run", with_walls(["cell"], Box(8.0, 8.0)))
    assert Region().compute(run).width == pytest.approx(np.full(len(run.series["time"]), 8.0))


def test_a_wall_may_be_named_as_another_would_be(tmp_path):
    run = stored(tmp_path / "run", with_walls(["wall3", None]))  # the nameless one is body 3
    assert sorted(run.series[name][0] for name in run.series if name.endswith(".y")) == [-3.0, -2.0]


def test_measures_find_a_wall_whose_name_has_a_stroke(tmp_path):
    scene = Scene(law=Linear(100.0), box=Box(4.0, 0.0))
    scene.add(BALL, (1.0, 1.0))
    for y, name in ((0.0, "floor/left"), (2.0, "lid")):
        scene.add_wall(segment((1.0, y), (2.0, y), radius=0.1), name=name)
    run = stored(tmp_path / "run", scene)
    assert Region(Walls(bottom="floor/left", top="lid")).compute(run).height[0] == pytest.approx(1.8)


def test_a_name_that_cannot_be_stored_leaves_nothing_behind(tmp_path):
    with pytest.raises(InputError):
        stored(tmp_path / "run", with_walls(["a\0b"]))
    assert not (tmp_path / "run").exists()


def test_with_many_walls_a_measure_says_why_it_knows_nothing(tmp_path):
    scene = with_walls([f"part {k}" for k in range(15)], Box(8.0, 0.0))
    for y, name in ((0.3, "bottom"), (1.9, "top")):
        scene.add_wall(segment((5.0, y), (6.0, y), radius=0.1), name=name)
    with pytest.raises(InputError, match="16"):
        Stress("walls").compute(stored(tmp_path / "run", scene))


@pytest.mark.parametrize("frame", [1.5, "last", None])
def test_a_frame_that_is_no_number(tmp_path, frame):
    run = stored(tmp_path / "run", with_walls([]))
    with pytest.raises(InputError):
        Coordination(frame).compute(run)


def test_the_table_of_contacts_is_compiled_once():
    """With rolling and cohesion: 5 s in every process, and a warning that users see."""
    scene = Scene(law=STICKY)
    scene.add(BALL, (0.0, 0.0))
    scene.add(BALL, (0.99, 0.0))
    engine = Engine(scene, dt=0.002)
    kernel = engine.kernels.table_now
    engine.snapshot()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kernel.recompile()
    assert not [each for each in caught if "Cannot cache" in str(each.message)]
