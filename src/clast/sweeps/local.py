"""Rows carried out on this machine, by several processes at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from clast.backend.processes import Answer, count_jobs, share_out

WORKER = "clast.sweeps.worker"


class Executor(Protocol):
    """Where rows are carried out."""

    def share_out(
        self,
        pieces: Sequence[Mapping[str, Any]],
        *,
        jobs: int | None,
        hear: Callable[[int, Answer], None],
        threads: int | str,
        look: Callable[[], None],
        say: Callable[[str], None],
    ) -> None:
        """Carry out all pieces, `jobs` at a time.

        hear   is called with the number of a piece and each answer to it; the last has "end", and "died": why, if a process
               did not live to give it
        look   is called several times a second
        say    shows a sentence to the user
        """


class LocalProcesses:
    """Processes of this machine; one per core if `jobs` is None."""

    def share_out(
        self,
        pieces: Sequence[Mapping[str, Any]],
        *,
        jobs: int | None,
        hear: Callable[[int, Answer], None],
        threads: int | str,
        look: Callable[[], None],
        say: Callable[[str], None],
    ) -> None:
        """See `Executor`."""
        share_out(WORKER, pieces, jobs=count_jobs(jobs, len(pieces)), hear=hear, threads=threads, look=look)
