"""Two disks as a lane of a block (`clast.dynamics.contacts.blocks`)."""

from clast.algebra.plane import Vector, minus
from clast.backend.device import device
from clast.dynamics.plane.disks import Disk, Met, Side

WAY_X, WAY_Y, VELOCITY_X, VELOCITY_Y, SPIN_A, SPIN_B, SQUARE, REACH, RADIUS, LANE = range(10)
AT_REST = Vector(0.0, 0.0)


@device
def write_lane(lane, met, side):
    """Put two disks into a lane."""
    velocity = minus(side.a.velocity, side.b.velocity)
    lane[WAY_X], lane[WAY_Y], lane[SQUARE], lane[REACH] = met.way.x, met.way.y, met.square, side.reach
    lane[VELOCITY_X], lane[VELOCITY_Y], lane[SPIN_A], lane[SPIN_B] = velocity.x, velocity.y, side.a.spin, side.b.spin
    lane[RADIUS] = side.a.radius


@device
def read_lane(lane, surely):
    """The two disks of a lane, under velocity Verlet; `surely` where all that are in lanes touch. b is at rest, and a has the
    velocity between the two; their spring is the first of its own table."""
    velocity, spin_a, spin_b = Vector(lane[VELOCITY_X], lane[VELOCITY_Y]), lane[SPIN_A], lane[SPIN_B]
    square, reach = lane[SQUARE], lane[REACH]
    a, b = Disk(lane[RADIUS], velocity, spin_a, velocity, spin_a), Disk(reach - lane[RADIUS], AT_REST, spin_b, AT_REST, spin_b)
    met = Met(0, 1.0, Vector(lane[WAY_X], lane[WAY_Y]), square, surely or square < reach * reach)
    return met, Side(a, b, reach, 0.0, 1.0)
