"""A run as text files, for programs that read nothing else.

    series.csv          a row per sample
    frames.csv          number, step and time of every frame
    frames/NNNN.csv     a row per body: position, angle (in space a quaternion), velocity, spin
    contacts/NNNN.csv   a row per contact of that frame: bodies, point, normal, overlap, force on the first body
    bodies.csv          shape, mass, inertia of every body, and whether it is big
    shapes.csv          a row per vertex of every skeleton, in its body frame; `next` is the vertex its edge leads to, or −1
    edges.csv           in space, in the place of `next`: the two vertices of every edge
    faces.csv           in space: a row per corner of every face, counter-clockwise seen from outside
    tables/NAME.csv     the tables of a study

The first line names the columns with their units, in words, since a run may be in any consistent units. Numbers are written
so that they read back to the same bits.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from clast.errors import InputError, StoreError
from clast.measures.book import KNOWN
from clast.measures.stored import Instant
from clast.output.store.atomic import make_folder, write_whole
from clast.output.store.reader import Frame, Run

ENTRIES = {"series.csv", "frames.csv", "frames", "contacts", "bodies.csv", "shapes.csv", "edges.csv", "faces.csv", "tables"}
TEMPORARY = ".writing"
CONTACTS = {
    "points": "{} [length]", "normals": "n{}", "depths": "overlap [length]", "counts": "count", "forces": "force {} [force]",
    "shears": "spring force {} [force]", "springs": "spring [length]", "first_arms": "first arm {} [length]",
    "second_arms": "second arm {} [length]", "features": "vertex on vertex [0 or 1]",
}  # fmt: skip
UNITS = {**dict.fromkeys(KNOWN, "energy"), "step": "count", "time": "time", "contacts": "count", "deepest_overlap": "length"}


def export_csv(run: Run, folder: Path, *, overwrite: bool = False) -> Path:
    """Write a run as CSV files into `folder` and return it.

    The folder gets its name when all is written. StoreError if there is something of that name, unless `overwrite` is set
    and it holds an export and nothing else, or if the disk refuses.
    """
    if folder.exists():
        if not overwrite:
            raise StoreError(f"{folder} is already there: choose another folder, or replace an export with --overwrite")
        if not folder.is_dir() or not {path.name for path in folder.iterdir()} <= ENTRIES:
            raise StoreError(f"{folder} is not an export of a run, so it is not replaced: choose another folder")
    make_folder(folder.parent)
    fresh = folder.with_name(f".{folder.name}{TEMPORARY}")
    try:
        shutil.rmtree(fresh, ignore_errors=True)  # left by a kill
        fresh.mkdir()
        write_files(run, fresh)
        if folder.exists():
            shutil.rmtree(folder)
        fresh.rename(folder)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written ({error}): make room, or choose another folder") from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return folder


def check_place(run: Run, path: Path, overwrite: bool, is_export: Callable[[Path], bool]) -> None:
    """Refuse to export a run without frames into one file, or onto something that `is_export` does not know as such a file."""
    if len(run.frames) == 0:
        raise InputError(f"no frames are stored in {run.folder}: there is nothing to export")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent} to put {path.name} into")
    if path.exists() and not overwrite:
        raise StoreError(f"{path} is already there: choose another name, or replace an export with --overwrite")
    if path.exists() and not (path.is_file() and is_export(path)):
        raise StoreError(f"{path} is not an export of a run, so it is not replaced: choose another name")


def write_export(path: Path, fill: Callable[[Path], None]) -> Path:
    """Put one file at `path` whole, as `write_whole` does, with the cure for an export; returns it."""
    try:
        write_whole(path, fill)
    except StoreError as error:
        raise StoreError(f"{path} cannot be written ({error.__cause__}): make room, or choose another place") from error
    return path


def write_files(run: Run, folder: Path) -> None:
    """All files of an export into a folder that is there."""
    if len(run.series["step"]):
        write_table(folder / "series.csv", {f"{name}{unit_of(name)}": run.series[name] for name in run.series})
    frames = run.frames
    if len(frames):
        (folder / "frames").mkdir()
        index = {"number": np.arange(len(frames)), "step [count]": frames.steps, "time [time]": frames.times}
        if "period" in frames[0].names:  # the cell moves
            periods = np.array([frame.period for frame in frames])
            index |= {f"period {axis} [length]": lengths for axis, lengths in zip("xyz", periods.T, strict=False)}
        if "offset" in frames[0].names:  # it is sheared
            index["offset [length]"] = np.array([frame.offset for frame in frames])
        write_table(folder / "frames.csv", index)
    for number, frame in enumerate(frames):
        columns = frame_columns(frame)
        if "present" in frame.names:
            columns["present"] = frame["present"]
        write_table(folder / "frames" / f"{number:04d}.csv", columns)
    write_contacts(run, folder)
    if "body_shape" in run.scene:  # a study has no bodies
        write_table(folder / "bodies.csv", bodies(run))
        write_table(folder / "shapes.csv", solids(run) if run.in_space else shapes(run))
        if run.in_space:
            write_table(folder / "edges.csv", edges(run))
            write_table(folder / "faces.csv", faces(run))
    if run.tables:
        (folder / "tables").mkdir()
    for name, table in run.tables.items():
        write_table(folder / "tables" / f"{name}.csv", table)


def write_contacts(run: Run, folder: Path) -> None:
    """A file per stored table of contacts, with the number of the frame of the same step."""
    if len(run.contacts):
        (folder / "contacts").mkdir()
    for number, step in enumerate(run.frames.steps):
        row = int(np.searchsorted(run.contacts.steps, step))
        if row < len(run.contacts) and run.contacts.steps[row] == step:
            write_table(folder / "contacts" / f"{number:04d}.csv", contact_columns(run.contacts[row]))


def contact_columns(table: Instant) -> dict[str, np.ndarray]:
    """Columns of a table of contacts, a row for each pair of features; what a run did not store is left out."""
    bodies = table["bodies"]
    columns = {"first": bodies[:, 0], "second": bodies[:, 1]}
    for name, title in CONTACTS.items():
        if name in table.names:
            values = table[name]
            columns |= parts(title, values) if values.ndim == 2 else {title: values}
    return columns


def unit_of(name: str) -> str:
    """The unit of a series in words; nothing for what an experiment added of its own."""
    return f" [{UNITS[name]}]" if name in UNITS else ""


def frame_columns(frame: Frame) -> dict[str, np.ndarray]:
    """Columns of a frame, in the order of the body's ids."""
    columns = {"id": np.arange(len(frame.positions)), **parts("{} [length]", frame.positions)}
    if "orientations" in frame.names:
        columns |= {f"q{letter}": frame.orientations[:, k] for k, letter in enumerate("wxyz")}
        columns |= parts("v{} [length/time]", frame.velocities)
        return columns | parts("spin {} [radians/time]", frame.spins)
    columns["angle [radians]"] = frame.angles
    columns |= parts("v{} [length/time]", frame.velocities)
    columns["spin [radians/time]"] = frame.spins
    return columns


