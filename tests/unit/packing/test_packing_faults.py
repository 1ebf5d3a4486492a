"""Attempts to break packings and gradings: random extremes against cuts by every bisector, odd sizes, odd numbers."""

import numpy as np
import pytest
import shapely

from clast.errors import InputError
from clast.packing.grading import PowerLaw, UniformArea
from clast.packing.plane.arrangement import graded_packing, lattice_packing, regular_of_area
from clast.packing.plane.packing import Packing
from clast.packing.plane.voronoi import voronoi_packing
from clast.shapes import disk

BORDERS = ("closed", "periodic", "periodic-x")


def cut(corners, normal, distance):
    """A convex polygon without what lies beyond a line."""
    left = []
    for k, here in enumerate(corners):
        there = corners[(k + 1) % len(corners)]
        a, b = normal @ here - distance, normal @ there - distance
        if a <= 0.0:
            left.append(here)
        if a < 0.0 < b or b < 0.0 < a:
            left.append(here + (there - here) * a / (a - b))
    return left


def cell_by_cuts(sites, number, extent, periodic, d):
    """The eroded cell of a site in the plainest way: a rectangle cut by every bisector and every closed side, moved by d."""
    here = sites[number]
    low, high = np.where(periodic, here - extent, d), np.where(periodic, here + extent, extent - d)
    if (high <= low).any():
        return []
    corners = [np.array(each) for each in ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))]
    images = [range(-2, 3) if each else (0,) for each in periodic]
    for other, there in enumerate(sites):
        for i in images[0]:
            for j in images[1]:
                way = there + np.array([i, j]) * extent - here
                if (other, i, j) != (number, 0, 0) and len(corners) > 2:
                    normal = way / np.hypot(*way)
                    corners = cut(corners, normal, normal @ here + 0.5 * np.hypot(*way) - d)
    return corners


@pytest.mark.parametrize("border", BORDERS)
def test_random_extremes_agree_with_cuts_by_every_bisector(border):
    """Few and many sites, on lattices, in clusters, on one line, from nanometres to kilometres: right, or refused."""
    rng = np.random.default_rng(BORDERS.index(border))
    drawn = 0
    for trial in range(25):
        columns, rows = (int(each) for each in rng.integers(1, 6, 2))
        square = 10.0 ** rng.uniform(-9.0, 6.0)
        extent = np.array([columns, rows])
        how = {"erosion": square * 10.0 ** rng.uniform(-4.0, -0.5), "border": border}
        if rng.random() < 0.5:
            how["dilation"] = how["erosion"] * 10.0 ** rng.uniform(-3.0, 0.0)
        if rng.random() < 0.5:
            sites = rng.uniform(0.0, 1.0, (int(rng.integers(1, 12)), 2))
            if rng.random() < 0.5:
                sites = np.unique(np.round(4.0 * sites) / 4.0001, axis=0)  # many on one line, on a circle, on the border
            if rng.random() < 0.3:
                sites = sites[0] + (sites - sites[0]) * 10.0 ** rng.uniform(-6.0, -1.0)  # all in one spot
            how["sites"] = sites * extent * square
        else:
            how |= {"sites": str(rng.choice(["grid", "random"])), "seed": trial}
        try:
            packing = voronoi_packing(columns, rows, square, **how)
        except InputError:
            continue
        drawn += 1
        d = how["erosion"] / square
        for k, shape in enumerate(packing.shapes):
            expected = shapely.Polygon(cell_by_cuts(packing.sites / square, k, extent, packing.periodic, d)).area
            assert shapely.Polygon(shape.vertices).area / square**2 == pytest.approx(expected, rel=1e-6, abs=1e-10)
        assert packing.void_ratio == pytest.approx(packing.report.void_ratio, rel=1e-12, abs=1e-12)
        assert len(packing.overlaps()[0]) == 0 and len(packing.outside()[0]) == 0
        whole = sum(shapely.Polygon(cell).area for cell in packing.cells)
        assert whole == pytest.approx(columns * rows * square**2, rel=1e-9)
    assert drawn > 12


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_a_packing_knows_no_unit_of_length(scale):
    asked = {"roundness": 0.04, "void_ratio": 0.2, "seed": 3, "border": "periodic"}
    one, other = voronoi_packing(6, 5, 1.0, **asked), voronoi_packing(6, 5, scale, **asked)
    assert other.positions / scale == pytest.approx(one.positions, abs=1e-13)
    assert other.report.erosion / scale == pytest.approx(one.report.erosion, rel=1e-13)
    assert one.void_ratio == pytest.approx(0.2, rel=1e-14) and other.void_ratio == pytest.approx(0.2, rel=1e-14)


