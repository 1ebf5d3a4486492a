"""A run that somebody looks at: it saves more often, and waits or saves when the page wishes it.

The server touches one small file in the run's folder while a page is open, or as long as it runs where the run is held; the run
looks at it a few times a second. A file that was not touched for a while means that nobody looks: a held run goes on, and saves
as seldom as before.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

WATCH_FILE = ".watched"
FRESH = 6.0  # seconds for which a touch counts
SHORTEST = 1.0  # seconds between two checkpoints for the one who looks
SHARE = 50.0  # times as long as a checkpoint takes: they cost 2 % at most
HOLD, GO, SAVE = "hold", "go", "save"
WISHES = (HOLD, GO, SAVE)
NAP = 0.1  # seconds a held run sleeps


def touch(folder: Path, wish: str | None = None) -> None:
    """Somebody looks at the run in `folder`, or wishes something of it; a folder that cannot be written is left alone."""
    path = folder / WATCH_FILE
    with suppress(OSError):
        if wish is not None:
            path.write_text(wish, encoding="utf-8")
        else:
            path.touch()


def wished(folder: Path) -> str:
    """What is wished of the run in `folder` at this moment; nothing if nobody looks."""
    path = folder / WATCH_FILE
    try:
        if time.time() - path.stat().st_mtime > FRESH:
            return ""
        return path.read_text(encoding="utf-8").strip() or GO
    except OSError:
        return ""


class Watch:
    """The run's side: when to save because somebody looks, and when to wait."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._frame: int | None = None
        self._saved, self._cost = time.monotonic(), 0.0

    def saved(self, frame: int | None, cost: float) -> None:
        """A checkpoint was written; `frame` is the step of the last frame in it, `cost` how long it took (s)."""
        self._frame, self._saved, self._cost = frame, time.monotonic(), cost

    def wants(self, frame: int | None) -> bool:
        """Whether to save now: it is wished, or somebody looks and `frame`, the step of the last one, is not saved yet."""
        wish = wished(self.folder)
        if wish in (SAVE, HOLD):
            return True
        return bool(wish) and frame != self._frame and time.monotonic() - self._saved > max(SHORTEST, SHARE * self._cost)

    def wait(self, stop: Callable[[], bool]) -> None:
        """Sleep while the run is held; a wish to save is done with."""
        wish = wished(self.folder)
        if wish == SAVE:
            touch(self.folder, GO)
        held = wish == HOLD
        while wish == HOLD and not stop():
            time.sleep(NAP)
            wish = wished(self.folder)
        if held and wish == "":  # whoever looks next did not wish that
            touch(self.folder, GO)
