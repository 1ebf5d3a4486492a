"""Steps in which a contact opens or closes: how much of their kick counts (model §6).

The elastic force has a kink at δ = 0. A kick at t_n is one half for the step before and one half for the step after; where
the contact closed during the step before, or will open during the step after, only a part w of that half is given. With
linear springs Verlet conserves energy exactly between such steps, so w can be chosen to close the balance: the work of the
weighted kick on the mean of the velocities before and after it must be the energy U stored at t_n,

    closing   w = 2 (e + c₊)/(c₋ + c₊) − 1        opening   w = 2 (e − c₋)/(−c₋ − c₊) − 1        e = 2U/(F Δt)

c₋, c₊ being the closing speeds before and after the kick. To lowest order that is w = δ/(|c|Δt), the part of the step
spent in contact: with it the forces of all pairs are found first. c₊ depends on all contacts of the pair, so it is then
found by a few turns of iteration, for the pairs that need it, with the other pairs of the two bodies as they were found
first: in a dense sample these push as hard as the pair itself, and leaving them out would eat energy in every step.
"""

import math

import numpy as np

from clast.backend.device import device
from clast.dynamics.record import carry, contact_record, probe_arms
from clast.laws.law import Contact, Memory

BELOW = 2.0  # ways of one step: a contact deeper than this neither closed in the last step nor opens in the next
TURNS = 4  # of the iteration; each gains a factor (ωΔt)²


@device
def parts_in_contact(depth, closing_speed, dt, onset):
    """Parts of the step before and of the step after that a touching contact spends in contact, to lowest order.

    The tangential spring has had only that part of the step before to grow. `onset` = 0 switches this off.
    """
    travel = math.fabs(closing_speed) * dt
    if depth >= travel:
        return 1.0, 1.0
    part = 1.0 - onset * (1.0 - depth / travel)
    if closing_speed > 0.0:
        return part, 1.0
    return 1.0, part


@device
def last_part(depth, closing_speed, dt, onset):
    """Part of the step just past that a contact lasted which now has opened: depth ≤ 0, the gap; closing_speed < 0."""
    travel = math.fabs(closing_speed) * dt
    return 1.0 + onset * max(depth / travel, -1.0) if travel > 0.0 else 1.0


@device
def balanced_parts(depth, stored, before, after, dt):
    """The same parts so that energy balances: `stored` = 2U/(FΔt), closing speeds `before` and `after` the kick."""
    closes = before > 0.0 and depth < before * dt
    opens = after < 0.0 and depth < -after * dt
    if closes == opens or before + after == 0.0:
        return 1.0, 1.0, closes and opens
    part = 2.0 * (stored + (after if closes else -before)) / math.fabs(before + after) - 1.0
    part = min(max(part, 0.0), 1.0)
    return (part, 1.0, False) if closes else (1.0, part, False)


