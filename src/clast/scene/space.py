"""The problem as data, in space: solids, box, gravity, laws and tags, checked as they are given; twin of `scene.scene`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from clast.errors import SceneError
from clast.laws.law import Law
from clast.scene.imposed import SPACE
from clast.scene.problem import Problem, check_gravity, check_periods, check_width, density_of, describe, name_or_none, numbers
from clast.scene.springs import Springs3D
from clast.scene.tags import Fixed, Tag
from clast.scene.timed import Timed
from clast.shapes.skeleton import Shape
from clast.shapes.space.quaternions import IDENTITY, matrix, product
from clast.shapes.space.solid import Solid

Three = tuple[float, float, float]
Four = tuple[float, float, float, float]
UNIT = 1e-15  # a quaternion that near to length 1 keeps its bits, so that one read back from a run is the same


class Placed3D(Protocol):
    """Solids with their places: what a packing in space is to a scene."""

    @property
    def shapes(self) -> Sequence[Solid]:
        """One per grain."""
        ...

    @property
    def positions(self) -> np.ndarray:
        """Centres of mass (n, 3)."""
        ...

    @property
    def orientations(self) -> np.ndarray:
        """Quaternions (n, 4), order w x y z, that turn the body frame into the world."""
        ...


@dataclass(slots=True)
class Body3D:
    """One grain or wall. Position is that of the centre of mass; velocities are those at t = 0, spins about the world's axes."""

    shape: Solid
    position: Three
    orientation: Four  # unit quaternion (w, x, y, z): turns the body frame, whose axes are the principal ones, into the world
    velocity: Three
    spin: Three
    mass: float
    inertia: Three  # about the principal axes
    material: str
    big: bool
    name: str | None
    weighed: bool = True  # whether the user gave mass or density; a free wall without gets one from the grains
    tags: list[Tag] = field(default_factory=list)

    def turned_vertices(self) -> np.ndarray:
        """Vertices (n, 3) about the centre of mass, as the body stands."""
        return self.shape.vertices @ matrix(self.orientation).T


@dataclass(frozen=True)
class Box3D:
    """A cell of space; a side with a period repeats, an open side does not confine anything (walls are bodies).

    `period_x`, `period_y` and `period_z` are lengths, 0 for an open side; SceneError for one that is negative or not finite.
    """

    period_x: float = 0.0  # 0: open
    period_y: float = 0.0
    period_z: float = 0.0

    def __post_init__(self) -> None:
        check_periods(period_x=self.period_x, period_y=self.period_y, period_z=self.period_z)

    @property
    def periods(self) -> Three:
        """Lengths along x, y and z, 0 where a side is open."""
        return float(self.period_x), float(self.period_y), float(self.period_z)


