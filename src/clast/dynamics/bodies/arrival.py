"""Grains that come into a run while it goes on: until then they are among the last rows, as those that have fallen out of
sight are (`clast.dynamics.bodies.removal`). Sources do this (`clast.dynamics.bodies.sources`), and a protocol between stretches
(`clast.protocols.pour`).

What they bring along is booked, so that the book closes: as `brought_in` by sources, by the protocol with the opposite sign of
what removed grains carry off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clast.dynamics.arrays import DRAG, REMOVED
from clast.dynamics.bodies.removal import reorder
from clast.dynamics.plane.columns import COS, SIN
from clast.dynamics.space.columns import TURN

if TYPE_CHECKING:
    from clast.dynamics.bodies.flow import Flow
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
    put(engine, rows, places, turns)
    half_a_step_back(engine, rows)
    state.book[rows, REMOVED] += (places @ model.gravity) / model.inverse_mass[rows]
    join(engine, rows, engine.flow)


def come_in(engine: Engine, ids: np.ndarray, places: np.ndarray, turns: np.ndarray, velocity: np.ndarray) -> None:
    """Bring waiting bodies into a run at this instant, with a velocity (d,) and without a spin, where they touch nobody.

    places, turns   (k, d), and angles (k,) or quaternions (k, 4)

    Their energy is booked as brought in: −m g·x and, as the book has it, ½ v₋·M·v₊ with the velocities of half a step before and
    after. What drag would have taken in the half step before they came is not theirs.
    """
    rows = np.argsort(engine.order)[ids]
    braking = 0.25 * engine.dt * drag_now(engine)
    before, after = around(engine, velocity, braking)
    put(engine, rows, places, turns)
    state, gravity, mass = engine.state, engine.model.gravity, 1.0 / engine.model.inverse_mass[rows]
    back = engine.step > 0 and not engine.kernels.GEAR
    state.body[rows, engine.family.VELOCITIES] = before + 0.5 * engine.dt * gravity if back else velocity
    half_a_step_back(engine, rows)
    if back:
        state.book[rows, DRAG] -= mass * (braking * float((before + velocity) @ before))
    height = sum(-gravity[k] * places[:, k] for k in range(gravity.size))
    energy = float(np.sum(mass * (0.5 * float(before @ after) + height)))
    join(engine, rows, engine.flow.with_new(ids, engine.step, energy))


def drag_now(engine: Engine) -> float:
    """The rate of the drag at this instant [1/time]."""
    engine._renew_program()
    program = engine.tags.program
    return float(program[engine.step - engine._program_start if len(program) > 1 else 0, -1])


def around(engine: Engine, velocity: np.ndarray, braking: float) -> tuple[np.ndarray, np.ndarray]:
    """Velocities (d,) half a step before and after this instant, at which it is `velocity`, of a body under gravity and drag
    alone; with Gear's method both are that of the instant. `braking` is that of half a kick, as in `kick_and_drift`."""
    if engine.kernels.GEAR:
        return velocity, velocity
    half = 0.5 * engine.dt * engine.model.gravity
    if engine.step == 0:
        after = ((1.0 - braking) * velocity + half) / (1.0 + braking)
        return 2.0 * velocity - after, after
    before = ((1.0 + braking) * velocity - half) / (1.0 - braking)
    return before, ((1.0 - 2.0 * braking) * before + 2.0 * half) / (1.0 + 2.0 * braking)


def put(engine: Engine, rows: np.ndarray, places: np.ndarray, turns: np.ndarray) -> None:
    """Put waiting bodies (rows) somewhere, at rest: `turns` are angles (k,), in space quaternions (k, 4)."""
    state, d = engine.state, engine.family.DIMENSION
    engine.family.stop(state, rows)
    state.body[rows, :d] = places
    if d == 2:
        state.angle[rows] = turns
        state.body[rows, COS], state.body[rows, SIN] = np.cos(turns), np.sin(turns)
    else:
        state.body[rows, TURN : TURN + 4] = turns


def join(engine: Engine, rows: np.ndarray, flow: Flow) -> None:
    """Let waiting bodies (rows) take part from now on: behind the free bodies that are there."""
    free, all_rows = engine.free, np.arange(engine.order.size)
    behind = np.setdiff1d(all_rows[free:], rows)
    order = np.concatenate([all_rows[:free], rows, behind])
    reorder(engine, order, engine.gone - rows.size, engine._memory(engine._seen_lists), flow)
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
