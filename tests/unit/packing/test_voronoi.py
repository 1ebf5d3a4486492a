"""Voronoi-Minkowski packings: sites, diagrams, exact erosion, grains, targets, and what is refused."""

import dataclasses
import itertools
import re
import time

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.spatial import Voronoi

from clast.errors import InputError, ShapeError
from clast.output.figures.gallery import BLUNT_SIDE, CELL, CELL_DISK
from clast.packing.plane.diagram import voronoi_sides
from clast.packing.plane.erosion import eroded, half_planes
from clast.packing.plane.packing import Packing
from clast.packing.plane.voronoi import voronoi_packing
from clast.shapes import polygon, rounded
from clast.shapes.plane.make import convex_polygons

# slim triangles are warned about by `polygon`, and are not what is tested here
pytestmark = pytest.mark.filterwarnings("ignore::clast.shapes.ThinShapeWarning")

SQUARE = 6.74  # mm: equivalent diameter 7.6 mm (PRE10)


def sides_of(ring):
    """A convex polygon (n, 2), counter-clockwise, as half-planes about the mean of its corners."""
    ring = np.asarray(ring, float)
    centre = ring.mean(axis=0)
    d = np.roll(ring, -1, axis=0) - ring
    out = np.stack([d[:, 1], -d[:, 0]], axis=1) / np.hypot(*d.T)[:, None]
    return half_planes(np.zeros(len(ring), int), out, ((ring - centre) * out).sum(axis=1), 1), centre


def rings_of(rings, origins):
    """Corners of each cell where it lies."""
    return [
        rings.corners[a:b] + place
        for a, b, place in zip(rings.first[:-1], rings.first[1:], np.broadcast_to(origins, (len(rings.counts), 2)), strict=True)
    ]


def by_every_pair(normals, distances, depth):
    """Corners of an intersection of half-planes: where any two lines meet and no third cuts off. Slow and plain."""
    found = []
    for i, j in itertools.combinations(range(len(normals)), 2):
        m = np.array([normals[i], normals[j]])
        if abs(np.linalg.det(m)) > 1e-9:
            p = np.linalg.solve(m, distances[[i, j]] - depth)
            if (normals @ p <= distances - depth + 1e-9).all():
                found.append(p)
    if len(found) < 3:
        return None
    hull = shapely.MultiPoint(found).convex_hull
    return hull if hull.geom_type == "Polygon" else None


def inradius(normals, distances):
    """Of the largest disk inside, by linear programming."""
    rows = np.column_stack([normals, np.ones(len(normals))])
    return -linprog([0, 0, -1], A_ub=rows, b_ub=distances, bounds=[(None, None)] * 3).fun


@st.composite
def convex_rings(draw):
    """Convex polygons of 3 to 12 corners on an ellipse, with corners close together and far apart."""
    angles = sorted(draw(st.lists(st.integers(0, 999), min_size=3, max_size=12, unique=True)))
    flat = draw(st.floats(0.2, 1.0))
    turn = 2.0 * np.pi * np.array(angles) / 1000.0
    return np.stack([np.cos(turn), flat * np.sin(turn)], axis=1)


# --- erosion ---------------------------------------------------------------------------------------------------------


