"""The overlap of two sharp bodies as Python calls it, and two references for it: Qhull's intersection of half-spaces, and one in
rational numbers, which is exact."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

from clast.backend.device import from_python, routine
from clast.contact.sharp.overlap import LINKS, NOTHING, POINTS, TOLERANCE, clip, surface_integrals
from clast.contact.sharp.polyhedra import Polyhedra, polyhedra

EMPTY = np.zeros(0, np.int64)
BOX_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


class Form(NamedTuple):
    """As much of a sharp solid as the tables read, in coordinates of the test's choice: no principal frame, so no rounding."""

    vertices: np.ndarray  # (n, 3)
    faces: tuple[np.ndarray, ...]
    name: str = "form"
    piece: np.ndarray = EMPTY

    @property
    def reach(self) -> float:
        return float(np.linalg.norm(self.vertices, axis=1).max())

    def scaled(self, factor: float) -> "Form":
        return self._replace(vertices=factor * self.vertices)


class Pair(NamedTuple):
    """Two forms of a table, the second turned by a matrix and then shifted into the frame of the first."""

    tables: Polyhedra
    one: int
    other: int
    turn: np.ndarray  # (3, 3)
    shift: np.ndarray  # (3,)
    kind: str = ""

    @property
    def exchanged(self) -> "Pair":
        """The same two, seen from the other."""
        return self._replace(one=self.other, other=self.one, turn=self.turn.T, shift=-self.turn.T @ self.shift)

    @property
    def smaller(self) -> tuple[float, float]:
        """Volume and size of the smaller of the two."""
        least = min(self.one, self.other, key=lambda k: self.tables.piece_volume[k])
        return float(self.tables.piece_volume[least]), float(np.ptp(corners_of(self.tables, least), axis=0).max())


class Found(NamedTuple):
    """Of an overlap, in the frame of the first body."""

    volume: float
    centroid: np.ndarray
    area: np.ndarray  # of the faces on planes of the second
    turning: np.ndarray  # ∫ x × dA over them


# --- the compiled overlap ---------------------------------------------------------------------------------------------


@from_python
@routine
def clipped(
    planes, first_plane, last_plane, candidate, first_edge, last_edge, vertex, first_vertex, last_vertex, edge, plane, faces,
    relative, shift, tolerance, capacity, point, link,
):  # fmt: skip
    edges, _, begin = clip(
        planes, first_plane, last_plane, candidate, first_edge, last_edge, vertex, first_vertex, last_vertex, edge, plane, faces,
        relative, shift, tolerance, capacity, point, link,
    )  # fmt: skip
    if edges == 0:
        return 0.0, NOTHING, NOTHING, NOTHING
    return surface_integrals(edges, begin, faces, capacity, point, link)


def everything(tables: Polyhedra, one: int, other: int) -> tuple[np.ndarray, int, int]:
    """Candidates that name all planes of a piece and all edges of another: rows, number of planes, of rows."""
    planes = np.arange(tables.piece_plane[other], tables.piece_plane[other + 1])
    edges = np.arange(tables.piece_edge[one], tables.piece_edge[one + 1])
    rows = np.zeros((planes.size + edges.size, 2), np.uint32)
    rows[:, 0] = np.concatenate([planes, edges])
    rows[: planes.size, 1] = 1
    return rows, planes.size, len(rows)


def overlap(
    tables: Polyhedra,
    one: int,
    other: int,
    turn: np.ndarray,
    shift: np.ndarray,
    listed: tuple[np.ndarray, int, int] | None = None,
) -> Found:
    """The overlap of two pieces of some tables: by all planes and edges, or by those listed."""
    rows, planes, last = everything(tables, one, other) if listed is None else listed
    room = int(tables.room[0])
    volume, *vectors = clipped(
        tables.piece_plane[other], 0, planes, rows.ravel(), planes, last, tables.vertex.ravel(), tables.piece_vertex[one],
        tables.piece_vertex[one + 1], tables.edge.ravel(), tables.plane.ravel(),
        tables.piece_plane[one + 1] - tables.piece_plane[one], tuple(np.asarray(turn).ravel()), tuple(np.asarray(shift)),
        TOLERANCE * tables.piece_size[[one, other]].min(), room, np.full(POINTS * room, np.nan),
        np.full(LINKS * room, -1, np.int64),
    )  # fmt: skip
    return Found(volume, *(np.array(v) for v in vectors))


