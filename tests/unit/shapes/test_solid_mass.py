"""Mass properties of solids: Steiner's formula, closed forms, and two ways to weigh against each other."""

import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.stats import qmc

from clast.algebra.quaternions import about, matrix
from clast.shapes import capsule, cross, cuboid, hull, plate, prism, sphere, sphere_clump, tetrahedron
from clast.shapes.space.mass import convex_mass
from clast.shapes.space.union import union_mass

L_OUTLINE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]


def rock(seed, radius=0.2, count=14):
    return hull(np.random.default_rng(seed).normal(size=(count, 3)), radius)


CONVEX = {
    "sphere": lambda: sphere(0.5),
    "capsule": lambda: capsule(2.0, 0.5),
    "slanting capsule": lambda: capsule(ends=[(0, 0, 0), (1, 2, 3)], radius=0.4),
    "plate": lambda: plate([(0, 0, 0), (1, 0, 0), (0, 1, 0.5)], 0.2),
    "square plate": lambda: plate([(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], 0.3),
    "tetrahedron": lambda: tetrahedron(1.0, 0.1),
    "cuboid": lambda: cuboid((1, 2, 3), 0.25),
    "rock": lambda: rock(1),
}


def loops_of(solid):
    return [tuple(loop.tolist()) for loop in solid.faces]


@pytest.mark.parametrize("seed", range(8))
def test_steiners_formula(seed):
    points = np.random.default_rng(seed).normal(size=(12, 3))
    radius = 0.05 * (seed + 1)
    bare = ConvexHull(points)
    turn = 0.0  # ½ Σ length × angle between the normals: each edge of the hull is seen from both of its triangles
    for k, others in enumerate(bare.neighbors):
        for j in others:
            shared = np.intersect1d(bare.simplices[k], bare.simplices[j])
            angle = math.acos(min(1.0, max(-1.0, float(bare.equations[k, :3] @ bare.equations[j, :3]))))
            turn += 0.25 * angle * np.linalg.norm(points[shared[0]] - points[shared[1]])
    steiner = bare.volume + bare.area * radius + turn * radius**2 + 4.0 / 3.0 * math.pi * radius**3
    assert hull(points, radius).volume == pytest.approx(steiner, rel=1e-12)


def test_closed_forms():
    ball = sphere(0.5)
    assert ball.volume == pytest.approx(math.pi / 6.0, rel=1e-14)
    assert ball.inertia == pytest.approx([8.0 / 15.0 * math.pi * 0.5**5] * 3, rel=1e-14)
    r, length = 0.5, 2.0
    rod = capsule(length, r)
    middle, caps = math.pi * r**2 * length, 4.0 / 3.0 * math.pi * r**3
    assert rod.volume == pytest.approx(middle + caps, rel=1e-14)
    across = middle * (length**2 / 12.0 + r**2 / 4.0) + caps * (0.4 * r**2 + length**2 / 4.0 + 3.0 / 8.0 * length * r)
    assert rod.inertia == pytest.approx([0.5 * middle * r**2 + 0.4 * caps * r**2, across, across], rel=1e-13)
    # a box with hardly any rounding
    box = cuboid((1.0, 2.0, 3.0), 1e-9)
    assert box.inertia == pytest.approx([6.5, 5.0, 2.5], rel=1e-7)
    assert box.volume == pytest.approx(6.0, rel=1e-7)


@pytest.mark.parametrize("name", CONVEX)
def test_closed_form_against_lines_through_the_body(name):
    solid = CONVEX[name]()
    lines = union_mass(solid.vertices, solid.edges, loops_of(solid), solid.radius, closed=solid.is_closed, lines=192)
    assert solid.mass_error == 0.0
    assert 1e-7 < lines.error < 1e-3
    assert lines.volume == pytest.approx(solid.volume, rel=lines.error)
    assert np.abs(lines.centroid).max() < lines.error * solid.reach
    assert np.abs(lines.inertia - np.diag(solid.inertia)).max() < lines.error * solid.inertia.max()


def test_both_against_counting_points_inside():
    """GM09's quasi-Monte-Carlo, by the public test for a point in a solid."""
    for solid in (rock(2), prism(L_OUTLINE, 1.0, 0.2), plate([(0, 0, 0), (1, 0, 0), (0, 1, 0)], 0.2)):
        low, high = solid.vertices.min(axis=0) - solid.radius, solid.vertices.max(axis=0) + solid.radius
        points = low + (high - low) * qmc.Halton(3, scramble=False).random(1 << 14)
        hit = points[solid.contains(points)]
        weight = np.prod(high - low) / len(points)
        assert weight * len(hit) == pytest.approx(solid.volume, rel=3e-3)
        assert np.abs(hit.mean(axis=0)).max() < 3e-3 * solid.reach
        spread = weight * hit.T @ hit
        tensor = np.trace(spread) * np.eye(3) - spread
        assert np.abs(tensor - np.diag(solid.inertia)).max() < 6e-3 * solid.inertia.max()


def test_a_rounded_l_against_its_formula():
    """An L-shaped prism with one notch: in the plane its offset is A + P s + (5π/4 − 1) s², in space slices of that."""
    r, height, area, round_it = 0.3, 1.5, 3.0, 8.0
    solid = prism(L_OUTLINE, height, r)
    corners = 5.0 * math.pi / 4.0 - 1.0
    flat = area + round_it * r + corners * r**2
    caps = 2.0 * (area * r + round_it * math.pi * r**2 / 4.0 + corners * 2.0 / 3.0 * r**3)
    exact = height * flat + caps
    assert 0.0 < abs(solid.volume / exact - 1.0) < solid.mass_error < 5e-5
    assert solid.centre[2] == 0.0  # its mirror plane
    assert solid.centre[0] == pytest.approx(solid.centre[1], rel=1e-5)


def test_overlapping_balls_count_once():
    apart = sphere_clump([(0, 0, 0), (3, 0, 0)], 1.0)
    assert apart.volume == pytest.approx(8.0 / 3.0 * math.pi, rel=2e-5)
    near = sphere_clump([(0, 0, 0), (1, 0, 0)], 1.0)
    lens = math.pi / 12.0 * (4.0 + 1.0) * (2.0 - 1.0) ** 2
    assert near.volume == pytest.approx(8.0 / 3.0 * math.pi - lens, rel=2e-5)


def test_mirror_planes_are_found_wherever_they_lie():
    three = sphere_clump([(1, 2, 3), (2, 2, 3), (1.5, 3, 3)], 0.4)
    assert (three.centre[0], three.centre[2]) == (1.5, 3.0)
    assert three.centre[1] == pytest.approx(7.0 / 3.0, rel=1e-5)
    assert three.orientation.tolist() == [1.0, 0.0, 0.0, 0.0]
    askew = sphere_clump([(1, 2, 3), (2, 2, 3), (1.6, 3, 3)], 0.4)
    assert askew.centre[0] != 1.5 and askew.centre[2] == 3.0


@pytest.mark.parametrize("seed", range(3))
def test_moved_and_turned_it_weighs_the_same(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(12, 3))
    turn = matrix(about(rng.normal(size=3), rng.uniform(0, 3)))
    one, other = hull(points, 0.3), hull(points @ turn.T + (100.0, -50.0, 20.0), 0.3)
    assert other.volume == pytest.approx(one.volume, rel=1e-12)
    assert sorted(other.inertia) == pytest.approx(sorted(one.inertia), rel=1e-11)
    assert np.allclose(other.centre, turn @ one.centre + (100.0, -50.0, 20.0), atol=1e-12)
    assert other.reach == pytest.approx(one.reach, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_body_frame_is_the_principal_frame(seed):
    solid = rock(seed)
    mass = convex_mass(solid.vertices, solid.edges, loops_of(solid), solid.radius)
    assert np.abs(mass.centroid).max() < 1e-14
    assert np.abs(mass.inertia - np.diag(solid.inertia)).max() < 1e-13 * solid.inertia.max()
    assert np.linalg.det(matrix(solid.orientation)) == pytest.approx(1.0)
    # no axis is farther from the user's than it must be: the diagonal is the largest that a swap of two can make
    turn = np.abs(matrix(solid.orientation))
    assert all(turn[i, i] + turn[j, j] >= turn[i, j] + turn[j, i] - 1e-9 for i in range(3) for j in range(i))


def test_bodies_without_a_preferred_frame_keep_the_users_axes():
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) @ matrix(about((1, 2, 3), 0.7)).T
    turned = hull(corners, 0.1)
    for solid in (cuboid(1.0, 0.1), sphere(1.0), tetrahedron(1.0, 0.1), turned, cross(0.5, 0.5, 0.1)):
        assert solid.orientation.tolist() == [1.0, 0.0, 0.0, 0.0]
        assert solid.inertia[0] == solid.inertia[1] == solid.inertia[2]
    # one axis is its own, the two others are free
    post = cuboid((1.0, 1.0, 3.0), 0.1)
    assert post.orientation.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert post.inertia[0] == post.inertia[1] > post.inertia[2]
    brick = cuboid((3.0, 1.0, 2.0), 0.1)
    assert brick.orientation.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert brick.inertia[0] < brick.inertia[2] < brick.inertia[1]
