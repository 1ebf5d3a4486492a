"""Scratch of a rebuild of sharp bodies."""

from typing import NamedTuple

import numpy as np

from clast.neighbours.sweep import Sweep


class Workspace(NamedTuple):
    """Scratch of a rebuild: what `clast.dynamics.space.arrays.Workspace` has as far as it is needed, and sorted boxes."""

    cell_start: np.ndarray  # (cells + 2,) int64
    cell_item: np.ndarray  # (n,) int64
    cell_of: np.ndarray  # (n,) int64
    raw: np.ndarray  # (capacity, 5) int32: i, j, image x, y, z
    sorted: np.ndarray  # (capacity, 5) int32
    pair_start: np.ndarray  # (n + 1,) int64
    sweep: Sweep
    by_sweep: np.ndarray  # (1,) uint8: 1 to find pairs by sorted boxes, 0 by cells
    planes: np.ndarray  # planes of a piece, in the frame of another
