"""What a scene in the plane and one in space share: laws between materials, names and ids, tags, the masses of walls."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from clast.errors import SceneError
from clast.laws.law import Law
from clast.scene.imposed import PLANE, Imposed, check_axes, sum_up
from clast.scene.tags import Dashpot, Fixed, Force, Pressure, Tag, Velocity
from clast.scene.timed import Timed, check_timed, least


def numbers(what: str, values: object, count: int) -> tuple[float, ...]:
    """`values` as `count` finite numbers; SceneError says what is not."""
    try:
        listed = [*values]  # type: ignore[misc]
    except TypeError:
        listed = []
    if len(listed) != count:
        raise SceneError(f"{what} = {values!r} must be {count} numbers")
    for value in listed:
        if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
            raise SceneError(f"{what} = {value!r} must be a number")
        if not math.isfinite(value):
            raise SceneError(f"{what} is {value}: give a finite number")
    return tuple(float(value) for value in listed)


def name_or_none(what: str, value: object) -> None:
    """SceneError unless `value` is a text or None."""
    if value is not None and (not isinstance(value, str) or "\0" in value):
        raise SceneError(f"{what} = {value!r} must be a text")


def check_periods(**periods: float) -> None:
    """SceneError unless every period of a box is a positive length, or 0."""
    for name, value in periods.items():
        if numbers(f"box: {name}", [value], 1)[0] < 0.0:
            raise SceneError(f"box: {name} = {value} must be a positive length, or 0 for an open side")


def check_gravity(gravity: Sequence[float], periods: Sequence[float]) -> None:
    """SceneError where grains would fall for ever."""
    for axis, g, period in zip("xyz"[: len(periods)], gravity, periods, strict=True):
        if g != 0.0 and period > 0.0:
            raise SceneError(f"gravity {g} along {axis}, but the box is periodic along {axis}: grains would fall for ever")


def check_width(number: int, name: str, reach: float, periods: Sequence[float]) -> None:
    """SceneError where a grain is as wide as a period."""
    for axis, period in zip("xyz"[: len(periods)], periods, strict=True):
        if 0.0 < period <= 2.0 * reach:
            raise SceneError(
                f"body {number} ({name}) is {2.0 * reach:.6g} across, not less than the period {period:.6g} "
                f"along {axis}: it would meet itself; widen the box"
            )


def density_of(number: int, density: float | None, mass: float | None, size: float) -> float:
    """Mass per area (volume) `size` of a body that was given either its mass or its density, or neither: then 1."""
    if density is not None and mass is not None:
        raise SceneError(f"body {number}: give its density or its mass, not both")
    what, given = ("mass", mass) if mass is not None else ("density", 1.0 if density is None else density)
    amount = numbers(f"body {number}: {what}", [given], 1)[0]
    if amount <= 0.0:
        raise SceneError(f"body {number}: {what} = {given} must be positive")
    return amount / size if mass is not None else amount


class Skeleton(Protocol):
    """A shape as far as plane and space agree about it."""

    @property
    def name(self) -> str:
        """What it is called in messages."""
        ...

    @property
    def radius(self) -> float:
        """Sphero-radius."""
        ...

    @property
    def reach(self) -> float:
        """Largest distance from the centre of mass to the surface."""
        ...

    @property
    def thickness(self) -> float:
        """Smallest width of the skeleton: contact weights hold while overlaps stay below it."""
        ...


class Member(Protocol):
    """A body as far as plane and space agree about it."""

    @property
    def shape(self) -> Skeleton:
        """What it is."""
        ...

    @property
    def position(self) -> tuple[float, ...]:
        """Centre of mass."""
        ...

    def turned_vertices(self) -> np.ndarray:
        """Vertices (n, axes) about the centre of mass, as the body stands."""
        ...

    mass: float
    inertia: Any  # a number in the plane, three in space
    material: str
    big: bool
    name: str | None
    weighed: bool
    tags: list[Tag]


class Periodic(Protocol):
    """A box as far as plane and space agree about it."""

    @property
    def periods(self) -> tuple[float, ...]:
        """Lengths along the axes, 0 where a side is open."""
        ...


Kind = TypeVar("Kind", bound=Member)


class Problem(Generic[Kind]):
    """Bodies of one kind, the laws between their materials and what is imposed on them; see `Scene` and `Scene3D`."""

    axes: ClassVar[int]  # 2 in the plane, 3 in space
    box: Periodic
    gravity: Any  # acceleration, one number for each axis

    def __init__(self, law: Law, drag: Timed, onset: bool, remove_below: float | None) -> None:
        if not isinstance(law, Law):
            raise SceneError(f"law = {law!r} must be a law, such as Linear(1e7)")
        if law.needs_volume and self.axes == PLANE:
            raise SceneError(
                f"the law {describe(law)} acts by the volume of the overlap of sharp solids, and this scene is in the plane: "
                "give it to a Scene3D, or take another law, such as Linear(1e7)"
            )
        check_timed("drag", drag)
        if (lowest := least(drag)) is not None and lowest < 0.0:
            raise SceneError(f"drag falls to {lowest}: it must not be negative at any time")
        if remove_below is not None:
            numbers("remove_below", [remove_below], 1)
        if not isinstance(onset, bool):
            raise SceneError(f"onset = {onset!r} must be True or False")
        self.drag = drag
        self.onset = bool(onset)
        self.remove_below = remove_below
        self.bodies: list[Kind] = []
        self.default_law = law
        self.pair_laws: dict[tuple[str, str], Law] = {}

    def __len__(self) -> int:
        return len(self.bodies)

    def described(self, kind: str, periods: Sequence[float], gravity: Sequence[float]) -> str:
        """The scene in one line."""
        big = sum(body.big for body in self.bodies)
        sides = [axis for axis, period in zip("xyz", periods, strict=False) if period > 0.0]
        return (
            f"{kind}: {len(self.bodies) - big} grains, {big} big bodies, "
            f"{'periodic in ' + ' and '.join(sides) if sides else 'open box'}, gravity {gravity}, {self.default_law}"
        )

    # --- tags --------------------------------------------------------------------------------------------------------

    def ids(self, who: int | str | Iterable[int | str]) -> list[int]:
        """Ids of a body, of all bodies of a name, or of several of these."""
        if isinstance(who, str):
            found = [k for k, body in enumerate(self.bodies) if body.name == who]
            if not found:
                names = sorted({body.name for body in self.bodies if body.name is not None})
                raise SceneError(f'there is no body named "{who}"; there are: {", ".join(names) or "no names at all"}')
            return found
        if isinstance(who, bool) or not (isinstance(who, str | int | np.integer) or hasattr(who, "__iter__")):
            raise SceneError(f"{who!r} is no body: give its id, a name, or a list of these")
        if isinstance(who, int | np.integer):
            if not 0 <= who < len(self.bodies):
                raise SceneError(f"there is no body {who}: there are bodies 0 … {len(self.bodies) - 1}")
            return [int(who)]
        return [number for each in who for number in self.ids(each)]

    def tag(self, who: int | str | Iterable[int | str], tag: Tag) -> None:
        """Impose something on a body, on all bodies of a name, or on several of these."""
        if not isinstance(tag, Fixed | Velocity | Force | Pressure | Dashpot):
            raise SceneError(f"tag on body {who}: {tag!r} is not Fixed, Velocity, Force, Pressure or Dashpot")
        for number in self.ids(who):
            check_axes(f"body {number}", tag, self.axes)
            self.bodies[number].tags.append(tag)

    def imposed(self, number: int) -> Imposed:
        """What the tags of a body say together."""
        return sum_up(f"body {number}", self.bodies[number].tags, self.axes)

    def masses(self) -> tuple[np.ndarray, np.ndarray]:
        """Mass (n,) and moments of inertia, (n,) or (n, 3), of every body; a free wall without a mass weighs √N mean grains."""
        mass = np.array([body.mass for body in self.bodies])
        inertia = np.array([body.inertia for body in self.bodies])
        grains = np.array([not body.big for body in self.bodies])
        for k, body in enumerate(self.bodies):
            if body.big and not body.weighed and grains.any() and not all(self.imposed(k).held):
                factor = math.sqrt(grains.sum()) * float(mass[grains].mean()) / mass[k]
                mass[k] *= factor
                inertia[k] *= factor
        return mass, inertia

    # --- laws --------------------------------------------------------------------------------------------------------

    def set_law(self, one: str, other: str, law: Law) -> None:
        """The law between two materials; pairs not named use the scene's law. It must be of the same kind."""
        if not isinstance(law, Law):
            raise SceneError(f'the law between "{one}" and "{other}" is {law!r}: give a law, such as Linear(1e7)')
        if law.compiled_as != self.default_law.compiled_as:
            raise SceneError(
                f'the law between "{one}" and "{other}" is of another kind than the scene\'s ({describe(law)} against '
                f"{describe(self.default_law)}): laws of one scene differ in their numbers only"
            )
        self.pair_laws[tuple(sorted((one, other)))] = law  # type: ignore[index]

    def law_between(self, one: str, other: str) -> Law:
        """The law that holds between two materials."""
        return self.pair_laws.get(tuple(sorted((one, other))), self.default_law)  # type: ignore[arg-type]

    def materials(self) -> list[str]:
        """Names of the materials in use, sorted; laws named for a material nobody is made of are refused."""
        used = sorted({body.material for body in self.bodies})
        for pair in self.pair_laws:
            for name in pair:
                if name not in used:
                    raise SceneError(
                        f'a law is given for material "{name}", but no body is made of it (there are: {", ".join(used)})'
                    )
        return used

    def laws(self) -> list[Law]:
        """The law of every pair of materials, in the order of `materials`."""
        names = self.materials()
        return [self.law_between(a, b) for a in names for b in names]


def describe(law: Law) -> str:
    """Kind of a law in words."""
    parts = [type(law).__name__]
    if law.rolling is not None:
        parts.append("rolling")
    if law.cohesion is not None:
        parts.append("cohesion")
    return " with ".join([parts[0], " and ".join(parts[1:])]) if len(parts) > 1 else parts[0]
