"""Grains that come in and go out: where they come, what they bring and carry off, the balance of masses, the same bits."""

import signal
from fractions import Fraction

import numpy as np
import pytest
from books import assert_a_broken_account_is_seen, booked
from flowing_scenes import LAW, chute, shaft, sheared, slope
from interrupted import advance_interrupted
from same_bits import after, assert_same_bits, hand_over, result, with_outputs

import clast
from clast.dynamics.engine import Engine
from clast.errors import SceneError, StepError
from clast.shapes import cuboid, disk, library_solid, plate, point, polyline, regular, segment, sphere

DT = 1e-4
INTERVAL = 128  # steps between looks, as docs/flow.md has it


# --- what they bring and carry off ------------------------------------------------------------------------------------


def test_a_grain_brings_in_its_energy_and_carries_off_what_it_has_then():
    """A disk comes 2 above a sink at a speed of 3: ½ m v² + m g h in, and out, for nothing brakes it."""
    scene = clast.Scene(law=LAW, gravity=(0.0, -9.81))
    (disk_id,) = scene.source(disk(radius=0.1), (0.0, 2.0), (0.0, 2.0), count=1, start=0.013, velocity=(3.0, 0.0))
    scene.sink(point=(0.0, 0.0), normal=(0.0, -1.0))
    book = booked(engine := Engine(scene, dt=DT), 8000)
    mass = scene.bodies[disk_id].mass
    assert book["brought_in"][-1] == pytest.approx(mass * (0.5 * 9.0 + 9.81 * 2.0), rel=1e-7)
    assert book["carried_off"][-1] == pytest.approx(book["brought_in"][-1], rel=1e-12)
    assert np.abs(book.residual).max() < 1e-12 * book["brought_in"][-1]
    _, came = engine.flow.came[0]
    assert came == INTERVAL * 2  # the first look after 0.013
    _, went, sink = engine.flow.went[0]
    assert sink == 0 and went % INTERVAL == 0
    fallen = 0.5 * 9.81 * ((went - came) * DT) ** 2  # since it came, at rest along y
    assert fallen > 2.0 > 0.5 * 9.81 * ((went - came - INTERVAL) * DT) ** 2
    assert engine.positions[disk_id] == pytest.approx([3.0 * (went - came) * DT, 2.0 - fallen], rel=1e-9)


@pytest.mark.parametrize("integrator", ["verlet", "gear4"])
def test_drag_is_in_what_comes_in(integrator):
    """What drag takes in half a step, 1.5e-4 of the energy, is seen; the book of drag closes to (γ Δt)²."""
    scene = clast.Scene(law=LAW, gravity=(0.0, -9.81), drag=3.0)
    scene.source(disk(radius=0.1), (0.0, 2.0), (0.0, 2.0), count=3, rate=20.0, start=0.01, velocity=(30.0, 0.0))
    book = booked(Engine(scene, dt=DT, integrator=integrator), 2000)
    assert book["heat_drag"][-1] > 1.0
    assert np.abs(book.residual).max() < {"verlet": (3.0 * DT) ** 2, "gear4": 1e-6}[integrator] * book["brought_in"][-1]


@pytest.mark.parametrize("axes", [2, 3])
def test_a_spring_that_ends_in_a_sink_is_carried_off(axes):
    """Two balls overlap by δ, one of them in a sink: it takes ½ k δ² with it, and the other one stays where it is."""
    depth, stiffness = 1e-3, 1e4
    if axes == 2:
        scene, shape = clast.Scene(law=clast.Linear(stiffness)), disk(radius=0.1)
    else:
        scene, shape = clast.Scene3D(law=clast.Linear(stiffness)), sphere(0.1)
    for k in range(2):
        scene.add(shape, ((0.2 - depth) * k, *[0.0] * (axes - 1)), mass=1.0)
    scene.sink(lower=(0.1, *[-1.0] * (axes - 1)), upper=(1.0, *[1.0] * (axes - 1)))
    engine = Engine(scene, dt=1e-5)
    book = booked(engine, 50, 50)
    kick = 2.0 * (stiffness * depth * 1e-5) ** 2 / 8.0  # ½ m v₋·v₊ of both in the kick that is left out
    assert book["carried_off"][-1] == pytest.approx(0.5 * stiffness * depth**2 - kick, rel=1e-12)
    assert np.abs(book.residual).max() < 1e-16
    assert engine.present.tolist() == [True, False]
    assert (engine.velocities == 0.0).all()


