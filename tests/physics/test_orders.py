"""Orders of the energy error in Δt, over many collisions and in a sheared packing. Long: `make validate`.

Δt is given as a part of T_c = π √(m_e/k_n), the time two such grains touch in a central head-on collision of count 1.
"""

import math

import numpy as np
import pytest
import shapely
from books import booked

from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.measures.snapshots.accounts import accounts
from clast.scene.plane import Box, Scene
from clast.scene.tags import Force, Velocity
from clast.shapes import Shape, cow, disk, peanut, pebble, polyline, regular, rice, segment

PARTS = np.array([50, 100, 200, 400])
K = 1e6
PAIRS = 240
SHAPES = {"disk": disk(), "rice": rice(), "peanut": peanut(), "pebble": pebble(), "cow": cow()}
RUBBING = {"disk": disk(), "hexagon": regular(6, 0.1, circumradius=0.5), "pebble": pebble()}


def contact_time(shape: Shape) -> float:
    return math.pi * math.sqrt(0.5 * shape.area / K)


def skeleton(shape: Shape, angle: float, x: float = 0.0, y: float = 0.0) -> shapely.Geometry:
    c, s = math.cos(angle), math.sin(angle)
    points = shape.vertices @ np.array([[c, s], [-s, c]]) + (x, y)
    if shape.is_closed:
        return shapely.Polygon(points)
    return shapely.LineString(points) if len(shape.edges) else shapely.MultiPoint(points)


