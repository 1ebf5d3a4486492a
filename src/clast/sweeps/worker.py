"""What a process of a sweep does: `python -m clast.sweeps.worker` carries out tasks that `clast.sweeps.sharing` hands to it."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from clast.backend.processes import Answer, attend
from clast.errors import ClastError, StoreError
from clast.output.progress import Progress
from clast.output.recording import Interrupted
from clast.output.store.lock import is_written
from clast.output.store.provenance import without_folders
from clast.sweeps.task import Task, carry_out, is_complete, keep_error

SAY_SECONDS = 1.0


class SentProgress(Progress):
    """A progress that is sent to the process that shares out the work."""

    def __init__(self, say: Callable[[Answer], None]) -> None:
        super().__init__(silent=True)
        self._say, self._last = say, 0.0

    def update(self, step: int, end: int, cundall: float | None = None) -> None:
        """Tell the share of steps done."""
        now = time.monotonic()
        if now - self._last >= SAY_SECONDS:
            self._last = now
            self._say({"share": step / max(end, 1)})


def command_of(task: Task, folder: Path) -> list[str]:
    """The command that makes the same run by itself; a row of a scene file is run by its sweep."""
    if task.is_scene:
        return ["clast", "sweep", str(folder)]
    given = [word for name, value in task.parameters.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    return ["clast", "run", task.what, *(["--size", task.size] if task.size else []), *given]


def work(piece: dict[str, Any], say: Callable[[Answer], None]) -> Answer:
    """Carry out a task; whatever goes wrong is an answer, and is kept in the run's folder."""
    task, folder, began = Task(**piece["task"]), Path(piece["folder"]), time.perf_counter()
    run = folder / task.name
    sys.argv = command_of(task, folder)  # what a run stores as the command it came from

    def answer(state: str, message: str = "") -> Answer:
        return {"state": state, "message": message, "seconds": time.perf_counter() - began}

    say({"share": 0.0})
    if is_complete(run):  # another process was quicker
        return answer("finished")
    if is_written(run):
        return answer("elsewhere", f"{run} is being run by another process")
    try:
        carry_out(
            task, folder, threads=piece["threads"], device=piece["device"], progress=SentProgress(say),
            checkpoint_seconds=piece["checkpoint_seconds"]
        )  # fmt: skip
    except Interrupted as stop:
        return answer("stopped", str(stop))
    except Exception as error:
        if is_written(run):  # taken by another process meanwhile: what it does there is its own
            return answer("elsewhere", f"{run} is being run by another process")
        foreseen = isinstance(error, ClastError | OSError)
        message = " ".join((str(error) if foreseen else f"{type(error).__name__}: {error}").split())
        trace = None if foreseen else without_folders(traceback.format_exc())
        with suppress(StoreError):  # on a disk that is gone the answer is all there is
            keep_error(run, task, message, trace)
        return answer("failed", message)
    return answer("finished")


if __name__ == "__main__":
    attend(work)
