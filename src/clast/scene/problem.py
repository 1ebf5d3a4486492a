"""What a scene in the plane and one in space share: laws between materials, names and ids, tags, the masses of walls."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import Annotated, Any, ClassVar, Generic, Protocol, Self, TypedDict, TypeVar

import numpy as np

from clast.errors import SceneError
from clast.keys import Key
from clast.laws.law import Law
from clast.scene.bodies import Bodies, Kind, firsts
from clast.scene.bonds import BondTable
from clast.scene.cell import cell_mass
from clast.scene.checks import check_gravity, check_width, numbers
from clast.scene.flow import Sink, Source
from clast.scene.flowing import Flowing
from clast.scene.imposed import PLANE, Imposed, check_axes, sum_up
from clast.scene.many import NewBodies
from clast.scene.stored import StoredRun, move_to, offset_at, periods_at, put_in, require_axes
from clast.scene.tags import Dashpot, Fixed, Force, Pressure, Shear, Tag, Velocity
from clast.scene.timed import Timed, check_timed, least

Drawn = TypeVar("Drawn", covariant=True)  # a shape of the plane, or a solid


class Located(Protocol[Drawn]):
    """Shapes with their places: what all packings are to a scene."""

    @property
    def shapes(self) -> Sequence[Drawn]:
        """One per grain."""
        ...

    @property
    def positions(self) -> np.ndarray:
        """Centres of mass (n, 2), in space (n, 3)."""
        ...


# arguments of `add`, in the plane and in space
Mass = Annotated[float | None, Key("mass", "mass", gt=0.0)]
Material = Annotated[str, Key("material, for `pair_law`", form="name")]
GroupName = Annotated[str | None, Key("name, for `tags`; bodies of one name form a group", form="name")]


class Settings(TypedDict, total=False):
    """Arguments of every scene, in the plane and in space; `Problem` has their keys in scene files and their defaults, and checks
    them."""

    drag: Timed
    onset: bool
    remove_below: float | None


class Problem(Flowing, Generic[Kind]):
    """Bodies of one kind, the laws between their materials and what is imposed on them; see `Scene` and `Scene3D`."""

    axes: ClassVar[int]  # 2 in the plane, 3 in space
    kind: ClassVar[type[Any]]  # of bodies
    box: Any  # a `MovingBox`, that of the plane or that of space
    gravity: Any  # acceleration, one number for each axis
    bonds: BondTable = BondTable.empty()  # what holds bodies together, see `Scene.bond`

    def __init__(
        self,
        law: Law,
        *,
        drag: Annotated[Timed, Key("rate γ of a drag −γmv, −γIω on every grain", "1/time", form="timed")] = 0.0,
        onset: Annotated[bool, Key("weight the elastic kick of a step in which a contact opens or closes")] = True,
        remove_below: Annotated[
            float | None, Key("grains that have fallen below this y, in space this z, leave the run", "length")
        ] = None,
    ) -> None:
        self._check_law(law)
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
        self.bodies: Bodies[Kind] = Bodies(self.kind)
        self.default_law = law
        self.pair_laws: dict[tuple[str, str], Law] = {}
        self.sources: tuple[Source, ...] = ()
        self.sinks: tuple[Sink, ...] = ()

    def __len__(self) -> int:
        return len(self.bodies)

    @classmethod
    def from_run(
        cls, run: StoredRun, frame: int = -1, *, law: Law, tags: Mapping[int | str, Iterable[Tag]] | None = None, **given: Any
    ) -> Self:
        """A scene whose bodies are where those of a stored run are at a frame, and move as they do; see docs/laboratory.md.

        run, frame   a run, `clast.open(folder)`, and the number of a frame, −1 for the last
        law, given   arguments of the scene; gravity and box are those of the run where not given
        tags         by id or name; walls that are not named are fixed, and grains are free: a run does not keep tags

        At the end of a run contacts remember what they did, if the new law means the same by it; at other frames nobody knows.
        Bodies that had left the run are left out, and those after them move up. InputError or SceneError for what cannot be.
        """
        require_axes(run, cls.axes)
        gravity = tuple(float(each) for each in run.scene["gravity"])
        scene = cls(**{"gravity": gravity, "box": cls.box_of(periods_at(run, frame), offset_at(run, frame)), **given}, law=law)
        put_in(scene, run, frame, tags or {})
        return scene

    def begin_as(self, run: StoredRun, frame: int = -1) -> None:
        """Put all bodies where those of a stored run of the same bodies are at a frame, moving as they do; laws and tags stay.

        What contacts remember comes along as in `from_run`. SceneError where the bodies are others.
        """
        move_to(self, run, frame)

    @classmethod
    def box_of(cls, periods: Sequence[float], offset: float) -> Any:
        """A box that stays as it is, of given periods and offset."""
        raise NotImplementedError

    def remembered(self, key: np.ndarray, memory: np.ndarray, law: str) -> Any:
        """What contacts remember, as this kind of scene begins with it."""
        raise NotImplementedError

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "gravity":
            value = numbers("gravity", value, self.axes)
            check_gravity(value, self.box.periods)
        super().__setattr__(name, value)
        self._note(name)

    def _note(self, name: str) -> None:
        """Count a change of what the scene as a whole has: whoever has made something of it can see that it is out of date."""
        self.__dict__.setdefault("_changes", Counter())[name] += 1
        self.__dict__["_revision"] = self.__dict__.get("_revision", 0) + 1

    @property
    def revision(self) -> tuple[int, int]:
        """Two numbers that grow with every change, of the scene as a whole and of its bodies."""
        return self.__dict__["_revision"], self.bodies.revision

    def changes(self) -> Counter[str]:
        """How often each thing has been changed so far: `gravity`, `default_law`, … of the scene, `bodies.tags`, … of bodies."""
        return Counter(self.__dict__["_changes"]) + Counter({f"bodies.{name}": k for name, k in self.bodies.changes.items()})

    def saved(self) -> dict[str, Any]:
        """The scene as it is, to be put back where a change turns out to be impossible."""
        changes = {"_changes": self.__dict__["_changes"].copy(), "pair_laws": self.pair_laws.copy()}
        return vars(self) | changes | {"of_bodies": self.bodies.saved()}

    def put_back(self, saved: dict[str, Any]) -> None:
        """Let the scene be as it was when it was saved."""
        saved = dict(saved)
        self.bodies.put_back(saved.pop("of_bodies"))
        vars(self).update(saved)

    @property
    def law(self) -> Law:
        """The law between all materials that have none of their own; another one may be set."""
        return self.default_law

    @law.setter
    def law(self, law: Law) -> None:
        self._check_law(law)
        if self.bodies and law.needs_volume != self.default_law.needs_volume:
            raise SceneError(
                f"law = {describe(law)} in place of {describe(self.default_law)}: one acts between sharp solids and one between "
                "rounded ones, and the bodies are there already; make another scene"
            )
        for pair, other in self.pair_laws.items():
            if other.compiled_as != law.compiled_as:
                raise SceneError(
                    f'law = {describe(law)}, but that between "{pair[0]}" and "{pair[1]}" is of another kind '
                    f"({describe(other)}): laws of one scene differ in their numbers only; take `pair_laws` away first"
                )
        self.default_law = law

    def _check_law(self, law: object) -> None:
        """SceneError unless it is a law that a scene of this kind can have."""
        if not isinstance(law, Law):
            raise SceneError(f"law = {law!r} must be a law, such as Linear(1e7)")
        if law.needs_volume and self.axes == PLANE:
            raise SceneError(
                f"the law {describe(law)} acts by the volume of the overlap of sharp solids, and this scene is in the plane: "
                "give it to a Scene3D, or take another law, such as Linear(1e7)"
            )

    def settings(self) -> dict[str, Any]:
        """What the scene as a whole was given, by the names of its arguments; without the law, of which there may be several.

        The names are read from the signatures, so that a new argument is part of the identity of a run."""
        kinds = [each for each in type(self).__mro__ if issubclass(each, Problem)]
        names = {name for kind in kinds for name in signature(kind.__init__).parameters}
        names |= {name for name in ("sources", "sinks") if getattr(self, name)}
        return {name: value for name, value in vars(self).items() if name in names}

    def described(self, kind: str, periods: Sequence[float], gravity: Sequence[float]) -> str:
        """The scene in one line."""
        big = np.count_nonzero(self.bodies.column("big"))
        sides = [axis for axis, period in zip("xyz", periods, strict=False) if period > 0.0]
        wait = f" ({self.waiting.size} of them in sources)" if self.sources else ""
        return (
            f"{kind}: {len(self.bodies) - big} grains{wait}, {big} big bodies, "
            f"{'periodic in ' + ' and '.join(sides) if sides else 'open box'}, gravity {gravity}, {self.default_law}"
        )

    # --- bodies ------------------------------------------------------------------------------------------------------

    def _check_shape(self, who: str, shape: Any, big: bool) -> None:
        """SceneError where a body cannot have a shape."""
        raise NotImplementedError

    def _size_of(self, shape: Any) -> float:
        """What a density is multiplied with: the area, in space the volume."""
        raise NotImplementedError

    def _add_one(
        self, shape: Any, state: tuple[Any, ...], density: float, inertia: Any, *, material: str, big: bool, name: str | None,
        weighed: bool, tags: Iterable[Tag],
    ) -> int:  # fmt: skip
        """Add a body whose numbers have been checked and return its id. See `add`.

        state     its position, angle or orientation, velocity and spin
        inertia   its moment of inertia, in space (3,)
        weighed   whether the user gave its mass or density
        """
        number = len(self.bodies)
        if not big:
            check_width(f"body {number}", shape.name, shape.reach, self.box.periods)
        mass = density * self._size_of(shape)
        self.bodies.append(shape, *state, mass, inertia, material, bool(big), name, weighed, self._checked(number, tags))
        return number

    def _add_rows(
        self, rows: NewBodies, shapes: Any, which: Any, columns: dict[str, np.ndarray], *, density: Any, mass: Any, material: Any,
        big: Any, name: Any, tags: Iterable[Tag],
    ) -> np.ndarray:  # fmt: skip
        """Add a body for each row and return their ids (n,); where anything is wrong, none. See `add_many`.

        columns   what else a body has, by name
        """
        different, shape = rows.shapes(shapes, which)
        large = np.broadcast_to(rows.flags("big", big), rows.count)
        for row in firsts(2 * shape + large, 2 * len(different))[0].tolist():  # of each shape, big and not
            self._check_shape(rows.who(row), different[shape[row]], bool(large[row]))
            if not large[row]:
                check_width(rows.who(row), different[shape[row]].name, different[shape[row]].reach, self.box.periods)
        size = np.array([self._size_of(each) for each in different])[shape]
        inertia = np.array([each.inertia for each in different])[shape]
        density_of_each = rows.densities(density, mass, size)
        materials, names = rows.texts("material", material), rows.texts("name", name)
        tags = self._checked(rows.first, tags)
        if rows.count > 0:
            self.bodies.extend(
                rows.count,
                {"inertia": (density_of_each * inertia.T).T}
                | columns
                | {
                    "shape": self.bodies.numbered("shape", different)[shape],
                    "position": rows.positions,
                    "mass": density_of_each * size,
                    "material": self.bodies.numbered("material", materials),
                    "big": large,
                    "name": self.bodies.numbered("name", names),
                    "weighed": density is not None or mass is not None,
                    "tags": self.bodies.numbered("tags", [tags]),
                },
            )
        return np.arange(rows.first, len(self.bodies))

    # --- the periodic cell -------------------------------------------------------------------------------------------

    def is_cell(self, who: object) -> bool:
        """Whether "cell" means the periodic cell: not where a body has that name."""
        named = isinstance(who, str | list) and who in ("cell", ["cell"])
        return named and any(self.box.periods) and self.bodies.with_object("name", "cell").size == 0

    def cell(self) -> Kind | None:
        """The periodic cell as a body, where it moves: its place the periods, its id after the last; in the plane its angle is
        the offset."""
        if not self.box.moves or not self.bodies:
            return None
        mass = cell_mass(self.box, self.bodies.column("mass")[~self.bodies.column("big")])
        alone: Bodies[Kind] = Bodies(self.kind)
        first: Any = self.bodies[0]
        inertia = mass if self.axes == PLANE else (mass, mass, mass)
        alone.append(first.shape, *self._cell_state(), mass, inertia, first.material, True, "cell", True, ())
        return alone[0]

    def _cell_state(self) -> tuple[Any, ...]:
        """Place, turn, velocity and spin of the periodic cell as a body."""
        raise NotImplementedError

    # --- tags --------------------------------------------------------------------------------------------------------

    def ids(self, who: int | str | Iterable[int | str]) -> list[int]:
        """Ids of a body, of all bodies of a name, or of several of these."""
        if isinstance(who, str):
            found = self.bodies.with_object("name", who).tolist()
            if not found:
                names = sorted(name for name in self.bodies.distinct("name")[0] if name is not None)
                raise SceneError(f'there is no body named "{who}"; there are: {", ".join(names) or "no names at all"}')
            return found
        if isinstance(who, bool) or not (isinstance(who, str | int | np.integer) or hasattr(who, "__iter__")):
            raise SceneError(f"{who!r} is no body: give its id, a name, or a list of these")
        if isinstance(who, int | np.integer):
            if not 0 <= who < len(self.bodies):
                raise SceneError(f"there is no body {who}: there are bodies 0 … {len(self.bodies) - 1}")
            return [int(who)]
        if isinstance(who, np.ndarray) and who.dtype.kind in "iu" and ((who >= 0) & (who < len(self.bodies))).all():
            return who.ravel().tolist()
        return [number for each in who for number in self.ids(each)]

    def tag(self, who: int | str | Iterable[int | str], tag: Tag) -> None:
        """Impose something on a body, on all bodies of a name, or on several of these; or on the periodic "cell", see `box`."""
        if self.is_cell(who):
            self.box = replace(self.box, tags=(*self.box.tags, tag))
            return
        check_kind(who, tag)
        numbers, times = np.unique(np.array(found := self.ids(who), np.int64), return_counts=True)
        for number in found[:1]:
            check_axes(f"body {number}", tag, self.axes)
        self._check_walls_are_free(numbers, tag)
        for time in range(times.max(initial=0)):  # on a body that is named twice, twice
            self.bodies.add_tag(numbers[times > time], tag)

    def _check_walls_are_free(self, rows: np.ndarray, tag: Tag) -> None:
        """SceneError for a tag that does nothing on a wall, which is fixed."""
        if isinstance(tag, Fixed) or rows.size == 0:
            return
        for number in rows[self.bodies.column("big")[rows]].tolist():
            if any(isinstance(each, Fixed) for each in self.bodies[number].tags):
                body, kind = self.bodies[number], type(tag).__name__
                raise SceneError(
                    f"body {number} ({body.name or body.shape.name}) is a wall that is fixed, as add_wall makes them without "
                    f"other tags: this {kind} would do nothing; give the tag there, add_wall(…, tags=[{kind}(…)])"
                )

    def _checked(self, number: int, tags: Iterable[Tag]) -> tuple[Tag, ...]:
        """Tags for a body; SceneError where one cannot be."""
        found = tuple(tags)
        for tag in found:
            check_kind(number, tag)
            check_axes(f"body {number}", tag, self.axes)
        return found

    def imposed(self, number: int) -> Imposed:
        """All tags of a body summed up."""
        return sum_up(f"body {number}", self.bodies[number].tags, self.axes)

    def masses(self) -> tuple[np.ndarray, np.ndarray]:
        """Mass (n,) and moments of inertia, (n,) or (n, 3), of every body; a free wall without a mass weighs √N mean grains."""
        mass, inertia, big = (self.bodies.column(name) for name in ("mass", "inertia", "big"))
        grains = ~big
        for k in np.flatnonzero(big & ~self.bodies.column("weighed")).tolist():
            if grains.any() and not all(self.imposed(k).held):
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
        self._note("pair_laws")

    def law_between(self, one: str, other: str) -> Law:
        """The law that holds between two materials."""
        return self.pair_laws.get(tuple(sorted((one, other))), self.default_law)  # type: ignore[arg-type]

    def materials(self) -> list[str]:
        """Names of the materials in use, sorted; laws named for a material nobody is made of are refused."""
        used = sorted(self.bodies.distinct("material")[0])
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


def check_kind(who: object, tag: object) -> None:
    """SceneError unless it is a tag."""
    if not isinstance(tag, Fixed | Velocity | Force | Pressure | Dashpot | Shear):
        raise SceneError(f"tag on body {who}: {tag!r} is not Fixed, Velocity, Force, Pressure or Dashpot")


def describe(law: Law) -> str:
    """Kind of a law in words."""
    parts = [type(law).__name__]
    if law.turning_row:
        parts.append("rolling" if law.rolling is not None else "turning")
    if law.cohesion is not None:
        parts.append("cohesion")
    if law.sliding_by != "path":
        parts.append("sliding by angle")
    return " with ".join([parts[0], " and ".join(parts[1:])]) if len(parts) > 1 else parts[0]
