"""Dense benchmark states in space, at rest and with friction: spheres settled under gravity, cubes pressed from all sides.

Cubes under gravity stack flat, one on the other: hardly a pair per grain, and easy to compute. Pressed together from all sides
at random they jam: three pairs and eleven contacts per grain.
"""

import math
from collections.abc import Sequence

import numpy as np

from clast.algebra.quaternions import random_turns
from clast.bench.states import key_of, prepared
from clast.dynamics.engine import Engine
from clast.laws.linear import Linear
from clast.protocols.settle import settle
from clast.scene.space import Scene3D
from clast.scene.tags import Fixed, Velocity
from clast.shapes.space.make import cuboid, plate, sphere
from clast.shapes.space.solid import Solid

FRICTION = 0.5
PRESSURE = 5e-3  # at the floor, of k_n per grain size
STILL = 1e-3  # unbalanced force of the state that is timed
NEARLY_STILL = 0.03  # before friction is switched on
FILL = 0.7  # volume fraction at which the walls stop that press cubes; below 0.6 they do not jam
CLOSING_SPEED = 0.04  # of these walls, in cubes per √(m/k_n)
CLOSING_FRICTION = 0.1  # meanwhile: with more of it bridges are crushed, with none cubes line up
MOST_STEPS = 200_000  # to come to rest in
STATE_FORMAT = 1  # of checkpoints kept in the cache: raised when they change


def box_of_walls(scene: Scene3D, width: float, height: float, radius: float) -> None:
    """A floor and four sides, plates whose inner faces bound 0 … width along x and y, 0 upwards along z."""
    low, high, far = -radius, width + radius, 0.5 * width
    floor = [(-far, -far, low), (width + far, -far, low), (width + far, width + far, low), (-far, width + far, low)]
    scene.add_wall(plate(floor, radius))
    for at in (low, high):
        corners = [(at, -far, -far), (at, width + far, -far), (at, width + far, height), (at, -far, height)]
        scene.add_wall(plate(corners, radius))
        scene.add_wall(plate([(y, x, z) for x, y, z in corners], radius))


