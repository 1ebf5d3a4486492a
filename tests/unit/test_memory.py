"""What contacts remember, into lists and out again, for all families and any order of the bodies in memory."""

from typing import Any

import numpy as np
import pytest

from clast.dynamics.family import Family, family_of
from clast.dynamics.layout import Layout
from clast.dynamics.memory import put_springs, springs_of
from clast.dynamics.room import empty_lists
from clast.laws import Linear, OverlapVolume
from clast.scene.scene import Scene
from clast.scene.space import Scene3D
from clast.shapes import regular
from clast.shapes.space.make import cuboid

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


def some_springs(family: Family, rng: np.random.Generator) -> Any:
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
    memory = rng.normal(size=(len(keys), kind.width))
    if kind.axes == 3:
        memory[:, 7] = 1.0
    unused = [c for c in range(kind.width) if c not in (*kind.columns(0, 0), 7)]
    memory[:, unused] = 0.0
    return kind.springs(np.array(keys, np.int64), memory, "a law")


def through_lists(family: Family, found: Layout, springs: Any, order: np.ndarray) -> Any:
    """Springs put into lists and read from them, bodies standing in `order`."""
    kind, count = family.MEMORY, len(springs.key)
    model = found.model._replace(shape=found.model.shape[order], period=np.full(kind.axes, 10.0))
    lists = empty_lists(family.WIDTHS, len(kind.columns(0, 0)), order.size, count, count, count)
    pairs = put_springs(kind, springs, lists, order, found.geometry, model, 0, 0)
    owners = lists.pair[:pairs, 0].astype(np.int64)
    assert (np.diff(owners) >= 0).all()
    assert lists.first_pair.tolist() == [int((owners < b).sum()) for b in range(order.size + 1)]
    assert lists.pair[pairs, 2] == np.count_nonzero(lists.weight)
    return springs_of(kind, lists, pairs, order, found.geometry, model, 0, 0, springs.law)


def rows_of(springs: Any) -> list[tuple[float, ...]]:
    return sorted(map(tuple, np.hstack([springs.key, springs.memory]).tolist()))


@pytest.mark.parametrize("name", ["plane", "space", "sharp"])
def test_springs_come_out_of_the_lists_as_they_were_put_in(name):
    scene, rng = scenes()[name], np.random.default_rng(3)
    family = family_of(scene)
    found = family.lay_out(scene)
    springs, same = some_springs(family, rng), np.arange(BODIES)
    assert rows_of(through_lists(family, found, springs, same)) == rows_of(springs)
    other = through_lists(family, found, springs, rng.permutation(BODIES))
    again = through_lists(family, found, other, same)
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
