"""A user's own grain in a file: what is read, what is refused and with which words, and the way there and back."""

import math

import numpy as np
import pytest
from refused import assert_refused

from clast.errors import ShapeError
from clast.shapes import (
    clump,
    dilation,
    erosion,
    library_shape,
    library_shapes,
    load_shape,
    opening,
    polygon,
    polyline,
    rounded,
    save_shape,
)

ARROW = [(0, 0), (2, 1), (0, 2), (0.6, 1)]
TEXT = "vertices = [[0, 0], [2, 1], [0, 2], [0.6, 1]]\n"


def written(folder, text, name="grain.toml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def same(a, b):
    assert a.edges.tolist() == b.edges.tolist()
    assert np.abs(a.vertices - b.vertices).max() <= 1e-13 * b.reach
    assert np.abs(a.origin - b.origin).max() <= 1e-13 * b.reach
    assert a.radius == b.radius
    assert a.area == pytest.approx(b.area, rel=1e-12)
    assert a.inertia == pytest.approx(b.inertia, rel=1e-11)


def test_a_polygon(tmp_path):
    shape = load_shape(written(tmp_path, TEXT + 'name = "arrowhead"\nradius = 0.1'))
    assert shape.name == "arrowhead"
    same(shape, polygon(ARROW, 0.1))
    assert load_shape(written(tmp_path, TEXT + "radius = 0.1")).name == "grain"


KINDS = {
    "polyline": ('kind = "polyline"\nradius = 0.1\n' + TEXT, lambda: polyline(ARROW, 0.1)),
    "points": ('kind = "points"\nradius = 0.1\n' + TEXT, lambda: clump(ARROW, 0.1)),
    "segment": ('kind = "segment"\nradius = 1\nvertices = [[0, 0], [3, 4]]', lambda: polyline([(0, 0), (3, 4)], 1.0)),
    "opening": ("radius = 0.1\nopening = 0.2\n" + TEXT, lambda: opening(polygon(ARROW, 0.1), 0.2)),
    "erosion": ("radius = 0.1\nerosion = 0.05\n" + TEXT, lambda: erosion(polygon(ARROW, 0.1), 0.05)),
    "dilation": ("radius = 0.1\ndilation = 0.05\n" + TEXT, lambda: dilation(polygon(ARROW, 0.1), 0.05)),
    "sharp, opened": ("opening = 0.2\n" + TEXT, lambda: rounded(ARROW, 0.2)),
    "sharp, eroded and dilated": ("erosion = 0.2\ndilation = 0.15\n" + TEXT, lambda: rounded(ARROW, 0.2, 0.15)),
    "area": ("radius = 0.1\narea = 3\n" + TEXT, lambda: polygon(ARROW, 0.1).with_area(3.0)),
    "scale": ("radius = 0.1\nscale = 0.001\n" + TEXT, lambda: polygon(ARROW, 0.1).scaled(0.001)),
    "scaled after opening": (
        "radius = 0.1\nopening = 0.2\narea = 3\n" + TEXT,
        lambda: opening(polygon(ARROW, 0.1), 0.2).with_area(3.0),
    ),
    "mass": (
        'kind = "points"\nradius = 0.1\n' + TEXT + "[mass]\narea = 3\ncentroid = [0.5, 1]\ninertia = 2.5",
        lambda: clump(ARROW, 0.1, area=3.0, centroid=(0.5, 1.0), inertia=2.5),
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_kinds_and_operations(tmp_path, name):
    text, expected = KINDS[name]
    same(load_shape(written(tmp_path, text)), expected())


def test_largest_piece(tmp_path):
    bells = (
        "vertices = [[0, 0], [2, 0], [2, 0.9], [3, 0.9], [3, 0], [6, 0], [6, 2], [3, 2], [3, 1.1], [2, 1.1], [2, 2], [0, 2]]\n"
    )
    with pytest.raises(ShapeError, match=r"grain\.toml: Eroded by 0\.3 this grain falls into 2 pieces"):
        load_shape(written(tmp_path, bells + "opening = 0.3"))
    kept = load_shape(written(tmp_path, bells + "opening = 0.3\nlargest = true"))
    assert (kept.vertices - kept.origin)[:, 0].min() > 2.8


@pytest.mark.parametrize("line", ["0.5 , 1.5", "0.5;1.5", "0.5\t1.5", "  5e-1   1.5  # a corner"])
def test_tables(tmp_path, line):
    text = f'# my grain = a drawing\n# radius = 0.1\n# name = "leaf"\n\nx, y\n0, 0\n2, 0\n{line}\n'
    for name in ("leaf.csv", "leaf.TXT"):
        shape = load_shape(written(tmp_path, text, name))
        assert shape.name == "leaf"
        same(shape, polygon([(0, 0), (2, 0), (0.5, 1.5)], 0.1))


def test_a_spreadsheet_with_byte_order_mark(tmp_path):
    path = tmp_path / "leaf.csv"
    path.write_bytes(b"\xef\xbb\xbf0;0\r\n# radius = 0.1\r\n2;0\r\n0;2\r\n")
    same(load_shape(path), polygon([(0, 0), (2, 0), (0, 2)], 0.1))


BAD = {
    "no TOML": ("vertices = [[0, 0]", "grain.toml is not TOML:"),
    "no vertices": ("radius = 1", 'the key "vertices" is missing'),
    "misspelt": (TEXT + "radus = 1", 'an unknown key "radus" (for "radius"?)'),
    "unknown": (TEXT + "radius = 1\ncolour = 1", 'an unknown key "colour"; known are vertices, name, kind'),
    "unknown mass": (TEXT + 'kind = "points"\nradius = 1\n[mass]\nweight = 1', 'the key "mass.area" is missing'),
    "negative": (TEXT + "radius = -1", 'the key "radius" must be greater than 0, not -1'),
    "not finite": (TEXT + "radius = inf", 'the key "radius" must be finite, not inf'),
    "text": (TEXT + 'radius = "1"', "the key \"radius\" must be a number, not '1'"),
    "yes": (TEXT + "radius = 1\nlargest = 1", 'the key "largest" must be true or false, not 1'),
    "numbered name": (TEXT + "radius = 1\nname = 1", 'the key "name" must be a text, not 1'),
    "kind": (
        TEXT + 'radius = 1\nkind = "blob"',
        "the key \"kind\" must be 'polygon', 'polyline', 'segment' or 'points', not 'blob'",
    ),
    "triple": ("radius = 1\nvertices = [[0, 0], [1, 2, 3], [1, 0]]", 'the key "vertices", vertex 1 must be two numbers (x, y)'),
    "lonely": ("radius = 1\nvertices = [[0, 0], [1, 0], [1]]", 'the key "vertices", vertex 2 must be two numbers (x, y)'),
    "flat list": ("radius = 1\nvertices = [0, 1, 2]", 'the key "vertices", vertex 0 must be two numbers (x, y), not 0'),
    "no list": ("radius = 1\nvertices = 3", 'the key "vertices" must be a list of pairs (x, y), not 3'),
    "word": ('radius = 1\nvertices = [[0, 0], [1, "a"], [1, 1]]', "the key \"vertices\", vertex 1, y must be a number, not 'a'"),
    "nan": ("radius = 1\nvertices = [[0, 0], [nan, 0], [1, 1]]", 'the key "vertices", vertex 1, x must be finite, not nan'),
    "crossing": ("radius = 1\nvertices = [[0, 0], [1, 1], [1, 0], [0, 1]]", "grain.toml: The grain crosses itself: edge 0-1"),
    "long segment": ('kind = "segment"\nradius = 1\n' + TEXT, "A segment has 2 vertices, not 4"),
    "no radius": (TEXT, 'The key "radius" is missing: give it, or "opening" alone'),
    "no radius, one half": (TEXT + "erosion = 0.1", 'The key "radius" is missing: give it, or'),
    "no radius, line": (TEXT + 'kind = "polyline"\nopening = 0.1', 'The key "radius" is missing: a polyline needs'),
    "two sizes": (TEXT + "radius = 0.1\narea = 1\nscale = 2", 'Give "area" or "scale", not both'),
    "two operations": (TEXT + "radius = 0.1\nopening = 0.2\ndilation = 2", "only one of opening and dilation"),
    "too deep": (TEXT + "radius = 0.1\nerosion = 0.1", '"erosion" 0.1 must be less than "radius" 0.1'),
    "vanished": (TEXT + "radius = 0.1\nopening = 1", "grain.toml: Nothing is left of this grain"),
    "heavy polygon": (
        TEXT + "radius = 0.1\n[mass]\narea = 1\ncentroid = [0, 0]\ninertia = 1",
        'The table "mass" is for points only',
    ),
    "heavy and changed": (
        'kind = "points"\nradius = 0.1\ndilation = 0.1\n' + TEXT + "[mass]\narea = 1\ncentroid = [0, 0]\ninertia = 1",
        'The table "mass" belongs to the shape as drawn',
    ),
    "largest of nothing": (TEXT + "radius = 0.1\nlargest = true", '"largest" chooses among the pieces'),
}


@pytest.mark.parametrize("name", BAD)
def test_refusals_name_the_file_and_the_key(tmp_path, name):
    text, words = BAD[name]
    path = written(tmp_path, text)
    assert_refused(lambda: load_shape(path), str(path), words, error=ShapeError)


BAD_TABLES = {
    "words": ("# radius = 1\n0,0\n1,one\n", "line 3, vertex 1 must be two finite numbers, not '1,one'"),
    "two headers": ("# radius = 1\nx,y\nm,m\n0,0\n", "line 3, vertex 0 must be two finite numbers, not 'm,m'"),
    "triple": ("# radius = 1\n0,0\n1,2,3\n", "line 3, vertex 1"),
    "nan": ("0,0\nnan,1\n", "line 2, vertex 1"),
    "setting": ("# radius = wide\n0,0\n", 'line 1, the value of "radius" is not a TOML value'),
    "no radius": ("0,0\n1,0\n0,1\n", 'The key "radius" is missing'),
    "empty": ("# radius = 1\n", "needs at least 3 vertices, got 0"),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_refused_tables(tmp_path, name):
    text, words = BAD_TABLES[name]
    path = written(tmp_path, text, "grain.csv")
    with pytest.raises(ShapeError) as caught:
        load_shape(path)
    assert str(path) in str(caught.value)
    assert words in str(caught.value)
    assert str(caught.value).endswith(".")


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(ShapeError, match="There is no shape file"):
        load_shape(tmp_path / "none.toml")
    with pytest.raises(ShapeError, match=r"must end in \.toml, \.csv or \.txt"):
        load_shape(written(tmp_path, "", "grain.png"))
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(ShapeError, match="cannot be read"):
        load_shape(tmp_path / "folder.toml")
    (tmp_path / "latin.csv").write_bytes(b"# gr\xf6\xdfe\n0 0\n")
    with pytest.raises(ShapeError, match="cannot be read"):
        load_shape(tmp_path / "latin.csv")


@pytest.mark.parametrize("name", library_shapes())
def test_there_and_back(tmp_path, name):
    shape = library_shape(name)
    path = save_shape(shape, tmp_path / "shape.toml")
    again = load_shape(path)
    assert again.name == shape.name
    same(again, shape)
    assert ("[mass]" in path.read_text()) == ("cow" in name and name not in ("cow", "long-legged-cow"))


def test_there_and_back_with_an_odd_name_far_away(tmp_path):
    shape = polygon([(x + 1e3, y - 2e3) for x, y in ARROW], 0.1, name='a "big"\ngrain \\ ½\x7f🐄')
    again = load_shape(save_shape(shape, tmp_path / "odd.toml"))
    assert again.name == shape.name
    assert math.isclose(again.origin[0], shape.origin[0], rel_tol=1e-15)


def test_writing_is_careful(tmp_path):
    path = save_shape(polygon(ARROW, 0.1), tmp_path / "arrow.toml")
    with pytest.raises(ShapeError, match="There is a file"):
        save_shape(polygon(ARROW, 0.2), path)
    assert load_shape(path).radius == 0.1
    save_shape(polygon(ARROW, 0.2), path, overwrite=True)
    assert load_shape(path).radius == 0.2
    with pytest.raises(ShapeError, match=r"call the file .*arrow\.toml"):
        save_shape(polygon(ARROW, 0.2), tmp_path / "arrow.csv")
    with pytest.raises(ShapeError, match="cannot be written"):
        save_shape(polygon(ARROW, 0.2), tmp_path / "nowhere" / "arrow.toml")
    assert [file.name for file in tmp_path.iterdir()] == ["arrow.toml"]


def test_the_library():
    shapes = library_shapes()
    assert {"disk", "rice", "peanut", "pebble", "cow", "clumpy-cow", "triangle", "hexagon", "heptagon"} <= set(shapes)
    for sides, name in enumerate(("triangle", "square", "pentagon", "hexagon", "heptagon"), start=3):
        shape = library_shape(name)
        assert (shape.name, len(shape.vertices), shape.area) == (name, sides, 1.0)
    with pytest.raises(ShapeError, match='no ready-made shape "cowboy": choose among disk, rice'):
        library_shape("cowboy")
