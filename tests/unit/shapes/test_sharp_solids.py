"""Sharp solids: no rounding, exact mass, walls of convex pieces, and what is refused."""

import itertools
import json
import math

import numpy as np
import pytest
from stored_runs import stored_run

from clast.algebra.quaternions import about, matrix
from clast.errors import SceneError, ShapeError
from clast.laws import Linear, OverlapEnergy, OverlapVolume
from clast.output.export.gsd import solid_look
from clast.output.export.vtkhdf import export_vtkhdf
from clast.output.recording import merit
from clast.output.space.bodies import run_surfaces
from clast.output.space.solids import run_solids, solid_arrays
from clast.output.space.surface import ridges, surface
from clast.output.store.reader import open_run
from clast.scene.plane import Scene
from clast.scene.space import Scene3D
from clast.shapes import (
    Solid,
    capsule,
    cross,
    cuboid,
    describe_solid,
    ellipsoid_grain,
    floor_with_rim,
    hull,
    load_solid,
    mesh,
    mug,
    pieces,
    plate,
    prism,
    read_mesh,
    save_solid,
    sharp_drum,
    sharp_hopper,
    shell,
    sphere,
    sphere_clump,
    tetrahedron,
)
from clast.shapes.space.forms_sharp import NEEDLE, OFF

CUBE = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
CORNERS = [(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]
ELL = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]


def in_body(solid: Solid, points) -> np.ndarray:
    """Points (k, 3) where the solid was drawn, in its body frame."""
    return (np.asarray(points, float) - solid.centre) @ matrix(solid.orientation)


def tensor(solid: Solid) -> np.ndarray:
    """Inertia of the volume about the centre of mass, in the axes of the drawing."""
    turn = matrix(solid.orientation)
    return turn @ np.diag(solid.inertia) @ turn.T


def summed(solid: Solid) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre and inertia about it, summed over the tetrahedra between the mean of the vertices and every triangle."""
    drawn = solid.drawn()
    top = drawn.mean(axis=0)
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for a, b, c in drawn[solid.triangles] - top:
        part = float(a @ np.cross(b, c)) / 6.0
        s = a + b + c
        volume += part
        first += part * s / 4.0
        second += part / 20.0 * (np.outer(a, a) + np.outer(b, b) + np.outer(c, c) + np.outer(s, s))
    off = first / volume
    second -= volume * np.outer(off, off)
    return volume, top + off, np.trace(second) * np.eye(3) - second


# --- mass ------------------------------------------------------------------------------------------------------------


def test_box_and_tetrahedron_weigh_what_the_closed_forms_say():
    box = cuboid((1.0, 2.0, 3.0), 0.0)
    assert box.sharp and box.radius == 0.0 and box.mass_error == 0.0 and box.piece.size == 0
    assert box.volume == pytest.approx(6.0, rel=1e-15)
    assert box.inertia == pytest.approx([0.5 * (4 + 9), 0.5 * (1 + 9), 0.5 * (1 + 4)], rel=1e-15)
    assert box.reach == pytest.approx(0.5 * math.sqrt(14.0), rel=1e-15) and box.thickness == pytest.approx(1.0, rel=1e-14)
    regular = tetrahedron(2.0, 0.0)
    assert regular.volume == pytest.approx(8.0 / (6.0 * math.sqrt(2.0)), rel=2e-15)
    assert regular.inertia == pytest.approx([regular.volume * 4.0 / 20.0] * 3, rel=2e-15)
    corner = hull([(0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 4)])
    assert corner.volume == pytest.approx(4.0, rel=2e-15) and corner.centre == pytest.approx([0.5, 0.75, 1.0], rel=2e-15)
    assert tensor(corner)[0, 0] == pytest.approx(4.0 * 3.0 / 80.0 * (9 + 16), rel=4e-15)
    assert tensor(corner)[0, 1] == pytest.approx(4.0 / 80.0 * 2 * 3, rel=1e-14)


def test_any_hull_weighs_what_its_tetrahedra_do():
    rng = np.random.default_rng(2)
    for solid in [hull(rng.normal(size=(15, 3)) + 7.0), ellipsoid_grain(seed=rng), prism([(0, 0), (3, 0), (2, 1)], 2.0, 0.0)]:
        volume, centre, inertia = summed(solid)
        assert solid.volume == pytest.approx(volume, rel=1e-13)
        assert solid.centre == pytest.approx(centre, rel=1e-12, abs=1e-13 * solid.reach)
        assert tensor(solid) == pytest.approx(inertia, rel=1e-11, abs=1e-13 * inertia.max())


def test_a_little_rounding_changes_little():
    """Steiner's formula goes over into the sharp solid."""
    points = np.random.default_rng(5).normal(size=(12, 3))
    sharp, almost = hull(points), hull(points, 1e-9)
    assert almost.volume == pytest.approx(sharp.volume, rel=1e-8) and almost.volume > sharp.volume
    assert almost.inertia == pytest.approx(sharp.inertia, rel=1e-7)


