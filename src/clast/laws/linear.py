"""Linear spring, dashpots and Cundall-Strack friction (EPL08 eq 5-7; PRE10 eq 15-22): force and energy side by side.

Per counted contact of depth δ, with v = v_a − v_b at the contact point:

    normal       F_n = k_n δ + c v·N, c = G_n m_e or 2ζ√(k_n m_e), not below zero (a dashpot may not make a contact pull)
    tangential   F_t = −(k_t s + G_t m_e v_t), |F_t| ≤ μ F_n (see `clast.laws.friction`)
    energy       ½ k_n δ² + ½ k_t s²
"""

import math
from dataclasses import dataclass
from typing import Annotated, Literal

from clast.backend.device import law_function
from clast.keys import Key
from clast.laws.friction import hold_back, no_pull, slide
from clast.laws.law import Response
from clast.laws.parameters import NO_HOLD
from clast.laws.restitution import damping_ratio
from clast.laws.springs import SpringsAndDashpots


def elastic(parameters, depth, radius):
    """k_n δ."""
    return parameters[0] * depth


def normal_energy(parameters, depth, radius):
    """½ k_n δ²."""
    return 0.5 * parameters[0] * depth * depth


@law_function
def force_with(dashpot, parameters, contact, memory, dt):
    """The same with a dashpot c along the normal [force × time/length]."""
    k_n, k_t, mu, _, g_t, cap_total, _ = parameters
    push = k_n * contact.depth
    viscous = no_pull(push, dashpot * contact.closing_speed)
    cap = mu * (push + cap_total * viscous)
    spring_u, spring_w, heat = slide(k_t, cap, memory.spring_u, memory.spring_w, contact.sliding_u, contact.sliding_w, dt)
    shear_u = -k_t * spring_u
    shear_w = -k_t * spring_w
    drag_u = -g_t * contact.reduced_mass * contact.sliding_now_u
    drag_w = -g_t * contact.reduced_mass * contact.sliding_now_w
    if cap_total != 0.0:
        drag_u, drag_w = hold_back(shear_u, shear_w, drag_u, drag_w, cap)
    return Response(push, viscous, shear_u, shear_w, drag_u, drag_w, spring_u, spring_w, 0.0, heat)


def force(parameters, contact, memory, dt):
    """Forces of one counted contact, its new spring and the heat of sliding."""
    return force_with(parameters[3] * contact.reduced_mass, parameters, contact, memory, dt)


def spring_energy(parameters, spring_u, spring_w, extra):
    """½ k_t s²."""
    return 0.5 * parameters[1] * (spring_u * spring_u + spring_w * spring_w)


@dataclass(frozen=True)
class Linear(SpringsAndDashpots):
    """Linear springs, dashpots, Cundall-Strack friction. `Linear(1e7)` is frictionless and elastic.

    normal_stiffness, tangential_stiffness   k_n, k_t [force/length]
    friction                                 μ; infinity holds every contact by its spring
    normal_damping, tangential_damping       G_n, G_t [1/time], times the reduced mass of the contact
    cap                                      "total": |spring + dashpot| ≤ μ F_n; "elastic": |spring| ≤ μ k_n δ (PRE10)
    restitution                              e of a straight impact on one contact, from 0.01 to 1, in place of G_n; what counts n
                                             contacts has √n times the damping ratio
    sliding_by                           "path" of the contact point; "angle" between vertices, which a closed path returns
    rolling, cohesion                        a `Rolling` and a `Cohesion` on top

    SceneError names a parameter that is negative, not finite or no number, friction without k_t, and G_n beside a restitution.
    """

    normal_stiffness: Annotated[float, Key("k_n", "force/length", gt=0.0, at_zero=NO_HOLD)]
    cap: Annotated[
        Literal["total", "elastic"], Key("what friction limits: spring and dashpot together, or the spring (PRE10)")
    ] = "total"

    kind = "linear"
    known_as = "the linear law"
    listed = 1
    module = __name__
    bouncing = "clast.laws.linear_bouncing"

    @property
    def row(self) -> tuple[float, ...]:
        """Parameters in the order the compiled law unpacks them."""
        return (
            self.normal_stiffness, self.tangential_stiffness, min(self.friction, 1e300), self.normal_damping,
            self.tangential_damping, 1.0 if self.cap == "total" else 0.0,
            2.0 * damping_ratio(self.restitution) * math.sqrt(self.normal_stiffness),
        )  # fmt: skip

    def stiffness(self, depth: float, radius: float) -> float:
        """The larger of k_n and k_t, whatever the overlap."""
        return max(self.normal_stiffness, self.tangential_stiffness)
