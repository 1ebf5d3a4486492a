"""Whether there is room for a grain that comes in: pure geometry, by the circle or ball round it.

Other grains are taken by the balls round them as well, walls by their features. A closed wall is a rim, and grains may come
inside of it; a sharp one is solid. All lengths as in space: the plane lies at z = 0.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clast.algebra import lattice
from clast.algebra.quaternions import matrix
from clast.dynamics.bodies.haste import is_sharp
from clast.dynamics.plane.columns import COS, SIN
from clast.dynamics.space.columns import TURN
from clast.scene.flow import Source
from clast.shapes.space.solid import Solid
from clast.shapes.space.surfaces.faces import triangulated
from clast.shapes.space.surfaces.inside import distance_to_segments, height_over_triangles, in_surface

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine

SPACE = 3


class Surface(NamedTuple):
    """Features of a wall in its own frame [length]."""

    vertices: np.ndarray  # (n, 3)
    segments: np.ndarray  # (m, 2) vertices; twice the same for a point
    triangles: np.ndarray  # (t, 3)
    radius: float


class Features(NamedTuple):
    """Features of walls in the world, those that are near."""

    ends: np.ndarray  # (m, 2, 3)
    end_radius: np.ndarray  # (m,)
    corners: np.ndarray  # (t, 3, 3)
    corner_radius: np.ndarray  # (t,)


class Clearance:
    """Who is near the region of a source, and whether a grain of it has room among them."""

    def __init__(self, engine: Engine, source: Source) -> None:
        self.gap = engine._furthest  # nobody who comes in is pulled at once
        rows = np.argsort(engine.order)[source.ids]
        self.reach = engine.model.reach[rows]
        self.period, self.offset = engine.period, engine.offset
        d, widest = engine.family.DIMENSION, float(self.reach.max()) + self.gap
        low, high = np.array(source.lower) - widest, np.array(source.upper) + widest
        grains = engine.roles.grains
        self.centres, self.reaches = engine._seen_state.body[grains, :d].copy(), engine.model.reach[grains]
        if self.offset == 0.0:  # those that no image brings near are left out
            away = self._nearest(self.centres - 0.5 * (low + high))
            near = (np.abs(away) <= 0.5 * (high - low) + self.reaches[:, None]).all(axis=1)
            self.centres, self.reaches = self.centres[near], self.reaches[near]
        self.walls, self.solids = near_walls(engine, low, high)

    def _nearest(self, ways: np.ndarray) -> np.ndarray:
        """Ways (n, d) to the nearest images."""
        if not self.period.any():
            return ways
        found = lattice.numbers(ways, self.period, self.offset, lowest=False)
        return np.asarray(ways - lattice.shifts(found, self.period, self.offset))

    def is_free(self, place: np.ndarray, number: int) -> bool:
        """Whether a grain of the source has room at a place (d,)."""
        wanted = self.reach[number] + self.gap
        away = self._nearest(self.centres - place)
        if ((away * away).sum(axis=1) <= (self.reaches + wanted) ** 2).any():
            return False
        point, walls = in_space(place), self.walls
        if (
            len(walls.ends)
            and (distance_to_segments(point, walls.ends[:, 0], walls.ends[:, 1]) <= walls.end_radius + wanted).any()
        ):
            return False
        a, b, c = walls.corners[:, 0], walls.corners[:, 1], walls.corners[:, 2]
        if len(a) and (height_over_triangles(point, a, b, c) <= walls.corner_radius + wanted).any():
            return False
        return not any(in_surface(point[None], vertices, triangles)[0] for vertices, triangles in self.solids)

    def take(self, place: np.ndarray, number: int) -> None:
        """Note that a grain of the source is there now."""
        self.centres = np.concatenate([self.centres, place[None]])
        self.reaches = np.append(self.reaches, self.reach[number])


def in_space(points: np.ndarray) -> np.ndarray:
    """Points (…, 2 or 3) as points (…, 3)."""
    return points if points.shape[-1] == SPACE else np.concatenate([points, np.zeros((*points.shape[:-1], 1))], axis=-1)


@lru_cache(maxsize=64)
def surface_of(shape: Any) -> Surface:
    """The features of a shape of the plane, or of a solid."""
    edges = np.asarray(shape.edges, np.int64).reshape(-1, 2)
    alone = np.setdiff1d(np.arange(len(shape.vertices)), edges)
    triangles = triangulated(shape.vertices, shape.faces)[0] if isinstance(shape, Solid) else np.zeros((0, 3), np.int64)
    segments = np.concatenate([edges, np.column_stack([alone, alone])]).astype(np.int64)
    return Surface(in_space(np.asarray(shape.vertices)), segments, triangles, float(shape.radius))


def near_walls(engine: Engine, low: np.ndarray, high: np.ndarray) -> tuple[Features, list[tuple[np.ndarray, np.ndarray]]]:
    """Features of walls, and of their images, whose boxes meet the box low … high (d,), and sharp walls whole."""
    found: list[Features] = []
    solids = []
    lower, upper, middle = in_space(low), in_space(high), 0.5 * (low + high)
    sharp, period = is_sharp(engine.scene), engine.period
    images = np.array([*itertools.product(*((-1, 0, 1) if length > 0.0 else (0,) for length in period))])
    for row in engine.roles.big.tolist():
        surface = surface_of(engine.scene.bodies[int(engine.order[row])].shape)
        place, turned = standing(engine, row, surface.vertices)
        away = place - middle
        back = lattice.shifts(lattice.numbers(away, period, engine.offset, lowest=False), period, engine.offset)
        for image in lattice.shifts(images, period, engine.offset) - back:
            vertices = turned + in_space(place + image)
            if sharp:
                solids.append((vertices, surface.triangles))
            ends, corners = vertices[surface.segments], vertices[surface.triangles]
            ends, corners = (
                each[((each.min(axis=1) - surface.radius <= upper) & (each.max(axis=1) + surface.radius >= lower)).all(axis=1)]
                for each in (ends, corners)
            )
            radii = (np.full(len(each), surface.radius) for each in (ends, corners))
            found.append(Features(ends, next(radii), corners, next(radii)))
    nobody = Features(np.zeros((0, 2, SPACE)), np.zeros(0), np.zeros((0, 3, SPACE)), np.zeros(0))
    return Features(*(np.concatenate(each) for each in zip(nobody, *found, strict=True))), solids


def standing(engine: Engine, row: int, vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where a wall stands (d,), and its vertices (n, 3) turned as it is."""
    body = engine._seen_state.body[row]
    if engine.family.DIMENSION == SPACE:
        return body[:SPACE], vertices @ matrix(body[TURN : TURN + 4]).T
    turn = np.array([[body[COS], -body[SIN], 0.0], [body[SIN], body[COS], 0.0], [0.0, 0.0, 1.0]])
    return body[:2], vertices @ turn.T
