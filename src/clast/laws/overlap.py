"""What laws of overlapping volumes receive, and what they share: dashpots, friction and their parameters (model §4)."""

import math
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

from clast.backend.device import law_function
from clast.errors import SceneError
from clast.keys import Key
from clast.laws.friction import hold_back, no_pull, slide
from clast.laws.law import Law, Response
from clast.laws.parameters import NO_HOLD, Friction
from clast.laws.turning import Turning, require_more_than_the_push


class Overlap(NamedTuple):
    """The contact record of two sharp bodies a and b: what a law of volumes may know of one overlap."""

    volume: float  # V, positive
    area: float  # |A|, of the loop in which the surfaces meet
    length: float  # L_c = 4|r_a||r_b|/(|r_a| + |r_b|), from the centres of mass to the centroid
    size: float  # L, the same of balls of the bodies' volumes: constant
    section: float  # A₀, the smaller mean shadow of the two: constant
    closing_speed: float  # v·N with v = v_a − v_b at the centroid, N from a to b: positive when approaching
    sliding_u: float  # v in the tangent plane half a step ago: springs follow it
    sliding_w: float
    reduced_mass: float  # m_a m_b/(m_a + m_b); of a fixed or big body the other's mass
    sliding_now_u: float = 0.0  # v in the tangent plane at t_n, as closing_speed: dashpots see it
    sliding_now_w: float = 0.0


@law_function
def damped_with_friction(parameters, push, stiffness, overlap, memory, dt):
    """Answer of a law whose elastic push and its slope against depth are known.

    Dashpot 2ζ√(m_e k) along the normal, never pulling; Cundall-Strack friction with k_t = τ Y L/4. L is that of the pair and not
    the L_c of the moment, so that a spring at rest keeps its energy.
    """
    friction, damping, tangential_damping = parameters[1], parameters[3], parameters[4]
    viscous = no_pull(push, 2.0 * damping * math.sqrt(overlap.reduced_mass * stiffness) * overlap.closing_speed)
    cap = friction * (push + viscous)
    k_t = shear_stiffness(parameters, overlap.size)
    spring_u, spring_w, heat = slide(k_t, cap, memory.spring_u, memory.spring_w, overlap.sliding_u, overlap.sliding_w, dt)
    shear_u, shear_w = -k_t * spring_u, -k_t * spring_w
    slow = 2.0 * tangential_damping * math.sqrt(overlap.reduced_mass * k_t)
    drag_u, drag_w = hold_back(shear_u, shear_w, -slow * overlap.sliding_now_u, -slow * overlap.sliding_now_w, cap)
    return Response(push, viscous, shear_u, shear_w, drag_u, drag_w, spring_u, spring_w, 0.0, heat)


@law_function
def shear_stiffness(parameters, size):
    """k_t = τ Y L/4."""
    return 0.25 * parameters[2] * parameters[0] * size


@law_function
def spring_energy(parameters, size, spring_u, spring_w):
    """½ k_t s²."""
    return 0.125 * parameters[2] * parameters[0] * size * (spring_u * spring_u + spring_w * spring_w)


@dataclass(frozen=True)
class OverlapLaw(Law):
    """Parameters of both laws of overlapping volumes.

    young                modulus Y [force/length²]
    friction             μ; infinity holds every contact by its spring
    tangential           τ: k_t = τ Y L/4, with L = 4R_aR_b/(R_a + R_b) of balls of the bodies' volumes, 2R_a against a wall
    damping              ζ of the normal dashpot, of critical
    tangential_damping   the same of the tangential one
    turning              a `Turning`: springs against torsion and rocking on top

    SceneError names a parameter that is negative, not finite or no number, friction without τ, and rolling,
    cohesion or sliding_by.
    """

    young: Annotated[float, Key("modulus Y", "force/length²", gt=0.0, at_zero=NO_HOLD)]
    friction: Friction = 0.0
    tangential: Annotated[float, Key("τ of the spring of friction, k_t = τ Y L/4; needed where there is friction", ge=0.0)] = (
        2.0 / 7.0
    )
    damping: Annotated[float, Key("ζ of the normal dashpot, as a part of critical", ge=0.0)] = 0.0
    tangential_damping: Annotated[float, Key("ζ of the tangential one", ge=0.0)] = 0.0

    turning: Annotated[Turning | None, Key("springs against torsion and rocking, a table")] = field(default=None, kw_only=True)

    needs_volume = True
    own_rocking = 0.0  # how much of k_n I/A the push itself resists rocking with, without leaving contact anywhere

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.friction > 0.0 and self.tangential == 0.0:
            raise SceneError(f"friction = {self.friction} needs tangential > 0 (2/7 is common)")
        if self.rolling is not None or self.cohesion is not None:
            raise SceneError("laws of overlapping volumes have neither rolling resistance nor cohesion: leave them out")
        if self.turning is not None:
            if not isinstance(self.turning, Turning):
                raise SceneError(f"law: turning = {self.turning!r} must be a Turning(…) or None")
            require_more_than_the_push(self.turning, self.own_rocking)
        if self.sliding_by != "path":
            raise SceneError(
                f'laws of overlapping volumes have no contacts between vertices: leave out sliding_by = "{self.sliding_by}"'
            )

    @property
    def damps_or_slides(self) -> bool:
        """Always: CSM10's push itself has no potential; and beside the clipping of an overlap its friction costs nothing, so
        that loops without it are not worth compiling."""
        return True

    @property
    def damps(self) -> bool:
        """Whether there are dashpots."""
        return self.damping > 0.0 or self.tangential_damping > 0.0

    @property
    def stiffer(self) -> tuple[float, float]:
        """How much stiffer against turning than against moving an overlap may be, at least 1: rocking, torsion."""
        return (max(1.0, self.turning.rocking), max(1.0, self.turning.twisting)) if self.turning is not None else (1.0, 1.0)

    @property
    def turning_row(self) -> tuple[float, ...]:
        """Parameters of `turning`, where there is any."""
        return self.turning.row if self.turning is not None else ()

    @property
    def row(self) -> tuple[float, ...]:
        """Parameters in the order the compiled law unpacks them."""
        return self.young, min(self.friction, 1e300), self.tangential, self.damping, self.tangential_damping

    def stiffness(self, depth: float, radius: float) -> float:
        """Y times a length: of a contact as wide as the body it belongs to (`radius`), the stiffest there is."""
        return self.young * radius
