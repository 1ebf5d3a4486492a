"""The keys of a solid in a scene file with `dimension = 3`: twin of `clast.scene.schema_shapes`.

Every kind but `pieces` and the three that read something ready-made is a constructor of `clast.shapes`, and its keys are the
arguments there.
Lengths are those of the skeleton: the ball of the sphero-radius comes on top. With radius 0 a closed convex solid is sharp.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from clast.scene.schema_shapes import Keys, Name, Outline, key

Triple = Annotated[list[float], Field(min_length=3, max_length=3)]
Places = Annotated[list[Triple], Field(min_length=1)]
Loop = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=3)]
Loops = Annotated[list[Loop], Field(min_length=1)]
Quaternion = Annotated[list[float], Field(min_length=4, max_length=4)]
Two = Annotated[list[float], Field(min_length=2, max_length=2)]
Ends3D = Annotated[list[Triple], Field(min_length=2, max_length=2)]


SHARP = "sphero-radius; 0: sharp"


def _arms(given: Any) -> Any:
    each = given if isinstance(given, list) else [given]
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) and 0.0 <= one < float("inf") for one in each)
    if numbers and len(each) in (1, 3, 6):
        return given
    raise PydanticCustomError("arms", "must be a length, or a list of three or six, 0 for no arm")


Arms = Annotated[float | list[float], BeforeValidator(_arms)]


class Turned(Keys):
    """How a grain, a wall or a piece of one is turned from how it was drawn: by a quaternion, or by an angle about an axis."""

    orientation: Quaternion | None = key(None, "quaternion [w, x, y, z], of any length but 0")
    axis: Triple | None = key(None, "[x, y, z] to turn about, instead of `orientation`")
    angle_degrees: float = key(0.0, "by which it is turned about `axis`, right-handed", "degrees")


class AnySolid(Keys):
    """Every solid but a mesh file takes these as well."""

    volume: float | None = key(None, "last of all, scale to this volume", "length³", gt=0.0)
    scale: float | None = key(None, "or times this factor; not both", gt=0.0)


class LibrarySolidKeys(AnySolid):
    """A ready-made solid: `clast shape NAME` shows it. Grains have the volume 1, walls are 1 wide."""

    kind: Literal["library"] = key(..., "a ready-made solid")
    name: Name = key(
        ...,
        "grains: sphere, capsule, triangle-plate, tetrahedron, cube, octahedron, brick, l-block, cross, mug, "
        "sharp-tetrahedron, sharp-cube, sharp-octahedron, sharp-brick, ellipsoid-grain; "
        "walls: open-box, hopper-walls, drum, floor-with-rim, sharp-hopper, sharp-drum",
    )


class SolidFileKeys(AnySolid):
    """A solid in a file of its own, as `clast.shapes.save_solid` and `clast shape … --save` write it."""

    kind: Literal["file"] = key(..., "a solid's file")
    file: Name = key(..., "its path from the folder of the scene file: .json")


class MeshFileKeys(Keys):
    """A closed mesh from another program, cut down to few vertices; `clast shape FILE` tells the error of that."""

    kind: Literal["mesh-file"] = key(..., "a mesh file")
    file: Name = key(..., "its path from the folder of the scene file: .stl, .obj or .ply")
    scale: float = key(..., "length of one unit of the file: a mesh does not say it", "length", gt=0.0)
    radius: float = key(..., "sphero-radius, a length of the scene; 0: sharp, of a convex mesh", "length", ge=0.0)
    vertices: int = key(200, "a skeleton has no more than these", ge=4)
    mend: bool = key(False, "put right what can be: small holes, faces that look inwards, double vertices")
    skeleton: bool = key(False, "the mesh is the skeleton, and the grain larger by the radius; else the mesh is the surface")


class SphereKeys(AnySolid):
    """A ball."""

    kind: Literal["sphere"] = key(..., "one point swept by a ball")
    radius: float = key(..., "its radius", "length", gt=0.0)


class CapsuleKeys(AnySolid):
    """A spherocylinder."""

    kind: Literal["capsule"] = key(..., "a segment swept by a ball")
    radius: float = key(..., "sphero-radius", "length", gt=0.0)
    length: float | None = key(None, "of the segment, along x; or else `ends`", "length", gt=0.0)
    ends: Ends3D | None = key(None, "[x, y, z] of the two ends of the segment", "length")


class PlateKeys(AnySolid):
    """A rounded tile."""

    kind: Literal["plate"] = key(..., "a plane polygon, convex or not, swept by a ball")
    corners: Places = key(..., "[x, y, z] of each corner, either way round", "length")
    radius: float = key(..., "sphero-radius", "length", gt=0.0)


class TetrahedronKeys(AnySolid):
    """A regular tetrahedron, rounded or sharp."""

    kind: Literal["tetrahedron"] = key(..., "a regular tetrahedron about the origin")
    edge: float = key(..., "its edge", "length", gt=0.0)
    radius: float = key(..., SHARP, "length", ge=0.0)


class CuboidKeys(AnySolid):
    """A box, rounded or sharp: brick, cube, block."""

    kind: Literal["cuboid"] = key(..., "a box about the origin")
    sides: Triple = key(..., "along x, y and z", "length")
    radius: float = key(..., SHARP, "length", ge=0.0)


class HullKeys(AnySolid):
    """A convex polyhedron by its corners."""

    kind: Literal["hull"] = key(..., "the convex hull of points")
    points: Places = key(..., "[x, y, z] of each; those within are left out", "length")
    radius: float = key(..., SHARP, "length", ge=0.0)


class MeshKeys(AnySolid):
    """A polyhedron by its faces, convex or not."""

    kind: Literal["mesh"] = key(..., "a closed surface of plane polygons, with its inside")
    vertices: Places = key(..., "[x, y, z] of each", "length")
    faces: Loops = key(..., "lists of vertex numbers from 0, counter-clockwise seen from outside")
    radius: float = key(..., "sphero-radius; 0: sharp, of a convex one", "length", ge=0.0)
    mend: bool = key(False, "put right what can be: small holes, faces that look inwards, double vertices")


class ShellKeys(AnySolid):
    """A wall of several plates."""

    kind: Literal["shell"] = key(..., "a surface of plane polygons, open or closed, without an inside")
    vertices: Places = key(..., "[x, y, z] of each", "length")
    faces: Loops = key(..., "lists of vertex numbers from 0, neighbours the same way round")
    radius: float = key(..., "sphero-radius", "length", gt=0.0)


class SphereClumpKeys(AnySolid):
    """Balls of one radius, rigidly joined."""

    kind: Literal["clump"] = key(..., "a rigid union of balls; overlaps count once")
    points: Places = key(..., "[x, y, z] of each centre", "length")
    radius: float = key(..., "radius of the balls", "length", gt=0.0)


class PrismKeys(AnySolid):
    """An outline drawn out: L, T, nut, gear."""

    kind: Literal["prism"] = key(..., "a polygon in x and y drawn out along z")
    outline: Outline = key(..., "[x, y] of each corner, convex or not, either way round", "length")
    height: float = key(..., "along z, half of it on either side of z = 0", "length", gt=0.0)
    radius: float = key(..., "sphero-radius; 0: sharp, of a convex outline", "length", ge=0.0)


class CrossKeys(AnySolid):
    """Six arms that stick out of a cube."""

    kind: Literal["cross"] = key(..., "a cross in space")
    arms: Arms = key(..., "how far they stick out: one for all, [x, y, z], or six for −x, +x, −y, +y, −z, +z", "length")
    width: float = key(..., "of the arms", "length", gt=0.0)
    radius: float = key(..., "sphero-radius", "length", gt=0.0)


class MugKeys(AnySolid):
    """A mug with a handle."""

    kind: Literal["mug"] = key(..., "a mug that stands on z = 0, its handle towards +x")
    height: float = key(..., "of the outside", "length", gt=0.0)
    diameter: float = key(..., "of the outside, across corners", "length", gt=0.0)
    wall: float = key(..., "how thick sides, floor and handle are", "length", gt=0.0)
    radius: float = key(..., "sphero-radius", "length", gt=0.0)
    sides: int = key(12, "round the mug", ge=4)
    bends: int = key(6, "along the handle", ge=2)


class OpenBoxKeys(AnySolid):
    """A floor and four walls, for grains to fall into."""

    kind: Literal["open-box"] = key(..., "a box without a lid about the z axis, its floor at z = 0")
    sides: Triple = key(..., "width along x, along y, and height", "length")
    radius: float = key(..., "sphero-radius", "length", gt=0.0)


class HopperKeys(AnySolid):
    """A funnel."""

    kind: Literal["hopper"] = key(..., "a funnel of plates about the z axis, its opening at z = 0")
    opening: float = key(..., "width of the opening, across flats", "length", gt=0.0)
    top: float = key(..., "width at the top, across flats", "length", gt=0.0)
    height: float = key(..., "of the funnel", "length", gt=0.0)
    radius: float = key(..., "sphero-radius", "length", gt=0.0)
    sides: int = key(4, "number of plates: 4 a pyramid, many a cone", ge=3)
    bin_height: float = key(0.0, "of upright walls above the top", "length", ge=0.0)


class DrumKeys(AnySolid):
    """A hollow drum."""

    kind: Literal["drum"] = key(..., "a drum about the y axis, its middle at the origin")
    inner_radius: float = key(..., "distance of the plates from the axis", "length", gt=0.0)
    length: float = key(..., "along y", "length", gt=0.0)
    radius: float = key(..., "sphero-radius", "length", gt=0.0)
    sides: int = key(24, "number of plates", ge=3)
    ends: bool = key(True, "closed by two plates; false makes it a pipe")


class EllipsoidGrainKeys(AnySolid):
    """A sharp grain with random corners on an ellipsoid, as CSM10 pour them; take as many of them as there are to be forms."""

    kind: Literal["ellipsoid-grain"] = key(..., "the hull of random points on an ellipsoid")
    half_axes: Triple = key([8e-3, 7e-3, 6e-3], "of the ellipsoid along x, y and z", "length")
    corners: int = key(12, "their number; 12 give 20 triangular faces", ge=4)
    seed: int = key(1, "seed of the random corners", ge=0)


class FloorWithRimKeys(AnySolid):
    """A sharp floor with four rims, for grains to be poured on."""

    kind: Literal["floor-with-rim"] = key(..., "a floor with its top at z = 0 and rims about it, five pieces")
    sides: Two = key(..., "width between the rims along x and along y", "length")
    height: float = key(..., "of the rims", "length", gt=0.0)
    wall: float = key(..., "how thick floor and rims are", "length", gt=0.0)


class SharpDrumKeys(AnySolid):
    """A sharp drum."""

    kind: Literal["sharp-drum"] = key(..., "a drum of staves and two end plates about the y axis, its middle at the origin")
    inner_radius: float = key(..., "distance of the staves from the axis", "length", gt=0.0)
    length: float = key(..., "of the room, along y", "length", gt=0.0)
    sides: int = key(..., "number of staves", ge=3)
    wall: float = key(..., "how thick staves and end plates are", "length", gt=0.0)
    ends: bool = key(True, "closed by two plates; false makes it a pipe")


class SharpHopperKeys(AnySolid):
    """A sharp funnel."""

    kind: Literal["sharp-hopper"] = key(..., "a funnel of thick plates about the z axis, its opening at z = 0")
    opening: float = key(..., "width of the opening, across flats", "length", gt=0.0)
    top: float = key(..., "width at the top, across flats; more than the opening", "length", gt=0.0)
    height: float = key(..., "of the funnel", "length", gt=0.0)
    wall: float = key(..., "how thick the plates are", "length", gt=0.0)
    sides: int = key(4, "number of plates: 4 a pyramid, many a cone", ge=3)
    bin_height: float = key(0.0, "of upright walls above the top", "length", ge=0.0)


class PieceKeys(Turned):
    """One piece of a sharp wall."""

    shape: Name = key(..., "a name in `shapes`, or of a ready-made solid; it must be sharp")
    position: Triple = key([0.0, 0.0, 0.0], "where the origin of its drawing is put, about which it is turned", "length")


class PiecesKeys(AnySolid):
    """A sharp wall of several convex pieces that move as one; what lies in two of them counts twice in its mass."""

    kind: Literal["pieces"] = key(..., "sharp convex solids put together")
    of: Annotated[list[PieceKeys], Field(min_length=1)] = key(..., "the pieces, a list of tables")


MadeKeys = (
    SphereKeys | CapsuleKeys | PlateKeys | TetrahedronKeys | CuboidKeys | HullKeys | MeshKeys | ShellKeys | SphereClumpKeys
    | PrismKeys | CrossKeys | MugKeys | OpenBoxKeys | HopperKeys | DrumKeys | EllipsoidGrainKeys | FloorWithRimKeys
    | SharpDrumKeys | SharpHopperKeys
)  # fmt: skip
SolidKeys = Annotated[LibrarySolidKeys | SolidFileKeys | MeshFileKeys | PiecesKeys | MadeKeys, Field(discriminator="kind")]
