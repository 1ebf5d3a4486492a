"""The passes of a time step by velocity Verlet, as loops over pairs and over bodies (EPL08 algorithm 1, GM09 algorithm 2).

    contact forces     pairs → force sums per pair           x at t_n, v at t_n − ½Δt
    kick and drift     bodies gather, kick, drift            v → t_n + ½Δt, x → t_n + Δt
    moved too far?     the host rebuilds the lists           before the next forces

The kick at t_n is the second half of the step before and the first half of the step after in one; an output finishes
only the first of these halves, on a copy. Both passes work on a range of pairs or bodies, so one thread runs them whole
and several run parts of them: the same sums in the same order. Tagged bodies come after the free ones
(`clast.dynamics.tagged`); Gear's method replaces the second pass (`clast.dynamics.gear`).
"""

import math

import numpy as np

from clast.backend.device import device
from clast.dynamics.forces import memory_width, pair_forces
from clast.dynamics.motion import LOSS, gather, gather_heat, moved_too_far, turned
from clast.dynamics.onset import onset_correction
from clast.dynamics.record import image_shift, present_cell, unsigned


@device
def contact_forces(
    meet, elastic, law, normal_energy, spring_energy, unpack, history, sized, extra, rolling, cohesive, cell, gear, own,
    low, high, geometry, model, state, contacts, forces, dt, spring_dt, past, future, onset,
):  # fmt: skip
    """Forces of the pairs low ≤ p < high. Returns the first pair whose skeletons nearly touch, or −1.

    `own` is the number of the law's own parameters: those of rolling and cohesion follow them in its row.
    """
    vertex, feature, following = geometry.vertex.reshape(-1), geometry.feature.reshape(-1), geometry.following
    pair, constant, candidate = (
        contacts.pair.reshape(-1),
        contacts.pair_constant.reshape(-1),
        contacts.candidate.reshape(-1),
    )
    spring, active = contacts.spring.reshape(-1), contacts.active
    body, table, inverse_radius = state.body.reshape(-1), model.law, model.inverse_radius
    out, loss = forces.pair.reshape(-1), forces.loss.reshape(-1)
    derivative = state.gear.reshape(-1)
    radius = 0.0
    beside = (0.0, 0.0, 0.0, 0.0)  # rolling stiffness and friction, strength and range of cohesion
    size, growth = present_cell(cell, model, body)
    image = contacts.image.reshape(-1)
    deep = np.int64(-1)
    for q in range(low, high):
        p = unsigned(q)
        row = np.uint64(constant[4 * p + 3])
        parameters = unpack(table, row)
        if sized:
            radius = 1.0 / (inverse_radius[np.int64(pair[4 * p])] + inverse_radius[np.int64(pair[4 * p + 1])])
        if rolling:
            beside = (table[row, own], table[row, own + 1], beside[2], beside[3])
        if cohesive:
            beside = (beside[0], beside[1], table[row, own + 2 * rolling], table[row, own + 2 * rolling + 1])
        shift = (constant[4 * p], constant[4 * p + 1], 0.0, 0.0)
        if cell:
            shift = image_shift(image[2 * p], image[2 * p + 1], size, growth)
        fx, fy, ti, tj, vx, vy, vi, vj, heat, rolled, lost, too_deep, refine = pair_forces(
            meet, elastic, law, spring_energy, history, extra, rolling, cohesive, cell, gear, p, pair, constant[4 * p + 2], shift,
            candidate, spring, active, body, derivative, vertex, feature, following, parameters, radius, beside,
            dt, spring_dt, past, future, onset,
        )  # fmt: skip
        forces.refine[p] = refine
        out[4 * p] = fx
        out[4 * p + 1] = fy
        out[4 * p + 2] = ti
        out[4 * p + 3] = tj
        if history:
            at = LOSS * p
            loss[at] = vx
            loss[at + 1] = vy
            loss[at + 2] = vi
            loss[at + 3] = vj
            loss[at + 4] = heat
            loss[at + 5] = rolled
            loss[at + 6] = lost
        if too_deep and deep < 0:
            deep = p
    return deep


