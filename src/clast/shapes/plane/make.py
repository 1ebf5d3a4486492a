"""Constructors of shapes: points in the user's coordinates in, a checked `Shape` in its body frame out."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Annotated, cast

import numpy as np
from numpy.typing import ArrayLike

from clast.errors import ShapeError
from clast.keys import Key, Radius, in_files, positive_length
from clast.shapes.plane.inside import Bools, Floats, Ints
from clast.shapes.plane.mass import MassProperties, convex_masses, mass_properties
from clast.shapes.plane.skeleton import Shape
from clast.shapes.plane.thickness import THIN, ThinShapeWarning
from clast.shapes.plane.validity import (
    TOLERANCE,
    body_size,
    checked_points,
    checked_radius,
    refuse_flat,
    refuse_repeated_points,
    refuse_self_contact,
    refuse_short_edges,
    without_collinear,
)
from clast.shapes.vertices import checked_count, checked_length

_NO_EDGES: Ints = np.empty((0, 2), dtype=np.int64)


def _chain(n: int, *, closed: bool) -> Ints:
    first = np.arange(n if closed else n - 1, dtype=np.int64)
    return np.stack([first, (first + 1) % n], axis=1)


def _shape(name: str, vertices: Floats, edges: Ints, radius: float, mass: MassProperties) -> Shape:
    """The shape with its vertices moved to the body frame."""
    body = vertices - mass.centroid
    reach = float(np.sqrt((body[:, 0] ** 2 + body[:, 1] ** 2).max())) + radius
    return Shape(name, body, edges, radius, mass.area, mass.inertia, reach, -mass.centroid)


@in_files("disk", "one point swept by a disk", listed=1)
def point(radius: Annotated[float, positive_length("its radius")], *, name: str = "disk") -> Shape:
    """A disk. Its skeleton is one point; `radius` is a length. ShapeError unless it is positive and finite."""
    return clump([(0.0, 0.0)], radius, name=name)


def segment(a: ArrayLike, b: ArrayLike, radius: float, *, name: str = "segment") -> Shape:
    """Stadium: the segment from a (2,) to b (2,) swept by a disk of the given radius."""
    return polyline(cast(ArrayLike, [a, b]), radius, name=name)


def polyline(points: ArrayLike, radius: float, *, name: str = "polyline") -> Shape:
    """Open chain of edges through `points` (n, 2), n ≥ 2, swept by a disk of the given radius.

    Vertices on the straight line between their neighbours are left out. Raises ShapeError, naming the vertex, for a
    chain that repeats a vertex, crosses or touches itself.
    """
    r = checked_radius(radius)
    given = checked_points(points, 2, name)
    size = body_size(given, r)
    refuse_short_edges(given, size, name, closed=False)
    number = without_collinear(given, size, closed=False)
    vertices = given[number]
    refuse_self_contact(vertices, number, size, name, closed=False)
    edges = _chain(len(vertices), closed=False)
    return _shape(name, vertices, edges, r, mass_properties(vertices, edges, r, closed=False))


def polygon(points: ArrayLike, radius: float, *, name: str = "polygon") -> Shape:
    """Polygon through `points` (n, 2), n ≥ 3, with its interior, swept by a disk of the given radius.

    Either orientation is accepted; a last vertex equal to the first is dropped; vertices on the straight line between
    their neighbours are left out. Raises ShapeError, naming the vertex, for a polygon that repeats a vertex, crosses
    or touches itself or has no area. Warns (`ThinShapeWarning`) when it is thinner than a tenth of the radius.
    """
    r = checked_radius(radius)
    given = checked_points(points, 3, name)
    size = body_size(given, r)
    off = given[-1] - given[0]
    if math.sqrt(off[0] ** 2 + off[1] ** 2) <= TOLERANCE * size:
        given = checked_points(given[:-1], 3, name)
    refuse_short_edges(given, size, name, closed=True)
    refuse_flat(given, size)
    number = without_collinear(given, size, closed=True)
    vertices = given[number]
    refuse_self_contact(vertices, number, size, name, closed=True)
    rel = vertices - vertices[0]
    nxt = np.roll(rel, -1, axis=0)
    if float((rel[:, 0] * nxt[:, 1] - rel[:, 1] * nxt[:, 0]).sum()) < 0.0:
        vertices = np.roll(vertices[::-1], 1, axis=0)  # the first vertex stays the first
    edges = _chain(len(vertices), closed=True)
    shape = _shape(name, vertices, edges, r, mass_properties(vertices, edges, r, closed=True))
    if shape.thickness < THIN * r:
        warnings.warn(
            f"The skeleton of this {name} is only {shape.thickness:.3g} thick somewhere, less than {THIN:g} of its "
            f"sphero-radius {r:.3g}: overlaps deeper than that are miscounted. Make it thicker, the radius smaller "
            "or the contacts stiffer.",
            ThinShapeWarning,
            stacklevel=2,
        )
    return shape


def convex_polygons(corners: ArrayLike, counts: ArrayLike, radius: float, names: Sequence[str]) -> list[Shape]:
    """Many polygons at once, all swept by a disk of one radius: what `polygon` makes, much faster where they are convex.

    corners (c, 2) of all polygons one after the other, counts (k,) how many of them each has. Any that is not convex and
    counter-clockwise, or has superfluous vertices, is left to `polygon`. Thin ones are not warned about: ask
    `Shape.thickness`.
    """
    r = checked_radius(radius)
    points = checked_points(corners, 3, "polygon")
    number = np.asarray(counts, dtype=np.int64)
    if number.min(initial=3) < 3 or number.sum() != len(points) or len(names) != number.size:
        raise ShapeError(f"{number.size} polygons need three vertices each at least, and a name each.")
    first = np.cumsum(number) - number
    made: dict[int, Shape] = {}
    for n in np.unique(number):
        which = np.flatnonzero(number == n)
        rings = points[first[which, None] + np.arange(n)]
        simple = _plainly_convex(rings, r)
        for k, ring in zip(which[~simple].tolist(), rings[~simple], strict=True):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ThinShapeWarning)
                made[k] = polygon(ring, r, name=names[k])
        which, rings = which[simple], rings[simple]
        area, centroid, inertia = convex_masses(rings, r)
        body = rings - centroid[:, None]
        reach = np.sqrt((body[..., 0] ** 2 + body[..., 1] ** 2).max(axis=1)) + r
        edges = _chain(int(n), closed=True)
        for i, k in enumerate(which.tolist()):
            numbers = float(area[i]), float(inertia[i]), float(reach[i])
            made[k] = Shape(names[k], body[i], edges, r, *numbers, -centroid[i])
    return [made[k] for k in range(number.size)]


def _plainly_convex(rings: Floats, radius: float) -> Bools:
    """Which of the rings (k, n, 2) turn left at every vertex, once round, and have nothing that `polygon` would leave out."""
    size = np.ptp(rings, axis=1).max(axis=1)[:, None] + 2.0 * radius
    d = np.roll(rings, -1, axis=1) - rings
    after = np.roll(d, -1, axis=1)
    cross = d[..., 0] * after[..., 1] - d[..., 1] * after[..., 0]
    span = np.sqrt(((d + after) ** 2).sum(axis=-1))  # between the neighbours of a vertex: cross / span is its height over them
    bent = cross > 2.0 * TOLERANCE * size * span
    long = (d**2).sum(axis=-1) > (2.0 * TOLERANCE * size) ** 2
    turns = np.arctan2(cross, (d * after).sum(axis=-1)).sum(axis=1)
    return np.asarray((bent & long).all(axis=1) & (turns < 3.0 * np.pi))


@in_files("regular", "a regular polygon, one vertex at angle 0", listed=2)
def regular(
    sides: Annotated[int, Key("number of sides", ge=3)],
    radius: Radius,
    *,
    side: Annotated[float | None, positive_length("side of the skeleton; or else `circumradius`")] = None,
    circumradius: Annotated[float | None, positive_length("circumradius of the skeleton")] = None,
    name: str = "",
) -> Shape:
    """A rounded regular polygon. One vertex is at angle 0; given are the skeleton's side or its circumradius, lengths.

    ShapeError for fewer than 3 sides, for both or neither of the two, and for lengths that are not positive.
    """
    sides = checked_count(sides, 3, "sides of a regular polygon")
    if (side is None) == (circumradius is None):
        raise ShapeError("A regular polygon needs either side or circumradius, and not both.")
    size = checked_length(cast(float, circumradius if side is None else side), "The size of a regular polygon")
    big = size / (2.0 * math.sin(math.pi / sides)) if side is not None else size
    angle = 2.0 * np.pi * np.arange(sides) / sides
    ring = big * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return polygon(ring, radius, name=name or f"{sides}-gon")


def clump(
    points: ArrayLike,
    radius: float,
    *,
    name: str = "clump",
    area: float | None = None,
    centroid: ArrayLike | None = None,
    inertia: float | None = None,
) -> Shape:
    """Rigid union of disks of one radius about `points` (n, 2), n ≥ 1: a skeleton of isolated points.

    Mass properties are those of the union of the disks, unless given: area (length²), centroid (2,) in the
    coordinates of the points, inertia ∫|x − centroid|² dA (length⁴) about that centroid. A shell of disks can so
    stand for a full body.
    """
    r = checked_radius(radius)
    vertices = checked_points(points, 1, name)
    refuse_repeated_points(vertices, body_size(vertices, r), name)
    for what, value in (("area", area), ("inertia", inertia)):
        if value is not None and not (math.isfinite(value) and value > 0.0):
            raise ShapeError(f"The {what} of a {name} must be positive and finite, not {value!r}.")
    if area is None or inertia is None or centroid is None:
        mass = mass_properties(vertices, _NO_EDGES, r, closed=False)
    else:
        mass = MassProperties(area, np.zeros(2), inertia)
    if centroid is not None:
        centre = checked_points(cast(ArrayLike, [centroid]), 1, "centroid")[0]
        off = centre - mass.centroid
        mass = mass._replace(centroid=centre, inertia=mass.inertia + mass.area * float(off[0] ** 2 + off[1] ** 2))
    if area is not None:
        # the same figure, heavier or lighter: the moment goes with the area unless it is given too
        mass = mass._replace(area=float(area), inertia=mass.inertia * area / mass.area)
    if inertia is not None:
        mass = mass._replace(inertia=float(inertia))
    return _shape(name, vertices, _NO_EDGES, r, mass)
