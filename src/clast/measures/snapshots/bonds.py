"""Bonds of a snapshot as a frame stores them."""

from __future__ import annotations

import numpy as np

from clast.dynamics.named_bonds import BondsNow


def bond_arrays(bonds: BondsNow) -> dict[str, np.ndarray]:
    """Arrays of a frame, a row for each bond (m,): what it carries, in single precision, and what became of it.

    bond_forces    on the first body (m, 2) [force], bond_moments [force × length]
    bond_loads     how near it is to breaking, 1 breaks
    bond_steps     the step at which it broke, −1 while it holds
    bond_how       0 while it holds, 1 by tension, 2 by shear, 3 taken away
    """
    return {
        "bond_forces": bonds.forces.astype(np.float32),
        "bond_moments": bonds.moments.astype(np.float32),
        "bond_loads": bonds.loads.astype(np.float32),
        "bond_steps": bonds.broken_steps,
        "bond_how": bonds.how.astype(np.uint8),
    }
