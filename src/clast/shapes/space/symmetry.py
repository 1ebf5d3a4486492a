"""Mirror planes of a skeleton square to the user's axes: they tell where the centre of mass and the principal axes lie exactly.

A mug or an L then has its principal axis square to the plane it is symmetric about, whatever the error of its weighing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clast.shapes.plane.inside import Floats, Ints
from clast.shapes.plane.validity import TOLERANCE, body_size
from clast.shapes.space.mass import SolidMass
from clast.shapes.space.surfaces.faces import Loop, area_vectors, sides
from clast.shapes.space.vectors import length


def mirrored(vertices: Floats, edges: Ints, loops: Sequence[Loop], axis: int) -> bool:
    """Whether the skeleton is its own mirror image in the plane through its middle square to x, y or z (axis 0, 1, 2)."""
    from scipy.spatial import cKDTree  # slow to import, and a run in the plane does not need it

    image = vertices.copy()
    image[:, axis] = vertices[:, axis].min() + vertices[:, axis].max() - vertices[:, axis]
    gap, partner = cKDTree(vertices).query(image)
    if gap.max() > TOLERANCE * body_size(vertices, 0.0) or len(set(partner.tolist())) < len(vertices):
        return False
    joined, real = _drawn_faces(vertices, edges, loops)
    same_edges = {frozenset(edge) for edge in real} == {frozenset(partner[list(edge)].tolist()) for edge in real}
    return same_edges and set(joined) == {frozenset(partner[list(face)].tolist()) for face in joined}


def _drawn_faces(vertices: Floats, edges: Ints, loops: Sequence[Loop]) -> tuple[list[frozenset[int]], list[tuple[int, int]]]:
    """Plane faces, each as its vertices, and the edges of the skeleton, as if no face had been cut: a ring is one face."""
    area = area_vectors(vertices, loops) if loops else np.zeros((0, 3))
    normal = area / length(area)[:, None]
    owner = {side: k for k, loop in enumerate(loops) for side in sides(loop)}
    group = list(range(len(loops)))  # leads, step by step, to the face that stands for all of a plane

    def stands_for(k: int) -> int:
        while group[k] != k:
            group[k] = k = group[group[k]]
        return k

    real: list[tuple[int, int]] = []
    for a, b in edges.tolist():
        one, other = owner.get((a, b)), owner.get((b, a))
        if one is None or other is None or normal[one] @ normal[other] < 1.0 - 1e-12:
            real.append((a, b))
        else:
            group[stands_for(other)] = stands_for(one)
    faces: dict[int, set[int]] = {}
    for k, loop in enumerate(loops):
        faces.setdefault(stands_for(k), set()).update(loop)
    return [frozenset(face) for face in faces.values()], real


def symmetrised(mass: SolidMass, vertices: Floats, edges: Ints, loops: Sequence[Loop]) -> SolidMass:
    """The mass properties with what the mirror planes of the skeleton demand: centroid in the plane, no products across it."""
    centroid, inertia = mass.centroid.copy(), mass.inertia.copy()
    for axis in range(3):
        if np.ptp(vertices[:, axis]) == 0.0 or mirrored(vertices, edges, loops, axis):
            centroid[axis] = 0.5 * (vertices[:, axis].min() + vertices[:, axis].max())
            for other in range(3):
                if other != axis:
                    inertia[axis, other] = inertia[other, axis] = 0.0
    return SolidMass(mass.volume, centroid, inertia, mass.error)
