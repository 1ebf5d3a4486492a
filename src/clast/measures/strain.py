"""Strain of a sample (model §8): ε_a = −ΔH/H₀ along the axis of loading, ε_l across it, ε_v = ΔA/A₀, ε_d = ε₁ − ε₃."""

from __future__ import annotations

from typing import Any

import numpy as np

from clast.errors import InputError
from clast.measures.measure import Measure
from clast.measures.region import Region, Walls
from clast.measures.stored import Array, StoredRun, is_periodic, wall_number, wall_samples


class Strain(Measure):
    """Strains over time, from the size of the sample; compression positive, but ε_v positive for dilation.

    axis    "y" (top and bottom load) or "x"
    since   time from which strain is counted: sizes then are H₀ and A₀
    walls   names of the walls around the sample
    at      "samples" or "frames"

    After `compute(run)`: time (k,), axial ε_a, lateral ε_l, volumetric ε_v, deviatoric ε_d = ε_a − ε_l (that is ε₁ − ε₃
    while the axis is the one shortened), and shear γ = Δ(x_top − x_bottom)/H₀ of a cell with plates below and above.
    """

    def __init__(self, axis: str = "y", *, since: float = 0.0, walls: Walls = Walls(), at: str = "samples") -> None:  # noqa: B008
        if axis not in ("x", "y"):
            raise InputError(f'Strain: axis = "{axis}" must be "x" or "y"')
        self.axis, self.since, self.walls, self.at = axis, since, walls, at

    def compute(self, run: StoredRun) -> Strain:
        """Read a run; InputError says what it lacks."""
        region = Region(self.walls, at=self.at).compute(run)
        self.time = region.time
        if not self.time[0] - 1e-9 * abs(self.time[-1]) <= self.since <= self.time[-1]:
            raise InputError(
                f"Strain: since = {self.since} is outside of the run's times {self.time[0]:.6g} … {self.time[-1]:.6g}"
            )
        height, width = (region.height, region.width) if self.axis == "y" else (region.width, region.height)
        self.axial, self.lateral = (1.0 - length / self._start(length) for length in (height, width))
        self.volumetric = region.area / self._start(region.area) - 1.0
        self._moved = self._plates(run, region)
        return self

    def _start(self, values: Array) -> float:
        """A quantity at the time from which strain is counted."""
        return float(np.interp(self.since, self.time, values))

    def _plates(self, run: StoredRun, region: Region) -> Array | None:
        """γ from the plates, None where the sample has none below and above."""
        if is_periodic(run)[1]:
            return None
        places = []
        for name in (self.walls.top, self.walls.bottom):
            number = wall_number(run, name)
            frames = self.at == "frames"
            places.append(
                np.array([frame["positions"][number, 0] for frame in run.frames]) if frames else wall_samples(run, name, "x")
            )
        apart = places[0] - places[1]
        return (apart - self._start(apart)) / self._start(region.height)

    @property
    def deviatoric(self) -> Array:
        """ε_d = ε_a − ε_l."""
        return self.axial - self.lateral

    @property
    def shear(self) -> Array:
        """γ; InputError in a sample without plates."""
        if self._moved is None:
            raise InputError("the sample is periodic along y: there are no plates whose motion would be its shear strain")
        return self._moved

    @property
    def rate(self) -> Array:
        """dε_a/dt by central differences [1/time]; zeros in a run of one sample."""
        return np.gradient(self.axial, self.time) if len(self.time) > 1 else np.zeros(1)

    def plot(self, axes: Any = None) -> Any:
        """Volumetric against axial strain; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(figsize=(6, 4), layout="constrained")[1]
        axes.plot(self.axial, self.volumetric)
        axes.set(xlabel=r"axial strain $\varepsilon_a$", ylabel=r"volumetric strain $\varepsilon_v$ (dilation positive)")
        return axes.figure
