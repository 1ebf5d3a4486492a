"""Linear spring, dashpots and Cundall-Strack friction (EPL08 eq 5-7; PRE10 eq 15-22): force and energy side by side.

Per counted contact of depth δ, with v = v_a − v_b at the contact point:

    normal       F_n = k_n δ + G_n m_e v·N, not below zero (a dashpot may not make a contact pull)
    tangential   F_t = −(k_t s + G_t m_e v_t), |F_t| ≤ μ F_n (see `clast.laws.friction`)
    energy       ½ k_n δ² + ½ k_t s²
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from clast.keys import Key
from clast.laws.friction import hold_back, no_pull, slide
from clast.laws.law import Law, Response
from clast.laws.parameters import (
    NO_HOLD,
    Friction,
    NormalDamping,
    TangentialDamping,
    TangentialStiffness,
    require_spring_for_friction,
)


def elastic(parameters, depth, radius):
    """k_n δ."""
    return parameters[0] * depth


def normal_energy(parameters, depth, radius):
    """½ k_n δ²."""
    return 0.5 * parameters[0] * depth * depth


def force(parameters, contact, memory, dt):
    """Forces of one counted contact, its new spring and the heat of sliding."""
    k_n, k_t, mu, g_n, g_t, cap_total = parameters
    push = k_n * contact.depth
    viscous = no_pull(push, g_n * contact.reduced_mass * contact.closing_speed)
    cap = mu * (push + cap_total * viscous)
    spring_u, spring_w, heat = slide(
        k_t, cap, memory.spring_u, memory.spring_w, contact.sliding_u, contact.sliding_w, dt
    )  # fmt: skip
    shear_u = -k_t * spring_u
    shear_w = -k_t * spring_w
    drag_u = -g_t * contact.reduced_mass * contact.sliding_u
    drag_w = -g_t * contact.reduced_mass * contact.sliding_w
    if cap_total != 0.0:
        drag_u, drag_w = hold_back(shear_u, shear_w, drag_u, drag_w, cap)
    return Response(push, viscous, shear_u, shear_w, drag_u, drag_w, spring_u, spring_w, 0.0, heat)


def spring_energy(parameters, spring_u, spring_w, extra):
    """½ k_t s²."""
    return 0.5 * parameters[1] * (spring_u * spring_u + spring_w * spring_w)


@dataclass(frozen=True)
class Linear(Law):
    """Linear springs, dashpots, Cundall-Strack friction. `Linear(1e7)` is frictionless and elastic.

    normal_stiffness, tangential_stiffness   k_n, k_t [force/length]
    friction                                 μ; infinity holds every contact by its spring
    normal_damping, tangential_damping       G_n, G_t [1/time], times the reduced mass of the contact
    cap                                      "total": |spring + dashpot| ≤ μ F_n; "elastic": |spring| ≤ μ k_n δ (PRE10)
    rolling, cohesion                        a `Rolling` and a `Cohesion` on top

    SceneError names a parameter that is negative, not finite or no number, and friction without k_t.
    """

    normal_stiffness: Annotated[float, Key("k_n", "force/length", gt=0.0, at_zero=NO_HOLD)]
    tangential_stiffness: TangentialStiffness = 0.0
    friction: Friction = 0.0
    normal_damping: NormalDamping = 0.0
    tangential_damping: TangentialDamping = 0.0
    cap: Annotated[
        Literal["total", "elastic"], Key("what friction limits: spring and dashpot together, or the spring (PRE10)")
    ] = "total"

    kind = "linear"
    known_as = "the linear law"
    listed = 1
    module = __name__

    def __post_init__(self) -> None:
        super().__post_init__()
        require_spring_for_friction(self.friction, self.tangential_stiffness)

    @property
    def damps_or_slides(self) -> bool:
        """Whether a contact remembers anything or loses energy."""
        return self.friction > 0.0 or self.normal_damping > 0.0 or self.tangential_damping > 0.0

    @property
    def row(self) -> tuple[float, ...]:
        """Parameters in the order the compiled law unpacks them."""
        return (
            self.normal_stiffness, self.tangential_stiffness, min(self.friction, 1e300), self.normal_damping,
            self.tangential_damping, 1.0 if self.cap == "total" else 0.0,
        )  # fmt: skip

    def stiffness(self, depth: float, radius: float) -> float:
        """The larger of k_n and k_t, whatever the overlap."""
        return max(self.normal_stiffness, self.tangential_stiffness)
