"""Meshes with fewer vertices, and meshes moved inwards: the two steps from a surface in a file to a skeleton."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from types import ModuleType

import numpy as np

from clast.errors import InputError
from clast.shapes.plane.inside import Floats, Ints
from clast.shapes.space.surfaces.faces import Loop, triangulated
from clast.shapes.space.vectors import corner_angles, cross, length, outer

_HASTE = (7, 6, 5, 4)  # how boldly edges are collapsed; which leaves the best triangles differs from mesh to mesh


def tools() -> tuple[ModuleType, ModuleType]:
    """The modules trimesh and fast_simplification, or InputError with the command that installs them."""
    try:
        import fast_simplification  # type: ignore[import-untyped]
        import trimesh
    except ImportError:
        raise InputError('grains from mesh files need trimesh: pip install "clast[mesh]"') from None
    return trimesh, fast_simplification


def welded(points: Floats, triangles: Ints) -> tuple[Floats, list[Loop]]:
    """One vertex for all in exactly the same place (an STL file repeats them for every face), unused ones left out."""
    _, first, number = np.unique(points[triangles.ravel()], axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    corners = rank[number.reshape(-1)].reshape(-1, 3)
    return points[triangles.ravel()][first[order]], [(a, b, c) for a, b, c in corners.tolist()]


def simplified(points: Floats, triangles: Ints, budget: int) -> Iterator[tuple[Floats, list[Loop]]]:
    """The surface with at most `budget` vertices, edges collapsed by quadric errors, in one way after the other."""
    _, fast_simplification = tools()
    unit = 2.0 ** math.frexp(float(np.ptp(points, axis=0).max()))[1]
    middle = points.mean(axis=0)
    for share, haste in itertools.product((1.0, 0.95, 0.9), _HASTE):
        target = int(share * (2 * budget - 4))  # faces of a closed surface without handles
        while target >= 4:
            few, corners = fast_simplification.simplify((points - middle) / unit, triangles, target_count=target, agg=haste)
            if len(np.unique(corners)) <= budget:
                yield welded(np.asarray(few, dtype=np.float64) * unit + middle, np.asarray(corners, dtype=np.int64))
                break
            if len(corners) > target + 2:
                break  # it will not go so far
            target = min(target - 2, int(0.95 * target))


def moved_in(vertices: Floats, loops: Sequence[Loop], distance: float) -> Floats:
    """The vertices (n, 3) moved so that every face at them moves inwards by `distance`, as nearly as all of them can.

    At a corner of three faces exactly; where more meet, or nearly flat ones, by least squares, larger angles counting more.
    """
    triangles, _ = triangulated(vertices, loops)
    corners = vertices[triangles]
    area = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal = area / length(area)[:, None]
    angle = corner_angles(corners)
    square = np.zeros((len(vertices), 3, 3))
    right = np.zeros((len(vertices), 3))
    for k in range(3):
        np.add.at(square, triangles[:, k], angle[:, k, None, None] * outer(normal, normal))
        np.add.at(right, triangles[:, k], -distance * angle[:, k, None] * normal)
    used = np.unique(triangles)
    moved = vertices.copy()
    # directions in which the faces are flat to a degree or so say nothing, and the vertex is not moved that way
    moved[used] += np.einsum("nij,nj->ni", np.linalg.pinv(square[used], rcond=3e-4, hermitian=True), right[used])
    return moved
