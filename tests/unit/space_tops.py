"""One body in space made up for tests of its motion: its moments of inertia, what pushes it, and a top integrated accurately."""

from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from clast.backend.device import from_python
from clast.dynamics.arrays import ACCOUNTS
from clast.dynamics.space import gear
from clast.dynamics.space.arrays import CONSTANT, PAIR, ROW, SPIN, TURN, VELOCITY, Contacts, Forces, Model, State
from clast.dynamics.space.family import empty_forces
from clast.shapes.space import quaternions

correct_and_predict = from_python(gear.correct_and_predict)

MOMENTS = {
    "asymmetric, middle x": (2.0, 1.0, 3.5), "asymmetric, middle y": (3.5, 2.0, 1.0), "asymmetric, middle z": (1.0, 3.5, 2.0),
    "symmetric about x": (1.0, 2.5, 2.5), "symmetric about y": (2.5, 1.0, 2.5), "symmetric about z": (2.5, 2.5, 4.0),
    "isotropic": (1.7, 1.7, 1.7),
}  # fmt: skip
ASYMMETRIC = [name for name in MOMENTS if name.startswith("asymmetric")]
Q0, L0 = tuple(quaternions.random_turns(np.random.default_rng(1), 1)[0].tolist()), (0.8, -1.1, 0.9)


def inverse_of(case: str) -> tuple[float, float, float]:
    return tuple(1.0 / moment for moment in MOMENTS[case])


def energy(momentum, inverse) -> float:
    return 0.5 * float(np.sum(np.square(momentum) * inverse))


def top_at(time: float, inverse, q=Q0, momentum=L0, torque=lambda t: np.zeros(3)) -> tuple[np.ndarray, np.ndarray]:
    """Quaternion and momentum (body frame) of a top under a torque f(t) in the world, by an accurate integration."""

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        spin = np.array(inverse) * y[4:]
        pull = torque(t) @ quaternions.matrix(y[:4] / np.linalg.norm(y[:4]))
        return np.concatenate([0.5 * quaternions.product(y[:4], [0.0, *spin]), np.cross(y[4:], spin) + pull])

    y = solve_ivp(slope, (0.0, time), [*q, *momentum], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    return y[:4], y[4:]


class Run(NamedTuple):
    """One body that moves (row 0), one that stays, and the pair of them: what the pair does to the first is given."""

    model: Model
    state: State
    contacts: Contacts
    forces: Forces


def a_run(inverse, gravity=(0.0, 0.0, 0.0), mass: float = 0.7, order: int = 0) -> Run:
    none, two = np.zeros(2), np.zeros((2, 3))
    model = Model(
        np.zeros(2, np.int64), np.zeros(2, np.int64), np.full(2, 1.0 / mass), np.array([inverse, inverse]), none, two, none,
        np.ones(2), none, np.zeros((1, 1)), none, np.zeros(3), np.array(gravity),
    )  # fmt: skip
    gear = np.zeros((2, 10, order) if order else (1, 10, 1))
    late = np.zeros((2, 6) if order else (1, 6))
    state = State(np.zeros((2, ROW)), np.zeros((2, 4)), np.zeros((2, ACCOUNTS)), gear, late)
    state.body[:, TURN : TURN + 4] = Q0
    state.body[0, :3], state.body[0, VELOCITY : VELOCITY + 3] = (0.1, 0.2, 0.3), (1.0, -0.5, 0.4)
    state.momentum[0, :3] = L0
    state.body[0, SPIN : SPIN + 3] = quaternions.matrix(Q0) @ (np.array(inverse) * L0)
    pair = np.array([[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]], np.uint32)
    assert pair.shape[1] == PAIR
    reference = np.zeros((2, 8))
    reference[:, :3], reference[:, 3], reference[:, 4:] = state.body[:, :3], 1.0, state.body[:, TURN : TURN + 4]
    contacts = Contacts(
        pair, np.zeros((1, CONSTANT)), np.zeros((1, 3), np.int32), np.zeros((1, 2), np.uint32), np.zeros((1, 3)), np.zeros(1),
        np.array([0, 1, 1], np.uint32), np.array([0, 0, 1], np.uint32), np.zeros(1, np.uint32), reference,
    )  # fmt: skip
    return Run(model, state, contacts, empty_forces(1, 1))


def kinetic(run: Run) -> float:
    body, momentum = run.state.body[0], run.state.momentum[0, :3]
    speed = body[VELOCITY : VELOCITY + 3]
    return 0.5 * float(speed @ speed) / run.model.inverse_mass[0] + energy(momentum, run.model.inverse_inertia[0])


def exert(run: Run, wrench: np.ndarray, part: float = 1.0) -> None:
    """Let the pair act with a force and a torque on the first body, all of it counted as viscous."""
    run.forces.pair[0, :6] = part * wrench
    run.forces.loss[0, :6] = part * wrench
