"""The problem as data, in space: solids, box, gravity, laws and tags, checked as they are given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol, Unpack

import numpy as np

from clast.algebra.quaternions import IDENTITY, matrix, product
from clast.errors import SceneError
from clast.keys import Key
from clast.laws.law import Law
from clast.scene.bodies import Member, Numbers, Thing
from clast.scene.cell import MovingBox
from clast.scene.checks import check_wall_inertia, density_of, moments_of, name_or_none, numbers, unit
from clast.scene.imposed import SPACE
from clast.scene.many import NewBodies
from clast.scene.problem import GroupName, Located, Mass, Material, Problem, Settings, describe
from clast.scene.springs import Springs3D
from clast.scene.tags import Fixed, Tag
from clast.shapes.plane.skeleton import Shape
from clast.shapes.space.solid import Solid

Three = tuple[float, float, float]
Four = tuple[float, float, float, float]


class Placed3D(Located[Solid], Protocol):
    """Solids with their places: what a packing in space is to a scene."""

    @property
    def orientations(self) -> np.ndarray:
        """Quaternions (n, 4), order w x y z, that turn the body frame into the world."""
        ...


class Body3D(Member):
    """One grain or wall. Position is that of the centre of mass; velocities are those at t = 0, spins about the world's axes."""

    __slots__ = ()

    shape = Thing[Solid]()
    position = Numbers[Three](3)
    orientation = Numbers[Four](4)  # unit quaternion (w, x, y, z): turns the body frame, whose axes are the principal ones
    velocity = Numbers[Three](3)
    spin = Numbers[Three](3)
    mass = Numbers[float]()
    inertia = Numbers[Three](3)  # about the principal axes

    def turned_vertices(self) -> np.ndarray:
        """Vertices (n, 3) about the centre of mass, as the body stands."""
        return self.shape.vertices @ matrix(self.orientation).T


