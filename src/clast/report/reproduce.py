"""All experiments of the papers, or some: run what is missing, and tell what came out of it.

reproduce_plan    which runs, where they lie, how far they are
report            what they say, as data
report_summary    what was judged
report_html       one page that holds everything
report_markdown   a shorter one, for a project's site
report_pictures   pictures small enough for either
report_views      runs in the browser, one file each
report_words      how names and numbers are set
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from clast.errors import ClastError
from clast.output.store.atomic import make_folder, write_text, write_whole
from clast.report.claims.judging import judge_claims
from clast.report.claims.page import claims_page
from clast.report.data import summary_text, write_data
from clast.report.gathering import Report, gather
from clast.report.html import html_page
from clast.report.markdown import CLAIMS_FILE, markdown_page
from clast.report.pictures import SUFFIX
from clast.report.plan import UNKNOWN, PlannedRun, plan_runs
from clast.report.rows import CSV_FILE, rows_of
from clast.report.views import write_views
from clast.sweeps.display import Display
from clast.sweeps.index import locked
from clast.sweeps.places import LOCAL
from clast.sweeps.sharing import TaskEnding, run_tasks
from clast.sweeps.task import Task

if TYPE_CHECKING:
    from distributed import Client

Format = Literal["html", "markdown"]
FORMATS: tuple[Format, ...] = ("html", "markdown")
HTML_FILE, MARKDOWN_FILE, PICTURES_FOLDER, LOCK_FILE = "report.html", "report.md", "report", ".report.lock"


class Reporting(Display):
    """A display that has the report written anew whenever a run has ended."""

    def __init__(self, write: Callable[[], object], *, silent: bool) -> None:
        super().__init__(silent=silent)
        self._write = write

    def ended(self, name: str, state: str, message: str, seconds: float) -> None:
        """A run has ended. A report that cannot be written now does not end the others: it is tried again."""
        super().ended(name, state, message, seconds)
        try:
            self._write()
        except (ClastError, OSError) as error:
            self.say(f"the report is not written yet: {error}")


def tasks_of(plan: Sequence[PlannedRun]) -> list[Task]:
    """The requested runs as tasks, the longest first, so that none is left over when all others are done."""
    requested = sorted((each for each in plan if each.requested), key=lambda each: -(each.seconds or UNKNOWN))
    return [Task(each.folder.name, each.entry.name, each.size, each.given, each.timed) for each in requested]


def reproduce(
    wanted: Sequence[str],
    size: str,
    folder: Path,
    *,
    on: str | Client = LOCAL,
    jobs: int | None = None,
    retry: bool = False,
    form: Format = "html",
    silent: bool = False,
    views: bool = False,
) -> tuple[list[TaskEnding], Path]:
    """Run the wanted experiments (all if none is named) into `folder` and write the report; returns endings and the page.

    What is finished stays, what was begun goes on, what failed before is tried again with `retry` only; a failure does not
    stop the rest. With `views` the report leads to a view of each finished run. InputError before anything is written if a
    name, the size or the folder is not good.
    """
    plan = plan_runs(wanted, size, folder)

    def write() -> Path:
        return write_report(plan, size, folder, form)

    endings = run_tasks(tasks_of(plan), folder, on=on, jobs=jobs, retry=retry, progress=Reporting(write, silent=silent))
    if views:
        write_views(plan)
    return endings, write()


def write_report(plan: Sequence[PlannedRun], size: str, folder: Path, form: Format = "html") -> Path:
    """The report on runs as they are now, each file of it whole or as it was; returns the page. One process at a time."""
    with locked(folder / LOCK_FILE):
        return write_pages(gather(plan, size, folder), folder, form)


def write_pages(report: Report, folder: Path, form: Format) -> Path:
    """The files of a report."""
    write_data(report, folder)
    if form == "html":
        write_text(folder / HTML_FILE, html_page(report, folder))
        return folder / HTML_FILE
    text, pictures = markdown_page(report, folder, PICTURES_FOLDER)
    make_folder(folder / PICTURES_FOLDER)
    for path in (folder / PICTURES_FOLDER).glob(f"*{SUFFIX}"):
        if path.name not in pictures:  # of a report before
            path.unlink()
    for name, picture in pictures.items():
        write_whole(folder / PICTURES_FOLDER / name, picture.save)
    rows = rows_of(report)
    write_text(folder / CLAIMS_FILE, claims_page(judge_claims(rows), rows))
    write_text(folder / PICTURES_FOLDER / CSV_FILE, summary_text(report))  # from which `clast claims` makes the page anew
    write_text(folder / MARKDOWN_FILE, text)
    return folder / MARKDOWN_FILE
