"""Functions that are called every so many steps of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from clast.errors import InputError


class Calls:
    """Functions with their intervals, in the order in which they were given; those due at one step are called in this order."""

    def __init__(self) -> None:
        self._all: list[tuple[int, Callable[[Any], object]]] = []

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, interval: object, function: object) -> None:
        """Call `function` at every multiple of `interval` steps; InputError if that cannot be."""
        if isinstance(interval, bool) or not isinstance(interval, int) or interval < 1:
            raise InputError(f"every: the interval {interval!r} must be a whole number of steps, at least 1")
        if not callable(function):
            raise InputError(f"every: {function!r} is no function: give one that takes the simulation")
        self._all.append((interval, function))

    def next_step(self, step: int) -> int | None:
        """The first step after `step` at which a function is due; None where there are none."""
        return min(((step // interval + 1) * interval for interval, _ in self._all), default=None)

    def due(self, step: int) -> list[Callable[[Any], object]]:
        """The functions due at a step."""
        return [function for interval, function in self._all if step > 0 and step % interval == 0]


def calls_of(every: object) -> Calls:
    """Calls from what a user gives: (interval, function), or a list of such pairs; InputError for anything else."""
    found = Calls()
    pairs = [every] if isinstance(every, tuple) and len(every) == 2 and callable(every[1]) else every
    if not isinstance(pairs, Iterable) or isinstance(pairs, str):
        raise InputError(f"every = {every!r} must be (steps, function), or a list of such pairs")
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InputError(f"every: {pair!r} must be (steps, function)")
        found.add(*pair)
    return found
