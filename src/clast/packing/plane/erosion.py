"""Erosion of many convex cells at once, exact: each cell is the intersection of its half-planes, moved inwards by d.

A side that d takes away gives way to the meeting point of its neighbours ("points 1 and 2 become 3", ARX fig 7, PRE10
fig 6). That needs no order of events: of three sides that follow each other, the middle one is superfluous where its length
between the other two is negative and these two meet in front of it; where they do not (they turn by 180° or more) nothing
is left of the cell. So sides are struck out until all lengths are positive, whichever comes first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SHORT = 4e-9  # of the cell's size: a shorter side is none (the constructors of shapes refuse one below 1e-9)
ROUNDING = 1e-14  # of the distance to the farthest side: a shorter one is an accident of rounding
PARALLEL = 1e-9  # radians: sides of one cell that differ by less are one side


class HalfPlanes(NamedTuple):
    """Sides of many convex cells, cell by cell: all x with normal·(x − origin of the cell) ≤ distance."""

    cell: Ints  # (s,) whose side it is, ascending
    normals: Floats  # (s, 2) outward unit vectors, counter-clockwise within a cell
    distances: Floats  # (s,) length; positive where the cell's origin lies inside
    sizes: Floats  # (cells,) length: what tolerances of a cell are relative to


class Rings(NamedTuple):
    """Corners of many convex polygons, relative to the origins of their cells, counter-clockwise; none where a cell is gone."""

    corners: Floats  # (c, 2)
    counts: Ints  # (cells,)

    @property
    def first(self) -> Ints:
        """(cells + 1,) number of each ring's first corner; the last entry is the number of all."""
        return np.concatenate([[0], np.cumsum(self.counts)])

    def areas(self) -> Floats:
        """(cells,) length²; 0 where nothing is left."""
        a, b = self.corners, self.corners[self._after()]
        return self._sums(0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]))

    def perimeters(self) -> Floats:
        """(cells,) length; 0 where nothing is left."""
        d = self.corners[self._after()] - self.corners
        return self._sums(np.sqrt(d[:, 0] ** 2 + d[:, 1] ** 2))

    def owners(self) -> Ints:
        """(c,) the cell of every corner."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def _after(self) -> Ints:
        """Number of the corner that follows each in its ring."""
        after = np.arange(1, len(self.corners) + 1)
        ends = self.first[1:][self.counts > 0] - 1
        after[ends] = self.first[:-1][self.counts > 0]
        return after

    def _sums(self, values: Floats) -> Floats:
        return np.bincount(self.owners(), values, len(self.counts)).astype(np.float64)  # whole numbers where there are none


def half_planes(cell: Ints, normals: Floats, distances: Floats, cells: int) -> HalfPlanes:
    """Half-planes (s,) in any order, sorted, with those of one direction reduced to the nearest.

    Together the sides of every cell must close it.
    """
    order = np.lexsort((np.arctan2(normals[:, 1], normals[:, 0]), cell))
    cell, normals, distances = cell[order], normals[order], distances[order]
    while True:
        _, after = neighbours(cell, cells)
        turn = _cross(normals, normals[after])
        same = (np.abs(turn) <= PARALLEL) & ((normals * normals[after]).sum(axis=1) > 0.0) & (after != np.arange(cell.size))
        if not same.any():
            break
        first = np.flatnonzero(same)
        farther = np.where(distances[first] >= distances[after[first]], first, after[first])
        remaining = np.ones(cell.size, dtype=bool)
        remaining[farther] = False
        cell, normals, distances = cell[remaining], normals[remaining], distances[remaining]
    sizes = np.zeros(cells)
    np.maximum.at(sizes, cell, 2.0 * distances)
    return HalfPlanes(cell, normals, distances, sizes)


def trimmed(sides: HalfPlanes) -> HalfPlanes:
    """Only the sides that the cells have, and sizes after their corners instead of their farthest sides.

    A half-plane that does not cut its cell does not cut the eroded cell either.
    """
    left, after = _struck_out(sides, sides.distances, ROUNDING * sides.sizes)
    corners = _meeting(sides.normals[left], sides.distances[left], sides.normals[after], sides.distances[after])
    sizes = np.zeros_like(sides.sizes)
    np.maximum.at(sizes, sides.cell[left], 2.0 * np.sqrt((corners**2).sum(axis=1)))
    return HalfPlanes(sides.cell[left], sides.normals[left], sides.distances[left], sizes)


def eroded(sides: HalfPlanes, depth: float) -> Rings:
    """The cells eroded by a disk of radius `depth` ≥ 0 (length): all points at least that far inside every side."""
    distances = sides.distances - depth
    left, after = _struck_out(sides, distances, SHORT * sides.sizes)
    corners = _meeting(sides.normals[left], distances[left], sides.normals[after], distances[after])
    return Rings(corners, np.bincount(sides.cell[left], minlength=sides.sizes.size))


def _struck_out(sides: HalfPlanes, distances: Floats, short: Floats) -> tuple[Ints, Ints]:
    """Numbers of the sides that are left, and of the ones after them, when those no longer than `short` (cells,) are out."""
    cells = sides.sizes.size
    before, after = neighbours(sides.cell, cells)
    alive = np.ones(sides.cell.size, dtype=bool)
    look = np.arange(sides.cell.size)  # sides of the cells that are not done
    lengths = np.zeros(sides.cell.size)
    while look.size:
        b, a = before[look], after[look]
        start = _meeting(sides.normals[b], distances[b], sides.normals[look], distances[look])
        end = _meeting(sides.normals[look], distances[look], sides.normals[a], distances[a])
        lengths[look] = _cross(sides.normals[look], end - start)
        out = lengths[look] <= short[sides.cell[look]]
        open_in_front = _cross(sides.normals[b], sides.normals[a]) > PARALLEL
        gone = np.zeros(cells, dtype=bool)
        gone[sides.cell[look[out & ~open_in_front]]] = True
        alive[look[gone[sides.cell[look]]]] = False
        # of adjoining short sides only the shortest goes now: the others are measured again without it
        least = look[out & _less(lengths, look, b) & _less(lengths, look, a) & ~gone[sides.cell[look]]]
        alive[least] = False
        after[before[least]] = after[least]
        before[after[least]] = before[least]
        changed = np.zeros(cells, dtype=bool)
        changed[sides.cell[least]] = True
        look = look[alive[look] & changed[sides.cell[look]]]
    left = np.flatnonzero(alive)
    return left, after[left]


def neighbours(cell: Ints, cells: int) -> tuple[Ints, Ints]:
    """Numbers of the sides before and after each in its cell."""
    count = np.bincount(cell, minlength=cells)
    end = np.cumsum(count)
    number = np.arange(cell.size)
    before, after = number - 1, number + 1
    some = count > 0
    before[(end - count)[some]] = end[some] - 1
    after[end[some] - 1] = (end - count)[some]
    return before, after


def _cross(a: Floats, b: Floats) -> Floats:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def _less(lengths: Floats, one: Ints, other: Ints) -> NDArray[np.bool_]:
    """Whether one side is shorter than the other; of equal ones the earlier counts as shorter."""
    return (lengths[one] < lengths[other]) | ((lengths[one] == lengths[other]) & (one < other))


def _meeting(m: Floats, g: Floats, n: Floats, h: Floats) -> Floats:
    """Points (k, 2) with m·x = g and n·x = h."""
    turn = _cross(m, n)
    x = g * n[:, 1] - h * m[:, 1]
    y = h * m[:, 0] - g * n[:, 0]
    return np.stack([x, y], axis=1) / turn[:, None]
