"""The table of contacts at an instant, in space: what energies, outputs and measures read. One row per counted contact."""

import math

import numpy as np

from clast.backend.device import device
from clast.contact.vectors import along, between, cross, dot, minus, plus, times, triple, turn_back
from clast.dynamics.space.arrays import PAIR, ROW, SPIN, VELOCITY
from clast.dynamics.space.forces import body_rotation, memory_width
from clast.dynamics.space.record import carried, contact_record, in_plane, tangents, touch_apart
from clast.laws.cohesion import pull, pull_energy
from clast.laws.law import Contact, Memory
from clast.laws.rolling import rolling_energy, rolling_torque

# columns of the float table; vectors (in the world) take three from there on. Forces and energies are weighted with the count
DEPTH = 0
NORMAL, POINT = 1, 4
PUSH, DAMPING = 7, 8
SHEAR, DRAG = 9, 12
NORMAL_ENERGY, TANGENTIAL_ENERGY, REACH, PULL, COHESION_ENERGY = range(15, 20)
ROLLING_TORQUE, ROLLING_ENERGY = 20, 23
CLOSING_SPEED, BRANCH = 24, 25
COUNT = 28
TWIST = 29  # torque of the fade on the first body
WIDTH = 32
# columns of the integer table: body whose feature comes first, the other, section of the list, features, sign of the count,
# candidate, whether the second feature is a vertex
PROBER, PROBED, SECTION, FIRST, SECOND, SIGN, CANDIDATE, AT_VERTEX = range(8)
INTEGERS = 8


@device
def write(floats, row, column, vector):
    """A vector into three columns."""
    for c in range(3):
        floats[row, column + c] = vector[c]


