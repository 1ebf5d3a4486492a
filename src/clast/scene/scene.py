"""The problem as data: bodies, box, gravity, laws and tags, checked as they are given."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from clast.errors import SceneError
from clast.laws import Linear
from clast.scene.tags import Fixed, Force, Tag, Velocity
from clast.shapes.skeleton import Shape


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
    tags: list[Tag] = field(default_factory=list)


@dataclass(frozen=True)
class Box:
    """A cell of the plane; a side with a period repeats, an open side does not confine anything (walls are bodies)."""

    period_x: float = 0.0  # 0: open
    period_y: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (("period_x", self.period_x), ("period_y", self.period_y)):
            if not math.isfinite(value) or value < 0.0:
                raise SceneError(f"box: {name} = {value} must be a positive length, or 0 for an open side")


class Scene:
    """Grains, walls, law, box, gravity and tags.

    >>> scene = Scene(law=Linear(1e7), gravity=(0.0, -10.0))
    >>> ball = scene.add(disk(radius=0.5), (0.0, 2.0))
    >>> floor = scene.add_wall(segment((-5.0, 0.0), (5.0, 0.0), radius=0.1))

    `counting` is "euler" (weights, the default) or "all-pairs" (the papers' literal sum); `onset` weights the elastic
    kick of a step in which a contact opens or closes, and is on unless you want to see the difference.
    """

    def __init__(
        self,
        *,
        law: Linear,
        gravity: tuple[float, float] = (0.0, 0.0),
        box: Box | None = None,
        counting: str = "euler",
        onset: bool = True,
    ) -> None:
        self.box = box or Box()
        self.gravity = (float(gravity[0]), float(gravity[1]))
        for axis, g, period in zip("xy", self.gravity, (self.box.period_x, self.box.period_y), strict=True):
            if not math.isfinite(g):
                raise SceneError(f"gravity along {axis} is {g}: give a finite number")
            if g != 0.0 and period > 0.0:
                raise SceneError(f"gravity {g} along {axis}, but the box is periodic along {axis}: grains would fall for ever")
        if counting not in ("euler", "all-pairs"):
            raise SceneError(f'counting = "{counting}" must be "euler" or "all-pairs"')
        self.counting = counting
        self.onset = bool(onset)
        self.bodies: list[Body] = []
        self.default_law = law
        self.pair_laws: dict[tuple[str, str], Linear] = {}

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
        density: float = 1.0,
        material: str = "grain",
        big: bool = False,
        name: str | None = None,
        tags: Iterable[Tag] = (),
    ) -> int:
        """Add a body with its centre of mass at `position`; returns its id. `density` is mass per area.

        A big body (wall, landscape, hopper) is left out of the cells and does not meet other big bodies.
        """
        number = len(self.bodies)
        numbers = {
            "position": (*position,), "angle": (angle,), "velocity": (*velocity,), "spin": (spin,), "density": (density,)
        }  # fmt: skip
        for what, values in numbers.items():
            if not all(math.isfinite(float(v)) for v in values):
                raise SceneError(f"body {number}: {what} {values} is not finite")
        if len(numbers["position"]) != 2 or len(numbers["velocity"]) != 2:
            raise SceneError(f"body {number}: position and velocity need two numbers each")
        if density <= 0.0:
            raise SceneError(f"body {number}: density = {density} must be positive")
        body = Body(
            shape, (float(position[0]), float(position[1])), float(angle), (float(velocity[0]), float(velocity[1])), float(spin),
            density * shape.area, density * shape.inertia, material, bool(big), name,
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

    def add_wall(self, shape: Shape, *, tags: Iterable[Tag] = (Fixed(),), material: str = "wall", name: str | None = None) -> int:
        """Add a big body where its skeleton was drawn (its own coordinates are the world's), fixed unless told otherwise."""
        return self.add(shape, -shape.origin, material=material, big=True, name=name, tags=tags)

    def tag(self, body: int, tag: Tag) -> None:
        """Impose something on a body."""
        if not 0 <= body < len(self.bodies):
            raise SceneError(f"tag on body {body}: there are bodies 0 … {len(self.bodies) - 1}")
        if not isinstance(tag, Fixed | Velocity | Force):
            raise SceneError(f"tag on body {body}: {tag!r} is not Fixed, Velocity or Force")
        self.bodies[body].tags.append(tag)

    def set_law(self, one: str, other: str, law: Linear) -> None:
        """The law between two materials; pairs not named use the scene's law."""
        self.pair_laws[tuple(sorted((one, other)))] = law  # type: ignore[index]

    def law_between(self, one: str, other: str) -> Linear:
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

    def imposed(self, body: Body) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Tags of a body as (imposed, velocity, force), three components each: x, y, spin."""
        imposed, velocity, force = np.zeros(3, bool), np.zeros(3), np.zeros(3)
        for tag in body.tags:
            if isinstance(tag, Force):
                force += (tag.x, tag.y, tag.torque)
            else:
                wanted = (0.0, 0.0, 0.0) if isinstance(tag, Fixed) else (tag.x, tag.y, tag.spin)
                for c, value in enumerate(wanted):
                    if value is None:
                        continue
                    if imposed[c] and velocity[c] != value:
                        raise SceneError(
                            f"body {self.bodies.index(body)}: two tags prescribe different velocities "
                            f"for its {('x', 'y', 'spin')[c]}"
                        )
                    imposed[c], velocity[c] = True, value
        return imposed, velocity, force
