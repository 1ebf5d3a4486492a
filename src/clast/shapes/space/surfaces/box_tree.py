"""Boxes in space, about which there are larger boxes, and so on: which of them a region may meet, without looking at all.

What `shapes.plane.nearness` is for outlines. Regions are convex and may lie oblique: a ray, a prism on a triangle, all that lies
beyond a plane. A pair that is handed out need not meet, one that meets is always handed out. Lengths in any one unit. Boxes may
have more than three sides: the further ones are those of other things than places, such as the directions faces look in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from clast.algebra.morton import in_morton_order
from clast.shapes.plane.inside import Floats, Ints
from clast.shapes.space.vectors import cross, dot

FEW = 64  # boxes: up to here all pairs are as fast as a tree
_FAN = 4  # boxes in the next larger one
_PAIRS = 1 << 16  # looked at at a time: a few MB an array of vectors


class Regions(NamedTuple):
    """q convex regions: all x with low ≤ x ≤ high and, for each of p slabs, least ≤ normal · x ≤ most."""

    low: Floats  # (q, d)
    high: Floats  # (q, d)
    normal: Floats  # (q, p, 3) of any length, for the first three of the d coordinates
    least: Floats  # (q, p)
    most: Floats  # (q, p)


def plain_boxes(low: Floats, high: Floats) -> Regions:
    """Regions that are boxes along the axes, their corners (q, d) each."""
    none = np.empty((len(low), 0))
    return Regions(low, high, np.empty((len(low), 0, 3)), none, none)


def segments(a: Floats, b: Floats) -> Regions:
    """Straight lines a→b, (q, 3) each."""
    normal = np.stack([cross(b - a, axis) for axis in np.eye(3)], axis=1)
    level = dot(normal, a[:, None])
    return Regions(np.minimum(a, b), np.maximum(a, b), normal, level, level)


def beyond_planes(normal: Floats, least: Floats) -> Regions:
    """Half-spaces normal · x ≥ least, (q, 3) and (q,)."""
    far = np.full((len(normal), 3), np.inf)
    return Regions(-far, far, normal[:, None], least[:, None], far[:, :1])


class _Level(NamedTuple):
    """Boxes of one size: the given ones or those about `_FAN` of the level below."""

    low: Floats  # (n, d)
    high: Floats  # (n, d)
    centre: Floats  # (n, 3)
    half: Floats  # (n, 3)


def _level(low: Floats, high: Floats) -> _Level:
    return _Level(low, high, 0.5 * (low + high)[:, :3], 0.5 * (high - low)[:, :3])


class BoxTree:
    """Boxes (n, d) in a tree, which finds those that meet a region."""

    def __init__(self, low: Floats, high: Floats) -> None:
        self.count = len(low)
        self._levels: list[_Level] = []
        if self.count > FEW:
            self._order = in_morton_order((low + high)[:, :3])
            self._levels.append(_level(low[self._order], high[self._order]))
            while len(self._levels[-1].low) > FEW:
                below, first = self._levels[-1], np.arange(0, len(self._levels[-1].low), _FAN)
                self._levels.append(_level(np.minimum.reduceat(below.low, first), np.maximum.reduceat(below.high, first)))

    def meeting(self, regions: Regions) -> Iterator[tuple[Ints, Ints]]:
        """Numbers (k,) of regions and of boxes that they may meet, in blocks and in no order; of few boxes simply all pairs."""
        top = len(self._levels) - 1
        least = len(self._levels[top].low) if self._levels else self.count
        step = max(1, _PAIRS // max(1, least))
        for start in range(0, len(regions.low), step):
            stop = min(start + step, len(regions.low))
            wanted, held = np.repeat(np.arange(start, stop), least), np.tile(np.arange(least), stop - start)
            if self._levels:
                yield from self._below(top, wanted, held, regions)
            elif len(wanted):
                yield wanted, held

    def _below(self, top: int, wanted: Ints, held: Ints, regions: Regions) -> Iterator[tuple[Ints, Ints]]:
        """Of pairs with boxes of the level `top` those that remain at the lowest one."""
        waiting = [(top, wanted, held)]
        while waiting:
            level, wanted, held = waiting.pop()
            if len(wanted) > _PAIRS:
                half = len(wanted) // 2
                waiting += [(level, wanted[half:], held[half:]), (level, wanted[:half], held[:half])]
                continue
            left = _meeting(self._levels[level], held, regions, wanted)
            wanted, held = wanted[left], held[left]
            if level == 0 or not len(left):
                if len(left):
                    yield wanted, self._order[held]
                continue
            inner = (_FAN * held[:, None] + np.arange(_FAN)).ravel()
            there = inner < len(self._levels[level - 1].low)
            waiting.append((level - 1, np.repeat(wanted, _FAN)[there], inner[there]))


def _meeting(boxes: _Level, held: Ints, regions: Regions, wanted: Ints) -> Ints:
    """Which of the pairs of boxes `held` (k,) and regions `wanted` (k,) may meet."""
    low, high = boxes.low[held], boxes.high[held]
    floor, ceiling = regions.low[wanted], regions.high[wanted]
    meet = np.ones(len(held), dtype=np.bool_)
    for axis in range(low.shape[1]):
        meet &= (low[:, axis] <= ceiling[:, axis]) & (high[:, axis] >= floor[:, axis])
    left = np.flatnonzero(meet)
    for slab in range(regions.normal.shape[1]):
        box, region = held[left], wanted[left]
        normal = regions.normal[region, slab]
        middle, reach = dot(normal, boxes.centre[box]), dot(np.abs(normal), boxes.half[box])
        left = left[(middle + reach >= regions.least[region, slab]) & (middle - reach <= regions.most[region, slab])]
    return left
