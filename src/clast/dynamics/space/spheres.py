"""Contact forces of spheres: what `clast.dynamics.space.forces` gives for them, without arms and frames.

With V = v_a − v_b and the contact point at ρ_a N from the centre of a and at −ρ_b N from that of b,

    sliding velocity   V across N + (ρ_a ω_a + ρ_b ω_b) × N,      dN/dt = −(V across N)/d
    torques            ρ_a N × F and ρ_b N × F

A sphere that touches one feature of another body (wall, hopper, drum) has a short way as well, while the contact lasts; where
it opens, closes or passes on, the general way is taken. Vectors across N are two numbers: along `tangents`.

A test holds it against the general way.
"""

import math

import numpy as np

from clast.backend.device import device
from clast.contact.spheropolyhedron import (
    EDGE,
    FACE,
    KIND,
    edge_count,
    edge_way,
    face_count,
    face_distance,
    vertex_count,
)
from clast.contact.spheropolyhedron import ROW as FEATURE
from clast.contact.vectors import along, cross, dot, minus, plus, times, triple, turn, turn_back
from clast.dynamics.onset import BELOW, last_part, parts_in_contact
from clast.backend.device import unsigned
from clast.dynamics.space.arrays import PAIR, ROW, SPIN, VELOCITY
from clast.dynamics.space.record import FLAT, NONE, ROUND, STRAIGHT, in_plane, tangents
from clast.laws.cohesion import pull
from clast.laws.law import Contact, Memory
from clast.laws.rolling import rolling_energy, rolling_torque


@device
def components(v, one, two, normal):
    """Parts of v along two tangents and the normal; N × one = two, so that N × (u, w) is (−w, u)."""
    return dot(v, one), dot(v, two), dot(v, normal)


@device
def look_at(p, pair, shift, body):
    """Where the spheres of pair p stand to each other: square of the distance of their centres, distance, one over it, normal,
    tangents. Found a pair ahead of its force: these roots and quotients follow each other, and would be waited for.
    """
    q = plus(minus(triple(body, ROW * np.int64(pair[PAIR * p + 1])), triple(body, ROW * np.int64(pair[PAIR * p]))), shift)
    square = dot(q, q)
    distance = math.sqrt(square)
    inverse = distance * (1.0 / square)
    normal = times(inverse, q)
    sign = math.copysign(1.0, q[2])
    a = -distance / (sign * distance + q[2])  # as in `tangents`, from what is known before the normal
    b = normal[0] * normal[1] * a
    one = (1.0 + sign * normal[0] * normal[0] * a, sign * b, -sign * normal[0])
    two = (b, sign + normal[1] * normal[1] * a, -normal[1])
    return square, distance, inverse, normal, one, two


@device
def kept_flat(spring, one, two, normal, twist):
    """What `clast.dynamics.space.record.carried` gives, along two tangents: flat, turned about N, as long as it was."""
    whole = dot(spring, spring)
    if whole == 0.0:
        return 0.0, 0.0
    inverse = 1.0 / whole  # known before the normal is
    up = dot(spring, normal)
    u, w = dot(spring, one), dot(spring, two)
    u, w = u - twist * w, w + twist * u
    more = twist * twist
    lost = up * up * inverse * (1.0 + more) - more  # 1 − (u² + w²)/whole, without waiting for u and w
    if math.fabs(lost) < 1e-4:  # the series is exact to rounding
        scale = 1.0 + lost * (0.5 + lost * (0.375 + lost * 0.3125))
    else:
        size = u * u + w * w
        scale = math.sqrt(whole / size) if size > 0.0 else 0.0
    return scale * u, scale * w


@device
def rolled_over(v, whirl, mean, inverse, dt):
    """Sliding velocity of two spheres half a step ago, in the tangent plane of now: two components, as all is given in three.

    `whirl` = ρ_a ω_a + ρ_b ω_b, `mean` = ½(ω_a + ω_b), v[2] is the closing speed; see
    `clast.dynamics.space.record.sliding_velocity`.
    """
    turn_u, turn_w = -inverse * v[0], -inverse * v[1]  # dN/dt
    rate_u = -whirl[2] * turn_w - v[2] * (mean[1] + turn_u)
    rate_w = whirl[2] * turn_u - v[2] * (turn_w - mean[0])
    return v[0] + whirl[1] - 0.5 * dt * rate_u, v[1] - whirl[0] - 0.5 * dt * rate_w


