"""What a change of a run does to its energy, booked as `work_changes`: so the book closes across it.

A change happens at an instant: nothing moves meanwhile. So what the accounts add up to before and after differ by the work of who
made it: ½ Δk δ² where springs become stiffer, −m Δg·x where gravity turns, nothing where friction changes. Both are taken from
snapshots, by the accounts every sample is made of. Where the forces change, so does the kinetic energy ½ v₋·M·v₊ that the book
goes by, by ½ v₋·ΔF Δt: it is in the difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from clast.dynamics.engine import Engine
from clast.measures.book import sum_of
from clast.measures.snapshots.accounts import accounts


@contextmanager
def booked(engine: Engine) -> Iterator[None]:
    """Book the work of whatever is done to the run inside."""
    before = sum_now(engine)
    yield
    engine.work_changes += sum_now(engine) - before


def sum_now(engine: Engine) -> float:
    """What the accounts of a run add up to at this instant [energy]."""
    return sum_of(accounts(engine, engine.snapshot()))
