"""Export as text: other programs read back the same bits, and nothing of the user's is lost."""

import numpy as np
import pytest
from stored_runs import stored_run

from clast.errors import StoreError
from clast.laws import Linear
from clast.output.export import csv as export
from clast.output.export.csv import export_csv
from clast.output.store.writer import RunWriter
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.shapes import clump, disk, polygon, polyline, sphere


@pytest.fixture
def run(tmp_path):
    """Four shapes of every kind, three frames of numbers that no decimal ends."""
    rng = np.random.default_rng(5)
    scene = Scene(law=Linear(1e4))
    scene.add_wall(polyline([(0.0, 0.0), (3.0, 0.0), (3.0, 1.0)], radius=0.1))
    scene.add(polygon([(0, 0), (2, 0), (2, 1), (1, 0.4), (0, 1)], radius=0.1), (0.5, 6.0), density=1.0 / 3.0)
    scene.add(disk(radius=0.5), (5.0, 6.0))
    scene.add(clump([(0.0, 0.0), (0.4, 0.1)], radius=0.3), (8.0, 6.0))
    scene.add(scene.bodies[2].shape, (11.0, 6.0))
    frames = [
        {"positions": rng.normal(size=(5, 2)), "angles": rng.normal(size=5) * 1e-17, "velocities": rng.normal(size=(5, 2)),
         "spins": rng.normal(size=5) * 1e20}
        for _ in range(3)
    ]  # fmt: skip
    return stored_run(tmp_path / "run", scene, frames, dt=1.0 / 3.0)


def columns(path):
    """Header and numbers of a CSV file."""
    with path.open(encoding="utf-8") as file:
        names = file.readline().strip().split(",")
    return names, np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2, encoding="utf-8")


def test_numbers_read_back_to_the_same_bits(run, tmp_path):
    folder = export_csv(run, tmp_path / "text")
    names, series = columns(folder / "series.csv")
    assert names[:2] == ["step [count]", "time [time]"] and "translational [energy]" in names
    for k, name in enumerate(run.series):
        assert np.array_equal(series[:, k], run.series[name])
    names, index = columns(folder / "frames.csv")
    assert np.array_equal(index, np.stack([np.arange(3), run.frames.steps, run.frames.times], axis=1))
    assert sorted(path.name for path in (folder / "frames").iterdir()) == ["0000.csv", "0001.csv", "0002.csv"]
    for k, frame in enumerate(run.frames):
        names, values = columns(folder / "frames" / f"{k:04d}.csv")
        assert [name.split(" ")[0] for name in names] == ["id", "x", "y", "angle", "vx", "vy", "spin"]
        expected = np.column_stack([np.arange(5), frame.positions, frame.angles, frame.velocities, frame.spins])
        assert values.tobytes() == expected.tobytes()


def test_bodies_and_shapes_say_what_the_scene_was(run, tmp_path):
    folder = export_csv(run, tmp_path / "text")
    names, bodies = columns(folder / "bodies.csv")
    assert [name.split(" ")[0] for name in names] == ["id", "shape", "mass", "inertia", "big"]
    assert bodies[:, 1].tolist() == [0, 1, 2, 3, 2] and bodies[:, 4].tolist() == [1, 0, 0, 0, 0]
    assert np.array_equal(bodies[:, 2], run.scene["body_mass"]) and np.array_equal(bodies[:, 3], run.scene["body_inertia"])
    names, shapes = columns(folder / "shapes.csv")
    assert names == ["shape", "vertex", "x [length]", "y [length]", "next", "radius [length]"]
    assert np.array_equal(shapes[:, 2:4], run.scene["shape_vertices"])
    following = [shapes[shapes[:, 0] == k, 4].tolist() for k in range(4)]
    assert following == [[1, 2, -1], [1, 2, 3, 4, 0], [-1], [-1, -1]]
    assert [shapes[shapes[:, 0] == k, 5].max() for k in range(4)] == [0.1, 0.1, 0.5, 0.3]


