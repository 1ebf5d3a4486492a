"""The shear cell of PRE10 §IV and ARX §IV: grains between two plates, periodic along x, sheared by the upper plate.

Grains are put on a wide lattice at random angles and settle under gravity and the loaded plate; how they came to lie is
kept in the cache folder. Then the plate moves along x at a constant speed. The lower plate is fixed, the upper one is free
to rise and to sink. Both carry half-sunk grains of the sample (`clast.element_tests.teeth`): a smooth plate would slide over a
bed that stays where it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from clast.dynamics.limits import limits_of
from clast.element_tests.teeth import toothed_face
from clast.errors import InputError
from clast.laws.linear import Linear
from clast.output.progress import Progress
from clast.packing.plane.arrangement import regular_of_area
from clast.packing.plane.lattice import square_lattice
from clast.packing.plane.voronoi import voronoi_packing
from clast.protocols.fill import Bed, fill
from clast.protocols.walls import check_pressure
from clast.scene.plane import Box, Scene
from clast.scene.tags import Dashpot, Pressure, Tag, Velocity
from clast.shapes import Shape, disk, polyline

COLUMNS = 6  # of the Voronoi diagram the grains are cut from (PRE10: 6 × 10)
SPREAD = 0.1  # of the diameters of disks: equal ones would crystallise
DRAG = 5.0  # 1/s while settling (PRE10's units): contact dashpots alone leave the sample ringing
CLOSING_SPEED = 2.0  # cm/s of the plate on its way down at most: faster it would drive skeletons into each other
STILL = 1e-7  # of p ℓ², ℓ the width of a grain: mean kinetic energy at which the grains lie still; single ones may rattle on
Paper = Literal["PRE10", "ARX"]
# K_t over K_n, μ and the density [g/cm²] of each; ARX prints no viscosities, K_n is the same
LAWS: Mapping[Paper, tuple[float, float, float]] = {"PRE10": (0.33, 0.4, 3.0), "ARX": (0.1, 0.5, 1.0)}
CLEAR = 1.02  # lattice constant over the width of the widest grain, at least


def regular_grain(sides: int, diameter: float, radius: float) -> Shape:
    """Regular spheropolygon with the area of a disk of that diameter."""
    return regular_of_area(sides, 0.25 * math.pi * diameter**2, radius)


def voronoi_grains(count: int, diameter: float, radius: float, seed: int) -> list[Shape]:
    """Grains of a Voronoi-Minkowski diagram, opened by `radius`; `diameter` is that of a disk with the mean area of a cell."""
    square = 0.5 * math.sqrt(math.pi) * diameter
    packing = voronoi_packing(COLUMNS, -(-count // COLUMNS), square, erosion=radius, seed=seed)
    return list(packing.shapes[:count])


def disks(count: int, diameter: float, seed: int) -> list[Shape]:
    """Disks of that mean diameter, ± 10 % of it."""
    return [disk(radius=float(0.5 * diameter * f)) for f in np.random.default_rng(seed).uniform(1 - SPREAD, 1 + SPREAD, count)]


@dataclass(frozen=True)
class ShearCell:
    """What the cell is made of, in any consistent units (the papers': cm, g, s).

    shapes           the grains, from the lower left of the lattice row by row
    law              between grains
    plate_friction   μ between grains and plates, the rest being that of the law
    period           width of the cell along x
    density          mass per area of the grains
    gravity          downwards, > 0
    pressure         on the upper plate [force/length]
    plate_mass       of the upper plate
    plate_radius     sphero-radius of both plates
    seed             of places, angles and teeth
    toothed          whether the plates carry grains; if not they are smooth
    """

    shapes: Sequence[Shape]
    law: Linear
    plate_friction: float
    period: float
    density: float
    gravity: float
    pressure: float
    plate_mass: float
    plate_radius: float
    seed: int
    toothed: bool = True

    def settled(self, progress: Progress | None = None) -> Bed:
        """The grains at rest under the plate; from the cache folder where they have settled before."""
        scene = self.scattered()
        still = STILL * self.load / self.period * self.widest**2
        return fill(scene, dt=limits_of(scene).safe, rest=still, progress=progress)

    @property
    def widest(self) -> float:
        """Width of the widest grain."""
        return 2.0 * max(shape.reach for shape in self.shapes)

    @property
    def load(self) -> float:
        """Force of the upper plate on the grains."""
        return self.pressure * self.period + self.plate_mass * self.gravity

    def scattered(self) -> Scene:
        """Grains on a lattice as wide as the cell, at random angles, the plate above them on its way down."""
        columns = int(self.period / (CLEAR * self.widest))
        if columns < 2:
            raise InputError(
                f"shear cell: a period of {self.period:.4g} is too narrow for grains {self.widest:.4g} wide: make it "
                f"{2.0 * CLEAR * self.widest:.4g} at least"
            )
        weight = self.gravity * self.density * sum(shape.area for shape in self.shapes)
        least = min(min(shape.radius for shape in self.shapes), self.plate_radius)
        size = math.sqrt(4.0 * float(np.mean([shape.area for shape in self.shapes])) / math.pi)
        check_pressure((self.load + weight) / self.period, self.law.normal_stiffness, size, least)
        rng = np.random.default_rng(self.seed)
        spacing = self.period / columns
        slack = 0.5 * (spacing - self.widest)
        places = square_lattice(len(self.shapes), columns, spacing)
        scene = self._empty(drag=DRAG)
        # off the lattice, or columns of disks would stand on each other
        x, y, angles = rng.uniform((-slack, -slack, 0.0), (slack, slack, 2.0 * np.pi), (len(places), 3)).T
        low, high = (float(face[:, 1].max()) for face in self.faces)  # of the teeth
        places = places + np.stack([x, y + low], axis=1)
        scene.add_many(self.shapes, places, angles=angles, density=self.density)
        rows = -(-len(places) // columns)
        calm = math.sqrt(self.law.normal_stiffness * self.plate_mass)  # or the plate swings, and is at rest where it turns back
        dashpot = Dashpot(max(self.load / CLOSING_SPEED, calm))
        self._add_plates(scene, low + rows * spacing + high, 0.0, [dashpot])
        return scene

    def sheared(self, bed: Bed, speed: float, *, onset: bool = True) -> Scene:
        """The cell with its grains as they lie in `bed`, at the moment the upper plate starts to move along x [length/time]."""
        scene = self._empty(onset=onset)
        grains = slice(len(self.shapes))
        scene.add_many(self.shapes, bed.positions[grains], angles=bed.angles[grains], density=self.density)
        self._add_plates(scene, float(bed.positions[-1, 1] + self._upper(0.0).origin[1]), speed, [])
        scene.springs = bed.springs
        return scene

    def _empty(self, *, drag: float = 0.0, onset: bool = True) -> Scene:
        return Scene(law=self.law, gravity=(0.0, -self.gravity), box=Box(period_x=self.period), drag=drag, onset=onset)

    @cached_property
    def faces(self) -> tuple[np.ndarray, np.ndarray]:
        """Skeletons (n, 2) of the lower and the upper plate, both drawn as looking up with the flat face at y = 0."""
        if not self.toothed:
            return (np.array([(0.0, 0.0), (self.period, 0.0)]),) * 2
        rng = np.random.default_rng([self.seed, 1])
        low, high = (toothed_face(self.shapes, self.period, self.plate_radius, rng) for _ in range(2))
        return low, high

    def _upper(self, top: float) -> Shape:
        """The upper plate with its flat face at the height `top`."""
        return polyline(self.faces[1] * (1.0, -1.0) + (0.0, top + self.plate_radius), self.plate_radius, name="plate")

    def _add_plates(self, scene: Scene, top: float, speed: float, tags: Sequence[Tag]) -> None:
        """The lower plate, its flat face at y = 0, then the upper one: endless, joined to their images."""
        lower = polyline(self.faces[0] - (0.0, self.plate_radius), self.plate_radius, name="plate")
        scene.add_wall(lower, name="bottom")
        driven = [Velocity(x=speed, spin=0.0), Pressure(self.pressure, "-y"), *tags]
        scene.add_wall(self._upper(top), tags=driven, mass=self.plate_mass, name="top")
        scene.set_law("grain", "wall", replace(self.law, friction=self.plate_friction))


def papers_cell(shapes: Sequence[Shape], seed: int, paper: Paper = "PRE10") -> ShearCell:
    """The cell with the numbers of PRE10 §IV [cm, g, s] or with ARX's; width, plates, load and gravity are our choice.

    The weight of the sample is 3 % of the load. With the printed 10 m/s² a grain would be pressed in by 0.14 cm; with 10 cm/s²
    the lower layers carry twice the load of the upper ones and rest, and only the uppermost two are sheared.
    """
    tangential, friction, density = LAWS[paper]
    law = Linear(1e4, tangential * 1e4, friction, normal_damping=16.0, tangential_damping=4.0)
    return ShearCell(
        shapes=shapes, law=law, plate_friction=friction, period=7.6, density=density, gravity=0.3, pressure=100.0,
        plate_mass=140.0, plate_radius=0.1, seed=seed,
    )  # fmt: skip
