"""Vertices, lengths and counts as a user gives them, checked the same way in plane and space: every refusal is one sentence."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from clast.errors import ShapeError
from clast.shapes.plane.inside import Floats

TUPLES = {2: "pairs of numbers (x, y)", 3: "triples of numbers (x, y, z)"}


def checked_length(value: float, what: str) -> float:
    """A positive finite number, or ShapeError that begins with `what` it is."""
    length = checked_number(value, what)
    if not (math.isfinite(length) and length > 0.0):
        raise ShapeError(f"{what} must be positive and finite, not {length!r}.")
    return length


def checked_number(value: float, what: str) -> float:
    """A float, or ShapeError that begins with `what` it is."""
    try:
        if not isinstance(value, str):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise ShapeError(f"{what} must be a number, not {value!r}.")


def checked_count(value: int, least: int, what: str) -> int:
    """A whole number of at least `least`, or ShapeError that names `what` is counted."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ShapeError(f"The number of {what} is a whole number of at least {least}, not {value!r}.")
    return int(value)


def checked_choice(value: bool, what: str) -> bool:
    """True or False, or ShapeError that begins with `what` it is."""
    if not isinstance(value, bool | np.bool_):
        raise ShapeError(f"{what} must be True or False, not {value!r}.")
    return bool(value)


def checked_vertices(points: ArrayLike, axes: int, least: int, kind: str) -> Floats:
    """`points` as an (n, axes) array of at least `least` finite vertices, or ShapeError."""
    try:
        array = np.array(points, dtype=np.float64)
    except (TypeError, ValueError):
        raise ShapeError(f"The vertices of a {kind} must be {TUPLES[axes]}.") from None
    if array.size == 0:
        array = array.reshape(0, axes)
    if array.ndim != 2 or array.shape[1] != axes:
        raise ShapeError(f"The vertices of a {kind} must be an array of shape (n, {axes}), not {array.shape}.")
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if len(bad):
        raise ShapeError(f"In this {kind} {named(array, int(bad[0]))} is not finite.")
    if len(array) < least:
        last = f" (the last is {named(array, len(array) - 1)})" if len(array) else ""
        raise ShapeError(f"A {kind} needs at least {least} vertices, got {len(array)}{last}.")
    return array


def named(points: Floats, i: int) -> str:
    """'vertex 3 at (1, 2)'."""
    return f"vertex {i} at {at(points[i])}"


def at(point: Floats) -> str:
    """'(1, 2)', in space '(1, 2, 3)'."""
    return f"({', '.join(f'{x:.6g}' for x in point)})"
