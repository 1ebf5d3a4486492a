"""Which part of the plane a picture shows: where the grains are, not where a lost one fell to or how far a floor goes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from clast.output.figures.plane import Outlines
    from clast.output.store.reader import Run

MARGIN = 0.02  # of the larger side
NEARBY = 0.5  # of the grains' box: how far around it walls are shown


def view_of(run: Run, bodies: Outlines, chosen: Iterable[int]) -> tuple[np.ndarray, np.ndarray]:
    """Lower left and upper right corner for some frames of a run: one period along a periodic side, else what holds the grains.

    A grain is lost where it has left the box around all bodies of the first frame by more than half that box's diagonal.
    Walls count as far as they are near the grains; one that holds them, drawn as its rim, is shown whole.
    """
    reach = np.array([np.hypot(*ring.T).max() for ring in bodies.rings])[bodies.shape]
    grains = np.flatnonzero(~bodies.big)
    chosen = list(chosen)
    first = run.frames[chosen[0]]
    walls, owners = bodies.place(np.flatnonzero(bodies.big), first.positions, first.angles)
    wall_points = walls.reshape(-1, 2)
    rim = np.array([bool(bodies.holes and bodies.holes[k]) for k in bodies.shape[owners]], bool)
    whole = np.repeat(rim, walls.shape[1])[:, None]
    if grains.size == 0:
        low, high = wall_points.min(axis=0), wall_points.max(axis=0)
    else:
        around = reach[grains, None]
        start = np.concatenate([first.positions[grains] - around, first.positions[grains] + around, wall_points])
        room = 0.5 * float(np.hypot(*np.ptp(start, axis=0)))
        near = start.min(axis=0) - room, start.max(axis=0) + room
        low, high = np.full(2, np.inf), np.full(2, -np.inf)
        for index in chosen:
            where = run.frames[index].positions[grains]
            counted = ((where >= near[0]) & (where <= near[1]) | (bodies.period > 0.0)).all(axis=1)
            counted &= ~run.frames[index].absent[grains]
            low = np.minimum(low, (where - around)[counted].min(axis=0, initial=np.inf))
            high = np.maximum(high, (where + around)[counted].max(axis=0, initial=-np.inf))
        if len(wall_points):
            room = NEARBY * float((high - low).max())
            seen = np.where(whole, wall_points, np.clip(wall_points, low - room, high + room))
            low, high = np.minimum(low, seen.min(axis=0)), np.maximum(high, seen.max(axis=0))
    margin = MARGIN * float((high - low).max())
    periodic = bodies.period > 0.0
    widest = np.max([bodies.at(run.frames[index]).period for index in chosen], axis=0)
    return np.where(periodic, 0.0, low - margin), np.where(periodic, widest, high + margin)
