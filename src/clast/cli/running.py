"""`clast run`: the options of a run, what it is a run of, and what is said when it is stopped."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clast.cli.app import app, fail
from clast.cli.folders import latest_run, readable, run_folder
from clast.cli.tables import show_outcome, show_parameters
from clast.errors import InputError

if TYPE_CHECKING:
    from clast.experiments.experiment import Entry


class Terminated(BaseException):
    """SIGTERM outside a run's own care."""


@dataclass(frozen=True)
class Manner:
    """How a run is carried out, whatever it is a run of."""

    out: Path | None
    threads: int | str
    resume: bool
    overwrite: bool
    checkpoint: float  # seconds
    quiet: bool
    verbose: bool

    def __post_init__(self) -> None:
        if not self.checkpoint >= 0.0:
            raise InputError(f"--checkpoint {self.checkpoint}: give seconds, not less than 0")
        if self.resume and self.overwrite:
            raise InputError("--resume and --overwrite contradict each other: choose one")


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def run(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="Experiment; `clast list` shows them.", metavar="NAME")] = None,
    size: Annotated[str | None, typer.Option(help="quick or full; quick if not given.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run; runs/NAME-DATE-n if not given.")] = None,
    seed: Annotated[str | None, typer.Option(help="Seed of every random choice.")] = None,
    threads: Annotated[str, typer.Option(help="Number of threads, or auto.")] = "1",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out from where it was saved.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the run in --out.")] = False,
    checkpoint: Annotated[float, typer.Option(help="Seconds between checkpoints.", metavar="SECONDS")] = 30.0,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing but the run's folder.")] = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Print parameters and every checkpoint too.")] = False,
    help: Annotated[bool, typer.Option("-h", "--help", help="Show this, and with NAME its parameters.")] = False,
) -> None:
    """Run an experiment. Its parameters are options too: clast run cow-bounce --until 2 --dt 1e-5.

    Stop it with Ctrl-C and go on with --resume: the result is the same to the last bit. Exit status: 0 done, 2 bad
    input, 3 the physics failed, 130 stopped by Ctrl-C, 143 by SIGTERM.
    """
    if name is None:
        if help:
            print(context.get_help())
            return
        raise InputError("which experiment? clast run NAME; clast list shows the names")
    if name.startswith("-"):
        raise InputError(f"the experiment's name comes before its options: clast run NAME {name} …")

    from clast.experiments import find

    experiment = find(name)
    if help:
        print(context.get_help())
        show_parameters(experiment)
        return
    given = read_options(experiment, [*context.args, *(["--seed", seed] if seed is not None else [])])
    manner = Manner(out, read_threads(threads), resume, overwrite, checkpoint, quiet, verbose)
    run_experiment(experiment, size, given, manner)


def run_experiment(experiment: Entry, size: str | None, given: dict[str, str], manner: Manner) -> None:
    """Run an experiment and show what came out of it."""
    out = manner.out
    if not manner.resume:  # before anything else is touched
        chosen = experiment.choose(size or "quick", given)
    elif out is None:
        out = latest_run(experiment.name)

    from clast.experiments.conduct import conduct, stored_parameters
    from clast.output.progress import Progress

    progress = Progress(label=experiment.name, silent=manner.quiet, verbose=manner.verbose)
    with run_folder(experiment.name, out) as folder, stoppable(folder, f"clast run {experiment.name}"):
        if manner.resume:
            with readable(folder) as stored:
                chosen = stored_parameters(experiment, stored)[1]
        progress.detail(", ".join(f"{key} = {value}" for key, value in chosen.model_dump().items()))
        outcome = conduct(
            experiment, out=folder, size=size, given=given, threads=manner.threads, resume=manner.resume,
            overwrite=manner.overwrite, progress=progress, checkpoint_seconds=manner.checkpoint,
        )  # fmt: skip
    if manner.quiet:
        print(folder)
    else:
        show_outcome(outcome)


@contextmanager
def stoppable(folder: Path, command: str) -> Iterator[None]:
    """Say how to go on with a run that a signal ended, and leave with the status of that signal."""
    from clast.output.recording import Interrupted

    go_on = f"Go on with: {command} --resume --out {folder}"
    try:
        yield
    except Interrupted as stop:
        fail(f"stopped at t = {stop.time:.6g}; saved. {go_on}", 0)
        raise typer.Exit(128 + stop.signal_number) from None
    except (KeyboardInterrupt, Terminated) as stop:
        saved = (folder / "checkpoint.h5").exists()
        fail(f"stopped; what was saved is intact. {go_on}" if saved else "stopped before the first step", 0)
        raise typer.Exit(128 + (signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT)) from None


def read_options(experiment: Entry, words: Sequence[str]) -> dict[str, str]:
    """`--until 2 --dt=1e-5 --no-onset` as names and texts; InputError for what is not an option with a value."""
    switches = {name for name, each in experiment.parameters.model_fields.items() if each.annotation is bool}
    given: dict[str, str] = {}
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if not word.startswith("--") or word == "--":
            raise InputError(f"'{word}' is not expected here: parameters are written --NAME VALUE")
        option, equals, value = word[2:].partition("=")
        name = option.replace("-", "_")
        if not equals:
            alone = not waiting or waiting[0].startswith("--")
            if name.startswith("no_") and name[3:] in switches:
                name, value = name[3:], "false"
            elif not alone:
                value = waiting.pop(0)
            elif name in switches:
                value = "true"
            elif name in experiment.parameters.model_fields:
                raise InputError(f"{experiment.name}: --{option} needs a value")
        given[name] = value
    return given


def read_threads(text: str) -> int | str:
    """A number of threads, or "auto"."""
    if text == "auto":
        return text
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise InputError(f"--threads {text}: give a positive number or auto")
