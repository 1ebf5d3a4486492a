"""Grains that have come into a sink leave the run, also where they touch others.

Where bonds hold bodies together, all of them leave or none, as at `remove_below`: half a fragment would be pulled by nobody.
What they carry off is booked with them: their own kinetic and gravitational energy, and what else the sums of the book lose as
their contacts end, which are springs and what the kick at this instant would have done to their neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clast.algebra import lattice
from clast.dynamics.arrays import REMOVED
from clast.dynamics.bodies import removal
from clast.dynamics.bodies.at_once import at_once
from clast.dynamics.bodies.flow import conserved
from clast.scene.flow import Sink

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine


def drain(engine: Engine) -> None:
    """Take out the free grains that are in a sink now."""
    if not engine.scene.sinks:
        return
    places = engine._seen_state.body[: engine.free, : engine.family.DIMENSION]
    sink_of = np.full(engine.free, -1)
    for number, sink in reversed([*enumerate(engine.scene.sinks)]):  # of several the first
        sink_of[inside(sink, places, engine)] = number
    if not (sink_of >= 0).any():
        return
    stays = removal.parts_that_stay(engine, sink_of >= 0)
    sink_of[stays[stays < engine.free]] = -1
    rows = np.flatnonzero(sink_of >= 0)
    if rows.size == 0:
        return
    rows = rows[np.argsort(engine.roles.rank[rows])]
    snapshot = engine.snapshot()
    touching = np.isin(rows, snapshot.integers[:, :2])
    with at_once(engine):
        removal.take_out(engine, rows, snapshot, sink_of[rows])
        if touching.any():
            parted = conserved(snapshot) - conserved(engine.snapshot())
            last = np.arange(engine.order.size - rows.size, engine.order.size)  # where they are now
            engine.state.book[last[touching], REMOVED] += parted / np.count_nonzero(touching)


def inside(sink: Sink, places: np.ndarray, engine: Engine) -> np.ndarray:
    """Which of some places (n, d) are in a sink (n,); of a periodic box in any of its images."""
    if sink.lower is None or sink.upper is None:
        assert sink.point is not None and sink.normal is not None
        return np.asarray(sum(way * (places[:, k] - sink.point[k]) for k, way in enumerate(sink.normal)) > 0.0)
    low, high = np.array(sink.lower), np.array(sink.upper)
    away = places - 0.5 * (low + high)
    if engine.model.period.any():
        period, offset = engine.period, engine.offset
        away = away - lattice.shifts(lattice.numbers(away, period, offset, lowest=False), period, offset)
    return np.asarray((np.abs(away) <= 0.5 * (high - low)).all(axis=1))
