"""The family of spheropolyhedra: what the engine does with its tables. Its passes: `clast.dynamics.space.passes`."""

from __future__ import annotations

from typing import Any

import numpy as np

from clast.dynamics.arrays import Contacts, Forces, Model, Scratch, SpaceState, no_scratch
from clast.dynamics.space import passes, table
from clast.dynamics.space.arrays import Workspace
from clast.dynamics.space.columns import CONSTANT, LATE, LOSS, PAIR, PULL, SPIN, VELOCITY
from clast.dynamics.space.layout import lay_out
from clast.dynamics.space.memory import put_springs, springs_of
from clast.dynamics.space.timestep import safe_step, unstable_step
from clast.scene.springs import Springs3D

PASSES = passes.__name__
TABLE = table
DEPTH_OF, TOO_DEEP = "the sum of their sphero-radii", "their skeletons nearly touch"  # for messages
CURE = "take a stiffer normal spring, a lower or slower load, a larger sphero-radius"
DIMENSION = 3
PER_BODY = (
    "shape", "material", "inverse_mass", "inverse_inertia", "contact_inverse_mass", "contact_inverse_inertia", "ease", "reach",
    "inverse_radius",
)  # fmt: skip
Memory = Springs3D

__all__ = ["lay_out", "put_springs", "safe_step", "springs_of", "unstable_step"]


def meet(counting: str) -> str:
    """Feature pairs are counted in one way."""
    return "meet"


def searches(period: np.ndarray) -> tuple[str, ...]:
    """Ways to find near pairs: by linked cells."""
    return ("cells",)


def workspace(bodies: int, geometry: Any, pairs: int, search: str) -> Workspace:
    """Scratch of a rebuild."""
    features = int(np.diff(geometry.first_feature).max())
    return Workspace(
        np.zeros(4 * bodies + 66, np.int64), np.zeros(bodies, np.int64), np.zeros(bodies, np.int64),
        np.zeros((pairs, 5), np.int32), np.zeros((pairs, 5), np.int32),
        np.zeros(bodies + 1, np.int64), np.zeros(features, np.int64), np.zeros(features, np.int64),
    )  # fmt: skip


def empty_lists(bodies: int, pairs: int, candidates: int, kept: int, extra: int, rolling: int) -> Contacts:
    """Lists with room; `kept` is the number of candidates that may remember something."""
    return Contacts(
        np.zeros((pairs + 1, PAIR), np.uint32), np.zeros((pairs, CONSTANT)), np.zeros((pairs, 3), np.int32),
        np.zeros((candidates, 2), np.uint32), np.zeros((kept, 3 + extra + 3 * rolling)), np.zeros(kept),
        np.zeros(bodies + 1, np.uint32), np.zeros(bodies + 1, np.uint32), np.zeros(pairs, np.uint32), np.zeros((bodies, 8)),
    )  # fmt: skip


def scratch_of(geometry: Any, threads: int) -> Scratch:
    """Room for threads: none is needed."""
    return no_scratch()


def empty_forces(pairs: int, kept: int) -> Forces:
    """Force tables with room for `pairs`, of which `kept` lose energy."""
    return Forces(
        np.zeros((pairs, PULL)), np.zeros((kept, LOSS)), np.zeros(pairs, np.uint8), np.zeros((pairs, PULL)), np.zeros((1, PULL))
    )  # fmt: skip


def with_derivatives(state: SpaceState, order: int) -> SpaceState:
    """A state for Gear's method (see `clast.dynamics.space.predicting`), with velocities of half a step ago."""
    return state._replace(gear=np.zeros((len(state.body), 10, order)), late=velocities(state.body))


def velocities(body: np.ndarray) -> np.ndarray:
    """Velocity and spin (n, 6) of rows of bodies, as in State.late."""
    return np.concatenate([body[:, VELOCITY : VELOCITY + 3], body[:, SPIN : SPIN + 3]], axis=1)


def as_today(arrays: dict[str, np.ndarray], dt: float) -> dict[str, np.ndarray]:
    """Arrays of a checkpoint, older ones with what they lack: they kept no velocities of half a step ago."""
    if "late" in arrays:
        return arrays
    gear = arrays["gear"]
    if gear.shape[2] == 1:  # Verlet
        return {**arrays, "late": np.zeros((1, LATE))}
    grown = np.concatenate([gear[:, :3, 0] / dt, gear[:, :3, -1]], axis=1)
    return {**arrays, "late": velocities(arrays["body"]) - grown}


def speeds(model: Model, state: SpaceState, rows: int) -> np.ndarray:
    """Largest speed of any point of the first `rows` bodies (rows,)."""
    body = state.body[:rows]
    spin = np.linalg.norm(body[:, SPIN : SPIN + 3], axis=1)
    return np.asarray(np.linalg.norm(body[:, VELOCITY : VELOCITY + 3], axis=1) + model.reach[:rows] * spin)


def motion(state: SpaceState) -> np.ndarray:
    """What a kick changes (n, 6): velocity, and angular momentum in the body frame."""
    return np.concatenate([state.body[:, VELOCITY : VELOCITY + 3], state.momentum[:, :3]], axis=1)


def kinetic(model: Model, before: np.ndarray, after: np.ndarray, rows: Any) -> tuple[np.ndarray, np.ndarray]:
    """Translational and rotational energy ½ v₋·m v₊ + ½ L₋·I⁻¹ L₊ of some bodies."""
    translational = 0.5 / model.inverse_mass[rows] * (before[rows, :3] * after[rows, :3]).sum(axis=1)
    return translational, 0.5 * (before[rows, 3:] * after[rows, 3:] * model.inverse_inertia[rows]).sum(axis=1)


def stop(state: SpaceState, rows: np.ndarray) -> None:
    """Take the motion out of some bodies."""
    state.body[rows, VELOCITY:] = 0.0
    state.momentum[rows] = 0.0
    if len(state.late) == len(state.body):
        state.late[rows] = 0.0


def slow(state: SpaceState, keep: np.ndarray) -> None:
    """Leave a part (rows, 6) of velocities and spins of the first bodies; a spin goes whole, by its first part."""
    rows = len(keep)
    if len(state.late) == len(state.body):
        state.late[:rows] -= velocities(state.body[:rows]) * (1.0 - keep)
    state.body[:rows, VELOCITY : VELOCITY + 3] *= keep[:, :3]
    state.body[:rows, SPIN : SPIN + 3] *= keep[:, 3:]
    state.momentum[:rows, :3] *= keep[:, 3:4]


def without_extra(memory: np.ndarray) -> np.ndarray:
    """What another law may take over: the displacement of the spring and the angle of rolling."""
    return memory * np.array([1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0])
