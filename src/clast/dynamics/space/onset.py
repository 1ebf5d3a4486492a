"""Steps in which a contact opens or closes, in space: twin of `clast.dynamics.onset`, where the reasoning stands."""

import numpy as np

from clast.backend.device import device
from clast.contact.vectors import along, between, cross, dot, is_some, minus, plus, times, transposed, triple, turn, turn_back
from clast.dynamics.onset import TURNS, balanced_parts, parts_in_contact
from clast.dynamics.space.arrays import PAIR, ROW, SPIN, VELOCITY
from clast.dynamics.space.forces import body_rotation
from clast.dynamics.space.record import NONE, carried, contact_record, in_plane, tangents, touch_apart
from clast.laws.law import Contact, Memory


@device
def answering(rotation, mobility, torque):
    """Gain of spin by a torque: through the principal frame, with one over the principal moments."""
    inside = turn_back(rotation, torque)
    return turn(rotation, (mobility[1] * inside[0], mobility[2] * inside[1], mobility[3] * inside[2]))


@device
def onset_correction(
    elastic, law, normal_energy, history, extra, width, p, pair, reduced_mass, shift, candidate, spring, body,
    feature, side, fan, corner, parameters, radius, mobility_i, mobility_j, beside, dt, spring_dt, past, future,
):  # fmt: skip
    """What balanced parts add to the sums of pair p, over those of `parts_in_contact`: force on i, torques on i and j.

    `mobility` is 1/m and the three 1/I of a body, 0 where it is held, and `beside` what gravity and all other pairs add to the
    velocity and spin of i and of j in this kick (four vectors).
    """
    whole_past = 0.5 if spring_dt > 0.0 else 0.0  # the first step has no step before it
    i, j = ROW * np.int64(pair[PAIR * p]), ROW * np.int64(pair[PAIR * p + 1])
    cuts = (
        np.int64(pair[PAIR * p + 2]), np.int64(pair[PAIR * p + 3]), np.int64(pair[PAIR * p + 4]), np.int64(pair[PAIR * p + 8])
    )  # fmt: skip
    rotation_i, rotation_j = body_rotation(body, i), body_rotation(body, j)
    branch = plus(minus(triple(body, j), triple(body, i)), shift)
    relative = between(rotation_j, rotation_i)
    reach = body[i + 3] + body[j + 3]
    push = turn_i = turn_j = NONE  # impulse of the whole kick over Δt
    more = more_i = more_j = NONE
    for _ in range(TURNS):
        gain_i, gain_j = along(beside[0], mobility_i[0] * dt, push), along(beside[2], -mobility_j[0] * dt, push)
        spun_i = along(beside[1], dt, answering(rotation_i, mobility_i, turn_i))
        spun_j = along(beside[3], dt, answering(rotation_j, mobility_j, turn_j))
        push = turn_i = turn_j = NONE
        more = more_i = more_j = NONE
        for section in range(3):
            if cuts[section] == cuts[section + 1]:
                continue
            if section != 1:
                a, b, sign, rotation_a, rotation_b, turned, way = i, j, 1.0, rotation_i, rotation_j, relative, branch
                a_gain, a_spun, b_gain, b_spun = gain_i, spun_i, gain_j, spun_j
            else:
                a, b, sign, rotation_a, rotation_b = j, i, -1.0, rotation_j, rotation_i
                turned, way = transposed(relative), times(-1.0, branch)
                a_gain, a_spun, b_gain, b_spun = gain_j, spun_j, gain_i, spun_i
            place = times(-1.0, turn_back(rotation_b, way))
            spin_a, spin_b = triple(body, a + SPIN), triple(body, b + SPIN)
            for k in range(cuts[section], cuts[section + 1]):
                square, count, q, arm, _, _, _, twist = touch_apart(
                    section, candidate[2 * k], candidate[2 * k + 1], reach * reach, rotation_a, rotation_b, turned, place,
                    feature, side, fan, corner,
                )  # fmt: skip
                if count == 0.0 or square >= reach * reach:
                    continue
                depth, normal, offset, _, closing, speed = contact_record(
                    q, square, reach, body[a + 3], arm, way,
                    triple(body, a + VELOCITY), spin_a, triple(body, b + VELOCITY), spin_b,
                )  # fmt: skip
                gained = minus(plus(a_gain, cross(a_spun, arm)), plus(b_gain, cross(b_spun, minus(arm, way))))
                after = closing + dot(gained, normal)
                force = elastic(parameters, depth, radius)
                stored = normal_energy(parameters, depth, radius)
                viscous = 0.0
                shear = drag = NONE
                if history and count > 0.0:
                    one, two = tangents(normal)
                    sliding = in_plane(along(speed, offset, cross(minus(spin_a, spin_b), normal)), normal)
                    kept = carried(triple(spring, width * k), normal, 0.0)
                    answer = law(
                        parameters, Contact(depth, closing, dot(sliding, one), dot(sliding, two), reduced_mass, radius),
                        Memory(dot(kept, one), dot(kept, two), spring[width * k + 3] if extra else 0.0), 0.0,
                    )  # fmt: skip
                    viscous = count * answer.viscous
                    shear = along(times(count * answer.shear_u, one), count * answer.shear_w, two)
                    drag = along(times(count * answer.drag_u, one), count * answer.drag_w, two)
                rough_past, rough_future = parts_in_contact(depth, closing, dt, 1.0)
                # a contact may just touch, with no depth and no force left after rounding
                ratio = 2.0 * stored / (force * dt) if force > 0.0 else 0.0
                past_part, future_part, both = balanced_parts(depth, ratio, closing, after, dt)
                if both:
                    past_part, future_part = rough_past, rough_future
                whole = whole_past * past_part + 0.5 * future_part
                lever = along(arm, offset, normal)
                sprung = along(shear, -count * force, normal)  # what is weighted
                lossy = along(drag, -viscous, normal)
                on_a = along(times(whole, sprung), whole_past + 0.5, lossy)
                change = past * (past_part - rough_past) + future * (future_part - rough_future)
                add_a = times(change, sprung)
                a_turn, b_turn = cross(lever, on_a), cross(on_a, minus(lever, way))
                a_more, b_more = cross(lever, add_a), cross(add_a, minus(lever, way))
                if is_some(twist):
                    a_turn, b_turn = along(a_turn, whole * stored, twist), along(b_turn, -whole * stored, twist)
                    a_more, b_more = along(a_more, change * stored, twist), along(b_more, -change * stored, twist)
                push, more = along(push, sign, on_a), along(more, sign, add_a)
                if section == 1:
                    a_turn, b_turn, a_more, b_more = b_turn, a_turn, b_more, a_more
                turn_i, turn_j = plus(turn_i, a_turn), plus(turn_j, b_turn)
                more_i, more_j = plus(more_i, a_more), plus(more_j, b_more)
    return more, more_i, more_j
