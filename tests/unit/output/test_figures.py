"""Pictures of scenes and runs, as files and in a notebook."""

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image
from stored_runs import stored_run

from clast.laws import Linear
from clast.output.figures import notebook
from clast.output.figures.notebook import run_html, scene_png, shape_png
from clast.output.figures.plane import draw_run, draw_scene, run_outlines, scene_figure, scene_outlines
from clast.scene.plane import Box, Scene
from clast.shapes import cow, disk, polygon, polyline, regular, segment


@pytest.fixture
def scene():
    made = Scene(law=Linear(1e4))
    made.add_wall(segment((-4.0, 0.0), (4.0, 0.0), radius=0.1))
    made.add(cow(), (0.0, 3.0), angle=0.3)
    made.add(disk(radius=0.5), (3.0, 2.0))
    return made


def colours(data):
    """How many pixels of a PNG are grey and how many blue."""
    with Image.open(io.BytesIO(data)) as file:
        pixels = np.asarray(file.convert("RGB")).astype(int)
    grey = (np.abs(pixels - 140) <= 8).all(axis=2).sum()
    blue = (pixels[:, :, 2] - pixels[:, :, 0] > 90).sum()
    return grey, blue


def test_a_scene_is_drawn_where_its_bodies_start(scene):
    axes = scene_figure(scene).axes[0]
    walls, grains = axes.collections
    assert [len(walls.get_paths()), len(grains.get_paths())] == [1, 2]
    ball = grains.get_paths()[1].get_extents()
    assert np.allclose([ball.x0, ball.x1, ball.y0, ball.y1], [2.5, 3.5, 1.5, 2.5], atol=1e-3)
    assert axes.get_aspect() == 1.0
    grey, blue = colours(scene_png(scene))
    assert grey > 1000 and blue > 10_000


def test_grains_of_sources_are_not_there_yet(scene):
    before = scene_png(scene)
    scene.source(disk(radius=0.5), (0.0, 9.0), (0.0, 9.0), count=3)
    assert scene_png(scene) == before
    empty = Scene(law=Linear(1e4))
    empty.source(disk(radius=0.5), (0.0, 9.0), (0.0, 9.0), count=3)
    assert scene_png(empty) is None


def test_a_periodic_side_shows_one_period():
    from matplotlib.figure import Figure

    made = Scene(law=Linear(1e4), box=Box(period_x=7.0))
    made.add(disk(radius=0.5), (6.9, 1.0))
    axes = Figure().add_subplot()
    draw_scene(axes, made)
    assert axes.get_xlim() == (0.0, 7.0)
    assert len(axes.collections[1].get_paths()) == 2


def test_pictures_nobody_asked_for_are_not_drawn_of_too_much(scene, tmp_path, monkeypatch):
    assert scene_png(Scene(law=Linear(1e4))) is None
    run = stored_run(tmp_path / "run", scene, [{}])
    monkeypatch.setattr(notebook, "MOST_BODIES", 2)
    assert scene_png(scene) is None
    assert "<img" not in run_html(run) and "1 of 3 bodies" in run_html(run)


def test_a_shape_in_a_notebook():
    assert colours(shape_png(cow()))[1] > 300


def test_a_run_in_a_notebook(scene, tmp_path):
    later = np.array([body.position for body in scene.bodies]) + 1.0
    run = stored_run(tmp_path / "a&b", scene, [{}, {"positions": later}])
    text = run._repr_html_()
    assert "a&amp;b" in text and "finished" in text and "2 samples to t = 0.1" in text
    assert colours(base64.b64decode(re.search(r"base64,([^\"]+)", text)[1]))[1] > 5000


def test_frames_side_by_side(scene, tmp_path):
    later = np.array([body.position for body in scene.bodies])
    later[2] += 1.0
    run = stored_run(tmp_path / "run", scene, [{}, {"positions": later}])
    figure = run.plot(0, -1)
    assert [axes.get_title() for axes in figure.axes] == ["t = 0", "t = 0.1"]
    balls = [axes.collections[1].get_paths()[1].get_extents() for axes in figure.axes]
    assert np.allclose(balls[1].min - balls[0].min, 1.0)
    assert [axes.get_title() for axes in run.plot().axes] == ["t = 0.1"]
    with pytest.raises(IndexError):
        run.plot(2)


