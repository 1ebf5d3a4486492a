"""Lists against a search over all pairs; springs that survive; the search for alpha (model §5)."""

import itertools
import math

import numpy as np
import pytest

from clast.contact.plane.spheropolygon import NOTCH
from clast.dynamics.engine import Engine
from clast.errors import SceneError
from clast.laws import Linear
from clast.measures.snapshots.accounts import accounts
from clast.neighbours.alpha import AlphaSearch
from clast.scene.plane import Box, Scene
from clast.scene.tags import Fixed, Velocity
from clast.shapes import clump, cow, disk, polygon, polyline, regular, segment

LAW = Linear(1e4, 5e3, friction=0.5)

# --- lists ----------------------------------------------------------------------------------------------------------


def listed(engine: Engine) -> set[tuple[int, ...]]:
    """Candidates as (i, j, image x, image y, side, probe, feature)."""
    lists, found = engine._lists, []
    for p in range(engine.pairs):
        i, j, first, middle, _ = (int(k) for k in lists.pair[p])
        for k in range(first, int(lists.pair[p + 1, 2])):
            found.append((i, j, *map(int, lists.image[p]), int(k >= middle), *map(int, lists.candidate[k])))
    assert len(found) == len(set(found))
    assert found == sorted(found)
    return set(found)


def brute(engine: Engine, alpha: float) -> set[tuple[int, ...]]:
    """The same by looking at every pair, every image, every probe and every feature."""
    geometry, model, body = engine.geometry, engine.model, engine.state.body
    big = set(engine.roles.big.tolist())
    box = model.period
    found = set()
    for i, j in itertools.combinations(range(engine.order.size), 2):
        if (i in big and j in big) or not (engine.roles.mobile[i] or engine.roles.mobile[j]):
            continue
        apart = body[j, :2] - body[i, :2]
        near = model.reach[i] + model.reach[j] + 2.0 * alpha
        images = [
            (0,) if not side else range(math.floor((-near - x) / side), math.ceil((near - x) / side) + 1)
            for x, side in zip(apart, box, strict=True)
        ]
        for nx, ny in itertools.product(*images):
            branch = apart + np.array([nx * box[0], ny * box[1]])
            if math.hypot(*branch) > near:
                continue
            for side, (a, b, way) in enumerate(((i, j, branch), (j, i, -branch))):
                shape_a, shape_b = model.shape[a], model.shape[b]
                if geometry.edged[shape_a] and not geometry.edged[shape_b]:
                    continue  # a body without edges is not probed
                if side == 1 and not geometry.edged[shape_a] and not geometry.edged[shape_b]:
                    continue  # two of them: once
                probes = np.arange(*geometry.first_vertex[shape_a : shape_a + 2])
                rows = np.arange(*geometry.first_feature[shape_b : shape_b + 2])
                where = turned(geometry.vertex[probes], body[a]) - way
                where = np.stack([where @ (body[b, 2], body[b, 3]), where @ (-body[b, 3], body[b, 2])], axis=1)
                away = distances(where, geometry.feature[rows])
                for v, f in np.argwhere(away < body[a, 7] + body[b, 7] + 2.0 * alpha):
                    found.add((i, j, nx, ny, side, int(probes[v]), int(rows[f])))
    return found


def assert_lists_are_right(engine: Engine) -> None:
    """All that is nearer than 2α, and nothing beyond 2α and the way both bodies go in one step."""
    found = listed(engine)
    body = engine.state.body
    stride = engine.dt * (np.hypot(body[:, 4], body[:, 5]) + engine.model.reach * np.abs(body[:, 6])).max()
    assert brute(engine, engine.alpha) - found == set()
    assert found - brute(engine, engine.alpha + stride) == set()


def turned(points: np.ndarray, row: np.ndarray) -> np.ndarray:
    return np.stack([row[2] * points[:, 0] - row[3] * points[:, 1], row[3] * points[:, 0] + row[2] * points[:, 1]], axis=1)


