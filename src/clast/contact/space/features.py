"""The geometry table in space: faces, edges and vertices of all solids of a scene, in their body frames.

Features are numbered through all shapes, those of a shape in the order faces, edges, vertices; equal shapes share theirs.
Rows of `feature` (16 numbers, the last one the kind):

    face     a point 0-2, unit normal 3-5, first side 6, sides 7. A face that is not convex is several such rows
    edge     start 0-2, end 3-5, 1/length² 6, inward normals of its two faces 8-10 and 11-13 (0 where there is none),
             1/length 14, 0 where the edge is flat: such an edge is none to other edges; 1 in 7 if mute
    vertex   place 0-2, weight w_v 3, first fan row 4, fan rows 5, first corner 6, corners 7, 1 if mute 9

At a *seam* a wall goes on in its periodic image: the edges and vertices there are mute, they neither count nor probe, and of two
images that meet the border belongs to one. A floor across a periodic side then has no rim.

Rows of `side`: start 0-2 and inward normal 3-5 as in the edge's row, 6 whether the border itself is inside, 7 length of the
normal. Rows of `fan`: way along an edge that leaves the vertex 0-2, weight w_e 3, 1/length 4 (0 where flat), length 5. Rows of
`corner`: two fan rows of its vertex 0, 1 between which a face lies, and 1 or −1 (reflex).

The tests at a side, at an edge and at a vertex use the same numbers, so a probe is on one side of each border and never on both.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from clast.contact.space.spheropolyhedron import CORNER, EDGE, FACE, FAN, KIND, ROW, SIDE, VERTEX
from clast.errors import ShapeError
from clast.shapes.space.solid import Solid

FLAT = 1e-7  # angle between the normals of two faces, radians: below it the edge between them is none
MOST_EDGES = 60  # at one vertex: their states are bits of a word


class Geometry(NamedTuple):
    """Solids as arrays, ns shapes with nf features in all."""

    feature: np.ndarray  # (nf, 16)
    side: np.ndarray  # (sides, 8)
    fan: np.ndarray  # (fan rows, 8)
    corner: np.ndarray  # (corners, 4)
    first_feature: np.ndarray  # (ns + 1,) int64: the faces of a shape begin here
    first_vertex: np.ndarray  # (ns,) int64
    bounds: np.ndarray  # (nf, 6) x_min, y_min, z_min, x_max, y_max, z_max of a feature
    edged: np.ndarray  # (ns,) uint8, 0 for points and clumps
    round: np.ndarray  # (ns,) uint8, 1 for a sphere: one point at the centre


class Tables:
    """The tables while they grow."""

    def __init__(self) -> None:
        self.feature: list[np.ndarray] = []
        self.bounds: list[np.ndarray] = []
        self.side: list[list[float]] = []
        self.fan: list[list[float]] = []
        self.corner: list[list[float]] = []

    def _append(self, row: np.ndarray, corners: np.ndarray) -> None:
        """One more feature, with the corners (k, 3) it reaches to."""
        self.feature.append(row)
        self.bounds.append(np.concatenate([corners.min(axis=0), corners.max(axis=0)]))

    def add(self, solid: Solid, seam: Mapping[int, bool]) -> tuple[int, int]:
        """Append the features of one solid; returns where its features and among them its vertices begin.

        seam   edges at a seam, and whether the border there belongs to the face
        """
        normals = [face_normal(solid.vertices[loop]) for loop in solid.faces]
        inward = inward_normals(solid, normals)
        first = len(self.feature)
        owned = {(int(a), int(b)) for (a, b), mine in ((solid.edges[k], mine) for k, mine in seam.items()) if mine}
        for number, loop in enumerate(solid.faces):
            self._add_face(solid, loop, normals[number], number, inward, owned)
        real = {}
        for number, pair in enumerate(solid.edges):
            a, b = int(pair[0]), int(pair[1])
            start, end = solid.vertices[a], solid.vertices[b]
            at_faces = inward.get((a, b), [])
            length = float(np.linalg.norm(end - start))
            real[(a, b)] = 0.0 if is_flat(at_faces, normals) else 1.0 / length
            row = np.zeros(ROW)
            row[0:3], row[3:6], row[6] = start, end, 1.0 / length**2
            for k, (_, m) in enumerate(at_faces):
                row[8 + 3 * k : 11 + 3 * k] = m
            if number in seam:
                row[7], real[(a, b)] = 1.0, 0.0
            row[14], row[KIND] = real[(a, b)], EDGE
            self._append(row, solid.vertices[pair])
        first_vertex = len(self.feature)
        mute = {int(v) for number in seam for v in solid.edges[number]}
        for v in range(len(solid.vertices)):
            self._add_vertex(solid, v, normals, inward, real, v in mute)
        return first, first_vertex

    def _add_face(self, solid: Solid, loop: np.ndarray, normal: np.ndarray, number: int, inward: "Inward", owned: set) -> None:
        for piece in convex_pieces(solid.vertices[loop], normal):
            row = np.zeros(ROW)
            row[0:3], row[3:6] = solid.vertices[loop[piece[0]]], normal
            row[6], row[7], row[KIND] = len(self.side), len(piece), FACE
            self._append(row, solid.vertices[loop[piece]])
            for k, here in enumerate(piece):
                there = piece[(k + 1) % len(piece)]
                a, b = sorted((int(loop[here]), int(loop[there])))
                own = [m for face, m in inward.get((a, b), []) if face == number]
                if own:
                    m, closed = own[0], float((a, b) in owned)
                else:  # between two pieces: the same number with the other sign, the border belonging to one of them
                    m, closed = np.cross(normal, solid.vertices[b] - solid.vertices[a]), 0.0
                    if int(loop[here]) != a:
                        m, closed = -m, 1.0
                self.side.append([*solid.vertices[a], *m, closed, float(np.linalg.norm(m))])

    def _add_vertex(
        self, solid: Solid, v: int, normals: list[np.ndarray], inward: "Inward", real: dict[tuple[int, int], float], mute: bool
    ) -> None:
        leaving = [(int(a), int(b)) for a, b in solid.edges[(solid.edges == v).any(axis=1)]]
        if len(leaving) > MOST_EDGES:
            raise ShapeError(f"vertex {v} of {solid.name} has {len(leaving)} edges, over {MOST_EDGES}: simplify the mesh there.")
        row = np.zeros(ROW)
        row[0:3], row[KIND] = solid.vertices[v], VERTEX
        if mute:
            row[9] = 1.0
            self._append(row, solid.vertices[[v]])
            return
        row[4], row[5] = len(self.fan), len(leaving)
        weight = 1.0
        place = {}
        for k, (a, b) in enumerate(leaving):
            start, end = solid.vertices[a], solid.vertices[b]
            way = end - start if a == v else -(end - start)
            edge_weight = 1.0 - len(inward.get((a, b), []))
            self.fan.append([*way, edge_weight, real[(a, b)], float(np.linalg.norm(way)), 0.0, 0.0])
            place[b if a == v else a] = k
            weight -= edge_weight
        row[6] = len(self.corner)
        for number, loop in enumerate(solid.faces):
            for at in np.flatnonzero(loop == v):
                before, after = int(loop[at - 1]), int(loop[(at + 1) % len(loop)])
                here = solid.vertices[v]
                bend = np.cross(here - solid.vertices[before], solid.vertices[after] - here) @ normals[number]
                self.corner.append([float(place[before]), float(place[after]), 1.0 if bend >= 0.0 else -1.0, 0.0])
                weight -= 1.0
        row[3], row[7] = weight, len(self.corner) - row[6]
        self._append(row, solid.vertices[[v]])


Inward = dict[tuple[int, int], list[tuple[int, np.ndarray]]]  # edge → (face, normal of the edge in that face, into the face)


def face_normal(corners: np.ndarray) -> np.ndarray:
    """Unit normal of a plane polygon (k, 3), outwards where it runs counter-clockwise seen from outside."""
    area = np.cross(corners - corners[0], np.roll(corners, -1, axis=0) - corners[0]).sum(axis=0)
    return area / np.linalg.norm(area)


def inward_normals(solid: Solid, normals: list[np.ndarray]) -> Inward:
    """For every edge with faces: in each of them the normal of the edge that leads into the face."""
    found: Inward = {}
    for number, loop in enumerate(solid.faces):
        for here, there in zip(loop, np.roll(loop, -1), strict=True):
            a, b = sorted((int(here), int(there)))
            way = solid.vertices[b] - solid.vertices[a]
            m = np.cross(normals[number], way)
            found.setdefault((a, b), []).append((number, m if int(here) == a else -m))
    for (a, b), faces in found.items():
        if len(faces) > 2:
            raise ShapeError(f"edge {a}-{b} of {solid.name} has {len(faces)} faces: at most two may meet at an edge.")
    return found


def is_flat(at_faces: list[tuple[int, np.ndarray]], normals: list[np.ndarray]) -> bool:
    """Whether an edge lies between two faces of one plane."""
    if len(at_faces) != 2:
        return False
    one, other = normals[at_faces[0][0]], normals[at_faces[1][0]]
    return bool(np.linalg.norm(one - other) < FLAT)


def convex_pieces(corners: np.ndarray, normal: np.ndarray) -> list[list[int]]:
    """A plane polygon (k, 3) as convex polygons over its corners: itself, or triangles cut off ear by ear."""
    count = len(corners)
    sides = np.roll(corners, -1, axis=0) - corners
    bends = np.cross(np.roll(sides, 1, axis=0), sides) @ normal
    size = float(np.abs(sides).max()) ** 2
    if (bends >= -1e-12 * size).all():
        return [list(range(count))]
    left, pieces = list(range(count)), []
    while len(left) > 3:
        for k in range(len(left)):
            before, here, after = left[k - 1], left[k], left[(k + 1) % len(left)]
            if is_ear(corners, normal, before, here, after, left):
                pieces.append([before, here, after])
                left.pop(k)
                break
        else:
            raise ShapeError("a face crosses itself: its corners must run round it once.")
    return [*pieces, left]


def is_ear(corners: np.ndarray, normal: np.ndarray, before: int, here: int, after: int, left: list[int]) -> bool:
    """Whether the triangle at a convex corner holds no other corner of what is left."""
    triangle = corners[[before, here, after]]
    ways = np.roll(triangle, -1, axis=0) - triangle
    if np.cross(ways[0], ways[1]) @ normal <= 0.0:
        return False
    for other in left:
        if other in (before, here, after):
            continue
        inside = np.cross(ways, corners[other] - triangle) @ normal
        if (inside >= 0.0).all():
            return False
    return True


def geometry(shapes: Sequence[Solid], seams: Mapping[int, Mapping[int, bool]] | None = None) -> Geometry:
    """Lay the solids of a scene out as one table; `seams` names edges, by shape, at which walls go on in their images."""
    tables = Tables()
    starts = [tables.add(solid, (seams or {}).get(number, {})) for number, solid in enumerate(shapes)]
    return Geometry(
        np.array(tables.feature).reshape(-1, ROW),
        np.array(tables.side, float).reshape(-1, SIDE),
        np.array(tables.fan, float).reshape(-1, FAN),
        np.array(tables.corner, float).reshape(-1, CORNER),
        np.array([*(first for first, _ in starts), len(tables.feature)], np.int64),
        np.array([first for _, first in starts], np.int64),
        np.array(tables.bounds, float).reshape(-1, 6),
        np.array([len(solid.edges) > 0 for solid in shapes], np.uint8),
        np.array([solid.is_round for solid in shapes], np.uint8),
    )
