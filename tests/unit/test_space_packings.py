"""Packings in space: polyhedra from half-spaces, Voronoi-Minkowski soils, distances of skeletons, lattices, insertion."""

import dataclasses
import itertools
import math
import re
import time

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.spatial import ConvexHull, Voronoi

from clast.errors import InputError
from clast.packing.grading import PowerLaw, SieveCurve
from clast.packing.packing import OverlapWarning
from clast.packing.space.arrangement import graded_solids, lattice_packing3d, random_packing3d
from clast.packing.space.diagram import voronoi_cells
from clast.packing.space.distance import Skeleton, distance, inner_radius, skeleton_of, slab
from clast.packing.space.packing import Packing3D
from clast.packing.space.polyhedra import HalfSpaces, deepest, polyhedron, without_short_edges
from clast.packing.space.voronoi import voronoi_packing3d
from clast.shapes.space.make import capsule, cuboid, hull, mesh, plate, sphere, tetrahedron
from clast.shapes.space.quaternions import IDENTITY, about, matrix, random_turns

CLOSED, PERIODIC = (False, False, False), (True, True, True)
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


def ball_like(seed, count=20):
    """Points all round, on an ellipsoid."""
    points = np.random.default_rng(seed).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1)[:, None] * [1.0, 0.7, 1.4]


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


# --- distances -------------------------------------------------------------------------------------------------------


def at(solid, position=(0.0, 0.0, 0.0), orientation=IDENTITY):
    return skeleton_of(solid).placed(np.array(position), np.array(orientation))


def cross_faces():
    """Seven cubes, one at the middle of the other six: not convex. Vertices and faces."""
    units = [tuple(s * np.eye(3, dtype=int)[k]) for k in range(3) for s in (-1, 1)]
    cells, number, faces = {(0, 0, 0), *units}, {}, []
    for cell, side in itertools.product(sorted(cells), units):
        if tuple(np.add(cell, side)) not in cells:
            k = int(np.flatnonzero(side)[0])
            ring = [np.zeros(3), np.eye(3)[(k + 1) % 3], np.eye(3)[(k + 1) % 3] + np.eye(3)[(k + 2) % 3], np.eye(3)[(k + 2) % 3]]
            corner = np.array(cell) + np.eye(3)[k] * (side[k] > 0)
            loop = [number.setdefault(tuple(corner + p), len(number)) for p in ring]
            faces.append(loop if side[k] > 0 else loop[::-1])
    return np.array(list(number)) - 0.5, faces


def cross_skeleton():
    vertices, faces = cross_faces()
    triangles = np.array([three for a, b, c, d in faces for three in ((a, b, c), (a, c, d))])
    sides = {tuple(sorted(side)) for face in faces for side in zip(face, face[1:] + face[:1], strict=True)}
    first = vertices[triangles[:, 0]]
    normals = np.cross(vertices[triangles[:, 1]] - first, vertices[triangles[:, 2]] - first)
    return Skeleton(vertices, np.array(sorted(sides)), triangles, normals, True)


def hull_distance(a, b):
    """Of two convex hulls, as a least-squares problem with weights that are not negative."""
    big = 1e4
    rows = np.block([[a.T, -b.T], [big * np.ones(len(a)), np.zeros(len(b))], [np.zeros(len(a)), big * np.ones(len(b))]])
    return nnls(rows, np.array([0.0, 0.0, 0.0, big, big]))[1]


