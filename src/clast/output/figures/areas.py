"""What bodies of the plane cover, to be drawn: a closed wall that holds grains, as a drum does, only its rim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clast.algebra.lattice import put_back
from clast.measures.stored import frame_offset, frame_period
from clast.shapes.plane.inside import in_polygon

if TYPE_CHECKING:
    from clast.output.store.reader import Run
    from clast.scene.plane import Scene

ARC = 8  # chords per quarter circle of a rounded corner
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Skeleton:
    """A shape in its body frame."""

    corners: Array  # (n, 2)
    edges: Array  # (m, 2) numbers of corners
    radius: float
    closed: bool  # its inside belongs to it

    def area(self, rim: bool = False) -> Any:
        """What it covers, a shapely polygon, of several parts the largest; with `rim` what its line alone covers."""
        import shapely

        if self.closed:
            line: Any = shapely.LinearRing(self.corners) if rim else shapely.Polygon(self.corners)
        elif len(self.edges):
            line = shapely.MultiLineString([self.corners[edge] for edge in self.edges])
        else:
            line = shapely.MultiPoint(self.corners)
        body = line.buffer(self.radius, quad_segs=ARC)
        return max(body.geoms, key=lambda part: part.area) if body.geom_type == "MultiPolygon" else body


@dataclass(frozen=True)
class Stand:
    """Where bodies are at one instant."""

    positions: Array  # (n, 2)
    angles: Array  # (n,)
    present: Array  # (n,) whether a body takes part
    period: Array  # (2,) 0: open
    offset: float = 0.0  # of a sheared cell


def areas_of(skeletons: Sequence[Skeleton], shape: Array, big: Array, stands: Iterable[Stand]) -> list[Any]:
    """The areas of all shapes, of bodies with these shapes (n,), of walls that hold a grain at one of these instants the rim."""
    may = [int(wall) for wall in np.flatnonzero(big) if skeletons[shape[wall]].closed]
    holding: set[int] = set()
    for stand in stands if may else ():
        holding |= {int(shape[wall]) for wall in may if shape[wall] not in holding and holds(wall, skeletons, shape, big, stand)}
    return [each.area(rim=k in holding) for k, each in enumerate(skeletons)]


def holds(wall: int, skeletons: Sequence[Skeleton], shape: Array, big: Array, stand: Stand) -> bool:
    """Whether a grain lies inside a closed wall with all its corners: one that clasps a block from outside does not."""
    corners = skeletons[shape[wall]].corners
    grains = np.flatnonzero(~big & stand.present)
    half = 0.5 * stand.period
    off = put_back(stand.positions[grains] - stand.positions[wall] + half, stand.period, stand.offset) - half
    inside = in_polygon(off @ turn(stand.angles[wall]).T, corners)
    for grain, way in zip(grains[inside], off[inside], strict=True):
        corners_of_grain = skeletons[shape[grain]].corners @ turn(-stand.angles[grain]).T + way
        if in_polygon(corners_of_grain @ turn(stand.angles[wall]).T, corners).all():
            return True
    return False


def turn(angle: float) -> Array:
    """The matrix (2, 2) that leads into a frame turned by an angle."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s], [-s, c]])


def run_areas(run: Run) -> list[Any]:
    """What the shapes of a stored run cover in their body frames; whether a wall holds grains is seen at its first and last
    frame."""
    scene, skeletons = run.scene, []
    for k in range(len(scene["shape_radius"])):
        corners = scene["shape_vertices"][scene["shape_first_vertex"][k] : scene["shape_first_vertex"][k + 1]]
        edges = scene["shape_edges"][scene["shape_first_edge"][k] : scene["shape_first_edge"][k + 1]]
        skeletons.append(Skeleton(corners, edges, float(scene["shape_radius"][k]), bool(scene["shape_closed"][k])))
    ends = sorted({0, len(run.frames) - 1}) if len(run.frames) else []
    return areas_of(skeletons, scene["body_shape"], np.asarray(scene["body_big"], bool), (stand_at(run, k) for k in ends))


def stand_at(run: Run, index: int) -> Stand:
    """Where the bodies of a run are at a frame."""
    frame = run.frames[index]
    present = frame["present"] != 0 if "present" in frame.names else np.ones(len(frame["positions"]), bool)
    return Stand(frame["positions"], frame["angles"], present, frame_period(run, frame), frame_offset(frame))


def scene_areas(scene: Scene) -> tuple[list[Any], Array]:
    """What the shapes of a scene cover in their body frames, and which of them a body has (n,)."""
    shapes, which = scene.bodies.distinct("shape")
    column = scene.bodies.column
    skeletons = [Skeleton(each.vertices, each.edges, each.radius, each.is_closed) for each in shapes]
    period = np.array([scene.box.period_x, scene.box.period_y])
    there = ~np.isin(np.arange(len(which)), scene.waiting)
    start = Stand(column("position"), column("angle"), there, period, scene.box.offset)
    return areas_of(skeletons, which, column("big"), [start]), which


def rings_of(area: Any) -> list[Array]:
    """The border of an area, counter-clockwise, and then those of its holes, clockwise; closed rings (k, 2)."""
    from shapely.geometry.polygon import orient

    sound = orient(area)
    return [np.asarray(ring.coords) for ring in (sound.exterior, *sound.interiors)]