def distances(points: np.ndarray, rows: np.ndarray) -> np.ndarray:
    a, b = rows[:, 0:2], rows[:, 2:4].copy()
    only_vertex = rows[:, 7] == NOTCH
    b[only_vertex] = a[only_vertex]
    along = b - a
    square = np.maximum((along**2).sum(axis=1), 1e-300)
    t = np.clip(((points[:, None] - a) * along).sum(axis=2) / square, 0.0, 1.0)
    return np.linalg.norm(points[:, None] - a - t[..., None] * along, axis=2)


def crowd(rng, box: Box, width: float, number: int, smallest: float, largest: float, big: bool = True) -> Scene:
    scene = Scene(law=LAW, box=box)
    kinds = [
        disk(radius=1.0),
        regular(6, 0.2, circumradius=0.8),
        segment((-0.7, 0), (0.7, 0), 0.3),
        polygon([(0, 0), (1.4, 0), (1.4, 0.5), (0.6, 0.5), (0.6, 1.4), (0, 1.4)], 0.1),
        polyline([(-0.8, 0.3), (0, 0), (0.8, 0.3)], 0.2),
        clump([(0, 0), (0.5, 0.1), (0.2, 0.6)], 0.3),
    ]
    sizes = np.exp(rng.uniform(math.log(smallest), math.log(largest), number))
    for k, size in enumerate(sizes):
        shape = kinds[k % len(kinds)].scaled(size / kinds[k % len(kinds)].reach)
        # far outside the cell too: positions are never wrapped
        scene.add(shape, rng.uniform(-1.2, 1.8, 2) * width, angle=rng.uniform(0, 7))
    scene.add(kinds[1].scaled(largest), rng.uniform(0, width, 2), tags=[Fixed()])
    scene.add(kinds[0].scaled(largest), rng.uniform(0, width, 2), tags=[Velocity(1, 0, 0)])
    if big:
        room = min(each for each in (scene.box.period_x, scene.box.period_y, width) if each)  # no wall meets its own image
        scene.add_wall(polyline([(0, 0), (0.4 * room, 0.1 * room), (0.9 * room, 0)], 0.1 * largest))
        scene.add(cow().scaled(0.25 * room), (0.5 * width, 0.5 * width), angle=0.7, big=True, tags=[Velocity(spin=0.1)])
        scene.add(disk(radius=0.3 * width), (0.2 * width, 0.8 * width), big=True)
    return scene


