"""How much of a sample is empty (model §8): void ratio (A − A_p)/A_p and packing fraction A_p/A, A between wall surfaces.

A_p is the sum of the grains' own areas; in space volumes V and V_p stand for them. Where grains overlap that counts twice:
nothing is subtracted, so a soft packing reads a little denser than its outline (the series "overlap_share" tells how soft).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clast.errors import InputError
from clast.measures.measure import Measure
from clast.measures.region import Region, Walls
from clast.measures.stored import StoredRun, grains_of, in_space, present_grains, sizes_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


class VoidRatio(Measure):
    """Void ratio and packing fraction over time; all grains of the run are taken to lie in the sample.

    walls   names of the walls around the sample; a periodic side needs none
    at      "samples" or "frames"

    After `compute(run)`: time (k,), void_ratio (k,), fraction (k,), grain_area [length²] or in space grain_volume [length³].
    """

    def __init__(self, walls: Walls = Walls(), *, at: str = "samples") -> None:  # noqa: B008  (a tuple of texts)
        self.walls, self.at = walls, at

    def compute(self, run: StoredRun) -> VoidRatio:
        """Compute from a run; returns itself. InputError names what the run lacks."""
        region = Region(self.walls, at=self.at).compute(run)
        grains = grains_of(run)
        if not grains.any():
            raise InputError("the run has no grains, so its sample is all void")
        ends = (run.frames[k] for k in (0, -1)) if len(run.frames) else ()
        if any(not present_grains(run, frame)[grains].all() for frame in ends):
            raise InputError(
                "grains came in or were taken out during the run (sources, sinks, remove_below): the sample has no one void ratio"
            )
        self.time = region.time
        self._size, self._letter = float(sizes_of(run)[grains].sum()), "V" if in_space(run) else "A"
        self.void_ratio = region.size / self._size - 1.0
        self.fraction = self._size / region.size
        return self

    @property
    def grain_area(self) -> float:
        """Areas of all grains together, in the plane."""
        if self._letter == "V":
            raise InputError("grains in space have no area: read grain_volume")
        return self._size

    @property
    def grain_volume(self) -> float:
        """Volumes of all grains together, in space."""
        if self._letter == "A":
            raise InputError("grains in the plane have no volume: read grain_area")
        return self._size

    def plot(self, axes: Axes | None = None) -> Figure | SubFigure:
        """Void ratio over time; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(figsize=(6, 4), layout="constrained")[1]
        axes.plot(self.time, self.void_ratio)
        axes.set(xlabel="time", ylabel=f"void ratio $({self._letter} - {self._letter}_p)/{self._letter}_p$")
        return axes.figure
