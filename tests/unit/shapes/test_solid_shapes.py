"""Solids: what they store, how faces are joined, what is inside, how thin they are, and how they scale."""

import math
import warnings

import numpy as np
import pytest

from clast.algebra.quaternions import about, matrix
from clast.errors import ShapeError
from clast.shapes import (
    ThinShapeWarning,
    capsule,
    cuboid,
    describe_solid,
    drum,
    hull,
    mesh,
    plate,
    prism,
    shell,
    sphere,
    sphere_clump,
    tetrahedron,
)
from clast.shapes.space.surfaces.faces import area_vectors, merged, triangulated
from clast.shapes.space.vectors import cross, length

CUBE = np.array([(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
CUBE_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
L_OUTLINE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]


def fine_cube(n):
    """The unit cube with n × n × 2 triangles on every side, as vertices and faces."""
    number, faces = {}, []
    for axis in range(3):
        for up in (0, 1):
            for i in range(n):
                for j in range(n):
                    corner = []
                    for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        at = [0, 0, 0]
                        at[axis], at[(axis + 1) % 3], at[(axis + 2) % 3] = up * n, i + a, j + b
                        corner.append(number.setdefault(tuple(at), len(number)))
                    p, q, r, s = corner if up else corner[::-1]
                    faces += [(p, q, r), (p, r, s)]
    return np.array(list(number)) / n, faces


def ring(n):
    """A square ring of height 1 (2 × 2 with a hole of 1 × 1), its flat sides cut into n × 4 pieces."""
    outer = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    flat = [(scale * x, scale * y) for scale in (1.0, 0.5) for x, y in outer]
    vertices = [(x, y, z) for z in (0.0, 1.0) for x, y in flat]
    faces = []
    for k in range(4):
        j = (k + 1) % 4
        faces += [(k, j, 8 + j, 8 + k), (4 + j, 4 + k, 12 + k, 12 + j)]
        faces += [(8 + k, 8 + j, 12 + j, 12 + k), (k, 4 + k, 4 + j, j)]
    return vertices, faces[:n]


def test_a_cube_is_a_cube_however_it_is_drawn():
    drawn = [cuboid(1.0, 0.1), mesh(CUBE, CUBE_FACES, 0.1), mesh(*fine_cube(3), 0.1), hull(fine_cube(2)[0], 0.1)]
    for solid in drawn:
        assert (len(solid.vertices), len(solid.edges), len(solid.faces)) == (8, 12, 6)
        assert sorted(len(loop) for loop in solid.faces) == [4] * 6
        assert sorted(map(tuple, np.round(solid.vertices, 12))) == sorted(map(tuple, CUBE - 0.5))
        assert solid.is_closed
        assert solid.volume == pytest.approx(drawn[0].volume, rel=1e-14)


def test_faces_go_round_counter_clockwise_seen_from_outside():
    for solid in (cuboid((1, 2, 3), 0.1), hull(np.random.default_rng(0).normal(size=(20, 3)), 0.1)):
        for loop, area in zip(solid.faces, area_vectors(solid.vertices, solid.faces), strict=True):
            assert solid.vertices[loop].mean(axis=0) @ area > 0.0
            assert loop[0] == loop.min()
        assert solid.edges.tolist() == sorted(solid.edges.tolist())
        assert (solid.edges[:, 0] < solid.edges[:, 1]).all()


def test_ends_of_an_l_are_one_face_that_is_not_convex():
    solid = prism(L_OUTLINE, 1.0, 0.1)
    assert (len(solid.vertices), len(solid.edges), len(solid.faces)) == (12, 18, 8)
    assert sorted(len(loop) for loop in solid.faces) == [4] * 6 + [6] * 2
    loops = [tuple(loop.tolist()) for loop in solid.faces]
    triangles, face = triangulated(solid.vertices, loops)
    assert len(triangles) == 6 * 2 + 2 * 4
    a, b, c = (solid.vertices[triangles[:, k]] for k in range(3))
    pieces = 0.5 * cross(b - a, c - a)
    whole = area_vectors(solid.vertices, loops)
    for k in range(len(loops)):  # the triangles look the same way and together have the face's area: none overlap
        assert np.allclose(pieces[face == k].sum(axis=0), whole[k])
        assert length(pieces[face == k]).sum() == pytest.approx(length(whole[k]))


def test_a_flat_ring_stays_cut():
    solid = mesh(*ring(16), 0.05)
    assert len(solid.vertices) == 16
    assert len(solid.vertices) - len(solid.edges) + len(solid.faces) == 0  # Euler: one hole through it
    flat = [loop for loop in solid.faces if np.ptp(solid.vertices[loop, 2]) < 1e-12]
    assert sorted(len(loop) for loop in flat) == [4, 4, 8, 8]  # each of two rings: three quarters of it and the last
    assert all(len(set(loop.tolist())) == len(loop) for loop in solid.faces)
    vertices, faces = ring(16)
    halved = mesh(vertices, [half for a, b, c, d in faces for half in ((a, b, c), (a, c, d))], 0.05)
    assert len(halved.vertices) - len(halved.edges) + len(halved.faces) == 0
    assert all(len(set(loop.tolist())) == len(loop) for loop in halved.faces)
    assert halved.volume == pytest.approx(solid.volume, rel=1e-5)


def test_vertices_that_carry_nothing_go_and_corners_stay():
    vertices, faces = fine_cube(2)
    assert len(merged(vertices, faces, 1e-9)) == 6
    bent = vertices.copy()
    bent[(vertices == (0.5, 0.0, 0.5)).all(axis=1)] += (0.0, -1e-6, 0.0)  # the middle of a side, raised a little
    assert len(mesh(bent, faces, 0.1).vertices) == 8 + 1 + 4  # it, and where its six triangles end on the edges
    tile = plate([(0, 0, 0), (0.5, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0.3, 0)], 0.1)
    assert len(tile.vertices) == 4


def test_what_is_drawn_comes_back():
    points = np.random.default_rng(3).normal(size=(9, 3))
    points = points / np.linalg.norm(points, axis=1, keepdims=True) * (1.0, 2.0, 3.0) + (5.0, 0.0, -3.0)  # all on the hull
    solid = hull(points, 0.2)
    assert np.allclose(solid.drawn(), points, atol=1e-13)
    assert np.allclose(solid.vertices, (points - solid.centre) @ matrix(solid.orientation), atol=1e-13)
    assert solid.reach == pytest.approx(np.linalg.norm(points - solid.centre, axis=1).max() + 0.2)
    for array in (solid.vertices, solid.edges, solid.faces[0], solid.inertia, solid.centre, solid.orientation, solid.triangles):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_points_inside():
    solid = prism(L_OUTLINE, 2.0, 0.1)
    drawn = np.array([
        (0.5, 0.5, 0.0), (1.5, 0.5, 0.9), (1.5, 1.5, 0.0), (1.05, 1.05, 0.0), (1.08, 1.5, 0.0), (1.12, 1.5, 0.0),
        (2.09, 0.5, 1.0), (2.09, -0.09, 1.0), (0.5, 0.5, 1.09), (0.5, 0.5, 1.11),
    ])  # fmt: skip
    inside = [True, True, False, True, True, False, True, False, True, False]
    body = (drawn - solid.centre) @ matrix(solid.orientation)
    assert solid.contains(body).tolist() == inside
    assert solid.contains(body.reshape(2, 5, 3)).tolist() == [inside[:5], inside[5:]]
    assert solid.contains(body[0]).shape == ()
    with pytest.raises(ShapeError, match=r"shape \(…, 3\)"):
        solid.contains([(0, 0)])


def test_there_is_no_crack_where_a_face_is_cut():
    """Over the middle of a square, which lies on the line between its two triangles, whatever the rounding."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        turn = matrix(about(rng.normal(size=3), rng.uniform(0, 3)))
        solid = hull((CUBE - 0.5) @ turn.T, 0.1)
        out = np.concatenate([turn.T, -turn.T])
        assert solid.contains(0.59 * out).all() and not solid.contains(0.61 * out).any()


def test_a_wall_has_no_inside():
    wall = drum(1.0, 2.0, 0.1, sides=8)
    assert not wall.is_closed
    assert wall.contains([(0, 0, 0), (0.95, 0, 0), (0, 0.95, 0), (1.2, 0, 0)]).tolist() == [False, True, True, False]
    full = mesh(wall.vertices, wall.faces, 0.1)
    assert full.is_closed and full.contains((0, 0, 0))
    assert full.volume > 2.0 * wall.volume


def test_kinds():
    assert not sphere(1.0).is_closed and not capsule(1.0, 0.5).is_closed
    assert sphere_clump([(0, 0, 0), (1, 0, 0)], 0.6).edges.shape == (0, 2)
    assert len(plate([(0, 0, 0), (1, 0, 0), (0, 1, 0)], 0.1).faces) == 1
    assert capsule(1.0, 0.5).edges.tolist() == [[0, 1]]


def test_scaling():
    solid = hull(np.random.default_rng(5).normal(size=(8, 3)), 0.3)
    small = solid.with_volume(1e-6)
    assert small.volume == 1e-6
    factor = small.radius / solid.radius
    assert small.inertia == pytest.approx(solid.inertia * factor**5)
    assert small.reach == pytest.approx(solid.reach * factor)
    for wrong in (0.0, -1.0, math.nan):
        with pytest.raises(ShapeError, match="The volume of a solid is a positive number"):
            solid.with_volume(wrong)
        with pytest.raises(ShapeError, match="positive number"):
            solid.scaled(wrong)


@pytest.mark.parametrize("power", [-20, 11])
def test_powers_of_two_change_no_bit(power):
    """Neither scaled afterwards nor drawn in another unit."""
    factor = 2.0**power
    points = np.random.default_rng(7).normal(size=(10, 3))
    makers = [
        lambda s: hull(points * s, 0.2 * s),
        lambda s: sphere(0.3 * s),
        lambda s: plate(points[:3] * s, 0.1 * s),
        lambda s: shell(CUBE * s, CUBE_FACES[:2], 0.05 * s),
    ]
    for make in makers:
        one = make(1.0)
        for other in (make(factor), one.scaled(factor)):
            assert np.array_equal(other.vertices, one.vertices * factor)
            assert np.array_equal(other.centre, one.centre * factor)
            assert np.array_equal(other.orientation, one.orientation)
            assert np.array_equal(other.inertia, one.inertia * factor**5)
            assert (other.radius, other.reach) == (one.radius * factor, one.reach * factor)
            assert other.volume == one.volume * factor**3


def test_thickness():
    assert cuboid((1, 2, 3), 0.1).thickness == pytest.approx(1.0)
    assert cuboid((1, 0.05, 3), 0.1).thickness == pytest.approx(0.05)
    assert tetrahedron(1.0, 0.1).thickness == pytest.approx(0.5**0.5)  # between two opposite edges
    assert prism(L_OUTLINE, 3.0, 0.1).thickness == pytest.approx(1.0)
    assert sphere(1.0).thickness == capsule(1.0, 0.5).thickness == math.inf
    assert plate(CUBE[:3], 0.1).thickness == drum(1.0, 1.0, 0.1, sides=4).thickness == math.inf
    # a blunted edge of narrow faces is not thin
    blunt = [(x, y) for x, y in ((0.01, 0), (1, 0), (1, 1), (0, 1), (0, 0.01))]
    assert prism(blunt, 1.0, 0.1).thickness == pytest.approx(1.0)
    # a waist is: two notches from opposite sides
    waist = prism([(0, 0), (1, 0.45), (2, 0), (2, 1), (1, 0.55), (0, 1)], 3.0, 0.1)
    assert waist.thickness == pytest.approx(0.1)


def test_thin_ones_are_warned_about():
    with pytest.warns(ThinShapeWarning, match=r"this cuboid is only 0\.005 thick") as caught:
        cuboid((1.0, 1.0, 0.005), 0.1)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cuboid((1.0, 1.0, 0.02), 0.1)


def test_told_in_words():
    lines = describe_solid(prism(L_OUTLINE, 1.0, 0.01, name="step"))
    text = "\n".join(lines)
    assert "name        step" in lines
    assert "skeleton    closed surface, 12 vertices, 18 edges, 8 faces" in lines
    assert "extent      2.02 × 2.02 × 1.02" in lines
    assert "thickness   1   (of the skeleton)" in lines
    assert "relative)" in text and "warning     the sphero-radius is only 0.0" in text
    assert "skeleton    point, 1 vertex, 0 edges, 0 faces" in describe_solid(sphere(1.0))
    assert "thickness   no inside" in describe_solid(drum(1.0, 1.0, 0.1, sides=4))
