"""What a measure reads of a stored run: samples, frames, walls, grains.

A run is anything with `scene`, `series`, `frames` and `contacts` in the manner of `clast.open(folder)`. Where a run does
not hold what a measure needs, an `InputError` says what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from clast.errors import InputError

Array = np.ndarray


class Instant(Protocol):
    """A frame or a table of contacts: arrays by name."""

    @property
    def step(self) -> int:
        """Number of the step it was taken at."""
        ...

    @property
    def time(self) -> float:
        """When it was taken."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the arrays."""
        ...

    def __getitem__(self, name: str) -> Array: ...


class Instants(Protocol):
    """Frames or tables of contacts in order of time."""

    @property
    def steps(self) -> Array:
        """Steps they were taken at (k,)."""
        ...

    @property
    def times(self) -> Array:
        """When they were taken (k,)."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> Any: ...

    def __iter__(self) -> Iterator[Any]: ...


class StoredRun(Protocol):
    """What measures need of a run."""

    @property
    def scene(self) -> Mapping[str, Any]:
        """Arrays by name: body_big, body_area, body_mass, body_name, period …"""
        ...

    @property
    def series(self) -> Mapping[str, Array]:
        """Quantities over samples."""
        ...

    @property
    def frames(self) -> Instants:
        """Configurations."""
        ...

    @property
    def contacts(self) -> Instants:
        """Tables of contacts at the steps of the frames."""
        ...


def samples(run: StoredRun, name: str) -> Array:
    """A series of a run; InputError if the run has none of that name."""
    if name not in run.series:
        raise InputError(f'the run has no series "{name}": it was stored before clast kept it, or its scene has no such part')
    return np.asarray(run.series[name], dtype=np.float64)


def of_scene(run: StoredRun, name: str) -> Any:
    """Something the scene of a run tells of its bodies; InputError if the run was stored before that was kept."""
    if name not in run.scene:
        raise InputError(f'the run does not tell the "{name}" of its bodies: it was made by an older clast, so run it again')
    return run.scene[name]


def grains_of(run: StoredRun) -> Array:
    """Which bodies are grains (n,): all that are not big."""
    return ~np.asarray(run.scene["body_big"], dtype=bool)


def frame_number(run: StoredRun, index: int) -> int:
    """A frame's number counted from the start; `index` may be negative. InputError if there is no such frame."""
    count = len(run.frames)
    if not -count <= index < count:
        raise InputError(f"there is no frame {index}: the run has {count}" + ("" if count else ", so run it with frames=100"))
    return index % count


def frame_at(run: StoredRun, index: int) -> Instant:
    """A frame; InputError if there is no such frame."""
    return run.frames[frame_number(run, index)]


def present_grains(run: StoredRun, frame: Instant) -> Array:
    """Which bodies are grains that have not been taken out of the run by that frame (n,)."""
    grains = grains_of(run)
    return grains & (frame["present"] != 0) if "present" in frame.names else grains


def wall_number(run: StoredRun, name: str) -> int:
    """Id of the wall of that name; InputError if there is none, or several."""
    big = ~grains_of(run)
    given = [each if large else None for each, large in zip(of_scene(run, "body_name"), big, strict=True)]
    if given.count(name) != 1:
        others = ", ".join(sorted({each for each in given if each is not None})) or "none has a name"
        raise InputError(f'the run needs one wall named "{name}" and has {given.count(name)}; its walls: {others}')
    return given.index(name)


def is_periodic(run: StoredRun) -> Array:
    """Which sides repeat (2,)."""
    return np.asarray(run.scene["period"]) > 0.0


def sample_periods(run: StoredRun) -> Array:
    """Periods of the box at samples (k, 2), 0 along an open side."""
    periods = np.tile(np.asarray(run.scene["period"], dtype=np.float64), (len(run.series["time"]), 1))
    if "cell.x" in run.series:  # a cell that moves
        periods = np.stack([samples(run, "cell.x"), samples(run, "cell.y")], axis=1)
    return np.where(is_periodic(run), periods, 0.0)


def frame_period(run: StoredRun, frame: Instant) -> Array:
    """Periods of the box at a frame (2,), 0 along an open side."""
    period = frame["period"] if "period" in frame.names else run.scene["period"]  # a cell that moves, or not
    return np.where(is_periodic(run), np.asarray(period, dtype=np.float64), 0.0)
