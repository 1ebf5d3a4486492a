"""A periodic cell whose lengths change: what the host has to know of it at a rebuild. Its motion is that of a tagged body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clast.algebra.quaternions import matrix
from clast.dynamics.arrays import SHEARED
from clast.dynamics.plane.columns import X, Y
from clast.dynamics.space.columns import TURN
from clast.errors import CellError, NotFiniteError

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine


def row_of(engine: Engine) -> np.ndarray:
    """The row of the cell among the bodies."""
    return engine._seen_state.body[engine.model.cell[0]]


def measure(engine: Engine) -> None:
    """Take the periods of the search from the cell; CellError if it has become too small for a body."""
    period, row = engine.model.period, row_of(engine)
    size = row[: engine.family.DIMENSION]
    if not np.isfinite(size).all():
        raise NotFiniteError(
            f"the periodic cell left the finite numbers at t = {engine.time:.6g} (step {engine.step}); "
            f"take a smaller time step than {engine.dt:.3g}"
        )
    widest = widest_bodies(engine)
    if (engine.scene.box.moving & (size <= widest)).any():
        raise CellError(
            f"the periodic cell has shrunk to {written(size)} at t = {engine.time:.6g} (step {engine.step}), and "
            f"bodies reach over {written(widest)}: one would meet itself; stop earlier, or push less"
        )
    period[...] = np.where(period > 0.0, size, 0.0)
    if engine.kernels.CELL == SHEARED:
        engine.model.shear[:] = row[engine.family.OFFSET], span(engine), 0.0, 0.0


def written(lengths: np.ndarray) -> str:
    """Lengths along the axes as a text."""
    return " × ".join(f"{length:.4g}" for length in lengths)


def widest_bodies(engine: Engine) -> np.ndarray:
    """How far a body reaches along each axis (d,): grains by their circles, walls from one end of their skeleton to the other."""
    model, grains, axes = engine.model, engine.roles.grains, engine.family.DIMENSION
    widest = np.full(axes, 2.0 * float(model.reach[grains].max(initial=0.0)))
    for row in engine.roles.big:
        body = engine._seen_state.body[row]
        if axes == 3:
            corners = engine.scene.bodies[int(engine.order[row])].shape.vertices @ matrix(body[TURN : TURN + 4]).T
            widest = np.maximum(widest, np.ptp(corners, axis=0))
            continue
        low_x, low_y, high_x, high_y = engine.geometry.box[model.shape[row]]
        cosine, sine = np.abs(body[2:4])
        across, up = high_x - low_x, high_y - low_y
        widest = np.maximum(widest, [cosine * across + sine * up, sine * across + cosine * up])
    return widest


def farthest_image(engine: Engine) -> float:
    """How many cells away an image that is met can lie: bodies are never put back into the cell, so it may be several."""
    near, axes = 2.0 * (float(engine.model.reach.max()) + engine.alpha), engine.family.DIMENSION
    sides = np.ptp(engine._seen_state.body[np.concatenate([engine.roles.grains, engine.roles.big]), :axes], axis=0)
    periodic = engine.model.period > 0.0
    if engine.kernels.CELL == SHEARED:
        periodic[X] = False  # that period stays
    return 1.0 + float(((sides[periodic] + near) // engine.model.period[periodic]).max())


def speed(engine: Engine) -> float:
    """How fast the farthest image that is met moves with the cell; in a sheared one against the flow, and neighbours in it."""
    row, family = row_of(engine), engine.family
    rates = row[family.VELOCITIES]
    if engine.kernels.CELL == SHEARED:
        return farthest_image(engine) * float(np.abs(rates[1:]).sum()) + span(engine) * abs(
            float(row[family.OFFSET_RATE] / row[Y])
        )
    return farthest_image(engine) * float(np.hypot.reduce(rates))


def span(engine: Engine) -> float:
    """How far apart along y bodies of a sheared cell lie at most that may meet before lists are stale."""
    return 2.0 * float(engine.model.reach[engine.roles.grains].max(initial=0.0)) + engine._furthest + 4.0 * engine.alpha


def shear_rate(engine: Engine) -> float:
    """∂v_x/∂y of the flow of a sheared cell; 0 in any other."""
    if engine.kernels.CELL != SHEARED:
        return 0.0
    row = row_of(engine)
    return float(row[engine.family.OFFSET_RATE] / row[Y])


def haste(engine: Engine) -> float:
    """By which the motion of the cell is multiplied before it is compared with α: lists are stale when that exceeds α.

    The farthest image moves that many times as much; and a cell that nears the size of a body must be measured in time.
    """
    moving = list(engine.scene.box.moving)
    if not any(moving):
        return farthest_image(engine)
    room = (engine.model.period - widest_bodies(engine))[moving].min()
    return max(farthest_image(engine), engine.alpha / room)
