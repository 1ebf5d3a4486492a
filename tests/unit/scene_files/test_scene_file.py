"""Scene files: what is read is what Python would have built; a run of one keeps its text and can be taken up again."""

from __future__ import annotations

import math
import os
import re
import signal
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from described_keys import assert_keys_have_a_meaning, tables_in
from same_scenes import read, same
from scene_texts import ARROW, COHESION, FLOW, MINIMAL, SHAPES, TAGS, toml

import clast
from clast.cli import run_command
from clast.dynamics.plane.layout import lay_out
from clast.errors import InputError, SceneError
from clast.laws import Cohesion, Hertz, HertzMindlin, Linear, Rolling
from clast.packing.plane.voronoi import voronoi_packing
from clast.scene.imposed import sum_up
from clast.scene.plane import Box, Scene
from clast.scene.tags import Dashpot, Fixed, Force, Pressure, Velocity
from clast.scene.timed import Harmonic, Ramp, Table, check_timed, evaluate
from clast.scene_files.fill import apportion
from clast.scene_files.reference import CHAPTERS, EXAMPLE, reference_page
from clast.scene_files.schema import SceneKeys
from clast.shapes import clump, disk, library_shape, load_shape, point, polygon, polyline, regular, rounded, segment
from clast.shapes.plane.minkowski import closing, dilation, erosion, opening

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("arrow.toml").write_text(ARROW)


# --- what is read ----------------------------------------------------------------------------------------------------


def test_every_shape_is_the_one_python_makes():
    law = {"tangential_stiffness": 5e4, "friction": 0.5, "normal_damping": 5.0, "tangential_damping": 1.0, "cap": "elastic"}
    scene = Scene(
        law=Linear(1e5, **law, rolling=Rolling(10.0, 0.1)), gravity=(0.0, -10.0),
        drag=Table([0.0, 1.0, 2.0], [1.0, 0.5, 0.0], steps=True), counting="all-pairs", onset=False, remove_below=-20.0,
    )  # fmt: skip
    box = polygon([[0, 0], [1, 0], [1, 1], [0, 1]], 0.1)
    notch = polygon([[0, 0], [2, 0], [2, 1], [1, 0.4], [0, 1]], 0.1)
    shapes = [
        point(0.4),
        dilation(erosion(box, 0.05, corner=0.08, largest=True), 0.01).with_area(0.9),
        polyline([[0, 0], [0.5, 0.3], [1, 0]], 0.1).scaled(1.5),
        segment((0, 0), (0.8, 0), 0.1),
        clump([[0, 0], [0.5, 0]], 0.3, area=0.5, centroid=(0.25, 0.0), inertia=0.06),
        regular(6, 0.1, circumradius=0.4),
        regular(4, 0.1, side=0.6),
        rounded([[0, 0], [1, 0.1], [1.1, 0.7], [0.4, 1]], 0.1, 0.08),
        closing(opening(notch, 0.12), 0.05),
        library_shape("pebble").with_area(0.5),
        load_shape("arrow.toml").scaled(0.8),
    ]
    start = {"angle": math.radians(30.0), "velocity": (0.1, 0.0), "spin": 1.0, "density": 2.0, "material": "quartz"}
    scene.add(shapes[0], (0.0, 2.0), **start, name="first")
    scene.add(shapes[1], (3.0, 2.0), mass=3.0)
    for k, shape in enumerate(shapes[2:], start=2):
        scene.add(shape, (3.0 * k, 2.0))
    scene.add_wall(segment((-2.0, 0.0), (32.0, 0.0), 0.1))
    scene.set_law("quartz", "wall", Linear(2e5, rolling=Rolling(1.0, 0.2)))
    file = read(SHAPES)
    same(file.scene, scene)
    assert file.title == "every shape" and file.shape_texts == {"arrow.toml": ARROW}
    run = file.run
    assert (run.until, run.dt, run.integrator, run.samples, run.frames, run.alpha) == (0.05, 1e-5, "gear4", 200, 10, 0.2)


