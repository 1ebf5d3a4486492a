"""Kick, drift and turn of one body in space; what a body gathers from its pairs.

The rotation is kicked in its momentum and turned freely in between, so that an identity as in the plane holds: with
the kinetic energy ½ v₋·m v₊ + ½ L₋·I⁻¹ L₊ at t_n (before and after the kick, L in the body frame at t_n), its change over a
step is the work of two half kicks, each with the velocity and the spin I⁻¹L next to it, and what `free_turn` errs in the energy:
nothing where two moments are equal.
"""

import math
from typing import Any, NamedTuple

from clast.algebra.space import along, cross, dot, minus, plus, times, triple, turn_back
from clast.backend.bare import bare
from clast.backend.device import device
from clast.dynamics.arrays import DRAG, VISCOUS, WORK, SpaceState
from clast.dynamics.bodies.gains import expected, trust_in
from clast.dynamics.bodies.gather import gather_of, gather_wanted_of
from clast.dynamics.contacts.depth import STRIDE
from clast.dynamics.loops import FAST, STOP
from clast.dynamics.space.columns import (
    BODY,
    BOOK,
    FORCE,
    GAIN,
    GAIN_SPIN,
    GAINED,
    MOMENTUM,
    NONE,
    ON_I,
    ON_J,
    PULL,
    RADIUS,
    REACH,
    REFERENCE,
    SPIN,
    SUMS,
    THEN,
    TURN,
    VELOCITY,
    Gain,
    Vector,
    X,
    four,
    rotation_by,
    write_four,
    write_triple,
)  # fmt: skip
from clast.dynamics.space.motion import free_turn, moved_too_far, spin_of, turned_by_spin


class Total(NamedTuple):
    """What all pairs of a body do to it together."""

    force: Vector
    torque: Vector


class Kick(NamedTuple):
    """A velocity, a spin or an angular momentum before and after a kick, and that between the two which work is booked with."""

    old: Vector
    new: Vector
    work: Vector


NO_TOTAL = Total(NONE, NONE)


@device
def look_at_state(state):
    """What passes over bodies see of a state."""
    return SpaceState(
        bare(state.body), bare(state.momentum), bare(state.book), state.gear, bare(state.mid_step), bare(state.gain)
    )


# --- sums over pairs -----------------------------------------------------------------------------------------------------


gather_pull, gather_sums, gather_pushes = gather_of(SUMS, PULL), gather_of(SUMS, SUMS), gather_of(PULL, PULL)


@device
def total_of(mine, other, at):
    """What wrenches that begin at `at` do to a body: `mine` summed over pairs in which it comes first, `other` second."""
    return Total(
        minus(triple(mine, at + FORCE), triple(other, at + FORCE)), plus(triple(mine, at + ON_I), triple(other, at + ON_J))
    )


@device
def gather(b, lists, table):
    """Sum of the pair forces on body b; rows of `table` are those of Forces.pair, or begin with its viscous part."""
    mine, other = gather_pull(b, lists, table)
    return total_of(mine, other, 0)


@device
def gather_all(b, lists, table):
    """The same of what acts on body b, and of the viscous part of it."""
    mine, other = gather_sums(b, lists, table)
    return total_of(mine, other, 0), total_of(mine, other, PULL)


@device
def gather_work(b, lists, table):
    """The same of pushes without a potential: `table` is Forces.work."""
    mine, other = gather_pushes(b, lists, table)
    return total_of(mine, other, 0)


@device
def way_since(b, world):
    """How far body b has moved since the lists were made."""
    return minus(triple(world.state.body, BODY * b + X), triple(world.lists.reference, REFERENCE * b + X))


@device
def has_moved_too_far(b, way, world):
    """Whether body b has moved too far for the lists, `way` and its turn; a sphere may turn for ever."""
    body, then, at, row, alpha = world.state.body, world.lists.reference, REFERENCE * b, BODY * b, world.clock.alpha
    if then[at + REACH] == 0.0:
        return not dot(way, way) <= alpha * alpha
    return moved_too_far(way[0], way[1], way[2], four(body, row + TURN), four(then, at + THEN), then[at + REACH], alpha)


