"""Contact forces of a pair in space: geometry → contact record → law → force and torque on both bodies (GM09 eq 13).

One relative rotation per pair carries the listed features of one body into the frame of the other. A contact that counts w
is w contacts in one place: w multiplies all that the law answers. Where w changes from step to step (edges that become
parallel fade) the spring is stretched so that its energy stays; the fade of the normal energy has its own torque.
"""

import math

import numpy as np

from clast.backend.device import device, routine
from clast.contact.spheropolyhedron import NOWHERE
from clast.contact.vectors import (
    along,
    between,
    cross,
    dot,
    is_some,
    minus,
    plus,
    rotation_of,
    times,
    transposed,
    triple,
    turn_back,
)
from clast.dynamics.onset import BELOW, last_part, parts_in_contact
from clast.backend.device import unsigned
from clast.dynamics.space.arrays import PAIR, ROW, SPIN, TURN, VELOCITY
from clast.dynamics.space.record import (
    GRAPH,
    NONE,
    carried,
    contact_record,
    in_plane,
    place_of,
    sliding_velocity,
    tangents,
    touch,
    touch_apart,
)
from clast.dynamics.space.spheres import growth
from clast.laws.cohesion import pull, pull_energy
from clast.laws.law import Contact, Memory
from clast.laws.rolling import rolling_energy, rolling_torque

DEEP = 0.1  # of the sum of sphero-radii: skeletons nearer than this end the run, the normal is about to lose meaning


@device
def memory_width(extra, rolling):
    """Numbers a contact remembers: the tangential spring, perhaps one more, perhaps the angle of rolling, in this order."""
    return 3 + extra + 3 * rolling


@device
def body_rotation(body, row):
    """Rotation of a body, from its quaternion."""
    return rotation_of(body[row + TURN], body[row + TURN + 1], body[row + TURN + 2], body[row + TURN + 3])


@device
def same_family(section, first, other_section, other_first):
    """Whether a spring may pass between two candidates: features met by one vertex, or parts of the edges of both bodies."""
    one, other = section == 2 or np.int64(first) >= GRAPH, other_section == 2 or np.int64(other_first) >= GRAPH
    return (one and other) or (not one and not other and section == other_section and first == other_first)


@routine
def heir(
    k, section, cuts, candidate, weight, reach_squared, rotation_i, rotation_j, relative, branch, feature, side, fan, corner,
    opening,
):  # fmt: skip
    """Find the other end of a spring that changes hands where features adjoin; −1 where there is none. Rare.

    A contact k that opens takes over from a later candidate of its family that closes in this step; one that closes gives to
    a later one that opens. Earlier candidates have looked at k themselves. Of several the nearest, within the spheres.
    """
    in_j, in_i = times(-1.0, turn_back(rotation_j, branch)), turn_back(rotation_i, branch)
    backward = transposed(relative)
    here = NONE
    if section != 1:
        here = place_of(section, candidate[2 * k], candidate[2 * k + 1], relative, in_j, feature)
    else:
        here = place_of(section, candidate[2 * k], candidate[2 * k + 1], backward, in_i, feature)
    best = np.int64(-1)
    nearest = 0.25 * reach_squared
    for other_section in range(section, 3):
        for other in range(max(k + 1, cuts[other_section]), cuts[other_section + 1]):
            first, second = candidate[2 * other], candidate[2 * other + 1]
            if not same_family(section, candidate[2 * k], other_section, first):
                continue
            was = weight[other] > 0.0
            if was != opening:
                continue
            if other_section != 1:
                rotation_a, rotation_b, turned, shift = rotation_i, rotation_j, relative, in_j
            else:
                rotation_a, rotation_b, turned, shift = rotation_j, rotation_i, backward, in_i
            square, count, _, _, _, _, _, _ = touch_apart(
                other_section, first, second, reach_squared, rotation_a, rotation_b, turned, shift, feature, side, fan, corner
            )
            if (count > 0.0 and square < reach_squared) == opening:
                continue
            there = place_of(other_section, first, second, turned, shift, feature)
            if (other_section == 1) != (section == 1):  # both in one frame
                there = in_other_frame(there, other_section == 1, relative, in_j)
            way = minus(there, here)
            if dot(way, way) < nearest:
                nearest = dot(way, way)
                best = np.int64(other)
    return best


