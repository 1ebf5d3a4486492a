"""For each body the pairs in which it comes first, a range, and second, a list in the order of the ranks of the first.

Pairs are counted and dealt out by whoever comes; each list is sorted afterwards, so it does not depend on who that was. Pairs lie
in the table by rows of their first bodies; in a list, by the ranks of these, so that a sum does not depend on rows.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np

from clast.backend.atomics import fetch_add
from clast.backend.device import device, unsigned


def sort_run_of(width: int) -> Any:
    """`sort_run(first, last, world)`; for `width` see `count_other_of`."""

    @device
    def is_behind(p, rank, number, world):
        """Whether pair p sorts behind the pair `number`, whose first body has this rank: two pairs of one i are in order."""
        other = world.cast.rank[unsigned(world.new.pair[width * unsigned(p)])]
        return other > rank or (other == rank and p > number)

    @device
    def sort_run(first, last, world):
        """Sort other[first] … other[last − 1] by insertion, far apart first (Shell): a wall may have many, most have few."""
        numbers, gap = world.new.other, 1
        while 3 * gap + 1 < last - first:
            gap = 3 * gap + 1
        while gap > 0:
            for k in range(first + gap, last):
                number, at = numbers[k], k
                rank = world.cast.rank[unsigned(world.new.pair[width * unsigned(number)])]
                while at - gap >= first and is_behind(numbers[at - gap], rank, number, world):
                    numbers[at] = numbers[at - gap]
                    at -= gap
                numbers[at] = number
            gap //= 3

    return sort_run


def count_other_of(width: int) -> Any:
    """`count_other(p, world)`; `width` is that of a row of Contacts.pair, which begins with i and j."""

    @device
    def count_other(p, world):
        """Count pair p at its second body."""
        fetch_add(world.work.other_start, np.int64(world.new.pair[width * p + 1]) + 1, 1)

    return count_other


def others_of(width: int) -> SimpleNamespace:
    """The passes of the index."""
    sort_run = sort_run_of(width)

    @device
    def fill_other(p, world):
        """Put pair p into the list of its second body. other_start[j + 1] comes up from the first of j's list to its end."""
        j = np.int64(world.new.pair[width * p + 1])
        world.new.other[fetch_add(world.work.other_start, j + 1, 1)] = p

    @device
    def close_body(b, world):
        """Sort the list of body b and write where its pairs begin."""
        work, new = world.work, world.new
        sort_run(work.other_start[b], work.other_start[b + 1], world)
        new.first_other[b] = work.other_start[b]
        new.first_pair[b] = work.rank[work.first_near[b]]

    return SimpleNamespace(fill_other=fill_other, close_body=close_body)
