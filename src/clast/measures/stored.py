"""What a measure reads of a stored run: samples, frames, walls, grains.

A run is anything with `scene`, `series`, `frames` and `contacts` in the manner of `clast.open(folder)`. Where a run does
not hold what a measure needs, an `InputError` says what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from clast.errors import InputError

Array = np.ndarray
MOST_WALLS = 16


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
    if isinstance(index, bool) or not isinstance(index, int | np.integer):
        raise InputError(f"frame = {index!r} must be the number of a frame, −1 for the last")
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


def wall_series(names: Sequence[str | None], big: Sequence[bool] | Array) -> dict[int, str]:
    """What the series of every wall are called, by id: `NAME.x`, `NAME.force_y`.

    A wall's own name where it can be told from all others: not that of another wall, not "cell" (the periods of the box), not
    "wall7", which a nameless wall is called after its id. Of more than 16 walls none has series: a floor of glued grains is
    not a row of walls.
    """
    walls = [number for number, large in enumerate(big) if large]
    if len(walls) > MOST_WALLS:
        return {}
    given = [names[number] for number in walls]
    usable = [
        name is not None and given.count(name) == 1 and name != "cell" and re.fullmatch(r"wall\d+|[^/]*/.*", name) is None
        for name in given
    ]
    return {number: str(name) if fine else f"wall{number}" for number, name, fine in zip(walls, given, usable, strict=True)}


def wall_samples(run: StoredRun, name: str, what: str) -> Array:
    """A series of the wall of that name: "x", "y", "force_x" or "force_y"; InputError if the run keeps none."""
    number = wall_number(run, name)
    called = wall_series(of_scene(run, "body_name"), ~grains_of(run))
    if number not in called:
        raise InputError(
            f"the run has more than {MOST_WALLS} walls, so places and loads of walls were not kept: draw fewer walls"
        )
    return samples(run, f"{called[number]}.{what}")


def is_periodic(run: StoredRun) -> Array:
    """Which sides repeat (2,)."""
    return np.asarray(run.scene["period"]) > 0.0


def sample_periods(run: StoredRun) -> Array:
    """Periods of the box at samples (k, 2), 0 along an open side."""
    periods = np.tile(np.asarray(run.scene["period"], dtype=np.float64), (len(run.series["time"]), 1))
    if "cell.x" in run.series:  # a cell that moves; no wall has that name
        periods = np.stack([samples(run, "cell.x"), samples(run, "cell.y")], axis=1)
    return np.where(is_periodic(run), periods, 0.0)


def frame_period(run: StoredRun, frame: Instant) -> Array:
    """Periods of the box at a frame (2,), 0 along an open side."""
    period = frame["period"] if "period" in frame.names else run.scene["period"]  # a cell that moves, or not
    return np.where(is_periodic(run), np.asarray(period, dtype=np.float64), 0.0)
