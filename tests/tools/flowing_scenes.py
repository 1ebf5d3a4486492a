"""Scenes with sources and sinks: a slope and a shaft in the plane, a chute in space with a period, a cell that is sheared."""

import clast
from clast.shapes import clump, cuboid, disk, plate, regular, segment, sphere

LAW = clast.Linear(1e5, 5e4, friction=0.5, normal_damping=1500.0, tangential_damping=100.0)


def slope(**settings: object) -> clast.Scene:
    """Disks and pentagons fall on a slope, slide down and leave below and at its foot."""
    scene = clast.Scene(law=LAW, gravity=(0.0, -9.81), **settings)
    scene.add_wall(segment((-0.4, -0.6), (0.8, 0.6), radius=0.05))
    scene.add(disk(radius=0.05), (0.0, 0.0), density=10.0)
    shapes, given = [disk(radius=0.05), regular(5, 0.02, circumradius=0.05)], {"velocity": (0.0, -1.0), "density": 10.0}
    scene.source(shapes, (0.0, 0.6), (0.4, 0.9), count=30, rate=60.0, shares=[2, 1], name="feed", **given)
    scene.sink(lower=(-0.45, -0.7), upper=(-0.3, -0.3), name="foot")
    scene.sink(point=(0.0, -0.9), normal=(0.0, -2.0))
    return scene


def shaft(count: int = 1000) -> clast.Scene:
    """Squares and disks fall through a shaft with pegs, and out of it."""
    scene = clast.Scene(law=LAW, gravity=(0.0, -9.81))
    for x in (-0.1, 3.1):
        scene.add_wall(segment((x, -1.0), (x, 2.0), radius=0.05))
    for k in range(6):
        scene.add_wall(clump([(0.25 + 0.5 * k, 0.2 + 0.5 * (k % 2))], radius=0.1))
    shapes = [disk(radius=0.03), regular(4, 0.01, side=0.03)]
    scene.source(shapes, (0.0, 1.4), (3.0, 1.9), count=count, rate=1000.0, velocity=(0.0, -2.0), density=100.0)
    scene.sink(point=(0.0, -0.8), normal=(0.0, -1.0))
    return scene


def chute() -> clast.Scene3D:
    """Spheres and cubes fall on a plate that leans across a period, and slide into a sink."""
    scene = clast.Scene3D(law=LAW, gravity=(0.0, 0.0, -9.81), box=clast.Box3D(period_x=1.0))
    scene.add_wall(plate([(0, -0.4, -0.4), (1, -0.4, -0.4), (1, 0.4, 0.4), (0, 0.4, 0.4)], radius=0.03))
    shapes, given = [sphere(0.05), cuboid((0.06, 0.06, 0.06), 0.02)], {"velocity": (0.3, 0.0, -1.0), "density": 100.0}
    scene.source(shapes, (0.0, -0.2, 0.4), (1.0, 0.0, 0.4), rate=100.0, until=0.4, **given)
    scene.sink(lower=(0.0, -0.8, -0.8), upper=(1.0, -0.25, 0.5))
    return scene


def sheared() -> clast.Scene:
    """Squares come into a cell that is sheared and closed, and leave by a corner of it."""
    box = clast.Box(2.0, 2.0, tags=(clast.Shear(rate=0.5), clast.Velocity(y=-0.1)))
    scene = clast.Scene(law=LAW, box=box)
    for k in range(4):
        scene.add(disk(radius=0.2), (0.5 * k + 0.2, 0.3 * k), velocity=(0.1, 0.2 * k))
    scene.source(regular(4, 0.03, side=0.2), (0.0, 0.0), (2.0, 2.0), count=20, rate=200.0, velocity=(0.1, 0.3))
    scene.sink(lower=(1.5, 1.5), upper=(2.2, 2.2))
    return scene
