"""For each body the pairs in which it comes first, a range, and second, a list in ascending order.

Pairs are counted and dealt out by whoever comes; each list is sorted afterwards, so it does not depend on who that was.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np

from clast.backend.atomics import fetch_add
from clast.backend.device import device


@device
def sort_run(numbers, first, last):
    """Sort numbers[first] … numbers[last − 1] by insertion, far apart first (Shell): a wall may have many, most have few."""
    gap = 1
    while 3 * gap + 1 < last - first:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(first + gap, last):
            number, at = numbers[k], k
            while at - gap >= first and numbers[at - gap] > number:
                numbers[at] = numbers[at - gap]
                at -= gap
            numbers[at] = number
        gap //= 3


def count_other_of(width: int) -> Any:
    """`count_other(p, world)`; `width` is that of a row of Contacts.pair, which begins with i and j."""

    @device
    def count_other(p, world):
        """Count pair p at its second body."""
        fetch_add(world.work.other_start, np.int64(world.new.pair[width * p + 1]) + 1, 1)

    return count_other


def others_of(width: int) -> SimpleNamespace:
    """The passes of the index."""

    @device
    def fill_other(p, world):
        """Put pair p into the list of its second body. other_start[j + 1] comes up from the first of j's list to its end."""
        j = np.int64(world.new.pair[width * p + 1])
        world.new.other[fetch_add(world.work.other_start, j + 1, 1)] = p

    @device
    def close_body(b, world):
        """Sort the list of body b and write where its pairs begin."""
        work, new = world.work, world.new
        sort_run(new.other, work.other_start[b], work.other_start[b + 1])
        new.first_other[b] = work.other_start[b]
        new.first_pair[b] = work.rank[work.first_near[b]]

    return SimpleNamespace(fill_other=fill_other, close_body=close_body)
