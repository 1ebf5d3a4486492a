"""Plane polygons cut into triangles ear by ear: an ear is a corner that sticks out and whose triangle holds no other vertex.

Corners are numbered as the polygon has them. What a triangle holds is counted once, and kept right from cut to cut.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clast.shapes.plane.inside import Bools, Floats, Ints

_CHUNK = 1 << 18  # pairs of corners and vertices held at a time

Turn = Callable[[Ints, Ints, Ints], Floats]  # twice the signed area of triangles of corners i, j, k, broadcast


class Corners:
    """Those corners of a polygon that have not been cut off, each with the triangle of its neighbours and itself."""

    def __init__(self, count: int, turn: Turn, nothing: float = 0.0) -> None:
        """`count` corners; a vertex no farther outside a triangle than an area `nothing` over a side counts as held."""
        self._turn, self._nothing = turn, nothing
        self.there = np.ones(count, dtype=np.bool_)
        self.before, self.after = np.roll(np.arange(count), 1), np.roll(np.arange(count), -1)
        self.held = np.zeros(count, dtype=np.int64)  # vertices in the triangle of a corner, its own apart
        step = max(1, _CHUNK // count)
        for start in range(0, count, step):
            self._count_held(np.arange(start, min(start + step, count)))

    def _count_held(self, some: Ints) -> None:
        """Count anew what the triangles of some corners (k,) hold."""
        within = self._hold(some[:, None], np.arange(len(self.there))) & self.there
        for corner in (self.before[some], some, self.after[some]):
            within[np.arange(len(some)), corner] = False
        self.held[some] = within.sum(axis=1)

    def _hold(self, some: Ints, vertices: Ints) -> Bools:
        """Whether the triangles of corners hold vertices, or have them on their border; broadcast."""
        a, c = self.before[some], self.after[some]
        sides = [self._turn(i, j, vertices) >= -self._nothing for i, j in ((a, some), (some, c), (c, a))]
        return np.asarray(np.logical_and.reduce(sides))

    def cut(self, k: int) -> tuple[int, int, int]:
        """Cut corner k off; returns it between its neighbours, whose triangles are others from then on."""
        a, c = int(self.before[k]), int(self.after[k])
        self.there[k] = False
        self.after[a], self.before[c] = c, a
        left = np.flatnonzero(self.there)
        self.held[left] -= self._hold(left, np.array(k))
        self._count_held(np.array([a, c]))
        return a, k, c


def roundest_ears(p: Floats) -> list[tuple[int, int, int]]:
    """Triangles of a polygon (n, 2), counter-clockwise: of its ears the roundest is cut off, again and again."""

    def turn(i: Ints, j: Ints, k: Ints) -> Floats:
        a, b, c = p[i], p[j], p[k]
        return np.asarray((b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0]))

    def roundness(some: Ints) -> Floats:
        """Twice the area over the square of the longest side; 0 at corners that do not stick out."""
        i, k = corners.before[some], corners.after[some]
        twice = turn(i, some, k)
        longest = np.maximum.reduce([(d * d).sum(axis=1) for d in (p[i] - p[some], p[some] - p[k], p[k] - p[i])])
        return np.asarray(np.where(twice > nothing, twice, 0.0) / longest)

    nothing = 1e-12 * float(np.ptp(p, axis=0).max()) ** 2  # an area: a vertex on the cut counts as held
    corners = Corners(len(p), turn, nothing)
    score = roundness(np.arange(len(p)))
    cut: list[tuple[int, int, int]] = []
    while len(cut) < len(p) - 3:
        left = np.flatnonzero(corners.there)
        cut.append(corners.cut(int(left[_highest(np.where(corners.held[left] > 0, 0.0, score[left]))])))
        around = np.array([cut[-1][0], cut[-1][2]])
        score[around] = roundness(around)
    i, j, k = np.flatnonzero(corners.there).tolist()
    return [*cut, (i, j, k)]


def _highest(score: Floats) -> int:
    """Which of some scores is the highest: of nearly equals the first, and the first of all where none is above 0."""
    best, highest = 0, 0.0
    for k, found in enumerate(score.tolist()):
        if found > highest * (1.0 + 1e-9):
            best, highest = k, found
    return best
