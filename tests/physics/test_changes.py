"""What a change of a run does to its energy: closed forms of `work_changes`, books that close across changes."""

import numpy as np
import pytest
from changed_scenes import GRAINS, plane, space
from same_bits import assert_same_bits

import clast
from clast.measures.book import Book
from clast.shapes import disk, segment, sphere

SOFTER = clast.Linear(1e5, 5e4, friction=0.1, normal_damping=300.0)
BAR = 1e-4  # of the book, across changes


def settled(scene_of=plane, steps=9000, **given):
    sim = clast.Simulation(scene_of(**given))
    sim.step(steps)
    assert len(sim.contacts) > 3
    return sim


def work_of(sim, change):
    before = sim.accounts["work_changes"]
    change()
    return sim.accounts["work_changes"] - before


@pytest.mark.parametrize("scene_of", [plane, space])
def test_gravity(scene_of):
    """−m Δg·x of all that moves. The force of a kick changes as well: ½ m v·Δg Δt is small against it."""
    sim = settled(scene_of)
    masses = sim.scene.masses()[0] * (1.0 - sim.scene.bodies.column("big"))
    new = -0.5 * sim.gravity
    expected = -float(masses @ (sim.positions @ (new - sim.gravity)))
    kick = 0.5 * sim.dt * float(masses @ (sim.velocities @ (new - sim.gravity)))
    assert work_of(sim, lambda: setattr(sim, "gravity", new)) == pytest.approx(expected + kick, rel=1e-6)
    sim.step(2000)
    assert sim.energy_error < BAR


def test_stiffness():
    """½ Δk δ² of every contact: here of a tower of disks at rest, δ = weight above/k."""
    scene = clast.Scene(law=clast.Linear(1e5), gravity=(0.0, -10.0))
    scene.add_wall(segment((-1, 0), (1, 0), radius=0.1))
    height, depths = 0.1, np.array([3.0, 2.0, 1.0]) * 10.0 / 1e5
    for depth in depths:
        scene.add(disk(radius=0.1), (0.0, height + 0.1 - depth), mass=1.0)
        height += 0.2 - depth
    sim = clast.Simulation(scene)
    sim.step(1000)
    change = work_of(sim, lambda: setattr(sim, "law", clast.Linear(4e5)))
    assert change == pytest.approx(0.5 * 3e5 * (depths**2).sum(), rel=1e-6)
    sim.step(2000)
    assert sim.energy_error < BAR


@pytest.mark.parametrize("scene_of", [plane, space])
def test_friction_does_no_work(scene_of):
    """Springs beyond the new limit slide, and what they held becomes heat."""
    sim = settled(scene_of)
    now = sim.accounts
    change = work_of(sim, lambda: setattr(sim, "law", SOFTER))
    then = sim.accounts
    released = now["tangential_elastic"] - then["tangential_elastic"]
    assert released > 1e-9 and then["heat_sliding"] > now["heat_sliding"]
    assert abs(change) < 1e-3 * released
    sim.step(2000)
    assert sim.energy_error < BAR


def test_bodies_that_come_and_go():
    """½mv² + ½Iω² + mgy, whether it comes or goes."""
    sim = settled()
    shape = disk(radius=0.1)
    came = work_of(sim, lambda: sim.add(shape, (0.0, 5.0), velocity=(1.0, 2.0), spin=3.0, density=2.0))
    mass, inertia = 2.0 * shape.area, 2.0 * shape.inertia
    energy = 0.5 * mass * 5.0 + 0.5 * inertia * 9.0 + mass * 9.81 * 5.0
    assert came == pytest.approx(energy, rel=1e-4)
    assert work_of(sim, lambda: sim.remove(3 + GRAINS)) == pytest.approx(-came, rel=1e-9)
    ball = settled(space)
    solid = sphere(radius=0.1)
    came = work_of(ball, lambda: ball.add(solid, (0.0, 0.0, 9.0), velocity=(1.0, 2.0, 0.0), spin=(3.0, 0.0, 0.0), density=2.0))
    energy = 2.0 * (0.5 * solid.volume * 5.0 + 0.5 * solid.inertia[0] * 9.0 + solid.volume * 9.81 * 9.0)
    assert came == pytest.approx(energy, rel=1e-4)


def test_motion_that_is_set():
    sim = settled()
    mass, inertia = sim.scene.bodies[8].mass, sim.scene.bodies[8].inertia
    v, w = sim.velocities[8], sim.spins[8]
    work = work_of(sim, lambda: sim.set_velocities(8, (1.0, 2.0), 3.0))
    assert work == pytest.approx(0.5 * mass * (5.0 - v @ v) + 0.5 * inertia * (9.0 - w**2), rel=1e-2)
    height = sim.positions[8, 1]
    alone = work_of(sim, lambda: sim.place(8, (0.0, 20.0)))
    assert alone == pytest.approx(mass * 9.81 * (20.0 - height), rel=1e-2)
    sim.step(500)
    assert sim.energy_error < BAR


def test_the_work_of_a_push_is_force_times_way():
    sim = clast.Simulation(plane(gravity=(0.0, 0.0)))
    top = 3 + GRAINS - 2
    start = sim.positions[top]
    sim.push(top, (0.0, 2.0))
    sim.step(1000)
    way = sim.positions[top] - start
    assert way[1] == pytest.approx(0.5 * 2.0 / sim.scene.bodies[top].mass * sim.time**2, rel=1e-3)
    assert sim.accounts["work_tags"] == pytest.approx(2.0 * way[1], rel=1e-2)  # work lags by the kick that is half done
    sim.push(top, (0.0, 0.0))
    speed = sim.velocities[top]
    sim.step(100)
    assert sim.velocities[top] == pytest.approx(speed) and sim.scene.bodies[top].tags == []
    sim.push([top, top - 2], [(1.0, 0.0), (0.0, 1.0)], [0.1, 0.2])
    assert [tag.torque for each in (top, top - 2) for tag in sim.scene.bodies[each].tags] == [0.1, 0.2]