# --- what a sharp solid can ------------------------------------------------------------------------------------------


def test_coplanar_triangles_are_one_face():
    halves = [half for a, b, c, d in CUBE for half in ((a, b, c), (a, c, d))]
    for solid in (mesh(CORNERS, halves, 0.0), hull([*CORNERS, (0.5, 0.5, 0.5), (0.5, 0.5, 1.0)], -0.0), prism(ELL[:3], 1.0, 0.0)):
        assert solid.sharp and len(solid.vertices) - len(solid.edges) + len(solid.faces) == 2
    assert [len(loop) for loop in mesh(CORNERS, halves, 0.0).faces] == [4] * 6


def test_inside_and_on_the_surface():
    box = cuboid((2.0, 2.0, 2.0), 0.0)
    assert box.contains([(0, 0, 0), (1, 1, 1), (1, 0.3, -0.7), (1.0 + 1e-9, 0, 0), (0.9, 0.9, 1.1)]).tolist() == [
        True, True, True, False, False,
    ]  # fmt: skip
    grid = np.array([*itertools.product(np.linspace(-2.1, 2.1, 14), repeat=3)])
    stone = hull(np.random.default_rng(3).normal(size=(20, 3)))
    rounded = hull(stone.drawn(), 1e-6)
    assert np.array_equal(stone.contains(grid), rounded.contains(grid)) and 0.05 < stone.contains(grid).mean() < 0.9


def test_copies_keep_what_they_are():
    wall = floor_with_rim((1.0, 2.0), 0.5, 0.1)
    for copy, factor in ((wall.scaled(2.0), 2.0), (wall.with_volume(8.0 * wall.volume), 2.0)):
        assert copy.sharp and np.array_equal(copy.piece, wall.piece)
        assert copy.vertices == pytest.approx(factor * wall.vertices) and copy.piece_count == 5
    there = wall.moved((0.3, 0.0, 0.0)).moved((1.0, 2.0, 3.0), about((0, 0, 1), 0.5 * math.pi))
    turned = (wall.drawn() + np.array([0.3, 0.0, 0.0])) @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    assert there.drawn() == pytest.approx(turned + np.array([1.0, 2.0, 3.0]), abs=1e-14)
    assert there.volume == wall.volume and np.array_equal(there.inertia, wall.inertia)
    with pytest.raises(ShapeError, match=r"moved to a place \(x, y, z\) by a turn"):
        wall.moved((1.0, 2.0))
    with pytest.raises(ShapeError, match="a quaternion of length 1"):
        wall.moved((1.0, 2.0, 3.0), (1.0, 1.0, 0.0, 0.0))


def test_the_report_says_sharp_and_warns_of_no_rounding():
    lines = describe_solid(cuboid((1.0, 1.0, 0.001), 0.0))
    assert "radius      0   (sharp)" in lines and not any("warning" in line for line in lines)
    assert describe_solid(floor_with_rim((1, 1), 0.5, 0.1))[1:3] == [
        "skeleton    5 convex pieces, 40 vertices, 60 edges, 30 faces", "radius      0   (sharp)",
    ]  # fmt: skip


# --- pieces ----------------------------------------------------------------------------------------------------------


