"""Two disks in the plane: the contact record without frames and arms, for the same consumers as `clast.dynamics.plane.visit`.

With V = v_a − v_b, T = ẑ × N, and the contact point at ρ_a N from the centre of a and at −ρ_b N from that of b,

    sliding velocity   V·T + ρ_a ω_a + ρ_b ω_b,      dN/dt = −(V·T) T/d
    torques            ρ_a S and ρ_b S of a force S along T

A disk is one point at the centre of its body: how it is turned shows nowhere.
"""

import math
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from clast.algebra.plane import Vector, cross, dot, minus, plus, times
from clast.backend.device import device
from clast.dynamics.arrays import STAYS
from clast.dynamics.bodies.gains import readers
from clast.dynamics.contacts.round_bodies import Met, Side
from clast.dynamics.plane.columns import (
    BODY,
    MID_SPIN,
    MID_STEP,
    MID_X,
    MID_Y,
    NO_GAIN,
    RADIUS,
    SPIN,
    VX,
    VY,
    Gain,
    Wrench,
    X,
    Y,
    read_gain,
)  # fmt: skip
from clast.dynamics.plane.sheared import disk_image_of_sheared_cell, gain_of_sheared_image
from clast.dynamics.plane.visit import cell_of, gain_of_image, images_of, same_gain, so_often


class Disk(NamedTuple):
    """A disk at t_n, but for its place."""

    radius: float
    velocity: Vector
    spin: float
    mid_velocity: Vector
    mid_spin: float
    gain: Gain


class Touch(NamedTuple):
    """The contact record."""

    depth: float
    normal: Vector
    arm_a: float  # ρ
    arm_b: float
    inverse: float  # one over the distance of the centres
    closing: float  # V·N
    across: float  # V·T


@device
def disk_with(gain, state, b):
    """Disk b under velocity Verlet."""
    t, at = state.body, BODY * b
    velocity, spin = Vector(t[at + VX], t[at + VY]), t[at + SPIN]
    return Disk(t[at + RADIUS], velocity, spin, velocity, spin, gain)


read_disk, read_expecting_disk = readers(disk_with, read_gain, NO_GAIN)


@device
def read_predicted_disk(state, b):
    """Disk b under Gear's method."""
    t, at, mid, before = state.body, BODY * b, state.mid_step, MID_STEP * b
    return Disk(
        t[at + RADIUS], Vector(t[at + VX], t[at + VY]), t[at + SPIN], Vector(mid[before + MID_X], mid[before + MID_Y]),
        mid[before + MID_SPIN], NO_GAIN,
    )  # fmt: skip


@device
def touch_of(met, side):
    """Fill the contact record."""
    distance = math.sqrt(met.square)
    inverse = distance * (1.0 / met.square)  # root and quotient side by side instead of one after the other
    normal, v = times(inverse, met.way), minus(side.a.velocity, side.b.velocity)
    depth = side.reach - distance
    arm = side.a.radius - 0.5 * depth
    return Touch(depth, normal, arm, distance - arm, inverse, dot(v, normal), cross(normal, v))


@device
def sliding_now(touch, side):
    """Sliding velocity for the velocities given."""
    return touch.across + (touch.arm_a * side.a.spin + touch.arm_b * side.b.spin), 0.0


@device
def gained(touch, side):
    """What closing speed and sliding velocity are expected to gain until t_n."""
    a, b = side.a.gain, side.b.gain
    v = minus(a.velocity, b.velocity)
    return dot(v, touch.normal), (cross(touch.normal, v) + (touch.arm_a * a.spin + touch.arm_b * b.spin), 0.0)


@device
def sliding_before(touch, side, turned, dt):
    """Sliding velocity of half a step ago, when disks were deeper or less deep and T was turned; see `plane.visit`."""
    a, b = side.a, side.b
    v = minus(a.mid_velocity, b.mid_velocity)
    across, mean = cross(touch.normal, v), 0.5 * (a.mid_spin + b.mid_spin)
    whirl = touch.arm_a * a.mid_spin + touch.arm_b * b.mid_spin
    return across + whirl + 0.5 * dt * touch.closing * (mean - touch.inverse * across), 0.0


@device
def push_on_pair(touch, side, push):
    """What the force −push N on a does to the pair."""
    return Wrench(-push * touch.normal.x, -push * touch.normal.y, 0.0, 0.0)


@device
def on_pair(touch, side, push, across):
    """What the force −push N + across T on a does to the pair; `across` is given as two numbers, the second 0."""
    n, s = touch.normal, across[0]
    return Wrench(-push * n.x - s * n.y, -push * n.y + s * n.x, touch.arm_a * s, touch.arm_b * s)


@device
def heir(met, side, pair, world, opening):
    """Two disks have one contact: nobody inherits."""
    return np.int64(-1)


@device
def left_behind(met, side, pair, world):
    """The candidate as it is."""
    return met


@device
def image_at_rest(velocity, pair, world):
    """The image of j moves as j does."""
    return velocity


@device
def image_of_cell(velocity, pair, world):
    """The image of j moves with the cell, as many times as it lies cells away."""
    return plus(velocity, so_often(pair, cell_of(world)[1], world))


def visit_of(choice: SimpleNamespace) -> SimpleNamespace:
    """`read_pair` and `visit` for a reach of the law, an integrator and a kind of box."""
    gap_of = choice.gap_of
    read = read_predicted_disk if choice.gear else read_expecting_disk if choice.expecting else read_disk
    read_this, _ = images_of(choice)
    moved = (image_at_rest, image_of_cell, disk_image_of_sheared_cell)[choice.cell]
    gain_moved = (same_gain, gain_of_image, gain_of_sheared_image)[choice.cell if choice.expecting else STAYS]

    @device
    def visit(pair, world, consume, total):
        """Hand the one candidate of a pair to `consume`."""
        t, i, j = world.state.body, BODY * pair.i, BODY * pair.j
        way = Vector(t[j + X] - t[i + X] + pair.shift.x, t[j + Y] - t[i + Y] + pair.shift.y)
        a, other = read(world.state, pair.i), read(world.state, pair.j)
        b = Disk(
            other.radius, moved(other.velocity, pair, world), other.spin, moved(other.mid_velocity, pair, world), other.mid_spin,
            gain_moved(other.gain, pair, world),
        )  # fmt: skip
        reach, near, square = a.radius + b.radius, a.radius + b.radius + gap_of(pair, world), dot(way, way)
        met = Met(pair.first, 1.0, way, square, square < reach * reach)
        return consume(met, Side(a, b, reach, near * near, 1.0), pair, world, total)

    return SimpleNamespace(read_pair=read_this, visit=visit)
