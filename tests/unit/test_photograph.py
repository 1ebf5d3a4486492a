"""Grains from pictures: those drawn at known places and of known shape are found again, and what cannot be read is told."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
import shapely
from drawn_pictures import ONE, TWO, WIDTH, angle_iron, drawn, ellipse, nearest, saved, star
from PIL import Image

import clast
from clast.errors import InputError, ShapeError
from clast.shapes import PictureWarning, grains_from_image, sample_photograph
from clast.shapes.plane import picture

# corners on multiples of an eighth of a pixel, so that drawing them is exact
KNOWN = {
    "ellipse": ellipse(130.5, 115.25, 45.0, 22.0, 0.4),
    "disk": ellipse(45.25, 110.75, 30.25, 30.25),
    "star": star(50.25, 42.125, 34.0),
    "L": angle_iron(110.375, 20.25, 17.0),
}


@pytest.fixture(scope="module")
def known_picture():
    return drawn(KNOWN.values())


@pytest.fixture(scope="module")
def one_picture():
    return drawn([ONE], (96, 80))


@pytest.fixture(scope="module")
def known(known_picture, tmp_path_factory):
    return grains_from_image(saved(known_picture, tmp_path_factory.mktemp("known") / "known.png"))


# --- what is seen ----------------------------------------------------------------------------------------------------


def test_known_shapes_are_found_where_they_are(known):
    assert len(known) == len(KNOWN) and known.cut == known.specks == 0 and known.dark
    assert [grain.area for grain in known] == sorted((grain.area for grain in known), reverse=True)
    for grain in known:
        true = nearest(KNOWN.values(), grain)
        seen = shapely.Polygon(grain.outline)
        assert grain.area == pytest.approx(true.area, rel=0.005)
        assert np.abs(np.array(seen.centroid.coords[0]) - true.centroid.coords[0]).max() < 0.1
        assert np.abs(grain.centre - true.centroid.coords[0]).max() < 0.1
        assert seen.symmetric_difference(true).area < 0.01 * true.area
        assert seen.area / seen.convex_hull.area == pytest.approx(true.area / true.convex_hull.area, abs=0.05)  # notches stay
    round_ones = [grain for grain in known if grain.area > 2000.0]
    assert len(round_ones) == 2
    for grain in round_ones:
        assert shapely.Polygon(grain.outline).hausdorff_distance(nearest(KNOWN.values(), grain)) < 0.1


def test_the_blur_does_not_make_grains_smaller(one_picture, tmp_path):
    path = saved(one_picture, tmp_path / "one.png")
    for smoothing in (0.5, 2.0):
        (grain,) = grains_from_image(path, smoothing=smoothing, tolerance=2.0)
        assert grain.area == pytest.approx(shapely.Polygon(ONE).area, rel=0.002), smoothing


def test_a_picture_turned_or_inverted_shows_the_same_grains(one_picture, tmp_path):
    (grain,) = grains_from_image(saved(one_picture, tmp_path / "one.png"))
    (turned,) = grains_from_image(saved(np.rot90(one_picture), tmp_path / "turned.png"))
    (inverted,) = grains_from_image(saved(1.0 - one_picture, tmp_path / "inverted.png"))
    (mirrored,) = grains_from_image(saved(one_picture[:, ::-1], tmp_path / "mirrored.png"))
    assert turned.area == pytest.approx(grain.area, rel=1e-9)
    back = shapely.Polygon(turned.shape.vertices @ np.array([[0.0, -1.0], [1.0, 0.0]]))
    assert back.hausdorff_distance(shapely.Polygon(grain.shape.vertices)) < 0.02
    other = shapely.Polygon(mirrored.shape.vertices)
    assert other.hausdorff_distance(shapely.Polygon(grain.shape.vertices)) > 1.0
    assert inverted.area == pytest.approx(grain.area, rel=1e-3)
    assert shapely.Polygon(inverted.outline).hausdorff_distance(shapely.Polygon(grain.outline)) < 0.05


def test_lengths_go_with_the_scale(one_picture, tmp_path):
    path = saved(one_picture, tmp_path / "one.png")
    (grain,) = grains_from_image(path)
    (small,) = grains_from_image(path, scale=0.01)
    assert np.allclose(small.shape.vertices, 0.01 * grain.shape.vertices, rtol=0.0, atol=1e-6)
    assert small.area == pytest.approx(1e-4 * grain.area, rel=1e-12)
    assert small.misfit.largest == pytest.approx(0.01 * grain.misfit.largest, rel=1e-3)
    finer = drawn([2.0 * ONE], (192, 160))
    (same,) = grains_from_image(saved(finer, tmp_path / "finer.png"), scale=0.5)
    assert same.area == pytest.approx(grain.area, rel=0.002)
    assert np.abs(same.centre - grain.centre).max() < 0.05


def test_a_hole_is_filled_and_told(tmp_path):
    ring = shapely.Polygon(ONE, [ellipse(50.0, 42.0, 6.0, 5.0)])
    (grain,) = grains_from_image(saved(drawn([ring], (96, 80)), tmp_path / "ring.png"), split=False)
    assert grain.holes == 1
    assert grain.area == pytest.approx(shapely.Polygon(ONE).area, rel=0.005)


def written_as(kind, grey, path):
    eight = np.round(grey * 255.0).astype(np.uint8)
    cover = np.round((0.8 - grey) / 0.6 * 255.0).astype(np.uint8)
    if kind == "sixteen bits, dim":
        Image.fromarray((grey * 6553.0).astype(np.uint16)).save(path)
    elif kind == "colours":
        Image.fromarray(np.dstack([eight, eight // 2, eight])).save(path)
    elif kind == "dark on nothing":
        Image.fromarray(np.dstack([np.full_like(eight, 40)] * 3 + [cover])).save(path)
    elif kind == "bright on nothing":
        Image.fromarray(np.dstack([np.full_like(eight, 220)] * 3 + [cover])).save(path)
    elif kind == "palette":
        Image.fromarray(eight).quantize(32).save(path)
    elif kind == "black and white":
        Image.fromarray(grey < 0.5).save(path)
    else:
        Image.fromarray(eight).save(path.with_suffix(".jpg"), quality=80)
        return path.with_suffix(".jpg")
    return path


@pytest.mark.parametrize(
    ("kind", "close"),
    [
        ("sixteen bits, dim", 0.002),
        ("colours", 0.002),
        ("dark on nothing", 0.002),
        ("bright on nothing", 0.002),
        ("palette", 0.005),
        ("black and white", 0.01),
        ("jpeg", 0.005),
    ],
)
def test_kinds_of_pictures(kind, close, one_picture, tmp_path):
    (grain,) = grains_from_image(written_as(kind, one_picture, tmp_path / "one.png"), tolerance=1.0)
    assert grain.area == pytest.approx(shapely.Polygon(ONE).area, rel=close)


def test_noise_and_dust_are_borne(one_picture, tmp_path):
    rng = np.random.default_rng(5)
    noisy = one_picture + 0.08 * rng.normal(size=one_picture.shape)
    noisy[5:8, 80:83] = 0.1
    found = grains_from_image(saved(noisy, tmp_path / "noisy.png"), tolerance=1.0)
    assert len(found) == 1 and found.specks == 1
    assert found[0].area == pytest.approx(shapely.Polygon(ONE).area, rel=0.01)


def test_a_side_that_lies_in_the_dark_is_told(known_picture, tmp_path):
    for light, dim in ((0.3, False), (0.05, True)):  # of the left side, on the right one
        path = saved(known_picture * np.linspace(1.0, light, WIDTH), tmp_path / "uneven.png")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = grains_from_image(path, vertices=6, tolerance=5.0)
        assert [str(each.message).count("grains may be lost") for each in told] == [1] * dim
        assert len(found) == 4 or dim
    black = saved(1.0 - drawn([ONE], (96, 80), dark=0.0, bright=1.0), tmp_path / "black.png")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not grains_from_image(black, vertices=6, tolerance=5.0).dark  # white on black is no dim light


def test_a_pixel_that_flickers_does_not_keep_it_busy(known_picture, monkeypatch):
    calls, rng = [], np.random.default_rng(1)

    def flickering(even, level, dark):
        calls.append(level)
        grain = even < level
        grain.flat[rng.integers(grain.size)] ^= len(calls) % 2 == 0
        return grain

    large = np.kron(known_picture, np.ones((2, 2)))  # a pixel is less than 1e-5 of it
    monkeypatch.setattr(picture, "_grains", flickering)
    picture.part(large, threshold="otsu", dark=None, smoothing=0.7, where="it")
    assert len(calls) <= 8


def test_a_threshold_of_ones_own(one_picture, tmp_path):
    path = saved(one_picture, tmp_path / "one.png")
    half, low, high = (grains_from_image(path, threshold=level, tolerance=1.0)[0].area for level in (0.5, 0.3, 0.7))
    assert half == pytest.approx(shapely.Polygon(ONE).area, rel=0.002)
    assert low < half < high  # a dark grain is larger where more counts as dark


# --- grains that touch -----------------------------------------------------------------------------------------------

CROWD = [ellipse(40.0 + 30.0 * i + 15.0 * (j % 2), 40.0 + 26.0 * j, 15.3, 15.3) for i in range(3) for j in range(3)]


def test_grains_that_touch_are_cut_apart_if_asked(tmp_path):
    path = saved(drawn(TWO), tmp_path / "two.png")
    cut = grains_from_image(path, split=True, tolerance=1.0)
    assert len(cut) == 3
    for grain in cut:
        true = nearest(TWO, grain)
        assert grain.area == pytest.approx(true.area, rel=0.01)
        assert np.abs(grain.centre - true.centroid.coords[0]).max() < 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(grains_from_image(path, split=False, tolerance=2.0)) == 2
    with pytest.warns(PictureWarning, match=r"column 74, row 80 from the top looks like 2 grains that touch: split = true"):
        assert len(grains_from_image(path, tolerance=2.0)) == 2


def test_a_waist_is_not_cut(tmp_path):
    waist = shapely.union_all([shapely.Polygon(ellipse(x, 40.0, 25.0, 25.0)) for x in (37.0, 63.0)])  # 0.85 of the width
    (grain,) = grains_from_image(saved(drawn([waist], (100, 80)), tmp_path / "waist.png"), split=True, tolerance=2.0)
    assert grain.area == pytest.approx(waist.area, rel=0.005)


def test_a_crowd_is_refused_unless_cut_apart(tmp_path):
    path = saved(drawn(CROWD), tmp_path / "crowd.png")
    with pytest.raises(InputError, match=r"crowd.png: the blob .* looks like 9 grains that touch: .* split = true"):
        grains_from_image(path)
    assert len(grains_from_image(path, split=True, tolerance=2.0)) == 9


# --- what cannot be read ---------------------------------------------------------------------------------------------


def noise(levels):
    return np.random.default_rng(2).choice(levels, size=(120, 160))


def everywhere(size):
    """Disks that touch all over a picture."""
    return [ellipse(2.0 * size * i + size * (j % 2), 1.732 * size * j, 1.01 * size, 1.01 * size)
            for i in range(-1, 6) for j in range(-1, 7)]  # fmt: skip


BAD = {
    "uniform": (lambda: np.full((90, 120), 0.5), {}, r"one brightness \(colour alone is not seen\) all over"),
    "white": (lambda: np.ones((90, 120)), {}, "shows nothing: it is white all over"),
    "tiny": (lambda: np.zeros((9, 12)), {}, "only 12 × 9 pixels"),
    "uneven light only": (lambda: np.tile(np.linspace(0.2, 0.9, 160), (120, 1)), {}, "nothing but uneven light"),
    "noise": (lambda: 0.5 + 0.1 * np.random.default_rng(1).normal(size=(120, 160)), {}, "as in noise"),
    "few specks": (lambda: drawn([ellipse(30.0, 40.0, 3.0, 3.0)], (96, 80)), {}, "only 1 specks of up to .* give smallest"),
    "many specks": (lambda: noise([0.1] + [0.8] * 20), {}, "full of specks"),
    "all cut": (lambda: drawn([ellipse(0.0, 40.0, 20.0, 20.0)], (96, 80)), {}, r"border cuts every grain \(1\)"),
    "one blob": (lambda: drawn(everywhere(16.0)), {"dark": True}, r"touch .* on 8\d% of the picture: .* split = true"),
    "gaps": (lambda: drawn(everywhere(40.0), (240, 200)), {}, "look like gaps between grains that touch"),
    "no such level": (lambda: drawn([ONE], (96, 80)), {"threshold": 0.9}, "from 0.2 to 0.8 only"),
    "level in words": (lambda: drawn([ONE], (96, 80)), {"threshold": "high"}, '"otsu" or a brightness'),
    "true scale": (lambda: drawn([ONE], (96, 80)), {"scale": True}, "scale must be a positive number, not True"),
    "huge scale": (lambda: drawn([ONE], (96, 80)), {"scale": 1e300}, r"scale must be between 1e-30 and 1e\+30, not 1e\+300"),
    "no scale": (lambda: drawn([ONE], (96, 80)), {"scale": 0.0}, "scale must be a positive number, not 0.0"),
    "too round": (
        lambda: drawn([ONE], (96, 80)),
        {"radius": 25.0},
        r"grain 0 about column 48, row 3.* smaller radius",
    ),
    "two vertices": (lambda: drawn([ONE], (96, 80)), {"vertices": 2}, "3 or more, not 2"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_picture_without_grains_is_refused_with_one_sentence(case, tmp_path):
    grey, options, said = BAD[case]
    path = saved(grey(), tmp_path / "bad.png")
    with pytest.raises((InputError, ShapeError), match=said) as failure:
        grains_from_image(path, **options)
    assert "\n" not in str(failure.value)


def test_files_that_are_no_pictures(tmp_path):
    (tmp_path / "text.png").write_text("not a picture")
    (tmp_path / "empty.png").touch()
    whole = saved(np.random.default_rng(1).uniform(size=(60, 60)), tmp_path / "whole.png").read_bytes()
    (tmp_path / "torn.png").write_bytes(whole[: len(whole) // 2])
    for name, said in (
        ("nowhere.png", "there is no picture"),
        ("text.png", "is not a picture: PNG, JPEG"),
        ("empty.png", "is not a picture"),
        ("torn.png", "cannot be read"),
        (".", "cannot be read"),
    ):
        with pytest.raises(InputError, match=said):
            grains_from_image(tmp_path / name)


def test_without_scikit_image_the_rest_works(monkeypatch, tmp_path):
    for name in [name for name in sys.modules if name.partition(".")[0] == "skimage"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "skimage", None)
    with pytest.raises(InputError, match=r'need scikit-image: pip install "clast\[image\]"'):
        grains_from_image(sample_photograph())
    assert clast.shapes.cow().area > 0.0
    asked = "import sys, clast.shapes, clast.scene_files.build; sys.exit('skimage' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0
