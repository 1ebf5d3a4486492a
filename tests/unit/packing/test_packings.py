"""Packings as data: areas, loosening, turning, overlaps with images, pictures; lattices, n-gons and graded packings."""

import math
import warnings

import numpy as np
import pytest
import shapely

from clast.errors import InputError
from clast.packing.grading import PowerLaw, UniformArea
from clast.packing.plane.arrangement import graded_packing, lattice_packing, regular_of_area, regular_packing
from clast.packing.plane.packing import OverlapWarning, Packing
from clast.packing.plane.voronoi import voronoi_packing
from clast.shapes import clump, cow, disk, mass_properties, pebble, rice, segment


def disks(positions, radius=0.5, width=4.0, height=3.0, periodic=(False, False)):
    """Equal disks."""
    return Packing([disk(radius=radius)] * len(positions), positions, np.zeros(len(positions)), width, height, periodic)


def test_area_fraction_void_ratio():
    packing = disks([(1, 1), (2.5, 1), (1, 2.2)])
    assert packing.area == pytest.approx(0.75 * math.pi)
    assert packing.fraction == pytest.approx(0.75 * math.pi / 12)
    assert packing.void_ratio == pytest.approx(12 / (0.75 * math.pi) - 1)
    assert len(packing) == 3 and repr(packing) == "Packing(3 grains in 4 × 3, void ratio 4.09)"


def test_expanded_and_shifted():
    packing = disks([(1, 1), (2.5, 1)]).expanded(2.0)
    assert packing.positions.tolist() == [[2, 2], [5, 2]] and (packing.width, packing.height) == (8.0, 6.0)
    assert packing.area == pytest.approx(0.5 * math.pi)
    moved = packing.shifted(-1.0, 3.0)
    assert moved.positions.tolist() == [[1, 5], [4, 5]] and moved.corner == (-1.0, 3.0) and moved.void_ratio == packing.void_ratio
    assert moved.expanded(2.0).corner == (-2.0, 6.0)
    assert moved.outside()[0].size == 0


def test_arrays_cannot_be_written_to():
    packing = disks([(1, 1)])
    with pytest.raises(ValueError, match="read-only"):
        packing.positions[0] = 0.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([disk()], [(0, 0), (1, 1)], [0.0], 1.0, 1.0), "1 shapes, 2 positions and 1 angles"),
        (([disk()], [(0, np.nan)], [0.0], 1.0, 1.0), "grain 0 of a packing"),
        (([disk()], [(0, 0)], [np.inf], 1.0, 1.0), "grain 0 of a packing"),
        (([disk()], [(0, 0)], [0.0], 0.0, 1.0), r"width of a packing must be a positive length, not 0\.0"),
        (([disk()], [(0, 0)], [0.0], 1.0, math.inf), "height of a packing"),
    ],
)
def test_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        Packing(*arguments)


def test_expansion_by_nothing_is_refused():
    with pytest.raises(InputError, match="positive factor, not by 0"):
        disks([(1, 1)]).expanded(0.0)


# --- overlaps --------------------------------------------------------------------------------------------------------


def test_overlaps_of_disks():
    pairs, depths = disks([(1, 1), (1.9, 1), (3.2, 1), (1, 2.0)]).overlaps()
    assert pairs.tolist() == [[0, 1]] and depths == pytest.approx([0.1])  # 0 and 3 touch


def test_overlaps_across_periodic_sides_and_corners():
    packing = disks([(0.2, 0.2), (3.8, 2.9), (0.2 + 8.0, 1.1)], periodic=(True, True))
    pairs, depths = packing.overlaps()
    want = {(0, 1): 1 - math.hypot(0.4, 0.3), (0, 2): 0.1}
    assert dict(zip(map(tuple, pairs.tolist()), depths, strict=True)) == pytest.approx(want)
    assert disks([(0.2, 0.2), (3.8, 2.9)], periodic=(True, False)).overlaps()[0].size == 0


def test_a_grain_meets_its_own_image():
    rod = segment((-1.0, 0), (1.0, 0), radius=0.2)
    pairs, depths = Packing([rod], [(1.0, 1.0)], [0.0], 2.3, 2.0, (True, False)).overlaps()
    assert pairs.tolist() == [[0, 0]] and depths == pytest.approx([0.1])
    assert Packing([rod], [(1.0, 1.0)], [0.5 * math.pi], 2.3, 2.0, (True, False)).overlaps()[0].size == 0


