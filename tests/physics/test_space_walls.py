"""Walls, seams and removal in space: an endless floor has no rim, a grain across a seam is whole, who falls is gone."""

import math

import numpy as np
import pytest

from clast.algebra.quaternions import matrix, random_turns
from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.measures.book import ACCOUNTS, Book
from clast.measures.snapshots.accounts import accounts
from clast.scene.space import Box3D, Scene3D
from clast.scene.tags import Fixed, Velocity
from clast.shapes.space.forms import open_box
from clast.shapes.space.make import capsule, cuboid, plate, sphere, tetrahedron
from clast.shapes.space.solid import Solid

K = 1e4
R = 0.1
LENGTH = 3.0
LAW = Linear(K, 0.5 * K, friction=0.4, normal_damping=20.0, tangential_damping=5.0)
GRAINS = {"sphere": sphere(0.3), "cube": cuboid(0.5, R), "tetrahedron": tetrahedron(0.7, R), "capsule": capsule(0.5, 0.15)}


def floor(x: float, y: float) -> Solid:
    """A plate from −x and −y to LENGTH + x and LENGTH + y."""
    return plate([(-x, -y, 0), (LENGTH + x, -y, 0), (LENGTH + x, LENGTH + y, 0), (-x, LENGTH + y, 0)], R)


def push(wall: Solid, grain: Solid, place, turn, box: Box3D | None) -> np.ndarray:
    """Velocity and angular momentum about its axes of a grain after a first half kick from rest."""
    scene = Scene3D(law=Linear(K), box=box)
    scene.add(grain, place, orientation=turn)
    scene.add_wall(wall)
    engine = Engine(scene, dt=1e-6, alpha=0.02)
    engine.advance(1)
    own = (matrix(engine.orientations[0]).T @ engine.spins[0]) / engine.inverse_inertias[0]
    return np.concatenate([engine.velocities[0], own])


@pytest.mark.parametrize("name", GRAINS)
@pytest.mark.parametrize("box, wide", [
    (Box3D(period_x=LENGTH), (0.0, 1.0)), (Box3D(LENGTH, LENGTH), (0.0, 0.0)),
], ids=["one period", "two periods"])  # fmt: skip
def test_a_floor_over_one_period_has_no_rim(name, box, wide):
    """Beside, on and across the seam a grain is pushed as by a plate without end."""
    grain, rng = GRAINS[name], np.random.default_rng(3)
    once, wider = floor(*wide), floor(5.0, 5.0)
    for k, turn in enumerate(random_turns(rng, 8)):
        x = (1e-12, LENGTH - 1e-9, 0.05, -0.1, LENGTH - 0.2, 2 * LENGTH + 0.01, 0.3, -0.25)[k]
        scene = Scene3D(law=Linear(K))
        scene.add(grain, (0, 0, 0), orientation=turn)
        low = scene.bodies[0].turned_vertices()[:, 2].min() - grain.radius
        place = np.array([x, rng.uniform(0.0, LENGTH) if wide[1] else x, R - low - 0.02])
        expected = push(wider, grain, place % LENGTH * [1, 1, 0] + place * [0, 0, 1], turn, None)
        assert expected[2] > 0.0
        assert push(once, grain, place, turn, box) == pytest.approx(expected, abs=1e-12 * np.abs(expected).max() + 1e-18)


@pytest.mark.parametrize("y", [0.0, 1.0], ids=["corner", "side"])
def test_a_ball_exactly_over_the_seam_is_pushed_as_anywhere(y):
    ball, turn = GRAINS["sphere"], (1.0, 0.0, 0.0, 0.0)
    expected = push(floor(5.0, 5.0), ball, (0.0, y, R + 0.28), turn, None)
    assert expected[2] > 0.0
    assert push(floor(0.0, 0.0), ball, (0.0, y, R + 0.28), turn, Box3D(LENGTH, LENGTH)) == pytest.approx(expected)


