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
        c, (first, second) = bonds.constant, bonds.link.T
        angles, places = state.angle, state.body[:, :2]
        beta = c[:, FRAME] + 0.5 * (angles[first] + angles[second])
        half = 0.5 * (angles[second] - angles[first] - c[:, REST])
        self.normals = np.stack([np.cos(beta), np.sin(beta)], axis=1)
        self.first_arms = turned(c[:, ARM_IX : ARM_IX + 2], beta - half)
        self.second_arms = turned(c[:, ARM_JX : ARM_JX + 2], beta + half)
        self.points = places[first] + self.first_arms


def turned(vectors: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Vectors (m, 2), each turned by an angle (m,)."""
    c, s = np.cos(angles), np.sin(angles)
    return np.stack([c * vectors[:, 0] - s * vectors[:, 1], s * vectors[:, 0] + c * vectors[:, 1]], axis=1)
