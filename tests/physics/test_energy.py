"""The energy book closes, at the order it should, and a broken account is seen (model §7)."""

import math

import numpy as np
import pytest
from books import assert_a_broken_account_is_seen, booked

from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.measures.book import ACCOUNTS, HEATS, Book
from clast.scene.plane import Box, Scene
from clast.scene.tags import Force, Velocity
from clast.shapes import disk, pebble, regular, segment

K = 1e4


def collisions(parts: int, number: int = 40, onset: bool = True) -> np.ndarray:
    """Relative energy errors of two-disk collisions with random impact parameter and random phase of the step."""
    rng = np.random.default_rng(12)
    ball = disk(radius=0.5)
    period = math.pi * math.sqrt(0.5 * ball.area / K)
    speed = 0.02 * math.pi / period
    scene = Scene(law=Linear(K), onset=onset)
    for k in range(number):
        offset, gap = rng.uniform(0, 0.8), rng.uniform(0.005, 0.02)
        scene.add(ball, (0.0, 5.0 * k))
        scene.add(ball, (math.sqrt(1.0 - offset**2) + gap, 5.0 * k + offset), velocity=(-speed, 0.0))
    engine = Engine(scene, dt=period / parts)
    engine.advance(round(5.0 * parts))
    snap = engine.snapshot()
    assert len(snap.contacts) == 0
    energy = (snap.velocities**2).sum(axis=1).reshape(number, 2).sum(axis=1)
    return energy / speed**2 - 1.0


def test_order_of_elastic_collisions():
    parts = np.array([25, 50, 100, 200])
    rms = np.array([np.sqrt((collisions(p) ** 2).mean()) for p in parts])
    slope = -np.polyfit(np.log(parts), np.log(rms), 1)[0]
    assert slope >= 1.9
    assert rms[1] < 1e-4


def test_weighting_the_onset_pays():
    with_it, without = (np.sqrt((collisions(50, onset=onset) ** 2).mean()) for onset in (True, False))
    assert with_it < 0.1 * without


def sheared(device: str) -> Engine:
    """Pebbles and hexagons between a fixed floor and a lid that presses and slides: every account is in use."""
    law = Linear(K, 0.5 * K, friction=0.5, normal_damping=3.0, tangential_damping=3.0)
    scene = Scene(law=law, gravity=(0.0, -5.0), box=Box(period_x=5.0))
    scene.add_wall(segment((0, 0), (5, 0), 0.1))
    rng = np.random.default_rng(3)
    shapes = [pebble(0.6), regular(6, 0.1, circumradius=0.35), disk(0.5)]
    for k in range(15):
        scene.add(shapes[k % 3], (k % 5 + 0.5, 0.65 + 1.0 * (k // 5)), angle=rng.uniform(0, 7))
    scene.add_wall(segment((0, 3.4), (5, 3.4), 0.1), tags=[Velocity(x=1.0, spin=0.0), Force(y=-60.0)])
    return Engine(scene, device=device)


@pytest.fixture(scope="module")
def book(device) -> Book:
    engine = sheared(device)
    return booked(engine, round(4.0 / engine.dt), 250)


def test_the_book_closes(book):
    # accounts that have tests of their own
    idle = {
        "rolling_elastic",
        "cohesive",
        "heat_rolling",
        "heat_drag",
        "carried_off",
        "overlap_work",
        "work_changes",
    }
    assert {name for name in ACCOUNTS if np.ptp(book[name]) == 0.0} == idle
    assert book.energy_error < 2e-4


@pytest.mark.parametrize(
    "name", ["heat_sliding", "heat_viscous", "work_tags", "gravitational", "translational", "normal_elastic"]
)
def test_a_broken_account_is_seen(book, name):
    """One account wrong by some per cent: the residual grows by what is missing."""
    wrong = 1.01 if name in (*HEATS, "work_tags", "gravitational") else 1.2
    assert_a_broken_account_is_seen(book, name, wrong)


def test_heats_only_grow(book):
    for name in ("heat_sliding", "heat_viscous"):
        assert (np.diff(book[name]) >= -1e-12 * book.scale).all()


def test_the_error_does_not_depend_on_the_zero_of_height():
    errors = []
    for height in (0.0, 1000.0):
        scene = Scene(law=Linear(K), gravity=(0.0, -10.0))
        scene.add(disk(radius=0.5), (0.0, 1.0 + height))
        scene.add_wall(segment((-2, height), (2, height), 0.1))
        engine = Engine(scene, dt=1e-3)
        run = booked(engine, 3000)
        errors.append(run.energy_error)
    assert errors[0] < 1e-11  # a straight bounce on a linear spring loses nothing at all
    assert errors[1] < 1e-9  # 1000 m higher: rounding


def jostling(onset: bool) -> Scene:
    """Elastic disks packed so densely that each always touches several others."""
    rng = np.random.default_rng(1)
    side, spacing = 7, 0.98
    scene = Scene(law=Linear(1.0), box=Box(side * spacing, side * spacing), onset=onset)
    for k in range(side**2):
        scene.add(disk(radius=0.5), (spacing * (k % side), spacing * (k // side)), velocity=0.02 * rng.normal(size=2))
    return scene


def test_weighting_the_onset_pays_where_many_push_at_once():
    """In a dense sample other pairs change a contact's closing speed as much as the contact itself does."""
    errors = {
        (onset, dt): booked(Engine(jostling(onset), dt=dt), round(400.0 / dt)).energy_error
        for onset, dt in ((True, 0.1), (True, 0.05), (False, 0.05))
    }
    print(errors)
    assert errors[True, 0.05] < 0.25 * errors[False, 0.05]
    assert errors[True, 0.05] < 0.5 * errors[True, 0.1]


def test_sliding_across_the_seam_of_an_endless_plate_costs_no_energy():
    """The spring goes on where the plate repeats: nothing is lost, and the book closes as on a plate without end."""
    scene = Scene(law=Linear(K, 0.33 * K, 0.4, 16.0, 4.0), gravity=(0.0, -10.0), box=Box(period_x=2.0))
    scene.add_wall(segment((0.0, 0.0), (2.0, 0.0), radius=0.1))
    grain = disk(radius=0.5)
    scene.add(grain, (0.3, 0.6 - 10.0 * grain.area / K), tags=[Velocity(x=1.0, spin=0.0)])
    book = booked(Engine(scene, dt=2e-3), 5000)
    assert book["heat_lost_springs"][-1] == 0.0 < book["heat_sliding"][-1]  # it has passed the seam five times
    assert abs(float(book.residual[-1])) < 1e-11