def test_distances_one_can_work_out():
    cube = cuboid(1.0, 0.1)
    assert distance(at(cube), at(cube, (1.25, 0.3, 0.0))) == pytest.approx(0.25)  # two faces
    assert slab(at(cube), at(cube, (1.25, 0.3, 0.0))) == pytest.approx(0.25)
    corner, *face = skeleton_of(tetrahedron(1.0, 0.1)).vertices
    over = at(sphere(0.1), 0.6 * face[0] + 0.2 * face[1] + 0.2 * face[2] - 0.2 * corner / np.linalg.norm(corner))
    for pair in ((over, at(tetrahedron(1.0, 0.1))), (at(tetrahedron(1.0, 0.1)), over)):  # a face of either
        assert slab(*pair) == pytest.approx(0.2)
    assert distance(at(cube), at(cube, (1.5, 2.0, 3.0))) == pytest.approx(np.sqrt(0.25 + 1.0 + 4.0))  # two corners
    tilted = about((0.0, 0.0, 1.0), np.pi / 4), about((0.0, 1.0, 0.0), np.pi / 4)
    edges = at(cube, orientation=tilted[0]), at(cube, (np.sqrt(2.0) + 0.2, 0.0, 0.0), tilted[1])
    assert distance(*edges) == pytest.approx(0.2)  # two edges that cross
    assert distance(at(cube), at(sphere(0.2), (0.0, 0.0, 0.7))) == pytest.approx(0.2)
    assert distance(at(capsule(2.0, 0.1)), at(capsule(2.0, 0.1), (0.3, 0.4, 0.0))) == pytest.approx(0.4)  # parallel
    assert distance(at(plate([(0, 0, 0), (1, 0, 0), (0, 1, 0)], 0.1)), at(sphere(1.0), (0.0, 0.0, 0.3))) == pytest.approx(0.3)


def test_skeletons_that_cross_or_hold_each_other_have_none():
    cube, small, bar = cuboid(1.0, 0.1), cuboid(0.2, 0.01), cuboid((3.0, 0.2, 0.2), 0.01)
    assert distance(at(cube), at(small)) == distance(at(small), at(cube)) == 0.0  # inside
    assert distance(at(cube), at(bar)) == 0.0  # right through the middle, where two triangles of a face meet
    assert distance(at(cube), at(capsule(3.0, 0.1))) == 0.0
    assert distance(at(cube), at(cube, (0.9, 0.9, 0.9))) == 0.0
    notch = at(small, (0.9, 0.9, 0.9))  # between the arms of the cross, inside its hull
    assert distance(cross_skeleton(), notch) == pytest.approx(0.3 * np.sqrt(2.0))
    assert slab(cross_skeleton(), notch) < 0.3


