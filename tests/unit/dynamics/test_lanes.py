"""Contacts in blocks of lanes: what one contact after the other gives, for any cut of a range, in packed instructions."""

import platform
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from clast.backend.bare import LANES, bare
from clast.backend.device import device, from_python
from clast.backend.held import hold
from clast.backend.instructions import instructions_in
from clast.dynamics.arrays import Clock
from clast.dynamics.contacts import kinds
from clast.dynamics.contacts.blocks import columns_of, compute_of
from clast.dynamics.contacts.forces import forces_with_memory
from clast.dynamics.contacts.heats import book_at_once
from clast.dynamics.engine import Engine, kernels_of
from clast.dynamics.loops import loop_of
from clast.dynamics.plane import passes as plane_passes
from clast.dynamics.space import passes as space_passes
from clast.dynamics.worlds import worlds_of
from clast.laws import Cohesion, Hertz, HertzMindlin, Linear, Rolling
from clast.scene.plane import Scene
from clast.scene.space import Box3D, Scene3D
from clast.scene.tags import Velocity
from clast.shapes import cow, disk, polygon, polyline, regular
from clast.shapes.space.make import cuboid, plate, sphere, tetrahedron

LAWS = {
    "linear": Linear(2e4, 1e4, friction=0.4, normal_damping=20.0, tangential_damping=5.0),
    "linear, rolling, cohesion": Linear(2e4, 1e4, friction=0.4, rolling=Rolling(10.0, 0.2), cohesion=Cohesion(5.0, 0.01)),
    "by angle": Linear(2e4, 1e4, friction=0.4, normal_damping=20.0, tangential_damping=5.0, sliding_by="angle"),
    "hertz": Hertz(2e5, 1e4, friction=0.4),
    "hertz-mindlin": HertzMindlin.of_material(young=2e6, poisson=0.3, friction=0.4, restitution=0.6),
}


