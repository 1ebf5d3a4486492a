"""From the tables of a scene file in space to solids and turns; errors name the entry. The plane's is `scene_files.build`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from clast.algebra.quaternions import IDENTITY, about
from clast.errors import SceneError, ShapeError
from clast.scene.space import unit
from clast.scene_files.build import missing
from clast.scene_files.complaint import at
from clast.scene_files.declared import made_from
from clast.scene_files.space.schema_solids import (
    AnySolid,
    LibrarySolidKeys,
    MeshFileKeys,
    PiecesKeys,
    SolidFileKeys,
    SolidKeys,
    TurnKeys,
)
from clast.shapes import library_shapes, library_solid, library_solids, load_solid, read_mesh
from clast.shapes.space.meshes.mesh_file import MESH_FILES, MeshGrain
from clast.shapes.space.pieces import pieces
from clast.shapes.space.report import solid_warnings
from clast.shapes.space.solid import Solid


class SolidShelf:
    """The solids of a file by name, and after them the ready-made ones; each is made once.

    `texts` are the files that solids were read from, by the names the scene file gives them; of a mesh its fingerprint.
    `remarks` say what became of meshes.
    """

    def __init__(self, keys: Mapping[str, SolidKeys], folder: Path) -> None:
        self.texts: dict[str, str] = {}
        self.remarks: list[str] = []
        self._folder = folder
        self._made: dict[str, Solid] = {}
        self._keys = dict(keys)
        self._begun: list[str] = []
        for name in keys:
            self._make(name)

    def _make(self, name: str) -> None:
        """Make a solid of the file, unless it has been: as a piece of another it may be wanted before its turn."""
        if name in self._made:
            return
        if name in self._begun:
            ring = " of ".join(f'"{each}"' for each in [*self._begun[self._begun.index(name) :], name])
            raise ShapeError(f"the solid is a piece of itself: {ring}")
        self._begun.append(name)
        with at(f"shapes.{name}"):
            self._made[name] = self._build(self._keys[name], name)
        self._begun.pop()

    def family(self, name: str) -> list[Solid]:
        """The one solid that a name stands for, as a list: of the plane a name may stand for several shapes."""
        return [self[name]]

    def __getitem__(self, name: str) -> Solid:
        if name in self._keys:
            self._make(name)
        if name not in self._made:
            if name not in library_solids():
                elsewhere = ", which is a shape for a scene in the plane" if name in library_shapes() else ""
                raise ShapeError(missing(f'solid "{name}"{elsewhere}', self._made, library_solids()))
            self._made[name] = library_solid(name)
        return self._made[name]

    def _build(self, keys: SolidKeys, name: str) -> Solid:
        if isinstance(keys, MeshFileKeys):
            return self._from_mesh(keys, name)
        if keys.volume is not None and keys.scale is not None:
            raise ShapeError("give volume or scale, not both")
        if isinstance(keys, PiecesKeys):
            solid = self._together(keys, name)
        elif isinstance(keys, LibrarySolidKeys):
            solid = library_solid(keys.name)
        elif isinstance(keys, SolidFileKeys):
            solid = self._from_file(keys.file)
        else:
            solid = made_from(keys, AnySolid, name=name)
        if keys.volume is not None:
            return solid.with_volume(keys.volume)
        return solid if keys.scale is None else solid.scaled(keys.scale)

    def _together(self, keys: PiecesKeys, name: str) -> Solid:
        placed = []
        for k, piece in enumerate(keys.of):
            with at(f"of[{k}].shape"):
                solid = self[piece.shape]
            with at(f"of[{k}]"):
                placed.append(solid.moved(piece.position, unit("orientation", build_turn(piece))))
        return pieces(placed, name=name)

    def _from_file(self, given: str) -> Solid:
        path = self._place(given)
        if path.suffix.lower() in MESH_FILES:
            raise ShapeError(f'{given} is a mesh: write kind = "mesh-file", with scale (length of a unit of the file) and radius')
        solid = load_solid(path)
        self.texts[given] = path.read_text(encoding="utf-8-sig")
        return solid

    def _from_mesh(self, keys: MeshFileKeys, name: str) -> Solid:
        path = self._place(keys.file)
        options = keys.model_dump(include={"scale", "radius", "vertices", "mend", "skeleton"})
        grain = read_mesh(path, **options, name=name)
        self.texts[keys.file] = f"sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}\n"
        self.remarks.append(f"shapes.{name}: {in_a_line(grain, keys.file)}")
        self.remarks += [f"shapes.{name}: {words}" for words in solid_warnings(grain.solid)]
        return grain.solid

    def _place(self, given: str) -> Path:
        if Path(given).is_absolute():
            raise ShapeError(f'file = "{given}": give the path from the folder of the scene file, so that both can be moved')
        return self._folder / given


def in_a_line(grain: MeshGrain, file: str) -> str:
    """What became of a mesh: its scale and size, how many vertices are left, and how far its surface is from the mesh."""
    x, y, z = grain.extent
    volume, off = 100.0 * grain.misfit.volume, 100.0 * max(grain.misfit.outward, grain.misfit.back)
    mended = f"; mended: {', '.join(grain.mended)}" if grain.mended else ""
    return (
        f"{file}, a unit of the file taken as {grain.scale:g}: {x:.4g} × {y:.4g} × {z:.4g}, {len(grain.solid.vertices)} of "
        f"{grain.given[0]} vertices, volume {volume:+.2g} %, surface {off:.2g} % of the size off{mended}"
    )


def build_turn(keys: TurnKeys) -> np.ndarray:
    """The quaternion (4,) that a grain, a wall or a piece is turned by; SceneError unless it is given in exactly one way."""
    if keys.axis is None:
        if keys.angle_degrees != 0.0:
            raise SceneError("angle_degrees without an axis: say which axis it is turned about, axis = [x, y, z]")
        turn = np.array(IDENTITY if keys.orientation is None else keys.orientation, float)
        if not turn.any():
            raise SceneError("orientation is a quaternion of length 0, which turns nothing: no turn at all is [1, 0, 0, 0]")
        return turn
    if keys.orientation is not None:
        raise SceneError("give orientation, or axis and angle_degrees, not both")
    if "angle_degrees" not in keys.model_fields_set:
        raise SceneError("axis without an angle: say by how much it is turned, angle_degrees = …")
    if not any(keys.axis):
        raise SceneError("axis = [0, 0, 0] has no direction")
    return about(keys.axis, np.deg2rad(keys.angle_degrees))
