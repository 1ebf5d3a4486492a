"""Dense benchmark states of sharp solids: cubes, and the grains of the heap, settled under gravity in a box, with friction.

They settle with friction from the start: without, cubes would order themselves and fill 0.8 of the box.
"""

from collections.abc import Sequence

import numpy as np

from clast.algebra.quaternions import random_turns
from clast.bench.space import state_key
from clast.bench.states import prepared
from clast.dynamics.engine import Engine
from clast.laws.overlap_volume import OverlapVolume
from clast.protocols.settle import settle, unbalanced_force
from clast.scene.space import Scene3D
from clast.shapes.space.forms_sharp import ellipsoid_grain, floor_with_rim
from clast.shapes.space.make import cuboid
from clast.shapes.space.solid import Solid

FRICTION = 0.5
DAMPING = 0.3  # of critical, along the normal and along the tangent
PRESSURE = 5e-3  # at the floor, of Y: how far grains are pressed into each other there, in their size
FILL = 0.55  # expected of the bed, for its depth
DEEP = 2.5  # layers of the lattice over grains in a row: the bed becomes about as deep as wide
STILL = 1e-3  # unbalanced force of the state that is timed
FREELY, ROUNDS = 4000, 12  # steps without the drag of `settle`, which holds what is about to roll; and how often at most


def bed(solids: Sequence[Solid], seed: int) -> Scene3D:
    """Grains on a wide lattice, in random orientations, over the floor of a box as wide as the lattice. Y = 1, unit density."""
    rng = np.random.default_rng(seed)
    spacing = 2.02 * max(solid.reach for solid in solids)
    side = max(2, round((len(solids) / DEEP) ** (1.0 / 3.0)))
    width, layers = side * spacing, -(-len(solids) // side**2)
    depth = sum(solid.volume for solid in solids) / (FILL * width**2)
    law = OverlapVolume(1.0, friction=FRICTION, damping=DAMPING, tangential_damping=DAMPING)
    scene = Scene3D(law=law, gravity=(0.0, 0.0, -PRESSURE / (FILL * depth)))
    turns = random_turns(rng, len(solids))
    k = np.arange(len(solids))
    cells = np.stack([k % side, (k // side) % side, k // side**2], axis=1)
    places = (cells + 0.5) * spacing - (0.5 * width, 0.5 * width, 0.0)
    scene.add_many(solids, places + 0.005 * spacing * rng.uniform(-1.0, 1.0, places.shape), orientations=turns)
    scene.add_wall(floor_with_rim((width, width), (layers + 1) * spacing, spacing))
    return scene


def prepare_bed(name: str, solids: Sequence[Solid], threads: int | str, device: str = "cpu", seed: int = 1) -> Engine:
    """Let the grains fall and the forces balance; or take that from the cache."""
    scene = bed(solids, seed)

    def at_rest() -> Engine:
        engine = Engine(scene)
        for _ in range(ROUNDS):
            settle(engine, unbalanced=STILL)
            engine.advance(engine.step + FREELY)
            if unbalanced_force(engine)[0] < STILL:
                break
        return engine

    return prepared(f"{name}-{state_key(scene)}", scene, at_rest, threads, device)


def sharp_cubes(count: int = 343) -> list[Solid]:
    """Cubes of edge 1."""
    return [cuboid((1.0, 1.0, 1.0), 0.0)] * count


def heap_grains(count: int = 343, seed: int = 1) -> list[Solid]:
    """The grains of the heap (12 corners, 20 faces), all different, of mean volume 1."""
    rng = np.random.default_rng(seed)
    grains = [ellipsoid_grain((8.0, 7.0, 6.0), 12, rng) for _ in range(count)]
    size = float(np.mean([grain.volume for grain in grains])) ** (1.0 / 3.0)
    return [grain.scaled(1.0 / size) for grain in grains]
