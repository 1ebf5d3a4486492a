"""Places in an order in which those near in space stand near each other (Morton's curve)."""

import numpy as np

BITS = 20  # of a cell number along each axis


def interleaved(cell: np.ndarray) -> np.ndarray:
    """The bits of the numbers in each row of `cell` (n, axes), all below 2²⁰, taken in turn: one number (n,) per row."""
    axes = cell.shape[1]
    small = np.arange(1 << BITS // 2)
    spread = np.zeros(small.size, np.int64)  # of half a number: its bits, `axes` places apart
    for bit in range(BITS // 2):
        spread |= ((small >> bit) & 1) << (axes * bit)
    key = np.zeros(len(cell), np.int64)
    for axis in range(axes):
        key |= spread[cell[:, axis] & (small.size - 1)] << axis
        key |= spread[cell[:, axis] >> BITS // 2] << (axes * (BITS // 2) + axis)
    return key


def in_morton_order(places: np.ndarray) -> np.ndarray:
    """Numbers (n,) of the `places` (n, axes) along the curve through a cube about them; those in one cell as they stand."""
    low = places.min(axis=0)
    size = float((places.max(axis=0) - low).max())
    cell = (places - low) * ((2**BITS - 1) / size if size > 0.0 else 0.0)
    return np.argsort(interleaved(cell.astype(np.int64)), kind="stable")