def test_overlaps_against_every_pair():
    """Mixed shapes and sizes at random, all images of all pairs, without boxes, trees or circles."""
    rng = np.random.default_rng(4)
    shapes = [rice(0.5), pebble(1.5), clump([(0, 0), (0.5, 0.3)], 0.3), cow().with_area(2.0), disk(0.05)]
    grains = [shapes[k] for k in rng.integers(0, 5, 40)]
    places, angles = rng.uniform(-8, 16, (40, 2)), rng.uniform(0, 7, 40)
    packing = Packing(grains, places, angles, 8.0, 7.0, (True, True))
    skeletons = []
    for shape, place, angle in zip(grains, places, angles, strict=True):
        turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
        kind = shapely.Polygon if shape.is_closed else shapely.LineString if len(shape.edges) else shapely.MultiPoint
        skeletons.append(kind(shape.vertices @ turn + place))
    want = {}
    for i in range(40):
        for j in range(i + 1, 40):
            images = [shapely.affinity.translate(skeletons[j], 8.0 * a, 7.0 * b) for a in range(-4, 5) for b in range(-4, 5)]
            for depth in grains[i].radius + grains[j].radius - shapely.distance(skeletons[i], images):
                if depth > 1e-9:
                    want.setdefault((i, j), []).append(depth)
    found = {}
    for pair, depth in zip(map(tuple, packing.overlaps()[0].tolist()), packing.overlaps()[1], strict=True):
        found.setdefault(pair, []).append(depth)
    assert len(want) > 30 and found.keys() == want.keys()
    for pair in want:
        assert sorted(found[pair]) == pytest.approx(sorted(want[pair]), abs=1e-12)


def test_outside():
    numbers, far = disks([(0.4, 1), (2, 1), (3.7, 2.7)]).outside()
    assert numbers.tolist() == [0, 2] and far == pytest.approx([0.1, 0.2])
    assert disks([(0.4, 1), (3.7, 2.7)], periodic=(True, False)).outside()[0].tolist() == [1]


# --- turning ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("border", ["closed", "periodic"])
def test_loose_states_have_no_overlaps(border):
    """PRE10's loose samples: expanded by 1.5, every grain turned at random."""
    dense = voronoi_packing(12, 10, 6.74, erosion=1.0, border=border, seed=2)
    loose = dense.expanded(1.5).turned(np.random.default_rng(1))
    assert len(loose.overlaps()[0]) == 0 and loose.outside()[0].size == 0
    assert loose.fraction == pytest.approx(dense.fraction / 1.5**2)
    # what turning has to avoid: without the check there would be overlaps
    blind = Packing(loose.shapes, loose.positions, np.random.default_rng(1).uniform(0, 2 * np.pi, 120), loose.width,
                    loose.height, loose.periodic)  # fmt: skip
    assert len(blind.overlaps()[0]) > 0
    assert np.ptp(loose.angles) > 5.0 and abs(np.exp(1j * loose.angles).mean()) < 0.3


def test_turning_a_packing_that_is_too_dense_warns():
    dense = voronoi_packing(8, 8, 1.0, erosion=0.1, seed=2).expanded(1.05)
    with pytest.warns(OverlapWarning, match=r"\d+ pairs of turned grains overlap, the worst grains \[\d+, \d+\] by .*expand it"):
        dense.turned(np.random.default_rng(1))
    wide = dense.expanded(dense.room() * (1 + 1e-9))
    assert wide.room() == 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        turned = wide.turned(np.random.default_rng(1))
    want = np.random.default_rng(1).uniform(0.0, 2.0 * np.pi, len(dense))
    assert turned.angles.tolist() == want.tolist(), "with room enough the first angles will do"


# --- arrangements ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sides", [3, 4, 5, 6, 7, 12])
def test_regular_polygon_of_an_area(sides):
    shape = regular_of_area(sides, 2.0, 0.15)
    assert len(shape.vertices) == sides and shape.radius == 0.15
    assert shape.area == pytest.approx(2.0, rel=1e-13)
    assert mass_properties(shape.vertices, shape.edges, 0.15, closed=True).area == pytest.approx(2.0, rel=1e-13)


