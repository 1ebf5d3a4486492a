"""One run of many: its folder, what state it is in, and how it is carried out wherever that is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from clast.errors import StoreError
from clast.output.progress import Progress, quiet
from clast.output.recording import CHECKPOINT_SECONDS
from clast.output.store.atomic import make_folder, write_text
from clast.output.store.files import RESULT_FILE, RUN_FILE
from clast.output.store.lock import is_written
from clast.output.store.reader import open_run
from clast.output.store.values import to_json

State = Literal["missing", "begun", "running", "finished", "failed"]

ERROR_FILE = "failure.json"
FORMAT, FORMAT_VERSION = "clast-failure", 1
DRAWN_FILE = ".drawn"  # put last of all: without it a finished run may have been killed at its figures
SCENE_FILE = ".toml"
DAMAGED = (OSError, KeyError, RuntimeError, ValueError)  # what HDF5 raises for a damaged file


@dataclass(frozen=True)
class Task:
    """One run.

    name         its folder within the folder of all, unique there
    what         name of an experiment, or path of its file or of a scene file
    size         size of the experiment; None for its own default
    parameters   on top of the size; of a scene file entries by their dotted keys, `law.friction`, `fill.0.seed`
    alone        it measures time: nothing else may run at the same time
    """

    name: str
    what: str
    size: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    alone: bool = False

    @property
    def is_scene(self) -> bool:
        """Whether it is a run of a scene file."""
        return self.what.lower().endswith(SCENE_FILE)


def state_of(run: Path, *, running: bool = False) -> State:
    """The state of the run in a folder; a damaged run is one that has failed.

    running   look whether a process is at it now; else such a run is "begun". Not for everyday use: for the moment of
              looking, nobody else can take the run up
    """
    if running and is_written(run):
        return "running"
    if (run / ERROR_FILE).exists():
        return "failed"
    if is_complete(run):
        return "finished"
    if not (run / RUN_FILE).exists():
        return "missing"
    try:
        stored = open_run(run)
        stored.close()
        return "finished" if stored.finished and stored.result is not None else "begun"
    except (StoreError, *DAMAGED):
        return "failed"


def is_complete(run: Path) -> bool:
    """Whether nothing is left to do: finished and drawn. From names alone, since a sweep may have thousands of runs."""
    return not (run / ERROR_FILE).exists() and all((run / name).exists() for name in (DRAWN_FILE, RESULT_FILE, RUN_FILE))


def keep_error(run: Path, task: Task, message: str, trace: str | None = None) -> None:
    """Leave the error that ended a run in the run's folder.

    message   one sentence
    trace     where in the program, for an error nobody foresaw
    """
    make_folder(run)
    about = {"format": FORMAT, "format_version": FORMAT_VERSION, "what": Path(task.what).name, "size": task.size}
    text = to_json({**about, "parameters": task.parameters, "message": message, "trace": trace}, "failure", indent=2)
    write_text(run / ERROR_FILE, text + "\n")


def read_error(run: Path) -> str:
    """Why the run in a folder failed, in a sentence; empty if it did not."""
    path = run / ERROR_FILE
    if not path.exists():
        try:
            if (run / RUN_FILE).exists():
                open_run(run).close()
        except (StoreError, *DAMAGED) as error:
            return str(error) if isinstance(error, StoreError) else f"the run in {run} is damaged ({error})"
        return ""
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["message"])
    except (OSError, ValueError, KeyError, TypeError):
        return f"{path} cannot be read"


def carry_out(
    task: Task,
    folder: Path,
    *,
    threads: int | str = 1,
    device: str | None = None,
    progress: Progress | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> None:
    """Run a task into its folder within `folder`, going on with what is there; figures too.

    device   of the run; None is that of the scene file, or the CPU

    Raises what the run raises, `Interrupted` if it was stopped by a signal and has saved itself.
    """
    run = folder / task.name
    progress = progress or quiet()
    (run / ERROR_FILE).unlink(missing_ok=True)  # of an attempt before
    resume = (run / RUN_FILE).exists()
    if task.is_scene:
        from clast.output.figures.plane import draw_run
        from clast.scene_files.running import run_file
        from clast.sweeps.scene_row import read_row

        place = {"run.threads": threads} | ({} if device is None else {"run.device": device})
        file = read_row(Path(task.what), {**task.parameters, **place})
        draw_run(run_file(file, out=run, resume=resume, progress=progress, checkpoint_seconds=checkpoint_seconds))
    else:
        from clast.experiments import find
        from clast.experiments.shared.running import run_experiment

        run_experiment(
            find(task.what), out=run, size=task.size, given=task.parameters, threads=threads, device=device or "cpu",
            resume=resume, progress=progress, checkpoint_seconds=checkpoint_seconds,
        )  # fmt: skip
    (run / DRAWN_FILE).touch()
