"""Shapes: what they store, what they refuse, and the library."""

import math
import warnings

import numpy as np
import pytest
import shapely
from refused import assert_refused

from clast.errors import ShapeError
from clast.shapes import (
    ThinShapeWarning,
    clump,
    clumpy_cow,
    cow,
    disk,
    peanut,
    pebble,
    point,
    polygon,
    polyline,
    regular,
    rice,
    segment,
)
from clast.shapes.plane.validity import TOLERANCE, without_collinear

SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]
ARROW = [(0, 0), (2, 1), (0, 2), (0.6, 1)]
ALL = {
    "disk": disk,
    "rice": rice,
    "peanut": peanut,
    "pebble": pebble,
    "cow": cow,
    "arrow": lambda: polygon(ARROW, 0.2),
    "clump": lambda: clump([(0, 0), (1, 0), (1, 2)], 0.7),
}


def moved_back(shape):
    """Vertices in the user's coordinates."""
    return shape.vertices - shape.origin


def test_polygon_is_stored_counter_clockwise_about_its_centre_of_mass():
    shape = polygon([(2, 3), (2, 4), (3, 4), (3, 3)], 0.1)
    assert np.allclose(moved_back(shape), [(2, 3), (3, 3), (3, 4), (2, 4)])
    assert np.allclose(shape.vertices[0], (-0.5, -0.5))
    assert np.allclose(shape.origin, (-2.5, -3.5))
    assert shape.edges.tolist() == [[0, 1], [1, 2], [2, 3], [3, 0]]
    assert shape.is_closed
    assert shape.reach == pytest.approx(math.sqrt(0.5) + 0.1)


def test_open_chain_and_points():
    chain = polyline([(0, 0), (1, 0), (1, 1)], 0.1)
    assert chain.edges.tolist() == [[0, 1], [1, 2]]
    assert not chain.is_closed
    assert segment((0, 0), (1, 0), 0.1).edges.tolist() == [[0, 1]]
    assert clump(SQUARE, 0.1).edges.shape == (0, 2)
    assert point(2.0).vertices.tolist() == [[0, 0]]
    assert chain.thickness == point(1.0).thickness == math.inf


def test_arrays_are_read_only_and_the_users_stay_his():
    mine = np.array(SQUARE, dtype=float)
    shape = polygon(mine, 0.1)
    mine[0] = 7
    assert abs(shape.vertices).max() < 1
    for array in (shape.vertices, shape.edges, shape.origin):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_superfluous_vertices_are_left_out():
    fine = [(0.5, 0), (1, 0), (1, 0.25), (1, 0.5), (1, 1), (0, 1), (0, 0), (0.25, 0), (0.5, 0)]
    shape = polygon(fine, 0.1)
    assert sorted(map(tuple, np.round(moved_back(shape), 12) + 0.0)) == sorted(SQUARE)
    assert len(polyline([(0, 0), (1, 1e-12), (2, 0), (2, 1)], 0.1).vertices) == 3
    # a very flat corner is still a corner
    assert len(polyline([(0, 0), (1, 1e-6), (2, 0), (2, 1)], 0.1).vertices) == 4


@pytest.mark.parametrize("start", [0, 1, 200, 400])
def test_a_bend_in_many_small_steps_stays(start):
    """Each vertex of a finely drawn arc is on the line between its neighbours, but the arc is no line."""
    angle = 1e-5 * np.arange(401)
    arc = np.stack([np.sin(angle), np.cos(angle)], axis=1)
    within = 1.001 * TOLERANCE  # of a body of size 1
    open_ = shapely.LineString(arc[without_collinear(arc, 1.0, closed=False)])
    sector = np.roll(np.concatenate([arc, [(0.0, 0.0)]]), -start, axis=0)
    closed = shapely.Polygon(sector[without_collinear(sector, 1.0, closed=True)]).exterior
    for kept in (open_, closed):
        assert 10 < len(kept.coords) < 100
        assert shapely.distance(shapely.points(arc), kept).max() <= within