@pytest.mark.parametrize("scene_of, dt", [(slope, 1e-4), (chute, 2e-4), (sheared, 4e-4)])
def test_the_book_closes_to_second_order(scene_of, dt):
    """The run is chaotic: of several steps the residual is far smaller at the small ones, and a wrong account is seen."""
    books = [booked(Engine(scene_of(), dt=step), round(0.6 / step), 100) for step in (dt, 0.25 * dt)]
    assert books[1]["carried_off"][-1] != 0.0 and books[1]["brought_in"][-1] != 0.0
    assert books[1].energy_error < 0.25 * books[0].energy_error and books[1].energy_error < 3e-4
    for name in ("brought_in", "carried_off"):
        assert_a_broken_account_is_seen(books[1], name, 1.01 if name == "brought_in" else 1.1)


# --- who comes, and where ---------------------------------------------------------------------------------------------


def crowded_scenes():
    """At rest without gravity: grains come until the region is full, among walls, grains and images."""
    box = clast.Box(period_x=2.0)
    flat = clast.Scene(law=LAW, box=box)
    flat.add_wall(polyline([(0.0, 0.0), (1.0, 0.3), (2.0, 0.0)], radius=0.05))
    flat.add(regular(3, 0.05, circumradius=0.3), (1.95, 0.7))
    flat.source([disk(radius=0.1), regular(4, 0.02, side=0.2)], (-0.3, 0.0), (2.6, 1.0), count=300)
    yield flat
    law = clast.Linear(1e5, cohesion=clast.Cohesion(5.0, 0.1))
    pulled = clast.Scene(law=law)
    pulled.add(disk(radius=0.2), (0.0, 0.0))
    pulled.source(point(0.1), (-0.6, -0.6), (0.6, 0.6), count=100)
    yield pulled
    space = clast.Scene3D(law=LAW, box=clast.Box3D(period_y=1.0))
    space.add_wall(plate([(0, 0, 0), (1, 0, 0.5), (1, 1, 0.5), (0, 1, 0)], radius=0.05))
    space.source([sphere(0.1), cuboid((0.1, 0.1, 0.2), 0.02)], (0.0, 0.0, 0.0), (1.0, 1.0, 0.6), count=200)
    yield space
    sharp = clast.Scene3D(law=clast.OverlapVolume(1e5))
    sharp.add_wall(cuboid((0.8, 0.8, 0.8), 0.0))
    sharp.source(cuboid((0.2, 0.1, 0.1), 0.0), (-0.6, -0.6, -0.6), (0.6, 0.6, 0.6), count=300)
    yield sharp


@pytest.mark.parametrize("scene", [*crowded_scenes()], ids=["plane", "cohesion", "space", "sharp"])
def test_grains_come_only_where_there_is_room(scene):
    engine = Engine(scene, dt=1e-5)
    came = []
    for k in range(60):
        engine.advance((k + 1) * INTERVAL)
        came.append(len(engine.flow.came))
    assert 5 < came[0] <= came[-1] < scene.waiting.size  # the region is full, the others wait
    assert (engine.velocities == 0.0).all() and len(engine.contacts()) == 0  # nobody has ever touched or pulled anybody
    present = np.flatnonzero(engine.present & ~engine.big)
    ways = engine.positions[present, None] - engine.positions[present]
    period = np.array(scene.box.periods)
    ways -= np.where(period > 0.0, period * np.rint(ways / np.where(period > 0.0, period, 1.0)), 0.0)
    gaps = np.linalg.norm(ways, axis=-1) - engine.reaches[present, None] - engine.reaches[present]
    gaps[np.diag_indices(present.size)] = np.inf
    furthest = 0.1 if scene.laws()[0].cohesion is not None else 0.0
    assert furthest < gaps.min() < furthest + 0.1
    if scene.axes == 3 and scene.sharp:  # nobody inside of the cube, where faces are far
        assert (np.abs(engine.positions[present]).max(axis=1) > 0.4).all()


