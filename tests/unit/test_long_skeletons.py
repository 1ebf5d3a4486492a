"""Walls and outlines of thousands of points: what a tree of boxes finds is what looking at all pairs finds, and it is quick."""

import time
import warnings

import numpy as np
import pytest
import shapely

from clast.dynamics.plane.layout import lay_out
from clast.errors import ShapeError
from clast.laws import Linear
from clast.scene.plane import Scene
from clast.shapes import ThinShapeWarning, clump, disk, polygon, polyline, regular
from clast.shapes.plane import nearness, thickness, union
from clast.shapes.plane.inside import distance_to_segments
from clast.shapes.plane.validity import TOLERANCE, without_collinear

LONG = 20_000
PER_POINT = 200  # pairs looked at for each point of a long skeleton; all pairs would be 20 000


def terrain(n, rough, seed=0):
    """(n, 2): a landscape over a base of length n/100."""
    return np.stack([0.01 * np.arange(n), rough * np.random.default_rng(seed).standard_normal(n)], axis=1)


def wobbly_ring(n, rough, seed=0):
    """(n, 2): a circle of perimeter n/100, its radius up and down."""
    angle = 2.0 * np.pi * np.arange(n) / n
    radius = 0.01 * n / (2.0 * np.pi) + rough * np.random.default_rng(seed).standard_normal(n)
    return radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def comb(teeth, gap):
    """(4·teeth + 2, 2): a closed comb, its slots as narrow as `gap`."""
    x = np.arange(teeth)[:, None] + np.array([0.0, 0.0, 1.0 - gap, 1.0 - gap])
    y = np.broadcast_to([0.0, 1.0, 1.0, 0.0], x.shape)
    teeth_ = np.stack([x.ravel(), y.ravel()], axis=1)
    return np.concatenate([teeth_, [(teeth - gap, -0.3), (0.0, -0.3)]])[::-1]


def two_necks(sharp, long):
    """(n, 2): a body with a neck between the tips of two notches, `sharp` wide, and one between two long edges, `long` wide."""
    x = np.linspace(-1.0, 1.0, 101)
    tips = np.stack([x, 0.5 * sharp + np.abs(x) + 0.5 * x**2], axis=1)
    top = tips[0, 1]
    flat = [(2.0, 0.5 * long), (3.0, 0.5 * long), (3.3, 1.0), (4.5, 1.0)]
    upper = np.concatenate([[(-2.0, top)], tips, [(1.5, top)], flat])
    return np.concatenate([upper * (1.0, -1.0), upper[::-1]])


def walk(n, seed):
    return np.random.default_rng(seed).standard_normal((n, 2)).cumsum(axis=0)


def all_pairs(monkeypatch):
    monkeypatch.setattr(nearness, "FEW", 10**9)
    monkeypatch.setattr(thickness, "_FEW", 10**9)


def small_blocks(monkeypatch):
    monkeypatch.setattr(nearness, "_ROWS", 7)
    monkeypatch.setattr(nearness, "_PAIRS", 20)


SHAPES = {
    "terrain": lambda: polyline(terrain(300, 0.01), 0.02),
    "gentle terrain": lambda: polyline(terrain(300, 1e-4), 0.05),
    "ring": lambda: polygon(wobbly_ring(300, 0.01), 0.02),
    "gentle ring": lambda: polygon(wobbly_ring(300, 1e-5), 0.02),
    "convex": lambda: regular(301, 0.1, circumradius=1.0),
    "comb": lambda: polygon(comb(40, 0.1), 0.03),
    "narrow comb": lambda: polygon(comb(40, 1e-6), 0.03),
    "clump": lambda: clump(walk(150, 3), 1.0),
}


@pytest.mark.parametrize("blocks", ["usual", "small"])
@pytest.mark.parametrize("make", SHAPES.values(), ids=SHAPES.keys())
def test_trees_find_what_all_pairs_find(make, blocks, monkeypatch):
    if blocks == "small":
        small_blocks(monkeypatch)
    found = make()
    all_pairs(monkeypatch)
    wanted = make()
    assert np.array_equal(found.vertices.shape, wanted.vertices.shape)
    assert found.area == pytest.approx(wanted.area, rel=1e-13)
    assert found.inertia == pytest.approx(wanted.inertia, rel=1e-13)
    assert found.reach == pytest.approx(wanted.reach, rel=1e-13)
    assert found.thickness == wanted.thickness