def collisions(shape: Shape, law: Linear, depth: float = 0.03) -> Scene:
    """Pairs far apart from each other: random offset, orientations, spins, and a random gap for the phase of the step."""
    rng = np.random.default_rng(21)
    scene = Scene(law=law)
    speed = depth * 2 * shape.radius * math.pi / contact_time(shape)  # head on they overlap by `depth` of the radii
    pitch = 12 * shape.reach
    for k in range(PAIRS):
        at = np.array([pitch * (k % 16), pitch * (k // 16)])
        while True:
            turns, offset = rng.uniform(0, 2 * math.pi, 2), rng.uniform(-0.8, 0.8) * shape.reach
            gap = rng.uniform(0.3, 1.3) * depth * 2 * shape.radius
            still, far = skeleton(shape, turns[0]), 3 * shape.reach
            while far > -shape.reach:
                apart = still.distance(skeleton(shape, turns[1], far, offset)) - 2 * shape.radius - gap
                if apart < 1e-9 * shape.reach:
                    break
                far -= apart
            if far > -shape.reach:
                break
        spins = rng.normal(0, 0.3 * speed / shape.reach, 2)
        scene.add(shape, at, angle=turns[0], spin=spins[0])
        scene.add(shape, at + np.array([far, offset]), angle=turns[1], spin=spins[1], velocity=(-speed, 0.0))
    return scene


def pair_energy(engine: Engine) -> tuple[np.ndarray, np.ndarray]:
    """Kinetic and elastic energy of each pair, and the heat it has made."""
    snap = engine.snapshot()
    each = 0.5 * (snap.velocities**2).sum(axis=1) / snap.inverse_masses + 0.5 * snap.spins**2 / snap.inverse_inertias
    contacts, book = snap.contacts, snap.book
    np.add.at(each, contacts.first, contacts.normal_energies + contacts.tangential_energies)
    heat = book["heat_viscous"] + book["heat_sliding"] + book["heat_lost_springs"]
    return each.reshape(-1, 2).sum(axis=1), heat.reshape(-1, 2).sum(axis=1)


def errors(shape: Shape, law: Linear) -> np.ndarray:
    """Energy errors of each pair (parts, pairs): energy after + heat − energy before, over S = energy before + heat."""
    found = []
    scene = collisions(shape, law)
    for part in PARTS:
        engine = Engine(scene, dt=contact_time(shape) / part)
        before, _ = pair_energy(engine)
        engine.advance(int(6 * part))
        after, heat = pair_energy(engine)
        found.append((after + heat - before) / (before + heat))
    return np.array(found)


def slope_of(found: np.ndarray) -> tuple[float, float, np.ndarray]:
    """Slope of log rms against log Δt, its standard error by resampling the collisions, and the rms."""
    rng = np.random.default_rng(0)

    def fit(sample: np.ndarray) -> float:
        rms = np.sqrt((sample**2).mean(axis=1))
        return float(-np.polyfit(np.log(PARTS), np.log(rms), 1)[0])

    again = [fit(found[:, rng.integers(0, found.shape[1], found.shape[1])]) for _ in range(300)]
    return fit(found), float(np.std(again)), np.sqrt((found**2).mean(axis=1))


def show(title: str, name: str, found: np.ndarray) -> tuple[float, float]:
    slope, error, rms = slope_of(found)
    row = "  ".join(f"T_c/{part}: {value:.2e}" for part, value in zip(PARTS, rms, strict=True))
    print(
        f"\n{title:12s} {name:8s} {row}   slope {slope:.2f} ± {error:.2f}   touched {(found[0] != 0).mean():.0%}",
        end="",
    )
    return slope, error


@pytest.mark.validate
@pytest.mark.parametrize("name", SHAPES)
def test_order_conservative(name):
    found = errors(SHAPES[name], Linear(K))
    slope, _ = show("conservative", name, found)
    assert slope >= 1.9


@pytest.mark.validate
@pytest.mark.parametrize("name", RUBBING)
def test_order_frictional_collisions(name):
    found = errors(RUBBING[name], Linear(K, 0.5 * K, friction=0.5))
    slope, error = show("frictional", name, found)
    assert slope >= 1.0 - 2 * error - 0.02
    assert np.sqrt((found[0] ** 2).mean()) < 2e-4


@pytest.mark.validate
def test_order_rubbing():
    """A spinning pebble and a disk rub each other and a bowl until they roll. Residual over S against Δt."""
    ball, stone = disk(), pebble()
    turn = np.linspace(-0.45 * math.pi, 0.45 * math.pi, 30)
    bowl = polyline(np.stack([3.0 * np.sin(turn), -3.0 * np.cos(turn)], axis=1), 0.1)
    rows = []
    for part in PARTS:
        scene = Scene(law=Linear(K, 0.5 * K, friction=0.3), gravity=(0.0, -100.0))
        scene.add_wall(bowl)
        scene.add(ball, (-0.7, -2.2), spin=20.0)
        scene.add(stone, (0.7, -2.1), angle=0.4, spin=30.0)
        engine = Engine(scene, dt=contact_time(ball) / part)
        rows.append(booked(engine, int(200 * part), 250).energy_error)
    slope = -np.polyfit(np.log(PARTS), np.log(rows), 1)[0]
    print(
        "\nrubbing      pair     "
        + "  ".join(f"T_c/{p}: {r:.2e}" for p, r in zip(PARTS, rows, strict=True))
        + f"   slope {slope:.2f}",
        end="",
    )
    assert rows[0] < 2e-4


# --- a sheared packing ------------------------------------------------------------------------------------------------


GRAIN = [pebble(0.8), disk(0.7), regular(6, 0.1, circumradius=0.42)]
LIGHTEST = min(shape.area for shape in GRAIN)
SHEAR_TIME = math.pi * math.sqrt(0.5 * LIGHTEST / K)
WIDTH, ROWS = 8.0, 5


def packing(start: np.ndarray | None, speed: float, law: Linear) -> Scene:
    """40 grains between a floor and a lid that presses; `start` (n, 7) x y angle vx vy spin of a settled one."""
    scene = Scene(law=law, box=Box(period_x=WIDTH))
    rng = np.random.default_rng(5)
    for k in range(8 * ROWS):
        if start is None:
            scene.add(GRAIN[k % 3], (k % 8 + 0.5, 0.7 + 1.15 * (k // 8)), angle=rng.uniform(0, 7))
        else:
            scene.add(GRAIN[k % 3], start[k, :2], angle=start[k, 2], velocity=start[k, 3:5], spin=start[k, 5])
    scene.add_wall(segment((0, 0), (WIDTH, 0), 0.1))
    lid = segment((0, 0), (WIDTH, 0), 0.1)
    at, velocity = ((WIDTH / 2, 6.3), (0.0, 0.0)) if start is None else (start[-1, :2], start[-1, 3:5])
    tags = [Velocity(x=speed, spin=0.0), Force(y=-1000.0 * WIDTH)]
    scene.add(lid, at, big=True, density=8.0, velocity=velocity, tags=tags)
    return scene


@pytest.fixture(scope="module")
def settled() -> np.ndarray:
    law = Linear(K, 0.5 * K, friction=0.5, normal_damping=150.0, tangential_damping=50.0)
    engine = Engine(packing(None, 0.0, law), dt=SHEAR_TIME / 50)
    engine.advance(40000)
    snap = engine.snapshot()
    kinetic = accounts(engine, snap)
    ratio = kinetic["translational"] / kinetic["normal_elastic"]
    print(f"\nsettled: kinetic over elastic energy {ratio:.1e}, {len(snap.contacts)} contacts", end="")
    moving = [*range(8 * ROWS), 8 * ROWS + 1]
    return np.column_stack([snap.positions, snap.angles, snap.velocities, snap.spins])[moving]


@pytest.mark.validate
@pytest.mark.parametrize("damped", [False, True], ids=["undamped", "damped"])
def test_order_sheared_packing(settled, damped):
    damping = {"normal_damping": 150.0, "tangential_damping": 50.0} if damped else {}
    law = Linear(K, 0.5 * K, friction=0.5, **damping)
    rows, parts = [], []
    for part in PARTS:
        engine = Engine(packing(settled, 1.0, law), dt=SHEAR_TIME / part)
        book = booked(engine, int(400 * part), 250)
        rows.append(book.energy_error)
        parts.append({name: float(book[name][-1]) for name in ("heat_sliding", "heat_viscous", "heat_lost_springs", "work_tags")})
    slope, covariance = np.polyfit(np.log(PARTS), np.log(rows), 1, cov=True)
    text = "  ".join(f"T_c/{p}: {r:.2e}" for p, r in zip(PARTS, rows, strict=True))
    error = math.sqrt(covariance[0, 0])
    print(f"\nsheared      {'damped' if damped else 'undamped':8s} {text}   slope {-slope[0]:.2f} ± {error:.2f}", end="")
    print(f"\n             S {book.scale:.3g}  " + "  ".join(f"{k} {v:.3g}" for k, v in parts[-1].items()), end="")
    assert rows[0] < 2e-4
