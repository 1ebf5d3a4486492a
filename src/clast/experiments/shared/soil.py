"""What the experiments on Voronoi soils share (PRE10 §V): their parameters, how a sample is made, pressed and sheared.

Units are the paper's: cm, g, s; stress in dyn/cm, the unit of K_n. A dense sample is the Voronoi-Minkowski packing as drawn; a
loose one is the same packing expanded, every grain turned at random, and compressed with friction.
"""

import dataclasses
import warnings
from typing import Literal

import numpy as np

from clast.element_tests.biaxial import BiaxialCell
from clast.element_tests.periodic_cell import PeriodicCell
from clast.element_tests.recorded import Record, record
from clast.experiments.experiment import Parameters, parameter
from clast.laws.linear import Linear
from clast.packing.plane.packing import OverlapWarning, Packing
from clast.packing.plane.voronoi import voronoi_packing
from clast.protocols.press import Prepared, Stop, prepare
from clast.scene.timed import Ramp

State = Literal["dense", "loose"]
Cell = BiaxialCell | PeriodicCell

SQUARE = 0.674  # cm, grid of the sites: equivalent diameter 0.76
EXPANDED = 1.5  # loose: distances between centres
APART = 1.0 + 1e-6  # dense: so that forces come from the pressure, not from the rounding of grains that just touch
DRAG = 5.0  # 1/s, in preparation
RISE = 2.0  # s, of the pressure on a dense sample
CLOSING_SPEED = 0.6  # cm/s, of the walls around a loose sample
CLOSED = 12.0  # s, after which they are there and the drag begins
ONSET = 3.0  # s: a wave of stress takes 0.7
LONGEST = 300.0  # s
SAMPLES = 5000  # per unit of strain


class Soil(Parameters):
    """Parameters of a Voronoi soil; the law is PRE10's."""

    boundary: Literal["walls", "periodic"] = parameter("walls", "four walls, or a periodic cell whose lengths give way")
    columns: int = parameter(30, "grains across", "", ge=4)
    rows: int = parameter(40, "grains upwards", "", ge=4)
    radius: float = parameter(0.1, "sphero-radius: by how much cells are eroded, then dilated", "cm", gt=0)
    stiffness: float = parameter(1e4, "normal stiffness K_n", "dyn/cm", gt=0)
    tangential: float = parameter(0.33, "K_t over K_n", "", gt=0)
    friction: float = parameter(0.4, "friction μ between grains", "", ge=0)
    damping: float = parameter(16.0, "G_n; G_t is a quarter of it", "1/s", ge=0)
    sliding_by: Literal["path", "angle"] = parameter("path", "what springs grow by; angle: McNamara's relation between vertices")
    density: float = parameter(3.0, "density of the grains", "g/cm²", gt=0)
    dt: float = parameter(1e-3, "time step", "s", gt=0)


def law_of(p: Soil) -> Linear:
    """The contact law between grains."""
    k_n = p.stiffness
    return Linear(k_n, p.tangential * k_n, p.friction, p.damping, 0.25 * p.damping, sliding_by=p.sliding_by)


def cell_of(p: Soil, state: str, seed: int) -> Cell:
    """A sample before it is pressed."""
    rng = np.random.default_rng(seed)
    border = "closed" if p.boundary == "walls" else "periodic"
    drawn = voronoi_packing(p.columns, p.rows, SQUARE, erosion=p.radius, border=border, rng=rng)
    packing = drawn.expanded(APART) if state == "dense" else loosened(drawn, rng)
    if p.boundary == "periodic":
        return PeriodicCell(packing, law_of(p), density=p.density)
    return BiaxialCell(packing, law_of(p), density=p.density, wall_radius=p.radius)


def loosened(drawn: Packing, rng: np.random.Generator) -> Packing:
    """A packing expanded, its grains turned at random.

    A long cell in a corner may find no angle at which it meets nobody: such grains, and whom they would meet, stay as drawn
    (3 of 1200 grains in one of the papers' 24 samples of eight seeds and three radii).
    """
    apart = drawn.expanded(EXPANDED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OverlapWarning)
        packing = apart.turned(rng)
    stuck = np.zeros(len(packing), bool)
    while len(crowded := np.concatenate([packing.overlaps()[0].ravel(), packing.outside()[0]])) and not stuck.all():
        stuck[crowded] = True
        packing = dataclasses.replace(packing, angles=np.where(stuck, apart.angles, packing.angles))
    return packing


def pressed(p: Soil, cell: Cell, state: str, pressure: float) -> Prepared:
    """The sample at rest under a pressure [dyn/cm] on all sides; from the cache folder where it was pressed before."""
    if state == "dense":
        scene, earliest = cell.compressed(pressure, ramp=Ramp(0.0, pressure, finish=RISE, smooth=True), drag=DRAG), RISE
    else:
        drag = Ramp(0.0, DRAG, begin=CLOSED, finish=CLOSED + RISE)  # before, it would hold grains back from the middle
        scene, earliest = cell.compressed(pressure, closing_speed=CLOSING_SPEED, drag=drag), CLOSED + RISE
    return prepare(scene, Stop(earliest=earliest, longest=LONGEST), dt=p.dt)


def sheared(
    p: Soil, state: str, seed: int, *, pressure: float, rate: float, strain: float, frames: int = 30, threads: int | str = 1
) -> Record:
    """Press a sample and shear it to an axial strain at a rate [1/s]."""
    cell = cell_of(p, state, seed)
    scene = cell.sheared(pressure, rate, prepared=pressed(p, cell, state, pressure), onset=ONSET)
    samples = max(100, round(SAMPLES * strain))
    return record(scene, until=strain / rate + 0.5 * ONSET, dt=p.dt, samples=samples, frames=frames, threads=threads)
