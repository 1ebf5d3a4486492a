"""Columns of the table of contacts in the plane; see `clast.dynamics.contacts.contact_rows`."""

import numpy as np

from clast.backend.device import device

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
def write_row(rows, touch, met, side, pair, carried, world):
    """Row number `rows`. Normals and branches point from the probing to the probed body, or the image of it that is met."""
    integers, floats, at, n = world.scratch.row_integers, world.scratch.row_floats, WIDTH * rows, INTEGERS * rows
    integers[n + PROBER], integers[n + PROBED] = (pair.i, pair.j) if side.sign > 0.0 else (pair.j, pair.i)
    integers[n + SIDE], integers[n + PROBE] = side.sign < 0.0, world.lists.candidate[2 * met.k]
    integers[n + FEATURE], integers[n + COUNT], integers[n + CANDIDATE] = met.feature, np.int64(met.counts), met.k
    integers[n + AT_VERTEX] = np.int64(met.at_vertex)
    floats[at + DEPTH], floats[at + NORMAL_X], floats[at + NORMAL_Y] = touch.depth, touch.normal.x, touch.normal.y
    floats[at + POINT_X] = side.a.place.x + touch.arm_a.x + touch.offset * touch.normal.x
    floats[at + POINT_Y] = side.a.place.y + touch.arm_a.y + touch.offset * touch.normal.y
    floats[at + SPRING], floats[at + PUSH], floats[at + DAMPING] = carried.spring[0], carried.push, carried.damping
    floats[at + SHEAR], floats[at + DRAG] = carried.shear[0], carried.drag[0]
    floats[at + NORMAL_ENERGY], floats[at + TANGENTIAL_ENERGY] = carried.normal_energy, carried.tangential_energy
    floats[at + REACH], floats[at + PULL], floats[at + COHESION_ENERGY] = side.reach, carried.pull, carried.cohesion_energy
    floats[at + ROLLING_TORQUE], floats[at + ROLLING_ENERGY] = carried.roll[0], carried.rolling_energy
    floats[at + CLOSING_SPEED], floats[at + BRANCH_X], floats[at + BRANCH_Y] = touch.closing, side.branch.x, side.branch.y


@device
def length(vector):
    """Length of a vector across the normal, given as (u, 0): with its sign."""
    return vector[0]
