"""Attempts to break the periodic cell that moves: closed forms, frames of reference, walls in it, many bodies, its end."""

import os
import signal
from dataclasses import replace

import numpy as np
import pytest

import clast
from clast.dynamics.engine import Engine
from clast.errors import PhysicsError, SceneError
from clast.laws import Linear
from clast.measures.book import Book
from clast.measures.snapshots.accounts import accounts
from clast.measures.snapshots.contacts import virial
from clast.output.recording import Interrupted
from clast.scene.plane import Box, Scene
from clast.scene.tags import Dashpot, Fixed, Force, Pressure, Velocity
from clast.shapes import disk, pebble, polygon, segment

BALL = disk(radius=0.5)
DAMPED = Linear(1.0, 0.5, 0.5, normal_damping=0.3)


# --- what holds ------------------------------------------------------------------------------------------------------


def test_two_disks_under_pressure_overlap_as_hooke_says():
    """One chain of two contacts along x carries p × period_y: each gives way by p L_y/k."""
    scene = Scene(law=Linear(10.0), box=Box(2.0, 1.5, tags=(Pressure(0.02, "-x"),)), drag=0.2)
    for x in (0.5, 1.5):
        scene.add(BALL, (x, 0.5), mass=1.0)
    engine = Engine(scene, dt=0.02)
    engine.advance(60_000)
    assert engine.period == pytest.approx([2.0 - 2.0 * 0.02 * 1.5 / 10.0, 1.5], rel=1e-12)
    stress = virial(engine, engine.snapshot()) / np.prod(engine.period)
    assert stress == pytest.approx(np.diag([0.02, 0.0]), abs=1e-12)


def test_small_swings_of_the_cell_are_normal_modes():
    """Two disks and the period of their cell, three masses on two springs: no other frequency is in its motion."""
    stiffness, mass = 10.0, 3.0
    scene = Scene(law=Linear(stiffness), box=Box(1.9, 0.0, tags=(Force(x=-0.5), Dashpot(0.0)), mass=mass))
    scene.add(BALL, (0.5, 0.5), mass=1.0, velocity=(1e-3, 0.0))
    scene.add(BALL, (1.45, 0.5), mass=1.0)
    engine = Engine(scene, dt=0.002)
    length, times = [], 0.004 * np.arange(1, 4001)
    for _ in times:
        engine.advance(engine.step + 2)
        length.append(engine.period[0])
    springs = stiffness * np.array([[2.0, -2.0, 1.0], [-2.0, 2.0, -1.0], [1.0, -1.0, 1.0]])  # of x₀, x₁ and the period
    squares = np.linalg.eigvals(np.linalg.solve(np.diag([1.0, 1.0, mass]), springs)).real
    waves = [part(np.sqrt(each) * times) for each in squares if each > 1e-6 for part in (np.cos, np.sin)]
    table = np.stack([*waves, np.ones_like(times), times], axis=1)
    rest = np.array(length) - table @ np.linalg.lstsq(table, np.array(length), rcond=None)[0]
    assert np.ptp(length) > 1e-4 and np.abs(rest).max() < 1e-4 * np.ptp(length)


@pytest.mark.parametrize("away", [1, 3, -6])
def test_at_a_steady_rate_a_grain_and_its_images_are_one(away):
    """A grain listed some periods away, with the velocity of that image, does the same."""

    def after(away):
        box = Box(4.0, 4.0, tags=(Velocity(x=-0.01, y=0.005),))
        scene = Scene(law=DAMPED, box=box)
        scene.add(BALL, (1.0, 1.0), velocity=(0.05, 0.02))
        scene.add(BALL, (2.6 + 4.0 * away, 1.2), velocity=(-0.03 - 0.01 * away, 0.0))
        scene.add(pebble(0.8), (2.3, 3.0 - 4.0 * away), velocity=(0.0, -0.02 - 0.005 * away))
        engine = Engine(scene, dt=0.05)
        engine.advance(2000)
        places, turns, period = engine.positions, np.stack([np.cos(engine.angles), np.sin(engine.angles)], axis=1), engine.period
        places[1, 0] -= away * period[0]
        places[2, 1] += away * period[1]
        speeds = engine.velocities + away * np.array([[0.0, 0.0], [0.01, 0.0], [0.0, 0.005]])
        return np.column_stack([places, turns, speeds, engine.spins])

    assert after(away) == pytest.approx(after(0), abs=1e-9)


