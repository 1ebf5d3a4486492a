"""Second moments of a loop, and how far a point may go within it, against polygons whose moments are known."""

import math

import numpy as np
import pytest

from clast.algebra.quaternions import about, matrix
from clast.backend.device import from_python, routine
from clast.contact.sharp.area import Overlapping, part_inside, spread_of

TURN = matrix(about((1.0, 2.0, 3.0), 0.7))
SHORT = 1e-12


@from_python
@routine
def spread(edges, begin, faces, point, link, origin, one, two):
    return spread_of(Overlapping(edges, begin, faces, point, link), origin, one, two)


@from_python
@routine
def inside(edges, begin, faces, point, link, start, way, against):
    return part_inside(Overlapping(edges, begin, faces, point, link), start, way, against, SHORT)


def scratch_of(corners: np.ndarray) -> tuple:
    """An overlap with this loop (k, 2), clockwise seen along its normal z: every other edge written the other way round, and
    between them edges that are not of the loop."""
    count = len(corners)
    flat = np.column_stack([corners, np.zeros(count)])
    points = np.vstack([flat, np.array([0.1, 0.2, 0.5]) + flat]) @ TURN.T
    rows = []
    for k in range(count):
        a, b = (k + 1) % count, k  # about −z
        rows.append((a, b, 9, 2) if k % 2 else (b, a, 2, 9))
        rows.append((k, count + k, 1, 2))
        rows.append((count + k, count + (k + 1) % count, 9, 8))
    return len(rows), 6, 5, np.concatenate([np.full(6, np.nan), points.ravel()]), np.array(rows, np.int64).ravel()


def axes(angle: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Two tangents with z × one = two, in the frame of the overlap."""
    one = np.array([math.cos(angle), math.sin(angle), 0.0])
    return tuple(TURN @ one), tuple(TURN @ np.cross([0.0, 0.0, 1.0], one))


def rectangle(a: float, b: float) -> np.ndarray:
    return 0.5 * np.array([(-a, -b), (a, -b), (a, b), (-a, b)])


SHAPES = {
    "rectangle": (rectangle(1.0, 0.6), (1.0 / 12.0, 0.0, 0.03)),
    "triangle": (np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]), (1 / 18, -1 / 36, 1 / 18)),
    "circle": (np.array([(math.cos(t), math.sin(t)) for t in np.linspace(0, 2 * np.pi, 2001)[:-1]]), (0.25, 0.0, 0.25)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_second_moments_are_about_the_middle_whatever_the_origin_and_the_axes(name):
    corners, (xx, xy, yy) = SHAPES[name]
    known = np.array([[xx, xy], [xy, yy]])
    for angle, away in ((0.0, (0.0, 0.0, 0.0)), (0.5, (0.3, -0.4, 0.2)), (-2.0, (-0.1, 0.1, -1.0))):
        found = spread(*scratch_of(corners), tuple(TURN @ away), *axes(angle))
        turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
        expected = turn @ known @ turn.T
        assert found == pytest.approx((expected[0, 0], expected[0, 1], expected[1, 1]), abs=1e-5 if name == "circle" else 1e-14)


def test_a_loop_without_area_spreads_nowhere():
    assert spread(*scratch_of(np.zeros((4, 2))), (0.0, 0.0, 0.0), *axes(0.3)) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("start, way, part", [
    ((0.0, 0.0), (0.3, 0.2), 1.0),
    ((0.0, 0.0), (1.0, 0.0), 0.5),
    ((0.0, 0.0), (0.0, -0.6), 0.5),
    ((0.4, 0.0), (0.3, 0.1), 1 / 3),
    ((0.5, 0.1), (0.1, 0.0), 0.0),
    ((0.6, 0.0), (0.1, 0.0), 0.0),
    ((0.6, 0.0), (-0.1, 0.0), 1.0),
    ((0.1, 0.1), (0.0, 0.0), 1.0),
])  # fmt: skip
def test_how_far_a_point_may_go(start, way, part):
    """Also where an edge has hardly any length: its direction does not count."""
    corners, against = rectangle(1.0, 0.6), tuple(TURN @ [0.0, 0.0, 1.0])
    split = np.vstack([corners, corners[-1] + [1e-14, -3e-15]])
    for loop in (corners, split):
        place, more = (tuple(TURN @ [*each, 0.7]) for each in (start, way))
        more = tuple(np.array(more) - TURN @ [0.0, 0.0, 0.7])
        assert inside(*scratch_of(loop), place, more, against) == pytest.approx(part, abs=1e-12)
