"""Files of a row on their way, where workers do not see the sweep's folder.

What home has goes to the worker before the row begins; what the worker saves comes home after every checkpoint and at the end.

Home leads: it calls the functions of the second half on the worker, piece by piece. A file counts as arrived when its checksum is
that at the other end, and all files of a checkpoint are put in their places together, so that home has a run that can be gone on
with at any time.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from clast.errors import StoreError
from clast.output.store.atomic import TEMPORARY, make_folder
from clast.output.store.files import CHECKPOINT_FILE, LOCK_FILE, PARTS_FOLDER, RESULT_FILE, RUN_FILE, open_file
from clast.output.store.lock import RunLock
from clast.sweeps.dask.row import row_of
from clast.sweeps.task import DRAWN_FILE, ERROR_FILE

CHUNK = 8 << 20  # bytes sent at once
OFFER = ".offered"  # on the worker: links to files as they were at one instant
ARRIVING = ".arriving"  # at home
SCENE_FOLDER = "scene"
# the order in which files take their places: by none of them is a run more than it is
LAST = (RUN_FILE, CHECKPOINT_FILE, RESULT_FILE, ERROR_FILE, DRAWN_FILE)
Listed = list[tuple[str, int, str]]  # name, bytes, checksum


def checksum(path: Path) -> str:
    """Of what stands in a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def files_in(folder: Path) -> list[str]:
    """Names of all files of a run that mean something anywhere else, in the order in which they may be put in place."""
    found = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    kept = [
        path.as_posix() for path in found
        if path.parts[0] not in (OFFER, LOCK_FILE) and not path.name.endswith(TEMPORARY)
    ]  # fmt: skip
    return sorted(kept, key=lambda name: LAST.index(name) if name in LAST else -1)


def inside(folder: Path, name: str) -> Path:
    """A file in a folder by its name; StoreError for one that lies outside: whoever sent it, nothing is written there."""
    pure = PurePosixPath(name)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts or "\\" in name:
        raise StoreError(f"a worker sent a file called {name!r}, which does not belong to a run")
    return folder / pure


# --- at home ---------------------------------------------------------------------------------------------------------