BOXES = {
    "open": (0.0, 0.0), "periodic x": (1.0, 0.0), "periodic y": (0.0, 1.0), "periodic both": (1.0, 1.0), "oblong": (0.8, 0.45)
}  # fmt: skip
CASES = {  # width of the cell over the largest grain, sizes, alpha over the largest
    "one size, many cells": (14.0, 0.6, 1.0, 0.1),
    "thirty to one": (9.0, 1 / 30, 1.0, 0.05),
    "two cells": (5.0, 0.5, 1.0, 0.05),
    "one cell": (2.9, 0.5, 0.5, 0.05),
    "alpha wide": (8.0, 0.3, 1.0, 0.5),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("sides", BOXES)
def test_lists_hold_exactly_what_is_near(case, sides):
    width, smallest, largest, alpha = CASES[case]
    px, py = (width * p for p in BOXES[sides])
    if min(p for p in (px, py, 99.0) if p) <= 2.0 * largest:
        pytest.skip("a grain would be wider than the period")
    rng = np.random.default_rng(list(CASES).index(case) + 10)
    engine = Engine(crowd(rng, Box(px, py), width, 45, smallest, largest), dt=1e-5, alpha=alpha)
    assert len(brute(engine, alpha)) > 45
    assert_lists_are_right(engine)


def test_a_wide_alpha_in_a_narrow_cell_misses_no_image():
    """Bodies may move by alpha before the next rebuild, so images a cell and a half away have to be listed too."""
    rng = np.random.default_rng(5)
    engine = Engine(crowd(rng, Box(3.0, 3.0), 3.0, 6, 0.9, 1.0, big=False), dt=1e-5, alpha=2.5)
    assert_lists_are_right(engine)


def test_grains_far_away_do_not_ask_for_endless_cells():
    scene = Scene(law=LAW)
    for x, y in [(0, 0), (0.4, 0.1), (1e9, 0), (1e9 + 0.4, 0), (0, -1e9)]:
        scene.add(disk(radius=0.25), (x, y))
    engine = Engine(scene, dt=1e-5, alpha=0.01)
    assert {(c[0], c[1]) for c in listed(engine)} == {(0, 1), (2, 3)}


def test_bodies_that_cannot_move_do_not_meet():
    scene = Scene(law=LAW)
    scene.add(disk(radius=0.5), (0, 0), tags=[Fixed()])
    scene.add(disk(radius=0.5), (0.9, 0), tags=[Fixed()])
    scene.add(disk(radius=0.5), (0.4, 0.8))
    pairs = {tuple(sorted(engine_ids)) for engine_ids in _ids(Engine(scene, dt=1e-5, alpha=0.01))}
    assert pairs == {(0, 2), (1, 2)}


def _ids(engine: Engine):
    return {(int(engine.order[c[0]]), int(engine.order[c[1]])) for c in listed(engine)}


# --- springs --------------------------------------------------------------------------------------------------------


def rubbing_heap(alpha: float | str = 0.02) -> Engine:
    """A few grains pressed into a valley and spinning: contacts of many kinds with springs."""
    scene = Scene(law=Linear(1e4, 5e3, friction=0.5, normal_damping=60.0), gravity=(0, -10))
    scene.add_wall(polyline([(-3, 2), (-0.8, 0), (0.8, 0), (3, 2)], 0.1))
    shapes = [
        regular(6, 0.1, circumradius=0.4),
        disk(radius=0.4),
        segment((-0.4, 0), (0.4, 0), 0.2),
        clump([(0, 0), (0.3, 0)], 0.25),
    ]
    for k in range(8):
        scene.add(shapes[k % 4], (-1.0 + 1.05 * (k % 3), 1.3 + 1.05 * (k // 3)), angle=0.3 * k, spin=2.0 - k)
    return Engine(scene, dt=5e-4, alpha=alpha)


def springs(engine: Engine) -> dict[tuple[int, ...], float]:
    arrays, _ = engine.checkpoint()
    return {tuple(int(x) for x in key): float(s[0]) for key, s in zip(arrays["spring_key"], arrays["spring"], strict=True)}


def test_springs_survive_a_rebuild():
    engine = rubbing_heap()
    engine.advance(2400)
    before = springs(engine)
    assert sum(s != 0.0 for s in before.values()) > 5
    for alpha in (0.02, 0.3, 0.001, 0.1):
        engine.alpha = alpha
        engine._rebuild()
        assert springs(engine) == before


def test_springs_survive_a_restart():
    engine = rubbing_heap()
    engine.advance(2400)
    arrays, scalars = engine.checkpoint()
    arrays = {name: array.copy() for name, array in arrays.items()}
    before = springs(engine)
    other = rubbing_heap(alpha=0.05)
    other.restore(arrays, scalars)
    assert springs(other) == before
    engine.advance(3000)
    other.advance(3000)
    assert np.array_equal(engine.state.body, other.state.body)
    assert np.array_equal(engine.state.book, other.state.book)
    assert springs(engine) == springs(other)


def test_a_checkpoint_does_not_change_when_the_run_goes_on():
    engine = rubbing_heap()
    engine.advance(100)
    arrays, _ = engine.checkpoint()
    kept = {name: array.copy() for name, array in arrays.items()}
    engine.advance(200)
    for name, array in kept.items():
        assert np.array_equal(arrays[name], array), name


def test_a_checkpoint_of_another_scene_or_step_is_refused():
    engine = rubbing_heap()
    arrays, scalars = engine.checkpoint()
    with pytest.raises(SceneError, match="resume with the scene and step"):
        engine.restore(arrays, {**scalars, "dt": 1e-5})
    with pytest.raises(SceneError, match="resume with the scene and step"):
        engine.restore({**arrays, "body": arrays["body"][1:]}, scalars)


DODECAGON = regular(12, 0.1, circumradius=1.0)
BENT = polyline([(0.0, -1.0), (0.25, 0.0), (0.0, 1.0)], 0.1)


def drag_past(wall, tip: np.ndarray, direction: float, friction: float, alpha: float):
    """Drag a heavy disk in a straight line past a corner that points to +x; yields (accounts, spring, tangential integral)."""
    scene = Scene(law=Linear(1e4, 5e3, friction=friction))
    depth, half, speed, dt = 0.03, 0.1, 1.0, 1e-4
    start = (tip[0] + 0.25 - depth, tip[1] - direction * half)
    scene.add(disk(radius=0.15), start, density=1e9, tags=[Velocity(x=0.0, y=direction * speed)])
    scene.add(wall[0], wall[1], angle=wall[2], big=True, tags=[Fixed()])
    engine = Engine(scene, dt=dt, alpha=alpha)
    steps = round(2 * half / speed / dt)
    integral, seen = 0.0, []
    for n in range(1, steps + 1):
        engine.advance(n)
        snap = engine.snapshot()
        assert len(snap.floats) == 1
        normal = snap.floats[0, 1:3]
        integral += direction * speed * normal[0] * dt
        sign = 1.0 if snap.integers[0, 0] == 0 else -1.0  # which of the two probes turns neither normal nor spring
        seen.append((accounts(engine, snap), float(snap.floats[0, 5]), integral * sign, snap.integers[0, 4]))
    return seen


CORNERS = {
    "polygon, first vertex": ((DODECAGON, (0, 0), 0.0), np.array([1.0, 0.0])),
    "polygon, another vertex": ((DODECAGON, (0, 0), -math.pi / 2), np.array([1.0, 0.0])),
    "open bend": ((BENT, -BENT.origin, 0.0), np.array([0.25, 0.0])),
}


@pytest.mark.parametrize("direction", [1.0, -1.0], ids=["up", "down"])
@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("alpha", [0.01, 0.3])
def test_a_spring_passes_round_a_corner(corner, direction, alpha):
    wall, tip = CORNERS[corner]
    held = drag_past(wall, tip, direction, math.inf, alpha)
    assert len({feature for *_, feature in held}) == 2
    assert held[-1][0]["heat_lost_springs"] == 0.0
    assert held[-1][1] == pytest.approx(held[-1][2], rel=2e-3)  # not reset on the way
    assert abs(held[-1][1]) > 0.15
    sliding = drag_past(wall, tip, direction, 0.3, alpha)
    assert sliding[-1][0]["heat_lost_springs"] == 0.0
    energies = np.array([a["tangential_elastic"] for a, *_ in sliding])
    assert energies[300:].min() > 0.1 * energies.max()


def test_a_spring_nobody_takes_is_booked():
    """A held contact torn open: its spring's energy goes to the lost springs, with the work of its last half step."""
    scene = Scene(law=Linear(1e4, 5e3, friction=math.inf))
    scene.add(disk(radius=0.5), (0, 0.99), density=1e9, tags=[Velocity(x=0.5, y=0.5)])
    scene.add(disk(radius=0.5), (0, 0), density=1e9, tags=[Velocity(x=0.0, y=0.0)])
    engine = Engine(scene, dt=1e-4, alpha=0.05)
    stored = 0.0
    for n in range(1, 400):
        engine.advance(n)
        book = accounts(engine, engine.snapshot())
        if book["heat_lost_springs"] > 0.0:
            break
        stored = book["tangential_elastic"]
    assert stored > 0.0
    assert book["tangential_elastic"] == 0.0
    stretched = math.sqrt(2 * stored / 5e3) + 0.5 * 0.5 * 1e-4  # the kick before had half a step to work in
    assert stored <= book["heat_lost_springs"] <= 0.5 * 5e3 * stretched**2


def test_a_spring_passes_over_the_seam_of_an_endless_floor():
    scene = Scene(law=Linear(1e4, 5e3, friction=math.inf), box=Box(period_x=3.0))
    scene.add(disk(radius=0.15), (-0.1, 0.22), density=1e9, tags=[Velocity(x=1.0, y=0.0)])
    scene.add_wall(segment((0, 0), (3, 0), 0.1))
    engine = Engine(scene, dt=1e-4, alpha=0.02)
    engine.advance(2000)
    snap = engine.snapshot()
    assert accounts(engine, snap)["heat_lost_springs"] == 0.0
    assert abs(snap.floats[0, 5]) == pytest.approx(0.2, rel=1e-3)


def test_lost_springs_do_not_depend_on_alpha():
    """A contact that opens in the step of a rebuild must be booked too, however small alpha is."""
    books = []
    for alpha in (1e-7, 0.3):
        scene = Scene(law=Linear(1e4, 5e3, friction=math.inf))
        scene.add(disk(radius=0.5), (0, 0.99), tags=[Velocity(x=0.5, y=0.5)], density=1e9)
        scene.add(disk(radius=0.5), (0, 0), tags=[Velocity(x=0.0, y=0.0)], density=1e9)
        engine = Engine(scene, dt=1e-4, alpha=alpha)
        engine.advance(400)
        books.append(accounts(engine, engine.snapshot())["heat_lost_springs"])
    assert books[1] > 0.0
    assert books[0] == books[1]


# --- alpha ----------------------------------------------------------------------------------------------------------


def searched(beta: float, gamma: float, optimum: float, noise: float, seed: int) -> float:
    """Mean cost late in a search over T = A/α^β + B α^γ, the first term spent on rebuilding, relative to the least."""
    rng = np.random.default_rng(seed)
    a = 1e-5 * optimum**beta / beta
    b = 1e-5 / (gamma * optimum**gamma)

    def cost(alpha: float) -> float:
        return a / alpha**beta + b * alpha**gamma

    search = AlphaSearch(1e-3, 0.5)
    late = []
    for n in range(600):
        used = search.alpha
        steps = max(1, round(2000 * used))
        slow = math.exp(noise * rng.normal())
        search.record(steps, steps * cost(used) * slow, steps * a / used**beta * slow)
        if n >= 300:
            late.append(cost(used))
    return float(np.mean(late)) / cost(optimum)


@pytest.mark.parametrize(
    "beta, gamma, optimum",
    [
        (beta, gamma, optimum)
        for beta, gamma in [(1.0, 1.0), (0.5, 1.0), (1.0, 2.0), (1.5, 0.7)]
        for optimum in (0.005, 0.05, 0.3)
    ],
)
@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_alpha_search_finds_the_cheapest(beta, gamma, optimum, noise):
    assert searched(beta, gamma, optimum, noise, seed=1) < 1.15


def test_alpha_stays_within_its_bounds():
    search = AlphaSearch(1e-3, 0.5)
    for n in range(200):
        search.record(100, 1e-3 / (1 + n), 1e-4 / (1 + n))  # ever cheaper
        assert 1e-3 <= search.alpha <= 0.5


def test_intervals_are_recorded_for_the_alpha_they_were_run_with():
    engine = rubbing_heap(alpha="auto")
    used, recorded = [engine.alpha], []
    rebuild, record = engine._rebuild, engine._search.record

    def spied_rebuild():
        rebuild()
        used.append(engine.alpha)

    def spied_record(*interval):
        recorded.append(engine._search.alpha)
        record(*interval)

    engine._rebuild, engine._search.record = spied_rebuild, spied_record
    engine.advance(2500)
    assert len(recorded) > 10
    assert recorded == used[: len(recorded)]
