"""Gear's method of order 4 and 5 for one body in space, in the place of kick and drift; see `clast.dynamics.bodies.gear`.

The place goes by the same second-order form as in the plane. The rotation is of first order: y_k = Δt^k y^(k)/k! of the
angular momentum (in the world, its slope is the torque) and of the quaternion (slope ½ q·ω, ω = I⁻¹L in the body frame);
Δ = Δt ẏ − y₁ corrects every y_k by c_k Δ. A quaternion is brought back to length 1 after every correction and prediction: that
changes no rotation.

State.gear[b] has rows of `order` numbers. Rows 0 … 2, place: r₂ … r_order, and last by how much the spin about x, y, z has
grown within half a step. Rows 3 … 5, angular momentum, and 6 … 9, quaternion: y₁ … y_order. The first step knows r₂, y₁, and y₂
of the quaternion. Springs follow velocity and spin of half a step ago, which `State.mid_step` keeps.
"""

import math
from typing import Any, NamedTuple

from clast.algebra.space import along, cross, dot, minus, plus, times, triple, turn, turn_back
from clast.backend.bare import onwards
from clast.backend.device import device
from clast.dynamics.arrays import DRAG, VISCOUS, WORK
from clast.dynamics.bodies.gear import C0_PLACE, C0_VELOCITY, corrected, predicted
from clast.dynamics.space.columns import (
    BODY,
    BOOK,
    MID_SPIN,
    MID_STEP,
    MID_VELOCITY,
    MOMENTUM,
    PULL,
    SPIN,
    TURN,
    VELOCITY,
    Quaternion,
    Vector,
    X,
    Y,
    Z,
    four,
    rotation_by,
    write_four,
    write_triple,
)  # fmt: skip
from clast.dynamics.space.kicks import gather, gather_work, marks_of_way
from clast.dynamics.space.motion import product

# c_k of the first-order form
FIRST_ORDER = {
    4: (251.0 / 720.0, 1.0, 11.0 / 12.0, 1.0 / 3.0, 1.0 / 24.0),
    5: (95.0 / 288.0, 1.0, 25.0 / 24.0, 35.0 / 72.0, 5.0 / 48.0, 1.0 / 120.0),
}
F4, F5 = FIRST_ORDER[4], FIRST_ORDER[5]
TURNING, QUATERNION = 3, 6  # rows of State.gear[b] where momentum and quaternion begin


class Turning(NamedTuple):
    """How a body stands and turns; momentum and spin in its frame."""

    quaternion: Quaternion
    momentum: Vector
    spin: Vector


# --- quantities of first order -------------------------------------------------------------------------------------------


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
def corrected_triple(order, v, gear, b, c, pace):
    """The same of a vector whose derivatives begin in row c."""
    return (
        corrected_slope(order, v[0], gear, b, c, pace[0]),
        corrected_slope(order, v[1], gear, b, c + 1, pace[1]),
        corrected_slope(order, v[2], gear, b, c + 2, pace[2]),
    )


@device
def predicted_triple(order, v, gear, b, c):
    """The same of a vector whose derivatives begin in row c."""
    return (
        predicted_value(order, v[0], gear, b, c),
        predicted_value(order, v[1], gear, b, c + 1),
        predicted_value(order, v[2], gear, b, c + 2),
    )


# --- turning -------------------------------------------------------------------------------------------------------------


@device
def unit(w, x, y, z):
    """A quaternion brought to length 1."""
    scale = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    return scale * w, scale * x, scale * y, scale * z


@device
def spin_in_body(momentum, inverse):
    """ω = I⁻¹L along the principal axes; with I in the place of I⁻¹, L = Iω."""
    return inverse[0] * momentum[0], inverse[1] * momentum[1], inverse[2] * momentum[2]


@device
def turned_with(q, part, spin):
    """part · q·ω, ω in the body frame."""
    return product(q, (0.0, part * spin[0], part * spin[1], part * spin[2]))


