"""The Dask cluster that carries out a sweep: a scheduler that is there, jobs of SLURM or PBS, or a client of the user's own."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import dask
import distributed

from clast.errors import InputError, StoreError
from clast.sweeps.dask.home import DaskRows

RETURN_SECONDS = 600.0  # for a scheduler to be there again
LOOK_SECONDS = 0.5
CONNECT_SECONDS = 10.0
MOST_JOBS = 100  # of a batch system at a time, if nobody gives a number
MEMORY = "4GB"  # of a job, where Dask's own configuration gives none
LOST = "the scheduler is gone and did not come back; what was saved is intact, and the same command goes on"


@contextmanager
def scheduler_at(address: str, say: Callable[[str], None]) -> Iterator[DaskRows]:
    """The workers of a scheduler that is there, by HOST:PORT."""
    place = address if "://" in address else f"tcp://{address}"
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # it prints whole tracebacks where we wait and go on

    def client() -> distributed.Client:
        return distributed.Client(place, timeout=CONNECT_SECONDS, set_as_default=False)

    def connect(old: distributed.Client) -> distributed.Client:
        """Another client, as soon as there is a scheduler: the old one gives up sooner than a machine starts anew."""
        with suppress(Exception):
            old.close(timeout=1.0)
        until = time.monotonic() + RETURN_SECONDS
        while time.monotonic() < until:
            try:
                return client()
            except (OSError, TimeoutError):
                time.sleep(LOOK_SECONDS)
        raise StoreError(LOST)

    try:
        rows = DaskRows(client(), connect)
    except (OSError, TimeoutError, ValueError) as error:
        raise InputError(
            f"no Dask scheduler answers at {place} ({type(error).__name__}): start one with dask scheduler, and take the "
            "address it prints"
        ) from None
    try:
        yield rows
    finally:
        with suppress(Exception):
            rows.client.close(timeout=CONNECT_SECONDS)


@contextmanager
def clients_own(client: distributed.Client, say: Callable[[str], None]) -> Iterator[DaskRows]:
    """The workers of a client that belongs to the user, who closes it too."""

    def connect(old: distributed.Client) -> distributed.Client:
        """The same client: it looks for its scheduler by itself, for a while."""
        while old.status == "connecting":
            time.sleep(LOOK_SECONDS)
        if old.status != "running":
            raise StoreError(LOST)
        return old

    if client.status != "running":
        raise InputError(f"on: this client is {client.status}: give one that is connected to its scheduler")
    yield DaskRows(client, connect)


def cluster_class(kind: str) -> Any:
    """The class of `dask_jobqueue` for a batch system. Its import takes Ctrl-C for itself and exits with 0: that is undone."""
    handler = signal.getsignal(signal.SIGINT)
    import dask_jobqueue

    with suppress(ValueError):  # not the main thread, which alone minds signals
        signal.signal(signal.SIGINT, handler)
    return {"slurm": dask_jobqueue.SLURMCluster, "pbs": dask_jobqueue.PBSCluster}[kind]


@contextmanager
def batch_jobs(kind: str, *, jobs: int | None, threads: int | str, say: Callable[[str], None]) -> Iterator[DaskRows]:
    """Jobs of SLURM or PBS, one row at a time in each, started and ended as rows come and go; all are ended at the end.

    Queue, account, memory, walltime stand in Dask's configuration (`jobqueue.slurm`), as for other uses of Dask; so does a GPU.
    """
    cores = threads if isinstance(threads, int) else dask.config.get(f"jobqueue.{kind}.cores") or 1
    memory = dask.config.get(f"jobqueue.{kind}.memory") or MEMORY
    try:
        cluster = cluster_class(kind)(
            cores=cores, processes=1, memory=memory, worker_extra_args=["--nthreads", "1", "--resources", "GPU=1"]
        )
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"--on {kind}: Dask cannot make jobs ({error}): look at jobqueue.{kind} in its configuration") from None
    try:
        most = jobs or MOST_JOBS
        cluster.adapt(minimum_jobs=0, maximum_jobs=most)
        say(f"up to {most} jobs of {kind}, {cores} core{'s' if cores != 1 else ''} and {memory} each")
        client = distributed.Client(cluster, set_as_default=False)
        try:
            with clients_own(client, say) as rows:
                yield rows
        finally:
            with suppress(Exception):
                client.close(timeout=CONNECT_SECONDS)
    finally:
        cluster.close()
