"""Benchmark states and the Cundall number c = grains × steps / seconds. Prepared states are kept in the cache folder."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clast.bench.sharp import heap_grains, prepare_bed, sharp_cubes
from clast.bench.space import cube_solids, prepare_settled, sphere_solids
from clast.bench.states import key_of, prepared
from clast.dynamics.engine import Engine
from clast.errors import InputError
from clast.laws.linear import Linear
from clast.packing.plane.lattice import square_lattice
from clast.packing.plane.voronoi import voronoi_packing
from clast.protocols.settle import settle, unbalanced_force
from clast.scene.plane import Box, Scene
from clast.scene.tags import Force, Velocity
from clast.shapes import Shape, clumpy_cow, cow, disk, regular, segment
from clast.shapes.plane.thickness import THIN

WINDOWS = 7
WINDOW_SECONDS = 1.0
GAS_FILL = 0.246
GAS_WARM_UP = 4.0  # s of motion before a gas is measured
FRICTION = 0.5
PRESSURE = 1e-3  # of k_n
STILL = 1e-4  # unbalanced force of a dense state
NEARLY_STILL = 0.03  # before friction is switched on: smooth packings have soft modes that take for ever
CLOSING_SPEED = 0.1  # of the lid, in diameters per √(m/k_n)
STATE_FORMAT = 2  # of checkpoints kept in the cache: raised when they change
LOOSE = 0.76  # area fraction at which the pressure takes over


@dataclass(frozen=True)
class Case:
    """A benchmark: a scene at rest or in motion, ready to be timed."""

    name: str
    prepare: Callable[..., Engine]  # (threads, device="cpu")


def gas(shape: Shape, grains: int = 400, fill: float = GAS_FILL, seed: int = 1) -> Scene:
    """Grains on a lattice in a periodic box, unit speeds in random directions, k_n = 1e7, unit density."""
    rng = np.random.default_rng(seed)
    side = float(np.sqrt(grains * shape.area / fill))
    columns = int(np.ceil(np.sqrt(grains)))
    scene = Scene(law=Linear(1e7), box=Box(side, side))
    ways, angles = rng.uniform(0.0, 2.0 * np.pi, (grains, 2)).T
    velocities = np.stack([np.cos(ways), np.sin(ways)], axis=1)
    scene.add_many(shape, square_lattice(grains, columns, side / columns), angles=angles, velocities=velocities)
    return scene


def dense(shapes: Sequence[Shape], seed: int, friction: float, closing_speed: float | None = None) -> Scene:
    """Grains on a wide lattice between three walls and a lid; periodic in nothing, no gravity.

    The lid carries a pressure, or comes down at `closing_speed`. Unit length is the mean grain diameter, unit density,
    k_n = 1, k_t = ½ k_n.
    """
    rng = np.random.default_rng(seed)
    spacing = 2.2 * max(shape.reach for shape in shapes)
    columns = round(float(np.sqrt(len(shapes))))
    rows = -(-len(shapes) // columns)
    width, height = columns * spacing, rows * spacing
    radius = float(np.mean([shape.radius for shape in shapes]))
    stiffness = 1.0
    mass = float(np.mean([shape.area for shape in shapes]))
    damping = 0.6 * np.sqrt(stiffness / mass)
    law = Linear(stiffness, 0.5 * stiffness, friction, normal_damping=damping, tangential_damping=0.5 * damping)
    scene = Scene(law=law)
    # off the lattice, or columns of disks would stand on each other
    x, y, angles = rng.uniform((-1.0, -1.0, 0.0), (1.0, 1.0, 2.0 * np.pi), (len(shapes), 3)).T
    places = square_lattice(len(shapes), columns, spacing) + 0.04 * spacing * np.stack([x, y], axis=1)
    scene.add_many(shapes, places, angles=angles)
    floor = segment((-width, -radius), (2.0 * width, -radius), radius=radius)
    left = segment((-radius, -height), (-radius, 2.0 * height), radius=radius)
    right = segment((width + radius, -height), (width + radius, 2.0 * height), radius=radius)
    for wall in (floor, left, right):
        scene.add_wall(wall)
    lid = segment((-width, height + radius), (2.0 * width, height + radius), radius=radius)
    lid_mass = np.sqrt(len(shapes)) * mass
    loaded = (Velocity(x=0.0, spin=0.0), Force(y=-PRESSURE * stiffness * width))
    driven = (Velocity(x=0.0, y=-closing_speed, spin=0.0),) if closing_speed is not None else loaded
    scene.add(lid, -lid.origin, density=float(lid_mass / lid.area), big=True, material="wall", tags=driven)
    return scene


def close_lid(shapes: Sequence[Shape], seed: int) -> Engine:
    """Bring the lid down without friction until the grains fill `LOOSE` of the box: faster than waiting for the pressure."""
    engine = Engine(dense(shapes, seed, 0.0, CLOSING_SPEED))
    left, right, lid = (engine.scene.bodies[-k].position for k in (3, 2, 1))
    radius = float(np.mean([shape.radius for shape in shapes]))
    width = right[0] - left[0] - 2.0 * radius
    target = sum(shape.area for shape in shapes) / (LOOSE * width) + radius
    engine.advance(round((lid[1] - target) / CLOSING_SPEED / engine.dt))
    return engine


def prepare_dense(name: str, shapes: Sequence[Shape], threads: int | str, device: str = "cpu", seed: int = 1) -> Engine:
    """Compress without friction, switch friction on, and let the forces balance; or take all that from the cache."""
    smooth, rough = dense(shapes, seed, 0.0), dense(shapes, seed, FRICTION)

    def at_rest() -> Engine:
        engine = Engine(place_again(smooth, close_lid(shapes, seed)))
        settle(engine, unbalanced=NEARLY_STILL)
        frozen = Engine(place_again(rough, engine))
        settle(frozen, unbalanced=STILL)
        return frozen

    return prepared(f"{name}-{state_key(rough)}", rough, at_rest, threads, device)


def state_key(scene: Scene) -> str:
    """A name for the state a scene leads to."""
    return key_of(scene, STATE_FORMAT, lambda body: [body.angle, body.mass, *body.position])


def place_again(scene: Scene, engine: Engine) -> Scene:
    """Put the bodies of `scene` where those of a finished run lie, at rest."""
    scene.bodies.put("position", engine.positions)
    scene.bodies.put("angle", engine.angles)
    return scene


def prepare_gas(shape: Shape, threads: int | str, device: str = "cpu", *, grains: int = 400) -> Engine:
    """A gas after its warm-up, Δt = 1e-5 as in EPL08."""
    engine = Engine(gas(shape, grains), dt=1e-5, threads=threads, device=device)
    engine.advance(round(GAS_WARM_UP / engine.dt))
    return engine


def voronoi_shapes(count: int = 1200, seed: int = 1) -> list[Shape]:
    """Voronoi grains of mean diameter about one, R/ℓ = 0.13 (PRE10), without slivers.

    Cells of less than a third of a grid square are left out: their small mass would set the time step of all.
    """
    square = 0.887  # equivalent diameter 1
    side = math.ceil(math.sqrt(1.25 * count))
    packing = voronoi_packing(side, side, square, erosion=0.13, seed=seed)
    stout = [shape for shape in packing.shapes if shape.thickness > THIN * shape.radius and shape.area > square**2 / 3.0]
    return stout[:count]


def disk_shapes(count: int = 1000, seed: int = 1) -> list[Shape]:
    """Disks of mean diameter about one, radii ± 20 %: equal ones would crystallise."""
    return [disk(radius=float(r)) for r in np.random.default_rng(seed).uniform(0.4, 0.6, count)]


def hexagon(area: float = 6.52) -> Shape:
    """A rounded hexagon of the cow's area with its radius over size as r = 0.1."""
    return regular(6, radius=0.1, circumradius=1.4).with_area(area)


