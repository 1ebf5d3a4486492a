"""Visit the candidates of a pair: the listed probes of one body carried into the frame of the other, both ways (GM09 eq 2-4).

One rotation per pair and side does it; edges never turn. What a candidate counts stands in `clast.contact.plane.spheropolygon`;
who visits gets a `Met` for each, and `touch_of` fills the contact record of those that touch (model §3).
"""

import math
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clast.algebra.plane import Vector, cross, dot, minus, opposite, plus, times, turn, turn_back
from clast.backend.bare import bare
from clast.backend.device import device, unsigned
from clast.contact.plane.spheropolygon import read_feature
from clast.dynamics.arrays import SHEARED
from clast.dynamics.plane.columns import (
    BODY,
    CANDIDATE,
    FACED,
    PROBE,
    VX,
    VY,
    Body,
    Gain,
    Pair,
    Wrench,
    X,
    Y,
    read_body,
    read_expecting,
    read_gain,
    read_pair,
    read_predicted,
)
from clast.dynamics.plane.sheared import gain_of_sheared_image, image_of_sheared_cell, read_pair_of_sheared_cell


class Features(NamedTuple):
    """What passes see of `clast.contact.plane.features.Geometry`."""

    vertex: Any
    feature: Any
    following: Any


@device
def look_at(geometry):
    """What passes see of the shapes."""
    return Features(bare(geometry.vertex), bare(geometry.feature), bare(geometry.following))


class Side(NamedTuple):
    """Probes of a on features of b."""

    a: Body
    b: Body
    branch: Vector  # from a to b, or the image of it that is met
    frame: Vector  # of a, seen from b
    shift: Vector  # of a's centre, seen from b
    reach: float  # sum of the sphero-radii
    near: float  # square of the distance from which on a candidate counts for nobody
    sign: float  # 1 where a is the pair's i, −1 where it is j
    end: int  # of the candidates of this side


class Met(NamedTuple):
    """Candidate k of a side. `place` and `way` are seen from b."""

    k: int
    probe: Vector  # in a's frame
    place: Vector
    feature: int
    counts: float  # how much it counts, 0 where the closest point lies on another feature
    way: Vector  # from the probe to the closest point of the feature
    at_vertex: float  # 1 where that is a vertex
    square: float  # of the way
    touching: bool


class Touch(NamedTuple):
    """The contact record. R = X + offset N is the contact point, X the probe; N from a to b, T = ẑ × N."""

    depth: float
    normal: Vector
    offset: float
    inverse: float  # one over the distance of the skeletons
    closing: float  # v·N, v = v_a − v_b
    across: float  # v·T at X
    arm_a: Vector  # from both centres to X
    arm_b: Vector
    at_vertex: float


@device
def velocity_at(velocity, spin, arm):
    """Velocity of a point of a body."""
    return Vector(velocity.x - spin * arm.y, velocity.y + spin * arm.x)


@device
def touch_of(met, side):
    """Fill the contact record of a candidate.

    All that needs no square root is worked out at X, so that the processor need not wait for it: v(R) = v(X) + (ω_a − ω_b)
    offset T, and a force −P N + S T has the moment arm(X) × F + offset S.
    """
    arm_a = turn(side.a.frame, met.probe)
    return touch_at(met, side, arm_a, minus(arm_a, side.branch), turn(side.b.frame, met.way))


@device
def touch_at(met, side, arm_a, arm_b, way):
    """The same, with the arms to X and the way from there to the feature, as the world sees them."""
    a, b = side.a, side.b
    speed = minus(velocity_at(a.velocity, a.spin, arm_a), velocity_at(b.velocity, b.spin, arm_b))
    distance = math.sqrt(met.square)
    inverse = distance * (1.0 / met.square)  # root and quotient side by side instead of one after the other
    normal = times(inverse, way)
    depth = side.reach - distance
    return Touch(
        depth, normal, a.radius - 0.5 * depth, inverse, dot(speed, normal), cross(normal, speed), arm_a, arm_b, met.at_vertex
    )  # fmt: skip


@device
def sliding_now(touch, side):
    """v·T at the contact point, for the positions given."""
    return touch.across + (side.a.spin - side.b.spin) * touch.offset, 0.0


