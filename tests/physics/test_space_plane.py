"""What space says of motion in a plane is what the plane says: spheres as disks, a box as a square; and two ways for spheres."""

import dataclasses
import math
from unittest.mock import patch

import numpy as np
import pytest

from clast.algebra.quaternions import about, matrix
from clast.dynamics.binding import kinds_to_compile
from clast.dynamics.contacts.kinds import OTHERS
from clast.dynamics.engine import Engine
from clast.laws import Cohesion, HertzMindlin, Law, Linear, Rolling
from clast.measures.snapshots.accounts import accounts
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.shapes import disk, polygon, segment
from clast.shapes.space.make import cuboid, plate, sphere

K = 1e4
LAW = Linear(K, 0.5 * K, friction=0.5, normal_damping=80.0, tangential_damping=40.0)  # few bounces: rounding grows by chaos
FLOOR = [(-3.0, 0.0), (3.0, 0.0)]
SIDES = [[(-1.6, -1.0), (-1.6, 6.0)], [(1.6, -1.0), (1.6, 6.0)]]
GRAVITY = 10.0


def wide(ends: list[tuple[float, float]]):
    """The segment as a plate that goes far to both sides of the plane."""
    (x, y), (u, v) = ends
    return plate([(x, y, -4.0), (u, v, -4.0), (u, v, 4.0), (x, y, 4.0)], 0.1)


