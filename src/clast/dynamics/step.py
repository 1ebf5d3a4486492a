"""The two passes of a time step, as loops over pairs and over bodies.

    contact forces     pairs → force sums per pair           x at t_n, v at t_n − ½Δt
    kick and drift     bodies gather, kick, drift            v → t_n + ½Δt, x → t_n + Δt
    moved too far?     the host rebuilds the lists           before the next forces

Both passes work on a range of pairs or bodies, so one thread runs them whole and several run parts of them: the same
sums in the same order.
"""

import math

import numpy as np

from clast.backend.device import device
from clast.dynamics.forces import pair_forces, unsigned
from clast.dynamics.motion import gather, gather_heat, moved_too_far, turned


@device
def contact_forces(
    meet, force, history, unpack, tangential_energy, low, high,
    geometry, model, state, contacts, forces, dt, spring_dt, past, future, onset,
):  # fmt: skip
    """Forces of the pairs low ≤ p < high. Returns the first pair whose skeletons nearly touch, or −1."""
    vertex, feature, following = geometry.vertex.reshape(-1), geometry.feature.reshape(-1), geometry.following
    pair, constant, candidate = (
        contacts.pair.reshape(-1),
        contacts.pair_constant.reshape(-1),
        contacts.candidate.reshape(-1),
    )
    spring, active = contacts.spring, contacts.active
    body, table = state.body.reshape(-1), model.law
    out, loss = forces.pair.reshape(-1), forces.loss.reshape(-1)
    deep = np.int64(-1)
    for q in range(low, high):
        p = unsigned(q)
        parameters = unpack(table, np.uint64(constant[4 * p + 3]))
        fx, fy, ti, tj, vx, vy, vi, vj, heat, lost, too_deep = pair_forces(
            meet, force, history, p, pair, constant, candidate, spring, active, body, vertex, feature, following, parameters,
            tangential_energy, dt, spring_dt, past, future, onset,
        )  # fmt: skip
        out[4 * p] = fx
        out[4 * p + 1] = fy
        out[4 * p + 2] = ti
        out[4 * p + 3] = tj
        if history:
            loss[6 * p] = vx
            loss[6 * p + 1] = vy
            loss[6 * p + 2] = vi
            loss[6 * p + 3] = vj
            loss[6 * p + 4] = heat
            loss[6 * p + 5] = lost
        if too_deep and deep < 0:
            deep = p
    return deep


@device
def kick_and_drift(history, low, high, model, state, contacts, forces, dt, drift, kick, share, alpha, resync):
    """Move the free bodies low ≤ b < high. `kick` is the part of Δt that gravity acts: 1, or ½ in the first step.
    `drift` is Δt, or 0 to finish a kick without moving. Work is booked with the velocity of the half step each half of
    the kick belongs to: `share` of it with the new one, ½ in general, 1 in the first step, 0 when finishing a kick.

    Returns whether a body has moved further than alpha since the lists were built.
    """
    body, angle, book = state.body.reshape(-1), state.angle, state.book.reshape(-1)
    first_pair, first_other, other = contacts.first_pair, contacts.first_other, contacts.other
    reference = contacts.reference.reshape(-1)
    inverse_mass, inverse_inertia = model.inverse_mass, model.inverse_inertia
    pair_force, loss = forces.pair.reshape(-1), forces.loss.reshape(-1)
    gravity_x = model.gravity[0] * (kick * dt)
    gravity_y = model.gravity[1] * (kick * dt)
    stale = False
    for q in range(low, high):
        b = unsigned(q)
        row = 8 * b
        fx, fy, torque = gather(b, first_pair, first_other, other, pair_force, 4)
        rate = inverse_mass[b] * dt
        old_vx, old_vy, old_spin = body[row + 4], body[row + 5], body[row + 6]
        vx = old_vx + (fx * rate + gravity_x)
        vy = old_vy + (fy * rate + gravity_y)
        spin = old_spin + torque * (inverse_inertia[b] * dt)
        if history:
            drag_x, drag_y, drag_torque = gather(b, first_pair, first_other, other, loss, 6)
            heat, lost = gather_heat(b, first_pair, loss)
            book[4 * b] -= dt * (
                drag_x * (old_vx + share * (vx - old_vx))
                + drag_y * (old_vy + share * (vy - old_vy))
                + drag_torque * (old_spin + share * (spin - old_spin))
            )
            book[4 * b + 1] += heat
            book[4 * b + 2] += lost
        x = body[row] + vx * drift
        y = body[row + 1] + vy * drift
        turn = spin * drift
        now = angle[b] + turn
        if resync:
            cosine, sine = math.cos(now), math.sin(now)
        else:
            cosine, sine = turned(body[row + 2], body[row + 3], turn)
        body[row] = x
        body[row + 1] = y
        body[row + 2] = cosine
        body[row + 3] = sine
        body[row + 4] = vx
        body[row + 5] = vy
        body[row + 6] = spin
        angle[b] = now
        if moved_too_far(x - reference[4 * b], y - reference[4 * b + 1], now - reference[4 * b + 2], reference[4 * b + 3], alpha):
            stale = True
    return stale


