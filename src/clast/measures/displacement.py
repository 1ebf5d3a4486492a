"""Where grains went between two frames (model §8; PRE10 fig 15): displacements and rotations of their centres of mass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clast.algebra.lattice import numbers, shifts
from clast.algebra.tensors import turn_between
from clast.errors import InputError
from clast.measures.measure import Measure
from clast.measures.stored import (
    StoredRun,
    diameters_of,
    frame_at,
    frame_number,
    frame_offset,
    frame_period,
    in_space,
    letters,
    present_grains,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


class Displacement(Measure):
    """Displacements of the grains between two frames; walls are left out.

    first, last   numbers of the frames, negative from the end

    After `compute(run)`: ids (n,) of the grains that are there in both frames, positions (n, d) at the first, put back into
    a periodic box, vectors (n, d) of what the image there moved by (in a cell that moves, with its period), turns (n,)
    [radians], and spacing, the mean diameter 2√(area/π) of these grains.

    In space the turns are vectors (n, 3), axis × angle of the shortest turn between the two orientations (0 … π: whole turns
    in between leave no trace), and diameters are (6V/π)^⅓.
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
        old, new = ((frame_period(run, frame), frame_offset(frame)) for frame in (begin, end))
        image = numbers(before, *old)
        self.positions = before - shifts(image, *old)
        self.vectors = (after - shifts(image, *new)) - self.positions
        name = "orientations" if in_space(run) else "angles"
        old_turn, new_turn = (np.asarray(frame[name], dtype=np.float64)[self.ids] for frame in (begin, end))
        self.turns = turn_between(old_turn, new_turn) if in_space(run) else new_turn - old_turn
        self.spacing = float(diameters_of(run, self.ids).mean())
        self._letters = letters(run)
        return self

    def plot(self, axes: Axes | None = None, scale: float = 1.0, *, view: str | None = None) -> Figure | SubFigure:
        """Arrows of the displacements, `scale` times as long as they are; returns the figure.

        view   the two axes that are shown, to the right and upwards; by default "xy" in the plane and "xz" in space
        """
        import matplotlib.pyplot as plt

        shown = ("xy" if self._letters == "xy" else "xz") if view is None else view
        if len(shown) != 2 or shown[0] == shown[1] or not set(shown) <= set(self._letters):
            raise InputError(f'Displacement: view = "{view}" must be two different ones of the axes {", ".join(self._letters)}')
        pick = [self._letters.index(letter) for letter in shown]
        if axes is None:
            axes = plt.subplots(figsize=(6, 6), layout="constrained")[1]
        axes.quiver(
            *self.positions[:, pick].T, *self.vectors[:, pick].T, angles="xy", scale_units="xy", scale=1.0 / scale,
            width=0.002, color="C0",
        )  # fmt: skip
        axes.set(xlabel=shown[0], ylabel=shown[1], title=f"displacements from t = {self.times[0]:.4g} to {self.times[1]:.4g}" + (
            f", × {scale:g}" if scale != 1.0 else ""
        ))  # fmt: skip
        axes.set_aspect("equal")
        return axes.figure
