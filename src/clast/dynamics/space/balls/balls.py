"""Two spheres in space: the contact record without frames, for the same consumers as `clast.dynamics.space.visit`.

With V = v_a − v_b and the contact point at ρ_a N from the centre of a and at −ρ_b N from that of b,

    sliding velocity   V across N + (ρ_a ω_a + ρ_b ω_b) × N,      dN/dt = −(V across N)/d
    torques            ρ_a N × F and ρ_b N × F
"""

import math
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clast.algebra.space import along, cross, dot, minus, plus, times, triple
from clast.backend.device import device
from clast.dynamics.bodies.gains import readers
from clast.dynamics.contacts.round_bodies import Met, Side
from clast.dynamics.space.columns import BODY, MID_SPIN, MID_STEP, NO_GAIN, RADIUS, SPIN, VELOCITY, Gain, Wrench, read_gain
from clast.dynamics.space.images import images_of
from clast.dynamics.space.tangents import NONE, in_plane
from clast.dynamics.space.visit import image_at_rest


class Ball(NamedTuple):
    """A sphere at t_n, but for its place."""

    radius: float
    velocity: Any
    spin: Any
    mid_velocity: Any
    mid_spin: Any
    gain: Gain


class Touch(NamedTuple):
    """The contact record."""

    depth: float
    normal: Any
    one: Any  # two tangents
    two: Any
    arm_a: float  # ρ
    arm_b: float
    inverse: float  # one over the distance of the centres
    closing: float


@device
def ball_with(gain, state, b):
    """Sphere b under velocity Verlet."""
    t, at = state.body, BODY * b
    velocity, spin = triple(t, at + VELOCITY), triple(t, at + SPIN)
    return Ball(t[at + RADIUS], velocity, spin, velocity, spin, gain)


read_ball, read_expecting_ball = readers(ball_with, read_gain, NO_GAIN)


def read_ball_of(choice: SimpleNamespace) -> Any:
    """One of these three readers, for an integrator and a law."""
    if choice.gear:
        return read_predicted_ball
    return read_expecting_ball if choice.expecting else read_ball


@device
def read_predicted_ball(state, b):
    """Sphere b under Gear's method."""
    t, at, mid = state.body, BODY * b, MID_STEP * b
    return Ball(
        t[at + RADIUS], triple(t, at + VELOCITY), triple(t, at + SPIN), triple(state.mid_step, mid),
        triple(state.mid_step, mid + MID_SPIN), NO_GAIN,
    )  # fmt: skip


@device
def touch_of(met, side):
    """Fill the contact record."""
    q, distance = met.way, math.sqrt(met.square)
    inverse = distance * (1.0 / met.square)
    normal = times(inverse, q)
    sign = math.copysign(1.0, q[2])
    a = -distance / (sign * distance + q[2])  # as in `tangents`, from what is known before the normal
    b = normal[0] * normal[1] * a
    one = (1.0 + sign * normal[0] * normal[0] * a, sign * b, -sign * normal[0])
    two = (b, sign + normal[1] * normal[1] * a, -normal[1])
    depth = side.reach - distance
    arm = side.a.radius - 0.5 * depth
    closing = dot(minus(side.a.velocity, side.b.velocity), normal)
    return Touch(depth, normal, one, two, arm, distance - arm, inverse, closing)


@device
def parts(v, touch):
    """Parts of v along the two tangents and the normal; N × one = two, so that N × (u, w) is (−w, u)."""
    return dot(v, touch.one), dot(v, touch.two), dot(v, touch.normal)


@device
def sliding_before(touch, side, turned, dt):
    """Sliding velocity of half a step ago, in the tangent plane of now, turned by half of what the plane has turned about N."""
    a, b = parts(side.a.mid_spin, touch), parts(side.b.mid_spin, touch)
    v, mean = parts(minus(side.a.mid_velocity, side.b.mid_velocity), touch), times(0.5, plus(a, b))
    whirl = along(times(touch.arm_a, a), touch.arm_b, b)
    turn_u, turn_w = -touch.inverse * v[0], -touch.inverse * v[1]  # dN/dt
    rate_u = -whirl[2] * turn_w - v[2] * (mean[1] + turn_u)
    rate_w = whirl[2] * turn_u - v[2] * (turn_w - mean[0])
    u, w, half = v[0] + whirl[1] - 0.5 * dt * rate_u, v[1] - whirl[0] - 0.5 * dt * rate_w, 0.5 * turned
    return u - half * w, w + half * u


