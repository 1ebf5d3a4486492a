"""What contacts remember, carried from the old lists to the new: by (pair, image, side, probe, feature).

Both lists name bodies by the same rows and are sorted, the pairs of one i by the rank of j: the old pair is found by halving the
old pairs of body i, and one walk through the candidates of both will do. A pair belongs to one index, so any number of
threads may carry.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np

from clast.backend.device import device, unsigned

CANDIDATE = 2  # numbers of a row of Lists.candidate


@device
def order_of_candidates(old, q, new, k):
    """Negative where the old candidate q comes before the new candidate k, 0 where they are one."""
    for column in range(CANDIDATE):
        a, b = np.int64(old.candidate[CANDIDATE * q + column]), np.int64(new.candidate[CANDIDATE * k + column])
        if a != b:
            return a - b
    return np.int64(0)


@device
def same_row(old, q, new, p):
    """Two bodies and an image have one row."""
    return np.int64(0)


def find_of(axes: int, width: int, order_within: Any = same_row) -> Any:
    """`find(p, world)`, for images of `axes` numbers and rows of Lists.pair of some width, which begin with i and j;
    order_within(old, q, new, p) is the order of the rows of two bodies and an image."""

    @device
    def order(q, p, world):
        """Negative where the old pair q comes before the new pair p, 0 where they are one; both have the same i."""
        old, new, rank = world.old, world.new, world.roles.rank
        a, b = unsigned(old.pair[width * q + 1]), unsigned(new.pair[width * p + 1])
        difference = np.int64(rank[a]) - np.int64(rank[b])
        for axis in range(axes):
            if difference == 0:
                difference = np.int64(old.image[axes * q + axis]) - np.int64(new.image[axes * p + axis])
        return difference if difference != 0 else order_within(old, q, new, p)

    @device
    def find(p, world):
        """The old pair that the new pair p was, or −1."""
        i, first_pair = np.int64(world.new.pair[width * p]), world.old.first_pair
        low, high = np.int64(first_pair[i]), np.int64(first_pair[i + 1])
        while low < high:
            middle = (low + high) // 2
            difference = order(middle, p, world)
            if difference == 0:
                return middle
            if difference < 0:
                low = middle + 1
            else:
                high = middle
        return np.int64(-1)

    return find


def carry_of(axes: int, pair: SimpleNamespace, memory: int) -> Any:
    """`carry(p, world)` for images of `axes` numbers and contacts that remember `memory` numbers.

    pair has `width`, of a row of Lists.pair, and `sections`, its columns in which the sections of its candidates begin.
    """
    width, sections, find = pair.width, pair.sections, find_of(axes, pair.width)

    @device
    def begin(lists, p, section):
        """First candidate of a section of a pair; after the last one that of the next pair."""
        if section == len(sections):
            return np.int64(lists.pair[width * (p + 1) + sections[0]])
        return np.int64(lists.pair[width * p + sections[section]])

    @device
    def carry(p, world):
        """Take over what the candidates of the new pair p remembered; a new one remembers nothing."""
        old, new, was = world.old, world.new, find(p, world)
        for section in range(len(sections)):
            q = end = np.int64(0)
            if was >= 0:
                q, end = begin(old, was, section), begin(old, was, section + 1)
            for k in range(begin(new, p, section), begin(new, p, section + 1)):
                while q < end and order_of_candidates(old, q, new, k) < 0:
                    q += 1
                stayed = q < end and order_of_candidates(old, q, new, k) == 0
                for c in range(memory):
                    new.spring[memory * k + c] = old.spring[memory * q + c] if stayed else 0.0
                new.weight[k] = old.weight[q] if stayed else 0
        return was

    return carry
