"""GSD: what gsd reads back is what the run holds, with the shapes OVITO is to draw."""

import sys

import gsd.hoomd
import numpy as np
import pytest
from solid_kinds import every_kind
from stored_runs import stored_run

from clast.algebra.quaternions import random_turns
from clast.errors import InputError, StoreError
from clast.laws import Linear
from clast.output.export.gsd import export_gsd
from clast.scene.plane import Box, Scene
from clast.scene.space import Box3D, Scene3D
from clast.shapes import clump, disk, polygon, segment, sphere


def test_places_turns_and_motion(tmp_path):
    rng = np.random.default_rng(5)
    scene = every_kind()
    count = len(scene)
    steps = [
        {name: rng.normal(size=(count, 3)) for name in ("positions", "velocities", "spins")}
        | {"orientations": random_turns(rng, count)}
        for _ in range(3)
    ]
    run = stored_run(tmp_path / "run", scene, steps, dt=0.5)
    with gsd.hoomd.open(str(export_gsd(run, tmp_path / "a.gsd"))) as file:
        assert len(file) == 3
        for k, found in enumerate(file):
            found.validate()
            assert found.configuration.step == k and found.log["time"] == pytest.approx(0.5 * k)
            assert found.configuration.dimensions == 3 and len(found.particles.position) == count
            frame = run.frames[k]
            shift = found.particles.position - frame.positions
            assert np.ptp(shift, axis=0).max() < 1e-5, "the origin lies in the middle of the box, for all the same"
            assert np.allclose(found.particles.orientation, frame.orientations, atol=1e-6), "w first"
            assert np.allclose(found.particles.velocity, frame.velocities, atol=1e-6)
            assert np.allclose(found.log["particles/spin"], frame.spins, atol=1e-6)
            assert found.log["particles/id"].tolist() == list(range(count))
            reach = np.array([body.shape.reach for body in scene.bodies])
            assert (np.abs(found.particles.position) + reach[:, None] <= 0.5 * found.configuration.box[:3] + 1e-4).all()
            assert np.allclose(found.particles.moment_inertia, [body.inertia for body in scene.bodies], rtol=1e-5)
            assert np.allclose(found.particles.mass, [body.mass for body in scene.bodies], rtol=1e-5)


def test_every_solid_has_the_shape_that_ovito_draws(tmp_path):
    scene = every_kind()
    run = stored_run(tmp_path / "run", scene, [{}])
    found = gsd.hoomd.open(str(export_gsd(run, tmp_path / "a.gsd")))[0].particles
    looks = [found.type_shapes[kind] for kind in found.typeid]
    names = [found.types[kind] for kind in found.typeid]
    assert names[0].startswith("wall: plate") and not any(name.startswith("wall") for name in names[1:])
    assert names[4].startswith("tetrahedron")
    kinds = [look["type"] for look in looks]
    assert kinds[:6] == ["Mesh", "Sphere", "ConvexPolyhedron", "Mesh", "ConvexPolyhedron", "ConvexPolyhedron"]
    assert kinds[6:] == ["Mesh", "SphereUnion", "Mesh", "Mesh"]
    assert looks[1]["diameter"] == 1.0
    for number in (2, 4, 5):
        solid = scene.bodies[number].shape
        assert looks[number]["rounding_radius"] == solid.radius
        assert np.allclose(looks[number]["vertices"], solid.vertices, atol=1e-12)
    assert looks[7]["diameters"] == [1.0, 1.0] and np.allclose(looks[7]["centers"], scene.bodies[7].shape.vertices)
    ell = scene.bodies[6].shape
    points = np.array(looks[6]["vertices"])
    assert np.linalg.norm(points, axis=1).max() == pytest.approx(ell.reach, rel=0.01), "written round"
    assert np.max(looks[6]["indices"]) == len(points) - 1


