"""What a grain is: a skeleton of points and edges swept by a disk (Minkowski sum; EPL08, GM09)."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely
from numpy.typing import ArrayLike

from clast.errors import ShapeError
from clast.shapes.plane.inside import Bools, Floats, Ints, distance_to_skeleton, in_polygon
from clast.shapes.plane.thickness import polygon_thickness


@dataclass(frozen=True, eq=False)
class Shape:
    """A spheropolygon in its body frame: centre of mass at the origin, lengths in any one unit.

    Made by the constructors of `clast.shapes.plane.make`, which check what they are given. A polygon is stored counter-
    clockwise with edges (0,1), (1,2) … (n−1,0) and owns its interior; an open polyline has edges (0,1), (1,2) …;
    points and clumps have none. No vertex has more than two edges. The arrays are read-only.
    """

    name: str
    vertices: Floats  # (n, 2)
    edges: Ints  # (m, 2) vertex numbers, consecutive along the chain; (0, 2) for points
    radius: float  # sphero-radius
    area: float  # of the union skeleton ⊕ disk
    inertia: float  # ∫|x|² dA about the centre of mass; times the density it is the moment of inertia
    reach: float  # largest distance from the centre of mass to the surface
    origin: Floats  # (2,) where the origin of the user's coordinates lies in the body frame

    def __post_init__(self) -> None:
        for field, kind in (("vertices", np.float64), ("edges", np.int64), ("origin", np.float64)):
            array = np.array(getattr(self, field), dtype=kind)
            array.flags.writeable = False
            object.__setattr__(self, field, array)
        degree = np.bincount(self.edges.ravel(), minlength=len(self.vertices))
        if degree.max() > 2:
            v = int(degree.argmax())
            raise ShapeError(f"vertex {v} has {degree[v]} edges: a skeleton may not branch.")

    def __repr__(self) -> str:
        corners, edges = len(self.vertices), len(self.edges)
        return f"<{self.name}: {corners} vertices, {edges} edges, radius {self.radius:.6g}, area {self.area:.6g}>"

    @property
    def is_closed(self) -> bool:
        """Whether the skeleton is a polygon, so that its interior belongs to the grain."""
        return len(self.edges) > 2 and bool(self.edges[-1, 1] == self.edges[0, 0])

    @cached_property
    def is_round(self) -> bool:
        """Whether it is a disk: one point at the centre of mass, so that turning it changes nothing."""
        return len(self.vertices) == 1 and not self.vertices.any()

    @cached_property
    def thickness(self) -> float:
        """Smallest width of the skeleton between parts that do not adjoin; infinite where there is no interior.

        Contact weights hold while overlaps stay below it: see `clast.shapes.plane.thickness`.
        """
        return polygon_thickness(self.vertices) if self.is_closed else math.inf

    def scaled(self, factor: float) -> Shape:
        """The same shape, every length (the sphero-radius too) times `factor` > 0.

        Area and inertia are multiplied, not computed anew, so a power of two changes no bit of any mantissa.
        """
        if not (math.isfinite(factor) and factor > 0.0):
            raise ShapeError(f"A shape is scaled by a positive number, not by {factor!r}.")
        return dataclasses.replace(
            self,
            vertices=self.vertices * factor,
            radius=self.radius * factor,
            area=self.area * factor**2,
            inertia=self.inertia * factor**4,
            reach=self.reach * factor,
            origin=self.origin * factor,
        )

    def with_area(self, area: float) -> Shape:
        """The same shape scaled to the given area of the union (length²)."""
        if not (math.isfinite(area) and area > 0.0):
            raise ShapeError(f"The area of a shape is a positive number, not {area!r}.")
        return dataclasses.replace(self.scaled(math.sqrt(area / self.area)), area=float(area))

    def contains(self, points: ArrayLike) -> Bools:
        """Whether each of `points` (…, 2), in the body frame, lies in the grain, its surface included; returns (…).

        GM09's test: inside the skeleton by crossing number, or no farther than the sphero-radius from it.
        """
        where = np.asarray(points, dtype=np.float64)
        if where.ndim == 0 or where.shape[-1] != 2:
            raise ShapeError(f"Points to test have shape (…, 2), not {where.shape}.")
        flat = where.reshape(-1, 2)
        inside = distance_to_skeleton(flat, self.vertices, self.edges) <= self.radius
        if self.is_closed:
            inside |= in_polygon(flat, self.vertices)
        return inside.reshape(where.shape[:-1])

    def outline(self, segments_per_turn: int = 64) -> list[Floats]:
        """The surface as closed rings (k, 2) to draw: outer ring first, then holes, part by part for a loose clump.

        Arcs are replaced by chords, `segments_per_turn` to a full circle: for pictures only.
        """
        skeleton: shapely.Geometry
        if self.is_closed:
            skeleton = shapely.Polygon(self.vertices)
        elif len(self.edges):
            skeleton = shapely.LineString(self.vertices)
        else:
            skeleton = shapely.MultiPoint(self.vertices)
        body = skeleton.buffer(self.radius, quad_segs=max(1, round(segments_per_turn / 4)))
        rings: list[Floats] = []
        for part in shapely.get_parts(body):
            rings += [np.asarray(ring.coords, dtype=np.float64) for ring in (part.exterior, *part.interiors)]
        return rings
