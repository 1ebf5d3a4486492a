"""Writing a run: names and arrays to disk, so that a kill at any moment leaves a run that reads and resumes.

The protocol of a checkpoint:

1. what was recorded since the last checkpoint is written whole as the next part (temporary name, sync, rename, sync);
2. checkpoint.h5, which holds the state and the number of parts that belong to it, is replaced the same way.

The second rename is the commit. Before it the new part is a file nobody counts, and resume removes it; after it the
part and the state are both durable. run.h5 is not touched: it holds the scene, which may be large, so rewriting it at
every checkpoint would cost more than the state itself, and changing it in place would leave it broken by a kill.
Readers therefore count parts by the checkpoint. The links from run.h5 to the parts are for other HDF5 tools; they are
written by `finish`, into a copy of run.h5 that replaces it atomically.

A run without steps (a study) has tables instead of parts: each is put into run.h5 whole, by the same replacement, and
its one checkpoint, at step 0, only marks that the run has begun.

When a checkpoint is made decides how the data are cut into parts, never what is read back.
"""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import h5py
import numpy as np

from clast.errors import StoreError
from clast.output.store.atomic import make_folder, remove_temporaries, sync_folder, write_text, write_whole
from clast.output.store.checkpoint import Checkpoint, prepare_checkpoint, read_checkpoint, read_mark, write_checkpoint
from clast.output.store.files import (
    CHECKPOINT_FILE,
    PACKED_GROUP,
    PARTS_FOLDER,
    PLANE_VERSION,
    RESULT_FILE,
    RUN_FILE,
    SPACE_VERSION,
    new_file,
    numbered_parts,
    open_file,
    part_path,
)
from clast.output.store.lock import RunLock
from clast.output.store.part import CONTACTS, FRAMES, SERIES, TABLES, TableBuffer
from clast.output.store.values import check_name, checked_array, put_array, to_json

TABLES_GROUP = "tables"  # in run.h5: one group per table, one dataset per column