@pytest.mark.parametrize("sharp", np.geomspace(0.01, 0.5, 16))
@pytest.mark.parametrize("long", [0.98, 1.02])
def test_the_narrower_of_two_necks_counts_however_deep_one_has_to_look(sharp, long):
    assert polygon(two_necks(sharp, long * sharp), 0.01).thickness == pytest.approx(min(1.0, long) * sharp, rel=1e-12)


def test_the_area_of_a_landscape_is_that_of_fine_chords():
    """Bays of the outline, pieces inside the polygon among them, against shapely's buffer."""
    for shape in (polygon(comb(40, 0.1), 0.03), polygon(wobbly_ring(300, 0.01), 0.02), polyline(terrain(300, 0.01), 0.02)):
        skeleton = shapely.Polygon(shape.vertices) if shape.is_closed else shapely.LineString(shape.vertices)
        assert shape.area == pytest.approx(skeleton.buffer(shape.radius, quad_segs=256).area, rel=1e-5)


def refusal(make):
    try:
        make()
    except ShapeError as error:
        return str(error)
    return ""


def first_crossing(p):
    """The first two edges of an open chain (n, 2) that cross, the plain way: numbers of their first vertices."""

    def left(a, b, c):
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0.0

    for k in range(len(p) - 1):
        for j in range(len(p) - 1):
            a, b, c, d = p[k], p[k + 1], p[j], p[j + 1]
            if abs(j - k) > 1 and left(a, b, c) != left(a, b, d) and left(c, d, a) != left(c, d, b):
                return k, j
    return None


@pytest.mark.parametrize("n", [12, 90])
@pytest.mark.parametrize("seed", range(8))
def test_the_first_crossing_is_named(n, seed):
    points = walk(n, seed) + 0.6 * np.arange(n)[:, None]
    found, wanted = refusal(lambda: polyline(points, 0.01)), first_crossing(points)
    if wanted is None:
        assert found == ""
    else:
        k, j = wanted
        assert f"edge {k}-{k + 1} " in found and f"crosses edge {j}-{j + 1} " in found


