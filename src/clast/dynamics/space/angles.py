"""Springs of space that measure sliding as an angle where the normal turns about b (McNamara's relation, see docs/laws.md).

With R = r_a + r_b, d the distance of the skeletons, γ = R/d, V how fast they pass each other across N, w = (ω_a − ω_b) × N, and
B(·) the part of a vector of the tangent plane along which the normal turns as the bodies slide: all of it between two vertices,
the part across the edge where a vertex faces an edge, none elsewhere;

    growth of the spring   V + (r_a − ½δ) w + B(½δ w + (γ − 1) V)
    force on a             S + (γ − 1) B(S), S the force of the law, with the torque arm × force + N × ((r_a − ½δ) S + ½δ B(S))

The second is what the energy of the spring exerts, so the book closes. Functions have the names they have in
`clast.dynamics.space.visit`; there is a set for all bodies, for a sphere on a body with features, and for two spheres.
"""

from types import SimpleNamespace
from typing import Any

from clast.algebra.space import along, cross, dot, minus, plus, times
from clast.backend.device import device
from clast.dynamics.space import visit
from clast.dynamics.space.balls import ball_on, balls
from clast.dynamics.space.columns import NONE
from clast.dynamics.space.counting import ROUND, STRAIGHT
from clast.dynamics.space.tangents import in_plane
from clast.dynamics.space.visit import across, in_space, wrench_of


@device
def bent(v, touch, axis):
    """B(v) of two bodies; `axis` is the direction of b's edge."""
    if touch.bend == ROUND:
        return v
    if touch.bend == STRAIGHT:
        return along(v, -dot(v, axis), axis)
    return NONE


@device
def bent_of_ball(v, touch, axis):
    """The same of a sphere on a body."""
    return times(touch.curved, along(v, -dot(v, axis), axis))


@device
def speed_of_bodies(touch, side):
    """v_a − v_b at X of two bodies, of half a step ago, for the positions of now."""
    a, b = side.a, side.b
    speed_b = plus(b.mid_velocity, cross(b.mid_spin, minus(touch.arm, side.branch)))
    return minus(plus(a.mid_velocity, cross(a.mid_spin, touch.arm)), speed_b)


@device
def speed_of_ball(touch, side):
    """The same of a sphere on a body."""
    return plus(minus(side.a.mid_velocity, side.b.mid_velocity), cross(side.b.mid_spin, side.branch))


def by_angle(path: Any, bent: Any, speed_of: Any) -> SimpleNamespace:
    """The functions that B changes; `path` has those for a spring that follows the contact point."""
    slide_along, slid_along, gain_along = visit.sliding_now, path.sliding_before, path.gained

    @device
    def factors(touch):
        """γ − 1, and what w weighs in B beside the sliding at the contact point: ½δ − (γ − 1)(r_a − ½δ)."""
        more = touch.depth * touch.inverse
        return more, 0.5 * touch.depth - more * touch.offset

    @device
    def grown(slip, touch, side, relative):
        """Growth of a spring, of the sliding at the contact point and the relative spin."""
        more, turning = factors(touch)
        bends = bent(along(times(more, in_space(slip, touch)), turning, cross(relative, touch.normal)), touch, touch.axis)
        return plus_across(slip, bends, touch)

    @device
    def plus_across(slip, more, touch):
        """Two numbers along the tangents, and a vector."""
        u, w = across(more, touch)
        return slip[0] + u, slip[1] + w

    @device
    def sliding_now(touch, side):
        """How fast a spring grows, for the positions and velocities given."""
        return grown(slide_along(touch, side), touch, side, minus(side.a.spin, side.b.spin))

    @device
    def gained(touch, side):
        """What closing speed and growth of the spring are expected to gain until t_n."""
        closing, slip = gain_along(touch, side)
        return closing, grown(slip, touch, side, minus(side.a.gain.spin, side.b.gain.spin))

    @device
    def sliding_before(touch, side, turned, dt):
        """Growth of the spring half a step ago. Since then γ has changed, N and b's edge have turned; as all that has grown, what
        is added in B is turned by half of what the plane has turned about N. To first order in Δt, as is the sliding itself."""
        normal, spin, relative = touch.normal, side.b.mid_spin, minus(side.a.mid_spin, side.b.mid_spin)
        slip, speed, whirl, about = (
            slid_along(touch, side, turned, dt), speed_of(touch, side), cross(relative, normal), dot(relative, normal)
        )  # fmt: skip
        change, passing = 0.5 * dt * dot(speed, normal), in_plane(speed, normal)
        tilting = along(cross(spin, normal), -touch.inverse, bent(passing, touch, touch.axis))  # dN/dt
        before = along(whirl, -0.5 * dt * about, cross(normal, tilting))  # w half a step ago
        more = touch.depth * touch.inverse
        # half a step ago (γ − 1) V + ½δ w; V is the sliding less (r_a − ½δ) w, and d(γ − 1)/dt = γ v·N/d
        known = along(times(0.5 * touch.depth - more * touch.offset, before), -0.5 * change * (1.0 + more), whirl)
        known = along(known, -change * (1.0 + more) * touch.inverse, passing)
        known = along(known, 0.5 * turned, cross(normal, known))
        axis = along(touch.axis, 0.25 * dt * about, cross(normal, touch.axis))
        return plus_across(slip, bent(along(known, more, in_space(slip, touch)), touch, axis), touch)

    @device
    def acting(shear, touch, side):
        """The force across N by which the force of a law acts on the bodies."""
        more, _ = factors(touch)
        return plus_across(shear, times(more, bent(in_space(shear, touch), touch, touch.axis)), touch)

    @device
    def on_pair(touch, side, push, shear):
        """What the force −push N and the force of the law along the two tangents do to the pair."""
        more, turning = factors(touch)
        held = in_space(shear, touch)
        bends = bent(held, touch, touch.axis)
        force, couple = along(along(held, more, bends), -push, touch.normal), times(turning, cross(touch.normal, bends))
        on_b = minus(cross(force, minus(touch.lever, side.branch)), couple)
        return wrench_of(force, plus(cross(touch.lever, force), couple), on_b, side)

    return SimpleNamespace(
        sliding_now=sliding_now, gained=gained, sliding_before=sliding_before, acting=acting, on_pair=on_pair
    )  # fmt: skip


