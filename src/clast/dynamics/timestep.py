"""A safe time step before contacts are known (model §3): Δt = 0.15/ω with ω² = max `together` k (1/m + l²/I).

What `together` stands for is written in the layout of each family, and so is Model.ease, 1/m and l²/I of each body. For laws
whose stiffness grows with the overlap, k is taken at 5 % of the smallest sphero-radius.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from clast.dynamics.arrays import Model, Tags
from clast.dynamics.bodies.bonds import squared_frequencies

FRACTION = 0.15


def safe_step(model: Model, tags: Tags, moving: int, together: float, bonds: Any = (), others: Sequence[int] = ()) -> float:
    """Δt for the bodies that move, each under `together` times the stiffness of a contact and all its bonds; 0.15 where nothing
    can give way.

    others   rows of free bodies that take no part yet, or no more
    """
    frequency = float(np.sqrt(together)) * single_frequency(model, tags, moving, model.stiffness[0], others)
    if bonds:
        frequency = float(np.sqrt(frequency**2 + squared_frequencies(model, tags, moving, bonds)[0]))
    return FRACTION / frequency if frequency > 0.0 else FRACTION


def unstable_step(model: Model, tags: Tags, moving: int, bonds: Any = (), others: Sequence[int] = ()) -> float:
    """Δt = 2/ω of one contact of count one with a body that does not give way, or of the bonds of a body: above it Verlet itself
    diverges."""
    frequency = single_frequency(model, tags, moving, model.stiffness[1], others)
    frequency = max(frequency, float(np.sqrt(squared_frequencies(model, tags, moving, bonds)[1])))
    return 2.0 / frequency if frequency > 0.0 else float("inf")


def single_frequency(model: Model, tags: Tags, moving: int, stiffness: float, others: Sequence[int]) -> float:
    """Largest ω = √(k (1/m + l²/I)) of the bodies that move. What a tag prescribes cannot swing."""
    axes = len(model.period)
    gives_way = np.ones((moving, 2))
    tagged = gives_way[moving - len(tags.imposed) :]
    tagged[:, 0] = tags.imposed[:, :axes].min(axis=1) == 0
    tagged[:, 1] = tags.imposed[:, axes:].min(axis=1) == 0
    shifts, turns = np.concatenate([gives_way * model.ease[:moving], model.ease[np.array(others, np.int64)]]).T
    return float(np.sqrt(stiffness * (shifts + turns).max(initial=0.0)))
