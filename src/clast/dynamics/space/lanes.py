"""A candidate of space as a lane of a block (`clast.dynamics.contacts.blocks`)."""

from types import SimpleNamespace
from typing import Any, NamedTuple

from clast.algebra.space import triple
from clast.backend.device import device
from clast.dynamics.space.balls.ball_lanes import GAINS, read_gains, write_gains
from clast.dynamics.space.columns import NO_GAIN, Gain, write_triple
from clast.dynamics.space.counting import Met

(
    WAY, ARM, AXIS, OWN_AXIS, TWIST, VELOCITY_A, VELOCITY_B, SPIN_A, SPIN_B, BRANCH, SQUARE, COUNTS, BEND, REACH, RADIUS, SIGN,
    WITHOUT_GAIN,
) = (0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 31, 32, 33, 34, 35, 36)  # fmt: skip


class LaneBody(NamedTuple):
    """Of a body what contacts need."""

    velocity: Any
    spin: Any
    radius: float
    mid_velocity: Any
    mid_spin: Any
    gain: Gain


class LaneSide(NamedTuple):
    """Of a side what contacts need."""

    a: Any  # what contacts need of a body
    b: Any
    branch: Any
    reach: float
    sign: float


def lanes_of(expecting: int) -> SimpleNamespace:
    """`write_lane`, `read_lane` and how many columns they need; `expecting` where dashpots see what bodies will gain."""

    @device
    def write_lane(lane, met, side):
        """Put a candidate into a lane."""
        write_triple(lane, WAY, met.way)
        write_triple(lane, ARM, met.arm)
        write_triple(lane, AXIS, met.axis)
        write_triple(lane, OWN_AXIS, met.own_axis)
        write_triple(lane, TWIST, met.twist)
        write_triple(lane, VELOCITY_A, side.a.velocity)
        write_triple(lane, VELOCITY_B, side.b.velocity)
        write_triple(lane, SPIN_A, side.a.spin)
        write_triple(lane, SPIN_B, side.b.spin)
        write_triple(lane, BRANCH, side.branch)
        lane[SQUARE], lane[COUNTS], lane[BEND] = met.square, met.counts, met.bend
        lane[REACH], lane[RADIUS], lane[SIGN] = side.reach, side.a.radius, side.sign
        if expecting:
            write_gains(lane, WITHOUT_GAIN, side.a.gain, side.b.gain)

    @device
    def read_lane(lane, surely):
        """The candidate of a lane and its side, under velocity Verlet; `surely` where all that are in lanes touch."""
        velocity_a, velocity_b, spin_a, spin_b = (
            triple(lane, VELOCITY_A), triple(lane, VELOCITY_B), triple(lane, SPIN_A), triple(lane, SPIN_B)
        )  # fmt: skip
        gain_a, gain_b = read_gains(lane, WITHOUT_GAIN) if expecting else (NO_GAIN, NO_GAIN)
        a = LaneBody(velocity_a, spin_a, lane[RADIUS], velocity_a, spin_a, gain_a)
        b = LaneBody(velocity_b, spin_b, 0.0, velocity_b, spin_b, gain_b)
        square, reach = lane[SQUARE], lane[REACH]
        met = Met(
            0, lane[COUNTS], triple(lane, WAY), triple(lane, ARM), square, lane[BEND], triple(lane, AXIS), triple(lane, OWN_AXIS),
            triple(lane, TWIST), surely or square < reach * reach,
        )  # fmt: skip
        return met, LaneSide(a, b, triple(lane, BRANCH), reach, lane[SIGN])

    return SimpleNamespace(write_lane=write_lane, read_lane=read_lane, LANE=WITHOUT_GAIN + expecting * GAINS)