def test_sources_and_sinks_are_those_python_makes():
    file = read(FLOW)
    scene = Scene(law=Linear(1e5), gravity=(0.0, -10.0))
    nut, rice = regular(5, 0.02, circumradius=0.1), library_shape("rice")
    scene.add(nut, (0.0, 0.0))
    scene.source(
        [nut, rice], (0.0, 2.0), (1.0, 3.0), shares=[2, 1], count=12, rate=100.0, start=0.01, until=0.5, velocity=(0.0, -1.0),
        turn=math.radians(30.0), density=2.0, material="quartz", name="feed", seed=4,
    )  # fmt: skip
    assert len(scene.source(nut, (-2.0, 2.0), (-2.0, 2.0), rate=10.0, until=0.95, density=1.0)) == 10
    scene.sink(lower=(-9.0, -3.0), upper=(9.0, -2.0), name="bin")
    scene.sink(point=(5.0, 0.0), normal=(1.0, 0.0))
    same(file.scene, scene)
    assert file.scene.waiting.tolist() == [*range(1, 23)]


def test_every_tag_is_the_one_python_makes():
    file = read(TAGS)
    law = HertzMindlin.of_material(young=1e6, poisson=0.3, friction=0.4, restitution=0.8)
    scene = Scene(law=law, box=Box(period_x=8.0), drag=Harmonic(0.5, 2.0, 1.0, math.radians(90.0)))
    scene.add_wall(segment((0, 0), (8, 0), 0.1), name="floor")
    sway = Velocity(x=Harmonic(0.1, 0.5), spin=0.0)
    load = Pressure(Ramp(0.0, 10.0, 0.5, 0.1, True), "-y")
    lid = segment((0, 11), (8, 11), 0.1)
    scene.add_wall(lid, tags=[sway, load, Dashpot(3.0)], mass=4.0, material="steel", name="lid")
    turn = Velocity(x=0.0, y=0.0, spin=Table([0.0, 1.0], [0.0, 2.0]))
    rotor = regular(5, 0.1, circumradius=0.5)
    scene.add(rotor, (4, 7), angle=math.radians(20.0), big=True, material="wall", name="rotor", tags=[turn])
    scene.add_wall(clump([[1, 7]], 0.3), name="post")
    scene.add_wall(polygon([[6, 6], [7, 6], [6.5, 7]], 0.1), name="block")
    for body in file.scene.bodies[5:11]:  # drawn at random; only its tag is compared
        push = Force(x=0.1, y=-0.1, torque=Ramp(0.0, 0.1, 1.0))
        scene.add(body.shape, body.position, angle=body.angle, velocity=body.velocity, density=1.5, name="crowd", tags=[push])
    rice = library_shape("rice")
    for x, tags in ((0.5, [Fixed(), Fixed()]), (1.5, [Fixed()])):
        place = (0.5 + 0.5 * (3.1 - 4.0 * rice.reach) + 2.0 * x * rice.reach, 8.0 + rice.reach)
        scene.add(rice, place, density=1.0, name="two", tags=tags)
    same_start = [body.position for body in file.scene.bodies[11:]]
    assert np.allclose(same_start, [body.position for body in scene.bodies[11:]], rtol=1e-12)
    for body, place in zip(scene.bodies[11:], same_start, strict=True):
        body.position = place
    for body in file.scene.bodies[11:]:
        body.velocity = (0.0, 0.0)
    same(file.scene, scene)


def test_tags_on_the_cell_move_its_periods():
    text = MINIMAL.replace(
        "[run]",
        """
[box]
period_x = 5.0
period_y = 6.0

[[tags]]
kind = "velocity"
on = "cell"
y = -0.1

[[tags]]
kind = "pressure"
on = "cell"
value = 2.0
direction = "-x"

[run]""",
    )
    box = read(text).scene.box
    assert box == Box(5.0, 6.0, tags=(Velocity(y=-0.1), Pressure(2.0, "-x")))
    with pytest.raises(SceneError, match=r"tags\[0\]: box: a tag moves the period along y, but that side is open"):
        read(text.replace("period_y = 6.0\n", ""))


