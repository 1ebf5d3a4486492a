"""Kick, drift and turn of one body in the plane; what a body gathers from its pairs."""

import math
from typing import Any

from clast.algebra.plane import Vector, minus
from clast.backend.bare import bare
from clast.backend.device import device
from clast.dynamics.arrays import DRAG, VISCOUS, State
from clast.dynamics.bodies.gains import expected, trust_in
from clast.dynamics.bodies.gather import gather_of, gather_wanted_of
from clast.dynamics.contacts.depth import STRIDE
from clast.dynamics.loops import FAST, STOP
from clast.dynamics.plane.bonds import gather_bonds, sum_of, with_bonds
from clast.dynamics.plane.columns import (
    BODY,
    BOOK,
    COS,
    FX,
    FY,
    GAIN,
    GAINED,
    ON_I,
    ON_J,
    PULL,
    RADIUS,
    REACH,
    REFERENCE,
    SIN,
    SPIN,
    SUMS,
    VX,
    VY,
    Gain,
    Moved,
    X,
    Y,
    read_body,
)  # fmt: skip

NOTHING = (0.0, 0.0, 0.0)
SMALL_TURN = 0.05  # below this the Taylor series of a turn is exact to rounding


@device
def look_at_state(state):
    """What passes over bodies see of a state."""
    return State(
        bare(state.body),
        bare(state.angle),
        bare(state.book),
        state.gear,
        bare(state.mid_step),
        bare(state.gain),
        bare(state.bond),
    )


@device
def turned(cosine, sine, turn):
    """(cos, sin) after a turn; a short Taylor series, because libm costs more than the rest of the drift."""
    if math.fabs(turn) < SMALL_TURN:
        square = turn * turn
        c = 1.0 + square * (-0.5 + square * (1.0 / 24.0 - square * (1.0 / 720.0)))
        s = turn * (1.0 + square * (-1.0 / 6.0 + square * (1.0 / 120.0 - square * (1.0 / 5040.0))))
    else:
        c = math.cos(turn)
        s = math.sin(turn)
    return cosine * c - sine * s, sine * c + cosine * s


gather_pull, gather_sums = gather_of(SUMS, PULL), gather_of(SUMS, SUMS)


@device
def gather(b, lists, table):
    """Sum of the pair forces on body b: force x, y, torque. Rows of `table` begin with a wrench."""
    mine, other = gather_pull(b, lists, table)
    return mine[FX] - other[FX], mine[FY] - other[FY], mine[ON_I] + other[ON_J]


@device
def gather_all(b, lists, table):
    """The same of what acts on body b, and of the viscous part of it."""
    mine, other = gather_sums(b, lists, table)
    pull = mine[FX] - other[FX], mine[FY] - other[FY], mine[ON_I] + other[ON_J]
    return pull, (
        mine[PULL + FX] - other[PULL + FX], mine[PULL + FY] - other[PULL + FY], mine[PULL + ON_I] + other[PULL + ON_J]
    )  # fmt: skip


@device
def moved_too_far(dx, dy, turn, reach, alpha):
    """Whether a body may have moved any of its points by more than alpha since the lists were built; true for NaN."""
    slack = alpha - reach * math.fabs(turn)
    return not (slack >= 0.0 and dx * dx + dy * dy <= slack * slack)


@device
def read_moved(b, world):
    """Where body b is and how it moves, from the tables."""
    body, at = world.state.body, BODY * b
    return Moved(body[at + X], body[at + Y], world.state.angle[b], body[at + VX], body[at + VY], body[at + SPIN])


@device
def may_pass(vx, vy, turn, radius, clock):
    """Whether a body that moves so fast may pass through another unseen: `turn` is the velocity of its farthest point that turns
    by its spin. The rule stands in `clast.dynamics.bodies.haste`; true for NaN."""
    slack = 0.5 * STRIDE * (radius + clock.thin) - math.fabs(turn) * clock.drift
    return not (slack >= 0.0 and (vx * vx + vy * vy) * (clock.drift * clock.drift) <= slack * slack)


