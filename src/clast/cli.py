"""The command line: thin, every command hands over to the package.

Results go to stdout, everything else to stderr. Exit status:

    0     done (whether a result agrees with the paper stands in the result)
    2     bad input or usage: one sentence on stderr, nothing computed or written
    3     the run left the model's limits of validity (overlap too deep, step too large)
    130   stopped by Ctrl-C, 143 by SIGTERM: what was computed is saved and can be resumed

Heavy modules (numba, h5py, matplotlib) are imported inside the commands, so that help stays quick.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clast import __version__
from clast.errors import ClastError, InputError, PhysicsError, StoreError

if TYPE_CHECKING:
    from rich.table import Table

    from clast.experiments.conduct import Outcome
    from clast.experiments.experiment import Experiment, Quantity
    from clast.output.reader import Run

BAD_INPUT, PHYSICS = 2, 3
RUNS = Path("runs")
PLAIN_WIDTH = 160  # columns where there is no terminal to ask

app = typer.Typer(
    name="clast",
    help="Granular dynamics with grains of any shape.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


class Terminated(BaseException):
    """SIGTERM outside a run's own care."""


def main() -> None:
    """The `clast` command."""
    sys.exit(run_command(sys.argv[1:]))


def run_command(arguments: Sequence[str]) -> int:
    """Carry out a command line and return its exit status; every expected failure becomes one message on stderr."""
    choose_backend()
    command = typer.main.get_command(app)
    try:
        with terminable():
            status = command.main(list(arguments) or ["--help"], prog_name="clast", standalone_mode=False)
            sys.stdout.flush()
            return int(status or 0)
    except PhysicsError as error:
        return fail(str(error), PHYSICS)
    except ClastError as error:
        return fail(str(error), BAD_INPUT)
    except BrokenPipeError:  # `clast list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return fail(str(error), BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        return fail("stopped", 128 + signal.SIGINT)
    except Terminated:
        return fail("stopped", 128 + signal.SIGTERM)
    except Exception as error:
        if hasattr(error, "format_message"):  # bad usage, told by typer (whose exceptions have moved between versions)
            return fail(error.format_message(), BAD_INPUT)
        raise


def fail(message: str, status: int) -> int:
    """Say what is wrong in one line on stderr."""
    if message:
        print("clast:", " ".join(message.split()), file=sys.stderr, flush=True)
    return status


