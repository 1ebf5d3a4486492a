"""Shapes of grains in pictures: the gravel that comes with clast, and how well outlines are fitted."""

import math
import runpy
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
import shapely
from drawn_pictures import angle_iron, ellipse, nearest, star
from PIL import Image

import clast
from clast.errors import ShapeError
from clast.output.figures.photograph import CLOSE, photograph_figure
from clast.shapes import fitted, grains_from_image, misfit, sample_photograph
from clast.shapes.plane.fit import _thinned, moved_out

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def gravel():
    return grains_from_image(sample_photograph())


# --- the picture that comes with clast -------------------------------------------------------------------------------


def test_the_gravel_is_seen_in_spite_of_uneven_light(gravel):
    true = runpy.run_path(str(ROOT / "benchmarks" / "gravel_picture.py"))["outlines"]()
    assert len(gravel) == 15 and gravel.cut == 2 and len(true) == 17
    for grain in gravel:
        body = nearest(true, grain)
        assert grain.area == pytest.approx(body.area, rel=0.02), grain.number  # shadows are dark too
        assert shapely.Polygon(grain.outline).hausdorff_distance(body) < 1.5
    # the ground in the dim corner is darker than grains in the light: no one level will do
    brightest = max(float(np.median(gravel.grey[inside(gravel, grain)])) for grain in gravel)
    assert np.median(gravel.grey[-12:, -12:]) < brightest


def inside(photograph, grain):
    """Which pixels (h, w) lie within a grain's outline."""
    height, width = photograph.grey.shape
    x, y = np.meshgrid(np.arange(width) + 0.5, height - np.arange(height) - 0.5)
    return shapely.contains_xy(shapely.Polygon(grain.outline), x, y)


def test_every_grain_has_the_area_of_its_outline(gravel):
    for grain in gravel:
        assert abs(grain.misfit.area_error) < 0.01 and len(grain.shape.vertices) <= 24  # the bar
        assert grain.shape.area == pytest.approx(shapely.Polygon(grain.outline).area, rel=1e-5)
        assert grain.misfit.mismatch < 0.02 and grain.misfit.largest < 0.03 * math.sqrt(grain.area)
        surface = shapely.Polygon(grain.shape.outline(256)[0] - grain.shape.origin)
        seen = shapely.Polygon(grain.outline)
        assert surface.symmetric_difference(seen).area == pytest.approx(grain.misfit.mismatch * seen.area, rel=0.02)
    notched = [grain for grain in gravel if shapely.Polygon(grain.outline).convex_hull.area > 1.05 * grain.area]
    assert len(notched) >= 3
    for grain in notched:
        assert shapely.Polygon(grain.shape.vertices).convex_hull.area > 1.05 * shapely.Polygon(grain.shape.vertices).area


def test_the_picture_is_small_and_shipped():
    assert sample_photograph().is_file() and sample_photograph().stat().st_size < 60_000
    assert sample_photograph().is_relative_to(Path(clast.__file__).parent)


@pytest.mark.validate
def test_the_picture_is_what_its_script_draws(tmp_path):
    made = tmp_path / "gravel.png"
    subprocess.run([sys.executable, ROOT / "benchmarks" / "gravel_picture.py", made], check=True)
    off = np.asarray(Image.open(made), dtype=int) - np.asarray(Image.open(sample_photograph()), dtype=int)
    assert np.abs(off).max() <= 7 and (off != 0).mean() < 1e-3  # a step of brightness, where rounding differs


def test_the_figure_shows_every_grain(gravel):
    figure = photograph_figure(gravel)
    above, *close = figure.axes
    assert [text.get_text() for text in above.texts] == [str(grain.number) for grain in gravel]
    assert len(above.lines) == 2 * len(gravel)
    assert len(close) == CLOSE and f"{len(gravel)} grains; left out: 2 cut" in above.get_title()
    worst = max(gravel, key=lambda grain: grain.misfit.largest / math.sqrt(grain.area))
    assert close[0].get_title().startswith(f"{worst.number}: ")
    plt.close(figure)


# --- the fit ---------------------------------------------------------------------------------------------------------


def test_a_disk_by_a_polygon_is_off_by_half_the_height_of_its_chords():
    outline = ellipse(3.0, 2.0, 1.0, 1.0)
    for vertices in (8, 24):
        shape = fitted(outline, 0.2, vertices=vertices, tolerance=1e-9)
        assert len(shape.vertices) == vertices and shape.radius == 0.2
        chord = 0.8 * (1.0 - math.cos(math.pi / vertices))
        assert misfit(shape, outline).largest == pytest.approx(0.6 * chord, rel=0.15)  # half inside, half outside, about
        assert shape.area == pytest.approx(math.pi, rel=1e-4)  # 720 chords for the outline
        assert np.abs(shape.origin + np.array([3.0, 2.0])).max() < 1e-3


def test_a_larger_tolerance_takes_fewer_vertices(gravel):
    outline = gravel[3].outline
    counts = []
    for tolerance in (0.3, 1.0, 3.0):
        shape = fitted(outline, tolerance=tolerance)
        counts.append(len(shape.vertices))
        assert misfit(shape, outline).largest < max(tolerance, 0.7) + 0.3  # all 24 leave 0.7; the area moves the sides a little
    assert 24 >= counts[0] > counts[1] > counts[2] >= 5


def test_corners_need_no_more_vertices_than_they_have():
    for outline, corners in ((angle_iron(0.0, 0.0, 1.0), 6), (star(0.0, 0.0, 1.0), 10), ([(0, 0), (1, 0), (1, 1), (0, 1)], 4)):
        shape = fitted(outline)
        assert len(shape.vertices) == corners
        area = shapely.Polygon(outline).area
        assert shape.area == pytest.approx(area, rel=1e-5) and misfit(shape, outline).mismatch < 0.015


def test_moving_sides_out_and_thinning_out():
    square = np.array([(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)])
    assert moved_out(square, 0.1).tolist() == [[-0.1, -0.1], [2.1, -0.1], [2.1, 2.1], [-0.1, 2.1]]
    with_bump = np.insert(square, 1, (1.0, -0.01), axis=0)
    thin = _thinned(with_bump, 24)
    assert sorted(thin) == [3, 4, 5] and thin[4].tolist() == square.tolist()


def test_what_cannot_be_fitted_is_refused():
    for outline, radius, said in (
        ([(0, 0), (2, 2), (2, 0), (0, 2)], None, "crosses or touches itself"),
        (ELLIPSE := ellipse(0.0, 0.0, 2.0, 1.0), 1.1, "radius 0.99.*, not more"),
        ([(0, 0), (1, 0), (2, 0)], None, "crosses or touches itself|no area"),
        (ELLIPSE, -1.0, "radius must be a positive length"),
        (np.vstack([ellipse(0, 0, 1, 1)[30:-30], ellipse(3, 0, 1, 1)[390:], ellipse(3, 0, 1, 1)[:330]]), 0.5, "2 pieces"),
    ):
        with pytest.raises(ShapeError, match=said):
            fitted(outline, radius)
    with pytest.raises(ShapeError, match="vertices must be a whole number, 3 or more, not 2"):
        fitted(ELLIPSE, vertices=2)
