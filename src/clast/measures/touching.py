"""Who touches whom in a frame of a stored run: the table of contacts, and the pairs of bodies it makes up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clast.algebra.lattice import numbers
from clast.algebra.tensors import lengths
from clast.errors import InputError
from clast.measures.stored import Array, StoredRun, frame_number, frame_offset, frame_period, grains_of


@dataclass(frozen=True)
class Contacts:
    """The contacts of a frame, in double precision. i is the first body of a row, j the second; vectors have d = 2 or 3
    components."""

    bodies: Array  # (m, 2) ids of i and j
    points: Array  # (m, d)
    normals: Array  # (m, d) from i to j
    forces: Array  # (m, d) on i by j
    first_arms: Array  # (m, d) from the centre of i to the point
    second_arms: Array  # (m, d) from the centre of the image of j that is met to the point
    counts: Array  # (m,) +1, or negative for what a notch subtracts; in space a fraction where parallel edges fade
    at_vertex: Array  # (m,) whether a vertex is met by a vertex
    images: Array  # (m, d) which image of j is met: periods from the place of j in the frame
    big: Array  # (m, 2) whether i and j are walls

    @property
    def branches(self) -> Array:
        """From the centre of i to that of j (m, d); at a wall, whose centre means nothing, the contact point stands for it."""
        return np.where(self.big[:, :1], 0.0, self.first_arms) - np.where(self.big[:, 1:], 0.0, self.second_arms)

    @property
    def virial(self) -> Array:
        """Σ f ⊗ l (d, d) with f the force on j and l the branch: stress × area or volume, compression positive (Love-Weber)."""
        return -self.forces.T @ self.branches

    @property
    def normal_forces(self) -> Array:
        """Pushing part of the forces (m,)."""
        return -np.einsum("ka,ka->k", self.forces, self.normals)

    @property
    def tangential_forces(self) -> Array:
        """Size of the part of the forces that lies across the normals (m,)."""
        if self.normals.shape[1] == 2:
            return np.abs(self.forces[:, 1] * self.normals[:, 0] - self.forces[:, 0] * self.normals[:, 1])
        return lengths(np.cross(self.forces, self.normals))

    def chosen(self, which: Array) -> Contacts:
        """Some of the rows."""
        return Contacts(*(getattr(self, name)[which] for name in self.__dataclass_fields__))


def contacts_at(run: StoredRun, index: int, *, gaps: bool = False) -> Contacts:
    """The contacts at a frame; with `gaps` also what cohesion pulls across a gap. InputError if none were stored."""
    number = frame_number(run, index)
    if len(run.contacts) == 0:
        raise InputError("the run holds no tables of contacts: it was made by an older clast, so run it again")
    step = int(run.frames.steps[number])
    row = int(np.searchsorted(run.contacts.steps, step))
    if row == len(run.contacts) or run.contacts.steps[row] != step:
        raise InputError(f"the run holds no table of contacts at step {step} of frame {index}")
    table = run.contacts[row]
    touching = np.asarray(table["depths"]) > (-np.inf if gaps else 0.0)
    bodies = np.asarray(table["bodies"], dtype=np.int64)[touching]
    points, normals, forces, first, second = (
        np.asarray(table[name], dtype=np.float64)[touching]
        for name in ("points", "normals", "forces", "first_arms", "second_arms")
    )
    frame = run.frames[number]
    between = frame["positions"][bodies[:, 1]] - frame["positions"][bodies[:, 0]]
    period = frame_period(run, frame)
    images = numbers(first - second - between, period, frame_offset(frame), lowest=False)
    return Contacts(
        bodies, points, normals, forces, first, second,
        np.asarray(table["counts"], dtype=np.float64)[touching],
        np.asarray(table["features"], dtype=np.int64)[touching] == 1,
        images.astype(np.int64),
        ~grains_of(run)[bodies],
    )  # fmt: skip


@dataclass(frozen=True)
class Pairs:
    """Bodies that touch, each pair once; in a small periodic box two bodies may touch twice, through different images."""

    bodies: Array  # (m, 2) ids, the smaller first
    forces: Array  # (m, d) on the first by the second, all contacts of the pair together
    branches: Array  # (m, d) from the centre of the first to that of the second; at a wall the contact point stands for it
    big: Array  # (m, 2) whether they are walls


def pairs_of(contacts: Contacts) -> Pairs:
    """Touching pairs of a frame, contacts of a pair summed up; where a wall is met in several points, in their middle."""
    turned: Array = np.asarray(contacts.bodies[:, 0] > contacts.bodies[:, 1])
    sign = np.where(turned, -1.0, 1.0)[:, None]
    bodies, forces = np.sort(contacts.bodies, axis=1), contacts.forces * sign
    big = contacts.big.copy()
    big[turned] = big[turned, ::-1]
    images = np.where(big.any(axis=1, keepdims=True), 0, contacts.images * sign.astype(np.int64))
    key = np.concatenate([bodies, images], axis=1)
    _, first, which, rows = np.unique(key, axis=0, return_index=True, return_inverse=True, return_counts=True)
    which = which.reshape(-1)
    branches, summed = (np.zeros((len(first), forces.shape[1])) for _ in range(2))
    np.add.at(branches, which, contacts.branches * sign)
    np.add.at(summed, which, forces)
    return Pairs(bodies[first], summed, branches / rows[:, None], big[first])