def test_cohesion_and_a_pressure_between_walls():
    scene = read(COHESION).scene
    assert scene.default_law == Hertz(1e6, 1e5, math.inf, 3.0, 1.0, cohesion=Cohesion(2.0, 0.02))
    assert scene.bodies[2].tags == [Velocity(x=0.0, spin=0.0), Pressure(5.0, "-y", ("left", "right"))]
    assert scene.box == Box(20.0, 10.0) and len(scene) == 12


def test_numbers_may_be_written_whole_and_the_command_line_wins():
    assert read(MINIMAL.replace("1e4", "10000")).scene.default_law == Linear(1e4)
    file = read(MINIMAL, until=0.3, samples=7)
    assert (file.run.until, file.run.samples, file.run.dt, file.run.frames) == (0.3, 7, 1e-3, 100)
    bare = MINIMAL.partition("[run]")[0]
    assert read(bare, until=2.0).run.until == 2.0


def test_a_thin_shape_is_remarked_upon():
    thin = 'shapes.blade = { kind = "polygon", radius = 1.0, vertices = [[0, 0], [9, 0], [9, 0.02]] }\n'
    remarks = read(thin + MINIMAL).remarks
    assert len(remarks) == 1 and "only 0.01 thick" in remarks[0]


# --- many grains -----------------------------------------------------------------------------------------------------


def fill(**changes: Any) -> Scene:
    """A scene of one fill."""
    keys = {"kind": "random", "count": 40, "lower": [-3.0, 1.0], "upper": [17.0, 21.0], "shapes": [{"shape": "peanut"}]}
    tables = {**tomllib.loads(MINIMAL), "fill": [{**keys, **changes}]}
    tables.pop("grains")
    return read(toml(tables)).scene


@pytest.mark.parametrize("kind", ["lattice", "random"])
def test_a_fill_keeps_inside_its_rectangle_and_apart(kind):
    scene = fill(kind=kind, spread=0.3, gap=0.1, speed=2.0, density=3.0)
    reach = np.array([body.shape.reach for body in scene.bodies]) + 0.05
    place = np.array([body.position for body in scene.bodies])
    assert len(scene) == 40
    assert (place - reach[:, None] >= [-3.0, 1.0]).all() and (place + reach[:, None] <= [17.0, 21.0]).all()
    away = np.hypot(*(place[:, None] - place[None]).T)
    np.fill_diagonal(away, np.inf)
    assert (away >= reach[:, None] + reach[None] - 1e-12).all()
    size = np.sqrt([body.shape.area for body in scene.bodies])
    assert 0.7 <= size.min() < 0.8 and 1.2 < size.max() <= 1.3
    assert np.hypot(*np.array([body.velocity for body in scene.bodies]).T) == pytest.approx(2.0)
    assert np.ptp([body.angle for body in scene.bodies]) > 3.0
    assert [body.mass for body in scene.bodies] == pytest.approx(3.0 * size**2)


