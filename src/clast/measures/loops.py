"""Cycles of loading (model §8, PRE10 eq 26-28): area of each hysteresis loop, its tip, damping, and the strain that stays.

    A_loop = ∮ (σ_a − σ₀) dε_a over one cycle, closed by a chord        D = A_loop / (½ σ_m ε_m)

σ₀ is the axial stress at the start of the cycle, (σ_m, ε_m) the tip: largest strain since the start, and the stress there less
σ₀ (stress rings where grains rearrange, so its own maximum may be anywhere). The chord closes the curve, so that σ₀ drops out of
the area. A loop that leaves energy behind is positive; one that stays between its start and its tip has D ≤ 2.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from clast.errors import InputError
from clast.measures.measure import Measure
from clast.measures.region import Walls
from clast.measures.stored import Array, StoredRun, axis_number, check_axis, is_periodic
from clast.measures.strain import Strain
from clast.measures.stress import Stress

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

FEWEST = 8  # samples in a cycle, below which a loop is no curve
LOW = 0.25  # of a cycle's swing: within this of its lowest stress a cycle begins, or the period is not that of the load
SWINGS = 1e-3  # of the stress: a smaller swing is none
BRIGHTEST = 0.85  # of the colour map: beyond it lines vanish on white


class CycleWarning(UserWarning):
    """Cycles that do not begin where the load is lowest."""


class Loops(Measure):
    """Hysteresis loops of a test under a load of known period, cycle by cycle.

    period   of the load [time]
    begin    time at which the first cycle starts; strain is counted from there
    axis     of loading, "x", "y", in space "z"; None is that from bottom to top
    source   of the stress, "walls" or "contacts"; a sample without walls has contacts only
    walls    names of the walls around the sample

    After `compute(run)`, for the n whole cycles of the run: area (n,) [force/length, in space force/area], tip_stress σ_m and
    tip_strain ε_m (n,), damping D (n,), accumulated (n,), the strain left at the end of each cycle, and per_cycle (n,), what
    each has added to it.
    `loop(k)` gives strain and stress along a cycle. `read(time, strain, stress)` does the same to curves one has already.

    Cycles begin where the load is lowest; CycleWarning where they do not. Where no sample lies at the end of a cycle the
    curves are interpolated by cubics.
    """

    example: ClassVar[Mapping[str, Any]] = {"period": 1.0}

    def __init__(
        self,
        period: float,
        *,
        begin: float = 0.0,
        axis: str | None = None,
        source: str = "walls",
        walls: Walls = Walls(),  # noqa: B008  (a tuple of texts)
    ) -> None:
        if not (isinstance(period, int | float | np.number) and np.isfinite(period) and period > 0.0):
            raise InputError(f"Loops: period = {period!r} must be a positive time")
        check_axis("Loops", axis)
        self.period, self.begin, self.axis, self.source, self.walls = period, begin, axis, source, walls

    def compute(self, run: StoredRun) -> Loops:
        """Compute from a run; returns itself. InputError names what the run lacks."""
        axis = axis_number(run, "Loops", self.axis)
        source = "contacts" if is_periodic(run).all() else self.source
        stress = Stress(source, walls=self.walls).compute(run)
        strain = Strain(self.axis, since=self.begin, walls=self.walls).compute(run)
        return self.read(strain.time, strain.axial, stress.tensor[:, axis, axis])

    def read(self, time: Array, strain: Array, stress: Array) -> Loops:
        """Cut curves over time into cycles; InputError where not a single one is whole, or too few samples lie in one."""
        whole = int(np.floor((time[-1] - self.begin) / self.period + 1e-6))
        if whole < 1:
            raise InputError(f"Loops: the run ends at {time[-1]:.6g}, before the first cycle of {self.period:.6g} is over")
        if len(time) < 2 or np.diff(time).max() > self.period / FEWEST:
            raise InputError(
                f"Loops: samples lie too far apart for a period of {self.period:.6g}; ask for at least {FEWEST} each"
            )
        self._loops = [self._cut(time, strain, stress, k) for k in range(whole)]
        self._check_phase()
        tips = [tip_of(*each) for each in self._loops]
        start = self._loops[0][0][0]
        self.area = np.array([loop_area(*each) for each in self._loops])
        self.tip_strain, self.tip_stress = (np.array([tip[axis] for tip in tips]) for axis in range(2))
        self.accumulated = np.array([each[0][-1] - start for each in self._loops])
        return self

    def _cut(self, time: Array, strain: Array, stress: Array, number: int) -> tuple[Array, Array]:
        """Strain and stress along a cycle, both ends included."""
        ends = [self.begin + (number + end) * self.period for end in (0, 1)]
        near = 1e-6 * self.period  # a sample this close to an end is that end
        inside = (time > ends[0] + near) & (time < ends[1] - near)
        return tuple(
            np.concatenate([[between(time, values, ends[0], near)], values[inside], [between(time, values, ends[1], near)]])
            for values in (strain, stress)
        )  # type: ignore[return-value]

    def _check_phase(self) -> None:
        """CycleWarning for the first cycle that does not begin near its lowest stress."""
        for k, (_, stress) in enumerate(self._loops):
            swing = float(np.ptp(stress))
            above = float(stress[0] - stress.min())
            if swing > SWINGS * float(np.abs(stress).max()) and above > LOW * swing:
                warnings.warn(
                    f"Loops: cycle {k} begins {above / swing:.0%} of its swing above its lowest stress: areas and strains per "
                    f"cycle mean nothing unless period = {self.period:.6g} and begin = {self.begin:.6g} are those of the load",
                    CycleWarning,
                    stacklevel=4,
                )
                return

    def loop(self, number: int) -> tuple[Array, Array]:
        """Strain and stress along a cycle, counted from 0; negative from the end."""
        if not -len(self._loops) <= number < len(self._loops):
            raise InputError(f"Loops: there is no cycle {number}: the run has {len(self._loops)}")
        return self._loops[number]

    @property
    def damping(self) -> Array:
        """D = A_loop / (½ σ_m ε_m) (PRE10 eq 27); NaN for a cycle without a tip."""
        triangle = 0.5 * self.tip_stress * self.tip_strain
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(triangle > 0.0, self.area / triangle, np.nan)

    @property
    def per_cycle(self) -> Array:
        """Strain each cycle has added."""
        return np.diff(self.accumulated, prepend=0.0)

    def rate(self, part: float = 0.5) -> float:
        """Strain per cycle, mean over the last part of the cycles, at least over one."""
        last = max(1, round(part * len(self.accumulated)))
        return float(self.per_cycle[-last:].mean())

    def plot(self, axes: Axes | None = None) -> Figure | SubFigure:
        """Stress against strain; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(figsize=(6, 4), layout="constrained")[1]
        last = len(self._loops) - 1
        for k, (strain, stress) in enumerate(self._loops):
            colour = plt.get_cmap("viridis")(BRIGHTEST * k / max(last, 1))
            axes.plot(strain, stress, lw=0.9, color=colour, label=f"cycle {k + 1}" if k in (0, last) else None)
        axes.legend()
        axes.set(xlabel=r"axial strain $\varepsilon_a$", ylabel=r"axial stress $\sigma_a$ (force/length)")
        return axes.figure


