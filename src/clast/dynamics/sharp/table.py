"""The table of overlaps at an instant: what energies, outputs and measures read. One row per overlap.

The columns are those of `clast.dynamics.space.table`. The depth of an overlap is V/|A|, held against the L of its pair.
"""

import math

import numpy as np

from clast.backend.device import device
from clast.contact.vectors import along, cross, dot, minus, plus, times, triple
from clast.dynamics.sharp.arrays import CONSTANT, WIDTH
from clast.dynamics.sharp.record import contact_length, middle_of_pressure, normal_of, overlap_of, velocity_at
from clast.dynamics.space import table as space
from clast.dynamics.space.arrays import PAIR, ROW
from clast.dynamics.space.record import carried, in_plane, tangents
from clast.dynamics.space.table import (
    BRANCH,
    CLOSING_SPEED,
    COUNT,
    DAMPING,
    DEPTH,
    DRAG,
    NORMAL,
    NORMAL_ENERGY,
    POINT,
    PUSH,
    REACH,
    SHEAR,
    TANGENTIAL_ENERGY,
    TWIST,
    write,
)
from clast.laws.law import Memory
from clast.laws.overlap import Overlap


@device
def overlap_table(
    elastic, law, normal_energy, spring_energy, unpack, conserving, history, pairs, geometry, model, state, contacts,
    integers, floats,
):  # fmt: skip
    """Fill the rows of overlaps in list order; returns their number, which may exceed the capacity. Springs are read, not moved.

    Normals and branches point from the first to the second body. The twist is the couple of a conserving law.
    """
    body = state.body.reshape(-1)
    vertex, edge, plane = geometry.vertex.reshape(-1), geometry.edge.reshape(-1), geometry.plane.reshape(-1)
    pair, constant, candidate = contacts.pair.reshape(-1), contacts.pair_constant.reshape(-1), contacts.candidate.reshape(-1)
    spring = contacts.spring.reshape(-1)
    point, link = contacts.point[0], contacts.link[0]
    rows = 0
    for p in range(pairs):
        number_i, number_j = np.int64(pair[PAIR * p]), np.int64(pair[PAIR * p + 1])
        i, j = ROW * number_i, ROW * number_j
        branch = plus(minus(triple(body, j), triple(body, i)), triple(constant, CONSTANT * p))
        volume, arm, area, turning = overlap_of(
            p, i, j, branch, pair, candidate, body, geometry, vertex, edge, plane, point, link
        )
        normal, width = normal_of(area)
        if volume <= 0.0 or width <= 0.0:
            continue
        if rows < floats.shape[0]:
            k = np.int64(pair[PAIR * p + 2])
            parameters = unpack(model.law, np.uint64(constant[CONSTANT * p + 4]))
            size, section = constant[CONSTANT * p + 5], constant[CONSTANT * p + 6]
            if conserving:
                arm = middle_of_pressure(arm, normal, width, turning)
            speed, _, _ = velocity_at(arm, branch, body, i, j)
            closing = dot(speed, normal)
            one, two = tangents(normal)
            sliding = in_plane(speed, normal)
            record = Overlap(
                volume, width, contact_length(arm, branch, pair[PAIR * p + 5]), size, section, closing,
                dot(sliding, one), dot(sliding, two), constant[CONSTANT * p + 3],
            )  # fmt: skip
            integers[rows, 0], integers[rows, 1], integers[rows, 2] = number_i, number_j, 0
            integers[rows, 3], integers[rows, 4] = candidate[2 * k], candidate[2 * k + 1]
            integers[rows, 5], integers[rows, 6], integers[rows, 7] = 1, k, 0
            for column in range(space.WIDTH):
                floats[rows, column] = 0.0
            floats[rows, DEPTH], floats[rows, REACH] = volume / width, size
            floats[rows, CLOSING_SPEED], floats[rows, COUNT] = closing, 1.0
            write(floats, rows, NORMAL, normal)
            write(floats, rows, POINT, plus(triple(body, i), arm))
            write(floats, rows, BRANCH, branch)
            push = elastic(parameters, record)
            floats[rows, PUSH], floats[rows, NORMAL_ENERGY] = push, normal_energy(parameters, record)
            if conserving:
                write(floats, rows, TWIST, minus(times(push / width, turning), cross(arm, times(-push, normal))))
            if history:
                kept = carried(triple(spring, WIDTH * k), normal, 0.0)
                answer = law(parameters, record, Memory(dot(kept, one), dot(kept, two), 0.0), 0.0)
                floats[rows, DAMPING] = answer.viscous
                write(floats, rows, SHEAR, along(times(answer.shear_u, one), answer.shear_w, two))
                write(floats, rows, DRAG, along(times(answer.drag_u, one), answer.drag_w, two))
                floats[rows, TANGENTIAL_ENERGY] = spring_energy(parameters, size, math.sqrt(dot(kept, kept)), 0.0)
        rows += 1
    return rows
