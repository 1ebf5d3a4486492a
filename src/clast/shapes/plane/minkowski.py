"""Dilation, erosion, opening and closing of grains by a disk (ARX eq 1-4, PRE10 eq 1-6).

A grain is A = K ⊕ B_R, skeleton K and sphero-radius R, so growing it by r only raises the radius. Shrinking it by d ≥ R
leaves (K ⊕ B_R) ⊖ B_d, which has sharp corners and can be a skeleton again, to be swept by any disk:

    erosion   A ⊖ B_d                opening   (A ⊖ B_d) ⊕ B_d      (corners get the radius d)
    dilation  A ⊕ B_r                closing   (A ⊕ B_d) ⊖ B_d      (notches get the radius d)

Convex skeletons are shrunk exactly: every side moves inwards, and a side that has shrunk to nothing gives way to the
meeting point of its neighbours (points 1 and 2 become 3 in ARX fig 7). From a polygon with notches the strip of width d
along its boundary is cut away with shapely; the only error is in the arcs round notches, which become tangents that
stray from them inwards by at most `arc_error`·d. The strip is not shapely's own buffer, since that simplifies its
input by a hundredth of d whatever its settings.

Every result keeps the user's coordinates (`Shape.origin`) and has the mass properties of its own union of disks.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import numpy as np
import shapely
from numpy.typing import ArrayLike

from clast.errors import ShapeError
from clast.shapes.plane.inside import Floats
from clast.shapes.plane.make import clump, polygon, polyline
from clast.shapes.plane.mass import is_convex
from clast.shapes.plane.skeleton import Shape
from clast.shapes.plane.validity import TOLERANCE, body_size, checked_points, checked_radius, without_collinear

ARC_ERROR = 0.01  # of the disk's radius: four tangents for a notch of 60°
_LAP = 1e-3  # of the strip's width: how far its pieces reach over the edge
_SHARP = 1e-6  # of the extent: radius that stands for none while an outline is checked


def dilation(shape: Shape, r: float) -> Shape:
    """A ⊕ B_r (ARX eq 1): the same skeleton, the sphero-radius larger by r ≥ 0 (length). Exact for every shape."""
    grow = _checked_length(r, "r of a dilation")
    return shape if grow == 0.0 else _swept(shape, shape.radius + grow)


def erosion(shape: Shape, d: float, *, corner: float = 0.0, largest: bool = False, arc_error: float = ARC_ERROR) -> Shape:
    """A ⊖ B_d (ARX eq 2): the centres of all disks of radius d ≥ 0 (length) that fit into the grain.

    The result has the sphero-radius R − d, or `corner` (length) if that is more; the erosion is opened by it, which changes
    nothing for `corner` ≤ R − d but in necks too narrow for that disk. A d of R or more needs a `corner`, because a grain
    cannot have sharp ones.
    A polygon with notches may fall into pieces and is then refused, unless `largest` keeps the largest piece. Bent lines
    and clumps are refused: what a disk leaves of them has no skeleton without branches.
    """
    shrink = _checked_length(d, "d of an erosion")
    least = _checked_length(corner, "corner of an erosion")
    left = shape.radius - shrink
    if max(left, least) <= 0.0:
        raise ShapeError(
            f"Erosion by {shrink:.6g} takes the whole sphero-radius {shape.radius:.6g} of this {shape.name} and leaves sharp "
            "corners: say with corner=… how round they shall be."
        )
    if shrink == 0.0 and least <= left:
        return shape
    return _regrown(shape, max(0.0, least - left), max(left, least), largest=largest, arc_error=arc_error)


def opening(shape: Shape, d: float, *, largest: bool = False, arc_error: float = ARC_ERROR) -> Shape:
    """(A ⊖ B_d) ⊕ B_d (ARX eq 4): all that a disk of radius d ≥ 0 (length) covers while it stays inside the grain.

    A grain whose sphero-radius is d or more is returned as it is. `largest` and refusals as in `erosion`.
    """
    size = _checked_length(d, "d of an opening")
    if size <= shape.radius:
        return shape
    return _regrown(shape, size - shape.radius, size, largest=largest, arc_error=arc_error)


def closing(shape: Shape, d: float, *, arc_error: float = ARC_ERROR) -> Shape:
    """(A ⊕ B_d) ⊖ B_d: the grain with every place filled that a disk of radius d ≥ 0 (length) outside cannot reach.

    The sphero-radius stays, so a filling too narrow for it is left out. Convex grains are returned as they are; bent lines
    and clumps are refused as in `erosion`.
    """
    size = _checked_length(d, "d of a closing")
    if size == 0.0 or _convex(shape):
        return shape
    wide = dataclasses.replace(shape, radius=shape.radius + size)
    return _regrown(wide, 0.0, shape.radius, largest=False, arc_error=arc_error)


def rounded(
    outline: ArrayLike,
    d: float,
    radius: float | None = None,
    *,
    name: str = "polygon",
    largest: bool = False,
    arc_error: float = ARC_ERROR,
) -> Shape:
    """(A ⊖ B_d) ⊕ B_radius of a polygon A with sharp corners, `outline` (n, 2) (ARX eq 11, PRE10 eq 5); d ≥ 0 (length).

    Without `radius` (length) it is d, and the grain the opening of A. With less, neighbours made from adjoining cells
    lie 2(d − radius) apart. `largest` as in `erosion`.
    """
    depth = _checked_length(d, "erosion d of an outline")
    sweep = checked_radius(depth if radius is None else radius)
    extent = float(np.ptp(checked_points(outline, 3, name), axis=0).max())
    sharp = dataclasses.replace(polygon(outline, checked_radius(_SHARP * extent or _SHARP), name=name), radius=0.0)
    return _swept(sharp, sweep) if depth == 0.0 else _regrown(sharp, depth, sweep, largest=largest, arc_error=arc_error)


def _checked_length(value: float, what: str) -> float:
    try:
        length = float(value)
    except (TypeError, ValueError):
        raise ShapeError(f"The {what} must be a number, not {value!r}.") from None
    if not (math.isfinite(length) and length >= 0.0):
        raise ShapeError(f"The {what} must be a finite length of at least 0, not {length!r}.")
    return length


def _convex(shape: Shape) -> bool:
    if shape.is_closed:
        return is_convex(shape.vertices)
    return len(shape.vertices) == 1 or (len(shape.vertices) == 2 and len(shape.edges) == 1)


def _placed(made: Shape, shape: Shape) -> Shape:
    """What was made in the body frame of `shape`, with the user's origin carried over."""
    return dataclasses.replace(made, origin=made.origin + shape.origin)


