"""Hertz's force with a linear tangential spring (model §3): force and energy side by side.

normal       F_n = k_h δ^{3/2} + c v·N, c = G_n m_e or √5 ζ√(k_h m_e) δ^{1/4}, not below zero
tangential   as in `clast.laws.linear`, |F_t| ≤ μ F_n
energy       ⅖ k_h δ^{5/2} + ½ k_t s²
"""

import math
from dataclasses import dataclass
from typing import Annotated

from clast.backend.device import law_function
from clast.keys import Key
from clast.laws.friction import hold_back, no_pull, slide
from clast.laws.law import Response
from clast.laws.linear import spring_energy as spring_energy  # ½ k_t s²
from clast.laws.parameters import NO_HOLD
from clast.laws.restitution import damping_ratio
from clast.laws.springs import SpringsAndDashpots


def elastic(parameters, depth, radius):
    """k_h δ^{3/2}."""
    return parameters[0] * depth * math.sqrt(depth)


def normal_energy(parameters, depth, radius):
    """⅖ k_h δ^{5/2}."""
    return 0.4 * parameters[0] * depth * depth * math.sqrt(depth)


@law_function
def force_with(dashpot, parameters, contact, memory, dt):
    """The same with a dashpot c along the normal [force × time/length]."""
    k_h, k_t, mu, _, g_t, _ = parameters
    push = k_h * contact.depth * math.sqrt(contact.depth)
    viscous = no_pull(push, dashpot * contact.closing_speed)
    cap = mu * (push + viscous)
    spring_u, spring_w, heat = slide(k_t, cap, memory.spring_u, memory.spring_w, contact.sliding_u, contact.sliding_w, dt)
    shear_u = -k_t * spring_u
    shear_w = -k_t * spring_w
    drag = -g_t * contact.reduced_mass
    drag_u, drag_w = hold_back(shear_u, shear_w, drag * contact.sliding_now_u, drag * contact.sliding_now_w, cap)
    return Response(push, viscous, shear_u, shear_w, drag_u, drag_w, spring_u, spring_w, 0.0, heat)


def force(parameters, contact, memory, dt):
    """Forces of one counted contact, its new spring and the heat of sliding."""
    return force_with(parameters[3] * contact.reduced_mass, parameters, contact, memory, dt)


@dataclass(frozen=True)
class Hertz(SpringsAndDashpots):
    """Hertz's normal force with a linear tangential spring. `Hertz(1e7)` is frictionless and elastic.

    normal_stiffness                     k_h [force/length^{3/2}], the same for every contact
    tangential_stiffness                 k_t [force/length]
    friction                             μ; infinity holds every contact by its spring
    normal_damping, tangential_damping   G_n, G_t [1/time], times the reduced mass of the contact
    restitution                          e of a straight impact on one contact, from 0.01 to 1, at any speed, in place of G_n
    sliding_by                           "path" of the contact point; "angle" between vertices, which a closed path returns
    rolling, cohesion                    a `Rolling` and a `Cohesion` on top

    SceneError names a parameter that is negative, not finite or no number, friction without k_t, and G_n beside a restitution.
    """

    normal_stiffness: Annotated[float, Key("k_h of F = k_h δ^{3/2}", "force/length^{3/2}", gt=0.0, at_zero=NO_HOLD)]

    kind = "hertz"
    known_as = "Hertz's law"
    listed = 2
    module = __name__
    bouncing = "clast.laws.hertz_bouncing"

    @property
    def row(self) -> tuple[float, ...]:
        """Parameters in the order the compiled law unpacks them."""
        return (
            self.normal_stiffness, self.tangential_stiffness, min(self.friction, 1e300),
            self.normal_damping, self.tangential_damping,
            math.sqrt(5.0) * damping_ratio(self.restitution) * math.sqrt(self.normal_stiffness),
        )  # fmt: skip

    def stiffness(self, depth: float, radius: float) -> float:
        """The larger of 3/2 k_h √δ and k_t."""
        return max(1.5 * self.normal_stiffness * math.sqrt(depth), self.tangential_stiffness)