@device
def gained(touch, side):
    """What closing speed and sliding velocity are expected to gain until t_n."""
    a, b = side.a.gain, side.b.gain
    speed = minus(velocity_at(a.velocity, a.spin, touch.arm_a), velocity_at(b.velocity, b.spin, touch.arm_b))
    return dot(speed, touch.normal), (cross(touch.normal, speed) + (a.spin - b.spin) * touch.offset, 0.0)


@device
def sliding_before(touch, side, turned, dt):
    """v·T at the contact point for velocities of t_n − ½Δt: with arms and tangent of half a step ago, where they belong.

    Since then the arms have turned with their bodies, and the tangent with b where the probe faces an edge, with the line
    between two vertices where it faces a vertex. Without this the energy of the tangential spring differs from the work of
    its force by first order in Δt.
    """
    a, b, normal = side.a, side.b, touch.normal
    speed = minus(velocity_at(a.mid_velocity, a.mid_spin, touch.arm_a), velocity_at(b.mid_velocity, b.mid_spin, touch.arm_b))
    across, relative = cross(normal, speed), a.mid_spin - b.mid_spin
    rate = b.mid_spin * b.mid_spin * cross(normal, touch.arm_b) - a.mid_spin * a.mid_spin * cross(normal, touch.arm_a)
    rate -= (2.0 * b.mid_spin + 0.5 * relative - touch.at_vertex * touch.inverse * across) * touch.closing
    return across + relative * touch.offset - 0.5 * dt * rate, 0.0


@device
def rolling_rate(touch, side):
    """Relative spin of half a step ago."""
    return side.a.mid_spin - side.b.mid_spin, 0.0


@device
def turned_about_normal(touch, side, time):
    """The tangent has no way to turn about the normal."""
    return 0.0


@device
def push_on_pair(touch, side, push):
    """What the force −push N on a does to the pair."""
    force = times(-push, touch.normal)
    on_a, on_b = cross(touch.arm_a, force), cross(force, touch.arm_b)
    if side.sign < 0.0:
        on_a, on_b = on_b, on_a
    return Wrench(side.sign * force.x, side.sign * force.y, on_a, on_b)


@device
def on_pair(touch, side, push, across):
    """What the force −push N + across T on a does to the pair; `across` is given as two numbers, the second 0."""
    n, s = touch.normal, across[0]
    force = Vector(-push * n.x - s * n.y, -push * n.y + s * n.x)
    on_a = cross(touch.arm_a, force) + touch.offset * s
    on_b = cross(force, touch.arm_b) - touch.offset * s
    if side.sign < 0.0:
        on_a, on_b = on_b, on_a
    return Wrench(side.sign * force.x, side.sign * force.y, on_a, on_b)


@device
def acting(shear, touch, side):
    """The force along T by which the force of a law acts on the bodies: the same."""
    return shear


@device
def with_roll(wrench, touch, side, torque):
    """The same with a torque on a and its opposite on b; `torque` is given as two numbers, the second 0."""
    return Wrench(wrench.x, wrench.y, wrench.on_i + side.sign * torque[0], wrench.on_j - side.sign * torque[0])


@device
def with_fade(wrench, touch, side, energy):
    """The same: counts of the plane do not fade."""
    return wrench


@device
def fades(touch):
    """Whether the count of a contact changes as bodies turn: not in the plane."""
    return False


# --- images ----------------------------------------------------------------------------------------------------------


@device
def image_at_rest(body, pair, world):
    """The image of j moves as j does."""
    return body


@device
def cell_of(world):
    """Lengths of the moving cell and their rates: the place and the velocity of the body that stands for it."""
    body, at = world.state.body, BODY * world.model.cell[0]
    return Vector(body[at + X], body[at + Y]), Vector(body[at + VX], body[at + VY])


@device
def so_often(pair, rate, world):
    """`rate` of the lengths of the cell, as many times as the image of j lies cells away."""
    image = world.lists.image
    return Vector(image[2 * pair.p] * rate.x, image[2 * pair.p + 1] * rate.y)