def test_a_source_keeps_its_times_its_region_and_its_shares():
    scene = clast.Scene(law=LAW)
    shapes = [disk(radius=0.01), regular(4, 0.005, side=0.01)]
    ids = scene.source(
        shapes,
        (0.0, 0.0),
        (1.0, 0.0),
        rate=200.0,
        start=0.1,
        until=0.3,
        shares=[3, 1],
        turn=0.7,
        velocity=(0.0, 5.0),
        seed=3,
        density=1e4,
    )
    assert len(ids) == 40 and [scene.bodies[k].shape for k in ids].count(shapes[0]) == 30
    sim = clast.Simulation(scene, dt=DT)
    sim.run_until(0.0999)
    assert sim.flows["grains_in"] == 0.0
    sim.run_until(0.5)
    steps = sim.engine.flow.came[:, 1]
    due = 0.1 + np.arange(40) / 200.0
    assert np.array_equal(sim.engine.flow.came[:, 0], ids)
    late = steps * DT - due
    assert (late >= -1e-12).all() and (late < INTERVAL * DT).all()
    x = sim.positions[ids, 0]
    assert (x >= 0.0).all() and (x <= 1.0).all() and x.std() > 0.2
    assert np.all(sim.angles[ids] == 0.7) and np.allclose(sim.velocities[ids], (0.0, 5.0))


def test_no_grain_comes_after_the_end():
    """Where there is no room until then, those that wait stay out."""
    scene = clast.Scene(law=LAW)
    ids = scene.source(disk(radius=0.1), (0.0, 0.0), (0.0, 0.0), count=5, until=0.1)
    sim = clast.Simulation(scene, dt=DT)
    sim.run_until(0.05)
    assert sim.present[ids].tolist() == [True, False, False, False, False]
    sim.run_until(0.2)
    sim.place(ids[0], [(1.0, 0.0)])
    sim.run_until(0.3)
    assert sim.present[ids].sum() == 1


def test_in_space_grains_are_turned_from_how_they_were_drawn():
    scene = clast.Scene3D(law=LAW)
    brick = library_solid("l-block")
    assert not np.allclose(np.abs(brick.orientation), (1.0, 0.0, 0.0, 0.0))
    turn = np.array([0.6, 0.0, 0.8, 0.0])
    (first,) = scene.source(brick, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), count=1, turn=turn)
    other = scene.add_drawn(brick, (5.0, 0.0, 0.0), turn=turn)
    engine = Engine(scene, dt=DT)
    engine.advance(1)
    assert np.array_equal(engine.orientations[first], engine.orientations[other])


# --- the balance of masses -------------------------------------------------------------------------------------------


def assert_balance(engine, start):
    """Every grain is in exactly one of three places, so the balance of masses is exact, not to rounding."""
    scene, flow = engine.scene, engine.flow
    grains = np.flatnonzero(~scene.bodies.column("big"))
    waiting, there = flow.waiting(scene), grains[engine.present[grains]]
    assert sorted([*waiting, *there, *flow.went[:, 0]]) == grains.tolist()
    assert sorted([*waiting, *flow.came[:, 0], *start]) == grains.tolist()
    masses = scene.bodies.column("mass").tolist()
    came, went, here, first = (
        sum((Fraction(masses[k]) for k in each), Fraction()) for each in (flow.came[:, 0], flow.went[:, 0], there, start)
    )
    assert first + came - went == here