@pytest.mark.parametrize("axes", ["xy", "xyz"])
def test_contacts_of_every_frame(tmp_path, axes):
    scene = Scene(law=Linear(1e4)) if axes == "xy" else Scene3D(law=Linear(1e4))
    for k in range(3):
        scene.add(disk(radius=0.5) if axes == "xy" else sphere(0.5), (2.0 * k, 0.0, 0.0)[: len(axes)])
    tables = [contacts_of(step, len(axes)) for step in range(3)]
    run = stored_run(tmp_path / "run", scene, [{}] * 3, contacts=tables.__getitem__)
    folder = export_csv(run, tmp_path / "text")
    assert sorted(path.name for path in (folder / "contacts").iterdir()) == ["0000.csv", "0001.csv", "0002.csv"]
    assert (folder / "contacts" / "0000.csv").read_text().count("\n") == 1, "nothing touches: only the names of the columns"
    for k, table in list(enumerate(tables))[1:]:
        names, values = columns(folder / "contacts" / f"{k:04d}.csv")
        force = [f"force {axis} [force]" for axis in axes]
        assert names[:2] == ["first", "second"] and {*force, "overlap [length]", "count"} <= set(names)
        found = dict(zip(names, values.T, strict=True))
        assert len(values) == k and np.array_equal(values[:, :2], table["bodies"])
        assert np.array_equal(np.array([found[name] for name in force]).T.reshape(k, -1), table["forces"])
        assert np.array_equal(found["overlap [length]"], table["depths"])
        assert np.array_equal(found[f"second arm {axes[-1]} [length]"], table["second_arms"][:, -1])
    export_csv(run, folder, overwrite=True)


def contacts_of(step, axes):
    """A table of `step` contacts."""
    rng = np.random.default_rng(step)
    vectors = ("points", "normals", "forces", "first_arms", "second_arms", *(["shears"] if axes == 3 else []))
    numbers = ("depths", "counts", *([] if axes == 3 else ["springs"]))
    return {
        "bodies": rng.integers(0, 3, (step, 2)).astype(np.int32), "features": np.zeros(step, np.uint8),
        **{name: rng.normal(size=(step, axes)).astype(np.float32) for name in vectors},
        **{name: rng.normal(size=step).astype(np.float32) for name in numbers},
    }  # fmt: skip


def test_tables_of_a_study(tmp_path):
    from clast.output.store.reader import open_run

    with RunWriter.create(tmp_path / "run", provenance={}, scene={}) as writer:
        writer.checkpoint(0, 0.0, {}, {})
        writer.put_table("costs", {"grains": np.array([1, 2]), "seconds": np.array([0.1, 1.0 / 3.0])}, 1.0)
    folder = export_csv(open_run(tmp_path / "run"), tmp_path / "text")
    names, values = columns(folder / "tables" / "costs.csv")
    assert names == ["grains", "seconds"] and values.tolist() == [[1.0, 0.1], [2.0, 1.0 / 3.0]]
    assert [path.name for path in folder.iterdir()] == ["tables"], "no empty files"


def test_an_existing_folder_is_refused_and_an_export_replaced_only_when_asked(run, tmp_path):
    folder = export_csv(run, tmp_path / "text")
    (folder / "frames" / "9999.csv").write_text("of a longer run")
    with pytest.raises(StoreError, match="--overwrite"):
        export_csv(run, folder)
    assert (folder / "frames" / "9999.csv").exists()
    export_csv(run, folder, overwrite=True)
    assert len(list((folder / "frames").iterdir())) == 3


def test_what_is_no_export_is_never_replaced(run, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("chapter 1")
    (tmp_path / "file").write_text("mine")
    for name in ("mine", "file"):
        with pytest.raises(StoreError, match="not an export"):
            export_csv(run, tmp_path / name, overwrite=True)
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "chapter 1" and (tmp_path / "file").read_text() == "mine"


def test_a_full_disk_leaves_the_old_export_and_nothing_else(run, tmp_path, monkeypatch):
    folder = export_csv(run, tmp_path / "text")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.csv")}
    write = export.write_table

    def full(path, table):
        if path.name == "0001.csv":
            raise OSError("no space left")
        write(path, table)

    monkeypatch.setattr(export, "write_table", full)
    with pytest.raises(StoreError, match="no space left"):
        export_csv(run, folder, overwrite=True)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.csv")} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "text"]
