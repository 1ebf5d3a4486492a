"""Contact forces of a pair: geometry → contact record → law → force and torque on both bodies (GM09 eq 2-4).

One rotation per pair and side carries the listed probes of one body into the frame of the other; edges never turn.
"""

import math

import numpy as np

from clast.backend.device import device
from clast.dynamics.onset import BELOW, last_part, parts_in_contact
from clast.dynamics.record import carry, contact_record, probe_arms, unsigned
from clast.laws.cohesion import pull
from clast.laws.law import Contact, Memory
from clast.laws.rolling import rolling_energy, rolling_torque

DEEP = 0.1  # of the sum of sphero-radii: skeletons nearer than this end the run, the normal is about to lose meaning


@device
def memory_width(extra, rolling):
    """Numbers a contact remembers: the tangential spring, perhaps one more, perhaps the angle of rolling, in this order."""
    return 1 + extra + rolling


@device
def sliding_speed(
    across, closing, inverse, offset, at_vertex, normal_x, normal_y,
    a_arm_x, a_arm_y, a_spin, b_arm_x, b_arm_y, b_spin, dt,
):  # fmt: skip
    """v·T at the contact point, for velocities of t_n − ½Δt: with arms and tangent of half a step ago, where they belong.

    Since then the arms have turned with their bodies, and the tangent with b where the probe faces an edge, with the line
    between two vertices where it faces a vertex. Without this the energy of the tangential spring differs from the work of
    its force by first order in Δt. With dt = 0 it is v·T at the positions given.
    """
    relative = a_spin - b_spin
    a_along = a_arm_y * normal_x - a_arm_x * normal_y  # arm · T
    b_along = b_arm_y * normal_x - b_arm_x * normal_y
    rate = b_spin * b_spin * b_along - a_spin * a_spin * a_along
    rate -= (2.0 * b_spin + 0.5 * relative - at_vertex * inverse * across) * closing
    return across + relative * offset - 0.5 * dt * rate


@device
def heir(meet, k, last, probe_x, probe_y, candidate, feature, following, active, reach_squared, opening):
    """Find the other end of a spring that changes hands at a corner; −1 where there is none. Rare.

    A contact k that opens takes over from a later candidate of the same probe, on an adjoining edge, that closes in this
    step; one that closes gives to a later one that opens. Earlier candidates have looked at k themselves. Of two, the one
    whose shared corner is nearer to the probe.
    """
    best = -1
    nearest = np.inf
    mine = np.int64(candidate[2 * k + 1])
    for other in range(k + 1, last):
        if candidate[2 * other] != candidate[2 * k]:
            break
        theirs = np.int64(candidate[2 * other + 1])
        if following[mine] == theirs:
            corner = 8 * theirs
        elif following[theirs] == mine:
            corner = 8 * mine
        else:
            continue
        f = 8 * theirs
        count, qx, qy, _ = meet(
            probe_x, probe_y, feature[f], feature[f + 1], feature[f + 2], feature[f + 3],
            feature[f + 4], feature[f + 5], feature[f + 6], feature[f + 7],
        )  # fmt: skip
        touching = count > 0.0 and qx * qx + qy * qy < reach_squared
        was = active[other] != 0
        if (opening and was and not touching) or (not opening and touching and not was):
            dx, dy = feature[corner] - probe_x, feature[corner + 1] - probe_y
            if dx * dx + dy * dy < nearest:
                best = other
                nearest = dx * dx + dy * dy
    return best


