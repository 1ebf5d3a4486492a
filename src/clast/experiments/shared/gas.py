"""What the gases share (EPL08, GM09): means over samples that are not independent, the energy error of a first part, and how the
distribution of energies and the error are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clast.measures.book import Book
from clast.output.store.reader import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def directions(angles: np.ndarray) -> np.ndarray:
    """Unit vectors (n, 2) at angles (n,) from the x axis."""
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def block_mean(values: np.ndarray, blocks: int) -> tuple[float, float]:
    """Mean and its standard error from blocks, since samples near each other are not independent."""
    if values.size < blocks:
        return float("nan"), float("nan")
    means = [block.mean() for block in np.array_split(values, blocks)]
    return float(values.mean()), float(np.std(means, ddof=1) / np.sqrt(blocks))


def first_error(run: Run, first: np.ndarray) -> float:
    """Energy error over the samples (k,) that are chosen: the first of a run."""
    return Book(run.series["time"][first], {name: run.series[name][first] for name in run.series}).energy_error


def draw_density(axes: Axes, values: np.ndarray, *, bins: int, largest: float, style: str, size: float, label: str) -> None:
    """How values from 0 to `largest` are distributed, as points; nothing where there are none."""
    if values.size:
        heights, edges = np.histogram(values, bins=bins, range=(0.0, largest), density=True)
        axes.plot(0.5 * (edges[1:] + edges[:-1]), heights, style, ms=size, label=label)


def draw_error(axes: Axes, book: Book, width: float) -> None:
    """The energy error over time; what is below the rounding is drawn at it."""
    axes.semilogy(book.time, np.maximum(np.abs(book.residual) / book.scale, 1e-16), "k", lw=width)
