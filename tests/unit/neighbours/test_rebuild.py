"""Lists built anew by a team: the same for any number of threads, with all that contacts remember; trees; sums by parts."""

import itertools

import numpy as np
import pytest
from test_neighbours import LAW, assert_lists_are_right, crowd

from clast.backend.device import from_python
from clast.contact.plane.features import geometry
from clast.dynamics.engine import Engine
from clast.dynamics.plane.listing import BITS, trees_of
from clast.neighbours import others, scan
from clast.neighbours.feature_tree import LEAF, Tree, tree_of
from clast.scene.plane import Box, Scene
from clast.scene.tags import Velocity
from clast.shapes import cow, disk, polygon, polyline, regular
from clast.shapes.plane.skeleton import Shape

sort_run, sum_parts, sum_of, write_scan = map(from_python, (others.sort_run_of(2), scan.sum_parts, scan.sum_of, scan.scan))


def lists_of(engine: Engine) -> dict[str, np.ndarray]:
    """All that a rebuild writes, as far as it is in use."""
    lists, pairs, candidates = engine._lists, engine.pairs, engine.candidates
    used = {"candidate": candidates, "spring": candidates, "weight": candidates, "pair": pairs + 1}
    whole = {"first_pair", "first_other", "reference"}
    found = {name: each[: None if name in whole else used.get(name, pairs)].copy() for name, each in lists._asdict().items()}
    found["pair"][pairs, [0, 1, 3]] = 0  # only where the last candidates end means something
    return found


def stir(engine: Engine, rng: np.random.Generator, way: float) -> None:
    """Move and turn all bodies a little, and let every candidate remember something."""
    state, count = engine.state, engine.candidates
    state.body[:, :2] += rng.uniform(-way, way, (len(state.body), 2))
    state.angle[:] += rng.uniform(-way, way, len(state.body))
    state.body[:, 2], state.body[:, 3] = np.cos(state.angle), np.sin(state.angle)
    engine._lists.spring[:count] = rng.normal(size=engine._lists.spring[:count].shape)
    engine._lists.weight[:count] = rng.integers(1, 200, count)


def stirred(scene: Scene, threads: int) -> list[dict[str, np.ndarray]]:
    """Lists for narrow and wide alpha, bodies stirred in between."""
    engine, rng = Engine(scene, dt=1e-5, alpha=0.02), np.random.default_rng(4)
    engine.threads = threads
    found = []
    for alpha in (0.02, 0.3, 0.05):
        engine._chosen_alpha = alpha
        engine._rebuild()
        found.append(lists_of(engine))
        stir(engine, rng, 0.05)
    return found


SCENES = {
    "open": lambda: crowd(np.random.default_rng(1), Box(), 6.0, 200, 1 / 30, 1.0),
    "periodic": lambda: crowd(np.random.default_rng(2), Box(9.0, 7.0), 9.0, 90, 0.3, 1.0),
    "few cells": lambda: crowd(np.random.default_rng(3), Box(5.0, 5.0), 5.0, 20, 0.5, 1.0),
    "big among fixed": lambda: fixed_under_a_wall(),
}


def fixed_under_a_wall() -> Scene:
    """A wall that moves comes before the grains that are fixed for ever, so pairs belong to the wall."""
    scene, rng = Scene(law=LAW), np.random.default_rng(5)
    for k in range(300):
        still = [Velocity(0, 0, 0)] if k % 2 else []
        scene.add(regular(5, 0.05, circumradius=0.2), rng.uniform(0, 6, 2), angle=rng.uniform(0, 7), tags=still)
    scene.add(jagged(300), (3, 3), big=True, tags=[Velocity(spin=0.1)])
    return scene


def jagged(corners: int):
    """A wall with many edges, reflex corners among them."""
    angle = np.arange(corners) * 2 * np.pi / corners
    radius = 2.0 + 0.3 * np.cos(9 * angle) + 0.02 * (np.arange(corners) % 2)
    return polygon(np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1), 0.02)


@pytest.mark.parametrize("name", SCENES)
def test_lists_do_not_depend_on_threads(name):
    expected = stirred(SCENES[name](), 1)
    assert max(len(each["pair"]) for each in expected) > 50
    for threads in (2, 3, 8):
        for one, other in zip(stirred(SCENES[name](), threads), expected, strict=True):
            for array in one:
                assert np.array_equal(one[array], other[array]), (threads, array)


@pytest.mark.parametrize("threads", [1, 3])
def test_every_candidate_that_stays_remembers(threads):
    """Old and new lists, held against each other by their names."""
    engine, rng = Engine(SCENES["periodic"](), dt=1e-5, alpha=0.1), np.random.default_rng(6)
    engine.threads = threads
    for alpha in (0.05, 0.2, 0.02):
        stir(engine, rng, 0.05)
        before = remembered(engine)
        engine._chosen_alpha = alpha
        engine._rebuild()
        after = remembered(engine)
        stay = before.keys() & after.keys()
        assert len(stay) > 100
        assert len(before.keys() - stay) > 10 or len(after.keys() - stay) > 10
        assert all(after[key] == before[key] for key in stay)
        assert all(after[key] == (0.0, 0) for key in after.keys() - stay)


def remembered(engine: Engine) -> dict[tuple[int, ...], tuple[float, int]]:
    lists, found = engine._lists, {}
    for p in range(engine.pairs):
        i, j, first, middle, _ = (int(k) for k in lists.pair[p])
        for k in range(first, int(lists.pair[p + 1, 2])):
            key = (i, j, *map(int, lists.image[p]), int(k >= middle), *map(int, lists.candidate[k]))
            found[key] = float(lists.spring[k, 0]), int(lists.weight[k])
    return found


