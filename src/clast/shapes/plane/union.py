"""Area, centroid and inertia of any skeleton ⊕ disk, by its exact boundary of straight pieces and arcs.

The boundary of the union consists of parts of the edges' offset lines and of the circles about the vertices. Each
such line or circle is cut where the capsule of another edge (or the disk of an isolated point) covers it; what is
left, and lies outside the polygon, is the boundary. A capsule is convex, so it covers one interval of a line; it is
the union of disks of the circle's own radius with centres on a segment, so it covers one interval of a circle too. No
arc is ever replaced by chords.

The integrals follow from the divergence theorem, n the outward normal, ds along the boundary:

    A = ½ ∮ x·n ds        ∫ x dA = ⅓ ∮ x (x·n) ds        ∫ |x|² dA = ¼ ∮ |x|² (x·n) ds

They are taken with Gauss-Legendre nodes: exact on straight pieces, to rounding on arcs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import shapely

from clast.shapes.plane.inside import Bools, Floats, Ints, segments_of
from clast.shapes.plane.nearness import Boxes, segment_boxes

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)  # an arc of 2π needs 20 for rounding error
_TOUCH = 1e-9  # in radii: two parallel offset lines nearer than this count as coincident and cancel each other
_WIDER = 1.0 + 1e-9  # boxes are, so that no capsule is lost to rounding
_TURN = 2.0 * np.pi


class Boundary(NamedTuple):
    """The boundary of skeleton ⊕ disk, in the coordinates of the skeleton: k straight pieces and l arcs, in no order."""

    middle: Floats  # (k, 2) of the straight pieces
    half: Floats  # (k,) half their length
    normal: Floats  # (k, 2) outward
    centre: Floats  # (l, 2)
    first: Floats  # (l,) angle at which an arc begins
    last: Floats  # (l,) and ends, counter-clockwise
    radius: float

    def moments(self, origin: Floats) -> Floats:
        """(∫dA, ∫x dA, ∫y dA, ∫|x|²dA) of what is inside, x from `origin` (2,)."""
        along = self.half[:, None] * np.stack([-self.normal[:, 1], self.normal[:, 0]], axis=1)
        x = (self.middle - origin)[:, None] + along[:, None] * _NODES[:, None]
        straight = _flux(x, np.broadcast_to(self.normal[:, None], x.shape), self.half[:, None] * _WEIGHTS)
        wide = 0.5 * (self.last - self.first)[:, None]
        t = 0.5 * (self.first + self.last)[:, None] + wide * _NODES
        out = np.stack([np.cos(t), np.sin(t)], axis=-1)
        return straight + _flux((self.centre - origin)[:, None] + self.radius * out, out, wide * self.radius * _WEIGHTS)


def _flux(x: Floats, outward: Floats, ds: Floats) -> Floats:
    """(∮ x·n ds / 2, ∮ x (x·n) ds / 3 (two numbers), ∮ |x|²(x·n) ds / 4) over nodes x (…, 2) with weights ds (…)."""
    f = (x[..., 0] * outward[..., 0] + x[..., 1] * outward[..., 1]) * ds
    square = x[..., 0] * x[..., 0] + x[..., 1] * x[..., 1]
    return np.array([f.sum() / 2.0, (x[..., 0] * f).sum() / 3.0, (x[..., 1] * f).sum() / 3.0, (square * f).sum() / 4.0])


class _Skeleton(NamedTuple):
    """Segments a→b of a skeleton, isolated points among them, and what adjoins what."""

    a: Floats  # (m, 2)
    b: Floats  # (m, 2)
    ends: Ints  # (m, 2) numbers of their vertices
    unit: Floats  # (e, 2) directions of the edges, which come first
    length: Floats  # (e,)
    boxes: Boxes
    radius: float


def union_boundary(vertices: Floats, edges: Ints, radius: float, *, closed: bool) -> Boundary:
    """The exact boundary of skeleton ⊕ disk.

    vertices (n, 2) distinct, edges (m, 2) as in `Shape`; `closed`: the edges are one simple counter-
    clockwise polygon whose interior belongs to the grain.
    """
    a, b = segments_of(vertices, edges)
    alone = np.flatnonzero(~np.isin(np.arange(len(vertices)), edges))
    direction = b[: len(edges)] - a[: len(edges)]
    length = np.sqrt(direction[:, 0] ** 2 + direction[:, 1] ** 2)
    ends = np.concatenate([edges, np.stack([alone, alone], axis=1)])
    skeleton = _Skeleton(a, b, ends, direction / length[:, None], length, Boxes(*segment_boxes(a, b)), radius)
    straight = _straight_pieces(skeleton, (1.0,) if closed else (1.0, -1.0))
    owner, first, last = _arcs(vertices, skeleton)
    if closed:
        out = _outside(straight[0], vertices)
        straight = straight[0][out], straight[1][out], straight[2][out]
        middle = 0.5 * (first + last)
        out = _outside(vertices[owner] + radius * np.stack([np.cos(middle), np.sin(middle)], axis=1), vertices)
        owner, first, last = owner[out], first[out], last[out]
    return Boundary(*straight, vertices[owner], first, last, radius)


def _outside(points: Floats, ring: Floats) -> Bools:
    """Which of `points` (k, 2) lie outside the closed polygon `ring` (n, 2); returns (k,).

    Edges are sorted by height there, so a landscape is stood on its end: few of its edges then lie at one height.
    """
    axes = [1, 0] if np.ptp(ring[:, 0]) > np.ptp(ring[:, 1]) else [0, 1]
    inside = shapely.Polygon(ring[:, axes])
    shapely.prepare(inside)
    return np.asarray(~shapely.contains_xy(inside, points[:, axes]))


def gaps(owner: Ints, lo: Floats, hi: Floats, start: Floats, end: Floats) -> tuple[Ints, Floats, Floats]:
    """The parts of stretches [start, end], (n,) each, that no interval [lo, hi] of theirs covers.

    owner, lo, hi (k,): which stretch an interval belongs to, in any order. Returns stretch, beginning and end of each part,
    from left to right in every stretch.
    """
    every = np.arange(len(start))
    none = np.full(len(start), np.inf)
    owner = np.concatenate([every, owner, every])  # all before a stretch is covered, and all behind it
    lo, hi = np.concatenate([-none, lo, end]), np.concatenate([start, hi, none])
    order = np.lexsort((lo, owner))
    owner, lo, hi = owner[order], lo[order], hi[order]
    reach = _largest_so_far(owner, hi)
    free = (owner[1:] == owner[:-1]) & (lo[1:] > reach[:-1])
    return owner[1:][free], reach[:-1][free], lo[1:][free]


def _largest_so_far(owner: Ints, value: Floats) -> Floats:
    """Of each value (k,) and those before it with the same owner (k,), which are consecutive, the largest; by doubling."""
    most = value.copy()
    step, longest = 1, int(np.bincount(owner).max(initial=0))
    while step < longest:
        most[step:] = np.where(owner[step:] == owner[:-step], np.maximum(most[step:], most[:-step]), most[step:])
        step *= 2
    return most


def _straight_pieces(skeleton: _Skeleton, sides: tuple[float, ...]) -> tuple[Floats, Floats, Floats]:
    """What no capsule covers of the offset lines of all edges: the first three fields of `Boundary`.

    sides   1 for the right of the edges, −1 for the left
    """
    count = len(skeleton.unit)
    edge = np.tile(np.arange(count), len(sides))
    sign = np.repeat(np.array(sides), count)
    u, length, r = skeleton.unit[edge], skeleton.length[edge], skeleton.radius
    normal = sign[:, None] * np.stack([u[:, 1], -u[:, 0]], axis=1)
    p = skeleton.a[edge] + r * normal
    left, right = _between_neighbours(skeleton, edge, normal)
    low, high = segment_boxes(p, p + length[:, None] * u)
    pieces: list[tuple[Floats, Floats, Floats]] = [(np.empty((0, 2)), np.empty(0), np.empty((0, 2)))]
    for rows, i, j in skeleton.boxes.meeting(low - r * _WIDER, high + r * _WIDER):
        apart = ~(skeleton.ends[edge[i]][:, :, None] == skeleton.ends[j][:, None, :]).any(axis=(1, 2))
        i, j = i[apart], j[apart]
        lo, hi, covers = _line_covered(p[i], u[i], length[i], skeleton.a[j], skeleton.b[j], r)
        some = slice(rows.start, rows.stop)
        k, s0, s1 = gaps(i[covers] - rows.start, lo[covers], hi[covers], left[some], right[some])
        k = k + rows.start
        pieces.append((p[k] + (0.5 * (s0 + s1))[:, None] * u[k], 0.5 * (s1 - s0), normal[k]))
    middle, half, out = (np.concatenate(part) for part in zip(*pieces, strict=True))
    return middle, half, out


def _line_covered(p: Floats, u: Floats, length: Floats, a: Floats, b: Floats, r: float) -> tuple[Floats, Floats, Bools]:
    """Intervals (lo, hi) of lines p + s·u, 0 < s < length, covered by the capsules about segments a→b; (k, 2) or (k,) each.

    Also returns which capsules (k,) do cover something: the others' intervals mean nothing.
    """
    d = b - a
    size = np.sqrt(d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1])
    e = d / np.where(size > 0.0, size, 1.0)[:, None]
    ends = []
    for c in (a, b):
        rel = c - p
        along = rel[:, 0] * u[:, 0] + rel[:, 1] * u[:, 1]
        off = rel[:, 0] * u[:, 1] - rel[:, 1] * u[:, 0]
        half = np.sqrt(np.maximum(r * r - off * off, 0.0))
        meets = np.abs(off) < r
        ends += [np.where(meets, along - half, np.nan), np.where(meets, along + half, np.nan)]
    # where the line crosses the capsule's straight sides: height over the axis h0 + s·slope = ±r, foot on the axis in
    # [0, size]
    rel = p - a
    h0 = e[:, 0] * rel[:, 1] - e[:, 1] * rel[:, 0]
    slope = e[:, 0] * u[:, 1] - e[:, 1] * u[:, 0]
    foot0 = rel[:, 0] * e[:, 0] + rel[:, 1] * e[:, 1]
    run = u[:, 0] * e[:, 0] + u[:, 1] * e[:, 1]
    slanted = (np.abs(slope) * length > _TOUCH * r) & (size > 0.0)
    for side in (-r, r):
        s = (side - h0) / np.where(slanted, slope, 1.0)
        foot = foot0 + s * run
        ends.append(np.where(slanted & (foot >= 0.0) & (foot <= size), s, np.nan))
    lo, hi, some = _spanned(ends)
    # Parallel and just touching: the two lines run against each other and cancel, provided that both are kept.
    level = np.abs(h0 + 0.5 * length * slope)
    covers = some & (hi > 0.0) & (lo < length) & (slanted | (size == 0.0) | (level < r * (1.0 - _TOUCH)))
    return lo, hi, covers


def _spanned(ends: list[Floats]) -> tuple[Floats, Floats, Bools]:
    """Smallest and largest (k,) of numbers (k,) each that may be nan, and where there is any at all."""
    lo, hi = ends[0], ends[0]
    for each in ends[1:]:
        lo, hi = np.fmin(lo, each), np.fmax(hi, each)
    return lo, hi, ~np.isnan(lo)


def _between_neighbours(skeleton: _Skeleton, edge: Ints, normal: Floats) -> tuple[Floats, Floats]:
    """From where to where (k,) the offset lines of edges (k,) on the side of normals (k, 2) are free of the adjoining edges."""
    count = len(skeleton.unit)
    vertex = skeleton.ends[:count].ravel()  # edge k leaves the vertex vertex[2k] along unit[k], and vertex[2k + 1] along −unit[k]
    away = np.stack([skeleton.unit, -skeleton.unit], axis=1).reshape(-1, 2)
    order = np.argsort(vertex, kind="stable")
    pair = np.flatnonzero(vertex[order][1:] == vertex[order][:-1])
    partner = np.full(2 * count, -1, dtype=np.int64)
    partner[order[pair]], partner[order[pair + 1]] = order[pair + 1], order[pair]
    length = skeleton.length[edge]
    covered = []
    for end in (0, 1):
        here = 2 * edge + end
        there = partner[here]
        cover = _neighbour_cover(away[here], normal, away[there], skeleton.length[there // 2], skeleton.radius)
        covered.append(np.where(there >= 0, cover, 0.0))
    return covered[0], length - covered[1]


def _neighbour_cover(u: Floats, normal: Floats, v: Floats, length: Floats, r: float) -> Floats:
    """How far (k,) the capsules of adjoining edges cover offset lines, counted from the common vertices.

    A line belongs to the edge that leaves the vertex along the unit vector u (k, 2), on the side of `normal` (k, 2); the
    adjoining edge leaves along v (k, 2) and has the given length (k,). Straight lines offset by r about the angle α meet at
    r·cot(α/2).
    """
    faces = v[:, 0] * normal[:, 0] + v[:, 1] * normal[:, 1] > 0.0
    cos = u[:, 0] * v[:, 0] + u[:, 1] * v[:, 1]
    sin = np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])
    blunt = cos < 0.0
    cover = r * np.where(blunt, sin, 1.0 + cos) / np.where(blunt, 1.0 - cos, np.where(faces, sin, 1.0))
    # An adjoining edge that is too short for its straight side to meet the line: its far cap does.
    far = length[:, None] * v
    off = far[:, 0] * normal[:, 0] + far[:, 1] * normal[:, 1] - r
    capped = far[:, 0] * u[:, 0] + far[:, 1] * u[:, 1] + np.sqrt(np.maximum(r * r - off * off, 0.0))
    return np.where(faces, np.where(cover <= length, cover, capped), 0.0)


def _arcs(vertices: Floats, skeleton: _Skeleton) -> tuple[Ints, Floats, Floats]:
    """What no capsule covers of the circles about the vertices (n, 2): vertex, first and last angle of each arc, (k,) each."""
    owner, first = _own_edges(skeleton)
    reach = 2.0 * skeleton.radius * _WIDER
    arcs: list[tuple[Ints, Floats, Floats]] = [(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0))]
    for rows, i, j in skeleton.boxes.meeting(vertices - reach, vertices + reach):
        apart = (skeleton.ends[j] != i[:, None]).all(axis=1)
        i, j = i[apart], j[apart]
        lo, hi, covers = _circle_covered(vertices[i], skeleton.a[j], skeleton.b[j], skeleton.radius)
        mine = slice(*np.searchsorted(owner, [rows.start, rows.stop]))
        who = np.concatenate([i[covers], owner[mine]]) - rows.start
        lo, hi = np.concatenate([lo[covers], first[mine]]), np.concatenate([hi[covers], first[mine] + np.pi])
        wraps = hi > _TURN
        who = np.concatenate([who, who[wraps]])
        lo, hi = np.concatenate([lo, np.zeros(np.count_nonzero(wraps))]), np.concatenate([hi, hi[wraps] - _TURN])
        k, t0, t1 = gaps(who, lo, hi, np.zeros(len(rows)), np.full(len(rows), _TURN))
        arcs.append((k + rows.start, t0, t1))
    vertex, start, end = (np.concatenate(part) for part in zip(*arcs, strict=True))
    return vertex, start, end


def _own_edges(skeleton: _Skeleton) -> tuple[Ints, Floats]:
    """Vertices (k,), not falling, and the angles (k,) in [0, 2π) from which an edge of theirs covers half a turn."""
    vertex = skeleton.ends[: len(skeleton.unit)].ravel()
    away = np.stack([skeleton.unit, -skeleton.unit], axis=1).reshape(-1, 2)
    order = np.argsort(vertex, kind="stable")
    return vertex[order], np.mod(np.arctan2(away[:, 1], away[:, 0]) - 0.5 * np.pi, _TURN)[order]


def _circle_covered(c: Floats, a: Floats, b: Floats, r: float) -> tuple[Floats, Floats, Bools]:
    """Intervals of angle of circles of radius r about c covered by the capsules about segments a→b, (k, 2) each.

    Returns (lo, hi), (k,) each with lo in [0, 2π) and hi possibly beyond 2π, and which capsules (k,) cover anything: the others'
    intervals mean nothing. No segment may pass through its c.
    """
    d = b - a
    size = np.sqrt(d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1])
    e = np.where((size > 0.0)[:, None], d / np.where(size > 0.0, size, 1.0)[:, None], (1.0, 0.0))
    x = (c[:, 0] - a[:, 0]) * e[:, 0] + (c[:, 1] - a[:, 1]) * e[:, 1]  # c in the frame of each segment
    y = (c[:, 1] - a[:, 1]) * e[:, 0] - (c[:, 0] - a[:, 0]) * e[:, 1]
    near_x, near_y = np.clip(x, 0.0, size) - x, -y
    meets = np.sqrt(near_x * near_x + near_y * near_y) < 2.0 * r
    towards = np.arctan2(near_y, near_x)

    def turned(angle: Floats) -> Floats:
        """Angle from the direction of the segment's nearest point, in (−π, π]: the covered arc never reaches π."""
        return np.asarray(np.pi - np.mod(np.pi - (angle - towards), _TURN), dtype=np.float64)

    ends = []
    for end in (np.zeros_like(size), size):
        gap = np.sqrt((end - x) ** 2 + y * y)
        half = np.arccos(np.minimum(gap / (2.0 * r), 1.0))
        angle = turned(np.arctan2(-y, end - x))
        ends += [np.where(gap < 2.0 * r, angle + sign * half, np.nan) for sign in (-1.0, 1.0)]
    for side in (-r, r):
        rise = side - y
        run = np.sqrt(np.maximum(r * r - rise * rise, 0.0))
        for sign in (-1.0, 1.0):
            foot = x + sign * run
            on = (np.abs(rise) <= r) & (foot >= 0.0) & (foot <= size) & (size > 0.0)
            ends.append(np.where(on, turned(np.arctan2(rise, sign * run)), np.nan))
    lo, hi, some = _spanned(ends)
    first = np.mod(lo + towards + np.arctan2(e[:, 1], e[:, 0]), _TURN)
    return first, first + (hi - lo), meets & some
