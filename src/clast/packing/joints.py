"""Where the grains of a packing meet: what `Scene.bond` glues them at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from clast.errors import InputError
from clast.packing.plane.erosion import Floats, Ints

NEAR = 1e-6  # of a distance between sites: by so much a site may miss its image in the side between two cells


class Joints(NamedTuple):
    """Faces between grains, m of them; numbers are those of the packing."""

    pairs: Ints  # (m, 2), the smaller number first
    points: Floats  # (m, 2) middles of the faces, beside the first grain
    normals: Floats  # (m, 2) unit vectors, from the first grain to the second
    widths: Floats  # (m,) lengths of the faces
    lengths: Floats  # (m,) distances of the sites
    shifts: Floats  # (m, 2) from the second grain to the image of it that is meant

    def some(self, which: Ints) -> Joints:
        """Some of them, by number."""
        return self._replace(**{name: each[which] for name, each in self._asdict().items()})

    def among(self, grains: ArrayLike) -> Joints:
        """Those between grains of a part of the packing, numbered anew: number k is then grains[k]. InputError for a grain named
        twice."""
        kept = np.array(grains, np.int64).reshape(-1)
        if np.unique(kept).size != kept.size:
            raise InputError("joints among grains: a grain is named twice")
        count = 1 + int(max(self.pairs.max(initial=-1), kept.max(initial=-1)))
        number = np.full(count, -1)
        number[kept] = np.arange(kept.size)
        inside = self.some(np.flatnonzero((number[self.pairs] >= 0).all(axis=1)))
        return inside._replace(pairs=number[inside.pairs])


def joints_of_cells(cells: Sequence[Floats], sites: Floats, period: Floats) -> Joints:
    """Joints of a Voronoi diagram: sides of its cells (k, 2) between two sites (n, 2), each once.

    period   (2,) lengths along which the diagram repeats, 0 where it does not
    """
    owner = np.repeat(np.arange(len(cells)), [len(each) for each in cells])
    begin = np.concatenate(list(cells))
    end = np.concatenate([np.roll(each, -1, axis=0) for each in cells])
    along = end - begin
    widths = np.hypot(*along.T)
    normals = np.stack([along[:, 1], -along[:, 0]], axis=1) / widths[:, None]
    middles = 0.5 * (begin + end)
    half = ((middles - sites[owner]) * normals).sum(axis=1)
    images = sites[owner] + 2.0 * half[:, None] * normals  # the other site, if the side is not one of the box
    wrapped = np.where(period > 0.0, np.mod(images, np.where(period > 0.0, period, 1.0)), images)
    near, other = cKDTree(np.where(period > 0.0, np.mod(sites, np.where(period > 0.0, period, 1.0)), sites),
                          boxsize=None if not period.any() else np.where(period > 0.0, period, 0.0)).query(wrapped)  # fmt: skip
    shifts = images - sites[other]
    shifts = np.where(period > 0.0, np.rint(shifts / np.where(period > 0.0, period, 1.0)) * period, 0.0)
    once = (near < NEAR * half) & (owner < other)
    pairs = np.stack([owner, other], axis=1).astype(np.int64)
    return Joints(pairs, middles, normals, widths, 2.0 * half, shifts).some(np.flatnonzero(once))
