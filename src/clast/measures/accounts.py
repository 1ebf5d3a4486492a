"""The accounts of the energy book at an instant, from a snapshot of the engine (see `clast.measures.book`)."""

import numpy as np

from clast.dynamics.arrays import DRAG, LOST, REMOVED, ROLLING, SLIDING, TAG_WORK, VISCOUS, WORK
from clast.dynamics.engine import Engine, Snapshot


def accounts(engine: Engine, snapshot: Snapshot) -> dict[str, float]:
    """Every account at the instant of a snapshot [energy]."""
    book, table = snapshot.state.book, engine.twin.TABLE
    rows = slice(0, engine.moving)
    translational, rotational = engine.twin.kinetic(engine.model, snapshot.before, snapshot.after, rows)
    mass = 1.0 / engine.model.inverse_mass[rows]
    # axis by axis: the order of a sum is part of the bits
    fallen = sum(g * snapshot.state.body[rows, axis] for axis, g in enumerate(engine.model.gravity))
    return {
        "translational": float(np.sum(translational)),
        "rotational": float(np.sum(rotational)),
        "gravitational": float(-np.sum(mass * fallen)),
        "normal_elastic": float(np.sum(snapshot.floats[:, table.NORMAL_ENERGY])),
        "tangential_elastic": float(np.sum(snapshot.floats[:, table.TANGENTIAL_ENERGY])),
        "rolling_elastic": float(np.sum(snapshot.floats[:, table.ROLLING_ENERGY])),
        "cohesive": float(np.sum(snapshot.floats[:, table.COHESION_ENERGY])),
        "heat_sliding": float(np.sum(book[:, SLIDING])),
        "heat_viscous": float(np.sum(book[:, VISCOUS])),
        "heat_lost_springs": float(np.sum(book[:, LOST])),
        "heat_rolling": float(np.sum(book[:, ROLLING])),
        "heat_drag": float(np.sum(book[:, DRAG])),
        "overlap_work": float(np.sum(book[:, WORK])),
        "carried_off": float(np.sum(book[:, REMOVED])),
        "work_tags": float(np.sum(book[:, TAG_WORK])),
    }
