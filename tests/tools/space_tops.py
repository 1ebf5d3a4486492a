"""One body in space made up for tests of its motion: its moments of inertia, what pushes it, and a top integrated accurately."""

from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from clast.algebra import quaternions
from clast.backend.bare import bare
from clast.backend.device import device, from_python
from clast.backend.lines import at_a_line
from clast.dynamics.arrays import (
    ACCOUNTS,
    BodyForces,
    BodyLists,
    BodyModel,
    BodyWorld,
    Clock,
    Forces,
    Lists,
    Model,
    SpaceState,
    Tags,
    flat,
)
from clast.dynamics.bodies.room import empty_forces
from clast.dynamics.space.columns import BODY, CONSTANT, GAIN, PAIR, PULL, SPIN, TURN, VELOCITY
from clast.dynamics.space.family import WIDTHS, momenta
from clast.dynamics.space.kicks import kick_and_drift_of, marks_of_way
from clast.dynamics.space.leading import move_tagged_of, note_pressures
from clast.dynamics.space.predicting import correct_and_predict_of

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
    state: SpaceState
    lists: Lists
    forces: Forces


def a_run(inverse, gravity=(0.0, 0.0, 0.0), mass: float = 0.7, order: int = 0) -> Run:
    none, two = np.zeros(2), np.zeros((2, 3))
    model = Model(
        np.zeros(2, np.int64), np.zeros(2, np.int64), np.full(2, 1.0 / mass), np.array([inverse, inverse]), none, two, none,
        np.ones(2), none, np.zeros((1, 1)), none, np.zeros(3), np.array([-1]), np.zeros(4), np.array(gravity),
    )  # fmt: skip
    gear = np.zeros((2, 10, order) if order else (1, 10, 1))
    mid = np.zeros((2, 6) if order else (1, 6))
    state = SpaceState(np.zeros((2, BODY)), np.zeros((2, 4)), np.zeros((2, ACCOUNTS)), gear, mid, np.zeros((1, GAIN)))
    state.body[:, TURN : TURN + 4] = Q0
    state.body[0, :3], state.body[0, VELOCITY : VELOCITY + 3] = (0.1, 0.2, 0.3), (1.0, -0.5, 0.4)
    state.momentum[0, :3] = L0
    state.body[0, SPIN : SPIN + 3] = quaternions.matrix(Q0) @ (np.array(inverse) * L0)
    pair = np.array([[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]], np.uint32)
    assert pair.shape[1] == PAIR
    reference = np.zeros((2, 8))
    reference[:, :3], reference[:, 3], reference[:, 4:] = state.body[:, :3], 1.0, state.body[:, TURN : TURN + 4]
    lists = Lists(
        pair, np.zeros((1, CONSTANT)), np.zeros((1, 3), np.int32), np.zeros((1, 2), np.uint32), np.zeros((1, 3)), np.zeros(1),
        np.array([0, 1, 1], np.uint32), np.array([0, 0, 1], np.uint32), np.zeros(1, np.uint32), reference,
    )  # fmt: skip
    return Run(model, state, lists, empty_forces(WIDTHS, 1, 1, 1))


def kinetic(run: Run) -> float:
    speed = run.state.body[0, VELOCITY : VELOCITY + 3]
    return 0.5 * float(speed @ speed) / run.model.inverse_mass[0] + energy(momentum_of(run), run.model.inverse_inertia[0])


def momentum_of(run: Run) -> np.ndarray:
    """Angular momentum of the first body about its principal axes."""
    return momenta(run.model, run.state)[0]


def exert(run: Run, wrench: np.ndarray, part: float = 1.0) -> None:
    """Let the pair act with a force and a torque on the first body, all of it counted as viscous."""
    run.forces.pair[0, :6] = run.forces.pair[0, PULL : PULL + 6] = part * wrench


# --- the passes, as a step calls them -----------------------------------------------------------------------------------


def tags_of(imposed=(0,) * 6, program=(0.0,) * 12, loads=(), numbers=(), pressures=(), drag=0.0, dashpot=(0, 0, 0)) -> Tags:
    """What is imposed on the first body, as tables."""
    return Tags(
        np.array([imposed], np.uint8), np.array([[*program, *pressures, drag]], float), np.array(loads, np.int64).reshape(-1, 8),
        np.array(numbers, float).reshape(-1, 3), np.array([dashpot], float), np.ones(1, np.uint8), np.zeros(len(pressures)),
    )  # fmt: skip


def clock_of(
    dt: float,
    drift: float,
    kick: float,
    share: float,
    *,
    whole: float = 1.0,
    drag: float = 0.0,
    alpha: float = 1e9,
    first: bool = False,
) -> Clock:
    """The numbers of a step whose first body is the first with tags, if any are."""
    return Clock(
        dt, 0.0 if first else dt, 0.5, 0.5, 0.0, float(drift), float(kick), float(whole), float(share), float(drag), float(alpha),
        False, bool(first), 0, 0, 1e9, np.inf,
    )  # fmt: skip


def world_of(run: Run, clock: Clock, tags: Tags | None = None) -> BodyWorld:
    """The world of a pass over bodies: the same arrays, flat."""
    m, c, f = flat(run.model), flat(run.lists), flat(run.forces)
    return BodyWorld(
        BodyModel(m.inverse_mass, m.inverse_inertia, m.cell, m.shear, m.gravity), flat(run.state),
        BodyLists(c.image, c.first_pair, c.first_other, at_a_line(c.other), c.reference), BodyForces(f.pair, f.work, f.loss),
        flat(tags_of() if tags is None else tags), clock, 1, (),
    )  # fmt: skip


def as_in_a_step(move: Any) -> Any:
    """A pass that Python can call; its tables of forces and of the pairs of others are bare, as in a step."""

    @device
    def called(b, world):
        c, forces = world.lists, BodyForces(bare(world.forces.pair), bare(world.forces.work), bare(world.forces.loss))
        contacts = BodyLists(c.image, c.first_pair, c.first_other, bare(c.other), c.reference)
        return move(b, BodyWorld(world.model, world.state, contacts, forces, world.tags, world.clock, world.pairs, ()))

    return from_python(called)


@cache
def free_pass(order: int, remembers: int) -> Any:
    """`pass(b, world)` for a body without tags, called from Python: of Verlet (order 0) or of Gear's method."""
    return as_in_a_step(correct_and_predict_of(order, remembers) if order else kick_and_drift_of(remembers, 0, marks_of_way))


@cache
def tagged_pass(order: int, remembers: int) -> Any:
    """The same for a body with tags, with what comes before it: the pressures of this step."""
    move = move_tagged_of(SimpleNamespace(gear=order, remembers=remembers, expecting=0))

    @device
    def whole(b, world):
        note_pressures(world)
        return move(b, world)

    return as_in_a_step(whole)


def geared(run: Run, order: int, dt: float, ahead: bool, first: bool, booked: float = 1.0, history: int = 0, drag: float = 0.0):
    """Correct the first body by Gear's method and, with `ahead`, predict it one step on."""
    free_pass(order, history)(0, world_of(run, clock_of(dt, dt if ahead else 0.0, booked, 0.5, drag=drag, first=first)))
