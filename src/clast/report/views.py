"""Views of the runs of a report: one file each, to which the report leads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from clast.output.viewer.page import save_page
from clast.report.plan import PlannedRun, progress_of

VIEW_FILE = "view.html"
FRAMES = 200  # of a view


def write_views(plan: Sequence[PlannedRun]) -> list[Path]:
    """Write the view of every finished run that stored frames and has none yet; returns those written."""
    written = []
    for planned in plan:
        progress = progress_of(planned)
        if progress.run is None:
            continue
        path = planned.folder / VIEW_FILE
        if progress.state == "finished" and len(progress.run.frames) and not is_newer(path, planned.folder / "run.h5"):
            written.append(save_page(progress.run, path, FRAMES))
        progress.run.close()
    return written


def is_newer(path: Path, than: Path) -> bool:
    """Whether a file was written after another one."""
    return path.exists() and path.stat().st_mtime_ns >= than.stat().st_mtime_ns
