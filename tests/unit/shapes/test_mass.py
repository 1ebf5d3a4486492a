"""Mass properties: closed forms, invariances, and three independent ways to the same numbers."""

import math

import numpy as np
import pytest
import shapely

from clast.shapes import (
    clump,
    convex_mass,
    cow,
    disk,
    mass_properties,
    peanut,
    pebble,
    polygon,
    polyline,
    quasi_monte_carlo,
    regular,
    rice,
    segment,
    union_mass,
)
from clast.shapes.plane.mass import sector

R = 0.3
ELL = [(0, 0), (2, 0), (2, 0.7), (0.8, 0.7), (0.8, 2), (0, 2)]
ZIGZAG = [(0, 0), (1, 0.1), (0.4, 0.5), (1.2, 0.9), (0.1, 1.1)]
# a letter C whose mouth is narrower than 2r: the union has a hole
RING = [(1, 0.2), (0.6, 0.9), (-0.4, 1), (-1, 0.3), (-0.9, -0.6), (0, -1), (0.9, -0.2)]


def close(a, b, rel):
    assert a.area == pytest.approx(b.area, rel=rel)
    assert a.inertia == pytest.approx(b.inertia, rel=rel)
    assert np.allclose(a.centroid, b.centroid, rtol=0, atol=rel * math.sqrt(b.area))


def rectangle_about_centre(length, width):
    return length * width * (length**2 + width**2) / 12


def test_disk():
    shape = disk(radius=2.0)
    assert shape.area == pytest.approx(4 * math.pi, rel=1e-15)
    assert shape.inertia == pytest.approx(0.5 * math.pi * 2.0**4, rel=1e-15)


def test_stadium_closed_form():
    length = 1.7
    shape = segment((0.3, -1), (0.3 + length * 0.6, -1 + length * 0.8), R)
    # two half disks, each with its centroid 4R/3π beyond the end of the segment
    half = 0.5 * math.pi * R**2
    bar = 4 * R / (3 * math.pi)
    own = 0.25 * math.pi * R**4 - half * bar**2
    inertia = rectangle_about_centre(length, 2 * R) + 2 * (own + half * (length / 2 + bar) ** 2)
    assert shape.area == pytest.approx(2 * R * length + math.pi * R**2, rel=1e-14)
    assert shape.inertia == pytest.approx(inertia, rel=1e-14)


def test_rounded_rectangle_inertia():
    a, b = 1.1, 0.6
    shape = polygon([(0, 0), (a, 0), (a, b), (0, b)], R)
    quarter = 0.25 * math.pi * R**2
    bar = 4 * R / (3 * math.pi)  # of a quarter disk, along either axis
    own = 0.125 * math.pi * R**4 - quarter * 2 * bar**2
    inertia = (
        rectangle_about_centre(a, b)
        + 2 * (a * R * (a**2 + R**2) / 12 + a * R * (b / 2 + R / 2) ** 2)
        + 2 * (b * R * (b**2 + R**2) / 12 + b * R * (a / 2 + R / 2) ** 2)
        + 4 * (own + quarter * ((a / 2 + bar) ** 2 + (b / 2 + bar) ** 2))
    )
    assert shape.inertia == pytest.approx(inertia, rel=1e-13)


@pytest.mark.parametrize("sides", [3, 4, 5, 6, 17])
def test_steiner_area(sides):
    side = 0.8
    bare = sides * side**2 / (4 * math.tan(math.pi / sides))
    shape = regular(sides, R, side=side)
    assert shape.area == pytest.approx(bare + sides * side * R + math.pi * R**2, rel=1e-14)
    assert np.allclose(shape.origin, 0, atol=1e-14)