def _swept(shape: Shape, radius: float) -> Shape:
    """The skeleton of `shape` swept by another disk."""
    make = polygon if shape.is_closed else polyline if len(shape.edges) else clump
    return _placed(make(shape.vertices, radius, name=shape.name), shape)


def _regrown(shape: Shape, inset: float, radius: float, *, largest: bool, arc_error: float) -> Shape:
    """(A ⊖ B_{R+inset}) ⊕ B_radius, R the sphero-radius of A = `shape`, inset ≥ 0."""
    if not 1e-6 <= arc_error <= 0.5:
        raise ShapeError(f"arc_error is a fraction of the disk's radius between 1e-6 and 0.5, not {arc_error!r}.")
    if not _convex(shape):
        ring = _without_strip(shape, inset, largest, arc_error)
    elif inset == 0.0:
        return _swept(shape, radius)
    elif shape.is_closed:
        ring, inradius = _inset_convex(shape.vertices, inset, 4.0 * TOLERANCE * body_size(shape.vertices, radius))
        if not len(ring):
            raise _vanished(shape, inset, inradius + shape.radius)
    else:
        raise _vanished(shape, inset, shape.radius)
    return _placed(polygon(ring, radius, name=shape.name), shape)


def _vanished(shape: Shape, inset: float, inradius: float) -> ShapeError:
    return ShapeError(
        f"Nothing is left of this {shape.name}: the largest disk inside it has the radius {inradius:.6g}, "
        f"and it was eroded by {shape.radius + inset:.6g}; take less."
    )


