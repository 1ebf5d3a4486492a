"""How a sweep shows itself: one line in a terminal that is kept up to date, a line per ended run elsewhere, all on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from clast.output.estimate import duration
from clast.output.figures.notebook import NotebookBar, in_notebook

if TYPE_CHECKING:
    from rich.status import Status


class Display:
    """Finished, failed and running of all, throughput and time left. A context manager around the work.

    silent   say nothing at all
    """

    def __init__(self, *, silent: bool = False) -> None:
        self.silent = silent
        self.total, self.counts, self.now, self.share = 0, {"finished": 0, "failed": 0, "elsewhere": 0}, 0, 0.0
        self._done, self._began = 0, time.monotonic()
        self._line: Status | None = None
        self._bar: NotebookBar | None = None

    def start(self, total: int, before: Sequence[str]) -> None:
        """Begin with `total` tasks, of which some have ended in these states before."""
        self.total, self.counts = total, {"finished": 0, "failed": 0, "elsewhere": 0}
        for state in before:
            self.counts[state] += 1
        self.now, self.share, self._done, self._began = 0, 0.0, 0, time.monotonic()

    def __enter__(self) -> Self:
        if self.silent or self.left == 0:
            return self
        if in_notebook():
            self._bar = NotebookBar("sweep")
        elif sys.stderr.isatty():
            from rich.console import Console

            self._line = Console(stderr=True).status(self.summary())
            self._line.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._line is not None:
            self._line.stop()
            self._line = None
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    @property
    def left(self) -> int:
        """Tasks that have not ended."""
        return self.total - sum(self.counts.values())

    @property
    def seconds_left(self) -> float | None:
        """Time left at the pace so far, runs under way counted by their share; None before there is a pace."""
        done = self._done + self.share
        return (time.monotonic() - self._began) * (self.left - self.share) / done if done > 0.0 else None

    def summary(self) -> str:
        """All in one line."""
        parts = [f"{self.counts['finished']} of {self.total} finished"]
        parts += [f"{self.counts[state]} {state}" for state in ("failed", "elsewhere") if self.counts[state]]
        parts += [f"{self.now} running"] if self.now else []
        if self._done and (took := time.monotonic() - self._began) > 0.0:
            pace = 3600.0 * self._done / took
            parts.append(f"{pace:.0f} runs per hour" if pace >= 10.0 else f"{pace:.2g} runs per hour")
        if self.seconds_left is not None and self.left:
            parts.append(f"about {duration(self.seconds_left)} left")
        return ", ".join(parts)

    def look(self, running: int, share: float) -> None:
        """Show how many are running, and how much of them is done, summed up."""
        self.now, self.share = running, share
        if self._line is not None:
            self._line.update(self.summary())
        if self._bar is not None:
            ended = sum(self.counts.values()) + share
            self._bar.update(ended / max(self.total, 1), self.seconds_left, self.summary())

    def ended(self, name: str, state: str, message: str, seconds: float) -> None:
        """A task has ended: print a line where lines are kept, and for an error in any case."""
        self.counts[state] += 1
        self._done += 1
        what = f"{name} finished in {duration(seconds)}" if state == "finished" else f"{name} {state}: {message}"
        if self._line is None and self._bar is None:
            self.say(f"{what} ({self.summary()})")
        elif state != "finished":
            self.say(what)

    def say(self, text: str) -> None:
        """A sentence for the user, above the line."""
        if self.silent:
            return
        if self._line is not None:
            self._line.console.print(text, markup=False, highlight=False, soft_wrap=True)
        elif self._bar is not None:
            self._bar.print(text)
        else:
            print(text, file=sys.stderr, flush=True)
