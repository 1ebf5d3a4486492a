"""A test on a sample, run in memory: series, frames and contacts as a run folder would hold them, for studies of many tests.

`Record` stands for a stored run wherever a measure or a picture reads one. A study keeps it as tables: the curves of the
test, and for pictures the bodies and contacts of its frames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

import numpy as np

from clast.dynamics.engine import Engine
from clast.dynamics.runner import run_stretches
from clast.element_tests.curves import find_peak
from clast.measures.book import Book
from clast.measures.quasi_static import QuasiStatic
from clast.measures.stored import is_periodic
from clast.measures.strain import Strain
from clast.measures.stress import Stress
from clast.measures.void_ratio import VoidRatio
from clast.output.recording import Frames, Samples, scene_arrays, steps_until
from clast.output.store.writer import RunWriter
from clast.scene.plane import Scene
from clast.scene.space import Scene3D

PAIRS = ("positions", "velocities", "bodies", "points", "normals", "forces", "first_arms", "second_arms")  # two columns each
PERIOD = "period"  # of a cell that moves, one per instant


@dataclass(frozen=True)
class Instant:
    """A frame or a table of contacts: arrays as items or attributes."""

    step: int
    time: float
    arrays: Mapping[str, np.ndarray]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the arrays."""
        return tuple(self.arrays)

    @property
    def absent(self) -> np.ndarray:
        """Which bodies had been taken out of the run (n,): none."""
        return np.zeros(len(self.arrays["angles"]), bool)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name]

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_") or name not in self.arrays:
            raise AttributeError(name)
        return self.arrays[name]


class Instants(Sequence[Instant]):
    """Instants in order of time."""

    def __init__(self) -> None:
        self._instants: list[Instant] = []

    def append(self, step: int, time: float, arrays: Mapping[str, np.ndarray]) -> None:
        """Add the next one."""
        self._instants.append(Instant(step, time, arrays))

    def chosen(self, times: Sequence[float]) -> Instants:
        """Those nearest to some times, each once."""
        found = Instants()
        for k in sorted({int(np.argmin(np.abs(self.times - time))) for time in times}):
            found._instants.append(self._instants[k])
        return found

    @property
    def steps(self) -> np.ndarray:
        """Step of each (k,)."""
        return np.array([each.step for each in self._instants], np.int64)

    @property
    def times(self) -> np.ndarray:
        """Time of each (k,)."""
        return np.array([each.time for each in self._instants])

    def __len__(self) -> int:
        return len(self._instants)

    def __getitem__(self, index: Any) -> Any:
        return self._instants[index]

    def __iter__(self) -> Iterator[Instant]:
        return iter(self._instants)


@dataclass
class Record:
    """What a run leaves, in memory."""

    scene: Mapping[str, Any]
    frames: Instants = field(default_factory=Instants)
    contacts: Instants = field(default_factory=Instants)
    seconds: float = 0.0
    _rows: list[dict[str, float]] = field(default_factory=list)

    def add_sample(self, step: int, time: float, values: Mapping[str, float]) -> None:
        """A row of the series."""
        self._rows.append({"step": step, "time": time, **values})

    def add_frame(self, step: int, time: float, arrays: Mapping[str, np.ndarray]) -> None:
        """A configuration."""
        self.frames.append(step, time, {name: array.copy() for name, array in arrays.items()})

    def add_contacts(self, step: int, time: float, arrays: Mapping[str, np.ndarray]) -> None:
        """The contacts of a configuration."""
        self.contacts.append(step, time, arrays)

    @property
    def series(self) -> dict[str, np.ndarray]:
        """Quantities over samples."""
        return {name: np.array([row[name] for row in self._rows], float) for name in self._rows[0]} if self._rows else {}

    @property
    def book(self) -> Book:
        """The energy accounts."""
        series = self.series
        return Book(series["time"], series)


