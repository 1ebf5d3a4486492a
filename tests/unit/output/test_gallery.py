"""Pictures and words about shapes: what is drawn is looked up in the figure, not guessed from the file."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.image import imread

from clast.errors import InputError
from clast.output.figures import gallery
from clast.output.figures.gallery import draw_gallery
from clast.output.figures.shape import draw_shape, fill_rings, round_length, save_shape_figure, shape_report, shape_warnings
from clast.shapes import clump, clumpy_cow, cow, disk, library_shapes, polygon, polyline, rice, rounded

SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]


@pytest.fixture
def axes():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def lines_of(axes):
    return [np.column_stack(line.get_data()) for line in axes.lines]


def ink(path):
    """Part of a picture that is not white."""
    return float((imread(path)[..., :3] < 0.99).any(axis=2).mean())


def test_gallery(tmp_path):
    paths = draw_gallery(tmp_path)
    assert [path.name for path in paths] == [
        "shapes.png",
        "cows.png",
        "cell-operations.png",
        "cow-operations.png",
        "voronoi-minkowski.png",
    ]
    assert sorted(tmp_path.iterdir()) == sorted(paths)
    for path in paths:
        assert 0.1 < ink(path) < 0.95
    assert plt.get_fignums() == []  # every figure is let go
    with pytest.raises(InputError, match=r"There is no folder .*none"):
        draw_gallery(tmp_path / "none")


def test_the_cell_shows_points_1_and_2_becoming_3():
    """Of the six candidates of PRE10 eq 6 the two at the blunted corner lie nearer than d to another side, no others."""
    cell, d = np.array(gallery.CELL), gallery.CELL_DISK
    candidates = gallery._candidates(cell, d)
    step = np.roll(cell, -1, axis=0) - cell
    u = step / np.hypot(*step.T)[:, None]
    rel = candidates[:, None] - cell[None]
    depth = u[:, 0] * rel[..., 1] - u[:, 1] * rel[..., 0]
    assert np.flatnonzero(depth.min(axis=1) < d - 1e-9).tolist() == [gallery.BLUNT_SIDE, gallery.BLUNT_SIDE + 1]
    ring = rounded(cell, d)
    assert len(ring.vertices) == len(cell) - 1
    for k in (0, 1, 2, 5):  # the others are vertices of the eroded cell
        assert np.hypot(*(ring.vertices - ring.origin - candidates[k]).T).min() < 1e-12


def test_a_drawn_shape(axes):
    shape = polygon(SQUARE, 0.25)
    draw_shape(axes, shape)
    skeleton, vertices, centre, bar = lines_of(axes)
    assert np.allclose(skeleton, shape.vertices[[0, 1, 2, 3, 0]])
    assert np.allclose(vertices, shape.vertices)
    assert np.allclose(centre, [(0, 0)])
    assert np.ptp(bar[:, 0]) == pytest.approx(0.5)
    assert axes.texts[0].get_text() == "0.5"
    (patch,) = axes.patches
    extent = patch.get_path().get_extents()
    assert (extent.x0, extent.y1) == pytest.approx((-0.75, 0.75))
    assert axes.get_xlim()[0] < -0.75
    assert axes.get_ylim()[0] < bar[0, 1]  # the bar lies in the picture


def test_a_shape_without_bar_and_centre(axes):
    draw_shape(axes, rice(), bar=False, mark_centre=False)
    skeleton, vertices = lines_of(axes)
    assert np.allclose(skeleton, rice().vertices)
    assert np.allclose(vertices, rice().vertices)
    assert len(axes.texts) == 0


def test_holes_stay_open(axes):
    letter = polyline([(0.5, 0.1), (0, 1), (-1, 0), (0, -1), (0.5, -0.1)], 0.2)
    fill_rings(axes, letter.outline())
    path = axes.patches[0].get_path()
    assert len(path.to_polygons()) == 2
    figure = axes.figure
    axes.set(xlim=(-2, 2), ylim=(-2, 2))
    axes.set_axis_off()
    figure.canvas.draw()
    picture = np.asarray(figure.canvas.buffer_rgba())

    def colour(x, y):
        column, row = axes.transData.transform((x, y)).astype(int)
        return tuple(picture[picture.shape[0] - 1 - row, column, :3])

    inside = letter.vertices.mean(axis=0)
    assert colour(*inside) == (255, 255, 255)
    assert colour(*letter.vertices[2]) != (255, 255, 255)


@pytest.mark.parametrize(("wanted", "got"), [(1.0, 1.0), (1.99, 1.0), (2.0, 2.0), (0.07, 0.05), (4.9e-6, 2e-6), (999.0, 500.0)])
def test_round_lengths(wanted, got):
    assert round_length(wanted) == pytest.approx(got, rel=1e-12)


def test_report():
    lines = shape_report(cow())
    words = {line.split()[0]: line.split(maxsplit=1)[1] for line in lines}
    assert words["name"] == "cow"
    assert words["skeleton"] == "closed polygon, 62 vertices, 62 edges"
    assert words["radius"] == "0.1"
    assert words["area"] == "6.52"
    assert float(words["inertia"].split()[0]) == pytest.approx(cow().inertia, rel=1e-5)
    assert float(words["reach"].split()[0]) == pytest.approx(cow().reach, rel=1e-5)
    assert float(words["thickness"].split()[0]) == pytest.approx(cow().thickness, rel=1e-5)
    assert words["extent"] == "3.68663 × 2.95942"
    assert "warning" not in words
    assert "skeleton    point, 1 vertex, 0 edges" in shape_report(disk())
    assert "skeleton    open chain, 2 vertices, 1 edge" in shape_report(rice())
    assert "thickness   no interior" in shape_report(rice())
    assert "skeleton    clump of disks, 2 vertices, 0 edges" in shape_report(clump([(0, 0), (1, 0)], 1.0))


@pytest.mark.filterwarnings("ignore::clast.shapes.ThinShapeWarning")
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: polygon([(0, 0), (1, 0), (1, 0.009), (0, 0.009)], 0.1), "only 0.009 thick somewhere"),
        (lambda: polygon(SQUARE, 0.005), "only 0.007 of the reach"),
        (lambda: clump([(0, 0), (5, 0), (0, 5)], 1.0), "in 3 separate parts"),
        (lambda: polyline([(0.5, 0.1), (0, 1), (-1, 0), (0, -1), (0.5, -0.1)], 0.2), "closes round 1 hole,"),
        (lambda: clumpy_cow(296), "its area is given and not that of its disks, 3.6"),
    ],
    ids=["thin", "small rounding", "loose", "hole", "other mass"],
)
def test_warnings(make, words):
    found = shape_warnings(make())
    assert any(words in line for line in found), found
    assert any(words in line for line in shape_report(make()))


def test_sound_shapes_are_not_warned_about():
    for name, make in library_shapes().items():
        if name not in ("clumpy-cow", "hollow-cow"):
            assert shape_warnings(make()) == [], name


def test_picture_of_one_shape(tmp_path):
    path = save_shape_figure(cow(), tmp_path / "cow.png")
    assert path == tmp_path / "cow.png"
    assert 0.2 < ink(path) < 0.8