def test_periods_images_and_grains_that_were_taken_out(tmp_path):
    scene = Scene3D(law=Linear(1e4), box=Box3D(4.0, 5.0, 0.0))
    for x in (1.0, 2.5):
        scene.add(sphere(0.5), (x, 1.0, 1.0))
    first = np.array([[9.0, -1.0, 7.0], [2.5, 1.0, 1.0]])
    steps = [{"positions": first, "present": np.array([1, gone], np.uint8)} for gone in (1, 0)]
    run = stored_run(tmp_path / "run", scene, steps)
    with gsd.hoomd.open(str(export_gsd(run, tmp_path / "a.gsd"))) as file:
        box, particles = file[0].configuration.box, file[0].particles
        assert box[:2].tolist() == [4.0, 5.0] and box[2] == pytest.approx(7.5 - 0.5, abs=1e-5)
        assert particles.image.tolist() == [[2, -1, 0], [0, 0, 0]]
        middle = np.array([2.0, 2.5, 4.0])
        assert particles.position + particles.image * np.array([4.0, 5.0, 0.0]) + middle == pytest.approx(first, abs=1e-5)
        assert file[1].particles.N == 1 and file[1].log["particles/id"].tolist() == [0]


def test_a_run_in_the_plane(tmp_path):
    scene = Scene(law=Linear(1e4), box=Box(period_x=20.0))
    scene.add_wall(segment((0.0, 0.0), (10.0, 0.0), radius=0.2))
    scene.add(polygon([(0, 0), (0, 1), (1, 0.4), (2, 1), (2, 0)], radius=0.1), (4.0, 6.0))
    scene.add(disk(radius=0.5), (8.0, 6.0))
    scene.add(clump([(0.0, 0.0), (0.4, 0.1)], radius=0.3), (12.0, 6.0))
    run = stored_run(tmp_path / "run", scene, [{"angles": np.array([0.0, 0.5 * np.pi, 0.0, 0.0])}])
    found = gsd.hoomd.open(str(export_gsd(run, tmp_path / "a.gsd")))[0]
    found.validate()
    assert found.configuration.dimensions == 2 and found.configuration.box[0] == 20.0
    looks = [found.particles.type_shapes[kind] for kind in found.particles.typeid]
    assert [look["type"] for look in looks] == ["Polygon", "Polygon", "Sphere", "SphereUnion"]
    assert looks[0]["rounding_radius"] == 0.0 and np.max(looks[0]["vertices"]) == pytest.approx(5.2, abs=1e-3), "written round"
    assert looks[1]["rounding_radius"] == 0.1 and len(looks[1]["vertices"]) == 5
    for look in looks[:2]:
        x, y = np.array(look["vertices"]).T
        assert x @ np.roll(y, -1) > y @ np.roll(x, -1), "counter-clockwise"
    assert found.particles.orientation[1] == pytest.approx((np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)))
    assert (found.particles.position[:, 2] == 0.0).all()
    assert np.allclose(found.particles.moment_inertia[1], (0.0, 0.0, run.scene["body_inertia"][1]))


def test_what_cannot_be_is_refused_and_what_is_there_is_kept(tmp_path, monkeypatch):
    run = stored_run(tmp_path / "run", every_kind(), [{}])
    path = export_gsd(run, tmp_path / "a.gsd")
    with pytest.raises(StoreError, match="--overwrite"):
        export_gsd(run, path)
    (tmp_path / "thesis.gsd").write_text("chapter 1")
    with pytest.raises(StoreError, match="not an export"):
        export_gsd(run, tmp_path / "thesis.gsd", overwrite=True)
    assert (tmp_path / "thesis.gsd").read_text() == "chapter 1"
    assert export_gsd(run, path, overwrite=True) == path
    monkeypatch.setitem(sys.modules, "gsd.hoomd", None)
    with pytest.raises(InputError, match=r'pip install "clast\[gsd\]"'):
        export_gsd(run, tmp_path / "b.gsd")
    assert not (tmp_path / "b.gsd").exists()
