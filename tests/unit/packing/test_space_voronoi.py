"""Voronoi-Minkowski soils in space: polyhedra from half-spaces, diagrams, grains, targets, and what is refused."""

import dataclasses
import itertools
import math
import re

import numpy as np
import pytest
from scipy.spatial import ConvexHull, Voronoi
from space_forms import CLOSED, PERIODIC, ball_like

from clast.algebra.quaternions import matrix
from clast.errors import InputError
from clast.packing.space.diagram import voronoi_cells
from clast.packing.space.packing import Packing3D
from clast.packing.space.polyhedra import HalfSpaces, deepest, polyhedron, without_short_edges
from clast.packing.space.voronoi import voronoi_packing3d
from clast.shapes.space.make import hull

BOX = np.array([3.0, 2.0, 4.0])


def planes_of(points):
    """The half-spaces of a convex hull, and the hull itself."""
    found = ConvexHull(points)
    _, first = np.unique(np.round(found.equations, 9), axis=0, return_index=True)
    return HalfSpaces(found.equations[first, :3], -found.equations[first, 3]), found


def by_every_triple(spaces):
    """Volume of an intersection of half-spaces: corners where any three planes meet and no fourth cuts off. Slow and plain."""
    found = []
    for three in itertools.combinations(range(len(spaces.distances)), 3):
        m = spaces.normals[list(three)]
        if abs(np.linalg.det(m)) > 1e-9:
            p = np.linalg.solve(m, spaces.distances[list(three)])
            if spaces.margin(p) > -1e-9:
                found.append(p)
    return ConvexHull(found).volume


def euler(solid):
    return len(solid.corners) - len(solid.edges) + len(solid.spaces.distances)


# --- polyhedra -------------------------------------------------------------------------------------------------------


def test_a_box_and_what_it_measures():
    normals = np.concatenate([np.eye(3), -np.eye(3), [[1.0, 0.0, 0.0]]])  # the last plane is idle
    box = polyhedron(HalfSpaces(normals, np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 5.0])), np.full(3, 0.5))
    assert (len(box.corners), len(box.edges), len(box.loops)) == (8, 12, 6)
    assert sorted(box.areas) == pytest.approx([2, 2, 3, 3, 6, 6], rel=1e-15)
    # Steiner: each of 12 edges turns by 90°, lengths 4(1 + 2 + 3)
    assert box.measures() == pytest.approx([6.0, 22.0, 0.5 * 24.0 * np.pi / 2.0, 4.0 * np.pi / 3.0], rel=1e-15)


@pytest.mark.parametrize("seed", range(4))
def test_measures_against_the_hull_and_the_weight_of_its_solid(seed):
    points = ball_like(seed)
    spaces, found = planes_of(points)
    solid = polyhedron(spaces, np.zeros(3))
    volume, surface, _, _ = solid.measures()
    assert volume == pytest.approx(found.volume, rel=1e-12) and surface == pytest.approx(found.area, rel=1e-12)
    assert euler(solid) == 2
    r = 0.3
    assert solid.measures() @ [1.0, r, r**2, r**3] == pytest.approx(hull(points, r).volume, rel=1e-12)
    for loop, n in zip(solid.loops, solid.spaces.normals, strict=True):
        ring = solid.corners[list(loop)]
        turn = np.cross(np.roll(ring, -1, axis=0) - ring, np.roll(ring, -2, axis=0) - np.roll(ring, -1, axis=0))
        assert (turn @ n > 0.0).all()  # counter-clockwise, and no corner twice


@pytest.mark.parametrize("depth", [0.0, 0.2, 0.35])
def test_erosion_is_the_intersection_of_shifted_half_spaces(depth):
    spaces, _ = planes_of(ball_like(5, 14))
    inner = polyhedron(spaces.moved(depth), np.zeros(3))
    assert inner.measures()[0] == pytest.approx(by_every_triple(spaces.moved(depth)), rel=1e-9)
    assert euler(inner) == 2
    if depth == 0.35:
        assert len(inner.loops) < len(spaces.distances)  # faces did vanish