@device
def pair_forces(
    meet, elastic, law, spring_energy, history, extra, rolling, cohesive, cell, gear, p, pair, reduced_mass, shift,
    candidate, spring, active, body, derivative, vertex, feature, following, parameters, radius, beside,
    dt, spring_dt, past, future, onset,
):  # fmt: skip
    """Sum the contacts of pair p. The arrays come flattened: a table's row length is then known when compiling.

    `history`, `extra`, `rolling`, `cohesive`, `cell`, `gear` are constants of the kernel; what they switch off is not compiled.
    With Gear's method velocities are those of t_n; springs then take what they were half a step ago, v − r₂/Δt, from
    `derivative` (rows of x, y, angle, each r₂ … r_gear). No more than 30 arguments: Python packs longer calls into a tuple.
    Returns force on i (x, y), torques on i and j, the viscous part of these four, heat of sliding, of rolling, energy of
    lost springs, whether skeletons nearly touch, and whether a contact may open or close in this step.
    """
    roll_stiffness, roll_friction, strength, gap_range = beside
    i = 8 * np.int64(pair[4 * p])
    j = 8 * np.int64(pair[4 * p + 1])
    first = np.int64(pair[4 * p + 2])
    middle = np.int64(pair[4 * p + 3])
    last = np.int64(pair[4 * p + 6])

    a_cos, a_sin, a_vx, a_vy, a_spin, a_r = body[i + 2], body[i + 3], body[i + 4], body[i + 5], body[i + 6], body[i + 7]
    b_cos, b_sin, b_vx, b_vy, b_spin, b_r = body[j + 2], body[j + 3], body[j + 4], body[j + 5], body[j + 6], body[j + 7]
    branch_x = body[j] - body[i] + shift[0]  # from i to j's image
    branch_y = body[j + 1] - body[i + 1] + shift[1]
    if cell:  # which moves with the cell
        b_vx += shift[2]
        b_vy += shift[3]
    reach = a_r + b_r
    reach_squared = reach * reach
    near_squared = (reach + gap_range) * (reach + gap_range) if cohesive else reach_squared
    width = memory_width(extra, rolling)
    kick = past + future
    a_lag_x = a_lag_y = a_lag = b_lag_x = b_lag_y = b_lag = 0.0  # how much velocities have grown in half a step
    if gear:
        at = 3 * (gear - 1) * np.int64(pair[4 * p])
        a_lag_x, a_lag_y, a_lag = derivative[at] / dt, derivative[at + gear - 1] / dt, derivative[at + 2 * gear - 2] / dt
        at = 3 * (gear - 1) * np.int64(pair[4 * p + 1])
        b_lag_x, b_lag_y, b_lag = derivative[at] / dt, derivative[at + gear - 1] / dt, derivative[at + 2 * gear - 2] / dt

    force_x = force_y = torque_i = torque_j = 0.0
    drag_x = drag_y = drag_i = drag_j = 0.0
    heat = rolled = lost = 0.0
    closest = 4.0 * reach_squared
    opens_or_closes = False

    begin = first
    end = middle
    side_sign = 1.0
    for side in range(2):
        # probes belong to a, features to b; b's frame is the frame
        if side == 1:
            a_cos, b_cos = b_cos, a_cos
            a_sin, b_sin = b_sin, a_sin
            a_vx, b_vx = b_vx, a_vx
            a_vy, b_vy = b_vy, a_vy
            a_spin, b_spin = b_spin, a_spin
            a_r, b_r = b_r, a_r
            branch_x, branch_y = -branch_x, -branch_y
            begin = middle
            end = last
            side_sign = -1.0
            if gear:
                a_lag_x, b_lag_x = b_lag_x, a_lag_x
                a_lag_y, b_lag_y = b_lag_y, a_lag_y
                a_lag, b_lag = b_lag, a_lag
        if begin == end:
            continue
        cosine = a_cos * b_cos + a_sin * b_sin
        sine = a_sin * b_cos - a_cos * b_sin
        shift_x = -(b_cos * branch_x + b_sin * branch_y)
        shift_y = -(b_cos * branch_y - b_sin * branch_x)
        for q in range(begin, end):
            k = unsigned(q)
            m = width * k
            v = 2 * np.int64(candidate[2 * k])
            f = 8 * np.int64(candidate[2 * k + 1])
            x, y = carry(vertex[v], vertex[v + 1], cosine, sine, shift_x, shift_y)
            count, qx, qy, at_vertex = meet(
                x, y, feature[f], feature[f + 1], feature[f + 2], feature[f + 3],
                feature[f + 4], feature[f + 5], feature[f + 6], feature[f + 7],
            )  # fmt: skip
            square = qx * qx + qy * qy
            touching = count != 0.0 and square < reach_squared
            if history:
                was = active[k] != 0
                now = touching and count > 0.0
                if now != was:
                    if now:
                        for c in range(width):
                            spring[m + c] = 0.0
                        active[k] = 1
                        giver = heir(meet, k, end, x, y, candidate, feature, following, active, reach_squared, True)
                        if giver >= 0:
                            for c in range(width):
                                spring[m + c] = spring[width * giver + c]
                                spring[width * giver + c] = 0.0
                            active[giver] = 0
                    else:
                        active[k] = 0
                        taker = heir(meet, k, end, x, y, candidate, feature, following, active, reach_squared, False)
                        if taker >= 0:
                            for c in range(width):
                                spring[width * taker + c] = spring[m + c]
                            active[taker] = 1
                        else:
                            # the last kick's half for this step has still worked against the spring: energy at mid-way
                            way = turn = 0.0
                            if count == 0.0:  # its foot has left the edge, at a corner or a seam: as if the edge went on
                                lx, ly = feature[f + 2] - feature[f], feature[f + 3] - feature[f + 1]
                                ux, uy = x - feature[f], y - feature[f + 1]
                                along = (ux * lx + uy * ly) * feature[f + 6]
                                qx, qy = along * lx - ux, along * ly - uy
                                square = qx * qx + qy * qy
                            if square > 0.0:
                                arms = probe_arms(vertex[v], vertex[v + 1], a_cos, a_sin, branch_x, branch_y)
                                gap, _, _, offset, _, closing, across = contact_record(
                                    qx, qy, square, reach, a_r, b_cos, b_sin, arms[0], arms[1], arms[2], arms[3],
                                    a_vx, a_vy, a_spin, b_vx, b_vy, b_spin,
                                )  # fmt: skip
                                sliding = across + (a_spin - b_spin) * offset
                                turn = 0.5 * spring_dt * last_part(min(gap, 0.0), closing, dt, onset)
                                way = sliding * turn
                            second = spring[m + 1] if extra else 0.0
                            lost += spring_energy(parameters, spring[m] + way, 0.0, second)
                            if rolling:
                                lost += rolling_energy(roll_stiffness, spring[m + width - 1] + (a_spin - b_spin) * turn)
                        for c in range(width):
                            spring[m + c] = 0.0
            if cohesive:
                if count == 0.0 or square >= near_squared:
                    continue
            elif not touching:
                continue
            if square < closest:
                closest = square
            a_arm_x, a_arm_y, b_arm_x, b_arm_y = probe_arms(vertex[v], vertex[v + 1], a_cos, a_sin, branch_x, branch_y)
            depth, normal_x, normal_y, offset, inverse, closing, across = contact_record(
                qx, qy, square, reach, a_r, b_cos, b_sin, a_arm_x, a_arm_y, b_arm_x, b_arm_y,
                a_vx, a_vy, a_spin, b_vx, b_vy, b_spin,
            )  # fmt: skip
            weighted = viscous = shear = drag = torque = 0.0
            if touching:
                if depth < BELOW * dt * math.fabs(closing):
                    opens_or_closes = True
                past_part, future_part = parts_in_contact(depth, closing, dt, onset)
                weight = past * past_part + future * future_part
                if history and count > 0.0:
                    grown = 0.0
                    if gear:
                        lag_x = a_lag_x - a_lag * a_arm_y - (b_lag_x - b_lag * b_arm_y)
                        lag_y = a_lag_y + a_lag * a_arm_x - (b_lag_y + b_lag * b_arm_x)
                        grown = lag_y * normal_x - lag_x * normal_y
                    sliding = sliding_speed(
                        across - grown, closing, inverse, offset, at_vertex, normal_x, normal_y,
                        a_arm_x, a_arm_y, a_spin - a_lag, b_arm_x, b_arm_y, b_spin - b_lag, spring_dt,
                    )  # fmt: skip
                    second = spring[m + 1] if extra else 0.0
                    answer = law(
                        parameters, Contact(depth, closing, sliding, 0.0, reduced_mass, radius),
                        Memory(spring[m], 0.0, second), past_part * spring_dt,
                    )  # fmt: skip
                    spring[m] = answer.spring_u
                    if extra:
                        spring[m + 1] = answer.extra
                    heat += answer.heat
                    weighted = count * answer.elastic * weight
                    viscous = answer.viscous * kick
                    drag = answer.drag_u * kick
                    shear = weight * answer.shear_u + drag
                    if rolling:
                        turning, _, spring[m + width - 1], _, warmth = rolling_torque(
                            roll_stiffness, roll_friction, answer.elastic + answer.viscous, radius,
                            a_spin - a_lag - (b_spin - b_lag), 0.0,
                            spring[m + width - 1], 0.0, past_part * spring_dt,
                        )  # fmt: skip
                        torque = weight * turning
                        rolled += warmth
                else:
                    weighted = count * elastic(parameters, depth, radius) * weight
            if cohesive:
                weighted -= count * pull(strength, gap_range, depth) * kick
            # on a: −F_n N + F_t T, with T = ẑ × N
            if history:
                push = -(weighted + viscous)
                vx = -viscous * normal_x - drag * normal_y
                vy = -viscous * normal_y + drag * normal_x
                drag_x += side_sign * vx
                drag_y += side_sign * vy
                a_drag = a_arm_x * vy - a_arm_y * vx + offset * drag
                b_drag = b_arm_y * vx - b_arm_x * vy - offset * drag
                fx = push * normal_x - shear * normal_y
                fy = push * normal_y + shear * normal_x
                a_torque = a_arm_x * fy - a_arm_y * fx + offset * shear
                b_torque = b_arm_y * fx - b_arm_x * fy - offset * shear
                if rolling:
                    a_torque += torque
                    b_torque -= torque
            else:
                a_drag = b_drag = 0.0
                fx = -weighted * normal_x
                fy = -weighted * normal_y
                a_torque = a_arm_x * fy - a_arm_y * fx
                b_torque = b_arm_y * fx - b_arm_x * fy
            force_x += side_sign * fx
            force_y += side_sign * fy
            if side == 0:
                torque_i += a_torque
                torque_j += b_torque
                drag_i += a_drag
                drag_j += b_drag
            else:
                torque_i += b_torque
                torque_j += a_torque
                drag_i += b_drag
                drag_j += a_drag
    return (
        force_x, force_y, torque_i, torque_j, drag_x, drag_y, drag_i, drag_j, heat, rolled, lost,
        closest < DEEP * DEEP * reach_squared, opens_or_closes,
    )  # fmt: skip
