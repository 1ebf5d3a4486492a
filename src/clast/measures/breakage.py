"""Bonds that broke: when, where, how, and the cracks they make up."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clast.measures.bonded import bonds_at, bonds_of, fates_at
from clast.measures.measure import Measure
from clast.measures.stored import Array, StoredRun

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


class Crack(NamedTuple):
    """Broken bonds that hang together."""

    step: int  # at which it became as long as was wanted
    bonds: Array  # (k,) ids, in the order in which they broke
    points: Array  # (k, 2) where they were at the first frame

    @property
    def middle(self) -> Array:
        """Mean of its points (2,)."""
        return self.points.mean(axis=0)


class Breakage(Measure):
    """Broken bonds up to a frame.

    frame   number of the frame, negative from the end

    After `compute(run)`: bonds, how many there were; broken, how many of them are; share of them; and of the broken ones, in
    the order in which they broke (k,): ids, steps, how (1 by tension, 2 by shear, 3 taken away), bodies (k, 2) and points
    (k, 2), where they were at the first frame. `first_crack(length)` finds a crack among them.
    """

    def __init__(self, frame: int = -1) -> None:
        self.frame = frame

    def compute(self, run: StoredRun) -> Breakage:
        """Read one frame of a run; returns itself. InputError if there is no such frame."""
        bonds, (steps, how) = bonds_of(run), fates_at(run, self.frame)
        self.ids = np.argsort(steps, kind="stable")[np.count_nonzero(steps < 0) :]
        self.steps, self.how, self.bodies = steps[self.ids], how[self.ids], bonds.bodies[self.ids]
        self.points = bonds_at(run, 0).points[self.ids] if bonds.size else np.zeros((0, 2))
        self.bonds, self.broken = bonds.size, len(self.ids)
        self.share = self.broken / self.bonds if self.bonds else 0.0
        return self

    def first_crack(self, length: float) -> Crack | None:
        """The first set of broken bonds, each beside a grain of another one, that is `length` long along x or y; None if none is.

        A bond that breaks alone, in a corner where a plate presses, is no crack yet."""
        return crack_among(self.ids, self.steps, self.bodies, self.points, length)

    def plot(self, axes: Axes | None = None) -> Figure | SubFigure:
        """Broken bonds where they were, by the order in which they broke; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(figsize=(6, 5), layout="constrained")[1]
        shown = axes.scatter(self.points[:, 0], self.points[:, 1], c=np.arange(self.broken), s=10, cmap="viridis")
        axes.figure.colorbar(shown, ax=axes, label="broken bonds, in order")
        axes.set(xlabel="x", ylabel="y", aspect="equal")
        return axes.figure


def crack_among(ids: Array, steps: Array, bodies: Array, points: Array, length: float) -> Crack | None:
    """`Breakage.first_crack` of broken bonds (k,) in the order in which they broke, by `bodies` (k, 2) and `points` (k, 2)."""
    last_of: dict[int, int] = {}  # of each grain, one of its broken bonds
    crack_of = np.arange(len(ids))
    members = [[k] for k in range(len(ids))]
    for k in range(len(ids)):
        for body in bodies[k].tolist():
            if body in last_of and (other := int(crack_of[last_of[body]])) != (mine := int(crack_of[k])):
                members[mine] += members[other]
                crack_of[members[other]] = mine
            last_of[body] = k
        found = np.sort(members[int(crack_of[k])])
        if np.ptp(points[found], axis=0).max() >= length:
            return Crack(int(steps[k]), ids[found], points[found])
    return None
