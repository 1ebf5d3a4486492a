"""Gear's method for one body of the plane, in the place of kick and drift; the method stands in `clast.dynamics.bodies.gear`."""

import math
from typing import Any

from clast.backend.bare import onwards
from clast.backend.device import device
from clast.dynamics.arrays import DRAG, VISCOUS
from clast.dynamics.bodies.gear import C0_PLACE, C0_VELOCITY, corrected, predicted
from clast.dynamics.plane.columns import (
    BODY,
    BOOK,
    COS,
    MID_SPIN,
    MID_STEP,
    MID_X,
    MID_Y,
    PULL,
    SIN,
    SPIN,
    VX,
    VY,
    X,
    Y,
    read_body,
)  # fmt: skip
from clast.dynamics.plane.motion import gather, marks_of_way, read_moved


@device
def keep_mid_step(b, world):
    """Keep the velocities of half a step before the prediction: v − r₂/Δt."""
    mid, gear, at, row, dt = world.state.mid_step, world.state.gear, MID_STEP * b, BODY * b, world.clock.dt
    body = world.state.body
    mid[at + MID_X] = body[row + VX] - gear[b, 0, 0] / dt
    mid[at + MID_Y] = body[row + VY] - gear[b, 1, 0] / dt
    mid[at + MID_SPIN] = body[row + SPIN] - gear[b, 2, 0] / dt


def correct_and_predict_of(order: int, remembers: bool) -> Any:
    """The pass `correct_and_predict(b, world)` of Gear's method; `remembers` books what contacts lose."""
    with_losses, without = C0_VELOCITY[order - 4], C0_PLACE[order - 4]

    @device
    def book_losses(b, step_x, step_y, step_phi, world):
        """Book the work of dashpots and of the drag along these ways."""
        clock, book, model = world.clock, world.state.book, world.model
        if remembers:
            fx, fy, torque = gather(b, world.lists, onwards(world.forces.pair, PULL))
            book[BOOK * b + VISCOUS] -= clock.kick * (fx * step_x + fy * step_y + torque * step_phi)
        if clock.drag > 0.0:
            moved, spun = step_x * step_x + step_y * step_y, step_phi * step_phi
            rate = clock.kick * clock.drag / clock.dt
            book[BOOK * b + DRAG] += rate * (moved / model.inverse_mass[b] + spun / model.inverse_inertia[b])

    @device
    def correct_and_predict(b, world):
        """Carry body b from t_n to the prediction for t_n + Δt; without a drift it is corrected only."""
        clock, model, state, old = world.clock, world.model, world.state, read_body(world.state, b)
        gear, dt, half, first = state.gear, clock.dt, 0.5 * clock.dt * clock.dt, clock.first
        fx, fy, torque = gather(b, world.lists, world.forces.pair)
        at = with_losses if remembers or clock.drag > 0.0 else without
        ax = fx * model.inverse_mass[b] + model.gravity[0] - clock.drag * old.velocity.x
        ay = fy * model.inverse_mass[b] + model.gravity[1] - clock.drag * old.velocity.y
        turning = torque * model.inverse_inertia[b] - clock.drag * old.spin
        x, step_x = corrected(order, at, old.place.x, old.velocity.x * dt, gear, b, 0, half * ax, first)
        y, step_y = corrected(order, at, old.place.y, old.velocity.y * dt, gear, b, 1, half * ay, first)
        phi, step_phi = corrected(order, at, state.angle[b], old.spin * dt, gear, b, 2, half * turning, first)
        book_losses(b, step_x, step_y, step_phi, world)
        if clock.drift > 0.0:
            x, step_x = predicted(order, x, step_x, gear, b, 0)
            y, step_y = predicted(order, y, step_y, gear, b, 1)
            phi, step_phi = predicted(order, phi, step_phi, gear, b, 2)
        body, row = state.body, BODY * b
        body[row + X], body[row + Y], body[row + COS], body[row + SIN] = x, y, math.cos(phi), math.sin(phi)
        body[row + VX], body[row + VY], body[row + SPIN] = step_x / dt, step_y / dt, step_phi / dt
        state.angle[b] = phi
        keep_mid_step(b, world)
        return marks_of_way(b, read_moved(b, world), world)

    return correct_and_predict
