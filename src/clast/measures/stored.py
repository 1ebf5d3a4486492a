"""What a measure reads of a stored run: samples, frames, walls, grains.

A run is anything with `scene`, `series`, `frames` and `contacts` as `clast.open(folder)` has them. Where a run does
not hold what a measure needs, an `InputError` names what is missing. Runs in the plane and in space read alike: vectors have
d = 2 or 3 components.
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
        """Arrays by name: body_big, body_area (in space body_volume), body_mass, body_name, period …"""
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


def letters(run: StoredRun) -> str:
    """Names of the axes of a run: "xy" in the plane, "xyz" in space."""
    return "xyz"[: len(run.scene["period"])]


def in_space(run: StoredRun) -> bool:
    """Whether the bodies of a run are solids."""
    return letters(run) == "xyz"


def refuse_space(run: StoredRun, what: str, instead: str) -> None:
    """Raise InputError for a run in space, which a measure of the plane cannot read; `instead` names what can."""
    if in_space(run):
        raise InputError(f"{what} is for runs in the plane and this one is in space: {instead}")


def check_axis(what: str, axis: str | None) -> None:
    """InputError unless it is the name of an axis, or None for the one between bottom and top."""
    if axis not in ("x", "y", "z", None):
        raise InputError(f'{what}: axis = "{axis}" must be "x", "y", in space "z", or None for that from bottom to top')


def axis_number(run: StoredRun, what: str, axis: str | None) -> int:
    """Number of an axis; None is the one between bottom and top: y in the plane, z in space."""
    names = letters(run)
    if axis is not None and axis not in names:
        raise InputError(f'{what}: axis = "{axis}", but the run is in the plane: give "x" or "y"')
    return len(names) - 1 if axis is None else names.index(axis)


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


def sizes_of(run: StoredRun) -> Array:
    """Areas [length²] of all bodies (n,), in space their volumes [length³]."""
    return np.asarray(of_scene(run, "body_volume" if in_space(run) else "body_area"))


def diameters_of(run: StoredRun, which: Array) -> Array:
    """Diameters 2√(A/π) of some bodies (m,), in space (6V/π)^⅓: of the disk or ball with their area or volume."""
    sizes = sizes_of(run)[which]
    return np.asarray(np.cbrt(6.0 * sizes / np.pi) if in_space(run) else 2.0 * np.sqrt(sizes / np.pi))


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


def wall_series(walls: Sequence[int], given: Sequence[str | None]) -> dict[int, str]:
    """What the series of every wall are called, by id: `NAME.x`, `NAME.force_y`; from the ids of all walls and their names.

    A wall's own name where it is unlike all others: not that of another wall, not "cell" (the periods of the box), not
    "wall7", which a nameless wall is called after its id. Of more than 16 walls none has series: a floor of glued grains is
    not a row of walls.
    """
    if len(walls) > MOST_WALLS:
        return {}
    usable = [
        name is not None and given.count(name) == 1 and name != "cell" and re.fullmatch(r"wall\d+|[^/]*/.*", name) is None
        for name in given
    ]
    return {number: str(name) if fine else f"wall{number}" for number, name, fine in zip(walls, given, usable, strict=True)}


def wall_samples(run: StoredRun, name: str, what: str) -> Array:
    """A series of the wall of that name: "x", "force_x" and so on for every axis; InputError if the run keeps none."""
    number = wall_number(run, name)
    walls, names = np.flatnonzero(~grains_of(run)).tolist(), of_scene(run, "body_name")
    called = wall_series(walls, [names[wall] for wall in walls])
    if number not in called:
        raise InputError(
            f"the run has more than {MOST_WALLS} walls, so places and loads of walls were not kept: draw fewer walls"
        )
    return samples(run, f"{called[number]}.{what}")


def is_periodic(run: StoredRun) -> Array:
    """Which sides repeat (d,)."""
    return np.asarray(run.scene["period"]) > 0.0


def sample_periods(run: StoredRun) -> Array:
    """Periods of the box at samples (k, d), 0 along an open side."""
    periods = np.tile(np.asarray(run.scene["period"], dtype=np.float64), (len(run.series["time"]), 1))
    if "cell.x" in run.series:  # a cell that moves; no wall has that name
        periods = np.stack([samples(run, f"cell.{axis}") for axis in letters(run)], axis=1)
    return np.where(is_periodic(run), periods, 0.0)


def frame_period(run: StoredRun, frame: Instant) -> Array:
    """Periods of the box at a frame (d,), 0 along an open side."""
    period = frame["period"] if "period" in frame.names else run.scene["period"]  # a cell that moves, or not
    return np.where(is_periodic(run), np.asarray(period, dtype=np.float64), 0.0)


def frame_offset(frame: Instant) -> float:
    """By which images one period up lie further along x at a frame; 0 in a cell that stands upright."""
    return float(frame["offset"][0]) if "offset" in frame.names else 0.0
