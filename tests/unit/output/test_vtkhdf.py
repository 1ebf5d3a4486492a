"""VTKHDF: what ParaView's own reader finds in the file is what the run holds."""

import h5py
import numpy as np
import pytest
from solid_kinds import every_kind
from stored_runs import stored_run

from clast.algebra.quaternions import matrix, random_turns
from clast.errors import InputError, StoreError
from clast.laws import Linear
from clast.output.export.vtkhdf import export_vtkhdf
from clast.output.space.surface import surface
from clast.scene.plane import Scene
from clast.scene.space import Box3D, Scene3D
from clast.shapes import disk, polygon, sphere

COUNTS = (3, 0, 5, 1, 0, 0, 2)  # contacts at each step


def contacts(step):
    """A table of contacts, another number at each step."""
    rng = np.random.default_rng(step)
    count = COUNTS[step]
    return {
        "bodies": rng.integers(0, 9, (count, 2)).astype(np.int32),
        "points": rng.normal(size=(count, 3)).astype(np.float32),
        "normals": rng.normal(size=(count, 3)).astype(np.float32),
        "forces": rng.normal(size=(count, 3)).astype(np.float32),
        "depths": rng.random(count).astype(np.float32),
    }


class Series:
    """A file as VTK reads it: by step and name a block's points, point data and triangles."""

    def __init__(self, path):
        from vtkmodules.vtkIOHDF import vtkHDFReader

        self.reader = vtkHDFReader()
        assert self.reader.CanReadFile(str(path))
        self.reader.SetFileName(str(path))
        self.reader.UpdateInformation()

    @property
    def times(self):
        from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline

        told, key = self.reader.GetOutputInformation(0), vtkStreamingDemandDrivenPipeline.TIME_STEPS()
        return [told.Get(key, k) for k in range(told.Length(key))]

    def blocks(self, step):
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkCommonDataModel import vtkCompositeDataSet

        self.reader.SetStep(step)
        self.reader.Update()
        found = {}
        whole = self.reader.GetOutputDataObject(0)
        for k in range(whole.GetNumberOfPartitionedDataSets()):
            block = whole.GetPartition(k, 0)
            data = block.GetPointData()
            arrays = {data.GetArrayName(n): vtk_to_numpy(data.GetArray(n)) for n in range(data.GetNumberOfArrays())}
            points = vtk_to_numpy(block.GetPoints().GetData()) if block.GetNumberOfPoints() else np.zeros((0, 3))
            polygons = vtk_to_numpy(block.GetPolys().GetConnectivityArray()).reshape(-1, 3)
            dots = [
                vtk_to_numpy(each()).tolist()
                for each in (block.GetVerts().GetOffsetsArray, block.GetVerts().GetConnectivityArray)
            ]
            found[whole.GetMetaData(k).Get(vtkCompositeDataSet.NAME())] = (points, arrays, polygons, dots)
        return found


@pytest.fixture
def moving(tmp_path):
    """A floor and a solid of every kind, turned and moved at each step."""
    rng = np.random.default_rng(5)
    scene = every_kind()
    start = np.array([body.position for body in scene.bodies])
    turn = np.array([body.orientation for body in scene.bodies])
    steps = []
    for _ in COUNTS:
        positions, orientations, velocities = (
            start + rng.normal(size=start.shape),
            random_turns(rng, len(start)),
            rng.normal(size=start.shape),
        )
        positions[0], orientations[0], velocities[0] = start[0], turn[0], 0.0
        steps.append(
            {
                "positions": positions,
                "orientations": orientations,
                "velocities": velocities,
                "spins": rng.normal(size=start.shape),
            }
        )
    return scene, stored_run(tmp_path / "run", scene, steps, dt=0.25, contacts=contacts)