def overlap_of(pair: Pair) -> Found:
    return overlap(pair.tables, pair.one, pair.other, pair.turn, pair.shift)


def tables_of(made: Sequence[Form]) -> Polyhedra:
    return polyhedra(made)  # type: ignore[arg-type]


def corners_of(tables: Polyhedra, piece: int) -> np.ndarray:
    return tables.vertex[tables.piece_vertex[piece] : tables.piece_vertex[piece + 1]]


def planes_of(tables: Polyhedra, piece: int) -> np.ndarray:
    return tables.plane[tables.piece_plane[piece] : tables.piece_plane[piece + 1]]


def half_spaces(pair: Pair) -> np.ndarray:
    """The planes (n, d) of both in the frame of the first."""
    others = planes_of(pair.tables, pair.other)
    normals = others[:, :3] @ pair.turn.T
    return np.concatenate([planes_of(pair.tables, pair.one), np.column_stack([normals, others[:, 3] + normals @ pair.shift])])


# --- references -------------------------------------------------------------------------------------------------------


def by_qhull(planes: np.ndarray, inside: np.ndarray, size: float) -> tuple[float, np.ndarray]:
    """Volume and centroid of an intersection of half-spaces (m, 4), n·x ≤ d. QhullError where it is not up to it."""
    room = (planes[:, 3] - planes[:, :3] @ inside).min()
    if not room > 1e-9 * size:  # the guess is no good: the centre of the largest ball
        found = linprog(
            [0, 0, 0, -1], np.column_stack([planes[:, :3], np.ones(len(planes))]), planes[:, 3], bounds=[(None, None)] * 4
        )
        if found.x is None:
            raise QhullError("no inner point")
        inside, room = found.x[:3], found.x[3]
    if room <= 0.0:
        return 0.0, np.zeros(3)
    with np.errstate(all="ignore"):
        corners = HalfspaceIntersection(np.column_stack([planes[:, :3], -planes[:, 3]]), inside).intersections
    if not np.isfinite(corners).all():
        raise QhullError("a corner at infinity")
    middle = corners.mean(axis=0)
    away = corners[ConvexHull(corners).simplices] - middle
    parts = np.abs(np.linalg.det(away)) / 6.0
    return float(parts.sum()), middle + (parts[:, None] * away.sum(axis=1)).sum(axis=0) / (4.0 * parts.sum())


Place = tuple[Fraction, Fraction, Fraction]


def exact(pair: Pair) -> tuple[float, np.ndarray]:
    """Volume and centroid of the overlap in rational numbers: a box around the first is cut by all half-spaces of both.

    The planes are those of the tables as they stand, the turn is the matrix as it stands: nothing is rounded until the end.
    """
    turn = [[Fraction(float(x)) for x in row] for row in pair.turn]
    shift = [Fraction(float(x)) for x in pair.shift]
    planes = [([Fraction(x) for x in row[:3]], Fraction(row[3])) for row in planes_of(pair.tables, pair.one).tolist()]
    for row in planes_of(pair.tables, pair.other).tolist():
        own = [Fraction(x) for x in row[:3]]
        normal = [sum((turn[a][b] * own[b] for b in range(3)), Fraction(0)) for a in range(3)]
        planes.append((normal, Fraction(row[3]) + sum((n * x for n, x in zip(normal, shift, strict=True)), Fraction(0))))
    far = Fraction(2.0 ** (math.frexp(float(pair.tables.piece_size[pair.one]))[1] + 1))
    corners: list[Place] = [(x, y, z) for x in (-far, far) for y in (-far, far) for z in (-far, far)]
    faces = [[corners[v] for v in loop] for loop in BOX_FACES]
    for normal, level in planes:
        faces = cut(faces, normal, level)
        if not faces:
            return 0.0, np.zeros(3)
    origin = faces[0][0]
    volume, moment = Fraction(0), [Fraction(0)] * 3
    for face in faces:
        places = [tuple(x - o for x, o in zip(place, origin, strict=True)) for place in face]
        for b, c in itertools.pairwise(places[1:]):
            part = determinant(places[0], b, c)
            volume += part
            for axis in range(3):
                moment[axis] += part * (places[0][axis] + b[axis] + c[axis])
    if volume <= 0:
        return 0.0, np.zeros(3)
    return float(volume / 6), np.array([float(o + m / (4 * volume)) for o, m in zip(origin, moment, strict=True)])


