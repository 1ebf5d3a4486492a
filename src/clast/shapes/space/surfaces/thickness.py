"""How thin a closed skeleton in space is: the overlap up to which its contact weights mean what they say.

As in the plane (`clast.shapes.plane.thickness`) it is measured through the inside, between parts that do not adjoin: a blunted
edge made of narrow faces is not thin, a sheet, a blade or a neck is.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from clast.shapes.plane.inside import Bools, Floats, Ints
from clast.shapes.plane.thickness import THIN, ThinShapeWarning
from clast.shapes.space.surfaces.box_tree import BoxTree, Regions, segments
from clast.shapes.space.surfaces.faces import corners_of
from clast.shapes.space.surfaces.inside import distance_to_skeleton, height_over_triangles, in_surface, over_triangles
from clast.shapes.space.vectors import cross, dot, products

_SLACK = 1e-9  # of the size: boxes are wider by this, so that nothing is lost to round-off
_FLAT = 1e-6  # radians: faces that turn by less at an edge leave open which way it looks
_UNSURE = 1e-2  # of a length, or radians: where two edges are nearly parallel, the nearest places on them are not well known
_RAYS = 4096  # sent at a time; each lot goes no farther than the shortest way so far
_TRIED = 256  # ways looked at first, the shortest; then four times as many, and so on
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
    between two edges that stick out towards, or into it from, opposite sides. Each search goes no farther than what has been
    found before.
    """
    surface = _surface(vertices, edges, faces, triangles, owner)
    least = _across_faces(surface)
    least = _least_inside(_vertex_to_face(surface, least), least, surface)
    return _least_inside(_edge_to_edge(surface, least), least, surface)


class _Surface(NamedTuple):
    """A closed surface, with what the three searches share."""

    vertices: Floats  # (n, 3)
    edges: Ints  # (m, 2)
    faces: Sequence[Ints]
    triangles: Ints  # (t, 3)
    owner: Ints  # (t,) face of each triangle, ascending
    corners: Floats  # (t, 3, 3)
    area: Floats  # (t, 3) normal times twice the area
    normal: Floats  # (t, 3)
    slack: float  # length
    whole: float  # length: no way through the inside is longer


def _surface(vertices: Floats, edges: Ints, faces: Sequence[Ints], triangles: Ints, owner: Ints) -> _Surface:
    corners = vertices[triangles]
    area = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal = area / np.sqrt(dot(area, area))[:, None]
    slack, extent = _SLACK * float(np.abs(vertices).max()), np.ptp(vertices, axis=0)
    whole = math.sqrt(float(dot(extent, extent)))
    return _Surface(vertices, edges, faces, triangles, owner, corners, area, normal, slack, whole)


def _across_faces(surface: _Surface) -> float:
    """Shortest of the ways inward, one from the middle of the largest triangle of every face, to the first other face."""
    corners, owner, slack = surface.corners, surface.owner, surface.slack
    base = _largest(dot(surface.area, surface.area), owner)
    start, inward = corners[base].mean(axis=1), -surface.normal[base]
    tree = BoxTree(corners.min(axis=1) - slack, corners.max(axis=1) + slack)
    least = math.inf
    for first in range(0, len(base), _RAYS):
        some = slice(first, first + _RAYS)
        reach = min(least, surface.whole)
        for ray, t in tree.meeting(segments(start[some], start[some] + reach * inward[some])):
            ray = ray + first
            slope = dot(surface.normal[t], inward[ray])
            facing = (slope > 1e-12) & (owner[t] != owner[base[ray]])  # left by the ray: its outer side looks the way it goes
            ray, t, slope = ray[facing], t[facing], slope[facing]
            length = dot(corners[t, 0] - start[ray], surface.normal[t]) / slope
            place = start[ray] + length[:, None] * inward[ray]
            within = over_triangles(place, corners[t, 0], corners[t, 1], corners[t, 2], surface.area[t])
            least = min(least, float(length[within & (length > 0.0)].min(initial=np.inf)))
    return least


def _largest(square: Floats, owner: Ints) -> Ints:
    """Of the triangles (t,) of every face the largest by the `square` (t,) of its area; of nearly equal ones the first."""
    largest: dict[int, int] = {}
    for k, (face, size) in enumerate(zip(owner.tolist(), square.tolist(), strict=True)):
        if face not in largest or size > square[largest[face]] * (1.0 + 1e-9):
            largest[face] = k
    return np.array(list(largest.values()), dtype=np.int64)


_Ways = list[tuple[Floats, Floats]]  # lengths (k,) and middles (k, 3)


