"""What a Dask worker does with a row: hand it to a process of its own, `clast.sweeps.worker`, and pass on what that reports.

So a worker goes on answering its scheduler while kernels are compiled, a fault in compiled code or a lack of memory costs that
row, and a run that is stopped saves itself. The process is kept for the next row, and let go some time after the last.
"""

from __future__ import annotations

import fcntl
import math
import os
import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from distributed import get_worker

import clast
from clast.backend.cache_folder import cache_folder
from clast.backend.processes import AHEAD_SECONDS, GRACE_SECONDS, LOOK_SECONDS, Answer, Worker, converse
from clast.output.store.files import CHECKPOINT_FILE, RUN_FILE

PROCESS = "clast.sweeps.worker"
TOPIC = "clast-rows"  # of the events by which rows report to whoever listens at home
HOME_MARK = ".home"  # in the sweep's folder while somebody shares out its rows: who sees the mark, sees the folder
AHEAD_FILE = ".rows-ahead"  # in the cache of kernels: locked by who compiles, then it names the sweep whose kernels are there
IDLE_SECONDS = 60.0  # for which a process without a row is kept
HOME_SECONDS = 300.0  # for files to come from home
HELD_WAIT = 0.5  # seconds
LEFT_SECONDS = 3600.0  # after which the files of a row that nobody has fetched are removed: its home is gone

_lock = threading.Lock()
_rows: dict[tuple[str, int], Row] = {}
_idle: list[tuple[float, int | str, Worker]] = []  # since when, threads
_stopped: set[str] = set()


def run_row(piece: dict[str, Any]) -> Answer:
    """The task that a worker is given. Nothing is raised: whatever goes wrong is an answer."""
    row = Row(piece, get_worker())
    forget_left()
    with _lock:
        if row.sweep in _stopped:
            return row.stopped()
        _rows[row.sweep, row.number] = row
    try:
        return row.carry_out()
    except Exception as error:
        return row.failed(f"{type(error).__name__}: {error}")
    finally:
        row.ended = time.monotonic()
        if row.scratch is None:
            forget(row.sweep, row.number)


class Row:
    """A row on a worker.

    scratch   where it lies if the sweep's folder is not seen from here, else None
    arrived   set when its files have come from home
    refused   why they will not come
    ended     when it ended, inf before
    """

    def __init__(self, piece: dict[str, Any], worker: Any) -> None:
        self.piece, self.worker = piece, worker
        self.sweep, self.number, self.name = piece["sweep"], piece["number"], piece["task"]["name"]
        self.scratch: Path | None = None
        self.arrived, self.stop = threading.Event(), threading.Event()
        self.refused: Answer | None = None
        self.ended = math.inf
        self._saved: tuple[int, ...] = ()

    @property
    def ending(self) -> bool:
        """Whether the row is to stop: its sweep does, or this worker."""
        return self.stop.is_set() or self.worker.status.name in ("closing", "closed", "failed")

    def say(self, answer: Answer) -> None:
        """Let home hear something."""
        with suppress(Exception):  # home, or the scheduler, is gone: what matters is on disk
            self.worker.log_event(TOPIC, {**answer, "sweep": self.sweep, "number": self.number, "worker": self.worker.address})

    def carry_out(self) -> Answer:
        """The last answer to the row; "away" if its files are to be fetched from here."""
        if self.piece["clast"] != clast.__version__:
            return self.failed(
                f"a worker has clast {clast.__version__}, home has {self.piece['clast']}: install the same on both"
            )
        self.say({"share": 0.0})
        if not self.sees_home():
            self.scratch = Path(self.worker.local_directory) / "clast-rows" / self.sweep / str(self.number)
            shutil.rmtree(self.scratch, ignore_errors=True)
            self.scratch.mkdir(parents=True)
            self.say({"needs": True})
            until = time.monotonic() + HOME_SECONDS
            while not self.arrived.wait(LOOK_SECONDS):
                if self.ending or time.monotonic() > until:
                    return self.stopped()
            if self.refused is not None:
                return self.refused
        ahead = Ahead(self.sweep, lambda: self.ending)
        try:
            answer = self.conversation(ahead)
            if answer.get("state") == "finished":  # so fast that nobody had looked
                ahead.passed()
        finally:
            ahead.release()
        return {**answer, "end": True, **({} if self.scratch is None else {"away": self.worker.address})}

    def sees_home(self) -> bool:
        """Whether the folder of the sweep is the one home sees."""
        try:
            return (Path(self.piece["folder"]) / HOME_MARK).read_text(encoding="utf-8") == self.sweep
        except OSError:
            return False

    def conversation(self, ahead: Ahead) -> Answer:
        """Have a process work on it. A run that is held may be that of a process which a killed worker has left behind, and
        which saves it: it is given time."""
        until = time.monotonic() + (0.0 if self.piece["held"] else GRACE_SECONDS)
        piece = self.here()

        def hear(answer: Answer) -> None:
            if "compiled" in answer:
                ahead.passed()
            else:
                self.say(answer)

        while not self.ending:
            process = take_process(piece["threads"])
            answer = converse(process, piece, hear=hear, stop=lambda: self.ending, look=self.look)
            if "died" not in answer:
                keep_process(piece["threads"], process, ended=self.ending)
            if answer.get("state") != "elsewhere" or time.monotonic() > until:
                return answer
            time.sleep(HELD_WAIT)
        return self.stopped()

    def here(self) -> dict[str, Any]:
        """The piece with the paths of this machine."""
        if self.scratch is None:
            return self.piece
        task = dict(self.piece["task"])
        if self.piece["scene"]:
            task["what"] = str(self.scratch / "scene" / Path(task["what"]).name)
        return {**self.piece, "task": task, "folder": str(self.scratch)}

    def look(self) -> None:
        """Tell home when there is something new to fetch."""
        if self.scratch is None:
            return
        found = tuple(modified(self.scratch / self.name / name) for name in (RUN_FILE, CHECKPOINT_FILE))
        if found != self._saved and all(found):
            self._saved = found
            self.say({"saved": True})

    def stopped(self) -> Answer:
        """The answer of a row that is to be gone on with."""
        return {"state": "stopped", "message": "stopped", "seconds": 0.0, "end": True}

    def failed(self, message: str) -> Answer:
        """The answer of a row that no process has begun."""
        return {"state": "failed", "message": message, "seconds": 0.0, "end": True}


