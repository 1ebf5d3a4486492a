"""Scratch of a rebuild in space."""

from typing import NamedTuple

import numpy as np


class Workspace(NamedTuple):
    """Scratch of a rebuild, allocated once and grown by the host."""

    cell_start: np.ndarray  # (cells + 2,) int64
    cell_item: np.ndarray  # (n,) int64
    cell_of: np.ndarray  # (n,) int64
    raw: np.ndarray  # (capacity, 5) int32: i, j, image x, y, z
    sorted: np.ndarray  # (capacity, 5) int32
    pair_start: np.ndarray  # (n + 1,) int64
    near_feature: np.ndarray  # (largest number of features of a shape,) int64
    near_other: np.ndarray  # (the same,) int64
