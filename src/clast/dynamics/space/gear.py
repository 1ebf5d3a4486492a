"""Gear's predictor-corrector of order 4 and 5 in space, in the place of kick and drift (model §6); see `clast.dynamics.gear`.

The place goes by the same second-order form as in the plane. The rotation is of first order: y_k = Δt^k y^(k)/k! of the
angular momentum (in the world, its slope is the torque) and of the quaternion (slope ½ q·ω, ω = I⁻¹L in the body frame);
Δ = Δt ẏ − y₁ corrects every y_k by c_k Δ. A quaternion is brought back to length 1 after every correction and prediction: that
changes no rotation.

State.gear[b] has rows of `order` numbers. Rows 0 … 2, place: r₂ … r_order, and last by how much the spin about x, y, z has
grown within half a step, which springs ask for (as they take the velocity v − r₂/Δt of half a step ago). Rows 3 … 5, angular
momentum, and 6 … 9, quaternion: y₁ … y_order. The first step knows r₂, y₁, and y₂ of the quaternion.
"""

import math

from clast.backend.device import device, routine
from clast.contact.vectors import along, cross, dot, minus, plus, rotation_of, times, triple, turn, turn_back
from clast.dynamics.arrays import WORK
from clast.dynamics.gear import C0_PLACE, C0_VELOCITY, corrected, predicted
from clast.dynamics.space.arrays import LOSS, PULL, SPIN, TURN, VELOCITY
from clast.dynamics.space.motion import gather, gather_heat, moved_too_far, product

# c_k of the first-order form
FIRST_ORDER = {
    4: (251.0 / 720.0, 1.0, 11.0 / 12.0, 1.0 / 3.0, 1.0 / 24.0),
    5: (95.0 / 288.0, 1.0, 25.0 / 24.0, 35.0 / 72.0, 5.0 / 48.0, 1.0 / 120.0),
}
F4, F5 = FIRST_ORDER[4], FIRST_ORDER[5]
MOMENTUM, QUATERNION = 3, 6  # rows of State.gear[b] where these begin


@device
def corrected_slope(order, y, gear, b, c, pace):
    """Correct one quantity of first order: value y, derivatives in gear[b, c]; `pace` = Δt ẏ. Returns the value."""
    change = pace - gear[b, c, 0]
    gear[b, c, 0] = pace
    if order == 4:
        gear[b, c, 1] += F4[2] * change
        gear[b, c, 2] += F4[3] * change
        gear[b, c, 3] += F4[4] * change
        return y + F4[0] * change
    gear[b, c, 1] += F5[2] * change
    gear[b, c, 2] += F5[3] * change
    gear[b, c, 3] += F5[4] * change
    gear[b, c, 4] += F5[5] * change
    return y + F5[0] * change


@device
def predicted_value(order, y, gear, b, c):
    """Predict one quantity of first order one step ahead (Pascal's triangle). Returns the value."""
    y1, y2, y3, y4 = gear[b, c, 0], gear[b, c, 1], gear[b, c, 2], gear[b, c, 3]
    if order == 4:
        gear[b, c, 0] = y1 + 2.0 * y2 + 3.0 * y3 + 4.0 * y4
        gear[b, c, 1] = y2 + 3.0 * y3 + 6.0 * y4
        gear[b, c, 2] = y3 + 4.0 * y4
        return y + y1 + y2 + y3 + y4
    y5 = gear[b, c, 4]
    gear[b, c, 0] = y1 + 2.0 * y2 + 3.0 * y3 + 4.0 * y4 + 5.0 * y5
    gear[b, c, 1] = y2 + 3.0 * y3 + 6.0 * y4 + 10.0 * y5
    gear[b, c, 2] = y3 + 4.0 * y4 + 10.0 * y5
    gear[b, c, 3] = y4 + 5.0 * y5
    return y + y1 + y2 + y3 + y4 + y5


@device
def unit(w, x, y, z):
    """A quaternion brought to length 1."""
    scale = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    return scale * w, scale * x, scale * y, scale * z


