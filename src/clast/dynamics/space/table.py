"""Columns of the table of contacts in space; see `clast.dynamics.contacts.contact_rows`."""

import math

from clast.algebra.space import plus, times
from clast.backend.device import device
from clast.dynamics.space.counting import ROUND
from clast.dynamics.space.visit import in_space

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
def write(floats, at, vector):
    """A vector into three columns."""
    floats[at], floats[at + 1], floats[at + 2] = vector


@device
def write_carried(at, touch, carried, floats):
    """What a contact carries."""
    floats[at + PUSH], floats[at + DAMPING] = carried.push, carried.damping
    write(floats, at + SHEAR, in_space(carried.shear, touch))
    write(floats, at + DRAG, in_space(carried.drag, touch))
    floats[at + NORMAL_ENERGY], floats[at + TANGENTIAL_ENERGY] = carried.normal_energy, carried.tangential_energy
    floats[at + PULL], floats[at + COHESION_ENERGY] = carried.pull, carried.cohesion_energy
    write(floats, at + ROLLING_TORQUE, in_space(carried.roll, touch))
    floats[at + ROLLING_ENERGY] = carried.rolling_energy


@device
def write_row(rows, touch, met, side, pair, carried, world):
    """Row number `rows`. Normals and branches point from the first to the second body, or the image of it that is met."""
    integers, floats, at, n, k = world.scratch.row_integers, world.scratch.row_floats, WIDTH * rows, INTEGERS * rows, met.k
    integers[n + PROBER], integers[n + PROBED] = (pair.i, pair.j) if side.sign > 0.0 else (pair.j, pair.i)
    integers[n + SECTION], integers[n + CANDIDATE] = side.section, k
    integers[n + FIRST], integers[n + SECOND] = world.lists.candidate[2 * k], world.lists.candidate[2 * k + 1]
    integers[n + SIGN], integers[n + AT_VERTEX] = (1 if met.counts > 0.0 else -1), met.bend == ROUND
    floats[at + DEPTH], floats[at + REACH] = touch.depth, side.reach
    floats[at + CLOSING_SPEED], floats[at + COUNT] = touch.closing, met.counts
    write(floats, at + NORMAL, touch.normal)
    write(floats, at + POINT, plus(side.a.place, touch.lever))
    write(floats, at + BRANCH, side.branch)
    write_carried(at, touch, carried, floats)
    write(floats, at + TWIST, times((carried.normal_energy + carried.cohesion_energy) / met.counts, touch.twist))


@device
def length(vector):
    """Length of a vector across the normal."""
    return math.sqrt(vector[0] * vector[0] + vector[1] * vector[1])
