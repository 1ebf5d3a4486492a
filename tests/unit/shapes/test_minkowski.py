"""Dilation, erosion, opening and closing: closed forms, the laws of these operations, and shapely's buffer."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import example, given, settings
from hypothesis import strategies as st
from refused import assert_refused
from scipy.spatial import HalfspaceIntersection

from clast.errors import ShapeError
from clast.shapes import (
    closing,
    clump,
    cow,
    dilation,
    disk,
    erosion,
    opening,
    peanut,
    polygon,
    polyline,
    quasi_monte_carlo,
    regular,
    rice,
    rounded,
    segment,
)

# an erosion almost as deep as the grain leaves a thin skeleton: that is warned about, and is not what is tested here
pytestmark = pytest.mark.filterwarnings("ignore::clast.shapes.ThinShapeWarning")

BOX = [(0, 0), (4, 0), (4, 1), (0, 1)]
ELL = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)]
DUMBBELL = [(0, 0), (2, 0), (2, 0.8), (3, 0.8), (3, 0), (5, 0), (5, 2), (3, 2), (3, 1.2), (2, 1.2), (2, 2), (0, 2)]


def drawn(shape):
    """Vertices in the user's coordinates."""
    return shape.vertices - shape.origin


def area_of(ring):
    x, y = np.asarray(ring, dtype=float).T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def perimeter_of(ring):
    return float(np.hypot(*(np.roll(ring, -1, axis=0) - ring).T).sum())


def steiner(ring, r):
    """Area of a convex polygon grown by r."""
    return area_of(ring) + perimeter_of(ring) * r + math.pi * r**2


def same_ring(a, b, tolerance):
    """Whether two rings are the same up to the vertex they begin with."""
    return len(a) == len(b) and any(np.abs(np.roll(a, k, axis=0) - b).max() <= tolerance for k in range(len(a)))


def body(shape, fine=256):
    """The grain in the user's coordinates as shapely sees it."""
    return shapely.Polygon(drawn(shape)).buffer(shape.radius, quad_segs=fine)


def outline_of(ring, radius, fine=200):
    """Points on the outline of a polygon (n, 2), drawn counter-clockwise, swept by a disk. Not by shapely's buffer, which is
    wrong by up to a hundredth of the radius."""
    start, end = np.asarray(ring), np.roll(ring, -1, axis=0)
    along = (end - start) / np.linalg.norm(end - start, axis=1)[:, None]
    out = np.stack([along[:, 1], -along[:, 0]], axis=1)
    part, angle = np.linspace(0, 1, fine)[:, None, None], np.linspace(0, 2 * np.pi, 4 * fine)
    sides = start + part * (end - start) + radius * out
    arcs = start[:, None] + radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points = np.concatenate([sides.reshape(-1, 2), arcs.reshape(-1, 2)])
    return points[shapely.distance(shapely.points(points), shapely.Polygon(ring)) > radius - 1e-12]


@st.composite
def convex_cells(draw):
    """Convex polygons about the origin, of any elongation, with corners from needle-sharp to blunt."""
    angles = draw(st.lists(st.integers(0, 299).map(lambda k: k * math.pi / 150), min_size=5, max_size=12, unique=True))
    stretch = draw(st.floats(0.3, 1.0))
    points = [(math.cos(a), stretch * math.sin(a)) for a in angles]
    hull = shapely.MultiPoint(points).convex_hull
    if hull.geom_type != "Polygon" or hull.buffer(-0.05).is_empty:
        hull = shapely.Polygon([(-1, -stretch), (1, -stretch), (1, stretch), (-0.3, stretch)])
    return np.asarray(shapely.geometry.polygon.orient(hull).exterior.coords)[:-1]


@st.composite
def stars(draw):
    """Polygons with notches: a ray of its own length for each of several directions."""
    lengths = draw(st.lists(st.floats(0.6, 2.0), min_size=5, max_size=11))
    angle = 2 * np.pi * np.arange(len(lengths)) / len(lengths)
    return np.array(lengths)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


