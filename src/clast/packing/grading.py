"""Gradings: how large grains are, as a distribution of diameters d (of disks of the same area).

A grading can be read by number (which part of the grains is smaller than d) or by mass, as sieves do. In two dimensions
mass ∝ area ∝ d², so a density n(d) by number is a density ∝ d² n(d) by mass; the two curves are far apart when sizes are.

    grading.draw(count, rng)         diameters (count,)
    grading.draw_area(total, rng)    as many as fill a total area
    grading.passing(d, by="mass")    the curve, 0 … 1
    grading.plot(drawn)              both curves, beside what was drawn
"""

from __future__ import annotations

import csv
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clast.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

Floats = NDArray[np.float64]
BY = ("mass", "number")


class Grading(ABC):
    """A distribution of diameters between two limits."""

    @property
    @abstractmethod
    def limits(self) -> tuple[float, float]:
        """Smallest and largest diameter, length."""

    @abstractmethod
    def quantile(self, share: ArrayLike) -> Floats:
        """Diameters below which a share (0 … 1) of the grains lies, by number."""

    @abstractmethod
    def _moment(self, diameter: Floats, power: int) -> Floats:
        """∫ d^power n(d) dd from the smallest diameter to each of `diameter`, n the density by number (any factor)."""

    def passing(self, diameter: ArrayLike, *, by: str) -> Floats:
        """The part of the grains finer than each diameter, 0 … 1, by="mass" or by="number"."""
        power = 2 if _checked_by(by) == "mass" else 0
        low, high = self.limits
        d = np.clip(np.asarray(diameter, dtype=np.float64), low, high)
        return self._moment(d, power) / self._moment(np.array([high]), power)[0]

    @property
    def mean_area(self) -> float:
        """Mean area of a grain, length²."""
        high = np.array([self.limits[1]])
        return float(0.25 * math.pi * self._moment(high, 2)[0] / self._moment(high, 0)[0])

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """`count` diameters at random, each by itself."""
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise InputError(f"count = {count!r} must be a whole number of at least 1")
        return self.quantile(rng.uniform(0.0, 1.0, count))

    def draw_area(self, total: float, rng: np.random.Generator) -> Floats:
        """Diameters whose grains together have the area `total` (length²), as nearly as the last of them allows."""
        if not (math.isfinite(total) and total > 0.0):
            raise InputError(f"total area = {total!r} must be a positive number")
        drawn = np.zeros(0)
        while 0.25 * math.pi * float((drawn**2).sum()) < total:
            more = max(16, round(1.1 * total / self.mean_area) - drawn.size)
            drawn = np.concatenate([drawn, self.draw(more, rng)])
        area = np.cumsum(0.25 * math.pi * drawn**2)
        last = int(np.searchsorted(area, total))
        if last > 0 and total - area[last - 1] < area[last] - total:
            last -= 1
        return drawn[: last + 1]

    def plot(self, drawn: ArrayLike | None = None, axes: Axes | None = None) -> Figure | SubFigure:
        """Passing against diameter, by mass and by number, with the curves of drawn diameters if given; returns the figure."""
        import matplotlib.pyplot as plt

        if axes is None:
            _, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
        low, high = self.limits
        d = np.geomspace(low, high, 400)
        for by, color in zip(BY, ("C0", "C1"), strict=True):
            axes.plot(d, self.passing(d, by=by), color=color, label=f"by {by}")
            if drawn is not None:
                sizes = np.sort(np.asarray(drawn, dtype=np.float64))
                weight = sizes**2 if by == "mass" else np.ones(sizes.size)
                axes.step(
                    sizes, np.cumsum(weight) / weight.sum(), "--", where="post", color=color, lw=1.2, label=f"drawn, by {by}"
                )
        if high > 3.0 * low:
            axes.set_xscale("log")
        axes.set(xlabel="diameter", ylabel="passing", ylim=(-0.02, 1.02))
        axes.legend(fontsize=9)
        return axes.figure


