"""A spheropolygon as near to a measured outline as its number of vertices allows.

A measured outline O has hundreds of points, and the engine pays for every vertex of a skeleton. So O is eroded by the
sphero-radius r (ARX eq 2), what is left is thinned out to a few vertices, always leaving out the one that spans the smallest
triangle with its neighbours, and then the vertices are moved until the surface, which is the skeleton swept by r, lies as
near to O as it can: least squares of (distance to the skeleton − r) over points spread evenly along O. Picking vertices from
the outline alone would leave the grain too small by about (2π/n)²/6. At last all sides move by one small distance so that
the grain has the area of O, and with it the right mass.

What corners sharper than r lose cannot be had back: `Misfit` holds how far grain and outline are apart, since an area alone
may be right by luck.
"""

from __future__ import annotations

import math
import warnings
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import ArrayLike

from clast.errors import ShapeError
from clast.shapes.plane.inside import Floats, in_polygon
from clast.shapes.plane.make import polygon
from clast.shapes.plane.skeleton import Shape
from clast.shapes.plane.thickness import THIN, ThinShapeWarning
from clast.shapes.plane.validity import TOLERANCE, checked_points

VERTICES = 24  # of a skeleton, at most
RADIUS = 0.1  # of the diameter of the disk of the same area: sphero-radius where none is given
LOSS = 0.01  # of the area: what rounding may take before a smaller radius is tried
SMALLER = (1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.125)  # times `RADIUS`
THICK = 0.25  # times the radius: a skeleton thinner than that is tried with a smaller one; overlaps may reach a fifth
NEAR = 0.005  # of that diameter: distance between grain and outline where no tolerance is given
_SAMPLES = 256  # points of the outline that are compared with the surface, at least
_PER_VERTEX = 12  # and at least so many for each vertex
_ROUNDS = 30  # of least squares, at most
_SAME_AREA = 1e-5  # relative: nearer the area is not brought to that of the outline
_QUARTER = 32  # chords of a quarter of a circle while grain and outline are compared
_FINE_QUARTER = 128  # and while the area is brought to that of the outline


class Misfit(NamedTuple):
    """How a grain differs from the outline it was made from; lengths in the unit of both."""

    area_error: float  # (area of the grain − area of the outline) / area of the outline
    mismatch: float  # area that belongs to one of them only, over the area of the outline
    largest: float  # largest distance between surface and outline, either way (Hausdorff)
    mean: float  # mean distance from the outline to the surface


def fitted(
    outline: ArrayLike,
    radius: float | None = None,
    *,
    vertices: int = VERTICES,
    tolerance: float | None = None,
    name: str = "grain",
) -> Shape:
    """The spheropolygon with the area of the polygon `outline` (n, 2) that lies nearest to it.

    radius      sphero-radius (length): corners get it; not given: a tenth of the diameter of the disk of the same area, or
                less where rounding by it would take more than a hundredth of the area
    vertices    the skeleton has no more than these
    tolerance   (length) fewer will do if the surface stays so near to the outline, what r takes off sharp corners left aside;
                not given: 0.005 of that diameter. Where even all `vertices` do not reach it, the nearest fit is returned:
                `misfit` tells

    Raises ShapeError for an outline that crosses itself or is thinner than the disk of radius r.
    """
    checked_budget(vertices)
    body = outline_polygon(outline, name)
    diameter = math.sqrt(4.0 * body.area / math.pi)
    near = NEAR * diameter if tolerance is None else checked_length(tolerance, "tolerance")
    if radius is not None:
        sweep = checked_length(radius, "radius")
        return _warned(_fit(body, _eroded(body, sweep, name), sweep, vertices, near, name))
    for factor in SMALLER[:-1]:
        sweep = factor * RADIUS * diameter
        try:
            left = _eroded(body, sweep, name)
            if _swept(left, sweep).area >= (1.0 - LOSS) * body.area:
                shape = _fit(body, left, sweep, vertices, near, name)
                if shape.thickness >= THICK * sweep:
                    return shape
        except ShapeError:  # too thin for this disk
            continue
    sweep = SMALLER[-1] * RADIUS * diameter
    return _warned(_fit(body, _eroded(body, sweep, name), sweep, vertices, near, name))