@device
def plus_four(a, b):
    """Sum of two quaternions."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]


@device
def begin_turn(b, now, torque, world):
    """First derivatives of the rotation: y₁ of momentum and quaternion, y₂ of the quaternion."""
    gear, dt, inverse = world.state.gear, world.clock.dt, triple(world.model.inverse_inertia, 3 * b)
    q, spin = now.quaternion, now.spin
    rotation, pace = rotation_by(q), turned_with(q, 0.5 * dt, spin)
    more = times(dt, spin_in_body(minus(turn_back(rotation, torque), cross(spin, now.momentum)), inverse))  # Δt dω/dt
    curve = plus_four(turned_with(pace, 0.25 * dt, spin), turned_with(q, 0.25 * dt, more))
    for c in range(3):
        gear[b, TURNING + c, 0] = dt * torque[c]
    for c in range(4):
        gear[b, QUATERNION + c, 0] = pace[c]
        gear[b, QUATERNION + c, 1] = curve[c]


@device
def correct_turn(order, b, torque, world):
    """Correct the rotation of body b with the torque (in the world) found at the prediction."""
    gear, dt, inverse = world.state.gear, world.clock.dt, triple(world.model.inverse_inertia, 3 * b)
    q = four(world.state.body, BODY * b + TURN)
    rotation = rotation_by(q)
    here = turn(rotation, triple(world.state.momentum, MOMENTUM * b))  # in the world
    if not world.clock.first:
        here = corrected_triple(order, here, gear, b, TURNING, times(dt, torque))
    seen = turn_back(rotation, here)
    spin = spin_in_body(seen, inverse)
    if world.clock.first:
        begin_turn(b, Turning(q, seen, spin), torque, world)
        return Turning(q, seen, spin)
    pace = turned_with(q, 0.5 * dt, spin)
    now = unit(
        corrected_slope(order, q[0], gear, b, QUATERNION, pace[0]),
        corrected_slope(order, q[1], gear, b, QUATERNION + 1, pace[1]),
        corrected_slope(order, q[2], gear, b, QUATERNION + 2, pace[2]),
        corrected_slope(order, q[3], gear, b, QUATERNION + 3, pace[3]),
    )
    seen = turn_back(rotation_by(now), here)
    return Turning(now, seen, spin_in_body(seen, inverse))


@device
def predict_turn(order, b, now, world):
    """Predict the rotation of body b one step ahead."""
    gear, dt, inverse = world.state.gear, world.clock.dt, triple(world.model.inverse_inertia, 3 * b)
    q = now.quaternion
    here = predicted_triple(order, turn(rotation_by(q), now.momentum), gear, b, TURNING)  # in the world
    then = unit(
        predicted_value(order, q[0], gear, b, QUATERNION),
        predicted_value(order, q[1], gear, b, QUATERNION + 1),
        predicted_value(order, q[2], gear, b, QUATERNION + 2),
        predicted_value(order, q[3], gear, b, QUATERNION + 3),
    )
    rotation = rotation_by(then)
    seen = turn_back(rotation, here)
    spin = spin_in_body(seen, inverse)
    pull = turn_back(rotation, (gear[b, TURNING, 0], gear[b, TURNING + 1, 0], gear[b, TURNING + 2, 0]))  # torque · Δt
    growth = turn(rotation, spin_in_body(along(pull, -dt, cross(spin, seen)), inverse))
    for c in range(3):
        gear[b, c, order - 1] = 0.5 * growth[c]
    return Turning(then, seen, spin)


@device
def put_turn(b, q, momentum, spin, world):
    """Quaternion, momentum in the body frame and spin in the world of body b."""
    body, row = world.state.body, BODY * b
    write_four(body, row + TURN, q)
    write_triple(body, row + SPIN, spin)
    write_triple(world.state.momentum, MOMENTUM * b, momentum)


@device
def keep_mid_step(b, world):
    """Keep velocity and spin of half a step before the prediction: v − r₂/Δt, and the spin less what it has grown."""
    mid, gear, body, at, row = world.state.mid_step, world.state.gear, world.state.body, MID_STEP * b, BODY * b
    for c in range(3):
        mid[at + MID_VELOCITY + c] = body[row + VELOCITY + c] - gear[b, c, 0] / world.clock.dt
        mid[at + MID_SPIN + c] = body[row + SPIN + c] - gear[b, c, gear.shape[2] - 1]


# --- the pass ------------------------------------------------------------------------------------------------------------


def correct_and_predict_of(order: int, remembers: int) -> Any:
    """The pass `correct_and_predict(b, world)` of Gear's method. `remembers` 1 books what contacts lose, 2 also the work of what
    has no potential."""
    with_losses, without = C0_VELOCITY[order - 4], C0_PLACE[order - 4]

    @device
    def book_losses(b, way, now, world):
        """Book the work of dashpots, of what has no potential and of the drag along this way."""
        clock, book, lists, at = world.clock, world.state.book, world.lists, BOOK * b
        if remembers:
            swing = turn(rotation_by(now.quaternion), times(clock.dt, now.spin))
            lossy = gather(b, lists, onwards(world.forces.pair, PULL))
            book[at + VISCOUS] -= clock.kick * (dot(lossy.force, way) + dot(lossy.torque, swing))
            if remembers > 1:
                pushed = gather_work(b, lists, world.forces.work)
                book[at + WORK] -= clock.kick * (dot(pushed.force, way) + dot(pushed.torque, swing))
        if clock.drag > 0.0:
            moved = dot(way, way) / (clock.dt * world.model.inverse_mass[b])
            book[at + DRAG] += clock.kick * clock.drag * (moved + clock.dt * dot(now.momentum, now.spin))

    @device
    def correct_place(b, force, world):
        """Correct the place of body b: where it is, and its way v Δt."""
        clock, model, body, row = world.clock, world.model, world.state.body, BODY * b
        gear, dt, half, first = world.state.gear, clock.dt, 0.5 * clock.dt * clock.dt, clock.first
        at = with_losses if remembers or clock.drag > 0.0 else without
        v = triple(body, row + VELOCITY)
        a = along(plus(times(model.inverse_mass[b], force), triple(model.gravity, 0)), -clock.drag, v)
        x, step_x = corrected(order, at, body[row + X], v[0] * dt, gear, b, 0, half * a[0], first)
        y, step_y = corrected(order, at, body[row + Y], v[1] * dt, gear, b, 1, half * a[1], first)
        z, step_z = corrected(order, at, body[row + Z], v[2] * dt, gear, b, 2, half * a[2], first)
        return (x, y, z), (step_x, step_y, step_z)

    @device
    def predict_place(b, place, way, gear):
        """Predict the place of body b one step ahead."""
        x, step_x = predicted(order, place[0], way[0], gear, b, 0)
        y, step_y = predicted(order, place[1], way[1], gear, b, 1)
        z, step_z = predicted(order, place[2], way[2], gear, b, 2)
        return (x, y, z), (step_x, step_y, step_z)

    @device
    def correct_and_predict(b, world):
        """Carry body b from t_n to the prediction for t_n + Δt; without a drift it is corrected only."""
        clock, state, row = world.clock, world.state, BODY * b
        total = gather(b, world.lists, world.forces.pair)
        place, way = correct_place(b, total.force, world)
        spun = turn(rotation_by(four(state.body, row + TURN)), triple(state.momentum, MOMENTUM * b))
        now = correct_turn(order, b, along(total.torque, -clock.drag, spun), world)
        book_losses(b, way, now, world)
        if clock.drift > 0.0:
            place, way = predict_place(b, place, way, state.gear)
            now = predict_turn(order, b, now, world)
        write_triple(state.body, row + X, place)
        write_triple(state.body, row + VELOCITY, (way[0] / clock.dt, way[1] / clock.dt, way[2] / clock.dt))
        put_turn(b, now.quaternion, now.momentum, turn(rotation_by(now.quaternion), now.spin), world)
        keep_mid_step(b, world)
        return marks_of_way(b, world)

    return correct_and_predict
