"""Rolling resistance on top of any law (model §3): a spring-slider on the relative rotation, force and energy side by side.

    torque on a   M = −k_r θ,   θ = ∫ (ω_a − ω_b) dt, cut back to k_r|θ| ≤ μ_r F_n r_e;   on b the opposite
    in space      of ω_a − ω_b the part across the normal: rolling, not twisting
    energy        ½ k_r θ²;   heat as in `clast.laws.friction`

r_e = r_a r_b/(r_a + r_b) is the reduced sphero-radius, F_n the normal force of the law under it (without cohesion).
"""

from dataclasses import dataclass
from typing import Annotated

from clast.backend.device import law_function
from clast.keys import Key
from clast.laws.friction import slide
from clast.laws.parameters import require_declared


@law_function
def rolling_torque(stiffness, friction, normal_force, radius, speed_u, speed_w, angle_u, angle_w, dt):
    """Torque on a (u, w), new angle of the spring (u, w) and heat of rolling. In the plane w is 0 and u about ẑ."""
    new_u, new_w, heat = slide(stiffness, friction * normal_force * radius, angle_u, angle_w, speed_u, speed_w, dt)
    return -stiffness * new_u, -stiffness * new_w, new_u, new_w, heat


@law_function
def rolling_energy(stiffness, angle):
    """½ k_r θ²."""
    return 0.5 * stiffness * angle * angle


@dataclass(frozen=True)
class Rolling:
    """Rolling resistance on top of a law. `Linear(…, rolling=Rolling(stiffness, friction))`.

    stiffness   k_r [force × length per radian]
    friction    μ_r, a pure number: the torque stays below μ_r F_n r_e

    SceneError names a number that is negative, not finite or none at all.
    """

    stiffness: Annotated[float, Key("k_r", "force × length per radian", ge=0.0)]
    friction: Annotated[float, Key("μ_r: the torque stays below μ_r F_n r_e; inf allowed", ge=0.0, infinite=True)]

    def __post_init__(self) -> None:
        require_declared(self)

    @property
    def row(self) -> tuple[float, ...]:
        """Parameters in the order the kernel reads them."""
        return self.stiffness, min(self.friction, 1e300)