def test_distance_of_random_hulls():
    rng = np.random.default_rng(1)
    met = 0
    some = [hull(ball_like(k, 7 + k), 0.1) for k in range(4)]
    for k in range(40):
        a, b = at(some[k % 4]), at(some[k // 4 % 4], rng.uniform(-2.0, 2.0, 3), random_turns(rng, 1)[0])
        want = hull_distance(a.vertices, b.vertices)
        assert distance(a, b) == pytest.approx(want, abs=1e-6)
        assert slab(a, b) <= want + 1e-6
        met += want > 1e-6
    assert 10 < met < 38


def test_ball_inside_a_grain():
    for solid, want in ((cuboid(1.0, 0.1), 0.6), (sphere(0.3), 0.3), (capsule(1.0, 0.2), 0.2)):
        assert inner_radius(solid, skeleton_of(solid)) == pytest.approx(want)
    assert inner_radius(sphere(0.2), cross_skeleton()) == pytest.approx(0.2 + np.sqrt(0.5))
    aside = skeleton_of(capsule(1.0, 0.2)).shifted(np.array([0.0, 0.3, 0.0]))
    assert inner_radius(sphere(0.2), aside) == 0.0  # the centre is outside the grain


# --- loose packings --------------------------------------------------------------------------------------------------


def overlaps_plainly(packing):
    """Every pair with every image, the slow way."""
    images = [np.array(i) * packing.size for i in itertools.product(*((-1, 0, 1) if p else (0,) for p in packing.periodic))]
    world = [skeleton_of(s).placed(p, q) for s, p, q in zip(packing.shapes, packing.positions, packing.orientations, strict=True)]
    found = set()
    for (i, a), (j, b) in itertools.product(enumerate(world), enumerate(world)):
        for by in images:
            if i < j or (i == j and by.any()):
                r = packing.shapes[i].radius + packing.shapes[j].radius
                if distance(a, b.shifted(by)) < r - 1e-9:
                    found.add((i, j))
    return found


@pytest.mark.parametrize("periodic", [CLOSED, PERIODIC, (False, True, False)])
def test_overlaps_are_all_found(periodic):
    rng = np.random.default_rng(2)
    shapes = [cuboid(1.0, 0.1), capsule(1.5, 0.2), sphere(0.4), tetrahedron(1.0, 0.05)] * 2
    packing = Packing3D(shapes, rng.uniform(0.0, 2.6, (8, 3)), random_turns(rng, 8), (2.6, 2.6, 2.6), periodic)
    pairs, depths = packing.overlaps()
    assert {tuple(pair) for pair in pairs.tolist()} == overlaps_plainly(packing) and len(pairs) > 4 and depths.min() > 0.0
    # grains elsewhere by whole periods are the same packing
    far = packing.positions + np.where(periodic, rng.integers(-3, 4, (8, 3)) * 2.6, 0.0)
    moved = Packing3D(shapes, far, packing.orientations, packing.size, periodic).overlaps()
    assert {tuple(p) for p in moved[0].tolist()} == {tuple(p) for p in pairs.tolist()}
    assert moved[1] == pytest.approx(depths, abs=1e-9)


def test_a_grain_overlaps_its_own_image():
    rod = capsule(2.0, 0.2)
    packing = Packing3D([rod], [[0.5, 0.5, 0.5]], [IDENTITY], (2.1, 1.0, 1.0), PERIODIC)
    pairs, depths = packing.overlaps()
    assert pairs.tolist() == [[0, 0]] and depths[0] == pytest.approx(0.3)


def test_what_sticks_out():
    packing = Packing3D(
        [cuboid(1.0, 0.1)] * 2, [[0.6, 0.5, 1.0], [1.4, 1.0, 1.5]], [IDENTITY] * 2, (2.0, 2.0, 2.0), (False, False, True)
    )
    who, far = packing.outside()
    assert who.tolist() == [0] and far == pytest.approx([0.1])
    assert packing.shifted(5.0, 6.0, 7.0).outside()[1] == pytest.approx([0.1])
    assert packing.expanded(2.0).outside()[0].size == 0 and packing.expanded(2.0).size.tolist() == [4.0, 4.0, 4.0]


@pytest.mark.parametrize(
    ("shape", "periodic"),
    [(cuboid(1.0, 0.1), True), (tetrahedron(1.0, 0.05), (True, True, False)), (capsule(1.0, 0.25), False)],
)
def test_inserted_grains_do_not_overlap(shape, periodic):
    packing = random_packing3d([shape] * 20, np.random.default_rng(1), fraction=0.15, periodic=periodic)
    assert packing.fraction == pytest.approx(0.15) and len(packing) == 20
    assert len(packing.overlaps()[0]) == 0 and packing.outside()[0].size == 0
    again = random_packing3d([shape] * 20, np.random.default_rng(1), fraction=0.15, periodic=periodic)
    assert again.positions.tobytes() == packing.positions.tobytes()
    assert again.orientations.tobytes() == packing.orientations.tobytes()


def test_insertion_goes_nearer_than_balls_round_the_grains():
    """Rods lie across each other; without a look at the skeletons a fifth of the box would be out of reach."""
    rod = capsule(3.0, 0.25)
    packing = random_packing3d([rod] * 30, np.random.default_rng(2), fraction=0.1)
    away = packing.positions[:, None] - packing.positions[None]
    away -= packing.size * np.round(away / packing.size)
    nearest = (np.sqrt((away**2).sum(axis=-1)) + np.diag(np.full(30, np.inf))).min()
    assert nearest < rod.reach < 2.0 * rod.reach
    assert len(packing.overlaps()[0]) == 0


def test_spheres_are_inserted_densely():
    packing = random_packing3d([sphere(0.5)] * 100, np.random.default_rng(3), fraction=0.33)
    assert len(packing.overlaps()[0]) == 0
    with pytest.raises(InputError, match=r"no room for grain \d+, 1 across, after 100000 tries \(\d+ of 12 are in\)"):
        random_packing3d([sphere(0.5)] * 12, np.random.default_rng(3), size=(2.0, 2.0, 2.0))


def test_the_largest_go_first():
    """A ball that fills the box goes in although it is the last of the list."""
    packing = random_packing3d([sphere(0.1)] * 5 + [sphere(0.99)], np.random.default_rng(1), size=(2.0, 2.0, 2.0), periodic=False)
    assert packing.overlaps()[0].size == 0 and np.abs(packing.positions[-1] - 1.0).max() < 0.011


def test_lattice():
    cubes = [cuboid(1.0, 0.1)] * 27
    packing = lattice_packing3d(cubes, np.random.default_rng(1), fraction=0.2)
    pitch = packing.size[0] / 3.0
    assert packing.fraction == pytest.approx(0.2) and packing.periodic == PERIODIC
    assert np.unique(np.round(packing.positions / pitch - 0.5, 9)).tolist() == [0.0, 1.0, 2.0]
    assert len({tuple(q) for q in packing.orientations}) == 27
    shaken = lattice_packing3d(cubes, np.random.default_rng(1), fraction=0.2, jitter=0.2)
    off = (shaken.positions - packing.positions) / pitch
    assert 0.08 < np.abs(off).max() <= 0.1 and len(shaken.overlaps()[0]) == 0
    wide = lattice_packing3d(cubes[:20], np.random.default_rng(1), periodic=False)
    assert wide.room() == pytest.approx(1.0) and wide.size == pytest.approx(np.full(3, 6.0 * cubes[0].reach))
    assert len(wide) == 20 and wide.outside()[0].size == 0


def test_a_dense_lattice_is_drawn_until_nothing_overlaps():
    packing = lattice_packing3d([tetrahedron(1.0, 0.1)] * 27, np.random.default_rng(1), fraction=0.2)
    assert packing.room() > 1.15 and len(packing.overlaps()[0]) == 0  # not any orientation would do
    with pytest.warns(OverlapWarning, match=r"pairs of grains overlap, the worst grains \[0, 0\] .* expand the packing \(by"):
        lattice_packing3d([sphere(1.0)], np.random.default_rng(1), fraction=0.7)


def test_room_is_enough_for_any_orientation():
    crowd = Packing3D([cuboid(1.0, 0.1)] * 2, [[1.0, 1.0, 1.0], [2.1, 1.0, 1.0]], [IDENTITY] * 2, (4.0, 4.0, 4.0))
    assert crowd.room() == pytest.approx(2.0 * crowd.shapes[0].reach / 1.1)
    free = crowd.expanded(crowd.room() * (1.0 + 1e-12)).turned(np.random.default_rng(1))
    assert free.room() == 1.0 and len(free.overlaps()[0]) == 0 and not np.array_equal(free.orientations, crowd.orientations)
    assert Packing3D([sphere(1.0)], [[2.0, 3.5, 2.0]], [IDENTITY], (4.0, 4.0, 4.0)).room() == pytest.approx(2.0)  # a closed side
    assert Packing3D([sphere(1.0)], [[0.0, 1.0, 1.0]], [IDENTITY], (4.0, 4.0, 4.0)).room() == math.inf


def test_gradings():
    rng = np.random.default_rng(1)
    kinds = [sphere(1.0), cuboid(1.0, 0.2)]
    sand = SieveCurve([0.2, 0.5, 1.0, 2.0], [0.0, 0.2, 0.7, 1.0], by="mass")
    grains = graded_solids(kinds, sand, rng, count=6000)
    volumes = np.array([grain.volume for grain in grains])
    sizes = (6.0 * volumes / np.pi) ** (1.0 / 3.0)
    assert sizes.min() >= 0.2 and sizes.max() <= 2.0
    for d, part in ((0.5, 0.2), (0.75, 0.45), (1.0, 0.7)):  # straight between the sieves, by mass
        assert volumes[sizes < d].sum() / volumes.sum() == pytest.approx(part, abs=0.06)
    by_number = graded_solids(kinds, PowerLaw(0.5, 2.0, 2.0), rng, count=2000)
    small = np.mean([(6.0 * g.volume / np.pi) ** (1.0 / 3.0) < 0.8 for g in by_number])
    assert small == pytest.approx((1 / 0.5 - 1 / 0.8) / (1 / 0.5 - 1 / 2.0), abs=0.03)
    for seed in range(6):
        heap = graded_solids(kinds, PowerLaw(0.9, 1.0, 2.0), np.random.default_rng(seed), volume=50.0)
        assert sum(g.volume for g in heap) == pytest.approx(50.0, abs=0.5 * np.pi / 6.0)  # half a grain
    packing = random_packing3d(heap[:30], rng, fraction=0.2)
    assert len(packing.overlaps()[0]) == 0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda rng: lattice_packing3d([], rng), "one grain at least"),
        (lambda rng: lattice_packing3d([sphere(1.0)], rng, fraction=1.2), r"fraction = 1\.2 must lie between 0 and 1"),
        (lambda rng: lattice_packing3d([sphere(1.0)], rng, jitter=2.0), r"jitter = 2\.0 must be between 0 and 1"),
        (lambda rng: lattice_packing3d([sphere(1.0)], rng, periodic=(True, False)), "must be True, False, or three"),
        (lambda rng: lattice_packing3d(["ball"], rng), "grain 0 of a packing in space is no solid"),
        (lambda rng: random_packing3d([sphere(1.0)], rng), "needs either size"),
        (lambda rng: random_packing3d([sphere(1.0)], rng, size=(3.0, 3.0)), "three positive lengths"),
        (lambda rng: random_packing3d([sphere(1.0)], rng, size=(3.0, 1.5, 3.0)), r"a period of 1\.5 along y has no room"),
        (lambda rng: random_packing3d([sphere(1.0)], rng, size=(3.0, 1.5, 3.0), periodic=False), "no room for grain 0"),
        (lambda rng: graded_solids([sphere(1.0)], PowerLaw(1.0, 2.0, 1.0), rng), "needs? either count"),
        (lambda rng: graded_solids([sphere(1.0)], PowerLaw(1.0, 2.0, 1.0), rng, volume=-1.0), "total volume = -1.0"),
        (lambda rng: Packing3D([sphere(1.0)], [[0, 0, 0]], [], (1, 1, 1)), "1 shapes, 1 positions and 0 orientations"),
        (lambda rng: Packing3D([sphere(1.0)], [[0, 0, np.nan]], [IDENTITY], (1, 1, 1)), "position that is not finite"),
        (lambda rng: Packing3D([sphere(1.0)], [[0, 0, 0]], [[1, 1, 0, 0]], (1, 1, 1)), "not a quaternion"),
        (lambda rng: Packing3D([sphere(1.0)], [[0, 0, 0]], [IDENTITY], (1, -1, 1)), "three positive lengths"),
        (lambda rng: Packing3D([sphere(1.0)], "here", [IDENTITY], (1, 1, 1)), "numbers all"),
        (lambda rng: Packing3D([], [], [], (1, 1, 1)).expanded(0.0), "positive factor"),
    ],
)  # fmt: skip
def test_refusals(make, said):
    with pytest.raises(InputError, match=said):
        make(np.random.default_rng(1))


