"""Prefix sums of counts, by parts: each part adds up its own, one thread adds up the parts, each part writes its own.

They are sums of integers, so their order does not matter.
"""

from clast.backend.device import device, routine

COLUMNS = 2  # sums that are taken at once


@device
def share(count, part, parts):
    """First of `count` things that belong to a part; its last is the first of the next."""
    return count * part // parts


@routine
def sum_parts(sums, parts):
    """Replace the sums (parts, 2) of the parts by what comes before each; returns the two totals."""
    a = b = 0
    for part in range(parts):
        here_a, here_b = sums[COLUMNS * part], sums[COLUMNS * part + 1]
        sums[COLUMNS * part], sums[COLUMNS * part + 1] = a, b
        a += here_a
        b += here_b
    return a, b


@routine
def sum_of(counts, low, high):
    """Sum of counts[low] … counts[high − 1]."""
    total = 0
    for k in range(low, high):
        total += counts[k]
    return total


@routine
def scan(counts, low, high, before):
    """Replace each of counts[low] … counts[high − 1] by `before` and all that stand between."""
    for k in range(low, high):
        here = counts[k]
        counts[k] = before
        before += here
