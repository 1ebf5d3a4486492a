"""What is imposed on a body (GM09 §2.5, model §6): velocities, forces, pressures. Each number may be a function of time.

The same tags serve the plane and space. What only space has (z, turns about x and y) comes last and is left out in the plane,
where a scene refuses it; `spin` and `torque` are about z in both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from clast.errors import SceneError
from clast.scene.timed import Timed, check_timed

DIRECTIONS = {"+x": (0, 1.0), "-x": (0, -1.0), "+y": (1, 1.0), "-y": (1, -1.0), "+z": (2, 1.0), "-z": (2, -1.0)}

Walls = tuple[int | str, int | str]  # names or ids of two walls that bound a gap, the one at the smaller coordinate first


def _check(tag: object, **values: Timed | None) -> None:
    for name, value in values.items():
        if value is not None:
            check_timed(f"{type(tag).__name__} tag: {name}", value)


def _written(tag: object, always: tuple[str, ...], if_given: dict[str, object]) -> str:
    """A tag as a user of the plane writes it; what only space has is shown where it was given."""
    names = [*always, *(name for name, default in if_given.items() if getattr(tag, name) != default)]
    return f"{type(tag).__name__}({', '.join(f'{name}={getattr(tag, name)!r}' for name in names)})"


@dataclass(frozen=True)
class Fixed:
    """The body never moves. A tag that would move it as well is refused with SceneError."""


@dataclass(frozen=True, repr=False)
class Velocity:
    """Prescribed velocity components; a component left at None stays free. Units length/time, radians/time.

    x, y, spin          in the plane and in space; `spin` is about z
    z, spin_x, spin_y   in space only; there either all three spins are prescribed or none

    Each is a number or a function of time; SceneError names one that is not, or not finite.
    """

    x: Timed | None = None
    y: Timed | None = None
    spin: Timed | None = None
    z: Timed | None = None
    spin_x: Timed | None = None
    spin_y: Timed | None = None

    def __post_init__(self) -> None:
        _check(self, x=self.x, y=self.y, spin=self.spin, z=self.z, spin_x=self.spin_x, spin_y=self.spin_y)

    def __repr__(self) -> str:
        return _written(self, ("x", "y", "spin"), {"z": None, "spin_x": None, "spin_y": None})


@dataclass(frozen=True, repr=False)
class Force:
    """A force and torque on top of gravity and contacts. Units force, force × length.

    x, y, torque            in the plane and in space; `torque` is about z
    z, torque_x, torque_y   in space only

    Each is a number or a function of time; SceneError names one that is not, or not finite.
    """

    x: Timed = 0.0
    y: Timed = 0.0
    torque: Timed = 0.0
    z: Timed = 0.0
    torque_x: Timed = 0.0
    torque_y: Timed = 0.0

    def __post_init__(self) -> None:
        _check(self, x=self.x, y=self.y, torque=self.torque, z=self.z, torque_x=self.torque_x, torque_y=self.torque_y)

    def __repr__(self) -> str:
        return _written(self, ("x", "y", "torque"), {"z": 0.0, "torque_x": 0.0, "torque_y": 0.0})


@dataclass(frozen=True)
class Pressure:
    """A force `value` × the present size of the loaded face, along `direction`.

    value       pressure [force/length in the plane, force/area in space]
    direction   "+x", "-x", "+y", "-y", in space also "+z", "-z": where the wall is pushed
    between     in the plane: names or ids of the two walls whose inner faces bound the loaded face, the one at the smaller
                coordinate first; None where that side is periodic. In space two such pairs, for the two axes other than that
                of the direction in the order x, y, z; a pair is None where that axis is periodic, and None stands for both

    SceneError for another direction, for walls that are not two, and for a value that is no number or function of time.
    """

    value: Timed
    direction: str
    between: Walls | tuple[Walls | None, Walls | None] | None = None

    def __post_init__(self) -> None:
        _check(self, value=self.value)
        if not isinstance(self.direction, str) or self.direction not in DIRECTIONS:
            raise SceneError(f'Pressure tag: direction = "{self.direction}" must be one of {", ".join(DIRECTIONS)}')
        if self.between is None:
            return
        if not self.in_pairs:
            _check_walls(self.between, self.between)
        elif len(self.between) != 2:
            raise SceneError(
                f"Pressure tag: between = {self.between} must be two pairs of walls, one for each axis across {self.direction}; "
                "None where that axis is periodic"
            )
        else:
            for pair in self.between:
                if pair is not None:
                    _check_walls(pair, self.between)

    @property
    def in_pairs(self) -> bool:
        """Whether `between` holds two pairs, as in space, and not two walls, as in the plane."""
        listed = isinstance(self.between, tuple | list)
        return listed and any(each is None or isinstance(each, tuple | list) for each in self.between)  # type: ignore[union-attr]


def _check_walls(walls: object, given: object) -> None:
    """SceneError unless `walls` are two names or ids; `given` is what the user wrote."""
    listed = list(walls) if isinstance(walls, tuple | list) else []
    named = all(isinstance(each, int | str) and not isinstance(each, bool) for each in listed)
    if len(listed) != 2 or not named or listed[0] == listed[1]:
        raise SceneError(
            f"Pressure tag: between = {given} must name two different walls{'' if walls is given else ' in each pair'}"
        )


@dataclass(frozen=True)
class Dashpot:
    """A force −coefficient × velocity (not spin) [force × time/length], booked as viscous heat.

    coefficient   one for all components, or one each: (x, y) in the plane, (x, y, z) in space

    A wall that is free to move gets one by itself: 0.2 M √(0.5 k_n/M) (model §6). `Dashpot(0.0)` takes that away.
    SceneError for a coefficient that is negative or no finite number.
    """

    coefficient: float | tuple[float, float] | tuple[float, float, float]

    def __post_init__(self) -> None:
        given = self.coefficient if isinstance(self.coefficient, tuple) else (self.coefficient, self.coefficient)
        numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in given)
        if len(given) not in (2, 3) or not numbers or not all(math.isfinite(each) and each >= 0.0 for each in given):
            raise SceneError(f"Dashpot tag: coefficient = {self.coefficient!r} must be a finite number that is not negative")

    @property
    def by_axis(self) -> tuple[float, ...]:
        """Coefficients for x and y, as the plane has them, or the three that were given."""
        return self.along(len(self.coefficient) if isinstance(self.coefficient, tuple) else 2)

    def along(self, axes: int) -> tuple[float, ...]:
        """Coefficients for x, y (and z); as many as were given where there is one for each."""
        return self.coefficient if isinstance(self.coefficient, tuple) else (self.coefficient,) * axes


@dataclass(frozen=True)
class Shear:
    """Shears the periodic cell of the plane along x: rows of images slide past each other.

    rate     shear rate [1/time]: an image one period_y up is faster by rate × the present period_y
    stress   or a shear stress [force/length], that pulls these images towards +x with stress × period_x

    One of the two, a number or a function of time. SceneError for both or neither, and for what is no number.
    """

    rate: Timed | None = None
    stress: Timed | None = None

    def __post_init__(self) -> None:
        _check(self, rate=self.rate, stress=self.stress)
        if (self.rate is None) == (self.stress is None):
            raise SceneError("Shear tag: give either a rate or a stress")


Tag = Fixed | Velocity | Force | Pressure | Dashpot | Shear
