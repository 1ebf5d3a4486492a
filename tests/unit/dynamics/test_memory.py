"""What contacts remember, into lists and out again, for all families and any order of the bodies in memory."""

from typing import Any

import numpy as np
import pytest

from clast.dynamics.bodies.layout import Layout
from clast.dynamics.bodies.room import empty_lists
from clast.dynamics.contacts.memory import put_springs, springs_of
from clast.dynamics.engine import Engine
from clast.dynamics.family import Family, family_of
from clast.laws import Cohesion, Linear, OverlapVolume, Rolling
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.shapes import clump, disk, regular
from clast.shapes.space.make import cuboid, sphere, sphere_clump

BODIES = 7


def scenes() -> dict[str, Scene | Scene3D]:
    found = {"plane": Scene(law=Linear(1e4)), "space": Scene3D(law=Linear(1e4)), "sharp": Scene3D(law=OverlapVolume(1e4))}
    for name, scene in found.items():
        for k in range(BODIES):
            if isinstance(scene, Scene):
                scene.add(regular(3 + k % 3, 0.1, side=1.0), (3.0 * k, 0.0))
            else:
                scene.add(cuboid((1.0, 1.0, 1.0 + k % 3), 0.0 if name == "sharp" else 0.1), (3.0 * k, 0.0, 0.0))
    return found


def some_springs(family: Family, rng: np.random.Generator, turning: int = 0) -> Any:
    """Contacts of all sections, each of another pair of features; of sharp bodies one for each two."""
    kind, overlaps = family.MEMORY, family.MEMORY.overlaps
    keys = []
    for i in range(BODIES):
        for j in range(i + 1, BODIES):
            image = rng.integers(-1, 2, kind.axes)
            for section in (0,) if overlaps else range(kind.sections):
                bodies, way = ((j, i), -image) if section == 1 else ((i, j), image)
                for first in range(1 if overlaps else rng.integers(3)):
                    keys.append([*bodies, *way, *([section] if kind.axes == 3 else []), first, 0])
    memory = rng.normal(size=(len(keys), kind.width(turning)))
    if kind.axes == 3:
        memory[:, 7] = 1.0
    unused = [c for c in range(kind.width(turning)) if c not in (*kind.columns(0, turning), 7)]
    memory[:, unused] = 0.0
    return kind.springs(np.array(keys, np.int64), memory, "a law")


def through_lists(family: Family, found: Layout, springs: Any, order: np.ndarray, turning: int = 0) -> Any:
    """Springs put into lists and read from them, bodies standing in `order`."""
    kind, count = family.MEMORY, len(springs.key)
    model = found.model._replace(shape=found.model.shape[order], period=np.full(kind.axes, 10.0))
    lists = empty_lists(family.WIDTHS, len(kind.columns(0, turning)), order.size, count, count, count)
    pairs = put_springs(kind, springs, lists, order, np.arange(order.size), found.geometry, model, 0, turning)
    owners = lists.pair[:pairs, 0].astype(np.int64)
    assert (np.diff(owners) >= 0).all()
    assert lists.first_pair.tolist() == [int((owners < b).sum()) for b in range(order.size + 1)]
    assert lists.pair[pairs, 2] == np.count_nonzero(lists.weight)
    return springs_of(kind, lists, pairs, order, np.arange(order.size), found.geometry, model, 0, turning, springs.law)


def rows_of(springs: Any) -> list[tuple[float, ...]]:
    return sorted(map(tuple, np.hstack([springs.key, springs.memory]).tolist()))


@pytest.mark.parametrize("name, turning", [("plane", 0), ("space", 0), ("sharp", 0), ("sharp", 1)])
def test_springs_come_out_of_the_lists_as_they_were_put_in(name, turning):
    scene, rng = scenes()[name], np.random.default_rng(3)
    family = family_of(scene)
    found = family.lay_out(scene)
    springs, same = some_springs(family, rng, turning), np.arange(BODIES)
    assert rows_of(through_lists(family, found, springs, same, turning)) == rows_of(springs)
    other = through_lists(family, found, springs, rng.permutation(BODIES), turning)
    again = through_lists(family, found, other, same, turning)
    assert (again.key[np.lexsort(again.key.T)] == springs.key[np.lexsort(springs.key.T)]).all()
    assert np.array(rows_of(again)) == pytest.approx(np.array(rows_of(springs)), abs=1e-12)