@pytest.mark.parametrize("edge", [29, 30], ids=["level", "slanted"])
@pytest.mark.parametrize("off", [0.0, 0.5, 0.99, 1.01, 3.0])
def test_a_vertex_that_touches_a_far_edge_is_named(off, edge):
    """Nearer than the tolerance counts, farther does not."""
    k = np.arange(80)
    there = np.stack([k, 0.1 * ((k + 1) // 2 % 2)], axis=1)
    size = 79.0 + 0.02
    d = there[edge + 1] - there[edge]
    tip = there[edge] + 0.5 * d + off * TOLERANCE * size * np.array([-d[1], d[0]]) / np.hypot(*d)
    chain = np.concatenate([there, [(79.0, 2.0), (31.5, 2.0)], [tip], [(29.5, 3.0)]])
    gap = distance_to_segments(tip[None], chain[:-1], chain[1:])[0]
    near = [k for k in np.flatnonzero(gap <= TOLERANCE * size).tolist() if k not in (81, 82)]
    assert near == ([edge] if off < 1.0 else [])
    found = refusal(lambda: polyline(chain, 0.01))
    assert (f"vertex 82 at ({tip[0]:.6g}" in found and f"lies on edge {edge}-{edge + 1} " in found) if near else found == ""


def plainly_without_collinear(chain, tolerance):
    """Vertices of an open chain that stay: the plain way, every vertex left out compared with every line."""
    kept = [0]
    for i in range(1, len(chain) - 1):
        d, rel = chain[i + 1] - chain[kept[-1]], chain[kept[-1] + 1 : i + 1] - chain[kept[-1]]
        along, off = rel @ d, np.abs(d[0] * rel[:, 1] - d[1] * rel[:, 0])
        if not np.all((along > 0.0) & (along < d @ d) & (off <= tolerance * np.sqrt(d @ d))):
            kept.append(i)
    return [*kept, len(chain) - 1]


@pytest.mark.parametrize("noise", [0.0, 1e-10, 5e-10, 2e-9, 1e-8])
@pytest.mark.parametrize("seed", range(4))
def test_straight_runs_end_where_the_plain_way_ends_them(noise, seed):
    rng = np.random.default_rng(seed)
    corners = np.stack([np.arange(8.0), rng.random(8)], axis=1) / 8.0
    share = np.sort(rng.random((7, 60)), axis=1)[..., None]
    runs = (corners[:-1, None] + share * (corners[1:] - corners[:-1])[:, None]).reshape(-1, 2)
    runs = runs + noise * rng.standard_normal(runs.shape)
    assert without_collinear(runs, 1.0, closed=False).tolist() == plainly_without_collinear(runs, TOLERANCE)


def test_a_repeated_disk_is_named_first_by_the_later():
    points = walk(100, 1)
    points[[70, 90, 95]] = points[[20, 4, 20]] + 1e-12
    assert "vertex 70 " in refusal(lambda: clump(points, 0.1)) and "repeats vertex 20." in refusal(lambda: clump(points, 0.1))
    points[21] = points[20]
    assert "vertex 21 " in refusal(lambda: clump(points, 0.1))


def test_gaps_between_intervals():
    owner = np.array([1, 0, 0, 1, 0, 3])
    lo, hi = np.array([-1.0, 0.2, 0.5, 0.9, 0.3, 0.0]), np.array([0.5, 0.4, 0.6, 2.0, 0.35, 1.0])
    found = union.gaps(owner, lo, hi, np.zeros(4), np.array([1.0, 1.0, 1.0, 1.0]))
    assert list(zip(*(part.tolist() for part in found), strict=True)) == [
        (0, 0.0, 0.2), (0, 0.4, 0.5), (0, 0.6, 1.0), (1, 0.5, 0.9), (2, 0.0, 1.0)
    ]  # fmt: skip


@pytest.fixture
def pairs(monkeypatch):
    """The number of pairs of boxes handed out, counted while a test runs."""
    seen = [0]
    handed = nearness.Boxes.meeting

    def counted(self, low, high):
        for part in handed(self, low, high):
            seen[0] += len(part.given)
            yield part

    monkeypatch.setattr(nearness.Boxes, "meeting", counted)
    return seen


LONG_ONES = {
    "terrain": lambda: polyline(terrain(LONG, 0.003), 0.005),
    "straight": lambda: polyline(np.stack([np.arange(LONG), np.zeros(LONG)], axis=1), 0.005),
    "ring": lambda: polygon(wobbly_ring(LONG, 0.003), 0.005),
    "landscape": lambda: polygon(np.concatenate([terrain(LONG, 0.003), [(0.01 * LONG, -1.0), (0.0, -1.0)]]), 0.005),
    "clump": lambda: clump(terrain(LONG, 0.003), 0.01),
}


@pytest.mark.parametrize("make", LONG_ONES.values(), ids=LONG_ONES.keys())
def test_long_skeletons_are_not_compared_pair_by_pair(make, pairs):
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ThinShapeWarning)
        shape = make()
    took = time.perf_counter() - began
    print(f"{len(shape.vertices)} vertices: {took:.2f} s, {pairs[0] / LONG:.0f} pairs a point")
    assert pairs[0] < PER_POINT * LONG
    assert took < 20.0


def test_a_circle_of_many_sides_is_as_thick_as_it_is_wide():
    """No thin place ends the search early here: every edge looks across the whole body."""
    began = time.perf_counter()
    assert regular(LONG, 0.1, circumradius=1.0).thickness == pytest.approx(2.0, rel=1e-7)
    assert time.perf_counter() - began < 20.0


def test_a_long_wall_is_laid_out_quickly():
    began = time.perf_counter()
    scene = Scene(law=Linear(1e5))
    scene.add_wall(polyline(terrain(LONG, 0.003), 0.005))
    grain = disk(radius=0.1)
    for k in range(100):
        scene.add(grain, (0.5 + 0.25 * k, 0.3))
    layout = lay_out(scene)
    assert len(layout.geometry.vertex) == LONG + 1
    assert time.perf_counter() - began < 20.0
