"""A body with tags in space; what is imposed on one component of its place stands in `clast.dynamics.bodies.tagged`.

A rotation is prescribed whole or free whole. A body led at a constant spin turns about it: its spin and momentum, seen from
the body, stay what they are, so that all the work is done at the kicks, where the spin changes.
"""

from types import SimpleNamespace
from typing import Any, NamedTuple

from clast.algebra.space import along, dot, minus, plus, times, triple, turn, turn_back
from clast.backend.bare import onwards
from clast.backend.device import device
from clast.dynamics.arrays import DRAG, TAG_WORK, VISCOUS, WORK
from clast.dynamics.bodies.tagged import Drive, move_by_gear, move_by_verlet, push_on_of
from clast.dynamics.space.columns import (
    BODY,
    BOOK,
    MOMENTUM,
    PULL,
    SPIN,
    TURN,
    VELOCITY,
    Quaternion,
    Vector,
    four,
    rotation_by,
)  # fmt: skip
from clast.dynamics.space.kicks import expect, gather, gather_work
from clast.dynamics.space.motion import free_turn, turned_by_spin
from clast.dynamics.space.predicting import TURNING, correct_turn, keep_mid_step, predict_turn, put_turn, spin_in_body

COMPONENTS, TURNS = 6, 3  # of what is imposed; x, y, z first, then the turns about them
LOAD, NUMBER = 8, 3  # numbers of a row of Tags.load and of Tags.load_number
push_on = push_on_of(COMPONENTS, LOAD)


class Turned(NamedTuple):
    """A body after it has turned."""

    quaternion: Quaternion
    momentum: Vector  # in its frame
    spin: Vector  # in the world
    travel: Vector  # the angle along which torques work
    work: float  # of the agent
    dragged: float  # heat of the drag


# --- what is imposed -----------------------------------------------------------------------------------------------------


@device
def present_gap(k, which, world):
    """Gap number `which` of load k, 0 where walls have passed each other; nobody bounds a period, which is its own gap."""
    tags, body, at = world.tags, world.state.body, LOAD * k + 2 + 3 * which
    gap = tags.load_number[NUMBER * k + 1 + which]
    a, b, axis = tags.load[at], tags.load[at + 1], tags.load[at + 2]
    if b >= 0:
        gap += body[BODY * b + axis]
    if a >= 0:
        gap -= body[BODY * a + axis]
    return max(gap, 0.0)


@device
def note_pressures(world):
    """Force of each load on the product of its two gaps, into tags.push; one thread, before any body moves."""
    tags = world.tags
    first = 2 * COMPONENTS * tags.dragged.size
    for k in range(tags.push.size):
        area = present_gap(k, 0, world) * present_gap(k, 1, world)
        tags.push[k] = tags.load_number[NUMBER * k] * tags.program[world.clock.row, first + k] * area


@device
def torque_on(r, world):
    """Prescribed torque on tagged row r; pressures turn nothing."""
    program, row, at = world.tags.program, world.clock.row, 2 * COMPONENTS * r + COMPONENTS + TURNS
    return program[row, at], program[row, at + 1], program[row, at + 2]


@device
def spin_for(r, world):
    """Prescribed spin of tagged row r."""
    program, row, at = world.tags.program, world.clock.row, 2 * COMPONENTS * r + TURNS
    return program[row, at], program[row, at + 1], program[row, at + 2]


@device
def drag_on(r, world):
    """Rate of the drag of tagged row r: walls have none."""
    return world.clock.drag if world.tags.dragged[r] else 0.0


@device
def drive_of(b, c, force, world):
    """What acts on component c of the place of body b."""
    tags, r = world.tags, b - world.clock.free
    weight = 1.0 / world.model.inverse_mass[b]
    return Drive(
        tags.imposed[COMPONENTS * r + c] != 0, tags.program[world.clock.row, 2 * COMPONENTS * r + c], push_on(r, c, world),
        weight, weight * world.model.gravity[c], tags.dashpot[3 * r + c], drag_on(r, world), force,
    )  # fmt: skip


