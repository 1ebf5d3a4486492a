"""Threads: how many, by which layer, and how the work is cut. The bits never depend on any of this."""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numba
import numpy as np

from clast.errors import InputError

LAUNCHED: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]  # how many threads numba may ever use


class SlowThreadsWarning(UserWarning):
    """The threading layer costs more than it gains."""


class ThreadTrial:
    """One thread or all of them? Times both by turns on the run itself and settles for the faster.

    On a machine with something else running, threads can be a thousand times slower than one: so the trial begins with
    few steps, and all threads must win by a tenth.
    """

    ROUNDS = 3
    SHORTEST = 2e-3  # seconds: a shorter turn says nothing

    def __init__(self, most: int) -> None:
        self.most = most
        self.threads = 1
        self.steps = 50  # of one stretch; a turn is as many stretches as it takes to be long enough
        self._steps, self._seconds = 0, 0.0
        self.best = {1: float("inf"), most: float("inf")}
        self.turns = 0
        self.settled = most == 1

    def record(self, steps: int, seconds: float) -> None:
        """Add a stretch of `steps` taken with `threads`."""
        self._steps += steps
        self._seconds += seconds
        if self._seconds < self.SHORTEST:
            return
        self.best[self.threads] = min(self.best[self.threads], self._seconds / max(self._steps, 1))
        self._steps, self._seconds = 0, 0.0
        self.turns += 1
        self.threads = self.most if self.threads == 1 else 1
        if self.turns == 2 * self.ROUNDS:
            self.threads = self.most if self.best[self.most] * 1.1 < self.best[1] else 1
            self.settled = True


def count_threads(threads: int | str) -> int:
    """Number of threads to use; "auto" gives all there are."""
    most = min(LAUNCHED, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1 << 30)
    if threads == "auto":
        return most
    if isinstance(threads, str) or threads < 1:
        raise InputError(f'threads = {threads!r} must be a positive number or "auto"')
    return int(threads)


@contextmanager
def use_threads(threads: int) -> Iterator[None]:
    """Ask numba for as many threads as there are parts; more parts than threads are shared out, with the same bits."""
    before = numba.get_num_threads()
    numba.set_num_threads(min(threads, LAUNCHED))
    try:
        yield
    finally:
        numba.set_num_threads(before)


def warn_about_layer() -> None:
    """Say so when numba fell back to its workqueue layer: a region costs 100 µs there instead of 3."""
    try:
        layer = numba.threading_layer()
    except ValueError:
        return
    if layer == "workqueue":
        warnings.warn(
            "numba uses its slow 'workqueue' threading layer: install tbb (pip install tbb) or an OpenMP runtime, "
            "or run with threads=1",
            SlowThreadsWarning,
            stacklevel=2,
        )


def balanced_cuts(first: np.ndarray, parts: int) -> np.ndarray:
    """Cut pairs into `parts` ranges of about equal work: `first` (np + 1,) is the running number of candidates."""
    pairs = len(first) - 1
    work = first.astype(np.int64) + 2 * np.arange(pairs + 1)  # a pair costs about two candidates by itself
    targets = np.linspace(0, work[-1] if pairs else 0, parts + 1)
    cuts = np.searchsorted(work, targets[1:-1])
    return np.concatenate([[0], cuts, [pairs]]).astype(np.int64)
