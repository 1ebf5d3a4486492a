"""Whether bodies have room at the start: pure geometry, before anything is compiled.

A run ends where skeletons come nearer than a tenth of the sum of their sphero-radii (model §3). A scene that starts so, or
with a grain hidden inside another, where no contact would ever be seen, is refused here. Inside a closed wall there is room.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import shapely

from clast.scene.plane import Scene
from clast.shapes.plane.skeleton import Shape

NEAREST = 0.1  # of the sum of sphero-radii


class TooNear(NamedTuple):
    """Two bodies that have no room."""

    one: int
    other: int
    distance: float  # of their skeletons
    radii: float  # sum of their sphero-radii


def crowded(scene: Scene) -> TooNear | None:
    """The two bodies whose skeletons are nearest, measured by their radii, if that is too near."""
    period = np.array([scene.box.period_x, scene.box.period_y])
    drawn = skeletons(scene, period)
    radius, big = scene.bodies.of_shapes(lambda shape: shape.radius), scene.bodies.column("big")
    drawn[scene.waiting] = shapely.GeometryCollection()  # they come in where there is room
    tree = shapely.STRtree(drawn)
    worst: TooNear | None = None
    for image in itertools.product(*((-1.0, 0.0, 1.0) if side > 0.0 else (0.0,) for side in period)):
        shift = np.array(image) * period
        moved = shapely.transform(drawn, lambda points, shift=shift: points + shift) if shift.any() else drawn
        one, other = tree.query(moved, predicate="dwithin", distance=NEAREST * (radius + radius.max()))
        keep = (one < other) & ~(big[one] & big[other])
        one, other = one[keep], other[keep]
        distance, radii = shapely.distance(moved[one], drawn[other]), radius[one] + radius[other]
        for k in np.flatnonzero(distance < NEAREST * radii):
            if worst is None or distance[k] / radii[k] < worst.distance / worst.radii:
                worst = TooNear(int(one[k]), int(other[k]), float(distance[k]), float(radii[k]))
    return worst


def skeletons(scene: Scene, period: np.ndarray) -> np.ndarray:
    """The skeletons (n,) where they stand, moved by whole periods into the box."""
    bodies = scene.bodies
    places, angles, big = (bodies.column(name) for name in ("position", "angle", "big"))
    places -= np.where(period > 0.0, period * np.floor(places / np.where(period > 0.0, period, 1.0)), 0.0)
    cosine, sine = np.cos(angles), np.sin(angles)
    frames = np.stack([cosine, sine, -sine, cosine], axis=1).reshape(-1, 2, 2)
    shapes, which = bodies.distinct("shape")
    kind = 2 * which + big
    order = np.argsort(kind, kind="stable")
    drawn = np.empty(len(bodies), object)
    for rows in np.split(order, np.flatnonzero(np.diff(kind[order])) + 1):  # of one shape, big or not
        shape = shapes[which[rows[0]]]
        drawn[rows] = skeletons_of(shape, shape.vertices @ frames[rows] + places[rows, None], is_wall=bool(big[rows[0]]))
    return drawn


def skeletons_of(shape: Shape, points: np.ndarray, is_wall: bool) -> np.ndarray:
    """Skeletons (k,) of a shape whose vertices are at `points` (k, m, 2); of a closed wall the boundary alone."""
    if shape.is_closed:
        return shapely.linearrings(points) if is_wall else shapely.polygons(points)
    return shapely.linestrings(points) if len(shape.edges) else shapely.multipoints(shapely.points(points))