@settings(max_examples=120, deadline=None)
@given(convex_rings(), st.floats(0.001, 0.999))
def test_erosion_is_the_intersection_of_shifted_half_planes(ring, part):
    sides, _ = sides_of(ring)
    depth = part * inradius(sides.normals, sides.distances)
    inner = eroded(sides, depth)
    want = by_every_pair(sides.normals, sides.distances, depth)
    assert inner.counts[0] >= 3
    got = shapely.Polygon(inner.corners)
    assert got.is_valid and got.exterior.is_ccw
    assert got.hausdorff_distance(want) < 1e-7  # an overlay of two polygons equal to rounding may come out as both of them
    assert inner.areas()[0] == pytest.approx(want.area, abs=1e-8)
    assert inner.perimeters()[0] == pytest.approx(want.length, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(convex_rings(), st.floats(1.001, 3.0))
def test_nothing_is_left_beyond_the_inradius(ring, part):
    sides, _ = sides_of(ring)
    assert eroded(sides, part * inradius(sides.normals, sides.distances)).counts.tolist() == [0]


def test_erosion_of_voronoi_cells_against_clipping():
    """Shapely cuts each cell by one shifted half-plane after the other: the same corners to 1e-12 of the cell."""
    sites = np.random.default_rng(2).uniform(0, 20, (400, 2))
    sides = voronoi_sides(sites, 20.0, 20.0, (False, False))
    changed = 0
    for depth in (0.01, 0.1, 0.25):
        inner = eroded(sides, depth)
        cells = rings_of(eroded(sides, 0.0), np.zeros(2))
        for k, ring in enumerate(rings_of(inner, np.zeros(2))):
            want = shapely.Polygon(cells[k])
            mine = sides.cell == k
            for n, h in zip(sides.normals[mine], sides.distances[mine] - depth, strict=True):
                along = 50.0 * np.array([-n[1], n[0]])
                want = want.intersection(
                    shapely.Polygon([n * h + along, n * h - along, n * h - along - 50 * n, n * h + along - 50 * n])
                )
            if want.is_empty or want.area < 1e-9:
                assert len(ring) == 0 or shapely.Polygon(ring).area < 1e-9
                continue
            assert shapely.Polygon(ring).hausdorff_distance(want) < 2e-12
            changed += len(ring) < len(cells[k])
    assert changed > 200  # corners did vanish


def test_points_1_and_2_become_3():
    """The paper's cell: the blunted corner loses a side, and the two sides beside it meet."""
    sides, centre = sides_of(CELL)
    (ring,) = rings_of(eroded(sides, CELL_DISK), centre)
    assert len(ring) == len(CELL) - 1
    assert shapely.Polygon(ring).hausdorff_distance(shapely.Polygon(polygon_of(rounded(CELL, CELL_DISK)))) < 1e-12
    whole = eroded(sides, 0.01)
    assert whole.counts[0] == len(CELL)
    gone = np.hypot(*(np.roll(CELL, -1, axis=0) - np.array(CELL)).T).argmin()
    assert gone == BLUNT_SIDE


def polygon_of(shape):
    """The skeleton where it was drawn."""
    return shape.vertices - shape.origin


def test_eroding_twice_is_eroding_once():
    sites = np.random.default_rng(3).uniform(0, 10, (100, 2))
    sides = voronoi_sides(sites, 10.0, 10.0, (False, False))
    once = eroded(sides, 0.3)
    moved = sides._replace(distances=sides.distances - 0.1)
    twice = eroded(moved, 0.2)
    assert once.counts.tolist() == twice.counts.tolist()
    assert np.abs(once.corners - twice.corners).max() < 1e-12


@pytest.mark.parametrize("wide", [1.0, 1.7])
def test_rectangle(wide):
    """Opposite sides are parallel: what is left is a rectangle until the shorter way across is gone."""
    sides, _ = sides_of([(0, 0), (wide, 0), (wide, 1), (0, 1)])
    assert eroded(sides, 0.3).areas()[0] == pytest.approx((wide - 0.6) * 0.4, abs=1e-14)
    assert eroded(sides, 0.4999999).counts.tolist() == [4]
    assert eroded(sides, 0.51).counts.tolist() == [0]
    assert eroded(sides, 50.0).counts.tolist() == [0]


def test_sides_of_one_direction_are_one():
    turn = np.array([0.0, 0.0, 1e-12, 2.0, 4.0])
    normals = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    sides = half_planes(np.zeros(5, int), normals, np.array([3.0, 1.0, 2.0, 1.0, 1.0]), 1)
    assert sides.distances.tolist() == [1.0, 1.0, 1.0]


# --- diagrams --------------------------------------------------------------------------------------------------------


def mirrored_cells(sites, width, height):
    """The papers' way to close a diagram."""
    images = [sites]
    for axis, edge in ((0, 0.0), (0, width), (1, 0.0), (1, height)):
        image = sites.copy()
        image[:, axis] = 2.0 * edge - image[:, axis]
        images.append(image)
    diagram = Voronoi(np.concatenate(images))
    return [shapely.Polygon(diagram.vertices[diagram.regions[diagram.point_region[k]]]) for k in range(len(sites))]


def tiled_cells(sites, width, height, along):
    """The middle of 5 × 5 copies; along x only, mirrored in y."""
    shifts = [(i * width, j * height) for i in range(-2, 3) for j in (range(-2, 3) if along[1] else (0,))]
    shifts.sort(key=lambda s: s != (0.0, 0.0))
    points = np.concatenate([sites + np.array(s) for s in shifts])
    if not along[1]:
        low, high = points.copy(), points.copy()
        low[:, 1], high[:, 1] = -low[:, 1], 2.0 * height - high[:, 1]
        points = np.concatenate([points, low, high])
    diagram = Voronoi(points)
    return [shapely.Polygon(diagram.vertices[diagram.regions[diagram.point_region[k]]]) for k in range(len(sites))]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 40, 600])
