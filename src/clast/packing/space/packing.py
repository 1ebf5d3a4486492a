"""A packing in space: which solids lie where, before anything moves. Pure geometry; `Scene3D.add_packing` takes it."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from clast.algebra.quaternions import matrix, random_turns
from clast.errors import InputError
from clast.packing.grains_in_box import ROUNDS, TOUCH, GrainsInBox, worst_pair
from clast.packing.plane.erosion import Floats, Ints
from clast.packing.plane.packing import OverlapWarning
from clast.packing.space.distance import Skeleton, distance, skeleton_of, slab
from clast.shapes.space.solid import Solid

PATIENCE = 40  # rounds of drawing anew without a gain, before it is given up

Periodic = tuple[bool, bool, bool]
Redraw = Callable[[Ints], tuple[Floats, Floats]]
"""Draws positions (k, 3) and orientations (k, 4) of some grains anew, by their numbers (k,)."""


@dataclass(frozen=True, eq=False, repr=False)
class Packing3D(GrainsInBox):
    """Solids in a box, lowest corner at (0, 0, 0) unless shifted.

    A grain of a periodic packing may stick out of the box: it stands for all its images.
    """

    shapes: Sequence[Solid]
    positions: Floats  # (n, 3) centres of mass
    orientations: Floats  # (n, 4) unit quaternions (w, x, y, z): body frame into world
    size: Floats  # (3,) of the box, length
    periodic: Periodic = (False, False, False)  # along x, y, z
    corner: Floats = field(default_factory=lambda: np.zeros(3))  # (3,) lowest of the box

    def __post_init__(self) -> None:
        try:
            positions = np.array(self.positions, dtype=np.float64).reshape(-1, 3)
            orientations = np.array(self.orientations, dtype=np.float64).reshape(-1, 4)
            corner = np.array(self.corner, dtype=np.float64).reshape(3)
        except (TypeError, ValueError):
            raise InputError(
                "a packing in space needs positions (n, 3), orientations (n, 4) and a corner (3,), numbers all"
            ) from None
        if not len(self.shapes) == len(positions) == len(orientations):
            raise InputError(
                f"a packing has {len(self.shapes)} shapes, {len(positions)} positions and {len(orientations)} orientations: "
                "give one of each per grain"
            )
        bad = np.flatnonzero(~np.isfinite(positions).all(axis=1))
        if bad.size:
            raise InputError(f"grain {bad[0]} of a packing has a position that is not finite")
        bad = np.flatnonzero(~(np.abs((orientations**2).sum(axis=1) - 1.0) < 1e-9))
        if bad.size:
            raise InputError(f"grain {bad[0]} of a packing has an orientation that is not a quaternion (w, x, y, z) of length 1")
        if not np.isfinite(corner).all():
            raise InputError(f"the corner of a packing must be finite, not {tuple(corner.tolist())}")
        object.__setattr__(self, "periodic", checked_periodic(self.periodic))
        for name, array in (
            ("positions", positions), ("orientations", orientations), ("corner", corner), ("size", checked_size(self.size)),
        ):  # fmt: skip
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def lengths(self) -> Floats:
        """(3,) of the box, length."""
        return self.size

    @property
    def periods(self) -> tuple[float, float, float]:
        """Along x, y, z, length; 0 where the box is closed: what `Box3D(*packing.periods)` takes."""
        x, y, z = np.where(self.periodic, self.size, 0.0).tolist()
        return x, y, z

    @property
    def volume(self) -> float:
        """Of all grains, length³."""
        return math.fsum(shape.volume for shape in self.shapes)

    @property
    def fraction(self) -> float:
        """Volume of the grains over that of the box."""
        return self.volume / float(np.prod(self.size))

    @property
    def void_ratio(self) -> float:
        """(V − V_p) / V_p: volume of the voids over that of the grains."""
        return (float(np.prod(self.size)) - self.volume) / self.volume

    def expanded(self, factor: float) -> Packing3D:
        """The same grains with all distances between their centres, and the box, times `factor`: a looser packing."""
        if not (math.isfinite(factor) and factor > 0.0):
            raise InputError(f"a packing is expanded by a positive factor, not by {factor!r}")
        corner, size = self.corner * factor, self.size * factor
        return Packing3D(self.shapes, self.positions * factor, self.orientations, size, self.periodic, corner)

    def shifted(self, dx: float, dy: float, dz: float) -> Packing3D:
        """The same packing, box and all, moved by (dx, dy, dz)."""
        by = np.array([dx, dy, dz])
        return Packing3D(self.shapes, self.positions + by, self.orientations, self.size, self.periodic, self.corner + by)

    def turned(self, rng: np.random.Generator) -> Packing3D:
        """The same grains, each turned to an orientation at random, where they do not overlap; see `redrawn`."""
        return self.redrawn(lambda numbers: (self.positions[numbers], random_turns(rng, numbers.size)))

    def redrawn(self, draw: Redraw) -> Packing3D:
        """The same grains in places and orientations that `draw` gives.

        A grain that would then overlap another, or stick out of a closed side, is drawn anew until it does not. Where that
        does not help, the packing is too dense: OverlapWarning names the factor to expand it by so that all can be turned.
        """
        positions, orientations = draw(np.arange(len(self)))
        bones = self._bones()
        again = np.arange(len(self))
        fewest, since = math.inf, 0
        for turn in range(ROUNDS):
            drawn = Packing3D(self.shapes, positions, orientations, self.size, self.periodic, self.corner)
            pairs, shifts = drawn._crowded()
            moved = np.isin(pairs, again).any(axis=1)  # others were found to be well, and have not moved since
            deep, depths = drawn._overlapping(pairs[moved], shifts[moved], bones)
            out = again[drawn._beyond(again) > 0.0]
            again = np.union1d(deep[:, turn % 2], out).astype(np.int64)  # of a pair one is enough, each in its turn
            if not again.size:
                return drawn
            faults = len(deep) + out.size
            fewest, since = (faults, 0) if faults < fewest else (fewest, since + 1)
            if since == PATIENCE:
                break
            positions, orientations = drawn.positions.copy(), drawn.orientations.copy()
            positions[again], orientations[again] = draw(again)
        warnings.warn(
            f"{len(deep)} pairs of grains overlap{worst_pair(deep, depths)}, and "
            f"{out.size} grains stick out of the box: expand the packing "
            f"(by {drawn.room():.4g} there is room for any orientation)",
            OverlapWarning,
            stacklevel=3,
        )
        return drawn

    def overlaps(self) -> tuple[Ints, Floats]:
        """Pairs (m, 2) of grains that overlap, images included, and how deep each (m,): r_i + r_j − distance of skeletons.

        Skeletons that cross are at the distance 0.
        """
        return self._overlapping(*self._crowded(), self._bones())

    def _bones(self) -> list[Skeleton]:
        """Skeletons in the body frames, one for every grain; grains of one shape share it."""
        known = {id(shape): shape for shape in self.shapes}
        bones = {key: skeleton_of(shape) for key, shape in known.items()}
        return [bones[id(shape)] for shape in self.shapes]

    def _beyond(self, numbers: Ints) -> Floats:
        """How far each of some grains sticks out of the closed sides; 0 for one that does not."""
        far = np.zeros(len(numbers))
        closed = ~np.array(self.periodic)
        for place, k in enumerate(numbers):
            shape, rel = self.shapes[k], self.positions[k] - self.corner
            if ((rel >= shape.reach) & (rel <= self.size - shape.reach))[closed].all():
                continue
            corners = shape.vertices @ matrix(self.orientations[k]).T + rel
            low, high = corners.min(axis=0) - shape.radius, corners.max(axis=0) + shape.radius
            out = float(np.where(closed, np.maximum(-low, high - self.size), 0.0).max())
            far[place] = out if out > TOUCH * shape.radius else 0.0
        return far

    def _crowded(self) -> tuple[Ints, Floats]:
        """Pairs (m, 2) whose balls overlap, every image once, and the shift (m, 3) of the second to the image meant.

        Only these grains can overlap, whatever their orientations.
        """
        reach = self._reaches()
        most = float(reach.max(initial=0.0))
        whole = np.where(self.periodic, np.floor((self.positions - self.corner) / self.size) * self.size, 0.0)
        at = self.positions - whole
        owner, places = with_images(at, self.corner, self.size, self.periodic, 2.0 * most)
        shift = places - at[owner]
        near = cKDTree(at).sparse_distance_matrix(cKDTree(places), 2.0 * most, output_type="ndarray") if len(self) else NOBODY
        first, second = near["i"].astype(np.int64), near["j"].astype(np.int64)
        other = owner[second]
        # each pair once: by number, and a grain with its own image by the sign of the shift
        sign = np.sign(shift[second])
        ahead = (other == first) & ((sign * np.array([4.0, 2.0, 1.0])).sum(axis=1) > 0.0)
        counted = (near["v"] < reach[first] + reach[other]) & ((first < other) | ahead)
        first, second, other = first[counted], second[counted], other[counted]
        order = np.lexsort((second, other, first))
        first, second, other = first[order], second[order], other[order]
        # shift of the second grain from where it stands to the image that is near the first where that stands
        return np.stack([first, other], axis=1), shift[second] - whole[other] + whole[first]

    def _overlapping(self, pairs: Ints, shifts: Floats, bones: Sequence[Skeleton]) -> tuple[Ints, Floats]:
        """Of some pairs, those that overlap, and the depths; `bones` are all skeletons in their body frames."""
        placed = {int(k): bones[k].placed(self.positions[k], self.orientations[k]) for k in np.unique(pairs)}
        depths = np.zeros(len(pairs))
        for m, (i, j) in enumerate(pairs.tolist()):
            radii = (self.shapes[i].radius, self.shapes[j].radius)
            one, other = placed[i], placed[j].shifted(shifts[m])
            enough = sum(radii) - TOUCH * min(radii)
            if slab(one, other) < enough:
                apart = distance(one, other)
                depths[m] = sum(radii) - apart if apart < enough else 0.0
        deep = depths > 0.0
        return pairs[deep], depths[deep]


NOBODY: NDArray[Any] = np.zeros(0, dtype=[("i", np.intp), ("j", np.intp), ("v", np.float64)])


def with_images(at: Floats, corner: Floats, size: Floats, periodic: Periodic, span: float) -> tuple[Ints, Floats]:
    """Numbers (m,) and places (m, 3) of points `at` (n, 3) in a box, then of all their images up to `span` outside."""
    most = [math.ceil(span / length) if p else 0 for length, p in zip(size, periodic, strict=True)]
    numbers, places = [np.arange(len(at))], [at]
    for image in itertools.product(*(range(-m, m + 1) for m in most)):
        if any(image):
            copies = at + np.array(image) * size
            outside = np.where(periodic, np.maximum(corner - copies, copies - corner - size), 0.0).max(axis=1)
            numbers.append(np.flatnonzero(outside <= span))
            places.append(copies[outside <= span])
    return np.concatenate(numbers), np.concatenate(places)


def checked_size(size: ArrayLike) -> Floats:
    """Three positive lengths (3,)."""
    try:
        array = np.array(size, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape != (3,) or not (np.isfinite(array) & (array > 0.0)).all():
        raise InputError(f"the size of a box must be three positive lengths, along x, y and z, not {size!r}")
    return array


def checked_periodic(periodic: bool | Sequence[bool]) -> Periodic:
    """Along x, y, z; one answer stands for all three."""
    if isinstance(periodic, bool | np.bool_):
        return (bool(periodic),) * 3
    if len(periodic) != 3 or not all(isinstance(p, bool | np.bool_) for p in periodic):
        raise InputError(f"periodic = {periodic!r} must be True, False, or three of these, along x, y and z")
    x, y, z = (bool(p) for p in periodic)
    return x, y, z