@device
def inertia_of(b, world):
    """Moments of body b about its principal axes."""
    inverse = triple(world.model.inverse_inertia, 3 * b)
    return 1.0 / inverse[0], 1.0 / inverse[1], 1.0 / inverse[2]


# --- turns by Verlet -----------------------------------------------------------------------------------------------------


@device
def lead_by_verlet(b, torque, world):
    """Turn body b at its prescribed spin. The agent supplies the change of I ω that the contacts' torque does not, and works at
    the spin of the kick.
    """
    clock, body, row, inertia = world.clock, world.state.body, BODY * b, inertia_of(b, world)
    q, old, aim = four(body, row + TURN), triple(body, row + SPIN), spin_for(b - clock.free, world)
    rotation = rotation_by(q)
    new = along(old, clock.kick / clock.whole, minus(aim, old))
    mean = along(old, clock.share, minus(new, old))
    before = spin_in_body(turn_back(rotation, old), inertia)
    momentum = spin_in_body(turn_back(rotation, new), inertia)
    work = dot(minus(momentum, before), turn_back(rotation, mean)) - clock.dt * dot(torque, mean)
    return Turned(turned_by_spin(q, aim, clock.drift), momentum, new, times(clock.dt, mean), work, 0.0)


@device
def push_by_verlet(b, torque, world):
    """Turn body b under torques."""
    clock, inverse, r = world.clock, triple(world.model.inverse_inertia, 3 * b), b - world.clock.free
    q, old, push = four(world.state.body, BODY * b + TURN), triple(world.state.momentum, MOMENTUM * b), torque_on(r, world)
    rotation, braking = rotation_by(q), 0.5 * clock.kick * clock.dt * drag_on(r, world)
    pull = times(clock.dt, turn_back(rotation, along(torque, clock.kick, push)))
    new = times(1.0 / (1.0 + braking), plus(times(1.0 - braking, old), pull))
    mean = spin_in_body(along(old, clock.share, minus(new, old)), inverse)
    at_kick = turn(rotation, mean)
    work, dragged = clock.kick * clock.dt * dot(push, at_kick), braking * dot(plus(old, new), mean)
    if clock.drift > 0.0:
        q, new, spin = free_turn(q, new, inverse, clock.drift)
    else:
        spin = turn(rotation, spin_in_body(new, inverse))
    return Turned(q, new, spin, times(clock.dt, at_kick), work, dragged)


# --- turns by Gear -------------------------------------------------------------------------------------------------------


@device
def forget_turn(b, grown, gear):
    """Set the derivatives of a prescribed rotation to 0, and keep by how much the spin has grown within half a step."""
    last = gear.shape[2] - 1
    for c in range(TURNING, gear.shape[1]):
        for k in range(gear.shape[2]):
            gear[b, c, k] = 0.0
    gear[b, 0, last], gear[b, 1, last], gear[b, 2, last] = grown


@device
def lead_by_gear(b, torque, world):
    """Turn body b at its prescribed spin: that of the state is of t_n, that of the program of t_n + Δt."""
    clock, body, row, inertia = world.clock, world.state.body, BODY * b, inertia_of(b, world)
    q, old = four(body, row + TURN), triple(body, row + SPIN)
    aim = spin_for(b - clock.free, world) if clock.drift != 0.0 else old
    seen = turn_back(rotation_by(q), old)
    q = turned_by_spin(q, times(0.5, plus(old, aim)), clock.drift)
    aim_seen = turn_back(rotation_by(q), aim)
    momentum = spin_in_body(aim_seen, inertia)
    grown = 0.5 * (dot(momentum, aim_seen) - dot(spin_in_body(seen, inertia), seen))
    work = grown - clock.kick * clock.dt * dot(torque, old)
    forget_turn(b, times(0.5, minus(aim, old)), world.state.gear)
    return Turned(q, momentum, aim, times(clock.kick * clock.dt, old), work, 0.0)