def test_closed_cells_are_those_of_mirrored_sites(count):
    sites = np.random.default_rng(count).uniform(0, 1, (count, 2)) * [7.0, 3.0]
    rings = rings_of(eroded(voronoi_sides(sites, 7.0, 3.0, (False, False)), 0.0), sites)
    for ring, want in zip(rings, mirrored_cells(sites, 7.0, 3.0), strict=True):
        assert shapely.Polygon(ring).symmetric_difference(want).area < 1e-11
    assert sum(shapely.Polygon(ring).area for ring in rings) == pytest.approx(21.0, rel=1e-13)


@pytest.mark.parametrize("along", [(False, False), (True, True)])
def test_a_diagram_has_no_idle_sides(along):
    """As many sides as corners, and tolerances that go with the cell and not with a wall at the far end."""
    sites = np.random.default_rng(4).uniform(0, 1, (900, 2)) * [300.0, 3.0]
    sides = voronoi_sides(sites, 300.0, 3.0, along)
    rings = eroded(sides, 0.0)
    assert np.bincount(sides.cell).tolist() == rings.counts.tolist()
    for k, ring in enumerate(rings_of(rings, np.zeros(2))):
        assert sides.sizes[k] == pytest.approx(2.0 * np.hypot(*ring.T).max())


@pytest.mark.parametrize("along", [(True, True), (True, False)])
@pytest.mark.parametrize("count", [1, 2, 3, 7, 40, 600])
def test_periodic_cells_are_those_of_a_tiled_plane(count, along):
    sites = np.random.default_rng(count).uniform(0, 1, (count, 2)) * [7.0, 3.0]
    rings = rings_of(eroded(voronoi_sides(sites, 7.0, 3.0, along), 0.0), sites)
    assert sum(shapely.Polygon(ring).area for ring in rings) == pytest.approx(21.0, rel=1e-13)
    for ring, want in zip(rings, tiled_cells(sites, 7.0, 3.0, along), strict=True):
        assert shapely.Polygon(ring).symmetric_difference(want).area < 1e-11


@pytest.mark.parametrize("seed", [1, 2, 4, 8])
def test_crowded_sites_in_a_periodic_cell(seed):
    """Most sites in one corner: the copies have to reach much farther than the mean distance says."""
    rng = np.random.default_rng(seed)
    sites = np.concatenate([rng.uniform(0.0, 0.3, (300, 2)), rng.uniform(0.0, 10.0, (12, 2))])
    rings = rings_of(eroded(voronoi_sides(sites, 10.0, 10.0, (True, True)), 0.0), sites)
    for ring, want in zip(rings, tiled_cells(sites, 10.0, 10.0, (True, True)), strict=True):
        assert shapely.Polygon(ring).symmetric_difference(want).area < 1e-9