@device
def ask_law(
    law, extra, rolling, parameters, roll_stiffness, roll_friction, depth, closing, sliding, rate, twist, one, two, normal,
    reduced_mass, radius, m, width, spring, part, kick, time,
):  # fmt: skip
    """Ask the law for a contact that counts one, with springs that have had `time` to grow; all in the tangent plane.

    `sliding` and `rate` are the velocity of sliding and of rolling, `twist` the angle by which the plane has turned about N.
    Returns push, viscous push, shear with drag (2), drag (2), torque of rolling (2), heat of sliding, of rolling.
    """
    kept_u, kept_w = kept_flat(triple(spring, m), one, two, normal, twist)
    half = 0.5 * twist  # what has grown all along the turn is turned by half of it
    answer = law(
        parameters,
        Contact(depth, closing, sliding[0] - half * sliding[1], sliding[1] + half * sliding[0], reduced_mass, radius),
        Memory(kept_u, kept_w, spring[m + 3] if extra else 0.0), time,
    )  # fmt: skip
    spring[m], spring[m + 1], spring[m + 2] = along(times(answer.spring_u, one), answer.spring_w, two)
    if extra:
        spring[m + 3] = answer.extra
    drag_u, drag_w = kick * answer.drag_u, kick * answer.drag_w
    across = (part * answer.shear_u + drag_u, part * answer.shear_w + drag_w)
    roll = (0.0, 0.0)
    rolled = 0.0
    if rolling:
        at = m + width - 3
        kept_u, kept_w = kept_flat(triple(spring, at), one, two, normal, twist)
        turn_u, turn_w, angle_u, angle_w, rolled = rolling_torque(
            roll_stiffness, roll_friction, answer.elastic + answer.viscous, radius, rate[0], rate[1], kept_u, kept_w, time
        )
        spring[at], spring[at + 1], spring[at + 2] = along(times(angle_u, one), angle_w, two)
        roll = (part * turn_u, part * turn_w)
    return answer.elastic * part, answer.viscous * kick, across, (drag_u, drag_w), roll, answer.heat, rolled


@device
def sphere_forces(
    elastic, law, spring_energy, history, extra, rolling, cohesive, gear, width, p, pair, seen, reduced_mass,
    spring, weight, body, derivative, parameters, radius, beside, deep, dt, spring_dt, past, future, onset,
):  # fmt: skip
    """The contact of two spheres; returns as `pair_forces` does. `seen` is what `look_at` says, `deep` the share of the radii
    at which a run ends.
    """
    roll_stiffness, roll_friction, strength, gap_range = beside
    number_a, number_b = np.int64(pair[PAIR * p]), np.int64(pair[PAIR * p + 1])
    a, b = ROW * number_a, ROW * number_b
    k = np.int64(pair[PAIR * p + 2])
    m = width * k
    square, distance, inverse, normal, one, two = seen
    reach = body[a + 3] + body[b + 3]
    touching = square < reach * reach
    near = touching
    if cohesive:
        near = square < (reach + gap_range) * (reach + gap_range)
    heat = rolled = lost = 0.0
    if not near and not (history and weight[k] != 0.0):
        return NONE, NONE, NONE, NONE, NONE, NONE, heat, rolled, lost, False, False
    velocity = minus(triple(body, a + VELOCITY), triple(body, b + VELOCITY))
    spin_a, spin_b = triple(body, a + SPIN), triple(body, b + SPIN)
    depth = reach - distance
    arm_a = body[a + 3] - 0.5 * depth
    arm_b = distance - arm_a
    closing = dot(velocity, normal)
    if history:
        if touching and weight[k] == 0.0:
            for n in range(width):
                spring[m + n] = 0.0
            weight[k] = 1.0
        elif not touching and weight[k] != 0.0:  # the last kick's half for this step has still worked against the spring
            weight[k] = 0.0
            half = 0.5 * spring_dt * last_part(min(depth, 0.0), closing, dt, onset)
            whirl = along(times(arm_a, spin_a), arm_b, spin_b)
            stretched = along(triple(spring, m), half, plus(in_plane(velocity, normal), cross(whirl, normal)))
            second = spring[m + 3] if extra else 0.0
            lost = spring_energy(parameters, math.sqrt(dot(stretched, stretched)), 0.0, second)
            if rolling:
                angle = along(triple(spring, m + width - 3), half, in_plane(minus(spin_a, spin_b), normal))
                lost += rolling_energy(roll_stiffness, math.sqrt(dot(angle, angle)))
            for n in range(width):
                spring[m + n] = 0.0
    if not near:
        return NONE, NONE, NONE, NONE, NONE, NONE, heat, rolled, lost, False, False
    kick = past + future
    opens_or_closes = touching and depth < BELOW * dt * math.fabs(closing)
    past_part, future_part = parts_in_contact(depth, closing, dt, onset)
    part = past * past_part + future * future_part
    if not history:
        push = elastic(parameters, depth, radius) * part if touching else 0.0
        if cohesive:
            push -= pull(strength, gap_range, depth) * kick
        return (
            times(-push, normal), NONE, NONE, NONE, NONE, NONE, heat, rolled, lost, distance < deep * reach, opens_or_closes
        )  # fmt: skip
    push = viscous = 0.0
    across = drag = roll = (0.0, 0.0)
    if touching:
        late, late_a, late_b = velocity, spin_a, spin_b
        if gear:  # velocities are those of t_n: springs take what they were half a step ago
            grown_a, turned_a = growth(gear, derivative, 10 * gear * number_a, dt)
            grown_b, turned_b = growth(gear, derivative, 10 * gear * number_b, dt)
            late, late_a, late_b = minus(velocity, minus(grown_a, grown_b)), minus(spin_a, turned_a), minus(spin_b, turned_b)
        a_seen, b_seen = components(late_a, one, two, normal), components(late_b, one, two, normal)
        mean = times(0.5, plus(a_seen, b_seen))
        whirl = along(times(arm_a, a_seen), arm_b, b_seen)
        approach = dot(late, normal) if gear else closing
        sliding = rolled_over((dot(late, one), dot(late, two), approach), whirl, mean, inverse, spring_dt)
        push, viscous, across, drag, roll, heat, rolled = ask_law(
            law, extra, rolling, parameters, roll_stiffness, roll_friction, depth, closing, sliding, minus(a_seen, b_seen),
            mean[2] * past_part * spring_dt, one, two, normal, reduced_mass, radius, m, width, spring, part, kick,
            past_part * spring_dt,
        )  # fmt: skip
    if cohesive:
        push -= pull(strength, gap_range, depth) * kick
    turning = along(times(across[0], two), -across[1], one)  # N × F
    drag_turn = along(times(drag[0], two), -drag[1], one)
    rolling_pull = along(times(roll[0], one), roll[1], two) if rolling else NONE
    return (
        along(along(times(across[0], one), across[1], two), -(push + viscous), normal),
        plus(times(arm_a, turning), rolling_pull), minus(times(arm_b, turning), rolling_pull),
        along(along(times(drag[0], one), drag[1], two), -viscous, normal), times(arm_a, drag_turn), times(arm_b, drag_turn),
        heat, rolled, lost, distance < deep * reach, opens_or_closes,
    )  # fmt: skip


