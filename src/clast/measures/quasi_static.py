"""Whether a test is slow enough (model §8): inertial number I = ε̇√(m/p), unbalanced force = mean |ΣF| / mean contact force.

In space I = ε̇ d√(ρ/p): ρ is the mass of the grains over their volume, d the mean of their diameters (6V/π)^⅓. Of equal disks
√(m/p) is the same but for a factor: d√(πρ/4p).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clast.errors import InputError
from clast.measures.measure import Measure
from clast.measures.region import Walls
from clast.measures.stored import StoredRun, check_axis, diameters_of, grains_of, in_space, samples, sizes_of
from clast.measures.strain import Strain
from clast.measures.stress import Stress

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SLOW = 1e-3  # inertial number below which a test counts as quasi-static


class QuasiStatic(Measure):
    """Inertial number and unbalanced force over samples.

    rate     strain rate [1/time]; None takes that of the sample's own axial strain
    axis     of loading, where the rate is measured: "x", "y", in space "z"; None is that from bottom to top
    source   of the stress, "contacts" or "walls"
    walls    names of the walls around the sample

    After `compute(run)`: time (k,), inertial (k,) with the mean grain mass m and p = (σ₁ + σ₃)/2, in space with ρ, d and
    p = (σ₁ + σ₂ + σ₃)/3, infinite where nothing presses; unbalanced (k,); slow, whether I < 1e-3 at all samples.
    """

    def __init__(
        self,
        rate: float | None = None,
        *,
        axis: str | None = None,
        source: str = "contacts",
        walls: Walls = Walls(),  # noqa: B008  (a tuple of texts)
    ) -> None:
        check_axis("QuasiStatic", axis)
        self.rate, self.axis, self.source, self.walls = rate, axis, source, walls

    def compute(self, run: StoredRun) -> QuasiStatic:
        """Compute from a run; returns itself. InputError names what the run lacks."""
        stress = Stress(self.source, walls=self.walls).compute(run)
        self.time = stress.time
        rate = (
            Strain(self.axis, since=float(self.time[0]), walls=self.walls).compute(run).rate if self.rate is None else self.rate
        )
        grains = grains_of(run)
        if not grains.any():
            raise InputError("the run has no grains, so it has no inertial number")
        mass = np.asarray(run.scene["body_mass"])[grains]
        per_pressure = float(mass.mean())
        if in_space(run):
            per_pressure = float(mass.sum() / sizes_of(run)[grains].sum() * diameters_of(run, grains).mean() ** 2)
        self._label = r"$I=\dot\varepsilon d\sqrt{\rho/p}$" if in_space(run) else r"$I=\dot\varepsilon\sqrt{m/p}$"
        p = stress.p
        with np.errstate(divide="ignore", invalid="ignore"):
            self.inertial = np.where(p > 0.0, np.abs(rate) * np.sqrt(per_pressure / p), np.inf)
        self.unbalanced = samples(run, "unbalanced_force")
        self.slow = bool(self.inertial.max() < SLOW)
        return self

    def plot(self, axes: Axes | None = None) -> Figure | SubFigure:
        """Both over time on a logarithmic scale; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(figsize=(6, 4), layout="constrained")[1]
        for values, label in ((self.inertial, self._label), (self.unbalanced, "unbalanced force")):
            seen = np.isfinite(values) & (values > 0.0)
            axes.semilogy(self.time[seen], values[seen], label=label)
        axes.axhline(SLOW, color="0.6", lw=0.8, ls="--", label=f"slow: I below {SLOW:g}")
        axes.set(xlabel="time", ylabel="number")
        axes.legend()
        return axes.figure
