"""Contact force of a pair of sharp pieces: overlap → contact record → law → force and torque on both bodies (CSM10; model §4).

One overlap is one contact with one spring. A law without potential pushes at the centroid; a conserving one presses on the
surfaces, whose force is that along the same normal and whose moment is ∫ x × dA: the difference is a couple.
"""

import math

import numpy as np

from clast.backend.device import device
from clast.contact.vectors import along, cross, dot, minus, plus, times, triple
from clast.backend.device import unsigned
from clast.dynamics.sharp.arrays import CONSTANT, WIDTH
from clast.dynamics.sharp.record import contact_length, middle_of_pressure, normal_of, overlap_of, sliding_in_step, velocity_at
from clast.dynamics.space.arrays import LOSS, PAIR, PULL, ROW
from clast.dynamics.space.forces import before_half_step
from clast.dynamics.space.record import NONE, carried, tangents
from clast.dynamics.space.step import write_three
from clast.laws.law import Memory
from clast.laws.overlap import Overlap

DEEP = 0.25  # of the smaller piece's volume: overlaps larger than this end the run, the law is meant for small ones


@device
def pair_forces(
    elastic, law, spring_energy, conserving, history, gear, p, pair, constant, candidate, spring, weight, body, derivative,
    geometry, vertex, edge, plane, parameters, point, link, dt, spring_dt, kick,
):  # fmt: skip
    """The overlap of row p.

    Returns force on i, torques on i and j, the viscous part of these, the part of these without potential, heat of sliding,
    energy of a lost spring, whether the overlap is too deep.
    """
    i, j = ROW * np.int64(pair[PAIR * p]), ROW * np.int64(pair[PAIR * p + 1])
    branch = plus(minus(triple(body, j), triple(body, i)), triple(constant, CONSTANT * p))  # from i to j's image
    k = np.int64(pair[PAIR * p + 2])
    volume, arm, area, turning = overlap_of(p, i, j, branch, pair, candidate, body, geometry, vertex, edge, plane, point, link)
    normal, width = normal_of(area)
    size = constant[CONSTANT * p + 5]
    if volume <= 0.0 or width <= 0.0:
        lost = 0.0
        if history and weight[k] != 0.0:
            stretched = triple(spring, WIDTH * k)
            lost = spring_energy(parameters, size, math.sqrt(dot(stretched, stretched)), 0.0)
            weight[k] = 0.0
        return NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, 0.0, lost, volume > 0.0
    one_i, one_j = np.int64(candidate[2 * k]), np.int64(candidate[2 * k + 1])
    deep = volume > DEEP * min(geometry.piece_volume[one_i], geometry.piece_volume[one_j])
    if conserving:
        arm = middle_of_pressure(arm, normal, width, turning)
    speed, spin_i, spin_j = velocity_at(arm, branch, body, i, j)
    closing = dot(speed, normal)
    length = contact_length(arm, branch, pair[PAIR * p + 5])
    section, reduced_mass = constant[CONSTANT * p + 6], constant[CONSTANT * p + 3]
    heat = viscous = 0.0
    across = dragged = NONE
    if history:
        late_i, late_j, late = spin_i, spin_j, speed
        if gear:  # velocities are those of t_n: springs take what they were half a step ago
            late, late_i, late_j = before_half_step(gear, derivative, i, j, arm, branch, speed, spin_i, spin_j, dt)
        place = plus(triple(body, i), arm)
        if weight[k] == 0.0:
            weight[k] = 1.0
            write_three(spring, WIDTH * k, NONE, place, normal)
        sliding = sliding_in_step(
            late,
            late_i,
            late_j,
            arm,
            branch,
            normal,
            body,
            i,
            j,
            triple(spring, WIDTH * k + 3),
            triple(spring, WIDTH * k + 6),
            dt,
        )
        one, two = tangents(normal)
        mean = 0.5 * (dot(late_i, normal) + dot(late_j, normal)) * spring_dt
        kept = carried(triple(spring, WIDTH * k), normal, mean)
        sliding = along(sliding, 0.5 * mean, cross(normal, sliding))  # grown all along the turn: by half of it
        answer = law(
            parameters,
            Overlap(volume, width, length, size, section, closing, dot(sliding, one), dot(sliding, two), reduced_mass),
            Memory(dot(kept, one), dot(kept, two), 0.0), spring_dt,
        )  # fmt: skip
        kept = along(times(answer.spring_u, one), answer.spring_w, two)
        write_three(spring, WIDTH * k, kept, place, normal)
        heat = answer.heat
        push = answer.elastic * kick
        viscous = answer.viscous * kick
        dragged = along(times(kick * answer.drag_u, one), kick * answer.drag_w, two)
        across = plus(along(times(kick * answer.shear_u, one), kick * answer.shear_w, two), dragged)
    else:
        push = kick * elastic(parameters, Overlap(volume, width, length, size, section, closing, 0.0, 0.0, reduced_mass))
    pushed = times(-push, normal)
    push_i, push_j = cross(arm, pushed), cross(pushed, minus(arm, branch))
    if conserving:
        couple = minus(times(push / width, turning), push_i)
        push_i, push_j = plus(push_i, couple), minus(push_j, couple)
    lossy = along(dragged, -viscous, normal)
    rest = along(across, -viscous, normal)
    force = plus(pushed, rest)
    torque_i, torque_j = plus(push_i, cross(arm, rest)), plus(push_j, cross(rest, minus(arm, branch)))
    drag_i, drag_j = cross(arm, lossy), cross(lossy, minus(arm, branch))
    return force, torque_i, torque_j, lossy, drag_i, drag_j, pushed, push_i, push_j, heat, 0.0, deep


@device
def overlap_forces(
    elastic, law, spring_energy, unpack, conserving, history, gear, low, high, geometry, model, state, contacts, forces,
    thread, dt, spring_dt, kick,
):  # fmt: skip
    """Forces of the rows low ≤ p < high, in the scratch of a thread. Returns the first row that overlaps too deeply, or −1."""
    vertex, edge, plane = geometry.vertex.reshape(-1), geometry.edge.reshape(-1), geometry.plane.reshape(-1)
    pair, constant, candidate = contacts.pair.reshape(-1), contacts.pair_constant.reshape(-1), contacts.candidate.reshape(-1)
    spring, weight = contacts.spring.reshape(-1), contacts.weight
    body, table, derivative = state.body.reshape(-1), model.law, state.gear.reshape(-1)
    out, loss, work = forces.pair.reshape(-1), forces.loss.reshape(-1), forces.work.reshape(-1)
    point, link = contacts.point[thread], contacts.link[thread]
    deep = np.int64(-1)
    for q in range(low, high):
        p = unsigned(q)
        row = np.uint64(constant[CONSTANT * p + 4])
        force, torque_i, torque_j, drag, drag_i, drag_j, push, push_i, push_j, heat, lost, too_deep = pair_forces(
            elastic, law, spring_energy, conserving, history, gear, p, pair, constant, candidate, spring, weight, body,
            derivative, geometry, vertex, edge, plane, unpack(table, row), point, link, dt, spring_dt, kick,
        )  # fmt: skip
        write_three(out, PULL * p, force, torque_i, torque_j)
        if history:
            write_three(loss, LOSS * p, drag, drag_i, drag_j)
            loss[LOSS * p + 9], loss[LOSS * p + 10], loss[LOSS * p + 11] = heat, 0.0, lost
            if not conserving:
                write_three(work, PULL * p, push, push_i, push_j)
        if too_deep and deep < 0:
            deep = q
    return deep
