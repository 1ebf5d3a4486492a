"""The keys of a solid in a scene file with `dimension = 3`; those of the plane stand in `clast.scene_files.schema_shapes`.

Every kind but `pieces` and the three that read something ready-made is a function in `clast.shapes.space` that carries its keys.
Lengths are those of the skeleton: the ball of the sphero-radius comes on top. With radius 0 a closed convex solid is sharp.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from clast.scene_files.declared import found_shapes
from clast.scene_files.tables import CODE, Keys, Name, Quaternion, Triple, key


class TurnKeys(Keys):
    """How a grain, a wall or a piece of one is turned from how it was drawn: by a quaternion, or by an angle about an axis."""

    orientation: Quaternion | None = key(None, "quaternion [w, x, y, z], of any length but 0", to=CODE)
    axis: Triple | None = key(None, "[x, y, z] to turn about, instead of `orientation`", to=CODE)
    angle_degrees: float = key(0.0, "by which it is turned about `axis`, right-handed", "degrees", to=CODE)


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


class PieceKeys(TurnKeys):
    """One piece of a sharp wall."""

    shape: Name = key(..., "a name in `shapes`, or of a ready-made solid; it must be sharp")
    position: Triple = key([0.0, 0.0, 0.0], "where the origin of its drawing is put, about which it is turned", "length")


class PiecesKeys(AnySolid):
    """A sharp wall of several convex pieces that move as one; what lies in two of them counts twice in its mass."""

    kind: Literal["pieces"] = key(..., "sharp convex solids put together")
    of: Annotated[list[PieceKeys], Field(min_length=1)] = key(..., "the pieces, a list of tables")


MADE = found_shapes("clast.shapes.space", AnySolid)

if TYPE_CHECKING:
    SolidKeys = AnySolid | MeshFileKeys
else:
    SolidKeys = Annotated[
        reduce(or_, [LibrarySolidKeys, SolidFileKeys, MeshFileKeys, PiecesKeys, *MADE.values()]), Field(discriminator="kind")
    ]
