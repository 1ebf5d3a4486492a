"""Files that are either whole or not there: write under a temporary name, sync, rename, sync the folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from clast.errors import StoreError

TEMPORARY = ".writing"


def write_whole(path: Path, fill: Callable[[Path], None]) -> None:
    """Put a file at `path`, replacing an older one, so that a kill or a power cut leaves the old or the new, whole.

    `fill` writes the content to the path it is given (same folder: a rename across disks is a copy). StoreError when
    the disk refuses; the file that was at `path` is then untouched.
    """
    temporary = path.with_name(f".{path.name}{TEMPORARY}")
    try:
        try:
            fill(temporary)
            _sync(temporary)  # before the rename: else a power cut may leave the new name with no content
            temporary.replace(path)
            sync_folder(path.parent)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except (OSError, RuntimeError) as error:  # h5py reports a full disk as either
        raise StoreError(
            f"{path} cannot be written ({error}); what was saved before is intact: make room and continue with --resume"
        ) from error


def write_text(path: Path, text: str) -> None:
    """`write_whole` for a text file (UTF-8)."""

    def fill(temporary: Path) -> None:
        temporary.write_text(text, encoding="utf-8")

    write_whole(path, fill)


def make_folder(folder: Path) -> None:
    """Create `folder` and its parents where missing, and make their names survive a power cut."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder {folder} cannot be made ({error})") from error
    for each in missing:
        sync_folder(each.parent)


def remove_temporaries(folder: Path) -> None:
    """Remove what an interrupted `write_whole` left in `folder`. Only the holder of the run's lock may call this."""
    for path in folder.glob(f".*{TEMPORARY}"):
        path.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make names created, renamed or removed in `folder` survive a power cut."""
    _sync(folder)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
