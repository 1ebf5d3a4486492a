"""Mass properties of convex solids, exactly (Steiner's formula and its first and second moments).

A convex skeleton ⊕ ball of radius r is the polyhedron, a prism of height r on every face, a wedge of a cylinder along every
edge, opening by the angle β between the normals of its faces, and a sector of a ball at every vertex, of solid angle Ω = 2π − the
sum of the angles its faces have there. A plate has two faces, back to back; along a segment the wedge is the whole cylinder;
for a point the sector is the whole ball. So one formula serves all. Lengths in any one unit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from clast.shapes.plane.inside import Floats, Ints
from clast.shapes.space.surfaces.box_tree import BoxTree, beyond_planes
from clast.shapes.space.surfaces.faces import Loop, area_vectors, corners_of
from clast.shapes.space.vectors import cross, dot, length, outer


class SolidMass(NamedTuple):
    """Volume (length³), centroid (3,), inertia tensor of the volume (3, 3) about it (length⁵), and how far off they may be.

    The error is relative, of volume and inertia; in the centroid it is a part of the size. 0 for closed forms (round-off).
    """

    volume: float
    centroid: Floats
    inertia: Floats
    error: float = 0.0


@dataclass(frozen=True)
class Moments:
    """∫dV (k,), ∫x dV (k, 3) and ∫x xᵀ dV (k, 3, 3) over k bodies, or the same over areas, lines or parts of a sphere."""

    zero: Floats
    one: Floats
    two: Floats

    def swept(self, other: Moments) -> Moments:
        """Moments of all sums p + s with p in one of these and s in its partner, in directions square to it."""
        mixed = outer(self.one, other.one)
        return Moments(
            self.zero * other.zero,
            self.one * other.zero[:, None] + self.zero[:, None] * other.one,
            self.two * other.zero[:, None, None] + mixed + np.swapaxes(mixed, 1, 2) + self.zero[:, None, None] * other.two,
        )


def mass_from(parts: Sequence[Moments], origin: Floats, error: float = 0.0) -> SolidMass:
    """Mass properties of a body from the moments of its parts about `origin` (3,)."""
    volume = sum(float(part.zero.sum()) for part in parts)
    off = sum((part.one.sum(axis=0) for part in parts), np.zeros(3)) / volume
    spread = sum((part.two.sum(axis=0) for part in parts), np.zeros((3, 3))) - volume * np.outer(off, off)
    spread = 0.5 * (spread + spread.T)
    return SolidMass(volume, origin + off, np.trace(spread) * np.eye(3) - spread, error)


def is_convex(vertices: Floats, loops: Sequence[Loop], tolerance: float) -> bool:
    """Whether a closed surface has all its vertices (n, 3) behind the planes of all its faces, to the tolerance (length)."""
    area = area_vectors(vertices, loops)
    normal = area / length(area)[:, None]
    level = dot(vertices[[loop[0] for loop in loops]], normal)
    for k, v in BoxTree(vertices, vertices).meeting(beyond_planes(normal, level + tolerance)):
        if (dot(vertices[v], normal[k]) - level[k] > tolerance).any():
            return False
    return True


def is_convex_loop(vertices: Floats, loop: Loop) -> bool:
    """Whether the plane polygon of a face turns left at all its corners."""
    here, ahead, back, _ = corners_of([loop])
    turn = cross(vertices[here] - vertices[back], vertices[ahead] - vertices[here])
    return bool(np.all(turn @ area_vectors(vertices, [loop])[0] > 0.0))


def convex_mass(vertices: Floats, edges: Ints, loops: Sequence[Loop], radius: float) -> SolidMass:
    """Mass properties of a convex skeleton ⊕ ball: a closed surface, a plate (one face), a segment or a point.

    vertices (n, 3), edges (m, 2); exact but for round-off. The volume is Steiner's V + S r + M r² + 4/3 π r³.
    """
    origin = vertices.mean(axis=0)  # moments about a point within the body lose no digits
    at = vertices - origin
    faces = [*loops, tuple(reversed(loops[0]))] if len(loops) == 1 else list(loops)
    parts = []
    angle = np.zeros(len(at))  # sum of the angles of the faces at each vertex
    beta, middle = np.full(len(edges), 2.0 * math.pi), np.zeros((len(edges), 3))  # of segments: a whole turn has no middle
    d = at[edges[:, 1]] - at[edges[:, 0]]
    size = length(d)
    along = d / size[:, None]
    if faces:
        area = area_vectors(at, faces)
        normal = area / length(area)[:, None]
        here, ahead, back, face = corners_of(faces)
        forth, hence = at[ahead] - at[here], at[back] - at[here]
        np.add.at(angle, here, np.arctan2(length(cross(forth, hence)), dot(forth, hence)))
        flat = _triangles(at, faces, normal)
        height = dot(at[[loop[0] for loop in faces]], normal)
        parts += [_cones(flat, height[flat.face]), flat.moments.swept(_lines(normal[flat.face], radius))]
        beta, middle = _wedges(edges, along, normal, here, ahead, face)
    parts.append(_segments(at[edges[:, 0]], at[edges[:, 1]], size).swept(_sectors(beta, middle, along, radius)))
    # Gauss on the unit sphere: 2∫u dΩ = −∮n ds and 3∫u uᵀ dΩ = Ω − ∮u nᵀ ds, where n leaves a vertex's part along its edges
    omega = (2.0 * math.pi if len(at) > 1 else 4.0 * math.pi) - angle
    one = np.zeros((len(at), 3))
    two = omega[:, None, None] / 3.0 * np.eye(3)
    arc = 2.0 / 3.0 * np.sin(0.5 * beta)[:, None, None] * outer(middle, along)
    for end, sign in ((0, -1.0), (1, 1.0)):
        np.add.at(one, edges[:, end], sign * 0.5 * beta[:, None] * along)
        np.add.at(two, edges[:, end], sign * arc)
    balls = Moments(radius**3 / 3.0 * omega, radius**4 / 4.0 * one, radius**5 / 5.0 * two)
    parts.append(Moments(np.ones(len(at)), at, outer(at, at)).swept(balls))
    return mass_from(parts, origin)


class _Flat(NamedTuple):
    moments: Moments  # of the areas of triangles
    face: Ints  # (t,) that each is a part of


def _triangles(at: Floats, faces: Sequence[Loop], normal: Floats) -> _Flat:
    """Faces as fans of triangles from their first vertex (signed, so they need not be convex)."""
    fans = [(loop[0], loop[k], loop[k + 1], n) for n, loop in enumerate(faces) for k in range(1, len(loop) - 1)]
    i, j, k, face = np.array(fans, dtype=np.int64).T
    a, b, c = at[i], at[j], at[k]
    area = 0.5 * dot(cross(b - a, c - a), normal[face])
    s = a + b + c
    two = outer(a, a) + outer(b, b) + outer(c, c) + outer(s, s)
    return _Flat(Moments(area, area[:, None] / 3.0 * s, area[:, None, None] / 12.0 * two), face)


def _cones(flat: _Flat, height: Floats) -> Moments:
    """Moments of the cones from the origin to bases at the given (signed) heights above it."""
    base = flat.moments
    return Moments(base.zero * height / 3.0, base.one * height[:, None] / 4.0, base.two * height[:, None, None] / 5.0)


def _lines(normal: Floats, radius: float) -> Moments:
    """Moments of lines from the origin, along unit vectors (k, 3), as long as the radius."""
    count = np.full(len(normal), radius)
    return Moments(count, 0.5 * radius**2 * normal, radius**3 / 3.0 * outer(normal, normal))


def _segments(a: Floats, b: Floats, size: Floats) -> Moments:
    """Moments of segments of the given length from a to b, (m, 3) each."""
    s = a + b
    return Moments(size, 0.5 * size[:, None] * s, size[:, None, None] / 6.0 * (outer(a, a) + outer(b, b) + outer(s, s)))


def _wedges(edges: Ints, along: Floats, normal: Floats, here: Ints, ahead: Ints, face: Ints) -> tuple[Floats, Floats]:
    """Opening angles (m,) of the wedges along edges (m, 2) between the normals of their faces, and their middles (m, 3).

    The corners of all faces (`here`, the next vertex `ahead`, and the `face`) say which face goes which way along an edge.
    """
    of_side = {(a, b): k for a, b, k in zip(here.tolist(), ahead.tolist(), face.tolist(), strict=True)}
    left = normal[[of_side[a, b] for a, b in edges.tolist()]]
    right = normal[[of_side[b, a] for a, b in edges.tolist()]]
    beta = np.arctan2(length(cross(right, left)), dot(left, right))
    # near back to back, as on a plate, the sum of the normals loses its direction
    middle = np.where((beta < 2.0)[:, None], left + right, cross(along, left - right))
    return beta, middle / length(middle)[:, None]


def _sectors(beta: Floats, middle: Floats, along: Floats, radius: float) -> Moments:
    """Moments of sectors of disks, square to unit vectors `along` (m, 3), opening by beta (m,) about `middle` (m, 3)."""
    across = outer(cross(along, middle), cross(along, middle))
    sine = np.sin(beta)
    two = (beta + sine)[:, None, None] * outer(middle, middle) + (beta - sine)[:, None, None] * across
    whole = ~middle.any(axis=1)
    two[whole] = 2.0 * math.pi * (np.eye(3) - outer(along[whole], along[whole]))
    one = 2.0 / 3.0 * radius**3 * np.sin(0.5 * beta)[:, None] * middle
    return Moments(0.5 * radius**2 * beta, one, 0.125 * radius**4 * two)