def test_every_step_has_its_time_its_bodies_and_their_motion(moving, tmp_path):
    scene, run = moving
    series = Series(export_vtkhdf(run, tmp_path / "run" / "frames.vtkhdf"))
    assert series.times == [0.25 * k for k in range(len(COUNTS))]
    for step in (0, 3, 1):  # to and fro, as one does in ParaView
        blocks, frame = series.blocks(step), run.frames[step]
        assert list(blocks) == ["grains", "walls", "contacts"]
        assert set(blocks["walls"][1]["id"]) == {0} and set(blocks["grains"][1]["id"]) == set(range(1, len(scene)))
        for name in ("grains", "walls"):
            points, arrays, triangles, _ = blocks[name]
            owner = arrays["id"]
            assert np.allclose(arrays["velocity"], frame.velocities[owner], atol=1e-6)
            assert np.allclose(arrays["speed"], np.linalg.norm(frame.velocities, axis=1)[owner], atol=1e-6)
            assert np.allclose(arrays["spin"], frame.spins[owner], atol=1e-6)
            assert (np.ptp(owner[triangles], axis=1) == 0).all() and len(triangles) > 100
            for number in np.unique(owner):
                solid, turn = scene.bodies[number].shape, matrix(frame.orientations[number])
                mine = points[owner == number]
                vertices = frame.positions[number] + solid.vertices @ turn.T
                ways = np.random.default_rng(1).normal(size=(50, 3))
                ways /= np.linalg.norm(ways, axis=1, keepdims=True)
                support = (vertices @ ways.T).max(axis=0) + solid.radius
                assert (mine @ ways.T).max(axis=0) == pytest.approx(support, abs=0.05 * solid.radius)


def test_triangles_are_those_of_the_surface(moving, tmp_path):
    scene, run = moving
    points, arrays, triangles, _ = Series(export_vtkhdf(run, tmp_path / "a.vtkhdf")).blocks(2)["grains"]
    for number in (2, 5):  # a capsule and a cuboid: closed surfaces
        a, b, c = (points[triangles[arrays["id"][triangles[:, 0]] == number][:, k]].astype(float) for k in range(3))
        middle = run.frames[2].positions[number]
        enclosed = ((a - middle) * np.cross(b - middle, c - middle)).sum() / 6.0
        assert enclosed == pytest.approx(scene.bodies[number].shape.volume, rel=0.03)
    assert len(triangles) == sum(len(surface(body.shape, 8).triangles) for body in scene.bodies if not body.big)


def test_contacts_come_and_go(moving, tmp_path):
    _, run = moving
    series = Series(export_vtkhdf(run, tmp_path / "a.vtkhdf"))
    for step in (3, 1, 2, 0, 6, 4, 5):
        points, arrays, _, dots = series.blocks(step)["contacts"]
        wanted = contacts(step)
        assert len(points) == COUNTS[step]
        assert dots == [list(range(COUNTS[step] + 1)), list(range(COUNTS[step]))], "a dot for each"
        for name, given in (("normal", "normals"), ("force", "forces"), ("depth", "depths"), ("bodies", "bodies")):
            assert np.array_equal(arrays[name], wanted[given]), name
        assert np.array_equal(points, wanted["points"])
        assert np.allclose(arrays["force_size"], np.linalg.norm(wanted["forces"], axis=1))


def test_a_run_without_a_single_contact(tmp_path):
    run = stored_run(tmp_path / "run", every_kind(), [{}, {}], contacts=lambda _: contacts(1))
    series = Series(export_vtkhdf(run, tmp_path / "a.vtkhdf"))
    assert [len(series.blocks(step)["contacts"][0]) for step in (1, 0)] == [0, 0]


def test_what_does_not_change_is_written_once(moving, tmp_path):
    _, run = moving
    with h5py.File(export_vtkhdf(run, tmp_path / "a.vtkhdf")) as file:
        grains, walls = file["VTKHDF/grains"], file["VTKHDF/walls"]
        count = int(grains["NumberOfPoints"][0])
        assert len(grains["Points"]) == len(COUNTS) * count and len(grains["PointData/id"]) == count
        assert grains["Polygons/NumberOfCells"].shape == (1,) and grains["Points"].compression == "gzip"
        assert len(walls["Points"]) == walls["NumberOfPoints"][0], "the floor rests"
        assert not walls["Steps/PointOffsets"][...].any()


