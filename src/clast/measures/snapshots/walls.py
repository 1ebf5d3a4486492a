"""How much of a wall's load its dashpot carries (model §6): the dashpot stills a free wall, it must not hold the sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine, Snapshot


TOLERATED = 0.02  # of the load


def dashpot_share(engine: Engine, snapshot: Snapshot) -> float:
    """Largest |c v|/|load| of the walls that carry a load and have a dashpot, at the instant of a snapshot; 0 without any.

    A periodic cell that moves counts as a wall.
    """
    share = largest_share(snapshot.loads, snapshot.held, snapshot.dashpots, snapshot.velocities)
    cell = snapshot.cell
    return share if cell is None else max(share, largest_share(cell.loads, cell.held, cell.dashpots, cell.rates))


def largest_share(loads: np.ndarray, held: np.ndarray, dashpots: np.ndarray, velocities: np.ndarray) -> float:
    """Largest |c v|/|load| where a load acts on a dashpot, all of one shape; 0 where none does."""
    load = np.abs(loads)
    loaded = ~held & (load > 0.0) & (dashpots > 0.0)
    return float((np.abs(dashpots * velocities)[loaded] / load[loaded]).max(initial=0.0))
