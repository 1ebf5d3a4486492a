"""Whether grains follow the plate that shears them: their way over the plate's, in the last half of a run.

The share is the mean over all grains of how far they went along x, over the way of the plate; a linear profile between plates
that nobody slides on has 0.5, a bed that stays where it is 0. The gradient is the slope of the grains' ways against their
heights, times the height of the plate over its way: 1 for a linear profile, more where the shear is in a band, 0 where grains
rest, and where all go along with the plate and slide over the other. If the mean share over the samples is below `LEAST`, or the
mean gradient below `STEEP`, they count as not sheared, and nothing is judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from clast.dynamics.engine import Engine
from clast.experiments.experiment import Quantity
from clast.experiments.shared.numbers import mean_error, with_error
from clast.experiments.shared.watching import watched
from clast.measures.book import ACCOUNTS, Book
from clast.scene.plane import Scene

LEAST, STEEP = 0.4, 0.5
DEFINED = "mean way of the grains along x over the plate's, last half of a run; linear profile 0.5"


class Followed(NamedTuple):
    """How grains followed the plate, the body that was added last, in the last half of a run."""

    heights: np.ndarray  # of the grains, in the middle of it, over that of the plate
    ways: np.ndarray  # of the grains along x, over that of the plate

    @property
    def share(self) -> float:
        """Mean way of the grains."""
        return float(self.ways.mean())

    @property
    def gradient(self) -> float:
        """Slope of ways against heights."""
        return float(np.polyfit(self.heights, self.ways, 1)[0])


def followed(engine: Engine, before: np.ndarray) -> Followed:
    """How grains followed the plate since all bodies were at `before` (n, 2)."""
    way = engine.positions[:, 0] - before[:, 0]
    height = 0.5 * (engine.positions[:, 1] + before[:, 1])
    grains = engine.free_ids
    ways = way[grains] / way[-1] if way[-1] != 0.0 else np.zeros(len(grains))
    return Followed(height[grains] / height[-1], ways)


def sheared_book(engine: Engine, end: int, samples: int) -> tuple[Book, Followed]:
    """Run to the step `end` with the book open, and watch the grains."""
    steps = np.unique(np.linspace(0, end, samples + 1).astype(int))
    middle = len(steps) // 2 + 1
    first = watched(engine, steps[:middle])
    half = engine.positions.copy()
    last = watched(engine, steps[middle:])
    accounts = {name: np.concatenate([first[name], last[name]]) for name in ACCOUNTS}
    return Book(np.concatenate([first.time, last.time]), accounts), followed(engine, half)


def follow(scene: Scene, dt: float, end: int) -> Followed:
    """Run a scene for so many steps, and watch the grains."""
    engine = Engine(scene, dt=dt)
    engine.advance(end // 2)
    half = engine.positions.copy()
    engine.advance(end)
    return followed(engine, half)


def judged_if_sheared(quantities: Sequence[Quantity], grains: Mapping[str, np.ndarray], more: str = "") -> list[Quantity]:
    """How grains follow the plate, before quantities that are judged only if they do.

    grains   `share` and `gradient` (samples,)
    """
    share, gradient = (mean_error(grains[name]) for name in ("share", "gradient"))
    sheared = share[0] >= LEAST and gradient[0] >= STEEP
    bars = f"our bars, at least {LEAST:g} and {STEEP:g}, are {'met' if sheared else 'missed: not sheared, nothing is judged'}"
    number = len(grains["share"])
    note = f"{with_error(*share)} of {number}, gradient {with_error(*gradient)}; {DEFINED}; {bars}{more}"
    judged = list(quantities) if sheared else [replace(each, agrees=None) for each in quantities]
    return [Quantity("grains' way over the plate's", share[0], note=note), *judged]