def _vertex_to_face(surface: _Surface, most: float) -> _Ways:
    """Ways shorter than `most` (length) from a vertex to a face that it looks at, and to which it does not belong."""
    vertices, slack = surface.vertices, surface.slack
    tree = BoxTree(vertices - slack, vertices + slack)
    here, _, _, face = corners_of(surface.faces)
    belongs = np.sort(here * len(surface.faces) + face)
    found: _Ways = []
    for t, v in tree.meeting(_prisms(surface, min(most, surface.whole))):
        p, q, r = (surface.corners[t, k] for k in range(3))
        height, depth = height_over_triangles(vertices[v], p, q, r), dot(p - vertices[v], surface.normal[t])
        good = np.flatnonzero((height < most) & (depth > 0.0))  # positive on the inner side
        key = v[good] * len(surface.faces) + surface.owner[t[good]]
        good = good[belongs[np.searchsorted(belongs, key).clip(max=len(belongs) - 1)] != key]
        found.append((height[good], vertices[v[good]] + 0.5 * depth[good, None] * surface.normal[t[good]]))
    return found


def _prisms(surface: _Surface, depth: float) -> Regions:
    """What lies straight inward of every triangle, down to a depth (length)."""
    corners, normal = surface.corners, surface.normal
    beyond = corners - depth * normal[:, None]
    low = np.minimum(corners.min(axis=1), beyond.min(axis=1))
    high = np.maximum(corners.max(axis=1), beyond.max(axis=1))
    level = dot(normal, corners[:, 0])
    inward = [cross(normal, corners[:, (k + 1) % 3] - corners[:, k]) for k in range(3)]  # square to the sides
    least = [dot(inward[k], corners[:, k]) for k in range(3)]
    most = [dot(inward[k], corners[:, (k + 2) % 3]) for k in range(3)]
    return Regions(
        low,
        high,
        np.stack([*inward, normal], axis=1),
        np.stack([*least, level - depth], axis=1),
        np.stack([*most, level], axis=1),
    )


def _least_inside(found: _Ways, most: float, surface: _Surface) -> float:
    """The smallest of the lengths of ways whose middles lie inside the surface, or `most`; tried in blocks, shortest first.

    A way along the surface, between parts of one face or of two that adjoin nearly at right angles, is none through the inside.
    """
    vertices, edges, triangles = surface.vertices, surface.edges, surface.triangles
    length = np.concatenate([np.empty(0), *(one[0] for one in found)])
    middle = np.concatenate([np.empty((0, 3)), *(one[1] for one in found)])
    order = np.argsort(length, kind="stable")
    start, tried = 0, _TRIED
    while start < len(order):
        some = order[start : start + tried]
        inside = in_surface(middle[some], vertices, triangles)
        some = some[inside]
        along = _ALONG * length[some]
        some = some[distance_to_skeleton(middle[some], vertices, edges, triangles, within=along) > along]
        if len(some):
            return min(most, float(length[some[0]]))
        start, tried = start + tried, 4 * tried
    return most


def _edge_to_edge(surface: _Surface, most: float) -> _Ways:
    """Ways shorter than `most` (length) between two edges, each with both of its faces leaning the same way: towards the other
    edge (two ridges of a blade) or away from it (a neck)."""
    vertices, edges, slack = surface.vertices, surface.edges, surface.slack
    start, end = vertices[edges[:, 0]], vertices[edges[:, 1]]
    lean, along = _lean(surface), end - start
    looks = _looks(lean)
    tree = BoxTree(
        np.concatenate([np.minimum(start, end) - slack, np.where(looks.flat[:, None], -1.0, looks.way)], axis=1),
        np.concatenate([np.maximum(start, end) + slack, np.where(looks.flat[:, None], 1.0, looks.way)], axis=1),
    )
    found: _Ways = []
    for wedge, j in tree.meeting(_wedges(surface, lean, looks, min(most, surface.whole))):
        i = wedge % len(edges)
        once = i < j
        i, j = i[once], j[once]
        joined = (edges[i][:, :, None] == edges[j][:, None, :]).any(axis=(1, 2))
        i, j = i[~joined], j[~joined]
        s, t = _nearest_parts(start[i] - start[j], along[i], along[j])
        inner = (s > 0.0) & (s < 1.0) & (t > 0.0) & (t < 1.0)
        i, j, s, t = i[inner], j[inner], s[inner], t[inner]
        near, far = start[i] + s[:, None] * along[i], start[j] + t[:, None] * along[j]
        across = far - near
        length = np.sqrt(dot(across, across))
        good = _face_each_other(lean[i], lean[j], across, length) & (length > 0.0) & (length < most)
        found.append((length[good], 0.5 * (near + far)[good]))
    return found


def _lean(surface: _Surface) -> Floats:
    """For both faces of every edge the direction in the face, away from the edge, (m, 2, 3)."""
    vertices, edges = surface.vertices, surface.edges
    here, ahead, _, face = corners_of(surface.faces)
    of_face = surface.normal[np.searchsorted(surface.owner, np.arange(len(surface.faces)), side="right") - 1]
    into = cross(of_face[face], vertices[ahead] - vertices[here])
    number = np.searchsorted(
        edges[:, 0] * len(vertices) + edges[:, 1], np.minimum(here, ahead) * len(vertices) + np.maximum(here, ahead)
    )
    lean = np.zeros((len(edges), 2, 3))
    lean[number, (here > ahead).astype(np.int64)] = into / np.sqrt(products(into, into))[:, None]
    return lean


