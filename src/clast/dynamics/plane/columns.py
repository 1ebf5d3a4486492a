"""Where things stand in the flat tables of the plane, and the records that passes read from them."""

from typing import NamedTuple

import numpy as np

from clast.algebra.plane import Vector
from clast.backend.device import device, unsigned
from clast.dynamics.arrays import ACCOUNTS
from clast.dynamics.bodies.gains import readers

BODY, X, Y, COS, SIN, VX, VY, SPIN, RADIUS = 8, 0, 1, 2, 3, 4, 5, 6, 7  # State.body: a cache line each
PLACE_OF_OFFSET = COS  # in the row of a sheared cell, which has no angle
BOOK = ACCOUNTS  # State.book
MID_STEP, MID_X, MID_Y, MID_SPIN = 3, 0, 1, 2  # `State.mid_step`
GAIN, GAINED = 8, 4  # State.gain: what x, y, spin will gain, what they gained last; a cache line each
PAIR, BODY_I, BODY_J, FIRST, MIDDLE, MARK = 5, 0, 1, 2, 3, 4  # Lists.pair; the mark is the kind of a pair
CONSTANT, SHIFT_X, SHIFT_Y, MASS, LAW, REDUCED = 5, 0, 1, 2, 3, 4  # Lists.pair_constant
CANDIDATE, PROBE, FACED = 2, 0, 1  # Lists.candidate
PULL, FX, FY, ON_I, ON_J = 4, 0, 1, 2, 3  # a wrench: Forces.more
SUMS = 2 * PULL  # Forces.pair: a wrench, then the viscous part of it; a cache line each
REFERENCE, REACH = 4, 3  # Lists.reference: x, y, angle, reach of the skeleton


class Gain(NamedTuple):
    """What is added to the velocity and the spin of a body."""

    velocity: Vector
    spin: float


class Moved(NamedTuple):
    """Where a body is after a step, and how it moves."""

    x: float
    y: float
    angle: float
    vx: float
    vy: float
    spin: float


class Body(NamedTuple):
    """A body at t_n."""

    place: Vector
    frame: Vector  # cos, sin of its angle
    velocity: Vector
    spin: float
    radius: float  # of its rounding
    mid_velocity: Vector  # velocity and spin of t_n − ½Δt, which springs follow
    mid_spin: float
    gain: Gain  # what velocity and spin are expected to gain until t_n: dashpots see it


class Pair(NamedTuple):
    """Two near bodies."""

    p: int
    i: int
    j: int
    first: int  # candidates of i's probes begin here,
    middle: int  # those of j's probes here,
    last: int  # and end here
    shift: Vector  # from j to its image that i meets
    mass: float  # reduced
    row: int  # where the parameters of its law begin
    radius: float  # reduced sphero-radius


class Wrench(NamedTuple):
    """A force on i, the opposite on j, and a torque on each."""

    x: float
    y: float
    on_i: float
    on_j: float


NOTHING = Wrench(0.0, 0.0, 0.0, 0.0)
NO_GAIN = Gain(Vector(0.0, 0.0), 0.0)


@device
def body_with(gain, state, b):
    """Body b under velocity Verlet: the velocities of a state are those of t_n − ½Δt."""
    t, at = state.body, BODY * b
    velocity, spin = Vector(t[at + VX], t[at + VY]), t[at + SPIN]
    return Body(
        Vector(t[at + X], t[at + Y]), Vector(t[at + COS], t[at + SIN]), velocity, spin, t[at + RADIUS], velocity, spin, gain
    )  # fmt: skip


@device
def read_gain(state, b):
    """What body b is expected to gain until the next forces."""
    t, at = state.gain, GAIN * b
    return Gain(Vector(t[at], t[at + 1]), t[at + 2])


read_body, read_expecting = readers(body_with, read_gain, NO_GAIN)


@device
def read_predicted(state, b):
    """Body b under Gear's method: the velocities of a state are predicted for t_n, and those of t_n − ½Δt are kept beside."""
    t, at, mid, before = state.body, BODY * b, state.mid_step, MID_STEP * b
    return Body(
        Vector(t[at + X], t[at + Y]), Vector(t[at + COS], t[at + SIN]), Vector(t[at + VX], t[at + VY]), t[at + SPIN],
        t[at + RADIUS], Vector(mid[before + MID_X], mid[before + MID_Y]), mid[before + MID_SPIN], NO_GAIN,
    )  # fmt: skip


@device
def read_pair(world, p):
    """Pair p in a box that stays."""
    t, c, at, row = world.lists.pair, world.lists.pair_constant, PAIR * p, CONSTANT * p
    return Pair(
        p, np.int64(t[at + BODY_I]), np.int64(t[at + BODY_J]), np.int64(t[at + FIRST]), np.int64(t[at + MIDDLE]),
        np.int64(t[at + PAIR + FIRST]), Vector(c[row + SHIFT_X], c[row + SHIFT_Y]), c[row + MASS],
        unsigned(c[row + LAW]), c[row + REDUCED],
    )  # fmt: skip


@device
def candidates_of(pair):
    """How many candidates a pair has."""
    return pair.last - pair.first


@device
def add_wrench(a, b):
    """Sum of two wrenches."""
    return Wrench(a.x + b.x, a.y + b.y, a.on_i + b.on_i, a.on_j + b.on_j)


@device
def read_wrench(table, at):
    """The wrench that begins at `at`."""
    return Wrench(table[at + FX], table[at + FY], table[at + ON_I], table[at + ON_J])


@device
def write_wrench(table, at, w):
    """A wrench into a flat table."""
    table[at + FX], table[at + FY], table[at + ON_I], table[at + ON_J] = w.x, w.y, w.on_i, w.on_j