BAD = {
    "NaN": (lambda: polygon([(0, 0), (1, 0), (math.nan, 1)], 0.1), "vertex 2 at (nan, 1)"),
    "infinite": (lambda: polyline([(0, 0), (math.inf, 0)], 0.1), "vertex 1 at (inf, 0)"),
    "repeated": (lambda: polygon([(0, 0), (1, 0), (1, 0), (0, 1)], 0.1), "vertex 2 at (1, 0) repeats vertex 1"),
    "nearly repeated": (lambda: polyline([(0, 0), (1, 0), (1, 1e-11)], 0.1), "vertex 2 at (1, 1e-11) repeats vertex 1"),
    "two vertices": (lambda: polygon([(0, 0), (1, 0)], 0.1), "at least 3 vertices, got 2 (the last is vertex 1"),
    "two and a closing one": (lambda: polygon([(0, 0), (1, 0), (0, 0)], 0.1), "at least 3 vertices, got 2"),
    "one-point line": (lambda: polyline([(0, 0)], 0.1), "at least 2 vertices, got 1"),
    "nothing": (lambda: clump([], 0.1), "at least 1 vertices, got 0"),
    "flat": (lambda: polygon([(0, 0), (1, 1), (2, 2)], 0.1), "no area: all vertices lie on the line from vertex 0 at"),
    "bow tie": (
        lambda: polygon([(0, 0), (1, 1), (1, 0), (0, 1)], 0.1),
        "edge 0-1 (from (0, 0) to (1, 1)) crosses edge 2-3",
    ),
    "loop": (
        lambda: polyline([(0, 0), (2, 0), (2, 1), (1, -1)], 0.1),
        "edge 0-1 (from (0, 0) to (2, 0)) crosses edge 2-3",
    ),
    "numbers as given": (
        lambda: polygon([(0, 0), (0.5, 0.5), (1, 1), (1, 0), (0, 1)], 0.1),
        "edge 0-2 (from (0, 0) to (1, 1)) crosses edge 3-4",
    ),
    "touching": (
        lambda: polygon([(0, 0), (2, 0), (2, 2), (1, 0), (0, 2)], 0.1),
        "vertex 3 at (1, 0) lies on edge 0-1",
    ),
    "spike": (lambda: polygon([(0, 0), (2, 0), (2, 2), (2, -1)], 0.1), "vertex 1 at (2, 0) lies on edge 2-3"),
    "folded": (lambda: polyline([(0, 0), (2, 0), (1, 0)], 0.1), "vertex 2 at (1, 0) lies on edge 0-1"),
    "closed line": (lambda: polyline([*SQUARE, SQUARE[0]], 0.1), "vertex 0 at (0, 0) lies on edge 3-4"),
    "clump repeats": (lambda: clump([(0, 0), (1, 0), (0, 0)], 0.1), "vertex 2 at (0, 0) repeats vertex 0"),
    "zero radius": (lambda: polygon(SQUARE, 0.0), "sphero-radius must be positive"),
    "negative radius": (lambda: point(-1.0), "sphero-radius must be positive"),
    "NaN radius": (lambda: point(math.nan), "sphero-radius must be positive"),
    "word radius": (lambda: point("wide"), "sphero-radius must be a number"),
    "3D": (lambda: polygon([(0, 0, 0), (1, 0, 0), (0, 1, 0)], 0.1), "shape (n, 2)"),
    "ragged": (lambda: segment((0, 0), (1, 0, 0), 0.1), "pairs of numbers"),
    "two-gon": (lambda: regular(2, 0.1, side=1.0), "whole number of at least 3"),
    "no size": (lambda: regular(5, 0.1), "either side or circumradius"),
    "flat clump": (lambda: clump(SQUARE, 0.1, area=-1.0), "area of a clump must be positive"),
    "other clumpy cow": (lambda: clumpy_cow(300), "296"),
    "disk twice": (lambda: disk(1.0, radius=1.0), "not by both"),
    "no scale": (lambda: point(1.0).scaled(0.0), "positive number"),
    "no area": (lambda: point(1.0).with_area(-1.0), "positive number"),
}


@pytest.mark.parametrize("name", BAD)
def test_refusals_name_the_vertex(name):
    make, words = BAD[name]
    assert_refused(make, words, error=ShapeError)


@pytest.mark.parametrize("name", ALL)
def test_power_of_two_scales_every_bit(name):
    shape = ALL[name]()
    factor = 2.0**-10
    small = shape.scaled(factor)
    assert np.array_equal(small.vertices, shape.vertices * factor)
    assert np.array_equal(small.origin, shape.origin * factor)
    assert np.array_equal(small.edges, shape.edges)
    assert (small.radius, small.reach) == (shape.radius * factor, shape.reach * factor)
    assert small.area == shape.area * factor**2
    assert small.inertia == shape.inertia * factor**4
    assert small.thickness == shape.thickness * factor


@pytest.mark.parametrize("name", ALL)
def test_with_area(name):
    shape = ALL[name]()
    other = shape.with_area(3.7)
    assert other.area == 3.7
    assert other.inertia / other.area**2 == pytest.approx(shape.inertia / shape.area**2)
    assert other.radius**2 / other.area == pytest.approx(shape.radius**2 / shape.area)


@pytest.mark.parametrize("name", ALL)
def test_contains_against_shapely(name):
    shape = ALL[name]()
    kind = shapely.Polygon if shape.is_closed else shapely.LineString if len(shape.edges) else shapely.MultiPoint
    rng = np.random.default_rng(5)
    points = (2 * rng.random((4000, 2)) - 1) * shape.reach
    expected = shapely.distance(kind(shape.vertices), shapely.points(points)) <= shape.radius
    assert 0.05 < expected.mean() < 0.95
    assert np.array_equal(shape.contains(points), expected)


def test_contains_keeps_the_shape_of_its_argument():
    shape = polygon(SQUARE, 0.1)
    assert shape.contains((0.0, 0.55)).shape == ()
    assert shape.contains(np.zeros((3, 5, 2))).shape == (3, 5)
    assert shape.contains([(0.59, 0.0), (0.61, 0.0)]).tolist() == [True, False]
    with pytest.raises(ShapeError):
        shape.contains([1.0, 2.0, 3.0])


