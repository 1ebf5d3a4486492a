"""Springs that measure sliding as an angle (McNamara's relation, `sliding_by="angle"`): closed paths, books, refusals."""

import math
import runpy
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import test_orders

from clast.dynamics.engine import Engine
from clast.errors import SceneError
from clast.laws import Linear, OverlapEnergy
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.scene.tags import Fixed
from clast.shapes import Shape, disk, polygon
from clast.shapes.space.make import cuboid, sphere, tetrahedron

K = 1e4
STEPS, DT = 200, 1e-3
FAR, NEAR, ARC = 0.46, 0.41, 0.3  # distances of the skeletons and angle of the arcs
BARS = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "space_bars.py"))


def law(by: str, friction: float = math.inf) -> Linear:
    return Linear(K, 0.5 * K, friction=friction, sliding_by=by)


# --- closed paths -------------------------------------------------------------------------------------------------------


def ring() -> tuple[np.ndarray, np.ndarray]:
    """Angles and distances (n,) along a closed way: out along an arc, in, back at the smaller distance, out again."""
    there, inward = np.linspace(-0.5, 0.5, STEPS + 1) * ARC, np.linspace(FAR, NEAR, 11)
    angles = np.concatenate([there, np.full(10, there[-1]), there[-2::-1], np.full(10, there[0])])
    return angles, np.concatenate([np.full(STEPS + 1, FAR), inward[1:], np.full(STEPS, NEAR), inward[-2::-1]])