def _inset_convex(ring: Floats, depth: float, tiny: float) -> tuple[Floats, float]:
    """Intersection of the half-planes of a convex polygon (n, 2), each moved inwards by `depth`, and the depth reached.

    The vertex between sides with inward normals n₁ and n₂ moves by depth·(n₁ + n₂)/(1 + n₁·n₂), which is ARX eq 12
    without its cotangent. A side no longer than `tiny` is gone: its neighbours meet where and when it vanished. If
    nothing remains the ring is empty and the depth is that at which the last side went, the inradius.
    """
    d = np.roll(ring, -1, axis=0) - ring
    along = d / np.sqrt(d[:, 0] ** 2 + d[:, 1] ** 2)[:, None]
    normal = np.stack([-along[:, 1], along[:, 0]], axis=1)

    def speed(before: int, after: int) -> Floats:
        n = normal[before] + normal[after]
        return np.asarray(2.0 * n / (n[0] ** 2 + n[1] ** 2))  # |n₁ + n₂|² = 2(1 + n₁·n₂)

    # side k starts at the vertex start[k] + (depth − since[k])·moves[k]
    alive = list(range(len(ring)))
    start, since = ring.copy(), np.zeros(len(ring))
    moves = np.stack([speed(k - 1, k) for k in alive])
    while True:
        side = np.array(alive)
        end = np.roll(side, -1)
        at_zero = start[side] - since[side, None] * moves[side]
        length = ((np.roll(at_zero, -1, axis=0) - at_zero) * along[side]).sum(axis=1)
        loss = ((moves[side] - moves[end]) * along[side]).sum(axis=1)
        short = np.flatnonzero(length - depth * loss <= tiny)
        if not len(short):
            return start[side] + (depth - since[side, None]) * moves[side], depth
        first = int(short[np.argmin((length / loss)[short])])
        gone, before, after = alive[first], alive[first - 1], alive[(first + 1) % len(alive)]
        when = float(length[first] / loss[first])
        turn = along[before, 0] * along[after, 1] - along[before, 1] * along[after, 0]
        opposed = turn <= TOLERANCE and float(along[before] @ along[after]) < 0.0
        if len(alive) == 3 or opposed:  # nothing closes the figure any more: a point or a line is left at this depth
            return np.empty((0, 2)), when
        start[after] = start[gone] + (when - since[gone]) * moves[gone]
        since[after] = when
        moves[after] = speed(before, after)
        alive.pop(first)