@device
def spin_in_body(momentum, inverse):
    """ω = I⁻¹L along the principal axes."""
    return inverse[0] * momentum[0], inverse[1] * momentum[1], inverse[2] * momentum[2]


@device
def correct_turn(order, gear, b, q, momentum, inverse, torque, dt, first):
    """Correct the rotation with the torque (in the world) found at the prediction.

    `momentum` is predicted, in the body frame. Returns quaternion, momentum and spin, both in the body frame.
    """
    rotation = rotation_of(q[0], q[1], q[2], q[3])
    here = turn(rotation, momentum)
    if first:
        for c in range(3):
            gear[b, MOMENTUM + c, 0] = dt * torque[c]
    else:
        here = (
            corrected_slope(order, here[0], gear, b, MOMENTUM, dt * torque[0]),
            corrected_slope(order, here[1], gear, b, MOMENTUM + 1, dt * torque[1]),
            corrected_slope(order, here[2], gear, b, MOMENTUM + 2, dt * torque[2]),
        )
    seen = turn_back(rotation, here)
    spin = spin_in_body(seen, inverse)
    pace = product(q, (0.0, 0.5 * dt * spin[0], 0.5 * dt * spin[1], 0.5 * dt * spin[2]))
    if first:
        more = times(dt, spin_in_body(minus(turn_back(rotation, torque), cross(spin, seen)), inverse))  # Δt dω/dt
        curve = plus_four(
            product(pace, (0.0, 0.25 * dt * spin[0], 0.25 * dt * spin[1], 0.25 * dt * spin[2])),
            product(q, (0.0, 0.25 * dt * more[0], 0.25 * dt * more[1], 0.25 * dt * more[2])),
        )
        for c in range(4):
            gear[b, QUATERNION + c, 0] = pace[c]
            gear[b, QUATERNION + c, 1] = curve[c]
        return q, seen, spin
    now = unit(
        corrected_slope(order, q[0], gear, b, QUATERNION, pace[0]),
        corrected_slope(order, q[1], gear, b, QUATERNION + 1, pace[1]),
        corrected_slope(order, q[2], gear, b, QUATERNION + 2, pace[2]),
        corrected_slope(order, q[3], gear, b, QUATERNION + 3, pace[3]),
    )
    seen = turn_back(rotation_of(now[0], now[1], now[2], now[3]), here)
    return now, seen, spin_in_body(seen, inverse)


