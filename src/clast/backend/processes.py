"""Work shared out among processes: pieces go in as lines of JSON, answers come out. Nothing here knows what the work is.

Processes are started afresh (`python -m MODULE`) and not forked from the caller, so that a script without a main guard and
a notebook may share out work too. Each takes one piece after the other; one that dies (no memory, a fault in compiled code)
costs the piece it had, and another takes its place. None outlives whoever started it: when its input ends, it ends
as a SIGTERM would end it, and a run in it saves itself first.

The first process goes ahead until compiled code is on disk, so that not all of them compile the same.
"""

import json
import os
import queue
import select
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import clast
from clast.errors import InputError

LOOK_SECONDS = 0.2  # between two looks at a display, or whether code is compiled
AHEAD_SECONDS = 120.0  # after which the others start, compiled code or not: some work needs none
HEED_SECONDS = 1.0  # for a process that a signal has reached too: a second one would end its run unsaved
GRACE_SECONDS = 60.0  # for a process to save what it has after the signal to end
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)  # as when a cluster ends all processes of a job
LIBRARIES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Answer = dict[str, Any]


def usable_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def count_jobs(jobs: int | None, pieces: int) -> int:
    """Number of processes: `jobs`, or one per core; no more than there are pieces. InputError below 1."""
    if jobs is not None and jobs < 1:
        raise InputError(f"jobs = {jobs} must be a positive number of processes")
    return max(1, min(pieces, jobs or usable_cores()))


# --- who shares out --------------------------------------------------------------------------------------------------


class Worker:
    """A process and the piece it has, None while it waits for one."""

    def __init__(self, module: str, threads: int | str) -> None:
        environment = {**os.environ, **dict.fromkeys(LIBRARIES, "1"), "MPLBACKEND": "Agg"}
        if isinstance(threads, int):
            environment["NUMBA_NUM_THREADS"] = str(threads)
        package = str(Path(clast.__file__).parent.parent)  # the same clast, however this one was found
        environment["PYTHONPATH"] = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
        self.piece: int | None = None
        self.signalled = False  # by a signal that lets it save: the work is to be continued another time
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (as long as the process)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, str(threads)],  # -P: a user's own queue.py in this folder is not meant
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            env=environment, start_new_session=True,  # Ctrl-C goes to its parent, which then signals it to end
        )  # fmt: skip
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input, self.output = self._process.stdin, self._process.stdout
        self._rest = b""

    def give(self, number: int, piece: Mapping[str, Any]) -> None:
        """Hand over a piece; a process that is gone will be noticed by its silence."""
        self.piece = number
        with suppress(OSError):
            self._input.write(json.dumps(piece).encode() + b"\n")
            self._input.flush()

    def hear(self) -> list[Answer] | None:
        """Answers it has sent since the last call; None when it has ended."""
        data = os.read(self.output.fileno(), 1 << 16)
        if not data:
            return None
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def let_go(self) -> None:
        """Say that there is no more to do; a process at work saves itself and ends."""
        with suppress(OSError):
            self._input.close()

    def end(self, seconds: float = GRACE_SECONDS) -> str:
        """Let it go, by force if it does not end in time; returns why it ended, in words. Safe to call twice."""
        if self._errors.closed:
            return ""
        self.let_go()
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self.signalled = -code in ENDING
        self.output.close()
        self._errors.seek(0)
        lines = [line for line in self._errors.read().decode("utf-8", "replace").splitlines() if line.strip()]
        self._errors.close()
        return why_ended(code, lines[-1] if lines else "")


def why_ended(code: int, last: str) -> str:
    """The end of a process in words."""
    if code == -signal.SIGKILL:
        return "its process was killed (SIGKILL), as happens when memory runs out"
    if code < 0:
        return f"its process was ended by {signal.Signals(-code).name}"
    return f"its process ended with status {code}{f': {last.strip()}' if last else ''}"


def converse(
    worker: Worker,
    piece: Mapping[str, Any],
    *,
    hear: Callable[[Answer], None],
    stop: Callable[[], bool],
    look: Callable[[], None],
) -> Answer:
    """Have one piece worked on by one process and return the last answer to it, as `share_out` hands it on.

    stop   when it is true the process is let go: it saves what it has, and ends
    look   is called several times a second
    """
    worker.give(0, piece)
    let_go = False
    while True:
        if stop() and not let_go:
            let_go = True
            worker.let_go()
        if select.select([worker.output], [], [], LOOK_SECONDS)[0]:
            answers = worker.hear()
            if answers is None:
                why = worker.end()
                return {"end": True, "died": why, "signalled": worker.signalled}
            for answer in answers:
                if answer.get("end"):
                    worker.piece = None
                    return answer
                hear(answer)
        look()


