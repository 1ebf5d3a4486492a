"""The accounts of the energy book at an instant, from a snapshot of the engine (see `clast.measures.book`)."""

import numpy as np

from clast.dynamics.arrays import DRAG, LOST, REMOVED, ROLLING, SLIDING, TAG_WORK, VISCOUS
from clast.dynamics.engine import Engine, Snapshot
from clast.dynamics.table import COHESION_ENERGY, NORMAL_ENERGY, ROLLING_ENERGY, TANGENTIAL_ENERGY


def accounts(engine: Engine, snapshot: Snapshot) -> dict[str, float]:
    """Every account at the instant of a snapshot [energy]."""
    body, book = snapshot.state.body, snapshot.state.book
    before, after = snapshot.before, snapshot.after
    rows = slice(0, engine.moving)
    mass = 1.0 / engine.model.inverse_mass[rows]
    inertia = 1.0 / engine.model.inverse_inertia[rows]
    gravity = engine.model.gravity
    return {
        "translational": float(np.sum(0.5 * mass * (before[rows, 0] * after[rows, 0] + before[rows, 1] * after[rows, 1]))),
        "rotational": float(np.sum(0.5 * inertia * (before[rows, 2] * after[rows, 2]))),
        "gravitational": float(-np.sum(mass * (gravity[0] * body[rows, 0] + gravity[1] * body[rows, 1]))),
        "normal_elastic": float(np.sum(snapshot.floats[:, NORMAL_ENERGY])),
        "tangential_elastic": float(np.sum(snapshot.floats[:, TANGENTIAL_ENERGY])),
        "rolling_elastic": float(np.sum(snapshot.floats[:, ROLLING_ENERGY])),
        "cohesive": float(np.sum(snapshot.floats[:, COHESION_ENERGY])),
        "heat_sliding": float(np.sum(book[:, SLIDING])),
        "heat_viscous": float(np.sum(book[:, VISCOUS])),
        "heat_lost_springs": float(np.sum(book[:, LOST])),
        "heat_rolling": float(np.sum(book[:, ROLLING])),
        "heat_drag": float(np.sum(book[:, DRAG])),
        "carried_off": float(np.sum(book[:, REMOVED])),
        "work_tags": float(np.sum(book[:, TAG_WORK])),
    }
