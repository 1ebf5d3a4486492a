"""Kick, drift and turn of one body in space; what a body gathers from its pairs.

The rotation is kicked in its momentum and turned freely in between, so that the twin of the plane's identity holds: with
the kinetic energy ½ v₋·m v₊ + ½ L₋·I⁻¹ L₊ at t_n (before and after the kick, L in the body frame at t_n), its change over a
step is the work of two half kicks, each with the velocity and the spin I⁻¹L next to it, and what `free_turn` errs in the energy:
nothing where two moments are equal.
"""

from typing import Any, NamedTuple

import numpy as np

from clast.backend.bare import bare
from clast.backend.device import device, unsigned
from clast.contact.vectors import along, cross, dot, minus, plus, times, triple, turn_back
from clast.dynamics.arrays import DRAG, ROLLING, SLIDING, VISCOUS, WORK, SpaceState
from clast.dynamics.arrays import LOST as GONE
from clast.dynamics.space.columns import (
    BODY,
    BOOK,
    FORCE,
    HEAT,
    LOSS,
    LOST,
    MOMENTUM,
    NONE,
    ON_I,
    ON_J,
    PULL,
    REACH,
    REFERENCE,
    ROLLED,
    SPIN,
    THEN,
    TURN,
    VELOCITY,
    Vector,
    X,
    Y,
    Z,
    four,
    rotation_by,
    write_four,
    write_triple,
)  # fmt: skip
from clast.dynamics.space.motion import free_turn, moved_too_far, spin_of


class Total(NamedTuple):
    """What all pairs of a body do to it together."""

    force: Vector
    torque: Vector


class Warmth(NamedTuple):
    """Energies that pairs have lost."""

    slid: float
    rolled: float
    lost: float  # with springs


class Gain(NamedTuple):
    """What a kick adds to the velocity and the spin of a body."""

    velocity: Vector
    spin: Vector


class Kick(NamedTuple):
    """A body before and after a kick, and at the instant between that its work is booked with."""

    velocity: Vector
    new_velocity: Vector
    work_velocity: Vector
    momentum: Vector  # angular, in the body frame
    new_momentum: Vector
    work_momentum: Vector


NO_TOTAL = Total(NONE, NONE)
NO_WARMTH = Warmth(0.0, 0.0, 0.0)


@device
def look_at_state(state):
    """What passes over bodies see of a state."""
    return SpaceState(bare(state.body), bare(state.momentum), bare(state.book), state.gear, bare(state.late))


# --- sums over pairs -----------------------------------------------------------------------------------------------------


@device
def gather(b, contacts, table, width):
    """Sum of the pair forces on body b, in ascending order of pairs. Rows of `table` begin with a wrench."""
    fx = fy = fz = tx = ty = tz = 0.0
    for q in range(np.int64(contacts.first_other[b]), np.int64(contacts.first_other[b + 1])):
        at = width * np.int64(contacts.other[q])
        fx -= table[at + FORCE]
        fy -= table[at + FORCE + 1]
        fz -= table[at + FORCE + 2]
        tx += table[at + ON_J]
        ty += table[at + ON_J + 1]
        tz += table[at + ON_J + 2]
    for q in range(np.int64(contacts.first_pair[b]), np.int64(contacts.first_pair[b + 1])):
        at = width * unsigned(q)
        fx += table[at + FORCE]
        fy += table[at + FORCE + 1]
        fz += table[at + FORCE + 2]
        tx += table[at + ON_I]
        ty += table[at + ON_I + 1]
        tz += table[at + ON_I + 2]
    return Total((fx, fy, fz), (tx, ty, tz))


@device
def gather_heat(b, contacts, loss):
    """Heat of sliding, of rolling and energy of lost springs of the pairs in which b comes first."""
    heat = rolled = lost = 0.0
    for q in range(np.int64(contacts.first_pair[b]), np.int64(contacts.first_pair[b + 1])):
        at = LOSS * unsigned(q)
        heat += loss[at + HEAT]
        rolled += loss[at + ROLLED]
        lost += loss[at + LOST]
    return Warmth(heat, rolled, lost)


