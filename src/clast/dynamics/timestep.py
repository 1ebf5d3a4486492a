"""A safe time step before contacts are known (model §3): Δt = 0.15/ω with ω² = max 2 Σ_c k_c (1/m + l²/I)."""

import numpy as np

from clast.dynamics.arrays import Model

CONTACTS = 4  # per grain
COUNT = 2.0  # stiffness of one: corner on corner counts twice
FRACTION = 0.15


def safe_step(model: Model, moving: int) -> float:
    """Δt for the bodies that move, each with four contacts of 2 k_n at the end of its reach."""
    stiffness = CONTACTS * COUNT * float(model.law[:, 0].max())
    rate = model.inverse_mass[:moving] + model.reach[:moving] ** 2 * model.inverse_inertia[:moving]
    return FRACTION / float(np.sqrt(2.0 * stiffness * rate.max(initial=0.0))) if moving else FRACTION
