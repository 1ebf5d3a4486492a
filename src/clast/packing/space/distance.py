"""How far apart two solids are, for placing them: the distance of their skeletons, any shape, and cheaper bounds of it.

Two grains overlap where their skeletons are nearer than r_i + r_j. Most pairs are decided by balls round the grains, by balls
inside them, or by a slab between them; what is left is measured feature by feature. None of this is used while a scene runs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clast.algebra.quaternions import matrix
from clast.packing.plane.erosion import Floats, Ints
from clast.shapes.space.solid import Solid
from clast.shapes.space.surfaces.faces import plane_of, triangulated
from clast.shapes.space.surfaces.inside import distance_to_skeleton, in_surface
from clast.shapes.space.vectors import cross, dot

NO_WAY = 1e-14  # of the product of two squared lengths: edges with a smaller cross product are parallel


class Skeleton(NamedTuple):
    """A skeleton somewhere in the world: lengths, one unit."""

    vertices: Floats  # (n, 3)
    edges: Ints  # (m, 2)
    triangles: Ints  # (t, 3) the faces cut up
    normals: Floats  # (f, 3) of the faces, outward
    closed: bool  # it has an inside

    def placed(self, position: Floats, orientation: Floats) -> Skeleton:
        """The skeleton turned by a quaternion (4,) and moved by `position` (3,)."""
        turn = matrix(orientation).T
        return self._replace(vertices=self.vertices @ turn + position, normals=self.normals @ turn)

    def shifted(self, by: Floats) -> Skeleton:
        """The skeleton moved by a vector (3,)."""
        return self._replace(vertices=self.vertices + by)


def skeleton_of(solid: Solid) -> Skeleton:
    """The skeleton in the body frame."""
    triangles, _ = triangulated(solid.vertices, solid.faces)
    normals = np.array([plane_of(solid.vertices, loop.tolist())[1] for loop in solid.faces]).reshape(-1, 3)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Skeleton(solid.vertices, solid.edges, triangles, normals, solid.is_closed)


def inner_radius(solid: Solid, bones: Skeleton) -> float:
    """Radius of a ball about the centre of mass that lies in the grain, length; 0 where that centre is outside the grain."""
    centre = np.zeros((1, 3))
    away = float(distance_to_skeleton(centre, bones.vertices, bones.edges, bones.triangles)[0])
    if bones.closed and in_surface(centre, bones.vertices, bones.triangles)[0]:
        return solid.radius + away
    return max(0.0, solid.radius - away)


def slab(a: Skeleton, b: Skeleton) -> float:
    """Width of the widest slab, of some, between two skeletons (length): their distance is at least that. Negative if none.

    Tried are the directions of all faces and of the line between the middles. Where a corner is nearest to a face of a convex
    grain, as between cells of a diagram, the slab is the distance.
    """
    middle = b.vertices.mean(axis=0) - a.vertices.mean(axis=0)
    length = float(np.sqrt(middle @ middle))
    ahead = np.concatenate([a.normals, -b.normals, (middle / length if length > 0.0 else middle)[None]])
    return float(((b.vertices @ ahead.T).min(axis=0) - (a.vertices @ ahead.T).max(axis=0)).max())


def distance(a: Skeleton, b: Skeleton) -> float:
    """Of two skeletons, length; 0 where they cross or one is inside the other."""
    if _pierced(a, b) or _pierced(b, a) or _within(a, b) or _within(b, a):
        return 0.0
    least = float(distance_to_skeleton(a.vertices, b.vertices, b.edges, b.triangles).min())
    least = min(least, float(distance_to_skeleton(b.vertices, a.vertices, a.edges, a.triangles).min()))
    return min(least, _between_edges(a, b))


def clear(a: Skeleton, b: Skeleton, wanted: float) -> bool:
    """Whether two skeletons are at least `wanted` (length) apart; at 0 they may not even touch, for then they may overlap."""
    return slab(a, b) >= wanted or ((apart := distance(a, b)) > 0.0 and apart >= wanted)


def _between_edges(a: Skeleton, b: Skeleton) -> float:
    """Smallest distance of two edges where both closest points lie between the ends; inf if there are none.

    Where a closest point is an end, the vertex there has seen it.
    """
    if not (len(a.edges) and len(b.edges)):
        return np.inf
    p, q = a.vertices[a.edges[:, 0]][:, None], b.vertices[b.edges[:, 0]][None]
    u, v = a.vertices[a.edges[:, 1]][:, None] - p, b.vertices[b.edges[:, 1]][None] - q
    across = cross(u, v)
    square, uu, vv = dot(across, across), dot(u, u), dot(v, v)
    crossing = square > NO_WAY * uu * vv
    rel = q - p
    over = np.where(crossing, square, 1.0)
    s, t = dot(cross(rel, v), across) / over, dot(cross(rel, u), across) / over
    between = crossing & (s > 0.0) & (s < 1.0) & (t > 0.0) & (t < 1.0)
    return float(np.where(between, np.abs(dot(rel, across)) / np.sqrt(over), np.inf).min())


def _pierced(a: Skeleton, b: Skeleton) -> bool:
    """Whether an edge of one skeleton goes through a face of the other."""
    if not (len(a.edges) and len(b.triangles)):
        return False
    start, end = a.vertices[a.edges[:, 0]][:, None], a.vertices[a.edges[:, 1]][:, None]
    p, q, r = (b.vertices[b.triangles[:, k]][None] for k in range(3))
    normal = cross(q - p, r - p)
    before, after = dot(start - p, normal), dot(end - p, normal)
    across = (before > 0.0) != (after > 0.0)
    if not across.any():
        return False
    way = end - start
    turns = np.stack([dot(cross(other - one, one - start), way) for one, other in ((p, q), (q, r), (r, p))])
    # a way through the line between two triangles of one face counts for both
    return bool((across & ((turns >= 0.0).all(axis=0) | (turns <= 0.0).all(axis=0))).any())


def _within(a: Skeleton, b: Skeleton) -> bool:
    """Whether the first skeleton, known not to cross the other, has a part inside it."""
    return b.closed and bool(in_surface(a.vertices, b.vertices, b.triangles).any())
