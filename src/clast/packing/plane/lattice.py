"""Where grains lie at the start: pure geometry."""

import numpy as np


def square_lattice(count: int, columns: int, spacing: float) -> np.ndarray:
    """Positions (count, 2) row by row from the lower left, the first at (½, ½) spacing."""
    k = np.arange(count)
    return np.stack([(k % columns + 0.5) * spacing, (k // columns + 0.5) * spacing], axis=1)