@device
def gain_of_image(gain, pair, world):
    """What the image of j will gain: with the cell."""
    rate = read_gain(world.state, world.model.cell[0]).velocity
    return Gain(plus(gain.velocity, so_often(pair, rate, world)), gain.spin)


@device
def same_gain(gain, pair, world):
    """The same where nobody sees it."""
    return gain


def image_of_cell(gain_of_image: Any) -> Any:
    """`image(body, pair, world)`: the image of j moves with the cell."""

    @device
    def image(body, pair, world):
        velocity = plus(body.velocity, so_often(pair, cell_of(world)[1], world))
        gain = gain_of_image(body.gain, pair, world)
        return Body(body.place, body.frame, velocity, body.spin, body.radius, velocity, body.mid_spin, gain)

    return image


@device
def read_pair_of_cell(world, p):
    """Pair p where the periodic cell moves: its image lies where the cell is now."""
    pair, (size, _), image = read_pair(world, p), cell_of(world), world.lists.image
    shift = Vector(image[2 * p] * size.x, image[2 * p + 1] * size.y)
    return Pair(p, pair.i, pair.j, pair.first, pair.middle, pair.last, shift, pair.mass, pair.row, pair.radius)


def images_of(choice: SimpleNamespace) -> tuple[Any, Any]:
    """`read_pair` and `image` for a kind of box."""
    if choice.cell == SHEARED:
        gains = gain_of_sheared_image if choice.expecting else same_gain
        return read_pair_of_sheared_cell, image_of_sheared_cell(gains)
    if choice.cell:
        return read_pair_of_cell, image_of_cell(gain_of_image if choice.expecting else same_gain)
    return read_pair, image_at_rest


# --- the visit ---------------------------------------------------------------------------------------------------------


@device
def side_of(a, b, branch, gap, sign, end):
    """One of the two ways a pair is looked at; `gap` is how far apart surfaces still act on each other."""
    reach, near = a.radius + b.radius, a.radius + b.radius + gap
    return Side(
        a, b, branch, turn_back(b.frame, a.frame), opposite(turn_back(b.frame, branch)), reach, near * near, sign, end
    )  # fmt: skip


def visit_of(choice: SimpleNamespace) -> SimpleNamespace:
    """`read_pair`, `meet_candidate` and `visit` for a way of counting, a reach of the law, an integrator and a kind of box."""
    meet, gap_of = choice.meet, choice.gap_of
    read = read_predicted if choice.gear else read_expecting if choice.expecting else read_body
    read_this, image = images_of(choice)

    @device
    def meet_candidate(k, side, world):
        """What candidate k of a side counts."""
        candidate, vertex = world.lists.candidate, world.geometry.vertex
        v, f = np.int64(candidate[CANDIDATE * k + PROBE]), np.int64(candidate[CANDIDATE * k + FACED])
        probe = Vector(vertex[2 * v], vertex[2 * v + 1])
        place = plus(turn(side.frame, probe), side.shift)
        count, way, at_vertex = meet(place, read_feature(world.geometry.feature, f))
        square = dot(way, way)
        return Met(k, probe, place, f, count, way, at_vertex, square, count != 0.0 and square < side.reach * side.reach)

    @device
    def visit_side(begin, side, pair, world, consume, total):
        for k in range(begin, side.end):
            total = consume(meet_candidate(unsigned(k), side, world), side, pair, world, total)
        return total

    @device
    def visit(pair, world, consume, total):
        """Hand every candidate of a pair to `consume(met, side, pair, world, total)`, which returns the new total."""
        i, j = read(world.state, pair.i), image(read(world.state, pair.j), pair, world)
        branch, gap = plus(minus(j.place, i.place), pair.shift), gap_of(pair, world)
        if pair.first < pair.middle:
            total = visit_side(pair.first, side_of(i, j, branch, gap, 1.0, pair.middle), pair, world, consume, total)
        if pair.middle < pair.last:
            total = visit_side(pair.middle, side_of(j, i, opposite(branch), gap, -1.0, pair.last), pair, world, consume, total)
        return total

    return SimpleNamespace(read_pair=read_this, meet_candidate=meet_candidate, visit=visit)