@device
def meets(x, row, near_squared, feature, side, fan, corner):
    """What a ball with its centre at x counts on a feature of b, in b's frame: square of the distance, count, way to it, how the
    normal turns, direction of the edge; see `clast.dynamics.space.record.touch`."""
    kind = feature[row + KIND]
    count = 0.0
    bend, axis = FLAT, NONE
    if kind == FACE:
        q, square = face_distance(x, row, feature)
        if square < near_squared:
            count = face_count(x, row, feature, side)
    elif kind == EDGE:
        q, square = edge_way(x, row, feature)
        if square < near_squared:
            bend = STRAIGHT
            axis = times(math.sqrt(feature[row + 6]), minus(triple(feature, row + 3), triple(feature, row)))
            count = edge_count(x, row, feature)
    else:
        q = minus(triple(feature, row), x)
        square = dot(q, q)
        if square < near_squared:
            bend = ROUND
            count = vertex_count(times(-1.0, q), row, feature, fan, corner)
    return square, count, q, bend, axis


@device
def lone_contact(history, p, pair, near_squared, branch, rotation_b, candidate, weight, feature, side, fan, corner):
    """The contact of a ball i on features of j if there is one only: how many there are, with those that were; then which
    candidate, square of the distance, count, and in the world the way, how the normal turns, direction of the edge.

    Candidates that do not touch make no difference, so it does not matter how far the lists reach.
    """
    x = times(-1.0, turn_back(rotation_b, branch))
    found, which, square, count = 0, np.int64(0), 0.0, 0.0
    bend, way, axis = FLAT, NONE, NONE
    for c in range(np.int64(pair[PAIR * p + 2]), np.int64(pair[PAIR * p + 8])):
        k = unsigned(c)
        row = FEATURE * np.int64(candidate[2 * k + 1])
        here, counts, q, turns, edge = meets(x, row, near_squared, feature, side, fan, corner)
        if (counts != 0.0 and here < near_squared) or (history and weight[k] != 0.0):
            found += 1
            which, square, count, bend, way, axis = k, here, counts, turns, q, edge
    return found, which, square, count, turn(rotation_b, way), bend, turn(rotation_b, axis)


