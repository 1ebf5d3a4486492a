"""`clast.Simulation`: stepping and looking change no bit, changes take effect or are refused, functions are called when due."""

import numpy as np
import pytest
from changed_scenes import FLOOR, GRAINS, LAW, LEFT, RIGHT, plane, space
from same_bits import assert_same_bits, result

import clast
from clast.shapes import disk, segment


def same_run(one, other):
    assert_same_bits(result(one.engine), result(other.engine))


@pytest.mark.parametrize("scene_of", [plane, space])
def test_steps_and_looks_change_no_bit(scene_of):
    whole, broken = clast.Simulation(scene_of()), clast.Simulation(scene_of())
    seen = []
    broken.every(7, lambda sim: seen.append((sim.steps, sim.velocities.copy(), sim.forces, len(sim.contacts), sim.energy_error)))
    whole.step(3000)
    for _ in range(30):
        broken.step(100)
    assert [step for step, *_ in seen] == list(range(7, 3001, 7))
    same_run(whole, broken)


@pytest.mark.parametrize("scene_of", [plane, space])
@pytest.mark.parametrize("integrator", ["verlet", "gear5"])
def test_a_change_that_changes_nothing_changes_no_bit(scene_of, integrator):
    """All is laid out anew, several times, and goes on where it stands."""
    whole, broken = (clast.Simulation(scene_of(), integrator=integrator) for _ in range(2))
    whole.step(9000)
    broken.step(1)
    for k in range(3):
        broken.step(3000 - (k == 0))
        broken.retag("floor", clast.Fixed())
        broken.law = clast.Linear(1e5, 5e4, friction=0.5, normal_damping=300.0)
        broken.gravity = broken.gravity
    assert broken.engine.known.times == 9 and broken.accounts["heat_sliding"] > 0.0
    assert broken.engine.work_changes == 0.0
    same_run(whole, broken)


def test_a_change_before_the_first_step_is_a_change_of_the_scene():
    changed = clast.Simulation(plane())
    with pytest.raises(clast.errors.SceneError, match="a wall that is fixed"):
        changed.tag("left", clast.Velocity(x=0.2, y=0.0, spin=0.0))
    changed.retag("left", clast.Velocity(x=0.2, y=0.0, spin=0.0))
    given = plane()
    given.bodies[LEFT].tags = [clast.Velocity(x=0.2, y=0.0, spin=0.0)]
    fresh = clast.Simulation(given)
    assert changed.velocities[LEFT].tolist() == [0.2, 0.0]
    changed.step(500)
    fresh.step(500)
    assert (changed.positions == fresh.positions).all()


def test_what_is_set_in_the_scene_itself_takes_effect():
    sim = clast.Simulation(plane())
    sim.step(100)
    identity = sim.engine.identity
    sim.scene.gravity = (0.0, 0.0)
    speeds = sim.velocities.copy()
    sim.step(200)
    assert sim.engine.known.times == 1
    assert sim.velocities[3 + GRAINS - 1] == pytest.approx(speeds[3 + GRAINS - 1])  # the topmost meets nobody
    sim.scene.law = clast.Hertz(1e6)
    sim.scene.tag(4, clast.Force(x=1.0))
    sim.step(1)
    assert sim.law == clast.Hertz(1e6) and sim.engine.identity == identity


@pytest.mark.parametrize(
    ("change", "cure"),
    [
        (lambda scene: setattr(scene.bodies[4], "position", (0.0, 9.0)), "Simulation.place"),
        (lambda scene: setattr(scene.bodies[4], "mass", 2.0), "Scene.from_run"),
        (lambda scene: setattr(scene, "box", clast.Box(period_x=9.0)), "Scene.from_run"),
        (lambda scene: scene.bodies.__delitem__(4), "Simulation.remove"),
    ],
)
def test_what_cannot_take_effect_is_refused(change, cure):
    sim = clast.Simulation(plane())
    sim.step(10)
    change(sim.scene)
    for _ in range(2):
        with pytest.raises(clast.errors.SceneError, match=cure):
            sim.step(1)
    assert sim.engine.step == 10


def test_an_engine_alone_refuses_a_changed_scene():
    scene = plane()
    engine = clast.Engine(scene)
    engine.advance(10)
    for change in (
        lambda: setattr(scene, "law", LAW),
        lambda: scene.tag(4, clast.Force(x=1.0)),
        lambda: scene.add(disk(radius=1), (0, 9)),
    ):
        change()
        with pytest.raises(clast.errors.SceneError, match=r"clast\.Simulation"):
            engine.advance(20)
        engine = clast.Engine(scene)
    engine.advance(20)


def test_a_refused_change_leaves_all_as_it_was():
    sim, other = clast.Simulation(plane()), clast.Simulation(plane())
    sim.step(500)
    tags = list(sim.scene.bodies[4].tags)
    for refused, error in (
        (lambda: sim.add(disk(radius=0.2), sim.positions[5]), clast.errors.OverlapError),
        (lambda: sim.place(3, sim.positions[5]), clast.errors.OverlapError),
        (lambda: setattr(sim, "law", clast.Linear(1e12)), clast.errors.StepError),
        (lambda: setattr(sim, "gravity", (0.0,)), clast.errors.SceneError),
        (lambda: sim.push("floor", (1.0, 0.0)), clast.errors.SceneError),
        (lambda: sim.tag("cell", clast.Force(x=1.0)), clast.errors.SceneError),
        (lambda: sim.set_law("grain", "glass", LAW), clast.errors.SceneError),
    ):
        with pytest.raises(error):
            refused()
    assert len(sim.scene.bodies) == 3 + GRAINS and sim.scene.bodies[4].tags == tags and sim.law == LAW
    sim.step(500)
    other.step(1000)
    assert (sim.positions == other.positions).all()


