"""Which boxes of two lists meet: what keeps checks of long skeletons from comparing everything with everything.

Boxes are given by their low and high corners, (n, 2) each, lengths in any one unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import shapely

from clast.shapes.plane.inside import Floats, Ints

FEW = 48  # boxes: up to here all pairs are as fast as a tree
_ROWS = 2048  # looked up at a time
_PAIRS = 1 << 19  # handed out at a time, unless one row alone has more: 4 MB an array


class Meeting(NamedTuple):
    """Pairs of boxes that may meet: all there are for the given boxes `rows`."""

    rows: range  # of the given boxes
    given: Ints  # (k,) numbers of given boxes, not falling
    held: Ints  # (k,) numbers of the boxes held that they meet, in no order


class Boxes:
    """Boxes held, to find which of them meet given ones, sides included."""

    def __init__(self, low: Floats, high: Floats) -> None:
        self.count = len(low)
        self._tree = shapely.STRtree(_diagonals(low, high)) if self.count > FEW else None

    def meeting(self, low: Floats, high: Floats) -> Iterator[Meeting]:
        """The pairs, in blocks of given boxes (n, 2) one after the other; of few boxes held simply all pairs."""
        for start in range(0, len(low), _ROWS):
            stop = min(start + _ROWS, len(low))
            if self._tree is None:
                given = np.repeat(np.arange(start, stop), self.count)
                held = np.tile(np.arange(self.count), stop - start)
            else:
                given, held = self._tree.query(_diagonals(low[start:stop], high[start:stop]))
                given = given + start
            yield from _in_parts(range(start, stop), given, held)


def _in_parts(rows: range, given: Ints, held: Ints) -> Iterator[Meeting]:
    """The pairs of some rows in parts of about `_PAIRS`, no row in two of them."""
    if len(given) <= _PAIRS:
        yield Meeting(rows, given, held)
        return
    first = np.searchsorted(given, np.arange(rows.start, rows.stop + 1))  # of the pairs of every row
    at = 0
    while at < len(rows):
        end = max(at + 1, int(np.searchsorted(first, first[at] + _PAIRS, side="right")) - 1)
        some = slice(first[at], first[end])
        yield Meeting(range(rows.start + at, rows.start + end), given[some], held[some])
        at = end


def _diagonals(low: Floats, high: Floats) -> np.ndarray:
    """Lines (n,) whose bounding boxes are the given ones: they are made faster than rectangles."""
    return np.asarray(shapely.linestrings(np.stack([low, high], axis=1)))


def segment_boxes(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Low and high corners of the boxes round segments a→b, (m, 2) each."""
    return np.minimum(a, b), np.maximum(a, b)
