"""The Verlet distance α: large lists are looked at every step, small ones are rebuilt often (PRE10 eq 23).

`AlphaSearch` finds the optimum while running, by the wall-clock time per step. It may look at the clock because the
trajectory does not depend on α in any bit.
"""

from statistics import median

CLIMB = 1.6  # factor while rebuilding takes too much of the time
TOO_MUCH = 0.3  # share of rebuilding above which a larger α is better without asking
PAIRS = 4  # intervals with each of two α in a comparison
BETTER = 0.98  # a challenger must cost less than this much of the holder
FIRST, FINEST = 1.5, 1.12  # factors between holder and challenger
REST = 60  # intervals to leave a settled α alone


class AlphaSearch:
    """Upwards from a small α, because a too large one at the start is what costs; then holder against challenger.

    The two are taken by turns, an interval between rebuilds each, and compared by medians: a machine that slows down for
    a while slows both. `alpha` is the value for the lists about to be built; call `record` at each rebuild.
    """

    def __init__(self, smallest: float, largest: float) -> None:
        self.smallest, self.largest = smallest, largest
        self.holder = smallest
        self.factor = FIRST
        self.climbing = True
        self.resting = 0
        self.refused = 0
        self._costs: tuple[list[float], list[float]] = ([], [])
        self.alpha = smallest

    @property
    def challenger(self) -> float:
        """The α held against the holder's."""
        return min(max(self.holder * self.factor, self.smallest), self.largest)

    def _next(self) -> float:
        """The challenger, looked for on the other side where a bound leaves none on this one."""
        if self.challenger == self.holder:
            self.factor = 1.0 / self.factor
        return self.challenger

    def record(self, steps: int, seconds: float, rebuilding: float) -> None:
        """Add an interval between rebuilds: its steps, its time with the rebuild, and the time of the rebuild alone."""
        if self.climbing:
            if rebuilding > TOO_MUCH * seconds and self.holder < self.largest:
                self.holder = min(self.holder * CLIMB, self.largest)
            else:
                self.climbing = False
            self.alpha = self.holder
            return
        if self.resting > 0:
            self.resting -= 1
            return
        mine = self.alpha == self.holder
        self._costs[0 if mine else 1].append(seconds / max(steps, 1))
        self.alpha = self._next() if mine else self.holder
        if min(len(costs) for costs in self._costs) >= PAIRS:
            self._judge()

    def _judge(self) -> None:
        held, challenged = (median(costs) for costs in self._costs)
        self._costs = ([], [])
        if challenged < BETTER * held:
            self.holder = self.challenger
            self.refused = 0
        else:
            self.factor = 1.0 / self.factor
            self.refused += 1
            if self.refused == 2:  # neither side is better: look closer, and once close, leave it alone for a while
                self.refused = 0
                closer = max(self.factor, 1.0 / self.factor) ** 0.5
                if closer < FINEST:
                    closer, self.resting = FIRST, REST
                self.factor = closer
        self.alpha = self.holder if self.resting else self._next()
