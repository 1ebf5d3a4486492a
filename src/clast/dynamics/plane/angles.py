"""Springs of the plane that measure sliding between two vertices as an angle (McNamara's relation, see docs/laws.md).

With R = r_a + r_b, d the distance of the vertices, γ = R/d, and V_T how fast they pass each other along T,

    growth of the spring   γ V_T + r_a ω_a + r_b ω_b  =  −R (dθ/dt − ω̄),   ω̄ = (r_a ω_a + r_b ω_b)/R
    force on a             γ S T at the point that divides d as r_a : r_b,  S the force of the law

θ is the direction of the line from vertex to vertex. The force is what the energy of the spring exerts, so the book closes. Where
a vertex faces an edge γ is 1, and all is as in `clast.dynamics.plane.visit`. Functions have the names they have there.
"""

from types import SimpleNamespace
from typing import Any

from clast.algebra.plane import cross, minus
from clast.backend.device import device
from clast.dynamics.plane import disks, lanes, visit
from clast.dynamics.plane.visit import velocity_at


@device
def gain_of_vertices(touch, side):
    """γ of a contact of two bodies."""
    return side.reach * touch.inverse if touch.at_vertex != 0.0 else 1.0


@device
def gain_of_disks(touch, side):
    """γ of two disks."""
    return side.reach * touch.inverse


def by_angle(path: Any, gain_of: Any) -> SimpleNamespace:
    """What follows from γ: `sliding_now`, `gained`, `on_pair` and `acting`, for contact records whose point is where the force
    acts; `path` has the functions for a spring that follows that point."""
    slide_along, gain_along, push_along = path.sliding_now, path.gained, path.on_pair

    @device
    def sliding_now(touch, side):
        """How fast a spring grows, for the positions and velocities given."""
        return gain_of(touch, side) * slide_along(touch, side)[0], 0.0

    @device
    def gained(touch, side):
        """What closing speed and growth of the spring are expected to gain until t_n."""
        closing, slip = gain_along(touch, side)
        return closing, (gain_of(touch, side) * slip[0], 0.0)

    @device
    def acting(shear, touch, side):
        """The force along T by which the force of a law acts on the bodies."""
        return gain_of(touch, side) * shear[0], 0.0

    @device
    def on_pair(touch, side, push, shear):
        """What the force −push N and the force of the law along T do to the pair."""
        return push_along(touch, side, push, acting(shear, touch, side))

    return SimpleNamespace(sliding_now=sliding_now, gained=gained, on_pair=on_pair, acting=acting)


# --- two bodies --------------------------------------------------------------------------------------------------------


@device
def divided(touch, side):
    """The same contact, its point where it divides the line between two vertices as the radii."""
    offset = side.a.radius * ((side.reach - touch.depth) / side.reach) if touch.at_vertex != 0.0 else touch.offset
    return visit.Touch(
        touch.depth, touch.normal, offset, touch.inverse, touch.closing, touch.across, touch.arm_a, touch.arm_b, touch.at_vertex
    )  # fmt: skip


@device
def touch_of(met, side):
    """Fill the contact record of a candidate."""
    return divided(visit.touch_of(met, side), side)


@device
def lane_touch(met, side):
    """Fill the contact record of a lane."""
    return divided(lanes.lane_touch(met, side), side)


@device
def sliding_before(touch, side, turned, dt):
    """Growth of the spring half a step ago, γ v·T + r_a (ω_a − ω_b) with v at X; dγ/dt = γ v·N/d."""
    slip, a, b = visit.sliding_before(touch, side, turned, dt)[0], side.a, side.b
    if touch.at_vertex == 0.0:
        return slip, 0.0
    speed = minus(velocity_at(a.mid_velocity, a.mid_spin, touch.arm_a), velocity_at(b.mid_velocity, b.mid_spin, touch.arm_b))
    relative, change = a.mid_spin - b.mid_spin, 0.5 * dt * touch.closing
    across = slip - relative * (touch.offset + 0.5 * change)  # half a step ago
    gain = side.reach * touch.inverse
    return gain * (across - change * touch.inverse * cross(touch.normal, speed)) + a.radius * relative, 0.0


# --- two disks ---------------------------------------------------------------------------------------------------------


@device
def touch_of_disks(met, side):
    """Fill the contact record of two disks."""
    touch = disks.touch_of(met, side)
    split = (side.reach - touch.depth) / side.reach
    return disks.Touch(
        touch.depth, touch.normal, split * side.a.radius, split * side.b.radius, touch.inverse, touch.closing, touch.across
    )  # fmt: skip


@device
def disks_before(touch, side, turned, dt):
    """Growth of the spring of two disks half a step ago, when T was turned and d larger by ½Δt v·N."""
    a, b = side.a, side.b
    across = cross(touch.normal, minus(a.mid_velocity, b.mid_velocity)) * (1.0 - dt * touch.closing * touch.inverse)
    return side.reach * touch.inverse * across + (a.radius * a.mid_spin + b.radius * b.mid_spin), 0.0


BODIES = SimpleNamespace(
    touch_of=touch_of, lane_touch=lane_touch, sliding_before=sliding_before, **vars(by_angle(visit, gain_of_vertices))
)  # fmt: skip
DISKS = SimpleNamespace(
    touch_of=touch_of_disks, lane_touch=touch_of_disks, sliding_before=disks_before, **vars(by_angle(disks, gain_of_disks))
)  # fmt: skip
