"""What is imposed on a body (GM09 §2.5): velocities or forces, constant in time."""

import math
from dataclasses import dataclass

from clast.errors import SceneError


def _finite(tag: object, **values: float | None) -> None:
    for name, value in values.items():
        if value is not None and not math.isfinite(value):
            raise SceneError(f"{type(tag).__name__} tag: {name} = {value} must be a finite number")


@dataclass(frozen=True)
class Fixed:
    """The body never moves."""


@dataclass(frozen=True)
class Velocity:
    """Prescribed velocity components; a component left at None stays free. Units length/time, radians/time."""

    x: float | None = None
    y: float | None = None
    spin: float | None = None

    def __post_init__(self) -> None:
        _finite(self, x=self.x, y=self.y, spin=self.spin)


@dataclass(frozen=True)
class Force:
    """A constant force and torque on top of gravity and contacts. Units force, force × length."""

    x: float = 0.0
    y: float = 0.0
    torque: float = 0.0

    def __post_init__(self) -> None:
        _finite(self, x=self.x, y=self.y, torque=self.torque)


Tag = Fixed | Velocity | Force