def test_forces_on_the_lengths_are_slopes_of_the_energy_also_with_notches():
    """−dU/dL at fixed places, and the virial as −dU/d(ln L) where places move along; grains with a notch that subtracts."""
    notched = polygon([(0, 0), (2, 0), (2, 1), (1, 0.4), (0, 1)], radius=0.15)
    column = [(notched, (1.02, 0.0)), (BALL, (1.0, 0.62)), (notched, (0.95, 1.53)), (BALL, (0.97, 2.16))]
    size = np.array([2.9, 3.06])

    def packed(stretch, along):
        push = (Pressure(1e-9, "-x"), Pressure(1e-9, "-y"), Dashpot(0.0))
        scene = Scene(law=Linear(1.0), box=Box(*(size * stretch), tags=push))
        for shape, place in column:
            scene.add(shape, np.array(place) * (stretch if along else 1.0), angle=0.02)
        engine = Engine(scene, dt=1e-3)
        return accounts(engine, engine.snapshot())["normal_elastic"], engine

    engine = packed(np.ones(2), True)[1]
    snapshot = engine.snapshot()
    assert (snapshot.contacts.counts < 0.0).sum() == 2
    tensor, before = virial(engine, snapshot), engine.period
    engine.advance(1)  # half a kick from rest
    push = (engine.period - before) * engine.scene.cell().mass / (0.5 * engine.dt**2)
    for axis, step in enumerate(1e-6 * np.eye(2)):
        fixed, moved = (-(packed(1.0 + step, way)[0] - packed(1.0 - step, way)[0]) / 2e-6 for way in (False, True))
        assert push[axis] == pytest.approx(fixed / size[axis], rel=1e-5, abs=1e-7)
        assert tensor[axis, axis] == pytest.approx(moved, rel=1e-7)


