"""What is read off the curves of a biaxial test: peaks, levels, softening, drops of stress. Curves are arrays over strain."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

FAILURE_WIDTH = 0.002  # of strain, over which a curve is smoothed before its peak is read
FALL = 0.05  # of the peak: by which the curve must fall later, or it was none
DROP_WIDTH = 1e-3  # of strain, within which a drop of stress happens
DROP_SIZE = 0.01  # of the mean stress


class Peak(NamedTuple):
    """The largest value of a smoothed curve, and where it is."""

    strain: float
    value: float
    accepted: bool  # whether the curve later falls by 5 %


class Drops(NamedTuple):
    """Falls of stress."""

    number: int
    size: float  # mean, over the mean stress; 0 without any


def smoothed(strain: np.ndarray, values: np.ndarray, width: float) -> np.ndarray:
    """Mean over a window of strain centred at each sample; at the ends over what there is of it.

    Strain must increase; samples may be unevenly spaced.
    """
    total = np.concatenate([[0.0], np.cumsum(values)])
    first = np.searchsorted(strain, strain - 0.5 * width - 1e-12, side="left")
    last = np.searchsorted(strain, strain + 0.5 * width + 1e-12, side="right")
    return np.asarray((total[last] - total[first]) / (last - first))


def resampled(strain: np.ndarray, values: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """A curve at the strains of `grid`, so that tests can be averaged."""
    return np.interp(grid, strain, values)


def find_peak(strain: np.ndarray, values: np.ndarray, width: float = FAILURE_WIDTH) -> Peak:
    """The failure point: maximum of the curve smoothed over `width`, accepted if the smoothed curve later falls by 5 %."""
    smooth = smoothed(strain, values, width)
    top = int(np.argmax(smooth))
    return Peak(float(strain[top]), float(smooth[top]), bool(smooth[top:].min() < (1.0 - FALL) * smooth[top]))


def slope_at(strain: np.ndarray, x: np.ndarray, y: np.ndarray, place: float, around: float) -> float:
    """dy/dx of the line through the samples whose strain is within `around` of `place`. NaN with fewer than three."""
    near = np.abs(strain - place) <= around + 1e-12
    if near.sum() < 3:
        return float("nan")
    return float(np.polyfit(x[near], y[near], 1)[0])


def level(strain: np.ndarray, values: np.ndarray, begin: float, end: float = np.inf) -> float:
    """Mean over strains begin … end, weighted by strain; at large strains, the critical state. NaN without samples."""
    inside = (strain >= begin) & (strain <= end)
    if inside.sum() < 2:
        return float("nan")
    return float(np.trapezoid(values[inside], strain[inside]) / np.ptp(strain[inside]))


def softening(strain: np.ndarray, values: np.ndarray, begin: float) -> float:
    """Part of its largest mean over a window that a curve has lost in the last window, from strain `begin` to the end.

    All windows are as wide as the last, so that like is compared with like: 0 for a curve that rises to the end. NaN where
    the test ends before `begin`.
    """
    width = float(strain[-1] - begin)
    if width <= 0.0:
        return float("nan")
    means = smoothed(strain, values, width)
    whole = (strain >= strain[0] + 0.5 * width) & (strain <= strain[-1] - 0.5 * width)
    return float(1.0 - level(strain, values, begin) / means[whole].max())


def find_drops(strain: np.ndarray, stress: np.ndarray, begin: float) -> Drops:
    """Falls by more than 1 % of the mean stress within a strain of 1e-3, at strains above `begin`; none is counted twice."""
    spans = drop_spans(strain, stress, begin)
    if not spans:
        return Drops(0, 0.0)
    mean = float(stress[strain >= begin].mean())
    return Drops(len(spans), float(np.mean([(stress[k] - stress[low]) / mean for k, low in spans])))


def drop_spans(strain: np.ndarray, stress: np.ndarray, begin: float) -> list[tuple[int, int]]:
    """First and last sample of each such fall.

    From each sample the lowest within reach is looked for; a drop ends there, and the search goes on behind it.
    """
    first = int(np.searchsorted(strain, begin, side="left"))
    if first == len(strain):
        return []
    least, spans, k = DROP_SIZE * float(stress[first:].mean()), [], first
    while k < len(stress) - 1:
        end = int(np.searchsorted(strain, strain[k] + DROP_WIDTH + 1e-12, side="right"))
        low = k + int(np.argmin(stress[k:end]))
        if stress[k] - stress[low] > least and stress[k] >= stress[k : low + 1].max():
            spans.append((k, low))
            k = low
        else:
            k += 1
    return spans