CASES = {
    case.name: case
    for case in (
        Case("cow-gas", lambda *how: prepare_gas(cow(), *how)),
        Case("hexagon-gas", lambda *how: prepare_gas(hexagon(), *how)),
        Case("disk-gas", lambda *how: prepare_gas(disk(area=6.52), *how)),
        Case(
            "hexagon-dense",
            lambda *how: prepare_dense("hexagon", [regular(6, radius=0.1, circumradius=0.45)] * 1000, *how),
        ),
        Case("voronoi-dense", lambda *how: prepare_dense("voronoi", voronoi_shapes(), *how)),
        Case("disk-dense", lambda *how: prepare_dense("disk", disk_shapes(), *how)),
        Case("clump-gas", lambda *how: prepare_gas(clumpy_cow(disks=726), *how, grains=100)),
        Case("sphere-dense", lambda *how: prepare_settled("sphere", sphere_solids(), *how)),
        Case("cube-dense", lambda *how: prepare_settled("cube", cube_solids(), *how)),
        Case("sharp-cube-dense", lambda *how: prepare_bed("sharp-cube", sharp_cubes(), *how)),
        Case("heap-dense", lambda *how: prepare_bed("heap", heap_grains(), *how)),
    )
}


def measure(engine: Engine, windows: int = WINDOWS, seconds: float = WINDOW_SECONDS) -> dict[str, Any]:
    """Median Cundall number over windows of at least `seconds`; the α search has settled before the first."""
    pace = 200
    while True:
        began = time.perf_counter()
        engine.advance(engine.step + pace)
        took = time.perf_counter() - began
        if took > seconds:
            break
        pace = int(pace * min(4.0, 1.2 * seconds / max(took, 1e-4))) + 1
    found, rebuilds, begin = [], engine.rebuilds, engine.step
    for _ in range(windows):
        began = time.perf_counter()
        engine.advance(engine.step + pace)
        found.append(time.perf_counter() - began)
    wall = float(np.median(found))
    counted = int((engine.snapshot().contacts.counts > 0.0).sum())
    return {
        "grains": engine.moving, "steps": pace, "wall_s": wall, "cundall": engine.moving * pace / wall, "threads": engine.threads,
        "device": engine.device, "contacts_per_grain": counted / engine.moving, "rebuilds": engine.rebuilds - rebuilds,
        "rebuilds_per_1000_steps": 1000.0 * (engine.rebuilds - rebuilds) / (engine.step - begin),
        "candidates_per_grain": engine.candidates / engine.moving, "alpha": engine.alpha, "dt": engine.dt,
        "spread": [engine.moving * pace / max(found), engine.moving * pace / min(found)],
    }  # fmt: skip


def run_cases(cases: Sequence[str] = (), threads: int | str = 1, device: str = "cpu", **options: Any) -> list[dict[str, Any]]:
    """Time the named cases, all when none is named; InputError for an unknown one."""
    unknown = [name for name in cases if name not in CASES]
    if unknown:
        raise InputError(f"there is no benchmark '{unknown[0]}'; there are: {', '.join(CASES)}")
    results = []
    for name in cases or CASES:
        engine = CASES[name].prepare(threads, device)
        unbalanced = unbalanced_force(engine)[0] if "dense" in name else None
        row = {"case": name, **measure(engine, **options)}
        if unbalanced is not None:
            row["unbalanced_force"] = unbalanced
        results.append(row)
    return results