def choose_backend() -> None:
    """Figures go to files: no window, no display needed."""
    os.environ["MPLBACKEND"] = "Agg"
    if "matplotlib" in sys.modules:
        sys.modules["matplotlib"].use("Agg")


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM unwind like Ctrl-C, so that an empty folder does not stay behind."""

    def leave(_: int, __: object) -> None:
        raise Terminated

    try:
        old = signal.signal(signal.SIGTERM, leave)
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, old)


# --- commands --------------------------------------------------------------------------------------------------------


def show_version(asked: bool) -> None:
    """Print the version and leave."""
    if asked:
        print(f"clast {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[bool, typer.Option("--version", help="Show the version.", is_eager=True, callback=show_version)] = False,
) -> None:
    """Granular dynamics with grains of any shape."""


@app.command("list")
def list_experiments() -> None:
    """Experiments of the papers."""
    import clast.experiments as experiments
    from clast.experiments.experiment import read_headline

    table = plain_table("experiment", "paper", "title")
    for name in experiments.names():
        paper, title = read_headline(Path(experiments.__file__).parent / f"{name.replace('-', '_')}.py")
        table.add_row(name, paper, title)
    show(table)


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
    help: Annotated[bool, typer.Option("--help", help="Show this, and with NAME its parameters.")] = False,
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
    if not checkpoint >= 0.0:
        raise InputError(f"--checkpoint {checkpoint}: give seconds, not less than 0")
    workers = read_threads(threads)
    if resume and overwrite:
        raise InputError("--resume and --overwrite contradict each other: choose one")
    if not resume:  # before anything else is touched
        chosen = experiment.choose(size or "quick", given)
    elif out is None:
        out = latest_run(experiment.name)

    from clast.experiments.conduct import conduct, stored_parameters
    from clast.output.progress import Progress
    from clast.output.recording import Interrupted

    progress = Progress(label=experiment.name, silent=quiet, verbose=verbose)
    with run_folder(experiment.name, out) as folder:
        if resume:
            with readable(folder) as stored:
                chosen = stored_parameters(experiment, stored)[1]
        progress.detail(", ".join(f"{key} = {value}" for key, value in chosen.model_dump().items()))
        go_on = f"Go on with: clast run {experiment.name} --resume --out {folder}"
        try:
            outcome = conduct(
                experiment, out=folder, size=size, given=given, threads=workers, resume=resume, overwrite=overwrite,
                progress=progress, checkpoint_seconds=checkpoint,
            )  # fmt: skip
        except Interrupted as stop:
            fail(f"stopped at t = {stop.time:.6g}; saved. {go_on}", 0)
            raise typer.Exit(128 + stop.signal_number) from None
        except (KeyboardInterrupt, Terminated) as stop:
            saved = (folder / "checkpoint.h5").exists()
            fail(f"stopped; what was saved is intact. {go_on}" if saved else "stopped before the first step", 0)
            raise typer.Exit(128 + (signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT)) from None
    if quiet:
        print(folder)
    else:
        show_outcome(outcome)


@app.command()
def info(
    folder: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="RUN")],
    pack: Annotated[bool, typer.Option("--pack", help="Merge the parts of the run into one file first.")] = False,
) -> None:
    """What a run is and what came out of it."""
    if pack:
        from clast.output.pack import pack as pack_run

        pack_run(folder)
    with readable(folder) as stored:
        print(repr(stored))
        said = stored.provenance
        if "experiment" in said:
            print(f"  what      {said['experiment']}, size {said.get('size')}")
            print(f"  with      {one_line(said.get('parameters', {}))}")
        for key in ("date", "revision", "command"):
            if said.get(key) is not None:
                print(f"  {key:<9} {one_line(said[key])}")
        show_book(stored)
        if stored.result is not None:
            from clast.experiments.experiment import Quantity

            show_quantities([Quantity.from_json(each) for each in stored.result.get("quantities", [])])
            show_merit(stored.result)


@app.command()
def figure(folder: Annotated[Path, typer.Argument(help="Folder of an experiment's run.", metavar="RUN")]) -> None:
    """Draw the figures of a run again."""
    with readable(folder) as stored:
        name = stored.provenance.get("experiment")
        if name is None:
            raise InputError(f"{folder} is not the run of an experiment: there are no figures to draw")
        if len(stored.frames) == 0:
            raise InputError(f"nothing was saved yet in {folder}: there is nothing to draw")
        from clast.experiments import find
        from clast.experiments.conduct import draw, stored_parameters

        experiment = find(str(name))
        _, parameters = stored_parameters(experiment, stored)
        for path in draw(experiment, parameters, stored).figures:
            print(path)


@app.command()
def bench(
    cases: Annotated[list[str] | None, typer.Argument(help="Cases to time; all if none.", metavar="[CASE]…")] = None,
    threads: Annotated[str, typer.Option(help="Number of threads, or auto.")] = "1",
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list and nothing else.")] = False,
) -> None:
    """Cundall numbers on this machine: grains × steps / seconds."""
    workers = read_threads(threads)
    from clast.preparation.bench import CASES, run_cases

    chosen = list(cases or CASES)
    if unknown := [case for case in chosen if case not in CASES]:
        raise InputError(f"there is no benchmark '{unknown[0]}'; there are: {', '.join(CASES)}")
    results: list[dict[str, Any]] = []
    with redirect_stdout(sys.stderr):  # whatever a case may say
        for case in chosen:
            print(f"{case} …", file=sys.stderr, flush=True)
            results += run_cases([case], workers)
    if as_json:
        print(json.dumps(results, indent=2))
        return
    table = plain_table("case", "grains", "c [1/s]", "threads", "device", "contacts per grain", "rebuilds per 1000 steps")
    for row in results:
        rate = row.get("rebuilds_per_1000_steps")
        table.add_row(
            row["case"], str(row["grains"]), f"{row['cundall']:.3g}", str(row["threads"]), row["device"],
            f"{row['contacts_per_grain']:.2f}", f"{rate:.3g}" if rate is not None else f"{row['rebuilds']} in all",
        )  # fmt: skip
    show(table)


# --- reading what the user wrote -------------------------------------------------------------------------------------


def read_options(experiment: Experiment, words: Sequence[str]) -> dict[str, str]:
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


# --- folders ---------------------------------------------------------------------------------------------------------


@contextmanager
def run_folder(name: str, out: Path | None) -> Iterator[Path]:
    """The folder for a run: `out`, or a fresh runs/NAME-DATE-n, taken at once so that no other process gets it too.

    A fresh one that stays empty, because the run is refused or stopped before it begins, is removed again.
    """
    if out is not None:
        yield out
        return
    made_parent = not RUNS.exists()
    RUNS.mkdir(exist_ok=True)
    number = 1
    while True:
        folder = RUNS / f"{name}-{date.today().isoformat()}-{number}"
        try:
            folder.mkdir()
            break
        except FileExistsError:
            number += 1
    try:
        yield folder
    finally:
        with suppress(OSError):  # not empty: a run lies there
            folder.rmdir()
            if made_parent:
                RUNS.rmdir()


def latest_run(name: str) -> Path:
    """The youngest run of an experiment under runs/."""
    found = [path.parent for path in RUNS.glob(f"{name}-[0-9]*/run.h5")]
    if not found:
        raise InputError(f"there is no run of {name} in {RUNS}/: say which to resume with --out RUN")
    return max(found, key=lambda folder: (folder / "run.h5").stat().st_mtime)


@contextmanager
def readable(folder: Path) -> Iterator[Run]:
    """An open run; what HDF5 says about a damaged file becomes one sentence."""
    from clast.output.reader import open_run

    try:
        stored = open_run(folder)
        for name in stored.series:
            _ = stored.series[name]
    except (OSError, KeyError, RuntimeError, ValueError) as error:
        raise StoreError(f"the run in {folder} is damaged ({error})") from None
    try:
        yield stored
    finally:
        stored.close()


# --- showing ---------------------------------------------------------------------------------------------------------


def show(table: Table) -> None:
    """Print a table to stdout, wide enough where that is not a terminal."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else PLAIN_WIDTH
    Console(width=width, highlight=False, markup=False, emoji=False).print(table)


