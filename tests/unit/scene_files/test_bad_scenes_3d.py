"""Spoiled scene files in space: every entry spoiled in every way that makes it invalid, one at a time, and contradictions.

Each must be refused with one line that names the file and the entry, before anything is compiled or written.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from scene_texts import MINIMAL, toml
from scene_texts_3d import MINIMAL_3D, VALID_3D, WEDGE
from spoiled_scenes import changed, spoil_table, with_changes

from clast.cli import run_command
from clast.errors import InputError, OverlapError, StepError
from clast.scene_files.complaint import written
from clast.scene_files.reading import built, parse, read_scene
from clast.scene_files.space.schema import SpaceSceneKeys

BUILT_TOO = {"minimal", "tags"}  # of these, what the schema lets pass is built: there it has to be refused


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("wedge.json").write_text(WEDGE)


@pytest.mark.parametrize("name", VALID_3D)
def test_every_spoiled_entry_is_refused_with_one_line(name):
    tables = tomllib.loads(VALID_3D[name])
    path, count, wrong = Path("scene.toml"), 0, []
    for what, entry, spoilt in spoil_table(tables, SpaceSceneKeys.model_validate(tables), [], tables):
        if entry[0] == "grains" and len(entry) > 1 and int(entry[1]) > 2:
            continue  # as those before
        count += 1
        try:
            keys = parse(path, toml(spoilt), {})
            if name not in BUILT_TOO:
                continue
            built(path, "", keys)
            wrong.append(f"{written(entry)}: {what}: accepted")
        except InputError as error:
            said = str(error)
            where = entry[:3] if "between" in entry else entry  # pairs of walls are told as a whole
            named = said.startswith(f"scene.toml: {written(where[:-1] or where)}")
            if not (named or what == "renamed" or entry[0] in ("dimension", "dimensionx")) or "\n" in said:
                wrong.append(f"{written(entry)}: {what}: {said}")
    assert not wrong, "\n".join(wrong)
    assert count >= 30


# --- contradictions and physics --------------------------------------------------------------------------------------


def spoil(name: str, *changes: tuple[str, Any]) -> str:
    """A valid scene with some entries changed."""
    return with_changes(VALID_3D[name], *changes)


LONE = {"shape": "sphere", "position": [0.0, 0.0, 0.0]}
SLAB = {"kind": "cuboid", "sides": [9.0, 9.0, 9.0], "radius": 0.1}
ROLL = {"on": "roller", "kind": "velocity", "spin_y": 1.0}
CONTRADICTIONS = [
    # what, scene, words of the answer
    ("another dimension", MINIMAL_3D.replace("dimension = 3", "dimension = 4"), "dimension: 4 must be 2, the plane, or 3, space"),
    ("a dimension in words", MINIMAL_3D.replace("dimension = 3", 'dimension = "3"'), 'dimension: "3" must be 2'),
    ("a dimension that is a switch", MINIMAL_3D.replace("dimension = 3", "dimension = true"), "dimension: true must be 2"),
    (
        "space without saying so",
        MINIMAL_3D.replace("dimension = 3", "gravity = [0.0, 0.0, -1.0]"),
        "gravity: [0.0, 0.0, -1.0] must have at most 2 entries (a scene in space begins with dimension = 3)",
    ),
    (
        "a solid in the plane without saying so",
        MINIMAL_3D.replace("dimension = 3", ""),
        "grains[0].position: [0.0, 0.0, 0.0] must have at most 2 entries (a scene in space begins with dimension = 3)",
    ),
    ("a solid in the plane", MINIMAL.replace('"disk"', '"cube"'), '"cube", which is a solid for a scene with dimension = 3: the'),
    ("a shape in space", spoil("minimal", ("grains.0.shape", "cow")), '"cow", which is a shape for a scene in the plane: the'),
    ("a solid that is not there", spoil("minimal", ("grains.0.shape", "ball")), 'grains[0].shape: there is no solid "ball": the'),
    ("counting in the papers' way", spoil("minimal", ("counting", "all-pairs")), "counting: \"all-pairs\" must be 'euler'"),
    ("gravity along a period", spoil("tags", ("gravity", [0.0, 1.0, 0.0])), "gravity 1.0 along y, but the box is periodic"),
    ("a period smaller than a grain", spoil("minimal", ("box", {"period_z": 1.0})), "body 0 (sphere) is 1.2407 across"),
    (
        "orientation and axis",
        spoil("minimal", ("grains.0.orientation", [1, 0, 0, 0]), ("grains.0.axis", [1, 0, 0])),
        "grains[0]: give orientation, or axis and angle_degrees, not both",
    ),
    ("an angle about nothing", spoil("minimal", ("grains.0.angle_degrees", 3)), "grains[0]: angle_degrees without an axis"),
    ("an axis and no angle", spoil("minimal", ("grains.0.axis", [1, 0, 0])), "grains[0]: axis without an angle"),
    (
        "an axis without direction",
        spoil("minimal", ("grains.0.axis", [0, 0, 0]), ("grains.0.angle_degrees", 3)),
        "grains[0]: axis = [0, 0, 0] has no direction",
    ),
    ("no quaternion", spoil("minimal", ("grains.0.orientation", [0, 0, 0, 0])), "grains[0]: orientation is a quaternion"),
    ("two sizes", spoil("minimal", ("shapes", {"a": {**SLAB, "volume": 1, "scale": 1}})), "shapes.a: give volume or scale"),
    ("a brick without width", spoil("minimal", ("shapes", {"a": {**SLAB, "sides": [1, 0, 1]}})), "shapes.a: Each side of a a"),
    (
        "a mesh as a solid's file",
        spoil("minimal", ("shapes", {"a": {"kind": "file", "file": "a.stl"}})),
        'shapes.a: a.stl is a mesh: write kind = "mesh-file", with scale',
    ),
    (
        "a mesh without a scale",
        spoil("minimal", ("shapes", {"a": {"kind": "mesh-file", "file": "a.stl", "radius": 1.0}})),
        "shapes.a.scale is missing",
    ),
    (
        "a mesh that is not there",
        spoil("minimal", ("shapes", {"a": {"kind": "mesh-file", "file": "a.stl", "radius": 1.0, "scale": 1.0}})),
        "shapes.a: There is no mesh file a.stl",
    ),
    (
        "a file by its absolute path",
        spoil("minimal", ("shapes", {"a": {"kind": "file", "file": "/etc/a.json"}})),
        "shapes.a: file = \"/etc/a.json\": give the path from the folder of the scene",
    ),
    ("a wall of nothing", spoil("tags", ("walls.0.corners", None)), "walls[0]: give corners with a radius, or a shape"),
    ("a wall drawn twice", spoil("tags", ("walls.0.shape", "cube")), "walls[0]: give corners with a radius, or a shape"),
    ("a wall without radius", spoil("tags", ("walls.0.radius", None)), "walls[0]: radius is missing"),
    ("a wall drawn and put", spoil("tags", ("walls.0.position", [0, 0, 0])), "walls[0]: corners stand where they are drawn"),
    (
        "a wall drawn and turned",
        spoil("tags", ("walls.0.orientation", [1, 0, 0, 0])),
        "walls[0]: corners stand where they are drawn",
    ),
    ("a wall of two corners", spoil("tags", ("walls.0.corners", [[0, 0, 0], [1, 0, 0]])), "walls[0]: A wall needs"),
    ("a shape with a radius", spoil("tags", ("walls.3.radius", 1.0)), "walls[3]: radius belongs to corners"),
    ("a fixed wall with a mass", spoil("tags", ("walls.0.mass", 1.0)), "walls[0]: a fixed wall has no use for a mass"),
    ("a fill upside down", spoil("tags", ("fill.0.upper", [4.0, 4.0, 0.0])), "fill[0]: upper = [4.0, 4.0, 0.0] must be larger"),
    ("a fill too narrow", spoil("tags", ("fill.0.upper", [4.0, 0.5, 3.0])), "fill[0]: count = 3, but there is room for 0"),
    ("far too many at random", spoil("tags", ("fill.1.count", 900)), "fill[1]: count = 900, but there is room for 89"),
    ("a mixture of nothing", spoil("tags", ("fill.0.shapes.1.shape", "x")), 'fill[0].shapes[1].shape: there is no solid "x"'),
    ("a soil that does not fit", spoil("soil", ("box.period_z", 4.0)), "along z is 4, and layers × cube × expand is 3"),
    ("a soil of too much", spoil("soil", ("fill.0.dilation", 0.2)), "fill[0]: dilation R = 0.2 exceeds erosion d = 0.12"),
    ("a velocity of nothing", spoil("minimal", ("tags", [{"on": 0, "kind": "velocity"}])), "x, y, z, spin_x, spin_y or spin"),
    ("a force of nothing", spoil("minimal", ("tags", [{"on": 0, "kind": "force"}])), "x, y, z, torque_x, torque_y or torque"),
    ("one spin of three", spoil("tags", ("tags.3", ROLL)), "all three or none, and spin_x and spin is not: say all three of"),
    ("a fixed wall driven", spoil("tags", ("walls.3.fixed", True)), "tags[3]: walls[3] is fixed, so this velocity would do"),
    ("a tag on the cell", spoil("tags", ("tags.0.on", "cell")), 'a tag moves the period along x, but that side is open'),
    ("a pressure on a line", spoil("tags", ("tags.1.between", ["left", "right"])), "must be two pairs of walls"),
    ("a pressure beside one wall", spoil("tags", ("tags.1.between", [["left"], []])), "must be two pairs of walls"),
    ("a pressure between nobody", spoil("tags", ("tags.1.between", [["left", "x"], []])), 'no body named "x"'),
    ("a pressure in the open", spoil("tags", ("tags.1.between", [[], []])), "the box is open along x, so say between"),
    ("nothing", spoil("minimal", ("grains", None)), "the scene is empty"),
    ("nothing that moves", spoil("minimal", ("tags", [{"on": 0, "kind": "fixed"}])), "nothing in it can move"),
    ("a mass out of all range", spoil("minimal", ("grains.0.mass", 1e-310)), "take other units"),
]  # fmt: skip

FAILURES = [
    (
        "a step too large",
        spoil("minimal", ("run.dt", 0.05)),
        StepError,
        "run.dt: 0.05 is too large",
    ),
    (
        "two balls on one place",
        spoil("minimal", ("grains.+", LONE)),
        OverlapError,
        "grains[0] (body 0) and grains[1] (body 1) overlap too deeply at the start: their skeletons are 0 apart",
    ),
    (
        "a grain in a wall",
        spoil("minimal", ("walls", [{"corners": [[-1, -1, 0], [1, -1, 0], [0, 1, 0]], "radius": 0.1}])),
        OverlapError,
        "grains[0] (body 0) and walls[0] (body 1) overlap too deeply",
    ),
    (
        "a ball inside a grain",
        spoil("minimal", ("shapes", {"slab": SLAB}), ("grains.+", {"shape": "slab", "position": [0, 0, 0]})),
        OverlapError,
        "their skeletons are 0 apart",
    ),
]


@pytest.mark.parametrize("what, text, words", CONTRADICTIONS, ids=[each[0] for each in CONTRADICTIONS])
def test_a_contradiction_is_told(what, text, words):
    Path("scene.toml").write_text(text)
    with pytest.raises(InputError) as refusal:
        read_scene("scene.toml")
    said = str(refusal.value)
    assert words in said and said.startswith("scene.toml: ") and "\n" not in said


@pytest.mark.parametrize("what, text, kind, words", FAILURES, ids=[each[0] for each in FAILURES])
def test_what_could_not_be_stepped_is_told(what, text, kind, words):
    Path("scene.toml").write_text(text)
    with pytest.raises(kind) as refusal:
        read_scene("scene.toml")
    assert words in str(refusal.value)


def test_the_command_line_says_one_line_and_leaves_nothing_behind(capsys):
    good = tomllib.loads(MINIMAL_3D)
    for spoilt, status, words in (
        (changed(good, ["grains", 0, "position"], [0.0, 0.0]), 2, "grains[0].position: [0.0, 0.0] must have at least 3 entries"),
        (changed(good, ["grains"], [LONE, LONE]), 3, "grains[0] (body 0) and grains[1] (body 1) overlap too deeply"),
    ):
        Path("scene.toml").write_text(toml(spoilt))
        assert run_command(["run", "scene.toml", "--out", "out"]) == status
        said = capsys.readouterr()
        assert said.out == "" and said.err.startswith(f"clast: scene.toml: {words}") and said.err.count("\n") == 1
        assert not Path("out").exists()


def test_inside_a_closed_wall_there_is_room():
    Path("scene.toml").write_text(spoil("minimal", ("shapes", {"slab": SLAB}), ("walls", [{"shape": "slab"}])))
    assert len(read_scene("scene.toml").scene) == 2