def test_periods_and_grains_that_were_taken_out(tmp_path):
    scene = Scene3D(law=Linear(1e4), box=Box3D(4.0, 4.0, 0.0))
    scene.add(sphere(0.5), (1.0, 1.0, 1.0))
    scene.add(sphere(0.5), (3.0, 3.0, 1.0))
    steps = [
        {"positions": np.array([[9.0, -1.0, 7.0], [3.0, 3.0, 1.0]]), "present": np.array([1, gone], np.uint8)} for gone in (1, 0)
    ]
    series = Series(export_vtkhdf(stored_run(tmp_path / "run", scene, steps), tmp_path / "a.vtkhdf"))
    for step, radius in ((0, 0.5), (1, 0.0)):
        blocks = series.blocks(step)
        assert list(blocks) == ["grains"]
        points, arrays, _, _ = blocks["grains"]
        assert points[arrays["id"] == 0].mean(axis=0) == pytest.approx((1.0, 3.0, 7.0), abs=1e-5)
        away = np.linalg.norm(points[arrays["id"] == 1] - (3.0, 3.0, 1.0), axis=1)
        assert away == pytest.approx(np.full(len(away), radius), abs=1e-5)


def test_a_run_in_the_plane_is_flat(tmp_path):
    scene = Scene(law=Linear(1e4))
    scene.add(polygon([(0, 0), (2, 0), (2, 1), (1, 0.4), (0, 1)], radius=0.1), (0.5, 6.0))
    scene.add(disk(radius=0.5), (5.0, 6.0))
    quarter = {"angles": np.array([0.5 * np.pi, 0.0]), "spins": np.array([2.0, 0.0])}
    run = stored_run(tmp_path / "run", scene, [{}, quarter])
    series = Series(export_vtkhdf(run, tmp_path / "a.vtkhdf"))
    before, after = series.blocks(0)["grains"], series.blocks(1)["grains"]
    mine = before[1]["id"] == 0
    assert (before[0][:, 2] == 0.0).all()
    turned = (before[0][mine] - (0.5, 6.0, 0.0)) @ np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert np.allclose(after[0][mine], turned + np.array([0.5, 6.0, 0.0]), atol=1e-5)
    assert np.allclose(after[1]["spin"][mine], (0.0, 0.0, 2.0))
    a, b, c = (before[0][before[2][:, k]].astype(float) for k in range(3))
    area = 0.5 * np.cross(b - a, c - a)[:, 2]
    assert (area > 0.0).all()
    assert area.sum() == pytest.approx(sum(body.shape.area for body in scene.bodies), rel=0.01)


def test_what_is_there_is_not_lost(moving, tmp_path, monkeypatch):
    _, run = moving
    path = export_vtkhdf(run, tmp_path / "a.vtkhdf")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="--overwrite"):
        export_vtkhdf(run, path)
    (tmp_path / "thesis.vtkhdf").write_text("chapter 1")
    for mine in (tmp_path / "thesis.vtkhdf", tmp_path / "run" / "run.h5", tmp_path):
        with pytest.raises(StoreError, match="not an export"):
            export_vtkhdf(run, mine, overwrite=True)
    with pytest.raises(InputError, match="no folder"):
        export_vtkhdf(run, tmp_path / "nowhere" / "a.vtkhdf")

    def full(*_):
        raise OSError("no space left")

    with monkeypatch.context() as broken:
        broken.setattr("clast.output.export.vtkhdf.BodyPolyData.add", full)
        with pytest.raises(StoreError, match=r"no space left\): make room, or choose another place"):
            export_vtkhdf(run, path, overwrite=True)
    assert path.read_bytes() == before
    assert export_vtkhdf(run, path, overwrite=True) == path
    empty = stored_run(tmp_path / "empty", every_kind(), [])
    with pytest.raises(InputError, match="nothing to export"):
        export_vtkhdf(empty, tmp_path / "b.vtkhdf")
