"""The sample between its walls or periods: how wide and high it is at samples and at frames (model §8)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clast.errors import InputError
from clast.measures.measure import Measure
from clast.measures.stored import Array, StoredRun, frame_period, is_periodic, sample_periods, samples, wall_number, wall_samples

TURNED = 1e-9  # radians a wall may turn and still have one inner face


class Walls(NamedTuple):
    """Names of the walls around a sample; those of a periodic side are not asked for."""

    left: str = "left"
    right: str = "right"
    bottom: str = "bottom"
    top: str = "top"

    def along(self, axis: int) -> tuple[str, str]:
        """The two walls that bound the sample along x (0) or y (1), the one at the smaller coordinate first."""
        return (self.left, self.right) if axis == 0 else (self.bottom, self.top)


class Region(Measure):
    """Width and height of the sample: between the inner faces (skeleton and sphero-radius) of walls, or whole periods.

    walls   names of the walls, `Walls(bottom="floor", top="lid")`; along a periodic side the period counts, fixed or moving
    at      "samples" or "frames"

    After `compute(run)`: time (k,), width, height [length], area [length²].
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
        self.width, self.height = (periods[:, axis] if is_periodic(run)[axis] else self._between(run, axis) for axis in range(2))
        return self

    def _between(self, run: StoredRun, axis: int) -> Array:
        """Distance of the inner faces of two walls along an axis, over time."""
        low, high = self.walls.along(axis)
        gap = self._centre(run, high, axis) + face(run, high, axis, -1) - self._centre(run, low, axis) - face(run, low, axis, 1)
        if gap.min() <= 0.0:
            raise InputError(
                f'walls "{low}" and "{high}" leave no room between their inner faces along {"xy"[axis]}: is "{low}" the one at '
                f"the smaller {'xy'[axis]}?"
            )
        return gap

    def _centre(self, run: StoredRun, name: str, axis: int) -> Array:
        """Where a wall's centre of mass is along an axis, over time."""
        number = wall_number(run, name)
        if self.at == "samples":
            return wall_samples(run, name, "xy"[axis])
        return np.array([frame["positions"][number, axis] for frame in run.frames])

    @property
    def area(self) -> Array:
        """Width × height."""
        return self.width * self.height

    def plot(self, axes: Any = None) -> Any:
        """Width and height over time; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(figsize=(6, 4), layout="constrained")[1]
        axes.plot(self.time, self.width, label="width")
        axes.plot(self.time, self.height, label="height")
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
    angle = 0.0
    if len(run.frames):
        angle, last = (float(run.frames[k]["angles"][number]) for k in (0, -1))
        if abs(last - angle) > TURNED:
            raise InputError(
                f'wall "{name}" turns by {last - angle:.3g} during the run, so it has no one inner face; fix its spin'
            )
    across = (np.cos(angle), -np.sin(angle)) if axis == 0 else (np.sin(angle), np.cos(angle))
    return side * float((side * (vertices @ np.array(across))).max() + scene["shape_radius"][shape])
