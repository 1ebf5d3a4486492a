"""A packing: which grains lie where, before anything moves. Pure geometry; `Scene.add_packing` takes it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import shapely
from numpy.typing import NDArray

from clast.errors import InputError
from clast.packing.grains_in_box import ROUNDS, TOUCH, GrainsInBox, worst_pair
from clast.shapes.plane.skeleton import Shape

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FILL, RIM, FRAME = "#cfdff0", "#2b5c8a", "0.45"  # of pictures


class OverlapWarning(UserWarning):
    """Grains of a packing overlap: a run would start with unintended forces."""


@dataclass(frozen=True, eq=False, repr=False)
class Packing(GrainsInBox):
    """Grains in a rectangular cell, lower left corner at (0, 0) unless shifted.

    A grain of a periodic packing may stick out of the cell: it stands for all its images.
    """

    shapes: Sequence[Shape]
    positions: Floats  # (n, 2) centres of mass
    angles: Floats  # (n,) radians
    width: float  # of the cell
    height: float
    periodic: tuple[bool, bool] = (False, False)  # along x, along y
    corner: tuple[float, float] = (0.0, 0.0)  # lower left of the cell

    def __post_init__(self) -> None:
        try:
            positions = np.array(self.positions, dtype=np.float64).reshape(-1, 2)
            angles = np.array(self.angles, dtype=np.float64).reshape(-1)
        except (TypeError, ValueError):
            raise InputError("a packing needs positions (n, 2) and angles (n,), numbers all of them") from None
        if not len(self.shapes) == len(positions) == len(angles):
            raise InputError(
                f"a packing has {len(self.shapes)} shapes, {len(positions)} positions and {len(angles)} angles: "
                "give one of each per grain"
            )
        bad = np.flatnonzero(~(np.isfinite(positions).all(axis=1) & np.isfinite(angles)))
        if bad.size:
            raise InputError(f"grain {bad[0]} of a packing has a position or angle that is not finite")
        for what, value in (("width", self.width), ("height", self.height)):
            if not isinstance(value, int | float | np.number) or not (math.isfinite(value) and value > 0.0):
                raise InputError(f"the {what} of a packing must be a positive length, not {value!r}")
        for name, array in (("positions", positions), ("angles", angles)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def lengths(self) -> Floats:
        """(2,) of the cell, length."""
        return np.array([self.width, self.height])

    @property
    def area(self) -> float:
        """Of all grains, length²."""
        return math.fsum(shape.area for shape in self.shapes)

    @property
    def fraction(self) -> float:
        """Area of the grains over that of the cell."""
        return self.area / (self.width * self.height)

    @property
    def void_ratio(self) -> float:
        """(A − A_p) / A_p: area of the voids over that of the grains."""
        return (self.width * self.height - self.area) / self.area

    def expanded(self, factor: float) -> Packing:
        """The same grains with all distances between their centres, and the cell, times `factor`: a looser packing."""
        if not (math.isfinite(factor) and factor > 0.0):
            raise InputError(f"a packing is expanded by a positive factor, not by {factor!r}")
        corner = (self.corner[0] * factor, self.corner[1] * factor)
        return self._with(self.positions * factor, self.angles, self.width * factor, self.height * factor, corner)

    def turned(self, rng: np.random.Generator) -> Packing:
        """The same grains, each turned to an angle at random.

        A grain that would then overlap another, or stick out of a closed side, is given new angles until it does not. Where
        that does not help, the packing is too dense: OverlapWarning names the factor to expand it by so that all have room.
        """
        angles = rng.uniform(0.0, 2.0 * np.pi, len(self))
        pairs, shifts = self._crowded()
        again = np.arange(len(self))
        for _ in range(ROUNDS):
            turned = self._with(self.positions, angles, self.width, self.height, self.corner)
            moved = np.isin(pairs, again).any(axis=1)  # others were found to be well, and have not moved since
            deep, depths = turned._overlapping(pairs[moved], shifts[moved])
            out = again[turned._beyond(again) > 0.0]
            again = np.union1d(deep, out).astype(np.int64)
            if not again.size:
                return turned
            angles[again] = rng.uniform(0.0, 2.0 * np.pi, again.size)
        warnings.warn(
            f"{len(deep)} pairs of turned grains overlap{worst_pair(deep, depths)}, and "
            f"{out.size} grains stick out of the cell: expand it "
            f"more (by {self.room():.4g} there is room for any angle)",
            OverlapWarning,
            stacklevel=2,
        )
        return turned

    def shifted(self, dx: float, dy: float) -> Packing:
        """The same packing, cell and all, moved by (dx, dy)."""
        moved = self.positions + np.array([dx, dy])
        return self._with(moved, self.angles, self.width, self.height, (self.corner[0] + dx, self.corner[1] + dy))

    def overlaps(self) -> tuple[Ints, Floats]:
        """Pairs (m, 2) of grains that overlap, images included, and how deep each (m,): r_i + r_j − distance of skeletons."""
        return self._overlapping(*self._crowded())

    def plot(self, axes: Axes | None = None, *, skeletons: bool = False) -> Figure | SubFigure:
        """A picture of the grains in their cell, with their skeletons if `skeletons`; returns the figure."""
        import matplotlib.pyplot as plt
        from matplotlib.collections import PolyCollection

        if axes is None:
            scale = min(9.0 / self.width, 7.0 / self.height)
            size = (max(2.0, scale * self.width) + 0.7, max(2.0, scale * self.height) + 0.7)
            _, axes = plt.subplots(figsize=size, layout="constrained")
        rings, bones = self._drawn()
        axes.add_collection(PolyCollection(rings, facecolor=FILL, edgecolor=RIM, lw=0.7))
        if skeletons:
            axes.add_collection(PolyCollection(bones, facecolor="none", edgecolor="#b5482f", lw=0.6))
        x, y = self.corner
        for axis, (begin, end) in enumerate((((x, y), (x + self.width, y)), ((x, y), (x, y + self.height)))):
            far = (0.0, self.height) if axis == 0 else (self.width, 0.0)
            dashes = (0, (4, 3)) if self.periodic[1 - axis] else "-"
            for off in ((0.0, 0.0), far):
                along, up = [begin[0] + off[0], end[0] + off[0]], [begin[1] + off[1], end[1] + off[1]]
                axes.plot(along, up, ls=dashes, color=FRAME, lw=1.0)
        margin = 0.02 * max(self.width, self.height)
        axes.set_xlim(x - margin, x + self.width + margin)
        axes.set_ylim(y - margin, y + self.height + margin)
        axes.set_aspect("equal")
        axes.set(xlabel="x", ylabel="y")
        return axes.figure

    def _with(self, positions: Floats, angles: Floats, width: float, height: float, corner: tuple[float, float]) -> Packing:
        """The same grains elsewhere; a plain packing, since the properties a generator gave it no longer hold."""
        return Packing(self.shapes, positions, angles, width, height, self.periodic, corner)

    def _beyond(self, numbers: Ints) -> Floats:
        """How far each of some grains sticks out of the closed sides; 0 for one that does not."""
        far = np.zeros(len(numbers))
        for place, k in enumerate(numbers):
            shape, rel = self.shapes[k], self.positions[k] - np.array(self.corner)
            if self._inside(rel - shape.reach) and self._inside(rel + shape.reach):
                continue
            corners = _placed(shape.vertices, rel, self.angles[k])
            low, high = corners.min(axis=0) - shape.radius, corners.max(axis=0) + shape.radius
            out = float(np.where(self.periodic, 0.0, np.maximum(-low, high - self.lengths)).max())
            far[place] = out if out > TOUCH * shape.radius else 0.0
        return far

    def _inside(self, rel: Floats) -> bool:
        """Whether a place relative to the cell's corner lies in the cell; periodic sides let all pass."""
        return all(p or 0.0 <= x <= e for p, x, e in zip(self.periodic, rel, (self.width, self.height), strict=True))

    def _crowded(self) -> tuple[Ints, Floats]:
        """Pairs (m, 2) whose circles overlap, every image once, and the shift (m, 2) of the second to the image meant.

        Only these grains can overlap, whatever their angles.
        """
        reach = self._reaches()
        period = self.lengths
        at = self.positions.copy()
        whole = np.zeros_like(at)
        for axis in (0, 1):
            if self.periodic[axis]:
                whole[:, axis] = np.floor((at[:, axis] - self.corner[axis]) / period[axis]) * period[axis]
        at -= whole
        number, places, shifts = [np.arange(len(self))], [at], [np.zeros_like(at)]
        most_reach = float(reach.max(initial=0.0))
        span = 2.0 * most_reach
        most = [math.ceil(span / period[axis]) if self.periodic[axis] else 0 for axis in (0, 1)]  # images either way
        low = np.array(self.corner) - span
        for i in range(-most[0], most[0] + 1):
            for j in range(-most[1], most[1] + 1):
                if i or j:
                    copies = at + np.array([i, j]) * period
                    seen = ((copies >= low) & (copies <= low + period + 2.0 * span)).all(axis=1)
                    number.append(np.flatnonzero(seen))
                    places.append(copies[seen])
                    shifts.append(np.tile(np.array([i, j]) * period, (int(seen.sum()), 1)))
        owner, place, shift = np.concatenate(number), np.concatenate(places), np.concatenate(shifts)
        tree = shapely.STRtree(shapely.points(place))
        around = reach[:, None] + most_reach
        first, second = tree.query(shapely.box(*(at - around).T, *(at + around).T))
        near = ((place[second] - at[first]) ** 2).sum(axis=1) < (reach[first] + reach[owner[second]]) ** 2
        # each pair once: by number, and a grain with its own image by the sign of the shift
        other = owner[second]
        self_image = (other == first) & ((shift[second, 0] > 0.0) | ((shift[second, 0] == 0.0) & (shift[second, 1] > 0.0)))
        counted = near & ((first < other) | self_image)
        first, second, other = first[counted], second[counted], other[counted]
        # shift of the second grain from where it stands to the image that is near the first where that stands
        return np.stack([first, other], axis=1), shift[second] - whole[other] + whole[first]

    def _overlapping(self, pairs: Ints, shifts: Floats) -> tuple[Ints, Floats]:
        """Of some pairs, those that overlap, and the depths."""
        involved, back = np.unique(pairs, return_inverse=True)
        back = back.reshape(-1, 2)
        skeletons = np.array([_skeleton(self.shapes[k], self.positions[k], self.angles[k]) for k in involved], dtype=object)
        radius = np.array([self.shapes[k].radius for k in involved])
        second = skeletons[back[:, 1]]
        moved = np.flatnonzero(shifts.any(axis=1))
        for m in moved:
            second[m] = shapely.transform(second[m], lambda p, by=shifts[m]: p + by)
        gap = shapely.distance(skeletons[back[:, 0]], second) if len(pairs) else np.zeros(0)
        depth = radius[back[:, 0]] + radius[back[:, 1]] - gap
        deep = depth > TOUCH * np.minimum(radius[back[:, 0]], radius[back[:, 1]])
        return pairs[deep], depth[deep]

    def _drawn(self) -> tuple[list[Floats], list[Floats]]:
        """Outlines and skeletons of all grains, with the images that a periodic cell shows."""
        rings, bones = [], []
        low = np.array(self.corner)
        high = low + self.lengths
        images = [
            np.array([i * self.width, j * self.height])
            for i in ((-1, 0, 1) if self.periodic[0] else (0,))
            for j in ((-1, 0, 1) if self.periodic[1] else (0,))
        ]
        known: dict[int, list[Floats]] = {}
        for shape, place, angle in zip(self.shapes, self.positions, self.angles, strict=True):
            outline = known.setdefault(id(shape), shape.outline(48))
            for shift in images:
                at = place + shift
                if shift.any() and not ((at + shape.reach > low) & (at - shape.reach < high)).all():
                    continue
                rings += [_placed(ring, at, angle) for ring in outline]
                bones.append(_placed(shape.vertices, at, angle))
        return rings, bones


def _placed(points: Floats, position: Floats, angle: float) -> Floats:
    c, s = math.cos(angle), math.sin(angle)
    return points @ np.array([[c, s], [-s, c]]) + position


def _skeleton(shape: Shape, position: Floats, angle: float) -> shapely.Geometry:
    """The skeleton where it lies; a polygon with its interior."""
    points = _placed(shape.vertices, position, angle)
    if shape.is_closed:
        return shapely.Polygon(points)
    return shapely.LineString(points) if len(shape.edges) else shapely.MultiPoint(points)