@device
def contact_table(
    elastic, law, normal_energy, spring_energy, unpack, history, extra, rolling, cohesive, own, pairs,
    geometry, model, state, contacts, integers, floats,
):  # fmt: skip
    """Fill the rows of touching contacts in list order; returns their number, which may exceed the capacity.

    Normals and branches point from the first to the second body, or the image of it that is met. Springs are read, not moved.
    With cohesion, features that pull across a gap have rows too: their depth is negative.
    """
    body = state.body.reshape(-1)
    feature, side, fan, corner = (
        geometry.feature.reshape(-1),
        geometry.side.reshape(-1),
        geometry.fan.reshape(-1),
        geometry.corner.reshape(-1),
    )
    pair, constant, candidate = contacts.pair.reshape(-1), contacts.pair_constant, contacts.candidate
    spring = contacts.spring.reshape(-1)
    width = memory_width(extra, rolling)
    strength = gap_range = 0.0
    rows = 0
    for p in range(pairs):
        row = np.int64(constant[p, 4])
        parameters = unpack(model.law, row)
        radius, reduced_mass = constant[p, 5], constant[p, 3]
        if cohesive:
            strength, gap_range = model.law[row, own + 2 * rolling], model.law[row, own + 2 * rolling + 1]
        cuts = (
            np.int64(pair[PAIR * p + 2]), np.int64(pair[PAIR * p + 3]), np.int64(pair[PAIR * p + 4]), np.int64(pair[PAIR * p + 8])
        )  # fmt: skip
        shift = (constant[p, 0], constant[p, 1], constant[p, 2])
        for section in range(3):
            flip = section == 1
            number_a, number_b = np.int64(pair[PAIR * p + flip]), np.int64(pair[PAIR * p + 1 - flip])
            a, b = ROW * number_a, ROW * number_b
            rotation_a, rotation_b = body_rotation(body, a), body_rotation(body, b)
            branch = minus(triple(body, b), triple(body, a))
            branch = minus(branch, shift) if flip else plus(branch, shift)
            relative = between(rotation_b, rotation_a)
            place = times(-1.0, turn_back(rotation_b, branch))
            reach = body[a + 3] + body[b + 3]
            near = (reach + gap_range) * (reach + gap_range)
            spin_a, spin_b = triple(body, a + SPIN), triple(body, b + SPIN)
            for k in range(cuts[section], cuts[section + 1]):
                square, count, q, arm, bend, _, _, twist = touch_apart(
                    section, candidate[k, 0], candidate[k, 1], near, rotation_a, rotation_b, relative, place,
                    feature, side, fan, corner,
                )  # fmt: skip
                if count == 0.0 or square >= near:
                    continue
                if rows < floats.shape[0]:
                    depth, normal, offset, _, closing, speed = contact_record(
                        q, square, reach, body[a + 3], arm, branch,
                        triple(body, a + VELOCITY), spin_a, triple(body, b + VELOCITY), spin_b,
                    )  # fmt: skip
                    integers[rows, 0], integers[rows, 1], integers[rows, 2] = number_a, number_b, section
                    integers[rows, 3], integers[rows, 4] = candidate[k, 0], candidate[k, 1]
                    integers[rows, 5], integers[rows, 6], integers[rows, 7] = (1 if count > 0.0 else -1), k, bend == 2
                    for column in range(WIDTH):
                        floats[rows, column] = 0.0
                    floats[rows, DEPTH], floats[rows, REACH] = depth, reach
                    floats[rows, CLOSING_SPEED], floats[rows, COUNT] = closing, count
                    write(floats, rows, NORMAL, normal)
                    write(floats, rows, POINT, plus(triple(body, a), along(arm, offset, normal)))
                    write(floats, rows, BRANCH, branch)
                    stored = 0.0
                    if depth > 0.0:
                        stored = normal_energy(parameters, depth, radius)
                        floats[rows, PUSH] = count * elastic(parameters, depth, radius)
                        floats[rows, NORMAL_ENERGY] = count * stored
                        if history and count > 0.0:
                            one, two = tangents(normal)
                            sliding = in_plane(along(speed, offset, cross(minus(spin_a, spin_b), normal)), normal)
                            kept = carried(triple(spring, width * k), normal, 0.0)
                            second = spring[width * k + 3] if extra else 0.0
                            answer = law(
                                parameters, Contact(depth, closing, dot(sliding, one), dot(sliding, two), reduced_mass, radius),
                                Memory(dot(kept, one), dot(kept, two), second), 0.0,
                            )  # fmt: skip
                            floats[rows, DAMPING] = count * answer.viscous
                            shear, drag = (answer.shear_u, answer.shear_w), (answer.drag_u, answer.drag_w)
                            write(floats, rows, SHEAR, along(times(count * shear[0], one), count * shear[1], two))
                            write(floats, rows, DRAG, along(times(count * drag[0], one), count * drag[1], two))
                            floats[rows, TANGENTIAL_ENERGY] = count * spring_energy(
                                parameters, dot(kept, one), dot(kept, two), second
                            )
                            if rolling:
                                stiffness = model.law[row, own]
                                angle = carried(triple(spring, width * k + width - 3), normal, 0.0)
                                turn_u, turn_w, _, _, _ = rolling_torque(
                                    stiffness, model.law[row, own + 1], answer.elastic + answer.viscous, radius,
                                    0.0, 0.0, dot(angle, one), dot(angle, two), 0.0,
                                )  # fmt: skip
                                write(floats, rows, ROLLING_TORQUE, along(times(count * turn_u, one), count * turn_w, two))
                                floats[rows, ROLLING_ENERGY] = count * rolling_energy(stiffness, math.sqrt(dot(angle, angle)))
                    if cohesive:
                        floats[rows, PULL] = count * pull(strength, gap_range, depth)
                        floats[rows, COHESION_ENERGY] = count * pull_energy(strength, gap_range, depth)
                        stored += pull_energy(strength, gap_range, depth)
                    write(floats, rows, TWIST, times(stored, twist))
                rows += 1
    return rows
