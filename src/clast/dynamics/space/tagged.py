"""Bodies with tags in space (GM09 §2.5, model §6); twin of `clast.dynamics.tagged`, without a cell that moves.

Places go component by component as in the plane. A rotation is prescribed whole or free whole. A body led at a constant spin
turns about it: its spin and momentum, seen from the body, stay what they are, so that all the work is done at the kicks,
where the spin changes. One thread, id order.
"""

from clast.backend.device import device, routine
from clast.contact.vectors import along, dot, minus, plus, rotation_of, times, triple, turn, turn_back
from clast.dynamics.arrays import WORK
from clast.dynamics.gear import C0_VELOCITY, corrected, predicted
from clast.dynamics.space.arrays import LOSS, PULL, SPIN, TURN, VELOCITY
from clast.dynamics.space.gear import correct_turn, predict_turn, spin_in_body
from clast.dynamics.space.motion import free_turn, gather, gather_heat, moved_too_far, turned_by_spin
from clast.dynamics.tagged import present_drag, program_row  # noqa: F401  (re-exported: rows know no dimension)


@device
def present_gap(tags, k, which, body):
    """Gap number `which` of load k, 0 where walls have passed each other; nobody bounds a period, which is its own gap."""
    gap = tags.load_number[k, 1 + which]
    a, b, axis = tags.load[k, 2 + 3 * which], tags.load[k, 3 + 3 * which], tags.load[k, 4 + 3 * which]
    if b >= 0:
        gap += body[b, axis]
    if a >= 0:
        gap -= body[a, axis]
    return max(gap, 0.0)


@device
def gather_pushes(tags, row, state):
    """Forces, torques and pressures of this step into tags.push; a pressure acts on the product of its two gaps."""
    push, program = tags.push, tags.program
    for r in range(push.shape[0]):
        for c in range(6):
            push[r, c] = program[row, 12 * r + 6 + c]
    first = 12 * push.shape[0]
    for k in range(tags.load.shape[0]):
        area = present_gap(tags, k, 0, state.body) * present_gap(tags, k, 1, state.body)
        push[tags.load[k, 0], tags.load[k, 1]] += tags.load_number[k, 0] * program[row, first + k] * area


@device
def move_place(
    order, b, r, c, force, gamma, model, state, tags, row, dt, drift, kick, whole, share
):  # fmt: skip
    """Move one component of the place of body b; `force` of its contacts along it. Returns the way that forces work along."""
    body, book, gear = state.body, state.book, state.gear
    mass = 1.0 / model.inverse_mass[b]
    gravity = mass * model.gravity[c]
    slow = tags.dashpot[r, c]  # dashpot of a wall
    old, place = body[b, VELOCITY + c], body[b, c]
    if tags.imposed[r, c] and order != 0:  # `old` is the velocity of t_n, the program that of t_n + Δt
        new = tags.program[row, 12 * r + c] if drift > 0.0 else old
        book[b, 3] += 0.5 * mass * (new * new - old * old) - kick * (force + gravity) * old * dt
        travel = kick * old * dt
        place += 0.5 * (old + new) * drift
        for k in range(1, order - 1):
            gear[b, c, k] = 0.0
        gear[b, c, 0] = 0.5 * (new - old) * dt  # by so much the velocity has grown in half a step: springs ask
    elif tags.imposed[r, c]:
        aim = tags.program[row, 12 * r + c]
        new = old + kick / whole * (aim - old)
        mean = old + share * (new - old)
        book[b, 3] += (mass * (new - old) - (force + kick * gravity) * dt) * mean
        travel = dt * mean
        place += aim * drift
    elif order == 0:
        push = kick * tags.push[r, c]
        braking = 0.5 * kick * dt * (slow / mass + gamma)
        new = ((1.0 - braking) * old + (force + push + kick * gravity) * (dt / mass)) / (1.0 + braking)
        mean = old + share * (new - old)
        book[b, 3] += push * mean * dt
        book[b, 0] += 0.5 * kick * dt * slow * (old + new) * mean
        book[b, 4] += 0.5 * kick * dt * gamma * mass * (old + new) * mean
        travel = dt * mean
        place += new * drift
    else:
        pace = (force + tags.push[r, c] + gravity - (slow + gamma * mass) * old) * (0.5 * dt * dt / mass)
        place, way = corrected(order, C0_VELOCITY[order - 4], place, old * dt, gear, b, c, pace, whole < 1.0)
        book[b, 3] += kick * tags.push[r, c] * way
        book[b, 0] += kick * slow * way * way / dt
        book[b, 4] += kick * gamma * mass * way * way / dt
        travel = kick * way
        if drift > 0.0:
            place, way = predicted(order, place, way, gear, b, c)
        new = way / dt
    body[b, VELOCITY + c] = new
    body[b, c] = place
    return travel


