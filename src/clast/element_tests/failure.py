"""Biaxial tests that end soon after they failed, and what is read off at failure (PRE10 §V.A).

A test fails at the maximum of q = (σ_yy − σ_xx)/2 smoothed over a strain of 0.002, if q falls by 5 % later. Stiff grains fail
at strains not much larger than that: there the window is a quarter of the strain at failure, or it would cut the peak off. A
test goes on for some strain beyond, and ends earlier only where grains are pressed so deep into each other that the model does
not hold: what it reached until then is kept, with a word that it broke off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np

from clast.dynamics.engine import Engine, Snapshot
from clast.dynamics.runner import Every, Output, run_stretches
from clast.element_tests.curves import FAILURE_WIDTH, Peak, find_peak, slope_at, smoothed
from clast.element_tests.recorded import Record, curves, instants_table, read_instants
from clast.errors import CellError, OverlapError, SpeedError
from clast.measures.stored import is_periodic
from clast.measures.strain import Strain
from clast.measures.stress import Stress
from clast.output.recording import Samples, scene_arrays, steps_until
from clast.output.store.writer import RunWriter
from clast.scene.plane import Scene

PER_STRAIN = 10_000  # samples
FRAMES = 2000  # per unit of strain: the places at a strain are known within 1/4000
AROUND = 0.003  # of strain, to either side of failure, over which dε_v/dε_d is fitted; at most half of that strain
LOOKS = 20  # samples between two looks at whether a test is over
PART = 0.25  # of the strain at failure: the widest window


class Ending(IntEnum):
    """How a test came to its end."""

    BEYOND = 0  # it failed, and went on as far as required
    STRAIN = 1  # it came to the largest strain before
    BROKE_OFF = 2  # grains overlapped too deeply
    NEVER = 3  # so they did when the sample was pressed: there was no test


class Trial(NamedTuple):
    """A test in memory."""

    record: Record | None  # None where the sample could not be pressed
    ending: Ending


class Failure(NamedTuple):
    """A test at its failure; all but `ending` are NaN where it did not fail. Stresses in the unit of the test."""

    strain: float  # axial
    p: float  # (σ₁ + σ₃)/2, smoothed as q is
    q: float  # (σ₁ − σ₃)/2
    overlap: float  # largest of all contacts, over the sphero-radius
    dilatancy: float  # dε_v/dε_d, ε_v positive for dilation, ε_d = ε_a − ε_l
    ending: Ending
    highest: float  # q, whether it failed or not

    @property
    def failed(self) -> bool:
        """Whether there was a failure."""
        return bool(np.isfinite(self.q))

    @property
    def stress_ratio(self) -> float:
        """σ₁/σ₃."""
        return self.sigma_1 / self.sigma_3

    @property
    def sigma_1(self) -> float:
        """Major stress."""
        return self.p + self.q

    @property
    def sigma_3(self) -> float:
        """Minor stress: the confining pressure."""
        return self.p - self.q

    @property
    def sin_phi(self) -> float:
        """q/p, the sine of the friction angle."""
        return self.q / self.p

    @property
    def phi_degrees(self) -> float:
        """The friction angle φ of Mohr's circle in degrees."""
        return float(np.degrees(np.arcsin(self.sin_phi)))


class Watch:
    """Stands between the samples and the record, and knows whether the test is over."""

    def __init__(self, record: Record, beyond: float) -> None:
        self.record, self.beyond = record, beyond
        self.waiting: list[tuple[int, float, Mapping[str, float]]] = []
        self.strain = self.q = np.zeros(0)
        self.over = False

    def add_sample(self, step: int, time: float, values: Mapping[str, float]) -> None:
        """Hand a sample on, and now and then look at the curve so far."""
        self.record.add_sample(step, time, values)
        self.waiting.append((step, time, values))
        if len(self.waiting) > LOOKS:
            self.look()

    def look(self) -> None:
        """Read strain and q off the samples that wait; the first of all stays, since strain counts from it."""
        new = Record(self.record.scene)
        for each in self.waiting:
            new.add_sample(*each)
        stress = Stress("contacts" if is_periodic(new).all() else "walls").compute(new)
        self.strain = np.append(self.strain, Strain().compute(new).axial[1:])
        self.q = np.append(self.q, 0.5 * (stress.yy - stress.xx)[1:])
        del self.waiting[1:]
        peak, _ = failure_peak(self.strain, self.q)
        self.over = peak.accepted and bool(self.strain[-1] >= peak.strain + self.beyond)


class Places(Every):
    """Where bodies are, at regular steps; without contacts, which would fill the memory."""

    def __init__(self, record: Record, interval: int, last: int) -> None:
        super().__init__(interval, last)
        self.record = record

    def take(self, engine: Engine, snapshot: Snapshot) -> None:
        """Add a frame."""
        arrays = {"positions": snapshot.positions, "angles": snapshot.angles}
        if snapshot.cell is not None:
            arrays["period"] = snapshot.period
        self.record.add_frame(snapshot.step, snapshot.time, arrays)


