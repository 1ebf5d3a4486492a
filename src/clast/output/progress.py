"""How a long run shows itself: a bar in a terminal, a line a minute elsewhere, nothing when asked to be quiet."""

import sys
import time
from typing import Self

LINE_SECONDS = 60.0


class Progress:
    """Shows the share of steps done, the time left and the Cundall number. A context manager around the stretch."""

    def __init__(self, label: str = "", silent: bool = False) -> None:
        self.label, self.silent = label, silent
        self._bar = None
        self._task = None
        self._began = self._last_line = time.monotonic()
        self._first_step: int | None = None

    def say(self, text: str) -> None:
        """A sentence for the user, above the bar."""
        if not self.silent:
            from rich.console import Console

            (self._bar.console if self._bar is not None else Console(stderr=True)).print(
                text, markup=False, highlight=False
            )

    announce = say

    def __enter__(self) -> Self:
        self._began = self._last_line = time.monotonic()
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
            left = (now - self._began) * (end - step) / done if done > 0 else float("nan")
            print(
                f"{self.label} {step / end:.1%}, {left / 60:.1f} min left, c = {cundall:.2g}/s",
                file=sys.stderr,
                flush=True,
            )


def quiet() -> Progress:
    """No output at all."""
    return Progress(silent=True)
