"""A box whose periods tags move, and whose lattice may lean: what the plane and space share of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from clast.errors import SceneError
from clast.scene.checks import check_periods, numbers
from clast.scene.imposed import CELL, Imposed, sum_up
from clast.scene.tags import Dashpot, Force, Pressure, Shear, Tag, Velocity


class MovingBox:
    """Periods along the axes, 0 where a side is open, and tags that move them as they would move a wall at the far corner.

    In a box that leans, images one period up (along y) lie `offset` further along x. The first component of its tags after the
    axes is that of the offset, as a shear rate.
    """

    axes: ClassVar[int]  # 2 in the plane, 3 in space
    tags: tuple[Tag, ...]
    mass: float | None
    offset: float

    @property
    def periods(self) -> tuple[float, ...]:
        """Lengths along the axes, 0 where a side is open."""
        raise NotImplementedError

    def _check(self) -> None:
        """SceneError where something of the box cannot be."""
        check_periods(**{f"period_{axis}": getattr(self, f"period_{axis}") for axis in self._names})
        if not isinstance(self.tags, tuple | list):
            raise SceneError(f"box: tags = {self.tags!r} must be a list of tags")
        for tag in self.tags:
            if not isinstance(tag, Velocity | Force | Pressure | Dashpot | Shear):
                raise SceneError(f"box: {tag!r} is not a Velocity, Force, Pressure, Dashpot or Shear")
            if isinstance(tag, Pressure) and tag.between is not None:
                raise SceneError("box: a Pressure on the cell acts across its whole side: leave `between` out")
        if self.mass is not None and numbers("box: mass", [self.mass], 1)[0] <= 0.0:
            raise SceneError(f"box: mass = {self.mass} must be positive")
        numbers("box: offset", [self.offset], 1)
        imposed = sum_up(CELL, self.tags, self.axes)
        if self.sheared:
            self._check_sheared(imposed)
        for axis, period in enumerate(self.periods):
            if period == 0.0 and (self.pushed(axis) or imposed.velocity[axis] is not None):
                name = self._names[axis]
                raise SceneError(f"box: a tag moves the period along {name}, but that side is open: give period_{name}")
        if any(each is not None for each in imposed.velocity[self.axes :]) or any(imposed.force[self.axes :]):
            raise SceneError("box: a spin or torque means nothing for the lengths of a cell; leave it out")

    @property
    def _names(self) -> str:
        return "xyz"[: self.axes]

    def pushed(self, axis: int) -> bool:
        """Whether a force or pressure acts on a period."""
        imposed = sum_up(CELL, self.tags, self.axes)
        return bool(imposed.force[axis]) or any(each.direction[1] == self._names[axis] for each in imposed.pressures)

    def imposed(self) -> Imposed:
        """All tags of the box summed up; periods that nothing pushes are held. After them comes the offset, as a shear rate."""
        imposed = sum_up(CELL, self.tags, self.axes)
        for c, value in enumerate(imposed.velocity):
            if c >= self.axes or (value is None and not self.pushed(c)):
                imposed.velocity[c] = 0.0
        if imposed.shear is not None:
            imposed.velocity[self.axes] = imposed.shear.rate
        return imposed

    @property
    def moving(self) -> tuple[bool, ...]:
        """Which periods change, along each axis."""
        return tuple(value != 0.0 for value in self.imposed().velocity[: self.axes])

    @property
    def moves(self) -> bool:
        """Whether any period changes, or the cell leans."""
        return self.sheared or (bool(self.tags) and any(self.moving))

    @property
    def sheared(self) -> bool:
        """Whether the cell leans or is made to."""
        return self.offset != 0.0 or any(isinstance(tag, Shear) for tag in self.tags)

    def _check_sheared(self, imposed: Imposed) -> None:
        """SceneError where a cell that leans lacks a period, or would change the one along x."""
        if not (self.periods[0] > 0.0 and self.periods[1] > 0.0):
            raise SceneError("box: a cell that is sheared or has an offset repeats both ways: give period_x and period_y")
        if imposed.shear is not None and imposed.shear.stress is not None and not self.periods[-1] > 0.0:
            raise SceneError("box: a shear stress acts on period_x × period_z: give period_z, or shear at a rate")
        moved = imposed.velocity[0]
        if self.pushed(0) or (moved is not None and moved != 0.0):
            raise SceneError(
                "box: a tag moves the period along x of a cell that is sheared or has an offset, which would shear it as well; "
                "let the period along y change"
            )


def cell_mass(box: MovingBox, masses: Sequence[float] | np.ndarray) -> float:
    """Inertia of what a tag moves: that of the box, or √N mean grains, as for a wall."""
    grains = np.asarray(masses, float)
    return box.mass or math.sqrt(max(grains.size, 1)) * (float(np.mean(grains)) if grains.size else 1.0)
