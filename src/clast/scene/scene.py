"""The problem as data: bodies, box, gravity, laws and tags, checked as they are given."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from clast.errors import SceneError
from clast.laws import Law
from clast.scene.imposed import Imposed, sum_up
from clast.scene.springs import Springs
from clast.scene.tags import Dashpot, Fixed, Force, Pressure, Tag, Velocity
from clast.scene.timed import Timed, check_timed, least
from clast.shapes.skeleton import Shape


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


class Placed(Protocol):
    """Shapes with their places: what a packing is to a scene."""

    @property
    def shapes(self) -> Sequence[Shape]:
        """One per grain."""
        ...

    @property
    def positions(self) -> np.ndarray:
        """Centres of mass (n, 2)."""
        ...

    @property
    def angles(self) -> np.ndarray:
        """Radians (n,)."""
        ...


@dataclass(slots=True)
class Body:
    """One grain or wall. Position is that of the centre of mass; velocities are those at t = 0."""

    shape: Shape
    position: tuple[float, float]
    angle: float
    velocity: tuple[float, float]
    spin: float
    mass: float
    inertia: float
    material: str
    big: bool
    name: str | None
    weighed: bool = True  # whether the user gave mass or density; a free wall without gets one from the grains
    tags: list[Tag] = field(default_factory=list)


@dataclass(frozen=True)
class Box:
    """A cell of the plane; a side with a period repeats, an open side does not confine anything (walls are bodies).

    tags   what moves the periods, as it would move a wall at the far corner (period_x, period_y): `Velocity(y=-0.01)` shortens
           period_y, `Pressure(p, "-x")` pushes period_x together with p × period_y. A period that nothing is said of stays.
    mass   inertia of periods under a force or pressure; √N mean grains if not given, as for a wall
    """

    period_x: float = 0.0  # 0: open
    period_y: float = 0.0
    tags: tuple[Tag, ...] = ()
    mass: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("period_x", self.period_x), ("period_y", self.period_y)):
            if numbers(f"box: {name}", [value], 1)[0] < 0.0:
                raise SceneError(f"box: {name} = {value} must be a positive length, or 0 for an open side")
        if not isinstance(self.tags, tuple | list):
            raise SceneError(f"box: tags = {self.tags!r} must be a list of tags")
        for tag in self.tags:
            if not isinstance(tag, Velocity | Force | Pressure | Dashpot):
                raise SceneError(f"box: {tag!r} is not a Velocity, Force, Pressure or Dashpot")
            if isinstance(tag, Pressure) and tag.between is not None:
                raise SceneError("box: a Pressure on the cell acts across its whole side: leave `between` out")
        if self.mass is not None and numbers("box: mass", [self.mass], 1)[0] <= 0.0:
            raise SceneError(f"box: mass = {self.mass} must be positive")
        said = sum_up("box", self.tags)
        for axis, period in enumerate((self.period_x, self.period_y)):
            if period == 0.0 and (self.pushed(axis) or said.velocity[axis] is not None):
                raise SceneError(
                    f"box: a tag moves the period along {'xy'[axis]}, but that side is open: give period_{'xy'[axis]}"
                )
        if said.velocity[2] is not None or said.force[2]:
            raise SceneError("box: a spin or torque means nothing for the lengths of a cell; leave it out")

    def pushed(self, axis: int) -> bool:
        """Whether a force or pressure acts on a period."""
        said = sum_up("box", self.tags)
        return bool(said.force[axis]) or any(pressure.direction[1] == "xy"[axis] for pressure in said.pressures)

    def imposed(self) -> Imposed:
        """What the tags say together; periods that nothing pushes are held."""
        said = sum_up("box", self.tags)
        said.velocity = [value if value is not None or self.pushed(c) else 0.0 for c, value in enumerate(said.velocity[:2])] + [
            0.0
        ]
        return said

    @property
    def moving(self) -> tuple[bool, bool]:
        """Which periods change, along x and y."""
        velocity = self.imposed().velocity
        return velocity[0] != 0.0, velocity[1] != 0.0

    @property
    def moves(self) -> bool:
        """Whether any period changes."""
        return bool(self.tags) and any(self.moving)


class Scene:
    """Grains, walls, law, box, gravity and tags.

    >>> scene = Scene(law=Linear(1e7), gravity=(0.0, -10.0))
    >>> ball = scene.add(disk(radius=0.5), (0.0, 2.0))
    >>> floor = scene.add_wall(segment((-5.0, 0.0), (5.0, 0.0), radius=0.1))

    law            between all materials that have none of their own (`set_law`)
    drag           rate γ of a drag −γmv, −γIω on every grain [1/time], a number or a function of time; booked as heat
    counting       "euler" (weights, the default) or "all-pairs" (the papers' literal sum)
    onset          weight the elastic kick of a step in which a contact opens or closes; off only to see the difference
    remove_below   grains that have fallen below this y are taken out of the run (they keep their last place in frames)
    springs        what contacts remember at the start, from an earlier run: `engine.springs()`
    """

    def __init__(
        self,
        *,
        law: Law,
        gravity: tuple[float, float] = (0.0, 0.0),
        box: Box | None = None,
        drag: Timed = 0.0,
        counting: str = "euler",
        onset: bool = True,
        remove_below: float | None = None,
        springs: Springs | None = None,
    ) -> None:
        if not isinstance(law, Law):
            raise SceneError(f"law = {law!r} must be a law, such as Linear(1e7)")
        self.box = box or Box()
        if not isinstance(self.box, Box):
            raise SceneError(f"box = {box!r} must be a Box(period_x=…, period_y=…)")
        across, up = numbers("gravity", gravity, 2)
        self.gravity = (across, up)
        for axis, g, period in zip("xy", self.gravity, (self.box.period_x, self.box.period_y), strict=True):
            if g != 0.0 and period > 0.0:
                raise SceneError(f"gravity {g} along {axis}, but the box is periodic along {axis}: grains would fall for ever")
        if counting not in ("euler", "all-pairs"):
            raise SceneError(f'counting = "{counting}" must be "euler" or "all-pairs"')
        check_timed("drag", drag)
        if (lowest := least(drag)) is not None and lowest < 0.0:
            raise SceneError(f"drag falls to {lowest}: it must not be negative at any time")
        if remove_below is not None:
            numbers("remove_below", [remove_below], 1)
        if not isinstance(onset, bool):
            raise SceneError(f"onset = {onset!r} must be True or False")
        self.drag = drag
        self.counting = counting
        self.onset = bool(onset)
        self.remove_below = remove_below
        self.springs = springs
        self.bodies: list[Body] = []
        self.default_law = law
        self.pair_laws: dict[tuple[str, str], Law] = {}

    def __len__(self) -> int:
        return len(self.bodies)

    def __repr__(self) -> str:
        big = sum(body.big for body in self.bodies)
        sides = [axis for axis, p in zip("xy", (self.box.period_x, self.box.period_y), strict=True) if p > 0.0]
        return (
            f"Scene: {len(self.bodies) - big} grains, {big} big bodies, "
            f"{'periodic in ' + ' and '.join(sides) if sides else 'open box'}, gravity {self.gravity}, {self.default_law}"
        )

    def add(
        self,
        shape: Shape,
        position: Sequence[float] | np.ndarray,
        *,
        angle: float = 0.0,
        velocity: Sequence[float] = (0.0, 0.0),
        spin: float = 0.0,
        density: float | None = None,
        mass: float | None = None,
        material: str = "grain",
        big: bool = False,
        name: str | None = None,
        tags: Iterable[Tag] = (),
    ) -> int:
        """Add a body with its centre of mass at `position`; returns its id. `density` is mass per area, 1 if not given.

        A big body (wall, landscape, hopper) is left out of the cells and does not meet other big bodies. If it is free to
        move and has neither mass nor density, it weighs √N mean grains (model §6). Bodies of one name form a group.
        """
        number = len(self.bodies)
        if not isinstance(shape, Shape):
            raise SceneError(f"body {number}: {shape!r} is not a shape")
        if density is not None and mass is not None:
            raise SceneError(f"body {number}: give its density or its mass, not both")
        where = numbers(f"body {number}: position", position, 2)
        moving = numbers(f"body {number}: velocity", velocity, 2)
        angle, spin = numbers(f"body {number}: angle and spin", (angle, spin), 2)
        name_or_none(f"body {number}: name", name)
        name_or_none(f"body {number}: material", material)
        weighed = density is not None or mass is not None
        what, given = ("mass", mass) if mass is not None else ("density", 1.0 if density is None else density)
        amount = numbers(f"body {number}: {what}", [given], 1)[0]
        if amount <= 0.0:
            raise SceneError(f"body {number}: {what} = {given} must be positive")
        per_area = amount / shape.area if mass is not None else amount
        body = Body(
            shape, (where[0], where[1]), angle, (moving[0], moving[1]), spin,
            per_area * shape.area, per_area * shape.inertia, material, bool(big), name, weighed,
        )  # fmt: skip
        if not big:
            for axis, period in zip("xy", (self.box.period_x, self.box.period_y), strict=True):
                if 0.0 < period <= 2.0 * shape.reach:
                    raise SceneError(
                        f"body {number} ({shape.name}) is {2.0 * shape.reach:.6g} across, not less than the period {period:.6g} "
                        f"along {axis}: it would meet itself; widen the box"
                    )
        self.bodies.append(body)
        for tag in tags:
            self.tag(number, tag)
        return number

    def add_packing(
        self, packing: Placed, *, density: float | None = None, material: str = "grain", name: str | None = None
    ) -> list[int]:
        """Add every grain of a packing (`clast.packing`) where it lies; returns their ids."""
        return [
            self.add(shape, place, angle=float(angle), density=density, material=material, name=name)
            for shape, place, angle in zip(packing.shapes, packing.positions, packing.angles, strict=True)
        ]

    def add_wall(
        self,
        shape: Shape,
        *,
        tags: Iterable[Tag] = (Fixed(),),
        mass: float | None = None,
        material: str = "wall",
        name: str | None = None,
    ) -> int:
        """Add a big body where its skeleton was drawn (its own coordinates are the world's), fixed unless told otherwise."""
        return self.add(shape, -shape.origin, mass=mass, material=material, big=True, name=name, tags=tags)

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
        """Impose something on a body, on all bodies of a name, or on several of these; or on the periodic "cell" (see `Box`)."""
        if self.is_cell(who):
            self.box = replace(self.box, tags=(*self.box.tags, tag))
            return
        if not isinstance(tag, Fixed | Velocity | Force | Pressure | Dashpot):
            raise SceneError(f"tag on body {who}: {tag!r} is not Fixed, Velocity, Force, Pressure or Dashpot")
        for number in self.ids(who):
            self.bodies[number].tags.append(tag)

    def is_cell(self, who: object) -> bool:
        """Whether "cell" means the periodic cell: not where a body has that name."""
        periodic = self.box.period_x > 0.0 or self.box.period_y > 0.0
        named = isinstance(who, str | list) and who in ("cell", ["cell"])
        return named and periodic and all(body.name != "cell" for body in self.bodies)

    def imposed(self, number: int) -> Imposed:
        """What the tags of a body say together."""
        return sum_up(f"body {number}", self.bodies[number].tags)

    def cell(self) -> Body | None:
        """The periodic cell as a body, its place the periods, where it moves; it has the id after the last."""
        if not self.box.moves or not self.bodies:
            return None
        grains = [body.mass for body in self.bodies if not body.big]
        mass = self.box.mass or math.sqrt(max(len(grains), 1)) * float(np.mean(grains or [1.0]))
        place = (float(self.box.period_x), float(self.box.period_y))
        return Body(self.bodies[0].shape, place, 0.0, (0.0, 0.0), 0.0, mass, mass, self.bodies[0].material, True, "cell")

    def masses(self) -> tuple[np.ndarray, np.ndarray]:
        """Mass and moment of inertia of every body; a free wall that was given no mass weighs √N mean grains."""
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
        if law.kind != self.default_law.kind:
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
