"""The geometry table of sharp solids: planes, edges and vertices of their convex pieces, in the frames of their bodies."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from clast.errors import ShapeError
from clast.shapes.space.solid import Solid

CONVEX = 1e-9  # of the reach: how far a vertex may stand out of a plane of its own piece


class Polyhedra(NamedTuple):
    """Sharp solids as arrays: ns shapes of np pieces in all. Edges and faces name vertices and planes within their piece."""

    vertex: np.ndarray  # (nv, 3)
    edge: np.ndarray  # (ne, 4) uint32: start, end, face on the left, face on the right, seen from outside
    plane: np.ndarray  # (nf, 4): unit outward normal n and d, n·x = d
    first_feature: np.ndarray  # (ns + 1,) int64: pieces of a shape, which contacts and springs are named by
    first_vertex: np.ndarray  # (ns + 1,) int64: vertices of a shape
    piece_vertex: np.ndarray  # (np + 1,) int64: of a piece
    piece_edge: np.ndarray  # (np + 1,) int64
    piece_plane: np.ndarray  # (np + 1,) int64
    piece_volume: np.ndarray  # (np,)
    piece_size: np.ndarray  # (np,) largest distance of a vertex from the centre of the body
    box: np.ndarray  # (ns, 6) x_min, y_min, z_min, x_max, y_max, z_max of a shape
    section: np.ndarray  # (ns,) mean area of the shadow, a quarter of the surface: A₀ of the conserving law
    room: np.ndarray  # (1,) int64: capacity of the scratch that clips any two pieces


def polyhedra(solids: Sequence[Solid]) -> Polyhedra:
    """Tables of some sharp solids."""
    vertex, edge, plane = [], [], []
    pieces, corners, volumes, sizes, sections = [0], [0], [], [], []
    piece_vertex, piece_edge, piece_plane = [0], [0], [0]
    for solid in solids:
        owner = solid.piece if solid.piece.size else np.zeros(len(solid.faces), np.int64)
        surface = 0.0
        for number in range(int(owner.max()) + 1):
            loops = [solid.faces[k] for k in np.flatnonzero(owner == number)]
            used = np.unique(np.concatenate(loops))
            where = {int(v): k for k, v in enumerate(used)}
            points = solid.vertices[used]
            planes, areas = zip(*(plane_of(solid.vertices[loop]) for loop in loops), strict=True)
            table = np.array(planes)
            check_convex(solid, points, table)
            vertex.append(points)
            plane.append(table)
            edge.append(edges_of([[where[int(v)] for v in loop] for loop in loops]))
            surface += sum(areas)
            inside = points.mean(axis=0)
            volumes.append(float(np.dot(areas, table[:, 3] - table[:, :3] @ inside)) / 3.0)
            sizes.append(float(np.linalg.norm(points, axis=1).max()))
            piece_vertex.append(piece_vertex[-1] + len(points))
            piece_edge.append(piece_edge[-1] + len(edge[-1]))
            piece_plane.append(piece_plane[-1] + len(table))
        pieces.append(len(volumes))
        corners.append(piece_vertex[-1])
        sections.append(0.25 * surface)
    most = max(np.diff(piece_plane))
    return Polyhedra(
        vertex=np.concatenate(vertex),
        edge=np.concatenate(edge),
        plane=np.concatenate(plane),
        first_feature=np.array(pieces, np.int64),
        first_vertex=np.array(corners, np.int64),
        piece_vertex=np.array(piece_vertex, np.int64),
        piece_edge=np.array(piece_edge, np.int64),
        piece_plane=np.array(piece_plane, np.int64),
        piece_volume=np.array(volumes),
        piece_size=np.array(sizes),
        box=np.array([[*solid.vertices.min(axis=0), *solid.vertices.max(axis=0)] for solid in solids]),
        section=np.array(sections),
        room=np.array([8 * 2 * most + 16], np.int64),  # of F faces at most 2F corners and 3F edges: with as much again
    )


def plane_of(corners: np.ndarray) -> tuple[np.ndarray, float]:
    """Plane (n, d) of a polygon (k, 3), counter-clockwise seen from outside, and its area."""
    centre = corners.mean(axis=0)
    away = corners - centre
    vector = 0.5 * np.cross(away, np.roll(away, -1, axis=0)).sum(axis=0)
    area = float(np.linalg.norm(vector))
    normal = vector / area
    return np.array([*normal, float((corners @ normal).mean())]), area


def edges_of(loops: Sequence[Sequence[int]]) -> np.ndarray:
    """Edges (m, 4): start, end, face whose loop runs through it so, face that runs through it the other way."""
    runs = {(a, b): face for face, loop in enumerate(loops) for a, b in zip(loop, [*loop[1:], loop[0]], strict=True)}
    return np.array([(a, b, face, runs[b, a]) for (a, b), face in runs.items() if a < b], np.uint32)


def check_convex(solid: Solid, points: np.ndarray, planes: np.ndarray) -> None:
    """ShapeError where a vertex of a piece stands out of one of its planes."""
    out = float((points @ planes[:, :3].T - planes[:, 3]).max())
    if out > CONVEX * solid.reach:
        raise ShapeError(
            f"{solid.name}: a vertex stands {out:.3g} out of a face of its own; sharp solids are convex, or pieces that are"
        )
