"""Contacts at an instant, by name: one class for the plane, for space and for sharp bodies. See `clast.dynamics.named`."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from clast.dynamics.contacts import table as plane
from clast.dynamics.space import table as space


class ContactTable:
    """What touches, k contacts: one row each, d = 2 or 3 components. Units in brackets are those of SI.

    Forces and energies are the law's, those of space multiplied with the count. With cohesion, features that pull across a gap
    have rows too: their depth is negative. Names that a stored run has as well (`run.contacts`) mean the same there.
    """

    def __init__(self, table: ModuleType, order: np.ndarray, state: Any, integers: np.ndarray, floats: np.ndarray) -> None:
        self._table, self._order, self._state = table, order, state
        self._integers, self._floats = integers, floats
        self._in_space = table is space

    def __len__(self) -> int:
        return len(self._floats)

    def __repr__(self) -> str:
        return f"<{len(self)} contacts>"

    def _vectors(self, in_plane: tuple[int, int], in_space: int) -> np.ndarray:
        """A vector of every contact (k, d): its columns in the plane, and the first of three in space."""
        columns = range(in_space, in_space + 3) if self._in_space else in_plane
        return self._floats[:, list(columns)]

    def _across(self, column: int, in_space: int) -> np.ndarray:
        """A tangential vector (k, d): in the plane a number times T = ẑ × N."""
        if self._in_space:
            return self._vectors((0, 0), in_space)
        nx, ny = self.normals.T
        return self._floats[:, column, None] * np.stack([-ny, nx], axis=1)

    # --- who meets whom, and where -----------------------------------------------------------------------------------

    @property
    def first(self) -> np.ndarray:
        """Ids (k,) of the bodies whose features come first: those that probe."""
        return self._order[self._integers[:, self._table.PROBER]]

    @property
    def second(self) -> np.ndarray:
        """Ids (k,) of the bodies that are probed."""
        return self._order[self._integers[:, self._table.PROBED]]

    @property
    def bodies(self) -> np.ndarray:
        """Both ids (k, 2)."""
        return self._order[self._integers[:, [self._table.PROBER, self._table.PROBED]]]

    @property
    def sections(self) -> np.ndarray:
        """Part of a pair's list (k,): 0 where the body of the smaller rank probes, 1 where the other does, 2 edge on edge."""
        return self._integers[:, space.SECTION if self._in_space else plane.SIDE]

    @property
    def first_features(self) -> np.ndarray:
        """Features of the first bodies (k,), numbered through all shapes: vertices, in space also edges; if sharp, planes."""
        return self._integers[:, space.FIRST if self._in_space else plane.PROBE]

    @property
    def second_features(self) -> np.ndarray:
        """Features of the second bodies (k,), numbered likewise: edges with their start, in space faces, edges, vertices."""
        return self._integers[:, space.SECOND if self._in_space else plane.FEATURE]

    @property
    def features(self) -> np.ndarray:
        """1 where vertex meets vertex, 0 elsewhere (k,)."""
        return self._integers[:, self._table.AT_VERTEX]

    @property
    def counts(self) -> np.ndarray:
        """How much a contact counts (k,): 1, negative where a notch subtracts, a fraction where parallel edges fade."""
        return self._floats[:, space.COUNT] if self._in_space else self._integers[:, plane.COUNT].astype(np.float64)

    @property
    def points(self) -> np.ndarray:
        """Contact points (k, d) [m], beside the first body."""
        return self._vectors((plane.POINT_X, plane.POINT_Y), space.POINT)

    @property
    def normals(self) -> np.ndarray:
        """Unit vectors (k, d) from the first to the second body."""
        return self._vectors((plane.NORMAL_X, plane.NORMAL_Y), space.NORMAL)

    @property
    def branches(self) -> np.ndarray:
        """From the centre of the first body to that of the second, or of its image that is met (k, d) [m]."""
        return self._vectors((plane.BRANCH_X, plane.BRANCH_Y), space.BRANCH)

    @property
    def first_arms(self) -> np.ndarray:
        """From the centre of the first body to the contact point (k, d) [m]."""
        at = self.points
        return at - self._state.body[self._integers[:, self._table.PROBER], : at.shape[1]]

    @property
    def second_arms(self) -> np.ndarray:
        """From the centre of the second body, or of its image that is met, to the contact point (k, d) [m]."""
        return self.first_arms - self.branches

    @property
    def depths(self) -> np.ndarray:
        """Overlaps (k,) [m]; of sharp bodies volume over area."""
        return self._floats[:, self._table.DEPTH]

    @property
    def reaches(self) -> np.ndarray:
        """What depths are held against (k,) [m]: the sum of the sphero-radii, of sharp bodies the length of the pair."""
        return self._floats[:, self._table.REACH]

    @property
    def closing_speeds(self) -> np.ndarray:
        """Speeds along the normal (k,) [m/s], positive where the bodies approach."""
        return self._floats[:, self._table.CLOSING_SPEED]

    @property
    def springs(self) -> np.ndarray:
        """Tangential springs (k,) [m] along T = ẑ × N; in space they are known by the force they give, `shears`."""
        if self._in_space:
            raise AttributeError("in space a spring is known by the force it gives: shears")
        return self._floats[:, plane.SPRING]

    # --- what they carry ---------------------------------------------------------------------------------------------

    @property
    def pushes(self) -> np.ndarray:
        """Elastic normal forces (k,) [N], pushing is positive."""
        return self._floats[:, self._table.PUSH]

    @property
    def dampings(self) -> np.ndarray:
        """Normal forces of dashpots (k,) [N], pushing is positive."""
        return self._floats[:, self._table.DAMPING]

    @property
    def pulls(self) -> np.ndarray:
        """Normal forces of cohesion (k,) [N], pulling is positive."""
        return self._floats[:, self._table.PULL]

    @property
    def shears(self) -> np.ndarray:
        """Forces of tangential springs on the first body (k, d) [N]."""
        return self._across(plane.SHEAR, space.SHEAR)

    @property
    def drags(self) -> np.ndarray:
        """Forces of tangential dashpots on the first body (k, d) [N]."""
        return self._across(plane.DRAG, space.DRAG)

    @property
    def forces(self) -> np.ndarray:
        """Forces on the first body (k, d) [N]: −F_n N + F_t, elastic and viscous; the second feels the opposite."""
        return self._forces(viscous=True)

    @property
    def elastic_forces(self) -> np.ndarray:
        """The same without what dashpots give (k, d) [N]."""
        return self._forces(viscous=False)

    def _forces(self, viscous: bool) -> np.ndarray:
        floats, n = self._floats, self.normals
        if self._in_space:
            push = floats[:, space.PUSH] - floats[:, space.PULL] + viscous * floats[:, space.DAMPING]
            shear = self._vectors((0, 0), space.SHEAR) + viscous * self._vectors((0, 0), space.DRAG)
            return shear - push[:, None] * n
        push, shear = floats[:, plane.PUSH] - floats[:, plane.PULL], floats[:, plane.SHEAR]
        if viscous:
            push = floats[:, plane.PUSH] + floats[:, plane.DAMPING] - floats[:, plane.PULL]
            shear = shear + floats[:, plane.DRAG]
        nx, ny = n.T
        return np.stack([-push * nx - shear * ny, -push * ny + shear * nx], axis=1)

    @property
    def rolling_torques(self) -> np.ndarray:
        """Torques of rolling springs on the first body [N m]: (k,), in space (k, 3)."""
        return self._vectors((0, 0), space.ROLLING_TORQUE) if self._in_space else self._floats[:, plane.ROLLING_TORQUE]

    @property
    def normal_energies(self) -> np.ndarray:
        """Energies of normal springs (k,) [J]."""
        return self._floats[:, self._table.NORMAL_ENERGY]

    @property
    def tangential_energies(self) -> np.ndarray:
        """Energies of tangential springs (k,) [J]."""
        return self._floats[:, self._table.TANGENTIAL_ENERGY]

    @property
    def rolling_energies(self) -> np.ndarray:
        """Energies of rolling springs (k,) [J]."""
        return self._floats[:, self._table.ROLLING_ENERGY]

    @property
    def cohesive_energies(self) -> np.ndarray:
        """Energies of cohesion (k,) [J], negative where features pull."""
        return self._floats[:, self._table.COHESION_ENERGY]