def test_a_voronoi_fill_is_the_packing_python_draws():
    text = MINIMAL.replace(
        "[run]",
        """
[[fill]]
kind = "voronoi"
columns = 5
rows = 4
square = 2.0
lower = [10.0, 0.0]
erosion = 0.3
dilation = 0.2
seed = 3
density = 2.0
name = "soil"

[run]""",
    )
    scene = read(text).scene
    packing = voronoi_packing(5, 4, 2.0, erosion=0.3, dilation=0.2, seed=3)
    soil = [scene.bodies[k] for k in scene.ids("soil")]
    assert len(soil) == 20
    assert np.array([body.position for body in soil]) == pytest.approx(packing.positions + np.array([10.0, 0.0]))
    assert [body.mass for body in soil] == pytest.approx([2.0 * shape.area for shape in packing.shapes])
    loose = read(text.replace("seed = 3", "seed = 3\nexpand = 1.5\nrandom_angles = true")).scene
    assert max(body.position[0] for body in loose.bodies) > 10.0 + 12.0
    assert len({body.angle for body in loose.bodies}) > 15
    periodic = text.replace("lower = [10.0, 0.0]\n", "").replace("[[fill]]", "[box]\nperiod_x = 10.0\nperiod_y = 8.0\n\n[[fill]]")
    periodic = re.sub(r"\[\[grains\]\].*?\n\n", "", periodic, flags=re.DOTALL)
    cells = read(periodic).scene
    drawn = voronoi_packing(5, 4, 2.0, erosion=0.3, dilation=0.2, seed=3, border="periodic")
    assert np.array([cells.bodies[k].position for k in cells.ids("soil")]) == pytest.approx(drawn.positions)
    for old, new, words in (
        ("dilation = 0.2", "dilation = 0.4", r"fill\[0\]: dilation R = 0.4 exceeds erosion d = 0.3"),
        ("square = 2.0", "square = -2.0", r"fill\[0\]\.square: -2.0 must be positive"),
        ("period_x = 10.0", "period_x = 11.0", r"fill\[0\]: the period along x is 11, and columns × square × expand is 10"),
        ("period_x = 10.0\n", "", r"fill\[0\]: the box is periodic along y only"),
    ):
        with pytest.raises((SceneError, InputError), match=words):
            read(periodic.replace(old, new))


def test_the_seed_decides_and_nothing_else():
    def places(**changes: Any) -> list[tuple[float, float]]:
        return [body.position for body in fill(**changes).bodies]

    assert places(seed=3) == places(seed=3) != places(seed=4)


def test_shares_of_a_mixture_and_angles():
    scene = fill(shapes=[{"shape": "disk", "share": 3.0}, {"shape": "rice"}], count=100, random_angles=False, kind="lattice",
                 upper=[40.0, 40.0])  # fmt: skip
    disks = sum(body.shape.name == "disk" for body in scene.bodies)
    assert 60 <= disks <= 90
    assert {body.angle for body in scene.bodies} == {0.0}
    assert len({id(body.shape) for body in scene.bodies}) == 2  # sizes alike: one shape in the table of the engine


# --- the page and the examples ---------------------------------------------------------------------------------------


def test_the_page_is_up_to_date():
    same = (ROOT / "docs" / "scene-file.md").read_text(encoding="utf-8") == reference_page()
    assert same, "keys have changed: python -m clast.scene_files.reference > docs/scene-file.md"


def test_every_table_is_on_the_page_and_every_key_has_a_meaning():
    shown = {model for _, _, models in CHAPTERS for model in models}
    assert tables_in(SceneKeys) - shown == set()
    assert_keys_have_a_meaning(shown)


def test_the_example_of_the_page_is_read():
    assert len(read(EXAMPLE).scene) == 2


def test_the_lid_of_the_box_comes_down_and_the_book_closes():
    assert run_command(["run", str(ROOT / "examples" / "box.toml"), "--until", "0.3", "--out", "box", "-q"]) == 0
    run = clast.open("box")
    lid = [frame.positions[3] for frame in run.frames]
    assert lid[-1][1] < lid[0][1] - 1.0 and {place[0] for place in lid} == {lid[0][0]}
    grains = run.frames[-1].positions[4:]
    assert (grains > 0.0).all() and (grains[:, 0] < 14.0).all() and (grains[:, 1] < lid[-1][1]).all()
    assert run.result["energy_error"] < 1e-4 and run.series["work_tags"][-1] > 0.0


def test_the_drum_keeps_its_grains():
    assert run_command(["run", str(ROOT / "examples" / "rotating-drum.toml"), "--until", "1.6", "--out", "drum", "-q"]) == 0
    run = clast.open("drum")
    last = run.frames[-1]
    assert np.hypot(*last.positions[1:].T).max() < 3.0
    assert last.angles[0] < -0.1 and tuple(last.positions[0]) == (0.0, 0.0)
    assert last.positions[1:, 1].mean() < -1.0  # they have fallen
    assert run.result["energy_error"] < 1e-3