@dataclass(frozen=True)
class Box3D(MovingBox):
    """A cell of space; a side with a period repeats, an open side does not confine anything (walls are bodies).

    tags   what moves the periods, as it would move a wall at the far corner (period_x, period_y, period_z): `Velocity(z=-0.01)`
           shortens period_z, `Pressure(p, "-x")` pushes period_x together with p × period_y × period_z. A period without a tag
           stays. `Shear(rate=0.1)` lets the images above along y slide past those below along x; then period_x has to stay
    mass   inertia of what a force, pressure or stress moves; √N mean grains if not given, as for a wall
    offset  by which images one period_y up lie further along x at the start; other than 0 only where x and y repeat

    `period_x`, `period_y` and `period_z` are lengths, 0 for an open side. SceneError for a length that is negative or not
    finite, and for a tag on an open side.
    """

    axes = SPACE

    period_x: float = 0.0  # 0: open
    period_y: float = 0.0
    period_z: float = 0.0
    tags: tuple[Tag, ...] = ()
    mass: float | None = None
    offset: float = 0.0

    def __post_init__(self) -> None:
        self._check()

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

    Any consistent units. SceneError is raised where something impossible is given: here, in `add`, `tag` or `set_law`.
    """

    axes = SPACE
    kind = Body3D
    box: Box3D

    def __init__(
        self,
        *,
        law: Law,
        gravity: Annotated[Sequence[float], Key("acceleration [x, y, z]", "length/time²", form="triple")] = (0.0, 0.0, 0.0),
        box: Box3D | None = None,
        springs: Springs3D | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        super().__init__(law, **settings)
        self.box = Box3D() if box is None else box
        if not isinstance(self.box, Box3D):
            raise SceneError(f"box = {box!r} must be a Box3D(period_x=…, period_y=…, period_z=…)")
        self.gravity = gravity
        if springs is not None and not isinstance(springs, Springs3D):
            raise SceneError("springs must be those of a run in space: `engine.springs()` of a Scene3D")
        self.springs = springs

    def __repr__(self) -> str:
        return self.described("Scene3D", self.box.periods, self.gravity)

    @classmethod
    def box_of(cls, periods: Sequence[float], offset: float) -> Box3D:
        """A box that stays as it is, of given periods and offset."""
        return Box3D(periods[0], periods[1], periods[2], offset=offset)

    def remembered(self, key: np.ndarray, memory: np.ndarray, law: str) -> Springs3D:
        """What contacts remember, as this kind of scene begins with it."""
        return Springs3D(key, memory, law)

    def add(
        self,
        solid: Annotated[Solid, Key("a name in `shapes`, or of a ready-made solid", called="shape", form="name")],
        position: Annotated[Sequence[float] | np.ndarray, Key("[x, y, z] of the centre of mass", "length", form="triple")],
        *,
        orientation: Sequence[float] | np.ndarray = IDENTITY,
        velocity: Annotated[Sequence[float] | np.ndarray, Key("[x, y, z] at t = 0", "length/time", form="triple")] = (
            0.0,
            0.0,
            0.0,
        ),
        spin: Annotated[
            Sequence[float] | np.ndarray,
            Key("angular velocity at t = 0 about the axes of the world, [x, y, z]", "radians/time", form="triple"),
        ] = (0.0, 0.0, 0.0),
        density: Annotated[
            float | None, Key("mass per volume; 1 if neither it nor `mass` is given", "mass/length³", gt=0.0)
        ] = None,
        mass: Mass = None,
        inertia: Annotated[
            Sequence[float] | None,
            Key(
                "moments about the principal axes, as `clast shape` lists them; those of the solid if not given",
                "mass × length²",
                form="triple",
            ),
        ] = None,
        material: Material = "grain",
        big: bool = False,
        name: GroupName = None,
        tags: Iterable[Tag] = (),
    ) -> int:
        """Add a body with its centre of mass at `position`; returns its id. `density` is mass per volume, 1 if not given.

        orientation   quaternion (w, x, y, z) of any length but 0 that turns the body frame (centre of mass, principal axes)
                      into the world; for a solid as it was drawn use `add_drawn`
        spin          [radians/time] about the axes of the world
        inertia       moments (three) about the axes of the body frame [mass × length²], in the order of `solid.inertia`; those of
                      the solid with its mass if not given

        A big body (wall, drum, hopper) is left out of the cells and does not meet other big bodies. If it is free to
        move and has neither mass nor density, it weighs √N mean grains (model §6). Bodies of one name form a group.
        """
        who = f"body {len(self.bodies)}"
        self._check_shape(who, solid, big)
        per_volume = density_of(who, density, mass, solid.volume)
        name_or_none(f"{who}: name", name)
        name_or_none(f"{who}: material", material)
        weighed, moments = density is not None or mass is not None, tuple(per_volume * float(each) for each in solid.inertia)
        if inertia is not None:
            check_wall_inertia(who, big, weighed)
            moments = moments_of(who, inertia, SPACE)
        where, turned = three(f"{who}: position", position), unit(f"{who}: orientation", orientation)
        moving, turning = three(f"{who}: velocity", velocity), three(f"{who}: spin", spin)
        return self._add_one(
            solid, (where, turned, moving, turning), per_volume, moments, material=material, big=big, name=name, weighed=weighed,
            tags=tags,
        )  # fmt: skip

    def add_many(
        self,
        shapes: Solid | Sequence[Solid],
        positions: np.ndarray | Sequence[Sequence[float]],
        *,
        which: np.ndarray | Sequence[int] | None = None,
        orientations: np.ndarray | Sequence[float] | Sequence[Sequence[float]] = IDENTITY,
        velocities: np.ndarray | Sequence[float] | Sequence[Sequence[float]] = (0.0, 0.0, 0.0),
        spins: np.ndarray | Sequence[float] | Sequence[Sequence[float]] = (0.0, 0.0, 0.0),
        density: float | np.ndarray | Sequence[float] | None = None,
        mass: float | np.ndarray | Sequence[float] | None = None,
        inertia: np.ndarray | Sequence[float] | Sequence[Sequence[float]] | None = None,
        material: str | Sequence[str] = "grain",
        big: bool | np.ndarray | Sequence[bool] = False,
        name: str | Sequence[str | None] | None = None,
        tags: Iterable[Tag] = (),
    ) -> np.ndarray:
        """Add a body for each row of `positions` (n, 3), as `add` would one after the other; returns their ids (n,).

        shapes   one for all, or one for each; with `which` (n,), integers from 0 on, those that it chooses from
        tags     of all; for some there is `tag(ids, …)`

        All others are given once for all or, with n rows, for each. A complaint names the row; then nobody is added.
        """
        rows = NewBodies(len(self.bodies), positions, SPACE)
        columns = {
            "orientation": rows.quaternions("orientations", orientations, one="orientation"),
            "velocity": rows.numbers("velocities", velocities, 3, one="velocity"),
            "spin": rows.numbers("spins", spins, 3, one="spin"),
        } | rows.inertias(inertia, big, density is not None or mass is not None)
        return self._add_rows(
            rows, shapes, which, columns, density=density, mass=mass, material=material, big=big, name=name, tags=tags
        )

    @property
    def sharp(self) -> bool:
        """Whether the bodies are sharp solids and the law acts by the volume of their overlap; else all are rounded."""
        return self.default_law.needs_volume

    def _size_of(self, shape: Solid) -> float:
        return shape.volume

    def _cell_state(self) -> tuple[Any, ...]:
        return self.box.periods, IDENTITY, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)

    def bond(self, *given: Any, **more: Any) -> None:
        """Refused with a SceneError: bonds hold bodies of the plane."""
        raise SceneError("bonds hold grains of a Scene, in the plane, and not yet solids of a Scene3D: leave them out")

    def _check_shape(self, who: str, shape: object, big: bool) -> None:
        """SceneError unless it is a solid that goes with the law, and so with the others, and is no grain of several pieces."""
        solid, law = check_solid(who, shape), describe(self.default_law)
        if solid.sharp and not self.sharp:
            raise SceneError(
                f"{who}: {solid.name} is sharp (sphero-radius 0), but the law {law} acts between rounded solids, and "
                "both do not mix in one scene: give it a radius, or the scene a law for sharp solids, such as OverlapVolume(…)"
            )
        if self.sharp and not solid.sharp:
            raise SceneError(
                f"{who}: {solid.name} is rounded (sphero-radius {solid.radius:.3g}), but the law {law} acts between "
                "sharp solids, and both do not mix in one scene: draw it with radius 0, or give the scene another law, such as "
                "Linear(1e7)"
            )
        if solid.piece_count > 1 and not big:
            raise SceneError(
                f"{who}: {solid.name} has {solid.piece_count} pieces, and only big bodies may: add it with big=True, or "
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
        inertia: Sequence[float] | None = None,
        material: str = "grain",
        big: bool = False,
        name: str | None = None,
        tags: Iterable[Tag] = (),
    ) -> int:
        """Add a solid in the coordinates it was drawn in, turned by the quaternion `turn` (w, x, y, z) about their origin,
        which is put at `position`; returns its id. For the rest see `add`."""
        number = len(self.bodies)
        check_solid(f"body {number}", solid)
        origin, turned = three(f"body {number}: position", position), unit(f"body {number}: turn", turn)
        return self.add(
            solid, origin + matrix(turned) @ solid.centre, orientation=product(turned, solid.orientation), velocity=velocity,
            spin=spin, density=density, mass=mass, inertia=inertia, material=material, big=big, name=name, tags=tags,
        )  # fmt: skip

    def add_packing(
        self, packing: Placed3D, *, density: float | None = None, material: str = "grain", name: str | None = None
    ) -> list[int]:
        """Add every grain of a packing in space (`clast.packing`) where it lies; returns their ids."""
        return self.add_many(
            packing.shapes, packing.positions, orientations=packing.orientations, density=density, material=material, name=name
        ).tolist()

    def add_wall(
        self,
        solid: Solid,
        *,
        tags: Iterable[Tag] = (Fixed(),),
        mass: float | None = None,
        material: str = "wall",
        name: str | None = None,
    ) -> int:
        """Add a big body where its skeleton was drawn (its own coordinates are the world's), fixed unless `tags` are given."""
        return self.add_drawn(solid, mass=mass, material=material, big=True, name=name, tags=tags)


def three(what: str, values: object) -> Three:
    """`values` as three finite numbers; SceneError names the one that is not."""
    x, y, z = numbers(what, values, 3)
    return x, y, z


def check_solid(who: str, solid: object) -> Solid:
    """The solid; SceneError where it is none. Shapes of the plane are the likely mistake."""
    if isinstance(solid, Shape):
        raise SceneError(
            f"{who}: {solid.name} is a shape of the plane; a Scene3D takes solids (sphere, cuboid, hull … of "
            "clast.shapes), a Scene shapes"
        )
    if not isinstance(solid, Solid):
        raise SceneError(f"{who}: {solid!r} is not a solid")
    return solid
