"""For each body the pairs in which it comes first, a range, and second, a list in the order of the ranks of the first.

Pairs are counted and dealt out by whoever comes; each list is sorted afterwards, so it does not depend on who that was. Pairs lie
in the table by rows of their first bodies; in a list, by the ranks of these, so that a sum does not depend on rows. A body at
rest for ever, as most walls, has no list: nobody sums up what pushes it.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np

from clast.backend.atomics import fetch_add
from clast.backend.device import device, unsigned
from clast.neighbours.scratch import MOVING


def sort_run_of(width: int) -> Any:
    """`sort_run(numbers, first, last, pair, rank)`; for `width` see `count_other_of`."""

    @device
    def rank_of_first(p, pair, rank):
        """Rank of the first body of pair p."""
        return rank[unsigned(pair[width * unsigned(p)])]

    @device
    def sort_run(numbers, first, last, pair, rank):
        """Sort the pairs numbers[first] … numbers[last − 1] by the ranks of their first bodies, those of one body by their own
        numbers: by insertion, far apart first (Shell), for a wall may have many, most have few."""
        gap = 1
        while 3 * gap + 1 < last - first:
            gap = 3 * gap + 1
        while gap > 0:
            for k in range(first + gap, last):
                number, at = numbers[k], k
                mine = rank_of_first(number, pair, rank)
                while at - gap >= first:
                    other = rank_of_first(numbers[at - gap], pair, rank)
                    if other < mine or (other == mine and numbers[at - gap] < number):
                        break
                    numbers[at] = numbers[at - gap]
                    at -= gap
                numbers[at] = number
            gap //= 3

    return sort_run


def count_other_of(width: int) -> Any:
    """`count_other(p, world)`; `width` is that of a row of Lists.pair, which begins with i and j."""

    @device
    def count_other(p, world):
        """Count pair p at its second body, if that moves."""
        j = np.int64(world.new.pair[width * p + 1])
        if j < world.work.size[MOVING]:
            fetch_add(world.work.other_start, j + 1, 1)

    return count_other


def others_of(width: int) -> SimpleNamespace:
    """The passes of the index."""
    sort_run = sort_run_of(width)

    @device
    def fill_other(p, world):
        """Put pair p into the list of its second body. other_start[j + 1] comes up from the first of j's list to its end."""
        j = np.int64(world.new.pair[width * p + 1])
        if j < world.work.size[MOVING]:
            world.new.other[fetch_add(world.work.other_start, j + 1, 1)] = p

    @device
    def close_body(b, world):
        """Sort the list of body b and write where it ends; where the pairs begin in which b comes first."""
        work, new = world.work, world.new
        sort_run(new.other, work.other_start[b], work.other_start[b + 1], new.pair, world.roles.rank)
        new.first_other[b + 1] = work.other_start[b + 1]
        new.first_pair[b] = work.rank[work.first_near[b]]

    return SimpleNamespace(fill_other=fill_other, close_body=close_body)
