"""Measures of small runs in space that were run: walls, contacts and tables agree, and are what the loads say (model §8)."""

import numpy as np
import pytest
from made_space_runs import BALL, RADIUS, SOFT, THICK, WALLS, drawn_wall

import clast
from clast.algebra.quaternions import random_turns
from clast.measures import Coordination, Displacement, Fabric, ForceDistribution, QuasiStatic, Region, Stress, VoidRatio
from clast.measures.touching import contacts_at
from clast.shapes import cuboid


def closed_box(scene, sides, radius=THICK, tags=None):
    """Six plates whose inner faces bound 0 … side along every axis, named as `Walls` has them; fixed unless `tags` tell."""
    for axis in range(3):
        for name, at in zip(WALLS[2 * axis : 2 * axis + 2], (-radius, sides[axis] + radius), strict=True):
            scene.add_wall(
                drawn_wall(axis, at, 3.0 * max(sides), radius), name=name, tags=(tags or {}).get(name, (clast.Fixed(),))
            )


def short_run(scene, folder, until=0.02, **given):
    """A few steps of a scene."""
    return clast.run(
        scene, until=until, out=folder, **({"dt": 0.002, "samples": 10, "frames": 2} | given), progress=clast.quiet()
    )


def test_a_sphere_pressed_between_six_plates(tmp_path):
    depths = np.array([0.01, 0.02, 0.03])  # into each wall of an axis
    sides = 2.0 * (RADIUS - depths)
    scene = clast.Scene3D(law=SOFT)
    scene.add(BALL, 0.5 * sides)
    closed_box(scene, sides)
    run = short_run(scene, tmp_path / "run")
    push = 100.0 * depths
    walls, contacts, tables = Stress("walls").compute(run), Stress().compute(run), Stress(at="frames").compute(run)
    for k, name in enumerate(("xx", "yy", "zz")):
        assert getattr(walls, name) == pytest.approx(push[k] * sides[k] / sides.prod())
        expected = 2.0 * push[k] * (RADIUS - 0.5 * depths[k]) / sides.prod()  # contacts lie in the middle of the overlap
        assert getattr(contacts, name) == pytest.approx(expected)
        assert getattr(tables, name) == pytest.approx(expected, rel=1e-6)
    assert walls.direction[-1] == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)
    assert walls.on_wall["back"][-1] == pytest.approx([push[1] / (sides[0] * sides[2]), 0.0, 0.0], abs=1e-9)
    count = Coordination().compute(run)
    assert count.neighbours.tolist() == [6, 0, 0, 0, 0, 0, 0]
    assert VoidRatio(at="frames").compute(run).fraction == pytest.approx(BALL.volume / sides.prod())


def test_a_cubic_lattice_of_spheres_in_a_periodic_box(tmp_path):
    apart, number = 0.98, 3
    scene = clast.Scene3D(law=SOFT, box=clast.Box3D(*[number * apart] * 3))
    rounds = np.random.default_rng(4).integers(-2, 3, (number**3, 3)) * number * apart
    for cell, gone in zip(np.ndindex(number, number, number), rounds, strict=True):
        scene.add(BALL, apart * np.array(cell) + gone)
    run = short_run(scene, tmp_path / "run")
    count, fabric = Coordination().compute(run), Fabric(weight="force").compute(run)
    assert (count.mean, count.mean_contacts, count.mechanical) == (6.0, 6.0, 6.0)
    assert fabric.tensor == pytest.approx(np.eye(3) / 3.0, abs=1e-6)
    for at in ("samples", "frames"):
        stress = Stress(at=at).compute(run)
        assert stress.tensor == pytest.approx(
            np.tile(100.0 * (1.0 - apart) / apart**2 * np.eye(3), (len(stress.time), 1, 1)), abs=1e-5
        )
    assert Region().compute(run).depth == pytest.approx(number * apart)
    assert ForceDistribution().compute(run).normal == pytest.approx(1.0, abs=1e-4)
    assert Displacement().compute(run).vectors == pytest.approx(0.0, abs=1e-9)


