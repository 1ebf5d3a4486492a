"""The family of spheropolygons in the plane: what the engine does with its tables. Its passes: `clast.dynamics.plane.passes`."""

from __future__ import annotations

from typing import Any

import numpy as np

from clast.backend.lines import zeros
from clast.dynamics.arrays import Model, State
from clast.dynamics.bodies.room import Widths, filled_in
from clast.dynamics.bodies.room import scratch_for_blocks as scratch_of
from clast.dynamics.contacts import table
from clast.dynamics.contacts.depth import ROUNDED
from clast.dynamics.contacts.kinds import ALL_KINDS
from clast.dynamics.contacts.memory import ContactMemory
from clast.dynamics.plane import passes
from clast.dynamics.plane.bonds import FATE
from clast.dynamics.plane.columns import CONSTANT, GAIN, MID_STEP, PAIR, PLACE_OF_OFFSET, PULL, REFERENCE, SPIN, VX, VY
from clast.dynamics.plane.layout import TOGETHER, lay_out
from clast.dynamics.plane.listing import WORDS, room_of, trees_of
from clast.scene.springs import Springs

PASSES = passes.__name__
DIMENSION = 2
TABLE = table
WIDTHS = Widths(PAIR, CONSTANT, DIMENSION, REFERENCE, PULL, np.uint8)
MEMORY = ContactMemory(Springs, DIMENSION, 2, lambda geometry: (geometry.first_vertex, geometry.first_feature))
KINDS: tuple[int, ...] = (ALL_KINDS,)
DEPTH = ROUNDED
VELOCITIES = slice(VX, VY + 1)
SPINS: int | slice = SPIN
OFFSET, OFFSET_RATE = PLACE_OF_OFFSET, SPIN
MOTION = slice(VX, SPIN + 1)  # both, as in `State.mid_step`

__all__ = [
    "DEPTH", "DIMENSION", "KINDS", "MEMORY", "OFFSET", "OFFSET_RATE", "PASSES", "SPINS", "TABLE", "TOGETHER", "VELOCITIES",
    "WIDTHS", "WORDS", "completed", "kinetic", "lay_out", "motion", "room_of", "scratch_of", "slow", "stop", "trees_of",
    "with_derivatives", "with_gains",
]  # fmt: skip


def with_gains(state: State) -> State:
    """A state for velocity Verlet and dashpots: with room for what bodies are expected to gain."""
    return state._replace(gain=zeros((len(state.body), GAIN)))


def with_derivatives(state: State, order: int) -> State:
    """A state for Gear's method: r₂ … r_order of x, y and the angle, and velocities of half a step ago."""
    return state._replace(gear=np.zeros((len(state.body), 3, order - 1)), mid_step=state.body[:, MOTION].copy())


def completed(arrays: dict[str, np.ndarray], dt: float) -> dict[str, np.ndarray]:
    """Arrays of a checkpoint, older ones with what they lack."""
    arrays = {"bond": np.zeros((0, FATE)), **arrays}
    return filled_in(arrays, GAIN, MID_STEP, lambda: arrays["body"][:, MOTION] - arrays["gear"][:, :, 0] / dt)


def motion(model: Model, state: State) -> np.ndarray:
    """What a kick changes (n, 3): velocity and spin."""
    return state.body[:, MOTION].copy()


def kinetic(model: Model, before: np.ndarray, after: np.ndarray, rows: Any) -> tuple[np.ndarray, np.ndarray]:
    """Translational and rotational energy ½ v₋·M·v₊ of some bodies."""
    mass, inertia = 1.0 / model.inverse_mass[rows], 1.0 / model.inverse_inertia[rows]
    translational = 0.5 * mass * (before[rows, 0] * after[rows, 0] + before[rows, 1] * after[rows, 1])
    return translational, 0.5 * inertia * (before[rows, 2] * after[rows, 2])


def stop(state: State, rows: np.ndarray) -> None:
    """Take the motion out of some bodies."""
    state.body[rows, MOTION] = 0.0
    if len(state.mid_step) == len(state.body):
        state.mid_step[rows] = 0.0
    if len(state.gain) == len(state.body):
        state.gain[rows] = 0.0


def slow(state: State, keep: np.ndarray) -> None:
    """Leave a part (rows, 3) of velocities and spin of the first bodies."""
    if len(state.mid_step) == len(state.body):
        state.mid_step[: len(keep)] -= state.body[: len(keep), MOTION] * (1.0 - keep)
    state.body[: len(keep), MOTION] *= keep
