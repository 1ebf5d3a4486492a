"""Grains that have fallen out of sight leave the run (`Scene.remove_below`), at fixed step numbers so that bits don't depend
on lists, threads or outputs. The other rows keep their order, so every sum is taken in the same order as before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clast.dynamics.arrays import PER_BODY, REMOVED, Cast

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine


INTERVAL = 1024  # steps between looks
NEVER = int(np.iinfo(np.int64).max)


class WholeCast(NamedTuple):
    """Who takes part before anybody has left, by ids."""

    level: np.ndarray  # (n,) level of cells, −1 for big bodies, −2 for a moving periodic cell
    mobile: np.ndarray  # (n,)
    free: int
    moving: int

    @classmethod
    def of(cls, order: np.ndarray, cast: Cast, free: int, moving: int) -> WholeCast:
        """The cast of a fresh layout."""
        level = np.full(order.size, -2, np.int64)
        level[order[cast.big]] = -1
        level[order[cast.grains]] = cast.level
        mobile = np.zeros(order.size, np.uint8)
        mobile[order] = cast.mobile
        return cls(level, mobile, free, moving)


def is_due(engine: Engine) -> bool:
    """Whether this is a step to look for fallen grains."""
    return engine.scene.remove_below is not None and engine.step % INTERVAL == 0


def next_look(engine: Engine) -> int:
    """The next step to look at."""
    return NEVER if engine.scene.remove_below is None else (engine.step // INTERVAL + 1) * INTERVAL


def remove_fallen(engine: Engine) -> None:
    """Take out free grains below the limit that touch nobody; the energy they carry off is booked."""
    body = engine.state.body
    fallen = body[: engine.free, engine.family.DIMENSION - 1] < engine.scene.remove_below  # the last axis points up
    if not fallen.any():
        return
    snapshot = engine.snapshot()
    near = snapshot.integers[:, :2].ravel()
    fallen[near[near < engine.free]] = False
    rows = np.flatnonzero(fallen)
    if rows.size == 0:
        return
    model = engine.model
    moving, turning = engine.family.kinetic(model, snapshot.before, snapshot.after, rows)
    place = snapshot.state.body[rows, : engine.family.DIMENSION]
    carried = moving + turning - (place @ model.gravity) / model.inverse_mass[rows]
    engine.state.book[rows] = snapshot.state.book[rows]  # finished to this instant: nobody will do it later
    engine.state.book[rows, REMOVED] += carried
    engine.family.stop(engine.state, rows)
    springs = engine._memory(engine._lists)
    stay = np.setdiff1d(np.arange(engine.order.size), rows)
    reorder(engine, np.concatenate([stay, rows]), engine.gone + rows.size)
    engine._take_springs(springs)
    engine._rebuild()


def reorder(engine: Engine, rows: np.ndarray, gone: int) -> None:
    """Let row k hold what row rows[k] held, and take the last `gone` rows out of the motion. Lists must be built anew."""
    new_row = np.argsort(rows)
    model, tags, whole = engine.model, engine.tags, engine.whole_cast
    per_body = {name: np.ascontiguousarray(getattr(model, name)[rows]) for name in PER_BODY}
    engine.model = model._replace(**per_body)
    engine.state = type(engine.state)(
        *(np.ascontiguousarray(each[rows]) if len(each) == len(rows) else each for each in engine.state)
    )
    engine.order = engine.order[rows]
    engine.free, engine.moving, engine.gone = whole.free - gone, whole.moving - gone, gone
    if engine.kernels.CELL:
        engine.model.cell[0] = engine.moving - 1
    level = whole.level[engine.order]
    grains = np.flatnonzero(level[: engine.order.size - gone] >= 0)
    engine.cast = engine.cast._replace(
        grains=grains, level=level[grains], big=np.flatnonzero(level == -1), mobile=whole.mobile[engine.order]
    )
    load = tags.load.copy()
    for first in range(2, load.shape[1], 3):  # the walls of each gap
        walls = load[:, first : first + 2]
        walls[...] = np.where(walls >= 0, new_row[walls], -1)
    engine.tags = tags._replace(load=load)
