"""A run as text files, for programs that read nothing else.

    series.csv          a row per sample
    frames.csv          number, step and time of every frame
    frames/NNNN.csv     a row per body: position, angle, velocity, spin
    bodies.csv          shape, mass, inertia of every body, and whether it is big
    shapes.csv          a row per vertex of every skeleton, in its body frame; `next` is the vertex its edge leads to, or −1
    tables/NAME.csv     the tables of a study

The first line names the columns with their units, in words, since a run may be in any consistent units. Numbers are written
so that they read back to the same bits.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from clast.errors import StoreError
from clast.measures.book import ACCOUNTS
from clast.output.atomic import make_folder
from clast.output.reader import Run

ENTRIES = {"series.csv", "frames.csv", "frames", "bodies.csv", "shapes.csv", "tables"}
TEMPORARY = ".writing"
UNITS = {**dict.fromkeys(ACCOUNTS, "energy"), "step": "count", "time": "time", "contacts": "count", "deepest_overlap": "length"}


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
            index |= {"period x [length]": periods[:, 0], "period y [length]": periods[:, 1]}
        write_table(folder / "frames.csv", index)
    for number, frame in enumerate(frames):
        columns = {
            "id": np.arange(len(frame.angles)),
            "x [length]": frame.positions[:, 0],
            "y [length]": frame.positions[:, 1],
            "angle [radians]": frame.angles,
            "vx [length/time]": frame.velocities[:, 0],
            "vy [length/time]": frame.velocities[:, 1],
            "spin [radians/time]": frame.spins,
        }
        if "present" in frame.names:
            columns["present"] = frame.present
        write_table(folder / "frames" / f"{number:04d}.csv", columns)
    if "body_shape" in run.scene:  # a study has no bodies
        write_table(folder / "bodies.csv", bodies(run))
        write_table(folder / "shapes.csv", shapes(run))
    if run.tables:
        (folder / "tables").mkdir()
    for name, table in run.tables.items():
        write_table(folder / "tables" / f"{name}.csv", table)


def unit_of(name: str) -> str:
    """The unit of a series in words; nothing for what an experiment added of its own."""
    return f" [{UNITS[name]}]" if name in UNITS else ""


def bodies(run: Run) -> dict[str, np.ndarray]:
    """Columns of bodies.csv."""
    scene = run.scene
    return {
        "id": np.arange(len(scene["body_shape"])),
        "shape": scene["body_shape"],
        "mass [mass]": scene["body_mass"],
        "inertia [mass length²]": scene["body_inertia"],
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


def write_table(path: Path, columns: Mapping[str, np.ndarray]) -> None:
    """A CSV file (UTF-8) of columns of one length. Python writes the shortest text that reads back to the same float."""
    rows = zip(*(map(repr, np.asarray(values).tolist()) for values in columns.values()), strict=True)
    text = "\n".join([",".join(columns), *(",".join(row) for row in rows)])
    path.write_text(text + "\n", encoding="utf-8")
