"""What is left in one piece: grains that bonds hold together, directly or through others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from clast.measures.bonded import bonds_of, fates_at
from clast.measures.measure import Measure
from clast.measures.stored import StoredRun, frame_at, of_scene, present_grains

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


class Fragments(Measure):
    """Fragments at a frame; a grain without whole bonds is one by itself.

    frame   number of the frame, negative from the end

    After `compute(run)`: number of fragments; label (n,), the fragment of each body, −1 for walls and grains that have left;
    sizes (number,) in grains and masses (number,), the heaviest fragment first; largest, its share of the mass of all grains.
    """

    def __init__(self, frame: int = -1) -> None:
        self.frame = frame

    def compute(self, run: StoredRun) -> Fragments:
        """Read one frame of a run; returns itself. InputError if there is no such frame."""
        grains = present_grains(run, frame_at(run, self.frame))
        bonds, (steps, _) = bonds_of(run), fates_at(run, self.frame)
        held = bonds.bodies[steps < 0]
        held = held[grains[held].all(axis=1)]
        links = coo_array((np.ones(len(held)), (held[:, 0], held[:, 1])), shape=(grains.size, grains.size))
        _, found = connected_components(links, directed=False)
        _, which = np.unique(found[grains], return_inverse=True)
        mass = np.bincount(which, weights=np.asarray(of_scene(run, "body_mass"), float)[grains])
        order = np.argsort(-mass, kind="stable")
        place = np.argsort(order)
        self.label = np.full(grains.size, -1)
        self.label[grains] = place[which]
        self.number = int(mass.size)
        self.masses, self.sizes = mass[order], np.bincount(which, minlength=mass.size)[order]
        self.largest = float(self.masses[0] / self.masses.sum()) if self.number else 0.0
        return self

    def plot(self, axes: Axes | None = None) -> Figure | SubFigure:
        """Masses of the fragments over those of all, the heaviest first; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(figsize=(6, 4), layout="constrained")[1]
        axes.plot(np.arange(1, self.number + 1), self.masses / self.masses.sum(), "o-", ms=3)
        axes.set(xlabel="fragment", ylabel="share of the mass", xscale="log", yscale="log")
        return axes.figure