def grains(law) -> Engine:
    """Grains of all kinds of corners that touch and slide, in a trough."""
    scene, rng = Scene(law=law, gravity=(0.0, -100.0)), np.random.default_rng(1)
    notched = polygon([(0, 0), (1.4, 0), (1.4, 0.5), (0.6, 0.5), (0.6, 1.4), (0, 1.4)], 0.1).scaled(0.3)
    shapes = (regular(6, 0.05, circumradius=0.25), notched, cow().with_area(0.2))
    for k in range(90):
        scene.add(shapes[k % 3], (0.8 * (k % 10), 0.8 * (k // 10) + 0.5), angle=rng.uniform(0, 7), velocity=rng.normal(0, 1, 2),
                  spin=rng.normal())  # fmt: skip
    scene.add_wall(polyline([(-0.4, 9), (-0.4, -0.05), (7.6, -0.05), (7.6, 9)], 0.05))
    engine = Engine(scene, alpha=0.02, dt=2e-5)
    engine.advance(20000)
    return engine


def balls(law) -> Engine:
    """Spheres that touch and slide, on a floor."""
    scene, rng = Scene3D(law=law, gravity=(0, 0, -10.0), box=Box3D(period_x=4.0, period_y=4.0)), np.random.default_rng(2)
    for k in range(64):
        place, radius = (k % 4 + 0.5, k // 4 % 4 + 0.5, k // 16 + 0.6), 0.45 + 0.1 * rng.uniform()
        scene.add(sphere(radius), place, velocity=rng.normal(0, 1, 3), spin=rng.normal(0, 1, 3))
    scene.add_wall(plate([(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)], 0.1))
    engine = Engine(scene, alpha=0.02, dt=1e-4)
    engine.advance(300)
    return engine


def balls_on_walls(law) -> Engine:
    """Spheres on and in a cuboid without a lid, on its faces, edges and corners."""
    scene, rng = Scene3D(law=law), np.random.default_rng(5)
    scene.add(
        cuboid((6.0, 6.0, 1.0), 0.1), (0, 0, 0), big=True, tags=(Velocity(x=0, y=0, z=0, spin_x=0.3, spin_y=-0.2, spin=0.4),)
    )
    for k in range(64):
        place = np.array([0.98 * (k % 8) - 3.43, 0.98 * (k // 8) - 3.43, 0.98])
        scene.add(sphere(0.4), place, velocity=rng.normal(0, 1, 3) - (0, 0, 2), spin=rng.normal(0, 1, 3))
    engine = Engine(scene, alpha=0.02, dt=1e-4)
    engine.advance(40)
    return engine


def disks(law) -> Engine:
    """Disks that touch and slide, in a trough."""
    scene, rng = Scene(law=law, gravity=(0.0, -100.0)), np.random.default_rng(1)
    for k in range(120):
        place, radius = (0.55 * (k % 12), 0.6 * (k // 12) + 0.3), 0.2 + 0.05 * rng.uniform()
        scene.add(disk(radius=radius), place, velocity=rng.normal(0, 1, 2), spin=rng.normal())
    scene.add_wall(polyline([(-0.4, 9), (-0.4, -0.05), (6.6, -0.05), (6.6, 9)], 0.05))
    engine = Engine(scene, alpha=0.02, dt=2e-5)
    engine.advance(20000)
    return engine


def polyhedra(law) -> Engine:
    """Rounded cubes and tetrahedra that touch and slide, on a floor: corners on faces and edges, edges on edges."""
    scene, rng = Scene3D(law=law, gravity=(0, 0, -100.0), box=Box3D(period_x=4.0, period_y=4.0)), np.random.default_rng(6)
    shapes = (cuboid((0.5,) * 3, 0.1), tetrahedron(0.6, 0.1))
    for k in range(64):
        place, motion = (k % 4 + 0.5, k // 4 % 4 + 0.5, k // 16 + 0.7), rng.normal(0, 1, (2, 3))
        scene.add(shapes[k % 2], place, orientation=rng.normal(0, 1, 4), velocity=motion[0], spin=motion[1])
    scene.add_wall(plate([(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)], 0.1))
    engine = Engine(scene, alpha=0.02, dt=1e-4)
    engine.advance(5000)
    return engine


class Made(NamedTuple):
    """Bodies in motion, and one kind of their pairs."""

    make: Callable
    passes: ModuleType
    geometry_of: str
    mark: int
    least: int  # touching contacts


MADE = {
    "grains": Made(grains, plane_passes, "geometry_of", kinds.OTHERS, 60),
    "disks": Made(disks, plane_passes, "disks_of", kinds.TWO_ROUND, 60),
    "balls": Made(balls, space_passes, "balls_of", kinds.TWO_ROUND, 60),
    "balls on walls": Made(balls_on_walls, space_passes, "ball_on_of", kinds.ONE_ROUND, 30),
    "polyhedra": Made(polyhedra, space_passes, "geometry_of", kinds.OTHERS, 100),
}


def one_after_the_other(engine: Engine, made: Made):
    """The loop without blocks."""
    kernels, width = engine.kernels, engine.family.WIDTHS.pair
    found = getattr(made.passes, made.geometry_of)(kernels.law, kernels.choice)
    one, is_mine = forces_with_memory(found, kernels.law, book_at_once), kinds.marked(width, width - 1, 1 << made.mark)
    return loop_of(kinds.only(is_mine, one))


def forces_by(loop, engine: Engine, cuts=None) -> dict[str, np.ndarray]:
    """All that the forces of this instant write, from the same springs, in ranges between the cuts; rubbish in the lanes."""
    pairs_at, _ = worlds_of(engine.kernels.passes)

    @device
    def forces(low, high, step, job):
        return loop(low, high, hold(pairs_at(step, 0, hold(job))))

    run = from_python(forces)
    engine._forces = engine._empty_forces(engine.pairs, 1)
    state, lists = engine._copy()
    floats = engine._scratch.floats
    floats[:] = np.random.default_rng(3).choice([np.nan, 0.0, -1e300, 3.0, np.inf], floats.size)
    job = engine._stretcher._job(engine.step + 1, engine._run(engine._onset), engine._world(state, lists))
    marks = 0
    for low, high in zip([0, *(cuts or [])], [*(cuts or []), engine.pairs], strict=True):
        marks |= run(low, high, engine.step, job)[1]
    of = engine._forces
    return {"force": of.pair, "book": state.book, "refine": of.refine, "spring": lists.spring, "marks": np.array([marks])}


@pytest.mark.parametrize("law", ["linear", "by angle"])
@pytest.mark.parametrize("kind", MADE)
def test_blocks_are_one_contact_after_the_other_for_any_cut_between_bodies(kind, law):
    made = MADE[kind]
    engine = made.make(LAWS[law])
    blocks = next(loop for bits, loop in engine.kernels.passes.forces if bits >> made.mark & 1)
    expected, whole = forces_by(one_after_the_other(engine, made), engine), forces_by(blocks, engine)
    lists = engine._lists
    of_kind = np.repeat(lists.pair[: engine.pairs, -1], np.diff(lists.pair[: engine.pairs + 1, 2]))
    assert int((lists.weight[: engine.candidates][of_kind == made.mark] > 0).sum()) >= made.least
    for name, array in expected.items():
        assert np.allclose(whole[name], array, rtol=1e-12, atol=1e-12 * np.abs(array).max()), name
    assert np.abs(whole["force"]).max() > 0.0
    assert (whole["book"] != engine.state.book).any()
    rng, between = np.random.default_rng(4), np.unique(lists.first_pair[1:-1])
    for count in (1, 7, len(between) // 2):
        cuts = sorted(rng.choice(between, count, replace=False).tolist())
        for name, array in forces_by(blocks, engine, cuts).items():
            assert np.array_equal(array, whole[name]), (count, name)


@pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"), reason="reads the instructions of one kind of processor"
)
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("kind", MADE)
def test_the_law_runs_in_packed_instructions(kind, law):
    made = MADE[kind]
    plane = made.passes is plane_passes
    scene = Scene(law=LAWS[law]) if plane else Scene3D(law=LAWS[law])
    scene.add(*((cow(), (0, 0)) if plane else (sphere(1.0), (0, 0, 0))))
    kernels = kernels_of(scene)
    geometry = getattr(made.passes, made.geometry_of)(kernels.law, kernels.choice)
    compute = compute_of(geometry, kernels.law)

    @device
    def block(table, clock):
        compute(LANES, bare(table), 0, clock)

    run = from_python(block)
    numbers = (1e-3, 1e-3, 0.5, 0.5, 1.0, 1e-3, 1.0, 1.0, 0.5, 0.0, 1.0, False, False, 0, 1, 0.1, np.inf)
    run(np.ones(LANES * columns_of(geometry, kernels.law).number), Clock(*numbers))
    (text,) = run.inspect_asm().values()
    found = instructions_in(text)
    assert found.packed >= 20
    assert found.packed > 4 * found.single
    assert found.calls == ()


def test_lanes_of_a_thread_begin_at_one_place_for_all_kinds_of_pairs(monkeypatch):
    """Threads work on different kinds at a time: with a room of its own for each kind they would write into each other's."""
    given = []
    monkeypatch.setattr(kinds, "room_of", lambda geometry, law: geometry)
    monkeypatch.setattr(kinds, "blocks_of", lambda geometry, law, is_mine, room: given.append(room))
    choice = SimpleNamespace(remembers=True, gear=0)
    _, room = kinds.forces_of_kinds([kinds.Kind(1, None, (600, 20)), kinds.Kind(6, None, (400, 30))], SimpleNamespace(), choice)
    assert given == [(600, 30)] * 2
    assert room == (600, 30)
