"""Dense benchmark states in space: grains pressed together in a box, at rest and with friction."""

import hashlib
from collections.abc import Sequence

import numpy as np

from clast.backend.bind import cache_folder
from clast.dynamics.engine import Engine
from clast.laws import Linear
from clast.preparation.settle import settle
from clast.scene.space import Scene3D
from clast.scene.tags import Pressure, Velocity
from clast.shapes.space.make import cuboid, plate, sphere
from clast.shapes.space.quaternions import random_turns
from clast.shapes.space.solid import Solid

FRICTION = 0.5
PRESSURE = 2e-3  # of k_n per grain size
SIDES = (("left", "right"), ("front", "back"), ("bottom", "top"))  # walls along x, y, z
STILL = 1e-3  # unbalanced force of the state that is timed
NEARLY_STILL = 0.03  # before friction is switched on,
MOST_STEPS = 20_000  # or after as many steps: smooth cubes slide over each other for ever, rough ones ring long
STATE_FORMAT = 1  # of checkpoints kept in the cache: raised when they change


def box_of_walls(scene: Scene3D, width: float, radius: float, mass: float) -> None:
    """Six plates whose inner faces bound 0 … width along each axis; those at the far ends are free to give way to a pressure."""
    far = 0.5 * width
    for axis, (near, opposite) in enumerate(SIDES):
        for name, at in ((near, -radius), (opposite, width + radius)):
            corners = np.array([(-far, -far), (width + far, -far), (width + far, width + far), (-far, width + far)])
            drawn = plate(np.insert(corners, axis, at, axis=1), radius)
            if name == near:
                scene.add_wall(drawn, name=name)
                continue
            still = {"xyz"[other]: 0.0 for other in range(3) if other != axis}
            one, two = (SIDES[other] for other in range(3) if other != axis)
            tags = (
                Velocity(**still, spin_x=0.0, spin_y=0.0, spin=0.0), Pressure(PRESSURE, f"-{'xyz'[axis]}", between=(one, two))
            )  # fmt: skip
            scene.add_wall(drawn, mass=mass, name=name, tags=tags)


def pressed(solids: Sequence[Solid], seed: int, friction: float) -> Scene3D:
    """Grains on a wide lattice in a box that closes under a pressure from three sides. Unit density, k_n = 1, k_t = ½ k_n."""
    rng = np.random.default_rng(seed)
    spacing = 2.05 * max(solid.reach for solid in solids)
    side = round(len(solids) ** (1.0 / 3.0))
    mass = float(np.mean([solid.volume for solid in solids]))
    damping = 0.6 / np.sqrt(mass)
    law = Linear(1.0, 0.5, friction, normal_damping=damping, tangential_damping=0.5 * damping)
    scene = Scene3D(law=law)
    turns = random_turns(rng, len(solids))
    for k, solid in enumerate(solids):
        place = (np.array([k % side, (k // side) % side, k // side**2]) + 0.5) * spacing
        scene.add(solid, place + 0.01 * spacing * rng.uniform(-1.0, 1.0, 3), orientation=turns[k])
    radius = float(np.mean([solid.radius for solid in solids]))
    box_of_walls(scene, side * spacing, radius, float(np.sqrt(len(solids))) * mass)
    return scene


def prepare_pressed(name: str, solids: Sequence[Solid], threads: int | str, seed: int = 1) -> Engine:
    """Press without friction, switch friction on, and let the forces balance; or take all that from the cache."""
    rough = pressed(solids, seed, FRICTION)
    path = cache_folder() / f"bench-{name}-{state_key(rough)}.npz"
    if not path.exists():
        engine = Engine(pressed(solids, seed, 0.0))
        settle(engine, unbalanced=NEARLY_STILL, most_steps=MOST_STEPS)
        frozen = Engine(place_again(rough, engine))
        settle(frozen, unbalanced=STILL, most_steps=MOST_STEPS)
        arrays, scalars = frozen.checkpoint()
        numbers = {f"scalar_{key}": np.asarray(value) for key, value in scalars.items()}
        np.savez(path, allow_pickle=False, dt=np.asarray(frozen.dt), **arrays, **numbers)
    stored = np.load(path)
    engine = Engine(rough, dt=float(stored["dt"]), threads=threads)
    arrays = {key: stored[key] for key in stored.files if not key.startswith("scalar_") and key != "dt"}
    scalars = {key[7:]: stored[key].item() for key in stored.files if key.startswith("scalar_")}
    engine.restore(arrays, scalars)
    return engine


def state_key(scene: Scene3D) -> str:
    """A name for the state a scene leads to."""
    digest = hashlib.sha256(f"{STATE_FORMAT} {scene!r}".encode())
    for body in scene.bodies:
        digest.update(body.shape.vertices.tobytes())
        digest.update(np.array([body.shape.radius, body.mass, *body.orientation, *body.position]).tobytes())
    return digest.hexdigest()[:12]


def place_again(scene: Scene3D, engine: Engine) -> Scene3D:
    """Put the bodies of `scene` where those of a finished run lie, at rest."""
    for row, number in enumerate(engine.order):
        body, state = scene.bodies[number], engine.state.body[row]
        body.position = (float(state[0]), float(state[1]), float(state[2]))
        body.orientation = (float(state[4]), float(state[5]), float(state[6]), float(state[7]))
    return scene


def sphere_solids(count: int = 1000, seed: int = 1) -> list[Solid]:
    """Spheres of mean diameter one, radii ± 20 %: equal ones would crystallise."""
    return [sphere(float(r)) for r in np.random.default_rng(seed).uniform(0.4, 0.6, count)]


def cube_solids(count: int = 1000) -> list[Solid]:
    """Cubes with a skeleton of edge 1 and a sphero-radius of 0.1."""
    return [cuboid((1.0, 1.0, 1.0), 0.1)] * count
