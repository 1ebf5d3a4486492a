"""How a long run shows itself: a bar in a terminal, a line a minute elsewhere, nothing when asked to be quiet.

All of it goes to stderr, so that stdout holds results only.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

LINE_SECONDS = 60.0


class Progress:
    """Shows the share of steps done, the time left and the Cundall number. A context manager around the stretch.

    silent    say nothing at all
    verbose   say details too, such as every checkpoint
    """

    def __init__(self, label: str = "", silent: bool = False, verbose: bool = False) -> None:
        self.label, self.silent, self.verbose = label, silent, verbose and not silent
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._began = self._last_line = time.monotonic()
        self._first_step: int | None = None

    def say(self, text: str) -> None:
        """A sentence for the user, above the bar."""
        if self.silent:
            return
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)
        else:
            print(text, file=sys.stderr, flush=True)

    def detail(self, text: str) -> None:
        """A sentence for who asked for details."""
        if self.verbose:
            self.say(text)

    def __enter__(self) -> Self:
        self._began = self._last_line = time.monotonic()
        self._first_step = None
        if not self.silent and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as RichProgress

            self._bar = RichProgress(
                TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:5.1f} %"),
                TextColumn("left"), TimeRemainingColumn(), TextColumn("c = {task.fields[cundall]}"),
                console=Console(stderr=True), transient=True,
            )  # fmt: skip
            self._bar.start()
            self._task = self._bar.add_task(self.label or "stepping", total=1.0, cundall="…")
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def update(self, step: int, end: int, cundall: float) -> None:
        """Show that `step` of `end` steps are done."""
        if self.silent:
            return
        if self._first_step is None:
            self._first_step = step
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=step / max(end, 1), cundall=f"{cundall:.2g}/s")
            return
        now = time.monotonic()
        if now - self._last_line >= LINE_SECONDS:
            self._last_line = now
            done = step - self._first_step
            left = f"{(now - self._began) * (end - step) / done / 60.0:.1f} min left, " if done > 0 else ""
            self.say(f"{self.label or 'stepping'}: {step / max(end, 1):.1%}, {left}c = {cundall:.2g}/s")


def quiet() -> Progress:
    """No output at all."""
    return Progress(silent=True)
