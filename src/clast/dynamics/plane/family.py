"""The family of spheropolygons in the plane: what the engine does with its tables. Its passes: `clast.dynamics.plane.passes`."""

from __future__ import annotations

from typing import Any

import numpy as np

from clast.dynamics import table
from clast.dynamics.arrays import Contacts, Forces, Model, Scratch, State, no_scratch
from clast.dynamics.layout import lay_out
from clast.dynamics.memory import put_springs, springs_of
from clast.dynamics.plane import passes
from clast.dynamics.plane.columns import CONSTANT, LOSS, PULL
from clast.dynamics.plane.listing import WORDS, room_of, trees_of
from clast.dynamics.timestep import safe_step, unstable_step
from clast.scene.springs import Springs

PASSES = passes.__name__
TABLE = table
DEPTH_OF, TOO_DEEP = "the sum of their sphero-radii", "their skeletons nearly touch"  # for messages
CURE = "take a stiffer normal spring, a lower or slower load, a larger sphero-radius"
DIMENSION = 2
PER_BODY = (
    "shape", "material", "inverse_mass", "inverse_inertia", "contact_inverse_mass", "contact_inverse_inertia", "ease", "reach",
    "inverse_radius",
)  # fmt: skip
Memory = Springs

__all__ = ["WORDS", "lay_out", "put_springs", "room_of", "safe_step", "springs_of", "trees_of", "unstable_step"]


def meet(counting: str) -> str:
    """Name of the function that counts feature pairs."""
    return "meet" if counting == "euler" else "meet_any"


def empty_lists(bodies: int, pairs: int, candidates: int, kept: int, extra: int, rolling: int) -> Contacts:
    """Lists with room; `kept` is the number of candidates that may remember something."""
    return Contacts(
        np.zeros((pairs + 1, 4), np.uint32), np.zeros((pairs, CONSTANT)), np.zeros((pairs, 2), np.int32),
        np.zeros((candidates, 2), np.uint32), np.zeros((kept, 1 + extra + rolling)), np.zeros(kept, np.uint8),
        np.zeros(bodies + 1, np.uint32), np.zeros(bodies + 1, np.uint32), np.zeros(pairs, np.uint32), np.zeros((bodies, 4)),
    )  # fmt: skip


def scratch_of(geometry: Any, threads: int) -> Scratch:
    """Room for threads: none is needed."""
    return no_scratch()


def empty_forces(pairs: int, kept: int) -> Forces:
    """Force tables with room for `pairs`, of which `kept` lose energy."""
    return Forces(
        np.zeros((pairs, PULL)), np.zeros((kept, LOSS)), np.zeros(pairs, np.uint8), np.zeros((pairs, PULL)), np.zeros((1, 1))
    )  # fmt: skip


def with_derivatives(state: State, order: int) -> State:
    """A state for Gear's method: r₂ … r_order of x, y and the angle, and velocities of half a step ago."""
    return state._replace(gear=np.zeros((len(state.body), 3, order - 1)), late=state.body[:, 4:7].copy())


def as_today(arrays: dict[str, np.ndarray], dt: float) -> dict[str, np.ndarray]:
    """Arrays of a checkpoint, older ones with what they lack: they kept no velocities of half a step ago."""
    if "late" in arrays:
        return arrays
    gear = arrays["gear"]
    if gear.shape[2] == 1:  # Verlet
        return {**arrays, "late": np.zeros((1, 3))}
    return {**arrays, "late": arrays["body"][:, 4:7] - gear[:, :, 0] / dt}


def speeds(model: Model, state: State, rows: int) -> np.ndarray:
    """Largest speed of any point of the first `rows` bodies (rows,)."""
    body = state.body[:rows]
    return np.asarray(np.hypot(body[:, 4], body[:, 5]) + model.reach[:rows] * np.abs(body[:, 6]))


def motion(state: State) -> np.ndarray:
    """What a kick changes (n, 3): velocity and spin."""
    return state.body[:, 4:7].copy()


def kinetic(model: Model, before: np.ndarray, after: np.ndarray, rows: Any) -> tuple[np.ndarray, np.ndarray]:
    """Translational and rotational energy ½ v₋·M·v₊ of some bodies."""
    mass, inertia = 1.0 / model.inverse_mass[rows], 1.0 / model.inverse_inertia[rows]
    translational = 0.5 * mass * (before[rows, 0] * after[rows, 0] + before[rows, 1] * after[rows, 1])
    return translational, 0.5 * inertia * (before[rows, 2] * after[rows, 2])


def stop(state: State, rows: np.ndarray) -> None:
    """Take the motion out of some bodies."""
    state.body[rows, 4:7] = 0.0
    if len(state.late) == len(state.body):
        state.late[rows] = 0.0


def slow(state: State, keep: np.ndarray) -> None:
    """Leave a part (rows, 3) of velocities and spin of the first bodies."""
    if len(state.late) == len(state.body):
        state.late[: len(keep)] -= state.body[: len(keep), 4:7] * (1.0 - keep)
    state.body[: len(keep), 4:7] *= keep


def without_extra(memory: np.ndarray) -> np.ndarray:
    """What another law may take over: the displacement of the spring and the angle of rolling."""
    return memory * np.array([1.0, 0.0, 1.0])