def test_index_of_pairs():
    engine = Engine(SCENES["periodic"](), dt=1e-5, alpha=0.1)
    lists, pair = engine._lists, engine._lists.pair[: engine.pairs]
    for b in range(engine.order.size):
        assert np.array_equal(np.arange(*lists.first_pair[b : b + 2]), np.flatnonzero(pair[:, 0] == b))
        second = np.flatnonzero(pair[:, 1] == b) if b < engine.moving else []  # nobody sums up what pushes a body at rest
        assert np.array_equal(lists.other[lists.first_other[b] : lists.first_other[b + 1]], second)


# --- walls of many edges ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
def test_a_wall_of_many_edges_is_listed_exactly(threads):
    """Trees of several layers, turned walls, grains with more combinations than bits, and a cow on a cow."""
    scene, rng = Scene(law=LAW, box=Box(period_x=9.0)), np.random.default_rng(7)
    for k in range(14):
        shape = (disk(radius=0.2), regular(9, 0.05, circumradius=0.3), cow().scaled(0.1))[k % 3]
        scene.add(shape, rng.uniform(0, 9, 2), angle=rng.uniform(0, 7))
    scene.add(jagged(120), (4.5, 4.5), angle=0.7, big=True, tags=[Velocity(spin=0.1)])
    x = np.linspace(0.0, 9.0, 101)
    scene.add_wall(polyline(np.stack([x, 0.3 * np.sin(11 * x) + 1.0], axis=1), 0.05))
    engine = Engine(scene, dt=1e-5, alpha=0.1)
    engine.threads = threads
    engine._rebuild()
    count = np.diff(engine.geometry.first_feature)
    assert count.max() > 10 * LEAF and count.max() * 9 > BITS
    assert_lists_are_right(engine)


# --- trees -----------------------------------------------------------------------------------------------------------


def walk(tree: Tree, shape: int, x: np.ndarray, near: float) -> tuple[list[int], int]:
    """Items of the leaves whose boxes are nearer than `near`, as they come, and how many nodes were looked at."""
    node, end = tree.first_node[shape : shape + 2]
    found, looked = [], 0
    while node < end:
        looked += 1
        low, high = np.split(tree.box[node], 2)
        if np.linalg.norm(np.maximum(np.maximum(low - x, x - high), 0.0)) > near:
            node = tree.skip[node]
        else:
            found += range(tree.first[node], tree.last[node])
            node += 1
    return found, looked


def test_trees_leave_out_nothing_that_is_near():
    rng = np.random.default_rng(8)
    counts = [1, LEAF, LEAF + 1, 0, 100, 7, 333]
    first = np.cumsum([0, *counts])
    low = np.cumsum(rng.uniform(-1, 1, (first[-1], 2)), axis=0)  # consecutive ones are near, as along a chain
    high = low + rng.uniform(0, 1, low.shape)
    tree = tree_of(low, high, first[:-1], first[1:])
    for shape, (begin, end) in enumerate(itertools.pairwise(first)):
        for _ in range(30):
            x, near = rng.uniform(low.min(), high.max(), 2), rng.uniform(0.0, 5.0)
            found, _ = walk(tree, shape, x, near)
            away = np.linalg.norm(np.maximum(np.maximum(low - x, x - high), 0.0), axis=1)[begin:end]
            assert found == sorted(set(found))
            assert set(begin + np.flatnonzero(away <= near)) <= set(found) <= set(range(begin, end))


def test_a_grain_sees_few_of_the_edges_of_a_wall():
    x = np.linspace(0.0, 1000.0, 20001)
    chain = np.stack([x, np.sin(x)], axis=1)
    edges = np.stack([np.arange(20000), np.arange(1, 20001)], axis=1)
    wall = Shape("terrain", chain, edges, 0.01, 1.0, 1.0, 1000.0, np.zeros(2))  # its area does not matter here
    for tree in trees_of(geometry([disk(radius=0.1), wall])):
        for place in np.random.default_rng(9).uniform(0.0, 1000.0, 50):
            found, looked = walk(tree, 1, np.array([place, np.sin(place)]), 0.2)
            assert 0 < len(found) < 100 and looked < 150


# --- sums and sorting ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", [1, 2, 7, 40])
@pytest.mark.parametrize("count", [0, 1, 5, 100])
def test_sums_by_parts(count, parts):
    counts = np.random.default_rng(count).integers(0, 9, count)
    cut = [count * part // parts for part in range(parts + 1)]
    sums = np.array([[3, sum_of(counts, a, b)] for a, b in itertools.pairwise(cut)]).ravel()
    assert sum_parts(sums, parts) == (3 * parts, counts.sum())
    found = counts.copy()
    for part, (a, b) in enumerate(itertools.pairwise(cut)):
        write_scan(found, a, b, sums[2 * part + 1])
    assert np.array_equal(found, np.cumsum(counts) - counts)


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 14, 500])
def test_sorting_a_run(count, ordered):
    """Pairs by the rank of their first body, then by their own number; a body may come first in several."""
    rng, bodies = np.random.default_rng(count), count // 2 + 2
    numbers = rng.permutation(count + 4).astype(np.uint32)
    rank = (np.arange(bodies) if ordered else rng.permutation(bodies)).astype(np.int32)
    pair = np.column_stack([np.sort(rng.integers(0, bodies, count + 4)), np.zeros(count + 4)]).astype(np.uint32)
    expected, run = numbers.copy(), np.sort(numbers[2 : count + 2])
    expected[2 : count + 2] = run[np.argsort(rank[pair[run, 0]], kind="stable")]
    sort_run(numbers, 2, count + 2, pair.ravel(), rank)
    assert np.array_equal(numbers, expected)