def springs_on(scene: Scene | Scene3D, places: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Springs (n,) of the one contact of body 0, led along `places` (n, axes) and in the plane turned (n,); in space their forces
    over k_t (n, 3)."""
    engine, found = Engine(scene, dt=DT), []
    for k in range(1, len(places)):
        engine.advance(engine.step + 1)
        spin = (turns[k] - turns[k - 1]) / DT
        if engine.dimension == 2:
            engine.place(0, places[k], turns[k])
            engine.set_velocities(0, (places[k] - places[k - 1]) / DT, spin)
        else:
            engine.place(0, places[k], (1.0, 0.0, 0.0, 0.0))
            engine.set_velocities(0, (places[k] - places[k - 1]) / DT, (0.0, 0.0, 0.0))
        contacts = engine.snapshot().contacts
        assert len(contacts) == 1
        found.append(contacts.springs[0] if engine.dimension == 2 else contacts.shears[0] / (0.5 * K))
    return np.array(found)


def left_of(found: np.ndarray) -> float:
    """The last spring over the longest."""
    sizes = np.abs(found) if found.ndim == 1 else np.linalg.norm(found, axis=1)
    return float(sizes[-1] / sizes.max())


def around(still: Shape, by: str, turning: float) -> np.ndarray:
    """A disk goes round a vertex of a fixed body, and turns to and fro."""
    angles, away = ring()
    places = np.stack([away * np.sin(angles), away * np.cos(angles)], axis=1)
    scene = Scene(law=law(by))
    scene.add(disk(0.17), places[0])
    scene.add_wall(still)
    return springs_on(scene, places, turning * np.sin(np.linspace(0.0, 2.0 * math.pi, len(angles))))


HALF = math.sqrt(0.5)
BLOCK = cuboid((1.4, 1.4, 1.4), 0.3)  # its skeleton reaches to 0.7
ROUNDED = {  # the fixed body, where what the sphere goes round is, the way from there, and one aside
    "two spheres": (sphere(0.3), (0.0, 0.0, 0.0), (0.6, 0.0, 0.8), (0.0, 1.0, 0.0)),
    "on an edge": (BLOCK, (0.7, 0.7, 0.0), (HALF, HALF, 0.0), (HALF, -HALF, 0.0)),
    "on a corner": (BLOCK, (0.7, 0.7, 0.7), (3**-0.5,) * 3, (HALF, -HALF, 0.0)),
}


def sphere_on(name: str, by: str) -> np.ndarray:
    """A sphere goes round a vertex or an edge."""
    still, foot, away, aside = ROUNDED[name]
    angles, distance = ring()
    places = foot + np.outer(distance * np.cos(angles), away) + np.outer(distance * np.sin(angles), aside)
    scene = Scene3D(law=law(by))
    scene.add(sphere(0.17), places[0])
    scene.add(still, (0.0, 0.0, 0.0), big=True, tags=(Fixed(),))
    return springs_on(scene, places, np.zeros(len(angles)))


PATHS = {
    "disks that turn": lambda by: around(disk(0.3), by, 0.2),
    "a disk on a corner": lambda by: around(polygon([(0.0, 0.0), (-2.0, -2.0), (2.0, -2.0)], 0.3), by, 0.0),
    **{name: partial(sphere_on, name) for name in ROUNDED},
}


@pytest.mark.parametrize("name", PATHS)
def test_a_closed_path_returns_the_spring(name):
    """By angle to rounding; by the path of the contact point a third of it is kept, as the arcs differ in length."""
    assert left_of(PATHS[name]("angle")) < 1e-12
    assert left_of(PATHS[name]("path")) > 0.05


def test_round_a_sphere_in_any_way_the_rest_is_of_third_order():
    """On a small circle about a vertex the plane of a spring turns by the solid angle: a closed path leaves π R ρ³ of it."""
    left = []
    for size in (0.1, 0.05):
        scene, turn = Scene3D(law=law("angle")), np.linspace(0.0, 2.0 * math.pi, 2 * STEPS + 1)
        away = np.stack([math.sin(size) * np.cos(turn), math.sin(size) * np.sin(turn), np.full(turn.size, math.cos(size))], 1)
        scene.add(sphere(0.17), 0.44 * away[0])
        scene.add(sphere(0.3), (0.0, 0.0, 0.0), big=True, tags=(Fixed(),))
        left.append(np.linalg.norm(springs_on(scene, 0.44 * away, np.zeros(turn.size))[-1]))
        assert left[-1] == pytest.approx(math.pi * 0.47 / 0.44 * 0.47 * size**3, rel=0.02)
    assert 7.5 < left[0] / left[1] < 8.5


# --- the book -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["disk", "hexagon"])
@pytest.mark.parametrize("friction", [math.inf, 0.5])
def test_order_of_collisions_in_the_plane(name, friction, monkeypatch):
    monkeypatch.setattr(test_orders, "PAIRS", 80)
    found = test_orders.errors(test_orders.RUBBING[name], Linear(1e6, 5e5, friction=friction, sliding_by="angle"))
    slope, error = test_orders.show("by angle", name, found)
    assert slope >= (1.9 if friction == math.inf else 1.9 - 2 * error)
    assert np.sqrt((found[1] ** 2).mean()) < 5e-5


def energies(engine: Engine) -> np.ndarray:
    """Kinetic and elastic energy and heat of each pair."""
    seen = engine.snapshot()
    each = sum(seen.book[n] for n in ("translational", "rotational", "heat_sliding", "heat_viscous", "heat_lost_springs"))
    np.add.at(each, seen.contacts.first, seen.contacts.normal_energies + seen.contacts.tangential_energies)
    return each.reshape(-1, 2).sum(axis=1)


@pytest.mark.parametrize("solid", [sphere(0.5), tetrahedron(1.0, 0.2)], ids=["sphere", "tetrahedron"])
def test_order_of_collisions_in_space(solid):
    """Springs that hold all along."""
    scene, parts, rms = BARS["collisions"](solid, K, 60, depth=0.05), (50, 100, 200), []
    scene.default_law = law("angle")
    for part in parts:
        engine = Engine(scene, dt=BARS["contact_time"](solid, K) / part, alpha=0.1)
        before = energies(engine)
        engine.advance(6 * part)
        rms.append(math.sqrt(np.mean((energies(engine) / before - 1.0) ** 2)))
    assert -np.polyfit(np.log(parts), np.log(rms), 1)[0] >= 1.9


# --- what is refused ----------------------------------------------------------------------------------------------------


def test_what_is_refused():
    with pytest.raises(SceneError, match='sliding_by = "arc" must be "path" or "angle"'):
        Linear(K, sliding_by="arc")
    with pytest.raises(SceneError, match="no contacts between vertices: leave out sliding_by"):
        OverlapEnergy(K, sliding_by="angle")
    with pytest.raises(SceneError, match="Linear with sliding by angle against Linear"):
        Scene(law=law("path")).set_law("a", "b", law("angle"))