@device
def plus_four(a, b):
    """Sum of two quaternions."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]


@device
def predict_turn(order, gear, b, q, momentum, inverse, dt):
    """Predict the rotation one step ahead. Returns quaternion, momentum and spin, both in the body frame."""
    here = turn(rotation_of(q[0], q[1], q[2], q[3]), momentum)
    here = (
        predicted_value(order, here[0], gear, b, MOMENTUM),
        predicted_value(order, here[1], gear, b, MOMENTUM + 1),
        predicted_value(order, here[2], gear, b, MOMENTUM + 2),
    )
    then = unit(
        predicted_value(order, q[0], gear, b, QUATERNION),
        predicted_value(order, q[1], gear, b, QUATERNION + 1),
        predicted_value(order, q[2], gear, b, QUATERNION + 2),
        predicted_value(order, q[3], gear, b, QUATERNION + 3),
    )
    rotation = rotation_of(then[0], then[1], then[2], then[3])
    seen = turn_back(rotation, here)
    spin = spin_in_body(seen, inverse)
    pull = turn_back(rotation, (gear[b, MOMENTUM, 0], gear[b, MOMENTUM + 1, 0], gear[b, MOMENTUM + 2, 0]))  # torque · Δt
    growth = turn(rotation, spin_in_body(along(pull, -dt, cross(spin, seen)), inverse))
    for c in range(3):
        gear[b, c, order - 1] = 0.5 * growth[c]
    return then, seen, spin


@routine
def correct_and_predict(order, history, low, high, model, state, contacts, forces, dt, ahead, booked, first, drag, alpha):
    """Carry the free bodies low ≤ b < high from t_n to the prediction for t_n + Δt; `ahead` False corrects only.

    `booked` is the part of Δt whose heat is booked: 1, ½ in the first step (`first`) and ½ for an output.
    Returns whether a body has moved further than alpha since the lists were built.
    """
    body, book, gear = state.body, state.book, state.gear
    first_pair, first_other, other, reference = contacts.first_pair, contacts.first_other, contacts.other, contacts.reference
    pair_force, loss, work = forces.pair.reshape(-1), forces.loss.reshape(-1), forces.work.reshape(-1)
    half = 0.5 * dt * dt
    at = C0_VELOCITY[order - 4] if history or drag > 0.0 else C0_PLACE[order - 4]
    stale = False
    for b in range(low, high):
        fx, fy, fz, tx, ty, tz = gather(b, first_pair, first_other, other, pair_force, PULL)
        inverse = triple(model.inverse_inertia[b], 0)
        speed, momentum = triple(body[b], VELOCITY), triple(state.momentum[b], 0)
        q = (body[b, TURN], body[b, TURN + 1], body[b, TURN + 2], body[b, TURN + 3])
        gravity = triple(model.gravity, 0)
        a = along(plus(times(model.inverse_mass[b], (fx, fy, fz)), gravity), -drag, speed)
        x, step_x = corrected(order, at, body[b, 0], speed[0] * dt, gear, b, 0, half * a[0], first)
        y, step_y = corrected(order, at, body[b, 1], speed[1] * dt, gear, b, 1, half * a[1], first)
        z, step_z = corrected(order, at, body[b, 2], speed[2] * dt, gear, b, 2, half * a[2], first)
        rotation = rotation_of(q[0], q[1], q[2], q[3])
        torque = along((tx, ty, tz), -drag, turn(rotation, momentum))
        q, momentum, spin = correct_turn(order, gear, b, q, momentum, inverse, torque, dt, first)
        way = (step_x, step_y, step_z)
        if history:
            lx, ly, lz, mx, my, mz = gather(b, first_pair, first_other, other, loss, LOSS)
            heat, rolled, lost = gather_heat(b, first_pair, loss)
            swing = turn(rotation_of(q[0], q[1], q[2], q[3]), times(dt, spin))
            book[b, 0] -= booked * (dot((lx, ly, lz), way) + dot((mx, my, mz), swing))
            book[b, 1] += heat
            book[b, 2] += lost
            book[b, 5] += rolled
            if history > 1:
                px, py, pz, sx, sy, sz = gather(b, first_pair, first_other, other, work, PULL)
                book[b, WORK] -= booked * (dot((px, py, pz), way) + dot((sx, sy, sz), swing))
        if drag > 0.0:
            book[b, 4] += booked * drag * (dot(way, way) / (dt * model.inverse_mass[b]) + dt * dot(momentum, spin))
        if ahead:
            x, step_x = predicted(order, x, step_x, gear, b, 0)
            y, step_y = predicted(order, y, step_y, gear, b, 1)
            z, step_z = predicted(order, z, step_z, gear, b, 2)
            q, momentum, spin = predict_turn(order, gear, b, q, momentum, inverse, dt)
        write_body(body, state.momentum, b, (x, y, z), q, (step_x / dt, step_y / dt, step_z / dt), momentum, spin)
        if moved_too_far(
            x - reference[b, 0], y - reference[b, 1], z - reference[b, 2],
            q, (reference[b, 4], reference[b, 5], reference[b, 6], reference[b, 7]), reference[b, 3], alpha,
        ):  # fmt: skip
            stale = True
    return stale


@device
def write_body(body, momenta, b, place, q, velocity, momentum, spin):
    """Put all that moves into the row of a body; `momentum` and `spin` in the body frame."""
    world = turn(rotation_of(q[0], q[1], q[2], q[3]), spin)
    for c in range(3):
        body[b, c] = place[c]
        body[b, VELOCITY + c] = velocity[c]
        body[b, SPIN + c] = world[c]
        momenta[b, c] = momentum[c]
    for c in range(4):
        body[b, TURN + c] = q[c]