def test_outline_has_the_area_and_the_holes():
    square = polygon(SQUARE, 0.1)
    (ring,) = square.outline(256)
    assert np.array_equal(ring[0], ring[-1])
    assert shapely.Polygon(ring).area == pytest.approx(square.area, rel=1e-4)
    hollow = polyline([(0.5, 0.1), (0, 1), (-1, 0), (0, -1), (0.5, -0.1)], 0.2)
    assert len(hollow.outline()) == 2
    assert len(clump([(0, 0), (5, 0)], 1.0).outline()) == 2


def test_thickness():
    assert polygon([(0, 0), (5, 0), (5, 0.4), (0, 0.4)], 0.1).thickness == pytest.approx(0.4)
    # blunting a corner with a short edge does not make a grain thin
    assert polygon([(0, 0), (1, 0), (1, 0.99), (0.99, 1), (0, 1)], 0.1).thickness > 0.9
    round_one = regular(400, 0.1, circumradius=1.0)
    assert round_one.thickness == pytest.approx(2.0, rel=1e-3)
    # a neck: two reflex vertices 0.3 apart
    neck = polygon([(-2, -1), (0, -0.1), (2, -1), (2, 1), (0.02, 0.2), (-2, 1)], 0.1)
    assert 0.25 < neck.thickness < 0.31
    # a gap outside is not a thin place
    horseshoe = polygon([(0, 0), (3, 0), (3, 3), (1.55, 3), (1.55, 1), (1.45, 1), (1.45, 3), (0, 3)], 0.01)
    assert horseshoe.thickness == pytest.approx(1.0)


def test_thin_polygons_are_warned_about():
    with pytest.warns(ThinShapeWarning, match=r"only 0\.009 thick"):
        polygon([(0, 0), (1, 0), (1, 0.009), (0, 0.009)], 0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        polygon([(0, 0), (1, 0), (1, 0.011), (0, 0.011)], 0.1)


def test_gm09_shapes():
    for make in (disk, rice, peanut, pebble):
        assert make().area == 1.0
        assert make(0.7).area == 0.7
        assert make(0.7).inertia == pytest.approx(0.49 * make().inertia)
    assert disk().radius == pytest.approx(0.564, abs=5e-4)
    assert rice().radius == pytest.approx(0.374, abs=5e-4)
    for shape, arm in ((rice(), 2.0), (peanut(), 1.2), (pebble(), 1.2)):
        d = shape.vertices[shape.edges[:, 1]] - shape.vertices[shape.edges[:, 0]]
        assert np.allclose(np.hypot(*d.T), arm * shape.radius, rtol=1e-12)
    first, second = np.diff(peanut().vertices, axis=0)
    cos = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
    assert math.degrees(math.acos(cos)) == pytest.approx(40)
    assert len(pebble().vertices) == 3


def test_the_cow():
    animal = cow()
    assert animal.vertices.shape == (62, 2)
    assert animal.edges.shape == (62, 2)
    assert animal.radius == 0.1
    assert animal.area == pytest.approx(6.52, abs=1e-9)
    length, height = np.ptp(animal.vertices, axis=0)
    assert 3.0 <= length <= 3.5
    assert 2.6 <= height <= 2.8
    assert shapely.Polygon(animal.vertices).is_simple
    assert shapely.Polygon(animal.vertices).is_valid
    assert animal.thickness > 0.07
    # nothing that is drawn apart grows together: one outline without holes
    assert len(animal.outline()) == 1
    # four legs, seen in a cut just above the feet
    feet = animal.vertices[:, 1].min()
    row = np.stack([np.linspace(-2, 2, 4001), np.full(4001, feet + 0.1)], axis=1)
    starts = np.count_nonzero(np.diff(animal.contains(row).astype(int)) == 1)
    assert starts == 4


@pytest.mark.parametrize("disks", [726, 296])
def test_clumpy_cows(disks):
    animal, twin = cow(), clumpy_cow(disks)
    assert twin.vertices.shape == (disks, 2)
    assert len(twin.edges) == 0
    assert (twin.radius, twin.area, twin.inertia) == (animal.radius, animal.area, animal.inertia)
    assert np.array_equal(twin.origin, animal.origin)
    on_boundary = shapely.distance(shapely.Polygon(animal.vertices).exterior, shapely.points(twin.vertices)) < 1e-12
    assert np.count_nonzero(on_boundary) == 296
    assert np.all(shapely.Polygon(animal.vertices).buffer(1e-9).covers(shapely.points(twin.vertices)))
    for corner in animal.vertices:  # the shell keeps every corner, so horns and hooves are as long as the cow's
        assert np.abs(twin.vertices - corner).sum(axis=1).min() < 1e-12
    if disks == 726:
        rng = np.random.default_rng(2)
        points = (2 * rng.random((4000, 2)) - 1) * animal.reach
        assert np.count_nonzero(animal.contains(points) != twin.contains(points)) <= 0.005 * 4000
