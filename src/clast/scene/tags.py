"""What is imposed on a body (GM09 §2.5, model §6): velocities, forces, pressures. Each number may be a function of time."""

from __future__ import annotations

import math
from dataclasses import dataclass

from clast.errors import SceneError
from clast.scene.timed import Timed, check_timed

DIRECTIONS = {"+x": (0, 1.0), "-x": (0, -1.0), "+y": (1, 1.0), "-y": (1, -1.0)}


def _check(tag: object, **values: Timed | None) -> None:
    for name, value in values.items():
        if value is not None:
            check_timed(f"{type(tag).__name__} tag: {name}", value)


@dataclass(frozen=True)
class Fixed:
    """The body never moves."""


@dataclass(frozen=True)
class Velocity:
    """Prescribed velocity components; a component left at None stays free. Units length/time, radians/time."""

    x: Timed | None = None
    y: Timed | None = None
    spin: Timed | None = None

    def __post_init__(self) -> None:
        _check(self, x=self.x, y=self.y, spin=self.spin)


@dataclass(frozen=True)
class Force:
    """A force and torque on top of gravity and contacts. Units force, force × length."""

    x: Timed = 0.0
    y: Timed = 0.0
    torque: Timed = 0.0

    def __post_init__(self) -> None:
        _check(self, x=self.x, y=self.y, torque=self.torque)


@dataclass(frozen=True)
class Pressure:
    """A force `value` × the present gap between the inner faces of two walls, or × the period, along `direction`.

    value       pressure [force/length]
    direction   "+x", "-x", "+y" or "-y": where the wall is pushed
    between     names or ids of the two walls that bound the loaded face, the one at the smaller coordinate first;
                None where that side is periodic
    """

    value: Timed
    direction: str
    between: tuple[int | str, int | str] | None = None

    def __post_init__(self) -> None:
        _check(self, value=self.value)
        if not isinstance(self.direction, str) or self.direction not in DIRECTIONS:
            raise SceneError(f'Pressure tag: direction = "{self.direction}" must be one of {", ".join(DIRECTIONS)}')
        if self.between is None:
            return
        named = isinstance(self.between, tuple | list) and all(isinstance(each, int | str) for each in self.between)
        if not named or len(self.between) != 2 or self.between[0] == self.between[1]:
            raise SceneError(f"Pressure tag: between = {self.between} must name two different walls")


@dataclass(frozen=True)
class Dashpot:
    """A force −coefficient × velocity (components x and y) [force × time/length], booked as viscous heat.

    coefficient   one for both components, or a pair (x, y)

    A wall that is free to move gets one by itself: 0.2 M √(0.5 k_n/M) (model §6). `Dashpot(0.0)` takes that away.
    """

    coefficient: float | tuple[float, float]

    def __post_init__(self) -> None:
        given = self.coefficient if isinstance(self.coefficient, tuple) else (self.coefficient, self.coefficient)
        numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in given)
        if len(given) != 2 or not numbers or not all(math.isfinite(each) and each >= 0.0 for each in given):
            raise SceneError(f"Dashpot tag: coefficient = {self.coefficient!r} must be a finite number that is not negative")

    @property
    def by_axis(self) -> tuple[float, float]:
        """Coefficients for x and y."""
        return self.coefficient if isinstance(self.coefficient, tuple) else (self.coefficient, self.coefficient)


Tag = Fixed | Velocity | Force | Pressure | Dashpot