# --- two spheres: the growth is γ V + (r_a ω_a + r_b ω_b) × N, and the force acts where d is divided as r_a : r_b ------


@device
def touch_of_balls(met, side):
    """Fill the contact record of two spheres."""
    touch = balls.touch_of(met, side)
    split = (side.reach - touch.depth) / side.reach
    return balls.Touch(
        touch.depth, touch.normal, touch.one, touch.two, split * side.a.radius, split * side.b.radius, touch.inverse,
        touch.closing,
    )  # fmt: skip


@device
def balls_before(touch, side, turned, dt):
    """Growth of the spring of two spheres half a step ago, when d was d + ½Δt v·N and N was turned."""
    v = balls.parts(minus(side.a.mid_velocity, side.b.mid_velocity), touch)
    whirl = balls.parts(along(times(side.a.radius, side.a.mid_spin), side.b.radius, side.b.mid_spin), touch)
    gain, lean = side.reach * touch.inverse * (1.0 - dt * v[2] * touch.inverse), 0.5 * dt * whirl[2] * touch.inverse
    u, w, turn = gain * v[0] + whirl[1] - lean * v[1], gain * v[1] - whirl[0] + lean * v[0], 0.5 * turned
    return u - turn * w, w + turn * u


@device
def balls_now(touch, side):
    """How fast the spring of two spheres grows."""
    return balls_acting(balls.sliding_now(touch, side), touch, side)


@device
def balls_gained(touch, side):
    """What closing speed and that growth are expected to gain until t_n."""
    closing, slip = balls.gained(touch, side)
    return closing, balls_acting(slip, touch, side)


@device
def balls_acting(shear, touch, side):
    """γ times two numbers along the tangents."""
    gain = side.reach * touch.inverse
    return gain * shear[0], gain * shear[1]


@device
def on_balls(touch, side, push, shear):
    """What the force −push N and the force of the law do to two spheres."""
    return balls.on_pair(touch, side, push, balls_acting(shear, touch, side))


BODIES, BALL_ON = by_angle(visit, bent, speed_of_bodies), by_angle(ball_on, bent_of_ball, speed_of_ball)
BALLS = SimpleNamespace(
    touch_of=touch_of_balls, lane_touch=touch_of_balls, sliding_before=balls_before, sliding_now=balls_now, gained=balls_gained,
    acting=balls_acting, on_pair=on_balls,
)  # fmt: skip
