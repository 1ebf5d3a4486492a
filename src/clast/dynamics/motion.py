"""What every integrator does with a body: gather its forces, turn it, ask whether it has moved too far for the lists."""

import math

import numpy as np

from clast.backend.device import device

RESYNC = 1024  # steps between recomputing (cos, sin) from the angle: a fixed number, so that bits don't depend on rebuilds
LOSS = 7  # columns of Forces.loss
SMALL_TURN = 0.05  # below this the Taylor series of a turn is exact to rounding


@device
def turned(cosine, sine, turn):
    """(cos, sin) after a turn; a short Taylor series, because libm costs more than the rest of the drift."""
    if math.fabs(turn) < SMALL_TURN:
        square = turn * turn
        c = 1.0 + square * (-0.5 + square * (1.0 / 24.0 - square * (1.0 / 720.0)))
        s = turn * (1.0 + square * (-1.0 / 6.0 + square * (1.0 / 120.0 - square * (1.0 / 5040.0))))
    else:
        c = math.cos(turn)
        s = math.sin(turn)
    return cosine * c - sine * s, sine * c + cosine * s


@device
def gather(b, first_pair, first_other, other, table, width):
    """Sum of the pair forces on body b, in ascending order of pairs: force x, force y, torque.

    `table` is flat, rows of `width` beginning with force on i (x, y), torque on i, torque on j.
    """
    fx = fy = torque = 0.0
    for q in range(np.int64(first_other[b]), np.int64(first_other[b + 1])):
        row = width * np.int64(other[q])
        fx -= table[row]
        fy -= table[row + 1]
        torque += table[row + 3]
    for q in range(np.int64(first_pair[b]), np.int64(first_pair[b + 1])):
        row = width * np.int64(np.uint32(q))
        fx += table[row]
        fy += table[row + 1]
        torque += table[row + 2]
    return fx, fy, torque


@device
def gather_heat(b, first_pair, loss):
    """Heat of sliding, of rolling and energy of lost springs of the pairs in which b comes first."""
    heat = rolled = lost = 0.0
    for q in range(np.int64(first_pair[b]), np.int64(first_pair[b + 1])):
        row = LOSS * np.int64(np.uint32(q))
        heat += loss[row + 4]
        rolled += loss[row + 5]
        lost += loss[row + 6]
    return heat, rolled, lost


@device
def moved_too_far(dx, dy, turn, reach, alpha):
    """Whether a body may have moved any of its points by more than alpha since the lists were built; true for NaN."""
    slack = alpha - reach * math.fabs(turn)
    return not (slack >= 0.0 and dx * dx + dy * dy <= slack * slack)
