"""Visit the candidates of a pair in space: listed features of one body carried into the frame of the other (GM09 eq 13).

Three sections: vertices of i on features of j, vertices of j on features of i, edges and vertices of i against those of j. What
a candidate counts stands in `clast.dynamics.space.counting`; who visits gets a `Met` for each, and `touch_of` fills the contact
record of those that touch (model §3). Vectors across the normal are pairs of numbers, along the two tangents of a `Touch`.
"""

import math
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clast.algebra.space import (
    along,
    between,
    cross,
    dot,
    is_some,
    minus,
    plus,
    rotation_of,
    times,
    transposed,
    triple,
    turn_back,
)
from clast.backend.device import device, unsigned
from clast.contact.space.spheropolyhedron import (
    NOWHERE,
)
from clast.dynamics.bodies.gains import readers
from clast.dynamics.space.columns import (
    BODY,
    BODY_I,
    BODY_J,
    CONSTANT,
    FIRST,
    LAW,
    MASS,
    MID_SPIN,
    MID_STEP,
    NO_GAIN,
    PAIR,
    RADIUS,
    REDUCED,
    SECOND,
    SPIN,
    THIRD,
    TURN,
    VELOCITY,
    Gain,
    Wrench,
    read_gain,
)  # fmt: skip
from clast.dynamics.space.counting import CROSSING, FLAT, ROUND, STRAIGHT, Met, meet_apart, meet_candidate
from clast.dynamics.space.images import Images, images_of
from clast.dynamics.space.tangents import NONE, carried, in_plane, tangents

SECTIONS = 3


class Body(NamedTuple):
    """A body at t_n; vectors in the world."""

    place: Any
    radius: float  # of its rounding
    rotation: Any  # body frame → world
    velocity: Any
    spin: Any
    mid_velocity: Any  # velocity and spin of t_n − ½Δt, which springs follow
    mid_spin: Any
    gain: Gain  # what velocity and spin are expected to gain until t_n: dashpots see it


class Pair(NamedTuple):
    """Two near bodies."""

    p: int
    i: int
    j: int
    first: int  # candidates of the three sections begin here,
    second: int
    third: int
    last: int  # and end here
    shift: Any  # from j to its image that i meets
    mass: float  # reduced
    row: int  # where the parameters of its law begin
    radius: float  # reduced sphero-radius


class Side(NamedTuple):
    """Features of a against features of b: one section."""

    a: Body
    b: Body
    branch: Any  # from a to b, or the image of it that is met
    relative: Any  # a's frame → b's
    shift: Any  # a's centre, seen from b
    reach: float  # sum of the sphero-radii
    near: float  # square of the distance from which on a candidate counts for nobody
    sign: float  # 1 where a is the pair's i, −1 where it is j
    section: int


class Touch(NamedTuple):
    """The contact record. R = X + offset N is the contact point; N from a to b."""

    depth: float
    normal: Any
    offset: float
    inverse: float  # one over the distance of the skeletons
    closing: float  # v·N, v = v_a − v_b
    speed: Any  # v at X
    arm: Any
    lever: Any  # from a's centre to R
    one: Any  # two tangents
    two: Any
    bend: int
    axis: Any
    own_axis: Any
    twist: Any


# --- reading -----------------------------------------------------------------------------------------------------------


@device
def read_rotation(table, at):
    """Rotation of the body whose row begins at `at`."""
    return rotation_of(table[at + TURN], table[at + TURN + 1], table[at + TURN + 2], table[at + TURN + 3])


@device
def body_with(gain, state, b):
    """Body b under velocity Verlet: the velocities of a state are those of t_n − ½Δt."""
    t, at = state.body, BODY * b
    velocity, spin = triple(t, at + VELOCITY), triple(t, at + SPIN)
    return Body(triple(t, at), t[at + RADIUS], read_rotation(t, at), velocity, spin, velocity, spin, gain)


read_body, read_expecting = readers(body_with, read_gain, NO_GAIN)


