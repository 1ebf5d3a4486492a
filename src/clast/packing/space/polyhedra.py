"""Convex polyhedra as intersections of half-spaces: their corners and edges, how thick they are, what they measure.

A cell of a Voronoi diagram is given by the planes half-way to its neighbours. To erode it by a ball of radius d is to move all
planes inwards by d (PRE10 §II, in space); a face that d takes away gives way to its neighbours by itself, because corners are
found anew from the planes that are left.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.spatial import HalfspaceIntersection, QhullError

from clast.packing.plane.erosion import Floats, Ints

SAME = 1e-11  # of the size: corners nearer than that are one
ON = 4e-11  # of the size: a corner as near to a plane as that lies on it
DEEP = 1e-3  # of the usual distance of a plane: a point less deep inside is no good to look round from
MERGES = 50  # edges of one polyhedron that may be merged


class HalfSpaces(NamedTuple):
    """All x with normal·x ≤ distance for every plane."""

    normals: Floats  # (f, 3) outward unit vectors
    distances: Floats  # (f,) length; positive where the origin lies inside

    def moved(self, depth: float) -> HalfSpaces:
        """All planes moved inwards by `depth` (length): erosion by a ball of that radius."""
        return HalfSpaces(self.normals, self.distances - depth)

    def margin(self, point: Floats) -> float:
        """Distance (length) from a point (3,) to the nearest plane; negative outside."""
        return float((self.distances - self.normals @ point).min())


class Polyhedron(NamedTuple):
    """A convex polyhedron with its planes, of which every one has a face."""

    spaces: HalfSpaces  # (f,) its faces
    corners: Floats  # (c, 3)
    on: NDArray[np.bool_]  # (c, f) which corner lies on which face
    edges: Ints  # (e, 2) numbers of corners
    sides: Ints  # (e, 2) numbers of the two faces that meet there; seen from outside, the first has the edge counter-clockwise

    @property
    def lengths(self) -> Floats:
        """(e,) of the edges."""
        step = self.corners[self.edges[:, 1]] - self.corners[self.edges[:, 0]]
        return np.sqrt((step**2).sum(axis=1))

    @property
    def areas(self) -> Floats:
        """(f,) of the faces, length²."""
        # a face is the sum of the triangles from the origin's foot on it to its edges: of these the plane's part is needed only
        turn = np.cross(self.corners[self.edges[:, 0]], self.corners[self.edges[:, 1]])
        first, second = self.sides[:, 0], self.sides[:, 1]
        count = len(self.spaces.distances)
        ahead = np.bincount(first, (turn * self.spaces.normals[first]).sum(axis=1), count)
        back = np.bincount(second, (turn * self.spaces.normals[second]).sum(axis=1), count)
        return np.asarray(0.5 * (ahead - back), dtype=np.float64)

    @property
    def loops(self) -> list[tuple[int, ...]]:
        """The faces as loops of corners, counter-clockwise seen from outside."""
        after: list[dict[int, int]] = [{} for _ in self.spaces.distances]
        for (u, v), (first, second) in zip(self.edges.tolist(), self.sides.tolist(), strict=True):
            after[first][u], after[second][v] = v, u
        found = []
        for ahead in after:
            loop = [min(ahead)]
            while (corner := ahead[loop[-1]]) != loop[0]:
                loop.append(corner)
            found.append(tuple(loop))
        return found

    def measures(self) -> Floats:
        """(4,) volume, surface, bend and 4π/3: times 1, R, R², R³ they add up to the volume of polyhedron ⊕ ball (Steiner).

        The bend is ½ Σ length × angle between the normals, over all edges.
        """
        areas = self.areas
        m, n = self.spaces.normals[self.sides[:, 0]], self.spaces.normals[self.sides[:, 1]]
        angles = np.arctan2(np.linalg.norm(np.cross(m, n), axis=1), (m * n).sum(axis=1))
        volume = math.fsum(self.spaces.distances * areas) / 3.0
        return np.array([volume, math.fsum(areas), 0.5 * math.fsum(self.lengths * angles), 4.0 * math.pi / 3.0])


def deepest(spaces: HalfSpaces) -> tuple[Floats, float]:
    """Centre (3,) and radius of the largest ball inside, by a linear programme; the radius is negative where nothing is inside.

    The planes must bound that ball.
    """
    unit = _unit(spaces.distances)
    rows = np.column_stack([spaces.normals, np.ones(len(spaces.normals))])
    free = [(None, None)] * 4
    found = linprog([0.0, 0.0, 0.0, -1.0], A_ub=rows, b_ub=spaces.distances / unit, bounds=free, method="highs-ds")
    return found.x[:3] * unit, float(found.x[3]) * unit


def polyhedron(spaces: HalfSpaces, inside: Floats) -> Polyhedron | None:
    """Corners and edges of an intersection of half-spaces that is bounded; planes without a face are left out.

    `inside` (3,) is a guess of a point well inside; where it is not, one is looked for. None where nothing is left.
    """
    unit = _unit(spaces.distances)
    normals, distances = spaces.normals, spaces.distances / unit
    point = np.asarray(inside, dtype=np.float64) / unit
    if float((distances - normals @ point).min()) < DEEP:
        centre, radius = deepest(HalfSpaces(normals, distances))
        if radius <= SAME:
            return None
        point = centre
    try:
        found = HalfspaceIntersection(np.column_stack([normals, -distances]), point).intersections
    except QhullError:  # flat to rounding
        return None
    corners = _apart(found[np.isfinite(found).all(axis=1)])
    size = float(np.ptp(corners, axis=0).max())
    on = np.abs(corners @ normals.T - distances) <= ON * size
    faces = on.sum(axis=0) >= 3
    on = on[:, faces]
    chosen = on.sum(axis=1) >= 3
    on, corners = on[chosen], corners[chosen]
    normals, distances = normals[faces], distances[faces]
    shared = on.astype(np.int64) @ on.T.astype(np.int64)
    first, second = np.nonzero(np.triu(shared >= 2, 1))  # two corners with two common faces are the ends of an edge
    both = on[first] & on[second]
    one = both.argmax(axis=1)
    both[np.arange(one.size), one] = False
    other = both.argmax(axis=1)
    along = (np.cross(normals[one], normals[other]) * (corners[second] - corners[first])).sum(axis=1)
    swap = along < 0.0
    edges = np.where(swap[:, None], np.stack([second, first], axis=1), np.stack([first, second], axis=1))
    return Polyhedron(HalfSpaces(normals, distances * unit), corners * unit, on, edges, np.stack([one, other], axis=1))


def without_short_edges(solid: Polyhedron, shortest: float) -> tuple[Polyhedron, int, float]:
    """The polyhedron without edges shorter than `shortest` (length), how many were merged, and how far a face was moved at most.

    The faces at one end of an edge are moved inwards until they pass through its other end; so the two corners become one,
    faces stay plane, and the new polyhedron lies inside the old one. The shortest edge goes first, and no face is moved by
    more than the length of the edge at a time. Of the two ends the one goes whose faces are at no corner made so before
    (moving such a face would part that corner again), then the one that needs less. A polyhedron that is not much larger than
    `shortest`, or in which moving one face after the other comes to no end, is returned as it was.
    """
    now, merged = solid, 0
    start = {tuple(n): h for n, h in zip(solid.spaces.normals.tolist(), solid.spaces.distances.tolist(), strict=True)}
    while (lengths := now.lengths).min() < shortest:
        u, v = now.edges[lengths.argmin()]
        choices = []
        for here, there in ((u, v), (v, u)):
            faces = np.flatnonzero(now.on[here] & ~now.on[there])
            others = np.delete(now.on, [u, v], axis=0)
            joined = bool(others[others.sum(axis=1) > 3][:, faces].any())
            moved = now.spaces.normals[faces] @ now.corners[there]
            way = float((now.spaces.distances[faces] - moved).max(initial=0.0))
            choices.append((joined, way, here, faces, moved))
        _, way, _, faces, moved = min(choices, key=lambda choice: choice[:3])
        distances = now.spaces.distances.copy()
        distances[faces] = moved
        smaller = polyhedron(HalfSpaces(now.spaces.normals, distances), now.corners.mean(axis=0))
        if smaller is None or len(smaller.corners) < 4 or way == 0.0 or merged == MERGES:
            return solid, 0, 0.0
        now, merged = smaller, merged + 1
    ways = [start[tuple(n)] - h for n, h in zip(now.spaces.normals.tolist(), now.spaces.distances.tolist(), strict=True)]
    return now, merged, max(ways)


def _apart(points: Floats) -> Floats:
    """The points (n, 3) without those that are the same as an earlier one."""
    step = points[:, None, :] - points[None, :, :]
    near = (step**2).sum(axis=2) <= (SAME * float(np.ptp(points, axis=0).max())) ** 2
    return points[near.argmax(axis=1) == np.arange(len(points))]


def _unit(distances: Floats) -> float:
    """A power of two of the size of most distances: lengths divided by it lose no bit, and tolerances elsewhere are absolute."""
    usual = float(np.median(np.abs(distances)))
    return 2.0 ** math.floor(math.log2(usual)) if usual > 0.0 else 1.0
