"""Sums over the pairs of tagged bodies on a grid. A wall may touch every grain, and a moving cell is pulled by all pairs at its
sides: one thread would add them up for longer than all others take for the whole step.

So each such sum is made in two turns: shares of the list are summed by as many threads, each in the order of the list, into rows
of a short table (`condense_of`); then the pass that leads the body finds in short lists these rows in place of its pairs.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from clast.backend.bare import bare
from clast.backend.device import device, unsigned
from clast.backend.packed import packed_of
from clast.dynamics.arrays import Forces, Lists
from clast.dynamics.bodies.room import Widths
from clast.dynamics.contacts.heats import GONE, LOSS, ROLLED, SLID
from clast.neighbours.scan import share

MOST_SHARES, SHARES_OF_CELL, MOST_ROWS = 128, 512, 1 << 15  # of a list; where the cell sums up all pairs; of all lists together


NO_HEATS = (0.0, 0.0, 0.0)


class Short(NamedTuple):
    """What is summed, and where: the tables of all pairs, and short ones of `shares` rows for each list."""

    words: np.ndarray  # of the grid: how many tagged bodies there are, and behind how many free ones
    shares: int
    cells: int  # 1 where the periodic cell is a body: its rows are the first
    lists: Lists
    forces: Forces
    pair: np.ndarray  # rows of Forces.pair, Forces.work and Forces.loss
    work: np.ndarray
    loss: np.ndarray


def shares_of(tagged: int, cells: int) -> int:
    """The number of shares that each list of pairs is cut into. There are two lists for each of the `tagged` bodies, and one for
    the periodic cell if it moves (`cells` is 1)."""
    return max(1, min(SHARES_OF_CELL if cells else MOST_SHARES, MOST_ROWS // (2 * tagged + cells)))


def short_lists(lists: Lists, rows: range, shares: int, cells: int) -> Lists:
    """Lists in which the bodies of some rows find short rows: first those of their pairs as i, then those as j."""
    begin, count = shares * cells, shares * len(rows)
    starts = np.zeros(rows.stop + 1, lists.first_pair.dtype)
    starts[rows.start :] = shares * np.arange(len(rows) + 1)
    axes = lists.image.size // max(lists.other.size, 1)
    return lists._replace(
        image=np.ones(max(axes * shares * cells, 1), lists.image.dtype), first_pair=starts + starts.dtype.type(begin),
        first_other=starts, other=np.arange(begin + count, begin + 2 * count).astype(lists.other.dtype),
    )  # fmt: skip


def condense_of(widths: Widths, remembers: int, words: SimpleNamespace, *, sheared: bool) -> Callable[..., Any]:
    """The pass `condense(q, thread, short)` over rows of the short tables; `words` names places in Short.words.

    sheared   the first force on the cell is that on its offset
    """
    along = 1 if sheared else 0
    sums, pull, tagged_at, free_at, pairs_at, stall_at = (
        2 * widths.pull, widths.pull, words.TAGGED, words.FREE, words.PAIRS, words.STALL
    )  # fmt: skip
    row, pushes, axes, overlaps = packed_of(sums), packed_of(pull), widths.image, widths.overlaps
    none, add, read, write = row.none, row.add, row.read, row.write
    no_push, add_push, read_push, write_push = pushes.none, pushes.add, pushes.read, pushes.write

    @device
    def sum_image(q, low, high, short):
        """Row q of the moving cell: what pulls at images, as many times as they lie cells away."""
        write(bare(short.pair), sums * q, none())
        image, table = bare(short.lists.image), bare(short.forces.pair)
        for axis in range(axes):
            number, force, lossy = (along if axis == 0 else axis), 0.0, 0.0
            for p in range(low, high):
                away, at = image[axes * p + number], sums * p + axis
                force, lossy = force + away * table[at], lossy + away * table[at + pull]
            short.pair[sums * q + axis], short.pair[sums * q + pull + axis] = force, lossy
        if overlaps and remembers:
            work = bare(short.forces.work)
            write_push(bare(short.work), pull * q, no_push())
            for axis in range(axes):
                number, pushed = (along if axis == 0 else axis), 0.0
                for p in range(low, high):
                    pushed += image[axes * p + number] * work[pull * p + axis]
                short.work[pull * q + axis] = pushed

    @device
    def sum_rows(q, low, high, second, short):
        """Row q: the sum of some pairs of a body, of its list as j or of its range as i."""
        table, work, total, push, heats = bare(short.forces.pair), bare(short.forces.work), none(), no_push(), NO_HEATS
        for k in range(low, high):
            p = np.int64(short.lists.other[k]) if second else k
            total = add(total, read(table, sums * p))
            if overlaps and remembers:
                push = add_push(push, read_push(work, pull * p))
            if remembers:
                loss, at = short.forces.loss, LOSS * unsigned(p)
                heats = heats[0] + loss[at + SLID], heats[1] + loss[at + GONE], heats[2] + loss[at + ROLLED]
        write(bare(short.pair), sums * q, total)
        if overlaps and remembers:
            write_push(bare(short.work), pull * q, push)
        if remembers:
            at = LOSS * unsigned(q)
            short.loss[at + SLID], short.loss[at + GONE], short.loss[at + ROLLED] = heats

    @device
    def condense(q, thread, short):
        """Sum up what row q of the short tables stands for: one share of one of the two lists of a tagged body, or of all pairs
        where the row is one of the moving cell."""
        words, shares = short.words, short.shares
        if words[stall_at] != 0:
            return
        begin, tagged = shares * short.cells, words[tagged_at]
        if q < begin:
            count = words[pairs_at]
            sum_image(q, share(count, q, shares), share(count, q + 1, shares), short)
        elif q < begin + 2 * shares * tagged:
            number = (q - begin) // shares
            part, second = (q - begin) - shares * number, number >= tagged
            b = words[free_at] + (number - tagged if second else number)
            starts = short.lists.first_other if second else short.lists.first_pair
            low = np.int64(starts[b])
            count = np.int64(starts[b + 1]) - low
            sum_rows(q, low + share(count, part, shares), low + share(count, part + 1, shares), second, short)

    return condense
