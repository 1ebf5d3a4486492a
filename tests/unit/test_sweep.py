"""Near pairs by sorted boxes against a search over all pairs and against cells; what each test removes (model §4)."""

import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy.spatial import cKDTree

from clast.backend.device import from_python
from clast.dynamics.arrays import Cast
from clast.dynamics.rows import levels_of
from clast.dynamics.space.columns import BODY
from clast.errors import SceneError
from clast.neighbours import space_cells, sweep, sweep_boxes
from clast.neighbours.sweep_boxes import BALLS, BOXES, LISTED, PROJECTION, Corners, corners_of
from clast.shapes.space import quaternions

find_pairs, sort_pairs, keep_near_pairs, sweep_pairs = map(
    from_python, (space_cells.find_pairs, space_cells.sort_pairs, sweep_boxes.keep_near_pairs, sweep.sweep_pairs)
)


class Model(NamedTuple):
    """Of the model only what the searches read: more would take longer to compile."""

    shape: np.ndarray
    reach: np.ndarray
    period: np.ndarray


class Work(NamedTuple):
    """Scratch of both searches."""

    cell_start: np.ndarray
    cell_item: np.ndarray
    cell_of: np.ndarray
    raw: np.ndarray
    sorted: np.ndarray
    pair_start: np.ndarray
    sweep: sweep.Sweep


class Crowd(NamedTuple):
    """Bodies to be searched."""

    body: np.ndarray
    model: Model
    geometry: Corners
    cast: Cast


def crowd(rng, vertices: list[np.ndarray], walls: list[np.ndarray], width: float, radius: float, period=(0.0, 0.0, 0.0)) -> Crowd:
    """Grains turned and thrown anyhow into a cube, some of which stay, then big bodies as they are given."""
    number, n = len(vertices), len(vertices) + len(walls)
    body = np.zeros((n, BODY))
    body[:number, :3] = rng.uniform(0.0, width, (number, 3)) + rng.integers(-1, 2, (number, 3)) * np.array(period)
    body[:, 3], body[:, 4] = radius, 1.0
    body[:number, 4:8] = quaternions.random_turns(rng, number)
    middles = [each.mean(axis=0) for each in walls]
    if walls:
        body[number:, :3] = middles
    geometry = corners_of([*vertices, *(each - middle for each, middle in zip(walls, middles, strict=True))])
    first = geometry.first_vertex
    reach = np.array([np.linalg.norm(geometry.vertex[a:b], axis=1).max() for a, b in itertools.pairwise(first)]) + radius
    model = Model(np.arange(n), reach, np.array(period))
    level, level_reach = levels_of(reach[:number])
    mobile = (rng.uniform(size=n) < 0.8).astype(np.uint8)
    return Crowd(body, model, geometry, Cast(np.arange(number), level, level_reach, np.arange(number, n), mobile))


def hulls(rng, number: int, ratio: float) -> list[np.ndarray]:
    """Oblong grains of 5 to 8 corners about their centres, the largest `ratio` times the smallest."""
    sizes = np.exp(rng.uniform(-math.log(ratio), 0.0, number))
    return [size * rng.uniform(-1.0, 1.0, (rng.integers(5, 9), 3)) * (1.0, 0.6, 0.4) for size in sizes]


def block(low, high) -> np.ndarray:
    """The eight corners of a box."""
    return np.array(list(itertools.product(*zip(low, high, strict=True))), float)


def room(rng, width: float) -> list[np.ndarray]:
    """A floor, a side wall, and a slope turned anyhow."""
    floor, side = block((-width, -width, -1.0), (2 * width, 2 * width, 0.0)), block((-1.0, 0.0, 0.0), (0.0, width, width))
    slope = block((-width, -width, -0.5), (width, width, 0.5)) @ quaternions.matrix(quaternions.random_turns(rng, 1)[0]).T
    return [floor, side, slope + 0.5 * width]