@device
def may_pass(b, velocity, world):
    """Whether body b moves so fast that it may pass through another unseen; the rule stands in `clast.dynamics.bodies.haste`.
    True for NaN."""
    body, row, clock = world.state.body, BODY * b, world.clock
    reach = world.lists.reference[REFERENCE * b + REACH]
    speed, turning = dot(velocity, velocity), 0.0
    if reach > 0.0:
        spin = triple(body, row + SPIN)
        turning = reach * reach * dot(spin, spin)
    if speed + turning <= clock.pace:
        return False
    slack = 0.5 * STRIDE * (body[row + RADIUS] + clock.thin) - clock.drift * math.sqrt(turning)
    return not (slack >= 0.0 and speed * (clock.drift * clock.drift) <= slack * slack)


@device
def marks_of_way(b, world):
    """Marks of body b: STOP where it has moved too far for the lists, and FAST where it may pass through another unseen."""
    if may_pass(b, triple(world.state.body, BODY * b + VELOCITY), world):
        return STOP | FAST
    return STOP if has_moved_too_far(b, way_since(b, world), world) else 0


# --- gains, for the balance of what opens or closes ----------------------------------------------------------------------


@device
def answering(b, impulse, world):
    """Spin that an angular impulse gives to body b, as contacts see it: through its principal frame."""
    rotation = rotation_by(four(world.state.body, BODY * b + TURN))
    return spin_of(rotation, turn_back(rotation, impulse), triple(world.model.contact_inverse_inertia, 3 * b))


@device
def gain_of_others(b, mine, sign, world):
    """What gravity and all pairs but one add to body b in this kick; `mine` is the wrench of that one, b its i (1) or j (−1)."""
    clock, model = world.clock, world.model
    whole = clock.dt if clock.spring_dt > 0.0 else 0.5 * clock.dt  # of the kick, of which past + future are wanted
    scale = whole / (clock.past + clock.future) if clock.past + clock.future > 0.0 else 0.0
    m, total = model.contact_inverse_mass[b], gather(b, world.lists, world.forces.pair)
    its_torque = mine.on_i if sign > 0.0 else mine.on_j
    velocity = times(m * scale, minus(total.force, times(sign, mine.force)))
    if m > 0.0:
        velocity = along(velocity, whole, triple(model.gravity, 0))
    return Gain(velocity, times(scale, answering(b, minus(total.torque, its_torque), world)))


@device
def gain_of(b, others, push, sign, world):
    """The whole gain of body b: `others`, what all other pairs and gravity add, and what the wrench `push` of its pair adds."""
    dt, m = world.clock.dt, world.model.contact_inverse_mass[b]
    its_torque = push.on_i if sign > 0.0 else push.on_j
    return Gain(along(others.velocity, sign * m * dt, push.force), along(others.spin, dt, answering(b, its_torque, world)))


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
def kicked(old, push, brake, fall, share):
    """Kick `old` by `push` and, free of the brake, by `fall`; the drag is taken at the mean of old and new.

    Work is booked with the velocity of the half step each half of the kick belongs to: `share` of it with the new one.
    """
    gain = 1.0 / (1.0 + brake)
    new = plus(times((1.0 - brake) * gain, old), times(gain, plus(push, fall)))
    return Kick(old, new, along(old, share, minus(new, old)))


@device
def has_equal_moments(inverse):
    """Whether a body answers torques about all axes alike (sphere, cube): then its spin will do, and nobody needs its frame."""
    return inverse[0] == inverse[1] and inverse[1] == inverse[2]


@device
def drift_place(b, velocity, world):
    """Drift body b at its new velocity."""
    body, row = world.state.body, BODY * b
    write_triple(body, row + X, along(triple(body, row + X), world.clock.drift, velocity))
    write_triple(body, row + VELOCITY, velocity)


@device
def drift_turn(b, momentum, rotation, inverse, world):
    """Turn body b; the spin left is the mean over the drift, or without a drift that of the momentum."""
    body, row, drift = world.state.body, BODY * b, world.clock.drift
    if drift > 0.0:
        q, momentum, spin = free_turn(four(body, row + TURN), momentum, inverse, drift)
        write_four(body, row + TURN, q)
    else:
        spin = spin_of(rotation, momentum, inverse)
    write_triple(body, row + SPIN, spin)
    write_triple(world.state.momentum, MOMENTUM * b, momentum)