def test_the_balance_of_masses_is_exact(tmp_path):
    scene = slope(remove_below=-0.6)
    engine = Engine(scene, dt=DT)
    for k in range(40):
        engine.advance(250 * (k + 1))
        assert_balance(engine, [1])
    assert len(engine.flow.came) == 30 and len(set(engine.flow.went[:, 2])) == 2
    run = clast.run(slope(), until=0.9, dt=DT, out=tmp_path / "run", progress=clast.quiet())
    series = run.series
    assert series["grains_in"][-1] == 30.0 > series["grains_out"][-1] > 0.0
    assert np.array_equal(1.0 + series["grains_in"] - series["grains_out"], series["grains_there"])
    assert series["mass_in"] - series["mass_out"] + series["mass_there"][0] == pytest.approx(series["mass_there"], rel=1e-14)
    assert np.array_equal(series["mass_in"], series["mass_in_feed"])
    assert 0.0 < series["mass_out_foot"][-1] <= series["mass_out"][-1]
    assert run.frames[0].present.sum() == 2 and run.frames[-1].present.sum() == 1 + series["grains_there"][-1]
    with pytest.raises(SceneError, match="a scene with sources begins with none of their grains"):
        slope().begin_as(run)
    again = clast.Scene.from_run(run, law=LAW)
    assert len(again) == run.frames[-1].present.sum() and not again.sources


# --- the same bits ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[(slope, 10000), (chute, 4000)], ids=["plane", "space"])
def reference(request):
    scene_of, steps = request.param
    engine = Engine(scene_of(), dt=DT, alpha=0.01)
    kept = after(engine, steps)
    assert len(engine.flow.went) > 3 and len(kept["spring"]) > 3
    return scene_of, steps, kept


@pytest.mark.parametrize("given", [{"alpha": 0.002}, {"alpha": "auto"}, {"alpha": 0.02, "threads": 2}])
def test_bits_depend_on_no_list_and_no_thread(reference, given):
    scene_of, steps, expected = reference
    assert_same_bits(after(Engine(scene_of(), dt=DT, **given), steps), expected)


@pytest.mark.parametrize("every", [97, INTERVAL])
def test_bits_do_not_depend_on_outputs(reference, every):
    scene_of, steps, expected = reference
    assert_same_bits(with_outputs(Engine(scene_of(), dt=DT, alpha=0.01), steps, every), expected)


@pytest.mark.parametrize("seed", range(4))
def test_bits_do_not_depend_on_a_stop(reference, seed):
    """Stopped at random, and at a step with a look."""
    scene_of, steps, expected = reference
    stop = int(np.random.default_rng(seed).integers(1, steps)) if seed else 20 * INTERVAL
    first = Engine(scene_of(), dt=DT, alpha=0.02)
    first.advance(stop)
    again = Engine(scene_of(), dt=DT, alpha=0.01)
    hand_over(first, again)
    again.advance(steps)
    assert_same_bits(result(again), expected)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
@pytest.mark.parametrize("after_seconds", [0.001, 0.004])
def test_ctrl_c_changes_no_bit(reference, after_seconds):
    """A look happens whole or not at all, wherever it is interrupted."""
    scene_of, steps, expected = reference
    engine = Engine(scene_of(), dt=DT, alpha=0.01)
    assert advance_interrupted(engine, steps, after_seconds) > 5
    assert_same_bits(result(engine), expected)


def test_another_seed_is_another_run():
    places = []
    for seed in (1, 2):
        scene = clast.Scene(law=LAW)
        scene.source(disk(radius=0.1), (0.0, 0.0), (9.0, 9.0), count=2, seed=seed)
        engine = Engine(scene, dt=DT)
        engine.advance(1)
        places.append(engine.positions)
    assert not np.isclose(*places).any()


# --- beside other things ---------------------------------------------------------------------------------------------


def test_those_who_wait_count_for_the_time_step():
    scene = clast.Scene(law=LAW)
    scene.source(disk(radius=0.01), (0.0, 0.0), (0.0, 0.0), count=1, start=1.0, density=10.0)
    there = clast.Scene(law=LAW)
    there.add(disk(radius=0.01), (0.0, 0.0), density=10.0)
    sim = clast.Simulation(scene)
    assert sim.dt == sim.engine.safe_step == Engine(there).dt
    with pytest.raises(StepError, match="with the changed law a single contact is unstable"):
        sim.law = clast.Linear(1e9, 5e4, friction=0.5, normal_damping=300.0)


