"""What the experiments that time the shear cell share (PRE10 fig 11-12, ARX fig 11-13): its parameters, one timed run, pictures.

All is timed on one thread and in turn, so that a machine that slows down slows all; the median of the repetitions counts.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from clast.dynamics.engine import Engine
from clast.element_tests.figure import cells_figure
from clast.element_tests.recorded import still_of
from clast.element_tests.shear_cell import Paper
from clast.experiments.experiment import Parameters, parameter
from clast.output.figures.plane import save_figure
from clast.scene.plane import Scene

DIAMETER, RADIUS = 0.76, 0.1  # cm, PRE10


class TimedCell(Parameters):
    """PRE10's cell, 60 grains; ARX has 102."""

    paper: Paper = parameter("PRE10", "whose K_t, μ and density")
    grains: int = parameter(60, "number of grains", "", ge=4)
    until: float = parameter(20.0, "simulated time of a run", "s", gt=0)
    followed: float = parameter(20.0, "simulated time of the run in which it is seen whether grains follow the plate", "s", gt=0)
    dt: float = parameter(1e-3, "time step", "s", gt=0)
    repetitions: int = parameter(7, "timed runs of each kind, of which the median counts", "", ge=1)

    @property
    def steps(self) -> int:
        """Steps of a run."""
        return max(1, round(self.until / self.dt))


class ClockedEngine(Engine):
    """An engine that knows how long its lists took [CPU s]."""

    listing = 0.0

    def _rebuild(self) -> None:
        began = time.process_time()
        super()._rebuild()
        self.listing += time.process_time() - began


class Timing(NamedTuple):
    """What a run cost."""

    seconds: float  # CPU seconds per step
    list_seconds: float  # of these, for the lists
    rebuilds: float  # of the lists, per step
    candidates: int  # pairs of features listed at the end
    alpha: float  # Verlet distance at the end


def timed(scene: Scene, alpha: float | str, dt: float, steps: int) -> Timing:
    """A run of so many steps with one Verlet distance; the first lists are made before the clock starts."""
    engine = ClockedEngine(scene, dt=dt, alpha=alpha)
    engine.listing, before, began = 0.0, engine.rebuilds, time.process_time()
    engine.advance(steps)
    took = time.process_time() - began
    return Timing(took / steps, engine.listing / steps, (engine.rebuilds - before) / steps, engine.candidates, engine.alpha)


def columns_of(rows: Sequence[Mapping[str, float]]) -> dict[str, np.ndarray]:
    """Rows with the same names as columns."""
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def save_cells(cells: Mapping[str, Scene], folder: Path) -> Path:
    """A picture of cells side by side, each with its title."""
    return save_figure(cells_figure({title: still_of(scene) for title, scene in cells.items()}, "cm"), folder / "cells.png")