@device
def kick_and_drift_tagged(history, free, moving, model, state, contacts, forces, tags, dt, drift, kick, share, alpha, resync):
    """The same for bodies with tags: prescribed velocities stay, prescribed forces act, and their work is booked.

    A prescribed velocity needs the force −(contacts + gravity): its work is what the agent does. One thread, id order.
    """
    body, angle, book = state.body, state.angle, state.book
    first_pair, first_other, other, reference = (
        contacts.first_pair,
        contacts.first_other,
        contacts.other,
        contacts.reference,
    )
    pair_force, loss = forces.pair.reshape(-1), forces.loss.reshape(-1)
    stale = False
    for b in range(free, moving):
        row = b - free
        fx, fy, torque = gather(b, first_pair, first_other, other, pair_force, 4)
        work = 0.0
        old_vx, old_vy, old_spin = body[b, 4], body[b, 5], body[b, 6]
        mass = 0.0
        if model.inverse_mass[b] > 0.0:
            mass = 1.0 / model.inverse_mass[b]
        if tags.imposed[row, 0]:
            vx = tags.velocity[row, 0]
            work -= (fx + kick * mass * model.gravity[0]) * vx * dt
        else:
            push = kick * tags.force[row, 0]
            vx = old_vx + (fx + push) * (model.inverse_mass[b] * dt) + kick * model.gravity[0] * dt
            work += push * (old_vx + share * (vx - old_vx)) * dt
        if tags.imposed[row, 1]:
            vy = tags.velocity[row, 1]
            work -= (fy + kick * mass * model.gravity[1]) * vy * dt
        else:
            push = kick * tags.force[row, 1]
            vy = old_vy + (fy + push) * (model.inverse_mass[b] * dt) + kick * model.gravity[1] * dt
            work += push * (old_vy + share * (vy - old_vy)) * dt
        if tags.imposed[row, 2]:
            spin = tags.velocity[row, 2]
            work -= torque * spin * dt
        else:
            push = kick * tags.force[row, 2]
            spin = old_spin + (torque + push) * (model.inverse_inertia[b] * dt)
            work += push * (old_spin + share * (spin - old_spin)) * dt
        book[b, 3] += work
        if history:
            drag_x, drag_y, drag_torque = gather(b, first_pair, first_other, other, loss, 6)
            heat, lost = gather_heat(b, first_pair, loss)
            book[b, 0] -= dt * (
                drag_x * (old_vx + share * (vx - old_vx))
                + drag_y * (old_vy + share * (vy - old_vy))
                + drag_torque * (old_spin + share * (spin - old_spin))
            )
            book[b, 1] += heat
            book[b, 2] += lost
        body[b, 0] += vx * drift
        body[b, 1] += vy * drift
        turn = spin * drift
        angle[b] += turn
        if resync:
            body[b, 2], body[b, 3] = math.cos(angle[b]), math.sin(angle[b])
        else:
            body[b, 2], body[b, 3] = turned(body[b, 2], body[b, 3], turn)
        body[b, 4] = vx
        body[b, 5] = vy
        body[b, 6] = spin
        if moved_too_far(
            body[b, 0] - reference[b, 0],
            body[b, 1] - reference[b, 1],
            angle[b] - reference[b, 2],
            reference[b, 3],
            alpha,
        ):
            stale = True
    return stale
