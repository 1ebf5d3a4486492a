"""Pictures of frames as the user wants them: colours, crop, walls, forces, kinds of files."""

import io
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image
from stored_runs import stored_run
from typer.testing import CliRunner

from clast.cli.app import app
from clast.errors import InputError
from clast.laws import Linear
from clast.output.figures.chains import chains_figure, draw_chains
from clast.output.figures.picture import Looks, picture, write_picture
from clast.output.figures.plane import plain_figure
from clast.output.figures.shades import COLORS, MANY, PLAIN, Shades, values_of
from clast.output.space.bodies import run_surfaces
from clast.output.space.picture import Studio
from clast.output.space.view import Camera, view_of
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.shapes import cuboid, disk, regular, segment, sphere

R, F, TURN = 0.5, 3.0, 0.4  # radius, force between floor, disks and lid; angle of the last grain
TOUCHES = [(2, 0, 0.0, F), (2, 3, 1.0, F), (3, 1, 2.0, 2.0 * F)]  # who, whom, height of the point, force


def table(_):
    """Contacts of a column of two disks between a floor and a lid."""
    who = np.array([(a, b) for a, b, *_ in TOUCHES], np.int32)
    up = np.array([-1.0, 1.0, 1.0])  # from the first to the second
    points = np.array([(0.0, y) for *_, y, _ in TOUCHES])
    centres = np.array([(0.0, -0.1), (0.0, 2.1), (0.0, 0.5), (0.0, 1.5)])
    return {
        "bodies": who, "points": points, "normals": np.stack([0.0 * up, up], axis=1),
        "forces": np.array([(0.0, -u * f) for u, (*_, f) in zip(up, TOUCHES, strict=True)]),
        "depths": np.full(3, 1e-3), "counts": np.ones(3), "features": np.zeros(3, np.int64), "springs": np.zeros(3),
        "first_arms": points - centres[who[:, 0]], "second_arms": points - centres[who[:, 1]],
    }  # fmt: skip


@pytest.fixture
def run(tmp_path):
    scene = Scene(law=Linear(1e4))
    scene.add_wall(segment((-2.0, -0.1), (2.0, -0.1), radius=0.1), name="floor")
    scene.add_wall(segment((-2.0, 2.1), (2.0, 2.1), radius=0.1), name="lid")
    scene.add(disk(radius=R), (0.0, 0.5), name="low")
    scene.add(disk(radius=R), (0.0, 1.5), material="lead")
    scene.add(regular(4, 0.1, circumradius=0.3), (1.5, 1.0), angle=TURN)
    moving = {"velocities": np.array([(0.0, 0.0)] * 3 + [(3.0, 4.0), (0.0, 0.0)]), "spins": np.array([0.0, 0.0, -2.0, 1.0, 0.0])}
    return stored_run(tmp_path / "run", scene, [moving, moving], contacts=table)


def test_numbers_that_colours_stand_for(run):
    values = {name: Shades.of(run, name, [0, 1]) for name in COLORS}
    assert values_of(run, "speed", 1).tolist() == [0.0, 0.0, 0.0, 5.0, 0.0]
    assert values_of(run, "coordination", 1)[2:].tolist() == [2, 2, 0]
    pressed = [F / (math.pi * R), 1.5 * F / (math.pi * R), 0.0]  # Σ f r / 2 π r², half of it from each side
    assert values_of(run, "pressure", 1)[2:] == pytest.approx(pressed, rel=1e-6)
    assert values_of(run, "orientation", 1)[4] == pytest.approx(math.degrees(TURN))
    assert (values["spin"].low, values["spin"].high) == (-2.0, 2.0), "alike both ways"
    assert (values["coordination"].low, values["coordination"].high) == (-0.5, 2.5)
    assert (values["orientation"].low, values["orientation"].high) == (0.0, 360.0)
    for name in ("speed", "pressure"):
        assert values[name].low == 0.0 and values_of(run, name, 0).max() == pytest.approx(values[name].high, rel=0.05)
    assert values["material"].words == ("grain", "lead")
    assert values["name"].words == ("low", "no name")
    assert values["shape"].words == ("4-gon", "disk")