def test_bodies_come_and_go():
    sim = clast.Simulation(plane())
    sim.step(200)
    new = sim.add(disk(radius=0.1), (0.0, 5.0), velocity=(1.0, -2.0), spin=3.0)
    assert new == 3 + GRAINS and sim.positions.shape == (4 + GRAINS, 2)
    assert sim.velocities[new] == pytest.approx([1.0, -2.0]) and sim.spins[new] == pytest.approx(3.0)
    start, begun = sim.positions[new], sim.time
    sim.step(300)
    t = sim.time - begun
    assert sim.positions[new] == pytest.approx(start + np.array([1.0, -2.0]) * t + 0.5 * np.array([0.0, -9.81]) * t**2, rel=1e-9)
    sim.remove(["floor", new, 4])
    assert np.flatnonzero(~sim.present).tolist() == [FLOOR, 4, new]
    gone = sim.positions[new]
    sim.step(12000)
    assert (sim.positions[new] == gone).all() and sim.velocities[new].tolist() == [0.0, 0.0]
    grains = sim.present & (np.arange(4 + GRAINS) > RIGHT)
    assert (sim.positions[grains, 1] < 0.0).all()  # they have fallen through where the floor was
    sim.remove(new)  # once more: nothing happens
    assert sim.add_many(disk(radius=0.1), [(0.0, 5.0), (0.0, 6.0)]).tolist() == [new + 1, new + 2]


def test_removed_walls_stay_removed_when_something_else_changes():
    sim = clast.Simulation(plane())
    sim.remove("floor")
    sim.retag("left", clast.Fixed())
    sim.step(9000)
    assert not sim.present[FLOOR] and sim.present.sum() == 2 + GRAINS
    assert sim.positions[3:, 1].min() < -1.0


def test_velocities_are_set_at_this_instant():
    for scene_of, v, w in ((plane, (1.0, 2.0), 3.0), (space, (1.0, 2.0, 3.0), (1.0, 0.0, 0.5))):
        sim = clast.Simulation(scene_of())
        sim.step(1000)
        who = len(sim.scene.bodies) - 2
        sim.set_velocities(who, v, w)
        assert sim.velocities[who] == pytest.approx(np.array(v), abs=1e-6)
        assert sim.spins[who] == pytest.approx(np.array(w), abs=1e-3)


def test_a_piston_keeps_its_mass_when_grains_come():
    scene = plane()
    piston = scene.add_wall(segment((-0.8, 3.5), (0.8, 3.5), radius=0.05), tags=[clast.Velocity(x=0.0, spin=0.0)])
    sim = clast.Simulation(scene)
    mass = 1.0 / sim.engine.inverse_masses[piston]
    sim.add(disk(radius=0.1), (0.0, 9.0), density=1000.0)
    assert 1.0 / sim.engine.inverse_masses[piston] == mass


def test_functions_stop_the_run_and_may_not_step_it():
    sim = clast.Simulation(plane())
    sim.every(40, lambda each: each.stop() if each.steps >= 120 else None)
    sim.step(1000)
    assert sim.steps == 120 and sim.stopped
    sim.step(10)
    assert sim.steps == 130 and not sim.stopped
    sim.every(1, lambda each: each.step(1))
    with pytest.raises(clast.errors.InputError, match="cannot step"):
        sim.step(1)
    with pytest.raises(clast.errors.InputError, match="runs forwards"):
        sim.run_until(0.0)


@pytest.mark.parametrize(
    "every", [5, "ten", [(0, print)], [(1.5, print)], [(True, print)], [(5, "print")], [5, print], [(1, 2, 3)], (5, None)]
)
def test_wrong_calls_are_refused(every, tmp_path):
    with pytest.raises(clast.errors.InputError, match="every"):
        clast.run(plane(), until=0.1, out=tmp_path / "run", every=every)
    assert not (tmp_path / "run").exists()


def test_bodies_come_to_a_moving_cell():
    scene = clast.Scene(law=LAW, box=clast.Box(2.0, 2.0, tags=(clast.Velocity(x=-0.3, y=-0.3),)))
    for k in range(9):
        scene.add(disk(radius=0.32), ((k % 3 + 0.5) / 1.5, (k // 3 + 0.5) / 1.5), density=10.0)
    sim = clast.Simulation(scene)
    sim.step(3000)
    period = sim.engine.period
    sim.add(disk(radius=0.02), (0.02, 0.02), density=10.0)
    assert (sim.engine.period == period).all() and len(sim.contacts) > 0
    sim.step(1000)
    assert sim.engine.period == pytest.approx(2.0 - 0.3 * sim.time) and sim.energy_error < 1e-4