def test_sliding_over_the_seam_books_what_it_loses():
    """A grain with friction goes round twice: the plate pushes all the way, and the book closes."""
    scene = Scene3D(law=LAW, gravity=(0.0, 0.0, -10.0), box=Box3D(LENGTH, LENGTH))
    scene.add_wall(floor(0.0, 0.0))
    cube = GRAINS["cube"]
    still = {"spin": 0.0, "spin_x": 0.0, "spin_y": 0.0}
    scene.add_drawn(cube, (0.3, 0.2, 0.25 + 2 * R - cube.volume * 10.0 / (4 * K)), tags=[Velocity(x=2.0, y=0.7, **still)])
    engine = Engine(scene, dt=5e-4, alpha=0.1)
    rows, heights = [], []
    for step in range(0, 6001, 60):
        engine.advance(step)
        snap = engine.snapshot()
        rows.append(accounts(engine, snap))
        heights.append(snap.positions[1, 2])
    book = Book(np.arange(len(rows)) * 60 * engine.dt, {name: np.array([row[name] for row in rows]) for name in ACCOUNTS})
    assert engine.positions[1, 0] > 2 * LENGTH - 0.1
    assert book["heat_sliding"][-1] > 1.0
    assert np.ptp(heights) < 2e-4
    assert book.energy_error < 2e-3


@pytest.mark.parametrize("name", ["cube", "tetrahedron", "sphere"])
def test_grains_across_a_seam_move_as_anywhere(name):
    """Two grains that collide in the middle of a periodic box, and the same two across its corner."""
    grain = GRAINS[name]
    ends = []
    for shift in (0.0, -0.5 * LENGTH):
        scene = Scene3D(law=LAW, box=Box3D(LENGTH, LENGTH, LENGTH))
        turns = random_turns(np.random.default_rng(5), 2)
        middle = 0.5 * LENGTH + shift
        scene.add(grain, (middle - 0.45, middle - 0.1, middle), orientation=turns[0], velocity=(1.0, 0.0, 0.2), spin=(1, 2, 3))
        scene.add(grain, (middle + 0.45, middle + 0.1, middle), orientation=turns[1], velocity=(-1.0, 0.0, 0.0))
        engine = Engine(scene, dt=2e-4, alpha=0.05)
        engine.advance(2000)
        assert np.abs(engine.velocities[1, 0] + 1.0) > 0.1  # they have met
        ends.append(np.column_stack([engine.positions - shift, engine.orientations, engine.velocities, engine.spins]))
    assert np.abs(ends[0] - ends[1]).max() < 1e-10


def test_big_bodies_do_not_meet_each_other_and_carry_grains():
    """A box of five plates over a floor that crosses it: only the grain is held."""
    scene = Scene3D(law=LAW, gravity=(0.0, 0.0, -10.0))
    scene.add_wall(open_box((2.0, 2.0, 1.5), R))
    scene.add_wall(plate([(-3, -3, 0.0), (3, -3, 0.0), (3, 3, 0.0), (-3, 3, 0.0)], R), tags=[Fixed()])
    grain = scene.add(GRAINS["cube"], (0.1, 0.0, 0.8), velocity=(1.5, 0.4, 0.0), spin=(2.0, 0.0, 1.0))
    engine = Engine(scene, dt=5e-4, alpha=0.1)
    met = set()
    for step in range(200, 8001, 200):
        engine.advance(step)
        met |= {frozenset(pair) for pair in engine.snapshot().contacts.bodies.tolist()}
    assert met and all(grain in pair for pair in met)
    x, y, z = engine.positions[grain]
    assert max(abs(x), abs(y)) < 1.0 and 0.1 < z < 0.6


def test_a_grain_that_falls_is_taken_out_and_the_book_closes():
    scene = Scene3D(law=LAW, gravity=(0.0, 0.0, -10.0), remove_below=-2.0)
    scene.add_wall(plate([(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0)], R))
    kept = scene.add_drawn(GRAINS["cube"], (0.0, 0.0, 0.5))
    scene.add(GRAINS["sphere"], (0.75, 0.0, 0.6), velocity=(0.5, 0.0, 0.0))
    scene.add(GRAINS["tetrahedron"], (3.0, 0.0, 1.0), spin=(1.0, 2.0, 3.0))
    engine = Engine(scene, dt=2e-4, alpha=0.1)
    rows = [accounts(engine, engine.snapshot())]
    for step in range(100, 8001, 100):
        engine.advance(step)
        rows.append(accounts(engine, engine.snapshot()))
    book = Book(np.arange(len(rows)) * 100 * engine.dt, {name: np.array([row[name] for row in rows]) for name in ACCOUNTS})
    assert engine.gone == 2
    assert engine.free_ids.tolist() == [kept] and np.flatnonzero(engine.present).tolist() == [0, kept]
    assert book["carried_off"][-1] != 0.0
    assert book.energy_error < 1e-3
    gone = ~engine.present
    assert (engine.positions[gone, 2] < -2.0).all() and not engine.velocities[gone].any() and not engine.spins[gone].any()
    assert math.isclose(engine.positions[kept, 2], 0.25 + 2 * R, abs_tol=1e-2)