@device
def lead_turn(order, b, r, torque, model, state, tags, row, dt, drift, kick, whole, share):
    """Turn body b at its prescribed spin (in the world).

    Returns quaternion, momentum in the body frame, spin in the world, and the angle that torques work along. The agent supplies
    the change of I ω that the contacts' torque does not, and works at the spin of the kick.
    """
    body, book, gear = state.body, state.book, state.gear
    q = (body[b, TURN], body[b, TURN + 1], body[b, TURN + 2], body[b, TURN + 3])
    rotation = rotation_of(q[0], q[1], q[2], q[3])
    inertia = (1.0 / model.inverse_inertia[b, 0], 1.0 / model.inverse_inertia[b, 1], 1.0 / model.inverse_inertia[b, 2])
    old = triple(body[b], SPIN)
    aim = triple(tags.program[row], 12 * r + 3)
    old_momentum = spin_in_body(turn_back(rotation, old), inertia)
    if order != 0:  # `old` is the spin of t_n, the program that of t_n + Δt
        if drift == 0.0:
            aim = old
        mean = times(0.5, plus(old, aim))
        q = turned_by_spin(q, mean, drift)
        aim_seen = turn_back(rotation_of(q[0], q[1], q[2], q[3]), aim)
        momentum = spin_in_body(aim_seen, inertia)
        grown = 0.5 * (dot(momentum, aim_seen) - dot(old_momentum, turn_back(rotation, old)))
        book[b, 3] += grown - kick * dt * dot(torque, old)
        for c in range(3, gear.shape[1]):
            for k in range(order):
                gear[b, c, k] = 0.0
        for c in range(3):
            gear[b, c, order - 1] = 0.5 * (aim[c] - old[c])  # by so much the spin has grown in half a step
        return q, momentum, aim, times(kick * dt, old)
    new = along(old, kick / whole, minus(aim, old))
    mean = along(old, share, minus(new, old))
    momentum = spin_in_body(turn_back(rotation, new), inertia)
    book[b, 3] += dot(minus(momentum, old_momentum), turn_back(rotation, mean)) - dt * dot(torque, mean)
    return turned_by_spin(q, aim, drift), momentum, new, times(dt, mean)


@device
def push_turn(order, b, r, torque, gamma, model, state, tags, dt, drift, kick, whole, share):
    """Turn body b under torques; returns as `lead_turn` does."""
    body, book, gear = state.body, state.book, state.gear
    q = (body[b, TURN], body[b, TURN + 1], body[b, TURN + 2], body[b, TURN + 3])
    rotation = rotation_of(q[0], q[1], q[2], q[3])
    inverse = triple(model.inverse_inertia[b], 0)
    old = triple(state.momentum[b], 0)
    push = triple(tags.push[r], 3)
    if order == 0:
        braking = 0.5 * kick * dt * gamma
        pull = times(dt, turn_back(rotation, along(torque, kick, push)))
        new = times(1.0 / (1.0 + braking), plus(times(1.0 - braking, old), pull))
        mean = spin_in_body(along(old, share, minus(new, old)), inverse)
        world = turn(rotation, mean)
        book[b, 3] += kick * dt * dot(push, world)
        book[b, 4] += braking * dot(plus(old, new), mean)
        travel = times(dt, world)
        if drift > 0.0:
            q, new, world = free_turn(q, new, inverse, drift)
        else:
            world = turn(rotation, spin_in_body(new, inverse))
        return q, new, world, travel
    torques = along(plus(torque, push), -gamma, turn(rotation, old))
    q, new, spin = correct_turn(order, gear, b, q, old, inverse, torques, dt, whole < 1.0)
    world = turn(rotation_of(q[0], q[1], q[2], q[3]), spin)
    book[b, 3] += kick * dt * dot(push, world)
    book[b, 4] += kick * dt * gamma * dot(new, spin)
    travel = times(kick * dt, world)
    if drift > 0.0:
        q, new, spin = predict_turn(order, gear, b, q, new, inverse, dt)
        world = turn(rotation_of(q[0], q[1], q[2], q[3]), spin)
    return q, new, world, travel


