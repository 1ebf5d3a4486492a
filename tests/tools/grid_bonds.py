"""A plate of bonded grains that is torn, by threads and on a grid (a GPU, or numba's simulator of one).

python tests/tools/grid_bonds.py STEPS     prints a line of JSON: how far the two are apart, and what broke
"""

import json
import sys
from typing import Any

import numpy as np
from bonded_scenes import torn

import clast
from clast.dynamics.engine import Engine
from clast.measures.snapshots.accounts import accounts

WEAK = clast.Bond(young=1e4, shear=4e3, tensile_strength=8.0, shear_strength=6.0, friction=0.5, damping=0.05)


def after(steps: int, device: str, cuts: int = 1) -> dict[str, np.ndarray]:
    """What the plate has come to, in `cuts` calls."""
    engine = Engine(torn(WEAK, 4, 2), dt=4e-4, alpha=0.05, device=device)
    for k in range(cuts):
        engine.advance((k + 1) * steps // cuts)
    seen = engine.snapshot()
    bonds = seen.bonds
    assert bonds is not None
    return {
        "positions": seen.positions, "velocities": seen.velocities, "spins": seen.spins, "forces": bonds.forces,
        "book": np.array(list(accounts(engine, seen).values())), "steps": bonds.broken_steps, "released": bonds.released,
    }  # fmt: skip


def apart(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> dict[str, float]:
    """Largest difference of each quantity, over its largest value."""
    return {name: float(np.abs(one[name] - other[name]).max() / max(np.abs(one[name]).max(), 1e-300)) for name in one}


def trial(steps: int) -> dict[str, Any]:
    """By threads, on a grid in one go, and in three."""
    by_threads, on_grid, in_pieces = after(steps, "cpu"), after(steps, "cuda"), after(steps, "cuda", 3)
    broken = on_grid["steps"]
    return {
        "apart": apart(by_threads, on_grid), "pieces": apart(on_grid, in_pieces), "broken": int((broken >= 0).sum()),
        "bonds": len(broken),
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(trial(int(sys.argv[1]))))
