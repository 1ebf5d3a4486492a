"""A candidate of the plane as a lane of a block (`clast.dynamics.contacts.blocks`): all vectors as the world sees them."""

from types import SimpleNamespace
from typing import NamedTuple

from clast.algebra.plane import Vector, minus, turn
from clast.backend.device import device
from clast.dynamics.plane.columns import NO_GAIN, Gain
from clast.dynamics.plane.visit import touch_at

(
    WAY_X, WAY_Y, ARM_A_X, ARM_A_Y, ARM_B_X, ARM_B_Y, VELOCITY_A_X, VELOCITY_A_Y, VELOCITY_B_X, VELOCITY_B_Y, SPIN_A, SPIN_B,
    SQUARE, REACH, RADIUS, COUNTS, AT_VERTEX, SIGN, WITHOUT_GAIN,
) = range(19)  # fmt: skip
GAIN_X, GAIN_Y, GAIN_A, GAIN_B, WITH_GAIN = range(WITHOUT_GAIN, WITHOUT_GAIN + 5)  # of a over b, and of both spins


class LaneBody(NamedTuple):
    """Of a body what contacts need."""

    velocity: Vector
    spin: float
    radius: float
    mid_velocity: Vector
    mid_spin: float
    gain: Gain


class LaneSide(NamedTuple):
    """Of a side what contacts need."""

    a: LaneBody
    b: LaneBody
    reach: float
    sign: float


class LaneMet(NamedTuple):
    """Of a candidate what contacts need; its spring is the first of its own table."""

    k: int
    arm_a: Vector
    arm_b: Vector
    way: Vector
    counts: float
    at_vertex: float
    square: float
    touching: bool


def lanes_of(expecting: int) -> SimpleNamespace:
    """`write_lane`, `read_lane` and how many columns they need; `expecting` where dashpots see what bodies will gain."""

    @device
    def write_lane(lane, met, side):
        """Put a candidate into a lane."""
        a, b = side.a, side.b
        arm, way = turn(a.frame, met.probe), turn(b.frame, met.way)
        other = minus(arm, side.branch)
        lane[WAY_X], lane[WAY_Y], lane[SQUARE], lane[REACH] = way.x, way.y, met.square, side.reach
        lane[ARM_A_X], lane[ARM_A_Y], lane[ARM_B_X], lane[ARM_B_Y] = arm.x, arm.y, other.x, other.y
        lane[VELOCITY_A_X], lane[VELOCITY_A_Y], lane[SPIN_A] = a.velocity.x, a.velocity.y, a.spin
        lane[VELOCITY_B_X], lane[VELOCITY_B_Y], lane[SPIN_B] = b.velocity.x, b.velocity.y, b.spin
        lane[RADIUS], lane[SIGN], lane[COUNTS], lane[AT_VERTEX] = a.radius, side.sign, met.counts, met.at_vertex
        if expecting:
            gain = minus(a.gain.velocity, b.gain.velocity)
            lane[GAIN_X], lane[GAIN_Y], lane[GAIN_A], lane[GAIN_B] = gain.x, gain.y, a.gain.spin, b.gain.spin

    @device
    def read_gains(lane):
        """What both bodies will gain: b no velocity, and a that between the two."""
        if expecting:
            return Gain(Vector(lane[GAIN_X], lane[GAIN_Y]), lane[GAIN_A]), Gain(Vector(0.0, 0.0), lane[GAIN_B])
        return NO_GAIN, NO_GAIN

    @device
    def read_lane(lane, surely):
        """The candidate of a lane and its side, under velocity Verlet; `surely` where all that are in lanes touch."""
        velocity_a, velocity_b = Vector(lane[VELOCITY_A_X], lane[VELOCITY_A_Y]), Vector(lane[VELOCITY_B_X], lane[VELOCITY_B_Y])
        gain_a, gain_b = read_gains(lane)
        a = LaneBody(velocity_a, lane[SPIN_A], lane[RADIUS], velocity_a, lane[SPIN_A], gain_a)
        b = LaneBody(velocity_b, lane[SPIN_B], 0.0, velocity_b, lane[SPIN_B], gain_b)
        met = LaneMet(
            0, Vector(lane[ARM_A_X], lane[ARM_A_Y]), Vector(lane[ARM_B_X], lane[ARM_B_Y]), Vector(lane[WAY_X], lane[WAY_Y]),
            lane[COUNTS], lane[AT_VERTEX], lane[SQUARE], surely or lane[SQUARE] < lane[REACH] * lane[REACH],
        )  # fmt: skip
        return met, LaneSide(a, b, lane[REACH], lane[SIGN])

    return SimpleNamespace(write_lane=write_lane, read_lane=read_lane, LANE=WITH_GAIN if expecting else WITHOUT_GAIN)


@device
def lane_touch(met, side):
    """Fill the contact record of a lane."""
    return touch_at(met, side, met.arm_a, met.arm_b, met.way)