def test_pieces_are_put_together_where_they_were_drawn():
    one, two = hull(CORNERS), hull(np.array(CORNERS) * (1.0, 1.0, 2.0) + (1.0, 0.0, 0.0))
    both = pieces([one, two], name="step")
    assert both.name == "step" and both.sharp and both.piece.tolist() == [0] * 6 + [1] * 6
    assert both.drawn() == pytest.approx(np.concatenate([one.drawn(), two.drawn()]), abs=1e-14)
    assert both.volume == pytest.approx(3.0) and both.centre == pytest.approx([(0.5 + 2.0 * 1.5) / 3.0, 0.5, 2.5 / 3.0])
    assert both.is_closed and len(both.edges) == 24 and len(np.unique(both.edges)) == 16
    for k, (vertices, edges, loops) in enumerate(both.parts()):
        assert len(vertices) == 8 and len(edges) == 12 and len(loops) == 6
        assert vertices == pytest.approx(both.vertices[8 * k : 8 * k + 8])
        sides = np.linalg.norm(vertices[edges[:, 0]] - vertices[edges[:, 1]], axis=1)
        assert sides.sum() == pytest.approx(12.0 + 4.0 * k)
    # the same as one solid, which it is
    whole = prism([(0, 0), (0, 2), (-2, 2), (-2, 1), (-1, 1), (-1, 0)], 1.0, 1e-6)  # an L, turned below
    assert sorted(both.inertia) == pytest.approx(sorted(whole.inertia), rel=1e-3)
    assert both.contains(in_body(both, [(0.5, 0.5, 0.5), (1.5, 0.5, 1.9), (0.5, 0.5, 1.5)])).tolist() == [True, True, False]
    assert both.thickness == pytest.approx(1.0)


def test_what_lies_in_two_pieces_is_inside_and_counts_twice():
    both = pieces([hull(CORNERS), hull(CORNERS).moved((0.5, 0.0, 0.0))])
    assert both.volume == pytest.approx(2.0)
    assert both.contains(in_body(both, [(0.75, 0.5, 0.5), (0.25, 0.5, 0.5), (1.75, 0.5, 0.5)])).tolist() == [True, True, False]


def test_pieces_of_pieces_are_counted_on_and_a_single_one_is_a_plain_solid():
    rim = floor_with_rim((1.0, 1.0), 0.2, 0.1)
    more = pieces([cuboid(0.1, 0.0), rim, tetrahedron(0.1, 0.0)])
    assert more.piece_count == 7 and more.piece.tolist() == [0] * 6 + (rim.piece + 1).tolist() + [6] * 4
    alone = pieces([hull(CORNERS)])
    assert alone.piece.size == 0 and alone.piece_count == 1 and alone.volume == pytest.approx(1.0)


