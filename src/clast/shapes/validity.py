"""Whether points can be a skeleton: every refusal is one sentence that names the vertex as the user counted it.

Lengths smaller than `TOLERANCE` times the size of the body (skeleton and rounding) count as zero.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from clast.errors import ShapeError
from clast.shapes.inside import Bools, Floats, Ints, distance_to_segments

TOLERANCE = 1e-9  # of the body's size


def checked_radius(radius: float) -> float:
    """The sphero-radius as a float, or ShapeError."""
    try:
        r = float(radius)
    except (TypeError, ValueError):
        raise ShapeError(f"The sphero-radius must be a number, not {radius!r}.") from None
    if not (math.isfinite(r) and r > 0.0):
        raise ShapeError(f"The sphero-radius must be positive and finite, not {r!r}.")
    return r


def checked_points(points: ArrayLike, least: int, kind: str) -> Floats:
    """`points` as an (n, 2) array of at least `least` finite vertices, or ShapeError."""
    try:
        array = np.array(points, dtype=np.float64)
    except (TypeError, ValueError):
        raise ShapeError(f"The vertices of a {kind} must be pairs of numbers (x, y).") from None
    if array.size == 0:
        array = array.reshape(0, 2)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ShapeError(f"The vertices of a {kind} must be an array of shape (n, 2), not {array.shape}.")
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if len(bad):
        raise ShapeError(f"In this {kind} {named(array, int(bad[0]))} is not finite.")
    if len(array) < least:
        last = f" (the last is {named(array, len(array) - 1)})" if len(array) else ""
        raise ShapeError(f"A {kind} needs at least {least} vertices, got {len(array)}{last}.")
    return array


def named(points: Floats, i: int) -> str:
    """'vertex 3 at (1.0, 2.0)'."""
    return f"vertex {i} at ({points[i, 0]:.6g}, {points[i, 1]:.6g})"


def body_size(points: Floats, radius: float) -> float:
    """Largest extent of the body along the axes: what tolerances are relative to."""
    return float(np.ptp(points, axis=0).max()) + 2.0 * radius


def refuse_short_edges(points: Floats, size: float, kind: str, *, closed: bool) -> None:
    """ShapeError where two consecutive vertices (n, 2) coincide."""
    nxt = np.roll(points, -1, axis=0) if closed else points[1:]
    step = nxt - points[: len(nxt)]
    short = np.flatnonzero(np.sqrt(step[:, 0] ** 2 + step[:, 1] ** 2) <= TOLERANCE * size)
    if len(short):
        i = int(short[0])
        j = (i + 1) % len(points)
        raise ShapeError(f"In this {kind} {named(points, j)} repeats vertex {i}: the edge between them has no length.")


def refuse_repeated_points(points: Floats, size: float, kind: str) -> None:
    """ShapeError where any two of `points` (n, 2) coincide."""
    for i in range(1, len(points)):
        off = points[:i] - points[i]
        same = np.flatnonzero(np.sqrt(off[:, 0] ** 2 + off[:, 1] ** 2) <= TOLERANCE * size)
        if len(same):
            raise ShapeError(f"In this {kind} {named(points, i)} repeats vertex {int(same[0])}.")


def refuse_flat(points: Floats, size: float) -> None:
    """ShapeError if the vertices (n, 2) of a polygon all lie on one line."""
    off = points - points[0]
    far = int(np.argmax(off[:, 0] ** 2 + off[:, 1] ** 2))
    axis = off[far] / np.sqrt(off[far, 0] ** 2 + off[far, 1] ** 2)
    if np.all(np.abs(off[:, 0] * axis[1] - off[:, 1] * axis[0]) <= TOLERANCE * size):
        raise ShapeError(
            f"The polygon has no area: all vertices lie on the line from {named(points, 0)} to {named(points, far)}."
        )


def without_collinear(points: Floats, size: float, *, closed: bool) -> Ints:
    """Numbers of the vertices that remain when those on the straight line between their neighbours are left out.

    Every vertex is also a probe of contacts, so a superfluous one would count twice. Fold-backs are kept (and refused
    later). All that is left out between two vertices lies on the line between them, not only the last of it: a bend drawn
    in many small steps stays a bend. A closed chain is walked from its point farthest out, which is surely a corner.
    """
    n = len(points)
    away = points - points.mean(axis=0)
    first = int(np.argmax(away[:, 0] ** 2 + away[:, 1] ** 2)) if closed else 0
    walk = (first + np.arange(n + 1 if closed else n)) % n
    chain = points[walk]
    kept = [0]
    for i in range(1, len(chain) - 1):
        d, rel = chain[i + 1] - chain[kept[-1]], chain[kept[-1] + 1 : i + 1] - chain[kept[-1]]
        length = math.sqrt(d[0] ** 2 + d[1] ** 2)
        along, off = rel[:, 0] * d[0] + rel[:, 1] * d[1], np.abs(d[0] * rel[:, 1] - d[1] * rel[:, 0])
        if not np.all((along > 0.0) & (along < length * length) & (off <= TOLERANCE * size * length)):
            kept.append(i)
    return np.sort(walk[kept if closed else [*kept, n - 1]])


def refuse_self_contact(points: Floats, number: Ints, size: float, kind: str, *, closed: bool) -> None:
    """ShapeError if two edges of the chain `points` (n, 2) cross, or a vertex lies on an edge that is not its own.

    `number` (n,) are the vertices' numbers as the user counts them.
    """
    n = len(points)
    first = np.arange(n if closed else n - 1)
    second = (first + 1) % n
    a, b = points[first], points[second]
    d = b - a

    def edge(k: int) -> str:
        i, j = first[k], second[k]
        return f"edge {number[i]}-{number[j]} (from {_at(points[i])} to {_at(points[j])})"

    for k in first:
        rel_a, rel_b = a - a[k], b - a[k]
        side_a = d[k, 0] * rel_a[:, 1] - d[k, 1] * rel_a[:, 0]  # on which side of edge k the others begin and end
        side_b = d[k, 0] * rel_b[:, 1] - d[k, 1] * rel_b[:, 0]
        back_a = d[:, 0] * (a[k, 1] - a[:, 1]) - d[:, 1] * (a[k, 0] - a[:, 0])  # and edge k with respect to them
        back_b = d[:, 0] * (b[k, 1] - a[:, 1]) - d[:, 1] * (b[k, 0] - a[:, 0])
        apart: Bools = (first != k) & (second != k) & (first != second[k])
        hits = np.flatnonzero((side_a * side_b < 0.0) & (back_a * back_b < 0.0) & apart)
        if len(hits):
            raise ShapeError(f"The {kind} crosses itself: {edge(int(k))} crosses {edge(int(hits[0]))}.")
    for i in range(n):
        gap = distance_to_segments(points[i : i + 1], a, b)[0]
        touched = np.flatnonzero((gap <= TOLERANCE * size) & (first != i) & (second != i))
        if len(touched):
            where = f"vertex {number[i]} at {_at(points[i])}"
            raise ShapeError(f"The {kind} touches itself: {where} lies on {edge(int(touched[0]))}.")


def _at(p: Floats) -> str:
    return f"({p[0]:.6g}, {p[1]:.6g})"
