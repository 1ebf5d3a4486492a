"""Tasks carried out wherever that is: what is finished left alone, what was begun gone on with, what failed named."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from clast.backend.processes import Answer, count_jobs
from clast.errors import InputError, StoreError
from clast.output.recording import CHECKPOINT_SECONDS
from clast.output.store.atomic import make_folder
from clast.output.store.lock import is_written
from clast.sweeps.display import Display
from clast.sweeps.local import Order
from clast.sweeps.places import LOCAL, place_of
from clast.sweeps.task import Task, is_complete, keep_error, read_error, state_of

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True)
class TaskEnding:
    """How a task ended.

    state     "finished"; "failed", and `message` gives the reason; "elsewhere": another process is at it, it was left alone
    seconds   that it took now; 0 if it had been finished, or had failed, before
    """

    task: Task
    state: Literal["finished", "failed", "elsewhere"]
    message: str = ""
    seconds: float = 0.0


def run_tasks(
    tasks: Sequence[Task],
    folder: Path,
    *,
    on: str | Client = LOCAL,
    jobs: int | None = None,
    threads: int | str = 1,
    device: str | None = None,
    retry: bool = False,
    progress: Display | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> list[TaskEnding]:
    """Carry out tasks into their folders within `folder` and return how each ended, in the order of the tasks.

    on         where: "local", "dask://HOST:PORT", "slurm", "pbs" or a `distributed.Client`, see `clast.sweeps.places`
    jobs       runs at a time; if None one per core here, and on a cluster as many as its workers take
    threads    of each run
    device     of each run; None is that of the scene file, or the CPU. Here all of them share one GPU
    retry      try again what failed before
    progress   where it shows itself; the terminal if None, nowhere with `Display(silent=True)`

    A task that is finished is not run again; one that was begun goes on from its last checkpoint. One that fails leaves
    failure.json in its folder and does not stop the rest. Tasks that are to be alone come last, one at a time. Ctrl-C and
    whatever else is raised in here ends the processes when they have saved themselves, and goes on up.
    """
    names = [task.name for task in tasks]
    if len(set(names)) != len(names):
        raise InputError(f"two tasks are called {next(name for name in names if names.count(name) > 1)}: give each its own name")
    count_jobs(jobs, 1)
    make_folder(folder)
    endings: dict[str, TaskEnding] = {}
    waiting: list[Task] = []
    for task in tasks:
        run = folder / task.name
        state = state_of(run)
        if is_complete(run):
            endings[task.name] = TaskEnding(task, "finished")
        elif state == "failed" and not retry:
            endings[task.name] = TaskEnding(task, "failed", read_error(run))
        else:
            waiting.append(task)
    together, alone = ([task for task in waiting if task.alone == so] for so in (False, True))
    display = progress or Display()
    display.start(len(tasks), [ending.state for ending in endings.values()])
    if not waiting:
        return [endings[task.name] for task in tasks]
    with place_of(on, jobs=jobs, threads=threads, say=display.say) as executor, display:
        for group, most in ((together, jobs), (alone, 1)):
            shares: dict[int, float] = {}

            def hear(number: int, answer: Answer, group: Sequence[Task] = group, shares: dict[int, float] = shares) -> None:
                task = group[number]
                shares[number] = answer.get("share", shares.get(number, 0.0))
                if not answer.get("end"):
                    return
                del shares[number]
                display.look(len(shares), math.fsum(shares.values()))
                ending = understood(task, folder, answer)
                if ending is not None:
                    endings[task.name] = ending
                    display.ended(task.name, ending.state, ending.message, ending.seconds)

            def look(shares: dict[int, float] = shares) -> None:
                display.look(len(shares), math.fsum(shares.values()))

            pieces = [piece_of(task, folder, threads, device, checkpoint_seconds) for task in group]
            executor.share_out(pieces, Order(most, threads, hear, look, display.say))
    return [endings[task.name] for task in tasks]


def piece_of(task: Task, folder: Path, threads: int | str, device: str | None, checkpoint_seconds: float) -> dict[str, Any]:
    """A task as a process of a sweep is handed it."""
    plain = {**dataclasses.asdict(task), "parameters": dict(task.parameters)}
    return {"task": plain, "folder": str(folder), "threads": threads, "device": device, "checkpoint_seconds": checkpoint_seconds}


def understood(task: Task, folder: Path, answer: Answer) -> TaskEnding | None:
    """The ending of a task from the last answer to it; a process that died is an error of its own."""
    if "died" not in answer:
        if answer["state"] == "stopped":  # by somebody else's signal: saved, and to be gone on with
            return TaskEnding(task, "failed", answer["message"], answer["seconds"])
        return TaskEnding(task, answer["state"], answer["message"], answer["seconds"])
    run = folder / task.name
    message = f"{answer['died']}; what was saved before is intact"
    if not answer.get("signalled") and not is_written(run):  # one that was signalled to end is continued later, as if stopped
        with suppress(StoreError):  # on a disk that is gone the message is all there is
            keep_error(run, task, message)
    return TaskEnding(task, "failed", message)
