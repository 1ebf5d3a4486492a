"""How far a solid is from the mesh it stands for: volumes, and the largest distance between the surfaces, both ways."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from clast.shapes.plane.inside import Floats, Ints
from clast.shapes.space.solid import Solid
from clast.shapes.space.surfaces.inside import distance_to_skeleton, in_surface, over_triangles
from clast.shapes.space.vectors import corner_angles, cross, dot, length

SAMPLES = 4000  # points on either surface whose distance from the other is measured


class SolidMisfit(NamedTuple):
    """Relative differences between a solid and a mesh: volume (solid/mesh − 1), and in parts of the mesh's largest extent the
    largest distance of the solid's surface from the mesh (`outward`) and of the mesh from the solid's surface (`back`)."""

    volume: float
    outward: float
    back: float


def mesh_volume(vertices: Floats, triangles: Ints) -> float:
    """Volume inside a closed surface of triangles (t, 3) of vertices (n, 3) that look outwards."""
    a, b, c = (vertices[triangles[:, k]] - vertices.mean(axis=0) for k in range(3))
    return float(dot(a, cross(b, c)).sum()) / 6.0


def surface_area(vertices: Floats, triangles: Ints) -> float:
    """Area of a surface of triangles (t, 3) of vertices (n, 3)."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return 0.5 * float(length(cross(b - a, c - a)).sum())


def solid_misfit(solid: Solid, vertices: Floats, triangles: Ints) -> SolidMisfit:
    """The solid against a closed mesh, (n, 3) and (t, 3), in the coordinates the solid was drawn in."""
    size = float(np.ptp(vertices, axis=0).max())
    drawn = solid.drawn()
    seen, _ = _samples(vertices, triangles)
    far = distance_to_skeleton(seen, drawn, solid.edges, solid.triangles)
    if solid.is_closed:
        far = np.where(in_surface(seen, drawn, solid.triangles), -far, far)
    samples = _surface_samples(solid, drawn)
    return SolidMisfit(
        solid.volume / mesh_volume(vertices, triangles) - 1.0,
        float(distance_to_triangles(samples, vertices, triangles).max()) / size,
        float(np.abs(far - solid.radius).max()) / size,
    )


def _samples(vertices: Floats, triangles: Ints) -> tuple[Floats, Floats]:
    """About `SAMPLES` points on a surface, at corners and spread over triangles by their area, and the normals there."""
    corners = vertices[triangles]
    area = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    twice = length(area)
    normal = area / np.where(twice > 0.0, twice, 1.0)[:, None]
    # evenly along the sum of the areas; within a triangle by a sequence that fills it evenly
    along = (np.arange(SAMPLES) + 0.5) / SAMPLES * twice.sum()
    which = np.searchsorted(np.cumsum(twice), along).clip(0, len(triangles) - 1)
    u = (np.arange(SAMPLES) * 0.7548776662466927) % 1.0
    v = (np.arange(SAMPLES) * 0.5698402909980532) % 1.0
    over = u + v > 1.0
    u, v = np.where(over, 1.0 - u, u)[:, None], np.where(over, 1.0 - v, v)[:, None]
    chosen = corners[which]
    inner = chosen[:, 0] + u * (chosen[:, 1] - chosen[:, 0]) + v * (chosen[:, 2] - chosen[:, 0])
    some = np.unique(np.linspace(0, len(triangles) - 1, min(len(triangles), SAMPLES)).astype(np.int64))
    return np.concatenate([inner, corners[some, 0]]), np.concatenate([normal[which], normal[some]])


def _surface_samples(solid: Solid, drawn: Floats) -> Floats:
    """Points on the surface of a solid: over its faces, and over its corners in the mean direction of the faces there."""
    on, normal = _samples(drawn, solid.triangles)
    corners = drawn[solid.triangles]
    area = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    unit, angle = area / length(area)[:, None], corner_angles(corners)
    mean = np.zeros_like(drawn)
    for k in range(3):
        np.add.at(mean, solid.triangles[:, k], angle[:, k, None] * unit)
    size = length(mean)
    tips = drawn + solid.radius * mean / np.where(size > 0.0, size, 1.0)[:, None]
    points = np.concatenate([on[:SAMPLES] + solid.radius * normal[:SAMPLES], tips])
    # what lies within the rounding of another part is no surface
    bare = distance_to_skeleton(points, drawn, solid.edges, solid.triangles) >= solid.radius * (1.0 - 1e-9)
    return points[bare]


def distance_to_triangles(points: Floats, vertices: Floats, triangles: Ints) -> Floats:
    """Distance (k,) of `points` (k, 3) to the nearest of many triangles (t, 3) of vertices (n, 3).

    Only triangles that can be nearer than the nearest vertex are looked at; they are sought class by class of their size.
    """
    from scipy.spatial import cKDTree  # slow to import, and a run in the plane does not need it

    corners = vertices[triangles]
    centre = corners.mean(axis=1)
    reach = length(corners - centre[:, None]).max(axis=1)
    nearest = cKDTree(vertices[np.unique(triangles)]).query(points)[0]
    order = np.frexp(reach)[1]
    for size in np.unique(order):
        some = np.flatnonzero(order == size)
        near = cKDTree(centre[some]).query_ball_point(points, nearest * (1.0 + 1e-12) + math.ldexp(1.0, int(size)))
        count = np.array([len(found) for found in near])
        if not count.any():
            continue
        which = some[np.concatenate([np.array(found, dtype=np.int64) for found in near])]
        point = np.repeat(np.arange(len(points)), count)
        least = _one_to_one(points[point], corners[which])
        np.minimum.at(nearest, point, least)
    return nearest


def _one_to_one(points: Floats, corners: Floats) -> Floats:
    """Distance (k,) of each of `points` (k, 3) to its own triangle (k, 3, 3)."""
    least = np.full(len(points), np.inf)
    for i in range(3):
        a, b = corners[:, i], corners[:, (i + 1) % 3]
        d, rel = b - a, points - a
        square = dot(d, d)
        t = np.clip(dot(rel, d) / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
        least = np.minimum(least, length(rel - t[:, None] * d))
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normal = cross(b - a, c - a)
    size = length(normal)
    height = np.abs(dot(points - a, normal)) / np.where(size > 0.0, size, 1.0)
    return np.where(over_triangles(points, a, b, c, normal) & (size > 0.0), np.minimum(least, height), least)
