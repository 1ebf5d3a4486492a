"""The family of spheropolyhedra: what the engine does with its tables. Its passes: `clast.dynamics.space.passes`."""

from __future__ import annotations

from typing import Any

import numpy as np

from clast.algebra.quaternions import matrix
from clast.backend.lines import zeros
from clast.dynamics.arrays import Model, SpaceState
from clast.dynamics.bodies.room import Widths, filled_in
from clast.dynamics.bodies.room import scratch_for_blocks as scratch_of
from clast.dynamics.contacts.depth import ROUNDED
from clast.dynamics.contacts.kinds import ALL_KINDS, ONLY_OTHERS, ONLY_ROUND
from clast.dynamics.contacts.memory import ContactMemory
from clast.dynamics.space import passes, table
from clast.dynamics.space.columns import (
    CONSTANT,
    GAIN,
    MID_STEP,
    PAIR,
    PLACE_OF_OFFSET,
    PULL,
    REFERENCE,
    SPIN,
    TURN,
    VELOCITY,
)
from clast.dynamics.space.layout import TOGETHER, lay_out
from clast.dynamics.space.listing import WORDS, room_of, trees_of
from clast.scene.springs import Springs3D

PASSES = passes.__name__
DIMENSION = 3
TABLE = table
WIDTHS = Widths(PAIR, CONSTANT, DIMENSION, REFERENCE, PULL, np.float64)
MEMORY = ContactMemory(Springs3D, DIMENSION, 3, lambda geometry: (geometry.first_feature, geometry.first_feature))
KINDS: tuple[int, ...] = (ONLY_OTHERS, ONLY_ROUND, ALL_KINDS)
DEPTH = ROUNDED
VELOCITIES = slice(VELOCITY, VELOCITY + 3)
SPINS: int | slice = slice(SPIN, SPIN + 3)
OFFSET, OFFSET_RATE = PLACE_OF_OFFSET, SPIN

__all__ = [
    "DEPTH", "DIMENSION", "KINDS", "MEMORY", "OFFSET", "OFFSET_RATE", "PASSES", "SPINS", "TABLE", "TOGETHER", "VELOCITIES",
    "WIDTHS", "WORDS", "completed", "kinetic", "lay_out", "momenta", "motion", "room_of", "scratch_of", "slow", "stop",
    "trees_of", "with_derivatives", "with_gains",
]  # fmt: skip


def with_derivatives(state: SpaceState, order: int) -> SpaceState:
    """A state for Gear's method (see `clast.dynamics.space.predicting`), with velocities of half a step ago."""
    return state._replace(gear=np.zeros((len(state.body), 10, order)), mid_step=velocities(state.body))


def velocities(body: np.ndarray) -> np.ndarray:
    """Velocity and spin (n, 6) of rows of bodies, as in `State.mid_step`."""
    return np.concatenate([body[:, VELOCITIES], body[:, SPINS]], axis=1)


def with_gains(state: SpaceState) -> SpaceState:
    """A state for velocity Verlet and dashpots: with room for what bodies are expected to gain."""
    return state._replace(gain=zeros((len(state.body), GAIN)))


def completed(arrays: dict[str, np.ndarray], dt: float) -> dict[str, np.ndarray]:
    """Arrays of a checkpoint, older ones with what they lack."""

    def before() -> np.ndarray:
        gear = arrays["gear"]
        return velocities(arrays["body"]) - np.concatenate([gear[:, :3, 0] / dt, gear[:, :3, -1]], axis=1)

    return filled_in(arrays, GAIN, MID_STEP, before)


def motion(model: Model, state: SpaceState) -> np.ndarray:
    """What a kick changes (n, 6): velocity, and angular momentum about the principal axes."""
    return np.concatenate([state.body[:, VELOCITIES], momenta(model, state)], axis=1)


def momenta(model: Model, state: SpaceState) -> np.ndarray:
    """Angular momenta (n, 3) about the principal axes; of bodies with three equal moments velocity Verlet keeps the spin only."""
    found = state.momentum[:, :3].copy()
    alike = (model.inverse_inertia == model.inverse_inertia[:, :1]).all(axis=1)
    spins = np.einsum("nji,nj->ni", matrix(state.body[alike, TURN : TURN + 4]), state.body[alike, SPINS])
    found[alike] = spins / model.inverse_inertia[alike]
    return found


def kinetic(model: Model, before: np.ndarray, after: np.ndarray, rows: Any) -> tuple[np.ndarray, np.ndarray]:
    """Translational and rotational energy ½ v₋·m v₊ + ½ L₋·I⁻¹ L₊ of some bodies."""
    translational = 0.5 / model.inverse_mass[rows] * (before[rows, :3] * after[rows, :3]).sum(axis=1)
    return translational, 0.5 * (before[rows, 3:] * after[rows, 3:] * model.inverse_inertia[rows]).sum(axis=1)


def stop(state: SpaceState, rows: np.ndarray) -> None:
    """Take the motion out of some bodies."""
    state.body[rows, VELOCITY:] = 0.0
    state.momentum[rows] = 0.0
    if len(state.mid_step) == len(state.body):
        state.mid_step[rows] = 0.0
    if len(state.gain) == len(state.body):
        state.gain[rows] = 0.0


def slow(state: SpaceState, keep: np.ndarray) -> None:
    """Leave a part (rows, 6) of velocities and spins of the first bodies; a spin goes whole, by its first part."""
    rows = len(keep)
    if len(state.mid_step) == len(state.body):
        state.mid_step[:rows] -= velocities(state.body[:rows]) * (1.0 - keep)
    state.body[:rows, VELOCITIES] *= keep[:, :3]
    state.body[:rows, SPINS] *= keep[:, 3:]
    state.momentum[:rows, :3] *= keep[:, 3:4]
