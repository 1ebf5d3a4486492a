"""Near pairs in space against a search over all pairs and all images; their order and their index (model §5)."""

import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest

from clast.backend.device import from_python
from clast.dynamics.arrays import Cast, Contacts, Model
from clast.dynamics.space.arrays import Workspace
from clast.dynamics.space.columns import BODY
from clast.neighbours import space_cells
from clast.shapes.space import quaternions

comes_after, find_pairs, index_pairs, sort_pairs = map(
    from_python, (space_cells.comes_after, space_cells.find_pairs, space_cells.index_pairs, space_cells.sort_pairs)
)


class Boxes(NamedTuple):
    """Of the geometry table only what the search of pairs reads."""

    box: np.ndarray  # (ns, 6)


class Crowd(NamedTuple):
    """Bodies to be searched."""

    body: np.ndarray
    model: Model
    geometry: Boxes
    cast: Cast


def crowd(rng, period, width: float, number: int, smallest: float, largest: float, walls: int = 2) -> Crowd:
    """Grains of many sizes anywhere in and around the cell, some of which stay; then big bodies, long boxes turned anyhow."""
    n = number + walls
    body = np.zeros((n, BODY))
    body[:, :3] = rng.uniform(0.0, 1.0, (n, 3)) * width
    body[:, :3] += rng.integers(-2, 3, (n, 3)) * np.array(period)  # far outside the cell too: positions are never wrapped
    body[:, 3] = 0.1 * smallest
    body[:, 4:8] = quaternions.random_turns(rng, n)
    half = rng.uniform(0.1, 0.4, (n, 3)) * width
    centre = rng.uniform(-0.05, 0.05, (n, 3)) * width  # the centre of mass is not the middle of the box
    reach = np.exp(rng.uniform(math.log(smallest), math.log(largest), n))
    reach[number:] = np.linalg.norm(half + np.abs(centre), axis=1)[number:] + body[number:, 3]
    nothing = np.zeros(n)
    model = Model(
        np.arange(n), np.zeros(n, np.int64), nothing, np.zeros((n, 3)), nothing, np.zeros((n, 3)), nothing, reach, nothing,
        np.zeros((1, 1)), np.zeros(2), np.array(period, float), np.array([-1]), np.zeros(3),
    )  # fmt: skip
    levels = np.floor(np.log2(reach[:number].max() / reach[:number])).astype(np.int64)
    _, levels = np.unique(levels, return_inverse=True)
    level_reach = np.array([reach[:number][levels == k].max() for k in range(levels.max() + 1)])
    mobile = (rng.uniform(size=n) < 0.8).astype(np.uint8)
    cast = Cast(np.arange(number), levels.astype(np.int64), level_reach, np.arange(number, n), mobile)
    return Crowd(body, model, Boxes(np.concatenate([centre - half, centre + half], axis=1)), cast)


def workspace(n: int, capacity: int) -> Workspace:
    one = np.zeros(1, np.int64)
    return Workspace(
        np.zeros(4 * n + 66, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64),
        np.zeros((capacity, 5), np.int32), np.zeros((capacity, 5), np.int32), np.zeros(n + 1, np.int64), one, one,
    )  # fmt: skip


def searched(crowd: Crowd, alpha: float, capacity: int = 20000) -> tuple[int, Workspace]:
    body, model, geometry, cast = crowd
    work = workspace(len(body), capacity)
    total = find_pairs(body, model, geometry, cast.grains, cast.level, cast.level_reach, cast.big, cast.mobile, alpha, work)
    if total <= capacity:
        sort_pairs(total, len(body), work)
    return total, work


def brute(crowd: Crowd, alpha: float) -> list[tuple[int, ...]]:
    """The same by looking at every pair and every image that could matter, in the order the lists want."""
    body, model, geometry, cast = crowd
    found = []
    for i, j in itertools.combinations(range(len(body)), 2):
        wall = j in cast.big
        if i in cast.big or not (cast.mobile[i] or cast.mobile[j]):
            continue
        near = model.reach[i] + 2.0 * alpha + (body[j, 3] if wall else model.reach[j])
        apart = body[j, :3] - body[i, :3]
        span = near + model.reach[j]
        images = [
            (0,) if not side else range(math.floor((-span - x) / side), math.ceil((span - x) / side) + 1)
            for x, side in zip(apart, model.period, strict=True)
        ]
        for image in itertools.product(*images):
            way = apart + np.array(image) * model.period
            if wall:
                seen = -way @ quaternions.matrix(body[j, 4:8])
                low, high = geometry.box[model.shape[j]].reshape(2, 3)
                way = seen - np.clip(seen, low, high)
            if np.linalg.norm(way) < near:
                found.append((i, j, *image))
    return found