def test_any_run_has_figures(scene, tmp_path):
    run = stored_run(tmp_path / "run", scene, [{}, {}, {}])
    paths = draw_run(run)
    assert [path.name for path in paths] == ["frames.png", "energy.png"]
    assert all(colours(path.read_bytes())[1] > 500 for path in paths)


@pytest.fixture
def drum():
    """A drum with a block and five grains inside, a block with a grain that clasps it, and a tube whose line closes."""
    made = Scene(law=Linear(1e4))
    made.add_wall(regular(24, 0.08, circumradius=3.0), name="drum")
    made.add_wall(polygon([(-0.5, -1.6), (0.5, -1.6), (0.0, -0.8)], radius=0.1), name="block")
    for k in range(5):
        made.add(disk(radius=0.3), (k - 2.0, 0.8))
    return made


def shade_at(figure, places):
    """Brightness 0…1 (k,) of a figure at places (k, 2) of its first axes."""
    figure.savefig(buffer := io.BytesIO(), format="png", dpi=130)
    with Image.open(buffer) as file:
        pixels = np.asarray(file.convert("L")) / 255.0
    figure.set_dpi(130)
    figure.draw_without_rendering()
    x, y = np.rint(figure.axes[0].transData.transform(places)).astype(int).T
    return pixels[len(pixels) - 1 - y, x]


def test_a_closed_wall_that_holds_grains_is_drawn_as_its_rim(drum, tmp_path):
    rim = 3.0 * np.cos(np.pi / 24.0)
    places = [(0.0, 2.0), (rim * np.cos(np.pi / 24.0), rim * np.sin(np.pi / 24.0)), (0.0, -1.3)]  # void, rim, block
    for figure in (scene_figure(drum), stored_run(tmp_path / "run", drum, [{}, {}]).plot(-1)):
        void, line, block = shade_at(figure, places)
        assert void == 1.0 and 0.4 < line < 0.7 and 0.4 < block < 0.7


def test_a_block_that_a_grain_clasps_stays_solid():
    made = Scene(law=Linear(1e4))
    made.add_wall(polygon([(-1.0, -1.0), (1.0, -1.0), (1.0, 0.4), (-1.0, 0.4)], radius=0.1))
    made.add(polyline([(-1.5, -2.0), (-1.5, 1.0), (1.5, 1.0), (1.5, -2.0)], radius=0.1), (0.0, 0.0))
    assert made.bodies.column("position")[1][1] == 0.0  # its centre of mass lies inside the block
    assert not scene_outlines(made).holes[0]
    made.add(disk(radius=0.2), (0.0, -0.3))
    assert len(scene_outlines(made).holes[0]) == 1


def test_a_drum_is_hollow_in_a_periodic_box_and_turned():
    made = Scene(law=Linear(1e4), box=Box(period_x=10.0))
    made.add_wall(polygon([(7.0, 0.0), (9.5, 0.0), (9.5, 1.0), (7.0, 1.0)], radius=0.05))
    made.add(disk(radius=0.2), (8.0 - 30.0, 0.5))
    assert scene_outlines(made).holes[0]


def test_a_line_that_closes_is_hollow_without_grains():
    made = Scene(law=Linear(1e4))
    corners = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0), (0.0, 0.05)]
    made.add_wall(polyline(corners, radius=0.1))
    (hole,) = scene_outlines(made).holes[0]
    assert np.allclose(np.ptp(hole, axis=0), 1.8, atol=1e-9)


def test_a_drum_that_is_filled_later_is_hollow(drum, tmp_path):
    positions = np.array([body.position for body in drum.bodies])
    outside = positions + np.where(np.arange(len(positions)) > 1, 9.0, 0.0)[:, None]
    empty = stored_run(tmp_path / "empty", drum, [{"positions": outside}] * 2)
    filled = stored_run(tmp_path / "filled", drum, [{"positions": outside}, {"positions": positions}])
    assert [bool(run_outlines(run).holes[0]) for run in (empty, filled)] == [False, True]


def test_a_wall_that_holds_the_grains_is_seen_whole(drum, tmp_path):
    axes = stored_run(tmp_path / "run", drum, [{}]).plot(0).axes[0]
    assert axes.get_ylim()[0] < -3.0 and axes.get_ylim()[1] > 3.0
