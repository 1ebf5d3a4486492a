"""Spoiled scene files: each valid scene has every entry spoiled in every way that makes it invalid, one at a time.

Each must be refused through the command line with one line that names the file and the entry, before anything is compiled or
written. What is generated follows the schema; what no walk over it can find (contradictions, physics) is written down.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from scene_texts import ARROW, MINIMAL, VALID, toml
from spoiled_scenes import Spoiled, spoil_table, with_changes

import clast.output.recording
from clast.cli import run_command
from clast.cli.app import app
from clast.scene_files.complaint import written
from clast.scene_files.reading import read_scene
from clast.scene_files.schema import SceneKeys

EXAMPLES = Path(__file__).parents[3] / "examples"
TEXTS = {**VALID, **{path.stem: path.read_text() for path in sorted(EXAMPLES.glob("*.toml"))}}


class AcceptedError(Exception):
    """A spoiled scene got as far as the engine."""


@pytest.fixture(autouse=True)
def _no_engine(tmp_path, monkeypatch):
    """An engine is never made: whatever is wrong has to be found before."""

    def accepted(*_: object, **__: object) -> None:
        raise AcceptedError

    command = typer.main.get_command(app)
    monkeypatch.setattr(typer.main, "get_command", lambda _: command)  # made once: thousands of scenes follow
    monkeypatch.setattr(clast.output.recording, "Engine", accepted)
    monkeypatch.setattr(clast.output.recording, "kernels_of", accepted)
    monkeypatch.chdir(tmp_path)
    Path("arrow.toml").write_text(ARROW)


def complaint_about(text: str, capsys, status: int = 2, words: list[str] | None = None) -> str:
    """The one line a spoiled file gets; AssertionError if it is anything else."""
    Path("scene.toml").write_text(text)
    before = sorted(Path().rglob("*"))
    try:
        found = run_command(["run", "scene.toml", "--out", "out", *(words or [])])
    except AcceptedError:
        raise AssertionError("accepted") from None
    said = capsys.readouterr()
    assert found == status, f"status {found}: {said.err}"
    assert said.out == "" and said.err.count("\n") == 1, f"not one line: {said.err!r}"
    assert said.err.startswith("clast: scene.toml: ") and "Traceback" not in said.err, said.err
    assert sorted(Path().rglob("*")) == before, "something was written"
    return said.err


# --- spoilers --------------------------------------------------------------------------------------------------------


def spoiled(tables: dict[str, Any]) -> Iterator[Spoiled]:
    """Every way to spoil one entry of a valid scene."""
    yield from spoil_table(tables, SceneKeys.model_validate(tables), [], tables)


@pytest.mark.parametrize("name", TEXTS)
def test_a_scene_that_is_not_spoiled_is_accepted(name):
    Path("scene.toml").write_text(TEXTS[name])
    read_scene("scene.toml")
    Path("scene.toml").write_text(toml(tomllib.loads(TEXTS[name])))  # as the spoilers write it
    with pytest.raises(AcceptedError):
        run_command(["run", "scene.toml", "--out", "out"])


def test_every_spoiled_entry_is_refused_with_one_line(capsys):
    count, wrong = 0, []
    for name, text in VALID.items():
        for what, path, tables in spoiled(tomllib.loads(text)):
            count += 1
            try:
                said = complaint_about(toml(tables), capsys)
                place = said.removeprefix("clast: scene.toml: ")
                table = written(path[:-1] or path)  # a missing kind is told for a misspelt one
                assert place.startswith(table) or what == "renamed", f"names another entry: {said}"
            except AssertionError as error:
                wrong.append(f"{name}: {written(path)}: {what}: {error}")
    with capsys.disabled():
        print(f"\n{count} spoiled scenes refused, {len(wrong)} not as they should", end=" ")
    assert not wrong, "\n".join(wrong)
    assert count >= 200


# --- contradictions and physics --------------------------------------------------------------------------------------


def spoil(name: str, *changes: tuple[str, Any]) -> str:
    """A valid scene with some entries changed."""
    return with_changes(TEXTS[name], *changes)


LONE = {"shape": "disk", "position": [0.0, 0.0]}
CONTRADICTIONS = [
    # what, scene, words of the answer
    ("friction without a spring", spoil("minimal", ("law.friction", 0.5)), "law: friction = 0.5 needs a tangential_stiffness"),
    ("friction without a shear modulus", spoil("tags", ("law.poisson", None)), "law: friction = 0.4 needs a shear modulus"),
    ("two ways to give a modulus", spoil("tags", ("law.shear", 1e5)), "law: give poisson"),
    ("another kind of law", spoil("shapes", ("pair_law.0.law.kind", "hertz")), "pair_law[0].law: the law between"),
    ("rolling in one law only", spoil("shapes", ("pair_law.0.law.rolling", None)), "pair_law[0].law: the law between"),
    (
        "a law twice",
        spoil("shapes", ("pair_law.+", tomllib.loads(TEXTS["shapes"])["pair_law"][0])),
        "pair_law[1].between: a law between",
    ),
    ("a law for nobody", spoil("shapes", ("pair_law.0.between", ["quartz", "steel"])), 'no body is made of "steel"'),
    ("gravity along a period", spoil("tags", ("gravity", [1.0, 0.0])), "gravity 1.0 along x, but the box is periodic"),
    ("a period smaller than a grain", spoil("minimal", ("box", {"period_x": 1.0})), "grains[0]: body 0 (disk) is 1.12838 across"),
    ("a negative drag", spoil("minimal", ("drag", -1.0)), "drag falls to -1"),
    (
        "a ramp to a negative drag",
        spoil("minimal", ("drag", {"kind": "ramp", "start": 1, "end": -2, "finish": 1})),
        "falls to -2",
    ),
    ("a table with a negative drag", spoil("shapes", ("drag.values", [1.0, -0.5, 0.0])), "drag falls to -0.5"),
    ("a cosine with a negative drag", spoil("tags", ("drag.amplitude", 3.0)), "drag falls to -2"),
    ("times that do not increase", spoil("shapes", ("drag.times", [0.0, 2.0, 1.0])), "times must increase, but 1.0 follows 2.0"),
    ("times twice", spoil("shapes", ("drag.times", [0.0, 1.0, 1.0])), "times must increase"),
    ("fewer values than times", spoil("shapes", ("drag.values", [1.0, 0.5])), "3 times and 2 values"),
    ("a ramp that ends before it begins", spoil("tags", ("tags.1.value.finish", 0.1)), "tags[1].value: ramp: finish = 0.1"),
    ("mass and density", spoil("shapes", ("grains.0.mass", 1.0)), "grains[0]: body 0: give its density or its mass"),
    ("area and scale", spoil("shapes", ("shapes.box.scale", 2.0)), "shapes.box: give area or scale"),
    ("a segment of three", spoil("shapes", ("shapes.stick.vertices.+", [2, 2])), "shapes.stick: a segment has 2 vertices, not 3"),
    ("a polygon of two", spoil("shapes", ("shapes.box.vertices", [[0, 0], [1, 0]])), "shapes.box: A box needs at least 3"),
    (
        "a polygon that crosses itself",
        spoil("shapes", ("shapes.box.vertices", [[0, 0], [1, 1], [1, 0], [0, 1]])),
        "crosses itself",
    ),
    ("a vertex twice", spoil("shapes", ("shapes.bow.vertices.1", [0, 0])), "shapes.bow: In this bow vertex 1 at (0, 0) repeats"),
    ("a flat polygon", spoil("shapes", ("shapes.box.vertices", [[0, 0], [1, 1], [2, 2]])), "The polygon has no area"),
    ("side and circumradius", spoil("shapes", ("shapes.nut.side", 1.0)), "shapes.nut: A regular polygon needs either side or"),
    ("neither side nor circumradius", spoil("shapes", ("shapes.nut.circumradius", None)), "shapes.nut: A regular polygon needs"),
    ("an erosion that leaves nothing", spoil("shapes", ("shapes.stone.erosion", 5.0)), "shapes.stone: Nothing is left"),
    (
        "an operation that leaves nothing",
        spoil("shapes", ("shapes.box.operations.0.by", 9.0)),
        "shapes.box.operations[0]: Nothing",
    ),
    ("a sharp erosion", spoil("shapes", ("shapes.stick.operations", [{"kind": "erosion", "by": 0.1}])), "leaves sharp corners"),
    ("a bent line opened", spoil("shapes", ("shapes.bow.operations", [{"kind": "opening", "by": 1.0}])), "is a bent line"),
    ("a ready-made shape that is not", spoil("shapes", ("shapes.rock.name", "pebbel")), 'There is no ready-made shape "pebbel"'),
    ("a missing shape file", spoil("shapes", ("shapes.arrow.file", "nowhere.csv")), "There is no shape file nowhere.csv"),
    (
        "a file that is no shape",
        spoil("shapes", ("shapes.arrow.file", "scene.toml")),
        'shapes.arrow: In scene.toml the key "vertices" is missing',
    ),
    ("a file of another kind", spoil("shapes", ("shapes.arrow.file", "arrow.py")), "its name must end in .toml, .csv or .txt"),
    (
        "a file by its absolute path",
        spoil("shapes", ("shapes.arrow.file", "/etc/hosts.csv")),
        "the path from the folder of the scene",
    ),
    (
        "a shape that is not there",
        spoil("minimal", ("grains.0.shape", "dick")),
        'grains[0].shape: there is no shape "dick": the file has none',
    ),
    ("a wall of nothing", spoil("tags", ("walls.0.vertices", None)), "walls[0]: give vertices with a radius, or a shape"),
    ("a wall drawn twice", spoil("tags", ("walls.0.shape", "disk")), "walls[0]: give vertices with a radius, or a shape"),
    ("a wall without radius", spoil("tags", ("walls.0.radius", None)), "walls[0]: radius is missing"),
    ("a wall drawn and put", spoil("tags", ("walls.0.position", [0, 0])), "walls[0]: vertices stand where they are drawn"),
    ("a wall drawn and turned", spoil("tags", ("walls.0.angle_degrees", 3)), "walls[0]: vertices stand where they are drawn"),
    ("a shape put nowhere", spoil("tags", ("walls.2.position", None)), "walls[2]: position is missing"),
    ("a shape with a radius", spoil("tags", ("walls.2.radius", 1.0)), "walls[2]: radius and closed belong to vertices"),
    ("a fixed wall with a mass", spoil("tags", ("walls.0.mass", 1.0)), "walls[0]: a fixed wall has no use for a mass"),
    ("a wall of one vertex closed", spoil("tags", ("walls.3.closed", True)), "walls[3]: A wall needs at least 3 vertices"),
    ("a fill upside down", spoil("tags", ("fill.0.upper", [7.5, 0.0])), "fill[0]: upper = [7.5, 0.0] must lie above"),
    ("a fill too narrow", spoil("tags", ("fill.0.upper", [0.9, 5.0])), "fill[0]: the rectangle is 0.4 by 4.5"),
    ("too many in rows", spoil("cohesion", ("fill.0.count", 100)), "fill[0]: count = 100, but there is room for"),
    ("far too many at random", spoil("tags", ("fill.0.count", 1_000_000)), "fill[0]: count = 1000000, but there is room for"),
    ("too many at random", spoil("tags", ("fill.0.count", 14)), "fill[0]: no room for circle"),
    (
        "a mixture of nothing",
        spoil("tags", ("fill.0.shapes.1.shape", "dick")),
        'fill[0].shapes[1].shape: there is no shape "dick"',
    ),
    ("a source without an end", spoil("flow", ("sources.1.until", None)), "sources[1]: source: give count, the number of its"),
    ("a source upside down", spoil("flow", ("sources.0.upper", [1.0, 1.0])), "must not lie beyond upper = [1.0, 1.0] along y"),
    ("a source that ends before it begins", spoil("flow", ("sources.0.start", 0.5)), "until = 0.5 must be later than start"),
    ("too many to come", spoil("flow", ("sources.1.rate", 1e9)), "1e+09 grains per time until 0.95 are 950000000, more than"),
    ("two sources of one name", spoil("flow", ("sources.1.name", "feed")), 'there is a source named "feed" already'),
    ("a source of nothing", spoil("flow", ("sources.0.shapes.1.shape", "dick")), "sources[0].shapes[1].shape: there is no shape"),
    ("a sink of two kinds", spoil("flow", ("sinks.0.point", [0.0, 0.0])), "sinks[0]: sink: give lower and upper, the corners"),
    ("a sink of nothing", spoil("flow", ("sinks.1", {})), "sinks[1]: sink: give lower and upper, the corners of a box, or"),
    ("half a sink", spoil("flow", ("sinks.0.upper", None)), "sinks[0]: sink: upper = None must be 2 numbers"),
    ("a plane without a way", spoil("flow", ("sinks.1.normal", [0.0, 0.0])), "sinks[1]: sink: normal = [0.0, 0.0] has no length"),
    ("a plane across a period", spoil("flow", ("box", {"period_x": 20.0})), "sinks[1]: sink: the box is periodic along x"),
    ("a source wider than a period", spoil("flow", ("box", {"period_y": 0.3}), ("gravity", None)), "not less than the period"),
    ("a tag on who waits", spoil("flow", ("tags", [{"kind": "force", "on": "feed", "x": 1.0}])), "body 1 is a grain of a source"),
    ("a tag on nobody", spoil("tags", ("tags.0.on", "lidd")), 'tags[0].on: there is no body named "lidd"'),
    ("a tag on a body too far", spoil("tags", ("tags.0.on", 13)), "tags[0].on: there is no body 13: there are bodies 0 … 12"),
    ("a tag on a negative body", spoil("tags", ("tags.0.on", -1)), "tags[0].on: there is no body -1"),
    (
        "a velocity of nothing",
        spoil("tags", ("tags.0.x", None), ("tags.0.spin", None)),
        "tags[0]: a velocity without x, y or spin",
    ),
    ("a force of nothing", spoil("minimal", ("tags", [{"on": 0, "kind": "force"}])), "tags[0]: a force without x, y or torque"),
    ("a fixed wall driven", spoil("tags", ("walls.1.fixed", True), ("walls.1.mass", None)), "tags[0]: walls[1] is fixed"),
    ("a fixed grain pushed", spoil("tags", ("tags.5.on", "crowd")), "tags[4]: grain 0 of fill[0] is fixed, so this force"),
    ("two velocities", spoil("tags", ("tags.+", {"on": "lid", "kind": "velocity", "spin": 1.0})), "two tags prescribe different"),
    ("two dashpots", spoil("tags", ("tags.+", {"on": "lid", "kind": "dashpot", "coefficient": 1.0})), "two Dashpot tags with"),
    ("a pressure on what is driven", spoil("tags", ("tags.0.y", 0.0)), "whose y velocity is prescribed"),
    ("a pressure in the open", spoil("cohesion", ("tags.1.between", None), ("box", None)), "the box is open along x"),
    ("a pressure between one wall", spoil("cohesion", ("tags.1.between", ["left", "left"])), "must name two different walls"),
    ("a pressure between walls the wrong way", spoil("cohesion", ("tags.1.between", ["right", "left"])), "leave no gap along x"),
    (
        "a pressure between many",
        spoil("cohesion", ("walls.1.name", "left"), ("tags.1.between", ["left", "plate"])),
        "2 bodies named",
    ),
    ("a pressure beside what turns", spoil("cohesion", ("tags.1.between", ["left", 11]), ("tags.0.spin", None)), "can turn"),
    ("cohesion through a skeleton", spoil("cohesion", ("law.cohesion.range", 3.0)), "would act through it"),
    ("nothing", spoil("minimal", ("grains", None)), "the scene is empty"),
    ("nothing that moves", spoil("minimal", ("tags", [{"on": 0, "kind": "fixed"}])), "nothing in it can move"),
    ("shorter than a step", spoil("minimal", ("run.until", 1e-5)), "run: until = 1e-05 is shorter than one time step"),
    ("longer than anybody waits", spoil("minimal", ("run.until", 1e300)), "run.until: 1e+300 would take more than 1e+15 steps"),
    ("a mass out of all range", spoil("minimal", ("grains.0.density", 1e308), ("grains.0.shape", "cow")), "take other units"),
]

FAILURES = [
    ("a step too large", spoil("minimal", ("run.dt", 0.05)), "run.dt: 0.05 is too large: a single contact is unstable above"),
    (
        "two disks on one place",
        spoil("minimal", ("grains.+", LONE)),
        "grains[0] (body 0) and grains[1] (body 1) overlap too deeply",
    ),
    ("two disks nearly so", spoil("minimal", ("grains.+", {**LONE, "position": [0.0, 0.1]})), "their skeletons are 0.1 apart"),
    (
        "across a period",
        spoil("minimal", ("box", {"period_y": 3.0}), ("grains.+", {**LONE, "position": [0.0, 2.95]})),
        "0.05 apart",
    ),
    (
        "far outside the box",
        spoil("minimal", ("box", {"period_x": 3.0}), ("grains.+", {**LONE, "position": [30.1, 0.0]})),
        "0.1 apart",
    ),
    ("a grain in a wall", spoil("minimal", ("walls", [{"vertices": [[-1, 0], [1, 0]], "radius": 0.1}])), "and walls[0] (body 1)"),
    (
        "a disk inside a grain",
        spoil(
            "minimal",
            ("shapes", {"slab": {"kind": "polygon", "radius": 0.1, "vertices": [[0, 0], [9, 0], [9, 9], [0, 9]]}}),
            ("grains.+", {"shape": "slab", "position": [0, 0]}),
        ),
        "their skeletons are 0 apart",
    ),
    ("a fill on a grain", spoil("cohesion", ("grains", [{"shape": "disk", "position": [0.8, 0.8]}])), "overlap too deeply"),
]


@pytest.mark.parametrize("what, text, words", CONTRADICTIONS, ids=[each[0] for each in CONTRADICTIONS])
def test_a_contradiction_is_told(capsys, what, text, words):
    assert words in complaint_about(text, capsys)


@pytest.mark.parametrize("what, text, words", FAILURES, ids=[each[0] for each in FAILURES])
def test_what_could_not_be_stepped_exits_with_3(capsys, what, text, words):
    assert words in complaint_about(text, capsys, status=3)


KINDS = '"linear", "hertz", "hertz-mindlin"'
SENTENCES = [
    (spoil("tags", ("walls.2.radius", -0.1)), "walls[2].radius: -0.1 must be positive"),
    (spoil("tags", ("fill.0.gap", -1)), "fill[0].gap: -1 must not be negative"),
    (spoil("tags", ("fill.0.spread", 1.0)), "fill[0].spread: 1.0 must be less than 1"),
    (spoil("shapes", ("shapes.nut.sides", 2)), "shapes.nut.sides: 2 must be at least 3"),
    (spoil("minimal", ("law.kind", None)), f"law.kind is missing; it is one of {KINDS}"),
    (spoil("minimal", ("law.kind", "liner")), f'law.kind: "liner" must be one of {KINDS}'),
    (spoil("minimal", ("law", 3)), "law: 3 must be a table"),
    (spoil("tags", ("tags.3.spin.kind", "tabel")), 'tags[3].spin.kind: "tabel" must be one of "ramp", "harmonic", "table"'),
    (spoil("tags", ("tags.3.spin", "fast")), 'tags[3].spin: "fast" must be a number'),
    (spoil("minimal", ("run.until", None)), "run.until is missing"),
    (spoil("minimal", ("run.untl", 1.0)), 'run.untl is an unknown key; did you mean "until"?'),
    (spoil("minimal", ("box.z", 1.0)), "box.z is an unknown key; known are period_x, period_y, offset"),
    (spoil("shapes", ("shapes.nut.sids", 1)), 'shapes.nut.sids is an unknown key; did you mean "sides"?'),
    (spoil("minimal", ("run.integrator", "euler")), "run.integrator: \"euler\" must be 'verlet', 'gear4' or 'gear5'"),
    (spoil("minimal", ("grains.0.position", [0.0])), "grains[0].position: [0.0] must have at least 2 entries"),
    (spoil("minimal", ("grains.0.position", [0.0, 1, 2])), "grains[0].position: [0.0, 1, 2] must have at most 2 entries"),
    (spoil("minimal", ("grains.0.position", [0.0, math.nan])), "grains[0].position[1]: nan must be finite"),
    (spoil("minimal", ("grains.0.position", [0.0, True])), "grains[0].position[1]: true must be a number"),
    (spoil("minimal", ("grains.0.shape", "")), "grains[0].shape: must not be empty"),
    (spoil("minimal", ("onset", "yes")), 'onset: "yes" must be true or false'),
    (spoil("tags", ("tags.0.on", True)), "tags[0].on: true must be the name or the number of a body"),
]


@pytest.mark.parametrize("text, sentence", SENTENCES, ids=[each[1] for each in SENTENCES])
def test_the_sentence_itself(capsys, text, sentence):
    assert complaint_about(text, capsys) == f"clast: scene.toml: {sentence}\n"


def test_a_long_value_is_cut(capsys):
    said = complaint_about(spoil("minimal", ("law", 99 * "x")), capsys)
    assert said == f'clast: scene.toml: law: "{58 * "x"}… must be a table\n'


def test_bodies_that_only_touch_or_stand_in_a_closed_wall_are_accepted():
    ring = {"vertices": [[-3, -3], [3, -3], [3, 3], [-3, 3]], "radius": 0.1, "closed": True}
    for spoilt in (spoil("minimal", ("walls", [ring])), spoil("minimal", ("grains.+", {**LONE, "position": [0.0, 0.9]}))):
        Path("scene.toml").write_text(spoilt)
        read_scene("scene.toml")


@pytest.mark.parametrize(
    "text, words",
    [
        ("[law\nkind = 1", "is not TOML: Expected ']' at the end of a table declaration (at line 1, column 5)"),
        ("a = 1\na = 2\n\n", "is not TOML: Cannot overwrite a value (at line 2"),
        ("x = __import__('os')", "is not TOML: Invalid value (at line 1, column 5)"),
        ("", "law is missing"),
        ("a = " + "[" * 5000, "nested too deeply"),
    ],
)
def test_what_is_no_toml_is_told_with_its_line(capsys, text, words):
    Path("scene.toml").write_text(text)
    assert run_command(["run", "scene.toml", "--out", "out"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("clast: scene.toml") and words in said and said.count("\n") == 1 and not Path("out").exists()


@pytest.mark.parametrize(
    "options, words",
    [
        (["--until", "long"], '--until: "long" must be a number'),
        (["--until", "-1"], "--until: -1 must be positive"),
        (["--until=nan"], "--until: nan must be finite"),
        (["--until"], "scene.toml: --until needs a value"),
        (["--dt", "0"], "--dt: 0 must be positive"),
        (["--frames", "1.5"], "--frames: 1.5 must be a whole number"),
        (["--integrator", "euler"], "--integrator: \"euler\" must be 'verlet', 'gear4' or 'gear5'"),
        (["--alpha", "wide"], '--alpha: "wide" must be a positive length or "auto"'),
        (["--untill", "1"], '--untill is an unknown key; did you mean "until"?'),
        (["--threads", "0"], "--threads 0"),
        (["--device", "gpu"], "--device gpu must be one of cpu, cuda, auto"),
        (["--size", "quick"], "--size and --seed are for experiments"),
        (["--seed", "1"], "--size and --seed are for experiments"),
        (["--resume", "--overwrite"], "contradict each other"),
        (["--resume"], "there is no run in out"),
        (["2"], "'2' is not expected here"),
    ],
)
def test_a_bad_option_is_told(capsys, options, words):
    Path("scene.toml").write_text(MINIMAL)
    assert run_command(["run", "scene.toml", "--out", "out", *options]) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1 and not Path("out").exists()


def test_a_file_that_cannot_be_read_is_told(capsys):
    Path("folder.toml").mkdir()
    Path("bytes.toml").write_bytes(b"title = '\xff'")
    for name, words in (("nowhere", "there is no scene file"), ("folder", "cannot be read"), ("bytes", "not a text in UTF-8")):
        assert run_command(["run", f"{name}.toml"]) == 2
        said = capsys.readouterr().err
        assert words in said and f"{name}.toml" in said and said.count("\n") == 1 and not Path("runs").exists()
