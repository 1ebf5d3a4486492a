"""A safe time step in space before contacts are known (model §3): Δt = 0.15/ω with ω² = max 2 Σ_c k_c (1/m + l²/I).

Each grain is given four contacts, each of 3 k_n, for vertex on vertex counts three in space, where and in the direction in
which a push turns it most: l²/I is `ease_of` in `clast.dynamics.space.layout`. For laws
whose stiffness grows with the overlap, k is taken at 5 % of the
smallest sphero-radius.
"""

import numpy as np

from clast.dynamics.arrays import Model, Tags
from clast.dynamics.timestep import FRACTION

CONTACTS = 4  # per grain
COUNT = 3.0  # stiffness of one: vertex on vertex counts three times


def safe_step(model: Model, tags: Tags, moving: int) -> float:
    """Δt for the bodies that move, each with four contacts of 3 k_n where they turn it most; one where nothing can give way."""
    frequency = single_frequency(model, tags, moving, model.stiffness[0])
    return FRACTION / (float(np.sqrt(2.0 * CONTACTS * COUNT)) * frequency) if frequency > 0.0 else FRACTION


def unstable_step(model: Model, tags: Tags, moving: int) -> float:
    """Δt = 2/ω of one contact of count one with a body that does not give way: above it Verlet itself diverges."""
    frequency = single_frequency(model, tags, moving, model.stiffness[1])
    return 2.0 / frequency if frequency > 0.0 else float("inf")


def single_frequency(model: Model, tags: Tags, moving: int, stiffness: float) -> float:
    """Largest ω = √(k (1/m + l²/I)) of the bodies that move. What a tag prescribes cannot swing."""
    free = moving - len(tags.imposed)
    shift, turn = np.ones(moving), np.ones(moving)
    shift[free:] = tags.imposed[:, :3].min(axis=1) == 0
    turn[free:] = tags.imposed[:, 3:].min(axis=1) == 0
    rate = shift * model.inverse_mass[:moving] + turn * model.ease[:moving]
    return float(np.sqrt(stiffness * rate.max(initial=0.0)))
