"""Boxes about runs of features, boxes about runs of these, and so on: the features near a point without looking at all of them.

A wall or terrain may have thousands of edges, and a grain meets a few of them. In the plane neighbours along a chain have
consecutive numbers, so halves of a run of numbers are near each other (`tree_of`); in space numbers say little, and features are
parted by where they lie (`tree_by_place`). Nodes stand in the order in which they are walked through, each with the node that
comes next where its box is too far away: no stack is needed. A shape of few features has one node, a leaf.

It is in the frame of the body, so it is made once for a run.
"""

from typing import NamedTuple

import numpy as np

from clast.backend.device import device, unsigned

LEAF = 8  # features of a leaf, at most
SLACK = 1.0 + 1e-12  # so that rounding never hides what the exact test would find


class Tree(NamedTuple):
    """Nodes of all shapes, nn in all."""

    first_node: np.ndarray  # (shapes + 1,) int64
    box: np.ndarray  # (nn, 2 axes) least and largest coordinates
    skip: np.ndarray  # (nn,) int64: the node to go on with where the box is too far; else the next
    first: np.ndarray  # (nn,) int64: features of a leaf; none of an inner node
    last: np.ndarray  # (nn,) int64
    item: np.ndarray  # (items,) int64: of `tree_by_place` feature item[k] for first ≤ k < last; of `tree_of` item[k] is k


def tree_by_place(low: np.ndarray, high: np.ndarray, first: np.ndarray, last: np.ndarray) -> Tree:
    """Tree over items with boxes `low` … `high` (items, axes); those of shape s are first[s] ≤ item < last[s].

    A node is parted in the middle of the longer side of where its items lie. Those of a leaf are in ascending order."""
    item, middle = np.arange(len(low)), 0.5 * (low + high)
    for start, end in zip(first.tolist(), last.tolist(), strict=True):
        part_by_place(item[start:end], middle)
    tree = tree_of(low[item], high[item], first, last)
    return tree._replace(item=item)


def part_by_place(item: np.ndarray, middle: np.ndarray) -> None:
    """Put items in the order of the tree, in place: halves as `add_nodes` makes them."""
    if item.size > LEAF:
        half = item.size // 2
        axis = int(np.argmax(np.ptp(middle[item], axis=0)))
        item[:] = item[np.argpartition(middle[item, axis], half)]
        part_by_place(item[:half], middle)
        part_by_place(item[half:], middle)
    else:
        item.sort()


def tree_of(low: np.ndarray, high: np.ndarray, first: np.ndarray, last: np.ndarray) -> Tree:
    """The same of halves of runs of numbers: leaves, and the items in them, come in ascending order."""
    first_node: list[int] = [0]
    nodes: list[tuple[int, int, int]] = []
    for start, end in zip(first.tolist(), last.tolist(), strict=True):
        if 0 < end - start <= LEAF:
            nodes.append((start, end, len(nodes) + 1))
        elif end > start:
            add_nodes(start, end, nodes)
        first_node.append(len(nodes))
    start, end, skip = np.array(nodes, np.int64).reshape(-1, 3).T
    return Tree(
        np.array(first_node, np.int64),
        np.concatenate([least_of(low, start, end), -least_of(-high, start, end)], axis=1),
        skip.copy(),
        start.copy(),
        np.where(end - start <= LEAF, end, start),
        np.arange(len(low)),
    )


def add_nodes(start: int, end: int, nodes: list[tuple[int, int, int]]) -> None:
    """Append the node of the items start … end and all below it, as (start, end, skip)."""
    here = len(nodes)
    nodes.append((start, end, 0))
    if end - start > LEAF:
        middle = start + (end - start) // 2
        add_nodes(start, middle, nodes)
        add_nodes(middle, end, nodes)
    nodes[here] = (start, end, len(nodes))


def least_of(values: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Least of the rows start[k] … end[k] of `values` (items, axes), for every k."""
    if start.size == 0:
        return np.zeros((0, values.shape[1]))
    closed = np.append(values, np.full((1, values.shape[1]), np.inf), axis=0)  # so that `end` may be the number of items
    return np.minimum.reduceat(closed, np.stack([start, end], axis=1).ravel(), axis=0)[::2]


@device
def squared_distance_to_box(tree, node, x, y):
    """Square of the distance of a point of the plane to the box of a node, 0 within."""
    box, at = tree.box, 4 * node
    dx = max(max(box[at] - x, x - box[at + 2]), 0.0)
    dy = max(max(box[at + 1] - y, y - box[at + 3]), 0.0)
    return dx * dx + dy * dy


@device
def squared_distance_in_space(tree, node, x):
    """The same of a point in space."""
    box, at = tree.box, 6 * node
    dx = max(max(box[at] - x[0], x[0] - box[at + 3]), 0.0)
    dy = max(max(box[at + 1] - x[1], x[1] - box[at + 4]), 0.0)
    dz = max(max(box[at + 2] - x[2], x[2] - box[at + 5]), 0.0)
    return dx * dx + dy * dy + dz * dz


@device
def next_leaf(tree, node, end, x, limit):
    """The first leaf from `node` on, before `end`, whose box is nearer to a point in space than the root of `limit`, or `end`."""
    while node < end:
        if squared_distance_in_space(tree, node, x) > limit * SLACK:
            node = unsigned(tree.skip[node])
        elif tree.first[node] < tree.last[node]:
            return node
        else:
            node += unsigned(1)
    return node
