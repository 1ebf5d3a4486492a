"""For tests of laws: a way along which a contact is loaded, and slopes by differences."""

import numpy as np


def slope(of, depth: float) -> float:
    """d/dδ by central differences of fourth order."""
    h = 1e-3 * abs(depth)
    return (8.0 * (of(depth + h) - of(depth - h)) - (of(depth + 2 * h) - of(depth - 2 * h))) / (12.0 * h)


def path(steps: int, seed: int = 4) -> tuple[np.ndarray, np.ndarray, float]:
    """Depth (steps + 1,) and slip (steps + 1, 2) along a random smooth way that loads, unloads, reverses and turns."""
    rng = np.random.default_rng(seed)
    t, harmonics = np.linspace(0.0, 1.0, steps + 1), np.arange(1, 7)
    waves = (rng.normal(size=(3, 6, 1)) * np.sin(2 * np.pi * harmonics[:, None] * t + rng.uniform(0, 7, (3, 6, 1)))).sum(axis=1)
    return 0.01 + 0.006 * np.tanh(waves[0]), 0.008 * waves[1:].T, float(t[1])