@settings(deadline=None, max_examples=60)
@given(convex_cells(), st.floats(0.01, 0.5), st.floats(0.0, 2.0))
def test_dilation_follows_steiner(cell, radius, r):
    grown = dilation(polygon(cell, radius), r)
    assert grown.radius == radius + r
    assert grown.area == pytest.approx(steiner(cell, radius + r), rel=1e-12)
    assert same_ring(drawn(grown), cell, 1e-12)


@pytest.mark.parametrize("shape", [disk(), rice(), peanut(), cow(), clump([(0, 0), (1, 0), (3, 1)], 0.3)], ids=lambda s: s.name)
def test_dilation_of_any_shape(shape):
    grown = dilation(shape, 0.25)
    assert np.array_equal(grown.edges, shape.edges)
    assert np.abs(drawn(grown) - drawn(shape)).max() < 1e-12
    count = quasi_monte_carlo(grown)
    assert grown.area == pytest.approx(count.area, rel=2e-3)
    assert grown.inertia == pytest.approx(count.inertia, rel=4e-3)
    assert dilation(shape, 0.0) is shape


@settings(deadline=None, max_examples=60)
@given(convex_cells(), st.floats(0.01, 0.5), st.floats(0.001, 2.0))
def test_erosion_undoes_the_dilation_of_convex_shapes(cell, radius, r):
    shape = polygon(cell, radius)
    back = erosion(dilation(shape, r), r)
    assert back.radius == pytest.approx(radius, rel=1e-12)
    assert np.abs(drawn(back) - drawn(shape)).max() < 1e-12
    assert back.area == pytest.approx(shape.area, rel=1e-12)
    assert np.abs(back.origin - shape.origin).max() < 1e-12


def test_erosion_of_disk_and_segment_lowers_the_radius():
    assert erosion(disk(radius=2.0), 0.5).area == pytest.approx(math.pi * 1.5**2, rel=1e-14)
    thin = erosion(segment((1, 1), (4, 5), 0.5), 0.4)
    assert thin.radius == pytest.approx(0.1)
    assert np.allclose(drawn(thin), [(1, 1), (4, 5)], atol=1e-14)


@pytest.mark.parametrize("sides", [3, 4, 5, 6, 7, 40])
def test_regular_polygons_shrink_to_regular_polygons(sides):
    apothem, radius, d = 1.0, 0.1, 0.6
    shape = regular(sides, radius, circumradius=apothem / math.cos(math.pi / sides))
    opened = opening(shape, d)
    left = apothem - (d - radius)
    bare = sides * left**2 * math.tan(math.pi / sides)
    assert opened.area == pytest.approx(bare + 2 * sides * left * math.tan(math.pi / sides) * d + math.pi * d**2, rel=1e-12)
    assert np.hypot(*opened.vertices.T) == pytest.approx(left / math.cos(math.pi / sides), rel=1e-12)
    eroded = erosion(shape, d, corner=0.05)
    left -= 0.05
    bare = sides * left**2 * math.tan(math.pi / sides)
    expected = bare + 2 * sides * left * math.tan(math.pi / sides) * 0.05 + math.pi * 0.05**2
    assert eroded.area == pytest.approx(expected, rel=1e-12)
    with pytest.raises(ShapeError, match=r"largest disk inside it has the radius 1\.1, and it was eroded by 1\.2"):
        opening(shape, 1.2)


def test_points_1_and_2_become_3():
    """A blunted corner: its short side is gone at depth 1, and its neighbours meet in one point (ARX fig 7, PRE10 fig 6)."""
    house = np.array([(0, 0), (6, 0), (6, 5), (5, 6), (0, 6)], dtype=float)
    vanishes_at = 0.5 * math.sqrt(2) / math.tan(math.pi / 8)  # half the side over tan(β/2), β = 45° at both ends
    before = rounded(house, 0.99 * vanishes_at, 0.1)
    assert len(before.vertices) == 5
    d = 2.0
    assert d > vanishes_at
    after = rounded(house, d, 0.1)
    assert same_ring(drawn(after), np.array([(2, 2), (4, 2), (4, 4), (2, 4)]), 1e-12)
    # whereas each candidate of eq 6 on its own, x + d cot(θ/2) e₂ + d (k × e₂), lies nearer than d to the far side
    cot = 1.0 / math.tan(0.5 * math.radians(135))
    e2 = np.array([-1.0, 1.0]) / math.sqrt(2)
    candidate = house[2] + d * cot * e2 + d * np.array([-e2[1], e2[0]])
    assert 6.0 - candidate[1] < d


