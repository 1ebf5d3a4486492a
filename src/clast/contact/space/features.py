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
from clast.shapes.space.surfaces.ears import Corners
from clast.shapes.space.surfaces.faces import corners_of
from clast.shapes.space.vectors import products

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


class Tables(NamedTuple):
    """The tables of one solid, its rows counted from 0."""

    feature: np.ndarray
    side: np.ndarray
    fan: np.ndarray
    corner: np.ndarray
    bounds: np.ndarray
    first_vertex: int

    def counted_from(self, features: int, sides: int, fans: int, corners: int) -> "Tables":
        """The same behind so many rows of each table."""
        feature = self.feature
        feature[feature[:, KIND] == FACE, 6] += sides
        vertex = np.arange(len(feature)) >= self.first_vertex
        heard = vertex & (feature[:, 9] == 0.0)
        feature[heard, 4] += fans
        feature[heard, 6] += corners
        return self._replace(feature=feature, first_vertex=self.first_vertex + features)


class Sides(NamedTuple):
    """The sides of all faces of a solid, one after the other, c of them."""

    low: np.ndarray  # (c,) the smaller vertex
    high: np.ndarray  # (c,)
    ahead: np.ndarray  # (c,) bool: whether it goes from the smaller to the larger
    face: np.ndarray  # (c,)
    inward: np.ndarray  # (c, 3) normal of the side in the face, into it, as long as the side
    edge: np.ndarray  # (c,) number of the edge


def tables_of(solid: Solid, seam: Mapping[int, bool]) -> Tables:
    """The features of one solid. seam: edges at a seam, and whether the border there belongs to the face."""
    normals = face_normals(solid)
    sides = sides_of(solid, normals)
    edge, real = edge_rows(solid, normals, sides, seam)
    mute = np.zeros(len(solid.vertices), bool)
    mute[solid.edges[list(seam)].ravel()] = True
    owned = np.array([seam.get(k, False) for k in range(len(solid.edges))], bool)
    face, side, reach = face_rows(solid, normals, owned)
    vertex, fan, corner = vertex_rows(solid, normals, sides, real, mute)
    start, end, place = (solid.vertices[each] for each in (solid.edges[:, 0], solid.edges[:, 1], slice(None)))
    bounds = np.concatenate([
        reach, np.concatenate([np.minimum(start, end), np.maximum(start, end)], axis=1), np.concatenate([place, place], axis=1)
    ])  # fmt: skip
    return Tables(np.concatenate([face, edge, vertex]), side, fan, corner, bounds, len(face) + len(edge))


def face_normals(solid: Solid) -> np.ndarray:
    """Unit normals (f, 3) of the faces, outwards where they run counter-clockwise seen from outside."""
    if not solid.faces:
        return np.zeros((0, 3))
    here, ahead, _, face = corners_of(solid.faces)
    first, count = np.flatnonzero(np.diff(face, prepend=-1)), np.bincount(face)
    start = solid.vertices[here[first]][face]
    part = np.cross(solid.vertices[here] - start, solid.vertices[ahead] - start)
    area = part[first]
    for k in range(1, int(count.max())):  # corner by corner: a run's bits hang on the order of this sum
        more = np.flatnonzero(count > k)
        area[more] += part[first[more] + k]
    return area / np.sqrt(products(area, area))[:, None]


def sides_of(solid: Solid, normals: np.ndarray) -> Sides:
    """For every side of a face the normal of its edge that leads into the face."""
    if not solid.faces:
        none = np.zeros(0, np.int64)
        return Sides(none, none, none.astype(bool), none, np.zeros((0, 3)), none)
    here, there, _, face = corners_of(solid.faces)
    low, high = np.minimum(here, there), np.maximum(here, there)
    inward = inward_normals(solid, low, high, here == low, normals[face])
    count = len(solid.vertices)
    edge = np.searchsorted(solid.edges[:, 0] * count + solid.edges[:, 1], low * count + high)
    faces = np.bincount(edge)[edge]
    if (faces > 2).any():
        first = int(np.argmax(faces > 2))
        a, b = low[first], high[first]
        raise ShapeError(f"edge {a}-{b} of {solid.name} has {faces[first]} faces: at most two may meet at an edge.")
    return Sides(low, high, here == low, face, inward, edge)


