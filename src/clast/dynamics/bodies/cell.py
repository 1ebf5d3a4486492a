"""A periodic cell whose lengths change: what the host has to know of it at a rebuild. Its motion is that of a tagged body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clast.dynamics.arrays import SHEARED
from clast.dynamics.plane.columns import PLACE_OF_OFFSET, SPIN, VX, VY, X, Y
from clast.errors import CellError, NotFiniteError

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine


def measure(engine: Engine) -> None:
    """Take the periods of the search from the cell; CellError if it has become too small for a body."""
    period = engine.model.period
    size = engine._seen_state.body[engine.model.cell[0], 0:2]
    if not np.isfinite(size).all():
        raise NotFiniteError(
            f"the periodic cell left the finite numbers at t = {engine.time:.6g} (step {engine.step}); "
            f"take a smaller time step than {engine.dt:.3g}"
        )
    widest = widest_bodies(engine)
    if (engine.scene.box.moving & (size <= widest)).any():
        raise CellError(
            f"the periodic cell has shrunk to {size[0]:.4g} × {size[1]:.4g} at t = {engine.time:.6g} (step {engine.step}), and "
            f"bodies reach over {widest[0]:.4g} × {widest[1]:.4g}: one would meet itself; stop earlier, or push less"
        )
    period[...] = np.where(period > 0.0, size, 0.0)
    if engine.kernels.CELL == SHEARED:
        engine.model.shear[:] = engine._seen_state.body[engine.model.cell[0], PLACE_OF_OFFSET], span(engine), 0.0, 0.0


def widest_bodies(engine: Engine) -> np.ndarray:
    """How far a body reaches along x and y (2,): grains by their circles, walls from one end of their skeleton to the other."""
    model, grains = engine.model, engine.roles.grains
    widest = np.full(2, 2.0 * float(model.reach[grains].max(initial=0.0)))
    for row in engine.roles.big:
        low_x, low_y, high_x, high_y = engine.geometry.box[model.shape[row]]
        cosine, sine = np.abs(engine._seen_state.body[row, 2:4])
        across, up = high_x - low_x, high_y - low_y
        widest = np.maximum(widest, [cosine * across + sine * up, sine * across + cosine * up])
    return widest


def farthest_image(engine: Engine) -> float:
    """How many cells away an image that is met can lie: bodies are never put back into the cell, so it may be several."""
    near = 2.0 * (float(engine.model.reach.max()) + engine.alpha)
    sides = np.ptp(engine._seen_state.body[np.concatenate([engine.roles.grains, engine.roles.big]), 0:2], axis=0)
    periodic = engine.model.period > 0.0
    if engine.kernels.CELL == SHEARED:
        periodic[X] = False  # that period stays
    return 1.0 + float(((sides[periodic] + near) // engine.model.period[periodic]).max())


def speed(engine: Engine) -> float:
    """How fast the farthest image that is met moves with the cell; in a sheared one against the flow, and neighbours in it."""
    row = engine._seen_state.body[engine.model.cell[0]]
    if engine.kernels.CELL == SHEARED:
        return farthest_image(engine) * abs(float(row[VY])) + span(engine) * abs(float(row[SPIN] / row[Y]))
    return farthest_image(engine) * float(np.hypot(row[VX], row[VY]))


def span(engine: Engine) -> float:
    """How far apart along y bodies of a sheared cell lie at most that may meet before lists are stale."""
    return 2.0 * float(engine.model.reach[engine.roles.grains].max(initial=0.0)) + engine._furthest + 4.0 * engine.alpha


def haste(engine: Engine) -> float:
    """By which the motion of the cell is multiplied before it is compared with α: lists are stale when that exceeds α.

    The farthest image moves that many times as much; and a cell that nears the size of a body must be measured in time.
    """
    moving = list(engine.scene.box.moving)
    if not any(moving):
        return farthest_image(engine)
    room = (engine.model.period - widest_bodies(engine))[moving].min()
    return max(farthest_image(engine), engine.alpha / room)