# --- runs ------------------------------------------------------------------------------------------------------------


def test_a_run_keeps_the_text_and_can_be_looked_at(capsys):
    text = 'title = "a disk"\nshapes.arrow = { kind = "file", file = "arrow.toml" }\n' + MINIMAL
    Path("flight.toml").write_text(text)
    assert run_command(["run", "flight.toml", "--frames", "4", "--samples", "20"]) == 0
    said = capsys.readouterr()
    (folder,) = Path("runs").iterdir()
    assert folder.name.startswith("flight-") and "energy error" in said.out and "frames.png, energy.png" in said.out
    run = clast.open(folder)
    assert run.provenance["scene_text"] == text and run.provenance["shape_texts"] == {"arrow.toml": ARROW}
    assert run.result["scene_file"] == "flight.toml" and run.result["parameters"]["frames"] == 4
    assert run.frames[-1].positions[0] == pytest.approx([0.1, 0.0])
    for words in (["info"], ["figure"], ["movie", "--width", "200", "-q"], ["export"]):
        assert run_command([words[0], str(folder), *words[1:]]) == 0
    said = capsys.readouterr().out
    assert "flight.toml: a disk" in said and "until = 0.1, dt = 0.001" in said and "movie.gif" in said and "csv" in said
    assert run_command(["run", "flight.toml", "--resume"]) == 0
    assert "is finished" in capsys.readouterr().err