@device
def turn_alike(b, torque, brake, inverse, world):
    """Kick the spin of a body with equal moments, and turn it; returns the spin that work is booked with, and the drag's heat."""
    clock, body, row = world.clock, world.state.body, BODY * b
    kick = kicked(triple(body, row + SPIN), times(inverse[0] * clock.dt, torque), brake, NONE, clock.share)
    write_four(body, row + TURN, turned_by_spin(four(body, row + TURN), kick.new, clock.drift))
    write_triple(body, row + SPIN, kick.new)
    return kick.work, brake * dot(plus(kick.old, kick.new), kick.work) / inverse[0]


@device
def turn_by_momentum(b, torque, brake, inverse, world):
    """The same for any body, by its momentum about its principal axes."""
    clock, rotation = world.clock, rotation_by(four(world.state.body, BODY * b + TURN))
    push = times(clock.dt, turn_back(rotation, torque))
    kick = kicked(triple(world.state.momentum, MOMENTUM * b), push, brake, NONE, clock.share)
    spun, work = plus(kick.old, kick.new), kick.work
    heat = spun[0] * work[0] * inverse[0] + spun[1] * work[1] * inverse[1] + spun[2] * work[2] * inverse[2]
    drift_turn(b, kick.new, rotation, inverse, world)
    return spin_of(rotation, work, inverse), brake * heat


@device
def expect_three(at, now, world):
    """Note what three components of a velocity will gain until the next forces, from what they gained in this step."""
    t = world.state.gain
    old = now if world.clock.first else triple(t, at + GAINED)
    trust = trust_in(dot(now, old), dot(now, now) + dot(old, old))
    for c in range(3):
        t[at + c] = expected(trust, now[c], old[c])
    write_triple(t, at + GAINED, now)


@device
def expect(b, before, spin_before, world):
    """Note what velocity and spin of body b will gain until the next forces; given are those before the present kick."""
    body, at, row, clock = world.state.body, GAIN * b, BODY * b, world.clock
    if clock.drift == 0.0:
        write_triple(world.state.gain, at, NONE)
        write_triple(world.state.gain, at + GAIN_SPIN, NONE)
    else:
        per = 1.0 / clock.kick
        expect_three(at, times(per, minus(triple(body, row + VELOCITY), before)), world)
        expect_three(at + GAIN_SPIN, times(per, minus(triple(body, row + SPIN), spin_before)), world)


def kick_and_drift_of(remembers: int, expecting: int, marks: Any) -> Any:
    """The pass `kick_and_drift(b, world)` of velocity Verlet. `remembers` 1 books what contacts lose, 2 also the work of what has
    no potential; `expecting` notes what dashpots will see; marks(b, world) are those of the way a body has moved."""

    gather_wanted = gather_wanted_of(remembers, gather_all, gather, NO_TOTAL)

    @device
    def book_losses(b, lossy, velocity, spin, world):
        """Book the work of dashpots, and of what has no potential, at these velocities."""
        book, at, dt = world.state.book, BOOK * b, world.clock.dt
        book[at + VISCOUS] -= dt * power(lossy, velocity, spin)
        if remembers > 1:
            book[at + WORK] -= dt * power(gather_work(b, world.lists, world.forces.work), velocity, spin)

    @device
    def kick_and_drift(b, world):
        """Kick, drift and turn body b; returns the marks of its way."""
        clock, model, inverse = world.clock, world.model, triple(world.model.inverse_inertia, 3 * b)
        total, lossy = gather_wanted(b, world)
        brake, fall = 0.5 * clock.drag * clock.kick * clock.dt, times(clock.kick * clock.dt, triple(model.gravity, 0))
        old, push = triple(world.state.body, BODY * b + VELOCITY), times(model.inverse_mass[b] * clock.dt, total.force)
        kick, turning = kicked(old, push, brake, fall, clock.share), triple(world.state.body, BODY * b + SPIN)
        if has_equal_moments(inverse):
            spin, heat = turn_alike(b, total.torque, brake, inverse, world)
        else:
            spin, heat = turn_by_momentum(b, total.torque, brake, inverse, world)
        if remembers:
            book_losses(b, lossy, kick.work, spin, world)
        if clock.drag > 0.0:
            heat += brake * dot(plus(kick.old, kick.new), kick.work) / model.inverse_mass[b]
            world.state.book[BOOK * b + DRAG] += heat
        drift_place(b, kick.new, world)
        if expecting:
            expect(b, kick.old, turning, world)
        return marks(b, world)

    return kick_and_drift