@device
def gather_all(b, contacts, table, loss):
    """`gather` of both tables and `gather_heat` in one walk, in the same order: where a loop ends is seldom foreseen."""
    fx = fy = fz = tx = ty = tz = 0.0
    lx = ly = lz = mx = my = mz = 0.0
    heat = rolled = lost = 0.0
    for q in range(np.int64(contacts.first_other[b]), np.int64(contacts.first_other[b + 1])):
        p = np.int64(contacts.other[q])
        at, row = PULL * p, LOSS * p
        fx -= table[at + FORCE]
        fy -= table[at + FORCE + 1]
        fz -= table[at + FORCE + 2]
        tx += table[at + ON_J]
        ty += table[at + ON_J + 1]
        tz += table[at + ON_J + 2]
        lx -= loss[row + FORCE]
        ly -= loss[row + FORCE + 1]
        lz -= loss[row + FORCE + 2]
        mx += loss[row + ON_J]
        my += loss[row + ON_J + 1]
        mz += loss[row + ON_J + 2]
    for q in range(np.int64(contacts.first_pair[b]), np.int64(contacts.first_pair[b + 1])):
        p = unsigned(q)
        at, row = PULL * p, LOSS * p
        fx += table[at + FORCE]
        fy += table[at + FORCE + 1]
        fz += table[at + FORCE + 2]
        tx += table[at + ON_I]
        ty += table[at + ON_I + 1]
        tz += table[at + ON_I + 2]
        lx += loss[row + FORCE]
        ly += loss[row + FORCE + 1]
        lz += loss[row + FORCE + 2]
        mx += loss[row + ON_I]
        my += loss[row + ON_I + 1]
        mz += loss[row + ON_I + 2]
        heat += loss[row + HEAT]
        rolled += loss[row + ROLLED]
        lost += loss[row + LOST]
    return Total((fx, fy, fz), (tx, ty, tz)), Total((lx, ly, lz), (mx, my, mz)), Warmth(heat, rolled, lost)


@device
def book_warmth(b, warmth, world):
    """Book energies that the pairs of body b have lost."""
    book, at = world.state.book, BOOK * b
    book[at + SLIDING] += warmth.slid
    book[at + GONE] += warmth.lost
    book[at + ROLLING] += warmth.rolled


@device
def book_heat(b, world):
    """Book the heat of sliding and rolling and the energy of lost springs of body b."""
    book_warmth(b, gather_heat(b, world.contacts, world.forces.loss), world)


@device
def is_stale(b, world):
    """Whether body b has moved too far for the lists."""
    body, then, at, row = world.state.body, world.contacts.reference, REFERENCE * b, BODY * b
    return moved_too_far(
        body[row + X] - then[at + X], body[row + Y] - then[at + Y], body[row + Z] - then[at + Z], four(body, row + TURN),
        four(then, at + THEN), then[at + REACH], world.clock.alpha,
    )  # fmt: skip


# --- gains, for the balance of what opens or closes ----------------------------------------------------------------------


@device
def answering(b, impulse, world):
    """Spin that an angular impulse gives to body b, as contacts see it: through its principal frame."""
    rotation = rotation_by(four(world.state.body, BODY * b + TURN))
    return spin_of(rotation, turn_back(rotation, impulse), triple(world.model.contact_inverse_inertia, 3 * b))


@device
def gain_beside(b, mine, sign, world):
    """What gravity and all pairs but one add to body b in this kick; `mine` is the wrench of that one, b its i (1) or j (−1)."""
    clock, model = world.clock, world.model
    whole = clock.dt if clock.spring_dt > 0.0 else 0.5 * clock.dt  # of the kick, of which past + future are wanted
    scale = whole / (clock.past + clock.future) if clock.past + clock.future > 0.0 else 0.0
    m, total = model.contact_inverse_mass[b], gather(b, world.contacts, world.forces.pair, PULL)
    own = mine.on_i if sign > 0.0 else mine.on_j
    velocity = times(m * scale, minus(total.force, times(sign, mine.force)))
    if m > 0.0:
        velocity = along(velocity, whole, triple(model.gravity, 0))
    return Gain(velocity, times(scale, answering(b, minus(total.torque, own), world)))


@device
def gain_of(b, beside, push, sign, world):
    """The whole gain of body b: `beside` and what the wrench `push` of its pair adds."""
    dt, m = world.clock.dt, world.model.contact_inverse_mass[b]
    own = push.on_i if sign > 0.0 else push.on_j
    return Gain(along(beside.velocity, sign * m * dt, push.force), along(beside.spin, dt, answering(b, own, world)))


@device
def closing_gain(touch, side, gain_i, gain_j):
    """By how much a kick changes the closing speed of a contact."""
    a, b = (gain_i, gain_j) if side.sign > 0.0 else (gain_j, gain_i)
    at_a = plus(a.velocity, cross(a.spin, touch.arm))
    at_b = plus(b.velocity, cross(b.spin, minus(touch.arm, side.branch)))
    return dot(minus(at_a, at_b), touch.normal)


# --- the pass ------------------------------------------------------------------------------------------------------------


