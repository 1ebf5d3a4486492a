"""The table of contacts at an instant: what energies, outputs and measures read. One row per counted contact."""

import numpy as np

from clast.backend.device import device
from clast.dynamics.forces import memory_width
from clast.dynamics.record import carry, contact_record, image_shift, present_cell, probe_arms
from clast.laws.cohesion import pull, pull_energy
from clast.laws.law import Contact, Memory
from clast.laws.rolling import rolling_energy, rolling_torque

# columns of the float table
(
    DEPTH,
    NORMAL_X,
    NORMAL_Y,
    POINT_X,
    POINT_Y,
    SPRING,
    PUSH,
    DAMPING,
    SHEAR,
    DRAG,
    NORMAL_ENERGY,
    TANGENTIAL_ENERGY,
    REACH,
    PULL,
    COHESION_ENERGY,
    ROLLING_TORQUE,
    ROLLING_ENERGY,
    CLOSING_SPEED,
    BRANCH_X,
    BRANCH_Y,
) = range(20)
WIDTH = 20
# columns of the integer table: probing body, probed body, side, probe, feature, count, candidate, whether a vertex is probed
PROBER, PROBED, SIDE, PROBE, FEATURE, COUNT, CANDIDATE, AT_VERTEX = range(8)
INTEGERS = 8


@device
def contact_table(
    meet, elastic, law, normal_energy, spring_energy, unpack, history, sized, extra, rolling, cohesive, cell, own, pairs,
    geometry, model, state, contacts, integers, floats,
):  # fmt: skip
    """Fill the rows of touching contacts in list order; returns their number, which may exceed the capacity.

    Normals and branches point from the probing to the probed body, or the image of it that is met; forces are the law's,
    unweighted. Springs are read, not moved.
    With cohesion, pairs of features that pull across a gap have rows too: their depth is negative.
    """
    body, vertex, feature = state.body, geometry.vertex, geometry.feature
    pair, constant, candidate, spring = contacts.pair, contacts.pair_constant, contacts.candidate, contacts.spring
    width = memory_width(extra, rolling)
    size, growth = present_cell(cell, model, body.reshape(-1))
    radius = strength = gap_range = 0.0
    rows = 0
    for p in range(pairs):
        row = np.int64(constant[p, 3])
        parameters = unpack(model.law, row)
        if sized:
            radius = 1.0 / (model.inverse_radius[pair[p, 0]] + model.inverse_radius[pair[p, 1]])
        if cohesive:
            strength, gap_range = model.law[row, own + 2 * rolling], model.law[row, own + 2 * rolling + 1]
        shift = (constant[p, 0], constant[p, 1], 0.0, 0.0)
        if cell:
            shift = image_shift(contacts.image[p, 0], contacts.image[p, 1], size, growth)
        for side in range(2):
            a, b = np.int64(pair[p, side]), np.int64(pair[p, 1 - side])
            sign = 1.0 - 2.0 * side
            branch_x = sign * (body[pair[p, 1], 0] - body[pair[p, 0], 0] + shift[0])
            branch_y = sign * (body[pair[p, 1], 1] - body[pair[p, 0], 1] + shift[1])
            b_cos, b_sin = body[b, 2], body[b, 3]
            cosine = body[a, 2] * b_cos + body[a, 3] * b_sin
            sine = body[a, 3] * b_cos - body[a, 2] * b_sin
            shift_x = -(b_cos * branch_x + b_sin * branch_y)
            shift_y = -(b_cos * branch_y - b_sin * branch_x)
            reach = body[a, 7] + body[b, 7]
            first = np.int64(pair[p, 2 + side])
            last = np.int64(pair[p, 3]) if side == 0 else np.int64(pair[p + 1, 2])
            for k in range(first, last):
                v, f = candidate[k, 0], candidate[k, 1]
                x, y = carry(vertex[v, 0], vertex[v, 1], cosine, sine, shift_x, shift_y)
                count, qx, qy, at_vertex = meet(
                    x, y, feature[f, 0], feature[f, 1], feature[f, 2], feature[f, 3],
                    feature[f, 4], feature[f, 5], feature[f, 6], feature[f, 7],
                )  # fmt: skip
                square = qx * qx + qy * qy
                if count == 0.0 or square >= (reach + gap_range) * (reach + gap_range):
                    continue
                if rows < floats.shape[0]:
                    arm_x, arm_y, b_arm_x, b_arm_y = probe_arms(
                        vertex[v, 0], vertex[v, 1], body[a, 2], body[a, 3], branch_x, branch_y
                    )
                    depth, nx, ny, offset, _, closing, across = contact_record(
                        qx, qy, square, reach, body[a, 7], b_cos, b_sin, arm_x, arm_y, b_arm_x, b_arm_y,
                        body[a, 4] - sign * shift[2], body[a, 5] - sign * shift[3], body[a, 6],
                        body[b, 4], body[b, 5], body[b, 6],
                    )  # fmt: skip
                    integers[rows, 0], integers[rows, 1], integers[rows, 2] = a, b, side
                    integers[rows, 3], integers[rows, 4], integers[rows, 5] = v, f, np.int64(count)
                    integers[rows, 6], integers[rows, 7] = k, np.int64(at_vertex)
                    for column in range(WIDTH):
                        floats[rows, column] = 0.0
                    floats[rows, 0], floats[rows, 1], floats[rows, 2] = depth, nx, ny
                    floats[rows, 3] = body[a, 0] + arm_x + offset * nx
                    floats[rows, 4] = body[a, 1] + arm_y + offset * ny
                    floats[rows, 12], floats[rows, 17] = reach, closing
                    floats[rows, 18], floats[rows, 19] = branch_x, branch_y
                    if depth > 0.0:
                        floats[rows, 6] = count * elastic(parameters, depth, radius)
                        floats[rows, 10] = count * normal_energy(parameters, depth, radius)
                        if history and count > 0.0:
                            kept = spring[k, 0]
                            second = spring[k, 1] if extra else 0.0
                            sliding = across + (body[a, 6] - body[b, 6]) * offset
                            answer = law(
                                parameters, Contact(depth, closing, sliding, 0.0, constant[p, 2], radius),
                                Memory(kept, 0.0, second), 0.0,
                            )  # fmt: skip
                            floats[rows, 5], floats[rows, 7] = kept, answer.viscous
                            floats[rows, 8], floats[rows, 9] = answer.shear_u, answer.drag_u
                            floats[rows, 11] = spring_energy(parameters, kept, 0.0, second)
                            if rolling:
                                stiffness = model.law[row, own]
                                angle = spring[k, width - 1]
                                floats[rows, 15], _, _, _, _ = rolling_torque(
                                    stiffness, model.law[row, own + 1], answer.elastic + answer.viscous, radius,
                                    0.0, 0.0, angle, 0.0, 0.0,
                                )  # fmt: skip
                                floats[rows, 16] = rolling_energy(stiffness, angle)
                    if cohesive:
                        floats[rows, 13] = count * pull(strength, gap_range, depth)
                        floats[rows, 14] = count * pull_energy(strength, gap_range, depth)
                rows += 1
    return rows