def record_failure(
    scene: Scene, *, strain: float, rate: float, lost: float, beyond: float, dt: float, threads: int | str = 1
) -> Trial:
    """Run a sheared sample until it has failed and gone on by the strain `beyond`, or to the strain `strain`.

    rate   of the axial strain [1/time], from the time `lost` on: the strain is rate × (t − lost)

    The end depends on the samples only, so it is the same step on any machine.
    """
    engine = Engine(scene, dt=dt, threads=threads)
    end = steps_until(strain / rate + lost, engine.dt)
    every = [max(1, round(1.0 / (rate * engine.dt * each))) for each in (PER_STRAIN, FRAMES)]
    record = Record(scene_arrays(scene))
    watch = Watch(record, beyond)
    outputs: list[Output] = [Samples(cast(RunWriter, watch), every[0], end, None), Places(record, every[1], end)]
    try:
        run_stretches(engine, end, outputs, stop=lambda: watch.over)
    except (OverlapError, SpeedError, CellError):
        ending = Ending.BROKE_OFF
    else:
        ending = Ending.BEYOND if watch.over else Ending.STRAIN
    record.seconds = engine.seconds
    return Trial(record, ending)


# --- tables ----------------------------------------------------------------------------------------------------------


def failure_tables(
    name: str, made: Callable[[], Trial], *, after: tuple[float, ...] | None = None
) -> dict[str, Callable[[], dict[str, np.ndarray]]]:
    """What a study keeps of a test: its curves and how it ended and, if `after` is given, its bodies at some instants.

    The instants are the start, and the strains `after` behind the failure. The test is run once for both tables.
    """
    test = cache(made)
    wanted: dict[str, Callable[[], dict[str, np.ndarray]]] = {name: lambda: trial_table(test())}
    if after is not None:
        wanted[f"{name}: bodies"] = lambda: bodies_table(test(), after)
    return wanted


def trial_table(test: Trial) -> dict[str, np.ndarray]:
    """The curves of a test; of one that never began, its ending alone."""
    if test.record is None:
        return {"ending": np.array([int(test.ending)])}
    columns = curves(test.record)
    return {**columns, "ending": np.full(len(columns["time"]), int(test.ending))}


def bodies_table(test: Trial, after: tuple[float, ...]) -> dict[str, np.ndarray]:
    """Bodies at the start and at strains behind the failure; of one that never began, no row."""
    if test.record is None:
        return {"step": np.zeros(0, np.int64)}
    columns = curves(test.record)
    top = failure_peak(columns["axial_strain"], deviator(columns))[0].strain
    times = np.interp([top + each for each in after], columns["axial_strain"], columns["time"])
    return instants_table(test.record.frames.chosen([0.0, *times]))


def kept_places(scene: Scene, tables: Mapping[str, Mapping[str, np.ndarray]], name: str) -> Record:
    """The frames kept of a test, as a run for measures and pictures; `scene` has the same bodies, wherever they are."""
    return Record(scene_arrays(scene), read_instants(tables[f"{name}: bodies"]))


# --- what is read off ------------------------------------------------------------------------------------------------


def deviator(columns: Mapping[str, Any]) -> np.ndarray:
    """q = (σ_yy − σ_xx)/2."""
    return np.asarray(0.5 * (columns["stress_yy"] - columns["stress_xx"]))


def deviatoric_strain(columns: Mapping[str, Any]) -> np.ndarray:
    """ε_d = ε_a − ε_l; the lateral strain follows from (1 − ε_a)(1 − ε_l) = 1 + ε_v."""
    axial = np.asarray(columns["axial_strain"])
    return axial - 1.0 + (1.0 + columns["volumetric_strain"]) / (1.0 - axial)


def failure_peak(strain: np.ndarray, q: np.ndarray) -> tuple[Peak, float]:
    """The failure point, and the width of the window it was smoothed over."""
    peak = find_peak(strain, q)
    width = min(FAILURE_WIDTH, PART * peak.strain)
    return (peak, FAILURE_WIDTH) if width >= FAILURE_WIDTH else (find_peak(strain, q, width), width)


def read_failure(columns: Mapping[str, Any]) -> Failure:
    """A test at its failure, from its table."""
    ending, none = Ending(int(columns["ending"][0])), float("nan")
    if ending is Ending.NEVER:
        return Failure(none, none, none, none, none, ending, none)
    strain, q = np.asarray(columns["axial_strain"]), deviator(columns)
    peak, width = failure_peak(strain, q)
    if not peak.accepted:
        return Failure(none, none, none, none, none, ending, peak.value)
    at = int(np.argmin(np.abs(strain - peak.strain)))
    p = smoothed(strain, 0.5 * (columns["stress_yy"] + columns["stress_xx"]), width)[at]
    around = min(AROUND, 2.0 * PART * peak.strain)
    dilatancy = slope_at(strain, deviatoric_strain(columns), columns["volumetric_strain"], peak.strain, around)
    return Failure(peak.strain, float(p), peak.value, float(columns["overlap_share"][at]), dilatancy, ending, peak.value)
