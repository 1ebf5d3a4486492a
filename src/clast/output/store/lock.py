"""One writer per run."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from clast.errors import StoreError
from clast.output.store.files import LOCK_FILE


class RunLock:
    """The right to write a run folder, held from construction to `release` or the death of the process.

    flock rather than the mere existence of a file: the kernel lets go when the process dies, so a killed run leaves
    nothing to clear away. The file itself stays: were it unlinked, a process that has just opened it and another that
    creates it anew could both hold "the" lock. StoreError if another writer (also of this process) holds it.
    """

    def __init__(self, folder: Path) -> None:
        try:
            # Not "w": opening must not erase the holder's pid.
            self._descriptor: int | None = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise StoreError(f"the run {folder} cannot be written ({error})") from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(self._descriptor, 32).decode("ascii", "replace").strip()
            self.release()
            if not isinstance(error, BlockingIOError):
                raise StoreError(f"the run {folder} cannot be locked ({error})") from error
            raise StoreError(
                f"the run {folder} is being written by process {holder or 'unknown'}: wait for it or stop it first"
            ) from None
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let others write. Safe to call twice."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __del__(self) -> None:
        # A writer dropped after an error must not block `resume` in the same process (a notebook).
        if getattr(self, "_descriptor", None) is not None:
            self.release()


def is_written(folder: Path) -> bool:
    """Whether a process, also this one, writes the run in `folder`."""
    if not (folder / LOCK_FILE).exists():
        return False
    with suppress(OSError):
        descriptor = os.open(folder / LOCK_FILE, os.O_RDWR)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
    return False
