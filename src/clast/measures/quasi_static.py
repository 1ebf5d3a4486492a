"""Whether a test is slow enough (model §8): inertial number I = ε̇√(m/p), unbalanced force = mean |ΣF| / mean contact force."""

from __future__ import annotations

from typing import Any

import numpy as np

from clast.errors import InputError
from clast.measures.measure import Measure
from clast.measures.region import Walls
from clast.measures.stored import StoredRun, grains_of, samples
from clast.measures.strain import Strain
from clast.measures.stress import Stress

SLOW = 1e-3  # inertial number below which a test counts as quasi-static


class QuasiStatic(Measure):
    """Inertial number and unbalanced force over samples.

    rate     strain rate [1/time]; None takes that of the sample's own axial strain
    axis     of loading, "y" or "x", where the rate is measured
    source   of the stress, "contacts" or "walls"
    walls    names of the walls around the sample

    After `compute(run)`: time (k,), inertial (k,) with the mean grain mass m and p = (σ₁ + σ₃)/2, infinite where nothing
    presses; unbalanced (k,); slow, whether I < 1e-3 at all samples.
    """

    def __init__(
        self,
        rate: float | None = None,
        *,
        axis: str = "y",
        source: str = "contacts",
        walls: Walls = Walls(),  # noqa: B008  (a tuple of texts)
    ) -> None:
        self.rate, self.axis, self.source, self.walls = rate, axis, source, walls

    def compute(self, run: StoredRun) -> QuasiStatic:
        """Read a run; InputError says what it lacks."""
        stress = Stress(self.source, walls=self.walls).compute(run)
        self.time = stress.time
        rate = (
            Strain(self.axis, since=float(self.time[0]), walls=self.walls).compute(run).rate if self.rate is None else self.rate
        )
        grains = grains_of(run)
        if not grains.any():
            raise InputError("the run has no grains, so it has no inertial number")
        mass = float(np.asarray(run.scene["body_mass"])[grains].mean())
        p = stress.p
        with np.errstate(divide="ignore", invalid="ignore"):
            self.inertial = np.where(p > 0.0, np.abs(rate) * np.sqrt(mass / p), np.inf)
        self.unbalanced = samples(run, "unbalanced_force")
        self.slow = bool(self.inertial.max() < SLOW)
        return self

    def plot(self, axes: Any = None) -> Any:
        """Both over time on a logarithmic scale; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(figsize=(6, 4), layout="constrained")[1]
        for values, label in ((self.inertial, r"$I=\dot\varepsilon\sqrt{m/p}$"), (self.unbalanced, "unbalanced force")):
            seen = np.isfinite(values) & (values > 0.0)
            axes.semilogy(self.time[seen], values[seen], label=label)
        axes.axhline(SLOW, color="0.6", lw=0.8, ls="--", label=f"slow: I below {SLOW:g}")
        axes.set(xlabel="time", ylabel="number")
        axes.legend()
        return axes.figure