@device
def power(total, velocity, spin):
    """Work per time of a force and a torque: one sum of six."""
    f, v, m, w = total.force, velocity, total.torque, spin
    return f[0] * v[0] + f[1] * v[1] + f[2] * v[2] + m[0] * w[0] + m[1] * w[1] + m[2] * w[2]


@device
def kicked(b, total, rotation, world):
    """Kick body b. The drag −γmv, −γL is taken at the mean of the old and the new velocity.

    Work is booked with the velocity of the half step each half of the kick belongs to: clock.share of it with the new one.
    """
    clock, model = world.clock, world.model
    braking = 0.5 * clock.drag * clock.kick * clock.dt
    gain = 1.0 / (1.0 + braking)
    keep = (1.0 - braking) * gain
    rate, fall = model.inverse_mass[b] * clock.dt, clock.kick * clock.dt
    v, spun = triple(world.state.body, BODY * b + VELOCITY), triple(world.state.momentum, MOMENTUM * b)
    new_v = plus(times(keep, v), times(gain, along(times(rate, total.force), fall, triple(model.gravity, 0))))
    new_spun = plus(times(keep, spun), times(gain * clock.dt, turn_back(rotation, total.torque)))
    return Kick(
        v, new_v, along(v, clock.share, minus(new_v, v)), spun, new_spun, along(spun, clock.share, minus(new_spun, spun))
    )  # fmt: skip


@device
def book_drag(b, kick, world):
    """Book the heat of the drag in a kick."""
    clock, model, inverse = world.clock, world.model, triple(world.model.inverse_inertia, 3 * b)
    spun, work = plus(kick.momentum, kick.new_momentum), kick.work_momentum
    world.state.book[BOOK * b + DRAG] += (0.5 * clock.drag * clock.kick * clock.dt) * (
        dot(plus(kick.velocity, kick.new_velocity), kick.work_velocity) / model.inverse_mass[b]
        + spun[0] * work[0] * inverse[0]
        + spun[1] * work[1] * inverse[1]
        + spun[2] * work[2] * inverse[2]
    )


@device
def drift_body(b, velocity, momentum, rotation, world):
    """Drift and turn body b; the spin left is the mean over the drift, or without a drift that of the momentum."""
    body, row, drift, inverse = world.state.body, BODY * b, world.clock.drift, triple(world.model.inverse_inertia, 3 * b)
    q = four(body, row + TURN)
    if drift > 0.0:
        q, momentum, spin = free_turn(q, momentum, inverse, drift)
    else:
        spin = spin_of(rotation, momentum, inverse)
    write_triple(body, row + X, along(triple(body, row + X), drift, velocity))
    write_four(body, row + TURN, q)
    write_triple(body, row + VELOCITY, velocity)
    write_triple(body, row + SPIN, spin)
    write_triple(world.state.momentum, MOMENTUM * b, momentum)


def kick_and_drift_of(remembers: int) -> Any:
    """The pass `kick_and_drift(b, world)` of velocity Verlet. `remembers` 1 books what contacts lose, 2 also the work of what has
    no potential."""

    @device
    def gather_wanted(b, world):
        """What acts on body b, its viscous part, and what has been lost."""
        if remembers:
            return gather_all(b, world.contacts, world.forces.pair, world.forces.loss)
        return gather(b, world.contacts, world.forces.pair, PULL), NO_TOTAL, NO_WARMTH

    @device
    def book_losses(b, lossy, velocity, spin, world):
        """Book the work of dashpots, and of what has no potential, at these velocities."""
        book, at, dt = world.state.book, BOOK * b, world.clock.dt
        book[at + VISCOUS] -= dt * power(lossy, velocity, spin)
        if remembers > 1:
            book[at + WORK] -= dt * power(gather(b, world.contacts, world.forces.work, PULL), velocity, spin)

    @device
    def kick_and_drift(b, world):
        """Kick, drift and turn body b; returns whether it has moved too far for the lists."""
        total, lossy, warmth = gather_wanted(b, world)
        rotation = rotation_by(four(world.state.body, BODY * b + TURN))
        kick = kicked(b, total, rotation, world)
        if remembers:
            spin = spin_of(rotation, kick.work_momentum, triple(world.model.inverse_inertia, 3 * b))
            book_losses(b, lossy, kick.work_velocity, spin, world)
            book_warmth(b, warmth, world)
        if world.clock.drag > 0.0:
            book_drag(b, kick, world)
        drift_body(b, kick.new_velocity, kick.new_momentum, rotation, world)
        return is_stale(b, world)

    return kick_and_drift
