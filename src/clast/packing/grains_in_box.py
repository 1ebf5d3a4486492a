"""What a packing in the plane and one in space share: grains in a box, the room they have in it, those that stick out."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from clast.packing.plane.erosion import Floats, Ints

ROUNDS = 200  # how often grains that overlap when turned are turned again
TOUCH = 1e-9  # of the smaller sphero-radius: less counts as touching, not as overlap


class GrainsInBox(ABC):
    """Grains in a rectangular cell or box, each closed or periodic along an axis."""

    shapes: Sequence[Any]
    positions: Floats  # (n, axes) centres of mass
    periodic: tuple[bool, ...]  # (axes,)
    corner: Any  # (axes,) lowest of the box

    @property
    @abstractmethod
    def lengths(self) -> Floats:
        """(axes,) of the box."""

    @property
    @abstractmethod
    def void_ratio(self) -> float:
        """Of the voids over the grains."""

    @abstractmethod
    def _crowded(self) -> tuple[Ints, Floats]:
        """Pairs (m, 2) that can overlap, every image once, and the shift (m, axes) of the second to the image meant."""

    @abstractmethod
    def _beyond(self, numbers: Ints) -> Floats:
        """How far each of some grains sticks out of the closed sides; 0 for one that does not."""

    def __len__(self) -> int:
        return len(self.shapes)

    def __repr__(self) -> str:
        size = " × ".join(f"{length:.4g}" for length in self.lengths)
        void = f", void ratio {self.void_ratio:.3g}" if len(self) else ""
        return f"{type(self).__name__}({len(self)} grains in {size}{void})"

    def room(self) -> float:
        """The factor by which to expand the packing so that every grain can be turned anyhow; 1 if it can be now.

        Infinite where a grain's centre lies on a closed side or beyond it: no expansion brings it in.
        """
        reach = self._reaches()
        pairs, shifts = self._crowded()
        away = self.positions[pairs[:, 1]] + shifts - self.positions[pairs[:, 0]]
        needed = [1.0, *(reach[pairs].sum(axis=1) / np.sqrt((away**2).sum(axis=1)))]
        rel = self.positions - np.array(self.corner)
        for axis, extent in enumerate(self.lengths):
            if not self.periodic[axis]:
                if (rel[:, axis] <= 0.0).any() or (rel[:, axis] >= extent).any():
                    return math.inf
                needed += [*(reach / rel[:, axis]), *(reach / (extent - rel[:, axis]))]
        return float(max(needed))

    def outside(self) -> tuple[Ints, Floats]:
        """Numbers (m,) of the grains that stick out of a closed side, and how far each (m,)."""
        far = self._beyond(np.arange(len(self)))
        return np.flatnonzero(far), far[far > 0.0]

    def _reaches(self) -> Floats:
        return np.array([shape.reach for shape in self.shapes])


def worst_pair(pairs: Ints, depths: Floats) -> str:
    """For a warning: which of the pairs (m, 2) overlaps deepest, and how deep; nothing where there is none."""
    return f", the worst grains {pairs[np.argmax(depths)].tolist()} by {depths.max():.4g}" if len(pairs) else ""
