"""Grains from mesh files (STL, OBJ, PLY): read, welded, cut down to few vertices, moved in by the sphero-radius, and measured.

    file → weld → [mend] → simplify to a budget of vertices → faces moved inwards by the radius → `solids.mesh` → report

The surface in the file is that of the grain, so the skeleton lies a sphero-radius below it. A mesh that had to be simplified is
moved in a little less, so that the grain has the volume of the mesh but for some parts in a thousand. Files say nothing about
units: the scale, the length of one unit of the file, has to be given and is printed.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clast.errors import ShapeError
from clast.shapes.plane.inside import Floats, Ints
from clast.shapes.plane.thickness import ThinShapeWarning
from clast.shapes.plane.validity import TOLERANCE, body_size
from clast.shapes.space.make import hull, mesh
from clast.shapes.space.meshes.mending import mended
from clast.shapes.space.meshes.misfit import SolidMisfit, mesh_volume, solid_misfit, surface_area
from clast.shapes.space.meshes.simplify import moved_in, simplified, tools, welded
from clast.shapes.space.report import describe_solid
from clast.shapes.space.solid import Solid
from clast.shapes.space.surfaces.faces import Loop, edges_of, merged, triangulated
from clast.shapes.space.surfaces.surface import refuse_bad_edges, refuse_bad_faces, refuse_bad_surface
from clast.shapes.space.surfaces.thickness import solid_thickness
from clast.shapes.space.union import union_mass
from clast.shapes.space.validity import checked_rounding
from clast.shapes.vertices import checked_length

MESH_FILES = (".stl", ".obj", ".ply")
VERTICES = 200  # that a grain is cut down to, if no number is given
_FEW_DIGITS = 1e-5  # of the volume: what the hull of a mesh may add for it to count as convex
_ROUGH = 96  # lines across for a volume to some parts in ten thousand
_MERGE_FIRST = 20_000  # faces up to which it is looked first whether plane parts alone make few vertices of many


@dataclass(frozen=True, eq=False)
class MeshGrain:
    """A grain made from a mesh file, and how far it is from it."""

    path: Path
    solid: Solid
    scale: float  # length of one unit of the file
    extent: Floats  # (3,) of the mesh along x, y and z, scaled
    given: tuple[int, int]  # vertices and faces in the file, welded
    mended: tuple[str, ...]  # what was put right
    misfit: SolidMisfit

    def describe(self) -> list[str]:
        """The lines that `clast shape` prints of it."""
        x, y, z = self.extent
        lines = [
            f"file        {self.path}: {self.given[0]} vertices, {self.given[1]} faces",
            f"scale       {self.scale:.6g}   (one unit of the file; the mesh is then {x:.6g} × {y:.6g} × {z:.6g})",
        ]
        lines += [f"mended      {words}" for words in self.mended]
        lines += describe_solid(self.solid)
        volume, there, back = (100.0 * part for part in self.misfit)
        lines.append(f"error       volume {volume:+.3g} % against the mesh")
        lines.append(f"error       surface at most {there:.3g} % of the size off the mesh, the mesh {back:.3g} % off the surface")
        return lines


def read_mesh(
    path: str | Path, *, radius: float, scale: float, vertices: int = VERTICES, mend: bool = False, skeleton: bool = False,
    name: str | None = None,
) -> MeshGrain:  # fmt: skip
    """The grain drawn in an STL, OBJ or PLY file, with at most so many `vertices`, and a report of the error of its shape.

    `scale` is the length of one unit of the file, `radius` the sphero-radius, a length after scaling, or 0 for a sharp solid,
    which has to be convex and is not simplified. The faces of others are moved
    inwards by the radius, so that the grain is as large as it was drawn and only its corners and edges get round; with `skeleton`
    they are not, and the grain is larger by the radius on every side. Meshes that are no closed surface are refused, or put
    right as far as possible with `mend`. Raises ShapeError naming the file.
    """
    file = Path(path)
    r, factor = checked_rounding(radius), checked_length(scale, "The scale of a mesh file")
    if isinstance(vertices, bool) or not isinstance(vertices, int | np.integer) or vertices < 4:
        raise ShapeError(f"A grain from a mesh needs a budget of 4 vertices at least, not {vertices!r}.")
    points, triangles = _read(file)
    try:
        grain = _made(points * factor, triangles, r, int(vertices), mend, skeleton, name or file.stem)
    except ShapeError as error:
        raise ShapeError(f"{file}: {error}") from None
    found, whole, faces, done = grain
    return MeshGrain(
        file, found, factor, np.ptp(whole, axis=0), (len(whole), len(faces)), tuple(done), solid_misfit(found, whole, faces)
    )


def _made(
    points: Floats, triangles: Ints, radius: float, budget: int, mend: bool, skeleton: bool, name: str
) -> tuple[Solid, Floats, Ints, list[str]]:
    """The solid, the mesh it was made from, and what was mended."""
    size = body_size(points, radius)
    whole, loops = welded(points, triangles)
    done: list[str] = []
    if mend:
        loops, done = mended(whole, loops, size)
        if not loops:
            raise ShapeError("Nothing is left when faces without area are dropped.")
    refuse_bad_faces(whole, loops, size, "mesh")
    refuse_bad_edges(whole, loops, "mesh", closed=True)
    faces, _ = triangulated(whole, loops)
    if mesh_volume(whole, faces) < 0.0:
        raise ShapeError("The mesh is inside out: its faces look inwards; let mend=True turn them round.")
    if radius == 0.0:
        return _sharp(whole, faces, budget, name), whole, faces, done
    joined = merged(whole, loops, TOLERANCE * size) if len(loops) <= _MERGE_FIRST else None
    if joined is not None and len(np.unique(edges_of(joined))) <= budget:
        few = whole if skeleton else moved_in(whole, joined, radius)
        few_faces = triangulated(whole, joined)[0].tolist()  # faces of four planes at a corner need not stay plane
    else:
        few, few_faces = _simplest(whole, faces, radius, budget, skeleton)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ThinShapeWarning)  # the report notes it
        return mesh(few, few_faces, radius, name=name), whole, faces, done


def _sharp(whole: Floats, faces: Ints, budget: int, name: str) -> Solid:
    """The sharp solid of a convex mesh, (n, 3) and (t, 3): its hull, since files hold vertices with few digits."""
    solid = hull(whole, name=name)
    if solid.volume > mesh_volume(whole, faces) * (1.0 + _FEW_DIGITS):
        raise ShapeError(
            "The mesh is not convex, which a sharp solid (sphero-radius 0) has to be: give it a positive radius, or put a wall "
            "together from sharp convex solids with pieces."
        )
    if len(solid.vertices) > budget:
        raise ShapeError(
            f"A sharp solid keeps all {len(solid.vertices)} vertices of its mesh, more than the {budget} it may have: raise "
            "vertices, simplify the mesh before, or give it a positive radius."
        )
    return solid


def _simplest(whole: Floats, faces: Ints, radius: float, budget: int, skeleton: bool) -> tuple[Floats, list[Loop]]:
    """Of the ways to simplify a mesh, (n, 3) and (t, 3), to a skeleton: the first that is nowhere thin, or else the thickest."""
    size = body_size(whole, radius)
    best: tuple[Floats, list[Loop]] | None = None
    thickest, refusal = -1.0, "It cannot be simplified so far"
    for few, few_faces in simplified(whole, faces, budget):
        edges = edges_of(few_faces)
        moved = few
        if not skeleton:
            # chords cut off what is round: the faces are moved in by less, which makes up for the volume
            moved = moved_in(few, few_faces, radius)
            volume = union_mass(moved, edges, few_faces, radius, closed=True, lines=_ROUGH).volume
            missing = (mesh_volume(whole, faces) - volume) / surface_area(whole, faces)
            moved = moved_in(few, few_faces, radius - missing)
        try:
            refuse_bad_surface(moved, few_faces, size, "mesh", closed=True)
        except ShapeError as error:
            refusal = f"Simplified it is no surface ({str(error).rstrip('.')})"
            continue
        thick = solid_thickness(
            moved, edges, [np.array(loop) for loop in few_faces], np.array(few_faces), np.arange(len(few_faces))
        )
        if thick > thickest:
            best, thickest = (moved, few_faces), thick
        if thick >= radius:
            break
    if best is None:
        cure = "give it more vertices" if skeleton else "give it a smaller radius, or more vertices"
        raise ShapeError(f"{refusal}: {cure}.")
    return best


def _read(file: Path) -> tuple[Floats, Ints]:
    """Vertices (n, 3) and triangles (t, 3) as they stand in the file."""
    if file.suffix.lower() not in MESH_FILES:
        raise ShapeError(f"{file} is not a mesh file: its name must end in {', '.join(MESH_FILES)}.")
    if not file.is_file():
        raise ShapeError(f"There is no mesh file {file}.")
    trimesh, _ = tools()
    try:
        found = trimesh.load(file, force="mesh", process=False)
        points, triangles = np.array(found.vertices, dtype=np.float64), np.array(found.faces, dtype=np.int64)
    except Exception as error:  # a reader of foreign files may fail in any way, and all mean the same to the user
        words = " ".join(str(error).split()).rstrip(".")
        raise ShapeError(f"The mesh file {file} cannot be read: {words or type(error).__name__}.") from None
    if triangles.ndim != 2 or not len(triangles):
        raise ShapeError(f"The mesh file {file} holds no faces.")
    if not np.isfinite(points).all():
        raise ShapeError(f"In {file} vertex {int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])} is not finite.")
    return points, triangles
