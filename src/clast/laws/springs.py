"""What laws with linear dashpots, and a linear spring in the tangent plane, share: their parameters."""

from dataclasses import dataclass, field
from typing import Annotated

from clast.keys import Key
from clast.laws.law import Law
from clast.laws.parameters import (
    NO_HOLD,
    Friction,
    NormalDamping,
    Restitution,
    TangentialDamping,
    TangentialStiffness,
    require_one_dashpot,
    require_spring_for_friction,
)


@dataclass(frozen=True)
class SpringsAndDashpots(Law):
    """Parameters of `Linear` and `Hertz`; a law gives its own meaning and unit to `normal_stiffness`.

    SceneError names a parameter that is negative, not finite or no number, friction without k_t, and G_n beside a restitution.
    """

    normal_stiffness: Annotated[float, Key("of the normal spring", gt=0.0, at_zero=NO_HOLD)]
    tangential_stiffness: TangentialStiffness = 0.0
    friction: Friction = 0.0
    normal_damping: NormalDamping = 0.0
    tangential_damping: TangentialDamping = 0.0
    restitution: Restitution = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_spring_for_friction(self.friction, self.tangential_stiffness)
        require_one_dashpot(self.normal_damping, self.restitution)

    @property
    def damps_or_slides(self) -> bool:
        """Whether a contact remembers anything or loses energy."""
        return self.friction > 0.0 or self.damps

    @property
    def damps(self) -> bool:
        """Whether there are dashpots."""
        return self.normal_damping > 0.0 or self.tangential_damping > 0.0 or self.bounces

    @property
    def bounces(self) -> bool:
        """Whether the normal dashpot is given by a restitution."""
        return self.restitution < 1.0