@pytest.mark.parametrize("border", ["closed", "periodic", "periodic-x"])
def test_a_square_lattice_of_sites_gives_squares(border):
    """Four sites on every circle: the worst case for a diagram, and the commonest one a user types."""
    k = np.arange(20)
    sites = np.stack([k % 5 + 0.5, k // 5 + 0.5], axis=1)
    packing = voronoi_packing(5, 4, 1.0, erosion=0.2, sites=sites, border=border)
    for shape in packing.shapes:
        assert len(shape.vertices) == 4
        assert shape.area == pytest.approx(0.36 + 4 * 0.6 * 0.2 + np.pi * 0.04, rel=1e-13)
    assert np.abs(packing.positions - sites).max() < 1e-14


# --- packings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sites", ["grid", "random"])
@pytest.mark.parametrize("border", ["closed", "periodic", "periodic-x"])
def test_grains_lie_in_their_cells_and_do_not_overlap(sites, border):
    packing = voronoi_packing(12, 9, SQUARE, erosion=0.8, dilation=0.5, sites=sites, border=border, seed=5)
    assert len(packing) == 108 and packing.periodic == (border != "closed", border == "periodic")
    pairs, _ = packing.overlaps()
    assert len(pairs) == 0 and packing.outside()[0].size == 0
    for shape, place, cell in zip(packing.shapes, packing.positions, packing.cells, strict=True):
        inside = shapely.Polygon(cell)
        skeleton = shapely.Polygon(shape.vertices + place)
        assert inside.contains(skeleton)
        assert inside.exterior.distance(skeleton) == pytest.approx(0.8, rel=1e-11)  # d, so the grain keeps d − R
    # the same grains swept by d instead touch along their sides
    touching = voronoi_packing(12, 9, SQUARE, erosion=0.8, sites=packing.sites, border=border)
    assert len(touching.overlaps()[0]) == 0
    grown = [dataclasses.replace(shape, radius=0.8 + 1e-6) for shape in touching.shapes]
    fat = Packing(grown, touching.positions, touching.angles, packing.width, packing.height, packing.periodic)
    assert len(fat.overlaps()[0]) > 200 and fat.overlaps()[1].max() == pytest.approx(2e-6, rel=1e-3)


def test_gap_between_neighbours():
    packing = voronoi_packing(10, 10, 1.0, erosion=0.15, dilation=0.1, seed=1)
    grains = [shapely.Polygon(shape.vertices + place) for shape, place in zip(packing.shapes, packing.positions, strict=True)]
    tree = shapely.STRtree(grains)
    nearest = tree.query_nearest(grains, exclusive=True, return_distance=True)[1] - 2 * 0.1
    assert nearest.min() == pytest.approx(packing.report.gap, rel=1e-10)
    assert np.median(nearest) == pytest.approx(0.1, rel=1e-10)


@pytest.mark.parametrize("sites", ["grid", "random"])
def test_without_rounding_the_grains_fill_the_cell(sites):
    packing = voronoi_packing(15, 10, 1.0, erosion=1e-6, sites=sites, seed=3)
    assert packing.area == pytest.approx(150.0, rel=1e-9)
    assert packing.fraction == pytest.approx(1.0, rel=1e-9)


def test_area_by_steiner_and_by_the_grains():
    packing = voronoi_packing(20, 20, 1.0, erosion=0.14, dilation=0.11, seed=2)
    assert packing.report.void_ratio == pytest.approx(packing.void_ratio, rel=1e-12)
    assert packing.report.roundness == pytest.approx(0.11 * np.sqrt(np.pi / 4.0))
    assert "400 cells" in str(packing.report) and "R = 0.11" in str(packing.report)


def test_the_same_seed_draws_the_same_bits():
    a = voronoi_packing(8, 8, 1.0, erosion=0.1, seed=4)
    b = voronoi_packing(8, 8, 1.0, erosion=0.1, rng=np.random.default_rng(4))
    c = voronoi_packing(8, 8, 1.0, erosion=0.1, seed=5)
    assert a.positions.tobytes() == b.positions.tobytes() != c.positions.tobytes()


def test_units_do_not_matter():
    """The same packing in another unit: tolerances are relative."""
    a = voronoi_packing(10, 10, 1.0, erosion=0.18, seed=6)
    b = voronoi_packing(10, 10, 1e-6, erosion=0.18e-6, seed=6)
    assert a.report.redrawn == b.report.redrawn
    for s, t in zip(a.shapes, b.shapes, strict=True):
        assert s.vertices == pytest.approx(1e6 * t.vertices, abs=1e-11)


def test_one_site_in_every_square():
    packing = voronoi_packing(30, 20, 2.0, erosion=0.1, seed=1)
    assert sorted(map(tuple, (packing.sites // 2.0).astype(int))) == sorted(itertools.product(range(30), range(20)))


# --- cells that fail -------------------------------------------------------------------------------------------------


def test_how_many_cells_are_redrawn():
    """With ℓ = 7.6 mm: about 0.5 % at d = 1.5 mm, next to none at 1 mm (14 400 cells)."""
    moved = {d: voronoi_packing(120, 120, SQUARE, erosion=d, seed=1).report for d in (1.0, 1.5)}
    assert moved[1.0].redrawn < 0.0008 * 14400
    assert 0.003 * 14400 < moved[1.5].redrawn < 0.007 * 14400
    assert moved[1.5].vanished > 0 and moved[1.5].thin > 0 and moved[1.5].rounds > 1
    assert moved[1.5].redrawn == moved[1.5].vanished + moved[1.5].thin


@pytest.mark.parametrize("sites", ["grid", "random"])
def test_redrawn_cells_are_stout_enough(sites):
    packing = voronoi_packing(25, 25, SQUARE, erosion=1.4, sites=sites, seed=8)
    assert packing.report.redrawn > 0 and len(packing) == 625
    for shape in packing.shapes:
        d = np.roll(shape.vertices, -1, axis=0) - shape.vertices
        out = np.stack([d[:, 1], -d[:, 0]], axis=1) / np.hypot(*d.T)[:, None]
        assert inradius(out, (shape.vertices * out).sum(axis=1)) >= 0.14 * (1 - 1e-6)


def test_own_sites_are_not_moved_but_named():
    sites = np.array([[1.0, 1.0], [3.0, 1.0], [3.2, 1.0], [5.0, 1.0]])
    with pytest.raises(InputError) as failure:
        voronoi_packing(3, 1, 2.0, erosion=0.53, sites=sites)
    assert re.search(
        r"d = 0\.53 takes the whole cell of 1 sites .* of 1: site 1 at \(3, 1\), 2 at \(3\.2, 1\); move", str(failure.value)
    )
    packing = voronoi_packing(3, 1, 2.0, erosion=0.3, sites=sites)
    assert packing.sites.tolist() == sites.tolist() and packing.report.redrawn == 0


# --- targets ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("border", ["closed", "periodic"])
@pytest.mark.parametrize("wanted", [0.05, 0.2, 0.4])
@pytest.mark.parametrize("known", [{"erosion": 1.5}, {"dilation": 0.8}, {"roundness": 0.1}])
def test_void_ratio_is_met(border, wanted, known):
    packing = voronoi_packing(20, 15, SQUARE, void_ratio=wanted, border=border, seed=1, **known)
    assert packing.void_ratio == pytest.approx(wanted, rel=1e-9)
    report = packing.report
    assert report.dilation < report.erosion
    if "roundness" in known:
        assert report.roundness == pytest.approx(0.1) and report.diameter == pytest.approx(SQUARE * np.sqrt(4 / np.pi))
    for name in known.keys() & {"erosion", "dilation"}:
        assert getattr(report, name) == known[name]
    assert len(packing.overlaps()[0]) == 0


def test_roundness_alone_is_an_opening():
    report = voronoi_packing(10, 10, SQUARE, roundness=0.13, seed=1).report
    assert report.roundness == pytest.approx(0.13) and report.gap == 0.0


@pytest.mark.parametrize(("known", "wanted"), [({"erosion": 1.5}, 0.01), ({"erosion": 1.5}, 40.0), ({"dilation": 1.5}, 0.01)])
def test_the_reachable_range_is_named_and_right(known, wanted):
    with pytest.raises(InputError, match=f"void ratio {wanted:g} cannot be reached") as failure:
        voronoi_packing(20, 15, SQUARE, void_ratio=wanted, seed=1, **known)
    low, high = (float(x) for x in re.search(r"between ([\d.e+-]+) and ([\d.e+-]+)$", str(failure.value)).groups())
    assert not low <= wanted <= high
    for inside in (low * 1.001, low + 0.9 * (high - low)):
        assert voronoi_packing(20, 15, SQUARE, void_ratio=inside, seed=1, **known).void_ratio == pytest.approx(inside, rel=1e-9)


def test_own_sites_have_a_largest_void_ratio():
    sites = voronoi_packing(8, 8, 1.0, erosion=0.1, seed=3).sites
    with pytest.raises(InputError, match=r"void ratio 5 cannot be reached with dilation R = 0\.1 and d ≥ R") as failure:
        voronoi_packing(8, 8, 1.0, dilation=0.1, void_ratio=5.0, sites=sites)
    high = float(str(failure.value).split()[-1])
    assert voronoi_packing(8, 8, 1.0, dilation=0.1, void_ratio=0.999 * high, sites=sites).void_ratio == pytest.approx(
        0.999 * high
    )
    with pytest.raises(InputError, match="cannot be reached"):
        voronoi_packing(8, 8, 1.0, dilation=0.1, void_ratio=1.001 * high, sites=sites)


# --- refusals --------------------------------------------------------------------------------------------------------

GOOD = {"columns": 4, "rows": 3, "square": 1.0, "erosion": 0.1, "seed": 1}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dilation": 0.2}, r"dilation R = 0\.2 exceeds erosion d = 0\.1: grains would overlap"),
        ({"erosion": None}, "give erosion=… or dilation=…"),
        ({"erosion": -0.1}, r"erosion = -0\.1 must be a positive number"),
        ({"erosion": float("nan")}, "erosion = nan must be"),
        ({"erosion": 0.6}, r"erosion d = 0\.6 leaves nothing, or too little, of \d+ of 12 cells.*take a smaller d"),
        ({"dilation": 0.1, "void_ratio": 0.1}, "cannot all be given"),
        ({"dilation": 0.1, "roundness": 0.1}, "give one of them"),
        ({"columns": 0}, "columns = 0 must be a whole number"),
        ({"rows": 2.5}, r"rows = 2\.5 must be a whole number"),
        ({"square": 0.0}, r"square = 0\.0 must be a positive number"),
        ({"border": "open"}, "border = 'open' must be one of closed, periodic, periodic-x"),
        ({"sites": "hex"}, "sites = 'hex' must be grid, random"),
        ({"seed": None}, "give either seed=…"),
        ({"rng": np.random.default_rng(1)}, "give either seed=…"),
        (
            {"sites": [(1.0, 1.0), (4.5, 1.0), (-1.0, 0.0)]},
            r"2 of 3 sites lie outside the cell, the first is site 1 at \(4\.5, 1\)",
        ),
        ({"sites": [(1.0, 1.0), (1.0, float("nan"))]}, r"site 1 at \(1, nan\)"),
        ({"sites": [(4.0, 1.0)], "border": "periodic"}, r"site 0 at \(4, 1\)"),
        ({"sites": [(1.0, 1.0), (2.0, 2.0), (1.0, 1.0)]}, r"site 2 at \(1, 1\) is the same as site 0"),
        ({"sites": [(0.0, 1.0), (4.0 - 1e-14, 1.0)], "border": "periodic"}, "site 1 .* is the same as site 0"),
        ({"sites": [1.0, 2.0]}, r"shape \(n, 2\), not \(2,\)"),
        ({"sites": [("a", "b")]}, "pairs of numbers"),
    ],
)
def test_refused(change, words):
    with pytest.raises(InputError, match=words):
        voronoi_packing(**{**GOOD, **change})


# --- many shapes at once ---------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.lists(convex_rings(), min_size=1, max_size=5), st.floats(0.01, 1.0))
def test_many_polygons_are_what_polygon_makes(rings, radius):
    rings = [*rings, np.array([(0, 0), (2, 0), (2, 1), (1, 0.4), (0, 1)]), np.array([(5, 5), (6, 5), (7, 5), (6, 7)])]
    many = convex_polygons(np.concatenate(rings), [len(r) for r in rings], radius, [f"g{k}" for k in range(len(rings))])
    for k, (shape, ring) in enumerate(zip(many, rings, strict=True)):
        want = polygon(ring, radius, name=f"g{k}")
        assert shape.name == want.name and shape.edges.tolist() == want.edges.tolist()
        assert shape.vertices == pytest.approx(want.vertices, abs=1e-14)
        for name in ("area", "inertia", "reach", "radius"):
            assert getattr(shape, name) == pytest.approx(getattr(want, name), rel=1e-13)
        assert shape.origin == pytest.approx(want.origin, abs=1e-14)


def test_many_polygons_refuse_what_does_not_fit():
    with pytest.raises(ShapeError, match="2 polygons need three vertices each"):
        convex_polygons(np.zeros((5, 2)), [3, 2], 0.1, ["a", "b"])
    with pytest.raises(ShapeError, match="crosses itself"):
        convex_polygons([(0, 0), (2, 2), (2, 0), (0, 2)], [4], 0.1, ["bow tie"])


@pytest.mark.validate
def test_100_000_cells_in_half_a_minute():
    began = time.perf_counter()
    packing = voronoi_packing(400, 250, SQUARE, erosion=1.5, seed=1)
    seconds = time.perf_counter() - began
    print(f"{len(packing)} cells in {seconds:.1f} s, {packing.report.rounds} rounds of redrawing")
    assert seconds < 30.0
