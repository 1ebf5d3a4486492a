"""Cohesion on top of any law (model §3): a constant pull in contact that fades over a gap. Conservative.

    in contact         −F_c,              energy −F_c (δ + h/2)
    gap 0 < g < h      −F_c (1 − g/h),    energy −F_c h/2 (1 − g/h)²

The pull does not enter the cap of friction: that is μ times the repulsion, so that grains which hold each other without a
load do not slide freely. Every feature pair that counts pulls, corners twice as model §3 counts them.
"""

from dataclasses import dataclass
from typing import Annotated

from clast.backend.device import law_function
from clast.errors import SceneError
from clast.keys import Key
from clast.laws.parameters import require_declared


@law_function
def pull(strength, reach, depth):
    """Attraction at a depth, or at a gap −depth < h."""
    if depth >= 0.0:
        return strength
    return strength * (1.0 + depth / reach)


@law_function
def pull_energy(strength, reach, depth):
    """Its energy: 0 where it begins, at the gap h."""
    if depth >= 0.0:
        return -strength * (depth + 0.5 * reach)
    part = 1.0 + depth / reach
    return -0.5 * strength * reach * part * part


@dataclass(frozen=True)
class Cohesion:
    """Cohesion on top of a law. `Linear(…, cohesion=Cohesion(force, range))`.

    force   F_c of each counted contact [force]
    range   h, the gap at which it begins [length], positive

    SceneError names a number that is negative, not finite or none at all.
    """

    force: Annotated[float, Key("pull F_c of each counted contact", "force", ge=0.0)]
    range: Annotated[float, Key("gap h at which the pull begins", "length", gt=0.0)]

    def __post_init__(self) -> None:
        if self.range == 0.0:
            raise SceneError(
                "cohesion: range = 0 would make the pull a jump, which no energy book can close; give a positive length"
            )
        require_declared(self)

    @property
    def row(self) -> tuple[float, ...]:
        """Parameters in the order the kernel reads them."""
        return self.force, self.range
