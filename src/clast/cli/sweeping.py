"""`clast sweep`: many runs at once, here or row by row on a cluster."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clast.cli.app import OPEN, Checkpoint, Device, Help, Jobs, On, Size, app, fail
from clast.cli.folders import run_folder
from clast.cli.running import SCENE_FILE, Terminated, read_device, read_options, read_threads
from clast.cli.tables import number, plain_table, show, show_parameters
from clast.errors import InputError
from clast.sweeps.places import LOCAL, check_place_word

if TYPE_CHECKING:
    from clast.sweeps.plan import SweepPlan
    from clast.sweeps.sharing import TaskEnding
    from clast.sweeps.sweep import Sweep
    from clast.sweeps.table import SweepTable

SOME_FAILED = 3
NAME = typer.Argument(help="Experiment, scene file FILE.toml, or folder of a sweep to go on with.", metavar="NAME")
MOST_RESULTS = 4  # columns of results that fit a screen
SOUNDNESS = ("energy_error", "overlap_share")  # shown of every sweep, beside them
MOST_LINES = 40  # rows shown without --list


@app.command(add_help_option=False, context_settings=OPEN)
def sweep(
    context: typer.Context,
    name: Annotated[str | None, NAME] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(help="Values of a parameter: seed=1:8, pressure=10,30,100, dt=1e-5:1e-3:log5; each combination is a run."),
    ] = None,
    table: Annotated[Path | None, typer.Option(help="CSV file whose columns are parameters, a run a row.")] = None,
    size: Size = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the sweep; runs/NAME-sweep-DATE-n if not given.")] = None,
    on: On = "local",
    jobs: Jobs = None,
    threads: Annotated[str, typer.Option(help="Threads of each run, or auto.")] = "1",
    device: Device = None,
    only: Annotated[list[str] | None, typer.Option(help="Rows to run, by number from 1: 7, or 3,5:9.")] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Try again what failed.")] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Write down what to run, and run nothing.")] = False,
    script: Annotated[
        bool, typer.Option("--script", help="As --plan; write a script too that submits the rows to SLURM without Dask.")
    ] = False,
    list_rows: Annotated[bool, typer.Option("--list", help="Show the rows and the state of each, write nothing.")] = False,
    checkpoint: Checkpoint = 30.0,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing but the sweep's folder.")] = False,
    allow_code: Annotated[
        bool, typer.Option("--allow-code", help="Go on with a sweep of an experiment in a file: run the code in its folder.")
    ] = False,
    help: Help = False,
) -> None:
    """Run an experiment or a scene file many times with other parameters: clast sweep cow-gas --vary seed=1:8 --out runs/gas.

    clast sweep FOLDER goes on with what is missing. Parameters that are the same for all runs are options, of a scene file by
    dotted keys (--law.friction 0.3). Exit status: 0 all finished, 2 bad input, 3 some failed or are left to another process,
    130 and 143 stopped.
    """
    if help:
        print(context.get_help())
        if name is not None and not name.lower().endswith(SCENE_FILE) and not is_sweep(name):
            from clast.experiments import find

            show_parameters(find(name))
        return
    if name is None:
        raise InputError("what shall be swept? clast sweep NAME --vary seed=1:8, clast list shows the names; or a sweep's folder")
    if name.startswith("-"):
        raise InputError(f"the name comes before its options: clast sweep NAME {name} …")
    if not checkpoint >= 0.0:
        raise InputError(f"--checkpoint {checkpoint}: give seconds, not less than 0")
    if jobs is not None and jobs < 1:
        raise InputError(f"--jobs {jobs}: give a positive number")
    check_place_word(on)
    rows = ",".join(only) if only else None
    write_only = "script" if script else "plan" if plan else ""
    here = on == LOCAL and not write_only
    settings = {
        "on": on, "jobs": jobs, "threads": read_threads(threads), "device": read_device(device, here=here), "retry": retry,
        "checkpoint_seconds": checkpoint,
    }  # fmt: skip

    if vary or table is not None:
        from clast.experiments import names
        from clast.sweeps.sweep import check_where

        if is_sweep(name) and name not in names():
            raise InputError(f"{name} is a sweep's folder: to add rows, give its experiment or scene file and --out {name}")
        request = read_request(name, vary or [], table, size, context.args)
        check_where(name, device, here=here)
        if list_rows and (out is None or not is_sweep(str(out))):  # only to look: nothing is planned
            show_request(request)
            return
        with run_folder(f"{Path(name).stem}-sweep", out) as folder:
            carry_out(request.plan(folder), rows, write_only, list_rows, settings, quiet)
        return
    if not is_sweep(name):
        raise InputError(
            f"what shall be varied? clast sweep {name} --vary seed=1:8, or --table FILE.csv ({name} is no sweep's folder)"
        )
    if context.args or size is not None or out is not None:
        option = context.args[0] if context.args else "--size" if size is not None else "--out"
        raise InputError(f"{option}: a sweep that is there keeps what it was planned with; leave it out")
    from clast.experiments.shared.own_file import is_own_file
    from clast.sweeps.plan import read_plan

    found = read_plan(Path(name))
    if is_own_file(found.what) and not allow_code:
        raise InputError(
            f"the sweep in {name} runs Python code that lies there, scene/{found.what}: look at it, and give --allow-code if you "
            "trust it"
        )
    carry_out(found, rows, write_only, list_rows, settings, quiet)


def is_sweep(name: str) -> bool:
    """Whether there is a sweep in a folder of that name."""
    return (Path(name) / "sweep.json").exists()


def read_request(name: str, vary: Sequence[str], table: Path | None, size: str | None, words: Sequence[str]) -> Sweep:
    """The requested sweep, every row checked."""
    from clast.sweeps.ranges import read_value, read_vary
    from clast.sweeps.sweep import Sweep

    lists: dict[str, Any] = {}
    for each in vary:
        parameter, values = read_vary(each)
        if parameter in lists:
            raise InputError(f"--vary {each}: {parameter} is varied twice; give all its values at once")
        lists[parameter] = values
    if name.lower().endswith(SCENE_FILE):
        options = read_options(name, None, words)
        return Sweep(name, vary=lists, table=table, given={key: read_value(text) for key, text in options.items()}, size=size)
    from clast.experiments import find

    fields = find(name).parameters.model_fields
    return Sweep(name, vary=lists, table=table, given=read_options(name, fields, words), size=size)


def show_request(request: Sweep) -> None:
    """The rows that would be run."""
    names = list(dict.fromkeys(name for row in request.rows for name in row))
    found = plain_table("row", *names)
    for k, row in enumerate(request.rows, start=1):
        values = (row.get(name, "–") for name in names)
        found.add_row(str(k), *(number(each) if isinstance(each, float) else str(each) for each in values))
    show(found)


def carry_out(plan: SweepPlan, only: str | None, write_only: str, list_only: bool, settings: dict[str, Any], quiet: bool) -> None:
    """Run a plan, or some rows of it, or only tell of it.

    write_only   "plan" or "script": leave it at that
    """
    from clast.sweeps.display import Display
    from clast.sweeps.index import write_index
    from clast.sweeps.ranges import read_numbers
    from clast.sweeps.slurm_script import write_script
    from clast.sweeps.sweep import run_plan
    from clast.sweeps.table import open_sweep

    rows = None if only is None else read_numbers(only, len(plan.rows))
    folder = shlex.quote(str(plan.folder))
    if list_only:  # writes nothing: the sweep may be somebody else's
        if quiet:
            print(plan.folder)
        else:
            show_rows(open_sweep(plan.folder), rows, running=True)
        return
    if write_only:
        write_index(plan)
        script = write_script(plan, settings["threads"], settings["device"]) if write_only == "script" else None
        if quiet:
            print(plan.folder)
        else:
            count = len(plan.rows)
            print(f"{count} row{'s' if count != 1 else ''} in {plan.folder}, none run now")
            print(f"here:        clast sweep {folder}")
            print(f"with SLURM:  {f'bash {shlex.quote(str(script))}' if script else f'clast sweep {folder} --script'}")
        return
    with stoppable(plan.folder, settings["on"]):
        endings = run_plan(plan, only=rows, progress=Display(silent=quiet), **settings)
    if quiet:
        print(plan.folder)
    else:
        show_rows(
            open_sweep(plan.folder), rows, reasons={each.task.name: each.message for each in endings if each.state == "failed"}
        )
        print(f"sweep in {plan.folder}; parameters and results in {plan.folder / 'index.csv'}")
    tell_errors(endings, plan)


def tell_errors(endings: Sequence[TaskEnding], plan: SweepPlan) -> None:
    """Say in one line what did not finish, and leave with its status."""
    folder = shlex.quote(str(plan.folder))
    failed = [each for each in endings if each.state == "failed"]
    elsewhere = [each for each in endings if each.state == "elsewhere"]
    if elsewhere:
        fail(f"{len(elsewhere)} of {len(endings)} rows are being run by another process and were left to it", 0)
    if failed:
        fail(
            f"{len(failed)} of {len(endings)} rows failed, the first: {failed[0].task.name}: {failed[0].message}. See them with: "
            f"clast sweep {folder} --list; try them again with: clast sweep {folder} --retry",
            0,
        )
    if failed or elsewhere:
        raise typer.Exit(SOME_FAILED)


@contextmanager
def stoppable(folder: Path, on: str) -> Iterator[None]:
    """Say how to go on with a sweep that a signal ended, and leave with the status of that signal."""
    try:
        yield
    except (KeyboardInterrupt, Terminated) as stop:
        where = "" if on == LOCAL else f" --on {shlex.quote(on)}"
        fail(f"stopped; what was running is saved. Go on with: clast sweep {shlex.quote(str(folder))}{where}", 0)
        raise typer.Exit(128 + (signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT)) from None


def show_rows(
    table: SweepTable, only: Sequence[int] | None = None, running: bool = False, reasons: Mapping[str, str] | None = None
) -> None:
    """The rows of a sweep: state, what varies, the first results, energy error and deepest overlap.

    only      numbers of the rows to show; all if None
    running   look which are being run at this moment, and show all rows
    reasons   why rows failed now, by name: on a disk that is lost that stands nowhere else
    """
    from clast.sweeps.index import MERIT, RESULT
    from clast.sweeps.task import state_of

    shown = [name for name in table.results if name.removesuffix(RESULT) not in MERIT][:MOST_RESULTS]
    shown += [name for name in table.results if name in SOUNDNESS]
    found = plain_table("row", "state", *table.varied, *(titled(table, name) for name in shown), "message")
    rows = [row for row in table.rows if only is None or row["row"] in only]
    for row in rows if running else rows[:MOST_LINES]:
        state = state_of(table.folder / row["name"], running=True) if running and row["state"] == "begun" else row["state"]
        message = row["message"]
        if state != "failed" and row["name"] in (reasons or {}):
            state, message = "failed", (reasons or {})[row["name"]]
        varied = [number(row[name]) if isinstance(row[name], float) else str(row[name]) for name in table.varied]
        found.add_row(str(row["row"]), state, *varied, *(number(row[name]) for name in shown), message)
    show(found)
    if not running and len(rows) > MOST_LINES:
        print(f"… and {len(rows) - MOST_LINES} more rows")


def titled(table: SweepTable, name: str) -> str:
    """The name of a column with its unit."""
    return f"{name} [{table.units[name]}]" if name in table.units else name
