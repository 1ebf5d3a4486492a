"""What all tags of one body say together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from clast.errors import SceneError
from clast.scene.tags import Dashpot, Fixed, Force, Pressure, Tag
from clast.scene.timed import Timed, is_constant

COMPONENTS = ("x", "y", "spin")


@dataclass
class Imposed:
    """Tags of a body summed up, by component: x, y, spin."""

    velocity: list[Timed | None] = field(default_factory=lambda: [None, None, None])  # None where the body is free
    force: list[list[Timed]] = field(default_factory=lambda: [[], [], []])  # to be added
    pressures: list[Pressure] = field(default_factory=list)
    dashpot: tuple[float, float] | None = None  # None where nothing was said

    @property
    def held(self) -> tuple[bool, bool, bool]:
        """Where the velocity is prescribed."""
        return self.velocity[0] is not None, self.velocity[1] is not None, self.velocity[2] is not None

    @property
    def at_rest(self) -> bool:
        """Whether the body can never move."""
        return all(value is not None and is_constant(value) and value == 0.0 for value in self.velocity)

    @property
    def driven(self) -> bool:
        """Whether anything at all is imposed."""
        return any(self.held) or any(self.force) or bool(self.pressures) or any(self.dashpot or ())


def sum_up(who: str, tags: Iterable[Tag]) -> Imposed:
    """All tags of a body, `who` in complaints; SceneError where they contradict each other."""
    total = Imposed()
    for tag in tags:
        if isinstance(tag, Force):
            for c, value in enumerate((tag.x, tag.y, tag.torque)):
                if not (is_constant(value) and value == 0.0):
                    total.force[c].append(value)
        elif isinstance(tag, Pressure):
            total.pressures.append(tag)
        elif isinstance(tag, Dashpot):
            if total.dashpot is not None and total.dashpot != tag.by_axis:
                raise SceneError(f"{who}: two Dashpot tags with different coefficients")
            total.dashpot = tag.by_axis
        else:
            wanted = (0.0, 0.0, 0.0) if isinstance(tag, Fixed) else (tag.x, tag.y, tag.spin)
            for c, given in enumerate(wanted):
                if given is None:
                    continue
                if total.velocity[c] is not None and total.velocity[c] != given:
                    raise SceneError(f"{who}: two tags prescribe different velocities for its {COMPONENTS[c]}")
                total.velocity[c] = given
    for c, forces in enumerate(total.force):
        if forces and total.held[c]:
            raise SceneError(
                f"{who}: a Force along {COMPONENTS[c]} on a body whose {COMPONENTS[c]} velocity is prescribed would do "
                "nothing; leave that component free"
            )
    for pressure in total.pressures:
        if total.held["xy".index(pressure.direction[1])]:
            raise SceneError(
                f"{who}: a Pressure along {pressure.direction} on a body whose {pressure.direction[1]} velocity is "
                "prescribed would do nothing; leave that component free"
            )
    return total
