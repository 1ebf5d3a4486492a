"""Constructors of solids: points and faces in the user's coordinates in, a checked `Solid` in its principal frame out."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Annotated, cast

import numpy as np
from numpy.typing import ArrayLike

from clast.errors import ShapeError
from clast.keys import Key, Radius, Rounding, in_files, positive_length
from clast.shapes.plane.inside import Floats, Ints
from clast.shapes.plane.validity import TOLERANCE, body_size
from clast.shapes.space.build import NO_EDGES, build
from clast.shapes.space.meshes.mending import MendedMeshWarning, mended
from clast.shapes.space.solid import Solid
from clast.shapes.space.surfaces.faces import Loop, compressed, edges_of, in_order, merged
from clast.shapes.space.surfaces.surface import refuse_bad_surface
from clast.shapes.space.surfaces.thickness import warn_if_thin
from clast.shapes.space.validity import (
    checked_faces,
    checked_places,
    checked_round,
    checked_rounding,
    refuse_bad_loop,
    refuse_repeated_places,
    repeated,
)
from clast.shapes.space.vectors import cross, dot
from clast.shapes.vertices import checked_choice, checked_length, named


@in_files("sphere", "one point swept by a ball", listed=1)
def sphere(radius: Annotated[float, positive_length("its radius")], *, name: str = "sphere") -> Solid:
    """A ball. Its skeleton is one point; `radius` is a length. ShapeError unless it is positive and finite."""
    return build(name, np.zeros((1, 3)), NO_EDGES, [], checked_round(radius, name, "a point"))


@in_files("capsule", "a segment swept by a ball", listed=2)
def capsule(
    length: Annotated[float | None, positive_length("of the segment, along x; or else `ends`")] = None,
    radius: Annotated[float | None, Key("sphero-radius", "length", gt=0.0, required=True)] = None,
    *,
    ends: Annotated[ArrayLike | None, Key("[x, y, z] of the two ends of the segment", "length", form="ends")] = None,
    name: str = "capsule",
) -> Solid:
    """A spherocylinder. A segment swept by a ball of the given radius.

    The segment (without the caps) is `length` long along x about the origin, or goes from `ends[0]` to `ends[1]`, (2, 3).
    """
    r = checked_round(cast(float, radius), name, "a line")
    if (length is None) == (ends is None):
        raise ShapeError("A capsule is given by the length of its segment or by its two ends: give one of the two.")
    if ends is None:
        half = 0.5 * checked_length(cast(float, length), "The length of a capsule")
        points = np.array([(-half, 0.0, 0.0), (half, 0.0, 0.0)])
    else:
        points = checked_places(ends, 2, name)
        if len(points) != 2:
            raise ShapeError(f"A capsule has two ends, not {len(points)}.")
    refuse_repeated_places(points, body_size(points, r), name)
    return build(name, points, np.array([(0, 1)]), [], r)


@in_files("clump", "a rigid union of balls; overlaps count once", listed=9)
def sphere_clump(
    points: Annotated[ArrayLike, Key("[x, y, z] of each centre", "length", form="places")],
    radius: Annotated[float, positive_length("radius of the balls")],
    *,
    name: str = "clump",
) -> Solid:
    """Balls of one radius, rigidly joined. Their centres are at `points` (n, 3), lengths; overlaps count once.

    ShapeError names a centre that repeats another or is no place.
    """
    r = checked_round(radius, name, "a number of points")
    vertices = checked_places(points, 1, name)
    refuse_repeated_places(vertices, body_size(vertices, r), name)
    return build(name, vertices, NO_EDGES, [], r)


@in_files("plate", "a plane polygon, convex or not, swept by a ball", listed=3)
def plate(
    corners: Annotated[ArrayLike, Key("[x, y, z] of each corner, either way round", "length", form="places")],
    radius: Radius,
    *,
    name: str = "plate",
) -> Solid:
    """A rounded tile. A plane polygon, convex or not, swept by a ball: `corners` (n, 3), n ≥ 3, lengths, either way round.

    Corners on the straight line between their neighbours are left out. ShapeError names a corner off the plane, or one where the
    outline crosses itself.
    """
    r = checked_round(radius, name, "a plane without volume")
    vertices = checked_places(corners, 3, name)
    size = body_size(vertices, r)
    refuse_repeated_places(vertices, size, name)
    loop = tuple(range(len(vertices)))
    refuse_bad_loop(vertices, loop, size, f"The {name}")
    loops = merged(vertices, [loop], TOLERANCE * size)
    return build(name, *_skeleton(vertices, loops), r)


@in_files("tetrahedron", "a regular tetrahedron about the origin", listed=4)
def tetrahedron(edge: Annotated[float, positive_length("its edge")], radius: Rounding, *, name: str = "tetrahedron") -> Solid:
    """A regular tetrahedron, rounded or sharp. Its edges are lengths of the skeleton, swept by a ball, or sharp with radius 0; a
    vertex is on every second corner of a cube about the origin. ShapeError for an edge that is not positive."""
    a = checked_length(edge, "The edge of a tetrahedron") / math.sqrt(8.0)
    return hull([(a, a, a), (a, -a, -a), (-a, a, -a), (-a, -a, a)], radius, name=name)


@in_files("cuboid", "a box about the origin", listed=5)
def cuboid(
    sides: Annotated[ArrayLike, Key("along x, y and z", "length", form="triple")], radius: Rounding, *, name: str = "cuboid"
) -> Solid:
    """A box, rounded or sharp: brick, cube, block. Sides (3,) of the skeleton are lengths along x, y and z, or one number for a
    cube, about the origin, swept by a ball; sharp with radius 0. ShapeError for sides that are not positive."""
    try:
        three = np.broadcast_to(np.asarray(sides, dtype=np.float64), (3,))
    except (TypeError, ValueError):
        raise ShapeError(f"The sides of a {name} are three numbers, or one for a cube, not {sides!r}.") from None
    half = [0.5 * checked_length(side, f"Each side of a {name}") for side in three.tolist()]
    signs = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    return hull(signs * half, radius, name=name)


@in_files("hull", "the convex hull of points", listed=6)
def hull(
    points: Annotated[ArrayLike, Key("[x, y, z] of each; those within are left out", "length", form="places")],
    radius: Annotated[float, Key("sphero-radius; 0: sharp", "length", ge=0.0, required=True)] = 0.0,
    *,
    name: str = "hull",
) -> Solid:
    """A convex polyhedron by its corners. The convex hull of `points` (n, 3), lengths, swept by a ball; sharp if no radius is
    given. Points within it are left out. ShapeError where all lie in one plane."""
    from scipy.spatial import ConvexHull, QhullError  # slow to import, and a run in the plane does not need it

    r = checked_rounding(radius)
    given = checked_places(points, 4, name)
    size = body_size(given, r)
    unit = 2.0 ** math.frexp(size)[1]  # the search for the hull then takes the same decisions in every unit
    try:
        found = ConvexHull((given - given.mean(axis=0)) / unit)
    except QhullError:
        raise ShapeError(f"The points of this {name} lie in one plane, or nearly: for a plane polygon use plate.") from None
    inner = given[found.vertices].mean(axis=0)
    corners = found.simplices
    a, b, c = (given[corners[:, k]] for k in range(3))
    outward = dot(cross(b - a, c - a), a - inner) > 0.0
    corners = np.where(outward[:, None], corners, corners[:, [0, 2, 1]])
    loops = [tuple(corner) for corner in corners.tolist()]
    solid = build(name, *_skeleton(given, merged(given, in_order(loops), TOLERANCE * size)), r)
    if r > 0.0:  # the thickness takes longer than all the rest, and a sharp solid has no use for it here
        warn_if_thin(name, solid.thickness, r)
    return solid


@in_files("mesh", "a closed surface of plane polygons, with its inside", listed=7)
def mesh(
    vertices: Annotated[ArrayLike, Key("[x, y, z] of each", "length", form="places")],
    faces: Annotated[
        Iterable[ArrayLike], Key("lists of vertex numbers from 0, counter-clockwise seen from outside", form="loops")
    ],
    radius: Annotated[float, Key("sphero-radius; 0: sharp, of a convex one", "length", ge=0.0)],
    *,
    mend: Annotated[bool, Key("put right what can be: small holes, faces that look inwards, double vertices")] = False,
    name: str = "mesh",
) -> Solid:
    """A polyhedron by its faces, convex or not. A closed surface with its inside, swept by a ball; a convex one with radius 0 is
    sharp.

    vertices (n, 3); faces: lists of vertex numbers, counter-clockwise seen from outside, triangles or more. Coplanar neighbours
    are joined into one face and vertices that carry nothing left out. A surface that is open or crosses itself, or has faces
    without area, crooked, inside out, or more than two at an edge, is refused with the reason. With `mend` what can be put
    right is (see `clast.shapes.space.meshes.mending`), and a `MendedMeshWarning` lists the changes. Warns
    (`ThinShapeWarning`) when it is thinner than a tenth of the radius.
    """
    r = checked_rounding(radius)
    given = checked_places(vertices, 4, name)
    loops = checked_faces(faces, len(given), name)
    size = body_size(given, r)
    done: list[str] = []
    if checked_choice(mend, f"The argument mend of a {name}"):
        loops, done = mended(given, loops, size)
        if not loops:
            raise ShapeError(f"Nothing is left of this {name} when faces without area are dropped.")
    else:
        _refuse_repeated_corners(given, loops, size, name)
    refuse_bad_surface(given, loops, size, name, closed=True)
    solid = build(name, *_skeleton(given, merged(given, loops, TOLERANCE * size)), r)
    if done:
        warnings.warn(f"The {name} was mended: {', '.join(done)}.", MendedMeshWarning, stacklevel=2)
    if r > 0.0:
        warn_if_thin(name, solid.thickness, r)
    return solid


@in_files("shell", "a surface of plane polygons, open or closed, without an inside", listed=8)
def shell(
    vertices: Annotated[ArrayLike, Key("[x, y, z] of each", "length", form="places")],
    faces: Annotated[Iterable[ArrayLike], Key("lists of vertex numbers from 0, neighbours the same way round", form="loops")],
    radius: Radius,
    *,
    name: str = "shell",
) -> Solid:
    """A wall of several plates. Plane polygons swept by a ball, without an inside: hopper, drum or bowl. It may be open.

    vertices (n, 3); faces as for `mesh`, neighbours going opposite ways along their common edge. Grains touch it on both sides.
    """
    r = checked_round(radius, name, "a surface without volume")
    given = checked_places(vertices, 3, name)
    loops = checked_faces(faces, len(given), name)
    size = body_size(given, r)
    _refuse_repeated_corners(given, loops, size, name)
    refuse_bad_surface(given, loops, size, name, closed=False)
    return build(name, *_skeleton(given, merged(given, loops, TOLERANCE * size)), r, hollow=True)


def _refuse_repeated_corners(vertices: Floats, loops: list[Loop], size: float, name: str) -> None:
    """ShapeError where two vertices that faces use lie in one place."""
    used = {v for loop in loops for v in loop}
    for i, j in repeated(vertices, size):
        if i in used and j in used:
            raise ShapeError(
                f"In this {name} {named(vertices, j)} repeats vertex {i}: use one number for both, or let mend=True weld them."
            )


def _skeleton(vertices: Floats, loops: list[Loop]) -> tuple[Floats, Ints, list[Loop]]:
    """Vertices, edges and faces of a surface, without the vertices no face uses."""
    return compressed(vertices, edges_of(loops), loops)
