"""Mass properties of any solid: the union of its inside, slabs on its faces, cylinders along its edges and balls at its vertices.

Parallel lines are laid through the body, oblique to everything. On each line the union is one of intervals, and is found
exactly; only the sum over the lines is approximate, with an error that falls faster than one over their number. The lines are
taken in four interlacing sets, and how far the worst of them, or of a fifth, is from the four together is the error given.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from clast.shapes.plane.inside import Floats, Ints
from clast.shapes.space.mass import Moments, SolidMass, mass_from
from clast.shapes.space.surfaces.faces import Loop, triangulated
from clast.shapes.space.surfaces.inside import OBLIQUE, crossings
from clast.shapes.space.vectors import cross, products

LINES = 384  # across the longer side of the body's shadow
_PAIRS = 1 << 16  # of a part of the body and a line, looked at at a time


class _Lines(NamedTuple):
    """A raster of upright lines at corner + (column, row) · spacing."""

    corner: Floats  # (2,)
    spacing: float
    columns: int
    rows: int

    def near(self, low: Floats, high: Floats) -> Iterator[tuple[Ints, Ints, Floats, Floats]]:
        """For rectangles from low to high, (k, 2) each, the lines within: number of the rectangle, of the line, its x and y.

        In blocks of whole rectangles, all arrays of a block of one length.
        """
        slack = 1e-6  # of the spacing: no line is lost to round-off
        first = np.maximum(np.ceil((low - self.corner) / self.spacing - slack), 0).astype(np.int64)
        last = np.floor((high - self.corner) / self.spacing + slack).astype(np.int64)
        count = np.maximum(np.minimum(last, [self.columns - 1, self.rows - 1]) - first + 1, 0)
        until = np.cumsum(count[:, 0] * count[:, 1])  # lines, up to the end of each rectangle
        start = 0
        while start < len(low):
            before = int(until[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(until, before + _PAIRS, side="right")))
            lines_each = np.diff(until[start:stop], prepend=before)
            which = np.repeat(np.arange(start, stop), lines_each)
            within = np.arange(before, before + len(which)) - np.repeat(until[start:stop] - lines_each, lines_each)
            column, row = first[which, 0] + within // count[which, 1], first[which, 1] + within % count[which, 1]
            yield which, column * self.rows + row, self.corner[0] + self.spacing * column, self.corner[1] + self.spacing * row
            start = stop


def union_mass(
    vertices: Floats, edges: Ints, loops: Sequence[Loop], radius: float, *, closed: bool, lines: int = LINES
) -> SolidMass:
    """Mass properties of any skeleton ⊕ ball, with an estimate of their error.

    vertices (n, 3), edges (m, 2), faces as loops; `closed`: the faces close a surface, whose inside belongs to the body.
    The lines are placed symmetrically about the middle of the body, so one with a centre of symmetry finds it exactly.
    """
    triangles, _ = triangulated(vertices, loops)
    turned = vertices @ OBLIQUE.T
    low, high = turned.min(axis=0) - radius, turned.max(axis=0) + radius
    middle = 0.5 * (low + high)
    turned = turned - middle
    half = 0.5 * (high - low)
    spacing = 4.0 * float(half[:2].max()) / lines
    count = [2 * math.ceil(0.5 + h / spacing) for h in half[:2]]
    sets = []
    # the first four together are a raster about the middle, twice as fine; the last is there for the error only, since in a body
    # as symmetric as the raster, such as a ball, the four agree too well
    for shift in ((0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75), (0.5, 0.5)):
        corner = (np.array(shift) - 0.5 * np.array(count)) * spacing
        raster = _Lines(corner, spacing, count[0], count[1])
        sets.append(_moments(turned, edges, triangles, radius, raster, closed))
    quarters = [Moments(0.25 * some.zero, 0.25 * some.one, 0.25 * some.two) for some in sets[:4]]
    mass = mass_from(quarters, np.zeros(3))
    error = max(_apart(mass_from([some], np.zeros(3)), mass, float(half.max())) for some in sets)
    return SolidMass(mass.volume, OBLIQUE.T @ (mass.centroid + middle), OBLIQUE.T @ mass.inertia @ OBLIQUE, error)


def _apart(one: SolidMass, other: SolidMass, size: float) -> float:
    """How far two results are apart: relative, the largest of volume, inertia and centroid."""
    return max(
        abs(one.volume - other.volume) / other.volume,
        float(np.abs(one.inertia - other.inertia).max() / np.diag(other.inertia).max()),
        float(np.abs(one.centroid - other.centroid).max()) / size,
    )


def _moments(at: Floats, edges: Ints, triangles: Ints, radius: float, raster: _Lines, closed: bool) -> Moments:
    """Moments of the union over one raster of upright lines."""
    parts = list(_slabs(at, triangles, radius, raster))
    parts += _cylinders(at, edges, radius, raster)
    parts += _balls(at, radius, raster)
    if closed:
        parts += _inside(at, triangles, raster)
    line, low, high = (np.concatenate([part[k] for part in parts]) for k in range(3))
    # Number of the line plus height as a fraction of the body's: ten digits of height are left, more than the sum is good for,
    # and plain sorting puts beginnings and ends of all lines in order. A gap is where as many have ended as have begun.
    base, whole = float(low.min()), 1.001 * float(high.max() - low.min())
    begin, end = np.sort(line + (low - base) / whole), np.sort(line + (high - base) / whole)
    opens = np.ones(len(begin), dtype=np.bool_)
    opens[1:] = begin[1:] > end[:-1]
    first = np.flatnonzero(opens)
    last = np.append(first[1:], len(begin)) - 1
    which = np.floor(begin[first])
    bottom, top = base + whole * (begin[first] - which), base + whole * (end[last] - which)
    x = raster.corner[0] + raster.spacing * (which // raster.rows)
    y = raster.corner[1] + raster.spacing * (which % raster.rows)
    cell = raster.spacing**2
    size, mean, square = top - bottom, 0.5 * (top**2 - bottom**2), (top**3 - bottom**3) / 3.0
    one = np.array([(size * x).sum(), (size * y).sum(), mean.sum()])
    xx, yy, xy = (size * x * x).sum(), (size * y * y).sum(), (size * x * y).sum()
    xz, yz = (mean * x).sum(), (mean * y).sum()
    two = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, square.sum()]])
    return Moments(cell * np.array([size.sum()]), cell * one[None], cell * two[None])


_Part = tuple[Ints, Floats, Floats]  # lines (k,), and the intervals from (k,) to (k,) on them


def _balls(at: Floats, radius: float, raster: _Lines) -> Iterator[_Part]:
    for k, line, x, y in raster.near(at[:, :2] - radius, at[:, :2] + radius):
        centre = at[k]
        square = radius**2 - (x - centre[:, 0]) ** 2 - (y - centre[:, 1]) ** 2
        hit = square > 0.0
        half, level = np.sqrt(square[hit]), centre[hit, 2]
        yield line[hit], level - half, level + half


def _cylinders(at: Floats, edges: Ints, radius: float, raster: _Lines) -> Iterator[_Part]:
    """Cylinders between the planes through the ends of the edges, square to them."""
    start, end = at[edges[:, 0]], at[edges[:, 1]]
    length = np.sqrt(products(end - start, end - start))
    along = (end - start) / length[:, None]
    for k, line, x, y in raster.near(np.minimum(start, end)[:, :2] - radius, np.maximum(start, end)[:, :2] + radius):
        a, d = start[k], along[k]
        u, v = x - a[:, 0], y - a[:, 1]
        level = u * d[:, 0] + v * d[:, 1]  # how far along the edge the foot of the line on the plane z = a_z lies
        upright = 1.0 - d[:, 2] * d[:, 2]
        # |p − (p·d)d|² = r² with p = (u, v, z): a quadratic in z
        mean = level * d[:, 2] / upright
        square = mean * mean - (u * u + v * v - level * level - radius**2) / upright
        hit = np.flatnonzero(square > 0.0)
        half = np.sqrt(square[hit])
        level, rise = level[hit], d[hit, 2]  # oblique: the rise is not 0
        ends = -level / rise, (length[k[hit]] - level) / rise
        low, high = np.maximum(mean[hit] - half, np.minimum(*ends)), np.minimum(mean[hit] + half, np.maximum(*ends))
        some = high > low
        hit, low, high = hit[some], low[some], high[some]
        yield line[hit], a[hit, 2] + low, a[hit, 2] + high


def _slabs(at: Floats, triangles: Ints, radius: float, raster: _Lines) -> Iterator[_Part]:
    """Triangles with the sphero-radius on either side: five planes cut each line."""
    corners = at[triangles]
    area = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal = area / np.sqrt(products(area, area))[:, None]
    level = products(normal, corners[:, 0])
    planes = [(normal, level + radius), (-normal, radius - level)]
    for i in range(3):
        outward = cross(corners[:, (i + 1) % 3] - corners[:, i], normal)
        planes.append((outward, products(outward, corners[:, i])))
    thick = radius * np.abs(normal[:, :2])
    for k, line, x, y in raster.near(corners.min(axis=1)[:, :2] - thick, corners.max(axis=1)[:, :2] + thick):
        low, high = np.full(len(line), -np.inf), np.full(len(line), np.inf)
        for plane, offset in planes:
            n = plane[k]
            at_plane = (offset[k] - n[:, 0] * x - n[:, 1] * y) / n[:, 2]
            above = n[:, 2] > 0.0
            np.minimum(high, at_plane, out=high, where=above)
            np.maximum(low, at_plane, out=low, where=~above)
        some = high > low
        yield line[some], low[some], high[some]


def _inside(at: Floats, triangles: Ints, raster: _Lines) -> Iterator[_Part]:
    """Between every first and second crossing of a line with the closed surface."""
    lines, heights = [], []
    corners = at[triangles]
    for k, line, x, y in raster.near(corners.min(axis=1)[:, :2], corners.max(axis=1)[:, :2]):
        hit, height = crossings(x, y, at, triangles[k])
        lines.append(line[hit])
        heights.append(height[hit])
    line, height = np.concatenate(lines), np.concatenate(heights)
    order = np.lexsort((height, line))
    line, height = line[order], height[order]
    yield line[::2], height[::2], height[1::2]
