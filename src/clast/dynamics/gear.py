"""Gear's predictor-corrector of order 4 (five values) and 5 (six values) in the place of kick and drift (model §6).

Scaled derivatives r_k = Δt^k r^(k)/k!. Between steps the state is predicted for t_n. The forces found there give the
acceleration a; Δ = ½Δt² a − r₂ corrects every derivative by c_k Δ, and Pascal's triangle predicts t_n + Δt:

    contact forces        x, v predicted for t_n
    correct and predict   state of t_n, then the prediction for t_n + Δt

An output corrects only, on a copy. The first step knows no derivatives above the second. Tangential springs follow the
sliding speed of half a step ago, or their energy would close to first order only. A prescribed velocity sets its
derivatives to 0.
"""

import math

from clast.backend.device import device
from clast.dynamics.motion import LOSS, gather, gather_heat, moved_too_far

# c_k for forces that depend on the velocity as well
COEFFICIENTS = {
    4: (19.0 / 90.0, 3.0 / 4.0, 1.0, 1.0 / 2.0, 1.0 / 12.0),
    5: (3.0 / 16.0, 251.0 / 360.0, 1.0, 11.0 / 18.0, 1.0 / 6.0, 1.0 / 60.0),
}
CONSERVATIVE = {4: 19.0 / 120.0, 5: 3.0 / 20.0}  # c₀ for forces of the position alone
C4, C5 = COEFFICIENTS[4], COEFFICIENTS[5]
C0_VELOCITY = (C4[0], C5[0])
C0_PLACE = (CONSERVATIVE[4], CONSERVATIVE[5])


@device
def corrected(order, at, x, step, gear, b, c, kick, first):
    """Correct one component: place x, step = v Δt, derivatives in gear[b, c]; `kick` = ½Δt² a. Returns place and step."""
    if first:
        gear[b, c, 0] = kick
        return x, step
    change = kick - gear[b, c, 0]
    gear[b, c, 0] = kick
    if order == 4:
        gear[b, c, 1] += C4[3] * change
        gear[b, c, 2] += C4[4] * change
        return x + at * change, step + C4[1] * change
    gear[b, c, 1] += C5[3] * change
    gear[b, c, 2] += C5[4] * change
    gear[b, c, 3] += C5[5] * change
    return x + at * change, step + C5[1] * change


@device
def predicted(order, x, step, gear, b, c):
    """Predict one component one step ahead (Pascal's triangle). Returns place and step = v Δt."""
    r2, r3, r4 = gear[b, c, 0], gear[b, c, 1], gear[b, c, 2]
    if order == 4:
        gear[b, c, 0] = r2 + 3.0 * r3 + 6.0 * r4
        gear[b, c, 1] = r3 + 4.0 * r4
        return x + step + r2 + r3 + r4, step + 2.0 * r2 + 3.0 * r3 + 4.0 * r4
    r5 = gear[b, c, 3]
    gear[b, c, 0] = r2 + 3.0 * r3 + 6.0 * r4 + 10.0 * r5
    gear[b, c, 1] = r3 + 4.0 * r4 + 10.0 * r5
    gear[b, c, 2] = r4 + 5.0 * r5
    return x + step + r2 + r3 + r4 + r5, step + 2.0 * r2 + 3.0 * r3 + 4.0 * r4 + 5.0 * r5


@device
def correct_and_predict(order, history, low, high, model, state, contacts, forces, dt, ahead, booked, first, drag, alpha):
    """Carry the free bodies low ≤ b < high from t_n to the prediction for t_n + Δt; `ahead` False corrects only.

    `booked` is the part of Δt whose heat is booked: 1, ½ in the first step (`first`) and ½ for an output.
    Returns whether a body has moved further than alpha since the lists were built.
    """
    body, angle, book, gear = state.body, state.angle, state.book, state.gear
    first_pair, first_other, other, reference = contacts.first_pair, contacts.first_other, contacts.other, contacts.reference
    pair_force, loss = forces.pair.reshape(-1), forces.loss.reshape(-1)
    half = 0.5 * dt * dt
    at = C0_VELOCITY[order - 4] if history or drag > 0.0 else C0_PLACE[order - 4]
    stale = False
    for b in range(low, high):
        fx, fy, torque = gather(b, first_pair, first_other, other, pair_force, 4)
        vx, vy, spin = body[b, 4], body[b, 5], body[b, 6]
        ax = fx * model.inverse_mass[b] + model.gravity[0] - drag * vx
        ay = fy * model.inverse_mass[b] + model.gravity[1] - drag * vy
        turning = torque * model.inverse_inertia[b] - drag * spin
        x, step_x = corrected(order, at, body[b, 0], vx * dt, gear, b, 0, half * ax, first)
        y, step_y = corrected(order, at, body[b, 1], vy * dt, gear, b, 1, half * ay, first)
        phi, step_phi = corrected(order, at, angle[b], spin * dt, gear, b, 2, half * turning, first)
        if history:
            drag_x, drag_y, drag_torque = gather(b, first_pair, first_other, other, loss, LOSS)
            heat, rolled, lost = gather_heat(b, first_pair, loss)
            book[b, 0] -= booked * (drag_x * step_x + drag_y * step_y + drag_torque * step_phi)
            book[b, 1] += heat
            book[b, 2] += lost
            book[b, 5] += rolled
        if drag > 0.0:
            book[b, 4] += booked * drag / dt * (
                (step_x * step_x + step_y * step_y) / model.inverse_mass[b] + step_phi * step_phi / model.inverse_inertia[b]
            )  # fmt: skip
        if ahead:
            x, step_x = predicted(order, x, step_x, gear, b, 0)
            y, step_y = predicted(order, y, step_y, gear, b, 1)
            phi, step_phi = predicted(order, phi, step_phi, gear, b, 2)
        body[b, 0], body[b, 1] = x, y
        body[b, 2], body[b, 3] = math.cos(phi), math.sin(phi)
        body[b, 4], body[b, 5], body[b, 6] = step_x / dt, step_y / dt, step_phi / dt
        angle[b] = phi
        if moved_too_far(x - reference[b, 0], y - reference[b, 1], phi - reference[b, 2], reference[b, 3], alpha):
            stale = True
    return stale
