"""Vectors, turns and tensors against matrices and what is known exactly; records of compiled code against arrays."""

import numpy as np
import pytest

from clast.algebra import plane, quaternions, space, tensors
from clast.algebra.morton import BITS, in_morton_order, interleaved
from clast.backend.device import from_python

TURNS = quaternions.random_turns(np.random.default_rng(1), 50)


# --- quaternions ------------------------------------------------------------------------------------------------------


def test_a_quaternion_turns_as_its_matrix():
    """A quarter about z takes x to y; products of turns are products of matrices, which keep lengths and hands."""
    quarter = quaternions.matrix(quaternions.about((0.0, 0.0, 3.0), np.pi / 2.0))
    assert quarter @ [1.0, 0.0, 0.0] == pytest.approx([0.0, 1.0, 0.0], abs=1e-15)
    for a, b in zip(TURNS, TURNS[::-1], strict=True):
        turned = quaternions.matrix(quaternions.product(a, b))
        assert turned == pytest.approx(quaternions.matrix(a) @ quaternions.matrix(b), abs=1e-14)
        assert turned @ turned.T == pytest.approx(np.eye(3), abs=1e-14) and np.linalg.det(turned) == pytest.approx(1.0)


def test_a_matrix_gives_its_quaternion_back():
    """With w ≥ 0, also where the turn is by π and w vanishes."""
    halves = [quaternions.about(axis, np.pi) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, -2.0, 2.0))]
    for turn in [*TURNS, *halves]:
        found = quaternions.from_matrix(quaternions.matrix(turn))
        assert found[0] >= 0.0 and abs(found @ turn) == pytest.approx(1.0, abs=1e-14)


def test_random_turns_prefer_no_direction():
    """The means of a column of the matrix vanish and those of its squares are ⅓, within four standard errors."""
    many = quaternions.matrix(quaternions.random_turns(np.random.default_rng(3), 20_000))
    assert np.abs(many.mean(axis=0)).max() < 4.0 * np.sqrt(1.0 / 3.0 / 20_000)
    assert np.abs((many**2).mean(axis=0) - 1.0 / 3.0).max() < 4.0 * np.sqrt(4.0 / 45.0 / 20_000)


def test_the_turn_between_two_orientations_is_the_short_one():
    angles = np.array([1e-9, 0.3, 3.0, 3.5])
    last = np.array([quaternions.product(quaternions.about((0.0, 2.0, 0.0), angle), TURNS[0]) for angle in angles])
    found = tensors.turn_between(np.repeat(TURNS[:1], 4, axis=0), last)
    assert found[:, 1] == pytest.approx([1e-9, 0.3, 3.0, 3.5 - 2.0 * np.pi], abs=1e-14)
    assert np.abs(found[:, [0, 2]]).max() < 1e-14
    assert np.abs(tensors.turn_between(TURNS, TURNS)).max() < 1e-15


# --- tensors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axes", [2, 3])
def test_principal_values_of_tensors_that_were_turned(axes):
    values, turns = np.array([5.0, 2.0, -1.0])[:axes], [quaternions.matrix(turn) for turn in TURNS]
    if axes == 2:
        turns = [np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) for a in np.linspace(-1.5, 1.5, 31)]
    made = np.array([turn @ np.diag(values) @ turn.T for turn in turns])
    assert tensors.principal_values(made) == pytest.approx(np.tile(values, (len(turns), 1)))
    assert tensors.mean_value(made) == pytest.approx(values.mean())
    assert tensors.mohr_radius(made) == pytest.approx(0.5 * (values[0] - values[-1]))
    along = np.array([abs(axis @ turn[:, 0]) for axis, turn in zip(tensors.major_axis(made), turns, strict=True)])
    assert along == pytest.approx(1.0)
    skew = np.triu(np.ones((axes, axes)), 1)
    assert tensors.symmetric(made + skew - skew.T) == pytest.approx(made)


def test_lengths_of_vectors_of_either_kind():
    assert tensors.lengths(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist() == [5.0, 0.0]
    assert tensors.lengths(np.array([[1.0, 2.0, -2.0]])).tolist() == [3.0]


# --- records of compiled code -----------------------------------------------------------------------------------------


def test_triples_are_vectors():
    rng = np.random.default_rng(4)
    for turn, (a, b) in zip(TURNS, rng.normal(size=(50, 2, 3)), strict=True):
        one, other = tuple(a), tuple(b)
        assert from_python(space.cross)(one, other) == pytest.approx(np.cross(a, b), abs=1e-15)
        assert from_python(space.dot)(one, other) == pytest.approx(a @ b, abs=1e-15)
        assert from_python(space.along)(one, 2.0, other) == pytest.approx(a + 2.0 * b)
        rotation = from_python(space.rotation_of)(*turn)
        assert rotation == pytest.approx(quaternions.matrix(turn).ravel(), abs=1e-15)
        turned = from_python(space.turn)(rotation, one)
        assert turned == pytest.approx(quaternions.matrix(turn) @ a)
        assert from_python(space.turn_back)(rotation, turned) == pytest.approx(a)
        second = from_python(space.rotation_of)(*TURNS[0])
        net = quaternions.matrix(turn).T @ quaternions.matrix(TURNS[0])
        assert from_python(space.between)(rotation, second) == pytest.approx(net.ravel(), abs=1e-14)


def test_records_of_the_plane_are_vectors():
    frame = plane.Vector(np.cos(0.7), np.sin(0.7))
    a, b = plane.Vector(2.0, -1.0), plane.Vector(0.5, 3.0)
    assert (from_python(plane.dot)(a, b), from_python(plane.cross)(a, b)) == (-2.0, 6.5)
    turned = from_python(plane.turn)(frame, a)
    assert complex(*turned) == pytest.approx(complex(*a) * np.exp(0.7j))
    assert from_python(plane.turn_back)(frame, turned) == pytest.approx(a)


# --- Morton's curve ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axes", [2, 3])
def test_interleaved_bits_can_be_taken_apart(axes):
    cells = np.random.default_rng(5).integers(0, 1 << BITS, (200, axes))
    keys = interleaved(cells)
    for axis in range(axes):
        bits = [(keys >> (axes * bit + axis) & 1) << bit for bit in range(BITS)]
        assert np.array_equal(np.sum(bits, axis=0), cells[:, axis])


def test_morton_order_visits_each_block_of_a_grid_before_the_next():
    places = np.array([(x, y) for x in range(8) for y in range(8)], float)
    blocks = (places[in_morton_order(places)] // 4).astype(int)
    assert [tuple(block) for block in blocks[::16]] == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert (blocks.reshape(4, 16, 2) == blocks[::16, None]).all()
    assert in_morton_order(np.zeros((5, 3))).tolist() == [0, 1, 2, 3, 4]
