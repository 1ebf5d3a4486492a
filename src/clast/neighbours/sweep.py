"""Near pairs of bodies in space by boxes kept sorted along each axis: sort and sweep (CSM10; model §4).

Bodies that have moved little since the last search are nearly in order, so an insertion sort that starts from the last order
has little to do. Three axes are kept sorted by the low sides of the boxes. Grains are swept along the one on which fewest boxes
overlap: each looks ahead as far as its own box goes. In a dense packing that is a whole layer, of n^⅔ grains; so the order is
first dealt out into strips across the next best axis, as wide as a box, and each strip is swept by itself: n^⅓ are left.

A big body is in no strip: it looks up, on the axis on which it meets fewest, the grains that begin before it ends, and not so
long before it begins that none could reach it. A floor finds its lowest layer, and no grain looks at another because both lie
on it.

Who meets whom and the form of the result are those of `clast.neighbours.space_cells.find_pairs`; that the pairs are the same
as well is the work of the tests in `clast.neighbours.sweep_boxes`. Open boxes only: see `refuse_periods`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from clast.backend.device import device, routine
from clast.errors import SceneError
from clast.neighbours.space_cells import note_pair
from clast.neighbours.sweep_boxes import BOXES, GRAIN, LISTED, big_parts, boxes_meet, grains_part, make_boxes

FAR = 32  # moves per body from which an order counts as lost: sorting in strides is then quicker
SAMPLE = 256  # bodies asked how many others they overlap with, to choose the axis
NOWHERE = (0.0, 0.0, 0.0)  # shift of an image in an open box


class Sweep(NamedTuple):
    """What a search by sorted boxes keeps for the next one, its scratch, and what it has to tell; n bodies."""

    box: np.ndarray  # (n, 6) low x, y, z, high x, y, z, widened by α
    kind: np.ndarray  # (n,) uint8: ABSENT, GRAIN or BIG
    order: np.ndarray  # (3, n) int64: rows by the low sides of their boxes along x, y, z; grains first
    low: np.ndarray  # (3, n) those low sides
    first_member: np.ndarray  # (n + 2,) int64: where a strip begins in the next two
    member: np.ndarray  # (3n,) int64: rows in the strips, in each by their low sides along the axis of the sweep
    lane: np.ndarray  # (3n, 6) their boxes: low and high along that axis, along the axis across the strips, along the third
    near: np.ndarray  # (n,) int64: entries of the two that overlap with the present one
    counts: np.ndarray  # (4,) int64: pairs removed by boxes (of all that may meet), by balls, by projection; pairs listed
    told: np.ndarray  # (3,) int64: axis of the sweep, pairs of boxes looked at, moves of the sort


def empty_sweep(bodies: int) -> Sweep:
    """Room for a number of bodies, in no order yet; keep it for a whole run, whatever else grows."""
    return Sweep(
        np.zeros((bodies, 6)), np.zeros(bodies, np.uint8), np.tile(np.arange(bodies), (3, 1)), np.zeros((3, bodies)),
        np.zeros(bodies + 2, np.int64), np.zeros(3 * bodies, np.int64), np.zeros((3 * bodies, 6)), np.zeros(bodies, np.int64),
        np.zeros(4, np.int64), np.zeros(3, np.int64),
    )  # fmt: skip


def refuse_periods(period: Sequence[float]) -> None:
    """SceneError if a side of the box (3,) is periodic: an order along it has no beginning."""
    closed = ["xyz"[axis] for axis in range(3) if period[axis] > 0.0]
    if closed:
        raise SceneError(
            f"sort-and-sweep serves open boxes only and this one is periodic along {' and '.join(closed)}: search with cells"
        )


@device
def insert_in_order(low, row, stride, limit):
    """Insertion sort of every `stride`-th entry, equal ones staying as they are; gives up after `limit` moves. Returns them."""
    moves = np.int64(0)
    for p in range(stride, low.size):
        x = low[p]
        if low[p - stride] <= x:
            continue
        b = row[p]
        q = p
        while q >= stride and low[q - stride] > x:
            low[q], row[q] = low[q - stride], row[q - stride]
            q -= stride
            moves += 1
        low[q], row[q] = x, b
        if moves > limit:
            break
    return moves


@routine
def sort_axis(axis, sweep):
    """Bring the order along one axis up to date; whoever is no grain goes to the end. Returns the number of moves."""
    low, row = sweep.low[axis], sweep.order[axis]
    for p in range(row.size):
        low[p] = sweep.box[row[p], axis] if sweep.kind[row[p]] == GRAIN else np.inf
    limit = FAR * row.size
    moves = insert_in_order(low, row, 1, limit)
    if moves > limit:  # the first search, or all has changed: strides that shrink, at last of one (Shell's sort)
        stride = np.int64(row.size)
        while stride > 1:
            stride = max(5 * stride // 11, np.int64(1))
            moves += insert_in_order(low, row, stride, np.int64(1) << 62)
    return moves


@device
def first_above(x, low, count):
    """The first of `count` ascending numbers that is larger than x, or `count`."""
    start, end = np.int64(0), np.int64(count)
    while start < end:
        middle = (start + end) // 2
        if low[middle] <= x:
            start = middle + 1
        else:
            end = middle
    return start


@routine
def overlaps_along(axis, count, sweep):
    """How many boxes of grains overlap along an axis, judged by some of them."""
    low, row = sweep.low[axis], sweep.order[axis]
    met = np.int64(0)
    for p in range(0, count, max(count // SAMPLE, 1)):
        met += first_above(sweep.box[row[p], 3 + axis], low, count) - p
    return met


@device
def ranked_axes(count, sweep):
    """The axes, that with fewest overlaps first."""
    x, y, z = overlaps_along(0, count, sweep), overlaps_along(1, count, sweep), overlaps_along(2, count, sweep)
    if x <= y:
        if y <= z:
            return 0, 1, 2
        return (0, 2, 1) if x <= z else (2, 0, 1)
    if x <= z:
        return 1, 0, 2
    return (1, 2, 0) if y <= z else (2, 1, 0)


@device
def strip_of(x, start, per_length, strips):
    """Number of the strip a coordinate lies in."""
    return min(max(np.int64((x - start) * per_length), np.int64(0)), strips - 1)


@routine
def deal_into_strips(axis, second, third, count, sweep):
    """Grains in the order of one axis into strips across a second: sweep.lane, sweep.member, sweep.first_member.

    A strip is as wide as a mean box, so that a grain lies in two or three of them, and in no more than three on average.
    Returns where strips start, strips per length and their number.
    """
    box, row, first, lane, member = sweep.box, sweep.order[axis], sweep.first_member, sweep.lane, sweep.member
    start, end, width = np.inf, -np.inf, 0.0
    for p in range(count):
        b = row[p]
        start, end = min(start, box[b, second]), max(end, box[b, 3 + second])
        width += (box[b, 3 + second] - box[b, second]) / count
    strips = np.int64(min(max((end - start) / width, 1.0), 1.0 * count)) if width > 0.0 else np.int64(1)
    per_length = strips / (end - start) if strips > 1 else 0.0
    for s in range(strips + 2):
        first[s] = 0
    for p in range(count):
        b = row[p]
        last = strip_of(box[b, 3 + second], start, per_length, strips)
        for s in range(strip_of(box[b, second], start, per_length, strips), last + 1):
            first[s + 2] += 1
    for s in range(strips + 1):
        first[s + 1] += first[s]
    # first[s + 1] is where strip s begins; it comes up to its end, which is where the next begins
    for p in range(count):
        b = row[p]
        last = strip_of(box[b, 3 + second], start, per_length, strips)
        for s in range(strip_of(box[b, second], start, per_length, strips), last + 1):
            at = first[s + 1]
            first[s + 1] += 1
            member[at] = b
            lane[at, 0], lane[at, 1] = box[b, axis], box[b, 3 + axis]
            lane[at, 2], lane[at, 3] = box[b, second], box[b, 3 + second]
            lane[at, 4], lane[at, 5] = box[b, third], box[b, 3 + third]
    return start, per_length, strips


@routine
def sweep_grains(body, model, geometry, mobile, count, alpha, work):
    """Pairs of grains into work.raw; returns how many, and how many pairs of boxes met."""
    raw, sweep = work.raw, work.sweep
    lane, member, first, near = sweep.lane, sweep.member, sweep.first_member, sweep.near
    axis, second, third = ranked_axes(count, sweep)
    start, per_length, strips = deal_into_strips(axis, second, third, count, sweep)
    total, met, looked = np.int64(0), np.int64(0), np.int64(0)
    for s in range(strips):
        last = first[s + 1]
        for p in range(first[s], last):
            i = member[p]
            end, low_2, high_2, low_3, high_3 = lane[p, 1], lane[p, 2], lane[p, 3], lane[p, 4], lane[p, 5]
            q, found = p + 1, np.int64(0)
            # noted without a branch: which boxes overlap cannot be foretold, and a wrong guess costs more than looking
            while q < last and lane[q, 0] <= end:
                near[found] = q
                found += min(min(high_2 - lane[q, 2], lane[q, 3] - low_2), min(high_3 - lane[q, 4], lane[q, 5] - low_3)) >= 0.0
                q += 1
            looked += q - p - 1
            for k in range(found):
                j = member[near[k]]
                # two that lie in several strips together are a pair of the first of these alone
                if (mobile[i] or mobile[j]) and strip_of(max(low_2, lane[near[k], 2]), start, per_length, strips) == s:
                    met += 1
                    fate = np.int64(grains_part(min(i, j), max(i, j), NOWHERE, body, model, geometry, alpha))
                    sweep.counts[fate] += 1
                    if fate == LISTED:
                        total = note_pair(i, j, 0, 0, 0, raw, total)
    sweep.told[0], sweep.told[1] = axis, looked
    return total, met


@routine
def sweep_big(body, model, geometry, grains, big, mobile, alpha, work, total):
    """The same of grains and big bodies, added to `total`."""
    raw, sweep = work.raw, work.sweep
    box, count, met = sweep.box, grains.size, np.int64(0)
    wide_x = wide_y = wide_z = 0.0
    for q in range(count):
        b = grains[q]
        wide_x, wide_y = max(wide_x, box[b, 3] - box[b, 0]), max(wide_y, box[b, 4] - box[b, 1])
        wide_z = max(wide_z, box[b, 5] - box[b, 2])
    wide = (wide_x, wide_y, wide_z)
    for w in range(big.size):
        j = big[w]
        axis, first, last = np.int64(0), np.int64(0), np.int64(count)
        for side in range(3):
            # half a width more than the widest grain: differences are rounded far from the origin
            start = first_above(box[j, side] - 1.5 * wide[side], sweep.low[side], count)
            end = first_above(box[j, 3 + side], sweep.low[side], count)
            if end - start < last - first:
                axis, first, last = np.int64(side), start, end
        for p in range(first, last):
            i = sweep.order[axis, p]
            if (mobile[i] or mobile[j]) and boxes_meet(i, j, NOWHERE, box):
                met += 1
                fate = np.int64(big_parts(i, j, NOWHERE, body, model, geometry, alpha))
                sweep.counts[fate] += 1
                if fate == LISTED:
                    total = note_pair(i, j, 0, 0, 0, raw, total)
        sweep.told[1] += last - first
    return total, met


@device
def may_meet(grains, big, mobile):
    """Pairs of which one at least can move, without those of two big bodies."""
    still = np.int64(0)
    for q in range(grains.size):
        still += 1 - np.int64(mobile[grains[q]])
    pairs = grains.size * (grains.size - 1) // 2 - still * (still - 1) // 2
    for w in range(big.size):
        pairs += grains.size if mobile[big[w]] else grains.size - still
    return pairs


@routine
def sweep_pairs(body, model, geometry, grains, big, mobile, alpha, work):
    """Pairs whose surfaces may be nearer than 2α, unsorted, into work.raw; returns how many there are.

    work.sweep (a `Sweep`) keeps the order for the next search; work.raw is that of the cells. Like `find_pairs`, what
    exceeds the capacity is only counted. `body` and `geometry` are described in `clast.neighbours.sweep_boxes`.
    """
    sweep = work.sweep
    make_boxes(body, model, geometry, grains, big, alpha, sweep)
    moves = np.int64(0)
    for axis in range(3):
        moves += sort_axis(axis, sweep)
    for c in range(4):
        sweep.counts[c] = 0
    total, met = sweep_grains(body, model, geometry, mobile, grains.size, alpha, work)
    total, met_big = sweep_big(body, model, geometry, grains, big, mobile, alpha, work, total)
    sweep.counts[BOXES] = may_meet(grains, big, mobile) - met - met_big
    sweep.told[2] = moves
    return total
