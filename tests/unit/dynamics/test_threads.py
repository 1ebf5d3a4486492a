"""The choice of threads and how work is cut among them."""

import itertools
import os
from collections.abc import Callable

import numpy as np
import pytest

from clast.backend.threads import ThreadSearch, count_threads
from clast.dynamics.engine import Engine
from clast.dynamics.stretch import balanced_cuts
from clast.errors import InputError
from clast.laws import Linear
from clast.scene.plane import Scene
from clast.shapes import disk

SLICE = 0.25  # seconds: the longest stretch, as the engine's


class Machine:
    """A made-up clock: how long a step takes with so many threads, at a time; and a search that goes by it."""

    def __init__(self, most: int, pace: Callable[[int, float], float]) -> None:
        self.search, self.pace = ThreadSearch(most), pace
        self.clock = self.comparing = 0.0
        self.used: dict[int, float] = dict.fromkeys(self.search.choices, 0.0)

    def stretch(self) -> None:
        threads, settled = self.search.threads, self.search.settled
        each = self.pace(threads, self.clock)
        steps = self.search.steps or max(1, int(SLICE / each))
        took = steps * each
        self.search.record(steps, took)
        self.clock += took
        self.used[threads] += took
        self.comparing += 0.0 if settled else took

    def settle(self) -> int:
        """Go on until it stays with a number, and return that."""
        for _ in range(100_000):
            if self.search.settled:
                return self.search.threads
            self.stretch()
        raise AssertionError("it never settles")

    def run(self, until: float) -> None:
        while self.clock < until:
            self.stretch()


def amdahl(serial: float, overhead: float) -> Callable[[int, float], float]:
    """Part of the work that nobody can share, and what every thread more costs; 1e-4 s with one thread."""
    return lambda threads, _: 1e-4 * (serial + (1.0 - serial) / threads + overhead * (threads - 1))


@pytest.mark.parametrize("one, all_of_them, chosen", [(1e-4, 6e-5, 2), (1e-4, 9.6e-5, 1), (1e-4, 1e-1, 1), (1e-2, 5.1e-3, 2)])
def test_it_settles_for_the_faster(one, all_of_them, chosen):
    assert Machine(2, lambda threads, _: one if threads == 1 else all_of_them).settle() == chosen


@pytest.mark.parametrize("most, serial, overhead, chosen", [
    (8, 0.0, 0.0, 8), (8, 0.0, 0.05, 4), (8, 0.1, 0.2, 2), (8, 0.0, 0.6, 1), (3, 0.0, 0.0, 3), (64, 0.01, 2e-3, 16),
])  # fmt: skip
def test_it_settles_for_the_fastest_of_several(most, serial, overhead, chosen):
    assert Machine(most, amdahl(serial, overhead)).settle() == chosen


def test_all_but_one_is_tried():
    """Where something else has a core for itself, the last thread slows down all."""
    assert Machine(8, lambda threads, _: 1e-4 / threads if threads < 8 else 3e-4).settle() == 7


def test_it_never_stays_with_what_is_slower():
    rng = np.random.default_rng(1)
    for _ in range(200):
        most = int(rng.integers(2, 33))
        paces = {threads: float(10.0 ** rng.uniform(-6.0, -2.0)) for threads in ThreadSearch(most).choices}
        chosen = Machine(most, lambda threads, _, paces=paces: paces[threads]).settle()
        assert paces[chosen] <= min(paces.values()) / ThreadSearch.BETTER


def test_what_else_the_machine_does_is_not_taken_for_the_threads():
    """Of each number the quickest turn counts: one that was disturbed, whichever, changes nothing."""
    undisturbed = amdahl(0.0, 0.05)
    for disturbed in range(10):
        turns = itertools.count()

        def pace(threads: int, t: float, turns=turns, k=disturbed) -> float:
            return undisturbed(threads, t) * (5.0 if next(turns) == k else 1.0)

        machine = Machine(8, pace)
        assert machine.settle() == 4, disturbed


