"""Grains that fall on a floor and rub, in plane and space: some dozens, so that lists are renewed and springs change hands."""

import numpy as np

from clast.laws import Law, Linear
from clast.scene.plane import Box, Scene
from clast.scene.space import Box3D, Scene3D
from clast.shapes import cuboid, disk, plate, regular, segment, sphere

DT = 1e-4
ALPHA = 0.02
LAW = Linear(2e4, 1e4, friction=0.4, normal_damping=10.0, tangential_damping=5.0)


def hexagons_and_disks(seed: int = 1, law: Law = LAW) -> Scene:
    """120 of them, periodic to the sides."""
    rng, scene = np.random.default_rng(seed), Scene(law=law, gravity=(0.0, -100.0), box=Box(period_x=3.0))
    for k in range(120):
        shape = disk(0.11) if k % 5 == 0 else regular(6, 0.03, circumradius=0.1)
        place = (0.25 * (k % 12) + 0.125, 0.25 * (k // 12) + 0.13)
        scene.add(shape, place, angle=rng.uniform(0, 7), velocity=rng.normal(0, 0.5, 2), spin=rng.normal(0, 3.0))
    scene.add_wall(segment((0.0, -0.05), (3.0, -0.05), 0.04))
    return scene


def cubes_and_spheres(seed: int = 1, law: Law = LAW) -> Scene3D:
    """72 of them, periodic to the sides."""
    rng, scene = np.random.default_rng(seed), Scene3D(law=law, gravity=(0, 0, -100.0), box=Box3D(period_x=3.0, period_y=3.0))
    for k in range(72):
        shape = sphere(0.4) if k % 3 == 0 else cuboid((0.4, 0.4, 0.4), 0.1)
        place = (k % 3 + 0.5, k // 3 % 3 + 0.5, 0.95 * (k // 9) + 0.6)
        scene.add(shape, place, orientation=rng.normal(0, 1, 4), velocity=rng.normal(0, 0.5, 3), spin=rng.normal(0, 3.0, 3))
    scene.add_wall(plate([(0, 0, 0), (3, 0, 0), (3, 3, 0), (0, 3, 0)], 0.1))
    return scene
