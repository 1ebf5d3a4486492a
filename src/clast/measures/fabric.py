"""Fabric: which way contacts look (model §8). F = ⟨n ⊗ n⟩ over the normals n of contacts, by number or weighted by force.

With a distribution E(θ) = [1 + a cos 2(θ − θ_a)]/2π of normals the principal values of F differ by a/2: a is the anisotropy,
θ_a its direction.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clast.errors import InputError
from clast.measures.measure import Measure
from clast.measures.stored import StoredRun
from clast.measures.touching import contacts_at


class Fabric(Measure):
    """Fabric tensor of a frame, over the contacts between grains.

    frame     number of the frame, negative from the end
    weight    "number": every contact alike; "force": by its normal force

    After `compute(run)`: tensor (2, 2) of trace 1, anisotropy a (0 … 2), direction θ_a [radians, 0 … π] from the x axis,
    angles of the normals (m,) [radians, 0 … π] and their weights (m,), which add up to 1.
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
        normals = between.normals
        self.angles = np.arctan2(normals[:, 1], normals[:, 0]) % np.pi
        self.tensor = np.einsum("k,ka,kb->ab", self.weights, normals, normals)
        (xx, xy), (_, yy) = self.tensor
        self.anisotropy = float(2.0 * np.hypot(xx - yy, 2.0 * xy))
        self.direction = float(0.5 * np.arctan2(2.0 * xy, xx - yy) % np.pi)
        return self

    def plot(self, axes: Any = None, sectors: int = 36) -> Any:
        """Rose of the normals' directions beside the fabric's own curve, on polar axes; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(figsize=(5, 5), subplot_kw={"projection": "polar"}, layout="constrained")[1]
        half, edges = np.histogram(self.angles, bins=max(sectors // 2, 1), range=(0.0, np.pi), weights=self.weights)
        width = edges[1] - edges[0]
        centres = np.concatenate([edges[:-1], edges[:-1] + np.pi]) + 0.5 * width
        axes.bar(centres, np.tile(half, 2) / (2.0 * width), width=width, color="C0", alpha=0.6, edgecolor="w")
        turn = np.linspace(0.0, 2.0 * np.pi, 181)
        axes.plot(turn, (1.0 + self.anisotropy * np.cos(2.0 * (turn - self.direction))) / (2.0 * np.pi), "k", lw=1)
        by = "by force" if self.weight == "force" else "by number"
        axes.set_title(f"normals {by}: a = {self.anisotropy:.2f}, θ = {np.degrees(self.direction):.0f}°")
        return axes.figure
