"""Where the heats of a pair go: into the book of its first body.

Threads of a team take all pairs of one first body each, so they may book at once. On a grid every pair has a thread of its own:
there the heats wait in a row of the pair, and are booked by the body, in the order of its pairs.
"""

from typing import Any

import numpy as np

from clast.backend.device import device, unsigned
from clast.dynamics.arrays import ACCOUNTS, LOST, ROLLING, SLIDING

LOSS, SLID, GONE, ROLLED = 4, 0, 1, 2  # Forces.loss: heat of sliding, energy of lost springs, heat of rolling; one stands empty


@device
def book_at_once(p, i, slid, lost, rolled, world):
    """Add the heats of pair p to the book of its first body, i."""
    book, at = world.state.book, ACCOUNTS * i
    book[at + SLIDING] += slid
    book[at + LOST] += lost
    book[at + ROLLING] += rolled


@device
def leave_to_body(p, i, slid, lost, rolled, world):
    """Write the heats of pair p to where its first body will find them."""
    loss, at = world.forces.loss, LOSS * p
    loss[at + SLID], loss[at + GONE], loss[at + ROLLED] = slid, lost, rolled


def booking_of(remembers: int) -> Any:
    """`book_pairs(b, world)`: what the pairs of body b have left for its book; nothing where contacts lose nothing."""

    @device
    def book_pairs(b, world):
        if remembers:
            book, loss, lists, at = world.state.book, world.forces.loss, world.lists, ACCOUNTS * b
            slid = lost = rolled = 0.0
            for q in range(np.int64(lists.first_pair[b]), np.int64(lists.first_pair[b + 1])):
                row = LOSS * unsigned(q)
                slid, lost, rolled = slid + loss[row + SLID], lost + loss[row + GONE], rolled + loss[row + ROLLED]
            book[at + SLIDING] += slid
            book[at + LOST] += lost
            book[at + ROLLING] += rolled

    return book_pairs