def push_by_gear(order: int) -> Any:
    """`push(b, torque, world)`: turn body b under torques by Gear's method of this order."""

    @device
    def push(b, torque, world):
        clock, state, r = world.clock, world.state, b - world.clock.free
        push, gamma = torque_on(r, world), drag_on(r, world)
        spun = turn(rotation_by(four(state.body, BODY * b + TURN)), triple(state.momentum, MOMENTUM * b))
        now = correct_turn(order, b, along(plus(torque, push), -gamma, spun), world)
        spin = turn(rotation_by(now.quaternion), now.spin)
        work, travel = clock.kick * clock.dt * dot(push, spin), times(clock.kick * clock.dt, spin)
        dragged = clock.kick * clock.dt * gamma * dot(now.momentum, now.spin)
        if clock.drift > 0.0:
            now = predict_turn(order, b, now, world)
            spin = turn(rotation_by(now.quaternion), now.spin)
        return Turned(now.quaternion, now.momentum, spin, travel, work, dragged)

    return push


# --- the pass ------------------------------------------------------------------------------------------------------------


def move_tagged_of(choice: SimpleNamespace, move_cell: Any, marks: Any) -> Any:
    """The pass `move_tagged(b, world)` for an integrator and laws that lose nothing (0), something (1), or work as well (2).

    move_cell   the pass over the last of these bodies where the periodic cell moves, else None
    marks       of the way a body has moved: marks(b, world)
    """
    gear, remembers, expecting = choice.gear, choice.remembers, choice.expecting
    move = move_by_gear(gear) if gear else move_by_verlet
    lead_turn, push_turn = (lead_by_gear, push_by_gear(gear)) if gear else (lead_by_verlet, push_by_verlet)

    @device
    def move_place(b, c, force, world):
        """Move component c of the place of body b; returns the way that forces of contacts work along."""
        body, book, at, entry = world.state.body, world.state.book, BODY * b + c, BOOK * b
        moved = move(b, c, body[at + VELOCITY], body[at], drive_of(b, c, force, world), world)
        book[entry + TAG_WORK] += moved.work
        book[entry + VISCOUS] += moved.damped
        book[entry + DRAG] += moved.dragged
        body[at], body[at + VELOCITY] = moved.place, moved.velocity
        return moved.travel

    @device
    def turn_body(b, torque, world):
        """Turn body b; returns the angle that torques of contacts work along."""
        book, entry = world.state.book, BOOK * b
        if world.tags.imposed[COMPONENTS * (b - world.clock.free) + TURNS] != 0:
            turned = lead_turn(b, torque, world)
        else:
            turned = push_turn(b, torque, world)
        book[entry + TAG_WORK] += turned.work
        book[entry + DRAG] += turned.dragged
        put_turn(b, turned.quaternion, turned.momentum, turned.spin, world)
        return turned.travel

    @device
    def book_losses(b, way, angle, world):
        """Book the work of dashpots, and of what has no potential, along way and angle."""
        book, lists, entry = world.state.book, world.lists, BOOK * b
        lossy = gather(b, lists, onwards(world.forces.pair, PULL))
        book[entry + VISCOUS] -= dot(lossy.force, way) + dot(lossy.torque, angle)
        if remembers > 1:
            pushed = gather_work(b, lists, world.forces.work)
            book[entry + WORK] -= dot(pushed.force, way) + dot(pushed.torque, angle)

    @device
    def move_tagged(b, world):
        """Move body b; returns the marks of its way."""
        total, body = gather(b, world.lists, world.forces.pair), world.state.body
        old, turning = triple(body, BODY * b + VELOCITY), triple(body, BODY * b + SPIN)
        x = move_place(b, 0, total.force[0], world)
        y = move_place(b, 1, total.force[1], world)
        z = move_place(b, 2, total.force[2], world)
        angle = turn_body(b, total.torque, world)
        if remembers:
            book_losses(b, (x, y, z), angle, world)
        if gear:
            keep_mid_step(b, world)
        if expecting:
            expect(b, old, turning, world)
        return marks(b, world)

    @device
    def move_one(b, world):
        """The same, and the cell."""
        return move_cell(b, world) if b == world.model.cell[0] else move_tagged(b, world)

    return move_one if move_cell is not None else move_tagged
