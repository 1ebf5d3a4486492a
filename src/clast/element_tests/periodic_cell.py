"""Element tests without walls: a packing periodic on both sides, pressed and sheared by the lengths of its cell.

No wall layers, no corners: what is measured is the bulk. The same protocols as for `clast.element_tests.biaxial.BiaxialCell`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clast.element_tests.biaxial import SWING_BRAKE, swing
from clast.errors import InputError
from clast.laws.linear import Linear
from clast.packing.plane.packing import Packing
from clast.protocols.press import Prepared, start_from
from clast.protocols.walls import check_pressure, check_shear
from clast.scene.plane import Box, Scene
from clast.scene.tags import Dashpot, Pressure, Tag, Velocity
from clast.scene.timed import Ramp, Timed

BRAKE = 0.002  # of the load: what the dashpot of the cell carries as it widens at the strain rate of the test


@dataclass(frozen=True)
class PeriodicCell:
    """Grains of a packing that repeats both ways; any consistent units.

    packing   where the grains lie at first; its width and height are the first periods
    law       between grains
    density   mass per area of the grains
    """

    packing: Packing
    law: Linear
    density: float = 1.0

    def scene(self, *tags: Tag, law: Linear | None = None, drag: Timed = 0.0, size: tuple[float, float] | None = None) -> Scene:
        """The grains in a cell with `tags`; `size` are other periods than the packing's."""
        if not all(self.packing.periodic):
            raise InputError('the packing has borders, and a periodic cell needs one without: draw it with border="periodic"')
        width, height = size or (self.packing.width, self.packing.height)
        scene = Scene(law=law or self.law, box=Box(width, height, tags=tags), drag=drag)
        scene.add_packing(self.packing, density=self.density)
        return scene

    def compressed(
        self, pressure: float, *, ramp: Timed | None = None, law: Linear | None = None, drag: Timed = 0.0,
        closing_speed: float | None = None,
    ) -> Scene:  # fmt: skip
        """Both periods under the same pressure, to be brought to rest; see `BiaxialCell.compressed`.

        closing_speed   at which the longer period shrinks at most. The grains come along towards the middle of the cell, or
                        only those at its seam would be pushed together
        """
        self.check(pressure)
        tags: list[Tag] = [Pressure(pressure if ramp is None else ramp, way) for way in ("-x", "-y")]
        if closing_speed is None:
            return self.scene(*tags, law=law, drag=drag)
        size = np.array([self.packing.width, self.packing.height])
        rate = closing_speed / float(size.max())
        brake = Dashpot((pressure * float(size[1] / size[0]) / rate, pressure * float(size[0] / size[1]) / rate))
        scene = self.scene(*tags, brake, law=law, drag=drag)
        middle = np.array(self.packing.corner) + 0.5 * size
        scene.bodies.put("velocity", rate * (middle - scene.bodies.column("position")))
        return scene

    def held(self, pressure: float, *, prepared: Prepared, law: Linear | None = None, drag: Timed = 0.0) -> Scene:
        """A prepared sample under the same pressure on both periods: to rest once more, with friction switched on."""
        size = (prepared.report.width, prepared.report.height)
        return start_from(self.scene(Pressure(pressure, "-x"), Pressure(pressure, "-y"), law=law, drag=drag, size=size), prepared)

    def sheared(self, pressure: float, rate: float, *, prepared: Prepared, onset: float) -> Scene:
        """The biaxial test: the width gives way to `pressure`, the height shrinks at the strain rate `rate` [1/time].

        The speed rises over the time `onset`, in which half the strain is lost: after t the axial strain is
        rate × (t − onset/2).
        """
        self.check(pressure)
        check_shear(rate, onset)
        width, height = prepared.report.width, prepared.report.height
        speed = Ramp(0.0, -rate * height, finish=onset, smooth=True)
        brake = Dashpot(BRAKE * pressure * height / (rate * width))
        return start_from(self.scene(Pressure(pressure, "-x"), Velocity(y=speed), brake, size=(width, height)), prepared)

    def cycled(
        self, pressure: float, amplitude: float, period: float, *, prepared: Prepared, brake: float = SWING_BRAKE
    ) -> Scene:
        """Cyclic loading: the width under `pressure`, the height under p + Δσ (1 − cos 2πt/T)/2; see `BiaxialCell.cycled`."""
        load = swing(pressure, amplitude, period)
        self.check(pressure + amplitude)
        width, height = prepared.report.width, prepared.report.height
        slow = brake * self.law.normal_stiffness * period / np.pi
        tags = (Pressure(pressure, "-x"), Pressure(load, "-y"), Dashpot((slow * height / width, slow * width / height)))
        return start_from(self.scene(*tags, size=(width, height)), prepared)

    def check(self, pressure: float) -> float:
        """Expected overlap over the smallest sphero-radius; SceneError or a warning where that is too much."""
        size = float(np.mean([2.0 * np.sqrt(shape.area / np.pi) for shape in self.packing.shapes]))
        return check_pressure(pressure, self.law.normal_stiffness, size, min(shape.radius for shape in self.packing.shapes))
