"""Scene files of sharp solids: what is read is what Python would have built, and what does not go together is refused."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scene_texts import toml
from scene_texts_3d import MINIMAL_3D, SHARP

from clast.algebra.quaternions import about
from clast.cli import run_command
from clast.errors import InputError
from clast.laws import OverlapEnergy, OverlapVolume, Turning
from clast.packing.space.distance import distance, skeleton_of
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.scene_files.reading import parse, read_scene, scene_of
from clast.shapes import (
    Solid,
    cuboid,
    ellipsoid_grain,
    floor_with_rim,
    hull,
    library_solid,
    load_solid,
    pieces,
    prism,
    save_solid,
    sharp_drum,
    sharp_hopper,
    tetrahedron,
)

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def scene_in(text: str) -> Scene | Scene3D:
    """The scene of a file with this text, without asking whether it can be stepped."""
    path = Path("scene.toml")
    return scene_of(parse(path, text, {}), Path(), [])[0]


def same(one: Solid, other: Solid) -> bool:
    """Whether two solids are the same but for their names."""
    arrays = all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("vertices", "edges", "inertia", "centre", "orientation", "piece")
    )
    loops = all(np.array_equal(a, b) for a, b in zip(one.faces, other.faces, strict=True))
    return arrays and loops and (one.radius, one.volume, one.reach) == (other.radius, other.volume, other.reach)


def test_every_sharp_solid_is_the_one_python_makes():
    scene = scene_in(SHARP)
    assert isinstance(scene, Scene3D) and scene.sharp
    law = OverlapVolume(1e6, friction=0.5, tangential=0.3, damping=0.2, tangential_damping=0.1)
    assert scene.default_law == law and scene.law_between("wall", "bone") == OverlapVolume(2e6)
    plank = cuboid((4.0, 4.0, 0.5), 0.0)
    wedge = hull([(-2, -2, 0), (-2, 2, 0), (-1, -2, 0), (-1, 2, 0), (-2, -2, 1), (-2, 2, 1)])
    bank = pieces([plank.moved((0, 0, -0.25)), plank.moved((2.25, 0, 1), about((0, 1, 0), np.deg2rad(90.0))), wedge]).scaled(2.0)
    brick = hull([(x, y, z) for x in (0, 0.3) for y in (0, 0.4) for z in (0, 0.5)])
    wanted = [
        ellipsoid_grain((0.4, 0.35, 0.3), 14, 3), library_solid("sharp-cube").with_volume(0.05), tetrahedron(0.5, 0.0),
        prism([(0, 0), (0.4, 0), (0.2, 0.3)], 0.2, 0.0), brick, bank, floor_with_rim((12, 12), 1.0, 0.5),
        sharp_drum(2.0, 2.0, 12, 0.3, ends=False), sharp_hopper(1.0, 3.0, 2.0, 0.2, sides=6, bin_height=0.5),
    ]  # fmt: skip
    for body, solid in zip(scene.bodies, wanted, strict=False):
        assert same(body.shape, solid) and body.big == (solid.piece_count > 1), solid.name
    assert scene.bodies[5].shape.name == "bank" and scene.bodies[5].shape.piece_count == 3
    filled = scene.bodies[9:]
    assert len(filled) == 5 and all(body.shape.sharp for body in filled)
    bones = [skeleton_of(body.shape).placed(np.array(body.position), np.array(body.orientation)) for body in filled]
    assert min(distance(a, b) for k, a in enumerate(bones) for b in bones[:k]) >= 0.05


def test_the_conserving_law():
    text = SHARP.replace("overlap-volume", "overlap-energy")
    scene = scene_in(text)
    assert scene.default_law == OverlapEnergy(1e6, friction=0.5, tangential=0.3, damping=0.2, tangential_damping=0.1)
    plain = scene_in('dimension = 3\nlaw = { kind = "overlap-energy", young = 3.0 }\nrun = { until = 1.0 }')
    assert plain.default_law == OverlapEnergy(3.0)


def test_solids_files_of_sharp_solids():
    save_solid(sharp_drum(1.0, 1.0, 6, 0.1), "drum.json")
    save_solid(ellipsoid_grain((1, 1, 1), 20, 2), "stone.json")
    tables = tomllib.loads(SHARP)
    tables["shapes"]["barrel"] = {"kind": "file", "file": "drum.json"}
    tables["shapes"]["stone"] = {"kind": "file", "file": "stone.json", "volume": 0.3}
    scene = scene_in(toml(tables))
    assert same(scene.bodies[7].shape, load_solid("drum.json")) and scene.bodies[7].shape.piece_count == 8
    assert same(scene.bodies[0].shape, load_solid("stone.json").with_volume(0.3))


def spoilt(*changes: tuple[str, Any]) -> str:
    """The sharp scene with some entries, written as "walls.1.shape", replaced, or removed (None)."""
    tables = tomllib.loads(SHARP)
    for where, new in changes:
        place: Any = tables
        *way, last = where.split(".")
        for part in way:
            place = place[int(part)] if isinstance(place, list) else place.setdefault(part, {})
        if new is None:
            del place[last]
        else:
            place[int(last) if isinstance(place, list) else last] = new
    return toml(tables)


LINEAR = {"kind": "linear", "normal_stiffness": 1e5}
PLATE = {"corners": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "radius": 0.1}
REFUSED = [
    # what, scene, words of the answer
    ("a rounded grain", spoilt(("grains.0.shape", "cube")), "grains[0]: body 0: cube is rounded (sphero-radius 0.1"),
    ("a rounded wall", spoilt(("walls.1.shape", "open-box")), "walls[1]: body 6: open box is rounded (sphero-radius 0.02)"),
    ("a plate", spoilt(("walls.0", PLATE)), "walls[0]: corners make a rounded plate, and the law acts between sharp solids"),
    (
        "another law",
        spoilt(("law", LINEAR), ("pair_law", [])),
        "grains[0]: body 0: stone is sharp (sphero-radius 0), but the law Linear acts between rounded solids",
    ),
    ("another law between", spoilt(("pair_law.0.law", LINEAR)), 'pair_law[0].law: the law between "bone" and "wall" is of'),
    ("a grain of pieces", spoilt(("grains.0.shape", "bank")), "grains[0]: body 0: bank has 3 pieces, and only big bodies may"),
    (
        "a filling of pieces",
        spoilt(("fill.0.shapes.0.shape", "floor-with-rim")),
        "floor with rim has 5 pieces, and only big bodies may",
    ),
    (
        "a rounded piece",
        spoilt(("shapes.plank.radius", 0.1)),
        "shapes.bank: Piece 0 of this bank, plank, is rounded (sphero-radius 0.1)",
    ),
    ("no such piece", spoilt(("shapes.bank.of.1.shape", "board")), "shapes.bank.of[1].shape: there is no solid"),
    ("a piece of itself", spoilt(("shapes.bank.of.1.shape", "bank")), 'the solid is a piece of itself: "bank" of "bank"'),
    ("no pieces", spoilt(("shapes.bank.of", [])), "shapes.bank.of: [] must have at least 1 entry"),
    (
        "a piece about no axis",
        spoilt(("shapes.bank.of.0.angle_degrees", 3.0)),
        "shapes.bank.of[0]: angle_degrees without an axis",
    ),
    ("a key of a piece", spoilt(("shapes.bank.of.0.mass", 3.0)), "shapes.bank.of[0].mass is an unknown key"),
    ("a negative radius", spoilt(("shapes.plank.radius", -0.1)), "shapes.plank.radius: -0.1 must not be negative"),
    ("a sharp sphere", spoilt(("shapes.die", {"kind": "sphere", "radius": 0.0})), "shapes.die.radius: 0.0 must be positive"),
    (
        "a sharp L",
        spoilt(("shapes.tile.outline", [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]])),
        "shapes.tile: This tile is not convex, which a sharp solid (sphero-radius 0) has to be",
    ),
    ("no modulus", spoilt(("law.young", None)), "law.young is missing"),
    ("rolling", spoilt(("law.rolling", {"stiffness": 1.0, "friction": 0.1})), "law.rolling is an unknown key"),
    ("turning of a word", spoilt(("law.turning", {"rocking": "much"})), "law.turning.rocking"),
    (
        "too little rocking",
        spoilt(("law.kind", "overlap-volume"), ("law.turning", {"rocking": 0.5})),
        "rocking = 0.5 is less than",
    ),
    ("friction without a spring", spoilt(("law.tangential", 0.0)), "law: friction = 0.5 needs tangential > 0"),
]


def test_springs_against_turning_are_a_table():
    given = {"twisting": 0.5, "rocking": 1.5}
    text = spoilt(("law", {"kind": "overlap-energy", "young": 1e5, "turning": given}), ("pair_law", []))
    assert scene_in(text).default_law == OverlapEnergy(1e5, turning=Turning(0.5, 1.5))


@pytest.mark.parametrize("what", [what for what, _, _ in REFUSED])
def test_what_does_not_go_together_is_refused(what):
    text, words = next((text, words) for name, text, words in REFUSED if name == what)
    Path("scene.toml").write_text(text)
    with pytest.raises(InputError) as caught:
        read_scene("scene.toml")
    said = str(caught.value)
    assert words in said and said.startswith("scene.toml: ") and "\n" not in said


def test_the_plane_knows_no_law_of_volumes():
    disk = 'grains = [{ shape = "disk", position = [0.0, 0.0] }]'
    text = f'law = {{ kind = "overlap-volume", young = 1.0 }}\n{disk}\nrun = {{ until = 1.0 }}'
    Path("scene.toml").write_text(text)
    with pytest.raises(InputError, match=r'law\.kind: "overlap-volume" must be one of "linear"'):
        read_scene("scene.toml")


def test_a_rounded_scene_is_what_it_was():
    scene = scene_in(MINIMAL_3D)
    assert isinstance(scene, Scene3D) and not scene.sharp


def test_the_command_shows_a_sharp_solid(capsys):
    assert run_command(["shape", "sharp-cube"]) == 0
    said = capsys.readouterr().out
    assert "radius      0   (sharp)" in said and "warning" not in said and Path("sharp-cube-shape.png").stat().st_size > 5000
