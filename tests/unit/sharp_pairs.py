"""Pairs of sharp solids made up for tests of their overlap, the compiled overlap as Python calls it, and two references for it:
Qhull's intersection of half-spaces, and one in rational numbers, which is exact.

    python tests/unit/sharp_pairs.py 20000 4        searches again for degenerate pairs and writes the file of them
"""

import itertools
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

from clast.backend.device import from_python, routine
from clast.contact.overlap import LINKS, NOTHING, POINTS, TOLERANCE, clip, surface_integrals
from clast.contact.polyhedra import Polyhedra, polyhedra
from clast.shapes.space.make import hull
from clast.shapes.space.quaternions import about, matrix, random_turns

EMPTY = np.zeros(0, np.int64)
KEPT = Path(__file__).parents[1] / "data" / "degenerate_pairs.json"


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
    tables: Polyhedra, one: int, other: int, turn: np.ndarray, shift: np.ndarray, listed: tuple[np.ndarray, int, int] | None = None
) -> Found:
    """The overlap of two pieces of some tables: by all planes and edges, or by those listed."""
    rows, planes, last = everything(tables, one, other) if listed is None else listed
    room = int(tables.room[0])
    volume, *vectors = clipped(
        tables.piece_plane[other], 0, planes, rows.ravel(), planes, last, tables.vertex.ravel(), tables.piece_vertex[one],
        tables.piece_vertex[one + 1], tables.edge.ravel(), tables.plane.ravel(),
        tables.piece_plane[one + 1] - tables.piece_plane[one], tuple(np.asarray(turn).ravel()), tuple(np.asarray(shift)),
        TOLERANCE * tables.piece_size[[one, other]].min(), room, np.full(POINTS * room, np.nan), np.full(LINKS * room, -1, np.int64),
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
    return np.concatenate(
        [planes_of(pair.tables, pair.one), np.column_stack([normals, others[:, 3] + normals @ pair.shift])]
    )


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
    corners = HalfspaceIntersection(np.column_stack([planes[:, :3], -planes[:, 3]]), inside).intersections
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
    return (
        a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    )


def cut(faces: list[list[Place]], normal: list[Fraction], level: Fraction) -> list[list[Place]]:
    """What of a convex polyhedron lies within a half-space; nothing where that has no volume."""
    height = {place: normal[0] * place[0] + normal[1] * place[1] + normal[2] * place[2] - level for face in faces for place in face}
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


# --- forms ------------------------------------------------------------------------------------------------------------

BOX_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def box(low, high) -> Form:
    """The box between two corners, where it is drawn."""
    ends = np.array([low, high], float)
    corners = np.array([(ends[i, 0], ends[j, 1], ends[k, 2]) for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    return Form(corners, tuple(np.array(loop) for loop in BOX_FACES), "box")


def prism(sides: int, radius: float, height: float) -> Form:
    ring = np.array([(math.cos(a), math.sin(a)) for a in 2.0 * math.pi * np.arange(sides) / sides]) * radius
    corners = np.array([(x, y, z) for z in (-0.5 * height, 0.5 * height) for x, y in ring])
    walls = [np.array((k, (k + 1) % sides, sides + (k + 1) % sides, sides + k)) for k in range(sides)]
    return Form(corners, (np.arange(sides)[::-1], sides + np.arange(sides), *walls), f"prism {sides}")


def tetrahedron(corners) -> Form:
    c = np.array(corners, float)
    order = [(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)]
    if np.linalg.det(c[1:] - c[0]) > 0.0:
        order = [face[::-1] for face in order]
    return Form(c, tuple(np.array(face) for face in order), "tetrahedron")


def octahedron(r: float) -> Form:
    c = r * np.concatenate([np.eye(3), -np.eye(3)])
    loops = [(x, y, z) for x in (0, 3) for y in (1, 4) for z in (2, 5)]
    loops = [loop if np.linalg.det(c[list(loop)]) > 0 else loop[::-1] for loop in loops]
    return Form(c, tuple(np.array(loop) for loop in loops), "octahedron")


def pebble(rng: np.random.Generator) -> Form:
    """Hull of 12 random points on an ellipsoid: 20 faces (CSM10)."""
    points = rng.normal(size=(12, 3))
    solid = hull(points / np.linalg.norm(points, axis=1, keepdims=True) * (8.0, 7.0, 6.0))
    return Form(solid.vertices, solid.faces, "pebble")


def forms(rng: np.random.Generator, each: int = 4) -> list[Form]:
    """Bodies of size about 8: pebbles, boxes, plates, needles, prisms, tetrahedra, slivers."""
    made = [pebble(rng) for _ in range(4 * each)]
    for _ in range(each):
        half = rng.uniform(3.0, 8.0, 3)
        made.append(box(-half, half))
        made.append(box((-8.0, -6.0, -0.02), (8.0, 6.0, 0.02)))
        made.append(box((-8.0, -0.1, -0.1), (8.0, 0.1, 0.1)))
        made.append(prism(int(rng.integers(3, 13)), 7.0, rng.uniform(2.0, 9.0)))
        made.append(tetrahedron(rng.uniform(-8.0, 8.0, (4, 3))))
        made.append(tetrahedron([(-8, -1e-3, 0), (8, -1e-3, 0), (0, 2e-3, 1e-3), (0, 0, rng.uniform(1.0, 8.0))]))
    return [form for form in made if np.ptp(form.vertices, axis=0).max() > 1.0]


def whole_forms(rng: np.random.Generator) -> list[Form]:
    """Bodies whose corners, and whose planes but for a root, are whole numbers: much of them coincides exactly."""
    boxes = [box(-np.array(half), half) for half in ((2, 2, 2), (4, 2, 1), (1, 1, 1), (6, 3, 2))]
    wedges = [tetrahedron(rng.integers(-4, 5, (4, 3))) for _ in range(40)]
    return [*boxes, octahedron(4.0), octahedron(2.0), prism(4, 4.0, 4.0), *[form for form in wedges if flat(form) > 1.0][:4]]


def flat(form: Form) -> float:
    return abs(float(np.linalg.det(form.vertices[1:] - form.vertices[0])))


# --- where they are put -----------------------------------------------------------------------------------------------

Put = tuple[np.ndarray, np.ndarray]  # turn and shift


def scattered(rng: np.random.Generator, tables: Polyhedra, a: int, b: int) -> Put:
    """Anywhere from one inside the other to just apart."""
    turn = matrix(random_turns(rng, 1)[0])
    way = unit(rng)
    apart = (corners_of(tables, a) @ way).max() - (corners_of(tables, b) @ (turn.T @ way)).min()
    return turn, rng.uniform(0.0, 1.02) * apart * way


def touching(rng: np.random.Generator, tables: Polyhedra, a: int, b: int) -> Put:
    """A corner of b over a point, an edge or a corner of a face of a, a hair above it or below."""
    turn = matrix(random_turns(rng, 1)[0])
    normal, on_face = face_point(rng, tables, a)
    others = corners_of(tables, b) @ turn.T
    return turn, on_face + hair(rng, tables, a, b) * normal - others[(others @ normal).argmin()]


def crossed(rng: np.random.Generator, tables: Polyhedra, a: int, b: int) -> Put:
    """An edge of b over an edge of a."""
    turn = matrix(random_turns(rng, 1)[0])
    (start, way), (at, along) = edge_point(rng, tables, a), edge_point(rng, tables, b)
    normal = np.cross(way, turn @ along)
    normal /= np.linalg.norm(normal)
    return turn, start + hair(rng, tables, a, b) * normal - turn @ at


def flush(rng: np.random.Generator, tables: Polyhedra, a: int, b: int) -> Put:
    """A face of b on a face of a, or both looking the same way, tilted by a hair; a hair apart, or deep in it."""
    normal, on_face = face_point(rng, tables, a)
    other, on_other = face_point(rng, tables, b)
    turn = matrix(about(normal, rng.uniform(0.0, 2.0 * math.pi))) @ onto(other, normal * rng.choice([-1.0, -1.0, 1.0]))
    if rng.random() < 0.7:
        turn = matrix(about(unit(rng), 10.0 ** rng.uniform(-15.5, -3.0))) @ turn
    depth = rng.choice([0.0, hair(rng, tables, a, b), -0.1 * min(tables.piece_size[a], tables.piece_size[b])])
    return turn, on_face + depth * normal - turn @ on_other


def whole(rng: np.random.Generator, tables: Polyhedra, a: int, b: int) -> Put:
    """Turned by right angles and shifted by whole numbers, exactly or but for a hair."""
    turn = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)[:, None]
    turn *= np.linalg.det(turn)
    shift = rng.integers(-6, 7, 3) * rng.choice([0.5, 1.0, 2.0])
    if rng.random() < 0.3:
        shift = shift + unit(rng) * abs(hair(rng, tables, a, b))
    if rng.random() < 0.3:
        turn = matrix(about(unit(rng), 10.0 ** rng.uniform(-15.5, -3.0))) @ turn
    return turn, shift


def same(rng: np.random.Generator, tables: Polyhedra, a: int, b: int) -> Put:
    """Not turned and hardly shifted: of two of one form, the one is the other."""
    return np.eye(3), unit(rng) * (0.0 if rng.random() < 0.5 else abs(hair(rng, tables, a, b)))


def unit(rng: np.random.Generator) -> np.ndarray:
    way = rng.normal(size=3)
    return way / np.linalg.norm(way)


def hair(rng: np.random.Generator, tables: Polyhedra, a: int, b: int) -> float:
    """0, or 1e-6 to 1e-15 of the smaller body, outwards or inwards."""
    size = min(tables.piece_size[a], tables.piece_size[b])
    return float(rng.choice([-1.0, -1.0, 1.0, 0.0]) * size * 10.0 ** rng.uniform(-15.5, -6.0))


def face_point(rng: np.random.Generator, tables: Polyhedra, piece: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal and a point of a face: within it, on an edge or a corner."""
    face = int(rng.integers(tables.piece_plane[piece + 1] - tables.piece_plane[piece]))
    edges = tables.edge[tables.piece_edge[piece] : tables.piece_edge[piece + 1]].astype(np.int64)
    ends = np.unique(edges[(edges[:, 2] == face) | (edges[:, 3] == face)][:, :2])
    weight = rng.random(ends.size)
    kind = rng.integers(4)
    if kind == 0:
        weight = (np.arange(ends.size) == rng.integers(ends.size)).astype(float)
    elif kind == 1:  # on a side, if it is one: else within
        start, end = edges[(edges[:, 2] == face) | (edges[:, 3] == face)][0, :2]
        weight = np.where((ends == start) | (ends == end), 0.5, 0.0)
    return planes_of(tables, piece)[face, :3], weight / weight.sum() @ corners_of(tables, piece)[ends]


def edge_point(rng: np.random.Generator, tables: Polyhedra, piece: int) -> tuple[np.ndarray, np.ndarray]:
    """A point of an edge and the way the edge runs."""
    row = tables.edge[rng.integers(tables.piece_edge[piece], tables.piece_edge[piece + 1])].astype(np.int64)
    start, end = corners_of(tables, piece)[row[:2]]
    return start + rng.choice([0.0, 0.5, rng.random()]) * (end - start), end - start


def onto(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """A turn that takes one unit vector to another."""
    axis, cosine = np.cross(one, other), float(one @ other)
    if np.linalg.norm(axis) < 1e-9:
        return np.eye(3) if cosine > 0.0 else matrix(about(np.cross(one, np.roll(one, 1) + (0.1, 0.2, 0.3)), math.pi))
    return matrix(about(axis, math.atan2(float(np.linalg.norm(axis)), cosine)))


def random_pairs(rng: np.random.Generator, count: int, kinds: Sequence[str] = ()) -> Iterator[Pair]:
    """Pairs of all kinds in turn; sizes are equal, 10:1 and 1000:1, either way round."""
    made = forms(rng)
    loose = tables_of([form.scaled(factor) for factor in (1.0, 0.1, 0.001) for form in made])
    strict = tables_of(whole_forms(rng))
    ways: dict[str, Callable[..., Put]] = {
        "scattered": scattered, "touching": touching, "crossed": crossed, "flush": flush, "whole": whole, "same": same
    }  # fmt: skip
    names = list(kinds) or list(ways)
    for k in range(count):
        kind = names[k % len(names)]
        tables = strict if kind == "whole" else loose
        if kind == "same":
            a = b = int(rng.integers(len(made)))
        elif kind == "whole":
            a, b = (int(x) for x in rng.integers(len(tables.piece_volume), size=2))
        else:
            sizes = [(0, 0), (0, 0), (0, 1), (1, 0), (0, 2), (2, 0)][rng.integers(6)]
            a, b = (int(rng.integers(len(made))) + len(made) * size for size in sizes)
        yield Pair(tables, a, b, *ways[kind](rng, tables, a, b), kind)


# --- the file of degenerate pairs -------------------------------------------------------------------------------------


def keep_degenerate(count: int, seed: int, of_each: int = 25) -> None:
    """Search `count` pairs for such that Qhull fails at or gets wrong, add some of every degenerate kind, and write them.

    Numbers are written so that they are read back bit by bit; the reference is the exact one.
    """
    pairs: list[tuple[Pair, bool]] = []
    for pair in random_pairs(np.random.default_rng(seed), count):
        hard = reference(pair, overlap_of(pair))[2]
        room = sum(1 for other, was in pairs if (other.kind, was) == (pair.kind, hard)) < of_each
        if room and (hard or pair.kind != "scattered"):
            pairs.append((pair, hard))
    forms: dict[tuple[int, int], int] = {}
    written = []
    for pair, hard in pairs:
        numbers = [forms.setdefault((id(pair.tables), piece), len(forms)) for piece in (pair.one, pair.other)]
        volume, centroid = exact(pair)
        written.append({
            "kind": pair.kind, "qhull": "wrong or failed" if hard else "agrees", "forms": numbers, "turn": pair.turn.tolist(),
            "shift": pair.shift.tolist(), "volume": volume, "centroid": centroid.tolist(),
        })  # fmt: skip
    tables = {id(pair.tables): pair.tables for pair, _ in pairs}
    drawn = [as_written(tables[at], piece) for at, piece in forms]
    KEPT.parent.mkdir(exist_ok=True)
    rows = ",\n  ".join(json.dumps(row) for row in drawn), ",\n  ".join(json.dumps(row) for row in written)
    KEPT.write_text(f'{{"forms": [\n  {rows[0]}\n],\n"pairs": [\n  {rows[1]}\n]}}\n')
    print(f"{len(written)} pairs of {len(drawn)} forms in {KEPT}, {sum(hard for _, hard in pairs)} of them too hard for Qhull")


def as_written(tables: Polyhedra, piece: int) -> dict[str, list]:
    """Corners and face loops of a piece of the tables."""
    edges = tables.edge[tables.piece_edge[piece] : tables.piece_edge[piece + 1]].tolist()
    following: dict[int, dict[int, int]] = {}
    for a, b, left, right in edges:
        following.setdefault(left, {})[a] = b
        following.setdefault(right, {})[b] = a
    loops = []
    for face in sorted(following):
        loop = [min(following[face])]
        while (after := following[face][loop[-1]]) != loop[0]:
            loop.append(after)
        loops.append(loop)
    return {"vertices": corners_of(tables, piece).tolist(), "faces": loops}


def kept_degenerate() -> list[tuple[Pair, float, np.ndarray]]:
    """The pairs of the file with exact volumes and centroids."""
    told = json.loads(KEPT.read_text())
    tables = tables_of([Form(np.array(row["vertices"]), tuple(np.array(f) for f in row["faces"])) for row in told["forms"]])
    return [
        (Pair(tables, *row["forms"], np.array(row["turn"]), np.array(row["shift"]), row["kind"]), row["volume"],
         np.array(row["centroid"]))
        for row in told["pairs"]
    ]  # fmt: skip


if __name__ == "__main__":
    keep_degenerate(int(sys.argv[1]), int(sys.argv[2]))
