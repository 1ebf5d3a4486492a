"""Where runs lie: a fresh folder, the youngest one, an open one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from clast.errors import InputError, StoreError

if TYPE_CHECKING:
    from clast.output.store.reader import Run

RUNS = Path("runs")


@contextmanager
def run_folder(name: str, out: Path | None) -> Iterator[Path]:
    """The folder for a run: `out`, or a fresh runs/NAME-DATE-n, taken at once so that no other process gets it too.

    A fresh one that stays empty, because the run is refused or stopped before it begins, is removed again.
    """
    if out is not None:
        yield out
        return
    made_parent = not RUNS.exists()
    RUNS.mkdir(exist_ok=True)
    number = 1
    while True:
        folder = RUNS / f"{name}-{date.today().isoformat()}-{number}"
        try:
            folder.mkdir()
            break
        except FileExistsError:
            number += 1
    try:
        yield folder
    finally:
        with suppress(OSError):  # not empty: a run lies there
            folder.rmdir()
            if made_parent:
                RUNS.rmdir()


def latest_run(name: str) -> Path:
    """The youngest run of an experiment under runs/."""
    found = [path.parent for path in RUNS.glob(f"{name}-[0-9]*/run.h5")]
    if not found:
        raise InputError(f"there is no run of {name} in {RUNS}/: say which to resume with --out RUN")
    return max(found, key=lambda folder: (folder / "run.h5").stat().st_mtime)


@contextmanager
def readable(folder: Path) -> Iterator[Run]:
    """An open run; an HDF5 error about a damaged file becomes one sentence."""
    from clast.output.store.reader import open_run

    try:
        stored = open_run(folder)
        for name in stored.series:
            _ = stored.series[name]
    except (OSError, KeyError, RuntimeError, ValueError) as error:
        raise StoreError(f"the run in {folder} is damaged ({error})") from None
    try:
        yield stored
    finally:
        stored.close()
