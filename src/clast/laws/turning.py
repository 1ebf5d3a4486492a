"""Springs that hold two sharp bodies against turning on each other: torsion about the normal, rocking across it (model §4).

An overlap has one tangential spring, at a point. Spread over the area A of the loop in which the surfaces meet, springs of k_t/A
and k_n/A per area resist a relative spin ω as well, by couples

    torsion   −κ_t k_t (J/A) ω_N          J  the polar second moment of A about its middle
    rocking   −κ_r k_n (I/A) ω            I  the tensor of second moments for axes in the plane

with κ_t = `twisting` and κ_r = `rocking`. These stiffnesses K change with A, so what is remembered is not an angle but

    q = ∫ √K ω dt,    couple −√K q,    energy ½ q²

whose power is that of the couple for any K(t): a spring whose stiffness changes neither gives nor takes. K is of rank three, its
root taken in closed form. Limits: |torsion| ≤ μ F_n ρ, with ρ = ∫ r dA/A of a disk of the same J/A; rocking by what no pressure
can do that is nowhere a pull: the resultant of the push stays within the loop (`clast.contact.sharp.area.part_inside`).
"""

import math
from dataclasses import dataclass
from typing import Annotated

from clast.backend.device import law_function
from clast.errors import SceneError
from clast.keys import Key
from clast.laws.parameters import require_declared

ARM = math.sqrt(8.0) / 3.0  # of a disk: ∫ r dA/A over √(J/A)
PUNCH = 8.0 / 3.0  # K_rocking/(k_n I/A) of a rigid round flat on an elastic half-space: 8GR³/(3(1−ν)), 4GR/(1−ν), I/A = R²/4


@law_function
def root_of(uu, uw, ww):
    """Root of a symmetric tensor in a plane that has no negative value: (S + √det 1)/√(tr + 2√det)."""
    both = math.sqrt(max(uu * ww - uw * uw, 0.0))
    whole = uu + ww + 2.0 * both
    if whole <= 0.0:
        return 0.0, 0.0, 0.0
    part = 1.0 / math.sqrt(whole)
    return part * (uu + both), part * uw, part * (ww + both)


@law_function
def torsion_limit(friction, push, polar):
    """μ F_n ρ; `polar` is J/A."""
    return friction * push * ARM * math.sqrt(polar)


@law_function
def turning_energy(q):
    """½ q² of a triple."""
    return 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2])


@dataclass(frozen=True)
class Turning:
    """Springs and dashpots against turning on each other, of sharp solids. `OverlapVolume(…, turning=Turning())`.

    twisting   κ_t of torsion about the normal; 0: none
    rocking    κ_r of rocking, with what the push itself resists: 1 is a bed of springs side by side, 8/3 a rigid round flat on an
               elastic half-space; 0: no spring and no dashpot

    Dashpots are `tangential_damping` and `damping` of the law, of critical for the same masses. SceneError names a number that is
    negative, not finite or none at all.
    """

    twisting: Annotated[float, Key("κ_t: stiffness of torsion is κ_t k_t J/A", ge=0.0)] = 1.0
    rocking: Annotated[float, Key("κ_r: stiffness of rocking is κ_r k_n I/A, with what the push itself resists", ge=0.0)] = PUNCH

    def __post_init__(self) -> None:
        require_declared(self)

    @property
    def row(self) -> tuple[float, ...]:
        """Parameters in the order the kernel reads them."""
        return self.twisting, self.rocking


def require_more_than_the_push(turning: Turning, of_push: float) -> None:
    """SceneError for less rocking than the push of a law resists by itself."""
    if 0.0 < turning.rocking < of_push:
        raise SceneError(
            f"turning: rocking = {turning.rocking} is less than the push itself resists, {of_push:g}: give "
            f"{of_push:g} or more, or 0"
        )
