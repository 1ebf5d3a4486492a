"""Whether bodies have room at the start: pure geometry, before anything is compiled.

A run ends where skeletons come nearer than a tenth of the sum of their sphero-radii (model §3). A scene that starts so, or
with a grain hidden inside another, where no contact would ever be seen, is refused here. Inside a closed wall there is room.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import shapely

from clast.scene.scene import Body, Scene

NEAREST = 0.1  # of the sum of sphero-radii


class Crowd(NamedTuple):
    """Two bodies that have no room."""

    one: int
    other: int
    distance: float  # of their skeletons
    radii: float  # sum of their sphero-radii


def crowded(scene: Scene) -> Crowd | None:
    """The two bodies whose skeletons are nearest, measured by their radii, if that is too near."""
    period = np.array([scene.box.period_x, scene.box.period_y])
    bodies = scene.bodies
    drawn = np.array([skeleton(body, period) for body in bodies], object)
    radius = np.array([body.shape.radius for body in bodies])
    big = np.array([body.big for body in bodies])
    tree = shapely.STRtree(drawn)
    worst: Crowd | None = None
    for image in itertools.product(*((-1.0, 0.0, 1.0) if side > 0.0 else (0.0,) for side in period)):
        shift = np.array(image) * period
        moved = shapely.transform(drawn, lambda points, shift=shift: points + shift) if shift.any() else drawn
        one, other = tree.query(moved, predicate="dwithin", distance=NEAREST * (radius + radius.max()))
        keep = (one < other) & ~(big[one] & big[other])
        one, other = one[keep], other[keep]
        distance, radii = shapely.distance(moved[one], drawn[other]), radius[one] + radius[other]
        for k in np.flatnonzero(distance < NEAREST * radii):
            if worst is None or distance[k] / radii[k] < worst.distance / worst.radii:
                worst = Crowd(int(one[k]), int(other[k]), float(distance[k]), float(radii[k]))
    return worst


def skeleton(body: Body, period: np.ndarray) -> shapely.Geometry:
    """The skeleton where it stands, moved by whole periods into the box; of a closed wall the boundary alone."""
    cosine, sine = np.cos(body.angle), np.sin(body.angle)
    place = np.array(body.position)
    place -= np.where(period > 0.0, period * np.floor(place / np.where(period > 0.0, period, 1.0)), 0.0)
    points = body.shape.vertices @ np.array([[cosine, sine], [-sine, cosine]]) + place
    if body.shape.is_closed:
        return shapely.LinearRing(points) if body.big else shapely.Polygon(points)
    return shapely.LineString(points) if len(body.shape.edges) else shapely.MultiPoint(points)