class Scene3D(Problem[Body3D]):
    """Grains, walls, law, box, gravity and tags in space.

    >>> scene = Scene3D(law=Linear(1e7), gravity=(0.0, 0.0, -10.0))
    >>> ball = scene.add(sphere(radius=0.5), (0.0, 0.0, 2.0))
    >>> floor = scene.add_wall(plate([(-5, -5, 0), (5, -5, 0), (5, 5, 0), (-5, 5, 0)], radius=0.1))

    law            between all materials that have none of their own (`set_law`)
    gravity        acceleration (x, y, z) [length/time²]
    drag           rate γ of a drag −γmv, −γIω on every grain [1/time], a number or a function of time; booked as heat
    onset          weight the elastic kick of a step in which a contact opens or closes; off only to see the difference
    remove_below   grains that have fallen below this z are taken out of the run (they keep their last place in frames)
    springs        what contacts remember at the start, from an earlier run: `engine.springs()`

    Any consistent units. SceneError says what cannot be, where it is given: here, in `add`, `tag` or `set_law`.
    """

    axes = SPACE
    box: Box3D

    def __init__(
        self,
        *,
        law: Law,
        gravity: Sequence[float] = (0.0, 0.0, 0.0),
        box: Box3D | None = None,
        drag: Timed = 0.0,
        onset: bool = True,
        remove_below: float | None = None,
        springs: Springs3D | None = None,
    ) -> None:
        super().__init__(law, drag, onset, remove_below)
        self.box = Box3D() if box is None else box
        if not isinstance(self.box, Box3D):
            raise SceneError(f"box = {box!r} must be a Box3D(period_x=…, period_y=…, period_z=…)")
        self.gravity = three("gravity", gravity)
        check_gravity(self.gravity, self.box.periods)
        if springs is not None and not isinstance(springs, Springs3D):
            raise SceneError("springs must be those of a run in space: `engine.springs()` of a Scene3D")
        self.springs = springs

    def __repr__(self) -> str:
        return self.described("Scene3D", self.box.periods, self.gravity)

    def add(
        self,
        solid: Solid,
        position: Sequence[float] | np.ndarray,
        *,
        orientation: Sequence[float] | np.ndarray = IDENTITY,
        velocity: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0),
        spin: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0),
        density: float | None = None,
        mass: float | None = None,
        material: str = "grain",
        big: bool = False,
        name: str | None = None,
        tags: Iterable[Tag] = (),
    ) -> int:
        """Add a body with its centre of mass at `position`; returns its id. `density` is mass per volume, 1 if not given.

        orientation   quaternion (w, x, y, z) of any length but 0 that turns the body frame (centre of mass, principal axes)
                      into the world; for a solid as it was drawn use `add_drawn`
        spin          [radians/time] about the axes of the world

        A big body (wall, drum, hopper) is left out of the cells and does not meet other big bodies. If it is free to
        move and has neither mass nor density, it weighs √N mean grains (model §6). Bodies of one name form a group.
        """
        number = len(self.bodies)
        check_solid(number, solid)
        self._check_sharpness(number, solid, big)
        per_volume = density_of(number, density, mass, solid.volume)
        name_or_none(f"body {number}: name", name)
        name_or_none(f"body {number}: material", material)
        ix, iy, iz = (per_volume * float(moment) for moment in solid.inertia)
        body = Body3D(
            solid, three(f"body {number}: position", position), unit(f"body {number}: orientation", orientation),
            three(f"body {number}: velocity", velocity), three(f"body {number}: spin", spin),
            per_volume * solid.volume, (ix, iy, iz), material, bool(big), name, density is not None or mass is not None,
        )  # fmt: skip
        if not big:
            check_width(number, solid.name, solid.reach, self.box.periods)
        self.bodies.append(body)
        for tag in tags:
            self.tag(number, tag)
        return number

    @property
    def sharp(self) -> bool:
        """Whether the bodies are sharp solids and the law acts by the volume of their overlap; else all are rounded."""
        return self.default_law.needs_volume

    def _check_sharpness(self, number: int, solid: Solid, big: bool) -> None:
        """SceneError where a solid does not go with the law, and so not with the others, or is a grain of several pieces."""
        law = describe(self.default_law)
        if solid.sharp and not self.sharp:
            raise SceneError(
                f"body {number}: {solid.name} is sharp (sphero-radius 0), but the law {law} acts between rounded solids, and "
                "both do not mix in one scene: give it a radius, or the scene a law for sharp solids, such as OverlapVolume(…)"
            )
        if self.sharp and not solid.sharp:
            raise SceneError(
                f"body {number}: {solid.name} is rounded (sphero-radius {solid.radius:.3g}), but the law {law} acts between "
                "sharp solids, and both do not mix in one scene: draw it with radius 0, or give the scene another law, such as "
                "Linear(1e7)"
            )
        if solid.piece_count > 1 and not big:
            raise SceneError(
                f"body {number}: {solid.name} has {solid.piece_count} pieces, and only big bodies may: add it with big=True, or "
                "with add_wall"
            )

    def add_drawn(
        self,
        solid: Solid,
        position: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0),
        *,
        turn: Sequence[float] | np.ndarray = IDENTITY,
        velocity: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0),
        spin: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0),
        density: float | None = None,
        mass: float | None = None,
        material: str = "grain",
        big: bool = False,
        name: str | None = None,
        tags: Iterable[Tag] = (),
    ) -> int:
        """Add a solid in the coordinates it was drawn in, turned by the quaternion `turn` (w, x, y, z) about their origin,
        which is put at `position`; returns its id. For the rest see `add`."""
        number = len(self.bodies)
        check_solid(number, solid)
        origin, turned = three(f"body {number}: position", position), unit(f"body {number}: turn", turn)
        return self.add(
            solid, origin + matrix(turned) @ solid.centre, orientation=product(turned, solid.orientation), velocity=velocity,
            spin=spin, density=density, mass=mass, material=material, big=big, name=name, tags=tags,
        )  # fmt: skip

    def add_packing(
        self, packing: Placed3D, *, density: float | None = None, material: str = "grain", name: str | None = None
    ) -> list[int]:
        """Add every grain of a packing in space (`clast.packing`) where it lies; returns their ids."""
        return [
            self.add(solid, place, orientation=turn, density=density, material=material, name=name)
            for solid, place, turn in zip(packing.shapes, packing.positions, packing.orientations, strict=True)
        ]

    def add_wall(
        self,
        solid: Solid,
        *,
        tags: Iterable[Tag] = (Fixed(),),
        mass: float | None = None,
        material: str = "wall",
        name: str | None = None,
    ) -> int:
        """Add a big body where its skeleton was drawn (its own coordinates are the world's), fixed unless told otherwise."""
        return self.add_drawn(solid, mass=mass, material=material, big=True, name=name, tags=tags)


def three(what: str, values: object) -> Three:
    """`values` as three finite numbers; SceneError says what is not."""
    x, y, z = numbers(what, values, 3)
    return x, y, z


def unit(what: str, values: object) -> Four:
    """`values` as a quaternion of length 1; SceneError if it has none."""
    w, x, y, z = numbers(what, values, 4)
    length = math.hypot(w, x, y, z)
    if length == 0.0:
        raise SceneError(f"{what} is a quaternion of length 0, which turns nothing: no turn at all is (1, 0, 0, 0)")
    if abs(length - 1.0) <= UNIT:
        return w, x, y, z
    return w / length, x / length, y / length, z / length


def check_solid(number: int, solid: object) -> None:
    """SceneError unless it is a solid; shapes of the plane are the likely mistake."""
    if isinstance(solid, Shape):
        raise SceneError(
            f"body {number}: {solid.name} is a shape of the plane; a Scene3D takes solids (sphere, cuboid, hull … of "
            "clast.shapes), a Scene shapes"
        )
    if not isinstance(solid, Solid):
        raise SceneError(f"body {number}: {solid!r} is not a solid")
