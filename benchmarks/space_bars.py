"""The long bars of space: gases of 512 solids, orders over single collisions, a wall of blocks at rest. Prints a table.

    python benchmarks/space_bars.py gas | order | wall        (all when none is named)

Δt is given as a part of T_c = π √(m_e/k_n), the time two such grains touch in a central collision of count 1.
"""

import itertools
import math
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "tools"))
from books import booked

from clast.algebra.quaternions import random_turns
from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.measures.book import Book
from clast.packing.space.arrangement import lattice_packing3d
from clast.packing.space.distance import distance, skeleton_of
from clast.protocols.settle import unbalanced_force
from clast.scene.space import Box3D, Scene3D
from clast.scene.timed import Table
from clast.shapes.space.forms import cross
from clast.shapes.space.make import cuboid, plate, tetrahedron
from clast.shapes.space.solid import Solid

SHAPES = {"cube": cuboid(1.0, 0.1, name="cube"), "tetrahedron": tetrahedron(1.0, 0.1), "cross": cross(0.5, 0.5, 0.1)}
PARTS = (25, 50, 100, 200)
PAIRS = 240
FRACTION = 0.2
ALPHA = 0.1  # of a side: results do not depend on it


def contact_time(shape: Solid, stiffness: float) -> float:
    """T_c of two equal grains of unit density."""
    return math.pi * math.sqrt(0.5 * shape.volume / stiffness)


# --- gases ------------------------------------------------------------------------------------------------------------


def gas(shape: Solid, part: float, count: int = 512, overlap: float = 0.1) -> Engine:
    """Grains on a lattice at φ = 0.2, all of speed 1 in random directions, none turning: rotation has to come of itself.

    Two of them that meet head on at one point overlap by the given part of the sum of radii.
    """
    rng = np.random.default_rng(1)
    stiffness = 2.0 * shape.volume / (overlap * 2 * shape.radius) ** 2
    packing = lattice_packing3d([shape] * count, rng, fraction=FRACTION)
    scene = Scene3D(law=Linear(stiffness), box=Box3D(*(float(side) for side in packing.size)))
    ways = rng.normal(size=(count, 3))
    ways -= ways.mean(axis=0)
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    scene.add_many(shape, packing.positions, orientations=packing.orientations, velocities=ways)
    return Engine(scene, dt=contact_time(shape, stiffness) / part, alpha=ALPHA)