@routine
def move_tagged(
    order, history, free, moving, model, state, contacts, forces, tags, row, dt, drift, kick, whole, share, alpha
):  # fmt: skip
    """Move the bodies free ≤ b < moving; see `kick_and_drift` for `drift`, `kick`, `share`. `whole` is the kick of the
    running step, of which an output (drift = 0) does the part `kick`. `order` 0 is Verlet, 4 and 5 are Gear's. `history` 2 also
    books the work of what has no potential.
    """
    body, momenta, book = state.body, state.momentum, state.book
    first_pair, first_other, other, reference = contacts.first_pair, contacts.first_other, contacts.other, contacts.reference
    pair_force, loss, work = forces.pair.reshape(-1), forces.loss.reshape(-1), forces.work.reshape(-1)
    gather_pushes(tags, row, state)
    drag_rate = present_drag(tags, row)
    stale = False
    for b in range(free, moving):
        r = b - free
        fx, fy, fz, tx, ty, tz = gather(b, first_pair, first_other, other, pair_force, PULL)
        lx = ly = lz = mx = my = mz = 0.0
        if history:
            lx, ly, lz, mx, my, mz = gather(b, first_pair, first_other, other, loss, LOSS)
            heat, rolled, lost = gather_heat(b, first_pair, loss)
            book[b, 1] += heat
            book[b, 2] += lost
            book[b, 5] += rolled
        gamma = drag_rate if tags.dragged[r] else 0.0
        force, torque = (fx, fy, fz), (tx, ty, tz)
        lossy, lossy_torque = (lx, ly, lz), (mx, my, mz)
        x = move_place(order, b, r, 0, force[0], gamma, model, state, tags, row, dt, drift, kick, whole, share)
        y = move_place(order, b, r, 1, force[1], gamma, model, state, tags, row, dt, drift, kick, whole, share)
        z = move_place(order, b, r, 2, force[2], gamma, model, state, tags, row, dt, drift, kick, whole, share)
        if tags.imposed[r, 3]:
            q, momentum, spin, angle = lead_turn(order, b, r, torque, model, state, tags, row, dt, drift, kick, whole, share)
        else:
            q, momentum, spin, angle = push_turn(order, b, r, torque, gamma, model, state, tags, dt, drift, kick, whole, share)
        if history:
            book[b, 0] -= dot(lossy, (x, y, z)) + dot(lossy_torque, angle)
        if history > 1:
            px, py, pz, sx, sy, sz = gather(b, first_pair, first_other, other, work, PULL)
            book[b, WORK] -= dot((px, py, pz), (x, y, z)) + dot((sx, sy, sz), angle)
        for c in range(4):
            body[b, TURN + c] = q[c]
        for c in range(3):
            momenta[b, c] = momentum[c]
            body[b, SPIN + c] = spin[c]
        if moved_too_far(
            body[b, 0] - reference[b, 0], body[b, 1] - reference[b, 1], body[b, 2] - reference[b, 2],
            q, (reference[b, 4], reference[b, 5], reference[b, 6], reference[b, 7]), reference[b, 3], alpha,
        ):  # fmt: skip
            stale = True
    return stale