@device
def marks_of(far, vx, vy, turn, radius, clock):
    """STOP where a body has moved too far for the lists, and FAST where it may pass through another unseen. Nearly all bodies are
    so slow that one comparison shows it, with what passes have at hand."""
    slow = vx * vx + vy * vy + turn * turn <= clock.pace
    if slow & (not far):
        return 0
    return STOP | FAST if may_pass(vx, vy, turn, radius, clock) else STOP * far


@device
def marks_of_way(b, moved, world):
    """Marks of body b, which has moved so."""
    then, at = world.lists.reference, REFERENCE * b
    reach = then[at + REACH]
    far = moved_too_far(moved.x - then[at], moved.y - then[at + 1], moved.angle - then[at + 2], reach, world.clock.alpha)
    return marks_of(far, moved.vx, moved.vy, reach * moved.spin, world.state.body[BODY * b + RADIUS], world.clock)


@device
def gather_pairs(b, world):
    """What all pairs of body b do to it."""
    return gather(b, world.lists, world.forces.pair)


@device
def gather_pairs_and_bonds(b, world):
    """The same with its bonds."""
    bonded, _ = gather_bonds(b, world.bonds)
    return sum_of(gather(b, world.lists, world.forces.pair), bonded)


def gain_of_others_by(gather_on: Any) -> Any:
    """`gain_of_others(b, mine, sign, world)`, where gather_on(b, world) is all that acts on a body besides gravity."""

    @device
    def gain_of_others(b, mine, sign, world):
        """What gravity and all but one pair add to body b in this kick; `mine` is the wrench of that one, b its i (1) or
        j (−1)."""
        return gain_without(mine, sign, b, gather_on(b, world), world)

    return gain_of_others


@device
def gain_without(mine, sign, b, pull, world):
    """What gravity and `pull` without the wrench `mine` add to body b in this kick."""
    clock, model = world.clock, world.model
    whole = clock.dt if clock.spring_dt > 0.0 else 0.5 * clock.dt  # of the kick, of which past + future are wanted
    scale = whole / (clock.past + clock.future) if clock.past + clock.future > 0.0 else 0.0
    m, n = model.contact_inverse_mass[b], model.contact_inverse_inertia[b]
    fx, fy, torque = pull
    its_torque = mine.on_i if sign > 0.0 else mine.on_j
    fall = whole if m > 0.0 else 0.0
    return Gain(
        Vector(
            (fx - sign * mine.x) * m * scale + model.gravity[0] * fall, (fy - sign * mine.y) * m * scale + model.gravity[1] * fall
        ),
        (torque - its_torque) * n * scale,
    )  # fmt: skip


@device
def gain_of(b, others, push, sign, world):
    """The whole gain of body b: `others`, what all other pairs and gravity add, and what the wrench `push` of its pair adds."""
    dt, m, n = world.clock.dt, world.model.contact_inverse_mass[b], world.model.contact_inverse_inertia[b]
    its_torque = push.on_i if sign > 0.0 else push.on_j
    return Gain(
        Vector(others.velocity.x + sign * push.x * m * dt, others.velocity.y + sign * push.y * m * dt),
        others.spin + its_torque * n * dt,
    )  # fmt: skip


@device
def closing_gain(touch, side, gain_i, gain_j):
    """By how much a kick changes the closing speed of a contact."""
    a, b = (gain_i, gain_j) if side.sign > 0.0 else (gain_j, gain_i)
    n, v = touch.normal, minus(a.velocity, b.velocity)
    x = v.x - a.spin * touch.arm_a.y + b.spin * touch.arm_b.y
    y = v.y + a.spin * touch.arm_a.x - b.spin * touch.arm_b.x
    return x * n.x + y * n.y


