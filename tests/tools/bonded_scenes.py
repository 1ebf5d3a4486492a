"""Small scenes of bonded grains: a beam of squares, a ring that whirls, a plate of Voronoi grains that is torn."""

import numpy as np

import clast
from clast.packing import voronoi_packing
from clast.scene.plane import Scene
from clast.shapes import regular

LAW = clast.Linear(2e4, 1e4, friction=0.4, normal_damping=20.0, tangential_damping=5.0)
GAP = 1e-3


def beam(number: int, bond: clast.Bond, law: clast.Linear = LAW) -> Scene:
    """`number` + 1 squares of side 1 − GAP in a row, one from the other 1 apart, each bonded to the next; the first is held."""
    scene, radius = Scene(law=law, drag=1.5), 0.05
    for k in range(number + 1):
        scene.add(regular(4, radius, side=1.0 - GAP - 2.0 * radius), (float(k), 0.0), angle=0.25 * np.pi, name=f"square {k}")
    scene.tag("square 0", clast.Fixed())
    scene.bond(bond, gap=2.0 * GAP)
    return scene


def cross(bond: clast.Bond, speed: float = 3.0) -> Scene:
    """Five squares, four of them bonded to that in the middle, which whirl and swing about it."""
    scene = Scene(law=LAW)
    places = np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)])
    for k, place in enumerate(places):
        velocity = speed * np.array([-place[1], place[0]]) + (0.3, 0.5 * k)
        scene.add(regular(4, 0.05, side=0.8), place, angle=0.25 * np.pi, velocity=velocity, spin=speed * (1.0 - 0.2 * k))
    scene.bond(bond, gap=0.15)
    return scene


def torn(bond: clast.Bond, columns: int = 6, rows: int = 4, seed: int = 3) -> Scene:
    """A plate of Voronoi grains whose left and right columns are pulled apart; what breaks off falls on a floor."""
    packing = voronoi_packing(columns, rows, 1.0, erosion=0.06, dilation=0.05, seed=seed)
    scene = Scene(law=LAW, gravity=(0.0, -5.0))
    grains = scene.add_packing(packing)
    scene.bond(bond, grains, joints=packing.joints())
    x = packing.sites[:, 0]
    for k in np.flatnonzero(x < 1.0).tolist():
        scene.tag(k, clast.Velocity(x=-0.5, y=0.0, spin=0.0))
    for k in np.flatnonzero(x > columns - 1.0).tolist():
        scene.tag(k, clast.Velocity(x=0.5, y=0.0, spin=0.0))
    scene.add_wall(clast.shapes.segment((-20.0, -1.0), (20.0, -1.0), 0.1), name="floor")
    return scene
