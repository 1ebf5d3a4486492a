"""Linear spring, dashpots and Cundall-Strack friction (EPL08 eq 5-7; PRE10 eq 15-22): force and energy side by side.

Per counted contact of depth δ, with v = v_a − v_b at the contact point, N from a to b and T = ẑ × N:

    normal       F_n = k_n δ + G_n m_e v·N, not below zero (a dashpot may not make a contact pull)
    tangential   F_t = −(k_t s + G_t m_e v·T), |F_t| ≤ μ F_n;   s = ∫ v·T dt, cut back to |s| ≤ μ F_n / k_t on sliding
    energy       ½ k_n δ² + ½ k_t s²

Heat of sliding in one step. Over the step from n−1 to n the kicks do the work of the mean force ½ k_t (s_old + s_new)
along the displacement s_trial − s_old, and the spring stores ½ k_t (s_new² − s_old²); what is left,
½ k_t (s_old + s_new)(s_trial − s_new), is heat. Taking k_t s_new (s_trial − s_new) instead is of first order only.
"""

import math
from dataclasses import dataclass

from clast.errors import SceneError

PARAMETERS = (
    "normal_stiffness",
    "tangential_stiffness",
    "friction",
    "normal_damping",
    "tangential_damping",
    "cap_total",
)


def unpack(table, row):
    """Parameters of one material pair as a tuple, in the order of PARAMETERS."""
    return table[row, 0], table[row, 1], table[row, 2], table[row, 3], table[row, 4], table[row, 5]


def friction_force(parameters, depth, closing_speed, sliding_speed, spring, reduced_mass, dt):
    """Forces of one counted contact and its new spring.

    `closing_speed` = v·N (positive when approaching), `sliding_speed` = v·T, `spring` the stored s of the last step.
    Returns normal elastic, normal viscous, tangential elastic, tangential viscous force (on a, tangential along T),
    the new spring and the heat of sliding.
    """
    k_n, k_t, mu, g_n, g_t, cap_total = parameters
    elastic = k_n * depth
    viscous = g_n * reduced_mass * closing_speed
    if elastic + viscous < 0.0:
        viscous = -elastic
    cap = mu * (elastic + cap_total * viscous)
    trial = spring + sliding_speed * dt
    new = trial
    heat = 0.0
    if k_t * math.fabs(trial) > cap:
        new = math.copysign(cap / k_t, trial)
        heat = 0.5 * k_t * (spring + new) * (trial - new)
    tangential = -k_t * new
    drag = -g_t * reduced_mass * sliding_speed
    if cap_total != 0.0:
        # the dashpot gives way first: |spring + dashpot| stays within the cap
        drag = min(max(tangential + drag, -cap), cap) - tangential
    return elastic, viscous, tangential, drag, new, heat


def elastic_force(parameters, depth, closing_speed, sliding_speed, spring, reduced_mass, dt):
    """The same law without friction and damping: the elastic normal force alone."""
    return parameters[0] * depth, 0.0, 0.0, 0.0, 0.0, 0.0


def normal_energy(parameters, depth):
    """Elastic energy of the normal spring, ½ k_n δ²."""
    return 0.5 * parameters[0] * depth * depth


def tangential_energy(parameters, spring):
    """Elastic energy of the tangential spring, ½ k_t s²."""
    return 0.5 * parameters[1] * spring * spring


@dataclass(frozen=True)
class Linear:
    """The linear law with its parameters; `Linear(1e7)` is frictionless and elastic.

    normal_stiffness, tangential_stiffness   k_n, k_t [force/length]
    friction                                 μ; infinity holds every contact by its spring
    normal_damping, tangential_damping       G_n, G_t [1/time], times the reduced mass of the contact
    cap                                      "total": |spring + dashpot| ≤ μ F_n; "elastic": |spring| ≤ μ k_n δ (PRE10)
    """

    normal_stiffness: float
    tangential_stiffness: float = 0.0
    friction: float = 0.0
    normal_damping: float = 0.0
    tangential_damping: float = 0.0
    cap: str = "total"

    module = __name__  # where kernels find `force`, `unpack` and the energies

    def __post_init__(self) -> None:
        for name in PARAMETERS[:5]:
            value = getattr(self, name)
            if math.isnan(value) or value < 0.0 or (math.isinf(value) and name != "friction"):
                raise SceneError(f"law parameter {name} = {value} must be a finite number that is not negative")
        if self.normal_stiffness == 0.0:
            raise SceneError("law parameter normal_stiffness = 0: grains would pass through each other; give a positive number")
        if self.friction > 0.0 and self.tangential_stiffness == 0.0:
            raise SceneError(
                f"friction = {self.friction} needs a tangential_stiffness > 0 (a common choice is 0.1 … 1 times the normal)"
            )
        if self.cap not in ("total", "elastic"):
            raise SceneError(f'law parameter cap = "{self.cap}" must be "total" or "elastic"')

    @property
    def history(self) -> bool:
        """Whether contacts remember anything or lose energy."""
        return self.friction > 0.0 or self.normal_damping > 0.0 or self.tangential_damping > 0.0

    @property
    def row(self) -> tuple[float, ...]:
        """Parameters in the order the compiled law unpacks them."""
        return (
            self.normal_stiffness, self.tangential_stiffness, min(self.friction, 1e300), self.normal_damping,
            self.tangential_damping, 1.0 if self.cap == "total" else 0.0,
        )  # fmt: skip
