"""Fabric: which way contacts look (model §8). F = ⟨n ⊗ n⟩ over the normals n of contacts, by number or weighted by force.

    plane   E(θ) = [1 + a cos 2(θ − θ_a)]/2π                   a = 2(F₁ − F₂)
    space   E(n) = [1 + a P₂(n·e)]/4π, P₂(c) = (3c² − 1)/2      a = 5(F₁ − F₃)

a is the anisotropy: with such a distribution of normals the principal values of F differ by a/2, in space by a/5. θ_a, in space
the unit vector e, is its direction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clast.algebra.tensors import major_angle, major_axis, mohr_radius, principal_values
from clast.errors import InputError
from clast.measures.measure import Measure
from clast.measures.stored import Array, StoredRun, in_space
from clast.measures.touching import contacts_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


class Fabric(Measure):
    """Fabric tensor of a frame, over the contacts between grains.

    frame     number of the frame, negative from the end
    weight    "number": every contact alike; "force": by its normal force

    After `compute(run)`: tensor (d, d) of trace 1, principal values of it (d,), the largest first, anisotropy a (0 … 2, in space
    0 … 5), direction θ_a [radians, 0 … π] from the x axis, in space e (3,), its largest component positive; normals (m, d) and
    their weights (m,), which add up to 1; in the plane angles of the normals (m,) [radians, 0 … π].
    """

    def __init__(self, frame: int = -1, *, weight: str = "number") -> None:
        if weight not in ("number", "force"):
            raise InputError(f'Fabric: weight = "{weight}" must be "number" or "force"')
        self.frame, self.weight = frame, weight

    def compute(self, run: StoredRun) -> Fabric:
        """Read the contacts of one frame; InputError if grains do not touch each other there."""
        contacts = contacts_at(run, self.frame)
        between = contacts.chosen((contacts.counts > 0) & ~contacts.big.any(axis=1))
        weights = np.maximum(between.normal_forces, 0.0) if self.weight == "force" else np.ones(len(between.normals))
        if weights.sum() == 0.0:
            raise InputError(f"no grain touches another in frame {self.frame}, so there is no fabric")
        self.weights = weights / weights.sum()
        self.normals = between.normals
        self.tensor = np.einsum("k,ka,kb->ab", self.weights, self.normals, self.normals)
        self.principal = principal_values(self.tensor)
        difference = 2.0 * float(mohr_radius(self.tensor))
        self.anisotropy = (5.0 if in_space(run) else 2.0) * difference
        self.direction: Any = major_axis(self.tensor) if in_space(run) else float(major_angle(self.tensor) % np.pi)
        return self

    @property
    def angles(self) -> Array:
        """Angles of the normals (m,) [radians, 0 … π] from the x axis, in the plane."""
        if self.normals.shape[1] == 3:
            raise InputError("the run is in space, where a normal is no one angle: read normals")
        return np.arctan2(self.normals[:, 1], self.normals[:, 0]) % np.pi

    def plot(self, axes: Axes | None = None, sectors: int = 36) -> Figure | SubFigure:
        """Rose of the normals' directions beside the fabric's own curve, on polar axes; returns the figure.

        In space, on ordinary axes: how often normals have which cosine with the direction e, beside [1 + ½(15F₁ − 5) P₂],
        which is what F knows of it; isotropic is 1 everywhere.
        """
        import matplotlib.pyplot as plt

        by = "by force" if self.weight == "force" else "by number"
        if self.normals.shape[1] == 3:
            return self._plot_cosines(axes, max(sectors // 2, 1), by)
        if axes is None:
            axes = plt.subplots(figsize=(5, 5), subplot_kw={"projection": "polar"}, layout="constrained")[1]
        half, edges = np.histogram(self.angles, bins=max(sectors // 2, 1), range=(0.0, np.pi), weights=self.weights)
        width = edges[1] - edges[0]
        centres = np.concatenate([edges[:-1], edges[:-1] + np.pi]) + 0.5 * width
        axes.bar(centres, np.tile(half, 2) / (2.0 * width), width=width, color="C0", alpha=0.6, edgecolor="w")
        turn = np.linspace(0.0, 2.0 * np.pi, 181)
        axes.plot(turn, (1.0 + self.anisotropy * np.cos(2.0 * (turn - self.direction))) / (2.0 * np.pi), "k", lw=1)
        axes.set_title(f"normals {by}: a = {self.anisotropy:.2f}, θ = {np.degrees(self.direction):.0f}°")
        return axes.figure

    def _plot_cosines(self, axes: Axes | None, bins: int, by: str) -> Figure | SubFigure:
        """The picture in space; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(figsize=(6, 4), layout="constrained")[1]
        cosines = np.minimum(np.abs(self.normals @ self.direction), 1.0)
        shares, edges = np.histogram(cosines, bins=bins, range=(0.0, 1.0), weights=self.weights)
        axes.bar(edges[:-1], shares * bins, width=1.0 / bins, align="edge", color="C0", alpha=0.6, edgecolor="w")
        c = np.linspace(0.0, 1.0, 101)
        axes.plot(c, 1.0 + 7.5 * (self.principal[0] - 1.0 / 3.0) * (1.5 * c**2 - 0.5), "k", lw=1, label="of the tensor")
        axes.axhline(1.0, color="0.6", lw=0.8, ls="--", label="isotropic")
        way = ", ".join(f"{each:.2f}" for each in np.round(self.direction, 2) + 0.0)  # without "-0.00"
        axes.set(xlabel=r"$|\mathbf{n}\cdot\mathbf{e}|$", ylabel="share over that of isotropic normals")
        axes.set_title(f"normals {by}: a = {self.anisotropy:.2f}, e = ({way})")
        axes.legend()
        return axes.figure
