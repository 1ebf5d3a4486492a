"""The keys of a shape in a scene file; see `clast.scene_files.schema`."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from clast.scene_files.declared import found_shapes
from clast.scene_files.tables import Keys, Name, Outline, Pair, key


class DilationKeys(Keys):
    """Grown by a disk."""

    kind: Literal["dilation"] = key(..., "A ⊕ B_by (ARX eq 1)")
    by: float = key(..., "radius of the disk", "length", ge=0.0)


class ErosionKeys(Keys):
    """Shrunk by a disk."""

    kind: Literal["erosion"] = key(..., "A ⊖ B_by (ARX eq 2)")
    by: float = key(..., "radius of the disk", "length", ge=0.0)
    corner: float = key(0.0, "sphero-radius of what is left, if more than the rest of the old one", "length", ge=0.0)
    largest: bool = key(False, "keep the largest piece if it falls apart")


class OpeningKeys(Keys):
    """Corners rounded."""

    kind: Literal["opening"] = key(..., "(A ⊖ B_by) ⊕ B_by (ARX eq 4)")
    by: float = key(..., "radius that corners get", "length", ge=0.0)
    largest: bool = key(False, "keep the largest piece if it falls apart")


class ClosingKeys(Keys):
    """Notches rounded."""

    kind: Literal["closing"] = key(..., "(A ⊕ B_by) ⊖ B_by")
    by: float = key(..., "radius that notches get", "length", ge=0.0)


OperationKeys = Annotated[DilationKeys | ErosionKeys | OpeningKeys | ClosingKeys, Field(discriminator="kind")]


class AnyShape(Keys):
    """Every shape takes these as well."""

    operations: list[OperationKeys] = key([], "Minkowski operations, done in this order")
    area: float | None = key(None, "last of all, scale to this area", "length²", gt=0.0)
    scale: float | None = key(None, "or times this factor; not both", gt=0.0)


class LibraryKeys(AnyShape):
    """A ready-made shape: `clast shape NAME` shows it."""

    kind: Literal["library"] = key(..., "a ready-made shape")
    name: Name = key(..., "disk, rice, peanut, pebble, triangle … heptagon, cow, long-legged-cow, clumpy-cow, hollow-cow")


class FileKeys(AnyShape):
    """A shape in a file of its own."""

    kind: Literal["file"] = key(..., "a shape file")
    file: Name = key(..., "its path from the folder of the scene file: .toml, .csv or .txt")


class PhotographKeys(AnyShape):
    """Grains of a photograph (docs/photographs.md): one of them, or in a `fill` all of them in equal numbers."""

    kind: Literal["photograph"] = key(..., "a photograph of grains, lengths in pixels before `scale`")
    file: Name = key(..., "its path from the folder of the scene file: .png, .jpg, .tif …")
    grain: int | None = key(None, "number of one grain, as `clast shape FILE` shows it; all if not given", ge=0)
    vertices: int = key(24, "a skeleton has no more than these", ge=3)
    tolerance: float | None = key(None, "fewer will do if they stay so near; 0.005 of the diameter", "pixels", gt=0.0)
    radius: float | None = key(None, "sphero-radius; a tenth of the diameter of each if not given", "pixels", gt=0.0)
    threshold: float | None = key(None, "brightness at which grains end; found if not given", "0 to 1", gt=0.0, lt=1.0)
    dark: bool | None = key(None, "grains are darker than the ground; found if not given")
    smallest: float | None = key(None, "area of the smallest grain; 100, or a hundredth of the largest", "pixels²", gt=0.0)
    split: bool | None = key(None, "cut grains that touch apart; false takes them as one")
    smoothing: float = key(0.7, "blur against noise", "pixels", gt=0.0)


class ChainKeys(AnyShape):
    """A skeleton of straight edges swept by a disk."""

    kind: Literal["polygon", "polyline", "segment"] = key(..., "closed with its inside, open, or of two vertices")
    vertices: Outline = key(..., "[x, y] of each vertex", "length")
    radius: float = key(..., "sphero-radius", "length", gt=0.0)


class RoundedKeys(AnyShape):
    """An outline with sharp corners, eroded and swept (PRE10 eq 5)."""

    kind: Literal["rounded"] = key(..., "(A ⊖ B_erosion) ⊕ B_radius")
    vertices: Outline = key(..., "[x, y] of each corner", "length")
    erosion: float = key(..., "how far the outline moves inwards first", "length", gt=0.0)
    radius: float | None = key(None, "sphero-radius; the same as `erosion` if not given", "length", gt=0.0)
    largest: bool = key(False, "keep the largest piece if it falls apart")


class MassKeys(Keys):
    """Mass properties that are not those of the union of disks."""

    area: float = key(..., "area", "length²", gt=0.0)
    centroid: Pair = key(..., "[x, y] in the coordinates of the vertices", "length")
    inertia: float = key(..., "∫ r² dA about the centroid", "length⁴", gt=0.0)


class ClumpKeys(AnyShape):
    """Disks of one radius, rigidly joined."""

    kind: Literal["clump"] = key(..., "a rigid union of disks")
    vertices: Outline = key(..., "[x, y] of each centre", "length")
    radius: float = key(..., "radius of the disks", "length", gt=0.0)
    mass: MassKeys | None = key(None, "mass properties of another body, as a shell of disks needs; a table")


MADE = found_shapes("clast.shapes.plane", AnyShape)

if TYPE_CHECKING:
    ShapeKeys = AnyShape
else:
    _others = [table for kind, table in MADE.items() if kind not in ("disk", "regular")]
    _tables = [
        LibraryKeys, FileKeys, PhotographKeys, MADE["disk"], ChainKeys, MADE["regular"], RoundedKeys, ClumpKeys, *_others,
    ]  # fmt: skip
    ShapeKeys = Annotated[reduce(or_, _tables), Field(discriminator="kind")]