class RunWriter:
    """The one writer of a run folder. Make it with `create` or `resume`; use it as a context manager.

    Rows wait in memory until `checkpoint`; leaving without one drops them, as a kill would. Every method raises
    StoreError for data that cannot be stored, before anything is written.
    """

    def __init__(self, folder: Path, run_id: str, lock: RunLock) -> None:
        self.folder = folder
        self._run_id = run_id
        self._lock = lock
        self._open = True
        self._parts = 0
        self._checkpoint_step: int | None = None
        self._finished_step: int | None = None
        self._tables = {table: TableBuffer(table) for table in TABLES}

    @classmethod
    def create(cls, folder: Path, *, provenance: Mapping[str, Any], scene: Mapping[str, Any], overwrite: bool = False) -> Self:
        """Start a run in `folder`, made if missing.

        `provenance` is anything JSON can say. `scene` maps names to arrays, numbers or text; infinities are allowed in
        its arrays (a wall may have infinite mass), NaN is not. StoreError if a run lies there and `overwrite` is not
        set. Overwriting removes the old run's own files; figures and foreign files stay.
        """
        folder = Path(folder)
        arrays, scalars = _sorted_scene(scene)
        version = SPACE_VERSION if lies_in_space(scene) else PLANE_VERSION
        provenance_text = to_json(provenance, "provenance")
        make_folder(folder)
        lock = RunLock(folder)
        try:
            if _holds_run(folder):
                if not overwrite:
                    raise StoreError(
                        f"there is already a run in {folder}: continue it with resume=True (--resume) or replace it with "
                        "overwrite=True (--overwrite)"
                    )
                _remove_run(folder)
            remove_temporaries(folder)
            make_folder(folder / PARTS_FOLDER)
            remove_temporaries(folder / PARTS_FOLDER)
            run_id = uuid.uuid4().hex

            def fill(path: Path) -> None:
                with new_file(path, "run", run_id, version) as file:
                    file.attrs["packed"] = 0  # how many parts lie inside this file
                    file.attrs["parts"] = 0  # how many parts it knows of
                    file["provenance"] = provenance_text
                    group = file.create_group("scene")
                    group["scalars"] = to_json(scalars, "scene")
                    for name, array in arrays.items():
                        group.create_dataset(f"arrays/{name}", data=array)

            write_whole(folder / RUN_FILE, fill)
        except BaseException:
            lock.release()
            raise
        return cls(folder, run_id, lock)

    @classmethod
    def resume(cls, folder: Path) -> tuple[Self, Checkpoint]:
        """Continue the run in `folder` from its last checkpoint, which is returned; what is later is removed.

        StoreError if there is no run, nothing saved, a part is missing, or another process writes it. A finished run
        may be resumed to go further: it counts as unfinished from its next checkpoint on.
        """
        folder = Path(folder)
        _require_run(folder)
        lock = RunLock(folder)
        try:
            with open_file(folder / RUN_FILE, "run") as file:
                run_id = str(file.attrs["run_id"])
                packed = int(file.attrs["packed"])
                finished = file.attrs.get("finished_step")
            checkpoint = read_checkpoint(folder, run_id)
            if checkpoint is None:
                raise StoreError(f"the run in {folder} was started but nothing was saved yet: start it again with --overwrite")
            writer = cls(folder, run_id, lock)
            writer._parts = checkpoint.parts
            writer._checkpoint_step = checkpoint.step
            writer._drop_later(checkpoint.parts, packed)
            writer._finished_step = None if finished is None else int(finished)
            if writer._finished_step != checkpoint.step:
                (folder / RESULT_FILE).unlink(missing_ok=True)  # left by a kill inside `finish`
            writer._continue_tables(packed)
        except BaseException:
            lock.release()
            raise
        return writer, checkpoint

    def _drop_later(self, parts: int, packed: int) -> None:
        present = numbered_parts(self.folder)
        for number in range(packed, parts):
            if number not in present:
                raise StoreError(f"{part_path(self.folder, number)} is missing: the run cannot be resumed")
        if parts < packed:
            raise StoreError(f"the checkpoint in {self.folder} is older than the data packed in {RUN_FILE}")
        for number, path in present.items():
            if number >= parts or number < packed:
                path.unlink()
        make_folder(self.folder / PARTS_FOLDER)
        remove_temporaries(self.folder / PARTS_FOLDER)
        remove_temporaries(self.folder)

    def _continue_tables(self, packed: int) -> None:
        """Find names, shapes and last steps where they were last written, newest first (the packed parts are one)."""
        unseen = set(TABLES)
        for number in reversed(range(max(packed - 1, 0), self._parts)):
            inside = number < packed
            path = self.folder / RUN_FILE if inside else part_path(self.folder, number)
            with open_file(path, "run" if inside else "part", self._run_id) as file:
                part = file[PACKED_GROUP] if inside else file
                for table in [each for each in unseen if each in part]:
                    self._tables[table].continue_after(part[table])
                    unseen.remove(table)
            if not unseen:
                return

    def add_sample(self, step: int, time: float, values: Mapping[str, float]) -> None:
        """A row of the series: the same names each time, stored as float64."""
        self._require_open()
        self._tables[SERIES].add(step, time, values)

    def add_frame(self, step: int, time: float, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """A frame: positions (n, 2), angles (n,), ... or positions (n, 3), orientations (n, 4), ...; copied, the same names,
        types and shapes each time."""
        self._require_open()
        self._tables[FRAMES].add(step, time, arrays)

    def add_contacts(self, step: int, time: float, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """A contact table: arrays (m, ...) with one m, which may differ from table to table, also 0."""
        self._require_open()
        self._tables[CONTACTS].add(step, time, arrays)

    def put_table(self, name: str, columns: Mapping[str, Any], seconds: float) -> None:
        """Keep a table: named columns (k,) of numbers, one k, and the time it took (s). Saved when this returns.

        StoreError if a table of that name is there, or a column is not of that form. run.h5 is replaced by a copy with
        the table in it, so tables are for runs with a small scene or none.
        """
        self._require_open()
        where = f"table {name!r}"
        check_name(name, "tables")
        arrays = {}
        for column, values in columns.items():
            check_name(column, where)
            arrays[column] = checked_array(column, values, where)
            if arrays[column].ndim != 1:
                raise StoreError(f"{where}: the column {column!r} has shape {arrays[column].shape}; give one row of numbers")
        lengths = {column: array.size for column, array in arrays.items()}
        if len(set(lengths.values())) != 1:
            raise StoreError(f"{where}: the columns must have one length, got {lengths or 'none'}")
        took = float(checked_array("seconds", float(seconds), where))

        def fill(file: h5py.File) -> None:
            group = file[TABLES_GROUP] if TABLES_GROUP in file else file.create_group(TABLES_GROUP, track_order=True)
            if name in group:
                raise StoreError(f"{where} is already in the run in {self.folder}")
            table = group.create_group(name, track_order=True)  # columns are read back in the order given
            table.attrs["seconds"] = took
            for column, array in arrays.items():
                put_array(table, column, array.shape, array.dtype)[...] = array

        rewrite_run_file(self.folder, fill)

    @property
    def pending_bytes(self) -> int:
        """Memory held by rows that wait for the next checkpoint, roughly (bytes)."""
        return sum(buffer.nbytes for buffer in self._tables.values())

    def last_step(self, table: str) -> int | None:
        """Step of the last row of "series", "frames" or "contacts", on disk or waiting; None before the first.

        It shows a resumed run whether the output due at the checkpoint's own step was already taken.
        """
        return self._tables[table].last_step

    def checkpoint(self, step: int, time: float, arrays: Mapping[str, np.ndarray[Any, Any]], scalars: Mapping[str, Any]) -> None:
        """Save everything that waits, and the state to continue from; see the module's head for the order.

        `scalars`: numbers and text; integers of any size. StoreError if `step` lies before a row already stored (a
        resumed run would store that row twice). If the disk refuses, the rows go on waiting and the call may be
        repeated.
        """
        self._require_open()
        latest = [b.last_step for b in self._tables.values()] + [self._checkpoint_step]
        newest = max((each for each in latest if each is not None), default=step)
        if step < newest:
            raise StoreError(f"checkpoint at step {step}: step {newest} is already stored")
        pending = any(len(buffer) for buffer in self._tables.values())
        count = self._parts + 1 if pending else self._parts
        state = prepare_checkpoint(step, time, arrays, scalars, count)
        try:
            if pending:
                self._write_part(self._parts)
            write_checkpoint(self.folder, state, self._run_id)
        except BaseException:
            # Interrupted (Ctrl-C) between the rename and here? Then the rows are saved and must not be saved again:
            # a second, longer part under the same number would hold rows later than the checkpoint that counts it.
            with suppress(StoreError):
                mark = read_mark(self.folder, self._run_id)
                if mark is not None and (mark.step, mark.parts) == (step, count):
                    self._settle(step, count)
            raise
        self._settle(step, count)
        if step != self._finished_step:
            (self.folder / RESULT_FILE).unlink(missing_ok=True)  # of a finished run that now goes further

    def _settle(self, step: int, count: int) -> None:
        self._parts = count
        self._checkpoint_step = step
        for buffer in self._tables.values():
            buffer.forget()

    def _write_part(self, number: int) -> None:
        def fill(path: Path) -> None:
            with new_file(path, "part", self._run_id) as file:
                for buffer in self._tables.values():
                    buffer.write(file)

        write_whole(part_path(self.folder, number), fill)

    def finish(self, result: Mapping[str, Any]) -> None:
        """Mark the run finished, with `result` (JSON) in result.json and in run.h5, and let go of the folder.

        The final checkpoint must have been made: StoreError if there is none or rows still wait. A kill in here leaves
        an unfinished run at its final step; resuming it and finishing again completes it.
        """
        self._require_open()
        if self._checkpoint_step is None or any(len(buffer) for buffer in self._tables.values()):
            raise StoreError(f"the run in {self.folder} needs a checkpoint at its last step before it can be finished")
        step = self._checkpoint_step

        def mark(file: h5py.File) -> None:
            link_parts(file, self._parts)
            file.attrs["finished_step"] = step

        write_result(self.folder, result, mark)
        self.close()

    def close(self) -> None:
        """Let go of the folder; rows that wait are dropped. Safe to call twice."""
        self._open = False
        self._lock.release()

    def _require_open(self) -> None:
        if not self._open:
            raise StoreError(f"the writer of {self.folder} is closed: continue with RunWriter.resume")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def replace_result(folder: Path, result: Mapping[str, Any]) -> None:
    """Put another result into a finished run: judged anew from what is stored. StoreError if somebody is writing it."""
    lock = RunLock(folder)
    try:
        write_result(folder, result, lambda _file: None)
    finally:
        lock.release()


def write_result(folder: Path, result: Mapping[str, Any], mark: Callable[[h5py.File], None]) -> None:
    """result.json, then the same text in run.h5 together with what `mark` does there."""
    text = to_json(result, "result", indent=2)
    write_text(folder / RESULT_FILE, text + "\n")

    def change(file: h5py.File) -> None:
        mark(file)
        if "result" in file:
            del file["result"]
        file["result"] = text

    rewrite_run_file(folder, change)


def rewrite_run_file(folder: Path, change: Callable[[h5py.File], None]) -> None:
    """Apply `change` to a copy of run.h5 (an open HDF5 file) and put the copy in its place."""

    def fill(path: Path) -> None:
        shutil.copyfile(folder / RUN_FILE, path)
        with h5py.File(path, "r+", locking=False) as file:
            change(file)

    write_whole(folder / RUN_FILE, fill)


def link_parts(file: h5py.File, parts: int) -> None:
    """Make `/parts/NNNN` in run.h5 point to every part that is a file of its own, for other HDF5 tools."""
    if PARTS_FOLDER in file:
        del file[PARTS_FOLDER]
    links = file.create_group(PARTS_FOLDER)
    for number in range(int(file.attrs["packed"]), parts):
        path = part_path(Path(), number)  # relative: HDF5 looks beside run.h5, so the folder may move
        links[path.stem] = h5py.ExternalLink(path.as_posix(), "/")
    file.attrs["parts"] = parts


def lies_in_space(scene: Mapping[str, Any]) -> bool:
    """Whether a stored scene is one of solids: its box has three sides."""
    return len(scene.get("period", ())) == 3


def _sorted_scene(scene: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and the rest, checked."""
    arrays: dict[str, Any] = {}
    scalars: dict[str, Any] = {}
    for name, value in scene.items():
        check_name(name, "scene")
        if isinstance(value, np.ndarray) and value.dtype.kind != "U":
            arrays[name] = checked_array(name, value, "scene", infinite=True)
        else:
            scalars[name] = value
    return arrays, json.loads(to_json(scalars, "scene"))


def _holds_run(folder: Path) -> bool:
    return any((folder / name).exists() for name in (RUN_FILE, CHECKPOINT_FILE)) or bool(numbered_parts(folder))


def _require_run(folder: Path) -> None:
    if not (folder / RUN_FILE).exists():
        cure = "start again with --overwrite" if _holds_run(folder) else "start it without --resume"
        raise StoreError(f"there is no run to continue in {folder} ({RUN_FILE} is missing): {cure}")


def _remove_run(folder: Path) -> None:
    # run.h5 first: without it nothing here is taken for a run, so a kill on the way cannot pair old data with new.
    for path in (folder / RUN_FILE, folder / CHECKPOINT_FILE, folder / RESULT_FILE):
        path.unlink(missing_ok=True)
        sync_folder(folder)
    for path in numbered_parts(folder).values():
        path.unlink()