def scratch(n: int, capacity: int = 20000) -> Work:
    return Work(
        np.zeros(4 * n + 66, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros((capacity, 5), np.int32),
        np.zeros((capacity, 5), np.int32), np.zeros(n + 1, np.int64), sweep.empty_sweep(n),
    )  # fmt: skip


def swept(some: Crowd, alpha: float, work: Work) -> list[tuple[int, ...]]:
    """Pairs by the sweep, in the order the lists want."""
    body, model, geometry, cast = some
    total = sweep_pairs(body, model, geometry, cast.grains, cast.big, cast.mobile, alpha, work)
    sort_pairs(total, len(body), work)
    return [tuple(map(int, row)) for row in work.sorted[:total]]


def in_cells(some: Crowd, alpha: float, work: Work) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Pairs by cells, and what the three tests leave of them."""
    body, model, geometry, cast = some
    total = find_pairs(body, model, geometry, *cast, alpha, work)
    found = [tuple(map(int, row)) for row in work.raw[:total]]
    left = keep_near_pairs(total, body, model, geometry, cast.grains, cast.big, alpha, work)
    sort_pairs(left, len(body), work)
    return found, [tuple(map(int, row)) for row in work.sorted[:left]]


def corners(some: Crowd, b: int) -> np.ndarray:
    """Vertices of a body in the world."""
    first, shape = some.geometry.first_vertex, some.model.shape[b]
    seen = some.geometry.vertex[first[shape] : first[shape + 1]]
    return some.body[b, :3] + seen @ quaternions.matrix(some.body[b, 4:8]).T


def fate(some: Crowd, i: int, j: int, image, alpha: float) -> int:
    """What becomes of a pair, i the grain; in the words of the module, from the vertices in the world."""
    body, model, geometry, cast = some
    one, two = corners(some, i), corners(some, j) + np.array(image) * model.period
    middle, other = body[i, :3], body[j, :3] + np.array(image) * model.period
    gap = body[i, 3] + body[j, 3] + 2.0 * alpha
    if (one.min(axis=0) > two.max(axis=0) + gap).any() or (two.min(axis=0) > one.max(axis=0) + gap).any():
        return BOXES
    if j in cast.big:
        turn = quaternions.matrix(body[j, 4:8])
        low, high = geometry.box[model.shape[j]].reshape(2, 3)
        way = other + turn @ np.clip((middle - other) @ turn, low, high) - middle
        near = np.linalg.norm(way) < model.reach[i] + body[j, 3] + 2.0 * alpha
    else:
        way = other - middle
        near = np.linalg.norm(way) < model.reach[i] + model.reach[j] + 2.0 * alpha
    if not near:
        return BALLS
    apart = (two @ way).min() - (one @ way).max()
    return PROJECTION if apart > gap * np.linalg.norm(way) else LISTED


def brute(some: Crowd, alpha: float) -> tuple[list[tuple[int, ...]], list[int]]:
    """Pairs by looking at all of them, and how many had which fate."""
    cast, found, counts = some.cast, [], [0, 0, 0, 0]
    for i, j in itertools.combinations(range(len(some.body)), 2):
        if i in cast.big or not (cast.mobile[i] or cast.mobile[j]):
            continue
        what = fate(some, i, j, (0, 0, 0), alpha)
        counts[what] += 1
        if what == LISTED:
            found.append((i, j, 0, 0, 0))
    return found, counts


def move(some: Crowd, rng, way: float) -> None:
    """Every body elsewhere by up to `way` and turned a little; big ones too."""
    some.body[:, :3] += rng.uniform(-way, way, (len(some.body), 3))
    some.body[:, 4:8] += rng.uniform(-0.1, 0.1, (len(some.body), 4)) * way
    some.body[:, 4:8] /= np.linalg.norm(some.body[:, 4:8], axis=1, keepdims=True)


CASES = {  # number, ratio of sizes, width, sphero-radius, alpha
    "equal": (60, 1.0, 5.0, 0.0, 0.05),
    "ten to one": (70, 10.0, 2.5, 0.0, 0.02),
    "rounded": (50, 3.0, 4.0, 0.1, 0.05),
    "alpha wider than a grain": (25, 2.0, 8.0, 0.05, 1.5),
}


@pytest.mark.parametrize("case", CASES)
def test_sweep_and_cells_list_the_pairs_that_nothing_parts(case):
    number, ratio, width, radius, alpha = CASES[case]
    rng = np.random.default_rng(list(CASES).index(case))
    some = crowd(rng, hulls(rng, number, ratio), room(rng, width), width, radius)
    work, removed = scratch(len(some.body)), np.zeros(4, int)
    for _ in range(3):  # the second and third time in the order of the last
        expected, counts = brute(some, alpha)
        assert swept(some, alpha, work) == expected
        assert work.sweep.counts.tolist() == counts
        assert counts[LISTED] > 40
        assert any(j >= number for _, j, *_ in expected)
        assert in_cells(some, alpha, work)[1] == expected
        removed += counts
        move(some, rng, 0.3)
    assert (removed > 0).all()


def test_no_near_pair_is_removed():
    """Points of two bodies that are nearer than 2α need no test to be believed."""
    rng = np.random.default_rng(5)
    some = crowd(rng, hulls(rng, 60, 3.0), room(rng, 3.5), 3.5, 0.0)
    some.cast.mobile[:60] = 1
    alpha = 0.03
    listed = {row[:2] for row in swept(some, alpha, scratch(len(some.body)))}
    inside = []
    for b in range(len(some.body)):
        seen = corners(some, b)
        parts = rng.dirichlet(np.full(len(seen), 0.3), 400 if b < 60 else 20000)
        inside.append(cKDTree(np.concatenate([seen, parts @ seen])))
    near = {
        (i, j)
        for i, j in itertools.combinations(range(len(inside)), 2)
        if i < 60 and inside[i].count_neighbors(inside[j], 2.0 * alpha)
    }
    assert len(near) > 60
    assert near <= listed


def mixed(some: Crowd) -> tuple[Crowd, np.ndarray]:
    """The same bodies in other rows, big ones amid the grains, and for each row of the old the new one."""
    rows = np.roll(np.arange(len(some.body)), len(some.body) // 3)
    new = np.argsort(rows)
    grains = np.sort(new[some.cast.grains])
    level, level_reach = levels_of(some.model.reach[rows][grains])
    model = some.model._replace(shape=some.model.shape[rows], reach=some.model.reach[rows])
    cast = Cast(grains, level, level_reach, np.sort(new[some.cast.big]), some.cast.mobile[rows])
    return Crowd(some.body[rows], model, some.geometry, cast), new


def renamed(pairs, new: np.ndarray) -> list[tuple[int, ...]]:
    """Pairs with the numbers of other rows, the smaller first, in the order the lists want."""
    found = []
    for i, j, *image in pairs:
        a, b = int(new[i]), int(new[j])
        found.append((a, b, *image) if a < b else (b, a, *(-n for n in image)))
    return sorted(found)


def test_where_bodies_stand_in_memory_does_not_matter():
    rng = np.random.default_rng(7)
    some = crowd(rng, hulls(rng, 30, 2.0), room(rng, 3.0), 3.0, 0.0)
    other, new = mixed(some)
    expected = renamed(swept(some, 0.05, scratch(33)), new)
    assert swept(other, 0.05, scratch(33)) == expected
    assert in_cells(other, 0.05, scratch(33))[1] == expected


def test_in_a_periodic_box_the_tests_serve_what_cells_found():
    rng = np.random.default_rng(6)
    some = crowd(rng, hulls(rng, 40, 2.0), room(rng, 4.0)[:1], 4.0, 0.05, (4.0, 0.0, 3.5))
    found, left = in_cells(some, 0.05, scratch(41))
    assert left == sorted(row for row in found if fate(some, row[0], row[1], row[2:], 0.05) == LISTED)
    assert 20 < len(left) < 0.8 * len(found)
    assert sum(row[2:] != (0, 0, 0) for row in left if row[1] < 40) > 10
    assert sum(row[2:] != (0, 0, 0) for row in left if row[1] == 40) > 3
    other, new = mixed(some)
    assert in_cells(other, 0.05, scratch(41))[1] == renamed(left, new)


def test_the_order_of_the_last_search_saves_work_and_changes_nothing():
    rng = np.random.default_rng(8)
    some = crowd(rng, hulls(rng, 300, 3.0), room(rng, 7.0), 7.0, 0.0)
    kept = scratch(len(some.body))
    first = swept(some, 0.05, kept)
    assert kept.sweep.told[2] > 5000
    for _ in range(4):
        move(some, rng, 0.02)
        fresh = scratch(len(some.body))
        now = swept(some, 0.05, kept)
        assert now == swept(some, 0.05, fresh) != first
        assert kept.sweep.told[2] < 1200 < fresh.sweep.told[2]
        assert (kept.sweep.counts == fresh.sweep.counts).all()
        assert (np.diff(kept.sweep.low[:, :300]) >= 0.0).all()
        assert (np.sort(kept.sweep.order) == np.arange(303)).all()


def test_a_lost_order_is_made_anew_in_few_moves():
    """All mirrored: what was first is last. Insertion alone would take n²/2 moves on each axis."""
    rng = np.random.default_rng(9)
    some = crowd(rng, hulls(rng, 1000, 1.0), [], 30.0, 0.0)
    work = scratch(1000)
    swept(some, 0.05, work)
    some.body[:, :3] *= -1.0
    assert swept(some, 0.05, work) == swept(some, 0.05, scratch(1000))
    assert work.sweep.told[2] < 3 * 60 * 1000


def test_grains_taken_out_of_the_run_are_in_no_pair():
    rng = np.random.default_rng(10)
    some = crowd(rng, hulls(rng, 60, 2.0), room(rng, 4.0), 4.0, 0.0)
    work = scratch(len(some.body))
    all_of_them = swept(some, 0.05, work)
    stay = np.flatnonzero(np.arange(60) % 3 != 0)
    level, level_reach = levels_of(some.model.reach[stay])
    fewer = some._replace(cast=some.cast._replace(grains=stay, level=level, level_reach=level_reach))
    some.body[:60:3, :3] = np.nan  # nobody looks at them
    expected = [row for row in all_of_them if {*row[:2]} <= {*stay, *some.cast.big}]
    assert 20 < len(expected) < len(all_of_them)
    assert swept(fewer, 0.05, work) == expected


def test_beyond_the_capacity_pairs_are_only_counted():
    rng = np.random.default_rng(11)
    some = crowd(rng, hulls(rng, 60, 2.0), room(rng, 3.0), 3.0, 0.0)
    body, model, geometry, cast = some
    total = len(swept(some, 0.05, scratch(len(body))))
    assert total > 100
    short = scratch(len(body), 30)._replace(raw=np.full((40, 5), 7, np.int32)[:30])
    assert sweep_pairs(body, model, geometry, cast.grains, cast.big, cast.mobile, 0.05, short) == total
    assert (short.raw.base[30:] == 7).all()


def test_strips_spare_a_grain_the_rest_of_its_layer():
    cube = block((-0.5,) * 3, (0.5,) * 3)
    some = crowd(np.random.default_rng(14), [cube] * 1728, [], 1.0, 0.0)
    some.body[:, :3] = 1.1 * np.array(list(itertools.product(range(12), repeat=3)))
    some.body[:, 4:8] = (1.0, 0.0, 0.0, 0.0)
    some.cast.mobile[:] = 1
    found = swept(some, 0.06, work := scratch(1728, 60000))
    assert len({row[:2] for row in found}) == len(found) >= 3 * 12 * 12 * 11
    assert work.sweep.told[1] < 120 * 1728  # a layer is of 144, and every grain reaches into two


def test_the_sweep_goes_the_long_way():
    """The same grains with other axes: swept along the longest, strips across the next."""
    rng = np.random.default_rng(15)
    some = crowd(rng, [block((-0.5,) * 3, (0.5,) * 3)] * 300, [], 1.0, 0.0)
    some.body[:, 4:8] = (1.0, 0.0, 0.0, 0.0)
    places = rng.uniform(0.0, 1.0, (300, 3)) * (25.0, 8.0, 2.0)
    looked = set()
    for axes in itertools.permutations(range(3)):
        some.body[:, :3] = places[:, axes]
        swept(some, 0.05, work := scratch(300))
        assert axes[work.sweep.told[0]] == 0
        looked.add(int(work.sweep.told[1]))
    assert len(looked) == 1


def test_a_floor_looks_at_its_lowest_layer_only():
    """Nine columns of fifty cubes on a floor and between walls that all of them overlap on two axes."""
    cube = block((-0.5,) * 3, (0.5,) * 3)
    walls = [block((-9, -9, -1), (99, 99, 0)), block((-9, -9, -9), (0, 99, 99)), block((-9, 3.3, -9), (99, 9, 99))]
    some = crowd(np.random.default_rng(12), [cube] * 450, walls, 1.0, 0.0)
    some.body[:450, :3] = 1.1 * np.array(list(itertools.product(range(3), range(3), range(50)))) + 0.5
    some.body[:450, 4:8] = (1.0, 0.0, 0.0, 0.0)
    some.cast.mobile[:450] = 1
    work = scratch(453)
    assert {row[:2] for row in swept(some, 0.06, work)} >= {(50 * k, 450) for k in range(9)}
    together = int(work.sweep.told[1])
    assert work.sweep.told[0] == 2
    alone = crowd(np.random.default_rng(12), [cube] * 450, [], 1.0, 0.0)
    alone.body[:] = some.body[:450]
    swept(alone, 0.06, work := scratch(450))
    looked = int(work.sweep.told[1])
    assert looked < 450 * 30
    assert together - looked <= 2 * 9 + 2 * 2 * 150  # two layers of each at most: half a grain more than it must


def test_none_one_and_all_in_one_place():
    rng = np.random.default_rng(13)
    some = crowd(rng, [np.zeros((1, 3))] * 5, [block((-1,) * 3, (1,) * 3)], 0.0, 0.1)
    some.cast.mobile[:] = 1
    every = [(i, j, 0, 0, 0) for i, j in itertools.combinations(range(6), 2)]
    assert swept(some, 0.1, scratch(6)) == every
    some.body[:, 3] = 0.0
    assert swept(some, 0.0, scratch(6)) == every  # boxes without any width
    for count in (0, 1):
        fewer = some._replace(cast=some.cast._replace(grains=np.arange(count), level=np.zeros(count, np.int64)))
        assert swept(fewer, 0.1, scratch(6)) == every[4:5][:count]
    some.body[3, :3], some.body[4, :3] = (1e12, 0, 0), (0, -1e12, 0)
    assert swept(some, 0.1, scratch(6)) == [row for row in every if not {3, 4} & {*row[:2]}]


def test_a_periodic_box_is_refused():
    sweep.refuse_periods((0.0, 0.0, 0.0))
    with pytest.raises(SceneError, match="periodic along x and z: search with cells"):
        sweep.refuse_periods((2.0, 0.0, 1.0))