@dataclass(frozen=True)
class UniformArea(Grading):
    """Areas spread evenly over area · (1 ± spread), as GM09's 1 ± 10 %. spread = 0: all equal."""

    area: float  # mean, length²
    spread: float = 0.1  # 0 … < 1

    def __post_init__(self) -> None:
        _positive("area", self.area)
        if not 0.0 <= self.spread < 1.0:
            raise InputError(f"spread = {self.spread!r} must be at least 0 and less than 1: it is a part of the area")

    @property
    def limits(self) -> tuple[float, float]:
        """Smallest and largest diameter, length."""
        low, high = self.quantile([0.0, 1.0])
        return float(low), float(high)

    def quantile(self, share: ArrayLike) -> Floats:
        """Diameters below which a share (0 … 1) of the grains lies, by number."""
        area = self.area * (1.0 + self.spread * (2.0 * np.asarray(share, dtype=np.float64) - 1.0))
        return np.sqrt(4.0 * area / math.pi)

    def _moment(self, diameter: Floats, power: int) -> Floats:
        if self.spread == 0.0:
            return np.where(diameter >= self.limits[0], self.limits[0] ** power, 0.0)
        return _power_moment(self.limits[0], diameter, power + 1.0)  # n(d) ∝ d: even in d²


@dataclass(frozen=True)
class PowerLaw(Grading):
    """Diameters between two limits with a density by number ∝ d^−exponent (exponent 1: evenly in log d; 0: evenly in d)."""

    smallest: float  # length
    largest: float
    exponent: float

    def __post_init__(self) -> None:
        _positive("smallest", self.smallest)
        _positive("largest", self.largest)
        if self.largest <= self.smallest:
            raise InputError(f"largest = {self.largest:.6g} must exceed smallest = {self.smallest:.6g}")
        if not math.isfinite(self.exponent):
            raise InputError(f"exponent = {self.exponent!r} must be a finite number")

    @property
    def limits(self) -> tuple[float, float]:
        """Smallest and largest diameter, length."""
        return self.smallest, self.largest

    def quantile(self, share: ArrayLike) -> Floats:
        """Diameters below which a share (0 … 1) of the grains lies, by number."""
        u = np.asarray(share, dtype=np.float64)
        # from the end where most grains are, in units of it: a steep law overflows at the other
        unit = self._unit
        low, high = self.smallest / unit, self.largest / unit
        whole = _power_moment(low, np.array([high]), -self.exponent)[0]
        d = _power_inverse(low, u * whole, -self.exponent) * unit
        return np.clip(d, self.smallest, self.largest)  # rounding

    @property
    def _unit(self) -> float:
        return self.smallest if self.exponent > 1.0 else self.largest

    def _moment(self, diameter: Floats, power: int) -> Floats:
        return _power_moment(self.smallest / self._unit, diameter / self._unit, power - self.exponent) * self._unit**power