BOXES = {
    "open": (0, 0, 0), "periodic x": (1, 0, 0), "periodic y, z": (0, 1, 1), "periodic": (1, 1, 1), "oblong": (0.9, 0.45, 0.7)
}  # fmt: skip
CASES = {  # width of the cell over the largest grain, number, sizes, alpha
    "one size, many cells": (8.0, 40, 0.6, 1.0, 0.1),
    "thirty to one": (5.5, 45, 1 / 30, 1.0, 0.05),
    "two cells": (5.0, 25, 0.5, 1.0, 0.05),
    "alpha wider than the cell": (2.5, 8, 0.5, 0.55, 1.5),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("sides", BOXES)
def test_pairs_are_exactly_those_that_are_near(case, sides):
    width, number, smallest, largest, alpha = CASES[case]
    rng = np.random.default_rng(list(CASES).index(case))
    some = crowd(rng, width * np.array(BOXES[sides]), width, number, smallest, largest)
    total, work = searched(some, alpha)
    expected = brute(some, alpha)
    assert len(expected) > 20
    if case == "thirty to one":
        assert len(some.cast.level_reach) > 3
    assert [tuple(map(int, row)) for row in work.sorted[:total]] == expected


def test_beyond_the_capacity_pairs_are_only_counted():
    some = crowd(np.random.default_rng(3), (4.0, 4.0, 4.0), 4.0, 20, 0.8, 1.0)
    total, _ = searched(some, 0.1)
    assert total > 30
    short, work = searched(some, 0.1, capacity=30)
    assert short == total
    assert work.raw.shape == (30, 5)
    assert (work.sorted == 0).all()


def test_grains_far_away_do_not_ask_for_endless_cells():
    some = crowd(np.random.default_rng(4), (0, 0, 0), 1.0, 7, 0.25, 0.25, walls=0)
    some.body[:, :3] = [(0, 0, 0), (0.4, 0.1, 0), (1e9, 0, 0), (1e9 + 0.4, 0, 0), (0, -1e9, 0), (0, 0, 1e12), (0.1, 0.2, 1e12)]
    some.cast.mobile[:] = 1
    total, work = searched(some, 0.01)
    assert [tuple(map(int, row[:2])) for row in work.sorted[:total]] == [(0, 1), (2, 3), (5, 6)]


def test_no_grains_and_no_pairs():
    some = crowd(np.random.default_rng(5), (1, 0, 1), 1.0, 1, 0.2, 0.2, walls=1)
    nobody = some.cast._replace(grains=np.zeros(0, np.int64), level=np.zeros(0, np.int64))
    assert searched(some._replace(cast=nobody), 0.01)[0] == 0


def test_the_order_of_pairs():
    rows = list(itertools.product((3, 4), (-1, 0, 2), (-2, 1), (0, 5)))
    for a, b in itertools.product(rows, rows):
        assert comes_after(*a, *b) == (a > b)


def test_the_index_of_pairs():
    """Of each body the pairs in which it comes first, and those in which it comes second, ascending."""
    rng = np.random.default_rng(6)
    n = 9
    rows = sorted({(int(min(a, b)), int(max(a, b))) for a, b in rng.integers(0, n, (30, 2)) if a != b})
    count = len(rows)
    pair = np.zeros((count + 1, 6), np.uint32)
    pair[:count, :2] = rows
    first, second, other = np.zeros(n + 1, np.uint32), np.zeros(n + 1, np.uint32), np.full(count, 99, np.uint32)
    none = np.zeros((1, 1))
    index_pairs(count, n, Contacts(pair, none, none, none, none, none, first, second, other, none))
    for b in range(n):
        assert list(range(first[b], first[b + 1])) == [p for p, row in enumerate(rows) if row[0] == b]
        assert other[second[b] : second[b + 1]].tolist() == [p for p, row in enumerate(rows) if row[1] == b]
