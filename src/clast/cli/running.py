"""`clast run`: the options of a run, what it is a run of, and what is printed when it is stopped."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clast.cli.app import OPEN, Checkpoint, Device, Help, Size, app, fail
from clast.cli.folders import latest_run, readable, run_folder
from clast.cli.tables import show_fields, show_merit, show_outcome, show_parameters
from clast.cli.viewing import viewed
from clast.errors import InputError

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from clast.experiments.experiment import Entry

SCENE_FILE = ".toml"
CHECKPOINT = 30.0  # seconds between two, where nothing is given
NAME = typer.Argument(
    help="Experiment, `clast list` shows them, or the file of your own, FILE.py; or a scene file, FILE.toml.", metavar="NAME"
)


class Terminated(BaseException):
    """SIGTERM outside a run's own care."""


@dataclass(frozen=True)
class RunOptions:
    """How a run is carried out, whatever it is a run of."""

    out: Path | None
    threads: int | str
    device: str | None
    jobs: int
    resume: bool
    overwrite: bool
    checkpoint: float  # seconds
    quiet: bool
    verbose: bool
    begin: Path | None  # run at whose end it begins
    view: bool

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise InputError(f"--jobs {self.jobs}: give a positive number")
        if not self.checkpoint >= 0.0:
            raise InputError(f"--checkpoint {self.checkpoint}: give seconds, not less than 0")
        if self.resume and self.overwrite:
            raise InputError("--resume and --overwrite contradict each other: choose one")

    @property
    def again(self) -> str:
        """The options, as words, by which a run is carried out and that it does not keep itself."""
        usual = {"threads": 1, "device": None, "jobs": 1, "checkpoint": CHECKPOINT}
        given = ((name, getattr(self, name)) for name in usual)
        return "".join(f" --{name} {value}" for name, value in given if value != usual[name])


@app.command(add_help_option=False, context_settings=OPEN)
def run(
    context: typer.Context,
    name: Annotated[str | None, NAME] = None,
    size: Size = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run; runs/NAME-DATE-n if not given.")] = None,
    seed: Annotated[str | None, typer.Option(help="Seed of every random choice.")] = None,
    threads: Annotated[str | None, typer.Option(help="Number of threads, or auto; 1 if not given.")] = None,
    device: Device = None,
    jobs: Annotated[int, typer.Option(help="Processes that make the tables of a study at the same time.")] = 1,
    begin: Annotated[
        Path | None, typer.Option("--from", help="Folder of a run of the same bodies: they begin where they are at its end.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out from where it was saved.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the run in --out.")] = False,
    checkpoint: Checkpoint = CHECKPOINT,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing but the run's folder.")] = False,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Print parameters, every checkpoint and a remark on a slow law too.")
    ] = False,
    view: Annotated[bool, typer.Option("--view", help="Look at the run in the browser while it is made.")] = False,
    help: Help = False,
) -> None:
    """Run an experiment, or a scene of your own from a file. Parameters are options too: clast run cow-bounce --until 2.

    Stop it with Ctrl-C and go on with --resume: the result is the same to the last bit. Exit status: 0 done, 2 bad
    input, 3 the physics failed, 130 stopped by Ctrl-C, 143 by SIGTERM.
    """
    if name is None:
        if help:
            print(context.get_help())
            return
        raise InputError("which experiment? clast run NAME, clast list shows the names; or clast run FILE.toml")
    if name.startswith("-"):
        raise InputError(f"the experiment's name comes before its options: clast run NAME {name} …")

    options = RunOptions(
        out, read_threads(threads or "1"), read_device(device), jobs, resume, overwrite, checkpoint, quiet, verbose, begin, view
    )
    if name.lower().endswith(SCENE_FILE):
        from clast.scene_files.schema_run import PLACE, RunKeys

        if help:
            print(context.get_help())
            show_fields({name: each for name, each in RunKeys.model_fields.items() if name not in PLACE}, ["default"], [{}])
            return
        if size is not None or seed is not None:
            raise InputError("--size and --seed are for experiments: a scene file holds its own sizes and seeds")
        if jobs > 1:
            raise InputError("--jobs is for studies: a scene file is one scene, which one process runs; share it with --threads")
        settings = read_options(name, RunKeys.model_fields, context.args)
        given = {key: value for key, value in (("threads", threads), ("device", device)) if value is not None}
        run_scene_file(Path(name), {**settings, **given}, options)
        return

    from clast.experiments import find

    experiment = find(name)
    if help:
        print(context.get_help())
        show_parameters(experiment)
        return
    words = [*context.args, *(["--seed", seed] if seed is not None else [])]
    given = read_options(experiment.name, experiment.parameters.model_fields, words)
    run_command(experiment, size, given, options, name)


