"""One file instead of many: the parts of a run merged into its run.h5."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clast.errors import StoreError
from clast.output.store.atomic import remove_temporaries
from clast.output.store.checkpoint import read_mark
from clast.output.store.files import PACKED_GROUP, PARTS_FOLDER, RUN_FILE, numbered_parts, open_file, part_path
from clast.output.store.lock import RunLock
from clast.output.store.part import append_part
from clast.output.store.writer import link_parts, rewrite_run_file

if TYPE_CHECKING:
    import h5py


def pack(folder: Path | str) -> None:
    """Merge every saved part of the run in `folder` into run.h5, then remove the part files.

    Reading gives the same; an unfinished run can still be resumed, and packed again later. The new run.h5 takes the
    old one's place atomically and records how many parts it holds, so a kill leaves the run packed or not, and parts that
    are still there although packed are ignored (and removed by the next `pack` or resume). StoreError if there is no
    run, it is being written, or a part is missing.
    """
    folder = Path(folder)
    if not (folder / RUN_FILE).is_file():
        raise StoreError(f"there is no run in {folder} ({RUN_FILE} is missing)")
    lock = RunLock(folder)
    try:
        with open_file(folder / RUN_FILE, "run") as file:
            run_id = str(file.attrs["run_id"])
            packed, known = int(file.attrs["packed"]), int(file.attrs["parts"])
        mark = read_mark(folder, run_id)
        count = max(packed, mark.parts) if mark else known
        remove_temporaries(folder)
        if count > packed:
            rewrite_run_file(folder, lambda file: _merge_into(file, folder, run_id, packed, count))
        for number, path in numbered_parts(folder).items():
            if number < count:
                path.unlink()
        parts = folder / PARTS_FOLDER
        if parts.is_dir() and not any(parts.iterdir()):
            parts.rmdir()
    finally:
        lock.release()


def _merge_into(file: h5py.File, folder: Path, run_id: str, packed: int, count: int) -> None:
    into = file.require_group(PACKED_GROUP)
    for number in range(packed, count):
        with open_file(part_path(folder, number), "part", run_id) as part:
            append_part(part, into)
    file.attrs["packed"] = count
    link_parts(file, count)
