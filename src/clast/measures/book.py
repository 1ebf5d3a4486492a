"""The energy book (model §7): accounts at an instant, and what they add up to over a run.

    residual = E(t) − E(0) + Q − W        energy_error = max |residual| / S,   S = max(kinetic + elastic) + Q(end)

State functions are taken at samples; heats and works are path integrals from the forces used in the kicks and the
mid-step velocities, each by itself: none is a remainder. Sums run in body and contact order, so that the bits do not
depend on threads, α or outputs.

The kinetic energy at t_n is ½ v₋·M·v₊, with the velocities half a step before and after. It differs from ½ v_n·M·v_n by
Δt²F²/8m, nothing outside contacts, and its change over a step is exactly the work ½(F_n + F_{n+1})·v_{n+½}Δt of the
forces used: so a sample taken inside a collision is as good as one outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

ENERGIES = (
    "translational", "rotational", "gravitational", "normal_elastic", "tangential_elastic", "rolling_elastic", "cohesive"
)  # fmt: skip
KINETIC, ELASTIC = ENERGIES[:2], ENERGIES[3:6]
HEATS = ("heat_sliding", "heat_rolling", "heat_viscous", "heat_drag", "heat_lost_springs")
CARRIED = ("carried_off",)  # kinetic and gravitational energy of grains that were taken out of the run
WORKS = ("work_tags", "work_changes")  # of tags, and of whoever changed a run while it went on
PUSHED = ("overlap_work",)  # against pushes without potential: swings while bodies overlap, what stays was lost by the law
ACCOUNTS = ENERGIES + HEATS + CARRIED + WORKS + PUSHED


def sum_of(values: Mapping[str, float]) -> float:
    """What stays the same in a perfect book, E + Q − W with what was carried off, of the accounts at an instant."""
    kept = sum(values[name] for name in ENERGIES + HEATS + CARRIED + PUSHED)
    return kept - sum(values[name] for name in WORKS)


@dataclass(frozen=True)
class Book:
    """Accounts over a run, arrays over samples."""

    time: np.ndarray
    series: Mapping[str, np.ndarray]

    def __repr__(self) -> str:
        span = f", t = {self.time[0]:g} to {self.time[-1]:g}, energy error {self.energy_error:.2g}" if len(self.time) else ""
        return f"<energy book: {len(self.time)} sample{'' if len(self.time) == 1 else 's'}{span}>"

    def __getitem__(self, account: str) -> np.ndarray:
        if account in ACCOUNTS and account not in self.series:  # a run stored before this account was kept
            return np.zeros(len(self.time))
        return np.asarray(self.series[account])

    def _sum(self, names: tuple[str, ...]) -> np.ndarray:
        return np.sum([self[name] for name in names], axis=0)

    @property
    def energy(self) -> np.ndarray:
        """Kinetic, gravitational and elastic energy together."""
        return self._sum(ENERGIES)

    @property
    def kinetic(self) -> np.ndarray:
        """Translational and rotational energy, each as it is `shown`."""
        return np.sum([self.shown(name) for name in KINETIC], axis=0)

    def shown(self, account: str) -> np.ndarray:
        """An account for the eye: kinetic energy is not negative. In the book ½ v₋·M·v₊ is, by a little, where a body turns back
        within the step; the sums of the book, its residual and its scale keep that."""
        return np.maximum(self[account], 0.0) if account in KINETIC else self[account]

    @property
    def elastic(self) -> np.ndarray:
        """Energy in springs."""
        return self._sum(ELASTIC)

    @property
    def heat(self) -> np.ndarray:
        """All that was dissipated since the start."""
        return self._sum(HEATS)

    @property
    def work(self) -> np.ndarray:
        """Work of all tags, and of changes to the run, since the start."""
        return self._sum(WORKS)

    @property
    def residual(self) -> np.ndarray:
        """E(t) − E(0) + Q − W; the change of each account is taken first, so that a large offset costs no digits.

        Energy that left with removed grains counts as still there.
        """
        change = np.sum([self[name] - self[name][0] for name in ENERGIES + CARRIED + PUSHED], axis=0)
        return change + (self.heat - self.heat[0]) - (self.work - self.work[0])

    @property
    def scale(self) -> float:
        """S = max(kinetic + elastic) + heat at the end."""
        return float((self._sum(KINETIC) + self.elastic).max() + self.heat[-1])

    @property
    def energy_error(self) -> float:
        """max |residual| / S, the figure every run prints."""
        return float(np.abs(self.residual).max() / self.scale) if self.scale > 0.0 else 0.0

    def papers(self) -> dict[str, float]:
        """The papers' own ratios: EPL08 and GM09 max|E − E₀|/E₀, PRE10 max|E + Q − W|/E over changes, ARX over W."""
        energy, residual = self.energy, np.abs(self.residual)
        ratios = {}
        if energy[0] != 0.0 and not self.heat.any() and not self.work.any():  # means nothing where energy comes and goes
            ratios["max|E-E0|/E0 (EPL08, GM09)"] = float(np.abs(energy - energy[0]).max() / abs(energy[0]))
        if energy[-1] != 0.0:
            ratios["|residual|/E (PRE10)"] = float(residual[-1] / abs(energy[-1]))
        if self.work[-1] != 0.0:
            ratios["|residual|/W (ARX)"] = float(residual.max() / abs(self.work[-1]))
        return ratios

    def plot(self, axes: Sequence[Axes] | None = None) -> Figure | SubFigure:
        """Accounts against time, and the residual over S below, on two axes; returns the figure."""
        import matplotlib.pyplot as plt

        figure: Figure | SubFigure
        if axes is None:
            figure, axes = plt.subplots(2, 1, sharex=True, figsize=(7, 6), height_ratios=(3, 1), layout="constrained")
        else:
            figure = axes[0].figure
        for k, name in enumerate(ACCOUNTS):  # an account keeps its look from run to run
            if np.ptp(self[name]) > 0.0:
                look: dict[str, Any] = {"color": f"C{k % 10}", "ls": "-" if k < 10 else "--", "label": name.replace("_", " ")}
                axes[0].plot(self.time, self.shown(name), **look)
        total = self.energy + self._sum(CARRIED + PUSHED) + self.heat - self.work
        axes[0].plot(self.time, total, "k--", lw=1, label="energy + heat − work")
        axes[0].set_ylabel("energy")
        axes[0].legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        axes[1].plot(self.time, self.residual / self.scale if self.scale > 0.0 else self.residual, "k", lw=0.8)
        axes[1].set_ylabel("residual / S")
        axes[1].set_xlabel("time")
        return figure
