"""The geometry table: vertices and features of all shapes of a scene, in their body frames.

Equal shapes share their rows. See `clast.contact.plane.spheropolygon` for what a feature row means.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from clast.contact.plane.spheropolygon import EDGE, NOTCH
from clast.shapes.plane.skeleton import Shape


class Geometry(NamedTuple):
    """Shapes as arrays, ns shapes with nv vertices and nf features in all."""

    vertex: np.ndarray  # (nv, 2) positions in the body frame
    feature: np.ndarray  # (nf, 8) rows of clast.contact.plane.spheropolygon
    following: np.ndarray  # (nf,) int64, the feature that starts where this one ends, −1 where there is none
    first_vertex: np.ndarray  # (ns + 1,) int64
    first_feature: np.ndarray  # (ns + 1,) int64
    box: np.ndarray  # (ns, 4) x_min, y_min, x_max, y_max of the skeleton
    edged: np.ndarray  # (ns,) uint8, 0 for points and clumps
    round: np.ndarray  # (ns,) uint8, 1 for a disk: one point at the centre


def chains(shape: Shape) -> list[tuple[list[int], bool]]:
    """Split a skeleton into chains of consecutive vertices: (vertex indices, closed)."""
    leaving = {int(a): int(b) for a, b in shape.edges}
    entered = {int(b) for _, b in shape.edges}
    found = []
    seen: set[int] = set()
    starts = [v for v in range(len(shape.vertices)) if v not in entered]
    for start in [*starts, *range(len(shape.vertices))]:
        if start in seen:
            continue
        chain = [start]
        seen.add(start)
        while (after := leaving.get(chain[-1])) is not None and after not in seen:
            chain.append(after)
            seen.add(after)
        found.append((chain, leaving.get(chain[-1]) == start and len(chain) > 2))
    return found


def feature_rows(
    shape: Shape, *, all_pairs: bool = False, endless: bool = False, hollow: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features of one shape: rows (nf, 8), the following feature of each (nf,), and which vertices probe (nv,).

    A hollow shape may hold bodies: a drum.

    An endless chain is one turn of a chain that goes on in its periodic images: its last vertex is the image of its
    first, so only the first is a feature and a probe, and the edge that enters it is the last one. A landscape across a
    periodic side then has no seam. Where the seam is straight, its vertex does not probe, like any collinear one.
    """
    corners = shape.vertices
    rows: list[list[float]] = []
    following: list[int] = []
    notches: list[list[float]] = []
    probes = np.ones(len(corners), bool)
    for chain, closed in chains(shape):
        points = corners[chain]
        count = len(chain)
        if endless:
            probes[chain[-1]] = False
            probes[chain[0]] = not is_straight(points[-1] - points[-2], points[1] - points[0])
        for at in range(count):
            a = points[at]
            last = at == count - 1
            if last and not closed and count > 1 and (endless or all_pairs):
                continue
            b = points[(at + 1) % count] if closed or not last else a
            if at > 0 or closed:
                before = a - points[at - 1]
            elif endless:
                before = points[-1] - points[-2]
            else:
                before = np.zeros(2)
            edge = b - a
            square = float(edge @ edge)
            inverse = 1.0 / square if square > 0.0 else 0.0
            rows.append([*a, *b, *before, inverse, EDGE])
            ends_here = last or (endless and at == count - 2)
            following.append(len(rows) if not ends_here else (len(rows) - count if closed else -1))
            if before.any() and edge.any() and not all_pairs and has_notch(before, edge, closed and not hollow):
                notches.append([*a, *b, *before, inverse, NOTCH])
    table = np.array(rows + notches, float).reshape(-1, 8)
    return table, np.array(following + [-1] * len(notches), np.int64), probes


def has_notch(before: np.ndarray, edge: np.ndarray, solid: bool) -> bool:
    """Whether a probe can have its foot on both edges of a corner: there its vertex is subtracted.

    Outside a polygon at a reflex corner and at one sharper than 90° (beside the tip both edges are near); at every bend of an
    open chain, and of a polygon that is not solid, because probes may come from either side.
    """
    cross = before[0] * edge[1] - before[1] * edge[0]
    return bool(cross < 0.0 or before @ edge < 0.0) if solid else bool(cross != 0.0)


def is_straight(before: np.ndarray, edge: np.ndarray) -> bool:
    """Whether two edges continue each other, to 1e-9."""
    cross = before[0] * edge[1] - before[1] * edge[0]
    return bool(abs(cross) <= 1e-9 * np.hypot(*before) * np.hypot(*edge) and before @ edge > 0.0)


def geometry(
    shapes: Sequence[Shape], *, all_pairs: bool = False, endless: Collection[int] = (), hollow: Collection[int] = ()
) -> Geometry:
    """Lay the shapes of a scene out as one table; `endless` names the endless chains, `hollow` shapes that may hold bodies."""
    vertex, feature, following, edged, box = [], [], [], [], []
    first_vertex, first_feature = [0], [0]
    for index, shape in enumerate(shapes):
        rows, after, probes = feature_rows(shape, all_pairs=all_pairs, endless=index in endless, hollow=index in hollow)
        after = np.where(after >= 0, after + first_feature[-1], -1)
        vertex.append(shape.vertices[probes])
        feature.append(rows)
        following.append(after)
        edged.append(len(shape.edges) > 0)
        box.append([*shape.vertices.min(axis=0), *shape.vertices.max(axis=0)])
        first_vertex.append(first_vertex[-1] + int(probes.sum()))
        first_feature.append(first_feature[-1] + len(rows))
    return Geometry(
        np.ascontiguousarray(np.concatenate(vertex)),
        np.ascontiguousarray(np.concatenate(feature)),
        np.concatenate(following),
        np.array(first_vertex, np.int64),
        np.array(first_feature, np.int64),
        np.array(box, float).reshape(-1, 4),
        np.array(edged, np.uint8),
        np.array([shape.is_round for shape in shapes], np.uint8),
    )