@pytest.mark.parametrize("color", COLORS)
def test_grains_have_their_colour(run, color):
    figure = picture(run, [-1], Looks(color))
    faces = figure.axes[0].collections[1].get_facecolor()[:, :3]
    lower, upper, square = faces
    alike = {
        "none": (True, True), "shape": (True, False), "material": (False, True), "name": (False, False), "id": (False, False),
        "speed": (False, True), "spin": (False, False), "pressure": (False, False), "coordination": (True, False),
        "orientation": (True, False),
    }  # fmt: skip
    assert (np.allclose(lower, upper), np.allclose(lower, square)) == alike[color]
    if color == "none":
        assert np.allclose(lower, to_rgb(PLAIN), atol=1e-2)
    keys = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    if color in ("shape", "material", "name"):
        assert len(keys) == 2 and np.allclose(
            lower, to_rgb(MANY[keys.index({"shape": "disk", "material": "grain"}.get(color, "low"))])
        )
    elif color in ("none", "id"):
        assert len(figure.axes) == 1 and not keys
    else:
        assert len(figure.axes) == 2, "a scale beside the picture"


def test_a_crop_and_walls(run):
    figure = picture(run, [0], Looks(crop=(-1.0, 2.0, 0.0, 1.5), walls=("lid",)))
    axes = figure.axes[0]
    assert (*axes.get_xlim(), *axes.get_ylim()) == (-1.0, 2.0, 0.0, 1.5)
    (lid,) = axes.collections[0].get_paths()
    assert lid.get_extents().y0 == pytest.approx(2.0)
    assert len(picture(run, [0], Looks(walls=())).axes[0].collections[0].get_paths()) == 0
    assert len(picture(run, [0], Looks()).axes[0].collections[0].get_paths()) == 2


def test_the_scale_of_forces_has_the_widths_of_the_lines(run):
    figure = picture(run, [0, 1], Looks(forces=True))
    for axes in figure.axes:
        (lines,) = [each for each in axes.collections if type(each).__name__ == "LineCollection"]
        per_force = lines.get_linewidths()[0] / F
        assert np.allclose(lines.get_linewidths(), per_force * np.array([F, 2.0 * F, F]))
        keys = axes.get_legend().get_lines()
        assert [each.get_label() for each in keys] == ["2", "5"]
        assert [each.get_linewidth() for each in keys] == pytest.approx([2.0 * per_force, 5.0 * per_force])


def test_force_chains_have_a_scale_and_pictures_beside_others_need_none(run):
    chains = chains_figure(run)
    assert [text.get_text() for text in chains.axes[0].get_legend().get_texts()] == ["2", "5"]
    figure = plain_figure()
    draw_chains(figure.subplots(), run)
    assert figure.axes[0].get_legend() is None


def test_kinds_of_files_and_their_dots(run, tmp_path):
    sizes = []
    for dpi in (50, 100):
        path = write_picture(run, tmp_path / f"{dpi}.png", [0], Looks(), dpi)
        with Image.open(path) as file:
            sizes.append(np.array(file.size))
    assert np.allclose(sizes[1], 2 * sizes[0], atol=2)
    assert write_picture(run, tmp_path / "a.pdf", [0], Looks()).read_bytes().startswith(b"%PDF")
    assert "<svg" in write_picture(run, tmp_path / "a.svg", [0], Looks()).read_text()
    assert write_picture(run, None, [0], Looks()) == run.folder / "picture.png"


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["--color", "weight"], "grains are coloured by one of none, id, .*, not 'weight'"),
        (["--crop", "1,2,3"], "crop 1,2,3: give four lengths"),
        (["--crop", "2,1,0,1"], "left < right"),
        (["--crop", "a,b"], "--crop a,b: give four lengths with commas"),
        (["--walls", "flor"], "no wall named 'flor' in .*; its walls: floor, lid"),
        (["--frames", "2"], "no frame 2 in .*: it has 2, 0 to 1"),
        (["--frames", "x"], "--frames x: give numbers of frames"),
        (["--frames", "0,0,0,0,0,0,0,0,0"], "9 frames in one picture: give 1 to 8"),
        (["--dpi", "5"], "5 dots per inch: give 20 to 1200"),
        (["--out", "a.bmp"], "a.bmp is no picture .* .png, .pdf, .svg"),
        (["--out", "nowhere/a.png"], "there is no folder nowhere"),
        (["--color", "speed", "--experiment", "my.py"], "--experiment draws the figures of the experiment"),
    ],
)
def test_bad_values_are_one_sentence(run, words, sentence):
    found = CliRunner().invoke(app, ["figure", str(run.folder), *words])
    assert isinstance(found.exception, InputError)
    assert re.search(sentence, str(found.exception)) and "\n" not in str(found.exception)


