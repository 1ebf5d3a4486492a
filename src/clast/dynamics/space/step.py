"""The first passes of a time step in space, as loops over pairs; see `clast.dynamics.step`, whose twins they are.

    contact forces     pairs → force sums per pair           x at t_n, v at t_n − ½Δt
    refine onsets      pairs of which a contact opens or closes, weighted so that energy balances

Then `clast.dynamics.space.drift` gathers, kicks and drifts.
"""

import numpy as np

from clast.backend.device import device
from clast.contact.vectors import along, minus, plus, times, triple
from clast.backend.device import unsigned
from clast.dynamics.space.arrays import CONSTANT, LOSS, PAIR, PULL, ROW
from clast.dynamics.space.forces import DEEP, body_rotation, memory_width, pair_forces
from clast.dynamics.space.motion import gather
from clast.dynamics.space.onset import answering, onset_correction
from clast.dynamics.space.record import NONE
from clast.dynamics.space.spheres import ball_forces, lone_contact, look_at, sphere_forces

OPEN_OR_CLOSE = -2  # instead of a pair: some onset has to be refined


@device
def contact_forces(
    elastic, law, normal_energy, spring_energy, unpack, history, extra, rolling, cohesive, gear, own,
    low, high, geometry, model, state, contacts, forces, dt, spring_dt, past, future, onset,
):  # fmt: skip
    """Forces of the pairs low ≤ p < high. Returns the first pair whose skeletons nearly touch, or OPEN_OR_CLOSE if a contact may
    open or close in this step, or −1.

    `own` is the number of the law's own parameters: those of rolling and cohesion follow them in its row.
    """
    feature, side, fan, corner = (
        geometry.feature.reshape(-1),
        geometry.side.reshape(-1),
        geometry.fan.reshape(-1),
        geometry.corner.reshape(-1),
    )
    pair, constant, candidate = (
        contacts.pair.reshape(-1),
        contacts.pair_constant.reshape(-1),
        contacts.candidate.reshape(-1),
    )
    spring, weight = contacts.spring.reshape(-1), contacts.weight
    body, table = state.body.reshape(-1), model.law
    out, loss = forces.pair.reshape(-1), forces.loss.reshape(-1)
    derivative = state.gear.reshape(-1)
    beside = (0.0, 0.0, 0.0, 0.0)  # rolling stiffness and friction, strength and range of cohesion
    deep = np.int64(-1)
    some = False
    seen = (0.0, 0.0, 0.0, NONE, NONE, NONE)
    for q in range(low - 1 if low < high else high, high):  # one earlier, to look at the first
        now = seen
        p = unsigned(min(q + 1, high - 1))
        if pair[PAIR * p + 5] != 0:
            seen = look_at(p, pair, triple(constant, CONSTANT * p), body)
        if q < low:
            continue
        p = unsigned(q)
        row = np.uint64(constant[CONSTANT * p + 4])
        if rolling:
            beside = (table[row, own], table[row, own + 1], beside[2], beside[3])
        if cohesive:
            beside = (beside[0], beside[1], table[row, own + 2 * rolling], table[row, own + 2 * rolling + 1])
        ball = False
        if pair[PAIR * p + 5] == 0 and geometry.round[model.shape[pair[PAIR * p]]] != 0:
            i, j = ROW * np.int64(pair[PAIR * p]), ROW * np.int64(pair[PAIR * p + 1])
            branch = plus(minus(triple(body, j), triple(body, i)), triple(constant, CONSTANT * p))
            reach = body[i + 3] + body[j + 3]
            found, k, square, count, way, bend, axis = lone_contact(
                history, p, pair, (reach + beside[3]) * (reach + beside[3]), branch, body_rotation(body, j), candidate, weight,
                feature, side, fan, corner,
            )  # fmt: skip
            # one that opens or closes has the spring looked after by the general way
            ball = found == 1 and count == 1.0 and square < reach * reach and not (history and weight[k] != 1.0)
        if ball:
            force, torque_i, torque_j, drag, drag_i, drag_j, heat, rolled, lost, too_deep, refine = ball_forces(
                elastic, law, history, extra, rolling, cohesive, gear, p, pair, k, square, way, bend, axis, branch,
                constant[CONSTANT * p + 3], spring, body, derivative, unpack(table, row), constant[CONSTANT * p + 5], beside,
                DEEP, dt, spring_dt, past, future, onset,
            )  # fmt: skip
        elif pair[PAIR * p + 5] != 0:
            force, torque_i, torque_j, drag, drag_i, drag_j, heat, rolled, lost, too_deep, refine = sphere_forces(
                elastic, law, spring_energy, history, extra, rolling, cohesive, gear, memory_width(extra, rolling), p, pair,
                now, constant[CONSTANT * p + 3], spring, weight, body, derivative,
                unpack(table, row), constant[CONSTANT * p + 5], beside, DEEP, dt, spring_dt, past, future, onset,
            )  # fmt: skip
        else:
            force, torque_i, torque_j, drag, drag_i, drag_j, heat, rolled, lost, too_deep, refine = pair_forces(
                elastic, law, normal_energy, spring_energy, history, extra, rolling, cohesive, gear, p, pair,
                constant[CONSTANT * p + 3], triple(constant, CONSTANT * p), candidate, spring, weight, body, derivative,
                feature, side, fan, corner, unpack(table, row), constant[CONSTANT * p + 5], beside,
                dt, spring_dt, past, future, onset,
            )  # fmt: skip
        forces.refine[p] = refine
        some |= refine
        write_three(out, PULL * p, force, torque_i, torque_j)
        if history:
            write_three(loss, LOSS * p, drag, drag_i, drag_j)
            loss[LOSS * p + 9] = heat
            loss[LOSS * p + 10] = rolled
            loss[LOSS * p + 11] = lost
        if too_deep and deep < 0:
            deep = p
    return deep if deep >= 0 or not some else np.int64(OPEN_OR_CLOSE)


