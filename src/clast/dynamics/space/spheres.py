"""Contact force of two spheres: what `clast.dynamics.space.forces` gives for them, without features, arms and frames.

With V = v_a − v_b and the contact point at ρ_a N from the centre of a and at −ρ_b N from that of b,

    sliding velocity   V across N + (ρ_a ω_a + ρ_b ω_b) × N,      dN/dt = −(V across N)/d
    torques            ρ_a N × F and ρ_b N × F

A test holds it against the general way.
"""

import math

import numpy as np

from clast.backend.device import device
from clast.contact.vectors import along, cross, dot, minus, plus, times, triple
from clast.dynamics.onset import BELOW, last_part, parts_in_contact
from clast.dynamics.space.arrays import PAIR, ROW, SPIN, VELOCITY
from clast.dynamics.space.record import NONE, carried, in_plane, tangents
from clast.laws.cohesion import pull
from clast.laws.law import Contact, Memory
from clast.laws.rolling import rolling_energy, rolling_torque


@device
def rolled_over(v, whirl, mean, normal, inverse, closing, dt):
    """Sliding velocity of two spheres half a step ago, in the tangent plane of now.

    `whirl` = ρ_a ω_a + ρ_b ω_b, `mean` = ½(ω_a + ω_b); see `clast.dynamics.space.record.sliding_velocity`.
    """
    across = in_plane(v, normal)
    turning = times(-inverse, across)
    rate = minus(in_plane(cross(whirl, turning), normal), times(closing, plus(cross(mean, normal), turning)))
    return along(plus(across, cross(whirl, normal)), -0.5 * dt, rate)


@device
def sphere_forces(
    elastic, law, spring_energy, history, extra, rolling, cohesive, gear, width, p, pair, reduced_mass, shift,
    spring, weight, body, derivative, parameters, radius, beside, deep, dt, spring_dt, past, future, onset,
):  # fmt: skip
    """The contact of two spheres; returns as `pair_forces` does. `deep` is the share of the radii at which a run ends."""
    roll_stiffness, roll_friction, strength, gap_range = beside
    number_a, number_b = np.int64(pair[PAIR * p]), np.int64(pair[PAIR * p + 1])
    a, b = ROW * number_a, ROW * number_b
    k = np.int64(pair[PAIR * p + 2])
    m = width * k
    q = plus(minus(triple(body, b), triple(body, a)), shift)
    reach = body[a + 3] + body[b + 3]
    square = dot(q, q)
    touching = square < reach * reach
    near = touching
    if cohesive:
        near = square < (reach + gap_range) * (reach + gap_range)
    heat = rolled = lost = 0.0
    if not near and not (history and weight[k] != 0.0):
        return NONE, NONE, NONE, NONE, NONE, NONE, heat, rolled, lost, False, False
    velocity = minus(triple(body, a + VELOCITY), triple(body, b + VELOCITY))
    spin_a, spin_b = triple(body, a + SPIN), triple(body, b + SPIN)
    distance = math.sqrt(square)
    inverse = distance * (1.0 / square)
    normal = times(inverse, q)
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
    push = viscous = 0.0
    across = dragged = rolling_pull = NONE
    opens_or_closes = False
    if touching:
        opens_or_closes = depth < BELOW * dt * math.fabs(closing)
        past_part, future_part = parts_in_contact(depth, closing, dt, onset)
        part = past * past_part + future * future_part
        if history:
            late, late_a, late_b = velocity, spin_a, spin_b
            if gear:  # velocities are those of t_n: springs take what they were half a step ago
                grown_a, turned_a = growth(gear, derivative, 10 * gear * number_a, dt)
                grown_b, turned_b = growth(gear, derivative, 10 * gear * number_b, dt)
                late, late_a, late_b = minus(velocity, minus(grown_a, grown_b)), minus(spin_a, turned_a), minus(spin_b, turned_b)
            mean = times(0.5, plus(late_a, late_b))
            whirl = along(times(arm_a, late_a), arm_b, late_b)
            sliding = rolled_over(late, whirl, mean, normal, inverse, closing, spring_dt)
            one, two = tangents(normal)
            twist = dot(mean, normal) * past_part * spring_dt
            kept = carried(triple(spring, m), normal, twist)
            sliding = along(sliding, 0.5 * twist, cross(normal, sliding))
            answer = law(
                parameters, Contact(depth, closing, dot(sliding, one), dot(sliding, two), reduced_mass, radius),
                Memory(dot(kept, one), dot(kept, two), spring[m + 3] if extra else 0.0), past_part * spring_dt,
            )  # fmt: skip
            kept = along(times(answer.spring_u, one), answer.spring_w, two)
            spring[m], spring[m + 1], spring[m + 2] = kept[0], kept[1], kept[2]
            if extra:
                spring[m + 3] = answer.extra
            heat = answer.heat
            push, viscous = answer.elastic * part, answer.viscous * kick
            dragged = along(times(kick * answer.drag_u, one), kick * answer.drag_w, two)
            across = plus(along(times(part * answer.shear_u, one), part * answer.shear_w, two), dragged)
            if rolling:
                rate = in_plane(minus(late_a, late_b), normal)
                kept = carried(triple(spring, m + width - 3), normal, twist)
                turn_u, turn_w, angle_u, angle_w, rolled = rolling_torque(
                    roll_stiffness, roll_friction, answer.elastic + answer.viscous, radius, dot(rate, one), dot(rate, two),
                    dot(kept, one), dot(kept, two), past_part * spring_dt,
                )  # fmt: skip
                kept = along(times(angle_u, one), angle_w, two)
                spring[m + width - 3], spring[m + width - 2], spring[m + width - 1] = kept[0], kept[1], kept[2]
                rolling_pull = along(times(part * turn_u, one), part * turn_w, two)
        else:
            push = elastic(parameters, depth, radius) * part
    if cohesive:
        push -= pull(strength, gap_range, depth) * kick
    force = along(across, -(push + viscous), normal)
    turn = cross(normal, across)
    drag_turn = cross(normal, dragged)
    return (
        force, plus(times(arm_a, turn), rolling_pull), minus(times(arm_b, turn), rolling_pull),
        along(dragged, -viscous, normal), times(arm_a, drag_turn), times(arm_b, drag_turn), heat, rolled, lost,
        distance < deep * reach, opens_or_closes,
    )  # fmt: skip


@device
def growth(gear, derivative, at, dt):
    """By how much velocity and spin of a body have grown in half a step, from what Gear's method keeps."""
    velocity = (derivative[at] / dt, derivative[at + gear] / dt, derivative[at + 2 * gear] / dt)
    return velocity, (derivative[at + gear - 1], derivative[at + 2 * gear - 1], derivative[at + 3 * gear - 1])