class _Looks(NamedTuple):
    """Directions in which edges look: the middle between their two faces. Edges that face each other look opposite ways."""

    way: Floats  # (m, 3)
    bend: Floats  # (m,) angle between the normals of the faces, radians
    flat: Bools  # (m,) the faces lie in one plane, and the edge looks everywhere

    def within(self, sign: float, bend: float | Floats) -> tuple[Floats, Floats]:
        """Bounds (m, 3) of unit vectors nearer to way · sign than half the sum of the bend of an edge and a further one."""
        apart = (0.5 * (self.bend + bend) + _UNSURE)[:, None]
        angle = np.arccos((sign * self.way).clip(-1.0, 1.0))
        low, high = np.cos(np.minimum(angle + apart, math.pi)) - _FLAT, np.cos(np.maximum(angle - apart, 0.0)) + _FLAT
        return np.where(self.flat[:, None], -1.0, low), np.where(self.flat[:, None], 1.0, high)


def _looks(lean: Floats) -> _Looks:
    """Where edges look whose faces lean (m, 2, 3)."""
    middle, turn = lean.sum(axis=1), cross(lean[:, 0], lean[:, 1])
    bend = np.arctan2(np.sqrt(dot(turn, turn)), -dot(lean[:, 0], lean[:, 1]))
    flat = bend < _FLAT
    return _Looks(middle / np.where(flat, 1.0, np.sqrt(dot(middle, middle)))[:, None], bend, flat)


def _wedges(surface: _Surface, lean: Floats, looks: _Looks, depth: float) -> Regions:
    """Where the far end of a way of at most a depth (length) can lie, and where the edge there looks: straight off an edge, and
    so that both of its faces lean (m, 2, 3) towards it, for every edge; then, again for every edge, so that both lean away."""
    start, end = (surface.vertices[surface.edges[:, k]] for k in range(2))
    along = end - start
    size = np.sqrt(dot(along, along))
    level, leaning = dot(along, start)[:, None], dot(lean, start[:, None])
    margin = (_UNSURE * depth * size)[:, None]
    tilt, reach = 1e-9 * depth + surface.slack, depth + surface.slack
    # a way lies between the normals of the faces at either end, so it is off their middles by half the bends at most
    facing = looks.within(-1.0, looks.bend.max())
    parts = []
    for sign, least, most in ((1.0, leaning - tilt, leaning + reach), (-1.0, leaning - reach, leaning + tilt)):
        low, high = looks.within(sign, 0.0)
        parts.append(
            Regions(
                np.concatenate([np.minimum(start, end) + reach * np.minimum(low, 0.0), facing[0]], axis=1),
                np.concatenate([np.maximum(start, end) + reach * np.maximum(high, 0.0), facing[1]], axis=1),
                np.concatenate([along[:, None], lean], axis=1),
                np.concatenate([level - margin, least], axis=1),
                np.concatenate([level + (size * size)[:, None] + margin, most], axis=1),
            )
        )
    return Regions(*(np.concatenate(both) for both in zip(*parts, strict=True)))


def _nearest_parts(w: Floats, u: Floats, v: Floats) -> tuple[Floats, Floats]:
    """Where lines along u and v, (k, 3) each, whose starts are w apart, are nearest to each other: in parts (k,) of u and v.

    Of parallel ones the middle of the stretch where they run side by side; −1 where they do not.
    """
    uv, uu, vv = dot(u, v), dot(u, u), dot(v, v)
    uw, vw = dot(u, w), dot(v, w)
    sine2 = uu * vv - uv * uv  # times the squares of both lengths
    slanted = sine2 > 1e-12 * uu * vv
    safe = np.where(slanted, sine2, 1.0)
    s, t = (uv * vw - vv * uw) / safe, (uu * vw - uv * uw) / safe
    ends = np.sort(np.stack([-uw / uu, (uv - uw) / uu]), axis=0).clip(0.0, 1.0)
    s = np.where(slanted, s, np.where(ends[1] > ends[0], 0.5 * (ends[0] + ends[1]), -1.0))
    return s, np.where(slanted, t, (vw + s * uv) / vv)


def _face_each_other(lean_i: Floats, lean_j: Floats, across: Floats, length: Floats) -> Bools:
    """Whether the faces at both ends of ways (k, 3) all lean towards the other end, or all away from it; (k, 2, 3) a lean."""
    here, there = dot(lean_i, across[:, None]), dot(lean_j, -across[:, None])
    slack = 1e-9 * length[:, None]
    ridges = (here >= -slack).all(axis=1) & (there >= -slack).all(axis=1)
    neck = (here <= slack).all(axis=1) & (there <= slack).all(axis=1)
    return np.asarray(ridges | neck)