@device
def onset_correction(
    meet, elastic, law, normal_energy, history, extra, width, p, pair, reduced_mass, shift, candidate, spring, body,
    vertex, feature, parameters, radius, mobility, beside, dt, spring_dt, past, future,
):  # fmt: skip
    """What balanced parts add to the sums of pair p, over those of `parts_in_contact`: force on i, torques on i and j.

    `mobility` is 1/m and 1/I of i and of j, 0 where they are held, and `beside` what gravity and all other pairs add to
    their velocities and spins in this kick: x, y, spin of i, then of j. The whole kick of the step decides about c₊,
    whatever part of it (`past`, `future`) is asked for: an output finds the same parts as the run.
    """
    whole_past = 0.5 if spring_dt > 0.0 else 0.0  # the first step has no step before it
    i, j = 8 * np.int64(pair[4 * p]), 8 * np.int64(pair[4 * p + 1])
    first, middle, last = np.int64(pair[4 * p + 2]), np.int64(pair[4 * p + 3]), np.int64(pair[4 * p + 6])
    reach = body[i + 7] + body[j + 7]
    branch_x = body[j] - body[i] + shift[0]
    branch_y = body[j + 1] - body[i + 1] + shift[1]
    push_x = push_y = turn_i = turn_j = 0.0  # impulse of the whole kick over Δt
    more_x = more_y = more_i = more_j = 0.0
    for _ in range(TURNS):
        gain_ix, gain_iy = beside[0] + push_x * mobility[0] * dt, beside[1] + push_y * mobility[0] * dt
        gain_jx, gain_jy = beside[3] - push_x * mobility[2] * dt, beside[4] - push_y * mobility[2] * dt
        gain_i, gain_j = beside[2] + turn_i * mobility[1] * dt, beside[5] + turn_j * mobility[3] * dt
        push_x = push_y = turn_i = turn_j = 0.0
        more_x = more_y = more_i = more_j = 0.0
        for side in range(2):
            a, b, sign = (i, j, 1.0) if side == 0 else (j, i, -1.0)
            begin, end = (first, middle) if side == 0 else (middle, last)
            dx, dy = sign * branch_x, sign * branch_y
            a_cos, a_sin, b_cos, b_sin = body[a + 2], body[a + 3], body[b + 2], body[b + 3]
            cosine, sine = a_cos * b_cos + a_sin * b_sin, a_sin * b_cos - a_cos * b_sin
            shift_x, shift_y = -(b_cos * dx + b_sin * dy), -(b_cos * dy - b_sin * dx)
            a_gain, b_gain = (gain_i, gain_j) if side == 0 else (gain_j, gain_i)
            a_vx, a_vy, b_vx, b_vy = body[a + 4], body[a + 5], body[b + 4], body[b + 5]
            if side == 0:
                b_vx, b_vy = b_vx + shift[2], b_vy + shift[3]
            else:
                a_vx, a_vy = a_vx + shift[2], a_vy + shift[3]
            ab_x, ab_y = sign * (gain_ix - gain_jx), sign * (gain_iy - gain_jy)
            for k in range(begin, end):
                v, f = 2 * np.int64(candidate[2 * k]), 8 * np.int64(candidate[2 * k + 1])
                x, y = carry(vertex[v], vertex[v + 1], cosine, sine, shift_x, shift_y)
                count, qx, qy, _ = meet(
                    x, y, feature[f], feature[f + 1], feature[f + 2], feature[f + 3],
                    feature[f + 4], feature[f + 5], feature[f + 6], feature[f + 7],
                )  # fmt: skip
                square = qx * qx + qy * qy
                if count == 0.0 or square >= reach * reach:
                    continue
                a_x, a_y, b_x, b_y = probe_arms(vertex[v], vertex[v + 1], a_cos, a_sin, dx, dy)
                depth, nx, ny, offset, _, closing, across = contact_record(
                    qx, qy, square, reach, body[a + 7], b_cos, b_sin, a_x, a_y, b_x, b_y,
                    a_vx, a_vy, body[a + 6], b_vx, b_vy, body[b + 6],
                )  # fmt: skip
                after = closing + (ab_x - a_gain * a_y + b_gain * b_y) * nx + (ab_y + a_gain * a_x - b_gain * b_x) * ny
                push = elastic(parameters, depth, radius)
                viscous = shear = drag = 0.0
                if history and count > 0.0:
                    second = spring[width * k + 1] if extra else 0.0
                    sliding = across + (body[a + 6] - body[b + 6]) * offset
                    answer = law(
                        parameters, Contact(depth, closing, sliding, 0.0, reduced_mass, radius),
                        Memory(spring[width * k], 0.0, second), 0.0,
                    )  # fmt: skip
                    viscous, shear, drag = answer.viscous, answer.shear_u, answer.drag_u
                rough_past, rough_future = parts_in_contact(depth, closing, dt, 1.0)
                # a contact may just touch, with no depth and no force left after rounding
                stored = 2.0 * normal_energy(parameters, depth, radius) / (push * dt) if push > 0.0 else 0.0
                past_part, future_part, both = balanced_parts(depth, stored, closing, after, dt)
                if both:
                    past_part, future_part = rough_past, rough_future
                whole = whole_past * past_part + 0.5 * future_part
                along = -(count * push * whole + viscous * (whole_past + 0.5))
                across_force = shear * whole + drag * (whole_past + 0.5)
                fx, fy = along * nx - across_force * ny, along * ny + across_force * nx
                a_turn = a_x * fy - a_y * fx + offset * across_force
                b_turn = b_y * fx - b_x * fy - offset * across_force
                push_x += sign * fx
                push_y += sign * fy
                change = past * (past_part - rough_past) + future * (future_part - rough_future)
                gx = change * (-count * push * nx - shear * ny)
                gy = change * (-count * push * ny + shear * nx)
                a_more = a_x * gy - a_y * gx + offset * change * shear
                b_more = b_y * gx - b_x * gy - offset * change * shear
                more_x += sign * gx
                more_y += sign * gy
                if side == 0:
                    turn_i += a_turn
                    turn_j += b_turn
                    more_i += a_more
                    more_j += b_more
                else:
                    turn_i += b_turn
                    turn_j += a_turn
                    more_i += b_more
                    more_j += a_more
    return more_x, more_y, more_i, more_j
