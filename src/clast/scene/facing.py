"""Where bodies of a scene that lie side by side face each other: what bonds without a packing's joints are made from."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import shapely

from clast.errors import SceneError

LEVEL = 1e-6  # of the reach: corners that far behind the foremost one are of the same face


class Faces(NamedTuple):
    """Joints, see `clast.scene.bonds.Joined`."""

    pairs: np.ndarray
    points: np.ndarray
    normals: np.ndarray
    widths: np.ndarray
    lengths: np.ndarray
    shifts: np.ndarray


def facing(scene: Any, ids: np.ndarray, gap: float) -> Faces:
    """Pairs of some bodies whose surfaces are at most `gap` apart, images through periodic sides included.

    The width of a face is that of the two skeletons side by side, and twice the smaller sphero-radius; its length is the distance
    of the two centres, measured across it. SceneError where skeletons meet: there is no face between them.
    """
    bodies = [scene.bodies[k] for k in ids.tolist()]
    corners = [body.turned_vertices() + np.array(body.position) for body in bodies]
    bones = np.array([bone(each, body.shape) for each, body in zip(corners, bodies, strict=True)], dtype=object)
    radii = np.array([body.shape.radius for body in bodies])
    found: list[tuple[Any, ...]] = []
    tree = shapely.STRtree(bones)
    for shift in images(scene.box.periods):
        moved = bones if not shift.any() else shapely.transform(bones, lambda p, by=shift: p + by)
        seconds, firsts = tree.query(moved, predicate="dwithin", distance=gap + 2.0 * float(radii.max(initial=0.0)))
        apart = shapely.distance(bones[firsts], moved[seconds]) - radii[firsts] - radii[seconds]
        near = (apart <= gap) & ((firsts < seconds) if not shift.any() else (firsts != seconds))
        for i, j in sorted(zip(firsts[near].tolist(), seconds[near].tolist(), strict=True)):
            there = corners[j] + shift
            ways = np.array(bodies[j].position) + shift - np.array(bodies[i].position)
            line = np.asarray(shapely.get_coordinates(shapely.shortest_line(bones[i], moved[j])))
            found.append(((i, j), *face(corners[i], there, radii[[i, j]], line, ways), shift))
    if not found:
        return Faces(np.zeros((0, 2), np.int64), *(np.zeros((0, 2)),) * 2, *(np.zeros(0),) * 2, np.zeros((0, 2)))
    pairs, points, normals, widths, lengths, shifts = (np.array(each) for each in zip(*found, strict=True))
    return Faces(pairs, points, normals, widths, lengths, shifts)


def images(periods: Any) -> list[np.ndarray]:
    """Shifts to the images that are looked at, each of two opposite ones once; no shift first."""
    steps = [(0, 1) if period > 0.0 else (0,) for period in periods]
    found = [np.array([a, b]) for a in steps[0] for b in steps[1]]
    if periods[0] > 0.0 and periods[1] > 0.0:
        found.append(np.array([1, -1]))
    return [each * np.array(periods) for each in found]


def bone(corners: np.ndarray, shape: Any) -> Any:
    """A skeleton where it lies."""
    if shape.is_closed:
        return shapely.Polygon(corners)
    return shapely.LineString(corners) if len(shape.edges) else shapely.MultiPoint(corners)


def face(first: np.ndarray, second: np.ndarray, radii: np.ndarray, line: np.ndarray, way: np.ndarray) -> tuple[Any, ...]:
    """Point, normal, width and length of the face between two bodies of given corners (n, 2); `line` (2, 2) is the shortest
    between their skeletons, `way` leads from centre to centre."""
    normal = line[1] - line[0]
    size = float(np.hypot(*normal))
    if size == 0.0:
        raise SceneError("bond: two bodies overlap so far that their skeletons meet: there is no face between them, part them")
    normal = normal / size
    along = np.array([-normal[1], normal[0]])
    spans, ends = [], []
    for corners, sign in ((first, 1.0), (second, -1.0)):
        height = sign * (corners @ normal)
        level = height >= height.max() - LEVEL * (np.ptp(corners, axis=0).max() + size)
        spans.append((corners[level] @ along).tolist())
        ends.append(sign * float(height.max()))
    low, high = max(map(min, spans)), min(map(max, spans))
    middle = 0.5 * (low + high) if high >= low else float(line.mean(axis=0) @ along)
    depth = 0.5 * (ends[0] + radii[0] + ends[1] - radii[1])
    width = max(high - low, 0.0) + 2.0 * float(radii.min())
    return depth * normal + middle * along, normal, width, float(way @ normal)
