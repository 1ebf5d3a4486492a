"""Strain of a sample (model §8): ε_a = −ΔH/H₀ along the axis of loading, ε_l across it, ε_v = ΔA/A₀, ε_d = ε₁ − ε₃.

In space ε_v = ΔV/V₀, and ε_l is the mean of the strains along the two axes across: in a triaxial test they are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clast.errors import InputError
from clast.measures.measure import Measure
from clast.measures.region import Region, Walls
from clast.measures.stored import (
    Array,
    StoredRun,
    axis_number,
    check_axis,
    frame_offset,
    is_periodic,
    letters,
    samples,
    wall_number,
    wall_samples,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


class Strain(Measure):
    """Strains over time, from the size of the sample; compression positive, but ε_v positive for dilation.

    axis    of loading, "x", "y" or in space "z"; None is that from bottom to top, y in the plane and z in space
    since   time from which strain is counted: sizes then are H₀ and A₀ (V₀)
    walls   names of the walls around the sample
    at      "samples" or "frames"

    After `compute(run)`: time (k,), along (k, d) by axis, axial ε_a, lateral ε_l, volumetric ε_v, deviatoric ε_d = ε_a − ε_l
    (that is ε₁ − ε₃ while the axis is the one shortened), and shear γ = Δ(x_top − x_bottom)/H₀ of a cell with plates below and
    above: (k,), in space (k, 2) along x and y; of a sheared cell (k,), by how much its offset has grown over period_y at first.
    """

    def __init__(
        self,
        axis: str | None = None,
        *,
        since: float = 0.0,
        walls: Walls = Walls(),  # noqa: B008  (a tuple of texts)
        at: str = "samples",
    ) -> None:
        check_axis("Strain", axis)
        self.axis, self.since, self.walls, self.at = axis, since, walls, at

    def compute(self, run: StoredRun) -> Strain:
        """Compute from a run; returns itself. InputError names what the run lacks."""
        axis = axis_number(run, "Strain", self.axis)
        region = Region(self.walls, at=self.at).compute(run)
        self.time = region.time
        if not self.time[0] - 1e-9 * abs(self.time[-1]) <= self.since <= self.time[-1]:
            raise InputError(
                f"Strain: since = {self.since} is outside of the run's times {self.time[0]:.6g} … {self.time[-1]:.6g}"
            )
        self.along = np.stack([1.0 - length / self._start(length) for length in region.lengths], axis=1)
        self.axial = self.along[:, axis]
        self.lateral = np.delete(self.along, axis, axis=1).mean(axis=1)
        self.volumetric = region.size / self._start(region.size) - 1.0
        self._moved = self._plates(run, region)
        return self

    def _start(self, values: Array) -> float:
        """A quantity at the time from which strain is counted."""
        return float(np.interp(self.since, self.time, values))

    def _plates(self, run: StoredRun, region: Region) -> Array | None:
        """γ from the plates, None where the sample has none below and above."""
        if "cell.offset" in run.series:
            return self._leaned(run, region)
        if is_periodic(run)[-1]:
            return None
        level = letters(run)[:-1]
        slid = [self._slid(run, axis, letter) / self._start(region.height) for axis, letter in enumerate(level)]
        return slid[0] if len(slid) == 1 else np.stack(slid, axis=1)

    def _leaned(self, run: StoredRun, region: Region) -> Array:
        """γ from the offset of a sheared cell."""
        frames = self.at == "frames"
        offset = np.array([frame_offset(frame) for frame in run.frames]) if frames else samples(run, "cell.offset")
        return (offset - self._start(offset)) / self._start(region.lengths[1])

    def _slid(self, run: StoredRun, axis: int, letter: str) -> Array:
        """How far the plate above has moved past the one below along an axis, over time."""
        places = []
        for name in (self.walls.top, self.walls.bottom):
            number = wall_number(run, name)
            frames = self.at == "frames"
            places.append(
                np.array([frame["positions"][number, axis] for frame in run.frames])
                if frames
                else wall_samples(run, name, letter)
            )
        apart = places[0] - places[1]
        return apart - self._start(apart)

    @property
    def deviatoric(self) -> Array:
        """ε_d = ε_a − ε_l."""
        return self.axial - self.lateral

    @property
    def shear(self) -> Array:
        """γ; InputError in a sample without plates that is not a sheared cell."""
        if self._moved is None:
            raise InputError("the sample has a period upwards: there are no plates whose motion would be its shear strain")
        return self._moved

    @property
    def rate(self) -> Array:
        """dε_a/dt by central differences [1/time]; zeros in a run of one sample."""
        return np.gradient(self.axial, self.time) if len(self.time) > 1 else np.zeros(1)

    def plot(self, axes: Axes | None = None) -> Figure | SubFigure:
        """Volumetric against axial strain; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(figsize=(6, 4), layout="constrained")[1]
        axes.plot(self.axial, self.volumetric)
        axes.set(xlabel=r"axial strain $\varepsilon_a$", ylabel=r"volumetric strain $\varepsilon_v$ (dilation positive)")
        return axes.figure