def test_the_largest_ball_inside():
    spaces, _ = planes_of(np.array(list(itertools.product((0.0, 2.0), (0.0, 3.0), (0.0, 5.0)))))
    centre, radius = deepest(spaces)
    assert radius == pytest.approx(1.0) and centre[0] == pytest.approx(1.0)
    assert polyhedron(spaces.moved(0.999), np.zeros(3)) is not None
    assert polyhedron(spaces.moved(1.001), np.zeros(3)) is None
    assert deepest(spaces.moved(1.5))[1] == pytest.approx(-0.5)


def test_short_edges_are_merged_inside():
    """A cube with one blunted corner and one blunted edge, both by a hair: both go, and nothing sticks out."""
    normals = np.concatenate([np.eye(3), -np.eye(3), [np.ones(3) / np.sqrt(3.0)], [np.array([-1.0, -1.0, 0.0]) / np.sqrt(2.0)]])
    distances = np.array([1.0] * 6 + [np.sqrt(3.0) - 0.004, np.sqrt(2.0) - 0.005])
    blunt = polyhedron(HalfSpaces(normals, distances), np.zeros(3))
    assert len(blunt.corners) == 12 and blunt.lengths.min() < 0.01
    sharp, merged, moved = without_short_edges(blunt, 0.02)
    assert sharp.lengths.min() >= 0.02 and merged > 0 and 0.0 < moved <= 0.02 and euler(sharp) == 2
    assert len(sharp.corners) == 8
    assert all(blunt.spaces.margin(corner) > -1e-14 for corner in sharp.corners)
    assert 0.98 * 8.0 < sharp.measures()[0] < blunt.measures()[0]
    same, merged, moved = without_short_edges(blunt, 0.001)
    assert same is blunt and merged == 0 and moved == 0.0
    assert without_short_edges(blunt, 5.0)[0] is blunt  # nothing would be left


# --- diagrams --------------------------------------------------------------------------------------------------------


def copies(sites, size, periodic):
    """Sites first, then mirrored in closed sides (the papers' way), or enough copies either way along periodic ones."""
    points, steps = sites, (1, -1, 2, -2) if len(sites) < 20 else (1, -1)
    for axis in range(3):
        low, high = points.copy(), points.copy()
        if periodic[axis]:
            step = np.eye(3)[axis] * size[axis]
            points = np.concatenate([points, *(points + k * step for k in steps)])
        else:
            low[:, axis], high[:, axis] = -low[:, axis], 2.0 * size[axis] - high[:, axis]
            points = np.concatenate([points, low, high])
    return points


@pytest.mark.parametrize("periodic", [CLOSED, PERIODIC, (True, False, False), (True, True, False)])
@pytest.mark.parametrize("count", [1, 4, 30])
def test_cells_are_those_of_mirrored_and_repeated_sites(count, periodic):
    sites = np.random.default_rng(count).uniform(0.0, 1.0, (count, 3)) * BOX
    cells = voronoi_cells(sites, BOX, periodic)
    assert math.fsum(cell.measures()[0] for cell in cells) == pytest.approx(24.0, rel=1e-12)
    assert {euler(cell) for cell in cells} == {2}
    diagram = Voronoi(copies(sites, BOX, periodic))
    for k in range(min(count, 12)):
        want = ConvexHull(diagram.vertices[diagram.regions[diagram.point_region[k]]])
        assert cells[k].measures()[0] == pytest.approx(want.volume, rel=1e-10)
        assert (want.equations[:, :3] @ (cells[k].corners + sites[k]).T + want.equations[:, 3:]).max() < 1e-9


def test_crowded_sites_in_a_periodic_box():
    """Most sites in one corner: the copies have to reach much farther than the mean distance says."""
    rng = np.random.default_rng(1)
    sites = np.concatenate([rng.uniform(0.0, 0.3, (60, 3)), rng.uniform(0.0, 10.0, (3, 3))])
    cells = voronoi_cells(sites, np.full(3, 10.0), PERIODIC)
    assert math.fsum(cell.measures()[0] for cell in cells) == pytest.approx(1000.0, rel=1e-12)


def test_periodic_cells_are_translates():
    """Sites moved round the box have the same cells, wherever the sides of the box come to lie."""
    sites = np.random.default_rng(3).uniform(0.0, 1.0, (30, 3)) * BOX
    moved = (sites + np.array([0.7, 1.1, -0.4])) % BOX
    for one, other in zip(voronoi_cells(sites, BOX, PERIODIC), voronoi_cells(moved, BOX, PERIODIC), strict=True):
        a, b = (cell.corners[np.lexsort(np.round(cell.corners, 9).T)] for cell in (one, other))
        assert np.abs(a - b).max() < 1e-12