def plain_table(*columns: str) -> Table:
    """A table without boxes: good to read and to grep."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=column in ("experiment", "case"))
    return table


def number(value: float | None, unit: str = "") -> str:
    """A number with its unit; a dash where there is none."""
    if value is None or value != value:
        return "–"
    return f"{value:.6g} {unit}".rstrip()


def one_line(value: Any) -> str:
    """A stored value as text."""
    if isinstance(value, dict):
        return ", ".join(f"{key} = {each}" for key, each in value.items())
    if isinstance(value, list):
        return " ".join(str(each) for each in value)
    return str(value)


def show_parameters(experiment: Experiment) -> None:
    """The parameters of an experiment, from its pydantic model."""
    print(f"\n{experiment.name} ({experiment.paper}): {experiment.title}\n")
    fields = experiment.parameters.model_fields
    others = list(experiment.sizes) if any(experiment.sizes.values()) else []
    table = plain_table("parameter", "unit", *(others or ["default"]), "description")
    for name, each in fields.items():
        extra = each.json_schema_extra if isinstance(each.json_schema_extra, dict) else {}
        values = [str(experiment.sizes[size].get(name, each.default)) for size in others] or [str(each.default)]
        table.add_row(f"--{name.replace('_', '-')}", str(extra.get("unit", "")), *values, each.description or "")
    show(table)


def show_quantities(quantities: Sequence[Quantity]) -> None:
    """Published beside measured."""
    if not quantities:
        return
    words = {True: "yes", False: "no", None: "–"}
    table = plain_table("quantity", "published", "measured", "agrees", "note")
    for each in quantities:
        table.add_row(
            each.name, number(each.published, each.unit), number(each.measured, each.unit),
            words[each.agrees], each.note,
        )  # fmt: skip
    show(table)


def show_merit(result: dict[str, Any]) -> None:
    """The figures of merit of a finished run, in one line."""
    rate = 1000.0 * result["rebuilds"] / max(result["steps"], 1)
    print(
        f"Cundall number {result['cundall']:.3g}/s, {rate:.3g} rebuilds per 1000 steps, "
        f"energy error {result['energy_error']:.2g} ({result['grains']} grains, {result['steps']} steps, "
        f"{result['wall_s']:.3g} s)"
    )


def show_outcome(outcome: Outcome) -> None:
    """Table, figures of merit, folder and figures at the end of a run."""
    show_quantities(outcome.quantities)
    show_merit(outcome.run.result or {})
    print(f"run in {outcome.run.folder}; figures: {', '.join(path.name for path in outcome.figures) or 'none'}")


def show_book(stored: Run) -> None:
    """The accounts at the end, the energy error and the papers' ratios."""
    from clast.measures.book import ACCOUNTS, Book

    if not len(stored.series["time"]) or any(account not in stored.series.names for account in ACCOUNTS):
        return
    book = Book(stored.series["time"], stored.series)
    table = plain_table("account", "at the start", f"at t = {book.time[-1]:.6g}")
    rows = {account.replace("_", " "): book[account] for account in ACCOUNTS}
    rows |= {"energy + heat − work": book.energy + book.heat - book.work}
    for account, values in rows.items():
        table.add_row(account, f"{values[0]:.8g}", f"{values[-1]:.8g}")
    show(table)
    print(f"energy error {book.energy_error:.3g} (largest residual over max(kinetic + elastic) + heat)")
    for ratio, value in book.papers().items():
        print(f"{ratio} {value:.3g}")


if __name__ == "__main__":
    main()
