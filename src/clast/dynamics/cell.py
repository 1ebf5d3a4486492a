"""A periodic cell whose lengths change: what the host has to know of it at a rebuild. Its motion is that of a tagged body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clast.errors import PhysicsError

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine


def measure(engine: Engine) -> None:
    """Take the periods of the search from the cell; PhysicsError if it has become too small for its grains."""
    period = engine.model.period
    size = engine.state.body[engine.model.cell[0], 0:2]
    widest = 2.0 * float(engine.model.reach[np.concatenate([engine.cast.grains, engine.cast.big])].max())
    if ((period > 0.0) & (size <= widest)).any():
        raise PhysicsError(
            f"the periodic cell has shrunk to {size[0]:.4g} × {size[1]:.4g} at t = {engine.time:.6g} (step {engine.step}), and a "
            f"body is {widest:.4g} across: it would meet itself; stop earlier, or push less"
        )
    period[...] = np.where(period > 0.0, size, 0.0)


def farthest_image(engine: Engine) -> int:
    """How many cells away an image that is met can lie: grains are never put back into the cell, so it may be several."""
    near = 2.0 * (float(engine.model.reach.max()) + engine.alpha)
    grains = engine.cast.grains
    sides = np.ptp(engine.state.body[grains, 0:2], axis=0) if grains.size else np.zeros(2)
    return 1 + max(int((side + near) // period) for side, period in zip(sides, engine.model.period, strict=True) if period > 0.0)
