"""A safe time step for sharp bodies before contacts are known (model §4: the tangent stiffness of an overlap is Y|A|/L_c).

Each grain is taken to lie between two others on its widest face, A over L_c = twice the distance of that face: ω² = 4 k/m. A
smaller contact off the middle turns the grain more easily, but is softer in the same measure.
"""

import numpy as np

from clast.dynamics.arrays import Model, Tags
from clast.dynamics.timestep import FRACTION

SIDES = 4.0  # two contacts, each with a body that gives way as well


def safe_step(model: Model, tags: Tags, moving: int) -> float:
    """Δt = 0.15/ω for the bodies that move; 0.15 where nothing can give way."""
    frequency = single_frequency(model, tags, moving)
    return FRACTION / (float(np.sqrt(SIDES)) * frequency) if frequency > 0.0 else FRACTION


def unstable_step(model: Model, tags: Tags, moving: int) -> float:
    """Δt = 2/ω of one contact all over a face with a body that does not give way: above it Verlet itself diverges."""
    frequency = single_frequency(model, tags, moving)
    return 2.0 / frequency if frequency > 0.0 else float("inf")


def single_frequency(model: Model, tags: Tags, moving: int) -> float:
    """Largest ω = √(k/m) of the bodies that move. What a tag prescribes cannot swing."""
    free = moving - len(tags.imposed)
    shift = np.ones(moving)
    shift[free:] = tags.imposed[:, :3].min(axis=1) == 0
    return float(np.sqrt(model.stiffness[0] * (shift * model.ease[:moving]).max(initial=0.0)))