def modified(path: Path) -> int:
    """When a file was put in its place (ns); 0 if there is none."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


# --- processes -------------------------------------------------------------------------------------------------------


def take_process(threads: int | str) -> Worker:
    """A process that waits for a row, or a new one."""
    with _lock:
        found = next((each for each in _idle if each[1] == threads), None)
        if found is not None:
            _idle.remove(found)
            return found[2]
    return Worker(PROCESS, threads)


def keep_process(threads: int | str, process: Worker, *, ended: bool) -> None:
    """Keep a process for the next row, for a while."""
    if ended:
        process.end()
        return
    with _lock:
        _idle.append((time.monotonic(), threads, process))
    timer = threading.Timer(IDLE_SECONDS, end_idle, (IDLE_SECONDS,))
    timer.daemon = True
    timer.start()


def end_idle(seconds: float = 0.0) -> None:
    """Let go of processes that have had no row for some time."""
    since = time.monotonic() - seconds
    with _lock:
        ended = [each for each in _idle if each[0] <= since]
        _idle[:] = [each for each in _idle if each[0] > since]
    for _, _, process in ended:
        process.end()


class Ahead:
    """The right to compile: of all workers with one cache of kernels, one row of a sweep goes ahead and the others wait, until
    its kernels are on disk."""

    def __init__(self, sweep: str, stop: Callable[[], bool]) -> None:
        self._sweep = sweep
        self._descriptor: int | None = None
        with suppress(OSError):  # a disk that knows no locks: each compiles for itself
            descriptor = os.open(cache_folder() / AHEAD_FILE, os.O_RDWR | os.O_CREAT, 0o600)
            self._descriptor = descriptor
            until = time.monotonic() + AHEAD_SECONDS
            while not self._done() and time.monotonic() < until and not stop():
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    if not self._done():
                        return
                    break
                except BlockingIOError:
                    time.sleep(LOOK_SECONDS)
            os.close(descriptor)
        self._descriptor = None

    def _done(self) -> bool:
        assert self._descriptor is not None
        return os.pread(self._descriptor, 64, 0) == self._sweep.encode()

    def passed(self) -> None:
        """Kernels are on disk: let all others go. Safe to call twice."""
        if self._descriptor is not None:
            with suppress(OSError):
                os.ftruncate(self._descriptor, 0)
                os.pwrite(self._descriptor, self._sweep.encode(), 0)
        self.release()

    def release(self) -> None:
        """Let the next one go ahead, if there is still something to compile. Safe to call twice."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


# --- called by home, on every worker or on one -----------------------------------------------------------------------


def stop_rows(sweep: str) -> None:
    """Have all rows of a sweep saved and ended, and refuse more of them."""
    with _lock:
        _stopped.add(sweep)
        rows = [row for (each, _), row in _rows.items() if each == sweep]
    for row in rows:
        row.stop.set()


def leave(sweep: str) -> None:
    """Leave nothing of a sweep: no processes, no files."""
    threading.Thread(target=end_idle, daemon=True).start()  # it may take seconds: not in the loop that answers the scheduler
    with _lock:
        numbers = [number for each, number in _rows if each == sweep]
    for number in numbers:
        forget(sweep, number)


def row_of(sweep: str, number: int) -> Row:
    """A row that is on this worker; KeyError if it is not."""
    with _lock:
        return _rows[sweep, number]


def forget_left() -> None:
    """Remove rows that ended long ago."""
    with _lock:
        left = [key for key, row in _rows.items() if time.monotonic() - row.ended > LEFT_SECONDS]
    for sweep, number in left:
        forget(sweep, number)


def forget(sweep: str, number: int) -> None:
    """Remove a row and what lies here of it."""
    with _lock:
        row = _rows.pop((sweep, number), None)
    if row is not None and row.scratch is not None:
        shutil.rmtree(row.scratch, ignore_errors=True)
