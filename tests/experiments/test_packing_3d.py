"""packing-3d, with a few grains; and its measure of density on grains that lie where they are put."""

import numpy as np
import pytest
from without_pictures import conduct_without_pictures

from clast.algebra.quaternions import about, matrix
from clast.experiments.packing_3d import WALL, Packing3DOfShapes, build, filled, inner_box, loose, solids_of
from clast.laws import Linear
from clast.output.recording import run as run_scene
from clast.scene.space import Scene3D
from clast.shapes.space.forms import open_box
from clast.shapes.space.make import cuboid

TINY = {"grains": 14, "until": 16.0, "stiffness": 1e4, "steps_per_contact": 40.0}


@pytest.fixture(scope="module")
def heap(tmp_path_factory):
    return conduct_without_pictures("packing-3d", TINY, tmp_path_factory.mktemp("heap") / "run")


def test_grains_come_to_rest_in_the_box(heap):
    found = {quantity.name: quantity for quantity in heap.quantities}
    assert found["load on the box / weight"].agrees is True and found["unbalanced force"].agrees is True
    assert found["energy error"].measured < 1e-3
    run = heap.run
    assert run.series["heat_sliding"][-1] > 1e-2 * run.book.scale  # friction took its part
    late = run.series["time"] > 0.65 * 16.0
    assert (run.series["heat_drag"][~late] == 0.0).all() and run.series["heat_drag"][-1] > 0.0  # the drag comes at the end
    assert run.book.kinetic[-1] < 1e-6 * run.book.kinetic[0]
    start, end = (run.frames[k].positions[:14] for k in (0, -1))
    half = float(np.abs(run.scene["shape_vertices"][-8:, 0]).max()) - WALL
    assert np.abs(end[:, :2]).max() < half and end[:, 2].min() > 0.4 + WALL  # inside, and on the floor
    assert end[:, 2].mean() < start[:, 2].mean() - 0.3  # they fell


def test_neighbours_and_contacts_are_those_of_the_last_frame(heap):
    found = {quantity.name: quantity.measured for quantity in heap.quantities}
    bodies = heap.run.contacts[-1].bodies[heap.run.contacts[-1].depths > 0.0]
    pairs = {tuple(sorted(pair)) for pair in bodies.tolist()}
    ends = [number for pair in pairs for number in pair if number < 14]
    assert found["neighbours per grain"] == pytest.approx(len(ends) / 14)
    assert found["contacts per grain"] >= found["neighbours per grain"] > 1.0
    assert 0.0 < found["vertical part of the fabric"] <= 1.0


@pytest.mark.parametrize("shape", ["tetrahedron", "triangle-plate", "soil"])
def test_grains_start_apart_and_weigh_one(shape):
    packing = loose(Packing3DOfShapes(shape=shape, grains=20, seed=2))
    assert len(packing) == 20 and len(packing.overlaps()[0]) == 0 and len(packing.outside()[0]) == 0
    assert packing.volume == pytest.approx(20.0)
    assert len({solid.volume for solid in packing.shapes}) == (20 if shape == "soil" else 1)


def test_seeds_differ():
    first, same, other = (solids_of(Packing3DOfShapes(shape="soil", grains=8, seed=seed))[0].volume for seed in (1, 1, 2))
    assert first == same != other
    scenes = [build(Packing3DOfShapes(grains=8, seed=seed)) for seed in (1, 1, 2)]
    velocities = [[body.velocity for body in scene.bodies] for scene in scenes]
    assert velocities[0] == velocities[1] != velocities[2]
    assert scenes[0].bodies[-1].name == "box" and scenes[0].bodies[-1].velocity == (0.0, 0.0, 0.0)


def test_the_fraction_is_the_volume_of_what_is_in_the_box(tmp_path):
    """Two bricks, one turned, in a box of which they fill a known part."""
    scene = Scene3D(law=Linear(1.0))
    turn = about((1.0, 2.0, 0.5), 0.7)
    brick = cuboid((1.0, 0.6, 0.4), 0.1)
    for place, orientation in (((-1.0, 0.0, 2.0), (1.0, 0.0, 0.0, 0.0)), ((1.0, 0.0, 2.0), turn)):
        scene.add(brick, place, orientation=orientation)
    scene.add_wall(open_box((8.0, 8.0, 6.0), WALL), name="box")
    run = run_scene(scene, until=0.01, samples=1, frames=1, out=tmp_path / "run")
    points, inside = filled(run, np.array([-2.0, -1.0, 1.0]), np.array([2.0, 1.0, 3.0]))
    assert inside.mean() == pytest.approx(2.0 * brick.volume / 16.0, rel=0.01)
    body = (points[inside & (points[:, 0] > 0.0)] - (1.0, 0.0, 2.0)) @ matrix(turn)
    assert brick.contains(body @ matrix(scene.bodies[1].orientation).T @ matrix(turn)).all()
    low, high = inner_box(run)
    assert low == pytest.approx([-2.9, -2.9, 1.1]) and high[:2] == pytest.approx([2.9, 2.9])
