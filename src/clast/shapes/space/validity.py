"""Whether points and faces can be a solid: every refusal is one sentence that names the vertex or face as the user counted it.

Lengths smaller than `TOLERANCE` times the size of the body (skeleton and rounding) count as zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from clast.errors import ShapeError
from clast.shapes.plane.inside import Floats
from clast.shapes.plane.validity import TOLERANCE, refuse_self_contact
from clast.shapes.space.surfaces.faces import Loop, area_vector
from clast.shapes.vertices import at, checked_number, checked_vertices, named


def checked_places(points: ArrayLike, least: int, kind: str) -> Floats:
    """`points` as an (n, 3) array of at least `least` finite vertices, or ShapeError."""
    return checked_vertices(points, 3, least, kind)


def checked_faces(faces: Iterable[ArrayLike], count: int, kind: str) -> list[Loop]:
    """`faces` as loops of numbers of `count` vertices, three each at least, none twice; or ShapeError."""
    try:
        given = list(faces)
    except TypeError:
        raise ShapeError(f"The faces of a {kind} must be a list of lists of vertex numbers.") from None
    loops: list[Loop] = []
    for k, face in enumerate(given):
        try:
            array = np.asarray(face)
        except ValueError:
            array = np.empty(0)
        if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
            raise ShapeError(f"Face {k} of this {kind} must be a list of vertex numbers, not {face!r}.")
        wrong = array[(array < 0) | (array >= count)]
        if len(wrong):
            raise ShapeError(f"Face {k} of this {kind} names vertex {int(wrong[0])}, but they are numbered 0 to {count - 1}.")
        loops.append(tuple(int(v) for v in array))
    if not loops:
        raise ShapeError(f"A {kind} needs faces, and there are none.")
    return loops


def checked_rounding(radius: float) -> float:
    """The sphero-radius of a solid that may be sharp as a float, 0 for no rounding; or ShapeError."""
    r = checked_number(radius, "The sphero-radius")
    if not (math.isfinite(r) and r >= 0.0):
        raise ShapeError(f"The sphero-radius must be positive and finite, or 0 for a sharp solid, not {r!r}.")
    return abs(r)  # -0.0 is 0 too


def checked_round(radius: float, kind: str, left: str) -> float:
    """The sphero-radius of a solid that has to be rounded; or ShapeError with what is `left` of the kind without."""
    r = checked_rounding(radius)
    if r == 0.0:
        raise ShapeError(
            f"A {kind} with sphero-radius 0 is {left}: give it a positive radius; sharp are closed convex solids only, such as "
            "a hull, cuboid or tetrahedron."
        )
    return r


def repeated(points: Floats, size: float) -> list[tuple[int, int]]:
    """Pairs (i, j), i < j, sorted by j, of `points` (n, 3) that coincide."""
    from scipy.spatial import cKDTree  # slow to import, and a run in the plane does not need it

    pairs = cKDTree(points).query_pairs(TOLERANCE * size, output_type="ndarray")
    return sorted(((int(i), int(j)) for i, j in pairs), key=lambda pair: (pair[1], pair[0]))


def refuse_repeated_places(points: Floats, size: float, kind: str) -> None:
    """ShapeError where any two of `points` (n, 3) coincide."""
    pairs = repeated(points, size)
    if pairs:
        i, j = pairs[0]
        raise ShapeError(f"In this {kind} {named(points, j)} repeats vertex {i}.")


def refuse_bad_loop(vertices: Floats, loop: Loop, size: float, what: str) -> None:
    """ShapeError unless a loop of `vertices` (n, 3) is a plane polygon with an area that does not cross itself.

    `what` begins the sentence: "Face 3 of this mesh".
    """
    if len(loop) < 3 or len(set(loop)) < len(loop):
        raise ShapeError(f"{what} must have three different vertices at least, not {list(loop)}.")
    points = vertices[list(loop)]
    area = area_vector(points)
    twice = 2.0 * math.sqrt(float(area @ area))
    rel = points - np.roll(points, 1, axis=0)
    longest = math.sqrt(float((rel * rel).sum(axis=1).max()))
    if twice <= TOLERANCE * size * longest:
        raise ShapeError(f"{what} is degenerate: it has no area ({_corners(points, loop)}).")
    if len(loop) == 3:
        return
    normal = area * (2.0 / twice)
    height = (points - points.mean(axis=0)) @ normal
    k = int(np.abs(height).argmax())
    if abs(height[k]) > TOLERANCE * size:
        raise ShapeError(
            f"{what} is not plane: vertex {loop[k]} at {at(points[k])} lies {abs(height[k]):.3g} off the plane of the others; "
            "cut it into triangles."
        )
    x = points[1] - points[0]
    x = x / math.sqrt(float(x @ x))
    flat = np.stack([points @ x, points @ np.cross(normal, x)], axis=1)
    try:
        refuse_self_contact(flat, np.array(loop), size, "polygon", closed=True)
    except ShapeError:
        raise ShapeError(f"{what} crosses or touches itself ({_corners(points, loop)}).") from None


def _corners(points: Floats, loop: Sequence[int]) -> str:
    """'vertices 3, 4, 5 …, the first at (0, 0, 0)'."""
    shown = ", ".join(str(v) for v in loop[:4]) + (" …" if len(loop) > 4 else "")
    return f"vertices {shown}, the first at {at(points[0])}"
