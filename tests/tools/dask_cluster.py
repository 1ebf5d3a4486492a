"""A Dask cluster of separate processes for tests: a scheduler and workers that are started again when they end, as by a loop in a
shell."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import psutil

import clast

# read by a worker at its start: it behaves as on another machine, which has no disk in common with home
BLIND = "from clast.sweeps.dask.row import Row\nRow.sees_home = lambda row: False\n"


def free_port():
    """A port that nobody listens at."""
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        return each.getsockname()[1]


class Member:
    """A process of the cluster; `starts` counts how often it was started."""

    def __init__(self, words, folder, name):
        self._words, self._log, self.folder = words, folder / f"{name}.log", folder / name
        self.starts, self._wanted = 0, True
        self._start()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def _start(self):
        source = str(Path(clast.__file__).parent.parent)
        path = os.pathsep.join([source, *filter(None, [os.environ.get("PYTHONPATH")])])
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *self._words], stdout=log, stderr=log, env={**os.environ, "PYTHONPATH": path},
                start_new_session=True,
            )  # fmt: skip
        self.starts += 1

    def _watch(self):
        while self._wanted:
            self.process.wait()
            if self._wanted:
                time.sleep(0.2)
                self._start()

    def kill(self):
        """SIGKILL, and nothing else: what it has started is left to itself."""
        os.kill(self.process.pid, signal.SIGKILL)

    def children(self):
        """Processes it has started."""
        try:
            return psutil.Process(self.process.pid).children()
        except psutil.NoSuchProcess:
            return []

    def end(self):
        """End it for good."""
        self._wanted = False
        self.process.terminate()
        try:
            self.process.wait(20.0)
        except subprocess.TimeoutExpired:
            self.kill()
        self._watcher.join(5.0)


@contextmanager
def cluster(folder, workers=2, blind=False, more=()):
    """(address for --on, scheduler, workers): each worker takes one row at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    scheduler = Member(
        ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"], folder, "scheduler"
    )
    members = [scheduler]
    preload = folder / "blind.py"
    preload.write_text(BLIND)
    try:
        for k in range(workers):
            words = ["distributed.cli.dask_worker", f"tcp://127.0.0.1:{port}", "--no-nanny", "--nthreads", "1", "--no-dashboard"]
            words += ["--local-directory", str(folder / f"worker-{k}"), *(["--preload", str(preload)] if blind else []), *more]
            members.append(Member(words, folder, f"worker-{k}"))
        if workers:
            from distributed import Client  # here: files of tests that skip where it is missing import this one

            with Client(f"tcp://127.0.0.1:{port}", timeout=120) as client:
                client.wait_for_workers(workers, timeout=120)
        yield f"dask://127.0.0.1:{port}", scheduler, members[1:]
    finally:
        for each in reversed(members):
            each.end()
