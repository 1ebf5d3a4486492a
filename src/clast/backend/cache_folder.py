"""Where compiled kernels are kept, and whether that place is the user's alone.

Machine code comes back from disk by pickle, and whoever can write a pickle that is read here can run anything here. So the
folder and each file that is read from it belong to the user, are no links and cannot be written by anybody else, and nobody
else can exchange a folder above. Who cannot write there cannot change a file between a look at it and its use either, so a look
is enough. Where the wanted folder fails, kernels go to a fresh one, which this process removes at its end.
"""

import atexit
import os
import shlex
import shutil
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO

from clast.errors import InputError

OWNED = hasattr(os, "geteuid")  # elsewhere (Windows) a user's folders are private unless shared on purpose
OTHERS = stat.S_IWGRP | stat.S_IWOTH
ELSEWHERE = "set CLAST_CACHE_DIR to a folder that only you can write"


class CacheWarning(UserWarning):
    """Kernels cannot be kept where they should be, so that every process compiles anew."""


def cache_folder() -> Path:
    """The folder for generated modules and their machine code: the wanted one, or else a fresh one of this process."""
    wanted = wanted_folder()
    try:
        why = fault_of(wanted) or fault_of(make_folder(wanted))
        if not why:
            folder = resolved(wanted)
            with tempfile.TemporaryFile(dir=folder):
                return folder
    except OSError as error:
        why = f"it cannot be written ({error.strerror or error}): {ELSEWHERE}"
    warn_once(wanted, why)
    return temporary_folder()


def wanted_folder() -> Path:
    """CLAST_CACHE_DIR, or the user's cache folder."""
    if chosen := os.environ.get("CLAST_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "clast"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "clast"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "clast"


def resolved(folder: Path) -> Path:
    """The same folder by a path without links, so that what was looked at is what is used."""
    return Path(os.path.realpath(folder))


def fault_of(folder: Path) -> str:
    """Why a folder is not the user's alone, and what to do; "" if it is. What is not there yet has no fault."""
    if not OWNED:
        return ""
    if folder.is_symlink():
        return f"it is a symbolic link: {ELSEWHERE}"
    real = resolved(folder)
    for path in (real, *real.parents):
        try:
            status = path.lstat()
        except FileNotFoundError:
            continue
        above = path != real
        if status.st_uid != os.geteuid() and not (above and status.st_uid in administrators()):
            return f"{path} belongs to another user: {ELSEWHERE}"
        # in a folder with the sticky bit, such as /tmp, others can add entries but not exchange ours
        if status.st_mode & OTHERS and not (above and status.st_mode & stat.S_ISVTX):
            return f"others can write {path}: run `chmod go-w {shlex.quote(str(path))}` or {ELSEWHERE}"
    return ""


def administrators() -> set[int]:
    """Users who can change any file anyway: root, and who owns the root folder (in a container that may be another number)."""
    return {0, Path("/").stat().st_uid}


def is_private_file(path: Path) -> bool:
    """Whether a file is there, is no link and belongs to the user, who alone can write it."""
    try:
        status = path.lstat()
    except OSError:
        return False
    if not stat.S_ISREG(status.st_mode):
        return False
    return not OWNED or (status.st_uid == os.geteuid() and not status.st_mode & OTHERS)


def make_folder(folder: Path) -> Path:
    """Make a folder, and those above it that are missing, for the user alone."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
    return folder


@cache
def warn_once(folder: Path, why: str) -> None:
    """Say, once in a process, which folder is not used."""
    text = f"compiled kernels are not kept in {folder}, and every process compiles them anew, because {why}"
    warnings.warn(text, CacheWarning, stacklevel=3)


@cache
def temporary_folder() -> Path:
    """A folder of this process, under a name nobody can know beforehand."""
    try:
        folder = resolved(Path(tempfile.mkdtemp(prefix="clast-")))
        atexit.register(remove_own, folder, os.getpid())
        why = fault_of(folder)
    except OSError as error:
        why = f"no temporary folder can be made ({error.strerror or error}): {ELSEWHERE}"
    if why:
        raise InputError(f"there is no safe place for compiled kernels, because {why}")
    return folder


def remove_own(folder: Path, process: int) -> None:
    """Remove a temporary folder, unless this is a copy of the process that made it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """Write a file that other processes may be writing too: whole under another name, then renamed. Only the user can read it."""
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