def test_a_simulation_changes_while_grains_come_and_go():
    sim = clast.Simulation(slope(), dt=DT)
    sim.step(1000)
    sim.law = clast.Linear(1e5, 5e4, friction=0.1, normal_damping=300.0)
    sim.add(disk(radius=0.05), (2.0, 0.0))  # laid out anew: those who wait go on waiting
    before = sim.flows
    sim.step(3000)
    assert sim.flows["grains_in"] > before["grains_in"] and sim.flows["grains_out"] > 0.0
    there = sim.engine.flow.came[-1, 0]
    sim.push(there, (0.0, 1.0))  # who is there may have tags
    sim.step(1000)
    assert sim.energy_error < 1e-3
    assert sim.residual == pytest.approx(0.0, abs=1e-3 * sim.accounts["brought_in"])


@pytest.mark.parametrize("moment", ["before", "during"])
def test_grains_that_wait_have_no_tags(moment):
    scene = slope()
    if moment == "before":
        scene.tag(31, clast.Force(x=1.0))
        with pytest.raises(SceneError, match="body 31 is a grain of a source"):
            Engine(scene, dt=DT)
        return
    sim = clast.Simulation(scene, dt=DT)
    sim.step(300)
    with pytest.raises(SceneError, match="body 31 is a grain of a source"):
        sim.push(31, (1.0, 0.0))
    sim.step(300)


def test_sources_and_sinks_are_given_before_the_run():
    sim = clast.Simulation(slope(), dt=DT)
    sim.scene.sink(point=(0.0, -9.0), normal=(0.0, -1.0))
    with pytest.raises(SceneError, match="sinks of the scene was changed while it is stepped"):
        sim.step(1)


@pytest.mark.validate
def test_a_thousand_grains():
    """All come and all go; the balance is exact at every look, and a run that is stopped at random goes on with the same bits."""
    engine, stops = Engine(shaft(), dt=DT), sorted(np.random.default_rng(5).integers(1, 25_000, 5).tolist())
    for k in range(250):
        engine.advance(100 * (k + 1))
        assert_balance(engine, [])
    assert len(engine.flow.came) == len(engine.flow.went) == 1000
    broken = Engine(shaft(), dt=DT, alpha=0.01)
    for stop in stops:
        broken.advance(stop)
        again = Engine(shaft(), dt=DT)
        hand_over(broken, again)
        broken = again
    broken.advance(25_000)
    assert_same_bits(result(broken), result(engine))


@pytest.mark.parametrize("place, leaves", [((3.3, 0.0), True), ((-2.7, 0.0), True), ((3.6, 0.0), False), ((0.3, 1.0), False)])
def test_a_sink_of_a_periodic_box_is_in_all_its_images(place, leaves):
    scene = clast.Scene(law=LAW, box=clast.Box(period_x=1.0))
    scene.add(disk(radius=0.1), place)
    scene.sink(lower=(0.2, -0.1), upper=(0.4, 0.1))
    engine = Engine(scene, dt=DT)
    engine.advance(1)
    assert engine.present[0] == (not leaves)


def test_what_touches_nobody_leaves_at_once():
    """A wall in a sink stays, a grain with a tag too."""
    scene = clast.Scene(law=LAW)
    scene.add_wall(segment((-1.0, -1.0), (1.0, -1.0), radius=0.1))
    scene.add(disk(radius=0.1), (0.0, -0.5), tags=[clast.Force(x=1.0)])
    scene.add(disk(radius=0.1), (0.5, -0.5))
    scene.sink(point=(0.0, 0.0), normal=(0.0, -1.0))
    engine = Engine(scene, dt=DT)
    engine.advance(1)
    assert engine.present.tolist() == [True, True, False]