def rotation(book: Book) -> tuple[float, float]:
    """Mean share of rotation in the kinetic energy over the second half of a run, and that of its last quarter."""
    share = book["rotational"] / book.kinetic
    return float(share[len(share) // 2 :].mean()), float(share[3 * len(share) // 4 :].mean())


def gases() -> None:
    """Energy error and share of rotation of gases over 1e5 steps."""
    print("gas of 512, no friction, T_c/200, 1e5 steps; overlap of two at the speed of the start, in sums of radii")
    print("shape    overlap  energy error   at the end   rotation (last quarter)   seconds")
    for overlap, (name, shape) in itertools.product((0.1, 0.2), SHAPES.items()):
        engine = gas(shape, 200, overlap=overlap)
        began = time.perf_counter()
        book = booked(engine, 100_000, 250)
        mean, late = rotation(book)
        print(f"{name:12s} {overlap:3.1f} {book.energy_error:12.2e} {book.residual[-1] / book.scale:+13.2e} {mean:12.4f} "
              f"{late:10.4f} {time.perf_counter() - began:14.0f}", flush=True)  # fmt: skip


# --- single collisions --------------------------------------------------------------------------------------------------


def collisions(shape: Solid, stiffness: float = 1e4, pairs: int = PAIRS, depth: float = 0.03) -> Scene3D:
    """Pairs far from each other: random orientations, offset and spins, and a random gap for the phase of the step."""
    rng = np.random.default_rng(21)
    scene = Scene3D(law=Linear(stiffness))
    bones = skeleton_of(shape)
    speed = depth * 2 * shape.radius * math.pi / contact_time(shape, stiffness)  # head on: an overlap of `depth` of the radii
    for k in range(pairs):
        at = 12.0 * shape.reach * np.array([k % 16, k // 16, 0.0])
        while True:
            turns, aside = random_turns(rng, 2), rng.uniform(-0.5, 0.5, 2) * shape.reach
            gap = rng.uniform(0.3, 1.3) * depth * 2 * shape.radius
            still, place = bones.placed(np.zeros(3), turns[0]), np.array([3.0 * shape.reach, *aside])
            flying = bones.placed(np.zeros(3), turns[1])
            while place[0] > 0.0:
                apart = distance(still, flying.shifted(place)) - 2 * shape.radius - gap
                if apart < 1e-9 * shape.reach:
                    break
                place[0] -= apart
            if place[0] > 0.0:
                break
        spins = rng.normal(0.0, 0.3 * speed / shape.reach, (2, 3))
        scene.add(shape, at, orientation=turns[0], spin=spins[0])
        scene.add(shape, at + place, orientation=turns[1], spin=spins[1], velocity=(-speed, 0.0, 0.0))
    return scene


def pair_energy(engine: Engine) -> np.ndarray:
    """Kinetic and elastic energy of each pair."""
    snap = engine.snapshot()
    energy = snap.book["translational"] + snap.book["rotational"]
    np.add.at(energy, snap.contacts.first, snap.contacts.normal_energies)
    return energy.reshape(-1, 2).sum(axis=1)


def errors(shape: Solid, pairs: int = PAIRS, stiffness: float = 1e4) -> np.ndarray:
    """Relative energy errors of each collision (parts, pairs) that had begun by the end."""
    scene = collisions(shape, stiffness, pairs)
    found = []
    for part in PARTS:
        engine = Engine(scene, dt=contact_time(shape, stiffness) / part, alpha=ALPHA)
        before = pair_energy(engine)
        engine.advance(6 * part)
        found.append(pair_energy(engine) / before - 1.0)
    return np.array(found)


def order_of(found: np.ndarray) -> tuple[float, np.ndarray]:
    """Slope of log rms against log Δt, and the rms."""
    rms = np.sqrt((found**2).mean(axis=1))
    return float(-np.polyfit(np.log(PARTS), np.log(rms), 1)[0]), rms


def orders() -> None:
    """Order of the energy error over single collisions."""
    print(
        f"{PAIRS} single collisions, rms of the energy error\nshape        "
        + "".join(f"   T_c/{part:<6d}" for part in PARTS)
        + "   order"
    )
    for name, shape in SHAPES.items():
        slope, rms = order_of(found := errors(shape))
        print(
            f"{name:12s} " + "".join(f"{value:12.2e}" for value in rms) + f"{slope:9.2f}   touched {(found[0] != 0).mean():.0%}",
            flush=True,
        )


# --- a wall -------------------------------------------------------------------------------------------------------------

SIDES, RADIUS, JOINT = np.array([1.0, 0.5, 0.5]), 0.05, 0.01  # of a block's skeleton; gap between the ends of two
HELD = 2.0


def wall_of_blocks(uneven: float, stiffness: float = 1e5, gravity: float = 10.0) -> Scene3D:
    """32 blocks on a plate: seven courses in running bond, four blocks by turns with three and a half block at either end.

    `uneven`: how far at most a block stands before or behind the others. A drag takes the swaying of the wall out in the first
    HELD seconds and is then gone.
    """
    law = Linear(stiffness, 0.5 * stiffness, friction=0.6, normal_damping=200.0, tangential_damping=100.0)
    scene = Scene3D(law=law, gravity=(0.0, 0.0, -gravity), drag=Table([0.0, HELD], [30.0, 0.0], steps=True))
    rng = np.random.default_rng(1)
    size = SIDES + 2 * RADIUS
    short = 0.5 * (size[0] - JOINT)
    half = cuboid((short - 2 * RADIUS, SIDES[1], SIDES[2]), RADIUS)
    whole = cuboid(SIDES, RADIUS)
    scene.add_wall(plate([(-3, -3, -RADIUS), (8, -3, -RADIUS), (8, 3, -RADIUS), (-3, 3, -RADIUS)], RADIUS))
    for course in range(7):
        x = 0.0
        for block in [half, whole, whole, whole, half] if course % 2 == 0 else [whole] * 4:
            length = short if block is half else size[0]
            scene.add_drawn(block, (x + 0.5 * length, uneven * rng.uniform(-1.0, 1.0), size[2] * (course + 0.5)))
            x += length + JOINT
    return scene


def still_wall(uneven: float, more: int = 10_000) -> tuple[float, float, float, Engine]:
    """Unbalanced force, and the largest way and turn of any block over the last `more` steps, over the size of a block."""
    engine = Engine(wall_of_blocks(uneven), alpha=0.05)
    engine.advance(round(HELD / engine.dt) + more)
    places, turns = engine.positions, engine.orientations
    engine.advance(engine.step + more)
    way, turn = np.abs(engine.positions - places).max(), np.abs(engine.orientations - turns).max()
    return unbalanced_force(engine)[0], float(way), float(turn), engine


def walls() -> None:
    """A wall of 32 blocks comes to rest."""
    print(
        "wall of 32 blocks at rest; in the last 1e4 steps\nuneven by   unbalanced force   moved by   turned by      steps     of"
    )
    for uneven in (0.01, 0.0):
        unbalanced, way, turn, engine = still_wall(uneven)
        print(f"{uneven:9.2f} {unbalanced:18.1e} {way:10.1e} {turn:11.1e} {engine.step:10d} {engine.dt:9.1e}", flush=True)


if __name__ == "__main__":
    TABLES = {"gas": gases, "order": orders, "wall": walls}
    for asked in sys.argv[1:] or TABLES:
        TABLES[asked]()