def test_the_command_draws_what_is_wanted(run, tmp_path):
    out = tmp_path / "seen.png"
    words = [
        "--frames=-1,0",
        "--color",
        "pressure",
        "--crop=-1,1,0,2",
        "--walls",
        "none",
        "--forces",
        "--dpi",
        "60",
        "--out",
        str(out),
    ]
    found = CliRunner().invoke(app, ["figure", str(run.folder), *words])
    assert found.exit_code == 0 and found.output.strip() == str(out)
    with Image.open(out) as file:
        assert 300 < file.width < 900


def test_looks_of_a_plot(run):
    (axes, _) = run.plot(color="speed").axes
    assert axes.get_title() == "t = 0.1"
    with pytest.raises(InputError, match="coloured by"):
        run.plot(0, color="x")


def test_runs_in_space(tmp_path):
    scene = Scene3D(law=Linear(1e4))
    scene.add_wall(cuboid((4.0, 4.0, 0.2), 0.05), name="floor")
    scene.add(sphere(0.5), (-1.0, 0.0, 0.8))
    scene.add(cuboid((0.8, 0.8, 0.8), 0.1), (1.0, 0.0, 0.8), orientation=(math.cos(0.5), math.sin(0.5), 0.0, 0.0))
    run = stored_run(tmp_path / "run", scene, [{}])
    shades = Shades.of(run, "orientation", [0])
    assert np.allclose(shades.colours(0)[2], shades.scale(math.degrees(1.0) / 180.0)[:3])
    seen = []
    for walls in (None, ()):
        figure = picture(run, [0], Looks("shape", walls=walls))
        assert [text.get_text() for text in figure.legends[0].get_texts()] == ["cuboid", "sphere"]
        figure.savefig(buffer := io.BytesIO(), format="png")
        with Image.open(buffer) as file:
            pixels = np.asarray(file.convert("RGB")).astype(int)
        seen.append(((np.ptp(pixels, axis=2) < 12) & (pixels.max(axis=2) < 240)).sum())
    assert seen[1] < 0.5 * seen[0], "the grey of the floor is gone"
    bodies, frame = run_surfaces(run), run.frames[0]
    camera = Camera.towards(*view_of(run, bodies, [0]), np.zeros(3), 300, 1.2, 20)
    drawn = []
    for each in (bodies, replace(bodies, ridges=[np.zeros((0, 2, 3))] * 3)):
        studio = Studio(each, camera)
        drawn.append(studio.draw(frame.positions, frame.orientations, shades.colours(0), absent=np.array([True, False, False])))
        studio.close()
    assert (np.abs(drawn[0].astype(int) - drawn[1]) > 25).sum() < 30, "its edges too, to a dot"
    with pytest.raises(InputError, match="a crop is for runs in the plane"):
        picture(run, [0], Looks(crop=(0.0, 1.0, 0.0, 1.0)))
    with pytest.raises(InputError, match="a picture of forces is for runs in the plane"):
        picture(run, [0], Looks(forces=True))
