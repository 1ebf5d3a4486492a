"""Lists in space against a search over all pairs and all images; the same for any number of threads; walls of many triangles."""

import itertools
import math

import numpy as np
import pytest

from clast.algebra.quaternions import matrix, random_turns
from clast.contact.space.spheropolyhedron import EDGE, FACE, KIND
from clast.dynamics.engine import Engine
from clast.dynamics.space.counting import NUMBER
from clast.dynamics.space.listing import trees_of
from clast.laws import Linear, OverlapVolume
from clast.neighbours import feature_tree
from clast.scene.space import Box3D, Scene3D
from clast.scene.tags import Fixed
from clast.shapes.space.make import cuboid, hull, plate, shell, sphere, sphere_clump
from clast.shapes.space.solid import Solid

CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
LAW = Linear(1e3, 5e2, friction=0.3)
BOXES = {"open": (0, 0, 0), "periodic x": (1, 0, 0), "periodic y, z": (0, 1, 1), "periodic": (1, 1, 1)}
CASES = {  # width of the cell over the largest grain, number, sizes, alpha
    "one size, many cells": (9.0, 60, 0.6, 1.0, 0.1),
    "thirty to one": (6.0, 150, 1 / 30, 1.0, 0.05),
    "two cells": (5.0, 30, 0.5, 1.0, 0.05),
    "alpha wider than the cell": (3.0, 9, 0.5, 0.55, 1.5),
}


def balls(case: str, sides: str) -> Engine:
    """Spheres of many sizes anywhere in and around the cell, some of which stay."""
    width, number, smallest, largest, alpha = CASES[case]
    rng, period = np.random.default_rng(list(CASES).index(case)), width * np.array(BOXES[sides], float)
    scene = Scene3D(law=LAW, box=Box3D(*period.tolist()))
    for k in range(number):
        radius = float(np.exp(rng.uniform(math.log(smallest), math.log(largest))))
        place = rng.uniform(0.0, width, 3) + rng.integers(-2, 3, 3) * period  # positions are never wrapped
        scene.add(sphere(radius), place, tags=[Fixed()] if k % 5 == 0 else [])
    return Engine(scene, alpha=alpha, dt=1e-6)


def near_pairs(engine: Engine) -> list[tuple[int, ...]]:
    """Pairs of spheres nearer than 2α, with images, by looking at all."""
    body, reach, period, found = engine.state.body, engine.model.reach, engine.model.period, []
    for i, j in itertools.combinations(range(engine.order.size), 2):
        if not (engine.roles.mobile[i] or engine.roles.mobile[j]):
            continue
        apart, near = body[j, :3] - body[i, :3], reach[i] + reach[j] + 2.0 * engine.alpha
        images = [
            (0,) if not side else range(math.floor((-near - x) / side), math.ceil((near - x) / side) + 1)
            for x, side in zip(apart, period, strict=True)
        ]
        found += [
            (i, j, *image) for image in itertools.product(*images) if np.linalg.norm(apart + np.array(image) * period) < near
        ]
    return found


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("sides", BOXES)
def test_pairs_are_exactly_those_that_are_near(case, sides):
    engine = balls(case, sides)
    expected = near_pairs(engine)
    assert len(expected) > 20
    if case == "thirty to one":
        assert len(engine.roles.level_reach) > 3
    pair, image = engine._lists.pair[: engine.pairs, :2], engine._lists.image[: engine.pairs]
    assert [(*map(int, a), *map(int, b)) for a, b in zip(pair, image, strict=True)] == expected
    for b in range(engine.order.size):
        lists = engine._lists
        assert np.array_equal(np.arange(*lists.first_pair[b : b + 2]), np.flatnonzero(pair[:, 0] == b))
        second = np.flatnonzero(pair[:, 1] == b) if b < engine.moving else []  # nobody sums up what pushes a body at rest
        assert np.array_equal(lists.other[lists.first_other[b] : lists.first_other[b + 1]], second)


def test_grains_far_away_do_not_ask_for_endless_cells():
    scene = Scene3D(law=LAW)
    for place in [(0, 0, 0), (0.4, 0.1, 0), (1e9, 0, 0), (1e9 + 0.4, 0, 0), (0, -1e9, 0), (0, 0, 1e12), (0.1, 0.2, 1e12)]:
        scene.add(sphere(0.25), place)
    engine = Engine(scene, alpha=0.01, dt=1e-6)
    assert engine._lists.pair[: engine.pairs, :2].tolist() == [[0, 1], [2, 3], [5, 6]]


