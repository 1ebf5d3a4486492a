"""Triaxial tests in space without walls: a packing periodic on all sides, pressed and sheared by the lengths of its cell.

The height (along z) shrinks at a given rate while width and depth give way to a pressure. As in the plane
(`clast.element_tests.periodic_cell`) there are no wall layers and no corners: what is measured is the bulk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clast.element_tests.recorded import Record
from clast.errors import InputError
from clast.laws.linear import Linear
from clast.measures import QuasiStatic, Strain, Stress, VoidRatio
from clast.packing.space.packing import Packing3D
from clast.protocols.press import Prepared, start_from
from clast.protocols.walls import check_pressure, check_shear
from clast.scene.space import Box3D, Scene3D
from clast.scene.tags import Dashpot, Pressure, Tag, Velocity
from clast.scene.timed import Ramp, Timed

BRAKE = 0.002  # of the load: what the dashpot of the cell carries as it widens at the strain rate of the test
BALL = 6.0 / np.pi


@dataclass(frozen=True)
class TriaxialCell:
    """Grains of a packing in space that repeats along all axes; any consistent units.

    packing   where the grains lie at first; its size are the first periods
    law       between grains
    density   mass per volume of the grains
    """

    packing: Packing3D
    law: Linear
    density: float = 1.0

    def scene(self, *tags: Tag, law: Linear | None = None, drag: Timed = 0.0, size: tuple[float, ...] | None = None) -> Scene3D:
        """The grains in a cell with `tags`; `size` are other periods than the packing's."""
        if not all(self.packing.periodic):
            raise InputError('the packing has borders, and a triaxial cell needs one without: draw it with border="periodic"')
        width, depth, height = size or self.packing.periods
        scene = Scene3D(law=law or self.law, box=Box3D(width, depth, height, tags=tags), drag=drag)
        scene.add_packing(self.packing, density=self.density)
        return scene

    def compressed(self, pressure: float, *, ramp: Timed | None = None, law: Linear | None = None, drag: Timed = 0.0) -> Scene3D:
        """All three periods under the same pressure [force/area], to be brought to rest.

        ramp   the pressure as a function of time, that ends at `pressure`
        law    another law than the cell's, to press without friction
        """
        self.check(pressure)
        load = pressure if ramp is None else ramp
        return self.scene(*(Pressure(load, way) for way in ("-x", "-y", "-z")), law=law, drag=drag)

    def sheared(self, pressure: float, rate: float, *, prepared: Prepared, onset: float) -> Scene3D:
        """The triaxial test: width and depth give way to `pressure`, the height shrinks at the strain rate `rate` [1/time].

        The speed rises over the time `onset`, in which half the strain is lost: after t the axial strain is
        rate × (t − onset/2).
        """
        self.check(pressure)
        check_shear(rate, onset)
        size = width, depth, height = prepared.report.size
        speed = Ramp(0.0, -rate * height, finish=onset, smooth=True)
        load = BRAKE * pressure / rate
        brake = Dashpot((load * depth * height / width, load * width * height / depth, 0.0))
        tags = (Pressure(pressure, "-x"), Pressure(pressure, "-y"), Velocity(z=speed), brake)
        return start_from(self.scene(*tags, size=size), prepared)

    def check(self, pressure: float) -> float:
        """Expected overlap p ℓ²/k_n over the smallest sphero-radius; SceneError or a warning where that is too much."""
        size = float(np.mean([np.cbrt(BALL * shape.volume) for shape in self.packing.shapes]))
        least = min(shape.radius for shape in self.packing.shapes)
        return check_pressure(pressure * size, self.law.normal_stiffness, size, least)


# --- what is kept and read off ---------------------------------------------------------------------------------------


def triaxial_curves(test: Record) -> dict[str, np.ndarray]:
    """A test as columns over samples: strains, stresses of its contacts along and across the axis, void ratio, figures of
    merit. The lateral stress is the mean of those along x and y."""
    strain, stress, slow, series = Strain().compute(test), Stress().compute(test), QuasiStatic().compute(test), test.series
    return {
        "time": series["time"], "axial_strain": strain.axial, "volumetric_strain": strain.volumetric, "axial_stress": stress.zz,
        "lateral_stress": 0.5 * (stress.xx + stress.yy), "void_ratio": VoidRatio().compute(test).void_ratio,
        "inertial_number": slow.inertial, "unbalanced_force": slow.unbalanced, "overlap_share": series["overlap_share"],
        "dashpot_share": series["dashpot_share"], "energy_error": np.full(len(strain.axial), test.book.energy_error),
        "step": series["step"],
    }  # fmt: skip


def mobilised(columns: Mapping[str, Any]) -> np.ndarray:
    """sin φ = (σ_a − σ_l)/(σ_a + σ_l) of a test, the sine of the friction angle that is mobilised."""
    axial, lateral = np.asarray(columns["axial_stress"]), np.asarray(columns["lateral_stress"])
    return np.asarray((axial - lateral) / (axial + lateral))
