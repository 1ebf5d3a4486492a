"""The biaxial test (GM09 §4, PRE10 §V): a packing between four smooth walls, first pressed alike on all sides, then sheared.

In the test the side walls keep their pressure and bottom and top come nearer at a constant speed, or their pressure swings.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from clast.errors import InputError
from clast.laws.linear import Linear
from clast.packing.plane.packing import Packing
from clast.protocols.press import Prepared, start_from
from clast.protocols.walls import ENDS, SIDES, WALLS, Extent, add_walls, check_positive, check_pressure, check_shear, drive, press
from clast.scene.plane import Scene
from clast.scene.timed import Harmonic, Timed

BRAKE = 0.001  # of the load: what the dashpots of side walls carry that move apart at the strain rate of the test
SWING_BRAKE = 1e-4  # of the load: what dashpots carry in a swing Δσ = p of a sample whose modulus is k_n


@dataclass(frozen=True)
class BiaxialCell:
    """Grains of a packing inside four walls without friction; any consistent units.

    packing       where the grains lie at first: the walls stand around its rectangle
    law           between grains, and without its friction between grains and walls
    density       mass per area of the grains
    wall_radius   sphero-radius of the walls
    """

    packing: Packing
    law: Linear
    density: float = 1.0
    wall_radius: float = 0.1

    def scene(self, *, law: Linear | None = None, drag: Timed = 0.0) -> Scene:
        """Grains and walls, with nothing yet that moves the walls across their faces."""
        law, packing = law or self.law, self.packing
        if any(packing.periodic):
            raise InputError("the packing is periodic, and walls would cut its grains: draw it with closed borders")
        scene = Scene(law=law, drag=drag)
        scene.set_law("grain", "wall", dataclasses.replace(law, friction=0.0))
        scene.add_packing(packing, density=self.density)
        add_walls(scene, Extent(*packing.corner, packing.width, packing.height), self.wall_radius)
        return scene

    def compressed(
        self, pressure: float, *, ramp: Timed | None = None, law: Linear | None = None, drag: Timed = 0.0,
        closing_speed: float | None = None,
    ) -> Scene:  # fmt: skip
        """All four walls under the same pressure, to be brought to rest by `clast.protocols.press.prepare`.

        ramp            how the pressure rises, constant if not given
        law             another than that of the test: friction off makes dense packings
        drag            rate of a drag on the grains [1/time]: contact damping alone leaves a sample ringing
        closing_speed   which no wall exceeds on its way in: dashpots see to that. The grains come along, all towards the
                        middle as if the sample shrank as a whole; pushed by the walls alone, loose grains would pile up
                        along them, and a rim would carry the load
        """
        self.check(pressure)
        scene = self.scene(law=law, drag=drag)
        size = np.array([self.packing.width, self.packing.height])
        rate = 0.0 if closing_speed is None else closing_speed / (0.5 * float(size.max()))  # at which the sample shrinks
        for walls, length, across in ((SIDES, size[1], size[0]), (ENDS, size[0], size[1])):
            brake = pressure * float(length / (0.5 * rate * across)) if rate > 0.0 else None
            press(scene, walls, pressure if ramp is None else ramp, dashpot=brake)
        middle = np.array(self.packing.corner) + 0.5 * size
        grains = slice(len(self.packing))
        scene.bodies.put("velocity", rate * (middle - scene.bodies.column("position")[grains]), grains)
        return scene

    def held(self, pressure: float, *, prepared: Prepared, law: Linear | None = None, drag: Timed = 0.0) -> Scene:
        """A prepared sample under the same pressure on all sides: to rest once more, with friction switched on."""
        scene = self.scene(law=law, drag=drag)
        press(scene, WALLS, pressure)
        return start_from(scene, prepared)

    def sheared(self, pressure: float, rate: float, *, prepared: Prepared, onset: float) -> Scene:
        """The test: sides under `pressure`, bottom and top closing at the strain rate `rate` [1/time] of the prepared height.

        The speed rises over the time `onset`, in which half the strain is lost: after t the axial strain is
        rate × (t − onset/2). The dashpots of the side walls are chosen so that they carry a thousandth of the load.
        """
        self.check(pressure)
        check_shear(rate, onset)
        scene = start_from(self.scene(), prepared)
        extent = prepared.extent(scene)
        press(scene, SIDES, pressure, dashpot=BRAKE * pressure * extent.height / (rate * extent.width))
        drive(scene, ENDS, 0.5 * rate * extent.height, onset=onset)
        return scene

    def cycled(
        self, pressure: float, amplitude: float, period: float, *, prepared: Prepared, brake: float = SWING_BRAKE
    ) -> Scene:
        """Cyclic loading: sides under `pressure`, bottom and top under p + Δσ (1 − cos 2πt/T)/2; see `swing`.

        brake   share of the load on the dashpots of walls that move as those of a sample of modulus k_n in a swing Δσ = p.
                Contact damping stills the sample; the dashpots only need not do harm
        """
        load = swing(pressure, amplitude, period)
        self.check(pressure + amplitude)
        scene = start_from(self.scene(), prepared)
        extent = prepared.extent(scene)
        for walls, value, length, across in (
            (SIDES, pressure, extent.height, extent.width),
            (ENDS, load, extent.width, extent.height),
        ):
            press(scene, walls, value, dashpot=2.0 * brake * self.law.normal_stiffness * period / np.pi * length / across)
        return scene

    def check(self, pressure: float) -> float:
        """Expected overlap over the smallest sphero-radius; SceneError or a warning where that is too much."""
        size = float(np.mean([2.0 * np.sqrt(shape.area / np.pi) for shape in self.packing.shapes]))
        return check_pressure(
            pressure, self.law.normal_stiffness, size, min(shape.radius for shape in self.packing.shapes)
        )  # fmt: skip


def swing(pressure: float, amplitude: float, period: float) -> Harmonic:
    """σ_a(t) = p + Δσ (1 − cos 2πt/T)/2 (PRE10 eq 26), with p and Δσ [force/length]; Δσ = 0 stays at p.

    The paper prints a plus: its load would start at p + Δσ, with a jump. Ours leaves a sample at rest under p without one.
    """
    check_positive("pressure", pressure)
    check_positive("period", period)
    if amplitude != 0.0:  # a test at rest is a fair one
        check_positive("amplitude", amplitude)
    return Harmonic(-0.5 * amplitude, period, mean=pressure + 0.5 * amplitude)
