"""A solid of every kind, and a scene with all of them above a floor."""

import dataclasses

import numpy as np

from clast.algebra.quaternions import random_turns
from clast.laws import Linear
from clast.scene.space import Scene3D
from clast.shapes import capsule, cuboid, mesh, plate, shell, sphere, sphere_clump, tetrahedron


def ell(radius: float = 0.1):
    """A rounded L: not convex."""
    ring = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)]
    corners = [(x, y, z) for z in (0.0, 1.0) for x, y in ring]
    walls = [(k, (k + 1) % 6, 6 + (k + 1) % 6, 6 + k) for k in range(6)]
    return mesh(corners, [(5, 4, 3, 2, 1, 0), (6, 7, 8, 9, 10, 11), *walls], radius, name="ell")


def fold(radius: float = 0.1):
    """Two plates that meet at an edge."""
    corners = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (2, 0, 1), (2, 2, 1)]
    return shell(corners, [(0, 1, 2, 3), (1, 4, 5, 2)], radius, name="fold")


def floor(size: float = 4.0, z: float = 0.0):
    """A plate, to be a wall."""
    return plate([(-size, -size, z), (size, -size, z), (size, size, z), (-size, size, z)], 0.1)


CONVEX = {
    "sphere": sphere(0.5),
    "capsule": capsule(1.0, 0.3),
    "plate": plate([(0, 0, 0), (2, 0, 0), (2.5, 1, 0), (0, 1, 0)], 0.2),
    "tetrahedron": tetrahedron(1.0, 0.2),
    "cuboid": cuboid((1.0, 2.0, 0.5), 0.15),
}
DRUM = dataclasses.replace(CONVEX["cuboid"], hollow=True, name="drum")
OTHER = {"ell": ell(), "clump": sphere_clump([(0, 0, 0), (0.7, 0, 0)], 0.5), "fold": fold(), "drum": DRUM}


def every_kind(**given) -> Scene3D:
    """A scene with a floor (id 0) and a solid of every kind above it."""
    rng = np.random.default_rng(3)
    scene = Scene3D(law=Linear(1e4), **given)
    scene.add_wall(floor())
    solids = [*CONVEX.values(), *OTHER.values()]
    for k, (solid, turn) in enumerate(zip(solids, random_turns(rng, len(solids)), strict=True)):
        scene.add(solid, (3.0 * (k % 3) - 3.0, 3.0 * (k // 3 % 3) - 3.0, 2.0), orientation=turn, velocity=rng.normal(size=3))
    return scene
