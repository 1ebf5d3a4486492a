"""Pairs of round bodies, and a sphere on a solid: what is written for them alone gives what the way of all bodies gives."""

import dataclasses

import numpy as np
import pytest

from clast.backend.device import device, from_python
from clast.backend.held import hold
from clast.dynamics.contacts import kinds
from clast.dynamics.contacts.forces import forces_with_memory, forces_without_memory
from clast.dynamics.contacts.heats import book_at_once
from clast.dynamics.engine import Engine, kinds_in
from clast.dynamics.loops import loop_of
from clast.dynamics.plane import passes as plane_passes
from clast.dynamics.plane.columns import COS, SIN
from clast.dynamics.space import passes as space_passes
from clast.dynamics.worlds import RESYNC, worlds_of
from clast.laws import Cohesion, Linear, Rolling
from clast.scene.plane import Box, Scene
from clast.scene.space import Scene3D
from clast.scene.tags import Fixed
from clast.shapes import clump, disk, regular, segment
from clast.shapes.space.make import capsule, cuboid, plate, sphere

LAW = Linear(2e4, 1e4, friction=0.4, normal_damping=20.0, tangential_damping=5.0)
SMOOTH = Linear(2e4)
FULL = Linear(2e4, 1e4, friction=0.4, rolling=Rolling(10.0, 0.2), cohesion=Cohesion(5.0, 0.01))
ANGLE = dataclasses.replace(LAW, sliding_by="angle")


