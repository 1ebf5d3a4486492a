"""How thin a closed skeleton in space is: the overlap up to which its contact weights mean what they say.

As in the plane (`clast.shapes.plane.thickness`) it is measured through the inside, between parts that do not adjoin: a blunted
edge made of narrow faces is not thin, a sheet, a blade or a neck is.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np

from clast.shapes.plane.inside import Floats, Ints
from clast.shapes.plane.thickness import THIN, ThinShapeWarning
from clast.shapes.space.faces import sides
from clast.shapes.space.inside import distance_to_skeleton, height_over_triangles, in_surface, over_triangles
from clast.shapes.space.vectors import cross, dot

_CHUNK = 1 << 18  # pairs of features held at a time
_ALONG = 0.01  # of its length: a way whose middle is nearer than this to the surface goes along it


def warn_if_thin(name: str, thickness: float, radius: float) -> None:
    """ThinShapeWarning to the caller of the constructor where overlaps may get deeper than the skeleton is thick."""
    if thickness < THIN * radius:
        warnings.warn(
            f"The skeleton of this {name} is only {thickness:.3g} thick somewhere, less than {THIN:g} of its "
            f"sphero-radius {radius:.3g}: overlaps deeper than that are miscounted. Make it thicker, the radius smaller or the "
            "contacts stiffer.",
            ThinShapeWarning,
            stacklevel=3,
        )


def solid_thickness(vertices: Floats, edges: Ints, faces: Sequence[Ints], triangles: Ints, owner: Ints) -> float:
    """Thickness of a closed surface, in its unit of length: vertices (n, 3), edges (m, 2), faces as loops, and these cut into
    triangles (t, 3) of faces (t,).

    The smallest of: the way through the inside from the middle of every face, square to it; the distance through the inside from
    every vertex to the faces it does not belong to and on which it has a perpendicular foot; and the distance through the inside
    between two edges that stick out towards, or into it from, opposite sides.
    """
    corners = vertices[triangles]
    area = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal = area / np.sqrt(dot(area, area))[:, None]
    return min(
        _across_faces(corners, area, normal, owner),
        _vertex_to_face(vertices, edges, faces, triangles, normal, owner),
        _edge_to_edge(vertices, edges, faces, triangles, normal, owner),
    )


def _across_faces(corners: Floats, area: Floats, normal: Floats, owner: Ints) -> float:
    """Shortest of the ways inward, one from the middle of the largest triangle of every face, to the first other face."""
    largest: dict[int, int] = {}
    square = dot(area, area)
    for k, face in enumerate(owner.tolist()):
        if face not in largest or square[k] > square[largest[face]] * (1.0 + 1e-9):
            largest[face] = k
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    least = math.inf
    for face, k in largest.items():
        start, inward = corners[k].mean(axis=0), -normal[k]
        slope = normal @ inward
        facing = (slope > 1e-12) & (owner != face)  # left by the ray: its outer side looks the way the ray goes
        if not facing.any():
            continue
        p, q, r, n = a[facing], b[facing], c[facing], normal[facing]
        length = dot(p - start, n) / slope[facing]
        within = (length > 0.0) & over_triangles(start + length[:, None] * inward, p, q, r, area[facing])
        if within.any():
            least = min(least, float(length[within].min()))
    return least


def _vertex_to_face(vertices: Floats, edges: Ints, faces: Sequence[Ints], triangles: Ints, normal: Floats, owner: Ints) -> float:
    """Smallest distance of a vertex to a face that it looks at through the inside."""
    belongs = np.zeros((len(vertices), len(faces)), dtype=np.bool_)
    for k, loop in enumerate(faces):
        belongs[loop, k] = True
    p, q, r = (vertices[triangles[:, k]] for k in range(3))
    found: list[tuple[Floats, Floats]] = []
    step = max(1, _CHUNK // len(triangles))
    for start in range(0, len(vertices), step):
        some = vertices[start : start + step]
        height = height_over_triangles(some, p, q, r)
        height[belongs[start : start + step][:, owner]] = np.inf
        depth = dot(p - some[:, None], normal)  # positive on the inner side
        v, t = np.nonzero(np.isfinite(height) & (depth > 0.0))
        found.append((height[v, t], some[v] + 0.5 * depth[v, t, None] * normal[t]))
    return _least_inside(found, vertices, edges, triangles)


def _least_inside(found: list[tuple[Floats, Floats]], vertices: Floats, edges: Ints, triangles: Ints) -> float:
    """The smallest of lengths (k,) of ways whose middles (k, 3) lie inside the surface; tried in blocks, shortest first.

    A way along the surface, between parts of one face or of two that adjoin nearly at right angles, is none through the inside.
    """
    length = np.concatenate([one[0] for one in found]) if found else np.empty(0)
    middle = np.concatenate([one[1] for one in found]) if found else np.empty((0, 3))
    order = np.argsort(length, kind="stable")
    for start in range(0, len(order), 256):
        some = order[start : start + 256]
        inside = in_surface(middle[some], vertices, triangles)
        inside &= distance_to_skeleton(middle[some], vertices, edges, triangles) > _ALONG * length[some]
        if inside.any():
            return float(length[some][inside][0])
    return math.inf


def _edge_to_edge(vertices: Floats, edges: Ints, faces: Sequence[Ints], triangles: Ints, normal: Floats, owner: Ints) -> float:
    """Smallest distance through the inside between two edges, each with both of its faces leaning the same way: towards the
    other edge (two ridges of a blade) or away from it (a neck)."""
    of_face = {face: normal[k] for k, face in enumerate(owner.tolist())}
    number = {(a, b): k for k, (a, b) in enumerate(edges.tolist())}
    lean = np.zeros((len(edges), 2, 3))  # for both faces of an edge: the direction in the face, away from the edge
    for k, loop in enumerate(faces):
        for a, b in sides(loop.tolist()):
            d = vertices[b] - vertices[a]
            into = cross(of_face[k], d)
            lean[number[min(a, b), max(a, b)], int(a > b)] = into / math.sqrt(float(into @ into))
    start, along = vertices[edges[:, 0]], vertices[edges[:, 1]] - vertices[edges[:, 0]]
    square = dot(along, along)
    found: list[tuple[Floats, Floats]] = []
    step = max(1, _CHUNK // len(edges))
    for first in range(0, len(edges), step):
        some = np.arange(first, min(first + step, len(edges)))
        w = start[some, None] - start
        uv, uu = dot(along[some, None], along), square[some, None]
        uw, vw = dot(along[some, None], w), dot(along, w)
        sine2 = uu * square - uv * uv  # times the squares of both lengths
        slanted = sine2 > 1e-12 * uu * square
        safe = np.where(slanted, sine2, 1.0)
        s, t = (uv * vw - square * uw) / safe, (uu * vw - uv * uw) / safe
        # of parallel ones the middle of the stretch where they run side by side
        ends = np.sort(np.stack([-uw / uu, (uv - uw) / uu]), axis=0).clip(0.0, 1.0)
        middle = 0.5 * (ends[0] + ends[1])
        s = np.where(slanted, s, np.where(ends[1] > ends[0], middle, -1.0))
        t = np.where(slanted, t, (vw + s * uv) / square)
        joined = (edges[some][:, None, :, None] == edges[:, None, :]).any(axis=(2, 3))
        inner = ~joined & (s > 0.0) & (s < 1.0) & (t > 0.0) & (t < 1.0) & (some[:, None] < np.arange(len(edges)))
        i, j = np.nonzero(inner)
        s, t, i = s[i, j], t[i, j], some[i]
        near, far = start[i] + s[:, None] * along[i], start[j] + t[:, None] * along[j]
        across = far - near
        length = np.sqrt(dot(across, across))
        here, there = dot(lean[i], across[:, None]), dot(lean[j], -across[:, None])
        slack = 1e-9 * length[:, None]
        ridges = (here >= -slack).all(axis=1) & (there >= -slack).all(axis=1)
        neck = (here <= slack).all(axis=1) & (there <= slack).all(axis=1)
        good = (ridges | neck) & (length > 0.0)
        found.append((length[good], 0.5 * (near + far)[good]))
    return _least_inside(found, vertices, edges, triangles)
