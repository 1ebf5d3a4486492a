"""Tables that begin where a cache line begins. A row of 64 bytes is then one line, and eight numbers are read at once.

numpy's own begin at any multiple of 16 bytes, by chance: a step of hexagons takes 8 % longer then, and not the same time twice.
"""

import math
from typing import Any

import numpy as np

LINE_BYTES = 64
BEHIND = 4 * LINE_BYTES  # bytes behind the end of a table that may be read: loops look ahead


def zeros(shape: int | tuple[int, ...], kind: Any = np.float64) -> np.ndarray:
    """Like `numpy.zeros`, beginning with a cache line; what lies in memory up to `BEHIND` bytes after it may be read."""
    size = math.prod(shape if isinstance(shape, tuple) else (shape,)) * np.dtype(kind).itemsize
    room = np.zeros(size + LINE_BYTES + BEHIND, np.uint8)
    begin = -room.ctypes.data % LINE_BYTES
    return room[begin : begin + size].view(kind).reshape(shape)


def at_a_line(array: np.ndarray) -> np.ndarray:
    """A copy of an array, beginning with a cache line."""
    copy = zeros(array.shape, array.dtype)
    copy[...] = array
    return copy