@settings(deadline=None, max_examples=100)
@given(convex_cells(), st.floats(0.0, 1.0))
def test_convex_erosion_is_the_intersection_of_half_planes(cell, part):
    inradius = float(shapely.maximum_inscribed_circle(shapely.Polygon(cell), 1e-9).length)
    d = part * 0.98 * inradius + 1e-3 * inradius
    ring = drawn(rounded(cell, d, 0.2 * inradius))
    nxt = np.roll(cell, -1, axis=0)
    u = (nxt - cell) / np.hypot(*(nxt - cell).T)[:, None]
    rel = ring[:, None, :] - cell[None, :, :]
    depth = u[:, 0] * rel[..., 1] - u[:, 1] * rel[..., 0]  # of every new vertex below every old side
    assert depth.min() == pytest.approx(d, abs=1e-9)
    assert np.all(np.sort(depth, axis=1)[:, :2] < d + 1e-8)  # each lies on two moved sides
    # scipy's half-spaces: outward normal · x + constant ≤ 0, about the centre of the largest disk inside
    centre = np.asarray(shapely.maximum_inscribed_circle(shapely.Polygon(cell), 1e-9).coords)[0]
    out = np.stack([u[:, 1], -u[:, 0]], axis=1)
    corners = HalfspaceIntersection(np.column_stack([out, d - (out * cell).sum(axis=1)]), centre).intersections
    assert area_of(ring) == pytest.approx(shapely.MultiPoint(corners).convex_hull.area, rel=1e-6, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(convex_cells(), st.floats(0.01, 0.9), st.floats(0.0, 1.0))
def test_laws_of_the_opening(cell, first, second):
    shape = polygon(cell, 0.02)
    inradius = float(shapely.maximum_inscribed_circle(shapely.Polygon(cell), 1e-9).length)
    d = 0.02 + first * inradius
    once = opening(shape, d)
    assert opening(once, d) is once  # idempotent
    assert opening(once, 0.5 * d) is once
    assert opening(shape, 0.01) is shape
    assert body(shape).buffer(1e-4).contains(body(once))  # nothing is added
    assert once.area <= shape.area
    wide = d + second * 0.99 * (0.02 + inradius - d)  # opening twice is opening by the larger disk
    assert opening(once, wide).area == pytest.approx(opening(shape, wide).area, rel=1e-9)


def test_rounded_cell_keeps_its_distance():
    grain = rounded(BOX, 0.3, 0.2)
    assert grain.area == pytest.approx(3.4 * 0.4 + 2 * (3.4 + 0.4) * 0.2 + math.pi * 0.2**2, rel=1e-12)
    assert np.allclose(drawn(grain), [(0.3, 0.3), (3.7, 0.3), (3.7, 0.7), (0.3, 0.7)], atol=1e-12)
    assert rounded(BOX, 0.3).radius == 0.3
    assert rounded(BOX, 0.0, 0.2).area == pytest.approx(steiner(np.array(BOX, dtype=float), 0.2), rel=1e-12)
    assert np.allclose(drawn(rounded(np.array(BOX)[::-1], 0.3)).mean(axis=0), (2, 0.5))


@pytest.mark.parametrize("ends", [[], [(-1, 0.5)], [(-0.2, 0.4), (-0.2, 0.6)]])
def test_flat_cells_vanish_along_a_line(ends):
    """Between two parallel sides nothing is left at half their distance, whatever closes the cell at the left."""
    with np.errstate(all="raise"), pytest.raises(ShapeError, match=r"has the radius 0\.5, and it was eroded by 0\.6"):
        rounded([(0, 0), (4, 0), (5, 0.5), (4, 1), (0, 1), *ends[::-1]], 0.6)


def test_corner_is_the_least_roundness():
    shape = polygon(BOX, 0.1)
    assert erosion(shape, 0.02, corner=0.01).radius == pytest.approx(0.08)
    blunt = erosion(shape, 0.02, corner=0.2)
    assert blunt.radius == 0.2
    assert blunt.area == pytest.approx(erosion(shape, 0.02).area - (4 - math.pi) * (0.2**2 - 0.08**2), rel=1e-12)


def test_a_notch_gets_an_arc_with_the_error_asked_for():
    """L-shaped outline eroded by d: straight sides exactly, and a quarter of a circle about the inner corner."""
    d, r = 0.3, 0.05
    exact = 2 * 2.4 * 0.4 - 0.4**2  # two bars 0.4 wide …
    exact += d**2 * (1 - math.pi / 4)  # … and what the quarter circle leaves of the square at the inner corner
    for error in (0.05, 1e-3, 1e-5):
        ring = drawn(rounded(ELL, d, r, arc_error=error))
        missing = exact - area_of(ring)
        assert 0 < missing < error * d * (0.5 * math.pi * d)
        off = np.hypot(*(ring - (1, 1)).T)
        arc = ring[off < d * 1.06]
        assert np.all(np.hypot(*(arc - (1, 1)).T) >= d * (1 - 1e-12))
        assert np.all(np.hypot(*(arc - (1, 1)).T) <= d * (1 + error))
    with pytest.raises(ShapeError, match="arc_error"):
        rounded(ELL, d, r, arc_error=0.0)


@pytest.mark.parametrize("d", [0.11, 0.25, 0.7])
def test_the_cow_against_shapely(d):
    whole = shapely.Polygon(drawn(cow())).buffer(0.1, quad_segs=200)
    ours = opening(cow(), d, largest=True, arc_error=1e-3)
    assert ours.radius == d
    left = max(shapely.get_parts(whole.buffer(-d, quad_segs=200)), key=lambda piece: piece.area)
    theirs = left.buffer(d, quad_segs=200)
    assert body(ours).symmetric_difference(theirs).area < 3e-4 * theirs.area
    assert body(ours).difference(whole).area < 1e-5 * whole.area


def test_the_cow_eroded_within_its_sphero_radius():
    d = 0.04
    whole = shapely.Polygon(drawn(cow())).buffer(0.1, quad_segs=200)
    thin = erosion(cow(), d, arc_error=1e-3)
    assert thin.radius == pytest.approx(0.06)
    theirs = whole.buffer(-d, quad_segs=200)
    assert body(thin).symmetric_difference(theirs).area < 1e-4 * theirs.area
    # lowering the radius alone would leave the notches as sharp as the skeleton's
    assert theirs.difference(shapely.Polygon(drawn(cow())).buffer(0.06, quad_segs=200)).area > 5e-3
    assert theirs.difference(body(thin)).area < 1e-4
    assert erosion(cow(), 0.0) is cow()


def test_closing_fills_notches_and_leaves_the_rest():
    whole = body(cow())
    for d in (0.03, 0.1, 0.2, 0.4):
        filled = closing(cow(), d)
        assert filled.radius == 0.1
        assert whole.difference(body(filled)).area < 1e-4  # nothing is lost
        theirs = whole.buffer(d, quad_segs=200).buffer(-d, quad_segs=200)
        assert body(filled).symmetric_difference(theirs).area < 0.005
    square = polygon(BOX, 0.1)
    assert closing(square, 1.0) is square


# a notch of 0.06°: the three corners that erosion gives it lie 1e-5 apart, each on the line to the next
GENTLE_NOTCH = np.array(
    [(1.64453125, 0), (0.393554688, 0.681656714), (-0.755859375, 1.30918684), (-1, 0), (-0.5, -0.8660254), (0.5, -0.8660254)]
)


@settings(deadline=None, max_examples=40)
@given(stars(), st.floats(0.02, 0.2), st.floats(1.05, 4.0))
@example(GENTLE_NOTCH, 0.03125, 2.0)
def test_openings_of_polygons_with_notches(star, radius, factor):
    shape = polygon(star, radius)
    d = factor * radius
    whole = shapely.Polygon(star).buffer(radius, quad_segs=200)
    left = [p for p in shapely.get_parts(whole.buffer(-d, quad_segs=200)) if p.area > 1e-4]
    if not left:
        return
    opened = opening(shape, d, largest=True)
    assert (
        shapely.distance(shapely.points(outline_of(star, radius)), shapely.Polygon(drawn(opened))).min() > d - 5e-8
    )  # tidying moves corners by 1e-8
    theirs = max(left, key=lambda piece: piece.area).buffer(d, quad_segs=200)
    assert abs(opened.area - theirs.area) < 0.03 * d * whole.exterior.length


def test_pieces():
    shape = polygon(DUMBBELL, 0.05)
    with pytest.raises(ShapeError, match=r"falls into 2 pieces, the largest with 50\.0% of the area"):
        opening(shape, 0.4)
    kept = opening(shape, 0.4, largest=True)
    assert kept.area == pytest.approx(1.3 * 1.3 + 4 * 1.3 * 0.4 + math.pi * 0.4**2, rel=2e-2)
    assert opening(shape, 0.2).area < shape.area  # the neck is 0.5 wide


def test_scaling_commutes():
    for shape, d in ((regular(5, 0.1, side=1.0), 0.3), (polygon(ELL, 0.1), 0.25)):
        small, large = opening(shape.scaled(1e-6), 1e-6 * d), opening(shape, d)
        assert small.area == pytest.approx(1e-12 * large.area, rel=1e-9)
        assert len(small.vertices) == len(large.vertices)


def test_far_from_the_origin():
    there = np.array([1e4, -3e4])
    near, far = rounded(ELL, 0.2, 0.1), rounded(np.array(ELL) + there, 0.2, 0.1)
    assert far.area == pytest.approx(near.area, rel=1e-9)
    assert np.abs(drawn(far) - there - drawn(near)).max() < 1e-7


RING = [(0, 0), (4, 0), (4, 1.95), (3, 1.95), (3, 1), (1, 1), (1, 3), (3, 3), (3, 2.05), (4, 2.05), (4, 4), (0, 4)]
BAD = {
    "vanished": (
        lambda: opening(polygon(BOX, 0.1), 0.7),
        "the largest disk inside it has the radius 0.6, and it was eroded by 0.7",
    ),
    "just vanished": (lambda: rounded(BOX, 0.5), "has the radius 0.5"),
    "vanished rice": (lambda: opening(segment((0, 0), (1, 0), 0.2), 0.3), "has the radius 0.2"),
    "vanished cow": (lambda: opening(cow(), 0.8), "radius 0.79111"),
    "sharp": (lambda: erosion(polygon(BOX, 0.1), 0.1), "leaves sharp corners: say with corner=…"),
    "bent line": (lambda: erosion(peanut(), 0.1), "bent line or a clump"),
    "bent line opened": (lambda: opening(polyline([(0, 0), (1, 0), (1, 1)], 0.1), 0.11), "bent line or a clump"),
    "clump": (lambda: closing(clump([(0, 0), (1, 0)], 0.7), 0.1), "bent line or a clump"),
    "hole": (lambda: erosion(polygon(RING, 0.1), 0.05), "has a hole"),
    "negative": (lambda: dilation(disk(), -0.1), "finite length of at least 0, not -0.1"),
    "not finite": (lambda: opening(disk(), math.inf), "d of an opening must be a finite length"),
    "word": (lambda: erosion(disk(), "deep"), "d of an erosion must be a number, not 'deep'"),
    "no radius": (lambda: rounded(BOX, 0.0), "sphero-radius must be positive"),
    "flat outline": (lambda: rounded([(0, 0), (1, 1), (2, 2)], 0.1), "no area"),
    "crossing outline": (lambda: rounded([(0, 0), (1, 1), (1, 0), (0, 1)], 0.1), "edge 0-1"),
}


@pytest.mark.parametrize("name", BAD)
def test_refusals(name):
    make, words = BAD[name]
    assert_refused(make, words, error=ShapeError)