def share_out(
    module: str,
    pieces: Sequence[Mapping[str, Any]],
    *,
    jobs: int,
    hear: Callable[[int, Answer], None],
    threads: int | str = 1,
    look: Callable[[], None] = lambda: None,
) -> None:
    """Have `pieces` worked on by `jobs` processes that run `module` (whose main program calls `attend`).

    hear   is called with the number of a piece and each answer to it. The last one has "end": True, and "died": why, if
           its process did not live to give it, with "signalled": whether a signal to end had reached it. What `hear` raises ends
           everything, as Ctrl-C does
    look   is called several times a second
    """
    waiting, workers = deque(enumerate(pieces)), list[Worker]()
    selector, began, ahead = selectors.DefaultSelector(), time.monotonic(), True
    try:
        while waiting or any(worker.piece is not None for worker in workers):
            ahead = ahead and time.monotonic() - began < AHEAD_SECONDS
            while waiting and sum(worker.piece is not None for worker in workers) < (1 if ahead else jobs):
                idle = next((worker for worker in workers if worker.piece is None), None)
                if idle is None:
                    idle = Worker(module, threads)
                    workers.append(idle)
                    selector.register(idle.output, selectors.EVENT_READ, idle)
                idle.give(*waiting.popleft())
            for key, _ in selector.select(LOOK_SECONDS):
                worker: Worker = key.data
                answers = worker.hear()
                if answers is None:
                    selector.unregister(worker.output)
                    workers.remove(worker)
                    why = worker.end()
                    answers = [{"end": True, "died": why, "signalled": worker.signalled}] if worker.piece is not None else []
                for answer in answers:
                    ahead = ahead and not (answer.get("compiled") or answer.get("end"))
                    if "compiled" in answer:
                        continue
                    number = worker.piece
                    assert number is not None
                    if answer.get("end"):
                        worker.piece = None
                    hear(number, answer)
            look()
    finally:
        selector.close()
        try:
            for worker in workers:  # all at once, so that they save their runs at the same time
                worker.let_go()
            for worker in workers:
                worker.end()
        except BaseException:  # a second Ctrl-C
            for worker in workers:
                worker.end(0.0)
            raise


# --- who works -------------------------------------------------------------------------------------------------------


def attend(work: Callable[[Answer, Callable[[Answer], None]], Answer]) -> None:
    """The main program of a process that works: take pieces from stdin until there are no more.

    work   (piece, say) → the last answer to it; `say` gives others before it
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a run may print is no answer
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pieces: queue.Queue[Answer | None] = queue.Queue()
    lock = threading.Lock()

    def say(answer: Answer) -> None:
        with lock, suppress(BrokenPipeError):  # nobody listens any more: `listen` ends us
            answers.write(json.dumps(answer) + "\n")
            answers.flush()

    def listen() -> None:
        announced, rest = False, b""
        while True:
            if not announced and compiled():
                announced = True
                say({"compiled": True})
            if not select.select([0], [], [], None if announced else LOOK_SECONDS)[0]:
                continue
            data = os.read(0, 1 << 16)
            if not data:  # who started us is gone, or needs us no more
                pieces.put(None)
                if not idle.wait(HEED_SECONDS):
                    os.kill(os.getpid(), signal.SIGTERM)
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                idle.clear()  # here, and not by who takes it: the end of input may be the very next thing
                pieces.put(json.loads(line))

    idle = threading.Event()
    idle.set()
    threading.Thread(target=listen, daemon=True).start()
    while (piece := pieces.get()) is not None:
        answer = work(piece, say)
        idle.set()
        say({**answer, "end": True})


def compiled() -> bool:
    """Whether kernels that this process has loaded are on disk as machine code."""
    bind = sys.modules.get("clast.backend.bind")
    if bind is None or not hasattr(bind, "is_compiled"):
        return False
    loaded = [module for name, module in list(sys.modules.items()) if name.startswith("clast_kernels_")]
    return any(bind.is_compiled(module) for module in loaded)
