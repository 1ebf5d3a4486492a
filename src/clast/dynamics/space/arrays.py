"""What moves in space; all other nouns are those of `clast.dynamics.arrays`.

Rows of State.body: x y z, sphero-radius, quaternion w x y z, velocity x y z, 0, spin x y z (in the world), 0.
"""

from typing import NamedTuple

import numpy as np

ROW = 16  # numbers of a body: two cache lines
RADIUS, TURN, VELOCITY, SPIN = 3, 4, 8, 12  # columns of State.body where these begin
PAIR = 6  # numbers of a row of Contacts.pair
CONSTANT = 6  # of Contacts.pair_constant
PULL = 9  # of Forces.pair
LOSS = 12  # of Forces.loss


class SpaceState(NamedTuple):
    """What moves. Between steps velocities are those of the half step before (Verlet), or predicted for t_n (Gear)."""

    body: np.ndarray  # (n, 16), see above; the spin is the mean over the last drift (Verlet), which contacts see
    momentum: np.ndarray  # (n, 4) angular momentum in the principal frame at the end of the last drift, and a 0
    book: np.ndarray  # (n, 8) heats and work since the start, per body
    gear: np.ndarray  # (n, 10, order) for Gear, see clast.dynamics.space.predicting; (1, 10, 1) for Verlet
    late: np.ndarray  # (n, 6) velocity and spin half a step ago, which springs follow; (1, 6) for Verlet, whose own they are