class Travel:
    """Rows of a sweep that are away: held here by their lock, so that nobody else begins them.

    client   of the cluster
    sweep    the name by which workers know the sweep
    """

    def __init__(self, client: Any, sweep: str) -> None:
        self.client, self._sweep = client, sweep
        self._locks: dict[int, RunLock] = {}

    def _call(self, worker: str, function: Any, number: int, *more: Any) -> Any:
        return self.client.run(function, self._sweep, number, *more, workers=[worker])[worker]

    def send(self, number: int, worker: str, run: Path, scene: Path | None) -> None:
        """Give a worker all that home has of a row, and the files of its scene; then the row begins. StoreError if somebody
        else writes the run."""
        if number not in self._locks:
            make_folder(run)
            self._locks[number] = RunLock(run)
        try:
            sent: Listed = []
            folders = {run.name: run} | ({} if scene is None else {SCENE_FOLDER: scene})
            for where, folder in folders.items():
                for name in files_in(folder):
                    target = f"{where}/{name}"
                    offset = 0
                    for data in chunks(folder / name):
                        self._call(worker, take, number, target, offset, data)
                        offset += len(data)
                    sent.append((target, offset, checksum(folder / name)))
            self._call(worker, begin, number, sent)
        except BaseException:
            self.release(number)
            raise

    def refuse(self, number: int, worker: str, answer: dict[str, Any]) -> None:
        """Tell a worker that its row is not to begin."""
        self._call(worker, refuse, number, answer)

    def bring(self, number: int, worker: str, run: Path) -> None:
        """Fetch what is new of a row. StoreError if a file does not arrive as it was sent; what was here is then untouched."""
        staging = run.parent / f".{run.name}{ARRIVING}"
        shutil.rmtree(staging, ignore_errors=True)
        offered: Listed = self._call(worker, offer, number)
        if not offered:  # it was stopped before it began
            return
        make_folder(staging)
        try:
            for name, size, digest in offered:
                here = inside(run, name)
                if here.is_file() and here.stat().st_size == size and checksum(here) == digest:
                    continue
                target = inside(staging, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("wb") as file:
                    while (at := file.tell()) < size:
                        data = self._call(worker, read, number, name, at)
                        if not data:
                            break
                        file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                if checksum(target) != digest:
                    raise StoreError(f"{name} of {run.name} did not arrive whole from {worker}")
            settle(staging, run, [name for name, _, _ in offered])
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    def release(self, number: int) -> None:
        """Let others take up a row. Safe to call twice."""
        if (lock := self._locks.pop(number, None)) is not None:
            lock.release()

    def forget(self, number: int, worker: str) -> None:
        """Have a worker remove its files of a row."""
        self._call(worker, drop, number)

    def close(self) -> None:
        """Let go of all rows."""
        for number in list(self._locks):
            self.release(number)


def settle(staging: Path, run: Path, names: list[str]) -> None:
    """Put files that have arrived in their places, and remove those of the run that the worker has no more."""
    make_folder(run / PARTS_FOLDER)
    gone = {*LAST, *(path.relative_to(run).as_posix() for path in (run / PARTS_FOLDER).glob("*.h5"))} - set(names)
    if (staging / RUN_FILE).exists() and run_id(staging / RUN_FILE) != run_id(run / RUN_FILE):
        gone |= set(LAST)  # begun anew: a checkpoint of the run before would be one of another run
    for name in reversed(files_in(run)):
        if name in gone:
            (run / name).unlink(missing_ok=True)
    for name in names:
        if (staging / name).exists():
            (run / name).parent.mkdir(parents=True, exist_ok=True)
            (staging / name).replace(run / name)


def run_id(path: Path) -> str:
    """Which run a run.h5 belongs to; empty if there is none that can be read."""
    try:
        with open_file(path, "run") as file:
            return str(file.attrs["run_id"])
    except (StoreError, OSError):
        return ""


def chunks(path: Path) -> Iterator[bytes]:
    """What stands in a file, piece by piece; one empty piece for an empty file."""
    with path.open("rb") as file:
        first = True
        while (data := file.read(CHUNK)) or first:
            first = False
            yield data


# --- on the worker, called from home ---------------------------------------------------------------------------------


def scratch_of(sweep: str, number: int) -> Path:
    """Where a row lies on this worker."""
    scratch = row_of(sweep, number).scratch
    assert scratch is not None
    return scratch


async def take(sweep: str, number: int, name: str, offset: int, data: bytes) -> None:
    """Write a piece of a file that comes from home."""
    path = inside(scratch_of(sweep, number), name)
    await asyncio.to_thread(put, path, offset, data)


def put(path: Path, offset: int, data: bytes) -> None:
    """Write a piece of a file; the first makes it anew."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("r+b" if offset else "wb") as file:
        file.seek(offset)
        file.write(data)


async def begin(sweep: str, number: int, sent: Listed) -> None:
    """All is here: check it, and have the row begin."""
    scratch = scratch_of(sweep, number)
    for name, _, digest in sent:
        if await asyncio.to_thread(checksum, inside(scratch, name)) != digest:
            raise StoreError(f"{name} did not arrive whole at the worker")
    row_of(sweep, number).arrived.set()


def refuse(sweep: str, number: int, answer: dict[str, Any]) -> None:
    """The row is not to begin."""
    row = row_of(sweep, number)
    row.refused = answer
    row.arrived.set()


async def offer(sweep: str, number: int) -> Listed:
    """Hold all files of a row as they are now, and list them. Between two checkpoints a run only adds files and replaces whole
    ones, so links to them stay as they are; the checkpoint is held first, since all that it names is there by then."""
    row = row_of(sweep, number)
    run = scratch_of(sweep, number) / row.name
    return await asyncio.to_thread(hold, run)


def hold(run: Path) -> Listed:
    """Link the files of a run in its folder OFFER, and list them."""
    held = run / OFFER
    shutil.rmtree(held, ignore_errors=True)
    if not run.is_dir():
        return []
    names = files_in(run)
    listed: Listed = []
    for name in sorted(names, key=lambda name: name != CHECKPOINT_FILE):
        (held / name).parent.mkdir(parents=True, exist_ok=True)
        os.link(run / name, held / name)
    for name in names:
        listed.append((name, (held / name).stat().st_size, checksum(held / name)))
    return listed


async def read(sweep: str, number: int, name: str, offset: int) -> bytes:
    """A piece of a file that is held."""
    path = inside(scratch_of(sweep, number) / row_of(sweep, number).name / OFFER, name)
    return await asyncio.to_thread(piece_at, path, offset)


def piece_at(path: Path, offset: int) -> bytes:
    """A piece of a file."""
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(CHUNK)


def drop(sweep: str, number: int) -> None:
    """Remove a row and its files."""
    from clast.sweeps.dask.row import forget

    forget(sweep, number)
