"""Distances of skeletons in space: those one can work out, those of random hulls, and the ball inside a grain."""

import numpy as np
import pytest
from scipy.optimize import nnls
from space_forms import ball_like, cross_faces

from clast.algebra.quaternions import IDENTITY, about, random_turns
from clast.packing.space.distance import Skeleton, distance, inner_radius, skeleton_of, slab
from clast.shapes.space.make import capsule, cuboid, hull, plate, sphere, tetrahedron


def at(solid, position=(0.0, 0.0, 0.0), orientation=IDENTITY):
    return skeleton_of(solid).placed(np.array(position), np.array(orientation))


def cross_skeleton():
    vertices, faces = cross_faces()
    triangles = np.array([three for a, b, c, d in faces for three in ((a, b, c), (a, c, d))])
    sides = {tuple(sorted(side)) for face in faces for side in zip(face, face[1:] + face[:1], strict=True)}
    first = vertices[triangles[:, 0]]
    normals = np.cross(vertices[triangles[:, 1]] - first, vertices[triangles[:, 2]] - first)
    return Skeleton(vertices, np.array(sorted(sides)), triangles, normals, True)


def hull_distance(a, b):
    """Of two convex hulls, as a least-squares problem with weights that are not negative."""
    big = 1e4
    rows = np.block([[a.T, -b.T], [big * np.ones(len(a)), np.zeros(len(b))], [np.zeros(len(a)), big * np.ones(len(b))]])
    return nnls(rows, np.array([0.0, 0.0, 0.0, big, big]))[1]


def test_distances_one_can_work_out():
    cube = cuboid(1.0, 0.1)
    assert distance(at(cube), at(cube, (1.25, 0.3, 0.0))) == pytest.approx(0.25)  # two faces
    assert slab(at(cube), at(cube, (1.25, 0.3, 0.0))) == pytest.approx(0.25)
    corner, *face = skeleton_of(tetrahedron(1.0, 0.1)).vertices
    over = at(sphere(0.1), 0.6 * face[0] + 0.2 * face[1] + 0.2 * face[2] - 0.2 * corner / np.linalg.norm(corner))
    for pair in ((over, at(tetrahedron(1.0, 0.1))), (at(tetrahedron(1.0, 0.1)), over)):  # a face of either
        assert slab(*pair) == pytest.approx(0.2)
    assert distance(at(cube), at(cube, (1.5, 2.0, 3.0))) == pytest.approx(np.sqrt(0.25 + 1.0 + 4.0))  # two corners
    tilted = about((0.0, 0.0, 1.0), np.pi / 4), about((0.0, 1.0, 0.0), np.pi / 4)
    edges = at(cube, orientation=tilted[0]), at(cube, (np.sqrt(2.0) + 0.2, 0.0, 0.0), tilted[1])
    assert distance(*edges) == pytest.approx(0.2)  # two edges that cross
    assert distance(at(cube), at(sphere(0.2), (0.0, 0.0, 0.7))) == pytest.approx(0.2)
    assert distance(at(capsule(2.0, 0.1)), at(capsule(2.0, 0.1), (0.3, 0.4, 0.0))) == pytest.approx(0.4)  # parallel
    assert distance(at(plate([(0, 0, 0), (1, 0, 0), (0, 1, 0)], 0.1)), at(sphere(1.0), (0.0, 0.0, 0.3))) == pytest.approx(0.3)


def test_skeletons_that_cross_or_hold_each_other_have_none():
    cube, small, bar = cuboid(1.0, 0.1), cuboid(0.2, 0.01), cuboid((3.0, 0.2, 0.2), 0.01)
    assert distance(at(cube), at(small)) == distance(at(small), at(cube)) == 0.0  # inside
    assert distance(at(cube), at(bar)) == 0.0  # right through the middle, where two triangles of a face meet
    assert distance(at(cube), at(capsule(3.0, 0.1))) == 0.0
    assert distance(at(cube), at(cube, (0.9, 0.9, 0.9))) == 0.0
    notch = at(small, (0.9, 0.9, 0.9))  # between the arms of the cross, inside its hull
    assert distance(cross_skeleton(), notch) == pytest.approx(0.3 * np.sqrt(2.0))
    assert slab(cross_skeleton(), notch) < 0.3


def test_distance_of_random_hulls():
    rng = np.random.default_rng(1)
    met = 0
    some = [hull(ball_like(k, 7 + k), 0.1) for k in range(4)]
    for k in range(40):
        a, b = at(some[k % 4]), at(some[k // 4 % 4], rng.uniform(-2.0, 2.0, 3), random_turns(rng, 1)[0])
        want = hull_distance(a.vertices, b.vertices)
        assert distance(a, b) == pytest.approx(want, abs=1e-6)
        assert slab(a, b) <= want + 1e-6
        met += want > 1e-6
    assert 10 < met < 38


def test_ball_inside_a_grain():
    for solid, want in ((cuboid(1.0, 0.1), 0.6), (sphere(0.3), 0.3), (capsule(1.0, 0.2), 0.2)):
        assert inner_radius(solid, skeleton_of(solid)) == pytest.approx(want)
    assert inner_radius(sphere(0.2), cross_skeleton()) == pytest.approx(0.2 + np.sqrt(0.5))
    aside = skeleton_of(capsule(1.0, 0.2)).shifted(np.array([0.0, 0.3, 0.0]))
    assert inner_radius(sphere(0.2), aside) == 0.0  # the centre is outside the grain
