"""How thin a closed skeleton is: the overlap up to which its contact weights mean what they say.

A probe pressed deeper into a grain than the skeleton is thick there feels the far side as well, and the Euler weights
of the closed curve cancel (spec, "Which pairs count"). The thickness is therefore measured through the interior,
between parts that do not adjoin: a blunted corner made of short edges is not thin, a needle or a neck is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from clast.shapes.plane.inside import Bools, Floats, Ints
from clast.shapes.plane.nearness import Boxes, segment_boxes

THIN = 0.1  # a skeleton thinner than this many sphero-radii is warned about
_FEW = 96  # edges: up to here all pairs are looked at
_GROWTH = 4.0  # of the depth looked into, from one look to the next
_SLICES = 16  # that a look at a deeper layer is cut into: the boxes of short ones are small


class ThinShapeWarning(UserWarning):
    """The skeleton is thinner than overlaps may become: forces there may be miscounted."""


class _Ring(NamedTuple):
    """A simple counter-clockwise polygon of n vertices; edge i goes from vertex i to the next."""

    at: Floats  # (n, 2) vertices
    d: Floats  # (n, 2) edges
    unit: Floats  # (n, 2) their directions
    inward: Floats  # (n, 2) square to them
    into: Floats  # (n, 2) direction of the edge that ends at a vertex
    before: Floats  # (n, 2) its inward direction
    reflex: Bools  # (n,) whether the polygon turns right at a vertex


def _ring(at: Floats) -> _Ring:
    d = np.roll(at, -1, axis=0) - at
    unit = d / np.sqrt(d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1])[:, None]
    inward = np.stack([-unit[:, 1], unit[:, 0]], axis=1)
    into = np.roll(unit, 1, axis=0)
    reflex = into[:, 0] * unit[:, 1] - into[:, 1] * unit[:, 0] < 0.0
    return _Ring(at, d, unit, inward, into, np.roll(inward, 1, axis=0), reflex)


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1])


def _cross(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def _least(values: Floats) -> float:
    return float(values.min(initial=np.inf))


def _shortest_across(ring: _Ring, i: Ints, j: Ints) -> float:
    """Shortest of the rays inward from the middles of edges i (k,), square to them, that hit their partner, edges j (k,)."""
    d, ray = ring.d[j], ring.inward[i]
    rel = ring.at[j] - (ring.at[i] + 0.5 * ring.d[i])
    cross = _cross(ray, d)
    safe = np.where(cross == 0.0, 1.0, cross)
    along, where = _cross(rel, d) / safe, _cross(rel, ray) / safe
    return _least(along[(cross != 0.0) & (along > 0.0) & (where >= 0.0) & (where <= 1.0) & (i != j)])


def _lowest_vertex(ring: _Ring, i: Ints, j: Ints) -> float:
    """Smallest height of vertices j (k,) over their partners, edges i (k,), that they look at through the interior.

    An edge looks at a vertex through the interior when the vertex lies on its inner side above the edge itself, and the edge
    lies inside the vertex's corner: between its two edges, or outside that wedge for a reflex corner.
    """
    rel, d = ring.at[j] - ring.at[i], ring.d[i]
    t = _dot(rel, d) / _dot(d, d)
    height = _dot(rel, ring.inward[i])
    above = (t > 0.0) & (t < 1.0) & (height > 0.0) & (i != j) & (i != (j - 1) % len(ring.at))
    i, j, height = i[above], j[above], height[above]
    inner_before, inner_after = _dot(ring.inward[i], ring.before[j]) < 0.0, _dot(ring.inward[i], ring.inward[j]) < 0.0
    bulges = _cross(ring.into[j], ring.unit[j]) > 0.0
    return _least(height[np.where(bulges, inner_before & inner_after, inner_before | inner_after)])


def _narrowest_neck(ring: _Ring, i: Ints, j: Ints) -> float:
    """Smallest distance through the interior between reflex vertices i and j, (k,) each, whose edges recede from each other."""
    across = ring.at[j] - ring.at[i]
    recede = (
        (_dot(across, ring.unit[j]) >= 0.0)
        & (_dot(across, ring.into[j]) <= 0.0)
        & (_dot(across, ring.unit[i]) <= 0.0)
        & (_dot(across, ring.into[i]) >= 0.0)
    )
    # through the interior as seen from i: on the inner side of one of its edges at least
    inner = (_dot(across, ring.inward[i]) > 0.0) | (_dot(across, ring.before[i]) > 0.0)
    found = across[recede & inner]
    return _least(np.sqrt(_dot(found, found)))


def _thinnest(ring: _Ring, i: Ints, j: Ints) -> float:
    """The thickness between edges i or vertices i, and edges or vertices j, (k,) each."""
    both = ring.reflex[i] & ring.reflex[j]
    return min(_shortest_across(ring, i, j), _lowest_vertex(ring, i, j), _narrowest_neck(ring, i[both], j[both]))


def polygon_thickness(ring: Floats) -> float:
    """Thickness of a simple counter-clockwise polygon `ring` (n, 2), in its unit of length.

    The smallest of: the way across the interior from the middle of every edge, square to it; the distance through the
    interior from every vertex to the edges it does not belong to and on which it has a perpendicular foot; and the
    necks between two reflex vertices.
    """
    made = _ring(ring)
    n = len(ring)
    if n <= _FEW:
        return _thinnest(made, np.repeat(np.arange(n), n), np.tile(np.arange(n), n))
    boxes = Boxes(*segment_boxes(ring, np.roll(ring, -1, axis=0)))
    whole = float(np.hypot(*np.ptp(ring, axis=0)))
    least, start, stop = math.inf, 0.0, float(np.hypot(made.d[:, 0], made.d[:, 1]).mean())
    while least > start and start < whole:  # all that is not thicker than `start` has been seen
        for i, j in _facing(made, boxes, start, stop, 1e-9 * whole):
            least = min(least, _thinnest(made, i, j))
        start, stop = stop, _GROWTH * stop
    return least


def _facing(ring: _Ring, boxes: Boxes, start: float, stop: float, slack: float) -> Iterator[tuple[Ints, Ints]]:
    """Pairs (i, j): every edge j with a part, in its first vertex or elsewhere, between `start` and `stop` (lengths) inward of i.

    That is in a strip on edge i, or about a reflex vertex i between the directions square to its two edges, where necks are.
    Strip and wedge are cut into slices, whose boxes are made wider by `slack` (length).
    """
    v = np.flatnonzero(ring.reflex)
    number = np.concatenate([np.arange(len(ring.at)), v])
    a, b = np.concatenate([ring.at, ring.at[v]]), np.concatenate([ring.at + ring.d, ring.at[v]])
    on_a, on_b = np.concatenate([ring.inward, ring.inward[v]]), np.concatenate([ring.inward, ring.before[v]])
    bulge = 1.0 - np.sqrt(np.clip(0.5 + 0.5 * _dot(on_a, on_b), 0.0, 1.0))  # of an arc of radius 1 over its chord
    depth = np.linspace(start, stop, _SLICES + 1)[:, None, None]
    low_a, high_a = segment_boxes(a + depth[:-1] * on_a, a + depth[1:] * on_a)
    low_b, high_b = segment_boxes(b + depth[:-1] * on_b, b + depth[1:] * on_b)
    wider = slack + depth[1:] * bulge[:, None]
    low, high = np.minimum(low_a, low_b) - wider, np.maximum(high_a, high_b) + wider
    for _, slice_, j in boxes.meeting(low.reshape(-1, 2), high.reshape(-1, 2)):
        yield number[slice_ % len(number)], j
