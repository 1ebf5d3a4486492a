"""A sample under constant pressure lies still: it neither creeps nor rings for ever (PRE10's soils at p = 3e-3 K_n)."""

import numpy as np
import pytest

from clast.dynamics.engine import Engine
from clast.element_tests.biaxial import BiaxialCell
from clast.laws import Linear
from clast.packing.plane.voronoi import voronoi_packing
from clast.protocols.press import Stop, prepare
from clast.protocols.walls import extent_of

LAW = Linear(1e4, 3.3e3, 0.4, normal_damping=16.0, tangential_damping=4.0)
PRESSURE, DT = 30.0, 1e-3
CREEP = 1e-8  # of strain in 1e5 steps


def drifts(columns, rows, stretch, stretches):
    """Changes of width and height over their first values (stretches, 2), after `stretch` steps each, without drag."""
    cell = BiaxialCell(voronoi_packing(columns, rows, 0.674, erosion=0.1, seed=1), LAW, density=3.0)
    prepared = prepare(cell.compressed(PRESSURE, drag=5.0), Stop(longest=400.0, kinetic=1e-8, unbalanced=1e-4), dt=DT)
    engine = Engine(cell.held(PRESSURE, prepared=prepared), dt=DT)
    sizes = []
    for k in range(stretches + 1):
        engine.advance(k * stretch)
        extent = extent_of(engine.scene, engine.positions)
        sizes.append((extent.width, extent.height))
    found = np.diff(sizes, axis=0) / sizes[0]
    print(f"{columns * rows} grains, strain per {stretch} steps:", *(f"{x:+.1e} {y:+.1e}," for x, y in found))
    return found


def test_a_small_sample_neither_creeps_nor_rings():
    """What is left of the preparation fades within the first stretch; after it nothing moves."""
    found = np.abs(drifts(6, 8, 20_000, 5))
    assert found[0].max() < 1e-6
    assert found[1:].max() < 0.2 * CREEP


@pytest.mark.validate
def test_1200_grains_lie_still_for_a_million_steps():
    found = np.abs(drifts(30, 40, 100_000, 10))
    assert found[1:].max() < CREEP
