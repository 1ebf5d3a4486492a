"""The sample between its walls or periods: how wide and high, in space also how deep, it is at samples and frames (model §8)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clast.algebra.quaternions import matrix
from clast.algebra.tensors import turn_between
from clast.errors import InputError
from clast.measures.measure import Measure
from clast.measures.stored import (
    Array,
    StoredRun,
    frame_period,
    in_space,
    is_periodic,
    letters,
    sample_periods,
    samples,
    wall_number,
    wall_samples,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

TURNED = 1e-9  # radians a wall may turn and still have one inner face


class Walls(NamedTuple):
    """Names of the walls around a sample; those of a periodic side are not used.

    left and right bound it along x, bottom and top along y, in space along z; front and back along y, in space only.
    """

    left: str = "left"
    right: str = "right"
    bottom: str = "bottom"
    top: str = "top"
    front: str = "front"
    back: str = "back"

    def along(self, axis: int, axes: int = 2) -> tuple[str, str]:
        """The two walls that bound the sample along an axis of 2 or 3, the one at the smaller coordinate first."""
        if axis == 0:
            return self.left, self.right
        return (self.bottom, self.top) if axis == axes - 1 else (self.front, self.back)


class Region(Measure):
    """How long the sample is along each axis: between the inner faces (skeleton and sphero-radius) of walls, or whole periods.

    walls   names of the walls, `Walls(bottom="floor", top="lid")`; along a periodic side the period counts, fixed or moving
    at      "samples" or "frames"

    After `compute(run)`: time (k,), width along x, height along y, area = width × height; in space height is along z, depth
    along y, and volume = width × depth × height. All (k,) [length, length², length³].
    """

    def __init__(self, walls: Walls = Walls(), *, at: str = "samples") -> None:  # noqa: B008  (a tuple of texts)
        if at not in ("samples", "frames"):
            raise InputError(f'Region: at = "{at}" must be "samples" or "frames"')
        self.walls, self.at = walls, at

    def compute(self, run: StoredRun) -> Region:
        """Read the walls and periods of a run. InputError if it is neither bounded nor periodic somewhere."""
        self.time = samples(run, "time") if self.at == "samples" else np.asarray(run.frames.times)
        if len(self.time) == 0:
            raise InputError(f"the run holds no {self.at}, so its sample has no size")
        at_samples = self.at == "samples"
        periods = sample_periods(run) if at_samples else np.array([frame_period(run, frame) for frame in run.frames])
        self._lengths = [
            periods[:, axis] if is_periodic(run)[axis] else self._between(run, axis) for axis in range(len(letters(run)))
        ]
        self.width, self.height = self._lengths[0], self._lengths[-1]
        return self

    def _between(self, run: StoredRun, axis: int) -> Array:
        """Distance of the inner faces of two walls along an axis, over time."""
        letter = letters(run)[axis]
        low, high = self.walls.along(axis, len(letters(run)))
        gap = self._centre(run, high, axis) + face(run, high, axis, -1) - self._centre(run, low, axis) - face(run, low, axis, 1)
        if gap.min() <= 0.0:
            raise InputError(
                f'walls "{low}" and "{high}" leave no room between their inner faces along {letter}: is "{low}" the one at '
                f"the smaller {letter}?"
            )
        return gap

    def _centre(self, run: StoredRun, name: str, axis: int) -> Array:
        """Where a wall's centre of mass is along an axis, over time."""
        number = wall_number(run, name)
        if self.at == "samples":
            return wall_samples(run, name, letters(run)[axis])
        return np.array([frame["positions"][number, axis] for frame in run.frames])

    @property
    def lengths(self) -> list[Array]:
        """Lengths along x, y and in space z, each (k,)."""
        return self._lengths

    @property
    def depth(self) -> Array:
        """Length along y, in space."""
        self._refuse(2, "the sample lies in the plane and has no depth: read its width and height")
        return self._lengths[1]

    @property
    def size(self) -> Array:
        """Area of the sample, in space its volume (k,)."""
        return self.across(None)

    def across(self, axis: int | None) -> Array:
        """What the sample measures across an axis (k,): in the plane a length, in space an area; across none all of it."""
        others = [length for k, length in enumerate(self.lengths) if k != axis]
        return functools.reduce(np.multiply, others)

    @property
    def area(self) -> Array:
        """Width × height, in the plane."""
        self._refuse(3, "the sample lies in space and has no area: read its volume, or across(axis) for that of a side")
        return self.size

    @property
    def volume(self) -> Array:
        """Width × depth × height, in space."""
        self._refuse(2, "the sample lies in the plane and has no volume: read its area")
        return self.size

    def _refuse(self, axes: int, sentence: str) -> None:
        """InputError for a sample of so many axes."""
        if len(self._lengths) == axes:
            raise InputError(sentence)

    def plot(self, axes: Axes | None = None) -> Figure | SubFigure:
        """Width, height and in space depth over time; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(figsize=(6, 4), layout="constrained")[1]
        names = ("width", "height") if len(self.lengths) == 2 else ("width", "depth", "height")
        for name, length in zip(names, self.lengths, strict=True):
            axes.plot(self.time, length, label=name)
        axes.set(xlabel="time", ylabel="length")
        axes.legend()
        return axes.figure


def face(run: StoredRun, name: str, axis: int, side: int) -> float:
    """From a wall's centre of mass to its face, the farthest point of its surface towards +axis (side 1) or −axis (−1).

    The wall stands as in the first frame; InputError if it has turned by the last. Without frames it is taken as drawn.
    """
    number, scene = wall_number(run, name), run.scene
    shape = int(scene["body_shape"][number])
    vertices = scene["shape_vertices"][scene["shape_first_vertex"][shape] : scene["shape_first_vertex"][shape + 1]]
    across = standing_in_space(run, name, number, axis) if in_space(run) else standing(run, name, number, axis)
    return side * float((side * (vertices @ np.array(across))).max() + scene["shape_radius"][shape])


def standing(run: StoredRun, name: str, number: int, axis: int) -> tuple[float, float]:
    """An axis of the plane (2,) as a wall that does not turn sees it in its own frame."""
    angle = 0.0
    if len(run.frames):
        angle, last = (float(run.frames[k]["angles"][number]) for k in (0, -1))
        refuse_turning(name, last - angle)
    return (np.cos(angle), -np.sin(angle)) if axis == 0 else (np.sin(angle), np.cos(angle))


def standing_in_space(run: StoredRun, name: str, number: int, axis: int) -> Array:
    """An axis of space (3,) as a wall that does not turn sees it in its own frame."""
    if not len(run.frames):  # a wall's own coordinates are the world's: it stands as it was drawn
        return matrix(run.scene["shape_orientation"][run.scene["body_shape"][number]])[axis]
    first, last = (np.asarray(run.frames[k]["orientations"][number], dtype=np.float64) for k in (0, -1))
    refuse_turning(name, float(np.linalg.norm(turn_between(first, last))))
    return matrix(first)[axis]


def refuse_turning(name: str, turn: float) -> None:
    """InputError if a wall turns by more than round-off [radians]."""
    if abs(turn) > TURNED:
        raise InputError(f'wall "{name}" turns by {turn:.3g} during the run, so it has no one inner face; fix its spin')
