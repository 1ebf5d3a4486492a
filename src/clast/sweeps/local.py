"""Rows carried out on this machine, by several processes at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from clast.backend.processes import Answer, count_jobs, share_out

WORKER = "clast.sweeps.worker"


@dataclass(frozen=True)
class Order:
    """How rows are to be carried out, and who hears of them.

    jobs      rows at a time; None leaves that to the executor
    threads   of each row
    hear      is called with the number of a row and each answer to it; the last has "end", and "died": why, if a process
              did not live to give it
    look      is called several times a second
    say       shows a sentence to the user
    """

    jobs: int | None
    threads: int | str
    hear: Callable[[int, Answer], None]
    look: Callable[[], None]
    say: Callable[[str], None]


class Executor(Protocol):
    """Where rows are carried out."""

    def share_out(self, pieces: Sequence[Mapping[str, Any]], order: Order) -> None:
        """Carry out all pieces."""


class LocalProcesses:
    """Processes of this machine; one per core if no number of jobs is given."""

    def share_out(self, pieces: Sequence[Mapping[str, Any]], order: Order) -> None:
        """See `Executor`."""
        jobs = count_jobs(order.jobs, len(pieces))
        share_out(WORKER, pieces, jobs=jobs, hear=order.hear, threads=order.threads, look=order.look)
