"""How a long task shows itself: a bar in a terminal or notebook, a line a minute elsewhere, nothing when `silent`.

All of it goes to stderr (in a notebook below the cell), so that stdout holds results only.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Self

from clast.output.estimate import duration
from clast.output.figures.notebook import NotebookBar, in_notebook

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

LINE_SECONDS = 60.0
FIRST_SECONDS = 1.0  # after which the pace is known well enough to say how long it will take
RECENT = 0.25  # of the time taken so far: what counts as the pace now; grains that pile up slow a run down
LEAST_RECENT = 5.0  # seconds of it
LOOKS = 100  # in the recent past that are remembered, about
WORTH_SAYING = 10.0  # seconds left, below which nobody needs to know


class Pace:
    """How long something still takes at the pace of the recent past."""

    def __init__(self, began: float) -> None:
        self.began, self._looks = began, deque[tuple[float, float]]()

    def left(self, now: float, done: float, end: float) -> float | None:
        """Seconds from `now` until `end`, `done` being done; None before anything has been."""
        looks = self._looks
        recent = max(RECENT * (now - self.began), LEAST_RECENT)
        if not looks or now - looks[-1][0] >= recent / LOOKS:
            looks.append((now, done))
        while len(looks) > 1 and looks[1][0] <= now - recent and looks[1][1] < done:
            looks.popleft()
        since, before = looks[0]
        return (now - since) * (end - done) / (done - before) if done > before else None


class Progress:
    """Shows the share of steps done, the time left and the Cundall number. A context manager around the stretch.

    silent    say nothing at all
    verbose   say details too, such as every checkpoint
    """

    def __init__(self, label: str = "", silent: bool = False, verbose: bool = False) -> None:
        self.label, self.silent, self.verbose = label, silent, verbose and not silent
        self._bar: RichProgress | NotebookBar | None = None
        self._task: TaskID | None = None
        self._began = self._last_line = time.monotonic()
        self._pace = Pace(self._began)
        self._estimated = False

    def say(self, text: str) -> None:
        """A sentence for the user, above the bar."""
        if self.silent:
            return
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)
        else:
            print(text, file=sys.stderr, flush=True)

    def detail(self, text: str) -> None:
        """Print a sentence if `verbose`."""
        if self.verbose:
            self.say(text)

    def __enter__(self) -> Self:
        self._began = self._last_line = time.monotonic()
        self._pace, self._estimated = Pace(self._began), False
        if self.silent:
            return self
        if in_notebook():
            self._bar = NotebookBar(self.label or "stepping")
        elif sys.stderr.isatty():
            self._bar = terminal_bar()
            self._bar.start()
            self._task = self._bar.add_task(self.label or "stepping", total=1.0, left="", merit="")
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def update(self, step: int, end: int, cundall: float | None = None) -> None:
        """Show that `step` of `end` steps are done."""
        if self.silent:
            return
        now = time.monotonic()
        left = self._pace.left(now, step, end)
        if not self._estimated and left is not None and now - self._began >= FIRST_SECONDS:
            self._estimated = True
            if left >= WORTH_SAYING:
                self.say(f"about {duration(left)} to go at this pace")
        merit = f"c = {cundall:.1e}/s".replace("e+0", "e") if cundall else ""
        share = step / max(end, 1)
        words = f"{duration(left)} left" if left is not None else ""
        if isinstance(self._bar, NotebookBar):
            self._bar.update(share, left, merit)
        elif self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=share, left=words, merit=merit)
        elif now - self._last_line >= LINE_SECONDS:
            self._last_line = now
            parts = [f"{share:.1%}", words, merit]
            self.say(f"{self.label or 'stepping'}: {', '.join(each for each in parts if each)}")


def terminal_bar() -> RichProgress:
    """A bar on stderr that vanishes when done."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as RichProgress

    return RichProgress(
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:5.1f} %"),
        TextColumn("{task.fields[left]}"), TextColumn("{task.fields[merit]}"),
        console=Console(stderr=True), transient=True,
    )  # fmt: skip


def quiet() -> Progress:
    """No output at all."""
    return Progress(silent=True)
