"""Two spheres as a lane of a block (`clast.dynamics.contacts.blocks`)."""

from clast.algebra.space import minus, triple
from clast.backend.device import device
from clast.dynamics.space.balls import Ball, Met, Side
from clast.dynamics.space.columns import write_triple
from clast.dynamics.space.tangents import NONE

WAY, VELOCITY, SPIN_A, SPIN_B, SQUARE, REACH, RADIUS, LANE = 0, 3, 6, 9, 12, 13, 14, 15  # vectors are three columns


@device
def write_lane(lane, met, side):
    """Put two spheres into a lane."""
    write_triple(lane, WAY, met.way)
    write_triple(lane, VELOCITY, minus(side.a.velocity, side.b.velocity))
    write_triple(lane, SPIN_A, side.a.spin)
    write_triple(lane, SPIN_B, side.b.spin)
    lane[SQUARE], lane[REACH], lane[RADIUS] = met.square, side.reach, side.a.radius


@device
def read_lane(lane, surely):
    """The two spheres of a lane, under velocity Verlet; `surely` where all that are in lanes touch. b is at rest, and a has the
    velocity between the two; their spring is the first of its own table."""
    velocity, spin_a, spin_b, square, reach = (
        triple(lane, VELOCITY), triple(lane, SPIN_A), triple(lane, SPIN_B), lane[SQUARE], lane[REACH]
    )  # fmt: skip
    a, b = Ball(lane[RADIUS], velocity, spin_a, velocity, spin_a), Ball(reach - lane[RADIUS], NONE, spin_b, NONE, spin_b)
    return Met(0, 1.0, triple(lane, WAY), square, surely or square < reach * reach), Side(a, b, reach, 0.0, 1.0)
