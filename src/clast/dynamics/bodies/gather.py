"""Sums over the pairs of a body: rows of the table of forces, each whole, in ascending order of pairs."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from clast.backend.ahead import bring_of
from clast.backend.device import device, unsigned
from clast.backend.packed import packed_of

AHEAD = 12  # rows: far enough for the memory to answer


def gather_of(width: int, count: int) -> Any:
    """`gather(b, contacts, table)`: the first `count` numbers of rows `width` apart, summed over the pairs in which body b comes
    first, and over those in which it comes second; two tuples."""
    packed: SimpleNamespace = packed_of(count)
    none, read, add, numbers = packed.none, packed.read, packed.add, packed.numbers
    bring = bring_of(width)

    @device
    def gather(b, lists, table):
        first, second = none(), none()
        for q in range(np.int64(lists.first_other[b]), np.int64(lists.first_other[b + 1])):
            bring(table, lists.other, q + AHEAD)  # of this body or of one that comes soon
            second = add(second, read(table, width * np.int64(lists.other[q])))
        for q in range(np.int64(lists.first_pair[b]), np.int64(lists.first_pair[b + 1])):
            first = add(first, read(table, width * unsigned(q)))
        return numbers(first), numbers(second)

    return gather


def gather_wanted_of(remembers: int, gather_all: Any, gather: Any, nothing: Any) -> Any:
    """`gather_wanted(b, world)`: what acts on body b, and the viscous part of it, `nothing` where contacts remember nothing."""

    @device
    def gather_wanted(b, world):
        if remembers:
            return gather_all(b, world.lists, world.forces.pair)
        return gather(b, world.lists, world.forces.pair), nothing

    return gather_wanted
