"""A run as the server hands it out: opened again when it has saved more, one request at a time."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np

from clast.algebra.tensors import lengths
from clast.errors import ClastError, InputError, StoreError
from clast.measures.stored import sizes_of
from clast.measures.touching import contacts_at
from clast.output.store.files import CHECKPOINT_FILE, RUN_FILE
from clast.output.store.lock import is_written
from clast.output.store.reader import open_run
from clast.output.viewer.described import Described
from clast.output.viewer.frames import has_contacts, pressure_of, spin_of
from clast.output.viewer.packed import Block
from clast.output.viewer.page import as_json
from clast.output.viewer.resuming import Resumed, stopped_facts
from clast.output.viewer.watched import HOLD, WISHES, touch, wished

RESUME = "resume"
QUICK = 1  # level of deflating: the way is short
MOST_READ = 2e7  # bodies × frames of a history; of more, evenly chosen frames


class Served:
    """Answers for one run, by the names in `answer`, one after the other."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.Lock()
        self._described: Described | None = None

    def _now(self) -> Described:
        """The run as it is at this moment."""
        raise NotImplementedError

    def _facts(self, described: Described) -> dict[str, Any]:
        """What fits into JSON, and whether the run goes on."""
        raise NotImplementedError

    def answer(self, name: str, query: dict[str, str]) -> tuple[str, bytes]:
        """Type and content for a name; InputError if there is no such thing."""
        with self._lock:
            try:
                return self._answer(name, query)
            except ClastError:
                raise
            except (OSError, KeyError, RuntimeError, ValueError) as error:
                raise StoreError(f"the run in {self.name} cannot be read ({error})") from None

    def _answer(self, name: str, query: dict[str, str]) -> tuple[str, bytes]:
        kind, _, number = name.partition("/")
        described = self._now()
        if name == "facts":
            return "application/json", as_json(self._facts(described)).encode()
        if name == "bodies":
            return "application/octet-stream", described.bodies()
        if name == "series":
            return "application/octet-stream", described.series()
        if kind == "block":
            return "application/octet-stream", described.framed.block(counted(number, described.framed.blocks, "block"), QUICK)
        if kind == "history":
            return "application/octet-stream", history(described, counted(number, len(described.reach), "body"))
        raise InputError(f"there is no {name!r} here")


class ServedRun(Served):
    """Answers for one run folder; nothing of the folder is ever read or shown but what the names mean."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder.name)
        self.folder = folder
        self._stamp: tuple[int, int] = (0, 0)
        self._resumed: Resumed | None = None

    def _stamp_now(self) -> tuple[int, int]:
        found = [self.folder / name for name in (RUN_FILE, CHECKPOINT_FILE)]
        return tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in found)  # type: ignore[return-value]

    def _now(self) -> Described:
        """The run as it is saved at this moment."""
        stamp = self._stamp_now()
        if self._described is None or stamp != self._stamp:
            if self._described is not None:
                self._described.run.close()
            self._described, self._stamp = Described(open_run(self.folder)), stamp
        return self._described

    def _facts(self, described: Described) -> dict[str, Any]:
        running = not described.run.finished and is_written(self.folder)
        if running:
            touch(self.folder)
        stopped = {} if running or described.run.finished else stopped_facts(described.run, self._resumed)
        return {**described.facts, "live": running, "held": running and wished(self.folder) == HOLD, **stopped}

    def keep(self) -> None:
        """A held run stays so while the server runs, whether or not a browser hides the page and lets it sleep."""
        if wished(self.folder) == HOLD:
            touch(self.folder)

    def wish(self, what: str) -> None:
        """Ask the run to wait, go on or save; or, where it was stopped, resume it in a process of its own."""
        if what not in (*WISHES, RESUME):
            raise InputError(f"a run can be asked to {', '.join((*WISHES, RESUME))}")
        if what == RESUME:
            self._resume()
            return
        if not is_written(self.folder):
            raise InputError("no process steps this run at this moment")
        touch(self.folder, what)

    def _resume(self) -> None:
        with self._lock:
            if is_written(self.folder) or (self._resumed is not None and self._resumed.is_alive):
                raise InputError("a process steps this run already")
            self._resumed = Resumed(self._now().run)


def counted(text: str, count: int, what: str) -> int:
    """A number from 0 to `count` − 1; InputError if the text is none."""
    if not (text.isascii() and text.isdecimal() and int(text) < count):
        raise InputError(f"there is no {what} {text[:20]!r}: there are {count}")
    return int(text)


def history(described: Described, body: int) -> bytes:
    """What became of a body: its speed, spin, pressure and height in every frame."""
    run = described.run
    read = len(described.chosen) * len(described.reach)
    every = max(1, int(np.ceil(read / MOST_READ)))
    found: dict[str, list[float]] = {}
    start = run.frames[described.chosen[0]].positions[body]
    for number in described.chosen[::every]:
        frame = run.frames[number]
        values = {"time": frame.time, "speed": lengths(frame.velocities[body][None])[0], "spin": spin_of(frame)[body]}
        if has_contacts(run):
            values["pressure"] = pressure_of(contacts_at(run, number), sizes_of(run))[body]
        values["displacement"] = lengths((frame.positions[body] - start)[None])[0]
        values["height"] = frame.positions[body, -1]
        for name, value in values.items():
            found.setdefault(name, []).append(float(value))
    block = Block()
    for name, list_of in found.items():
        block.raw(name, np.array(list_of), "float32")
    return block.packed(QUICK)
