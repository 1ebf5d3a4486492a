"""Scene files in space: what is read is what Python would have built, and a run of one is a run like any other."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from described_keys import assert_keys_have_a_meaning, tables_in
from same_scenes import read, same
from scene_texts import MINIMAL
from scene_texts_3d import FLOW_3D, FORMS, MINIMAL_3D, SOIL, SOLIDS, TAGS_3D, WEDGE

import clast
from clast.algebra.quaternions import about, matrix, product
from clast.cli import run_command
from clast.errors import InputError
from clast.laws import Linear
from clast.packing.space.distance import distance, skeleton_of
from clast.packing.space.voronoi import voronoi_packing3d
from clast.scene.plane import Scene
from clast.scene.space import Box3D, Scene3D
from clast.scene.tags import Dashpot, Fixed, Force, Pressure, Velocity
from clast.scene.timed import Harmonic, Ramp, Table
from clast.scene_files.reference import CHAPTERS, CHAPTERS_3D, reference_page
from clast.scene_files.space.fill import cubic_lattice
from clast.scene_files.space.room import crowded_space
from clast.scene_files.space.schema import SpaceSceneKeys
from clast.scene_files.space.schema_solids import LibrarySolidKeys
from clast.shapes import (
    Solid,
    capsule,
    cuboid,
    hopper,
    hull,
    library_solid,
    library_solids,
    load_solid,
    open_box,
    plate,
    shell,
    sphere,
    sphere_clump,
    tetrahedron,
)
from clast.sweeps.scene_row import files_of, read_row

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("wedge.json").write_text(WEDGE)


def write_scan() -> None:
    """A ball of 642 vertices, 100 units across, as a mesh file."""
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.icosphere(subdivisions=3, radius=50.0).export("scan.stl")


# --- what is read ----------------------------------------------------------------------------------------------------


def test_every_solid_is_the_one_python_makes():
    scene = Scene3D(law=Linear(1e5, 5e4, 0.5, 5.0), gravity=(0.0, 0.0, -10.0), onset=False, remove_below=-20.0)
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.8, 0.7, 0.6)]
    start = {"velocity": (0.1, 0.0, 0.2), "spin": (1.0, 2.0, 3.0), "density": 2.0, "material": "quartz", "name": "first"}
    scene.add(sphere(0.4), (-10, 0, 2), orientation=(1, 2, 0, 0), **start)
    scene.add(cuboid((1.0, 0.6, 0.4), 0.1), (-8, 0, 2), orientation=about((0, 0, 1), math.radians(30.0)), mass=3.0)
    wedge = load_solid("wedge.json").scaled(0.8)
    turn = about((1, 1, 0), math.radians(-70.0))
    scene.add(wedge, (-6, 0, 2), orientation=product(turn, wedge.orientation))  # turned from how it was drawn
    rest = [
        capsule(0.8, 0.2).with_volume(0.3), capsule(ends=[(0, 0, 0), (0, 0, 1)], radius=0.2).scaled(0.5),
        plate([(0, 0, 0), (1, 0, 0), (0, 1, 0)], 0.1), tetrahedron(0.8, 0.1), hull(points, 0.1),
        sphere_clump([(0, 0, 0), (0.5, 0, 0)], 0.3), library_solid("cube").with_volume(0.5),
    ]  # fmt: skip
    for k, solid in enumerate(rest):
        scene.add(solid, (2.0 * k - 4.0, 0, 2), orientation=solid.orientation)
    scene.add_wall(open_box((40.0, 4.0, 2.0), 0.1))
    funnel = hopper(1.0, 3.0, 2.0, 0.1, bin_height=1.0)
    wall = {"big": True, "material": "wall", "tags": [Fixed()]}
    scene.add_drawn(funnel, (0, 0, 5), turn=about((0, 0, 1), math.radians(45.0)), **wall)
    corners = [(0, 0, 1), (4, 0, 1), (0, 2, 2), (4, 2, 2), (0, 4, 1), (4, 4, 1)]
    scene.add_drawn(shell(corners, [(0, 1, 3, 2), (2, 3, 5, 4)], 0.1), (-2, -2, 10), turn=(1, 0, 0, 0.1), **wall)
    scene.set_law("quartz", "wall", Linear(2e5))
    file = read(SOLIDS)
    same(file.scene, scene)
    assert file.title == "every solid" and file.shape_texts == {"wedge.json": WEDGE}


def test_forms_and_meshes_have_the_sizes_they_were_given():
    write_scan()
    others = (("ell", 6), ("cup", 9), ("box", 12), ("pipe", 15))
    rest = "".join(f'[[grains]]\nshape = "{name}"\nposition = [{x}, 0, 0]\n' for name, x in others)
    file = read(FORMS + rest)
    scan, jack, ell, cup, box, pipe = (body.shape for body in file.scene.bodies)
    for solid, size, count in ((jack, (1.2, 1.2, 0.8), 32), (ell, (1.0, 1.0, 0.5), 12), (box, (1.0, 1.0, 1.0), 4)):
        assert np.ptp(solid.drawn(), axis=0) == pytest.approx(size) and len(solid.vertices) == count
    assert np.ptp(pipe.drawn()[:, 1]) == 1.0 and len(pipe.faces) == 8 and len(pipe.vertices) == 16
    assert cup.drawn()[:, 2].max() == pytest.approx(1.0) and len(cup.vertices) == 4 * 8 + 4 * (3 + 1)
    assert np.ptp(scan.drawn(), axis=0) + 0.1 == pytest.approx([1.0, 1.0, 1.0], rel=0.15) and scan.radius == 0.05
    (remark,) = (words for words in file.remarks if "scan.stl" in words)
    assert "a unit of the file taken as 0.01: 1 × 1 × 1, 12 of 642 vertices, volume" in remark
    assert file.shape_texts["scan.stl"].startswith("sha256 ")


def test_every_tag_is_the_one_python_makes():
    file = read(TAGS_3D)
    scene = Scene3D(law=Linear(1e4), box=Box3D(period_y=4.0), drag=0.1)
    for x, name, material in ((-5.0, "left", "wall"), (5.0, "right", "steel")):
        scene.add_wall(plate([(x, 0, 0), (x, 4, 0), (x, 4, 9), (x, 0, 9)], 0.1), name=name, material=material)
    sway = Velocity(x=0.0, y=0.0, spin_x=0.0, spin_y=0.0, spin=0.0)
    load = Pressure(Ramp(0.0, 10.0, 0.5), "-z", (("left", "right"), None))
    lid = plate([(-4, 0, 9.5), (4, 0, 9.5), (4, 4, 9.5), (-4, 4, 9.5)], 0.1)
    scene.add_wall(lid, tags=[sway, load, Dashpot(3.0)], mass=4.0, name="lid")
    roll = Velocity(x=0.0, y=0.0, z=Harmonic(0.1, 0.5), spin_x=0.0, spin_y=Table([0.0, 1.0], [0.0, 2.0]), spin=0.0)
    scene.add_drawn(cuboid(1.0, 0.05), (0, 2, 7), big=True, material="wall", name="roller", tags=[roll])
    push = Force(x=0.1, y=0.2, z=-0.1, torque_x=0.3, torque_y=Ramp(0.0, 0.1, 1.0), torque=0.4)
    for k, body in enumerate(file.scene.bodies[4:], start=4):  # drawn at random; only their tags are compared
        named = {"name": "crowd", "density": 1.5, "tags": [push]} if k < 7 else {"name": "few", "density": 1.0, "tags": [Fixed()]}
        scene.add(body.shape, body.position, orientation=body.orientation, velocity=body.velocity, **named)
    scene.bodies[7].tags.append(Fixed())  # named twice
    same(file.scene, scene)


def test_sources_and_sinks_are_those_python_makes():
    file = read(FLOW_3D)
    scene = Scene3D(law=Linear(1e5))
    die, mug = cuboid((0.1, 0.2, 0.3), 0.02), library_solid("mug")
    turn = about((0.0, 0.0, 1.0), math.radians(90.0))
    given = {"velocity": (0.0, 0.0, -1.0), "density": 2.0, "turn": turn}
    scene.source([die, mug], (0.0, 0.0, 5.0), (3.0, 3.0, 9.0), count=8, shares=[1, 3], **given)
    ends = (9.0, 0.0, 0.0), (9.0, 0.0, 0.0)
    jet = scene.source(die, *ends, rate=50.0, start=0.02, until=0.1, turn=(1.0, 1.0, 0.0, 0.0), name="jet", density=1.0)
    scene.source(die, (-9.0, 0.0, 0.0), (-9.0, 0.0, 0.0), count=1, density=1.0)
    scene.sink(lower=(-9.0, -9.0, -3.0), upper=(9.0, 9.0, -2.0), name="bin")
    scene.sink(point=(5.0, 0.0, 0.0), normal=(0.0, 0.0, -1.0))
    assert len(jet) == 4
    same(file.scene, scene)


def test_a_grain_is_put_by_its_centre_and_a_wall_by_the_origin_of_its_drawing():
    offset = "shapes.tile = { kind = 'plate', corners = [[5, 0, 0], [7, 0, 0], [7, 1, 0], [5, 1, 0]], radius = 0.1 }\n"
    body = "shape = 'tile'\nposition = [0.0, 0.0, 4.0]\naxis = [0.0, 0.0, 1.0]\nangle_degrees = 90.0\n"
    scene = read(f"{offset}{MINIMAL_3D}\n[[grains]]\n{body}[[walls]]\n{body}").scene
    grain, wall = (scene.bodies[k] for k in (1, 2))
    assert grain.position == (0.0, 0.0, 4.0)
    assert np.ptp(grain.turned_vertices(), axis=0) == pytest.approx([1.0, 2.0, 0.0], abs=1e-12)
    assert wall.position == pytest.approx((-0.5, 6.0, 4.0))
    assert wall.turned_vertices() == pytest.approx(grain.turned_vertices())


def test_one_key_decides_between_plane_and_space():
    assert isinstance(read(MINIMAL).scene, Scene)
    assert isinstance(read("dimension = 2\n" + MINIMAL).scene, Scene)
    assert isinstance(read(MINIMAL_3D).scene, Scene3D)
    file = read(MINIMAL_3D, until=0.3, samples=7)
    assert (file.run.until, file.run.samples, file.run.dt) == (0.3, 7, 1e-3)


# --- many grains -----------------------------------------------------------------------------------------------------


def fill(text: str) -> list[Any]:
    """The bodies of a fill, added to the smallest scene far away."""
    entry = '\n[[fill]]\nlower = [10.0, 0.0, -3.0]\nupper = [18.0, 7.0, 5.0]\nshapes = [{ shape = "cube" }]\n' + text
    return read(MINIMAL_3D + entry).scene.bodies[1:]


def gaps(bodies: list[Any]) -> np.ndarray:
    """Distances between the surfaces of all pairs."""
    bones = [skeleton_of(body.shape).placed(np.array(body.position), np.array(body.orientation)) for body in bodies]
    radii = [body.shape.radius for body in bodies]
    return np.array([distance(bones[i], bones[j]) - radii[i] - radii[j] for i in range(len(bodies)) for j in range(i)])


@pytest.mark.parametrize("kind, count, wanted", [("lattice", 12, 0.25), ("random", 24, 0.5)])
def test_a_fill_keeps_inside_its_box_and_apart(kind, count, wanted):
    bodies = fill(f'kind = "{kind}"\ncount = {count}\nspread = 0.2\ngap = {wanted}\nspeed = 2.0\ndensity = 3.0\n')
    reach = np.array([body.turned_vertices().max(axis=0) + body.shape.radius for body in bodies])
    low = np.array([body.turned_vertices().min(axis=0) - body.shape.radius for body in bodies])
    place = np.array([body.position for body in bodies])
    assert len(bodies) == count and gaps(bodies).min() >= wanted - 1e-9
    assert (place + low >= [10.0, 0.0, -3.0]).all() and (place + reach <= [18.0, 7.0, 5.0]).all()
    size = np.cbrt([body.shape.volume for body in bodies])
    assert 0.8 <= size.min() < 0.95 and 1.05 < size.max() <= 1.2
    assert [body.mass for body in bodies] == pytest.approx(3.0 * size**3)
    assert np.linalg.norm([body.velocity for body in bodies], axis=1) == pytest.approx(2.0)
    assert len({body.orientation for body in bodies}) == count


def test_a_lattice_fills_layer_by_layer_and_leaves_grains_as_drawn():
    places = cubic_lattice(7, np.array([2.5, 2.2, 9.0]), 1.0)
    assert places[:4] == pytest.approx(np.array([[0.75, 0.6, 0.5], [1.75, 0.6, 0.5], [0.75, 1.6, 0.5], [1.75, 1.6, 0.5]]))
    assert places[4:, 2].tolist() == [1.5, 1.5, 1.5]
    bodies = fill('kind = "lattice"\ncount = 5\nrandom_turns = false\n')
    assert {body.orientation for body in bodies} == {(1.0, 0.0, 0.0, 0.0)} and len({id(body.shape) for body in bodies}) == 1


def test_the_seed_decides_and_nothing_else():
    def places(seed: int) -> list[Any]:
        return [body.position for body in fill(f'kind = "random"\ncount = 5\nseed = {seed}\n')]

    assert places(3) == places(3) != places(4)


def test_a_random_fill_of_a_whole_period_is_periodic():
    box = "[box]\nperiod_x = 2.2\nperiod_y = 2.2\n"
    entry = (
        '[[fill]]\nkind = "random"\ncount = 4\nlower = [0.0, 0.0, 0.0]\nupper = [2.2, 2.2, 3.5]\nshapes = [{ shape = "cube" }]\n'
    )
    bare = re.sub(r"\[\[grains\]\].*?\n\n", "", MINIMAL_3D, flags=re.DOTALL)
    bodies = read(bare + box + entry).scene.bodies
    sides = [(body.turned_vertices() + body.position + body.shape.radius).max(axis=0) for body in bodies]
    assert np.max(sides, axis=0)[:2].max() > 2.2 and np.max(sides, axis=0)[2] <= 3.5


def test_a_voronoi_fill_is_the_packing_python_draws():
    turned = read(SOIL).scene
    plain = read(SOIL.replace("random_turns = true\n", "")).scene
    packing = voronoi_packing3d(2, 2, 2, 1.0, erosion=0.12, dilation=0.1, merge=0.02, seed=3, border="periodic").expanded(1.5)
    assert np.array([body.position for body in plain.bodies]) == pytest.approx(packing.positions + np.array([0.5, 0.0, 0.0]))
    assert np.array([body.orientation for body in plain.bodies]) == pytest.approx(packing.orientations)
    assert [body.mass for body in plain.bodies] == pytest.approx([2.0 * solid.volume for solid in packing.shapes])
    assert {(body.name, body.material) for body in plain.bodies} == {("soil", "clay")}
    assert all(one.orientation != other.orientation for one, other in zip(plain.bodies, turned.bodies, strict=True))


# --- room at the start -----------------------------------------------------------------------------------------------


def two(one: Solid, other: Solid, away: tuple[float, float, float], box: Box3D | None = None, **given: Any) -> Any:
    """What is said of two bodies, the first just inside a box, the second `away` from it."""
    scene = Scene3D(law=Linear(1e4), box=box)
    scene.add(one, (0.02, 0.0, 0.02), **given)
    scene.add(other, np.add((0.02, 0.0, 0.02), away))
    return crowded_space(scene)


def test_room_is_a_tenth_of_the_radii_between_skeletons():
    cube, ball = cuboid(1.0, 0.2), sphere(0.3)
    assert two(cube, ball, (0.56, 0.0, 0.0)) is None
    found = two(cube, ball, (0.54, 0.0, 0.0))
    assert (found.one, found.other) == (0, 1) and found.distance == pytest.approx(0.04) and found.radii == pytest.approx(0.5)
    assert two(cube, ball, (0.1, 0.1, 0.0)).distance == 0.0  # hidden inside
    assert two(cube, capsule(0.6, 0.2), (0.0, 0.0, 0.3), big=True) is None  # inside a closed wall there is room
    assert two(cube, ball, (0.54, 0.0, 0.0), big=True).distance == pytest.approx(0.04)


def test_room_is_sought_across_periods():
    ball = sphere(0.5)
    box = Box3D(period_x=5.0, period_z=6.0)
    assert two(ball, ball, (4.95, 0.0, 30.0)) is None
    assert two(ball, ball, (4.95, 0.0, 30.0), box).distance == pytest.approx(0.05)
    wall = plate([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], 0.1)
    assert two(wall, ball, (0.0, 0.0, 5.96), box, big=True).distance == pytest.approx(0.04)
    assert two(wall, ball, (0.0, 0.0, 5.9), box, big=True) is None


def test_the_worst_of_many_is_told():
    scene = Scene3D(law=Linear(1e4))
    for k, x in enumerate((0.0, 3.0, 3.08, 6.0, 6.02, 9.0)):
        scene.add(sphere(0.5), (x, 0.1 * (k == 9), 0.0))
    found = crowded_space(scene)
    assert (found.one, found.other) == (3, 4) and found.distance == pytest.approx(0.02)


# --- the page and the examples ---------------------------------------------------------------------------------------


def test_the_page_is_up_to_date():
    same = (ROOT / "docs" / "scene-file-space.md").read_text(encoding="utf-8") == reference_page(3)
    assert same, "keys have changed: python -m clast.scene_files.reference space > docs/scene-file-space.md"


def test_every_table_is_on_a_page_and_every_key_has_a_meaning():
    shown = {model for _, _, models in [*CHAPTERS, *CHAPTERS_3D] for model in models}
    assert tables_in(SpaceSceneKeys) - shown == set()
    assert_keys_have_a_meaning({model for _, _, models in CHAPTERS_3D for model in models})


def test_the_page_names_every_ready_made_solid():
    said = LibrarySolidKeys.model_fields["name"].description or ""
    assert set(re.findall(r"[a-z-]+", said)) - {"grains", "walls"} == set(library_solids())


# --- runs ------------------------------------------------------------------------------------------------------------


def test_a_run_keeps_the_text_and_can_be_looked_at_and_resumed(capsys):
    text = MINIMAL_3D.replace('shape = "sphere"', 'shape = "wedge"') + '[shapes.wedge]\nkind = "file"\nfile = "wedge.json"\n'
    Path("flight.toml").write_text(text)
    assert run_command(["run", "flight.toml", "--frames", "4", "--samples", "20"]) == 0
    said = capsys.readouterr()
    (folder,) = Path("runs").iterdir()
    assert "energy error" in said.out and "frames.png, energy.png" in said.out
    run = clast.open(folder)
    assert run.provenance["scene_text"] == text and run.provenance["shape_texts"] == {"wedge.json": WEDGE}
    assert run.frames[-1].positions[0] == pytest.approx([0.1, 0.0, 0.05])
    assert run_command(["run", "flight.toml", "--resume", "--until", "0.2", "-q"]) == 0
    assert clast.open(folder).frames[-1].positions[0] == pytest.approx([0.2, 0.0, 0.1])
    Path("wedge.json").write_text(WEDGE.replace("0.1", "0.2"))
    assert run_command(["run", "flight.toml", "--resume", "--until", "0.3"]) == 2
    assert "another scene (wedge.json changed)" in capsys.readouterr().err


def test_a_row_of_a_sweep_replaces_entries_of_a_scene_in_space():
    Path("scene.toml").write_text(SOLIDS)
    row = read_row(Path("scene.toml"), {"grains.1.position.2": 2.5, "shapes.brick.radius": 0.2, "remove_below": -30.0})
    brick = row.scene.bodies[1]
    assert isinstance(row.scene, Scene3D) and brick.position == (-8.0, 0.0, 2.5) and brick.shape.radius == 0.2
    assert row.scene.remove_below == -30.0 and files_of(row.keys) == {"shapes.wedge.file": "wedge.json"}
    with pytest.raises(InputError, match=r"scene.toml: grains\[1\].position\[2\]: \"high\" must be a number"):
        read_row(Path("scene.toml"), {"grains.1.position.2": "high"})


@pytest.mark.validate
def test_the_solids_of_the_example_come_to_rest_in_their_box():
    assert run_command(["run", str(ROOT / "examples" / "stones-in-a-box.toml"), "--out", "stones", "-q"]) == 0
    run = clast.open("stones")
    last = run.frames[-1]
    assert (np.abs(last.positions[1:, :2]) < 2.5).all() and (last.positions[1:, 2] > 0.1).all()
    assert last.positions[1:, 2].max() < 3.5 and np.linalg.norm(last.velocities[1:], axis=1).mean() < 0.1
    assert run.result["energy_error"] < 1e-4


@pytest.mark.validate
def test_the_drum_of_the_example_turns_its_grains():
    assert run_command(["run", str(ROOT / "examples" / "drum-in-space.toml"), "--out", "drum", "-q", "--until", "3"]) == 0
    run = clast.open("drum")
    last = run.frames[-1]
    assert np.hypot(last.positions[1:, 0], last.positions[1:, 2]).max() < 1.5 and np.abs(last.positions[1:, 1]).max() < 0.9
    turned = matrix(last.orientations[0]) @ [0.0, 0.0, 1.0]
    assert math.atan2(turned[0], turned[2]) == pytest.approx(0.8 * (3.0 - 0.8), abs=1e-3)
    assert last.positions[1:, 0].mean() < -0.2  # about +y what is below is carried towards −x
    assert run.result["energy_error"] < 3e-4


# --- clast shape -----------------------------------------------------------------------------------------------------


def test_a_ready_made_solid_is_described_and_drawn(capsys):
    assert run_command(["shape", "brick"]) == 0
    said = capsys.readouterr().out
    assert "skeleton    closed surface, 8 vertices, 12 edges, 6 faces" in said and "volume      1" in said
    assert Path("brick-shape.png").stat().st_size > 5000


def test_a_mesh_is_described_against_the_file_and_saved(capsys):
    write_scan()
    words = ["shape", "scan.stl", "--scale", "0.01", "--radius", "0.05", "--vertices", "12", "--out", "a.png", "--save", "b.json"]
    assert run_command(words) == 0
    said = capsys.readouterr().out
    assert "scan.stl: 642 vertices, 1280 faces" in said and "scale       0.01" in said and "closed surface, 12 vertices" in said
    assert re.search(r"error +surface at most [\d.]+ % of the size off the mesh", said) and Path("a.png").exists()
    assert len(load_solid("b.json").vertices) == 12
    assert run_command(words) == 2 and "--save b.json: it exists already" in capsys.readouterr().err
    assert run_command(["shape", "b.json"]) == 0 and "name        scan" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words, answer",
    [
        (["scan.stl"], "--scale is missing: a mesh does not say the length of one unit of the file"),
        (["scan.stl", "--scale", "1"], "--radius is missing: a mesh does not say"),
        (["scan.stl", "--scale", "1", "--radius", "1", "--dark"], "--dark is for photographs, and scan.stl is none"),
        (["scan.stl", "--scale", "1", "--radius", "1", "--save", "new"], "--save new: a solid is written as JSON"),
        (["scan.stl", "--scale", "1", "--radius", "1", "--save", "no/b.json"], "--save no/b.json: there is no folder no"),
        (["none.stl", "--scale", "1", "--radius", "1"], "There is no mesh file none.stl"),
        (["cube", "--radius", "1"], "--radius is for meshes, and cube is none"),
        (["cow", "--mend"], "--mend is for meshes, and cow is none"),
        (["none.json"], "There is no solid's file none.json"),
        (["mugg"], 'there is no ready-made shape "mugg": choose among disk, rice'),
    ],
)
def test_what_cannot_be_shown_is_told_in_one_line(capsys, words, answer):
    assert run_command(["shape", *words]) == 2
    said = capsys.readouterr().err
    assert answer in said and said.count("\n") == 1 and not list(Path().glob("*.png"))
