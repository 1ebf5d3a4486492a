"""`clast reproduce`: all experiments of the papers, run where they are missing, in one report. `clast claims`: what the papers
claim, beside what the runs of reports hold."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clast.cli.app import Jobs, On, app, fail
from clast.cli.folders import RUNS
from clast.cli.running import Terminated
from clast.cli.tables import plain_table, show
from clast.errors import InputError
from clast.sweeps.places import check_place_word

if TYPE_CHECKING:
    from clast.report.plan import PlannedRun

SOME_FAILED = 3


@app.command()
def reproduce(
    names: Annotated[list[str] | None, typer.Argument(help="Experiments; all if none is named.", metavar="[NAME]...")] = None,
    size: Annotated[str | None, typer.Option(help="quick or full; that of the runs in --out, or quick.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of all runs and the report; runs/reproduce-SIZE if not given.")] = None,
    on: On = "local",
    jobs: Jobs = None,
    retry: Annotated[bool, typer.Option("--retry", help="Try again what failed before.")] = False,
    report_only: Annotated[bool, typer.Option("--report-only", help="Run nothing, write the report on what is there.")] = False,
    list_only: Annotated[bool, typer.Option("--list", help="Run nothing, show what there is to run and what is there.")] = False,
    form: Annotated[
        str, typer.Option("--format", help="html: one file with everything; markdown: a shorter page for a project's site.")
    ] = "html",
    views: Annotated[
        bool, typer.Option("--views", help="Write a view of each run for the browser, linked in the report.")
    ] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing but the name of the report.")] = False,
) -> None:
    """Run the experiments of the papers and put published beside measured in one report.

    Stop it whenever you like: the same command goes on, finished runs are not run again. A run that fails does not stop the
    rest. Exit status: 0 all finished, 2 bad input, 3 some failed or are left to another process, 130 stopped by Ctrl-C, 143
    by SIGTERM.
    """
    from clast.report.plan import QUICK, find_runs, plan_runs, size_there
    from clast.report.reproduce import FORMATS, write_report
    from clast.report.reproduce import reproduce as run_all
    from clast.report.views import write_views

    if form not in FORMATS:
        raise InputError(f"--format {form}: choose {' or '.join(FORMATS)}")
    if jobs is not None and jobs < 1:
        raise InputError(f"--jobs {jobs}: give a positive number")
    check_place_word(on)
    if report_only and list_only:
        raise InputError("--list and --report-only contradict each other: choose one")
    size = size or (size_there(out) if out is not None else QUICK)
    folder = out or RUNS / f"reproduce-{size}"
    if list_only:
        show_plan(plan_runs(names or [], size, folder))
        return
    if report_only:
        if not folder.is_dir():
            raise InputError(f"there is no folder {folder}: nothing to report on")
        plan = plan_runs(names or sorted({each.name for each in find_runs(folder)}), size, folder)
        if views:
            write_views(plan)
        print(write_report(plan, size, folder, form))
        return
    try:
        endings, page = run_all(
            names or [], size, folder, on=on, jobs=jobs, retry=retry, form=form, silent=quiet, views=views
        )  # fmt: skip
    except (KeyboardInterrupt, Terminated) as stop:
        fail("stopped; what was saved is intact, and the same command goes on with it", 0)
        raise typer.Exit(128 + (signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT)) from None
    print(page)
    failed = [ending.task.name for ending in endings if ending.state == "failed"]
    elsewhere = [ending.task.name for ending in endings if ending.state == "elsewhere"]
    if elsewhere:
        fail(f"left to the processes that run them now: {', '.join(elsewhere)}", 0)
    if failed:
        fail(f"{len(failed)} of {len(endings)} runs failed ({', '.join(failed)}), see the report for why; --retry tries again", 0)
    if failed or elsewhere:
        raise typer.Exit(SOME_FAILED)


@app.command()
def claims(
    places: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders of reports, or their summary.csv; runs/reproduce-full and -quick, whichever there are."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the page to this file instead of a summary to the screen.")] = None,
) -> None:
    """Put each claim of the five papers beside what stored runs hold: agrees, better, disagrees, shown only, missing.

    Of runs of several sizes those of the papers' size count. Nothing is run.
    """
    from clast.report.claims.judging import judge_claims
    from clast.report.claims.page import claims_page, standing_of
    from clast.report.rows import read_rows

    folders = places or [folder for size in ("full", "quick") if (folder := RUNS / f"reproduce-{size}").is_dir()]
    if not folders:
        raise InputError("there is no report: give its folder, or make one with `clast reproduce`")
    rows = [row for place in folders for row in read_rows(place)]
    judged = judge_claims(rows)
    if out is not None:
        from clast.output.store.atomic import write_text

        write_text(out, claims_page(judged, rows))
        print(out)
        return
    table = plain_table("claim", "verdict", "where", "in our words", "published", "ours")
    for each in judged:
        claim = each.claim
        table.add_row(claim.key, each.verdict, claim.place, claim.claim, claim.published, each.ours)
    show(table)
    print(standing_of(judged))


def show_plan(plan: Sequence[PlannedRun]) -> None:
    """What there is to run, how long each should take, and what is there; then all of it in a line."""
    from clast.output.estimate import duration
    from clast.report.gathering import LACKING
    from clast.report.plan import progress_of

    table = plain_table("run", "experiment", "paper", "expected", "state", "")
    left, unknown, lacking = 0.0, 0, 0
    for each in plan:
        progress = progress_of(each)
        expected = "not known" if each.seconds is None else duration(each.seconds)
        remark = progress.message
        if progress.run is not None:
            remark = remark or f"took {duration((progress.run.result or {}).get('wall_s') or 0.0)}"
            progress.run.close()
        if each.requested and progress.state != "finished":
            lacking += 1
            left += each.seconds or 0.0
            unknown += each.seconds is None
        state = LACKING.get(progress.state, progress.state)
        table.add_row(each.folder.name, each.entry.name, each.entry.paper, expected, state, remark)
    show(table)
    more = f", besides {unknown} whose time is not known" if unknown else ""
    print(f"{lacking} of {len(plan)} runs are to be made: about {duration(left)} one after the other{more}")