@device
def read_predicted(state, b):
    """Body b under Gear's method: the velocities of a state are predicted for t_n, and those of t_n − ½Δt are kept beside."""
    t, at, mid = state.body, BODY * b, MID_STEP * b
    return Body(
        triple(t, at), t[at + RADIUS], read_rotation(t, at), triple(t, at + VELOCITY), triple(t, at + SPIN),
        triple(state.mid_step, mid), triple(state.mid_step, mid + MID_SPIN), NO_GAIN,
    )  # fmt: skip


@device
def read_pair(world, p):
    """Pair p."""
    t, c, at, row = world.lists.pair, world.lists.pair_constant, PAIR * p, CONSTANT * p
    return Pair(
        p, np.int64(t[at + BODY_I]), np.int64(t[at + BODY_J]), np.int64(t[at + FIRST]), np.int64(t[at + SECOND]),
        np.int64(t[at + THIRD]), np.int64(t[at + PAIR + FIRST]), triple(c, row), c[row + MASS], unsigned(c[row + LAW]),
        c[row + REDUCED],
    )  # fmt: skip


@device
def section_of(i, j, pair, gap, section):
    """One of the three ways a pair is looked at; `gap` is how far apart surfaces still act on each other."""
    branch = plus(minus(j.place, i.place), pair.shift)
    relative = between(j.rotation, i.rotation)
    reach, near = i.radius + j.radius, i.radius + j.radius + gap
    if section == 1:
        return Side(
            j, i, times(-1.0, branch), transposed(relative), turn_back(i.rotation, branch), reach, near * near, -1.0, section
        )  # fmt: skip
    return Side(i, j, branch, relative, times(-1.0, turn_back(j.rotation, branch)), reach, near * near, 1.0, section)


@device
def bounds_of(pair, section):
    """Where the candidates of a section begin and end."""
    if section == 0:
        return pair.first, pair.second
    if section == 1:
        return pair.second, pair.third
    return pair.third, pair.last


# --- the contact record --------------------------------------------------------------------------------------------------


@device
def touch_of(met, side):
    """Fill the contact record of a candidate."""
    a, b = side.a, side.b
    speed_a = plus(a.velocity, cross(a.spin, met.arm))
    speed = minus(speed_a, plus(b.velocity, cross(b.spin, minus(met.arm, side.branch))))
    distance = math.sqrt(met.square)
    inverse = distance * (1.0 / met.square)
    normal = times(inverse, met.way)
    depth = side.reach - distance
    offset = a.radius - 0.5 * depth
    one, two = tangents(normal)
    return Touch(
        depth, normal, offset, inverse, dot(speed, normal), speed, met.arm, along(met.arm, offset, normal), one, two, met.bend,
        met.axis, met.own_axis, met.twist,
    )  # fmt: skip


@device
def across(v, touch):
    """Parts of v along the two tangents."""
    return dot(v, touch.one), dot(v, touch.two)


@device
def in_space(pair, touch):
    """The vector with these parts along the two tangents."""
    return along(times(pair[0], touch.one), pair[1], touch.two)


@device
def normal_rate(touch, speed, side):
    """dN/dt half a step ago: with b where the probe faces a face of it, about its edge, about its vertex, or with two edges."""
    normal, spin_a, spin_b = touch.normal, side.a.mid_spin, side.b.mid_spin
    rate = cross(spin_b, normal)
    if touch.bend == ROUND:
        return along(rate, -touch.inverse, in_plane(speed, normal))
    if touch.bend == STRAIGHT:
        sideways = in_plane(speed, normal)
        return along(rate, -touch.inverse, along(sideways, -dot(sideways, touch.axis), touch.axis))
    if touch.bend == CROSSING:
        sideways = cross(normal, touch.axis)
        lean = dot(sideways, touch.own_axis)
        return along(rate, -dot(normal, cross(minus(spin_a, spin_b), touch.own_axis)) / lean, sideways)
    return rate


@device
def slip_along_edge(touch, speed, relative):
    """How fast X moves along its edge where two edges cross."""
    cosine = dot(touch.axis, touch.own_axis)
    lift = dot(touch.normal, cross(relative, touch.own_axis)) / touch.inverse
    return (lift - dot(speed, touch.own_axis) + cosine * dot(speed, touch.axis)) / (1.0 - cosine * cosine)