# --- threads, memory -------------------------------------------------------------------------------------------------


def rubble() -> Scene3D:
    """Cubes, spheres and clumps on a slab, in a box with a periodic side."""
    scene, rng = Scene3D(law=LAW, box=Box3D(period_x=6.0)), np.random.default_rng(1)
    shapes = (cuboid((0.8, 0.6, 0.5), 0.1), sphere(0.5), sphere_clump([(0, 0, 0), (0.4, 0, 0), (0, 0.3, 0.2)], 0.3))
    for k in range(75):
        scene.add(shapes[k % 3], rng.uniform(0, 6, 3) * (1, 1, 0.5), orientation=random_turns(rng, 1)[0])
    scene.add_wall(plate([(0, 0, 0), (6, 0, 0), (6, 6, 0), (0, 6, 0)], 0.1))
    return scene


def sharp_rubble() -> Scene3D:
    """The same of sharp bodies."""
    scene, rng = Scene3D(law=OverlapVolume(1e4, friction=0.3)), np.random.default_rng(2)
    for _ in range(60):
        scene.add(hull(0.5 * CORNERS * (1.0, 0.8, 0.7)), rng.uniform(0, 4.5, 3), orientation=random_turns(rng, 1)[0])
    scene.add_wall(hull(3.0 * CORNERS * (1.0, 1.0, 0.2) + (2.0, 2.0, -0.6)))
    return scene


SCENES = {"rubble": rubble, "sharp": sharp_rubble}


def keys(engine: Engine) -> list[tuple[int, ...]]:
    """Names of all candidates, in their order."""
    lists, found = engine._lists, []
    for p in range(engine.pairs):
        first, second, third = (int(k) for k in lists.pair[p, 2:5])
        last = int(lists.pair[p + 1, 2])
        assert first <= second <= third <= last
        contact = tuple(map(int, lists.candidate[first])) if engine.scene.sharp else ()
        for k in range(first, last):
            section = int(k >= second) + int(k >= third)
            found.append((*map(int, lists.pair[p, :2]), *map(int, lists.image[p]), *contact[::-1], section,
                          *map(int, lists.candidate[k])))  # fmt: skip
    return found


def stir(engine: Engine, rng: np.random.Generator, way: float) -> None:
    """Move all grains a little, and let every candidate remember something."""
    lists, count = engine._lists, engine.candidates
    engine.state.body[engine.roles.grains, :3] += rng.uniform(-way, way, (engine.roles.grains.size, 3))
    lists.spring[:count] = rng.normal(size=lists.spring[:count].shape)
    lists.weight[:count] = rng.uniform(0.5, 1.0, count)


@pytest.mark.parametrize("name", SCENES)
def test_lists_do_not_depend_on_threads(name):
    found = []
    for threads in (1, 2, 3):
        engine, rng = Engine(SCENES[name](), alpha=0.02, dt=1e-6), np.random.default_rng(4)
        engine.threads = threads
        for alpha in (0.02, 0.2, 0.05):
            engine._chosen_alpha = alpha
            engine._rebuild()
            count, lists = engine.candidates, engine._lists
            found.append((keys(engine), lists.spring[:count].copy(), lists.weight[:count].copy(),
                          lists.pair_constant[: engine.pairs].copy()))  # fmt: skip
            stir(engine, rng, 0.05)
    assert len(found[0][0]) > 300
    for k in range(3):
        for other in (found[3 + k], found[6 + k]):
            assert other[0] == found[k][0]
            if name == "rubble":
                assert all(np.array_equal(a, b) for a, b in zip(other[1:], found[k][1:], strict=True))
            else:  # the spring of an overlap belongs to its first candidate, others have none
                of = [n for n, key in enumerate(other[0]) if key[-3] == 0]
                assert all(np.array_equal(a[of], b[of]) for a, b in zip(other[1:3], found[k][1:3], strict=True))


