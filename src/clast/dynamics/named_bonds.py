"""Bonds at an instant by name, row k that with id k of the scene: for all that lies outside `dynamics`."""

from __future__ import annotations

from typing import Any

import numpy as np

from clast.dynamics.plane.bonds import (
    ARM_IX,
    ARM_JX,
    BROKEN,
    CARRIED_X,
    CARRIED_Y,
    ENERGY,
    FRAME,
    HOW,
    LOAD,
    MOMENT,
    PULLED,
    RELEASED,
    REST,
    SHEARED,
)
from clast.scene.bonds import lie


class BondsNow:
    """Bonds of a snapshot, m of them. A broken one carries nothing.

    bodies                 ids (m, 2)
    forces                 on the first body (m, 2) [N]; moments (m,), the bending moment on it [N m]
    tensions, shears       at the rim and on the whole face (m,) [N/m]
    loads                  how near each is to breaking, 1 breaks (m,)
    energies               elastic (m,) [J]
    broken_steps           step at which each broke (m,), −1 while it holds; holding is (m,) bool
    released               energy that breaking set free (m,) [J]
    how                    1 by tension, 2 by shear, 3 taken away by a change of the run; 0 while it holds
    points, normals        where they are, and from the first body to the second (m, 2) [m]
    first_arms, second_arms   from the centres to the point (m, 2) [m]
    """

    def __init__(self, bonds: Any, state: Any, order: np.ndarray) -> None:
        row, fate = bonds.row.copy(), state.bond
        self.bodies = order[bonds.link]
        self.forces, self.moments = row[:, [CARRIED_X, CARRIED_Y]], row[:, MOMENT]
        self.energies, self.tensions, self.shears, self.loads = row[:, ENERGY], row[:, PULLED], row[:, SHEARED], row[:, LOAD]
        self.broken_steps, self.released = fate[:, BROKEN].astype(np.int64), fate[:, RELEASED].copy()
        self.how = fate[:, HOW].astype(np.int64)
        self.holding = self.broken_steps < 0
        for table in (self.forces, self.moments, self.energies, self.tensions, self.shears, self.loads):
            table[~self.holding] = 0.0
        c = bonds.constant
        arms = np.stack([c[:, ARM_IX : ARM_IX + 2], c[:, ARM_JX : ARM_JX + 2]], axis=1)
        found = lie(arms, c[:, FRAME], c[:, REST], state.body[bonds.link, :2], state.angle[bonds.link])
        self.points, self.normals, self.first_arms, self.second_arms = found
