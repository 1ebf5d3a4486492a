"""Numbers that change with time: ramps, tables, harmonics, or any Python function t → number.

Whatever is prescribed (a velocity, a force, a pressure, the drag) may be a plain number or one of these. The host works
them out on the grid of steps, in blocks, before the compiled loop needs them; nothing of them is compiled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from clast.errors import SceneError


def _finite(what: str, **values: float) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise SceneError(f"{what}: {name} = {value!r} must be a finite number")


@dataclass(frozen=True)
class Ramp:
    """From `start` to `end` between the times `begin` and `finish`, constant before and after; `smooth` without corners.

    start, end      in the unit of the number it stands for
    begin, finish   times; SceneError unless `finish` is the later one and all are finite
    """

    start: float
    end: float
    finish: float
    begin: float = 0.0
    smooth: bool = False

    def __post_init__(self) -> None:
        _finite("ramp", start=self.start, end=self.end, begin=self.begin, finish=self.finish)
        if not isinstance(self.smooth, bool):
            raise SceneError(f"ramp: smooth = {self.smooth!r} must be true or false")
        if self.finish <= self.begin:
            raise SceneError(f"ramp: finish = {self.finish} must be later than begin = {self.begin}")

    def __call__(self, time: np.ndarray) -> np.ndarray:
        part = np.clip((np.asarray(time) - self.begin) / (self.finish - self.begin), 0.0, 1.0)
        if self.smooth:
            part = part * part * (3.0 - 2.0 * part)
        return self.start + (self.end - self.start) * part


@dataclass(frozen=True)
class Harmonic:
    """mean + amplitude·cos(2π(t − begin)/period + phase), phase in radians; before `begin` it holds its first value.

    With phase −π/2 it is a sine that starts at its mean: beside a `Ramp` on the same body it makes a load rise, then swing.

    mean, amplitude   in the unit of the number it stands for
    period, begin     times; SceneError for a period that is not positive, a begin before 0, or what is not finite
    """

    amplitude: float
    period: float
    mean: float = 0.0
    phase: float = 0.0
    begin: float = 0.0

    def __post_init__(self) -> None:
        _finite(
            "harmonic", amplitude=self.amplitude, period=self.period, mean=self.mean, phase=self.phase, begin=self.begin
        )  # fmt: skip
        if self.begin < 0.0:
            raise SceneError(f"harmonic: begin = {self.begin} must not be before t = 0")
        if self.period <= 0.0:
            raise SceneError(f"harmonic: period = {self.period} must be a positive time")

    def __call__(self, time: np.ndarray) -> np.ndarray:
        since = np.maximum(np.asarray(time) - self.begin, 0.0)
        return self.mean + self.amplitude * np.cos(2.0 * np.pi * since / self.period + self.phase)


@dataclass(frozen=True)
class Table:
    """Straight lines between the points (times, values); the first and last value hold before and after.

    With `steps` each value holds until the next time instead.

    times    (k,) increasing
    values   (k,) in the unit of the number it stands for

    SceneError for times that do not increase, for columns of different length, and for what is no finite number.
    """

    times: Sequence[float]
    values: Sequence[float]
    steps: bool = False
    _columns: tuple[np.ndarray, np.ndarray] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("times", "values"):
            if isinstance(getattr(self, name), str) or not hasattr(getattr(self, name), "__iter__"):
                raise SceneError(f"table: {name} = {getattr(self, name)!r} must be a list of numbers")
            column = tuple(getattr(self, name))
            for k, value in enumerate(column):
                _finite("table", **{f"{name}[{k}]": value})
            object.__setattr__(self, name, tuple(float(value) for value in column))
        if not isinstance(self.steps, bool):
            raise SceneError(f"table: steps = {self.steps!r} must be true or false")
        if len(self.times) != len(self.values) or not self.times:
            raise SceneError(f"table: {len(self.times)} times and {len(self.values)} values; give as many of each, at least one")
        later = np.diff(self.times)
        if (later <= 0.0).any():
            k = int(np.flatnonzero(later <= 0.0)[0])
            raise SceneError(f"table: times must increase, but {self.times[k + 1]} follows {self.times[k]}")
        object.__setattr__(self, "_columns", (np.array(self.times), np.array(self.values)))

    def __call__(self, time: np.ndarray) -> np.ndarray:
        times, values = self._columns
        if not self.steps:
            return np.interp(time, times, values)
        return values[np.clip(np.searchsorted(times, time, side="right") - 1, 0, len(values) - 1)]


Timed = float | Ramp | Harmonic | Table | Callable[[float], float]


def check_timed(what: str, value: object) -> None:
    """SceneError unless `value` is a finite number or a function of time."""
    if isinstance(value, bool) or (not isinstance(value, int | float | np.number) and not callable(value)):
        raise SceneError(f"{what} = {value!r} must be a number or a function of time")
    if not callable(value) and not math.isfinite(float(value)):
        raise SceneError(f"{what} = {value} must be a finite number")


def least(value: Timed) -> float | None:
    """The smallest value it ever takes; None where only its function knows."""
    if isinstance(value, Ramp):
        return min(value.start, value.end)
    if isinstance(value, Harmonic):
        return value.mean - abs(value.amplitude)
    if isinstance(value, Table):
        return min(value.values)
    return None if callable(value) else float(value)


def is_constant(value: Timed) -> bool:
    """Whether it is a plain number."""
    return not callable(value)


def called(function: Callable[[float], float], time: float, what: str) -> float:
    """A user's function at one time; SceneError if it fails or gives no number."""
    try:
        value = function(time)
        if not isinstance(value, str | bytes):
            return float(value)
    except Exception as error:  # whatever the user's function does
        raise SceneError(f"{what}: its function of time fails at t = {time:.6g} ({type(error).__name__}: {error})") from None
    raise SceneError(f"{what}: its function of time gives {value!r} at t = {time:.6g}; it must give a number")


def evaluate(value: Timed, times: np.ndarray, what: str) -> np.ndarray:
    """Values at `times`; SceneError names what is not a finite number, and when."""
    if not callable(value):
        return np.full(times.shape, float(value))
    if isinstance(value, Ramp | Harmonic | Table):
        found = np.asarray(value(times), float)
    else:
        found = np.array([called(value, float(t), what) for t in times])
    if not np.isfinite(found).all():
        k = int(np.flatnonzero(~np.isfinite(found))[0])
        raise SceneError(f"{what}: its function of time gives {found[k]} at t = {times[k]:.6g}; it must be finite")
    return found
