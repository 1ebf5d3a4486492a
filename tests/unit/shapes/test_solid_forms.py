"""Ready-made forms and the library of solids."""

import functools
import math

import numpy as np
import pytest

from clast.algebra.quaternions import matrix
from clast.errors import ShapeError
from clast.shapes import cross, cuboid, drum, hopper, library_solid, library_solids, open_box

COUNTS = {  # vertices, edges, faces
    "sphere": (1, 0, 0),
    "capsule": (2, 1, 0),
    "triangle-plate": (3, 3, 1),
    "tetrahedron": (4, 6, 4),
    "cube": (8, 12, 6),
    "octahedron": (6, 12, 8),
    "brick": (8, 12, 6),
    "l-block": (12, 18, 8),
    "cross": (32, 60, 30),
    "mug": (76, 119, 43),  # no Euler's 2: its handle makes it 0
    "open-box": (8, 12, 5),
    "hopper-walls": (12, 20, 8),
    "drum": (48, 72, 26),
    "sharp-tetrahedron": (4, 6, 4),
    "sharp-cube": (8, 12, 6),
    "sharp-octahedron": (6, 12, 8),
    "sharp-brick": (8, 12, 6),
    "ellipsoid-grain": (12, 30, 20),
    "floor-with-rim": (40, 60, 30),
    "sharp-hopper": (80, 128, 64),
    "sharp-drum": (288, 432, 196),
}
HOLLOW = ("open-box", "hopper-walls", "drum")
WALLS = (*HOLLOW, "floor-with-rim", "sharp-hopper", "sharp-drum")


made = functools.cache(library_solid)  # the mug takes longest of all to weigh


def test_the_library_is_what_is_tested():
    assert set(library_solids()) == set(COUNTS)
    with pytest.raises(ShapeError, match='no ready-made solid "cow": choose among sphere, capsule'):
        library_solid("cow")


@pytest.mark.parametrize("name", COUNTS)
def test_library(name):
    solid = made(name)
    assert (len(solid.vertices), len(solid.edges), len(solid.faces)) == COUNTS[name]
    assert solid.name.replace(" ", "-") == name.replace("-walls", "")
    assert (solid.volume == 1.0) == (name not in WALLS)
    assert solid.is_closed == (name not in (*HOLLOW, "sphere", "capsule", "triangle-plate"))
    assert solid.sharp == ("sharp" in name or name in ("ellipsoid-grain", "floor-with-rim"))
    assert solid.mass_error < 1e-4
    assert solid.thickness > 2.0 * solid.radius
    if name in WALLS:
        assert not solid.contains(-solid.centre + (0.0, 0.0, 0.4 if "drum" not in name else 0.0))  # a grain finds room in it


def test_cross_with_arms_of_its_own():
    one = cross((0.5, 0.5, 1.0, 1.0, 0.0, 2.0), 1.0, 0.1)
    low, high = one.drawn().min(axis=0), one.drawn().max(axis=0)
    assert low == pytest.approx([-1.0, -1.5, -0.5]) and high == pytest.approx([1.0, 1.5, 2.5])
    assert len(one.faces) == 30 - 5 - 4 + 1 and one.centre[2] > 0.0  # no lower arm: one face with four sides of arms there
    post = cross((0.0, 0.0, 1.0), 1.0, 0.1)
    assert post.volume == pytest.approx(cuboid((1, 1, 3), 0.1).volume, rel=1e-13)


def test_mug_holds_tea_and_has_a_handle():
    one = made("mug")
    assert len(one.vertices) < 150
    drawn = one.radius * np.array([  # 25 high, 22 wide, walls of 2.5, in sphero-radii
        (0, 6.9, 13), (0, 0, 2), (0, 7.3, 13), (0, 0, 24), (0, 13, 13), (13, 0, 12.5), (18, 0, 12.5), (23, 0, 12.5),
    ])  # fmt: skip
    found = one.contains((drawn - one.centre) @ matrix(one.orientation))
    # tea, the floor, the wall, tea, without, between wall and handle, in the handle, beyond
    assert found.tolist() == [False, True, True, False, False, False, True, False]
    assert one.thickness == pytest.approx(2.5 * math.cos(math.pi / 12) * one.radius)  # of the handle, between its bends
    assert one.centre[1] == pytest.approx(0.0, abs=1e-15)  # its mirror plane
    assert abs(one.orientation[1]) + abs(one.orientation[3]) < 1e-12  # turned about y only


def test_walls_lie_where_they_are_drawn():
    box = open_box((1.0, 2.0, 3.0), 0.1)
    assert box.drawn().min(axis=0) == pytest.approx([-0.5, -1.0, 0.0])
    assert box.drawn().max(axis=0) == pytest.approx([0.5, 1.0, 3.0])
    funnel = hopper(0.5, 2.0, 1.5, 0.1, bin_height=0.5)
    drawn = funnel.drawn()
    assert np.ptp(drawn[np.isclose(drawn[:, 2], 0.0)], axis=0) == pytest.approx([0.5, 0.5, 0.0], abs=1e-12)
    assert np.ptp(drawn[np.isclose(drawn[:, 2], 1.5)], axis=0) == pytest.approx([2.0, 2.0, 0.0], abs=1e-12)
    assert drawn[:, 2].max() == pytest.approx(2.0)
    barrel = drum(1.0, 3.0, 0.1, sides=12, ends=False)
    assert len(barrel.faces) == 12 and np.ptp(barrel.drawn()[:, 1]) == pytest.approx(3.0)
    for loop in barrel.faces:  # every plate touches the circle of the inner radius, and looks away from the axis
        middle = barrel.vertices[loop].mean(axis=0)
        assert math.hypot(middle[0], middle[2]) == pytest.approx(1.0)