@pytest.mark.parametrize("name", ["plane", "space", "sharp"])
def test_contacts_of_bodies_that_are_not_there_are_left_out(name):
    scene, rng = scenes()[name], np.random.default_rng(4)
    family = family_of(scene)
    springs, some = some_springs(family, rng), np.arange(3)
    kept = through_lists(family, family.lay_out(scene), springs, some)
    assert rows_of(kept) == [row for row in rows_of(springs) if max(row[:2]) < 3]
    assert len(through_lists(family, family.lay_out(scene), springs, some[:1]).key) == 0


@pytest.mark.parametrize("space", [False, True])
def test_springs_of_round_grains_survive_another_order(space):
    """Two round grains and a clump, pressed together and sheared: taken over by a scene that adds them the other way round."""
    law = Linear(1e4, 5e3, friction=0.5, rolling=Rolling(50.0, 0.2), cohesion=Cohesion(1.0, 0.01))
    shape = sphere_clump([(0, 0, 0), (0.9, 0, 0)], 1.0) if space else clump([(-0.45, 0), (0.45, 0)], 1.0)
    shapes = (sphere(1.0), sphere(0.7), shape) if space else (disk(radius=1.0), disk(radius=0.7), shape)
    places = np.array([(0.0, 0.0, 0.0), (0.3, 1.65, 0.2), (0.5, -1.9, -0.1)])[:, : 3 if space else 2]
    speeds = np.array([(0.0, 0.0, 0.0), (3.0, -1.0, 1.0), (-2.0, 1.0, 2.0)])[:, : 3 if space else 2]

    def scene(order, springs=None, places=places):
        found = Scene3D(law=law) if space else Scene(law=law)
        for k in order:
            found.add(shapes[k], places[k], velocity=speeds[k])
        found.springs = springs
        return found

    engine = Engine(scene((0, 1, 2)), dt=1e-5, alpha=0.1)
    engine.advance(40)
    springs, now = engine.springs(), engine.positions
    assert len(springs.key) >= 2
    assert np.abs(springs.memory).max() > 1e-5
    renamed = springs._replace(key=springs.key.copy())
    renamed.key[:, :2] = np.array([2, 1, 0])[springs.key[:, :2]]
    straight, reverse = (
        Engine(scene(order, taken, now), dt=1e-5, alpha=0.1) for order, taken in (((0, 1, 2), springs), ((2, 1, 0), renamed))
    )
    found, other = forces_of(straight, np.arange(3)), forces_of(reverse, np.array([2, 1, 0]))
    bare = forces_of(Engine(scene((0, 1, 2), None, now), dt=1e-5, alpha=0.1), np.arange(3))
    assert found.keys() == other.keys()
    for pair, force in found.items():
        assert other[pair] == pytest.approx(force, rel=1e-9)
        assert np.linalg.norm(bare[pair] - force) > 1e-3 * np.linalg.norm(force)  # the spring is felt
    columns = slice(4, 7) if space else slice(2, 3)
    rolled = [np.sort(np.linalg.norm(engine.springs().memory[:, columns], axis=1)) for engine in (straight, reverse)]
    assert rolled[0] == pytest.approx(rolled[1], rel=1e-9)


def forces_of(engine: Engine, names: np.ndarray) -> dict[tuple[int, int], np.ndarray]:
    """Force on the body of the smaller name of every touching pair; `names` of the bodies by their ids."""
    contacts, found = engine.snapshot().contacts, {}
    for first, second, force in zip(names[contacts.first], names[contacts.second], contacts.forces, strict=True):
        pair, sign = (min(first, second), max(first, second)), 1.0 if first < second else -1.0
        found[pair] = found.get(pair, 0.0) + sign * force
    return found