def test_help_shows_the_settings(capsys):
    assert run_command(["run", "any.toml", "--help"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["--until", "time", "–", ">", "0.0", "end", "of", "the", "run"] in rows
    assert any(row[:2] == ["--frames", "100"] for row in rows)


def stopped_run(monkeypatch, text: str) -> None:
    """A run into "out" that a signal ends on its way."""
    Path("scene.toml").write_text(text)

    @contextmanager
    def soon():
        asked = iter([None, None])
        yield lambda: next(asked, signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr("clast.output.recording.signals", soon)
        assert run_command(["run", "scene.toml", "--out", "out", "--samples", "100"]) == 130


def test_a_run_that_was_stopped_goes_on_to_the_same_bits(capsys, monkeypatch):
    Path("scene.toml").write_text(MINIMAL)
    assert run_command(["run", "scene.toml", "--out", "whole", "--samples", "100", "-q"]) == 0
    stopped_run(monkeypatch, MINIMAL)
    assert "Go on with: clast run scene.toml --resume --out out" in capsys.readouterr().err
    assert not clast.open("out").finished
    Path("scene.toml").write_text("# only a comment was added\n" + MINIMAL)
    assert run_command(["run", "scene.toml", "--resume", "--out", "out"]) == 0
    whole, resumed = clast.open("whole"), clast.open("out")
    assert resumed.finished and list(whole.series) == list(resumed.series)
    for name in whole.series:
        assert np.array_equal(whole.series[name], resumed.series[name])


@pytest.mark.parametrize(
    "old, new, words",
    [
        ("position = [0.0, 0.0]", "position = [0.0, 0.1]", "another scene (grains changed)"),
        ("normal_stiffness = 1e4", "normal_stiffness = 2e4", "another scene (law changed)"),
        ("[law]", "gravity = [0.0, -1.0]\n[law]", "another scene (gravity changed)"),
        ("until = 0.1", "until = 0.2", "another scene (run changed)"),
    ],
)
def test_a_changed_scene_is_not_resumed(capsys, monkeypatch, old, new, words):
    stopped_run(monkeypatch, MINIMAL)
    before = {path: path.stat().st_mtime_ns for path in Path("out").rglob("*")}
    Path("scene.toml").write_text(MINIMAL.replace(old, new))
    capsys.readouterr()
    assert run_command(["run", "scene.toml", "--resume", "--out", "out"]) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1
    assert {path: path.stat().st_mtime_ns for path in Path("out").rglob("*")} == before


def test_a_changed_shape_file_or_setting_is_not_resumed(capsys, monkeypatch):
    text = MINIMAL.replace('shape = "disk"', 'shape = "arrow"') + '[shapes.arrow]\nkind = "file"\nfile = "arrow.toml"\n'
    stopped_run(monkeypatch, text)
    capsys.readouterr()
    assert run_command(["run", "scene.toml", "--resume", "--out", "out", "--until", "0.05"]) == 2
    assert "was started with until = 0.1, not 0.05" in capsys.readouterr().err
    Path("arrow.toml").write_text(ARROW.replace("[1, 0.5]", "[1.1, 0.5]"))
    assert run_command(["run", "scene.toml", "--resume", "--out", "out"]) == 2
    assert "another scene (arrow.toml changed)" in capsys.readouterr().err


def test_a_run_of_something_else_is_not_resumed(capsys):
    scene = Scene(law=Linear(1e4))
    scene.add(disk(radius=0.5), (0.0, 0.0))
    clast.run(scene, until=0.01, dt=1e-3, out="own", frames=0)
    Path("scene.toml").write_text(MINIMAL)
    assert run_command(["run", "scene.toml", "--resume", "--out", "own"]) == 2
    assert "own holds a run without a scene file, not a run of a scene file" in capsys.readouterr().err


def test_an_existing_run_is_kept_unless_told(capsys):
    Path("scene.toml").write_text(MINIMAL)
    words = ["run", "scene.toml", "--out", "out", "-q"]
    assert run_command(words) == 0
    first = clast.open("out").run_id
    assert run_command(words) == 2 and "--overwrite" in capsys.readouterr().err
    assert run_command([*words, "--overwrite"]) == 0 and clast.open("out").run_id != first


def test_nothing_in_a_file_runs(monkeypatch):
    """Texts that would do harm if anybody evaluated them are names like any other."""
    monkeypatch.setattr(os, "system", lambda _: pytest.fail("something was run"))
    evil = "__import__('os').system('true')"
    with pytest.raises(clast.errors.ShapeError, match="there is no shape"):
        read(MINIMAL.replace('"disk"', f'"{evil}"'))
    assert read(f'title = "{evil}"\n' + MINIMAL).title == evil


# --- what only Python can get wrong ----------------------------------------------------------------------------------


def scene_of(**given: Any) -> Scene:
    scene = Scene(**{"law": Linear(1e4), **given})
    scene.add(disk(radius=0.5), (0.0, 0.0), name="ball")
    return scene


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: Linear("1"), "law parameter normal_stiffness = '1' must be a number"),
        (lambda: Linear(True), "law parameter normal_stiffness = True must be a number"),
        (lambda: Linear(-1.0), "must be a finite number that is not negative"),
        (lambda: Linear(math.inf), "must be a finite number that is not negative"),
        (lambda: Linear(0.0), "grains would pass through each other"),
        (lambda: Linear(1.0, friction=0.5), "needs a tangential_stiffness"),
        (lambda: Linear(1.0, cap="none"), 'cap = "none" must be "total" or "elastic"'),
        (lambda: Hertz(1.0, normal_damping=math.nan), "normal_damping = nan"),
        (lambda: Hertz(1.0, friction=0.5), "needs a tangential_stiffness"),
        (lambda: HertzMindlin(1.0, friction=0.5), "needs a shear modulus"),
        (lambda: HertzMindlin(1.0, restitution=1.1), "restitution = 1.1 must be not below 0.01"),
        (lambda: HertzMindlin.of_material(young=1.0, poisson=0.6), "poisson = 0.6 must lie above"),
        (lambda: Rolling(-1.0, 0.1), "law parameter stiffness = -1.0"),
        (lambda: Cohesion(1.0, 0.0), "cohesion: range = 0"),
        (lambda: Cohesion(math.inf, 1.0), "law parameter force = inf"),
        (lambda: Ramp(0.0, math.nan, 1.0), "ramp: end = nan must be a finite number"),
        (lambda: Ramp(0.0, 1.0, 0.0), "ramp: finish = 0.0 must be later"),
        (lambda: Harmonic(True, 1.0), "harmonic: amplitude = True"),
        (lambda: Harmonic(1.0, 0.0), "harmonic: period = 0.0 must be a positive time"),
        (lambda: Table([0.0, 1.0], [1.0]), "table: 2 times and 1 values"),
        (lambda: Table([], []), "table: 0 times and 0 values"),
        (lambda: Table([1.0, 0.0], [1.0, 1.0]), "times must increase, but 0.0 follows 1.0"),
        (lambda: Table([0.0], ["a"]), "table: values[0] = 'a'"),
        (lambda: check_timed("drag", "fast"), "drag = 'fast' must be a number or a function of time"),
        (lambda: evaluate(lambda t: "x", np.zeros(1), "drag"), "drag: its function of time gives"),
        (lambda: evaluate(lambda t: math.nan, np.ones(1), "drag"), "gives nan at t = 1"),
        (lambda: Pressure(1.0, "up"), 'direction = "up" must be one of +x'),
        (lambda: Pressure(1.0, "+x", ("a", "a")), "must name two different walls"),
        (lambda: Dashpot(-1.0), "Dashpot tag: coefficient = -1.0"),
        (lambda: Dashpot("1"), "Dashpot tag: coefficient = '1'"),
        (lambda: sum_up("body 3", [Dashpot(1.0), Dashpot(2.0)]), "body 3: two Dashpot tags"),
        (lambda: sum_up("body 3", [Velocity(x=1.0), Fixed()]), "body 3: two tags prescribe different velocities for its x"),
        (lambda: sum_up("body 3", [Velocity(x=1.0), Pressure(1.0, "+x")]), "body 3: a Pressure along +x"),
        (lambda: Scene(law="linear"), "law = 'linear' must be a law"),
        (lambda: scene_of(gravity=(1.0,)), "must be 2 numbers"),
        (lambda: scene_of(drag=-1.0), "drag falls to -1.0"),
        (lambda: scene_of(remove_below=math.nan), "remove_below is nan"),
        (lambda: scene_of().add("disk", (0, 0)), "body 1: 'disk' is not a shape"),
        (lambda: scene_of().add(disk(), (0, 0), mass=1.0, density=1.0), "body 1: give its density or its mass"),
        (lambda: scene_of().add(disk(), (0, 0), mass=-1.0), "body 1: mass = -1.0 must be positive"),
        (lambda: scene_of().ids("bell"), 'no body named "bell"; there are: ball'),
        (lambda: scene_of().set_law("a", "b", 3), 'the law between "a" and "b" is 3'),
        (lambda: scene_of().set_law("a", "b", Hertz(1.0)), "is of another kind"),
        (lambda: lay_out(Scene(law=Linear(1.0))), "the scene is empty"),
    ],
)
def test_what_python_gets_wrong_is_told_too(make, words):
    with pytest.raises(SceneError) as told:
        make()
    assert words in str(told.value)


def test_a_finished_run_can_be_lengthened(capsys):
    Path("scene.toml").write_text(MINIMAL)
    assert run_command(["run", "scene.toml", "--out", "out", "-q"]) == 0
    first = clast.open("out").series["time"][-1]
    assert run_command(["run", "scene.toml", "--out", "out", "--until", "0.2", "--resume", "-q"]) == 0
    times = clast.open("out").series["time"]
    assert (np.diff(times) > 0.0).all()
    assert times[-1] == pytest.approx(2.0 * first, rel=0.05)


def test_shares_of_a_fill_are_kept_to_the_grain():
    assert apportion(40, [30.0, 10.0]).tolist() == [30, 10]
    assert apportion(10, [1.0, 1.0, 1.0]).tolist() == [4, 3, 3]
    assert apportion(7, [0.75, 0.25]).sum() == 7