@device
def sliding_now(touch, side):
    """Sliding velocity for the velocities given."""
    whirl = along(times(touch.arm_a, side.a.spin), touch.arm_b, side.b.spin)
    v = plus(in_plane(minus(side.a.velocity, side.b.velocity), touch.normal), cross(whirl, touch.normal))
    return dot(v, touch.one), dot(v, touch.two)


@device
def gained(touch, side):
    """What closing speed and sliding velocity are expected to gain until t_n."""
    a, b = side.a.gain, side.b.gain
    v, whirl = parts(minus(a.velocity, b.velocity), touch), along(times(touch.arm_a, a.spin), touch.arm_b, b.spin)
    return v[2], (v[0] + dot(whirl, touch.two), v[1] - dot(whirl, touch.one))


@device
def rolling_rate(touch, side):
    """Relative spin of half a step ago, along the two tangents."""
    spin = minus(side.a.mid_spin, side.b.mid_spin)
    return dot(spin, touch.one), dot(spin, touch.two)


@device
def turning_now(touch, side):
    """Relative spin for the velocities given, along the two tangents."""
    spin = minus(side.a.spin, side.b.spin)
    return dot(spin, touch.one), dot(spin, touch.two)


@device
def turned_about_normal(touch, side, time):
    """The angle by which the tangent plane has turned about the normal in `time`."""
    return 0.5 * (dot(side.a.mid_spin, touch.normal) + dot(side.b.mid_spin, touch.normal)) * time


@device
def read_spring(spring, at, touch, turned):
    """The spring that begins at `at` in the present tangent plane: flat, turned about N, as long as it was."""
    spring_vector = triple(spring, at)
    whole = dot(spring_vector, spring_vector)
    if whole == 0.0:
        return 0.0, 0.0
    inverse = 1.0 / whole  # known before the normal is
    u, w, up = parts(spring_vector, touch)
    u, w = u - turned * w, w + turned * u
    more = turned * turned
    lost = up * up * inverse * (1.0 + more) - more  # 1 − (u² + w²)/whole, without waiting for u and w
    if math.fabs(lost) < 1e-4:  # the series is exact to rounding
        scale = 1.0 + lost * (0.5 + lost * (0.375 + lost * 0.3125))
    else:
        size = u * u + w * w
        scale = math.sqrt(whole / size) if size > 0.0 else 0.0
    return scale * u, scale * w


@device
def push_on_pair(touch, side, push):
    """What the force −push N on a does to the pair."""
    return Wrench(times(-push, touch.normal), NONE, NONE)


@device
def on_pair(touch, side, push, shear):
    """What the force −push N + shear on a does to the pair."""
    force = along(along(times(shear[0], touch.one), shear[1], touch.two), -push, touch.normal)
    turning = along(times(shear[0], touch.two), -shear[1], touch.one)  # N × F
    return Wrench(force, times(touch.arm_a, turning), times(touch.arm_b, turning))


@device
def heir(met, side, pair, world, opening):
    """Two spheres have one contact: nobody inherits."""
    return np.int64(-1)


@device
def passes_on(side, other, pair):
    """Nothing passes."""
    return 1.0


@device
def left_behind(met, side, pair, world):
    """The candidate as it is."""
    return met


def image_of(choice: SimpleNamespace) -> Any:
    """`image(ball, pair, world)` for a kind of box: how the image of j moves."""
    if not choice.cell:
        return image_at_rest
    images = images_of(choice)
    velocity_of, gain_of = images.velocity, images.gain

    @device
    def image(ball, pair, world):
        velocity = plus(ball.velocity, velocity_of(pair.p, world))
        return Ball(ball.radius, velocity, ball.spin, velocity, ball.mid_spin, gain_of(ball.gain, pair.p, world))

    return image


def visit_of(choice: SimpleNamespace) -> SimpleNamespace:
    """`visit` for a reach of the law, an integrator and a kind of box."""
    gap_of = choice.gap_of
    read, image = read_ball_of(choice), image_of(choice)

    @device
    def visit(pair, world, consume, total):
        """Hand the one candidate of a pair to `consume`."""
        body = world.state.body
        way = plus(minus(triple(body, BODY * pair.j), triple(body, BODY * pair.i)), pair.shift)
        a, b = read(world.state, pair.i), image(read(world.state, pair.j), pair, world)
        reach, near, square = a.radius + b.radius, a.radius + b.radius + gap_of(pair, world), dot(way, way)
        met = Met(pair.first, 1.0, way, square, square < reach * reach)
        return consume(met, Side(a, b, reach, near * near, 1.0), pair, world, total)

    return SimpleNamespace(visit=visit)