def between(time: Array, values: Array, at: float, near: float) -> float:
    """A curve at a time: the sample there, or a cubic through the two samples on either side.

    Strain is near its lowest at the end of a cycle: a straight line would lie above it by more than a cycle adds.
    """
    k = int(np.argmin(np.abs(time - at)))
    if abs(time[k] - at) <= near or len(time) < 4:
        return float(np.interp(at, time, values))
    first = int(np.clip(np.searchsorted(time, at) - 2, 0, len(time) - 4))
    from scipy.interpolate import BarycentricInterpolator  # slow to import, and few runs need it

    return float(BarycentricInterpolator(time[first : first + 4], values[first : first + 4])(at))


def loop_area(strain: Array, stress: Array) -> float:
    """∮ σ dε along a curve closed by the chord from its end to its start; clockwise in the (ε, σ) plane is positive."""
    closed, height = np.append(strain, strain[0]), np.append(stress, stress[0]) - stress[0]
    return float(np.sum(0.5 * (height[1:] + height[:-1]) * np.diff(closed)))


def tip_of(strain: Array, stress: Array) -> tuple[float, float]:
    """Strain and stress at the largest strain of a cycle, both less those at its start."""
    tip = int(np.argmax(strain))
    return float(strain[tip] - strain[0]), float(stress[tip] - stress[0])
