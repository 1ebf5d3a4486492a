"""How many neighbours a grain has (model §8): touching pairs, counted contacts, rattlers, share of vertex-vertex contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clast.measures.measure import Measure
from clast.measures.stored import Array, StoredRun, frame_at, frame_number, in_space, present_grains
from clast.measures.touching import Contacts, Pairs, contacts_at, pairs_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SAME = 1e-3  # of the sphero-radius: contacts of a pair this near are in one point (tables are in single precision)
FEWEST = 2  # touching neighbours without which a grain is a rattler


class Coordination(Measure):
    """Coordination numbers of a frame. Contacts with walls count for the grain that has them.

    frame   number of the frame, negative from the end

    After `compute(run)`:

    neighbours             bodies each grain touches (n,), 0 for walls; a neighbour met through two images counts twice
    contacts               counted contacts of each grain (n,): flat on flat has two, corner on corner two; in space a corner on
                           a face one, on an edge two, on a corner three, crossing edges one, a sphere on anything one
    mean                   of `neighbours` over grains
    mean_contacts          of `contacts` over grains
    rattlers               ids of grains that carry nothing: fewer than two neighbours that are no rattlers
    mechanical             of `neighbours` over grains that are no rattlers, contacts with rattlers left out
    vertex_vertex_share    of the places where grains touch grains, the share where vertex meets vertex; such a place makes
                           two contacts (each vertex probes the other) and counts once, as does a disk on a corner; in space
                           contacts of a pair in one point are one place
    """

    def __init__(self, frame: int = -1) -> None:
        self.frame = frame

    def compute(self, run: StoredRun) -> Coordination:
        """Count in one frame of a run; InputError if it holds no contacts."""
        grains = present_grains(run, frame_at(run, self.frame))
        contacts = contacts_at(run, self.frame)
        pairs = pairs_of(contacts)
        self.time = float(run.frames.times[frame_number(run, self.frame)])
        self._grains, self.grains = grains, int(grains.sum())
        self.neighbours = np.where(grains, np.bincount(pairs.bodies.ravel(), minlength=len(grains)), 0)
        counted = contacts.bodies[contacts.counts > 0]
        self.contacts = np.where(grains, np.bincount(counted.ravel(), minlength=len(grains)), 0)
        self.mean, self.mean_contacts = (float(each.sum()) / max(self.grains, 1) for each in (self.neighbours, self.contacts))
        carrying, held = without_rattlers(pairs, grains)
        self.rattlers = np.flatnonzero(grains & ~carrying)
        self.mechanical = float(held[carrying & grains].mean()) if (carrying & grains).any() else 0.0
        self.vertex_vertex_share = vertex_share(run, contacts)
        return self

    def plot(self, axes: Axes | None = None) -> Figure | SubFigure:
        """How many grains have 0, 1, 2 … neighbours; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots(figsize=(6, 4), layout="constrained")[1]
        numbers = np.bincount(self.neighbours[self._grains])
        axes.bar(np.arange(len(numbers)), numbers / self.grains, color="C0")
        axes.set(xlabel="touching neighbours", ylabel="share of grains", title=f"mean {self.mean:.2f}")
        return axes.figure


def without_rattlers(pairs: Pairs, grains: Array) -> tuple[Array, Array]:
    """Which bodies carry (n,), walls always, and how many carrying bodies each of them touches (n,).

    Taking one rattler out may leave its neighbour with too few: repeated until nothing changes.
    """
    carrying = np.ones(len(grains), bool)
    while True:
        both = carrying[pairs.bodies].all(axis=1)
        held = np.bincount(pairs.bodies[both].ravel(), minlength=len(grains))
        left = carrying & ~(grains & (held < FEWEST))
        if (left == carrying).all():
            return carrying, held
        carrying = left


def vertex_share(run: StoredRun, contacts: Contacts) -> float:
    """Share of vertex-vertex places among those where grains touch grains; 0 if none do."""
    between = contacts.chosen((contacts.counts > 0) & ~contacts.big.any(axis=1))
    if in_space(run):
        return share_of_places(between, np.asarray(run.scene["shape_radius"])[run.scene["body_shape"]])
    scene = run.scene
    edged = np.diff(scene["shape_first_edge"])[scene["body_shape"]] > 0
    weight = np.where(between.at_vertex & edged[between.bodies].all(axis=1), 0.5, 1.0)
    return float(weight[between.at_vertex].sum() / weight.sum()) if len(weight) else 0.0


def share_of_places(contacts: Contacts, radii: Array) -> float:
    """Share of the places in space where vertex meets vertex; a place is a point in which a pair touches, by however many
    features, and `radii` are the sphero-radii of all bodies (n,). 0 if nothing touches, and for overlaps of sharp bodies."""
    if not contacts.at_vertex.any():
        return 0.0
    turned = np.asarray(contacts.bodies[:, 0] > contacts.bodies[:, 1])[:, None]
    bodies = np.sort(contacts.bodies, axis=1)
    arms = np.where(turned, contacts.second_arms, contacts.first_arms)  # of the body of the smaller id
    key = np.concatenate([bodies, np.rint(arms / (SAME * radii[bodies].min(axis=1))[:, None]).astype(np.int64)], axis=1)
    which = np.unique(key, axis=0, return_inverse=True)[1].reshape(-1)
    return float((np.bincount(which, weights=contacts.at_vertex) > 0.0).mean())
