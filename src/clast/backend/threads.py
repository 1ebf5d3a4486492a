"""Threads: how many, by which layer, and how the work is cut."""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numba
import numpy as np

from clast.errors import InputError


class SlowThreadsWarning(UserWarning):
    """The threading layer costs more than it gains."""


def prepare_threads(threads: int | str) -> int:
    """Number of threads to use; "auto" gives all there are (the engine then times both and keeps the faster)."""
    most = min(numba.config.NUMBA_NUM_THREADS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1 << 30)
    if threads == "auto":
        return most
    if isinstance(threads, str) or threads < 1:
        raise InputError(f'threads = {threads!r} must be a positive number or "auto"')
    return int(threads)


@contextmanager
def use_threads(threads: int) -> Iterator[None]:
    """Ask numba for as many threads as there are parts; more parts than threads are shared out, with the same bits."""
    before = numba.get_num_threads()
    numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
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
            "numba uses its slow 'workqueue' threading layer; install tbb (pip install tbb) or an OpenMP runtime, or run with threads=1",
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