@pytest.mark.parametrize("periodic", [CLOSED, PERIODIC])
def test_a_lattice_of_sites_gives_cubes(periodic):
    """Eight sites on every sphere: the worst case for a diagram, and the commonest one a user types."""
    sites = np.stack(np.meshgrid(*[np.arange(3) + 0.5] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    border = "periodic" if periodic[0] else "closed"
    packing = voronoi_packing3d(3, 3, 3, 1.0, erosion=0.2, sites=sites, border=border)
    for shape in packing.shapes:
        assert (len(shape.vertices), len(shape.edges), len(shape.faces)) == (8, 12, 6)
        assert shape.volume == pytest.approx(0.6**3 + 6 * 0.36 * 0.2 + 3 * np.pi * 0.6 * 0.04 + 4 / 3 * np.pi * 0.008, rel=1e-13)
    assert np.abs(packing.positions - sites).max() < 1e-14


def test_corners_where_more_than_three_faces_meet():
    """Sites on a face-centred lattice: rhombic dodecahedra."""
    cubes = np.stack(np.meshgrid(*[np.arange(2.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    sites = np.concatenate([cubes + by for by in ([0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5])])
    for cell in voronoi_cells(sites, np.full(3, 2.0), PERIODIC):
        assert (len(cell.corners), len(cell.edges), len(cell.loops)) == (14, 24, 12)
        assert cell.measures()[0] == pytest.approx(0.25, rel=1e-14)


# --- soils -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("border", ["closed", "periodic", "periodic-y"])
def test_grains_lie_in_their_cells_at_the_right_gap(border):
    d, r = 0.12, 0.08
    packing = voronoi_packing3d(3, 3, 2, 1.0, erosion=d, dilation=r, border=border, merge=0.0, seed=5)
    assert packing.periodic == {"closed": CLOSED, "periodic": PERIODIC, "periodic-y": (False, True, False)}[border]
    assert packing.periods == tuple(np.where(packing.periodic, (3.0, 3.0, 2.0), 0.0))
    assert len(packing.overlaps()[0]) == 0 and packing.outside()[0].size == 0
    cells = voronoi_cells(packing.sites, packing.size, packing.periodic)
    worlds = [
        s.vertices @ matrix(q).T + p for s, p, q in zip(packing.shapes, packing.positions, packing.orientations, strict=True)
    ]
    for shape, cell, world, site in zip(packing.shapes, cells, worlds, packing.sites, strict=True):
        room = cell.spaces.distances[:, None] - cell.spaces.normals @ (world - site).T
        assert room.min() == pytest.approx(d, rel=1e-12)
        # every face lies at d from the side of the cell it came from: so faces of neighbours are 2(d − R) apart
        assert ((np.abs(room - d) < 1e-12).sum(axis=1) >= 3).sum() == len(shape.faces)
    assert packing.report.gap == pytest.approx(0.08)
    # the same grains swept by a little more than d overlap, and by twice as much
    fat = [dataclasses.replace(shape, radius=d + 1e-6) for shape in packing.shapes]
    pairs, depths = Packing3D(fat, packing.positions, packing.orientations, packing.size, packing.periodic).overlaps()
    assert len(pairs) > 30 and depths.max() == pytest.approx(2e-6, rel=1e-3)


def test_without_rounding_the_grains_fill_the_box():
    packing = voronoi_packing3d(3, 3, 3, 1.0, erosion=1e-6, sites="random", merge=0.0, seed=3)
    assert packing.volume == pytest.approx(27.0, rel=1e-9) and packing.fraction == pytest.approx(1.0, rel=1e-9)
    assert sum(ConvexHull(cell).volume for cell in packing.cells) == pytest.approx(27.0, rel=1e-12)


def test_merging_makes_grains_a_little_smaller():
    fine = voronoi_packing3d(3, 3, 2, 1.0, erosion=0.1, merge=0.0, border="periodic", seed=2)
    even = voronoi_packing3d(3, 3, 2, 1.0, erosion=0.1, merge=0.1, border="periodic", seed=2)
    assert fine.report.merged == 0 and fine.report.shortest < 0.01 <= even.report.shortest
    assert even.report.merged > 5 and even.report.vertices < fine.report.vertices - 0.2
    assert 0.0 < even.report.moved < 0.02
    assert fine.report.void_ratio < even.report.void_ratio < fine.report.void_ratio + 0.005
    assert len(even.overlaps()[0]) == 0
    for one, other in zip(fine.shapes, even.shapes, strict=True):
        assert other.volume <= one.volume * (1.0 + 1e-14)
        assert len(other.vertices) - len(other.edges) + len(other.faces) == 2


def test_the_report_says_what_there_is():
    packing = voronoi_packing3d(3, 3, 3, 1.0, erosion=0.14, dilation=0.11, seed=2)
    report = packing.report
    assert report.void_ratio == pytest.approx(packing.void_ratio, rel=1e-12)
    assert report.roundness == pytest.approx(0.11 / (6.0 / np.pi) ** (1.0 / 3.0))
    assert report.faces == np.mean([len(s.faces) for s in packing.shapes])
    assert report.vertices - report.edges + report.faces == pytest.approx(2.0)
    assert "27 cells" in str(report) and "R = 0.11" in str(report) and "27 grains in 3 × 3 × 3" in repr(packing)


@pytest.mark.parametrize("known", [{"erosion": 0.2}, {"dilation": 0.1}, {"roundness": 0.08}])
def test_void_ratio_is_met(known):
    packing = voronoi_packing3d(3, 3, 3, 1.0, void_ratio=0.4, border="periodic", seed=1, **known)
    assert packing.void_ratio == pytest.approx(0.4, rel=1e-9)
    report = packing.report
    assert report.dilation < report.erosion
    for name, value in known.items():
        assert getattr(report, name) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize("known", [{"erosion": 0.15}, {"dilation": 0.15}])
def test_the_reachable_range_is_named_and_right(known):
    with pytest.raises(InputError, match=r"void ratio 0\.001 cannot be reached") as failure:
        voronoi_packing3d(3, 3, 2, 1.0, void_ratio=0.001, seed=1, **known)
    low, high = (float(x) for x in re.search(r"between ([\d.e+-]+) and ([\d.e+-]+)$", str(failure.value)).groups())
    for inside in (low * 1.001, low + 0.8 * (high - low)):
        assert voronoi_packing3d(3, 3, 2, 1.0, void_ratio=inside, seed=1, **known).void_ratio == pytest.approx(inside, rel=1e-9)


def test_own_sites_have_a_largest_void_ratio():
    sites = voronoi_packing3d(2, 2, 2, 1.0, erosion=0.1, seed=3).sites
    with pytest.raises(InputError, match=r"void ratio 50 cannot be reached with dilation R = 0\.1 and d ≥ R") as failure:
        voronoi_packing3d(2, 2, 2, 1.0, dilation=0.1, void_ratio=50.0, sites=sites)
    high = float(str(failure.value).split()[-1])
    near = voronoi_packing3d(2, 2, 2, 1.0, dilation=0.1, void_ratio=0.999 * high, sites=sites)
    assert near.void_ratio == pytest.approx(0.999 * high) and near.sites.tolist() == sites.tolist()
    thinnest = min(deepest(planes_of(shape.vertices)[0])[1] for shape in near.shapes)
    assert thinnest == pytest.approx(0.1 * 0.1, rel=0.1)
    with pytest.raises(InputError, match="cannot be reached"):
        voronoi_packing3d(2, 2, 2, 1.0, dilation=0.1, void_ratio=1.001 * high, sites=sites)


def test_the_same_seed_draws_the_same_bits_in_any_unit():
    a = voronoi_packing3d(3, 2, 2, 1.0, erosion=0.3, seed=4)
    b = voronoi_packing3d(3, 2, 2, 1.0, erosion=0.3, rng=np.random.default_rng(4))
    c = voronoi_packing3d(3, 2, 2, 1.0, erosion=0.3, seed=5)
    assert a.report.redrawn > 0
    assert a.positions.tobytes() == b.positions.tobytes() != c.positions.tobytes()
    small = voronoi_packing3d(3, 2, 2, 2.0**-20, erosion=0.3 * 2.0**-20, seed=4)
    assert (small.positions * 2.0**20).tobytes() == a.positions.tobytes()
    assert small.orientations.tobytes() == a.orientations.tobytes()
    for s, t in zip(small.shapes, a.shapes, strict=True):
        assert (s.vertices * 2.0**20).tobytes() == t.vertices.tobytes()


def test_one_site_in_every_cube():
    packing = voronoi_packing3d(3, 2, 4, 2.0, erosion=0.1, seed=1)
    where = (packing.sites // 2.0).astype(int)
    assert where.tolist() == [[i, j, k] for k in range(4) for j in range(2) for i in range(3)]


@pytest.mark.parametrize("sites", ["grid", "random"])
def test_cells_that_fail_are_redrawn(sites):
    d = 0.34 if sites == "grid" else 0.24
    packing = voronoi_packing3d(3, 3, 3, 1.0, erosion=d, sites=sites, border="periodic", seed=8)
    report = packing.report
    assert report.redrawn > 0 and report.rounds > 0 and report.redrawn == report.vanished + report.thin
    for shape in packing.shapes:
        spaces, _ = planes_of(shape.vertices)
        assert deepest(spaces)[1] >= (0.1 - 0.01) * d  # merging takes a little of it


def test_own_sites_are_not_moved_but_named():
    sites = np.array([[1.0, 1.0, 1.0], [3.0, 1.0, 1.0], [3.2, 1.0, 1.0], [5.0, 1.0, 1.0]])
    with pytest.raises(InputError) as failure:
        voronoi_packing3d(3, 1, 1, 2.0, erosion=0.53, sites=sites)
    assert re.search(
        r"d = 0\.53 takes the whole cell of 1 sites .* of 1: site 1 at \(3, 1, 1\), 2 at \(3\.2, 1, 1\); move", str(failure.value)
    )
    packing = voronoi_packing3d(3, 1, 1, 2.0, erosion=0.3, sites=sites)
    assert packing.sites.tolist() == sites.tolist() and packing.report.redrawn == 0


GOOD = {"columns": 2, "rows": 2, "layers": 2, "cube": 1.0, "erosion": 0.1, "seed": 1}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"layers": 0}, "layers = 0 must be a whole number"),
        ({"cube": -1.0}, "cube = -1.0 must be a positive number"),
        ({"merge": 0.2}, r"merge = 0\.2 must be between 0 and 0\.1"),
        ({"border": "periodic-yx"}, "border = 'periodic-yx' must be closed, periodic, or"),
        ({"border": "periodic-"}, "border = 'periodic-' must be"),
        ({"border": "open"}, "border = 'open' must be"),
        ({"sites": "hexagons"}, "sites = 'hexagons' must be grid, random"),
        ({"sites": [[0.1, 0.2]]}, r"shape \(n, 3\), not \(1, 2\)"),
        ({"sites": "x y"}, "must be grid, random"),
        ({"sites": [["a", 1, 2]]}, "triples of numbers"),
        ({"sites": [[0.5, 0.5, 0.5], [0.5, 2.5, 0.5]]}, r"1 of 2 sites lie outside the box, .* site 1 at \(0.5, 2.5, 0.5\)"),
        ({"sites": [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]}, "site 1 at .* is the same as site 0"),
        ({"dilation": 0.2}, "exceeds erosion"),
        ({"seed": None}, "give either seed"),
        ({"erosion": 0.9}, "take a smaller d"),
    ],
)  # fmt: skip
def test_soils_that_cannot_be_drawn(wrong, said):
    with pytest.raises(InputError, match=said):
        voronoi_packing3d(**{**GOOD, **wrong})


@pytest.mark.validate
def test_a_thousand_cells():
    packing = voronoi_packing3d(10, 10, 10, 1.0, erosion=0.15, border="periodic", seed=1)
    assert len(packing.overlaps()[0]) == 0 and packing.report.void_ratio == pytest.approx(packing.void_ratio, rel=1e-12)
    cells = voronoi_cells(packing.sites, packing.size, packing.periodic)
    assert math.fsum(cell.measures()[0] for cell in cells) == pytest.approx(1000.0, rel=1e-12)
