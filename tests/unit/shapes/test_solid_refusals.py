"""What cannot be a solid is refused in one sentence that says what, where and what to do; what can be mended is, if asked."""

import math

import numpy as np
import pytest
from refused import assert_refused

from clast.errors import ShapeError
from clast.shapes import (
    MendedMeshWarning,
    capsule,
    cross,
    cuboid,
    drum,
    hopper,
    hull,
    mesh,
    mug,
    open_box,
    plate,
    prism,
    shell,
    sphere,
    sphere_clump,
    tetrahedron,
)

CUBE = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
TRIANGLES = [corners for a, b, c, d in FACES for corners in ((a, b, c), (a, c, d))]
INVERTED = [face[::-1] for face in FACES]


def moved(by, scale=1.0):
    return [tuple(scale * x + d for x, d in zip(corner, by, strict=True)) for corner in CUBE]


def twice(other, faces=FACES, second=FACES):
    """Two cubes as one mesh."""
    return [*CUBE, *other], [*faces, *[tuple(v + 8 for v in face) for face in second]]


BAD = {
    "NaN": (lambda: hull([*CUBE[:7], (math.nan, 0, 0)], 0.1), "In this hull vertex 7 at (nan, 0, 0) is not finite"),
    "in the plane": (lambda: hull([(0, 0), (1, 0), (0, 1), (1, 1)], 0.1), "shape (n, 3), not (4, 2)"),
    "ragged": (lambda: plate([(0, 0, 0), (1, 0)], 0.1), "triples of numbers"),
    "three points": (lambda: hull(CUBE[:3], 0.1), "A hull needs at least 4 vertices, got 3 (the last is vertex 2 at (0, 1, 0))"),
    "flat hull": (lambda: hull(CUBE[:4], 0.1), "lie in one plane, or nearly: for a plane polygon use plate"),
    "radius": (lambda: sphere(-1.0), "sphero-radius must be positive"),
    "no radius": (lambda: capsule(1.0), "sphero-radius must be a number, not None"),
    "length": (lambda: capsule(-1.0, 0.1), "The length of a capsule must be positive and finite, not -1.0"),
    "both": (lambda: capsule(1.0, 0.1, ends=[(0, 0, 0), (1, 0, 0)]), "give one of the two"),
    "neither": (lambda: capsule(radius=0.1), "give one of the two"),
    "three ends": (lambda: capsule(radius=0.1, ends=CUBE[:3]), "A capsule has two ends, not 3"),
    "no capsule": (lambda: capsule(radius=0.1, ends=[(1, 2, 3)] * 2), "vertex 1 at (1, 2, 3) repeats vertex 0"),
    "clump": (lambda: sphere_clump([*CUBE, (0, 1, 1)], 0.1), "In this clump vertex 8 at (0, 1, 1) repeats vertex 3"),
    "sides": (lambda: cuboid((1, 2), 0.1), "The sides of a cuboid are three numbers, or one for a cube, not (1, 2)"),
    "no side": (lambda: cuboid((1, 2, 0), 0.1), "Each side of a cuboid must be positive and finite, not 0.0"),
    "edge": (lambda: tetrahedron(math.inf, 0.1), "The edge of a tetrahedron must be positive and finite, not inf"),
    "huge": (lambda: sphere(1e200), "cannot be weighed: choose another unit of length"),
    "tiny": (lambda: cuboid(1e-60, 1e-61), "cannot be weighed: choose another unit of length"),
    "crooked plate": (lambda: plate([*CUBE[:3], (0, 1.1, 1.5), (0.5, 0, 0.5)], 0.1), "The plate is not plane: vertex"),
    "bow tie": (lambda: plate([CUBE[0], CUBE[3], CUBE[1], CUBE[2]], 0.1), "The plate is degenerate: it has no area"),
    "crossing plate": (
        lambda: plate([(0, 0, 0), (3, 0, 0), (3, 2, 0), (1, -1, 0)], 0.1),
        "The plate crosses or touches itself (vertices 0, 1, 2, 3, the first at (0, 0, 0))",
    ),
    "line": (lambda: plate([(0, 0, 0), (1, 1, 1), (2, 2, 2)], 0.1), "The plate is degenerate: it has no area"),
    "open": (
        lambda: mesh(CUBE, FACES[:5], 0.1),
        "The surface of this mesh is open: edge 1-3 (from (0, 0, 1) to (0, 1, 1)) has one face only, as have 3 more edges; close",
    ),
    "inverted": (lambda: mesh(CUBE, INVERTED, 0.1), "is inside out: face 0 and the 5 joined to it look inwards; turn round"),
    "one inverted": (
        lambda: mesh(CUBE, [FACES[0][::-1], *FACES[1:]], 0.1),
        "faces 0 and 4 go the same way along edge 0-2 (from (0, 0, 0) to (0, 1, 0)): one of them is inside out",
    ),
    "branching": (
        lambda: mesh([*CUBE, (-1, 0, 0)], [*FACES, (0, 1, 8)], 0.1),
        "faces 0, 2, 6 meet at edge 0-1 (from (0, 0, 0) to (0, 0, 1)): at most two may",
    ),
    "degenerate": (
        lambda: mesh([*CUBE, (0.5, 0, 0)], [*FACES, (0, 4, 8)], 0.1),
        "Face 6 of this mesh is degenerate: it has no area (vertices 0, 4, 8, the first at (0, 0, 0))",
    ),
    "two corners": (lambda: mesh(CUBE, [*FACES, (0, 1, 0)], 0.1), "Face 6 of this mesh must have three different vertices"),
    "crooked": (
        lambda: mesh([*CUBE[:7], (1, 1, 1.5)], FACES, 0.1),
        "Face 5 of this mesh is not plane: vertex",
    ),
    "doubled": (
        lambda: mesh([*CUBE, (0, 0, 0)], [(8, 1, 3, 2), *FACES[1:]], 0.1),
        "In this mesh vertex 8 at (0, 0, 0) repeats vertex 0: use one number for both, or let mend=True weld them",
    ),
    "crossing": (
        lambda: mesh(*twice(moved((0.5, 0.5, 0.5))), 0.1),
        "This mesh crosses or touches itself: edge",
    ),
    "touching": (lambda: mesh(*twice(moved((1.0, 0.2, 0.2), 0.5)), 0.1), "This mesh crosses or touches itself: edge"),
    "touching at a corner": (
        lambda: mesh([*CUBE, *moved((1, 1, 1))[1:]], [*FACES, *[tuple(v + 7 for v in face) for face in FACES]], 0.1),
        "the surface touches itself: faces 1 and 6 have only vertex 7 at (1, 1, 1) in common",
    ),
    "full cavity": (lambda: mesh(*twice(moved((0.2,) * 3, 0.5)), 0.1), "is inside out: face 6 and the 5 joined to it"),
    "hollow outside": (lambda: mesh(*twice(moved((3, 0, 0)), second=INVERTED), 0.1), "is inside out: face 6 and the 5"),
    "numbers": (
        lambda: mesh(CUBE, [*FACES[:5], (1, 5, 8, 3)], 0.1),
        "Face 5 of this mesh names vertex 8, but they are numbered 0 to 7",
    ),
    "no numbers": (lambda: mesh(CUBE, [(0.5, 1, 2)], 0.1), "Face 0 of this mesh must be a list of vertex numbers"),
    "no faces": (lambda: mesh(CUBE, [], 0.1), "A mesh needs faces, and there are none"),
    "faces": (lambda: shell(CUBE, 3, 0.1), "The faces of a shell must be a list of lists of vertex numbers"),
    "twisted shell": (lambda: shell(CUBE, [FACES[0], FACES[2][::-1]], 0.1), "faces 0 and 1 go the same way along edge 0-1"),
    "prism": (lambda: prism([(0, 0), (1, 1), (1, 0), (0, 1)], 1.0, 0.1), "The prism crosses itself: edge 0-1"),
    "prism's height": (lambda: prism([(0, 0), (1, 1), (1, 0)], 0.0, 0.1), "The height of a prism must be positive"),
    "arms": (lambda: cross((1, 2), 1.0, 0.1), "The arms of a cross are one, three or six lengths, not (1, 2)"),
    "short arms": (lambda: cross((1, -2, 1), 1.0, 0.1), "The arms of a cross are lengths, 0 for none"),
    "thick mug": (lambda: mug(1.0, 1.0, 0.4, 0.01), "The wall of this mug, 0.4, is too thick"),
    "mug's sides": (lambda: mug(1.0, 1.0, 0.1, 0.01, sides=2), "The number of sides of a mug is a whole number of at least 4"),
    "box": (lambda: open_box((1, 2), 0.1), "The sides of an open box are three numbers, not (1, 2)"),
    "hopper": (lambda: hopper(1.0, 2.0, 1.0, 0.1, bin_height=-1.0), "The bin of a hopper is a height, 0 for none, not -1.0"),
    "drum": (lambda: drum(1.0, 2.0, 0.1, sides=2.5), "The number of sides of a drum is a whole number of at least 3, not 2.5"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_refusals_say_what_where_and_what_to_do(name):
    make, words = BAD[name]
    assert_refused(make, words, error=ShapeError)


def test_sound_meshes_of_several_parts_are_taken():
    apart = mesh(*twice(moved((3, 0, 0))), 0.1)
    assert len(apart.faces) == 12
    one = cuboid(1.0, 0.1)
    assert apart.volume == pytest.approx(2.0 * one.volume, rel=1e-4)
    hollow = mesh(*twice(moved((0.25,) * 3, 0.5), second=INVERTED), 0.05)  # a cube with a cube-shaped cavity
    assert hollow.volume == pytest.approx(cuboid(1.0, 0.05).volume - 0.4**3, rel=1e-4)
    assert not hollow.contains((0, 0, 0)) and hollow.contains((0.35, 0, 0))


def mended(vertices, faces):
    with pytest.warns(MendedMeshWarning) as caught:
        solid = mesh(vertices, faces, 0.1, mend=True)
    assert len(caught) == 1
    return solid, str(caught[0].message)


SPLIT = [CUBE[v] for face in FACES for v in face]  # every face with corners of its own, as in an STL file
LOOSE = [tuple(range(4 * k, 4 * k + 4)) for k in range(6)]
HALVED = [*CUBE, (0.5, 0.0, 0.0)]  # a vertex on edge 0-4, known to the face below only, and a flat triangle in the gap

MENDED = {
    "welded": (SPLIT, LOOSE, "The mesh was mended: 16 corners welded to others in the same place."),
    "nearly welded": ([tuple(x + 1e-12 * k for x in corner) for k, corner in enumerate(SPLIT)], LOOSE, "16 corners welded"),
    "turned": (CUBE, [FACES[0][::-1], *FACES[1:]], "1 face turned round to agree with the others."),
    "turned all": (CUBE, INVERTED, "6 faces that looked inwards turned round."),
    "dropped": (CUBE, [*FACES, (0, 1, 0)], "1 face without area dropped"),
    "flat": (HALVED, [(0, 1, 3, 2), (4, 6, 7, 5), (0, 8, 4, 5, 1), *FACES[3:], (0, 4, 8)], "1 face without area dropped"),
    "twice": (CUBE, [*FACES, FACES[3]], "1 face met a second time left out"),
    "filled": (CUBE, TRIANGLES[:-1], "a hole of 3 sides filled"),
    "several": (SPLIT, [LOOSE[0][::-1], *LOOSE[1:]], "16 corners welded to others in the same place, 1 face turned round"),
}


@pytest.mark.parametrize("name", MENDED)
def test_mending(name):
    vertices, faces, words = MENDED[name]
    with pytest.raises(ShapeError):
        mesh(vertices, faces, 0.1)
    solid, message = mended(vertices, faces)
    assert words in message
    assert (len(solid.vertices), len(solid.edges), len(solid.faces)) == (8, 12, 6)
    assert solid.volume == pytest.approx(cuboid(1.0, 0.1).volume, rel=1e-9)
    assert np.allclose(solid.centre, 0.5)


def test_crooked_faces_are_cut():
    solid, message = mended([*CUBE[:7], (1.5, 1.5, 1.5)], FACES)
    assert "3 faces not plane cut into triangles" in message
    assert len(solid.faces) == 9


def test_what_mending_cannot_know_stays_refused():
    with pytest.raises(ShapeError, match="is open"):
        mesh(CUBE, FACES[:5], 0.1, mend=True)  # a whole side missing is no small hole
    with pytest.raises(ShapeError, match="crosses or touches itself"):
        mesh(*twice(moved((0.5, 0.5, 0.5))), 0.1, mend=True)
    with pytest.raises(ShapeError, match="Nothing is left"):
        mesh(CUBE, [(0, 1, 0), (2, 2, 2)], 0.1, mend=True)


def test_a_sound_mesh_is_not_mended(recwarn):
    mesh(CUBE, FACES, 0.1, mend=True)
    assert not recwarn.list