def heaps(law: Law) -> tuple[Scene, Scene3D]:
    """Balls of two sizes falling between walls, in the plane z = 0 and in the plane itself, with the same m and I."""
    flat, deep = Scene(law=law, gravity=(0.0, -GRAVITY)), Scene3D(law=law, gravity=(0.0, -GRAVITY, 0.0))
    rng = np.random.default_rng(4)
    for k in range(6):
        ball = sphere((0.4, 0.3)[k % 2])
        place, velocity, spin = (k % 3 - 1.0 + 0.02 * k, 0.6 + 0.85 * (k // 3)), rng.normal(0, 1, 2), rng.normal(0, 5)
        flat.add(disk(radius=ball.radius), place, velocity=velocity, spin=spin, mass=ball.volume)
        flat.bodies[k].inertia = float(ball.inertia[2])
        deep.add(ball, (*place, 0.0), velocity=(*velocity, 0.0), spin=(0.0, 0.0, spin))
    for ends in (FLOOR, *SIDES):
        flat.add_wall(segment(*ends, 0.1))
        deep.add_wall(wide(ends))
    return flat, deep


def by_id(engine: Engine) -> np.ndarray:
    """x, y, velocity x, y, spin about z of all bodies, rows by id."""
    seen = engine.snapshot()
    spins = seen.spins if seen.dimension == 2 else seen.spins[:, 2]
    return np.column_stack([seen.positions[:, :2], seen.velocities[:, :2], spins])


def same_books(one: Engine, other: Engine, to: float) -> dict[str, float]:
    """Every account of both; what is lost with springs has a test of its own."""
    book, twin = (accounts(engine, engine.snapshot()) for engine in (one, other))
    lost = book.pop("heat_lost_springs"), twin.pop("heat_lost_springs")
    assert twin == pytest.approx(book, rel=to, abs=0.1 * to)
    return {**book, "heat_lost_springs": lost[0], "of the other": lost[1]}


def test_spheres_kept_in_a_plane_are_disks():
    """Friction, damping, walls, springs: to rounding, as it grows in the plane itself when all begins 1e-15 elsewhere."""
    flat, deep = (Engine(scene, dt=5e-4, alpha=0.1) for scene in heaps(LAW))
    beside = Engine(heaps(LAW)[0], dt=5e-4, alpha=0.1)
    beside.place(range(6), beside.positions[:6] + np.random.default_rng(1).normal(0, 1e-15, (6, 2)))
    for step, to in ((1, 1e-12), (300, 1e-11), (1000, 1e-9), (3000, 1e-6)):
        for engine in (flat, deep, beside):
            engine.advance(step)
        grown = np.abs(by_id(flat) - by_id(beside)).max()
        assert np.abs(by_id(flat) - by_id(deep)).max() < min(100.0 * grown + 1e-14, to)
        out = deep.snapshot()
        assert np.abs(np.column_stack([out.positions[:6, 2], out.velocities[:6, 2], out.spins[:6, :2]])).max() < 1e-12
        book = same_books(flat, deep, max(to, 1e-9))
    assert book["heat_sliding"] > 0.1 and book["tangential_elastic"] > 0.0
    assert len(flat.springs().memory) == len(deep.springs().memory) > 6


MORE = {
    "rolling and cohesion": Linear(K, 0.5 * K, 0.5, 10.0, 5.0, rolling=Rolling(20.0, 0.2), cohesion=Cohesion(1.0, 0.02)),
    "by angle": dataclasses.replace(LAW, sliding_by="angle"),
    "hertz-mindlin": HertzMindlin(3e4, 1e4, friction=0.5, restitution=0.8),
}


@pytest.mark.validate
@pytest.mark.parametrize("law", MORE)
def test_spheres_are_disks_under_other_laws(law):
    flat, deep = (Engine(scene, dt=2e-4, alpha=0.1) for scene in heaps(MORE[law]))
    for step in (500, 3000):
        flat.advance(step)
        deep.advance(step)
        assert np.abs(by_id(flat) - by_id(deep)).max() < 1e-9
        same_books(flat, deep, 1e-8)


def test_a_box_on_a_plate_is_a_square_on_a_line():
    """Thrown, it bounces, slides and turns in the plane; two corners of the box for one of the square, so twice the law."""
    half = Linear(0.5 * K, 0.25 * K, friction=0.4, normal_damping=10.0, tangential_damping=5.0)
    whole = Linear(K, 0.5 * K, friction=0.4, normal_damping=20.0, tangential_damping=10.0)
    box = cuboid((1.0, 0.8, 1.6), 0.1)
    square = polygon([(-0.5, -0.4), (0.5, -0.4), (0.5, 0.4), (-0.5, 0.4)], 0.1)
    flat, deep = Scene(law=whole, gravity=(0.0, -GRAVITY)), Scene3D(law=half, gravity=(0.0, -GRAVITY, 0.0))
    angle, place, speed, spin = 0.3, (-1.5, 1.0), (1.5, -0.5), -2.0
    flat.add(square, place, angle=angle, velocity=speed, spin=spin, mass=box.volume)
    deep.add_drawn(box, (*place, 0.0), turn=about((0, 0, 1), angle), velocity=(*speed, 0.0), spin=(0.0, 0.0, spin))
    flat.bodies[0].inertia = float(box.inertia[np.abs(matrix(box.orientation)[2]).argmax()])  # about the axis drawn along z
    flat.add_wall(segment(*FLOOR, 0.1))
    deep.add_wall(wide(FLOOR))
    one, other = Engine(flat, dt=2e-4, alpha=0.1), Engine(deep, dt=2e-4, alpha=0.1)
    turned = 0.0
    for step in range(200, 8001, 200):
        one.advance(step)
        other.advance(step)
        assert np.abs(by_id(one) - by_id(other))[0].max() < 1e-6
        turned = max(turned, abs(by_id(one)[0, 4]))
    book = same_books(one, other, 1e-6)
    assert turned > 1.0 and book["heat_sliding"] > 0.1
    assert math.hypot(*by_id(one)[0, 2:4]) < 1e-2  # at rest on its side


def spheres_both_ways() -> list[Engine]:
    """Balls falling on a plate; without the mark of a sphere their pairs go through features, arms and frames as others do."""
    engines = []
    for short in (True, False):
        rng = np.random.default_rng(6)
        scene = Scene3D(law=LAW, gravity=(0.0, 0.0, -GRAVITY))
        for k in range(18):
            place = (0.75 * (k % 3) + 0.05 * k, 0.75 * (k // 3 % 3), 0.5 + 0.72 * (k // 9))
            scene.add(sphere(0.4), place, velocity=rng.normal(0, 1, 3), spin=rng.normal(0, 5, 3))
        scene.add_wall(plate([(-3, -3, 0), (5, -3, 0), (5, 5, 0), (-3, 5, 0)], 0.1))
        with patch("clast.dynamics.binding.kinds_to_compile", kinds_to_compile if short else lambda scene: 1 << OTHERS):
            engine = Engine(scene, dt=5e-4, alpha=0.1)
        if not short:
            engine.geometry = engine.geometry._replace(round=np.zeros_like(engine.geometry.round))
            engine._rebuild()
        assert engine._lists.pair[: engine.pairs, 5].any() == short
        engines.append(engine)
    return engines


def test_the_short_way_for_spheres_is_the_general_one():
    engines = spheres_both_ways()
    for step in (1, 300, 1000):
        for engine in engines:
            engine.advance(step)
        for name in ("positions", "orientations", "velocities", "spins"):
            assert np.abs(getattr(engines[0], name) - getattr(engines[1], name)).max() < 1e-10
        book = same_books(*engines, 1e-9)
    assert book["heat_sliding"] > 0.1


@pytest.mark.parametrize("both", [lambda: [Engine(s, dt=5e-4, alpha=0.1) for s in heaps(LAW)], spheres_both_ways],
                         ids=["plane and space", "short and general way"])  # fmt: skip
def test_springs_lost_where_contacts_open_are_booked_alike(both):
    """The kick of the step before has still worked against a spring for half a step after the contact was last seen."""
    engines = both()
    for engine in engines:
        engine.advance(1000)
    book = same_books(*engines, 1e-9)
    assert book["heat_lost_springs"] > 1e-6
    assert book["of the other"] == pytest.approx(book["heat_lost_springs"], rel=1e-5)