def test_a_stack_of_boxes_under_gravity(tmp_path):
    """The floor carries all, the lid nothing, and in the middle it is half of that: Love-Weber sums and walls agree."""
    block, number, gravity = cuboid((1.0, 0.8, 0.6), 0.1), 3, 10.0
    high = 0.8  # of a block with its sphero-radius
    weight = gravity * block.volume
    law = clast.Linear(1e5, 5e4, 0.5, normal_damping=400.0, tangential_damping=200.0)
    scene = clast.Scene3D(law=law, gravity=(0.0, 0.0, -gravity), box=clast.Box3D(3.0, 3.0, 0.0), drag=10.0)
    for name, at in (("bottom", -THICK), ("top", number * high + THICK)):
        scene.add_wall(drawn_wall(2, at, far=1.5), name=name)
    for k in range(number):
        scene.add_drawn(block, (0.1 * (k % 2), -0.1 * (k % 2), (k + 0.5) * high))
    run = short_run(scene, tmp_path / "run", until=0.6, dt=None, samples=20, frames=2)
    area = 3.0 * 3.0
    walls, contacts = Stress("walls").compute(run), Stress().compute(run)
    assert QuasiStatic(rate=0.0).compute(run).unbalanced[-1] < 1e-4
    assert walls.on_wall["bottom"][-1] == pytest.approx([number * weight / area, 0.0, 0.0], rel=1e-3, abs=1e-3)
    assert walls.on_wall["top"][-1] == pytest.approx(0.0)
    assert walls.zz[-1] == pytest.approx(0.5 * number * weight / area, rel=1e-3)
    assert contacts.zz[-1] == pytest.approx(0.5 * number * weight / area, rel=1e-3)
    assert Coordination().compute(run).neighbours.tolist() == [0, 0, 2, 2, 1]
    assert Fabric().compute(run).tensor == pytest.approx(np.diag([0.0, 0.0, 1.0]), abs=1e-3)
    assert run.book.energy_error < 1e-3


def test_walls_and_contacts_agree_in_a_box_of_cubes(tmp_path):
    """Cubes between six smooth walls that press differently along x, y and z, brought to rest."""
    loads = {"x": 100.0, "y": 150.0, "z": 300.0}
    rough = clast.Linear(1e5, 5e4, 0.3, normal_damping=300.0, tangential_damping=100.0)
    scene = clast.Scene3D(law=rough, drag=5.0)
    scene.set_law("grain", "wall", clast.Linear(1e5, 5e4, 0.0, normal_damping=300.0))
    cube, apart, rng = cuboid(0.16, 0.03), 0.34, np.random.default_rng(3)
    pairs = {"x": ("left", "right"), "y": ("front", "back"), "z": ("bottom", "top")}
    tags = {}
    for axis, names in pairs.items():
        across = tuple(pairs[other] for other in "xyz" if other != axis)
        held = {other: 0.0 for other in ("x", "y", "z", "spin", "spin_x", "spin_y") if other != axis}
        for name, way in zip(names, "+-", strict=True):
            press = clast.Pressure(clast.Ramp(0.0, loads[axis], finish=0.2, smooth=True), way + axis, between=across)
            tags[name] = (clast.Velocity(**held), press)
    for cell, turn in zip(np.ndindex(2, 2, 2), random_turns(rng, 8), strict=True):
        scene.add(cube, (np.array(cell) + 0.5) * apart, orientation=turn)
    closed_box(scene, [2.0 * apart] * 3, 0.03, tags)
    run = short_run(scene, tmp_path / "run", until=0.4, dt=None, samples=50, frames=5)
    walls, contacts, tables = Stress("walls").compute(run), Stress().compute(run), Stress(at="frames").compute(run)
    assert QuasiStatic().compute(run).unbalanced[-1] < 1e-6
    for found in (walls, contacts, tables):
        assert np.diagonal(found.tensor[-1]) == pytest.approx(list(loads.values()), rel=1e-3)
    assert contacts.tensor[-1] == pytest.approx(contacts.tensor[-1].T, abs=1e-3)  # moments of every grain balance
    last = contacts_at(run, -1)
    assert (last.counts > 0).sum() == run.series["contacts"][-1]
    assert ForceDistribution(friction=0.3).compute(run).mobilised.max() < 1.0 + 1e-5
    assert 2.0 < Coordination().compute(run).mean < Coordination().compute(run).mean_contacts