def _without_strip(shape: Shape, inset: float, largest: bool, arc_error: float) -> Floats:
    """Outline (n, 2) of (K ⊕ B_R) ⊖ B_{R+inset} for a polygon K with notches."""
    if not shape.is_closed:
        raise ShapeError(
            f"This {shape.name} is a bent line or a clump, and only polygons, segments and points can be eroded or closed: "
            "make it anew with another radius, or draw its outline as a polygon."
        )
    size = body_size(shape.vertices, shape.radius)
    tiny = 4.0 * TOLERANCE * size
    depth = shape.radius + inset
    whole = shapely.Polygon(shape.vertices)
    if shape.radius > 0.0:
        # The tangents here never show in the result: each keeps the distance R from its corner, so after moving inwards it
        # passes through the new corner or outside it.
        whole = shapely.union_all([whole, *_strip(shape.vertices, shape.radius, False, arc_error)])
    whole = shapely.geometry.polygon.orient(whole)  # outer ring counter-clockwise, holes clockwise: the grain is on the left
    holes = [hole for hole in whole.interiors if shapely.Polygon(hole).area > tiny * size]
    rings = [_tidied(np.asarray(ring.coords)[:-1], tiny) for ring in (whole.exterior, *holes)]
    rest = whole.difference(shapely.union_all([piece for ring in rings for piece in _strip(ring, depth, True, arc_error)]))
    pieces = [p for p in shapely.get_parts(rest) if p.geom_type == "Polygon" and p.area > tiny * size]
    if not pieces:
        raise _vanished(shape, inset, float(shapely.maximum_inscribed_circle(whole, 1e-7 * size).length))
    best = max(pieces, key=lambda piece: piece.area)
    if len(pieces) > 1 and not largest:
        raise ShapeError(
            f"Eroded by {depth:.6g} this {shape.name} falls into {len(pieces)} pieces, the largest with "
            f"{best.area / sum(p.area for p in pieces):.1%} of the area: take less, or keep that piece with largest=True."
        )
    if any(shapely.Polygon(hole).area > tiny * size for hole in best.interiors):
        raise ShapeError(f"Eroded by {depth:.6g} this {shape.name} has a hole, and a grain cannot have one: take less.")
    return _tidied(np.asarray(best.exterior.coords)[:-1], tiny)


def _strip(ring: Floats, width: float, left: bool, arc_error: float) -> Iterator[shapely.Polygon]:
    """Pieces that cover all points on the left (or right) of a closed chain (n, 2) nearer to it than `width`.

    A rectangle on every edge; a fan at every vertex from which that side spreads, its arc replaced by tangents. Pieces
    that only shared a side would leave slivers between them: rectangles therefore begin a little on the other side of
    the edge, and reach into a fan half as far as its first tangent.
    """
    nxt = np.roll(ring, -1, axis=0)
    d = nxt - ring
    along = d / np.sqrt(d[:, 0] ** 2 + d[:, 1] ** 2)[:, None]
    across = width * (np.stack([-along[:, 1], along[:, 0]], axis=1) if left else np.stack([along[:, 1], -along[:, 0]], axis=1))
    before = np.roll(along, 1, axis=0)
    turn = np.arctan2(before[:, 0] * along[:, 1] - before[:, 1] * along[:, 0], (before * along).sum(axis=1))
    spreads = (turn < 0.0) == left
    count = np.ceil(np.abs(turn) / (2.0 * math.acos(1.0 / (1.0 + arc_error)))).astype(int)
    half = turn / (2 * np.maximum(count, 1))
    lap = np.where(spreads, 0.5 * width * np.tan(np.abs(half)), 0.0)
    for k in range(len(ring)):
        a, b = ring[k] - lap[k] * along[k], nxt[k] + lap[(k + 1) % len(ring)] * along[k]
        under = -_LAP * across[k]
        yield shapely.Polygon([a + under, b + under, b + across[k], a + across[k]])
        if spreads[k] and count[k] > 0:
            angle = math.atan2(across[k - 1, 1], across[k - 1, 0]) + half[k] * (1.0 + 2.0 * np.arange(count[k]))
            tips = ring[k] + width / math.cos(half[k]) * np.stack([np.cos(angle), np.sin(angle)], axis=1)
            yield shapely.Polygon([ring[k], ring[k] + across[k - 1], *tips, ring[k] + across[k]])


def _tidied(ring: Floats, tiny: float) -> Floats:
    """The closed chain (n, 2) without vertices nearer than `tiny` to the one before, or on the line to the next."""
    apart: list[Floats] = []
    for p in ring:
        if not apart or math.dist(p, apart[-1]) > tiny:
            apart.append(p)
    while len(apart) > 1 and math.dist(apart[-1], apart[0]) <= tiny:
        apart.pop()
    chain = np.array(apart)
    return chain[without_collinear(chain, tiny / TOLERANCE, closed=True)]
