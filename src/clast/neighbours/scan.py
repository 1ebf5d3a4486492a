"""Prefix sums of counts, by parts: each part adds up its own, one thread adds up the parts, each part writes its own.

They are sums of integers, so their order does not matter.
"""

import numpy as np

from clast.backend.device import device, routine

COLUMNS = 2  # sums that are taken at once


@device
def share(count, part, parts):
    """First of `count` things that belong to a part; its last is the first of the next."""
    return count * part // parts


@routine
def sum_parts(sums, parts):
    """Replace the sums (parts, 2) of the parts by what comes before each; returns the two totals."""
    return scan_column(sums, 0, parts), scan_column(sums, 1, parts)


@device
def scan_column(sums, column, parts):
    """Replace each sum of a column by all before it; returns the total. Four are read at a time, or each would wait for the one
    before it."""
    before, part = 0, 0
    while part + 4 <= parts:
        at = COLUMNS * part + column
        a, b, c, d = sums[at], sums[at + COLUMNS], sums[at + 2 * COLUMNS], sums[at + 3 * COLUMNS]
        sums[at], sums[at + COLUMNS] = before, before + a
        sums[at + 2 * COLUMNS], sums[at + 3 * COLUMNS] = before + a + b, before + a + b + c
        before += a + b + c + d
        part += 4
    while part < parts:
        here = sums[COLUMNS * part + column]
        sums[COLUMNS * part + column] = before
        before += here
        part += 1
    return before


@routine
def sum_of(counts, low, high):
    """Sum of counts[low] … counts[high − 1]."""
    total, k = 0, low
    while k + 4 <= high:
        total += np.int64(counts[k]) + np.int64(counts[k + 1]) + np.int64(counts[k + 2]) + np.int64(counts[k + 3])
        k += 4
    while k < high:
        total += np.int64(counts[k])
        k += 1
    return total


@routine
def scan(counts, low, high, before):
    """Replace each of counts[low] … counts[high − 1] by `before` and all that stand between."""
    k = low
    while k + 4 <= high:
        a, b, c, d = np.int64(counts[k]), np.int64(counts[k + 1]), np.int64(counts[k + 2]), np.int64(counts[k + 3])
        counts[k], counts[k + 1], counts[k + 2], counts[k + 3] = before, before + a, before + a + b, before + a + b + c
        before += a + b + c + d
        k += 4
    while k < high:
        here = np.int64(counts[k])
        counts[k] = before
        before += here
        k += 1
