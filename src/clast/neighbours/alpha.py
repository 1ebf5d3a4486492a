"""The Verlet distance α: large lists are looked at every step, small ones are rebuilt often (PRE10 eq 23).

`AlphaSearch` finds the optimum while running, by the wall-clock time per step. It may look at the clock because the
trajectory does not depend on α in any bit.
"""

GROWTH = 1.5  # first factor between trials
FINEST = 1.06  # the search rests once its factor is below this
INTERVALS = 3  # rebuild intervals per trial
LONGEST = 0.4  # seconds: a trial ends here even without a rebuild
SLACK = 1.02  # a trial must be this much better to count


class AlphaSearch:
    """A one-dimensional multiplicative search, upwards from a small α: a too large α at the start is what costs.

    `smallest` and `largest` bound α. Call `record` at each rebuild; read `alpha` for the lists about to be built.
    """

    def __init__(self, smallest: float, largest: float) -> None:
        self.smallest, self.largest = smallest, largest
        self.alpha = smallest
        self.best = smallest
        self.best_cost = float("inf")
        self.factor = GROWTH
        self.misses = 0
        self._reset()

    def _reset(self) -> None:
        self.steps, self.seconds, self.intervals = 0, 0.0, 0

    def record(self, steps: int, seconds: float) -> None:
        """Add an interval between rebuilds: its steps and its time, the rebuild included."""
        self.steps += steps
        self.seconds += seconds
        self.intervals += 1
        if self.intervals < INTERVALS and self.seconds < LONGEST:
            return
        cost = self.seconds / max(self.steps, 1)
        if cost * SLACK < self.best_cost:
            self.best, self.best_cost, self.misses = self.alpha, cost, 0
        else:
            # overshot: turn round with a smaller factor, and forget slowly, since the flow may have changed
            self.best_cost *= SLACK
            self.misses += 1
            self.factor = 1.0 / self.factor
            if self.misses >= 2:
                self.factor = max(abs_factor(self.factor) ** 0.5, FINEST)
                self.misses = 0
        self.alpha = min(max(self.best * self.factor, self.smallest), self.largest)
        self._reset()


def abs_factor(factor: float) -> float:
    """A factor or its inverse, whichever is above one."""
    return factor if factor >= 1.0 else 1.0 / factor