def test_sector_is_continuous_to_zero():
    for beta in (1e-12, 1e-9, 1e-6, 1e-4, 1e-3):
        area, tip, own = sector(beta, 2.0)
        assert area == pytest.approx(2 * beta, rel=1e-14)
        assert tip == pytest.approx(4 / 3 * (1 - beta**2 / 24), rel=1e-14)
        # the bracket's series: 1/18 + β²/27 − …
        assert own / (area * 4) == pytest.approx(1 / 18 + beta**2 / 27 - beta**4 * 16 / 18 / 720, rel=1e-13)
    for beta in (0.5, 2.0, math.pi, 2 * math.pi):
        area, tip, own = sector(beta, 2.0)
        printed = (16 * (math.cos(beta) - 1) + 9 * beta**2) / (18 * beta**2)
        assert own / (area * 4) == pytest.approx(printed, rel=1e-12)
        assert tip == pytest.approx(8 * math.sin(beta / 2) / (3 * beta), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("shape", [disk(), rice(), pebble(), regular(7, 0.2, side=1.0)], ids=lambda s: s.name)
def test_union_equals_closed_form_where_both_hold(shape):
    by_union = union_mass(shape.vertices, shape.edges, shape.radius, closed=shape.is_closed)
    close(by_union, convex_mass(shape.vertices, shape.radius), rel=1e-12)


def test_union_of_random_convex_polygons():
    rng = np.random.default_rng(3)
    for _ in range(10):
        angle = np.sort(rng.random(8)) * 2 * np.pi
        ring = polygon(np.stack([3 * np.cos(angle), np.sin(angle)], axis=1), rng.choice([0.05, 0.5, 0.8]))
        by_union = union_mass(ring.vertices, ring.edges, ring.radius, closed=True)
        close(by_union, convex_mass(ring.vertices, ring.radius), rel=1e-11)


def test_two_disks_closed_form():
    for gap in (0.01, 0.5, 1.0, 1.9, 2.5):
        half = math.acos(min(1.0, gap / 2))
        lens = 2 * half - math.sin(2 * half)
        shape = clump([(0, 0), (gap, 0)], 1.0)
        assert shape.area == pytest.approx(2 * math.pi - lens, rel=1e-13)


def test_bent_polyline_closed_form():
    # two arms of length 1 at the turn φ: the rectangles overlap inside the bend in a kite, the cap outside is a sector
    for turn in (1e-7, 0.1, 1.0, 2.0):
        shape = polyline([(-1, 0), (0, 0), (math.cos(turn), math.sin(turn))], R)
        overlap = R**2 * math.tan(turn / 2)
        area = 4 * R + math.pi * R**2 + 0.5 * turn * R**2 - overlap
        assert shape.area == pytest.approx(area, rel=1e-12)


def test_edges_two_radii_apart():
    # offset lines that coincide over an interval: a J with parallel arms exactly 2r apart is full inside
    r = 0.25
    outer = 1.0 * 1.0 + 2 * 0.5 * math.pi * r**2 + 0.5 * r + 2 * 0.25 * math.pi * r**2 + 0.4 * 2 * r
    for angle in np.linspace(0, 3, 31):  # rounding puts the lines now on one side of each other, now on the other
        turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        shape = polyline(np.array([(0, 1), (0, 0), (0.5, 0), (0.5, 1.4)]) @ turn.T, r)
        assert shape.area == pytest.approx(outer, rel=1e-8)


CASES = {
    "ell": lambda: polygon(ELL, R),
    "zigzag": lambda: polyline(ZIGZAG, 0.2),
    "ring": lambda: polyline(RING, R),
    "peanut": peanut,
    "clump": lambda: clump([(0, 0), (0.5, 0.1), (0.9, -0.6), (2.5, 0), (0.1, 0.35)], 0.4),
    "cow": cow,
}


@pytest.mark.parametrize("name", CASES)
def test_union_against_buffer(name):
    """GEOS with fine chords lies inside the arcs by Δ²/6 of the sectors' area at most."""
    shape = CASES[name]()
    quad = 1024
    kind = shapely.Polygon if shape.is_closed else shapely.LineString if len(shape.edges) else shapely.MultiPoint
    body = kind(shape.vertices).buffer(shape.radius, quad_segs=quad)
    deficit = (math.pi / 2 / quad) ** 2 / 6 * math.pi * shape.radius**2 * len(shape.vertices)
    assert 0 <= shape.area - body.area <= deficit
    assert np.allclose([body.centroid.x, body.centroid.y], 0, atol=1e-6 * shape.reach)
    ring_moment = sum(sign * _moment(ring) for sign, ring in _rings(body))
    assert shape.inertia == pytest.approx(ring_moment, rel=2e-6)


def _rings(body):
    for part in shapely.get_parts(body):
        yield 1, np.asarray(shapely.geometry.polygon.orient(part).exterior.coords)
        for hole in part.interiors:
            yield -1, np.asarray(shapely.Polygon(hole).normalize().exterior.coords)[::-1]


def _moment(ring):
    a, b = ring[:-1], ring[1:]
    cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return abs((cross * (a * a + a * b + b * b).sum(axis=1)).sum() / 12)


@pytest.mark.parametrize("name", CASES)
def test_union_against_quasi_monte_carlo(name):
    shape = CASES[name]()
    counted = quasi_monte_carlo(shape, 1 << 15)
    assert counted.area == pytest.approx(shape.area, rel=2e-3)
    assert counted.inertia == pytest.approx(shape.inertia, rel=4e-3)
    assert np.allclose(counted.centroid, 0, atol=2e-3 * shape.reach)


def test_either_orientation():
    one, other = polygon(ELL, R), polygon([ELL[0], *ELL[:0:-1]], R)
    assert np.array_equal(one.vertices, other.vertices)
    assert (one.area, one.inertia) == (other.area, other.inertia)


@pytest.mark.parametrize("points,make", [(ELL, polygon), (ZIGZAG, polyline), (ZIGZAG, clump)])
def test_moved_and_turned(points, make):
    still = make(points, R)
    angle = 0.7
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    moved = make(np.array(points) @ turn.T + [1e4, -3e3], R)
    assert moved.area == pytest.approx(still.area, rel=1e-10)
    assert moved.inertia == pytest.approx(still.inertia, rel=1e-10)
    assert np.allclose(moved.vertices, still.vertices @ turn.T, atol=1e-10)


def test_scaled_coordinates_scale_the_bits():
    factor = 2.0**-10
    for make, points in ((polygon, ELL), (polyline, ZIGZAG), (clump, ZIGZAG)):
        big, small = make(points, R), make(np.array(points) * factor, R * factor)
        assert small.area == big.area * factor**2
        assert small.inertia == big.inertia * factor**4


def test_the_way_is_chosen_by_the_skeleton():
    ell, tri = polygon(ELL, R), polygon(ELL[:3], R)
    close(
        mass_properties(ell.vertices, ell.edges, R, closed=True),
        union_mass(ell.vertices, ell.edges, R, closed=True),
        rel=1e-15,
    )
    close(mass_properties(tri.vertices, tri.edges, R, closed=True), convex_mass(tri.vertices, R), rel=1e-15)
