"""The Verlet distance α: large lists are looked at every step, small ones are rebuilt often (PRE10 eq 23).

`AlphaSearch` finds the optimum while running, by the wall-clock time per step. It may look at the clock because the
trajectory does not depend on α in any bit.
"""

CLIMB = 1.6  # factor while rebuilding takes too much of the time
TOO_MUCH = 0.3  # share of rebuilding above which a larger α is better without asking
PAIRS = 4  # intervals with each of two α in a comparison
BETTER = 0.995  # a challenger must cost less than this much of the holder
FIRST, AGAIN, FINEST = 1.5, 1.25, 1.12  # factors between holder and challenger: at first, after a rest, and the last
REST = 60  # intervals to leave a settled α alone
FORGET = 0.9  # what an interval leaves of the weight of those before it


class AlphaSearch:
    """Upwards from a small α, because a too large one at the start is what costs; then holder against challenger.

    The two are taken in the order h c c h, an interval between rebuilds each. How many steps an interval lasts is up to
    chance, one grain that moves far ends it, and would drown the difference between the two. But in the mean it lasts in
    proportion to α; so both are reckoned with the steps per α of all recent intervals:

        cost = seconds of a rebuild / (α · steps per α) + seconds of a step

    and of the seconds the least count, since what else a machine does can only add to them.

    `alpha` is the value for the lists about to be built; call `record` at each rebuild.
    """

    def __init__(self, smallest: float, largest: float) -> None:
        self.smallest, self.largest = smallest, largest
        self.holder = smallest
        self.factor = FIRST
        self.climbing = True
        self.resting = 0
        self.refused = 0
        self._rebuilds: tuple[list[float], list[float]] = ([], [])  # seconds of rebuilds: holder's, challenger's
        self._steps: tuple[list[float], list[float]] = ([], [])  # seconds of a step
        self._alphas = self._numbers = 0.0  # α and numbers of steps of recent intervals, summed up
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
        self._alphas = FORGET * self._alphas + self.alpha
        self._numbers = FORGET * self._numbers + max(steps, 1)
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
        side = 0 if self.alpha == self.holder else 1
        self._rebuilds[side].append(rebuilding)
        self._steps[side].append((seconds - rebuilding) / max(steps, 1))
        taken = len(self._steps[0]) + len(self._steps[1])
        if taken == 2 * PAIRS:
            self._judge()
        else:
            self.alpha = self.holder if taken % 4 in (0, 3) else self._next()

    def _cost(self, side: int, alpha: float) -> float:
        """Seconds per step with one of the two."""
        return min(self._rebuilds[side]) * self._alphas / (alpha * self._numbers) + min(self._steps[side])

    def _judge(self) -> None:
        held, challenged = self._cost(0, self.holder), self._cost(1, self.challenger)
        self._rebuilds, self._steps = ([], []), ([], [])
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
                    closer, self.resting = AGAIN, REST
                self.factor = closer
        self.alpha = self.holder
