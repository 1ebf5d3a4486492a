"""Mirror planes of a skeleton square to the user's axes: they tell where the centre of mass and the principal axes lie exactly.

A mug or an L then has its principal axis square to the plane it is symmetric about, whatever the error of its weighing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clast.shapes.inside import Floats, Ints
from clast.shapes.solid_faces import Loop
from clast.shapes.solid_mass import SolidMass
from clast.shapes.validity import TOLERANCE, body_size


def mirrored(vertices: Floats, edges: Ints, loops: Sequence[Loop], axis: int) -> bool:
    """Whether the skeleton is its own mirror image in the plane through its middle square to x, y or z (axis 0, 1, 2)."""
    from scipy.spatial import cKDTree  # slow to import, and a run in the plane does not need it

    image = vertices.copy()
    image[:, axis] = vertices[:, axis].min() + vertices[:, axis].max() - vertices[:, axis]
    gap, partner = cKDTree(vertices).query(image)
    if gap.max() > TOLERANCE * body_size(vertices, 0.0) or len(set(partner.tolist())) < len(vertices):
        return False
    if {frozenset(edge) for edge in edges.tolist()} != {frozenset(edge) for edge in partner[edges].tolist()}:
        return False
    # a face is known by its vertices: two with the same ones would be a plate drawn twice
    return {frozenset(loop) for loop in loops} == {frozenset(partner[list(loop)].tolist()) for loop in loops}


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