@device
def sliding_before(touch, side, turned, dt):
    """v at the contact point, in the tangent plane, for velocities of t_n − ½Δt: with arms and plane of half a step ago.

    Since then the arms have turned with their bodies, the plane has turned, and X has moved along its edge where two edges
    cross. What has grown all along the turn `turned` of the plane about N is turned by half of it.
    """
    spin_a, spin_b, normal, arm, arm_b = (
        side.a.mid_spin,
        side.b.mid_spin,
        touch.normal,
        touch.arm,
        minus(touch.arm, side.branch),
    )
    speed = minus(plus(side.a.mid_velocity, cross(spin_a, arm)), plus(side.b.mid_velocity, cross(spin_b, arm_b)))
    relative, closing = minus(spin_a, spin_b), dot(speed, normal)
    now = in_plane(along(speed, touch.offset, cross(relative, normal)), normal)
    if dt > 0.0:
        turning = normal_rate(touch, speed, side)
        rate = minus(cross(spin_a, cross(spin_a, arm)), cross(spin_b, cross(spin_b, arm_b)))
        rate = minus(rate, cross(spin_b, speed))
        rate = along(rate, -0.5 * closing, cross(relative, normal))
        rate = along(rate, touch.offset, cross(relative, turning))
        if touch.bend == CROSSING:
            rate = along(rate, slip_along_edge(touch, speed, relative), cross(relative, touch.own_axis))
        rate = along(in_plane(rate, normal), -closing, turning)
        now = along(now, -0.5 * dt, in_plane(rate, normal))
    return across(along(now, 0.5 * turned, cross(normal, now)), touch)


@device
def sliding_of(touch, speed, relative):
    """v at the contact point, in the tangent plane, of v at X and the relative spin."""
    return across(in_plane(along(speed, touch.offset, cross(relative, touch.normal)), touch.normal), touch)


@device
def sliding_now(touch, side):
    """v at the contact point, in the tangent plane, for the positions and velocities given."""
    return sliding_of(touch, touch.speed, minus(side.a.spin, side.b.spin))


@device
def gained(touch, side):
    """What closing speed and sliding velocity are expected to gain until t_n."""
    a, b = side.a.gain, side.b.gain
    speed_a = plus(a.velocity, cross(a.spin, touch.arm))
    speed = minus(speed_a, plus(b.velocity, cross(b.spin, minus(touch.arm, side.branch))))
    return dot(speed, touch.normal), sliding_of(touch, speed, minus(a.spin, b.spin))


@device
def rolling_rate(touch, side):
    """Relative spin of half a step ago, across the normal."""
    return across(in_plane(minus(side.a.mid_spin, side.b.mid_spin), touch.normal), touch)


@device
def turned_about_normal(touch, side, time):
    """The angle by which the tangent plane has turned about the normal in `time`."""
    return 0.5 * (dot(side.a.mid_spin, touch.normal) + dot(side.b.mid_spin, touch.normal)) * time


# --- forces on the pair --------------------------------------------------------------------------------------------------


@device
def wrench_of(force, on_a, on_b, side):
    """A force on a and torques on a and b, for the pair."""
    if side.sign < 0.0:
        return Wrench(times(-1.0, force), on_b, on_a)
    return Wrench(force, on_a, on_b)


@device
def push_on_pair(touch, side, push):
    """What the force −push N on a does to the pair."""
    force = times(-push, touch.normal)
    return wrench_of(force, cross(touch.lever, force), cross(force, minus(touch.lever, side.branch)), side)


@device
def on_pair(touch, side, push, shear):
    """What the force −push N + shear on a does to the pair; `shear` is along the two tangents."""
    force = along(in_space(shear, touch), -push, touch.normal)
    return wrench_of(force, cross(touch.lever, force), cross(force, minus(touch.lever, side.branch)), side)


@device
def acting(shear, touch, side):
    """The force across N by which the force of a law acts on the bodies: the same."""
    return shear


@device
def with_roll(wrench, touch, side, torque):
    """The same with a torque on a, along the two tangents, and its opposite on b."""
    more = times(side.sign, in_space(torque, touch))
    return Wrench(wrench.force, plus(wrench.on_i, more), minus(wrench.on_j, more))