def inward_normals(solid: Solid, low: np.ndarray, high: np.ndarray, ahead: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Normals (c, 3) of sides between vertices (c,) in faces with these normals (c, 3), into the face.

    The same numbers for both faces at an edge, and with the other sign for both pieces of a face at a cut.
    """
    inward = np.cross(normal, solid.vertices[high] - solid.vertices[low])
    return np.where(ahead[:, None], inward, -inward)


def edge_rows(solid: Solid, normals: np.ndarray, sides: Sides, seam: Mapping[int, bool]) -> tuple[np.ndarray, np.ndarray]:
    """Rows (m, 16) of the edges, and one over the length of each (m,), 0 where it is flat or at a seam."""
    way = solid.vertices[solid.edges[:, 1]] - solid.vertices[solid.edges[:, 0]]
    length = np.sqrt(products(way, way))
    row = np.zeros((len(way), ROW))
    row[:, 0:3], row[:, 3:6] = solid.vertices[solid.edges[:, 0]], solid.vertices[solid.edges[:, 1]]
    row[:, 6] = [1.0 / each**2 for each in length.tolist()]
    order = np.argsort(sides.edge, kind="stable")
    second = np.append(False, np.diff(sides.edge[order]) == 0)[: len(order)]
    for which, column in ((order[~second], 8), (order[second], 11)):
        row[sides.edge[which], column : column + 3] = sides.inward[which]
    real = 1.0 / length
    one, other = order[np.flatnonzero(second) - 1], order[second]
    turn = normals[sides.face[one]] - normals[sides.face[other]]
    real[sides.edge[other[np.sqrt(products(turn, turn)) < FLAT]]] = 0.0
    at_seam = list(seam)
    row[at_seam, 7], real[at_seam] = 1.0, 0.0
    row[:, 14], row[:, KIND] = real, EDGE
    return row, real


def face_rows(solid: Solid, normals: np.ndarray, owned: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows (k, 16) of the convex pieces of faces, rows of their sides (…, 8), and bounds (k, 6).

    owned (m,): edges at a seam whose border belongs to the face.
    """
    pieces: list[np.ndarray] = []  # vertices
    number: list[int] = []
    on_rim: list[np.ndarray] = []  # whether a side of a piece is one of the face
    for face, loop in enumerate(solid.faces):
        for part in convex_pieces(solid.vertices[loop], normals[face]):
            pieces.append(loop[part])
            number.append(face)
            on_rim.append(np.diff(part, append=part[0]) % len(loop) == 1)
    if not pieces:
        return np.zeros((0, ROW)), np.zeros((0, SIDE)), np.zeros((0, 6))
    here, there, _, piece = corners_of(pieces)
    first = np.flatnonzero(np.diff(piece, prepend=-1))
    low, high = np.minimum(here, there), np.maximum(here, there)
    inward = inward_normals(solid, low, high, here == low, normals[np.array(number)][piece])
    of_face, count = np.concatenate(on_rim), len(solid.vertices)
    edge = np.searchsorted(solid.edges[:, 0] * count + solid.edges[:, 1], low * count + high).clip(max=len(owned) - 1)
    side = np.zeros((len(here), SIDE))
    side[:, 0:3], side[:, 3:6] = solid.vertices[low], inward
    side[:, 6] = np.where(of_face, owned[edge], here != low)  # the border between two pieces belongs to one of them
    side[:, 7] = np.sqrt(products(inward, inward))
    row = np.zeros((len(pieces), ROW))
    row[:, 0:3], row[:, 3:6] = solid.vertices[here[first]], normals[np.array(number)]
    row[:, 6], row[:, 7], row[:, KIND] = first, np.bincount(piece), FACE
    corners = solid.vertices[here]
    return row, side, np.concatenate([np.minimum.reduceat(corners, first), np.maximum.reduceat(corners, first)], axis=1)


def vertex_rows(
    solid: Solid, normals: np.ndarray, sides: Sides, real: np.ndarray, mute: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows (n, 16) of the vertices, of the edges that leave them (…, 8) and of the corners faces have there (…, 4)."""
    edges, at = solid.edges, solid.vertices
    count = np.bincount(edges.ravel(), minlength=len(at))
    crowded = np.flatnonzero(count > MOST_EDGES)
    if crowded.size:
        v = int(crowded[0])
        raise ShapeError(f"vertex {v} of {solid.name} has {count[v]} edges, over {MOST_EDGES}: simplify the mesh there.")
    # every edge twice, by the vertex it leaves: which one, from which end, and how many leave that vertex before it
    leaving = np.argsort(edges.ravel(), kind="stable")
    leaving = leaving[~mute[edges.ravel()[leaving]]]
    number, end = leaving // 2, leaving % 2
    count = np.where(mute, 0, count)
    first = np.cumsum(count) - count
    place = np.zeros((len(edges), 2), np.int64)
    place[number, end] = np.arange(len(leaving)) - np.repeat(first, count)
    way = at[edges[number, 1]] - at[edges[number, 0]]
    weight = 1.0 - np.bincount(sides.edge, minlength=len(edges))
    fan = np.zeros((len(leaving), FAN))
    fan[:, 0:3], fan[:, 3], fan[:, 4] = np.where((end == 0)[:, None], way, -way), weight[number], real[number]
    fan[:, 5] = np.sqrt(products(way, way))
    corner, of_vertex = corner_rows(solid, normals, sides, place, mute)
    corners = np.bincount(of_vertex, minlength=len(at))
    row = np.zeros((len(at), ROW))
    row[:, 0:3], row[:, KIND] = at, VERTEX
    row[:, 3] = 1.0 - np.bincount(edges[number, end], fan[:, 3], len(at)) - corners
    row[:, 4], row[:, 5], row[:, 6], row[:, 7] = first, count, np.cumsum(corners) - corners, corners
    row[mute, 3:8], row[mute, 9] = 0.0, 1.0
    return row, fan, corner


def corner_rows(
    solid: Solid, normals: np.ndarray, sides: Sides, place: np.ndarray, mute: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rows (c, 4) of the corners of all faces, by vertex and face, and the vertex of each (c,).

    place (m, 2): which of the edges that leave a vertex an edge is, at either end.
    """
    if not solid.faces:
        return np.zeros((0, CORNER)), np.zeros(0, np.int64)
    here, after, before, face = corners_of(solid.faces)
    last = np.append(np.flatnonzero(np.diff(face)), len(face) - 1)
    first = np.append(0, last[:-1] + 1)
    arrives = np.arange(-1, len(here) - 1)  # the side that ends in a corner; the side with its number leaves
    arrives[first] = last
    at = solid.vertices
    bend = products(np.cross(at[here] - at[before], at[after] - at[here]), normals[face])
    ends = [place[sides.edge[side], (here == sides.high[side]).astype(np.int64)] for side in (arrives, np.arange(len(here)))]
    row = np.stack([*ends, np.where(bend >= 0.0, 1.0, -1.0), np.zeros(len(here))], axis=1)
    order = np.argsort(here, kind="stable")
    order = order[~mute[here[order]]]
    return row[order], here[order]


def convex_pieces(corners: np.ndarray, normal: np.ndarray) -> list[list[int]]:
    """A plane polygon (k, 3) as convex polygons over its corners: itself, or triangles cut off ear by ear."""
    count = len(corners)
    if count == 3:
        return [[0, 1, 2]]
    sides = np.roll(corners, -1, axis=0) - corners
    bends = np.cross(np.roll(sides, 1, axis=0), sides) @ normal
    size = float(np.abs(sides).max()) ** 2
    if (bends >= -1e-12 * size).all():
        return [list(range(count))]

    def turn(i: np.ndarray, j: np.ndarray, k: np.ndarray) -> np.ndarray:
        return np.cross(corners[j] - corners[i], corners[k] - corners[i]) @ normal

    def sticks_out(some: np.ndarray) -> np.ndarray:
        a, b, c = corners[left.before[some]], corners[some], corners[left.after[some]]
        return products(np.cross(b - a, c - b), np.broadcast_to(normal, b.shape)) > 0.0

    left = Corners(count, turn)
    pieces: list[list[int]] = []
    out = sticks_out(np.arange(count))
    while len(pieces) < count - 3:
        ears = np.flatnonzero(left.there & out & (left.held == 0))
        if not ears.size:
            raise ShapeError("a face crosses itself: its corners must run round it once.")
        a, b, c = left.cut(int(ears[0]))
        pieces.append([a, b, c])
        out[[a, c]] = sticks_out(np.array([a, c]))
    return [*pieces, np.flatnonzero(left.there).tolist()]


def geometry(shapes: Sequence[Solid], seams: Mapping[int, Mapping[int, bool]] | None = None) -> Geometry:
    """Lay the solids of a scene out as one table; `seams` names edges, by shape, at which walls go on in their images."""
    found: list[Tables] = []
    rows = np.zeros(4, np.int64)  # of features, sides, fans, corners so far
    first = [0]
    for number, solid in enumerate(shapes):
        tables = tables_of(solid, (seams or {}).get(number, {})).counted_from(*rows.tolist())
        found.append(tables)
        rows += [len(tables.feature), len(tables.side), len(tables.fan), len(tables.corner)]
        first.append(int(rows[0]))
    return Geometry(
        np.concatenate([each.feature for each in found]).reshape(-1, ROW),
        np.concatenate([each.side for each in found]).reshape(-1, SIDE),
        np.concatenate([each.fan for each in found]).reshape(-1, FAN),
        np.concatenate([each.corner for each in found]).reshape(-1, CORNER),
        np.array(first, np.int64),
        np.array([each.first_vertex for each in found], np.int64),
        np.concatenate([each.bounds for each in found]).reshape(-1, 6),
        np.array([len(solid.edges) > 0 for solid in shapes], np.uint8),
        np.array([solid.is_round for solid in shapes], np.uint8),
    )