def test_it_looks_again_when_the_winner_gets_slower():
    """Somebody takes the other cores after a second; later they are free again."""
    machine = Machine(4, lambda threads, t: 1e-4 / threads if t < 1.0 or t > 30.0 or threads == 1 else 1e-3)
    assert machine.settle() == 4
    machine.run(0.9)
    assert machine.search.threads == 4
    machine.run(1.9)
    assert machine.settle() == 1
    before = machine.used[4]
    machine.run(29.9)
    assert machine.used[4] - before < 0.05 * 28.0  # a look now and then
    machine.run(60.0)
    assert machine.settle() == 4


def test_a_winner_that_gets_slower_is_not_kept_until_the_next_look():
    machine = Machine(4, amdahl(0.0, 0.0))
    assert machine.settle() == 4
    begin = machine.clock
    machine.pace = lambda threads, _: 1e-4 if threads == 1 else 1e-3
    machine.run(begin + 0.5 * SLICE)
    assert machine.settle() == 1
    assert machine.clock - begin < 2.0 * SLICE < ThreadSearch.REST * machine.comparing


def test_it_looks_again_when_more_threads_become_worth_it():
    """The winner is as quick as ever, and another would be quicker: it is looked for now and then."""
    machine = Machine(2, lambda threads, t: 1e-4 if threads == 1 else (2e-4 if t < 1.0 else 5e-5))
    assert machine.settle() == 1
    machine.run(5.0)
    assert machine.settle() == 2


def test_one_core_needs_no_search():
    machine = Machine(1, lambda threads, t: 1e-4 * (1.0 + t))
    assert machine.search.settled
    assert machine.search.steps is None
    machine.run(100.0)
    assert machine.comparing == 0.0
    assert machine.search.threads == 1


@pytest.mark.parametrize("each", [2e-6, 1e-4, 1e-2])
def test_comparing_costs_little(each):
    """Three hundredths of the time, and no more of it lost than that, however bad the other choices are."""
    machine = Machine(8, lambda threads, _: each * (1.0 + 2.0 * abs(threads - 4)))
    machine.run(3.0)  # the first search comes at once
    begin, compared = machine.clock, machine.comparing
    machine.run(begin + 3000.0)
    assert 0.0 < machine.comparing - compared < 0.03 * (machine.clock - begin)
    assert machine.used[4] > 0.96 * machine.clock


def test_a_turn_is_many_stretches_when_they_are_short():
    search = ThreadSearch(2)
    for _ in range(19):
        search.record(5, 1e-4)
    assert search.threads == 1 and search.steps == 20
    search.record(5, 2e-4)
    assert search.threads == 2  # the first turn is over: 100 steps in 2.1 ms
    assert search.steps == int(ThreadSearch.SHORTEST / (2.1e-3 / 100)) + 1
    assert not search.settled


def test_auto_settles_while_running():
    scene = Scene(law=Linear(1e4))
    for k in range(20):
        scene.add(disk(radius=0.5), (1.1 * k, 0.0), velocity=(-1.0 if k % 2 else 1.0, 0.0))
    engine = Engine(scene, threads="auto")
    search = engine._thread_search
    assert search is not None
    while engine.step < 400_000:
        engine.advance(engine.step + 5000)
        if search.settled and engine.threads == search.threads:
            break
    assert search.settled
    assert engine.threads == search.threads <= count_threads("auto")


def test_cuts_share_the_work():
    rng = np.random.default_rng(1)
    first = np.concatenate([[0], np.cumsum(rng.integers(1, 20, 1000))]).astype(np.uint32)
    for parts in (1, 2, 3, 7):
        cuts = balanced_cuts(first, parts)
        assert cuts[0] == 0
        assert cuts[-1] == 1000
        assert (np.diff(cuts) >= 0).all()
        work = np.diff((first + 2 * np.arange(1001))[cuts])
        assert work.max() - work.min() < 50
    assert balanced_cuts(np.zeros(1, np.uint32), 3).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("threads", [0, -1, "many", True, 1.5, None])
def test_bad_number_of_threads(threads):
    with pytest.raises(InputError, match="threads"):
        count_threads(threads)


def test_good_numbers_of_threads():
    assert count_threads(3) == 3
    assert 1 <= count_threads("auto") <= (os.cpu_count() or 1)
