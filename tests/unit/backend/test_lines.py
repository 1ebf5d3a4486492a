"""Tables of a run begin with a cache line, also after bodies have changed places, been stored and taken back."""

import numpy as np
import pytest

import clast
from clast.backend.lines import LINE_BYTES, at_a_line, zeros
from clast.dynamics.bodies import removal
from clast.shapes import disk, segment


def is_at_a_line(array):
    return array.size == 0 or array.ctypes.data % LINE_BYTES == 0


@pytest.mark.parametrize("shape", [0, 1, 7, (3, 8), (5, 18), (0, 4)])
@pytest.mark.parametrize("kind", [float, np.uint8, np.int32, np.uint32])
def test_a_table_is_one_of_numpy_but_for_where_it_begins(shape, kind):
    held = [np.ones(k + 1) for k in range(5)]  # other pieces of memory between
    for _ in held:
        made, wanted = zeros(shape, kind), np.zeros(shape, kind)
        assert is_at_a_line(made) and made.dtype == wanted.dtype and made.shape == wanted.shape
        assert made.flags.c_contiguous and made.flags.writeable and not made.any()


def test_a_copy_is_a_copy():
    array = np.arange(12.0).reshape(3, 4)
    copy = at_a_line(array[::-1])
    assert is_at_a_line(copy) and (copy == array[::-1]).all()
    copy[0, 0] = -1.0
    assert array[2, 0] == 8.0


def tables_of(engine):
    state, lists, forces = engine.state, engine._lists, engine._forces
    return [state.body, state.book, lists.pair, lists.spring, lists.reference, forces.pair, engine._scratch.floats]


def grains():
    scene = clast.Scene(law=clast.Linear(1e5, 5e4, friction=0.5), gravity=(0.0, -10.0))
    scene.add_wall(segment((-8.0, 0.0), (8.0, 0.0), radius=0.1))
    for k in range(9):
        scene.add(disk(radius=0.5), (-4.0 + 1.0 * k, 0.58))
    return clast.Engine(scene)


def test_the_tables_of_a_run_begin_with_a_line():
    engine = grains()
    assert all(map(is_at_a_line, tables_of(engine)))
    engine.advance(20)
    arrays, scalars = engine.checkpoint()
    removal.reorder(engine, np.array([*range(8, -1, -1), 9]), 0, engine.springs())
    assert all(map(is_at_a_line, tables_of(engine)))
    other = grains()
    other.restore(arrays, scalars)
    assert all(map(is_at_a_line, tables_of(other)))
