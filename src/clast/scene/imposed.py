"""All tags of one body summed up, in the plane (x, y, spin) and in space (x, y, z, spin_x, spin_y, spin)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from clast.errors import SceneError
from clast.scene.tags import Dashpot, Fixed, Force, Pressure, Shear, Tag, Velocity
from clast.scene.timed import Timed, is_constant

PLANE, SPACE = 2, 3  # axes
COMPONENTS = ("x", "y", "spin")
SPACE_COMPONENTS = ("x", "y", "z", "spin_x", "spin_y", "spin")  # the last is about z
CELL = "box"  # how complaints call the periodic cell
ONLY_SPACE = ("z", "spin_x", "spin_y", "torque_x", "torque_y")  # numbers of a tag that mean nothing in the plane


@dataclass
class Imposed:
    """Tags of a body summed up, by component: x, y, spin; in space x, y, z, spin_x, spin_y, spin."""

    velocity: list[Timed | None] = field(default_factory=lambda: [None, None, None])  # None where the body is free
    force: list[list[Timed]] = field(default_factory=lambda: [[], [], []])  # to be added
    pressures: list[Pressure] = field(default_factory=list)
    dashpot: tuple[float, ...] | None = None  # one for each axis; None where no tag gives it
    shear: Shear | None = None  # of the periodic cell

    @property
    def held(self) -> tuple[bool, ...]:
        """Where the velocity is prescribed."""
        return tuple(value is not None for value in self.velocity)

    @property
    def at_rest(self) -> bool:
        """Whether the body can never move."""
        return all(value is not None and is_constant(value) and value == 0.0 for value in self.velocity)

    @property
    def never_turns(self) -> bool:
        """Whether every spin is held at zero."""
        spins = self.velocity[2:] if len(self.velocity) == len(COMPONENTS) else self.velocity[3:]
        return all(value is not None and is_constant(value) and value == 0.0 for value in spins)

    @property
    def driven(self) -> bool:
        """Whether anything at all is imposed."""
        return any(self.held) or any(self.force) or bool(self.pressures) or any(self.dashpot or ())


def components(axes: int) -> tuple[str, ...]:
    """Names of the components of a velocity, as a `Velocity` tag calls them."""
    return COMPONENTS if axes == PLANE else SPACE_COMPONENTS


def numbers_of(tag: Velocity | Force, axes: int) -> list[Timed | None]:
    """The numbers of a tag, by component."""
    names = components(axes)
    if isinstance(tag, Force):
        names = tuple(name.replace("spin", "torque") for name in names)
    return [getattr(tag, name) for name in names]


def check_axes(who: str, tag: Tag, axes: int) -> None:
    """SceneError where a tag has a component that the plane does not have, lacks one that space needs, or is for a cell only."""
    if isinstance(tag, Shear) and who != CELL:
        raise SceneError(f'{who}: a Shear acts on the periodic cell: give it to the Box, or tag "cell"')
    if isinstance(tag, Velocity | Force) and axes == PLANE:
        for name in ONLY_SPACE:
            value = getattr(tag, name, None)
            if value is not None and not (is_constant(value) and value == 0.0 and isinstance(tag, Force)):
                raise SceneError(
                    f"{who}: a {type(tag).__name__} with {name} acts in space, and this scene is in the plane: leave {name} out"
                )
    elif isinstance(tag, Dashpot) and len(tag.along(axes)) != axes:
        given, has = len(tag.along(axes)), "the plane has two" if axes == PLANE else "space has three"
        raise SceneError(f"{who}: a Dashpot with {given} coefficients, but {has} axes: give one for each, or one for all")
    elif isinstance(tag, Pressure) and axes == PLANE:
        if tag.direction[1] == "z":
            raise SceneError(f'{who}: a Pressure along "{tag.direction}", but this scene is in the plane: push along x or y')
        if tag.in_pairs:
            raise SceneError(f"{who}: a Pressure in the plane acts between one pair of walls: between = (A, B)")
    elif isinstance(tag, Pressure) and tag.between is not None and not tag.in_pairs:
        across = " and ".join(axis for axis in "xyz" if axis != tag.direction[1])
        raise SceneError(
            f"{who}: a Pressure along {tag.direction} in space acts on an area: between = ((A, B), (C, D)), a pair of walls "
            f"along {across} each, or None for a pair where that axis is periodic"
        )


def sum_up(who: str, tags: Iterable[Tag], axes: int = PLANE) -> Imposed:
    """All tags of a body, `who` in complaints; SceneError where they contradict each other."""
    names = components(axes)
    total = Imposed([None for _ in names], [[] for _ in names])
    for tag in tags:
        check_axes(who, tag, axes)
        if isinstance(tag, Force):
            for c, value in enumerate(numbers_of(tag, axes)):
                assert value is not None
                if not (is_constant(value) and value == 0.0):
                    total.force[c].append(value)
        elif isinstance(tag, Pressure):
            total.pressures.append(tag)
        elif isinstance(tag, Dashpot):
            if total.dashpot is not None and total.dashpot != tag.along(axes):
                raise SceneError(f"{who}: two Dashpot tags with different coefficients")
            total.dashpot = tag.along(axes)
        elif isinstance(tag, Shear):
            if total.shear is not None:
                raise SceneError(f"{who}: two Shear tags; give one")
            total.shear = tag
        else:
            wanted = [0.0 for _ in names] if isinstance(tag, Fixed) else numbers_of(tag, axes)
            for c, given in enumerate(wanted):
                if given is None:
                    continue
                if total.velocity[c] is not None and total.velocity[c] != given:
                    raise SceneError(f"{who}: two tags prescribe different velocities for its {names[c]}")
                total.velocity[c] = given
    if axes == SPACE and len(set(total.held[3:])) > 1:
        # in space turns about different axes do not add up: what is left of a rotation with one spin given is no rotation
        left = " and ".join(name for name, held in zip(names[3:], total.held[3:], strict=True) if not held)
        raise SceneError(
            f"{who}: in space spins are prescribed all three or none, and {left} is not: say all three of spin_x, spin_y, spin"
        )
    for c, forces in enumerate(total.force):
        if forces and total.held[c]:
            raise SceneError(
                f"{who}: a Force along {names[c]} on a body whose {names[c]} velocity is prescribed would do "
                "nothing; leave that component free"
            )
    for pressure in total.pressures:
        if total.held["xyz".index(pressure.direction[1])]:
            raise SceneError(
                f"{who}: a Pressure along {pressure.direction} on a body whose {pressure.direction[1]} velocity is "
                "prescribed would do nothing; leave that component free"
            )
    return total
