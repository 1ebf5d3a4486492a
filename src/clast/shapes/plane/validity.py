"""Whether points can be a skeleton: every refusal is one sentence that names the vertex as the user counted it.

Lengths smaller than `TOLERANCE` times the size of the body (skeleton and rounding) count as zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from clast.errors import ShapeError
from clast.shapes.plane.inside import Bools, Floats, Ints, distance_to_segment
from clast.shapes.plane.nearness import Boxes, segment_boxes
from clast.shapes.vertices import at, checked_length, checked_vertices, named

TOLERANCE = 1e-9  # of the body's size


def checked_radius(radius: float) -> float:
    """The sphero-radius as a float, or ShapeError."""
    return checked_length(radius, "The sphero-radius")


def checked_points(points: ArrayLike, least: int, kind: str) -> Floats:
    """`points` as an (n, 2) array of at least `least` finite vertices, or ShapeError."""
    return checked_vertices(points, 2, least, kind)


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
    slack = 2.0 * TOLERANCE * size  # of the boxes: wider than what is decided below
    for _, i, j in Boxes(points, points).meeting(points - slack, points + slack):
        off = points[j] - points[i]
        same = (j < i) & (np.sqrt(off[:, 0] ** 2 + off[:, 1] ** 2) <= TOLERANCE * size)
        if same.any():
            second, first = _first(i, j, same)
            raise ShapeError(f"In this {kind} {named(points, second)} repeats vertex {first}.")


def _first(i: Ints, j: Ints, found: Bools) -> tuple[int, int]:
    """Of the pairs (i, j), (k,) each, that are `found` the one with the smallest i, and of these with the smallest j."""
    least = i[found].min()
    return int(least), int(j[found & (i == least)].min())


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
    tolerance = TOLERANCE * size
    bent = (~_on_line(chain[1:-1] - chain[:-2], chain[2:] - chain[:-2], tolerance)).tolist()  # by their neighbours in the chain
    remaining = [0]
    while remaining[-1] < len(chain) - 2:
        remaining.append(remaining[-1] + 1 if bent[remaining[-1]] else _end_of_line(chain, remaining[-1], tolerance))
    if remaining[-1] > len(chain) - 2:
        remaining.pop()
    return np.sort(walk[remaining if closed else [*remaining, n - 1]])


def _on_line(rel: Floats, d: Floats, tolerance: float) -> Bools:
    """Whether places rel (…, 2) lie between 0 and d (…, 2) and no farther than the tolerance (length) from the line; (…)."""
    length = np.sqrt(d[..., 0] ** 2 + d[..., 1] ** 2)
    along, off = rel[..., 0] * d[..., 0] + rel[..., 1] * d[..., 1], np.abs(d[..., 0] * rel[..., 1] - d[..., 1] * rel[..., 0])
    return np.asarray((along > 0.0) & (along < length * length) & (off <= tolerance * length))


def _end_of_line(chain: Floats, start: int, tolerance: float) -> int:
    """The first vertex i after `start` such that not all of start + 1 … i lie on the line from `start` to i + 1.

    Without one it is the last of the chain (n, 2). Seen from `start` every vertex lets pass a wedge of directions; while the
    next one is well within all of them and farther than they, nothing is to be decided. A block of vertices, as long as the
    way so far, is looked at together.
    """
    i = start + 1
    while i < len(chain) - 1:
        end = min(len(chain) - 1, i + max(16, i - start))
        rel = chain[start + 1 : end + 1] - chain[start]
        away = np.sqrt(rel[:, 0] ** 2 + rel[:, 1] ** 2)
        angle = np.arctan2(rel[0, 0] * rel[:, 1] - rel[0, 1] * rel[:, 0], rel[:, 0] * rel[0, 0] + rel[:, 1] * rel[0, 1])
        half = np.arcsin(tolerance / np.maximum(away, tolerance)) - 1e-12
        left, right = np.minimum.accumulate(angle + half)[:-1], np.maximum.accumulate(angle - half)[:-1]
        farther = away[1:] > np.maximum.accumulate(away)[:-1] * (1.0 + 1e-12)
        surely = (angle[1:] < left) & (angle[1:] > right) & farther
        for k in i + np.flatnonzero(~surely[i - start - 1 :]):
            if not _on_line(chain[start + 1 : k + 1] - chain[start], chain[k + 1] - chain[start], tolerance).all():
                return int(k)
        i = end
    return len(chain) - 1


def refuse_self_contact(points: Floats, number: Ints, size: float, kind: str, *, closed: bool) -> None:
    """ShapeError if two edges of the chain `points` (n, 2) cross, or a vertex lies on an edge that is not its own.

    `number` (n,) are the vertices' numbers as the user counts them.
    """
    n = len(points)
    first = np.arange(n if closed else n - 1)
    second = (first + 1) % n
    a, b = points[first], points[second]

    def edge(k: int) -> str:
        i, j = first[k], second[k]
        return f"edge {number[i]}-{number[j]} (from {at(points[i])} to {at(points[j])})"

    low, high = segment_boxes(a, b)
    boxes = Boxes(low, high)
    for _, k, j in boxes.meeting(low, high):
        crosses = _cross(a[k], b[k], a[j], b[j]) & (first[j] != k) & (second[j] != k) & (first[j] != second[k])
        if crosses.any():
            one, other = _first(k, j, crosses)
            raise ShapeError(f"The {kind} crosses itself: {edge(one)} crosses {edge(other)}.")
    slack = 2.0 * TOLERANCE * size  # of the boxes: wider than what is decided below
    for _, i, j in boxes.meeting(points - slack, points + slack):
        touches = (distance_to_segment(points[i], a[j], b[j]) <= TOLERANCE * size) & (first[j] != i) & (second[j] != i)
        if touches.any():
            vertex, other = _first(i, j, touches)
            where = f"vertex {number[vertex]} at {at(points[vertex])}"
            raise ShapeError(f"The {kind} touches itself: {where} lies on {edge(other)}.")


def _cross(a: Floats, b: Floats, p: Floats, q: Floats) -> Bools:
    """Whether segments a→b and p→q, (k, 2) each, cross: the ends of each on different sides of the other; returns (k,)."""

    def side(start: Floats, end: Floats, place: Floats) -> Floats:
        d, rel = end - start, place - start
        return np.asarray(d[:, 0] * rel[:, 1] - d[:, 1] * rel[:, 0])

    return np.asarray((side(a, b, p) * side(a, b, q) < 0.0) & (side(p, q, a) * side(p, q, b) < 0.0))
