"""How steep a heap is (CSM10 fig 16): lines through the highest grains along its flanks, from the places of its centroids.

The heap stands about the z axis. Its base radius is twice the median distance of the grains from that axis: exact for a cone of
even density, and grains that rolled away do not shift it. On each flank the highest centroid of every radial bin is taken, and
a line laid through those between 0.2 and 0.8 of the base radius: the tip is round and the foot is thin. The cone with the base
radius and the mean height of the grains takes tip and foot as they are, and no bins.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SECTORS = 8
INNER, OUTER = 0.2, 0.8  # of the base radius: where lines are laid
FEWEST = 2  # points that make a line
PROJECTIONS = {"y = 0": (1.0, 0.0), "y = x": (math.sqrt(0.5), math.sqrt(0.5)), "x = 0": (0.0, 1.0)}  # onto which axis


@dataclass(frozen=True)
class Flank:
    """The profile of one flank: highest centroids by their distance from the axis, and the line through them."""

    name: str
    distance: np.ndarray  # (k,) all bins
    height: np.ndarray  # (k,)
    slope: float  # of the line, positive downwards; NaN where too few bins have a grain
    top: float  # height of the line on the axis

    @property
    def angle(self) -> float:
        """Against the horizontal [degrees]."""
        return math.degrees(math.atan(self.slope))


@dataclass(frozen=True)
class Repose:
    """Angle of repose of one heap [degrees], with the flanks it is the mean of."""

    flanks: tuple[Flank, ...]
    base: float  # base radius

    @property
    def angles(self) -> np.ndarray:
        """Of the flanks that have one."""
        found = np.array([flank.angle for flank in self.flanks])
        return found[np.isfinite(found)]

    @property
    def mean(self) -> float:
        """Over flanks; NaN where none has enough grains."""
        return float(self.angles.mean()) if self.angles.size else math.nan

    @property
    def error(self) -> float:
        """Standard error of the mean, of the scatter of the flanks."""
        count = self.angles.size
        return float(self.angles.std(ddof=1) / math.sqrt(count)) if count > 1 else math.nan

    def plot(self, axes: Axes, scale: float = 1.0) -> None:
        """Profiles of the flanks with their lines, lengths times `scale`."""
        x = np.array([INNER, OUTER]) * self.base
        for k, flank in enumerate(self.flanks):
            axes.plot(scale * flank.distance, scale * flank.height, "o", ms=3, color=f"C{k}")
            axes.plot(scale * x, scale * (flank.top - flank.slope * x), color=f"C{k}", lw=1)
        axes.set(xlim=(0.0, 1.4 * scale * self.base), title=f"{len(self.flanks)} flanks: {self.mean:.1f} ± {self.error:.1f}°")


def base_radius(places: np.ndarray) -> float:
    """Twice the median distance of centroids (n, 3) from the z axis: within half its radius a cone has half its volume."""
    return 2.0 * float(np.median(np.hypot(places[:, 0], places[:, 1]))) if len(places) else 0.0


def cone_angle(places: np.ndarray) -> float:
    """Angle [degrees] of the cone that has the base radius and, at a quarter of its height, the mean of centroids (n, 3)."""
    base = base_radius(places)
    return math.degrees(math.atan(4.0 * float(places[:, 2].mean()) / base)) if base > 0.0 else math.nan


def flank_of(name: str, distance: np.ndarray, height: np.ndarray, base: float, bin_width: float) -> Flank:
    """Profile and line of one flank, from distances (n,) from the axis and heights of its grains."""
    bins = (distance / bin_width).astype(int)
    order = np.lexsort((-height, bins))
    highest = order[np.unique(bins[order], return_index=True)[1]]
    x, z = distance[highest], height[highest]
    used = (x >= INNER * base) & (x <= OUTER * base)
    if np.count_nonzero(used) < FEWEST or np.ptp(x[used]) < 0.5 * bin_width:
        return Flank(name, x, z, math.nan, math.nan)
    slope, top = np.polyfit(x[used], z[used], 1)
    return Flank(name, x, z, -float(slope), float(top))


def repose(places: np.ndarray, bin_width: float) -> Repose:
    """Angle of repose over eight sectors, from centroids (n, 3) and the width of radial bins."""
    base = base_radius(places)
    distance = np.hypot(places[:, 0], places[:, 1])
    sector = np.floor((np.arctan2(places[:, 1], places[:, 0]) / (2.0 * math.pi) % 1.0) * SECTORS).astype(int) % SECTORS
    flanks = [flank_of(f"sector {k + 1}", distance[sector == k], places[sector == k, 2], base, bin_width) for k in range(SECTORS)]
    return Repose(tuple(flanks), base)


def repose_projected(places: np.ndarray, bin_width: float) -> Repose:
    """The same as the paper looked at it: centroids projected into the planes y = 0, y = x and x = 0, two flanks each."""
    base = base_radius(places)
    flanks = []
    for name, (x, y) in PROJECTIONS.items():
        along = x * places[:, 0] + y * places[:, 1]
        for side, sign in (("right", 1.0), ("left", -1.0)):
            here = sign * along >= 0.0
            flanks.append(flank_of(f"{name}, {side}", np.abs(along[here]), places[here, 2], base, bin_width))
    return Repose(tuple(flanks), base)


def mean_and_error(values: Sequence[Repose]) -> tuple[float, float]:
    """Mean angle over heaps and its standard error: of the heaps, or of the flanks where there is one heap only."""
    if len(values) == 1:
        return values[0].mean, values[0].error
    means = np.array([each.mean for each in values])
    return float(means.mean()), float(means.std(ddof=1) / math.sqrt(means.size))
