"""The problem as data: bodies, box, gravity, laws and tags, checked as they are given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol, Unpack

import numpy as np

from clast.errors import SceneError
from clast.keys import Key
from clast.laws.law import Law
from clast.scene.bodies import Member, Numbers, Thing
from clast.scene.bonds import Bond, Joined, bonded_pairs, made_of
from clast.scene.cell import MovingBox
from clast.scene.checks import check_wall_inertia, density_of, moments_of, name_or_none, numbers
from clast.scene.facing import facing
from clast.scene.imposed import PLANE
from clast.scene.many import NewBodies
from clast.scene.problem import GroupName, Located, Mass, Material, Problem, Settings
from clast.scene.springs import Springs, Springs3D
from clast.scene.tags import Fixed, Tag
from clast.shapes.plane.skeleton import Shape
from clast.shapes.space.solid import Solid


class Placed(Located[Shape], Protocol):
    """Shapes with their places: what a packing is to a scene."""

    @property
    def angles(self) -> np.ndarray:
        """Radians (n,)."""
        ...


class Body(Member):
    """One grain or wall. Position is that of the centre of mass; velocities are those at t = 0."""

    __slots__ = ()

    shape = Thing[Shape]()
    position = Numbers[tuple[float, float]](2)
    angle = Numbers[float]()
    velocity = Numbers[tuple[float, float]](2)
    spin = Numbers[float]()
    mass = Numbers[float]()
    inertia = Numbers[float]()

    def turned_vertices(self) -> np.ndarray:
        """Vertices (n, 2) about the centre of mass, as the body stands."""
        cosine, sine = np.cos(self.angle), np.sin(self.angle)
        return self.shape.vertices @ np.array([[cosine, sine], [-sine, cosine]])


@dataclass(frozen=True)
class Box(MovingBox):
    """A cell of the plane; a side with a period repeats, an open side does not confine anything (walls are bodies).

    tags   what moves the periods, as it would move a wall at the far corner (period_x, period_y): `Velocity(y=-0.01)` shortens
           period_y, `Pressure(p, "-x")` pushes period_x together with p × period_y. A period without a tag stays.
           `Shear(rate=0.1)` lets the images above slide past those below along x; then period_x has to stay
    mass   inertia of what a force, pressure or stress moves; √N mean grains if not given, as for a wall
    offset  by which images one period_y up lie further along x at the start; other than 0 only where both sides repeat

    `period_x` and `period_y` are lengths, 0 for an open side. SceneError for a length that is negative or not finite, and for a
    tag on an open side.
    """

    axes = PLANE

    period_x: float = 0.0  # 0: open
    period_y: float = 0.0
    tags: tuple[Tag, ...] = ()
    mass: float | None = None
    offset: float = 0.0

    def __post_init__(self) -> None:
        self._check()

    @property
    def periods(self) -> tuple[float, float]:
        """Lengths along x and y, 0 where a side is open."""
        return float(self.period_x), float(self.period_y)


class Scene(Problem[Body]):
    """Grains, walls, law, box, gravity and tags.

    >>> scene = Scene(law=Linear(1e7), gravity=(0.0, -10.0))
    >>> ball = scene.add(disk(radius=0.5), (0.0, 2.0))
    >>> floor = scene.add_wall(segment((-5.0, 0.0), (5.0, 0.0), radius=0.1))

    law            between all materials that have none of their own (`set_law`)
    gravity        acceleration (x, y) [length/time²]
    drag           rate γ of a drag −γmv, −γIω on every grain [1/time], a number or a function of time; booked as heat
    counting       "euler" (weights, the default) or "all-pairs" (the papers' literal sum; the experiment cow-gas has both)
    onset          weight the elastic kick of a step in which a contact opens or closes; off only to see the difference
    remove_below   grains that have fallen below this y are taken out of the run (they keep their last place in frames)
    springs        what contacts remember at the start, from an earlier run: `engine.springs()`

    Any consistent units. SceneError is raised where something impossible is given: here, in `add`, `tag` or `set_law`.
    """

    axes = PLANE
    kind = Body
    box: Box

    def __init__(
        self,
        *,
        law: Law,
        gravity: Annotated[tuple[float, float], Key("acceleration [x, y]", "length/time²", form="pair")] = (0.0, 0.0),
        box: Box | None = None,
        counting: Annotated[
            Literal["euler", "all-pairs"], Key("corners count once, or the papers' literal sum; `cow-gas` has both")
        ] = "euler",
        springs: Springs | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        super().__init__(law, **settings)
        self.box = box or Box()
        if not isinstance(self.box, Box):
            raise SceneError(f"box = {box!r} must be a Box(period_x=…, period_y=…)")
        self.gravity = gravity
        if counting not in ("euler", "all-pairs"):
            raise SceneError(f'counting = "{counting}" must be "euler" or "all-pairs"')
        if isinstance(springs, Springs3D):
            raise SceneError("springs are those of a run in space, and this scene is in the plane: start a Scene3D with them")
        self.counting = counting
        self.springs = springs

    def __repr__(self) -> str:
        return self.described("Scene", self.box.periods, self.gravity)

    @classmethod
    def box_of(cls, periods: Sequence[float], offset: float) -> Box:
        """A box that stays as it is, of given periods and offset."""
        return Box(period_x=periods[0], period_y=periods[1], offset=offset)

    def remembered(self, key: np.ndarray, memory: np.ndarray, law: str) -> Springs:
        """What contacts remember, as this kind of scene begins with it."""
        return Springs(key, memory, law)

    def add(
        self,
        shape: Annotated[Shape, Key("a name in `shapes`, or of a ready-made shape", form="name")],
        position: Annotated[Sequence[float] | np.ndarray, Key("[x, y] of the centre of mass", "length", form="pair")],
        *,
        angle: Annotated[
            float, Key("by which it is turned, counter-clockwise", "degrees", called="angle_degrees", made=np.deg2rad)
        ] = 0.0,
        velocity: Annotated[Sequence[float], Key("[x, y] at t = 0", "length/time", form="pair")] = (0.0, 0.0),
        spin: Annotated[float, Key("angular velocity at t = 0", "radians/time")] = 0.0,
        density: Annotated[
            float | None, Key("mass per area; 1 if neither it nor `mass` is given", "mass/length²", gt=0.0)
        ] = None,
        mass: Mass = None,
        inertia: Annotated[
            float | None, Key("moment of inertia; that of the shape if not given", "mass × length²", gt=0.0)
        ] = None,
        material: Material = "grain",
        big: bool = False,
        name: GroupName = None,
        tags: Iterable[Tag] = (),
    ) -> int:
        """Add a body with its centre of mass at `position`; returns its id. `density` is mass per area, 1 if not given.

        inertia   moment of inertia [mass × length²]; that of the shape with its mass if not given

        A big body (wall, landscape, hopper) is left out of the cells and does not meet other big bodies. If it is free to
        move and has neither mass nor density, it weighs √N mean grains (model §6). Bodies of one name form a group.
        """
        who = f"body {len(self.bodies)}"
        self._check_shape(who, shape, big)
        per_area = density_of(who, density, mass, shape.area)
        where = numbers(f"{who}: position", position, 2)
        moving = numbers(f"{who}: velocity", velocity, 2)
        angle, spin = numbers(f"{who}: angle and spin", (angle, spin), 2)
        name_or_none(f"{who}: name", name)
        name_or_none(f"{who}: material", material)
        weighed, moment = density is not None or mass is not None, per_area * shape.inertia
        if inertia is not None:
            check_wall_inertia(who, big, weighed)
            (moment,) = moments_of(who, inertia, PLANE)
        return self._add_one(
            shape, (where, angle, moving, spin), per_area, moment, material=material, big=big, name=name, weighed=weighed,
            tags=tags,
        )  # fmt: skip

    def add_many(
        self,
        shapes: Shape | Sequence[Shape],
        positions: np.ndarray | Sequence[Sequence[float]],
        *,
        which: np.ndarray | Sequence[int] | None = None,
        angles: float | np.ndarray | Sequence[float] = 0.0,
        velocities: np.ndarray | Sequence[float] | Sequence[Sequence[float]] = (0.0, 0.0),
        spins: float | np.ndarray | Sequence[float] = 0.0,
        density: float | np.ndarray | Sequence[float] | None = None,
        mass: float | np.ndarray | Sequence[float] | None = None,
        inertia: float | np.ndarray | Sequence[float] | None = None,
        material: str | Sequence[str] = "grain",
        big: bool | np.ndarray | Sequence[bool] = False,
        name: str | Sequence[str | None] | None = None,
        tags: Iterable[Tag] = (),
    ) -> np.ndarray:
        """Add a body for each row of `positions` (n, 2), as `add` would one after the other; returns their ids (n,).

        shapes   one for all, or one for each; with `which` (n,), integers from 0 on, those that it chooses from
        tags     of all; for some there is `tag(ids, …)`

        All others are given once for all or, with n rows, for each. A complaint names the row; then nobody is added.
        """
        rows = NewBodies(len(self.bodies), positions, PLANE)
        columns = {
            "angle": rows.numbers("angles", angles, one="angle"),
            "velocity": rows.numbers("velocities", velocities, 2, one="velocity"),
            "spin": rows.numbers("spins", spins, one="spin"),
        } | rows.inertias(inertia, big, density is not None or mass is not None)
        return self._add_rows(
            rows, shapes, which, columns, density=density, mass=mass, material=material, big=big, name=name, tags=tags
        )

    def add_packing(
        self, packing: Placed, *, density: float | None = None, material: str = "grain", name: str | None = None
    ) -> list[int]:
        """Add every grain of a packing (`clast.packing`) where it lies; returns their ids."""
        return self.add_many(
            packing.shapes, packing.positions, angles=packing.angles, density=density, material=material, name=name
        ).tolist()

    def add_wall(
        self,
        shape: Shape,
        *,
        tags: Iterable[Tag] = (Fixed(),),
        mass: float | None = None,
        material: str = "wall",
        name: str | None = None,
    ) -> int:
        """Add a big body where its skeleton was drawn (its own coordinates are the world's), fixed unless `tags` are given."""
        return self.add(shape, -shape.origin, mass=mass, material=material, big=True, name=name, tags=tags)

    def _check_shape(self, who: str, shape: object, big: bool) -> None:
        if isinstance(shape, Solid):
            raise SceneError(f"{who}: {shape.name} is a solid, and this scene is in the plane: add it to a Scene3D")
        if not isinstance(shape, Shape):
            raise SceneError(f"{who}: {shape!r} is not a shape")

    def _size_of(self, shape: Shape) -> float:
        return shape.area

    def _cell_state(self) -> tuple[Any, ...]:
        return self.box.periods, self.box.offset, (0.0, 0.0), 0.0

    # --- bonds -------------------------------------------------------------------------------------------------------

    def bond(
        self,
        bond: Bond,
        who: int | str | Iterable[int | str] | None = None,
        *,
        joints: Joined | None = None,
        gap: float | None = None,
    ) -> np.ndarray:
        """Glue bodies that lie next to each other, as they lie now; returns the ids of the bonds (m,).

        who      ids, a name, or a list of these; all grains but those of sources if not given
        joints   where they meet: of a packing, `packing.joints()`, whose grains are those of `who` in this order
        gap      without joints: bodies whose surfaces are at most so far apart [length] are bonded, in the middle of their faces

        A bond acts besides the contacts of the two, and besides other bonds of theirs. SceneError where nothing is near enough,
        and for grains of sources.
        """
        if not isinstance(bond, Bond):
            raise SceneError(f"bond: {bond!r} must be a Bond, such as Bond(young=1e7, tensile_strength=1e4)")
        grains = np.setdiff1d(np.flatnonzero(~self.bodies.column("big")), self.waiting)
        ids = np.array(self.ids(who) if who is not None else grains, np.int64)
        if (waiting := ids[np.isin(ids, self.waiting)]).size:
            raise SceneError(f"bond: body {waiting[0]} is a grain of a source, and has no place before it comes in: leave it out")
        if (joints is None) == (gap is None):
            raise SceneError("bond: give either joints=packing.joints() or gap=…, how far apart surfaces may be")
        positions, angles = self.bodies.column("position"), self.bodies.column("angle")
        if joints is None:
            joints = facing(self, ids, numbers("bond: gap", [gap], 1)[0])
        made = made_of(bond, joints, bonded_pairs(joints.pairs, ids), positions, angles)
        first = self.bonds.size
        self.bonds = self.bonds.and_more(made)
        return np.arange(first, first + made.size)