@pytest.mark.parametrize("integrator", ["verlet", "gear5"])
def test_the_book_closes_across_everything(integrator):
    sim = clast.Simulation(plane(), integrator=integrator)
    bar = BAR if integrator == "verlet" else 1e-3
    other = clast.Hertz(2e5, 1e5, friction=0.3) if integrator == "verlet" else clast.Linear(2e5, 1e5, friction=0.3)
    changes = [
        lambda: setattr(sim, "law", SOFTER),
        lambda: sim.tag(5, clast.Force(x=3.0)),
        lambda: sim.retag("left", clast.Velocity(x=0.1, y=0.0, spin=0.0)),
        lambda: setattr(sim, "gravity", (2.0, -9.81)),
        lambda: sim.add(disk(radius=0.15), (0.0, 3.0), density=10.0),
        lambda: sim.retag("left", clast.Fixed()),
        lambda: sim.remove([6, 7]),
        lambda: setattr(sim, "law", other),
        lambda: sim.retag("right", clast.Velocity(y=0.0, spin=0.0)),
        lambda: sim.remove("floor"),
        lambda: setattr(sim.scene, "drag", 0.5),
    ]
    for change in changes:
        sim.step(1500)
        change()
        assert sim.energy_error < bar
    sim.step(1500)
    assert sim.energy_error < bar
    assert abs(sim.accounts["work_changes"]) > 1.0


def test_a_stored_run_whose_friction_changes(tmp_path):
    def slippery(sim):
        if sim.steps == 4000:
            sim.law = SOFTER

    run = clast.run(plane(), until=0.6, out=tmp_path / "changed", every=(1000, slippery), frames=4)
    assert run.result["energy_error"] < BAR and "present" in run.frames[0].names
    plain = clast.run(plane(), until=0.6, out=tmp_path / "plain", frames=4)
    assert abs(run.series["heat_sliding"][-1] - plain.series["heat_sliding"][-1]) > 1e-3
    with pytest.raises(clast.errors.StoreError, match="changed while it went on"):
        clast.run(plane(), until=0.7, out=tmp_path / "changed", resume=True)
    with pytest.raises(clast.errors.SceneError, match=r"step it with clast\.Simulation"):
        clast.run(plane(), until=0.1, out=tmp_path / "more", every=(100, lambda sim: sim.add(disk(radius=0.1), (0.0, 9.0))))


def test_a_change_that_is_not_booked_opens_the_book(tmp_path):
    def lighter(sim):
        sim.gravity = (0.0, -5.0)

    run = clast.run(plane(), until=0.3, out=tmp_path / "run", every=(1500, lighter), frames=0)
    series = {name: run.series[name] for name in run.series}
    assert run.book.energy_error < BAR and abs(series["work_changes"]).max() > 0.1
    series["work_changes"] = np.zeros_like(series["work_changes"])
    assert Book(series["time"], series).energy_error > 0.1


def test_functions_that_only_look_change_no_bit_of_a_stored_run(tmp_path):
    seen = []
    calls = [(130, lambda sim: seen.append(sim.forces)), (7, lambda _: 0)]
    looked = clast.run(plane(), until=0.2, out=tmp_path / "a", every=calls)
    plain = clast.run(plane(), until=0.2, out=tmp_path / "b")
    assert len(seen) == plain.result["steps"] // 130
    stored = [{name: np.asarray(run.series[name]) for name in run.series} for run in (looked, plain)]
    assert_same_bits(*stored)
    last = [run.checkpoint.arrays for run in (looked, plain)]
    assert_same_bits(*last)


def test_a_stored_run_that_is_stopped(tmp_path):
    def enough(sim):
        if sim.time > 0.1:
            sim.stop()

    run = clast.run(plane(), until=1.0, out=tmp_path / "run", every=(100, enough), samples=50, frames=3)
    assert run.finished and run.result["steps"] % 100 == 0 and 0.1 < run.frames[-1].time < 0.11
    assert run.series["time"][-1] == run.frames[-1].time


def test_grains_that_come_in_one_place_one_after_the_other():
    """Each is where the others are by then: none of them is looked for where it came in. Mass balance; the book closes."""
    scene = clast.Scene(law=clast.Linear(1e5, normal_damping=100.0), gravity=(0.0, -9.81))
    sim = clast.Simulation(scene_with_a_slope(scene), dt=1e-4)
    brought = taken = 0.0
    for _ in range(30):
        new = sim.add(disk(radius=0.05), (0.6, 1.0), velocity=(0.0, -2.0), density=10.0)
        brought += scene.bodies[new].mass
        sim.step(600)
        assert sim.engine.pairs < 20  # and not those of 30 grains in one place
        fallen = np.flatnonzero(sim.present & (sim.positions[:, 1] < -0.8))
        sim.remove(fallen)
        taken += sum(scene.bodies[k].mass for k in fallen.tolist())
    inside = sum(scene.bodies[k].mass for k in np.flatnonzero(sim.present).tolist() if not scene.bodies[k].big)
    assert taken > 0.0 and inside > 0.0 and brought == pytest.approx(taken + inside, rel=1e-14)
    assert sim.energy_error < BAR


def scene_with_a_slope(scene):
    scene.add_wall(segment((-1.0, -0.3), (1.0, 0.3), radius=0.05))
    return scene
