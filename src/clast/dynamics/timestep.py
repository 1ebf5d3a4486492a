"""A safe time step before contacts are known (model §3): Δt = 0.15/ω with ω² = max 2 Σ_c k_c (1/m + l²/I)."""

import numpy as np

from clast.dynamics.arrays import Model

CONTACTS = 4  # per grain
COUNT = 2.0  # stiffness of one: corner on corner counts twice
FRACTION = 0.15


def safe_step(model: Model, moving: int) -> float:
    """Δt for the bodies that move, each with four contacts of 2 k_n at the end of its reach."""
    return FRACTION / float(np.sqrt(2.0 * CONTACTS * COUNT) * single_frequency(model, moving)) if moving else FRACTION


def unstable_step(model: Model, moving: int) -> float:
    """Δt = 2/ω of one contact of count one with a body that does not give way: above it Verlet itself diverges."""
    return 2.0 / single_frequency(model, moving) if moving else float("inf")


def single_frequency(model: Model, moving: int) -> float:
    """Largest ω = √(k_n (1/m + l²/I)) of the bodies that move, l their reach."""
    rate = model.inverse_mass[:moving] + model.reach[:moving] ** 2 * model.inverse_inertia[:moving]
    return float(np.sqrt(model.law[:, 0].max() * rate.max()))