def run_command(experiment: Entry, size: str | None, given: dict[str, str], options: RunOptions, name: str) -> None:
    """Run an experiment and show what came out of it; `name` is what the user calls it, perhaps a file."""
    from clast.experiments.shared.tables_apart import check_jobs

    check_jobs(experiment, options.jobs)
    out = options.out
    if not options.resume:  # before anything else is touched
        chosen = experiment.choose(size or "quick", given)
    elif out is None:
        out = latest_run(experiment.name)

    from clast.experiments.shared.running import run_experiment, stored_parameters
    from clast.output.progress import Progress

    progress = Progress(label=experiment.name, silent=options.quiet, verbose=options.verbose)
    go_on = f"clast run {name}{options.again}"
    with run_folder(experiment.name, out) as folder, stoppable(folder, go_on), viewed(folder, options.view):
        if options.resume:
            with readable(folder) as stored:
                chosen = stored_parameters(experiment, stored)[1]
        progress.detail(", ".join(f"{key} = {value}" for key, value in chosen.model_dump().items()))
        outcome = run_experiment(
            experiment, out=folder, size=size, given=given, threads=options.threads, device=options.device or "cpu",
            jobs=options.jobs, begin=options.begin, resume=options.resume, overwrite=options.overwrite, progress=progress,
            checkpoint_seconds=options.checkpoint,
        )  # fmt: skip
    if options.quiet:
        print(folder)
    else:
        show_outcome(outcome)


def run_scene_file(path: Path, given: dict[str, str], options: RunOptions) -> None:
    """Run a scene file and show what came out of it."""
    from clast.output.figures.plane import draw_run
    from clast.output.progress import Progress
    from clast.scene_files.reading import read_scene
    from clast.scene_files.running import run_file, stored_settings

    settings = {name: plain_number(text) for name, text in given.items()}
    out = options.out
    if options.resume:
        out = out or latest_run(path.stem)
        with readable(out):
            settings = {**stored_settings(out), **settings}
    file = read_scene(path, settings)
    progress = Progress(label=path.stem, silent=options.quiet, verbose=options.verbose)
    progress.detail(", ".join(f"{name} = {value}" for name, value in file.run.model_dump().items()))
    go_on = f"clast run {path}{options.again}"
    with run_folder(path.stem, out) as folder, stoppable(folder, go_on), viewed(folder, options.view):
        stored = run_file(
            file, out=folder, begin=options.begin, resume=options.resume, overwrite=options.overwrite, progress=progress,
            checkpoint_seconds=options.checkpoint,
        )  # fmt: skip
        figures = draw_run(stored)
    if options.quiet:
        print(folder)
    else:
        show_merit(stored.result or {})
        print(f"run in {folder}; figures: {', '.join(figure.name for figure in figures)}")


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


def read_options(what: str, fields: Mapping[str, FieldInfo] | None, words: Sequence[str]) -> dict[str, str]:
    """`--until 2 --dt=1e-5 --no-onset` as names and texts; InputError for what is not an option with a value.

    fields   what there is, whose `_` may be written `-`; None for the keys of a scene file, which are as they are
    """
    switches = {name for name, each in (fields or {}).items() if each.annotation is bool}
    given: dict[str, str] = {}
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if not word.startswith("--") or word == "--":
            raise InputError(f"'{word}' is not expected here: parameters are written --NAME VALUE")
        option, equals, value = word[2:].partition("=")
        name = option if fields is None else option.replace("-", "_")
        if not equals:
            alone = not waiting or waiting[0].startswith("--")
            if name.startswith("no_") and name[3:] in switches:
                name, value = name[3:], "false"
            elif not alone:
                value = waiting.pop(0)
            elif name in switches:
                value = "true"
            elif fields is None or name in fields:
                raise InputError(f"{what}: --{option} needs a value")
        given[name] = value
    return given


def plain_number(text: str) -> int | float | str:
    """A number where the text is one."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def read_threads(text: str) -> int | str:
    """A number of threads, or "auto"."""
    if text == "auto":
        return text
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise InputError(f"--threads {text}: give a positive number or auto")


def read_device(text: str | None, *, here: bool = True) -> str | None:
    """A device that can be used (on this machine, unless `here` is false), or None if none is given."""
    if text is not None:
        from clast.dynamics.gpu.devices import check_device

        check_device(text, "--device ", here=here)
    return text