@device
def expect(b, before, spin_before, world):
    """Note what velocity and spin of body b will gain until the next forces; given are those before the present kick."""
    t, body, at, row, clock = world.state.gain, world.state.body, GAIN * b, BODY * b, world.clock
    if clock.drift == 0.0:
        t[at], t[at + 1], t[at + 2] = 0.0, 0.0, 0.0
        return
    per = 1.0 / clock.kick
    x, y, w = per * (body[row + VX] - before.x), per * (body[row + VY] - before.y), per * (body[row + SPIN] - spin_before)
    old_x, old_y, old_w = (x, y, w) if clock.first else (t[at + GAINED], t[at + GAINED + 1], t[at + GAINED + 2])
    trust = trust_in(x * old_x + y * old_y, x * x + y * y + old_x * old_x + old_y * old_y)
    t[at], t[at + 1] = expected(trust, x, old_x), expected(trust, y, old_y)
    t[at + 2] = expected(trust_in(w * old_w, w * w + old_w * old_w), w, old_w)
    t[at + GAINED], t[at + GAINED + 1], t[at + GAINED + 2] = x, y, w


def kick_and_drift_of(remembers: bool, expecting: int, marks: Any, bonded: int) -> Any:
    """The pass `kick_and_drift(b, world)` of velocity Verlet; `remembers` books what contacts lose, `expecting` notes gains for
    dashpots; marks(b, moved, world) are those of the way a body has moved; `bonded` where there are bonds."""
    loses = remembers or bonded

    gather_contacts = gather_wanted_of(remembers, gather_all, gather, NOTHING)

    gather_wanted = with_bonds(gather_contacts) if bonded else gather_contacts

    @device
    def kick_and_drift(b, world):
        """Kick, drift and turn body b; returns the marks of its way.

        Work is booked with the velocity of the half step each half of the kick belongs to: clock.share of it with the new one.
        The drag −γmv, −γIω is taken at the mean of the old and the new velocity.
        """
        clock, model, old = world.clock, world.model, read_body(world.state, b)
        (fx, fy, torque), lossy = gather_wanted(b, world)
        braking = 0.5 * clock.drag * clock.kick * clock.dt
        gain = 1.0 / (1.0 + braking)
        keep = (1.0 - braking) * gain
        rate, fall, v, w = model.inverse_mass[b] * clock.dt, clock.kick * clock.dt, old.velocity, old.spin
        vx = keep * v.x + gain * (fx * rate + model.gravity[0] * fall)
        vy = keep * v.y + gain * (fy * rate + model.gravity[1] * fall)
        spin = keep * w + gain * (torque * (model.inverse_inertia[b] * clock.dt))
        work_x, work_y = v.x + clock.share * (vx - v.x), v.y + clock.share * (vy - v.y)
        work_spin = w + clock.share * (spin - w)
        if loses:
            work = lossy[0] * work_x + lossy[1] * work_y + lossy[2] * work_spin
            world.state.book[BOOK * b + VISCOUS] -= clock.dt * work
        if clock.drag > 0.0:
            shifted = ((v.x + vx) * work_x + (v.y + vy) * work_y) / model.inverse_mass[b]
            world.state.book[BOOK * b + DRAG] += braking * (shifted + (w + spin) * work_spin / model.inverse_inertia[b])
        moved = drift_body(b, vx, vy, spin, world)
        if expecting:
            expect(b, v, w, world)
        return marks(b, moved, world)

    return kick_and_drift


@device
def drift_body(b, vx, vy, spin, world):
    """Drift and turn body b at its new velocities; nobody needs the frame of a disk, whose skeleton has no reach."""
    body, at, clock = world.state.body, BODY * b, world.clock
    turn = spin * clock.drift
    now = Moved(body[at + X] + vx * clock.drift, body[at + Y] + vy * clock.drift, world.state.angle[b] + turn, vx, vy, spin)
    body[at + X], body[at + Y] = now.x, now.y
    if world.lists.reference[REFERENCE * b + REACH] > 0.0:
        if clock.resync:
            body[at + COS], body[at + SIN] = math.cos(now.angle), math.sin(now.angle)
        else:
            body[at + COS], body[at + SIN] = turned(body[at + COS], body[at + SIN], turn)
    body[at + VX], body[at + VY], body[at + SPIN] = vx, vy, spin
    world.state.angle[b] = now.angle
    return now