def parts(name: str, vectors: np.ndarray) -> dict[str, np.ndarray]:
    """The components of vectors (n, 2 or 3) as columns; `name` has braces where their letter goes."""
    return {name.format(letter): vectors[:, k] for k, letter in zip(range(vectors.shape[1]), "xyz", strict=False)}


def bodies(run: Run) -> dict[str, np.ndarray]:
    """Columns of bodies.csv; in space the inertia is about the three axes of the body frame."""
    scene = run.scene
    moments = scene["body_inertia"]
    return {
        "id": np.arange(len(scene["body_shape"])),
        "shape": scene["body_shape"],
        "mass [mass]": scene["body_mass"],
        **(parts("inertia {} [mass length²]", moments) if moments.ndim == 2 else {"inertia [mass length²]": moments}),
        "big [0 or 1]": scene["body_big"].astype(np.int64),
    }


def shapes(run: Run) -> dict[str, np.ndarray]:
    """Columns of shapes.csv."""
    scene = run.scene
    counts = np.diff(scene["shape_first_vertex"])
    following = np.full(len(scene["shape_vertices"]), -1)
    first = np.repeat(scene["shape_first_vertex"][:-1], np.diff(scene["shape_first_edge"]))
    following[first + scene["shape_edges"][:, 0]] = scene["shape_edges"][:, 1]
    return {
        "shape": np.repeat(np.arange(len(counts)), counts),
        "vertex": np.concatenate([np.arange(count) for count in counts]),
        "x [length]": scene["shape_vertices"][:, 0],
        "y [length]": scene["shape_vertices"][:, 1],
        "next": following,
        "radius [length]": np.repeat(scene["shape_radius"], counts),
    }


def solids(run: Run) -> dict[str, np.ndarray]:
    """Columns of shapes.csv in space."""
    scene = run.scene
    counts = np.diff(scene["shape_first_vertex"])
    return {
        "shape": np.repeat(np.arange(len(counts)), counts),
        "vertex": within(counts),
        **parts("{} [length]", scene["shape_vertices"]),
        "radius [length]": np.repeat(scene["shape_radius"], counts),
    }


def edges(run: Run) -> dict[str, np.ndarray]:
    """Columns of edges.csv."""
    counts = np.diff(run.scene["shape_first_edge"])
    first, second = run.scene["shape_edges"].T
    return {"shape": np.repeat(np.arange(len(counts)), counts), "edge": within(counts), "from": first, "to": second}


def faces(run: Run) -> dict[str, np.ndarray]:
    """Columns of faces.csv."""
    scene = run.scene
    counts, corners = np.diff(scene["shape_first_face"]), np.diff(scene["shape_first_corner"])
    shape, face = np.repeat(np.arange(len(counts)), counts), within(counts)
    return {"shape": np.repeat(shape, corners), "face": np.repeat(face, corners), "vertex": scene["shape_corners"]}


def within(counts: np.ndarray) -> np.ndarray:
    """0, 1 … in each of some groups of so many, one after the other."""
    return np.concatenate([np.zeros(0, np.int64), *(np.arange(count) for count in counts)])


def write_table(path: Path, columns: Mapping[str, np.ndarray]) -> None:
    """A CSV file (UTF-8) of columns of one length. Python writes the shortest text that reads back to the same float."""
    rows = zip(*(map(repr, np.asarray(values).tolist()) for values in columns.values()), strict=True)
    text = "\n".join([",".join(columns), *(",".join(row) for row in rows)])
    path.write_text(text + "\n", encoding="utf-8")