def falling():
    """Disks between a floor and a loaded lid, both with gaps at the seam of a shrinking period: grains fall out and leave."""
    scene = Scene(
        law=Linear(100.0, 50.0, 0.5, normal_damping=1.0), gravity=(0.0, -1.0), remove_below=-3.0,
        box=Box(6.0, 0.0, tags=(Velocity(x=-0.02),)),
    )  # fmt: skip
    for k in range(20):
        scene.add(disk(radius=0.45), (1.2 * (k % 5) + 0.6, 1.0 * (k // 5) + 0.6))
    scene.add_wall(segment((1.0, 5.5), (4.0, 5.5), radius=0.1), tags=(Velocity(x=0.0, spin=0.0), Pressure(0.5, "-y")))
    scene.add_wall(segment((1.0, 0.0), (4.0, 0.0), radius=0.1))
    return scene


def test_a_stored_run_whose_cell_moves_and_grains_leave_goes_on_bit_for_bit(tmp_path):
    how = {"until": 40.0, "dt": 0.004, "samples": 20, "frames": 4, "progress": clast.quiet()}
    whole = clast.run(falling(), out=tmp_path / "whole", **how)
    taken = []

    def stop(engine, snapshot):
        taken.append(snapshot.step)
        if len(taken) == 11:
            os.kill(os.getpid(), signal.SIGTERM)
        return {}

    with pytest.raises(Interrupted):
        clast.run(falling(), out=tmp_path / "parts", extra=stop, **how)
    parts = clast.run(falling(), out=tmp_path / "parts", resume=True, **how)
    assert whole.result["energy_error"] < 1e-4
    assert 2 <= whole.frames[-1].present.sum() < 20 and len(parts.frames) == len(whole.frames)
    for name in whole.series:
        assert np.array_equal(whole.series[name], parts.series[name]), name
    assert np.array_equal(whole.contacts[2].forces, parts.contacts[2].forces) and len(whole.contacts[2].forces) > 0
    assert np.array_equal(whole.frames[-1].positions, parts.frames[-1].positions)


def test_springs_are_taken_over_by_a_new_scene_with_the_present_cell():
    grain, rng = pebble(1.0), np.random.default_rng(2)

    def scene(places, angles, size, springs=None):
        # the cap of springs must not depend on velocities, which the new scene does not have
        law = replace(DAMPED, cap="elastic")
        made = Scene(law=law, box=Box(*size, tags=(Velocity(x=-0.002, y=-0.002),)), springs=springs)
        for place, angle in zip(places, angles, strict=True):
            made.add(grain, place, angle=angle)
        return made

    lattice = [(1.2 * (k % 4) + 0.6, 1.2 * (k // 4) + 0.6) for k in range(16)]
    engine = Engine(scene(lattice, rng.uniform(0.0, 6.0, 16), (4.8, 4.8)), dt=0.03)
    engine.advance(8000)
    snapshot = engine.snapshot()
    heir = Engine(scene(snapshot.positions, snapshot.angles, snapshot.period, engine.springs()), dt=0.03)
    before, after = accounts(engine, snapshot), accounts(heir, heir.snapshot())
    assert before["tangential_elastic"] > 1e-5
    for account in ("tangential_elastic", "normal_elastic"):
        assert after[account] == pytest.approx(before[account], rel=1e-9)


def test_many_bodies_and_a_lid_that_moves():
    scene = Scene(law=Linear(1.0), box=Box(80.0, 0.0, tags=(Velocity(x=-0.1),)))
    small = disk(radius=0.3)
    for k in range(4100):
        scene.add(small, (1.2 * (k % 64) + 1.0, 1.2 * (k // 64) + 1.0))
    scene.add_wall(segment((5.0, 100.0), (70.0, 100.0), radius=0.3), tags=(Velocity(x=0.0, y=-0.01, spin=0.0),))
    engine = Engine(scene, dt=0.1)
    assert len(engine.positions) == len(scene.bodies)
    assert engine.period[0] == 80.0


def test_a_wall_meets_grains_that_went_round_many_times():
    """The 50th image of a wall, 0.1 per time fast as the cell grows, hits a disk at rest, which leaves twice as fast."""
    scene = Scene(law=Linear(1.0), box=Box(10.0, 0.0, tags=(Velocity(x=0.002),)))
    scene.add(BALL, (506.0, 0.0), mass=1.0)
    scene.add_wall(segment((2.0, -1.0), (2.0, 1.0), radius=0.3))
    engine = Engine(scene, dt=0.05, alpha=0.4)
    engine.advance(1200)
    assert engine.velocities[0, 0] == pytest.approx(0.2, rel=1e-3)


@pytest.mark.parametrize("period_x", [10.0, 0.0])
def test_a_wall_along_one_side_leaves_the_other_free_to_move(period_x):
    scene = Scene(law=Linear(1.0), box=Box(period_x, 6.0, tags=(Velocity(y=-0.01),)))
    scene.add(BALL, (5.0, 3.0))
    scene.add_wall(segment((0.0, 0.0), (10.0, 0.0), radius=0.1))
    engine = Engine(scene, dt=0.05)
    engine.advance(100)
    assert engine.period == pytest.approx([period_x, 5.95])


def test_samples_in_opening_and_closing_steps_are_as_good_as_others():
    """A light cell bounces on two disks; at every step the book must be nearly as good as at the end."""
    box = Box(4.0, 0.0, tags=(Force(x=-0.01), Dashpot(0.0)), mass=1.0)
    scene = Scene(law=Linear(1.0), box=box)
    scene.add(BALL, (1.0, 0.0), mass=1.0, velocity=(0.03, 0.0))
    scene.add(BALL, (2.7, 0.0), mass=1.0, velocity=(-0.02, 0.0))
    engine = Engine(scene, dt=0.01)
    rows, times = [], []
    for step in range(1, 15_001):
        snapshot = engine.snapshot()
        rows.append(accounts(engine, snapshot))
        times.append(snapshot.time)
        engine.advance(step)
    book = Book(np.array(times), {name: np.array([row[name] for row in rows]) for name in rows[0]})
    errors = np.abs(book.residual) / book.scale
    print("largest, last", errors.max(), errors[-1])
    assert errors.max() < 2.0 * errors[-1]


def test_a_grain_never_overlaps_its_own_image_unseen():
    scene = Scene(law=Linear(1.0), box=Box(4.0, 4.0, tags=(Velocity(x=-0.1),)))
    scene.add(BALL, (1.0, 1.0))
    engine = Engine(scene, dt=0.03, alpha=2.0)
    with pytest.raises(PhysicsError, match="would meet itself"):
        engine.advance(10_000)
    assert engine.period[0] > 0.99


def test_a_run_that_ends_with_too_small_a_cell_keeps_its_samples(tmp_path):
    scene = Scene(law=Linear(1.0), box=Box(4.0, 4.0, tags=(Velocity(x=-0.1),)))
    scene.add(BALL, (1.0, 1.0))
    with pytest.raises(PhysicsError):
        clast.run(scene, until=60.0, dt=0.03, out=tmp_path / "run", samples=60, progress=clast.quiet())
    assert clast.open(tmp_path / "run").series["time"][-1] > 28.0


def test_bodies_of_a_periodic_scene_are_tagged_by_an_array_of_ids():
    scene = Scene(law=Linear(1.0), box=Box(10.0, 10.0))
    for x in (1.0, 3.0, 5.0):
        scene.add(BALL, (x, 1.0))
    scene.tag(np.array([0, 2]), Fixed())
    assert [len(body.tags) for body in scene.bodies] == [1, 0, 1]


def test_a_pressure_on_a_cell_with_an_open_side_says_what_to_do():
    scene = Scene(law=Linear(1.0), box=Box(10.0, 0.0, tags=(Pressure(1e-3, "-x"),)))
    scene.add(BALL, (5.0, 5.0))
    with pytest.raises(SceneError, match="Force"):
        Engine(scene)


def test_one_tag_alone_is_a_tag():
    with pytest.raises(SceneError):
        Box(5.0, 5.0, tags=Velocity(x=1.0))
