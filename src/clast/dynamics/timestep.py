"""A safe time step before contacts are known (model §3): Δt = 0.15/ω with ω² = max 2 Σ_c k_c (1/m + l²/I).

For laws whose stiffness grows with the overlap, k is taken at 5 % of the smallest sphero-radius.
"""

import numpy as np

from clast.dynamics.arrays import Model, Tags

CONTACTS = 4  # per grain
COUNT = 2.0  # stiffness of one: corner on corner counts twice
FRACTION = 0.15


def safe_step(model: Model, tags: Tags, moving: int) -> float:
    """Δt for the bodies that move, each with four contacts of 2 k_n at the end of its reach; one where nothing can give way."""
    frequency = single_frequency(model, tags, moving, model.stiffness[0])
    return FRACTION / (float(np.sqrt(2.0 * CONTACTS * COUNT)) * frequency) if frequency > 0.0 else FRACTION


def unstable_step(model: Model, tags: Tags, moving: int) -> float:
    """Δt = 2/ω of one contact of count one with a body that does not give way: above it Verlet itself diverges."""
    frequency = single_frequency(model, tags, moving, model.stiffness[1])
    return 2.0 / frequency if frequency > 0.0 else float("inf")


def single_frequency(model: Model, tags: Tags, moving: int, stiffness: float) -> float:
    """Largest ω = √(k (1/m + l²/I)) of the bodies that move, l their reach. What a tag prescribes cannot swing."""
    free = moving - len(tags.imposed)
    shift, turn = np.ones(moving), np.ones(moving)
    shift[free:] = tags.imposed[:, :2].min(axis=1) == 0
    turn[free:] = tags.imposed[:, 2] == 0
    rate = shift * model.inverse_mass[:moving] + turn * model.reach[:moving] ** 2 * model.inverse_inertia[:moving]
    return float(np.sqrt(stiffness * rate.max(initial=0.0)))
