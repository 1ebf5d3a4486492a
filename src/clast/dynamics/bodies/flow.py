"""Grains that come in and go out while a run goes on: who, when, and what they bring (`clast.scene.flow` has the data).

Looks are due at fixed step numbers, and what is drawn at random depends on the seed, the grain and the step alone: so bits depend
neither on lists and threads nor on outputs, and a resumed run has those of the unbroken one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from clast.dynamics.bodies import removal
from clast.scene.flow import Source

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine
    from clast.dynamics.snapshot import Snapshot

INTERVAL = 128  # steps between looks
ELASTIC = ("normal_energies", "tangential_energies", "rolling_energies", "cohesive_energies")
NEGATIVE = ("work_tags", "work_changes", "brought_in")  # accounts that the others grow by


class Flow(NamedTuple):
    """Who has come in and gone out since the start, in this order."""

    active: bool = False  # whether the scene has sources or sinks
    came: np.ndarray = np.zeros((0, 2), np.int64)  # (k, 2): id, step
    went: np.ndarray = np.zeros((0, 3), np.int64)  # (k, 3): id, step, number of the sink, or `removal.FALLEN`
    brought: float = 0.0  # kinetic and gravitational energy with which grains came

    def with_new(self, ids: np.ndarray, step: int, energy: float) -> Self:
        """After some have come."""
        rows = np.column_stack([ids, np.full(len(ids), step)]).astype(np.int64)
        return self._replace(came=np.concatenate([self.came, rows]), brought=self.brought + energy)

    def without(self, ids: np.ndarray, step: int, sinks: np.ndarray | int) -> Self:
        """After some have gone; nobody takes notes where the scene has neither sources nor sinks."""
        if not self.active:
            return self
        rows = np.column_stack([ids, np.full(len(ids), step), np.broadcast_to(sinks, len(ids))]).astype(np.int64)
        return self._replace(went=np.concatenate([self.went, rows]))

    def arrays(self) -> dict[str, np.ndarray]:
        """For a checkpoint; nothing where the scene has neither sources nor sinks."""
        kept = {"flow_came": self.came, "flow_went": self.went, "flow_brought": np.array([self.brought])}
        return kept if self.active else {}

    def restored(self, arrays: dict[str, np.ndarray]) -> Self:
        """As a checkpoint has it."""
        if not self.active:
            return self
        return self._replace(came=arrays["flow_came"], went=arrays["flow_went"], brought=float(arrays["flow_brought"][0]))

    def come_of(self, source: Source) -> int:
        """How many grains of a source have come."""
        return int(np.count_nonzero((self.came[:, 0] >= source.first) & (self.came[:, 0] < source.first + source.count)))

    def waiting(self, scene: Any) -> np.ndarray:
        """Ids of grains that have not come yet."""
        return np.setdiff1d(scene.waiting, self.came[:, 0])


def begin(engine: Engine) -> None:
    """Let the grains of sources wait outside a run that has not begun; the lists are to be built after that."""
    scene = engine.scene
    engine.flow = Flow(active=bool(scene.sources or scene.sinks))
    if scene.sources:
        scene.refuse_tagged(scene.waiting)
        rows = np.argsort(engine.order)[scene.waiting]
        others = np.setdiff1d(np.arange(engine.order.size), rows)
        removal.reorder(engine, np.concatenate([others, rows]), rows.size, engine._memory(engine._seen_lists))


def conserved(snapshot: Snapshot) -> float:
    """What stays the same in a perfect book: all energies, heats and what was carried off, less works and what was brought in."""
    totals, contacts = snapshot.totals, snapshot.contacts
    kept = sum(-value if name in NEGATIVE else value for name, value in totals.items())
    return kept + sum(float(np.sum(getattr(contacts, name))) for name in ELASTIC)


def look_at(time: float, dt: float) -> int:
    """The first step with a look at or after a time."""
    return INTERVAL * max(0, math.ceil(time / (dt * INTERVAL)))


def next_of(source: Source, come: int, step: int, dt: float) -> int | None:
    """The first step from `step` on at which the next grain of a source may come, where `come` have; None if there is none.

    The looks of a source end with the first at or after `until`, for who was due before that.
    """
    time = source.time_of(come)
    if come == source.count or (source.until is not None and time >= source.until):
        return None
    due = max(look_at(time, dt), -(-step // INTERVAL) * INTERVAL)
    return None if source.until is not None and due > look_at(source.until, dt) else due
