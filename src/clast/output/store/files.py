"""The names of a run's files, and the stamp that names the kind of a file.

    RUN/run.h5          provenance, scene; at the end links to the parts and the result
    RUN/parts/NNNN.h5   frames, series and contacts between two checkpoints; never changed once it has its name
    RUN/checkpoint.h5   the state to continue from, and how many parts belong to it
    RUN/result.json     what the experiment found, for machines
    RUN/.lock           held by the process that writes

Every HDF5 file carries `format`, `format_version`, `role` and `run_id`. The id ties the files of one run together, so a
checkpoint copied in from another run is noticed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py

from clast.errors import StoreError

FORMAT = "clast-run"
FORMAT_VERSION = 2  # the newest that is read
PLANE_VERSION, SPACE_VERSION = 1, 2  # what a run is written as: one in the plane stays readable by older versions of clast

RUN_FILE = "run.h5"
CHECKPOINT_FILE = "checkpoint.h5"
RESULT_FILE = "result.json"
PARTS_FOLDER = "parts"
LOCK_FILE = ".lock"
PACKED_GROUP = "packed"


def part_path(folder: Path, number: int) -> Path:
    """Where part `number` (from 0) of the run in `folder` lies."""
    return folder / PARTS_FOLDER / f"{number:04d}.h5"


def numbered_parts(folder: Path) -> dict[int, Path]:
    """All whole part files present in `folder`, by number, whether a checkpoint names them or not."""
    found = {int(path.stem): path for path in (folder / PARTS_FOLDER).glob("*.h5") if path.stem.isdecimal()}
    return dict(sorted(found.items()))


@contextmanager
def new_file(path: Path, role: str, run_id: str, version: int = PLANE_VERSION) -> Iterator[h5py.File]:
    """A fresh HDF5 file at `path` with its stamp, open for writing (whatever lies there is replaced).

    Parts and checkpoints are names and arrays in plane and space alike; run.h5 defines what they mean.
    """
    # HDF5's own file locks are off everywhere: files get their name only when whole and are not changed afterwards,
    # and the locks fail on some network disks.
    with h5py.File(path, "w", locking=False) as file:
        file.attrs["format"] = FORMAT
        file.attrs["format_version"] = version
        file.attrs["role"] = role
        file.attrs["run_id"] = run_id
        yield file


def open_file(path: Path, role: str, run_id: str | None = None) -> h5py.File:
    """Open the HDF5 file `path` for reading; the caller closes it.

    StoreError if it is missing or damaged, not a clast file of this `role`, newer than this clast reads, or of another
    run than `run_id` (None: any).
    """
    try:
        file = h5py.File(path, "r", locking=False)
    except FileNotFoundError:
        raise StoreError(f"{path} is missing") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be read as HDF5 ({error})") from None
    try:
        _check_stamp(file.attrs, path, role, run_id)
    except BaseException:
        file.close()
        raise
    return file


def _check_stamp(attrs: h5py.AttributeManager, path: Path, role: str, run_id: str | None) -> None:
    if attrs.get("format") != FORMAT or "format_version" not in attrs:
        raise StoreError(f"{path} is not a clast run file (it carries no format {FORMAT!r})")
    version = int(attrs["format_version"])
    if version > FORMAT_VERSION:
        raise StoreError(
            f"{path} was written by a newer clast (format version {version}, this one reads up to {FORMAT_VERSION}): "
            "update clast to read it"
        )
    if attrs.get("role") != role:
        raise StoreError(f"{path} is a clast {attrs.get('role')!r} file where a {role!r} file belongs")
    if run_id is not None and attrs.get("run_id") != run_id:
        raise StoreError(f"{path} belongs to another run than the {RUN_FILE} beside it")