def misfit(shape: Shape, outline: ArrayLike) -> Misfit:
    """How `shape`, in the coordinates it was made in, differs from the polygon `outline` (n, 2)."""
    body = outline_polygon(outline, shape.name)
    grain = _swept(shapely.Polygon(shape.vertices - shape.origin), shape.radius)
    spacing = body.length / 1024
    there, back = body.exterior.segmentize(spacing), grain.exterior.segmentize(spacing)
    off = shapely.distance(shapely.points(shapely.get_coordinates(there)), back)
    reverse = shapely.distance(shapely.points(shapely.get_coordinates(back)), there)
    return Misfit(
        float(shape.area / body.area - 1.0),
        float(body.symmetric_difference(grain).area / body.area),
        float(max(off.max(), reverse.max())),
        float(off.mean()),
    )


def checked_budget(number: int) -> int:
    """The most vertices a skeleton may have, or ShapeError."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 3:
        raise ShapeError(f"vertices must be a whole number, 3 or more, not {number!r}: a skeleton has at most so many.")
    return number


def checked_length(value: float, what: str) -> float:
    """A positive length, or ShapeError."""
    if isinstance(value, bool) or not (isinstance(value, int | float) and math.isfinite(value) and value > 0.0):
        raise ShapeError(f"{what} must be a positive length, not {value!r}.")
    return float(value)


def outline_polygon(outline: ArrayLike, name: str) -> shapely.Polygon:
    """The polygon round which `outline` (n, 2) goes, counter-clockwise; ShapeError where it crosses itself or has no area."""
    points = checked_points(outline, 3, f"{name}'s outline")
    extent = float(np.ptp(points, axis=0).max())
    body = shapely.Polygon(points)
    if not body.is_valid:
        raise ShapeError(f"The outline of this {name} crosses or touches itself: {shapely.is_valid_reason(body)}.")
    if body.area <= TOLERANCE * extent**2:
        raise ShapeError(f"The outline of this {name} has no area.")
    return _from_tip(body)


def moved_out(ring: Floats, by: float) -> Floats:
    """The counter-clockwise polygon (n, 2), every side moved outwards by a small distance: it grows by about by × perimeter."""
    d = np.roll(ring, -1, axis=0) - ring
    along = d / np.sqrt(d[:, 0] ** 2 + d[:, 1] ** 2)[:, None]
    normal = np.stack([along[:, 1], -along[:, 0]], axis=1)
    both = normal + np.roll(normal, 1, axis=0)
    # the corner runs ahead of its sides by 1/cos(half turn); not by more than twice, or a spike would shoot away
    length2 = np.maximum((both**2).sum(axis=1), 1.0)
    return np.asarray(ring + by * 2.0 * both / length2[:, None])


def _from_tip(body: shapely.Polygon) -> shapely.Polygon:
    """The same polygon counter-clockwise from its vertex farthest from the centre: a grain that is turned is fitted alike."""
    ring = np.asarray(shapely.geometry.polygon.orient(body).exterior.coords)[:-1]
    off = ring - shapely.get_coordinates(body.centroid)[0]
    return shapely.Polygon(np.roll(ring, -int(np.argmax((off**2).sum(axis=1))), axis=0))


def _eroded(body: shapely.Polygon, radius: float, name: str) -> shapely.Polygon:
    """body ⊖ B_radius, or its largest piece if no other matters; else ShapeError."""
    pieces = [each for each in shapely.get_parts(body.buffer(-radius, quad_segs=_QUARTER)) if each.area > 0.0]
    whole = sum(each.area for each in pieces)
    if not pieces:
        inradius = shapely.maximum_inscribed_circle(body).length
        raise ShapeError(
            f"Nothing is left of this {name}: the largest disk inside its outline has the radius {inradius:.6g}, not more than "
            f"its sphero-radius {radius:.6g}; take a smaller radius."
        )
    best = max(pieces, key=lambda piece: piece.area)
    if best.area < (1.0 - LOSS) * whole:
        raise ShapeError(
            f"Eroded by {radius:.6g} the outline of this {name} falls into {len(pieces)} pieces: take a smaller radius."
        )
    return _from_tip(shapely.Polygon(best.exterior))


def _warned(shape: Shape) -> Shape:
    """The same shape; one that is too thin is made again, which warns of it."""
    return (
        polygon(shape.vertices - shape.origin, shape.radius, name=shape.name) if shape.thickness < THIN * shape.radius else shape
    )


def _swept(skeleton: shapely.Polygon, radius: float, chords: int = _QUARTER) -> shapely.Polygon:
    """skeleton ⊕ B_radius, its arcs drawn by chords, so many to a quarter of a circle."""
    return skeleton.buffer(radius, quad_segs=chords)


def _fit(body: shapely.Polygon, left: shapely.Polygon, radius: float, most: int, near: float, name: str) -> Shape:
    """The nearest spheropolygon with `most` vertices, or one of fewer that comes `near` enough."""
    left = left.simplify(0.02 * near)  # what is far below the tolerance only costs time
    opened = _swept(left, radius).simplify(0.02 * near)
    samples = _targets(body, opened, max(_SAMPLES, _PER_VERTEX * most), max(near, 0.25 * radius))
    thinned = _thinned(np.asarray(left.exterior.coords)[:-1], most)
    ready: dict[int, Floats] = {}

    def good(n: int) -> bool:
        if n not in thinned:
            return False
        ring = _nearest(thinned[n], samples, radius)
        swept = _swept(shapely.Polygon(ring), radius)
        full = moved_out(ring, (body.area - swept.area) / swept.length)
        if not shapely.Polygon(full).is_valid:  # too many crowd round a sharp corner, or too few are left
            return False
        ready[n] = full
        return _apart(swept, opened) <= near

    few, many = 2, max(thinned)  # so many are too few; so many are enough, or the most there may be
    if good(many):
        while many - few > 1:
            middle = (few + many) // 2
            few, many = (few, middle) if good(middle) else (middle, many)
    else:
        while many not in ready and many > 3:
            many -= 1
            good(many)
    if many not in ready:
        raise ShapeError(
            f"No skeleton of up to {most} vertices fits the outline of this {name}: allow more, or a smaller radius."
        )
    return _of_area(ready[many], radius, body.area, name)


def _apart(one: shapely.Polygon, other: shapely.Polygon) -> float:
    """Largest distance between two outlines, either way, looked for at 300 points."""
    spacing = other.length / 300
    rings = [each.exterior.segmentize(spacing) for each in (one, other)]
    return float(max(shapely.distance(shapely.points(shapely.get_coordinates(a)), b).max() for a, b in (rings, rings[::-1])))


def _targets(body: shapely.Polygon, opened: shapely.Polygon, count: int, sharp: float) -> Floats:
    """`count` points (count, 2) where the surface is wanted: evenly along the outline, but in corners too sharp for the disk,
    which is where the outline is farther than `sharp` from its opening, on the opening."""
    ring = body.exterior
    points = shapely.line_interpolate_point(ring, ring.length * np.arange(count) / count)
    corner = shapely.distance(points, opened.exterior) > sharp
    reached = shapely.get_coordinates(shapely.shortest_line(opened.exterior, points))[::2]
    return np.where(corner[:, None], reached, shapely.get_coordinates(points))


def _thinned(ring: Floats, most: int) -> dict[int, Floats]:
    """The ring (n, 2) with 3, 4 … `most` of its vertices; the smallest triangle goes first (Visvalingam and Whyatt, 1993)."""
    remaining = ring
    found = {}
    while len(remaining) > 3:
        if len(remaining) <= most:
            found[len(remaining)] = remaining
        before, after = np.roll(remaining, 1, axis=0) - remaining, np.roll(remaining, -1, axis=0) - remaining
        remaining = np.delete(remaining, int(np.argmin(np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]))), axis=0)
    return {**found, 3: remaining}


def _nearest(ring: Floats, samples: Floats, radius: float) -> Floats:
    """The skeleton (n, 2), its vertices moved so that its distance from the `samples` (k, 2) is `radius`, by least squares.

    Gauss-Newton steps with Levenberg's damping, which also keeps vertices from sliding along straight sides. A step that
    makes the fit worse or lets the polygon cross itself is taken back and damped more.
    """
    row = np.arange(len(samples))
    damping = 1e-3
    off, slope = _distances(ring, samples)
    error = off - radius
    for _ in range(_ROUNDS):
        jacobian = np.zeros((len(samples), 2 * len(ring)))
        edge, share, normal = slope
        for end, weight in ((edge, 1.0 - share), ((edge + 1) % len(ring), share)):
            for axis in (0, 1):
                jacobian[row, 2 * end + axis] -= weight * normal[:, axis]
        square = jacobian.T @ jacobian
        mean = float(np.trace(square)) / len(square)
        step = np.linalg.solve(square + damping * mean * np.eye(len(square)), -jacobian.T @ error).reshape(-1, 2)
        moved = ring + step
        off, trial = _distances(moved, samples)
        if ((off - radius) ** 2).sum() < (error**2).sum() and shapely.Polygon(moved).is_valid:
            gain = 1.0 - ((off - radius) ** 2).sum() / (error**2).sum()
            ring, slope, error, damping = moved, trial, off - radius, max(1e-6, damping / 3.0)
            if gain < 1e-3:
                break
        else:
            damping *= 10.0
            if damping > 1e3:
                break
    return ring


def _distances(ring: Floats, samples: Floats) -> tuple[Floats, tuple[np.ndarray, Floats, Floats]]:
    """Distance (k,) of each sample to the polygon's curve, negative inside; and of the nearest place: edge (k,), how far along
    it (k,) from 0 to 1, and the unit vector (k, 2) in which the distance grows."""
    d = np.roll(ring, -1, axis=0) - ring
    rel = samples[:, None] - ring
    share = np.clip((rel * d).sum(axis=2) / (d**2).sum(axis=1), 0.0, 1.0)
    gap = rel - share[..., None] * d
    far = (gap**2).sum(axis=2)
    edge = far.argmin(axis=1)
    row = np.arange(len(samples))
    away = gap[row, edge]
    distance = np.sqrt(far[row, edge])
    sign = np.where(in_polygon(samples, ring), -1.0, 1.0)
    outward = np.stack([d[edge, 1], -d[edge, 0]], axis=1) / np.sqrt((d[edge] ** 2).sum(axis=1))[:, None]
    normal = np.where((distance > 0.0)[:, None], sign[:, None] * away / np.where(distance > 0.0, distance, 1.0)[:, None], outward)
    return sign * distance, (edge, share[row, edge], normal)


def _of_area(ring: Floats, radius: float, area: float, name: str) -> Shape:
    """The skeleton (n, 2) swept by `radius`, its sides moved by one small distance so that the grain has this area."""
    missed = 0.0  # by chords instead of arcs
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ThinShapeWarning)  # of the last one only: `_warned`
        for _ in range(5):
            for _ in range(4):
                grain = _swept(shapely.Polygon(ring), radius, _FINE_QUARTER)
                ring = moved_out(ring, (area - missed - grain.area) / grain.length)
            shape = polygon(ring, radius, name=name)
            if abs(shape.area - area) <= _SAME_AREA * area:  # as a rule at once: the exact area takes longest of all
                break
            missed = shape.area - _swept(shapely.Polygon(ring), radius, _FINE_QUARTER).area
    return shape
