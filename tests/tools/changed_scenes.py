"""Small scenes in the plane and in space that soon come to lie, for tests of runs that are changed."""

import numpy as np

import clast
from clast.shapes import cuboid, disk, plate, regular, segment, sphere

LAW = clast.Linear(1e5, 5e4, friction=0.5, normal_damping=300.0)
GRAINS = 12
FLOOR, LEFT, RIGHT = range(3)


def plane(law=LAW, gravity=(0.0, -9.81), **given):
    """Disks and pentagons that fall into a box; they touch after some 1500 steps."""
    scene = clast.Scene(law=law, gravity=gravity, **given)
    for k, (start, end) in enumerate((((-1, 0), (1, 0)), ((-1, 0), (-1, 4)), ((1, 0), (1, 4)))):
        scene.add_wall(segment(start, end, radius=0.05), name=("floor", "left", "right")[k])
    random = np.random.default_rng(1)
    for k in range(GRAINS):
        shape = regular(5, 0.05, side=0.2) if k % 2 else disk(radius=0.2)
        place = (-0.6 + (k % 3) * 0.6 + 0.05 * random.random(), 0.4 + (k // 3) * 0.55)
        scene.add(shape, place, angle=random.random(), density=10.0, name="stone" if k % 2 else None)
    return scene


def space(law=LAW, gravity=(0.0, 0.0, -9.81), **given):
    """Balls and cubes that fall on a plate."""
    scene = clast.Scene3D(law=law, gravity=gravity, **given)
    scene.add_wall(plate([(-2, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)], radius=0.05), name="floor")
    for k in range(6):
        solid = cuboid((0.3, 0.3, 0.3), radius=0.05) if k % 2 else sphere(radius=0.2)
        scene.add(solid, (0.7 * (k % 3) - 0.7, 0.7 * (k // 3) - 0.35, 0.33 + 0.02 * k), spin=(0.0, k, 1.0), density=10.0)
    return scene