def determinant(a, b, c) -> Fraction:
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])


def cut(faces: list[list[Place]], normal: list[Fraction], level: Fraction) -> list[list[Place]]:
    """What of a convex polyhedron lies within a half-space; nothing where that has no volume."""
    height = {
        place: normal[0] * place[0] + normal[1] * place[1] + normal[2] * place[2] - level for face in faces for place in face
    }
    if max(height.values()) <= 0:
        return faces
    if min(height.values()) >= 0:
        return []
    kept = []
    rim: dict[Place, None] = {}
    for face in faces:
        loop: list[Place] = []
        for a, b in zip(face, [*face[1:], face[0]], strict=True):
            up, down = height[a], height[b]
            if up <= 0:
                loop.append(a)
                if up == 0:
                    rim[a] = None
            if (up < 0 < down) or (down < 0 < up):
                part = up / (up - down)
                between = (a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1]), a[2] + part * (b[2] - a[2]))
                loop.append(between)
                rim[between] = None
        if len(loop) >= 3:
            kept.append(loop)
    kept.append(around(list(rim), normal))
    return kept


def around(places: list[Place], normal: list[Fraction]) -> list[Place]:
    """Corners of the convex polygon of places in one plane, counter-clockwise seen from where the normal points to."""
    axis = max(range(3), key=lambda k: abs(normal[k]))
    u, w = (axis + 1) % 3, (axis + 2) % 3
    if normal[axis] < 0:
        u, w = w, u
    ordered = sorted(places, key=lambda place: (place[u], place[w]))

    def chain(run) -> list[Place]:
        found: list[Place] = []
        for p in run:
            while len(found) > 1:
                a, b = found[-2], found[-1]
                if (b[u] - a[u]) * (p[w] - a[w]) - (b[w] - a[w]) * (p[u] - a[u]) > 0:
                    break
                found.pop()
            found.append(p)
        return found[:-1]

    return chain(ordered) + chain(reversed(ordered))


def miss(found: Found, volume: float, centroid: np.ndarray, pair: Pair) -> float:
    """How far an overlap is from its reference, over the smaller body: of the volume, and of volume times centroid.

    Where the overlap is no sliver of the body, the centroid by itself.
    """
    whole, size = pair.smaller
    off = abs(found.volume - volume) / whole
    if min(found.volume, volume) > 0.0:
        away = float(np.linalg.norm(found.centroid - centroid)) / size
        off = max(off, away * (1.0 if volume > 1e-3 * whole else volume / whole))
    return off


def rounding(pair: Pair) -> float:
    """What faces shifted by the tolerance, and by last digits of the larger body's places, make of the smaller one's volume.

    Below 1e-9 but for slivers.
    """
    sizes = pair.tables.piece_size[[pair.one, pair.other]]
    surface = 4.0 * min(pair.tables.section[pair.one], pair.tables.section[pair.other])
    return float((TOLERANCE * sizes.min() + 4e-15 * sizes.max()) * surface / pair.smaller[0])


def reference(pair: Pair, found: Found) -> tuple[float, np.ndarray, bool]:
    """Volume and centroid by Qhull where it agrees to 1e-10 or can tell, else in rational numbers, and which of them it was."""
    try:
        guess = found.centroid if found.volume > 0.0 else pair.shift
        volume, centroid = by_qhull(half_spaces(pair), guess, pair.smaller[1])
        if miss(found, volume, centroid, pair) < 1e-10:
            return volume, centroid, False
    except QhullError:
        pass
    return *exact(pair), True
