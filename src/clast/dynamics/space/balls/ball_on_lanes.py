"""A sphere on a body with features as a lane of a block (`clast.dynamics.contacts.blocks`)."""

from types import SimpleNamespace
from typing import Any, NamedTuple

from clast.algebra.space import minus, triple
from clast.backend.device import device
from clast.dynamics.space.balls.ball_lanes import GAINS, read_gains, write_gains
from clast.dynamics.space.balls.ball_on import Met
from clast.dynamics.space.balls.balls import Ball
from clast.dynamics.space.columns import NO_GAIN, NONE, write_triple

WAY, VELOCITY, SPIN_A, SPIN_B, BRANCH, AXIS, SQUARE, COUNTS, CURVED, REACH, RADIUS, SIGN, WITHOUT_GAIN = (
    0, 3, 6, 9, 12, 15, 18, 19, 20, 21, 22, 23, 24
)  # fmt: skip


class LaneSide(NamedTuple):
    """Of a side what contacts need."""

    a: Ball
    b: Ball
    branch: Any
    reach: float
    sign: float


def lanes_of(expecting: int) -> SimpleNamespace:
    """`write_lane`, `read_lane` and how many columns they need; `expecting` where dashpots see what bodies will gain."""

    @device
    def write_lane(lane, met, side):
        """Put a candidate into a lane."""
        write_triple(lane, WAY, met.way)
        write_triple(lane, VELOCITY, minus(side.a.velocity, side.b.velocity))
        write_triple(lane, SPIN_A, side.a.spin)
        write_triple(lane, SPIN_B, side.b.spin)
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