def settled(solids: Sequence[Solid], seed: int, friction: float) -> Scene3D:
    """Grains on a wide lattice over a floor between four walls, under gravity. Unit density, k_n = 1, k_t = ½ k_n."""
    rng = np.random.default_rng(seed)
    spacing = 2.05 * max(solid.reach for solid in solids)
    side = round(len(solids) ** (1.0 / 3.0))
    layers = -(-len(solids) // side**2)
    mass = float(np.mean([solid.volume for solid in solids]))
    size = mass ** (1.0 / 3.0)
    damping = 0.6 / np.sqrt(mass)
    law = Linear(1.0, 0.5, friction, normal_damping=damping, tangential_damping=0.5 * damping)
    depth = len(solids) * size**3 / (0.6 * (side * spacing) ** 2)
    scene = Scene3D(law=law, gravity=(0.0, 0.0, -PRESSURE / (0.6 * depth * size)))
    turns = random_turns(rng, len(solids))
    k = np.arange(len(solids))
    places = (np.stack([k % side, (k // side) % side, k // side**2], axis=1) + 0.5) * spacing
    scene.add_many(solids, places + 0.01 * spacing * rng.uniform(-1.0, 1.0, places.shape), orientations=turns)
    radius = float(np.mean([solid.radius for solid in solids]))
    box_of_walls(scene, side * spacing, (layers + 1) * spacing, radius)
    return scene


def pressed(solids: Sequence[Solid], seed: int, friction: float, speed: float = 0.0) -> tuple[Scene3D, float]:
    """Grains on a wide lattice between six walls that come in at `speed`, or stand; and the width. Unit density, k_n = 1.

    The grains move in with the walls, and at random beside: what is pushed from the rim alone keeps the lattice and lines up.
    """
    rng = np.random.default_rng(seed)
    spacing = 2.05 * max(solid.reach for solid in solids)
    side = math.ceil(round(len(solids) ** (1.0 / 3.0), 9))
    width = side * spacing
    damping = 0.6 / np.sqrt(np.mean([solid.volume for solid in solids]))
    law = Linear(1.0, 0.5, friction, normal_damping=damping, tangential_damping=0.5 * damping)
    scene = Scene3D(law=law)
    turns = random_turns(rng, len(solids))
    for k, solid in enumerate(solids):
        place = (np.array([k % side, (k // side) % side, k // side**2]) + 0.5) * spacing
        off, stray = 0.01 * spacing * rng.uniform(-1.0, 1.0, 3), 0.5 * rng.normal(size=3)
        scene.add(solid, place + off, orientation=turns[k], velocity=speed * (1.0 - 2.0 * place / width + stray))
    radius, far = float(np.mean([solid.radius for solid in solids])), 0.5 * width
    corners = np.array([(-far, -far), (width + far, -far), (width + far, width + far), (-far, width + far)])
    for axis in range(3):
        for at, way in ((-radius, speed), (width + radius, -speed)):
            driven = {**dict.fromkeys(("x", "y", "z", "spin_x", "spin_y", "spin"), 0.0), "xyz"[axis]: way}
            tag = Velocity(**driven) if speed > 0.0 else Fixed()
            scene.add_wall(plate(np.insert(corners, axis, at, axis=1), radius), tags=(tag,))
    return scene, width


def close_in(solids: Sequence[Solid], seed: int) -> Engine:
    """Bring the walls in until the grains fill `FILL` of the room between them."""
    scene, width = pressed(solids, seed, CLOSING_FRICTION, CLOSING_SPEED)
    engine = Engine(scene)
    goal = (sum(solid.volume for solid in solids) / FILL) ** (1.0 / 3.0)
    engine.advance(round(0.5 * (width - goal) / CLOSING_SPEED / engine.dt))
    return engine


def fall_down(solids: Sequence[Solid], seed: int) -> Engine:
    """Let grains settle under gravity without friction."""
    engine = Engine(settled(solids, seed, 0.0))
    settle(engine, unbalanced=NEARLY_STILL)
    return engine


def prepare_settled(name: str, solids: Sequence[Solid], threads: int | str, device: str = "cpu", seed: int = 1) -> Engine:
    """Bring grains together, switch friction on, and let the forces balance; or take all that from the cache.

    Spheres fall down; solids with faces are pressed by walls, which stand when friction comes.
    """
    flat = any(len(solid.faces) for solid in solids)
    rough = pressed(solids, seed, FRICTION)[0] if flat else settled(solids, seed, FRICTION)

    def at_rest() -> Engine:
        engine = close_in(solids, seed) if flat else fall_down(solids, seed)
        frozen = Engine(place_again(rough, engine))
        settle(frozen, unbalanced=STILL, most_steps=MOST_STEPS)
        return frozen

    return prepared(f"{name}-{state_key(rough)}", rough, at_rest, threads, device)


def state_key(scene: Scene3D) -> str:
    """A name for the state a scene leads to."""
    return key_of(scene, STATE_FORMAT, lambda body: [body.shape.radius, body.mass, *body.orientation, *body.position])


def place_again(scene: Scene3D, engine: Engine) -> Scene3D:
    """Put the bodies of `scene` where those of a finished run lie, at rest."""
    scene.bodies.put("position", engine.positions)
    scene.bodies.put("orientation", engine.orientations)
    return scene


def sphere_solids(count: int = 1000, seed: int = 1) -> list[Solid]:
    """Spheres of mean diameter one, radii ± 20 %: equal ones would crystallise."""
    return [sphere(float(r)) for r in np.random.default_rng(seed).uniform(0.4, 0.6, count)]


def cube_solids(count: int = 1000) -> list[Solid]:
    """Cubes with a skeleton of edge 1 and a sphero-radius of 0.1."""
    return [cuboid((1.0, 1.0, 1.0), 0.1)] * count