@device
def refine_onsets(
    meet, elastic, law, normal_energy, unpack, history, sized, extra, rolling, cell, low, high,
    geometry, model, state, contacts, forces, dt, spring_dt, past, future,
):  # fmt: skip
    """Corrections of the pairs low ≤ p < high in which a contact may open or close, into forces.more.

    They need the forces of all pairs as `contact_forces` found them, and are added when all are known (`add_onsets`): so
    it does not matter in which order, or by how many threads.
    """
    vertex, feature = geometry.vertex.reshape(-1), geometry.feature.reshape(-1)
    pair, constant, candidate = (
        contacts.pair.reshape(-1),
        contacts.pair_constant.reshape(-1),
        contacts.candidate.reshape(-1),
    )
    first_pair, first_other, other = contacts.first_pair, contacts.first_other, contacts.other
    spring, body, out, more = (
        contacts.spring.reshape(-1),
        state.body.reshape(-1),
        forces.pair.reshape(-1),
        forces.more.reshape(-1),
    )
    inverse_mass, inverse_inertia, inverse_radius = (
        model.contact_inverse_mass,
        model.contact_inverse_inertia,
        model.inverse_radius,
    )
    image = contacts.image.reshape(-1)
    size, growth = present_cell(cell, model, body)
    whole = 1.0 if spring_dt > 0.0 else 0.5  # of the kick, of which past + future were asked for
    fall = whole * dt
    scale = whole * dt / (past + future) if past + future > 0.0 else 0.0
    radius = 0.0
    for q in range(low, high):
        if forces.refine[q] == 0:
            continue
        p = unsigned(q)
        i, j = np.int64(pair[4 * p]), np.int64(pair[4 * p + 1])
        if sized:
            radius = 1.0 / (inverse_radius[i] + inverse_radius[j])
        shift = (constant[4 * p], constant[4 * p + 1], 0.0, 0.0)
        if cell:
            shift = image_shift(image[2 * p], image[2 * p + 1], size, growth)
        m_i, m_j, n_i, n_j = inverse_mass[i], inverse_mass[j], inverse_inertia[i], inverse_inertia[j]
        fx, fy, ti, tj = out[4 * p], out[4 * p + 1], out[4 * p + 2], out[4 * p + 3]
        ix, iy, turn_i = gather(i, first_pair, first_other, other, out, 4)
        jx, jy, turn_j = gather(j, first_pair, first_other, other, out, 4)
        fall_i, fall_j = (fall if m_i > 0.0 else 0.0), (fall if m_j > 0.0 else 0.0)
        beside = (
            (ix - fx) * m_i * scale + model.gravity[0] * fall_i, (iy - fy) * m_i * scale + model.gravity[1] * fall_i,
            (turn_i - ti) * n_i * scale,
            (jx + fx) * m_j * scale + model.gravity[0] * fall_j, (jy + fy) * m_j * scale + model.gravity[1] * fall_j,
            (turn_j - tj) * n_j * scale,
        )  # fmt: skip
        more[4 * p], more[4 * p + 1], more[4 * p + 2], more[4 * p + 3] = onset_correction(
            meet, elastic, law, normal_energy, history, extra, memory_width(extra, rolling), p, pair,
            constant[4 * p + 2], shift, candidate, spring, body, vertex, feature,
            unpack(model.law, np.uint64(constant[4 * p + 3])), radius,
            (m_i, n_i, m_j, n_j), beside, dt, spring_dt, past, future,
        )  # fmt: skip


@device
def add_onsets(low, high, forces):
    """Add the corrections of the pairs low ≤ p < high to their forces."""
    out, more = forces.pair.reshape(-1), forces.more.reshape(-1)
    for q in range(low, high):
        if forces.refine[q] != 0:
            p = unsigned(q)
            for c in range(4):
                out[4 * p + c] += more[4 * p + c]


@device
def kick_and_drift(history, low, high, model, state, contacts, forces, dt, drift, kick, share, drag, alpha, resync):
    """Move the free bodies low ≤ b < high. `kick` is the part of Δt that gravity acts: 1, or ½ in the first step.
    `drift` is Δt, or 0 to finish a kick without moving. Work is booked with the velocity of the half step each half of
    the kick belongs to: `share` of it with the new one, ½ in general, 1 in the first step, 0 when finishing a kick.
    `drag` is the rate γ of a drag −γmv, −γIω, taken at the mean of the old and the new velocity.

    Returns whether a body has moved further than alpha since the lists were built.
    """
    body, angle, book = state.body.reshape(-1), state.angle, state.book.reshape(-1)
    first_pair, first_other, other = contacts.first_pair, contacts.first_other, contacts.other
    reference = contacts.reference.reshape(-1)
    inverse_mass, inverse_inertia = model.inverse_mass, model.inverse_inertia
    pair_force, loss = forces.pair.reshape(-1), forces.loss.reshape(-1)
    gravity_x = model.gravity[0] * (kick * dt)
    gravity_y = model.gravity[1] * (kick * dt)
    braking = 0.5 * drag * kick * dt
    gain = 1.0 / (1.0 + braking)
    keep = (1.0 - braking) * gain
    stale = False
    for q in range(low, high):
        b = unsigned(q)
        row = 8 * b
        fx, fy, torque = gather(b, first_pair, first_other, other, pair_force, 4)
        rate = inverse_mass[b] * dt
        old_vx, old_vy, old_spin = body[row + 4], body[row + 5], body[row + 6]
        vx = keep * old_vx + gain * (fx * rate + gravity_x)
        vy = keep * old_vy + gain * (fy * rate + gravity_y)
        spin = keep * old_spin + gain * (torque * (inverse_inertia[b] * dt))
        work_vx = old_vx + share * (vx - old_vx)
        work_vy = old_vy + share * (vy - old_vy)
        work_spin = old_spin + share * (spin - old_spin)
        if history:
            drag_x, drag_y, drag_torque = gather(b, first_pair, first_other, other, loss, LOSS)
            heat, rolled, lost = gather_heat(b, first_pair, loss)
            book[row] -= dt * (drag_x * work_vx + drag_y * work_vy + drag_torque * work_spin)
            book[row + 1] += heat
            book[row + 2] += lost
            book[row + 5] += rolled
        if drag > 0.0:
            book[row + 4] += braking * (
                ((old_vx + vx) * work_vx + (old_vy + vy) * work_vy) / inverse_mass[b]
                + (old_spin + spin) * work_spin / inverse_inertia[b]
            )
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
