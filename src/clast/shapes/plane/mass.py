"""Mass properties per unit density: area, centroid and second polar moment of a spheropolygon.

Convex skeletons (point, segment and convex polygon) are summed in closed form as in PRE10 eq 7-12: the polygon, a
rectangle of width r on every edge, a circular sector of angle β = π − θ on every vertex (θ the interior angle). Where
such pieces would overlap (bent polylines, non-convex polygons, clumps) the exact boundary of the union is integrated
(`clast.shapes.plane.union`). Quasi-Monte-Carlo with the point-in-spheropolygon test, GM09's way, is kept as an independent
check.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from clast.shapes.plane.inside import Bools, Floats, Ints
from clast.shapes.plane.union import union_boundary


class MassProperties(NamedTuple):
    """Of a plane figure of density 1."""

    area: float  # length²
    centroid: Floats  # (2,) in the coordinates of the vertices
    inertia: float  # ∫|x − centroid|² dA, length⁴


class Figure(Protocol):
    """What quasi-Monte-Carlo needs to know of a shape."""

    @property
    def vertices(self) -> Floats: ...

    @property
    def radius(self) -> float: ...

    def contains(self, points: ArrayLike) -> Bools: ...


def sector(angle: Floats | float, radius: float) -> tuple[Floats, Floats, Floats]:
    """Circular sector of opening `angle` β: area, distance of the centroid from the tip, I_c (PRE10 eq 7-12).

        area βR²/2      centroid 4R·sin(β/2)/(3β)      I_c = area·R²·[16(cos β − 1) + 9β²]/(18β²)

    With s = sin(β/2)/(β/2) these are 2Rs/3 and area·R²(1/2 − 4s²/9): no quotient of small numbers is left, and β → 0
    is as exact as any other angle (the bracket's limit is 1/18). `angle` may be an array; the results have its shape.
    """
    beta = np.asarray(angle, dtype=np.float64)
    s = np.sinc(beta / (2.0 * np.pi))
    area = 0.5 * beta * radius**2
    return area, 2.0 * radius * s / 3.0, area * radius**2 * (0.5 - 4.0 * s * s / 9.0)


def _gathered(area: Floats, centre: Floats, inertias: Floats) -> MassProperties:
    """Pieces with areas (k,), centroids (k, 2) and moments about these (k,), put together (parallel axes)."""
    total = float(area.sum())
    centroid = (area[:, None] * centre).sum(axis=0) / total
    off = centre - centroid
    inertia = float((inertias + area * (off[:, 0] ** 2 + off[:, 1] ** 2)).sum())
    return MassProperties(total, centroid, inertia)


def convex_mass(vertices: Floats, radius: float) -> MassProperties:
    """Convex spheropolygon in closed form (PRE10 eq 7-12). vertices (n, 2): a point, the ends of a segment, or a convex
    polygon counter-clockwise without collinear vertices.

    A segment is a polygon of two sides and no area: two rectangles, two caps of π. A point is one sector of 2π.
    """
    origin = vertices.mean(axis=0)
    at = vertices - origin
    if len(at) == 1:
        area, _, inertia = sector(2.0 * np.pi, radius)
        return MassProperties(float(area), vertices[0].copy(), float(inertia))
    nxt = np.roll(at, -1, axis=0)
    d = nxt - at
    length = np.sqrt(d[:, 0] ** 2 + d[:, 1] ** 2)
    u = d / length[:, None]
    out = np.stack([u[:, 1], -u[:, 0]], axis=1)

    # rectangles L × r on the edges, own moment m(L² + r²)/12
    side_area = length * radius
    side_centre = 0.5 * (at + nxt) + 0.5 * radius * out
    side_inertia = side_area * (length**2 + radius**2) / 12.0

    # sectors: at the end of edge k the outward normal turns by β from that of edge k to that of edge k + 1
    after = np.roll(u, -1, axis=0)
    cross = u[:, 0] * after[:, 1] - u[:, 1] * after[:, 0]
    dot = u[:, 0] * after[:, 0] + u[:, 1] * after[:, 1]
    beta = np.arctan2(np.maximum(cross, 0.0), dot)
    cap_area, tip, cap_inertia = sector(beta, radius)
    cos, sin = np.cos(0.5 * beta), np.sin(0.5 * beta)
    bisector = np.stack([cos * out[:, 0] - sin * out[:, 1], sin * out[:, 0] + cos * out[:, 1]], axis=1)
    cap_centre = nxt + tip[:, None] * bisector

    area = np.concatenate([side_area, cap_area])
    centre = np.concatenate([side_centre, cap_centre])
    inertias = np.concatenate([side_inertia, cap_inertia])
    if len(at) > 2:
        area = np.append(area, 0.0)
        centre = np.append(centre, [[0.0, 0.0]], axis=0)
        inertias = np.append(inertias, 0.0)
        area[-1], centre[-1], inertias[-1] = _polygon(at)
    whole = _gathered(area, centre, inertias)
    return whole._replace(centroid=whole.centroid + origin)


def convex_masses(rings: Floats, radius: float) -> tuple[Floats, Floats, Floats]:
    """Areas (k,), centroids (k, 2) and inertias (k,) of many convex spheropolygons at once, `rings` (k, n, 2), n ≥ 3.

    The sums of `convex_mass`; the rings must meet its conditions.
    """
    origin = rings.mean(axis=1, keepdims=True)
    at = rings - origin
    nxt = np.roll(at, -1, axis=1)
    d = nxt - at
    length = np.sqrt(d[..., 0] ** 2 + d[..., 1] ** 2)
    u = d / length[..., None]
    out = np.stack([u[..., 1], -u[..., 0]], axis=-1)

    side_area = length * radius
    side_centre = 0.5 * (at + nxt) + 0.5 * radius * out
    side_inertia = side_area * (length**2 + radius**2) / 12.0

    after = np.roll(u, -1, axis=1)
    beta = np.arctan2(np.maximum(u[..., 0] * after[..., 1] - u[..., 1] * after[..., 0], 0.0), (u * after).sum(axis=-1))
    cap_area, tip, cap_inertia = sector(beta, radius)
    cos, sin = np.cos(0.5 * beta), np.sin(0.5 * beta)
    bisector = np.stack([cos * out[..., 0] - sin * out[..., 1], sin * out[..., 0] + cos * out[..., 1]], axis=-1)
    cap_centre = nxt + tip[..., None] * bisector

    # the bare polygon: triangles from the mean of the vertices, then PRE10 eq 11 about its own centroid
    cross = at[..., 0] * nxt[..., 1] - at[..., 1] * nxt[..., 0]
    core_area = 0.5 * cross.sum(axis=1)
    core_centre = (cross[..., None] * (at + nxt)).sum(axis=1) / (6.0 * core_area[:, None])
    a, b = at - core_centre[:, None], nxt - core_centre[:, None]
    cross = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    core_inertia = (cross * (a * a + a * b + b * b).sum(axis=-1)).sum(axis=1) / 12.0

    area = np.concatenate([side_area, cap_area, core_area[:, None]], axis=1)
    centre = np.concatenate([side_centre, cap_centre, core_centre[:, None]], axis=1)
    inertias = np.concatenate([side_inertia, cap_inertia, core_inertia[:, None]], axis=1)
    total = area.sum(axis=1)
    centroid = (area[..., None] * centre).sum(axis=1) / total[:, None]
    off = centre - centroid[:, None]
    inertia = (inertias + area * (off**2).sum(axis=-1)).sum(axis=1)
    return total, centroid + origin[:, 0], inertia


def _polygon(ring: Floats) -> MassProperties:
    """Bare polygon (n, 2), counter-clockwise: shoelace area and centroid, and PRE10 eq 11 about the centroid."""
    nxt = np.roll(ring, -1, axis=0)
    cross = ring[:, 0] * nxt[:, 1] - ring[:, 1] * nxt[:, 0]
    area = float(cross.sum()) / 2.0
    centroid = (cross[:, None] * (ring + nxt)).sum(axis=0) / (6.0 * area)
    a, b = ring - centroid, nxt - centroid
    cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    square = (a * a + a * b + b * b).sum(axis=1)
    return MassProperties(area, centroid, float((cross * square).sum()) / 12.0)


def union_mass(vertices: Floats, edges: Ints, radius: float, *, closed: bool) -> MassProperties:
    """Mass properties of any skeleton ⊕ disk from the exact boundary of the union; arguments as in `union_boundary`.

    Integrated twice, the second time about the centroid, so that a grain drawn far from the origin loses no digits.
    """
    origin = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    boundary = union_boundary(vertices - origin, edges, radius, closed=closed)
    first = boundary.moments(np.zeros(2))
    middle = first[1:3] / first[0]
    area, mx, my, second = (float(m) for m in boundary.moments(middle))
    return MassProperties(area, origin + middle + np.array([mx, my]) / area, second - (mx * mx + my * my) / area)


def is_convex(ring: Floats) -> bool:
    """Whether a simple counter-clockwise polygon (n, 2) without collinear vertices turns left at every vertex."""
    d = np.roll(ring, -1, axis=0) - ring
    after = np.roll(d, -1, axis=0)
    return bool(np.all(d[:, 0] * after[:, 1] - d[:, 1] * after[:, 0] > 0.0))


def mass_properties(vertices: Floats, edges: Ints, radius: float, *, closed: bool) -> MassProperties:
    """Mass properties of skeleton ⊕ disk: closed form where the skeleton is convex, else by the union's boundary."""
    if len(vertices) == 1 or (len(vertices) == 2 and len(edges) == 1) or (closed and is_convex(vertices)):
        return convex_mass(vertices, radius)
    return union_mass(vertices, edges, radius, closed=closed)


def quasi_monte_carlo(shape: Figure, samples: int = 1 << 16) -> MassProperties:
    """Mass properties by counting Halton points inside the grain (GM09); the error falls about as 1/samples^0.8.

    The points are the same at every call. Good to some 1e-4 with the default number: a check, not a source of
    numbers.
    """
    from scipy.stats import qmc  # half a second to import, and only this check needs it

    low = shape.vertices.min(axis=0) - shape.radius
    high = shape.vertices.max(axis=0) + shape.radius
    points = low + (high - low) * qmc.Halton(2, scramble=False).random(samples)
    hit = points[shape.contains(points)]
    weight = float(np.prod(high - low)) / samples
    centroid = hit.mean(axis=0)
    off = hit - centroid
    return MassProperties(weight * len(hit), centroid, weight * float((off * off).sum()))