@device
def write_three(table, at, one, two, three):
    """Three vectors into a flat table."""
    table[at], table[at + 1], table[at + 2] = one
    table[at + 3], table[at + 4], table[at + 5] = two
    table[at + 6], table[at + 7], table[at + 8] = three


@device
def other_gains(b, mine, turned, body, model, contacts, out, scale, fall):
    """What gravity and all pairs but one add to velocity and spin of body b in this kick: `mine`, `turned` are of that one.

    Also 1/m and 1/I of the body as contacts see them.
    """
    inverse = model.contact_inverse_mass[b]
    inertia = model.contact_inverse_inertia
    mobility = (inverse, inertia[b, 0], inertia[b, 1], inertia[b, 2])
    fx, fy, fz, tx, ty, tz = gather(b, contacts.first_pair, contacts.first_other, contacts.other, out, PULL)
    gain = times(inverse * scale, minus((fx, fy, fz), mine))
    if inverse > 0.0:
        gain = along(gain, fall, (model.gravity[0], model.gravity[1], model.gravity[2]))
    spun = times(scale, answering(body_rotation(body, ROW * b), mobility, minus((tx, ty, tz), turned)))
    return gain, spun, mobility


@device
def refine_onsets(
    elastic, law, normal_energy, unpack, history, extra, rolling, low, high,
    geometry, model, state, contacts, forces, dt, spring_dt, past, future,
):  # fmt: skip
    """Corrections of the pairs low ≤ p < high in which a contact may open or close, into forces.more.

    They need the forces of all pairs as `contact_forces` found them, and are added when all are known (`add_onsets`): so
    it does not matter in which order, or by how many threads.
    """
    feature, side, fan, corner = (
        geometry.feature.reshape(-1),
        geometry.side.reshape(-1),
        geometry.fan.reshape(-1),
        geometry.corner.reshape(-1),
    )
    pair, constant, candidate = (
        contacts.pair.reshape(-1),
        contacts.pair_constant.reshape(-1),
        contacts.candidate.reshape(-1),
    )
    spring, body, out, more = (
        contacts.spring.reshape(-1),
        state.body.reshape(-1),
        forces.pair.reshape(-1),
        forces.more.reshape(-1),
    )
    whole = 1.0 if spring_dt > 0.0 else 0.5  # of the kick, of which past + future were asked for
    fall = whole * dt
    scale = whole * dt / (past + future) if past + future > 0.0 else 0.0
    for q in range(low, high):
        if forces.refine[q] == 0:
            continue
        p = unsigned(q)
        i, j = np.int64(pair[PAIR * p]), np.int64(pair[PAIR * p + 1])
        at = PULL * p
        force = triple(out, at)
        gain_i, spun_i, mobility_i = other_gains(i, force, triple(out, at + 3), body, model, contacts, out, scale, fall)
        back = times(-1.0, force)
        gain_j, spun_j, mobility_j = other_gains(j, back, triple(out, at + 6), body, model, contacts, out, scale, fall)
        push, turn_i, turn_j = onset_correction(
            elastic, law, normal_energy, history, extra, memory_width(extra, rolling), p, pair,
            constant[CONSTANT * p + 3], triple(constant, CONSTANT * p), candidate, spring, body, feature, side, fan, corner,
            unpack(model.law, np.uint64(constant[CONSTANT * p + 4])), constant[CONSTANT * p + 5],
            mobility_i, mobility_j, (gain_i, spun_i, gain_j, spun_j), dt, spring_dt, past, future,
        )  # fmt: skip
        write_three(more, at, push, turn_i, turn_j)


@device
def add_onsets(low, high, forces):
    """Add the corrections of the pairs low ≤ p < high to their forces."""
    out, more = forces.pair.reshape(-1), forces.more.reshape(-1)
    for q in range(low, high):
        if forces.refine[q] != 0:
            p = unsigned(q)
            for c in range(PULL):
                out[PULL * p + c] += more[PULL * p + c]
