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

from collections.abc import Iterator

import numpy as np

from clast.shapes.inside import Bools, Floats, Ints, in_polygon, segments_of

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)  # an arc of 2π needs 20 for rounding error
_TOUCH = 1e-9  # in radii: two parallel offset lines nearer than this count as coincident and cancel each other
_TURN = 2.0 * np.pi


def gaps(lo: Floats, hi: Floats, start: float, end: float) -> Iterator[tuple[float, float]]:
    """The parts of [start, end] that no interval [lo, hi], (k,) each, covers, from left to right."""
    at = start
    for i in np.argsort(lo, kind="stable"):
        if lo[i] >= end:
            break
        if lo[i] > at:
            yield at, float(lo[i])
        at = max(at, float(hi[i]))
    if at < end:
        yield at, end


def _line_covered(p: Floats, u: Floats, length: float, a: Floats, b: Floats, r: float) -> tuple[Floats, Floats]:
    """Intervals of the line p + s·u, 0 < s < length, covered by the capsules about segments a→b, (m, 2).

    Returns (lo, hi), (k,) each, k ≤ m: the capsules that do cover something.
    """
    d = b - a
    size = np.sqrt(d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1])
    e = d / np.where(size > 0.0, size, 1.0)[:, None]
    ends = []
    for c in (a, b):
        rel = c - p
        along = rel[:, 0] * u[0] + rel[:, 1] * u[1]
        off = rel[:, 0] * u[1] - rel[:, 1] * u[0]
        half = np.sqrt(np.maximum(r * r - off * off, 0.0))
        meets = np.abs(off) < r
        ends += [np.where(meets, along - half, np.nan), np.where(meets, along + half, np.nan)]
    # where the line crosses the capsule's straight sides: height over the axis h0 + s·slope = ±r, foot on the axis in
    # [0, size]
    rel = p - a
    h0 = e[:, 0] * rel[:, 1] - e[:, 1] * rel[:, 0]
    slope = e[:, 0] * u[1] - e[:, 1] * u[0]
    foot0 = rel[:, 0] * e[:, 0] + rel[:, 1] * e[:, 1]
    run = u[0] * e[:, 0] + u[1] * e[:, 1]
    slanted = (np.abs(slope) * length > _TOUCH * r) & (size > 0.0)
    for side in (-r, r):
        s = (side - h0) / np.where(slanted, slope, 1.0)
        foot = foot0 + s * run
        ends.append(np.where(slanted & (foot >= 0.0) & (foot <= size), s, np.nan))
    stack = np.stack(ends)
    known = ~np.isnan(stack)
    lo = np.where(known, stack, np.inf).min(axis=0)
    hi = np.where(known, stack, -np.inf).max(axis=0)
    # Parallel and just touching: the two lines run against each other and cancel, provided that both are kept.
    level = np.abs(h0 + 0.5 * length * slope)
    keep = known.any(axis=0) & (hi > 0.0) & (lo < length) & (slanted | (size == 0.0) | (level < r * (1.0 - _TOUCH)))
    return lo[keep], hi[keep]


def _neighbour_cover(u: Floats, normal: Floats, v: Floats, length: float, r: float) -> float:
    """How far the capsule of an adjoining edge covers an offset line, counted from the common vertex.

    The line belongs to the edge that leaves the vertex along the unit vector u, on the side of `normal`; the
    adjoining edge leaves along v and has the given length. Straight lines offset by r about the angle α meet at
    r·cot(α/2).
    """
    if v[0] * normal[0] + v[1] * normal[1] <= 0.0:
        return 0.0
    cos = u[0] * v[0] + u[1] * v[1]
    sin = abs(u[0] * v[1] - u[1] * v[0])
    cover = r * (sin / (1.0 - cos) if cos < 0.0 else (1.0 + cos) / sin)
    if cover <= length:
        return float(cover)
    # The adjoining edge is too short for its straight side to meet the line: its far cap does.
    far = length * v
    off = far[0] * normal[0] + far[1] * normal[1] - r
    return float(far[0] * u[0] + far[1] * u[1] + np.sqrt(max(r * r - off * off, 0.0)))


def _circle_covered(c: Floats, a: Floats, b: Floats, r: float) -> tuple[Floats, Floats]:
    """Intervals of angle of the circle of radius r about c covered by the capsules about segments a→b, (m, 2) each.

    Returns (lo, hi), (k,) each with lo in [0, 2π) and hi possibly beyond 2π. No segment may pass through c.
    """
    d = b - a
    size = np.sqrt(d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1])
    e = np.where((size > 0.0)[:, None], d / np.where(size > 0.0, size, 1.0)[:, None], (1.0, 0.0))
    x = (c[0] - a[:, 0]) * e[:, 0] + (c[1] - a[:, 1]) * e[:, 1]  # c in the frame of each segment
    y = (c[1] - a[:, 1]) * e[:, 0] - (c[0] - a[:, 0]) * e[:, 1]
    near_x, near_y = np.clip(x, 0.0, size) - x, -y
    near = np.sqrt(near_x * near_x + near_y * near_y)
    meets = near < 2.0 * r
    x, y, e, size = x[meets], y[meets], e[meets], size[meets]
    towards = np.arctan2(near_y[meets], near_x[meets])

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
    stack = np.stack(ends)
    known = ~np.isnan(stack)
    lo = np.where(known, stack, np.inf).min(axis=0)
    hi = np.where(known, stack, -np.inf).max(axis=0)
    some = known.any(axis=0)
    first = np.mod(lo + towards + np.arctan2(e[:, 1], e[:, 0]), _TURN)[some]
    return first, first + (hi - lo)[some]


