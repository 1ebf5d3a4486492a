"""From where a picture of space is taken, and of which part: where the grains are, not where a lost one fell to."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clast.algebra.quaternions import matrix
from clast.output.figures.view import MARGIN, NEARBY
from clast.output.space.bodies import Surfaces, turns
from clast.output.store.reader import Run
from clast.shapes.plane.inside import Floats

TRIM = 12  # pixels left above the box
TO_SIDE, ABOVE = math.radians(30.0), math.radians(22.0)  # the eye: so far to the right of −y, and above the ground


def view_of(run: Run, bodies: Surfaces, chosen: Sequence[int]) -> tuple[Floats, Floats]:
    """Lowest and highest corner (3,) of the box to be shown for some frames of a run: one period along a periodic side, else
    what holds the grains; a grain lost far out does not count, walls do as far as they are near (as in the plane).
    """
    grains = np.flatnonzero(~bodies.big)
    first = run.frames[chosen[0]]
    walls = wall_points(bodies, first.positions, turns(first))
    frames = [(run.frames[k].positions[grains], ~run.frames[k].absent[grains]) for k in chosen]
    low, high = box_around(bodies, grains, frames, walls)
    margin = MARGIN * float((high - low).max())
    widest = np.max([bodies.period_at(run.frames[k]) for k in chosen], axis=0)
    return np.where(widest > 0.0, 0.0, low - margin), np.where(widest > 0.0, widest, high + margin)


def box_around(
    bodies: Surfaces, grains: np.ndarray, frames: Sequence[tuple[Floats, np.ndarray]], walls: Floats
) -> tuple[Floats, Floats]:
    """Corners of the box around grains: centres (m, 3) and whether they count (m,), for every frame; and walls near them."""
    if grains.size == 0:
        return walls.min(axis=0), walls.max(axis=0)
    around = bodies.reach[grains, None]
    start = np.concatenate([frames[0][0] - around, frames[0][0] + around, walls])
    room = 0.5 * float(np.linalg.norm(np.ptp(start, axis=0)))
    near = start.min(axis=0) - room, start.max(axis=0) + room
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for where, counts in frames:
        counted = ((where >= near[0]) & (where <= near[1]) | (bodies.period > 0.0)).all(axis=1) & counts
        low = np.minimum(low, (where - around)[counted].min(axis=0, initial=np.inf))
        high = np.maximum(high, (where + around)[counted].max(axis=0, initial=-np.inf))
    if not np.isfinite(low).all():  # every grain has gone
        return start.min(axis=0), start.max(axis=0)
    if len(walls):
        room = NEARBY * float((high - low).max())
        seen = np.clip(walls, low - room, high + room)
        low, high = np.minimum(low, seen.min(axis=0)), np.maximum(high, seen.max(axis=0))
    return low, high


def wall_points(bodies: Surfaces, positions: Floats, orientations: Floats) -> Floats:
    """Points of the surfaces of all walls (p, 3)."""
    found = [np.zeros((0, 3))]
    for k in np.flatnonzero(bodies.big):
        found.append(bodies.meshes[bodies.shape[k]].points @ matrix(orientations[k]).T + positions[k])
    return np.concatenate(found)


@dataclass(frozen=True)
class Camera:
    """Looks at a box from above its side, without perspective: equal lengths along an axis are equal in the picture."""

    low: Floats
    high: Floats
    right: Floats  # unit vectors of the picture
    up: Floats
    back: Floats  # towards the eye
    frame: tuple[Floats, Floats, Floats]  # the axes of the world that go right, into the picture, and up
    width: int  # pixels
    height: int
    scale: float  # pixels per length
    margin: int  # pixels around the box, for the axes

    @classmethod
    def towards(cls, low: Floats, high: Floats, gravity: Floats, width: int, tallest: float, margin: int) -> Camera:
        """A picture `width` wide that shows the box with `margin` pixels around it, and is at most `tallest` times as high.

        Up is where things do not fall to: the axis along which gravity is largest, z if there is none.
        """
        axis = int(np.abs(gravity).argmax()) if np.any(gravity) else 2
        sky = np.eye(3)[axis] * (-1.0 if gravity[axis] > 0.0 else 1.0)
        east = np.eye(3)[(axis + 1) % 3]
        north = np.cross(sky, east)
        ground = math.sin(TO_SIDE) * east - math.cos(TO_SIDE) * north
        back = math.cos(ABOVE) * ground + math.sin(ABOVE) * sky
        right = np.cross(sky, back)
        right /= np.linalg.norm(right)
        up = np.cross(back, right)
        corners = np.array(list(itertools.product(*zip(low, high, strict=True))))
        wide, tall = np.ptp(corners @ right), np.ptp(corners @ up)
        scale = min((width - 2 * margin) / wide, (tallest * width - 2 * margin) / tall)
        height = 2 * round(0.5 * (scale * tall + 2 * margin))  # video encoders take even numbers only
        return cls(low, high, right, up, back, (east, north, sky), width, height, float(scale), margin)

    def rims(self) -> list[tuple[int, Floats, tuple[float, float]]]:
        """Three edges of the box that nothing hides: the axis of each, a corner it starts from (3,), and the way out of the
        picture from it (right, down)."""
        axes = [int(np.abs(each).argmax()) for each in self.frame]

        def corner(*far: bool) -> Floats:
            place = np.zeros(3)
            for axis, way, end in zip(axes, self.frame, far, strict=True):
                place[axis] = (self.high if end == (way[axis] > 0.0) else self.low)[axis]
            return place

        return [
            (axes[0], corner(False, False, False), (-0.2, 1.0)),
            (axes[1], corner(True, False, False), (0.8, 0.6)),
            (axes[2], corner(False, False, False), (-1.0, 0.0)),
        ]

    @property
    def top(self) -> int:
        """Rows of pixels that may be cut off: above the box nothing is written."""
        return 2 * max(0, (self.margin - TRIM) // 2)

    @property
    def middle(self) -> Floats:
        """The point in the middle of the picture (3,)."""
        return 0.5 * (self.low + self.high)

    @property
    def size(self) -> float:
        """Diagonal of the box."""
        return float(np.linalg.norm(self.high - self.low))

    def pixels(self, points: Floats) -> Floats:
        """Where points (…, 3) are in the picture (…, 2): from the left, from the top."""
        off = np.asarray(points) - self.middle
        return np.stack(
            [0.5 * self.width + self.scale * (off @ self.right), 0.5 * self.height - self.scale * (off @ self.up)], -1
        )