@device
def with_fade(wrench, touch, side, energy):
    """The same with the torque of a contact whose count changes as bodies turn; `energy` is what it weighs."""
    more = times(side.sign * energy, touch.twist)
    return Wrench(wrench.force, plus(wrench.on_i, more), minus(wrench.on_j, more))


@device
def fades(touch):
    """Whether the count of a contact changes as bodies turn."""
    return is_some(touch.twist)


# --- springs ---------------------------------------------------------------------------------------------------------------


@device
def read_spring(spring, at, touch, turned):
    """The spring that begins at `at`, carried into the present tangent plane: along the two tangents."""
    return across(carried(triple(spring, at), touch.normal, turned), touch)


@device
def write_spring(spring, at, touch, u, w):
    """Put a spring given along the two tangents; it is kept as a vector of the world."""
    spring[at], spring[at + 1], spring[at + 2] = in_space((u, w), touch)


@device
def stretched(spring, at, speed, touch, time):
    """Length of a spring after `time` more at a speed along the two tangents."""
    spring_vector = triple(spring, at)
    if time != 0.0:
        spring_vector = along(spring_vector, time, in_space(speed, touch))
    return math.sqrt(dot(spring_vector, spring_vector))


@device
def turning_now(touch, side):
    """Relative spin across the normal, for the velocities given."""
    return across(in_plane(minus(side.a.spin, side.b.spin), touch.normal), touch)


# --- images ----------------------------------------------------------------------------------------------------------------


@device
def image_at_rest(body, pair, world):
    """The image of j moves as j does."""
    return body


def image_of_cell(images: Images) -> Any:
    """`image(body, pair, world)`: the image of j moves with the cell."""
    velocity_of, gain_of = images.velocity, images.gain

    @device
    def image(body, pair, world):
        velocity = plus(body.velocity, velocity_of(pair.p, world))
        gain = gain_of(body.gain, pair.p, world)
        return Body(body.place, body.radius, body.rotation, velocity, body.spin, velocity, body.mid_spin, gain)

    return image


def read_pair_of_cell(images: Images) -> Any:
    """`read_pair(world, p)` where the periodic cell moves: the image lies where the cell is now."""
    shift_of = images.shift

    @device
    def read_pair_now(world, p):
        pair = read_pair(world, p)
        return Pair(
            p, pair.i, pair.j, pair.first, pair.second, pair.third, pair.last, shift_of(p, world), pair.mass, pair.row,
            pair.radius,
        )  # fmt: skip

    return read_pair_now


# --- the visit -------------------------------------------------------------------------------------------------------------


def visit_of(choice: SimpleNamespace) -> SimpleNamespace:
    """`read_pair`, `visit` and `left_behind` for a reach of the law, an integrator and a kind of box."""
    gap_of = choice.gap_of
    read = read_predicted if choice.gear else read_expecting if choice.expecting else read_body
    read_this, image = read_pair, image_at_rest
    if choice.cell:
        read_this, image = read_pair_of_cell(images_of(choice)), image_of_cell(images_of(choice))

    @device
    def visit(pair, world, consume, total):
        """Hand every candidate of a pair to `consume(met, side, pair, world, total)`, which returns the new total."""
        i, j, gap = read(world.state, pair.i), image(read(world.state, pair.j), pair, world), gap_of(pair, world)
        for section in range(SECTIONS):
            begin, end = bounds_of(pair, section)
            if begin < end:
                side = section_of(i, j, pair, gap, section)
                for k in range(begin, end):
                    total = consume(meet_candidate(unsigned(k), side, world), side, pair, world, total)
        return total

    @device
    def left_behind(met, side, pair, world):
        """A candidate that has opened where it is now, beyond touching; its square is 0 where its features no longer face."""
        wide = Side(
            side.a, side.b, side.branch, side.relative, side.shift, side.reach, 4.0 * side.reach * side.reach, side.sign,
            side.section,
        )  # fmt: skip
        now = meet_apart(met.k, wide, world)
        if now.counts != 0.0 and now.square < NOWHERE:
            return now
        return Met(met.k, 0.0, NONE, NONE, 0.0, FLAT, NONE, NONE, NONE, False)

    return SimpleNamespace(read_pair=read_this, visit=visit, left_behind=left_behind)
