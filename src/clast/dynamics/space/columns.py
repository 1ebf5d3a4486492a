"""Where things stand in the flat tables of space, and the records that passes read from them."""

from typing import NamedTuple

from clast.algebra.space import plus, rotation_of, triple
from clast.backend.device import device
from clast.dynamics.arrays import ACCOUNTS

Vector = tuple[float, float, float]  # see clast.algebra.space
Quaternion = tuple[float, float, float, float]  # w, x, y, z

BODY, X, Y, Z, RADIUS, TURN, VELOCITY, SPIN = 16, 0, 1, 2, 3, 4, 8, 12  # State.body: two cache lines each
PLACE_OF_OFFSET = 11  # in the row of a sheared cell; what is no number of a body elsewhere
MOMENTUM = 4  # State.momentum
BOOK = ACCOUNTS  # State.book
MID_STEP, MID_VELOCITY, MID_SPIN = 6, 0, 3  # `State.mid_step`
GAIN, GAIN_SPIN, GAINED = 16, 4, 8  # State.gain: what velocity and spin will gain, what they gained last; two cache lines each
PAIR, BODY_I, BODY_J, FIRST, SECOND, THIRD = 6, 0, 1, 2, 3, 4  # Lists.pair: bodies, first candidates of sections,
MARK = 5  # and a mark: the kind of a pair, of sharp bodies who does not give way
CONSTANT, SHIFT, MASS, LAW, REDUCED = 6, 0, 3, 4, 5  # Lists.pair_constant
CANDIDATE, PROBE, FACED = 2, 0, 1  # Lists.candidate
PULL, FORCE, ON_I, ON_J = 9, 0, 3, 6  # a wrench: Forces.more, Forces.work
SUMS = 2 * PULL  # Forces.pair: a wrench, then the viscous part of it
REFERENCE, REACH, THEN = 8, 3, 4  # Lists.reference: x, y, z, reach, quaternion


class Wrench(NamedTuple):
    """A force on i, the opposite on j, and a torque on each."""

    force: Vector
    on_i: Vector
    on_j: Vector


class Gain(NamedTuple):
    """What is added to the velocity and the spin of a body."""

    velocity: Vector
    spin: Vector


NONE = (0.0, 0.0, 0.0)
NOTHING = Wrench(NONE, NONE, NONE)
NO_GAIN = Gain(NONE, NONE)


@device
def read_gain(state, b):
    """What body b is expected to gain until the next forces."""
    return Gain(triple(state.gain, GAIN * b), triple(state.gain, GAIN * b + GAIN_SPIN))


@device
def write_triple(table, at, v):
    """Three numbers into a flat table, from `at` on."""
    table[at], table[at + 1], table[at + 2] = v


@device
def four(table, at):
    """Four numbers of a flat table, from `at` on."""
    return table[at], table[at + 1], table[at + 2], table[at + 3]


@device
def write_four(table, at, q):
    """Four numbers into a flat table, from `at` on."""
    table[at], table[at + 1], table[at + 2], table[at + 3] = q


@device
def rotation_by(q):
    """Rotation of a unit quaternion: body frame → world."""
    return rotation_of(q[0], q[1], q[2], q[3])


@device
def candidates_of(pair):
    """How many candidates a pair has."""
    return pair.last - pair.first


@device
def add_wrench(a, b):
    """Sum of two wrenches."""
    return Wrench(plus(a.force, b.force), plus(a.on_i, b.on_i), plus(a.on_j, b.on_j))


@device
def read_wrench(table, at):
    """The wrench that begins at `at`."""
    return Wrench(triple(table, at + FORCE), triple(table, at + ON_I), triple(table, at + ON_J))


@device
def write_wrench(table, at, w):
    """A wrench into a flat table."""
    write_triple(table, at + FORCE, w.force)
    write_triple(table, at + ON_I, w.on_i)
    write_triple(table, at + ON_J, w.on_j)
