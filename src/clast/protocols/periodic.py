"""Dense packings in a box periodic both ways, by shrinking the box; and larger ones by repeating them."""

from dataclasses import dataclass

import numpy as np

from clast.dynamics.engine import Engine
from clast.laws.linear import Linear
from clast.packing.plane.lattice import square_lattice
from clast.protocols.settle import unbalanced_force
from clast.scene.plane import Box, Scene
from clast.shapes import Shape

SHRINK = 0.985  # of the box side per stage
STEPS = 1200  # per stage


@dataclass(frozen=True)
class Tile:
    """A packing that repeats: shapes, positions (n, 2), angles (n,) in a square box of side `period`."""

    shapes: list[Shape]
    positions: np.ndarray
    angles: np.ndarray
    period: float

    def scene(self, law: Linear, repeat: int = 1) -> Scene:
        """The packing repeated `repeat` times along both sides, as a scene at rest."""
        scene = Scene(law=law, box=Box(repeat * self.period, repeat * self.period))
        corners = self.period * np.array([(column, row) for row in range(repeat) for column in range(repeat)])
        places = (self.positions + corners[:, None]).reshape(-1, 2)
        scene.add_many(self.shapes * len(corners), places, angles=np.tile(self.angles, len(corners)))
        return scene


def damped(friction: float, mass: float) -> Linear:
    """k_n = 1 with strong damping and k_t = ½ k_n."""
    rate = 0.6 * float(np.sqrt(1.0 / mass))
    return Linear(1.0, 0.5, friction, normal_damping=rate, tangential_damping=0.5 * rate)


def compress(shapes: list[Shape], *, overlap: float, unbalanced: float, seed: int = 1) -> Tile:
    """Shrink the box without friction until the mean overlap of contacts exceeds `overlap`, then let forces balance."""
    rng = np.random.default_rng(seed)
    columns = int(np.ceil(np.sqrt(len(shapes))))
    spacing = 2.2 * max(shape.reach for shape in shapes)
    mass = float(np.mean([shape.area for shape in shapes]))
    tile = Tile(
        shapes,
        square_lattice(len(shapes), columns, spacing) + 0.04 * spacing * rng.uniform(-1.0, 1.0, (len(shapes), 2)),
        rng.uniform(0.0, 2.0 * np.pi, len(shapes)),
        columns * spacing,
    )
    squeezed = False
    while True:
        engine = Engine(tile.scene(damped(0.0, mass)))
        motion = np.zeros((len(shapes), 3)) if squeezed else 1e-3 * rng.normal(size=(len(shapes), 3))
        engine.set_velocities(engine.free_ids, motion[:, :2], motion[:, 2])
        balance, rounds = np.inf, 0
        while balance > (unbalanced if squeezed else 1e-2) and rounds < (200 if squeezed else 4):
            engine.advance(engine.step + STEPS)
            engine.slow(0.1 if squeezed else 0.5)
            balance, _ = unbalanced_force(engine)
            rounds += 1
        tile = Tile(shapes, engine.positions, engine.angles, tile.period)
        depths = engine.snapshot().contacts.depths
        if squeezed and depths.size > len(shapes):
            return tile
        # grains may be pressed by their motion only, and lose each other when that is gone
        squeezed = not squeezed and bool(depths.size > 2 * len(shapes) and depths.mean() > overlap)
        if not squeezed:
            tile = Tile(shapes, tile.positions * SHRINK, tile.angles, tile.period * SHRINK)
