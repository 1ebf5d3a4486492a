"""A sphere on a body with features as a lane of a block (`clast.dynamics.contacts.blocks`)."""

from types import SimpleNamespace

from clast.algebra.space import triple
from clast.backend.device import device
from clast.dynamics.space.balls.ball_lanes import GAINS, SPIN_A, SPIN_B, VELOCITY, WAY, read_gains, write_gains, write_motion
from clast.dynamics.space.balls.ball_on import Met
from clast.dynamics.space.balls.balls import Ball
from clast.dynamics.space.columns import NO_GAIN, NONE, write_triple
from clast.dynamics.space.lanes import LaneSide

BRANCH, AXIS, SQUARE, COUNTS, CURVED, REACH, RADIUS, SIGN, WITHOUT_GAIN = 12, 15, 18, 19, 20, 21, 22, 23, 24  # behind SPIN_B


def lanes_of(expecting: int) -> SimpleNamespace:
    """`write_lane`, `read_lane` and how many columns they need; `expecting` where dashpots see what bodies will gain."""

    @device
    def write_lane(lane, met, side):
        """Put a candidate into a lane."""
        write_motion(lane, met, side)
        write_triple(lane, BRANCH, side.branch)
        write_triple(lane, AXIS, met.axis)
        lane[SQUARE], lane[COUNTS], lane[CURVED] = met.square, met.counts, met.curved
        lane[REACH], lane[RADIUS], lane[SIGN] = side.reach, side.a.radius, side.sign
        if expecting:
            write_gains(lane, WITHOUT_GAIN, side.a.gain, side.b.gain)

    @device
    def read_lane(lane, surely):
        """The candidate of a lane and its side, under velocity Verlet; `surely` where all that are in lanes touch. b has no
        velocity, and a has that between the two."""
        velocity, spin_a, spin_b, square, reach = (
            triple(lane, VELOCITY), triple(lane, SPIN_A), triple(lane, SPIN_B), lane[SQUARE], lane[REACH]
        )  # fmt: skip
        gain_a, gain_b = read_gains(lane, WITHOUT_GAIN) if expecting else (NO_GAIN, NO_GAIN)
        a, b = Ball(lane[RADIUS], velocity, spin_a, velocity, spin_a, gain_a), Ball(0.0, NONE, spin_b, NONE, spin_b, gain_b)
        met = Met(
            0, lane[COUNTS], triple(lane, WAY), square, lane[CURVED], triple(lane, AXIS), surely or square < reach * reach
        )  # fmt: skip
        return met, LaneSide(a, b, triple(lane, BRANCH), reach, lane[SIGN])

    return SimpleNamespace(write_lane=write_lane, read_lane=read_lane, LANE=WITHOUT_GAIN + expecting * GAINS)