@device
def ball_forces(
    elastic, law, history, extra, rolling, cohesive, gear, p, pair, k, square, q, bend, axis, branch, reduced_mass, spring, body,
    derivative, parameters, radius, beside, deep, dt, spring_dt, past, future, onset,
):  # fmt: skip
    """The contact k of a ball on one feature that lasts, of count one, at the way q; returns as `pair_forces` does.

    The arm of the ball is along the normal, and X is its centre: less is left of `sliding_velocity`.
    """
    roll_stiffness, roll_friction, strength, gap_range = beside
    number_a, number_b = np.int64(pair[PAIR * p]), np.int64(pair[PAIR * p + 1])
    a, b = ROW * number_a, ROW * number_b
    width = 3 + extra + 3 * rolling
    reach = body[a + 3] + body[b + 3]
    velocity = minus(triple(body, a + VELOCITY), triple(body, b + VELOCITY))
    spin_a, spin_b = triple(body, a + SPIN), triple(body, b + SPIN)
    distance = math.sqrt(square)
    inverse = distance * (1.0 / square)
    normal = times(inverse, q)
    depth = reach - distance
    offset = body[a + 3] - 0.5 * depth
    closing = dot(plus(velocity, cross(spin_b, branch)), normal)
    opens_or_closes = depth < BELOW * dt * math.fabs(closing)
    too_deep = distance < deep * reach
    past_part, future_part = parts_in_contact(depth, closing, dt, onset)
    part, kick = past * past_part + future * future_part, past + future
    arm_b = minus(times(offset, normal), branch)
    attraction = 0.0
    if cohesive:
        attraction = pull(strength, gap_range, depth) * kick
    if not history:
        force = times(attraction - elastic(parameters, depth, radius) * part, normal)
        return force, NONE, cross(force, arm_b), NONE, NONE, NONE, 0.0, 0.0, 0.0, too_deep, opens_or_closes
    one, two = tangents(normal)
    late, late_a, late_b = velocity, spin_a, spin_b
    if gear:  # velocities are those of t_n: springs take what they were half a step ago
        grown_a, turned_a = growth(gear, derivative, 10 * gear * number_a, dt)
        grown_b, turned_b = growth(gear, derivative, 10 * gear * number_b, dt)
        late, late_a, late_b = minus(velocity, minus(grown_a, grown_b)), minus(spin_a, turned_a), minus(spin_b, turned_b)
    a_seen, b_seen = components(late_a, one, two, normal), components(late_b, one, two, normal)
    relative = minus(a_seen, b_seen)
    speed = plus(late, cross(late_b, branch))
    speed_u, speed_w = dot(speed, one), dot(speed, two)
    approach = dot(speed, normal) if gear else closing
    turn_u, turn_w = b_seen[1], -b_seen[0]  # dN/dt: with b, and about its vertex or edge
    if bend == ROUND:
        turn_u, turn_w = turn_u - inverse * speed_u, turn_w - inverse * speed_w
    elif bend == STRAIGHT:
        edge_u, edge_w = dot(axis, one), dot(axis, two)
        lengthwise = speed_u * edge_u + speed_w * edge_w
        turn_u -= inverse * (speed_u - lengthwise * edge_u)
        turn_w -= inverse * (speed_w - lengthwise * edge_w)
    carried_on = cross(late_b, late)
    rate_u = -dot(carried_on, one) - approach * (0.5 * relative[1] + turn_u) - offset * relative[2] * turn_w
    rate_w = -dot(carried_on, two) - approach * (turn_w - 0.5 * relative[0]) + offset * relative[2] * turn_u
    sliding = (
        speed_u + offset * relative[1] - 0.5 * spring_dt * rate_u, speed_w - offset * relative[0] - 0.5 * spring_dt * rate_w
    )  # fmt: skip
    push, viscous, across, drag, roll, heat, rolled = ask_law(
        law, extra, rolling, parameters, roll_stiffness, roll_friction, depth, closing, sliding, relative,
        0.5 * (a_seen[2] + b_seen[2]) * past_part * spring_dt, one, two, normal, reduced_mass, radius, width * k, width, spring,
        part, kick, past_part * spring_dt,
    )  # fmt: skip
    force = along(along(times(across[0], one), across[1], two), attraction - push - viscous, normal)
    lossy = along(along(times(drag[0], one), drag[1], two), -viscous, normal)
    torque_a = times(offset, along(times(across[0], two), -across[1], one))  # N × F
    torque_b = cross(force, arm_b)
    if rolling:
        rolling_pull = along(times(roll[0], one), roll[1], two)
        torque_a, torque_b = plus(torque_a, rolling_pull), minus(torque_b, rolling_pull)
    drag_a = times(offset, along(times(drag[0], two), -drag[1], one))
    return force, torque_a, torque_b, lossy, drag_a, cross(lossy, arm_b), heat, rolled, 0.0, too_deep, opens_or_closes


@device
def growth(gear, derivative, at, dt):
    """By how much velocity and spin of a body have grown in half a step, from what Gear's method keeps."""
    velocity = (derivative[at] / dt, derivative[at + gear] / dt, derivative[at + 2 * gear] / dt)
    return velocity, (derivative[at + gear - 1], derivative[at + 2 * gear - 1], derivative[at + 3 * gear - 1])