class SieveCurve(Grading):
    """The user's curve: passing fractions 0 … 1 at ascending diameters, straight in between, by="mass" or by="number".

    By mass, the density by number between two sieves is ∝ d⁻²: drawn exactly, not by a table.
    """

    def __init__(self, diameters: ArrayLike, passing: ArrayLike, *, by: str) -> None:
        self.by = _checked_by(by)
        self.diameters = _column("diameters", diameters)
        self.fractions = _column("passing", passing)
        d, p = self.diameters, self.fractions
        if d.size != p.size or d.size < 2:
            raise InputError(f"a sieve curve has {d.size} diameters and {p.size} passing fractions: give two rows at least")
        for k in range(d.size):
            row = f"row {k + 1} of the sieve curve (diameter {d[k]:.6g}, passing {p[k]:.6g})"
            if d[k] <= 0.0 or (k and d[k] <= d[k - 1]):
                raise InputError(f"{row}: diameters must be positive and ascend")
            if p[k] > 1.0 and p[-1] > 1.5:
                raise InputError(f"{row}: passing is a fraction from 0 to 1, not per cent")
            if not 0.0 <= p[k] <= 1.0 or (k and p[k] < p[k - 1]):
                raise InputError(f"{row}: passing must ascend from 0 to 1")
        if p[0] != 0.0:
            raise InputError(
                f"a part {p[0]:.6g} passes the finest sieve, {d[0]:.6g}, and nobody knows how fine it is: "
                "add a row with the smallest diameter there is and passing 0"
            )
        if p[-1] != 1.0:
            raise InputError(
                f"only {p[-1]:.6g} passes the coarsest sieve, {d[-1]:.6g}: "
                "add a row with the largest diameter there is and passing 1"
            )
        power = -2.0 if self.by == "mass" else 0.0  # of the density by number between two sieves
        self._power = power
        self._factor = np.diff(p) / np.diff(d)
        pieces = np.array([_power_moment(a, np.array([b]), power)[0] for a, b in pairwise(d)])
        self._below = np.concatenate([[0.0], np.cumsum(self._factor * pieces)])

    @property
    def limits(self) -> tuple[float, float]:
        """Diameters between which the curve rises, length."""
        rises = np.flatnonzero(np.diff(self.fractions) > 0.0)
        return float(self.diameters[rises[0]]), float(self.diameters[rises[-1] + 1])

    def quantile(self, share: ArrayLike) -> Floats:
        """Diameters below which a share (0 … 1) of the grains lies, by number."""
        wanted = np.asarray(share, dtype=np.float64) * self._below[-1]
        # side="right" steps over sieves between which nothing lies
        k = np.clip(np.searchsorted(self._below, wanted, side="right") - 1, 0, self._factor.size - 1)
        flat = self._factor[k] == 0.0  # only the very last grain, above which the curve is level
        k = np.where(flat, np.flatnonzero(self._factor > 0.0)[-1], k)
        rest = (wanted - self._below[k]) / self._factor[k]
        return np.clip(_power_inverse(self.diameters[k], rest, self._power), self.diameters[k], self.diameters[k + 1])

    def _moment(self, diameter: Floats, power: int) -> Floats:
        total = np.zeros_like(diameter)
        for a, b, factor in zip(self.diameters[:-1], self.diameters[1:], self._factor, strict=True):
            total += factor * _power_moment(a, np.clip(diameter, a, b), self._power + power)
        return total


def read_sieve_curve(path: str | Path, *, by: str) -> SieveCurve:
    """A sieve curve from a text file: diameter, passing fraction in every row, separated by a comma, semicolon, tab or blanks.

    Rows that begin with # and a first row of words are skipped.
    """
    file = Path(path)
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the sieve curve {file} cannot be read: {error}") from None
    rows: list[tuple[float, float]] = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        mark = next((mark for mark in ";\t," if mark in text), None)
        words = next(csv.reader([text], delimiter=mark)) if mark else text.split()
        try:
            diameter, part = (float(word) for word in words)
        except ValueError:
            if not rows and not any(character.isdigit() for character in words[0]):
                continue  # a heading
            raise InputError(f"line {number} of {file} is {text!r}: give a diameter and a passing fraction") from None
        rows.append((diameter, part))
    if len(rows) < 2:
        raise InputError(f"the sieve curve {file} has {len(rows)} rows: give two at least, diameter and passing fraction")
    table = np.array(rows)
    return SieveCurve(table[:, 0], table[:, 1], by=by)


def _checked_by(by: str) -> str:
    if by not in BY:
        raise InputError(f'by = {by!r} must be "mass" or "number": the curves differ')
    return by


def _positive(what: str, value: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not (math.isfinite(value) and value > 0.0):
        raise InputError(f"{what} = {value!r} must be a positive number")


def _column(what: str, values: ArrayLike) -> Floats:
    try:
        column = np.array(values, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise InputError(f"{what} of a sieve curve must be numbers") from None
    if not np.isfinite(column).all():
        raise InputError(f"{what} of a sieve curve must be finite: row {int(np.argmin(np.isfinite(column))) + 1} is not")
    return column


def _power_moment(low: ArrayLike, high: Floats, power: float) -> Floats:
    """∫ x^power dx from low to high."""
    if abs(power + 1.0) < 1e-9:
        return np.log(high / np.asarray(low))
    return (high ** (power + 1.0) - np.asarray(low) ** (power + 1.0)) / (power + 1.0)


def _power_inverse(low: ArrayLike, integral: Floats, power: float) -> Floats:
    """The upper limit at which ∫ x^power dx from low reaches `integral`."""
    start = np.asarray(low, dtype=np.float64)
    if abs(power + 1.0) < 1e-9:
        return start * np.exp(integral)
    base = start ** (power + 1.0) + (power + 1.0) * integral
    return np.maximum(base, np.finfo(float).tiny) ** (1.0 / (power + 1.0))  # at the far end of a steep law rounding leaves none
