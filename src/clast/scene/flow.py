"""Grains that come into a run and go out of it: sources and sinks, as data.

All grains of a source are bodies of the scene from the start, with ids of their own, and wait outside the run until there is room
for them (`clast.dynamics.bodies.sources`). So a stored run has one row for each body from its first frame to its last.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clast.errors import SceneError
from clast.scene.checks import name_or_none, numbers, unit

MOST = 10_000_000  # grains of a source


@dataclass(frozen=True)
class Source:
    """Grains first … first + count − 1 come in this order, each when it is due and has room; see `Problem.source`."""

    first: int
    count: int
    lower: tuple[float, ...]  # corners of the region in which their centres of mass begin [length]
    upper: tuple[float, ...]
    velocity: tuple[float, ...]
    turn: tuple[float, ...] | None  # (angle,) or a quaternion; None: at random
    rate: float | None  # [1/time]
    start: float
    until: float | None
    seed: int
    name: str | None

    def time_of(self, number: int) -> float:
        """When its grain of this number, from 0 on, is due."""
        return self.start if self.rate is None else self.start + number / self.rate

    @property
    def ids(self) -> np.ndarray:
        """Ids (count,) of its grains."""
        return np.arange(self.first, self.first + self.count)


@dataclass(frozen=True)
class Sink:
    """Where grains leave: in a box, or beyond a plane; see `Problem.sink`."""

    lower: tuple[float, ...] | None
    upper: tuple[float, ...] | None
    point: tuple[float, ...] | None
    normal: tuple[float, ...] | None  # of length 1
    name: str | None


def source_of(first: int, axes: int, lower: Any, upper: Any, **given: Any) -> Source:
    """A source whose grains have the ids from `first` on; SceneError for what cannot be. The arguments are those of `source`."""
    who = "source"
    low, high = corners(who, lower, upper, axes)
    name_or_none(f"{who}: name", given["name"])
    velocity = (0.0,) * axes if given["velocity"] is None else numbers(f"{who}: velocity", given["velocity"], axes)
    start = numbers(f"{who}: start", [given["start"]], 1)[0]
    until = None if given["until"] is None else numbers(f"{who}: until", [given["until"]], 1)[0]
    if until is not None and not until > max(start, 0.0):
        raise SceneError(f"{who}: until = {until} must be later than start = {start} and the beginning of the run")
    rate = None if given["rate"] is None else numbers(f"{who}: rate", [given["rate"]], 1)[0]
    if rate is not None and rate <= 0.0:
        raise SceneError(f"{who}: rate = {rate} must be positive, grains per time")
    seed = given["seed"]
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise SceneError(f"{who}: seed = {seed!r} must be a whole number, 0 or above")
    count, turn = count_of(who, given["count"], rate, start, until), turn_of(who, given["turn"], axes)
    return Source(first, count, low, high, velocity, turn, rate, start, until, int(seed), given["name"])


def count_of(who: str, count: Any, rate: float | None, start: float, until: float | None) -> int:
    """How many grains a source has: as many as were given, else as many as are due between `start` and `until`."""
    if count is None:
        if rate is None or until is None:
            raise SceneError(f"{who}: give count, the number of its grains, or rate and until, from which it follows")
        due = math.ceil((until - start) * rate)
        if due > MOST:
            raise SceneError(f"{who}: {rate:g} grains per time until {until:g} are {due}, more than {MOST}: give a count")
        return max(due, 1)
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= MOST:
        raise SceneError(f"{who}: count = {count!r} must be a whole number, 1 to {MOST}")
    return int(count)


def turn_of(who: str, turn: Any, axes: int) -> tuple[float, ...] | None:
    """An angle (1,) or a quaternion (4,) of length 1; None where grains are turned at random."""
    if turn is None:
        return None
    return numbers(f"{who}: turn, an angle,", [turn], 1) if axes == 2 else unit(f"{who}: turn", turn)


def sink_of(axes: int, periods: Sequence[float], lower: Any, upper: Any, point: Any, normal: Any, name: Any) -> Sink:
    """A sink; SceneError for what is none. The arguments are those of `sink`."""
    who = "sink"
    name_or_none(f"{who}: name", name)
    box, plane = lower is not None or upper is not None, point is not None or normal is not None
    if box == plane:
        raise SceneError(f"{who}: give lower and upper, the corners of a box, or point and normal of a plane")
    if box:
        return Sink(*corners(who, lower, upper, axes), None, None, name)
    through, way = numbers(f"{who}: point", point, axes), numbers(f"{who}: normal", normal, axes)
    length = math.hypot(*way)
    if length == 0.0:
        raise SceneError(f"{who}: normal = {normal!r} has no length: give the direction in which grains go out")
    for axis, (part, period) in enumerate(zip(way, periods, strict=True)):
        if part != 0.0 and period > 0.0:
            raise SceneError(f"{who}: the box is periodic along {'xyz'[axis]}, so nothing lies beyond a plane there: give a box")
    return Sink(None, None, through, tuple(part / length for part in way), name)


def corners(who: str, lower: Any, upper: Any, axes: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Corners of a region along the axes; it may be flat, a line or a point."""
    low, high = numbers(f"{who}: lower", lower, axes), numbers(f"{who}: upper", upper, axes)
    for axis, (a, b) in enumerate(zip(low, high, strict=True)):
        if a > b:
            raise SceneError(f"{who}: lower = {lower} must not lie beyond upper = {upper} along {'xyz'[axis]}")
    return low, high


def refuse_second(who: str, name: str | None, others: Sequence[Source] | Sequence[Sink]) -> None:
    """SceneError for a name that another source or sink has: each has columns of its own in the series of a run."""
    if name is not None and any(each.name == name for each in others):
        raise SceneError(f'{who}: there is a {who} named "{name}" already: give another name, or none')


def mixture(who: str, count: int, kinds: int, shares: Any, seed: int) -> np.ndarray:
    """Which of some shapes each grain has (count,), in an order drawn at random; numbers of each as `shares` have them."""
    given = [1.0] * kinds if shares is None else [*shares] if hasattr(shares, "__len__") else []
    if len(given) != kinds:
        raise SceneError(f"{who}: shares = {shares!r} must be a list of {kinds}, one for each shape")
    found = numbers(f"{who}: shares", given, kinds)
    if min(found) <= 0.0:
        raise SceneError(f"{who}: shares = {shares!r} must be positive; leave out the shape that has none")
    return np.random.default_rng(seed).permutation(np.repeat(np.arange(kinds), apportion(count, found)))


def apportion(count: int, shares: Sequence[float]) -> np.ndarray:
    """`count` divided by `shares` into whole numbers, as near as can be: the largest remainders are rounded up."""
    exact = count * np.array(shares) / sum(shares)
    whole = np.floor(exact).astype(np.int64)
    whole[np.argsort(whole - exact, kind="stable")[: count - whole.sum()]] += 1
    return whole
