"""The geometry table: vertices and features of all shapes of a scene, in their body frames.

Equal shapes share their rows. See `clast.contact.spheropolygon` for what a feature row means.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from clast.contact.spheropolygon import EDGE, EDGE_ALONE, NOTCH, VERTEX_ALONE
from clast.shapes.skeleton import Shape


class Geometry(NamedTuple):
    """Shapes as arrays, ns shapes with nv vertices and nf features in all."""

    vertex: np.ndarray  # (nv, 2) positions in the body frame
    feature: np.ndarray  # (nf, 8) rows of clast.contact.spheropolygon
    following: np.ndarray  # (nf,) int64, the feature that starts where this one ends, −1 where there is none
    first_vertex: np.ndarray  # (ns + 1,) int64
    first_feature: np.ndarray  # (ns + 1,) int64
    box: np.ndarray  # (ns, 4) x_min, y_min, x_max, y_max of the skeleton
    edged: np.ndarray  # (ns,) uint8, 0 for points and clumps


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
    shape: Shape, *, all_pairs: bool = False, period: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features of one shape: rows (nf, 8), the following feature of each (nf,), and which vertices probe (nv,).

    With `period`, an open chain whose ends differ by that vector is taken as one turn of an endless chain: its last
    vertex continues into the first edge of the next image, and its first vertex, which is the last one's image, is
    neither a feature of its own nor a probe. So a landscape across a periodic side has no seam.
    """
    corners = shape.vertices
    rows: list[list[float]] = []
    following: list[int] = []
    notches: list[list[float]] = []
    probes = np.ones(len(corners), bool)
    for chain, closed in chains(shape):
        points = corners[chain]
        count = len(chain)
        endless = period is not None and count > 1 and not closed
        if endless:
            probes[chain[0]] = False
        for at in range(count):
            a = points[at]
            last = at == count - 1
            if not last:
                b = points[at + 1]
            elif closed:
                b = points[0]
            elif endless:
                b = a + (points[1] - points[0])
            else:
                b = a
            if at > 0:
                before = a - points[at - 1]
            elif closed:
                before = a - points[-1]
            else:
                before = np.zeros(2)
            edge = b - a
            square = float(edge @ edge)
            inverse = 1.0 / square if square > 0.0 else 0.0
            cross = before[0] * edge[1] - before[1] * edge[0]
            if endless and at == 0:
                # the edge alone: its start is the image of the last vertex, which carries cap and notch
                rows.append([*a, *b, *before, inverse, EDGE_ALONE])
            elif endless and last:
                # the vertex alone: the edge that leaves it is the next image's first
                rows.append([*a, *b, *before, inverse, VERTEX_ALONE])
            elif all_pairs and last and not closed and count > 1:
                continue
            else:
                rows.append([*a, *b, *before, inverse, EDGE])
            following.append(len(rows) if not last else (len(rows) - count if closed else -1))
            has_both = before.any() and edge.any()
            if has_both and not all_pairs and (cross < 0.0 if closed else cross != 0.0):
                notches.append([*a, *b, *before, inverse, NOTCH])
    table = np.array(rows + notches, float).reshape(-1, 8)
    return table, np.array(following + [-1] * len(notches), np.int64), probes


def geometry(shapes: Sequence[Shape], *, all_pairs: bool = False, periods: dict[int, np.ndarray] | None = None) -> Geometry:
    """Lay the shapes of a scene out as one table; `periods` maps the index of an endless chain to its period."""
    vertex, feature, following, edged, box = [], [], [], [], []
    first_vertex, first_feature = [0], [0]
    for index, shape in enumerate(shapes):
        period = (periods or {}).get(index)
        rows, after, probes = feature_rows(shape, all_pairs=all_pairs, period=period)
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
    )
