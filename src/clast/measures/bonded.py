"""What a measure reads of the bonds of a stored run."""

from __future__ import annotations

import numpy as np

from clast.errors import InputError
from clast.measures.stored import Array, StoredRun, frame_number, grains_of
from clast.scene.bonds import BondTable, Lying, bonds_in


def bonds_of(run: StoredRun) -> BondTable:
    """The bonds of a run, none where its scene had none."""
    return bonds_in(run.scene)


def fates_at(run: StoredRun, index: int) -> tuple[Array, Array]:
    """Steps at which bonds broke (m,), −1 for those that hold at a frame, and how (m,)."""
    if bonds_of(run).size == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    frame = run.frames[frame_number(run, index)]
    if "bond_steps" not in frame.names:
        raise InputError("the frames of this run hold no bonds: it was not stored by clast.run")
    return np.asarray(frame["bond_steps"], np.int64), np.asarray(frame["bond_how"], np.int64)


def bonds_at(run: StoredRun, index: int) -> Lying:
    """Where the bonds lie at a frame."""
    frame = run.frames[frame_number(run, index)]
    return bonds_of(run).lie(np.asarray(frame["positions"], float), np.asarray(frame["angles"], float))


def virial_of_bonds(run: StoredRun, index: int) -> Array:
    """Σ f ⊗ l (2, 2) over bonds at a frame, as that of contacts: f on the second body, l from centre to centre."""
    bonds, frame, lying = bonds_of(run), run.frames[frame_number(run, index)], bonds_at(run, index)
    walls = ~grains_of(run)[bonds.bodies]
    first = np.where(walls[:, :1], 0.0, lying.first_arms)
    second = np.where(walls[:, 1:], 0.0, lying.second_arms)
    return -np.asarray(frame["bond_forces"], float).T @ (first - second)
