"""Two disks as a lane of a block (`clast.dynamics.contacts.blocks`)."""

from types import SimpleNamespace

from clast.algebra.plane import Vector, minus
from clast.backend.device import device
from clast.dynamics.contacts.round_bodies import Met, Side
from clast.dynamics.plane.columns import NO_GAIN, Gain
from clast.dynamics.plane.disks import Disk

WAY_X, WAY_Y, VELOCITY_X, VELOCITY_Y, SPIN_A, SPIN_B, SQUARE, REACH, RADIUS, WITHOUT_GAIN = range(10)
GAIN_X, GAIN_Y, GAIN_A, GAIN_B, WITH_GAIN = range(WITHOUT_GAIN, WITHOUT_GAIN + 5)
AT_REST = Vector(0.0, 0.0)


def lanes_of(expecting: int) -> SimpleNamespace:
    """`write_lane`, `read_lane` and how many columns they need; `expecting` where dashpots see what disks will gain."""

    @device
    def write_lane(lane, met, side):
        """Put two disks into a lane."""
        velocity = minus(side.a.velocity, side.b.velocity)
        lane[WAY_X], lane[WAY_Y], lane[SQUARE], lane[REACH] = met.way.x, met.way.y, met.square, side.reach
        lane[VELOCITY_X], lane[VELOCITY_Y], lane[SPIN_A], lane[SPIN_B] = velocity.x, velocity.y, side.a.spin, side.b.spin
        lane[RADIUS] = side.a.radius
        if expecting:
            a, b = side.a.gain, side.b.gain
            gain = minus(a.velocity, b.velocity)
            lane[GAIN_X], lane[GAIN_Y], lane[GAIN_A], lane[GAIN_B] = gain.x, gain.y, a.spin, b.spin

    @device
    def read_gains(lane):
        """What both disks will gain: b no velocity, and a that between the two."""
        if expecting:
            return Gain(Vector(lane[GAIN_X], lane[GAIN_Y]), lane[GAIN_A]), Gain(AT_REST, lane[GAIN_B])
        return NO_GAIN, NO_GAIN

    @device
    def read_lane(lane, surely):
        """The two disks of a lane, under velocity Verlet; `surely` where all that are in lanes touch. b is at rest, and a has the
        velocity between the two; their spring is the first of its own table."""
        velocity, spin_a, spin_b = Vector(lane[VELOCITY_X], lane[VELOCITY_Y]), lane[SPIN_A], lane[SPIN_B]
        square, reach, (gain_a, gain_b) = lane[SQUARE], lane[REACH], read_gains(lane)
        a = Disk(lane[RADIUS], velocity, spin_a, velocity, spin_a, gain_a)
        b = Disk(reach - lane[RADIUS], AT_REST, spin_b, AT_REST, spin_b, gain_b)
        met = Met(0, 1.0, Vector(lane[WAY_X], lane[WAY_Y]), square, surely or square < reach * reach)
        return met, Side(a, b, reach, 0.0, 1.0)

    return SimpleNamespace(write_lane=write_lane, read_lane=read_lane, LANE=WITH_GAIN if expecting else WITHOUT_GAIN)
