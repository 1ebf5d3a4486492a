"""Force chains (model §8): the force every pair carries, and the quasi-linear paths of highly stressed grains.

A grain's own stress is σ = −(1/A) Σ f ⊗ l, f the force on it and l from its centre to the contact. A chain is a path of grains
whose σ₁ is above the mean, in which each is the straightest continuation of the other: the line of centres lies within 45° of
both major directions, and each grain has at most one such neighbour ahead and one behind. Three grains make a chain.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clast.measures.measure import Measure
from clast.measures.stored import Array, StoredRun, frame_at, of_scene, present_grains
from clast.measures.touching import Contacts, Pairs, contacts_at, pairs_of

ALONG = np.cos(np.pi / 4.0)  # least cosine between the line of centres and a major direction
SHORTEST = 3  # grains


class ForceChains(Measure):
    """Forces of pairs and chains of a frame.

    frame   number of the frame, negative from the end

    After `compute(run)`: pairs (m, 2) ids, segments (m, 2, 2) between centres (of the image met; at a wall to the contact)
    and forces (m,) that they carry; stress (n, 2, 2) of every grain, chains, a list of arrays of ids in order along each,
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
        self.forces = np.hypot(*pairs.forces.T)
        self.stress = grain_stress(contacts, np.asarray(of_scene(run, "body_area")))
        self.chains = find_chains(self.stress, pairs, grains)
        self.number = len(self.chains)
        inside = sum(len(chain) for chain in self.chains)
        self.mean_length = inside / self.number if self.chains else 0.0
        self.share = inside / max(int(grains.sum()), 1)
        return self

    def plot(self, axes: Any = None, *, color: str = "C3", thickest: float = 4.0) -> Any:
        """Lines between centres as thick as their force, `thickest` points for the largest; returns the figure.

        For the grains beneath and periodic sides see `clast.output.chains_figure`.
        """
        import matplotlib.pyplot as plt
        from matplotlib.collections import LineCollection

        if axes is None:
            axes = plt.subplots(figsize=(6, 6), layout="constrained")[1]
            axes.set(xlabel="x", ylabel="y")
        widths: Any = thickest * self.forces / max(self.forces.max(initial=0.0), np.finfo(float).tiny)
        lines: Any = self.segments
        axes.add_collection(LineCollection(lines, linewidths=widths, colors=color, capstyle="round"))
        axes.autoscale_view()
        axes.set_aspect("equal")
        return axes.figure


def grain_stress(contacts: Contacts, areas: Array) -> Array:
    """Mean stress in every body (n, 2, 2) over its own area, compression positive; that of walls means nothing."""
    total = np.zeros((len(areas), 2, 2))
    np.add.at(total, contacts.bodies[:, 0], -contacts.forces[:, :, None] * contacts.first_arms[:, None, :])
    np.add.at(total, contacts.bodies[:, 1], contacts.forces[:, :, None] * contacts.second_arms[:, None, :])
    return total / areas[:, None, None]


def find_chains(stress: Array, pairs: Pairs, grains: Array) -> list[Array]:
    """Chains of grains, longest first; ids in order along each. A chain closed through a periodic side begins anywhere."""
    p, half = 0.5 * (stress[:, 0, 0] + stress[:, 1, 1]), 0.5 * (stress[:, 0, 0] - stress[:, 1, 1])
    shear = 0.5 * (stress[:, 0, 1] + stress[:, 1, 0])
    major = p + np.hypot(half, shear)
    angle = 0.5 * np.arctan2(shear, half)
    direction = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    loaded = grains & (major > 0.0)
    strong = loaded & (major > major[loaded].mean()) if loaded.any() else loaded
    used = strong[pairs.bodies].all(axis=1)
    ids = pairs.bodies[used]
    branch = pairs.branches[used] / np.hypot(*pairs.branches[used].T)[:, None]
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
