"""Where rows are carried out, by the word a user gives for it, or by a client of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from typing import TYPE_CHECKING

from clast.errors import InputError
from clast.sweeps.local import Executor, LocalProcesses

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local"
BATCH = ("slurm", "pbs")
DASK = "dask://"
NEEDED = "it needs Dask: pip install 'clast[dask]'"


def check_place_word(on: object) -> None:
    """InputError if `on` names no place, or one for which a package is missing."""
    if on == LOCAL:
        return
    if isinstance(on, str):
        if on not in BATCH and not (on.startswith(DASK) and len(on) > len(DASK)):
            raise InputError(f"on = {on!r} is no place for a sweep: choose local, dask://HOST:PORT, {' or '.join(BATCH)}")
        if any(find_spec(name) is None for name in ("distributed", "dask_jobqueue")):
            raise InputError(f"on = {on!r}: {NEEDED}")
    elif not all(hasattr(on, name) for name in ("submit", "run", "subscribe_topic")):
        raise InputError(f"on = {on!r} must be a distributed.Client, local, dask://HOST:PORT, {' or '.join(BATCH)}")
    elif getattr(on, "asynchronous", False):
        raise InputError("on: this client is asynchronous, which a sweep does not wait for: give distributed.Client(ADDRESS)")


def place_of(
    on: str | Client, *, jobs: int | None, threads: int | str, say: Callable[[str], None]
) -> AbstractContextManager[Executor]:
    """What carries out rows at a place; leaving it gives back what was started for them."""
    check_place_word(on)
    if on == LOCAL:
        return nullcontext(LocalProcesses())
    from clast.sweeps.dask.clusters import batch_jobs, clients_own, scheduler_at

    if not isinstance(on, str):
        return clients_own(on, say)
    if on in BATCH:
        return batch_jobs(on, jobs=jobs, threads=threads, say=say)
    return scheduler_at(on.removeprefix(DASK), say)
