"""Arrays with a row for each body, checked as `Scene.add` checks what it is given; a complaint names the row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from clast.errors import SceneError
from clast.scene.bodies import firsts
from clast.scene.checks import NO_TURN, UNIT, amount_of, check_wall_inertia, moments_of, name_or_none, numbers, unit


class NewBodies:
    """Bodies to be added, the first of which gets the id `first`, with their `positions` (n, axes)."""

    def __init__(self, first: int, positions: object, axes: int) -> None:
        self.first = first
        self.positions = number_rows("positions", positions, axes)
        self.count = len(self.positions)

    def who(self, row: int) -> str:
        """What a complaint about the shape in a row begins with."""
        return f"body {row}" if self.first == 0 else f"row {row}, body {self.first + row}"

    def numbers(self, what: str, values: object, width: int = 0, *, one: str) -> np.ndarray:
        """Finite numbers: one for all (), or for each (n,); with a `width` that many, (width,) or (n, width).

        what, one   what they are called where there is one for each, and where there is one for all
        """
        if is_single(values, width):
            found = numbers(f"body {self.first}: {one}", values if width else [values], width or 1)
            return np.array(found if width else found[0])
        return self.complete(what, number_rows(what, values, width))

    def quaternions(self, what: str, values: object, *, one: str) -> np.ndarray:
        """Quaternions of length 1, one for all (4,) or for each (n, 4), from such of any length but 0."""
        if is_single(values, 4):
            return np.array(unit(f"body {self.first}: {one}", values))
        found = self.numbers(what, values, 4, one=one)
        # the same function as for one: numpy's root of a sum of squares has other last bits
        length = np.fromiter(map(math.hypot, *(memoryview(each.copy()) for each in found.T)), float, self.count)
        for row in np.flatnonzero(length == 0.0):
            raise SceneError(f"row {row} of {what} {NO_TURN}")
        return found / np.where(np.abs(length - 1.0) <= UNIT, 1.0, length)[:, None]

    def densities(self, density: object, mass: object, size: np.ndarray) -> np.ndarray:
        """Mass per area or volume of bodies of `size` (n,), given their density, their mass or neither: () or (n,)."""
        what, given = amount_of(f"body {self.first}", density, mass)
        amount = self.numbers(what, given, one=what)
        for row in np.flatnonzero(amount <= 0.0):
            where = f"row {row} of {what}" if amount.ndim else f"body {self.first}: {what}"
            raise SceneError(f"{where} = {given if amount.ndim == 0 else amount[row]} must be positive")
        return amount / size if mass is not None else amount

    def inertias(self, inertia: object, big: Any, weighed: bool) -> dict[str, np.ndarray]:
        """The column "inertia" where moments of inertia are given, as `checks.moments_of` and `check_wall_inertia` want them."""
        if inertia is None:
            return {}
        axes, width = self.positions.shape[1], 3 if self.positions.shape[1] == 3 else 0
        found = self.numbers("inertia", inertia, width, one="inertia")
        each = found.reshape(-1, width or 1)
        wrong = each.min(axis=1) <= 0.0
        if width:
            wrong |= 2.0 * each.max(axis=1) > each.sum(axis=1)
        for row in np.flatnonzero(wrong).tolist():
            moments_of(self.who(row), each[row].tolist() if width else float(each[row, 0]), axes)
        for row in np.flatnonzero(np.broadcast_to(self.flags("big", big), self.count))[:1].tolist():
            check_wall_inertia(self.who(row), True, weighed)
        return {"inertia": found}

    def texts(self, what: str, values: Any) -> list[str | None]:
        """A text or None, one for all (1) or for each (n)."""
        if values is None or isinstance(values, str):
            name_or_none(f"body {self.first}: {what}", values)
            return [values]
        listed = listed_rows(what, values, "texts")
        for row, value in enumerate(listed):
            name_or_none(f"row {row} of {what}", value)
        return self.complete(what, listed)

    def flags(self, what: str, values: Any) -> np.ndarray:
        """True or False, one for all () or for each (n,)."""
        if is_single(values, 0):
            return np.array(bool(values))
        if not (isinstance(values, np.ndarray) and values.dtype == bool and values.ndim == 1):
            for row, value in enumerate(values):
                if not isinstance(value, bool | np.bool_):
                    raise SceneError(f"row {row} of {what} = {value!r} must be True or False")
        return self.complete(what, np.array(values, bool))

    def shapes(self, shapes: Any, which: Any) -> tuple[list[Any], np.ndarray]:
        """The different shapes in use, in the order in which they come first, and which of these each body has (n,).

        shapes   one for all, or one for each; with `which` (n,), integers from 0 on, those that it chooses from
        """
        if isinstance(shapes, str) or not isinstance(shapes, Sequence | np.ndarray):
            if which is not None:
                raise SceneError("which chooses from several shapes, and shapes is a single one: give a list of them")
            return [shapes][: self.count], np.zeros(self.count, np.int64)
        if which is None:
            ids = np.fromiter(map(id, self.complete("shapes", shapes)), np.int64, self.count)
            _, rows, chosen = np.unique(ids, return_index=True, return_inverse=True)
            shapes = [shapes[row] for row in rows.tolist()]
        else:
            chosen = self.complete("which", choice(which, len(shapes)))
        first, place = firsts(chosen, len(shapes))
        return [shapes[number] for number in chosen[first].tolist()], place

    def complete(self, what: str, found: Any) -> Any:
        """What was found, where it has a row for each body; SceneError where it has not."""
        if len(found) != self.count:
            raise SceneError(
                f"{what} has {len(found)} rows, and positions has {self.count}: give one for each body, or one for all"
            )
        return found


def is_single(values: Any, width: int) -> bool:
    """Whether values are those of one body: `width` numbers or, for 0, a bare one."""
    if isinstance(values, np.ndarray):
        return values.ndim <= (1 if width else 0)
    if isinstance(values, str) or not hasattr(values, "__len__"):
        return True
    return width > 0 and not hasattr(next(iter(values), 0.0), "__len__")


def number_rows(what: str, values: Any, width: int) -> np.ndarray:
    """Finite numbers (n, width), for a width of 0 (n,). An array is looked at as a whole, anything else row by row."""
    inner = (width,) if width else ()
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf" and values.ndim > 0 and values.shape[1:] == inner:
        found = np.asarray(values, float)
        if np.isfinite(found).all():
            return found
    listed = [
        numbers(f"row {row} of {what}", each if width else [each], width or 1)
        for row, each in enumerate(listed_rows(what, values, f"rows of {width} numbers" if width else "numbers"))
    ]
    return np.array(listed, float).reshape(-1, *inner)


def listed_rows(what: str, values: Any, meant: str) -> list[Any]:
    """Values as a list; SceneError where they are none."""
    if is_single(values, 0):
        raise SceneError(f"{what} = {values!r} must be {meant}, one for each body")
    return [*values]


def choice(which: Any, count: int) -> np.ndarray:
    """`which` (n,) as numbers 0 … count − 1; SceneError names a row that is none."""
    is_whole = isinstance(which, np.ndarray) and which.dtype.kind in "iu" and which.ndim == 1
    if is_whole and ((which >= 0) & (which < count)).all():
        return which.astype(np.int64)
    for row, number in enumerate(listed_rows("which", which, "numbers of shapes")):
        if isinstance(number, bool | np.bool_) or not isinstance(number, int | np.integer) or not 0 <= number < count:
            raise SceneError(f"row {row} of which = {number!r} must be the number of a shape, 0 … {count - 1}")
    return np.array([*which], np.int64)