def record(
    scene: Scene | Scene3D,
    *,
    until: float,
    dt: float | None = None,
    samples: int = 400,
    frames: int = 10,
    threads: int | str = 1,
    device: str = "cpu",
) -> Record:
    """Run a scene to the time `until` and keep what it leaves in memory."""
    engine = Engine(scene, dt=dt, threads=threads, device=device)
    end = steps_until(until, engine.dt)
    found = Record(scene_arrays(scene))
    writer = cast(RunWriter, found)
    run_stretches(engine, end, [Samples(writer, end // samples, end, None), Frames(writer, end // frames, end)])
    found.seconds = engine.seconds
    return found


def still_of(scene: Scene, dt: float | None = None) -> Record:
    """The start of a scene as a record of one frame: for pictures and measures of a prepared sample."""
    return look(Engine(scene, dt=dt))


def look(engine: Engine) -> Record:
    """A run as it stands, as a record of one frame."""
    found = Record(scene_arrays(engine.scene))
    writer, snapshot = cast(RunWriter, found), engine.snapshot()
    for output in (Samples(writer, 1, 1, None), Frames(writer, 1, 1)):
        output.take(engine, snapshot)
    return found


# --- tables ----------------------------------------------------------------------------------------------------------


def curves(test: Record) -> dict[str, np.ndarray]:
    """A biaxial test as columns over samples: strains, stresses from walls and contacts, void ratio, figures of merit.

    A periodic sample has no walls: there both stresses are those of its contacts.
    """
    strain, contacts = Strain().compute(test), Stress("contacts").compute(test)
    walls = contacts if is_periodic(test).all() else Stress("walls").compute(test)
    series, slow = test.series, QuasiStatic().compute(test)
    return {
        "time": series["time"],
        "axial_strain": strain.axial,
        "volumetric_strain": strain.volumetric,
        "stress_xx": walls.xx,
        "stress_yy": walls.yy,
        "contact_stress_xx": contacts.xx,
        "contact_stress_yy": contacts.yy,
        "void_ratio": VoidRatio().compute(test).void_ratio,
        "inertial_number": slow.inertial,
        "unbalanced_force": slow.unbalanced,
        "overlap_share": series["overlap_share"],
        "dashpot_share": series["dashpot_share"],
        "energy_error": np.full(len(strain.axial), test.book.energy_error),
        "step": series["step"],
    }


def instants_table(instants: Instants) -> dict[str, np.ndarray]:
    """Frames or contacts as plain columns, all instants below each other; vectors become two columns."""
    columns: dict[str, list[np.ndarray]] = {"step": [], "time": []}
    for each in instants:
        rows = len(next(iter(each.arrays.values())))
        columns["step"].append(np.full(rows, each.step))
        columns["time"].append(np.full(rows, each.time))
        for name, array in each.arrays.items():
            if name == PERIOD:
                for axis in range(2):
                    columns.setdefault(f"{name}_{'xy'[axis]}", []).append(np.full(rows, array[axis]))
            elif name in PAIRS:
                for axis in range(2):
                    columns.setdefault(f"{name}_{'xy'[axis]}", []).append(array[:, axis])
            else:
                columns.setdefault(name, []).append(array)
    return {name: np.concatenate(parts) for name, parts in columns.items()}


def read_instants(columns: Mapping[str, np.ndarray]) -> Instants:
    """The instants that `instants_table` wrote."""
    found = Instants()
    for step in np.unique(columns["step"]):
        rows = np.flatnonzero(columns["step"] == step)
        paired = (*PAIRS, PERIOD)
        arrays = {name: columns[name][rows] for name in columns if name not in ("step", "time") and name[:-2] not in paired}
        for name in PAIRS:
            if f"{name}_x" in columns:
                arrays[name] = np.stack([columns[f"{name}_{axis}"][rows] for axis in "xy"], axis=1)
        if f"{PERIOD}_x" in columns:
            arrays[PERIOD] = np.array([columns[f"{PERIOD}_{axis}"][rows[0]] for axis in "xy"])
        found.append(int(step), float(columns["time"][rows[0]]), arrays)
    return found


def tables_of(name: str, made: Callable[[], Record], *, pictures: bool) -> dict[str, Callable[[], dict[str, np.ndarray]]]:
    """What a study keeps of a test: a table of its curves and, for pictures, its bodies and contacts at three instants.

    The instants are the start, the peak of σ_yy and the end. The test is run once, by whichever table is made first; a study
    stopped between its tables runs it again.
    """
    test = cache(made)
    wanted: dict[str, Callable[[], dict[str, np.ndarray]]] = {name: lambda: curves(test())}
    if pictures:
        wanted[f"{name}: bodies"] = lambda: instants_table(test().frames.chosen(shown_times(test())))
        wanted[f"{name}: contacts"] = lambda: instants_table(test().contacts.chosen(shown_times(test())))
    return wanted


def shown_times(test: Record) -> list[float]:
    """Times of the start, the peak of σ_yy and the end."""
    columns = curves(test)
    peak = find_peak(columns["axial_strain"], columns["stress_yy"])
    return [0.0, float(np.interp(peak.strain, columns["axial_strain"], columns["time"])), float(columns["time"][-1])]


def kept_record(scene: Scene, tables: Mapping[str, Mapping[str, np.ndarray]], name: str) -> Record:
    """The frames that `tables_of` kept of a test, for pictures; `scene` has the same bodies, wherever they are."""
    return Record(scene_arrays(scene), read_instants(tables[f"{name}: bodies"]), read_instants(tables[f"{name}: contacts"]))
