"""Where grains went between two frames (model §8; PRE10 fig 15): displacements and rotations of their centres of mass."""

from __future__ import annotations

from typing import Any

import numpy as np

from clast.errors import InputError
from clast.measures.measure import Measure
from clast.measures.stored import StoredRun, frame_at, frame_number, frame_period, of_scene, present_grains


class Displacement(Measure):
    """Displacements of the grains between two frames; walls are left out.

    first, last   numbers of the frames, negative from the end

    After `compute(run)`: ids (n,) of the grains that are there in both frames, positions (n, 2) at the first, put back into
    a periodic box, vectors (n, 2) of what the image there moved by (in a cell that moves, with its period), turns (n,)
    [radians], and spacing, the mean diameter 2√(area/π) of these grains.
    """

    def __init__(self, first: int = 0, last: int = -1) -> None:
        self.first, self.last = first, last

    def compute(self, run: StoredRun) -> Displacement:
        """Read two frames of a run; InputError if it lacks them, or they hold no grains."""
        begin, end = frame_at(run, self.first), frame_at(run, self.last)
        if frame_number(run, self.first) == frame_number(run, self.last):
            raise InputError(f"frames {self.first} and {self.last} are the same one: nothing moved between them")
        self.times = (begin.time, end.time)
        self.ids = np.flatnonzero(present_grains(run, begin) & present_grains(run, end))
        if self.ids.size == 0:
            raise InputError(f"no grain is there both in frame {self.first} and in frame {self.last}")
        before, after = (np.asarray(frame["positions"], dtype=np.float64)[self.ids] for frame in (begin, end))
        old, new = (frame_period(run, frame) for frame in (begin, end))
        image = np.where(old > 0.0, np.floor(before / np.where(old > 0.0, old, 1.0)), 0.0)
        self.positions = before - image * old
        self.vectors = (after - image * new) - self.positions
        self.turns = np.asarray(end["angles"])[self.ids] - np.asarray(begin["angles"])[self.ids]
        area = np.asarray(of_scene(run, "body_area"))[self.ids]
        self.spacing = float((2.0 * np.sqrt(area / np.pi)).mean())
        return self

    def plot(self, axes: Any = None, scale: float = 1.0) -> Any:
        """Arrows of the displacements, `scale` times as long as they are; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(figsize=(6, 6), layout="constrained")[1]
        axes.quiver(
            *self.positions.T, *self.vectors.T, angles="xy", scale_units="xy", scale=1.0 / scale, width=0.002, color="C0"
        )  # fmt: skip
        axes.set(xlabel="x", ylabel="y", title=f"displacements from t = {self.times[0]:.4g} to {self.times[1]:.4g}" + (
            f", × {scale:g}" if scale != 1.0 else ""
        ))  # fmt: skip
        axes.set_aspect("equal")
        return axes.figure
