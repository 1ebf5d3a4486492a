"""What made a run: versions, revision, machine, command and date. Nothing that tells who or where."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_PACKAGES = ("clast", "numpy", "numba", "h5py")
# An absolute path, at the start or after a space, quote, '=', ':' or ',': all but its last name is dropped.
_ABSOLUTE = re.compile(r"(^|[\s=:,'\"])(?:~[^/\\=:,]*(?:[/\\]|$)|[A-Za-z]:[/\\]|/)(?:[^=:,]*[/\\])?")


def collect_provenance(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Versions, git revision (None outside a checkout), machine, command line and UTC date, as plain data.

    `arguments` is the command line, by default this process's. User name, host name and absolute paths are left out:
    runs are exchanged and published. Never fails: what cannot be found is None.
    """
    return {
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in _PACKAGES}},
        "revision": _revision(),
        "machine": {
            "cpu": _cpu_model(),
            "cores": os.cpu_count(),
            "platform": f"{platform.system()} {platform.release()}",
            "architecture": platform.machine(),
        },
        "command": [without_folders(each) for each in (sys.argv if arguments is None else arguments)],
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def without_folders(argument: str) -> str:
    """`argument` with absolute paths cut to their last name: "--out=/data/me/box" becomes "--out=…/box"."""
    return _ABSOLUTE.sub(r"\1…/", argument)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _revision() -> str | None:
    """Commit of the checkout clast runs from, with "+changes" if tracked files differ from it."""
    package = Path(__file__).resolve().parents[2]
    # Only clast's own checkout: an installed clast may lie inside the user's repository, whose commit means nothing here.
    top = _command("git", "-C", str(package), "rev-parse", "--show-toplevel")
    if not top or Path(top).resolve() / "src" / "clast" != package:
        return None
    commit = _command("git", "-C", str(package), "rev-parse", "--verify", "--quiet", "HEAD")
    if not commit:
        return None
    changes = _command("git", "-C", str(package), "status", "--porcelain", "--untracked-files=no")
    return f"{commit}+changes" if changes else commit


def _cpu_model() -> str | None:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.lower().startswith(("model name", "hardware")):
                return line.partition(":")[2].strip() or None
    except OSError:
        pass
    if platform.system() == "Darwin":
        return _command("sysctl", "-n", "machdep.cpu.brand_string")
    return platform.processor() or None


def _command(*words: str) -> str | None:
    """Output of a command; None if it is not there, fails or takes longer than 5 s."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout.strip()
