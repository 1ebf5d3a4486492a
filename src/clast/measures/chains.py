"""Force chains (model §8): the force every pair carries, and the quasi-linear paths of highly stressed grains.

A grain's own stress is σ = −(1/A) Σ f ⊗ l, in space 1/V, f the force on it and l from its centre to the contact. A chain is a
path of grains whose σ₁ is above the mean, in which each is the straightest continuation of the other: the line of centres
lies within 45° of both major directions, and each grain has at most one such neighbour ahead and one behind. Three grains
make a chain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clast.algebra.tensors import lengths, major_axis, principal_values, symmetric
from clast.errors import InputError
from clast.measures.measure import Measure
from clast.measures.stored import Array, StoredRun, frame_at, present_grains, sizes_of
from clast.measures.touching import Contacts, Pairs, contacts_at, pairs_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

ALONG = np.cos(np.pi / 4.0)  # least cosine between the line of centres and a major direction
SHORTEST = 3  # grains


class ForceChains(Measure):
    """Forces of pairs and chains of a frame.

    frame   number of the frame, negative from the end

    After `compute(run)`: pairs (m, 2) ids, segments (m, 2, d) between centres (of the image met; at a wall to the contact)
    and forces (m,) that they carry; stress (n, d, d) of every grain, chains, a list of arrays of ids in order along each,
    number of them, mean_length (grains per chain, 0 without any), share of the grains that are in chains.
    """

    def __init__(self, frame: int = -1) -> None:
        self.frame = frame

    def compute(self, run: StoredRun) -> ForceChains:
        """Read one frame of a run; InputError if it holds no contacts."""
        frame = frame_at(run, self.frame)
        grains = present_grains(run, frame)
        contacts = contacts_at(run, self.frame, gaps=True)
        pairs = pairs_of(contacts)
        self.pairs = pairs.bodies
        # a wall's own place means nothing: the line begins at the grain
        from_second = pairs.big[:, 0]
        begin = np.where(from_second[:, None], frame["positions"][pairs.bodies[:, 1]], frame["positions"][pairs.bodies[:, 0]])
        self.segments = np.stack([begin, begin + np.where(from_second[:, None], -pairs.branches, pairs.branches)], axis=1)
        self.forces = lengths(pairs.forces)
        self.stress = grain_stress(contacts, sizes_of(run))
        self.chains = find_chains(self.stress, pairs, grains)
        self.number = len(self.chains)
        inside = sum(len(chain) for chain in self.chains)
        self.mean_length = inside / self.number if self.chains else 0.0
        self.share = inside / max(int(grains.sum()), 1)
        return self

    def plot(self, axes: Axes | None = None, *, color: str = "C3", thickest: float = 4.0) -> Figure | SubFigure:
        """Lines between centres as thick as their force, `thickest` points for the largest; returns the figure.

        For the grains beneath and periodic sides see `clast.output.figures.chains`.
        """
        import matplotlib.pyplot as plt
        from matplotlib.collections import LineCollection

        if self.segments.shape[2] == 3:
            raise InputError("ForceChains draws chains of the plane only, and these are in space: read segments and forces")
        if axes is None:
            axes = plt.subplots(figsize=(6, 6), layout="constrained")[1]
            axes.set(xlabel="x", ylabel="y")
        widths: Any = thickest * self.forces / max(self.forces.max(initial=0.0), np.finfo(float).tiny)
        lines: Any = self.segments
        axes.add_collection(LineCollection(lines, linewidths=widths, colors=color, capstyle="round"))
        axes.autoscale_view()
        axes.set_aspect("equal")
        return axes.figure


def grain_stress(contacts: Contacts, sizes: Array) -> Array:
    """Mean stress in every body (n, d, d) over its own area or volume, compression positive; that of walls means nothing."""
    axes = contacts.forces.shape[1]
    total = np.zeros((len(sizes), axes, axes))
    np.add.at(total, contacts.bodies[:, 0], -contacts.forces[:, :, None] * contacts.first_arms[:, None, :])
    np.add.at(total, contacts.bodies[:, 1], contacts.forces[:, :, None] * contacts.second_arms[:, None, :])
    return total / sizes[:, None, None]


def find_chains(stress: Array, pairs: Pairs, grains: Array) -> list[Array]:
    """Chains of grains, longest first; ids in order along each. A chain closed through a periodic side begins anywhere."""
    both = symmetric(stress)
    major, direction = principal_values(both)[:, 0], major_axis(both)
    loaded = grains & (major > 0.0)
    strong = loaded & (major > major[loaded].mean()) if loaded.any() else loaded
    used = strong[pairs.bodies].all(axis=1)
    ids = pairs.bodies[used]
    branch = pairs.branches[used] / lengths(pairs.branches[used])[:, None]
    # signed cosines of the line of centres, seen from each end, with that grain's major direction
    seen = np.stack([np.einsum("ka,ka->k", branch, direction[ids[:, 0]]), -np.einsum("ka,ka->k", branch, direction[ids[:, 1]])])
    straight = (np.abs(seen) >= ALONG).all(axis=0)
    ids, seen = ids[straight], seen[:, straight]
    best: dict[tuple[int, bool], int] = {}  # (grain, ahead?) → the pair that goes on straightest
    for k in np.argsort(np.abs(seen).min(axis=0), kind="stable"):
        for end in range(2):
            best[int(ids[k, end]), bool(seen[end, k] > 0.0)] = int(k)
    links: dict[int, list[int]] = {}
    for k, (one, other) in enumerate(ids):
        if all(best[int(ids[k, end]), bool(seen[end, k] > 0.0)] == k for end in range(2)):
            links.setdefault(int(one), []).append(int(other))
            links.setdefault(int(other), []).append(int(one))
    chains, done = [], set()
    for start in sorted(links, key=lambda grain: (len(links[grain]), grain)):  # open ends first, then what is closed
        if start in done:
            continue
        path, here = [], start
        while here not in done:
            done.add(here)
            path.append(here)
            here = next((each for each in links[here] if each not in done), here)
        if len(path) >= SHORTEST:
            chains.append(np.array(path))
    return sorted(chains, key=len, reverse=True)