def test_regular_packing():
    packing = regular_packing(5, 6, 4, np.random.default_rng(1), area=1.0, radius=0.1)
    assert len(packing) == 24 and packing.area == pytest.approx(24.0)
    assert packing.width / packing.height == pytest.approx(1.5)
    assert len(packing.overlaps()[0]) == 0 and packing.outside()[0].size == 0
    assert np.unique(packing.positions[:, 0].round(9)).size == 6 and np.unique(packing.angles).size == 24
    wide = regular_packing(5, 6, 4, np.random.default_rng(1), area=1.0, radius=0.1, spacing=2.0)
    assert (wide.width, wide.height) == (12.0, 8.0)


@pytest.mark.parametrize(
    ("sides", "area", "words"),
    [(2, 1.0, "at least 3 sides, not 2"), (5, 0.03, r"must exceed that of its rounding, .* 0\.0314159")],
)
def test_impossible_polygons(sides, area, words):
    with pytest.raises(InputError, match=words):
        regular_packing(sides, 2, 2, np.random.default_rng(1), area=area, radius=0.1)


@pytest.mark.parametrize("placing", ["lattice", "random"])
def test_graded_packing(placing):
    rng = np.random.default_rng(3)
    room = {"height": 40.0, "periodic": True} if placing == "random" else {}
    shapes = [rice(), pebble(3.0), cow()]
    packing = graded_packing(shapes, PowerLaw(0.5, 2.0, 2.0), rng, count=200, width=30.0, placing=placing, **room)
    assert len(packing) == 200 and packing.width == pytest.approx(30.0)
    assert {shape.name for shape in packing.shapes} == {shape.name for shape in shapes}
    diameters = np.sqrt([4 * shape.area / math.pi for shape in packing.shapes])
    again = np.random.default_rng(3)
    assert diameters == pytest.approx(PowerLaw(0.5, 2.0, 2.0).draw(200, again))
    assert len(packing.overlaps()[0]) == 0 and packing.outside()[0].size == 0


def test_voronoi_cells_as_shapes_of_a_graded_packing():
    rng = np.random.default_rng(3)
    cells = voronoi_packing(5, 5, 1.0, erosion=0.1, seed=1).shapes
    packing = graded_packing(cells, UniformArea(1.0, 0.1), rng, area=50.0, width=12.0)
    assert packing.area == pytest.approx(50.0, abs=0.6)
    assert {shape.name for shape in packing.shapes} <= {shape.name for shape in cells}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"count": None}, "either count=… .* or area=…"),
        ({"area": 3.0}, "either count=… .* or area=…"),
        ({"placing": "heap"}, "placing = 'heap' must be one of lattice, random"),
        ({"placing": "random"}, "needs the height"),
        ({"height": 3.0}, "takes neither height"),
        ({"periodic": True}, "takes neither height"),
        ({"width": 0.5}, r"width = 0\.5 has no room for the largest grain"),
        ({"shapes": []}, "one shape at least"),
    ],
)
def test_graded_packing_refuses(change, words):
    good = {"shapes": [rice()], "grading": UniformArea(1.0), "rng": np.random.default_rng(1), "count": 9, "width": 9.0}
    with pytest.raises(InputError, match=words):
        graded_packing(**{**good, **change})


def test_lattice_refuses():
    for shapes, columns, words in (([], 1, "one grain"), ([disk()], 0, "columns = 0")):
        with pytest.raises(InputError, match=words):
            lattice_packing(shapes, columns, np.random.default_rng(1))
    with pytest.raises(InputError, match="spacing = -1"):
        lattice_packing([disk()], 1, np.random.default_rng(1), spacing=-1.0)


def test_picture():
    """Every grain is drawn, with its images in a periodic cell; skeletons when asked for."""
    import matplotlib.pyplot as plt

    packing = disks([(0.1, 0.1), (2, 1.5)], periodic=(True, True))
    (axes,) = packing.plot(skeletons=True).axes
    outlines, bones = axes.collections
    assert len(outlines.get_paths()) == len(bones.get_paths()) == 5  # one in four corners, one in the middle
    assert axes.get_xlim()[0] < 0.0 and axes.get_xlim()[1] > 4.0
    alone = disks([(0.1, 0.1), (2, 1.5)]).plot(plt.figure().subplots()).axes[0]
    assert len(alone.collections) == 1 and len(alone.collections[0].get_paths()) == 2
    plt.close("all")