@pytest.mark.parametrize("name", SCENES)
def test_every_candidate_that_stays_remembers(name):
    engine, rng = Engine(SCENES[name](), alpha=0.1, dt=1e-6), np.random.default_rng(6)
    for alpha in (0.05, 0.2, 0.02):
        stir(engine, rng, 0.05)
        before = remembered(engine)
        engine._chosen_alpha = alpha
        engine._rebuild()
        after = remembered(engine)
        stay = before.keys() & after.keys()
        assert len(stay) > 50
        assert len(before.keys() ^ after.keys()) > 10
        assert all(np.array_equal(after[key], before[key]) for key in stay)
        assert not any(after[key].any() for key in after.keys() - stay)


def remembered(engine: Engine) -> dict[tuple[int, ...], np.ndarray]:
    """What each candidate remembers that may remember anything."""
    lists, sharp = engine._lists, engine.scene.sharp
    return {
        key: np.append(lists.spring[k], lists.weight[k]) for k, key in enumerate(keys(engine)) if not sharp or key[-3] == 0
    }  # fmt: skip


# --- walls of many triangles -----------------------------------------------------------------------------------------


def hills(cells: int) -> Solid:
    """A hilly square of 8 × 8, of triangles."""
    x = np.linspace(0.0, 8.0, cells + 1)
    height = 0.3 * np.sin(2.0 * x)[:, None] * np.cos(1.5 * x)[None, :]
    number = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    a, b, c, d = number[:-1, :-1].ravel(), number[1:, :-1].ravel(), number[1:, 1:].ravel(), number[:-1, 1:].ravel()
    places = np.stack([*np.meshgrid(x, x, indexing="ij"), height], axis=-1).reshape(-1, 3)
    return shell(places, [*np.stack([a, b, c], 1), *np.stack([a, c, d], 1)], 0.02)


def test_a_tree_leaves_out_only_what_is_too_far(monkeypatch):
    """Trees of several layers against one leaf for each shape: fewer candidates, and none of them near."""
    scene, rng = Scene3D(law=LAW), np.random.default_rng(7)
    for k in range(30):
        shape = (sphere(0.3), cuboid((0.5, 0.4, 0.3), 0.05), hills(8))[k % 3 if k < 6 else k % 2]
        scene.add(shape, rng.uniform(1, 7, 3) * (1, 1, 0.15), orientation=random_turns(rng, 1)[0])
    scene.add_wall(hills(30))
    engine = Engine(scene, alpha=0.02, dt=1e-6)
    assert len(engine._trees[1].skip) > 500
    by_tree = keys(engine)
    monkeypatch.setattr(feature_tree, "LEAF", 1 << 30)
    engine._trees = trees_of(engine.geometry)
    assert len(engine._trees[1].skip) == len(engine.geometry.edged)
    engine._rebuild()
    by_all = keys(engine)
    assert len(by_tree) > 300
    assert set(by_tree) <= set(by_all)
    assert sorted(by_tree) == by_tree
    left_out = list(set(by_all) - set(by_tree))
    assert len(left_out) > 10
    for i, j, *_, section, probe, faced in left_out:
        one, other = (j, i) if section == 1 else (i, j)
        ways = points_of(engine, one, probe & NUMBER)[:, None] - points_of(engine, other, faced)[None, :]
        near = engine.state.body[i, 3] + engine.state.body[j, 3] + 2.0 * engine.alpha
        assert np.linalg.norm(ways, axis=2).min() > near


def points_of(engine: Engine, b: int, f: int) -> np.ndarray:
    """Points all over a feature of a body, in the world."""
    geometry, body, shape = engine.geometry, engine.state.body, engine.model.shape[b]
    row, low, high = geometry.feature[f], geometry.bounds[f, :3], geometry.bounds[f, 3:]
    if row[KIND] == FACE:  # its corners: the vertices of its plane that its box holds
        corners = geometry.feature[geometry.first_vertex[shape] : geometry.first_feature[shape + 1], :3]
        flat = np.abs((corners - row[:3]) @ row[3:6]) < 1e-9
        corners = corners[flat & (corners >= low - 1e-9).all(axis=1) & (corners <= high + 1e-9).all(axis=1)]
    else:
        corners = row[:6].reshape(2, 3) if row[KIND] == EDGE else row[None, :3]
    parts = np.random.default_rng(1).dirichlet(np.full(len(corners), 0.5), 200 if len(corners) > 1 else 1)
    seen = np.concatenate([corners, parts @ corners])
    return body[b, :3] + seen @ matrix(body[b, 4:8]).T
