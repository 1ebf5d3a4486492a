"""Two spheres as a lane of a block (`clast.dynamics.contacts.blocks`)."""

from types import SimpleNamespace

from clast.algebra.space import minus, triple
from clast.backend.device import device
from clast.dynamics.contacts.round_bodies import Met, Side
from clast.dynamics.space.balls.balls import Ball
from clast.dynamics.space.columns import NO_GAIN, Gain, write_triple
from clast.dynamics.space.tangents import NONE

WAY, VELOCITY, SPIN_A, SPIN_B, SQUARE, REACH, RADIUS, WITHOUT_GAIN = 0, 3, 6, 9, 12, 13, 14, 15  # vectors are three columns
GAINS = 9  # columns of what two bodies will gain


@device
def write_gains(lane, at, a, b):
    """Put what two bodies will gain into columns from `at` on: the velocity of a over b, and both spins."""
    write_triple(lane, at, minus(a.velocity, b.velocity))
    write_triple(lane, at + 3, a.spin)
    write_triple(lane, at + 6, b.spin)


@device
def read_gains(lane, at):
    """What both bodies will gain: b no velocity, and a that between the two."""
    return Gain(triple(lane, at), triple(lane, at + 3)), Gain(NONE, triple(lane, at + 6))


@device
def write_motion(lane, met, side):
    """Put the way between two bodies, the velocity of a over b and both spins into the first columns."""
    write_triple(lane, WAY, met.way)
    write_triple(lane, VELOCITY, minus(side.a.velocity, side.b.velocity))
    write_triple(lane, SPIN_A, side.a.spin)
    write_triple(lane, SPIN_B, side.b.spin)


def lanes_of(expecting: int) -> SimpleNamespace:
    """`write_lane`, `read_lane` and how many columns they need; `expecting` where dashpots see what spheres will gain."""

    @device
    def write_lane(lane, met, side):
        """Put two spheres into a lane."""
        write_motion(lane, met, side)
        lane[SQUARE], lane[REACH], lane[RADIUS] = met.square, side.reach, side.a.radius
        if expecting:
            write_gains(lane, WITHOUT_GAIN, side.a.gain, side.b.gain)

    @device
    def read_lane(lane, surely):
        """The two spheres of a lane, under velocity Verlet; `surely` where all that are in lanes touch. b is at rest, and a has
        the velocity between the two; their spring is the first of its own table."""
        velocity, spin_a, spin_b, square, reach = (
            triple(lane, VELOCITY), triple(lane, SPIN_A), triple(lane, SPIN_B), lane[SQUARE], lane[REACH]
        )  # fmt: skip
        gain_a, gain_b = read_gains(lane, WITHOUT_GAIN) if expecting else (NO_GAIN, NO_GAIN)
        a = Ball(lane[RADIUS], velocity, spin_a, velocity, spin_a, gain_a)
        b = Ball(reach - lane[RADIUS], NONE, spin_b, NONE, spin_b, gain_b)
        return Met(0, 1.0, triple(lane, WAY), square, surely or square < reach * reach), Side(a, b, reach, 0.0, 1.0)

    return SimpleNamespace(write_lane=write_lane, read_lane=read_lane, LANE=WITHOUT_GAIN + expecting * GAINS)
