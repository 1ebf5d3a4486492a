"""The keys of a scene file with `dimension = 3`: what is not as in the plane (`clast.scene_files.schema`).

The page docs/scene-file-space.md is written from here; `clast.scene_files.space.reading` builds the scene.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from clast.keys import keys_of
from clast.scene.space import Box3D, Scene3D
from clast.scene.tags import Pressure, Shear
from clast.scene_files.declared import makes, new_table, table_of_arguments
from clast.scene_files.schema import (
    ARGUMENTS,
    ON,
    DashpotTag,
    FixedTag,
    ForceTag,
    Materials,
    PairLawKeys,
    SceneKeys,
    ShareKeys,
    VelocityTag,
    Whom,
)
from clast.scene_files.schema_flow import SpaceSinkKeys, SpaceSourceKeys
from clast.scene_files.schema_laws import SpaceLawKeys
from clast.scene_files.schema_timed import TimedKeys
from clast.scene_files.space.schema_solids import SolidKeys, TurnKeys
from clast.scene_files.tables import CODE, Keys, Name, Places, Triple, key

# --- laws between materials ---------------------------------------------------------------------------------------------


class SpacePairLawKeys(PairLawKeys):
    """The law between two materials; it differs from `law` in its numbers only."""

    between: Materials = key(..., "the two materials, which may be the same")
    law: SpaceLawKeys = key(..., "the law, a table as `law`")


# --- bodies ----------------------------------------------------------------------------------------------------------


if TYPE_CHECKING:

    class SpaceGrainKeys(TurnKeys):
        """What `Scene3D.add` declares."""

else:
    SpaceGrainKeys = new_table("SpaceGrainKeys", TurnKeys, "One grain.", keys_of(Scene3D.add))


class SpaceWallKeys(TurnKeys):
    """A big body: wall, drum, hopper. Drawn by `corners` and `radius`, or a `shape`."""

    corners: Places | None = key(None, "[x, y, z] of each corner of a plane polygon, where it stands", "length", to=CODE)
    radius: float | None = key(None, "sphero-radius, with `corners`", "length", to=CODE, gt=0.0)
    shape: Name | None = key(None, "a name in `shapes`, or of a ready-made solid, instead of `corners`", to=CODE)
    position: Triple | None = key(
        None,
        "with `shape`: where the origin of its drawing is put, about which it is turned; [0, 0, 0] if not given",
        "length",
        to=CODE,
    )
    fixed: bool = key(True, "it never moves; false leaves that to `tags`", to=CODE)
    mass: float | None = key(None, "mass of a wall that is free to move; √N mean grains if not given", "mass", gt=0.0)
    material: Name = key("wall", "material, for `pair_law`")
    name: Name | None = key(None, "name, for `tags`")


class SpaceFillKeys(Keys):
    """Both take these as well. Where the box to be filled spans a whole period, random grains may stick out over it."""

    count: int = key(..., "number of grains", to=CODE, ge=1, le=1_000_000)
    lower: Triple = key(..., "[x, y, z] of the lowest corner", "length", to=CODE)
    upper: Triple = key(..., "[x, y, z] of the highest corner", "length", to=CODE)
    shapes: Annotated[list[ShareKeys], Field(min_length=1)] = key(..., "the mixture, a list of tables", to=CODE)
    spread: float = key(
        0.0, "sizes are drawn evenly between 1 − spread and 1 + spread times the solid's", to=CODE, ge=0.0, lt=1.0
    )
    gap: float = key(0.0, "least distance between grains, on a lattice between their bounding balls", "length", to=CODE, ge=0.0)
    seed: int = key(1, "seed of every random choice", to=CODE, ge=0)
    speed: float = key(0.0, "speed at t = 0, in random directions", "length/time", to=CODE, ge=0.0)
    density: float = key(1.0, "mass per volume", "mass/length³", gt=0.0)
    material: Name = key("grain", "material, for `pair_law`")
    name: Name | None = key(None, "name of all of them, for `tags`")


class LatticeFillKeys(SpaceFillKeys):
    """Many grains in rows and layers, from the lowest corner up, their bounding balls apart."""

    kind: Literal["lattice"] = key(..., "a simple cubic lattice")
    random_turns: bool = key(True, "turned at random; else all as drawn", to=CODE)


class RandomFillKeys(SpaceFillKeys):
    """Many grains one by one at random places and turned at random, where they touch nobody: up to a third of the volume."""

    kind: Literal["random"] = key(..., "one by one, the largest first")


class SpaceVoronoiFillKeys(Keys):
    """A soil of Voronoi cells: eroded by d, dilated by R ≤ d (see docs/space-packings.md). Periodic where the box is."""

    kind: Literal["voronoi"] = key(..., "cells of a Voronoi diagram")
    columns: int = key(..., "cubes along x", taker="packing", ge=1, le=1000)
    rows: int = key(..., "cubes along y", taker="packing", ge=1, le=1000)
    layers: int = key(..., "cubes along z; there are columns × rows × layers grains", taker="packing", ge=1, le=1000)
    cube: float = key(..., "side of a cube", "length", taker="packing", gt=0.0)
    lower: Triple = key([0.0, 0.0, 0.0], "[x, y, z] of the lowest corner", "length", to=CODE)
    erosion: float | None = key(None, "d, by which cells are eroded", "length", taker="packing", gt=0.0)
    dilation: float | None = key(
        None, "R ≤ d, by which they are dilated again; d if not given", "length", taker="packing", gt=0.0
    )
    void_ratio: float | None = key(None, "wanted: the one of d and R that is not given is found", taker="packing", gt=0.0)
    roundness: float | None = key(None, "R over the mean diameter of a cell, instead of `dilation`", taker="packing", gt=0.0)
    sites: Literal["grid", "random"] = key("grid", "one site at random in every cube, or anywhere", taker="packing")
    merge: float = key(0.01, "edges shorter than this times d are merged", taker="packing", ge=0.0, le=0.1)
    expand: float = key(1.0, "factor by which the grains are moved apart: a loose sample", to=CODE, ge=1.0)
    random_turns: bool = key(False, "turned at random, after moving apart", to=CODE)
    seed: int = key(1, "seed of every random choice", taker="packing", ge=0)
    density: float = key(1.0, "mass per volume", "mass/length³", gt=0.0)
    material: Name = key("grain", "material, for `pair_law`")
    name: Name | None = key(None, "name of all of them, for `tags`")

    @property
    def count(self) -> int:
        """Number of grains."""
        return self.columns * self.rows * self.layers


AnySpaceFillKeys = Annotated[LatticeFillKeys | RandomFillKeys | SpaceVoronoiFillKeys, Field(discriminator="kind")]


# --- tags ------------------------------------------------------------------------------------------------------------


def _pairs(given: object) -> object:
    pairs = given if isinstance(given, list) else []
    good = len(pairs) == 2 and all(isinstance(pair, list) and len(pair) in (0, 2) for pair in pairs)
    names = [each for pair in pairs for each in pair] if good else [None]
    if all(isinstance(each, str | int) and not isinstance(each, bool) for each in names):
        return given
    raise PydanticCustomError("pairs", 'must be two pairs of walls, [["left", "right"], ["front", "back"]], [] across a period')


Pairs = Annotated[list[list[int | str]], BeforeValidator(_pairs)]


def _walls(pairs: list[list[int | str]]) -> tuple[tuple[int | str, ...] | None, ...]:
    """Two pairs of walls as a tag has them."""
    return tuple(tuple(pair) or None for pair in pairs)


class SpaceFixedTag(FixedTag):
    """The body never moves."""

    kind: Literal["fixed"] = key(..., "never moves")
    on: Whom = key(..., ON, to=CODE)


class SpaceVelocityTag(VelocityTag):
    """Prescribed velocities; a component left out stays free. Of the three spins all are prescribed or none."""

    kind: Literal["velocity"] = key(..., "moves as prescribed")
    on: Whom = key(..., ON, to=CODE)
    x: TimedKeys | None = key(None, "velocity along x", "length/time")
    y: TimedKeys | None = key(None, "velocity along y", "length/time")
    z: TimedKeys | None = key(None, "velocity along z", "length/time")
    spin_x: TimedKeys | None = key(None, "angular velocity about x", "radians/time")
    spin_y: TimedKeys | None = key(None, "angular velocity about y", "radians/time")
    spin: TimedKeys | None = key(None, "angular velocity about z", "radians/time")


class SpaceForceTag(ForceTag):
    """A force and torque on top of gravity and contacts."""

    kind: Literal["force"] = key(..., "is pushed")
    on: Whom = key(..., ON, to=CODE)
    x: TimedKeys = key(0.0, "force along x", "force")
    y: TimedKeys = key(0.0, "force along y", "force")
    z: TimedKeys = key(0.0, "force along z", "force")
    torque_x: TimedKeys = key(0.0, "torque about x", "force × length")
    torque_y: TimedKeys = key(0.0, "torque about y", "force × length")
    torque: TimedKeys = key(0.0, "torque about z", "force × length")


@makes(Pressure)
class SpacePressureTag(Keys):
    """A force `value` × the present area between two pairs of walls, or across periods."""

    kind: Literal["pressure"] = key(..., "is loaded")
    on: Whom = key(..., ON, to=CODE)
    value: TimedKeys = key(..., "pressure", "force/length²")
    direction: Literal["+x", "-x", "+y", "-y", "+z", "-z"] = key(..., "where the wall is pushed")
    between: Pairs | None = key(
        None,
        "two pairs of walls that bound the loaded face, for the two other axes in the order x, y, z, in each the wall at the "
        "smaller coordinate first; [] for a pair where that axis is periodic",
        made=_walls,
    )


class SpaceDashpotTag(DashpotTag):
    """A force −coefficient × velocity; 0 takes away the dashpot that free walls have."""

    kind: Literal["dashpot"] = key(..., "is braked")
    on: Whom = key(..., ON, to=CODE)
    coefficient: float = key(..., "force per velocity", "force × time/length", ge=0.0)


@makes(Shear)
class SpaceShearTag(Keys):
    """Shears the periodic cell along x, rows along y past each other; period_x then stays."""

    kind: Literal["shear"] = key(..., "is sheared")
    on: Whom = key(..., 'the "cell"', to=CODE)
    rate: TimedKeys | None = key(None, "shear rate: an image one period_y up is faster by rate × period_y", "1/time")
    stress: TimedKeys | None = key(None, "or shear stress: pulls these images with stress × period_x × period_z", "force/length²")


SpaceTagKeys = Annotated[
    SpaceFixedTag | SpaceVelocityTag | SpaceForceTag | SpacePressureTag | SpaceDashpotTag | SpaceShearTag,
    Field(discriminator="kind"),
]


# --- the whole file --------------------------------------------------------------------------------------------------


@makes(Box3D)
class SpaceBoxKeys(Keys):
    """A cell that repeats. A side left out is open: it does not confine anything (walls are bodies)."""

    period_x: float | None = key(None, "period along x", "length", gt=0.0)
    period_y: float | None = key(None, "period along y", "length", gt=0.0)
    period_z: float | None = key(None, "period along z", "length", gt=0.0)
    offset: float = key(0.0, "by which images one period_y up lie further along x at the start, of a sheared cell", "length")


if TYPE_CHECKING:

    class SpaceArgumentKeys(Keys):
        """What `Scene3D` declares."""

else:
    SpaceArgumentKeys = table_of_arguments("SpaceArgumentKeys", ARGUMENTS, Scene3D)


class SpaceSceneKeys(SpaceArgumentKeys, SceneKeys):
    """What differs from a scene file in the plane; every other key is as there."""

    dimension: Literal[3] = key(..., "3: the scene is in space", to=CODE)  # type: ignore[assignment]
    counting: Literal["euler"] = key("euler", "in space there is one way", to=CODE)
    law: SpaceLawKeys = key(..., "as in the plane, or one of those below")
    pair_law: list[SpacePairLawKeys] = key([], "laws between two materials, a list of tables", to=CODE)  # type: ignore[assignment]
    box: SpaceBoxKeys = key(SpaceBoxKeys(), "periods, a table")  # type: ignore[assignment]
    shapes: dict[str, SolidKeys] = key({}, "solids by name, a table of tables", to=CODE)  # type: ignore[assignment]
    grains: list[SpaceGrainKeys] = key([], "single grains, a list of tables", to=CODE)  # type: ignore[assignment]
    walls: list[SpaceWallKeys] = key([], "big bodies, a list of tables", to=CODE)  # type: ignore[assignment]
    fill: list[AnySpaceFillKeys] = key([], "many grains at once, a list of tables", to=CODE)  # type: ignore[assignment]
    sources: list[SpaceSourceKeys] = key([], "grains that come in while it runs, a list of tables", to=CODE)  # type: ignore[assignment]
    sinks: list[SpaceSinkKeys] = key([], "where grains leave the run, a list of tables", to=CODE)  # type: ignore[assignment]
    tags: list[SpaceTagKeys] = key([], "what is imposed on bodies, a list of tables", to=CODE)  # type: ignore[assignment]
