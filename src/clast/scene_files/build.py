"""From the tables of a scene file to shapes and tags; errors name the entry."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from clast.errors import SceneError, ShapeError
from clast.scene.tags import Tag
from clast.scene_files import schema, schema_shapes
from clast.scene_files.complaint import at
from clast.scene_files.declared import made_from
from clast.scene_files.space import schema as schema_space
from clast.shapes import Shape, library_shape, library_shapes, library_solids, load_shape
from clast.shapes.plane.make import clump, polygon, polyline, segment
from clast.shapes.plane.minkowski import closing, dilation, erosion, opening, rounded
from clast.shapes.plane.photograph import grains_from_image

# --- shapes ----------------------------------------------------------------------------------------------------------


def missing(what: str, made: Iterable[str], ready: Iterable[str]) -> str:
    """The sentence for a name that neither the file nor the library knows."""
    return f"there is no {what}: the file has {', '.join(made) or 'none'}; ready-made are {', '.join(ready)}"


class ShapeShelf:
    """The shapes of a file by name, and after them the ready-made ones; each is made once.

    A photograph without the number of a grain stands for all its grains: `family` gives them. `texts` are the files that
    shapes were read from, by the names the scene file gives them; of a photograph its fingerprint.
    """

    def __init__(self, keys: Mapping[str, schema_shapes.ShapeKeys], folder: Path) -> None:
        self.texts: dict[str, str] = {}
        self._folder = folder
        self._made: dict[str, list[Shape]] = {}
        self._seen: dict[str, list[Shape]] = {}  # of photographs
        for name, each in keys.items():
            with at(f"shapes.{name}"):
                self._made[name] = self._build(each, name)

    def family(self, name: str) -> list[Shape]:
        """The shapes a name stands for: one, or those of a whole photograph."""
        if name not in self._made:
            if name not in library_shapes():
                elsewhere = ", which is a solid for a scene with dimension = 3" if name in library_solids() else ""
                raise ShapeError(missing(f'shape "{name}"{elsewhere}', self._made, library_shapes()))
            self._made[name] = [library_shape(name)]
        return self._made[name]

    def __getitem__(self, name: str) -> Shape:
        shapes = self.family(name)
        if len(shapes) > 1:
            raise ShapeError(
                f'"{name}" is a photograph of {len(shapes)} grains: choose one by its number, grain = 0 … {len(shapes) - 1} in '
                f"shapes.{name}; a fill takes them all"
            )
        return shapes[0]

    def _build(self, keys: schema_shapes.ShapeKeys, name: str) -> list[Shape]:
        if keys.area is not None and keys.scale is not None:
            raise ShapeError("give area or scale, not both")
        if isinstance(keys, schema_shapes.PhotographKeys):
            return [self._finished(shape, keys) for shape in self._from_photograph(keys)]
        return [self._finished(self._skeleton(keys, name), keys)]

    def _finished(self, shape: Shape, keys: schema_shapes.ShapeKeys) -> Shape:
        for k, step in enumerate(keys.operations):
            with at(f"operations[{k}]"):
                shape = operate(shape, step)
        if keys.area is not None:
            return shape.with_area(keys.area)
        return shape if keys.scale is None else shape.scaled(keys.scale)

    def _from_photograph(self, keys: schema_shapes.PhotographKeys) -> list[Shape]:
        path = self._place(keys.file)
        options = keys.model_dump(include={"vertices", "tolerance", "radius", "dark", "smallest", "split", "smoothing"})
        options["threshold"] = "otsu" if keys.threshold is None else keys.threshold
        reading = f"{keys.file} {options}"
        if reading not in self._seen:  # several entries may take a grain each
            self._seen[reading] = grains_from_image(path, **options).shapes
            self.texts[keys.file] = f"sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}\n"
        shapes = self._seen[reading]
        if keys.grain is not None and keys.grain >= len(shapes):
            raise ShapeError(f"grain = {keys.grain}: {keys.file} shows grains 0 to {len(shapes) - 1}")
        return shapes if keys.grain is None else [shapes[keys.grain]]

    def _skeleton(self, keys: schema_shapes.ShapeKeys, name: str) -> Shape:
        assert not isinstance(keys, schema_shapes.PhotographKeys)
        if isinstance(keys, schema_shapes.FileKeys):
            return self._from_file(keys.file)
        if isinstance(keys, schema_shapes.LibraryKeys):
            return library_shape(keys.name)
        if isinstance(keys, schema_shapes.RoundedKeys):
            return rounded(keys.vertices, keys.erosion, keys.radius, name=name, largest=keys.largest)
        if isinstance(keys, schema_shapes.ClumpKeys):
            mass = {} if keys.mass is None else keys.mass.model_dump()
            return clump(keys.vertices, keys.radius, name=name, **mass)
        if not isinstance(keys, schema_shapes.ChainKeys):
            made: Shape = made_from(keys, schema_shapes.AnyShape, name=name)
            return made
        if keys.kind == "segment":
            if len(keys.vertices) != 2:
                raise ShapeError(f'a segment has 2 vertices, not {len(keys.vertices)}: for more use kind = "polyline"')
            return segment(keys.vertices[0], keys.vertices[1], keys.radius, name=name)
        return (polygon if keys.kind == "polygon" else polyline)(keys.vertices, keys.radius, name=name)

    def _from_file(self, given: str) -> Shape:
        path = self._place(given)
        shape = load_shape(path)
        self.texts[given] = path.read_text(encoding="utf-8-sig")
        return shape

    def _place(self, given: str) -> Path:
        if Path(given).is_absolute():
            raise ShapeError(f'file = "{given}": give the path from the folder of the scene file, so that both can be moved')
        return self._folder / given


def operate(shape: Shape, keys: schema_shapes.OperationKeys) -> Shape:
    """One Minkowski operation."""
    if isinstance(keys, schema_shapes.DilationKeys):
        return dilation(shape, keys.by)
    if isinstance(keys, schema_shapes.ErosionKeys):
        return erosion(shape, keys.by, corner=keys.corner, largest=keys.largest)
    if isinstance(keys, schema_shapes.OpeningKeys):
        return opening(shape, keys.by, largest=keys.largest)
    return closing(shape, keys.by)


# --- tags ------------------------------------------------------------------------------------------------------------


def build_tag(keys: schema.TagKeys | schema_space.SpaceTagKeys) -> Tag:
    """The tag a table describes, in the plane or in space; SceneError for one that would do nothing."""
    if isinstance(keys, schema.VelocityTag | schema.ForceTag):
        numbers = [name for name in type(keys).__annotations__ if name not in ("kind", "on")]
        if not keys.model_fields_set.intersection(numbers):
            names = f"{', '.join(numbers[:-1])} or {numbers[-1]}"
            raise SceneError(f"a {keys.kind} without {names} prescribes nothing: give one of them")
    tag: Tag = made_from(keys)
    return tag