REFUSED = {
    "sphere": (lambda: sphere(0.0), "A sphere with sphero-radius 0 is a point: give it a positive radius; sharp are closed"),
    "capsule": (lambda: capsule(1.0, 0.0), "A capsule with sphero-radius 0 is a line"),
    "plate": (lambda: plate([(0, 0, 0), (1, 0, 0), (0, 1, 0)], 0.0), "A plate with sphero-radius 0 is a plane without volume"),
    "clump": (lambda: sphere_clump([(0, 0, 0), (1, 0, 0)], 0.0), "A clump with sphero-radius 0 is a number of points"),
    "shell": (lambda: shell(CORNERS, CUBE, 0.0), "A shell with sphero-radius 0 is a surface without volume"),
    "an L": (lambda: prism(ELL, 1.0, 0.0), "This prism is not convex, which a sharp solid .* has to be: give it a positive"),
    "a cross": (lambda: cross(1.0, 1.0, 0.0), "This cross is not convex"),
    "a mug": (lambda: mug(1.0, 0.9, 0.1, 0.0), "This mug is not convex"),
    "negative": (lambda: hull(CORNERS, -0.1), "The sphero-radius must be positive and finite, or 0 for a sharp solid, not -0.1"),
    "no number": (lambda: cuboid(1.0, "no"), "The sphero-radius must be a number, not 'no'"),
    "infinite": (lambda: mesh(CORNERS, CUBE, math.inf), "must be positive and finite, or 0 for a sharp solid, not inf"),
    "no pieces": (lambda: pieces([]), "This pieces has no pieces: give one sharp solid at least"),
    "no list": (lambda: pieces(hull(CORNERS)), "The pieces must be a list of sharp solids, not one Solid"),
    "no solid": (lambda: pieces([hull(CORNERS), 3]), "Piece 1 of this pieces is not a solid, but of type int"),
    "a rounded piece": (lambda: pieces([cuboid(1.0, 0.1)], name="wall"), r"Piece 0 of this wall, cuboid, is rounded .*0\.1"),
    "no axes": (lambda: ellipsoid_grain((1.0, 2.0)), r"The half axes of an ellipsoid grain are three numbers, not"),
    "an axis of nothing": (lambda: ellipsoid_grain((1.0, 2.0, 0.0)), "Each half axis of an ellipsoid grain must be positive"),
    "three corners": (lambda: ellipsoid_grain(corners=3), "corners of an ellipsoid grain is a whole number of at least 4, not 3"),
    "no seed": (lambda: ellipsoid_grain(seed=-1), "The seed of an ellipsoid grain is a whole number from 0 on"),
    "a floor of three sides": (lambda: floor_with_rim((1, 2, 3), 1, 1), "The sides of a floor with rim are two numbers"),
    "two staves": (lambda: sharp_drum(1, 1, 2, 0.1), "The number of sides of a sharp drum is a whole number of at least 3"),
    "a wall of nothing": (lambda: sharp_drum(1, 1, 8, 0.0), "The wall of a sharp drum must be positive"),
    "a funnel upside down": (lambda: sharp_hopper(1, 0.5, 1, 0.1), r"The top of a sharp hopper, 0\.5, must be wider than its op"),
    "a bin below": (lambda: sharp_hopper(1, 2, 1, 0.1, bin_height=-1), "The bin of a sharp hopper is a height, 0 for none"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_are_one_sentence(name):
    make, words = REFUSED[name]
    with pytest.raises(ShapeError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


# --- forms -----------------------------------------------------------------------------------------------------------


def test_grains_on_an_ellipsoid():
    rng = np.random.default_rng(7)
    grains = [ellipsoid_grain(seed=rng) for _ in range(20)]
    axes = np.array([8e-3, 7e-3, 6e-3])
    for grain in grains:
        assert (len(grain.vertices), len(grain.edges), len(grain.faces)) == (12, 30, 20) and grain.sharp
        on = grain.drawn() / axes
        assert (on * on).sum(axis=1) == pytest.approx(np.ones(12), rel=1e-13)
        assert np.linalg.norm(grain.centre / axes) <= OFF
        ball = hull(on)
        corners = ball.vertices[ball.triangles]
        sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
        twice = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        assert (twice / sides.max(axis=1)).min() >= NEEDLE / 12
    part = np.mean([grain.volume for grain in grains]) / (4.0 / 3.0 * math.pi * axes.prod())
    assert 0.33 < part < 0.42, "0.37 on the average"
    assert np.array_equal(ellipsoid_grain(seed=4).vertices, ellipsoid_grain(seed=4).vertices)
    assert not np.array_equal(ellipsoid_grain(seed=4).vertices, ellipsoid_grain(seed=5).vertices)
    assert len(ellipsoid_grain((1, 1, 1), corners=30, seed=1).vertices) == 30


def box_room(x):
    """Inside the rims of the floor below, and above it."""
    return (np.abs(x[:, 0]) < 0.5) & (np.abs(x[:, 1]) < 1.0) & (x[:, 2] > 0.0)


def drum_room(x):
    """Inside the drum below."""
    angles = 2.0 * np.pi * np.arange(7) / 7
    return (x[:, [0]] * np.sin(angles) + x[:, [2]] * np.cos(angles) < 1.0).all(axis=1) & (np.abs(x[:, 1]) < 0.25)


def hopper_room(x):
    """Inside the hoppers below: six sides, from 0.2 wide to 1 over a height of 0.8, then upright."""
    angles = 2.0 * np.pi * np.arange(6) / 6
    half = np.where(x[:, 2] < 0.8, 0.1 + 0.5 * x[:, 2], 0.5)
    across = x[:, [0]] * np.cos(angles) + x[:, [1]] * np.sin(angles)
    return (across < half[:, None]).all(axis=1) & (x[:, 2] > 0.0)


WALLS = {
    "floor": (lambda: floor_with_rim((1.0, 2.0), 0.5, 0.1), box_room, 5),
    "drum": (lambda: sharp_drum(1.0, 0.5, 7, 0.1), drum_room, 9),
    "funnel": (lambda: sharp_hopper(0.2, 1.0, 0.8, 0.1, sides=6), hopper_room, 6),
    "hopper": (lambda: sharp_hopper(0.2, 1.0, 0.8, 0.1, sides=6, bin_height=0.3), hopper_room, 12),
}


@pytest.mark.parametrize("name", WALLS)
def test_walls_leave_the_room_free_and_have_no_gap_around_it(name):
    make, room, count = WALLS[name]
    wall = make()
    assert wall.piece_count == count and 0.05 < wall.thickness < 0.1 + 1e-12 and wall.sharp
    drawn = wall.drawn()
    rng = np.random.default_rng(1)
    x = drawn.min(axis=0) + rng.random((20000, 3)) * np.ptp(drawn, axis=0)
    inner = x[room(x)]
    assert len(inner) > 2000 and not wall.contains(in_body(wall, inner)).any()
    # what presses out of the room by a little, in any direction but through the opening or an open top, is in a wall
    low, high = (0.02 if name in ("funnel", "hopper") else -1.0), drawn[:, 2].max() - 0.02
    out = inner + 0.02 * rng.normal(size=inner.shape)
    out = out[~room(out) & (out[:, 2] > low) & (out[:, 2] < high)]
    assert len(out) > 100 and wall.contains(in_body(wall, out)).all()


@pytest.mark.parametrize("name", WALLS)
def test_in_a_corner_every_piece_goes_on_behind_its_neighbours(name):
    """What has pressed into several pieces at once, none deeper than a little, is in each that it lies behind the face of."""
    make, room, _ = WALLS[name]
    wall, deep = make(), 0.02
    drawn, rng = wall.drawn(), np.random.default_rng(2)
    x = drawn.min(axis=0) + rng.random((60_000, 3)) * np.ptp(drawn, axis=0)
    x = x[(x[:, 2] < drawn[:, 2].max() - 0.05) & (x[:, 2] > (0.05 if name in ("funnel", "hopper") else -1.0))]  # what is open
    inner, near = in_body(wall, x[room(x)]), in_body(wall, x)
    held, depth = [], []
    for vertices, _, loops in wall.parts():
        planes = [(vertices[loop].mean(axis=0), np.cross(*np.diff(vertices[loop[:3]], axis=0))) for loop in loops]
        behind = [(at, normal / np.linalg.norm(normal)) for at, normal in planes]
        # its inner face: the one that the whole room lies before, and touches
        lows = [float(((inner - at) @ normal).min()) for at, normal in behind]
        at, normal = behind[min((k for k, low in enumerate(lows) if low > -1e-9), key=lambda k: lows[k])]
        depth.append((at - near) @ normal)
        held.append(np.all([(near - at) @ normal <= 1e-12 for at, normal in behind], axis=0))
    into = np.array(depth)
    shared = ((into > 0.0).sum(axis=0) >= 2) & (into < deep).all(axis=0)
    assert shared.sum() > 10
    assert np.array_equal(np.array(held)[:, shared], (into > 0.0)[:, shared])


def test_without_ends_a_drum_is_a_pipe():
    pipe = sharp_drum(1.0, 0.5, 12, 0.1, ends=False)
    assert pipe.piece_count == 12 and np.ptp(pipe.drawn()[:, 1]) == pytest.approx(0.5)
    assert np.ptp(sharp_drum(1.0, 0.5, 12, 0.1).drawn()[:, 1]) == pytest.approx(0.7)


# --- scenes ----------------------------------------------------------------------------------------------------------


def test_a_scene_is_sharp_or_rounded():
    sharp, rounded = Scene3D(law=OverlapVolume(1e6)), Scene3D(law=Linear(1e6))
    assert sharp.sharp and not rounded.sharp and Scene3D(law=OverlapEnergy(1e6)).sharp
    box, brick = cuboid(1.0, 0.0), cuboid(1.0, 0.1, name="brick")
    sharp.add(box, (0, 0, 0), density=2.0)
    sharp.add_wall(floor_with_rim((9.0, 9.0), 1.0, 0.5))
    rounded.add(brick, (0, 0, 0))
    assert sharp.bodies[0].mass == pytest.approx(2.0) and sharp.bodies[1].big
    with pytest.raises(
        SceneError, match=r"body 2: brick is rounded \(sphero-radius 0\.1\), but the law OverlapVolume .* do not mix"
    ):
        sharp.add(brick, (5, 0, 0))
    with pytest.raises(SceneError, match=r"body 1: cuboid is sharp \(sphero-radius 0\), but the law Linear acts between rounded"):
        rounded.add_wall(box)
    with pytest.raises(SceneError, match="body 2: floor with rim has 5 pieces, and only big bodies may"):
        sharp.add(floor_with_rim((1.0, 1.0), 1.0, 0.5), (5, 0, 0))
    assert len(sharp) == 2 and len(rounded) == 1, "nothing of what was refused is left"
    with pytest.raises(SceneError, match="of another kind than the scene's"):
        sharp.set_law("grain", "wall", Linear(1e6))
    sharp.set_law("grain", "wall", OverlapVolume(2e6))


def test_the_plane_takes_no_law_of_volumes():
    with pytest.raises(
        SceneError, match="the law OverlapVolume acts by the volume of the overlap of sharp solids, and this scene"
    ):
        Scene(law=OverlapVolume(1e6))


# --- files and pictures ----------------------------------------------------------------------------------------------


def test_a_sharp_solid_and_its_pieces_in_a_file(tmp_path):
    wall = sharp_hopper(0.2, 1.0, 0.8, 0.1, bin_height=0.3)
    for solid in (wall, hull(np.random.default_rng(1).normal(size=(9, 3)), name="stone")):
        again = load_solid(save_solid(solid, tmp_path / f"{solid.name}.json"))
        assert again.sharp and again.name == solid.name and np.array_equal(again.piece, solid.piece)
        assert again.volume == pytest.approx(solid.volume, rel=1e-12) and again.inertia == pytest.approx(solid.inertia, rel=1e-9)
        assert again.drawn() == pytest.approx(solid.drawn(), abs=1e-12)
    kept = json.loads((tmp_path / "sharp hopper.json").read_text())
    for change, words in [
        ({"piece": kept["piece"][:-1]}, '"piece" names a piece for each of the 64 "faces", not for 63'),
        ({"piece": [2 * k for k in kept["piece"]]}, 'The numbers in "piece" begin at 0, and none is left out'),
        ({"hollow": True}, '"piece"s is not "hollow"'),
        ({"radius": 0.1}, "Piece 0 of this sharp hopper, sharp hopper, is rounded"),
        ({"piece": kept["piece"][:-1], "faces": kept["faces"][:-1]}, "Piece 7: The surface of this sharp hopper is open"),
        ({"piece": [*kept["piece"][:-1], "7"]}, "the key \"piece\", face 63 must be a whole number, not '7'"),
        ({"radius": -0.5}, 'the key "radius" must be positive, or 0 for a sharp solid, not -0.5'),
    ]:
        (tmp_path / "spoilt.json").write_text(json.dumps(kept | change))
        with pytest.raises(ShapeError) as caught:
            load_solid(tmp_path / "spoilt.json")
        assert words in str(caught.value)


def test_a_convex_mesh_file_is_sharp(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    turned = trimesh.creation.box((10.0, 20.0, 30.0))
    turned.apply_transform(trimesh.transformations.rotation_matrix(0.7, (1.0, 2.0, 3.0)))
    turned.export(tmp_path / "box.stl")  # in four bytes a number: its faces are not quite plane
    grain = read_mesh(tmp_path / "box.stl", radius=0.0, scale=0.1)
    assert grain.solid.sharp and len(grain.solid.vertices) == 8 and grain.solid.volume == pytest.approx(6.0, rel=1e-6)
    assert grain.misfit.outward < 1e-6 and grain.misfit.back < 1e-6
    ball = trimesh.creation.icosphere(2, 1.0)
    ball.export(tmp_path / "ball.ply")
    with pytest.raises(ShapeError, match="A sharp solid keeps all 162 vertices of its mesh, more than the 100 it may have"):
        read_mesh(tmp_path / "ball.ply", radius=0.0, scale=1.0, vertices=100)
    trimesh.creation.annulus(0.5, 1.0, 1.0, sections=8).export(tmp_path / "ring.ply")
    with pytest.raises(ShapeError, match=r"ring\.ply: The mesh is not convex, which a sharp solid"):
        read_mesh(tmp_path / "ring.ply", radius=0.0, scale=1.0)


def sharp_scene() -> Scene3D:
    """A floor with a rim (body 0) and three grains in it."""
    scene = Scene3D(law=OverlapVolume(1e6), gravity=(0.0, 0.0, -10.0))
    scene.add_wall(floor_with_rim((4.0, 4.0), 1.0, 0.5))
    scene.add(cuboid((1.0, 0.8, 0.6), 0.0), (-1.0, 0.0, 1.0), orientation=about((1, 1, 0), 0.4))
    scene.add(ellipsoid_grain((0.5, 0.4, 0.3), seed=2), (1.0, 0.0, 1.0))
    scene.add(tetrahedron(0.8, 0.0), (0.0, 1.0, 1.0))
    return scene


def test_sharp_solids_read_back_to_the_same_bits(tmp_path):
    scene = sharp_scene()
    found = run_solids(stored_run(tmp_path / "run", scene, [{}]))
    for body, again in zip(scene.bodies, found, strict=True):
        solid = body.shape
        assert again.sharp and np.array_equal(again.piece, solid.piece) and again.piece_count == solid.piece_count
        assert np.array_equal(again.vertices, solid.vertices) and np.array_equal(again.edges, solid.edges)
        assert all(np.array_equal(a, b) for a, b in zip(again.faces, solid.faces, strict=True))
    # what older versions wrote has no pieces, and what has none is written as it was
    plain = solid_arrays([cuboid(1.0, 0.1), hull(CORNERS)])
    assert "shape_piece" not in plain and "shape_piece" in solid_arrays([hull(CORNERS), found[0]])


def test_the_surface_of_a_sharp_solid_is_its_faces(tmp_path):
    solid = hull(np.random.default_rng(4).normal(size=(14, 3)))
    for quality in (1, 8):
        skin = surface(solid, quality)
        corners = skin.points[skin.triangles]
        area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        assert float((corners[:, 0] * area).sum()) / 6.0 == pytest.approx(solid.volume, rel=1e-13)
        flat = area / np.linalg.norm(area, axis=1)[:, None]
        assert skin.normals[skin.triangles] == pytest.approx(np.repeat(flat[:, None], 3, axis=1), abs=1e-9), "flat shaded"
        assert len(skin.points) == sum(len(loop) for loop in solid.faces), "no rounding is drawn"
    wall = floor_with_rim((1.0, 1.0), 0.5, 0.1)
    assert len(surface(wall).triangles) == 5 * 12 and len(ridges(wall)) == 5 * 12
    run = stored_run(tmp_path / "run", sharp_scene(), [{}])
    assert [len(skin.triangles) for skin in run_surfaces(run).meshes] == [60, 12, 20, 4]


def test_sharp_runs_are_written_for_other_programs(tmp_path):
    h5py = pytest.importorskip("h5py")
    scene = sharp_scene()
    run = stored_run(tmp_path / "run", scene, [{}])
    with h5py.File(export_vtkhdf(open_run(run.folder), tmp_path / "a.vtkhdf")) as file:
        grains = file["VTKHDF"]["grains"]
        assert len(grains["Points"]) == 6 * 4 + 20 * 3 + 4 * 3
        placed = scene.bodies[3].shape.vertices + scene.bodies[3].position
        assert grains["Points"][-12:].max(axis=0) == pytest.approx(placed.max(axis=0), rel=1e-6)
    assert solid_look(scene.bodies[1].shape) == {
        "type": "ConvexPolyhedron", "rounding_radius": 0.0, "vertices": scene.bodies[1].shape.vertices.tolist()
    }  # fmt: skip
    look = solid_look(scene.bodies[0].shape)
    assert look["type"] == "Mesh" and len(look["indices"]) == 60


def test_overlaps_are_held_against_the_size_of_sharp_grains():
    result = {"overlap_share": 0.01, "steps": 3, "wall_s": 1.0}
    assert "deepest overlap 0.01 of the sphero-radius" in merit(result)
    assert "deepest overlap 0.01 of the mean radius" in merit(result | {"sharp": True})