@device
def hand_over(giver, taker, turned_round, extra, width, spring):
    """Give a spring away. In the second section the bodies change their parts, and with them the sign of what they slide."""
    for n in range(width):
        value = spring[width * giver + n]
        spring[width * taker + n] = -value if turned_round and not (extra and n == 3) else value
        spring[width * giver + n] = 0.0


@device
def in_other_frame(x, from_i, relative, in_j):
    """A point of i's frame in j's, or the other way round."""
    if from_i:
        return plus(in_j, (
            relative[0] * x[0] + relative[1] * x[1] + relative[2] * x[2],
            relative[3] * x[0] + relative[4] * x[1] + relative[5] * x[2],
            relative[6] * x[0] + relative[7] * x[1] + relative[8] * x[2],
        ))  # fmt: skip
    return turn_back(relative, minus(x, in_j))


@device
def pair_forces(
    elastic, law, normal_energy, spring_energy, history, extra, rolling, cohesive, gear, p, pair, reduced_mass, shift,
    candidate, spring, weight, body, derivative, feature, side, fan, corner, parameters, radius, beside,
    dt, spring_dt, past, future, onset,
):  # fmt: skip
    """Sum the contacts of pair p. The arrays come flattened: a table's row length is then known when compiling.

    Returns force on i, torque on i, torque on j, the viscous part of these, heat of sliding, of rolling, energy of lost
    springs, whether skeletons nearly touch, and whether a contact may open or close in this step.
    """
    roll_stiffness, roll_friction, strength, gap_range = beside
    i, j = ROW * np.int64(pair[PAIR * p]), ROW * np.int64(pair[PAIR * p + 1])
    cuts = (
        np.int64(pair[PAIR * p + 2]), np.int64(pair[PAIR * p + 3]), np.int64(pair[PAIR * p + 4]), np.int64(pair[PAIR * p + 8])
    )  # fmt: skip
    branch = plus(minus(triple(body, j), triple(body, i)), shift)  # from i to j's image
    rotation_i, rotation_j = body_rotation(body, i), body_rotation(body, j)
    relative = between(rotation_j, rotation_i)
    in_j, in_i = times(-1.0, turn_back(rotation_j, branch)), turn_back(rotation_i, branch)
    reach = body[i + 3] + body[j + 3]
    reach_squared = reach * reach
    near_squared = (reach + gap_range) * (reach + gap_range) if cohesive else reach_squared
    width = memory_width(extra, rolling)
    kick = past + future

    force = torque_i = torque_j = NONE
    drag_force = drag_i = drag_j = NONE
    heat = rolled = lost = 0.0
    closest = 4.0 * reach_squared
    opens_or_closes = False

    for section in range(3):
        begin, end = cuts[section], cuts[section + 1]
        if begin == end:
            continue
        # features of a against those of b; b's frame is the frame
        if section != 1:
            a, b, sign, rotation_a, rotation_b, turned, place, way = i, j, 1.0, rotation_i, rotation_j, relative, in_j, branch
        else:
            a, b, sign, rotation_a, rotation_b = j, i, -1.0, rotation_j, rotation_i
            turned, place, way = transposed(relative), in_i, times(-1.0, branch)
        velocity_a, spin_a = triple(body, a + VELOCITY), triple(body, a + SPIN)
        velocity_b, spin_b = triple(body, b + VELOCITY), triple(body, b + SPIN)
        for c in range(begin, end):
            k = unsigned(c)
            m = width * k
            square, count, q, arm, bend, axis, own_axis, twist = touch(
                section, candidate[2 * k], candidate[2 * k + 1], near_squared, rotation_a, rotation_b, turned, place,
                feature, side, fan, corner,
            )  # fmt: skip
            touching = count != 0.0 and square < reach_squared
            if history:
                was, now = weight[k], (count if touching else 0.0)
                if now < 0.0:
                    now = 0.0
                if was != now:
                    if was == 0.0:
                        for n in range(width):
                            spring[m + n] = 0.0
                        giver = heir(
                            k, section, cuts, candidate, weight, reach_squared, rotation_i, rotation_j, relative, branch,
                            feature, side, fan, corner, True,
                        )  # fmt: skip
                        if giver >= 0:
                            was = weight[giver]
                            weight[giver] = 0.0
                            hand_over(giver, k, (section == 1) != (cuts[1] <= giver < cuts[2]), extra, width, spring)
                    elif now == 0.0:
                        taker = heir(
                            k, section, cuts, candidate, weight, reach_squared, rotation_i, rotation_j, relative, branch,
                            feature, side, fan, corner, False,
                        )  # fmt: skip
                        if taker >= 0:
                            weight[taker] = was
                            hand_over(k, taker, (section == 1) != (cuts[1] <= taker < cuts[2]), extra, width, spring)
                        else:
                            second = spring[m + 3] if extra else 0.0
                            stretched = triple(spring, m)
                            turn_angle = triple(spring, m + width - 3) if rolling else NONE
                            wide, still, ray, lever, _, _, _, _ = touch_apart(  # where it is now, beyond touching
                                section, candidate[2 * k], candidate[2 * k + 1], 4.0 * reach_squared, rotation_a, rotation_b,
                                turned, place, feature, side, fan, corner,
                            )  # fmt: skip
                            if still != 0.0 and wide < NOWHERE:  # the last kick's half for this step has still worked against it
                                gap, normal, offset, _, closing, speed = contact_record(
                                    ray, wide, reach, body[a + 3], lever, way, velocity_a, spin_a, velocity_b, spin_b
                                )
                                half = 0.5 * spring_dt * last_part(min(gap, 0.0), closing, dt, onset)
                                sliding = in_plane(along(speed, offset, cross(minus(spin_a, spin_b), normal)), normal)
                                stretched = along(stretched, half, sliding)
                                turn_angle = along(turn_angle, half, in_plane(minus(spin_a, spin_b), normal))
                            lost += was * spring_energy(parameters, math.sqrt(dot(stretched, stretched)), 0.0, second)
                            if rolling:
                                lost += was * rolling_energy(roll_stiffness, math.sqrt(dot(turn_angle, turn_angle)))
                        for n in range(width):
                            spring[m + n] = 0.0
                    if was > 0.0 and now > 0.0:  # the same energy in another number of springs
                        ratio = math.sqrt(was / now)
                        for n in range(3):
                            spring[m + n] *= ratio
                        if rolling:
                            for n in range(width - 3, width):
                                spring[m + n] *= ratio
                    weight[k] = now
            if cohesive:
                if count == 0.0 or square >= near_squared:
                    continue
            elif not touching:
                continue
            if square < closest:
                closest = square
            depth, normal, offset, inverse, closing, speed = contact_record(
                q, square, reach, body[a + 3], arm, way, velocity_a, spin_a, velocity_b, spin_b
            )
            push = viscous = faded = 0.0
            across = dragged = rolling_pull = NONE
            if touching:
                if depth < BELOW * dt * math.fabs(closing):
                    opens_or_closes = True
                past_part, future_part = parts_in_contact(depth, closing, dt, onset)
                part = past * past_part + future * future_part
                if history and count > 0.0:
                    late_a, late_b, late = spin_a, spin_b, speed
                    if gear:  # velocities are those of t_n: springs take what they were half a step ago
                        late, late_a, late_b = before_half_step(gear, derivative, a, b, arm, way, speed, spin_a, spin_b, dt)
                    sliding = sliding_velocity(
                        late, dot(late, normal) if gear else closing, inverse, offset, bend, axis, own_axis, normal, arm, way,
                        late_a, late_b, spring_dt,
                    )  # fmt: skip
                    one, two = tangents(normal)
                    mean = 0.5 * (dot(late_a, normal) + dot(late_b, normal)) * past_part * spring_dt
                    kept = carried(triple(spring, m), normal, mean)
                    sliding = along(sliding, 0.5 * mean, cross(normal, sliding))  # grown all along the turn: by half of it
                    second = spring[m + 3] if extra else 0.0
                    answer = law(
                        parameters,
                        Contact(depth, closing, dot(sliding, one), dot(sliding, two), reduced_mass, radius),
                        Memory(dot(kept, one), dot(kept, two), second), past_part * spring_dt,
                    )  # fmt: skip
                    kept = along(times(answer.spring_u, one), answer.spring_w, two)
                    spring[m], spring[m + 1], spring[m + 2] = kept[0], kept[1], kept[2]
                    if extra:
                        spring[m + 3] = answer.extra
                    heat += count * answer.heat
                    push = count * answer.elastic * part
                    viscous = count * answer.viscous * kick
                    dragged = along(times(count * kick * answer.drag_u, one), count * kick * answer.drag_w, two)
                    across = along(times(count * part * answer.shear_u, one), count * part * answer.shear_w, two)
                    across = plus(across, dragged)
                    if rolling:
                        rate = in_plane(minus(late_a, late_b), normal)
                        kept = carried(triple(spring, m + width - 3), normal, mean)
                        turn_u, turn_w, angle_u, angle_w, warmth = rolling_torque(
                            roll_stiffness, roll_friction, answer.elastic + answer.viscous, radius,
                            dot(rate, one), dot(rate, two), dot(kept, one), dot(kept, two), past_part * spring_dt,
                        )  # fmt: skip
                        kept = along(times(angle_u, one), angle_w, two)
                        spring[m + width - 3], spring[m + width - 2], spring[m + width - 1] = kept[0], kept[1], kept[2]
                        rolling_pull = along(times(count * part * turn_u, one), count * part * turn_w, two)
                        rolled += count * warmth
                else:
                    push = count * elastic(parameters, depth, radius) * part
                if is_some(twist):
                    faded = normal_energy(parameters, depth, radius) * part
            if cohesive:
                push -= count * pull(strength, gap_range, depth) * kick
                if is_some(twist):
                    faded += pull_energy(strength, gap_range, depth) * kick
            lever = along(arm, offset, normal)  # from a's centre to the contact point
            on_a = times(-(push + viscous), normal)
            if history:
                on_a = plus(on_a, across)
            turn_a = cross(lever, on_a)
            turn_b = cross(on_a, minus(lever, way))
            if faded != 0.0:
                turn_a, turn_b = along(turn_a, faded, twist), along(turn_b, -faded, twist)
            force = along(force, sign, on_a)
            if history:
                if rolling:
                    turn_a, turn_b = plus(turn_a, rolling_pull), minus(turn_b, rolling_pull)
                lossy = along(dragged, -viscous, normal)
                drag_force = along(drag_force, sign, lossy)
                drag_a, drag_b = cross(lever, lossy), cross(lossy, minus(lever, way))
                if section != 1:
                    drag_i, drag_j = plus(drag_i, drag_a), plus(drag_j, drag_b)
                else:
                    drag_i, drag_j = plus(drag_i, drag_b), plus(drag_j, drag_a)
            if section != 1:
                torque_i, torque_j = plus(torque_i, turn_a), plus(torque_j, turn_b)
            else:
                torque_i, torque_j = plus(torque_i, turn_b), plus(torque_j, turn_a)
    return (
        force, torque_i, torque_j, drag_force, drag_i, drag_j, heat, rolled, lost,
        closest < DEEP * DEEP * reach_squared, opens_or_closes,
    )  # fmt: skip


@device
def before_half_step(gear, derivative, a, b, arm, branch, speed, spin_a, spin_b, dt):
    """Relative velocity at X and both spins half a step ago, from what Gear's method keeps (`clast.dynamics.space.gear`)."""
    grown_a, turned_a = growth(gear, derivative, 10 * gear * (a // ROW), dt)
    grown_b, turned_b = growth(gear, derivative, 10 * gear * (b // ROW), dt)
    lag = minus(plus(grown_a, cross(turned_a, arm)), plus(grown_b, cross(turned_b, minus(arm, branch))))
    return minus(speed, lag), minus(spin_a, turned_a), minus(spin_b, turned_b)
