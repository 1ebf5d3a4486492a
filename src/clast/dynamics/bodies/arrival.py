"""Grains that come into a run while it goes on: until then they are among the last rows, as those that have fallen out of
sight are (`clast.dynamics.bodies.removal`). A protocol calls this between stretches (`clast.protocols.pour`).

What they bring along is booked with the opposite sign of what removed grains carry off, so that the book closes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clast.dynamics.arrays import REMOVED
from clast.dynamics.bodies.removal import reorder
from clast.dynamics.space.columns import TURN

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine


def hold_back(engine: Engine, ids: np.ndarray) -> None:
    """Let free bodies of a run that has not begun wait: they take no part until they are let in."""
    rows = np.argsort(engine.order)[ids]
    others = np.setdiff1d(np.arange(engine.order.size), rows)
    reorder(engine, np.concatenate([others, rows]), engine.gone + rows.size, engine._memory(engine._seen_lists))
    engine._rebuild()


def let_in(engine: Engine, ids: np.ndarray, places: np.ndarray, turns: np.ndarray) -> None:
    """Bring waiting bodies into a run in space, at rest at this instant: `places` (k, 3), `turns` (k, 4) quaternions w x y z.

    They join behind the free bodies that are there. All have the ranks of t = 0, so the sums of those keep their order. Between
    steps the state of Verlet is half a step behind and that of Gear knows the derivatives: both get values of a fall from rest.
    """
    rows = np.argsort(engine.order)[ids]
    state, model = engine.state, engine.model
    engine.family.stop(state, rows)
    state.body[rows, 0:3] = places
    state.body[rows, TURN : TURN + 4] = turns
    half_a_step_back(engine, rows)
    state.book[rows, REMOVED] += (places @ model.gravity) / model.inverse_mass[rows]
    free, all_rows = engine.free, np.arange(engine.order.size)
    behind = np.setdiff1d(all_rows[free:], rows)
    order = np.concatenate([all_rows[:free], rows, behind])
    reorder(engine, order, engine.gone - rows.size, engine._memory(engine._seen_lists))
    engine._rebuild()


def half_a_step_back(engine: Engine, rows: np.ndarray) -> None:
    """Give the state of bodies (rows) that begin to move at this instant, with the velocities they have in it, what it has
    between steps: velocities of half a step ago (Verlet), or derivatives (Gear). Nothing but gravity acts on them yet; what a tag
    prescribes stays.
    """
    state, model, axes, dt = engine.state, engine.model, engine.family.DIMENSION, engine.dt
    velocities = np.arange(state.body.shape[1])[engine.family.VELOCITIES]
    free = np.ones((rows.size, axes), bool)
    tagged = (rows >= engine.free) & (rows < engine.moving)
    free[tagged] = engine.tags.imposed[rows[tagged] - engine.free, :axes] == 0
    fall = np.where(free, model.gravity, 0.0)
    if engine.kernels.GEAR:
        state.gear[rows] = 0.0
        state.gear[rows, 0:axes, 0] = 0.5 * dt**2 * fall
        motion = [*velocities, *np.atleast_1d(np.arange(state.body.shape[1])[engine.family.SPINS])]
        state.mid_step[rows] = state.body[np.ix_(rows, motion)]
        state.mid_step[rows, 0:axes] -= 0.5 * dt * fall
    elif engine.step > 0:
        state.body[np.ix_(rows, velocities)] -= 0.5 * dt * fall
        if engine.kernels.DAMPED:
            gained = state.gain.shape[1] // 2
            state.gain[rows] = 0.0
            state.gain[rows, 0:axes] = 0.5 * dt * fall
            state.gain[rows, gained : gained + axes] = dt * fall