@pytest.mark.validate
def test_gases_to_start_from():
    """512 grains at random orientations, in seconds: cubes, tetrahedra and crosses at 0.2, spheres at 0.35."""
    begin = time.process_time()
    for shape, fraction in ((cuboid(1.0, 0.1), 0.2), (tetrahedron(1.0, 0.1), 0.2), (sphere(0.5), 0.35)):
        packing = random_packing3d([shape] * 512, np.random.default_rng(1), fraction=fraction)
        assert len(packing.overlaps()[0]) == 0 and packing.fraction == pytest.approx(fraction)
    crosses = lattice_packing3d(
        [mesh(*cross_faces(), 0.2, name="cross")] * 512, np.random.default_rng(1), fraction=0.2, jitter=0.1
    )
    assert len(crosses.overlaps()[0]) == 0
    assert time.process_time() - begin < 60.0


@pytest.mark.validate
def test_a_thousand_cells():
    packing = voronoi_packing3d(10, 10, 10, 1.0, erosion=0.15, border="periodic", seed=1)
    assert len(packing.overlaps()[0]) == 0 and packing.report.void_ratio == pytest.approx(packing.void_ratio, rel=1e-12)
    cells = voronoi_cells(packing.sites, packing.size, packing.periodic)
    assert math.fsum(cell.measures()[0] for cell in cells) == pytest.approx(1000.0, rel=1e-12)