def disks(law, integrator: str) -> Engine:
    """Disks that fly into each other, in a box periodic on all sides."""
    scene, rng = Scene(law=law, box=Box(4.0, 4.0)), np.random.default_rng(1)
    for k in range(64):
        scene.add(disk(radius=0.26), (0.5 * (k % 8), 0.5 * (k // 8)), velocity=rng.normal(0, 1, 2), spin=5.0 * rng.normal())
    engine = Engine(scene, alpha=0.02, dt=1e-4, integrator=integrator)
    engine.advance(300)
    return engine


def spheres(law, integrator: str) -> Engine:
    """Spheres that fly into each other and into a cuboid, a capsule and a plate that spin: faces, edges and vertices."""
    scene, rng, places = Scene3D(law=law), np.random.default_rng(2), []
    for solid, middle in ((cuboid((1.2, 1.1, 1.0), 0.1), (1.0, 1.0, 1.0)), (capsule(1.5, 0.1), (3.0, 1.0, 1.0))):
        scene.add(solid, middle, velocity=rng.normal(0, 0.3, 3), spin=rng.normal(0, 2.0, 3))
        places.append((middle, np.abs(scene.bodies[-1].turned_vertices() - middle).max(axis=0)))  # a box about its skeleton
    scene.add_wall(plate([(-1, -1, -1), (5, -1, -1), (5, 3, -1), (-1, 3, -1)], 0.1))
    for k in range(360):
        place = np.array([0.52 * (k % 10) - 0.4, 0.52 * (k // 10 % 6) - 0.4, 0.52 * (k // 60) - 0.66])
        away = [np.linalg.norm(np.maximum(np.abs(place - middle) - half, 0.0)) for middle, half in places]
        if min(away) > 0.3:
            scene.add(sphere(0.27), place, velocity=rng.normal(0, 1, 3), spin=5.0 * rng.normal(size=3))
    engine = Engine(scene, alpha=0.03, dt=1e-4, integrator=integrator)
    engine.advance(25)
    return engine


MADE = {
    "two disks": (disks, plane_passes, "disks_of", kinds.TWO_ROUND, 60),
    "two spheres": (spheres, space_passes, "balls_of", kinds.TWO_ROUND, 40),
    "a sphere on a solid": (spheres, space_passes, "ball_on_of", kinds.ONE_ROUND, 15),
}


def found_by(engine: Engine, passes, geometry_of: str, mark: int) -> dict[str, np.ndarray]:
    """Forces, springs and heats of the pairs with a mark, one contact after the other."""
    kernels, width = engine.kernels, engine.family.WIDTHS.pair
    geometry = getattr(passes, geometry_of)(kernels.law, kernels.choice)
    if kernels.HISTORY:
        one = forces_with_memory(geometry, kernels.law, book_at_once)
    else:
        one = forces_without_memory(geometry, kernels.law)
    loop = loop_of(kinds.only(kinds.marked(width, width - 1, 1 << mark), one))
    pairs_at, _ = worlds_of(kernels.passes)

    @device
    def forces(low, high, step, job):
        return loop(low, high, hold(pairs_at(step, 0, hold(job))))

    engine._forces = engine._empty_forces(engine.pairs, 1)
    state, lists = engine._copy()
    job = engine._stretcher._job(engine.step + 1, engine._run(engine._onset), engine._world(state, lists))
    from_python(forces)(0, engine.pairs, engine.step, job)
    return {
        "forces": engine._forces.pair,
        "springs": lists.spring,
        "weights": lists.weight,
        "book": state.book - engine.state.book,
    }


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize(
    ("law", "integrator"),
    [(FULL, "verlet"), (LAW, "gear4"), (SMOOTH, "verlet"), (ANGLE, "verlet"), (ANGLE, "gear4")],
    ids=["full", "gear", "smooth", "angle", "angle, gear"],
)
def test_their_own_way_is_the_way_of_all_bodies(kind, law, integrator):
    make, passes, own, mark, least = MADE[kind]
    engine = make(law, integrator)
    mine, general = (found_by(engine, passes, geometry_of, mark) for geometry_of in (own, "geometry_of"))
    assert (np.abs(mine["forces"]).max(axis=1) > 0.0).sum() >= least
    for name, array in general.items():
        assert np.allclose(mine[name], array, rtol=1e-10, atol=1e-11 * np.abs(array).max()), name


def test_which_kinds_of_pairs_a_scene_has():
    def of(*shapes, walls=()):
        scene = Scene(law=LAW)
        for k, shape in enumerate(shapes):
            scene.add(shape, (3.0 * k, 0.0))
        for k, wall in enumerate(walls):
            scene.add(wall, (0.0, -5.0 - k), big=True, tags=(Fixed(),))
        return kinds_in(scene)

    two, one, others = 1 << kinds.TWO_ROUND, 1 << kinds.ONE_ROUND, 1 << kinds.OTHERS
    floor, hexagon, pair = segment((-5, 0), (5, 0), 0.1), regular(6, 0.1, side=1.0), clump([(-0.5, 0), (0.5, 0)], 0.5)
    assert of(disk(1.0), disk(0.5)) == two
    assert of(disk(1.0), disk(0.5), walls=[floor]) == two | one
    assert of(disk(1.0), walls=[floor]) == one
    assert of(hexagon, hexagon, walls=[floor]) == others
    assert of(disk(1.0), disk(0.5), hexagon) == two | one | others
    assert of(disk(1.0), pair) == one | others
    assert of(hexagon, walls=[disk(2.0)]) == one | others
    assert of(disk(1.0)) == 0 and of(hexagon) == others  # of one disk nobody is compared with anybody


def test_kinds_are_compiled_in_few_sets():
    sets = (kinds.ONLY_OTHERS, kinds.ONLY_ROUND, kinds.ALL_KINDS)
    two, one, others = 1 << kinds.TWO_ROUND, 1 << kinds.ONE_ROUND, 1 << kinds.OTHERS
    assert [kinds.compiled_set(found, sets) for found in (0, others, two, one, two | one)] == [1, 1, 6, 6, 6]
    assert [kinds.compiled_set(found, sets) for found in (two | others, one | others, two | one | others)] == [7, 7, 7]


def test_disks_alone_and_disks_between_walls_share_their_machine_code():
    alone, between = Scene(law=LAW), Scene(law=LAW)
    for scene in (alone, between):
        scene.add(disk(1.0), (0.0, 1.05))
        scene.add(disk(1.0), (1.95, 1.05))
    between.add_wall(segment((-5.0, 0.0), (5.0, 0.0), 0.1))
    assert Engine(alone).kernels is Engine(between).kernels


def test_frames_of_polygons_stay_on_the_circle_and_beside_their_angles():
    scene, rng = Scene(law=SMOOTH), np.random.default_rng(3)
    for k in range(200):
        scene.add(regular(6, 0.1, side=0.2), (3.0 * k, 0.0), angle=rng.uniform(0, 7), spin=10.0 ** rng.uniform(-6, 3.6))
    engine, off_circle, off_angle = Engine(scene, dt=1e-5), 0.0, 0.0
    for step in (1, RESYNC - 1, RESYNC, RESYNC + 1, 2 * RESYNC - 1, 1023, 5000, 63 * RESYNC - 1, 250 * RESYNC - 1):
        engine.advance(step)
        frame, angle = engine.state.body[:, [COS, SIN]], engine.state.angle
        off_circle = max(off_circle, np.abs(np.hypot(*frame.T) - 1.0).max())
        away = np.hypot(frame[:, 0] - np.cos(angle), frame[:, 1] - np.sin(angle))
        off_angle = max(off_angle, (away - RESYNC * 0.5 * np.spacing(angle)).max())  # an angle is rounded in every step
    assert 0.0 < off_circle <= 1e-14
    assert off_angle <= 1e-14