@pytest.mark.parametrize("away", [(0.0, 0.0), (8.0, 0.0), (-12.0, 20.0)])
def test_overlaps_through_images_are_seen_wherever_a_grain_is_listed(away):
    ball = disk(radius=0.5)
    places = [[0.2, 1.0], [3.4 + away[0], 1.0 + away[1]], [2.0, 3.0]]
    packing = Packing([ball] * 3, places, np.zeros(3), 4.0, 4.0, (True, True)).shifted(-7.0, 3.0)
    pairs, depths = packing.overlaps()
    assert pairs.tolist() == [[0, 1]] and depths == pytest.approx([0.2])


@pytest.mark.parametrize(
    "made",
    [
        lambda rng: voronoi_packing(4, 4, 1.0, erosion=0.1, seed=-1),
        lambda rng: voronoi_packing(4, 4, 1.0, erosion=0.1, seed=1.5),
        lambda rng: voronoi_packing(4, 4, 1.0, erosion=0.1, rng=3),
        lambda rng: graded_packing([disk(radius=0.5)], PowerLaw(1.0, 2.0, 2.0), rng, width=float("nan"), count=3),
        lambda rng: graded_packing([disk(radius=0.5)], PowerLaw(1.0, 2.0, 2.0), rng, width=float("inf"), count=3),
        lambda rng: graded_packing(
            [disk(radius=0.5)], PowerLaw(1.0, 2.0, 2.0), rng, width=10.0, height=0.5, count=3, placing="random"
        ),
        lambda rng: Packing([disk(radius=0.5)], [1.0, 2.0, 3.0], [0.0], 1.0, 1.0),
        lambda rng: Packing([disk(radius=0.5)], [[1.0, 2.0]], [0.0], "1", 1.0),
        lambda rng: UniformArea("1"),
    ],
)
def test_bad_numbers_are_refused_in_a_sentence(made):
    with pytest.raises(InputError):
        made(np.random.default_rng(1))


@pytest.mark.parametrize(
    "made",
    [
        lambda rng: lattice_packing([disk(radius=0.5)] * 4, 2.5, rng),
        lambda rng: regular_of_area(3.5, 1.0, 0.1),
    ],
)
def test_counts_that_are_not_whole_are_refused(made):
    with pytest.raises(InputError):
        made(np.random.default_rng(1))


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid")
@pytest.mark.parametrize("smallest, exponent", [(1e-6, 60.0), (100.0, -150.0)])
def test_a_steep_power_law_has_no_unit_of_length(smallest, exponent):
    shares = np.linspace(0.0, 1.0, 7)
    expected = PowerLaw(1.0, 2.0, exponent).quantile(shares)
    assert PowerLaw(smallest, 2.0 * smallest, exponent).quantile(shares) / smallest == pytest.approx(expected, rel=1e-9)


def test_a_packing_without_grains_can_be_shown():
    assert "0 grains" in repr(Packing([], np.zeros((0, 2)), np.zeros(0), 1.0, 1.0))


def test_room_of_a_grain_that_lies_outside():
    """Expanding moves its centre further out: there is no such factor, and 1 says that all is well."""
    assert not Packing([disk(radius=0.5)], [[-1.0, 2.0]], [0.0], 4.0, 4.0).room() <= 1.0
