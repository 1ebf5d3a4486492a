"""Random insertion in space: solids one by one, the largest first, where they overlap nobody."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from clast.algebra.quaternions import random_turns
from clast.errors import InputError
from clast.packing.plane.erosion import Floats
from clast.packing.space.distance import Skeleton, clear, inner_radius, skeleton_of
from clast.packing.space.packing import Periodic, with_images
from clast.shapes.space.solid import Solid

TRIES = 100_000  # places at random per grain, before there is no room
FEW, MANY = 8, 1024  # places drawn at a time, at first and at most


def insert_at_random3d(
    shapes: Sequence[Solid], size: Floats, rng: np.random.Generator, periodic: Periodic
) -> tuple[Floats, Floats]:
    """Positions (n, 3) and orientations (n, 4) of solids in the box 0 … size (3,); InputError when there is no room.

    A place is taken where the ball round the grain is clear of all others, or else where the skeletons are r_i + r_j apart.
    Grains stay within closed sides; periodic sides have to be at least a grain's reach to either side apart.
    """
    reach = np.array([shape.reach for shape in shapes])
    largest = float(reach.max())
    for axis in range(3):
        if periodic[axis] and size[axis] < 2.0 * largest:
            raise InputError(
                f"a period of {size[axis]:.4g} along {'xyz'[axis]} has no room for a grain {2.0 * largest:.4g} across: it would "
                "meet its own image; widen the box"
            )
    known = {id(shape): shape for shape in shapes}
    bones = {key: skeleton_of(shape) for key, shape in known.items()}
    inner = {key: inner_radius(shape, bones[key]) for key, shape in known.items()}
    room = _Room(size, periodic, 2.0 * largest)
    positions, orientations = np.zeros((len(shapes), 3)), np.zeros((len(shapes), 4))
    for done, k in enumerate(np.argsort(-reach, kind="stable")):
        shape = shapes[k]
        spot = room.look(shape, bones[id(shape)], inner[id(shape)], rng)
        if spot is None:
            raise InputError(
                f"no room for grain {k}, {2.0 * reach[k]:.4g} across, after {TRIES} tries ({done} of {len(shapes)} are in): "
                "widen the box, or take a lattice"
            )
        positions[k], orientations[k] = spot
        room.add(shape, bones[id(shape)].placed(*spot), inner[id(shape)], positions[k])
    return positions, orientations


class _Room:
    """A box with the grains that are in it, and the images of them that a grain in the box can meet."""

    def __init__(self, size: Floats, periodic: Periodic, span: float) -> None:
        self.size, self.periodic, self.span = size, periodic, span
        self.closed = ~np.array(periodic)
        self.places = np.zeros((0, 3))
        self.reach, self.inner, self.radius = np.zeros(0), np.zeros(0), np.zeros(0)
        self.bones: list[Skeleton] = []
        self.tree: cKDTree | None = None

    def add(self, shape: Solid, bones: Skeleton, inner: float, position: Floats) -> None:
        """Put a grain, its skeleton where it lies, into the box."""
        _, copies = with_images(position[None], np.zeros(3), self.size, self.periodic, self.span)
        self.places = np.concatenate([self.places, copies])
        self.reach = np.append(self.reach, np.full(len(copies), shape.reach))
        self.inner = np.append(self.inner, np.full(len(copies), inner))
        self.radius = np.append(self.radius, np.full(len(copies), shape.radius))
        self.bones += [bones.shifted(copy - position) for copy in copies]
        self.tree = cKDTree(self.places)

    def look(self, shape: Solid, bones: Skeleton, inner: float, rng: np.random.Generator) -> tuple[Floats, Floats] | None:
        """A position and an orientation at random where a grain has room; None if none is found."""
        tried, batch = 0, FEW
        low = np.where(self.closed, shape.radius, 0.0)
        high = np.where(self.closed, self.size - shape.radius, self.size)
        if (high < low).any():
            return None
        while tried < TRIES:
            spots, turns = rng.uniform(low, high, (batch, 3)), random_turns(rng, batch)
            for k in self._hopeful(spots, inner):
                placed = bones.placed(spots[k], turns[k])
                if self._inside(placed, shape.radius) and self._clear(placed, spots[k], shape):
                    return spots[k], turns[k]
            tried, batch = tried + batch, min(2 * batch, MANY)
        return None

    def _hopeful(self, spots: Floats, inner: float) -> list[int]:
        """Of some spots (k, 3), those where the ball inside the grain meets none inside another."""
        if self.tree is None:
            return list(range(len(spots)))
        farthest = inner + float(self.inner.max())
        near = cKDTree(spots).sparse_distance_matrix(self.tree, farthest, output_type="ndarray")
        hopeless = near["i"][near["v"] < inner + self.inner[near["j"]]]
        return np.setdiff1d(np.arange(len(spots)), hopeless).tolist()

    def _inside(self, placed: Skeleton, radius: float) -> bool:
        """Whether a grain keeps within the closed sides."""
        low, high = placed.vertices.min(axis=0) - radius, placed.vertices.max(axis=0) + radius
        return bool(((low >= 0.0) & (high <= self.size))[self.closed].all())

    def _clear(self, placed: Skeleton, spot: Floats, shape: Solid) -> bool:
        """Whether a grain overlaps no other; its neighbours are tested from the nearest on."""
        if self.tree is None:
            return True
        away = np.sqrt(((self.places - spot) ** 2).sum(axis=1))
        doubtful = np.flatnonzero(away < self.reach + shape.reach)
        return all(
            clear(placed, self.bones[j], shape.radius + self.radius[j])
            for j in doubtful[np.argsort(away[doubtful], kind="stable")]
        )
