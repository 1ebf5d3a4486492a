"""How many threads: a number, or the one that turns out quickest while a run goes on. The bits never depend on it."""

import os

from clast.errors import InputError


def count_threads(threads: int | str) -> int:
    """Number of threads to use; "auto" gives all cores this process may run on."""
    if threads == "auto":
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise InputError(f'threads = {threads!r} must be a positive number or "auto"')
    return threads


class ThreadSearch:
    """Finds the number of threads with the least time per step, and looks again when the work or the machine has changed.

    It compares all, all − 1, half, a quarter, … one, by turns, on the run itself: a turn lasts some steps and at least
    `SHORTEST` seconds, and of each number the quickest turn counts, since what else a machine does can only add to it. Then it
    stays with the winner. It looks again when that has become slower than it was by half, and after `REST` times as long as the
    comparison took, so that comparing costs at most a few hundredths of a run.

    `threads` is the number for the next stretch, `steps` how many it should have at most (None: as many as one likes); call
    `record` after each stretch.
    """

    ROUNDS = 2
    SHORTEST = 2e-3  # seconds: a shorter turn is noise
    REST = 50.0
    SLOWER = 1.5
    BETTER = 0.95  # more threads must take less than this much of the time of fewer

    def __init__(self, most: int) -> None:
        self.choices = sorted({1, most, max(most - 1, 1), *(max(most >> k, 1) for k in range(1, most.bit_length()))})
        self.threads = 1
        self._begin()

    @property
    def settled(self) -> bool:
        """Whether it stays with a number for now."""
        return not self._waiting

    @property
    def steps(self) -> int | None:
        """At most so many steps in the next stretch."""
        return None if self.settled else self._turn_steps

    def _begin(self) -> None:
        """Compare all choices, one by one, ROUNDS times over; one thread comes first, it is never far from the best."""
        self._best = dict.fromkeys(self.choices, float("inf"))
        self._waiting = self.choices * self.ROUNDS if len(self.choices) > 1 else []
        self._turn_steps = 20
        self._steps, self._seconds, self._spent, self._rested = 0, 0.0, 0.0, 0.0
        self._pace = 0.0
        if self._waiting:
            self.threads = self._waiting[0]

    def record(self, steps: int, seconds: float) -> None:
        """Add a stretch of `steps` done with `threads`."""
        self._steps += steps
        self._seconds += seconds
        if self._seconds < self.SHORTEST or self._steps == 0:
            return
        pace = self._seconds / self._steps
        if self.settled:
            self._watch(pace)
        else:
            self._compare(pace)
        self._steps, self._seconds = 0, 0.0

    def _compare(self, pace: float) -> None:
        self._best[self.threads] = min(self._best[self.threads], pace)
        self._spent += self._seconds
        self._turn_steps = max(1, int(self.SHORTEST / min(self._best.values())) + 1)
        self._waiting.pop(0)
        if self._waiting:
            self.threads = self._waiting[0]
            return
        self.threads = self.choices[0]
        for more in self.choices[1:]:
            if self._best[more] < self.BETTER * self._best[self.threads]:
                self.threads = more
        self._pace = self._best[self.threads]

    def _watch(self, pace: float) -> None:
        """A winner that is not what it was, or has rested long enough, is compared again."""
        self._rested += self._seconds
        if len(self.choices) == 1:
            return
        slow = pace > self.SLOWER * self._pace
        if (slow and self._rested > self._spent) or self._rested > self.REST * self._spent:
            self._begin()