def _flux(x: Floats, outward: Floats, ds: Floats) -> Floats:
    """(∮ x·n ds / 2, ∮ x (x·n) ds / 3 (two numbers), ∮ |x|²(x·n) ds / 4) over nodes x (k, 2) with weights ds (k,)."""
    f = (x[:, 0] * outward[:, 0] + x[:, 1] * outward[:, 1]) * ds
    square = x[:, 0] * x[:, 0] + x[:, 1] * x[:, 1]
    return np.array([f.sum() / 2.0, (x[:, 0] * f).sum() / 3.0, (x[:, 1] * f).sum() / 3.0, (square * f).sum() / 4.0])


def union_moments(vertices: Floats, edges: Ints, radius: float, *, closed: bool) -> Floats:
    """Moments of skeleton ⊕ disk about the origin: (∫dA, ∫x dA, ∫y dA, ∫|x|²dA).

    vertices (n, 2) distinct, edges (m, 2) as in `Shape`; `closed` says that the edges are one simple counter-
    clockwise polygon whose interior belongs to the grain.
    """
    a, b = segments_of(vertices, edges)
    ends = np.full((len(a), 2), -1, dtype=np.int64)
    ends[: len(edges)] = edges
    owner = np.flatnonzero(~np.isin(np.arange(len(vertices)), edges))
    ends[len(edges) :] = owner[:, None]
    direction = b[: len(edges)] - a[: len(edges)]
    lengths = np.sqrt(direction[:, 0] ** 2 + direction[:, 1] ** 2)
    unit = direction / lengths[:, None]

    def outside(point: Floats) -> bool:
        return not (closed and bool(in_polygon(point[None], vertices)[0]))

    total = np.zeros(4)
    for k in range(len(edges)):
        apart: Bools = ~(np.isin(ends[:, 0], edges[k]) | np.isin(ends[:, 1], edges[k]))
        u = unit[k]
        for sign in (1.0,) if closed else (1.0, -1.0):
            normal = sign * np.array([u[1], -u[0]])
            p = a[k] + radius * normal
            lo, hi = _line_covered(p, u, float(lengths[k]), a[apart], b[apart], radius)
            left, right = 0.0, float(lengths[k])
            for j in np.flatnonzero(~apart[: len(edges)]):
                if j == k:
                    continue
                away = unit[j] if edges[j, 0] in edges[k] else -unit[j]
                if edges[k, 0] in edges[j]:
                    left = max(left, _neighbour_cover(u, normal, away, float(lengths[j]), radius))
                else:
                    right = min(right, lengths[k] - _neighbour_cover(-u, normal, away, float(lengths[j]), radius))
            for s0, s1 in gaps(lo, hi, left, right):
                s = 0.5 * (s0 + s1) + 0.5 * (s1 - s0) * _NODES
                if outside(p + 0.5 * (s0 + s1) * u):
                    x = p + s[:, None] * u
                    total += _flux(x, np.broadcast_to(normal, x.shape), 0.5 * (s1 - s0) * _WEIGHTS)
    for v in range(len(vertices)):
        own = (ends[:, 0] == v) | (ends[:, 1] == v)
        lo, hi = _circle_covered(vertices[v], a[~own], b[~own], radius)
        for j in np.flatnonzero(own[: len(edges)]):
            away = unit[j] if edges[j, 0] == v else -unit[j]
            first = np.mod(np.arctan2(away[1], away[0]) - 0.5 * np.pi, _TURN)
            lo, hi = np.append(lo, first), np.append(hi, first + np.pi)
        wraps = hi > _TURN
        lo, hi = np.append(lo, np.zeros(np.count_nonzero(wraps))), np.append(hi, hi[wraps] - _TURN)
        for t0, t1 in gaps(lo, hi, 0.0, _TURN):
            middle = 0.5 * (t0 + t1)
            if outside(vertices[v] + radius * np.array([np.cos(middle), np.sin(middle)])):
                t = middle + 0.5 * (t1 - t0) * _NODES
                n = np.stack([np.cos(t), np.sin(t)], axis=1)
                total += _flux(vertices[v] + radius * n, n, 0.5 * (t1 - t0) * radius * _WEIGHTS)
    return total
