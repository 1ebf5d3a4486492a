"""How contact forces are spread (model §8): normal force over its mean, and how much of the friction is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clast.errors import InputError
from clast.measures.measure import Measure
from clast.measures.stored import StoredRun
from clast.measures.touching import contacts_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SLIDING = 0.999  # of the friction limit, from where a contact counts as sliding: tables are stored in single precision


class ForceDistribution(Measure):
    """Forces of the contacts between grains in a frame.

    frame      number of the frame, negative from the end
    friction   coefficient μ between grains; None if it is not known, then sliding is not computed
    bins       of the histogram, up to the largest force

    After `compute(run)`: mean normal force, normal F_n/⟨F_n⟩ (m,), ratio |F_t|/F_n (m,), edges (bins + 1,) and density (bins,)
    of F_n/⟨F_n⟩; with `friction` mobilised |F_t|/(μF_n) (m,) and sliding, the share of contacts at the limit.
    """

    def __init__(self, frame: int = -1, *, friction: float | None = None, bins: int = 30) -> None:
        if friction is not None and not friction > 0.0:
            raise InputError(f"ForceDistribution: friction = {friction} must be positive, or None to leave out sliding")
        if bins < 1:
            raise InputError(f"ForceDistribution: bins = {bins} must be at least 1")
        self.frame, self.friction, self.bins = frame, friction, bins

    def compute(self, run: StoredRun) -> ForceDistribution:
        """Read the contacts of one frame; InputError if grains do not press on each other there."""
        contacts = contacts_at(run, self.frame)
        between = contacts.chosen((contacts.counts > 0) & ~contacts.big.any(axis=1) & (contacts.normal_forces > 0.0))
        push = between.normal_forces
        if push.size == 0:
            raise InputError(f"no grain presses on another in frame {self.frame}, so there are no forces to count")
        self.mean = float(push.mean())
        self.normal = push / self.mean
        self.ratio = between.tangential_forces / push
        self.density, self.edges = np.histogram(self.normal, bins=self.bins, range=(0.0, self.normal.max()), density=True)
        if self.friction is not None:
            self.mobilised = self.ratio / self.friction
            self.sliding = float((self.mobilised > SLIDING).mean())
        return self

    def plot(self, axes: Axes | None = None) -> Figure | SubFigure:
        """Probability of F_n/⟨F_n⟩ on a logarithmic scale; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(figsize=(6, 4), layout="constrained")[1]
        seen = self.density > 0.0
        axes.semilogy((0.5 * (self.edges[1:] + self.edges[:-1]))[seen], self.density[seen], "o", ms=4)
        axes.set(xlabel=r"$F_n/\langle F_n\rangle$", ylabel="probability density")
        return axes.figure
