"""The keys of a scene file, as pydantic models: what each means, its unit and its limits.

The page docs/scene-file.md is written from here (`clast.scene_files.reference`); `clast.scene_files.reading` builds the scene.
Strict: a number is a number, never a text or true; an unknown key is refused. Units are the user's own, any consistent set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from clast.keys import keys_of
from clast.scene.plane import Box, Scene
from clast.scene.tags import Dashpot, Fixed, Force, Pressure, Shear, Velocity
from clast.scene_files.declared import makes, new_table, table_of_arguments
from clast.scene_files.schema_flow import ShareKeys, SinkKeys, SourceKeys
from clast.scene_files.schema_laws import LawKeys
from clast.scene_files.schema_run import RunKeys
from clast.scene_files.schema_shapes import ShapeKeys
from clast.scene_files.schema_timed import TimedKeys
from clast.scene_files.tables import CODE, Keys, Name, Outline, Pair, key

# --- laws ------------------------------------------------------------------------------------------------------------

Materials = Annotated[list[Name], Field(min_length=2, max_length=2)]


class PairLawKeys(Keys):
    """The law between two materials; it differs from `law` in its numbers only."""

    between: Materials = key(..., "the two materials, which may be the same")
    law: LawKeys = key(..., "the law, a table as `law`")


# --- bodies ----------------------------------------------------------------------------------------------------------


if TYPE_CHECKING:
    GrainKeys = Keys
else:
    GrainKeys = new_table("GrainKeys", Keys, "One grain.", keys_of(Scene.add))


class FillKeys(Keys):
    """Many grains in a rectangle, their bounding circles apart."""

    kind: Literal["lattice", "random"] = key(..., "in rows from the lower left, or one by one at random")
    count: int = key(..., "number of grains", to=CODE, ge=1, le=10_000_000)
    lower: Pair = key(..., "[x, y] of the lower left corner", "length", to=CODE)
    upper: Pair = key(..., "[x, y] of the upper right corner", "length", to=CODE)
    shapes: Annotated[list[ShareKeys], Field(min_length=1)] = key(..., "the mixture, a list of tables", to=CODE)
    spread: float = key(
        0.0, "sizes are drawn evenly between 1 − spread and 1 + spread times the shape's", to=CODE, ge=0.0, lt=1.0
    )
    gap: float = key(0.0, "least distance between bounding circles", "length", to=CODE, ge=0.0)
    seed: int = key(1, "seed of every random choice", to=CODE, ge=0)
    random_angles: bool = key(True, "turned at random; else all at angle 0", to=CODE)
    speed: float = key(0.0, "speed at t = 0, in random directions", "length/time", to=CODE, ge=0.0)
    density: float = key(1.0, "mass per area", "mass/length²", gt=0.0)
    material: Name = key("grain", "material, for `pair_law`")
    name: Name | None = key(None, "name of all of them, for `tags`")


class VoronoiFillKeys(Keys):
    """A soil of Voronoi cells: eroded by d, dilated by R ≤ d (see docs/voronoi.md). Periodic where the box is."""

    kind: Literal["voronoi"] = key(..., "cells of a Voronoi diagram")
    columns: int = key(..., "squares along x", taker="packing", ge=1, le=10_000)
    rows: int = key(..., "squares along y; there are columns × rows grains", taker="packing", ge=1, le=10_000)
    square: float = key(..., "side of a square", "length", taker="packing", gt=0.0)
    lower: Pair = key([0.0, 0.0], "[x, y] of the lower left corner", "length", to=CODE)
    erosion: float | None = key(None, "d, by which cells are eroded", "length", taker="packing", gt=0.0)
    dilation: float | None = key(
        None, "R ≤ d, by which they are dilated again; d if not given", "length", taker="packing", gt=0.0
    )
    void_ratio: float | None = key(None, "wanted: the one of d and R that is not given is found", taker="packing", gt=0.0)
    roundness: float | None = key(None, "R over the mean diameter of a cell, instead of `dilation`", taker="packing", gt=0.0)
    sites: Literal["grid", "random"] = key("grid", "one site at random in every square, or anywhere", taker="packing")
    expand: float = key(1.0, "factor by which the grains are moved apart: a loose sample", to=CODE, ge=1.0)
    random_angles: bool = key(False, "turned at random, after moving apart", to=CODE)
    seed: int = key(1, "seed of every random choice", taker="packing", ge=0)
    density: float = key(1.0, "mass per area", "mass/length²", gt=0.0)
    material: Name = key("grain", "material, for `pair_law`")
    name: Name | None = key(None, "name of all of them, for `tags`")

    @property
    def count(self) -> int:
        """Number of grains."""
        return self.columns * self.rows


AnyFillKeys = Annotated[FillKeys | VoronoiFillKeys, Field(discriminator="kind")]


class WallKeys(Keys):
    """A big body: wall, container, landscape. Drawn by `vertices` and `radius`, or a `shape` put at a `position`."""

    vertices: Outline | None = key(None, "[x, y] of each vertex, where the wall stands", "length", to=CODE)
    radius: float | None = key(None, "sphero-radius, with `vertices`", "length", to=CODE, gt=0.0)
    closed: bool = key(False, "join the last vertex to the first; grains may be inside or outside", to=CODE)
    shape: Name | None = key(None, "a name in `shapes`, or of a ready-made shape, instead of `vertices`", to=CODE)
    position: Pair | None = key(None, "[x, y] of the centre of mass, with `shape`", "length", to=CODE)
    angle_degrees: float = key(0.0, "by which the `shape` is turned, counter-clockwise", "degrees", to=CODE)
    fixed: bool = key(True, "it never moves; false leaves that to `tags`", to=CODE)
    mass: float | None = key(None, "mass of a wall that is free to move; √N mean grains if not given", "mass", gt=0.0)
    material: Name = key("wall", "material, for `pair_law`")
    name: Name | None = key(None, "name, for `tags`")


# --- tags ------------------------------------------------------------------------------------------------------------


def _who(given: object) -> object:
    if isinstance(given, str) or (isinstance(given, int) and not isinstance(given, bool)):
        return given
    raise PydanticCustomError("who", "must be the name or the number of a body")


def _whom(given: object) -> object:
    each = given if isinstance(given, list) else [given]
    if not each:
        raise PydanticCustomError("who", "must name at least one body")
    return [_who(one) for one in each]


Who = Annotated[int | str, BeforeValidator(_who)]
Whom = Annotated[list[int | str], BeforeValidator(_whom)]
Ends = Annotated[list[Who], Field(min_length=2, max_length=2)]


ON = 'name or number of a body, or a list of these; "cell" for the periods of the box'


@makes(Fixed)
class FixedTag(Keys):
    """The body never moves."""

    kind: Literal["fixed"] = key(..., "never moves")
    on: Whom = key(..., ON, to=CODE)


@makes(Velocity)
class VelocityTag(Keys):
    """Prescribed velocities; a component left out stays free."""

    kind: Literal["velocity"] = key(..., "moves as prescribed")
    on: Whom = key(..., ON, to=CODE)
    x: TimedKeys | None = key(None, "velocity along x", "length/time")
    y: TimedKeys | None = key(None, "velocity along y", "length/time")
    spin: TimedKeys | None = key(None, "angular velocity", "radians/time")


@makes(Force)
class ForceTag(Keys):
    """A force and torque on top of gravity and contacts."""

    kind: Literal["force"] = key(..., "is pushed")
    on: Whom = key(..., ON, to=CODE)
    x: TimedKeys = key(0.0, "force along x", "force")
    y: TimedKeys = key(0.0, "force along y", "force")
    torque: TimedKeys = key(0.0, "torque, counter-clockwise", "force × length")


@makes(Pressure)
class PressureTag(Keys):
    """A force `value` × the present gap between two walls, or × the period."""

    kind: Literal["pressure"] = key(..., "is loaded")
    on: Whom = key(..., ON, to=CODE)
    value: TimedKeys = key(..., "pressure", "force/length")
    direction: Literal["+x", "-x", "+y", "-y"] = key(..., "where the wall is pushed")
    between: Ends | None = key(
        None,
        "the two walls that bound the loaded face, the one at the smaller coordinate first; not where that side is periodic",
        made=tuple,
    )


@makes(Dashpot)
class DashpotTag(Keys):
    """A force −coefficient × velocity; 0 takes away the dashpot that free walls have."""

    kind: Literal["dashpot"] = key(..., "is braked")
    on: Whom = key(..., ON, to=CODE)
    coefficient: float = key(..., "force per velocity", "force × time/length", ge=0.0)


@makes(Shear)
class ShearTag(Keys):
    """Shears the periodic cell along x; period_x then stays."""

    kind: Literal["shear"] = key(..., "is sheared")
    on: Whom = key(..., 'the "cell"', to=CODE)
    rate: TimedKeys | None = key(None, "shear rate: an image one period_y up is faster by rate × period_y", "1/time")
    stress: TimedKeys | None = key(None, "or shear stress: pulls these images with stress × period_x", "force/length")


TagKeys = Annotated[FixedTag | VelocityTag | ForceTag | PressureTag | DashpotTag | ShearTag, Field(discriminator="kind")]


# --- the rest --------------------------------------------------------------------------------------------------------


@makes(Box)
class BoxKeys(Keys):
    """A cell that repeats. A side left out is open: it does not confine anything (walls are bodies)."""

    period_x: float | None = key(None, "period along x", "length", gt=0.0)
    period_y: float | None = key(None, "period along y", "length", gt=0.0)
    offset: float = key(0.0, "by which images one period up lie further along x at the start, of a sheared cell", "length")


ARGUMENTS = "Keys of the whole file as well; each stands beside the argument that it is, in `clast.scene`."

if TYPE_CHECKING:
    ArgumentKeys = Keys
else:
    ArgumentKeys = table_of_arguments("ArgumentKeys", ARGUMENTS, Scene)


class SceneKeys(ArgumentKeys):
    """Everything in a scene file."""

    title: str = key("", "what the scene shows, in a line", to=CODE)
    units: str = key("", "a note on the units, for the reader", to=CODE)
    dimension: Literal[2] = key(2, "2: the scene is in the plane; for 3, in space, see docs/scene-file-space.md", to=CODE)
    law: LawKeys = key(..., "law between all materials that have none of their own, a table")
    pair_law: list[PairLawKeys] = key([], "laws between two materials, a list of tables", to=CODE)
    box: BoxKeys = key(BoxKeys(), "periods, a table")
    shapes: dict[str, ShapeKeys] = key({}, "shapes by name, a table of tables", to=CODE)
    grains: list[GrainKeys] = key([], "single grains, a list of tables", to=CODE)
    walls: list[WallKeys] = key([], "big bodies, a list of tables", to=CODE)
    fill: list[AnyFillKeys] = key([], "many grains at once, a list of tables", to=CODE)
    sources: list[SourceKeys] = key([], "grains that come in while it runs, a list of tables", to=CODE)
    sinks: list[SinkKeys] = key([], "where grains leave the run, a list of tables", to=CODE)
    tags: list[TagKeys] = key([], "what is imposed on bodies, a list of tables", to=CODE)
    run: RunKeys = key(..., "how it is run, a table", to=CODE)
