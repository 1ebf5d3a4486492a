"""How a run that was stopped goes on: by the command that began it, with --resume. The page may start it where that is safe."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clast.errors import InputError
from clast.output.store.files import CHECKPOINT_FILE

if TYPE_CHECKING:
    from clast.output.store.reader import Run

EXPERIMENT = re.compile(r"[a-z][a-z0-9-]*")  # the name of one that comes with clast: no path, no option
SCENE_FILE, PYTHON_FILE = ".toml", ".py"
LONGEST = 300  # letters of what is shown of a failure


def resume_words(run: Run) -> list[str]:
    """What stands behind `clast` in the command that resumes a run; nothing where a script made it, or it is finished."""
    command = [str(each) for each in run.provenance.get("command") or []]
    if run.finished or not (run.folder / CHECKPOINT_FILE).exists() or "run" not in command[1:2]:
        return []
    name = (command[2:] or [""])[0]
    if not (EXPERIMENT.fullmatch(name) or Path(name).suffix.lower() in (SCENE_FILE, PYTHON_FILE)) or name.startswith("-"):
        return []
    return ["run", name, "--resume", "--out", str(run.folder.resolve())]


def shown_command(run: Run) -> str:
    """The command as one types it; nothing where there is none."""
    words = resume_words(run)
    return shlex.join(["clast", *words]) if words else ""


def may_resume(run: Run) -> bool:
    """Whether the page may start that command: an experiment of clast, or a scene file that is where it was.

    A file in Python is code, so that only its user starts it.
    """
    words = resume_words(run)
    return bool(words) and (bool(EXPERIMENT.fullmatch(words[1])) or (words[1].endswith(SCENE_FILE) and Path(words[1]).is_file()))


class Resumed:
    """A process that goes on with a run. It hears Ctrl-C in the terminal of the view, and then saves and ends."""

    def __init__(self, run: Run) -> None:
        if not may_resume(run):
            raise InputError("this run cannot be resumed from the page: use the command that began it, with --resume")
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (as long as this object)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "clast.cli", *resume_words(run)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._errors,
        )  # fmt: skip

    @property
    def is_alive(self) -> bool:
        """Whether it still steps, or is about to."""
        return self.process.poll() is None

    def failure(self) -> str:
        """What it has complained of last; nothing if it goes on or has ended well."""
        if not self.process.poll():
            return ""
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return (lines or ["it ended at once"])[-1][-LONGEST:]


def stopped_facts(run: Run, resumed: Resumed | None) -> dict[str, Any]:
    """What the page shows of a run that nobody steps."""
    return {
        "go_on": shown_command(run), "resumable": may_resume(run), "starting": resumed is not None and resumed.is_alive,
        "failure": resumed.failure() if resumed is not None else "",
    }  # fmt: skip
