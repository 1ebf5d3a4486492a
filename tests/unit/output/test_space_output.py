"""Output in space: surfaces that are closed and where they should be, runs that read back, pictures that show what was stored."""

import base64
import io
import re
import sys

import numpy as np
import pytest
from PIL import Image
from solid_kinds import CONVEX, OTHER, every_kind, floor
from stored_runs import stored_run

import clast
from clast.algebra.quaternions import about, matrix, random_turns
from clast.cli.entry import run_command
from clast.errors import InputError
from clast.laws import Linear
from clast.output.export.csv import export_csv
from clast.output.figures.movie import write_movie
from clast.output.figures.notebook import run_html, scene_png, solid_png
from clast.output.figures.plane import draw_run, scene_figure
from clast.output.recording import scene_arrays
from clast.output.space import bodies as space_bodies
from clast.output.space import figures as space_figures
from clast.output.space.bodies import MeshOfBodies, run_surfaces, turns
from clast.output.space.figures import Tint, frames_figure
from clast.output.space.movie import HEADER
from clast.output.space.picture import Studio
from clast.output.space.solids import run_solids
from clast.output.space.surface import ridges, surface, triangulate
from clast.output.space.view import Camera, view_of
from clast.output.store.files import PLANE_VERSION, SPACE_VERSION
from clast.output.store.reader import open_run
from clast.output.store.writer import RunWriter
from clast.scene.plane import Scene
from clast.scene.space import Box3D, Scene3D
from clast.shapes import cuboid, disk, hull, plate, sphere

# --- surfaces --------------------------------------------------------------------------------------------------------


def volume(mesh):
    """Enclosed by a closed mesh."""
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    return float((a * np.cross(b, c)).sum()) / 6.0


def directed_sides(mesh):
    """All sides of all triangles as (from, to)."""
    return [tuple(side) for k in range(3) for side in mesh.triangles[:, [k, (k + 1) % 3]]]


@pytest.mark.parametrize("name", CONVEX)
def test_a_convex_solid_has_a_closed_surface_of_its_volume(name):
    solid = CONVEX[name]
    for quality in (1, 3, 12):
        mesh = surface(solid, quality)
        sides = directed_sides(mesh)
        assert len(set(sides)) == len(sides), "no side twice the same way round"
        assert {(b, a) for a, b in sides} == set(sides), "every side has its neighbour"
    assert volume(mesh) == pytest.approx(solid.volume, rel=0.01) and volume(mesh) < solid.volume
    coarse = solid.volume - volume(surface(solid, 6))
    assert coarse / (solid.volume - volume(mesh)) == pytest.approx(4.0, rel=0.2), "second order"


@pytest.mark.parametrize("name", [*CONVEX, *OTHER])
def test_surfaces_reach_as_far_as_the_solid_in_every_direction(name):
    solid = (CONVEX | OTHER)[name]
    mesh = surface(solid, 12)
    rng = np.random.default_rng(1)
    ways = rng.normal(size=(200, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    support = (solid.vertices @ ways.T).max(axis=0) + solid.radius
    found = (mesh.points @ ways.T).max(axis=0)
    assert (found <= support + 1e-12).all()
    assert (support - found).max() < 0.01 * solid.radius
    off = np.linalg.norm(mesh.points[:, None] - solid.vertices[None], axis=2).min(axis=1)
    if len(solid.edges):  # the balls of a clump reach into one another
        assert off.min() > (1.0 - 1e-9) * solid.radius, "no point within the ball of a vertex"


@pytest.mark.parametrize("name", [*CONVEX, *OTHER])
def test_triangles_look_outward_as_their_normals_do(name):
    mesh = surface((CONVEX | OTHER)[name], 5)
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    away = np.cross(b - a, c - a)
    assert np.linalg.norm(away, axis=1).min() > 0.0
    assert ((away * mesh.normals[mesh.triangles].mean(axis=1)).sum(axis=1) > 0.0).all()
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-12)


STAR = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
RINGS = {
    "star": np.stack([np.cos(STAR), np.sin(STAR)], axis=1) * np.where(np.arange(24) % 2, 0.4, 1.0)[:, None],
    "u": np.array([(0, 0), (4, 0), (4, 4), (3, 4), (3, 1), (1, 1), (1, 4), (0, 4)], dtype=float),
}


@pytest.mark.parametrize("name", RINGS)
def test_a_hollow_polygon_is_cut_into_triangles_that_cover_it(name):
    ring = RINGS[name]
    x, y = ring.T
    area = 0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1))
    corners = triangulate(ring)
    a, b, c = (ring[corners[:, k]] for k in range(3))
    each = 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
    assert len(corners) == len(ring) - 2 and (each > 0.0).all()
    assert each.sum() == pytest.approx(area, rel=1e-12)


def test_ridges_are_the_edges_one_sees():
    assert len(ridges(CONVEX["cuboid"])) == 12 and len(ridges(CONVEX["plate"])) == 4 and len(ridges(CONVEX["sphere"])) == 0
    turn = np.linspace(0.0, 2.0 * np.pi, 36, endpoint=False)
    drum = hull([(np.cos(t), np.sin(t), z) for t in turn for z in (0.0, 1.0)], 0.01)
    assert len(ridges(drum)) == 72, "the rims, not the lines along the mantle"


# --- the store -------------------------------------------------------------------------------------------------------


def test_solids_read_back_to_the_same_bits(tmp_path):
    scene = every_kind()
    run = stored_run(tmp_path / "run", scene, [{}])
    assert run.in_space and run.format_version == SPACE_VERSION
    solids = run_solids(run)
    for number, body in enumerate(scene.bodies):
        found, wanted = solids[run.scene["body_shape"][number]], body.shape
        for name in ("vertices", "edges", "inertia", "centre", "orientation"):
            assert getattr(found, name).tobytes() == getattr(wanted, name).tobytes()
        assert [loop.tolist() for loop in found.faces] == [loop.tolist() for loop in wanted.faces]
        for name in ("name", "radius", "volume", "reach", "hollow", "mass_error", "is_closed"):
            assert getattr(found, name) == getattr(wanted, name), name
    assert run.scene["body_inertia"].shape == (10, 3) and run.scene["body_volume"][2] == scene.bodies[2].shape.volume
    frame = clast.open(tmp_path / "run").frames[0]
    assert np.array_equal(frame.orientations, [body.orientation for body in scene.bodies])
    assert not frame.absent.any() and frame.absent.shape == (10,)


def test_a_run_in_the_plane_is_written_as_before(tmp_path):
    scene = Scene(law=Linear(1e4))
    scene.add(disk(radius=0.5), (0.0, 0.0))
    with RunWriter.create(tmp_path / "run", provenance={}, scene=scene_arrays(scene)):
        pass
    run = open_run(tmp_path / "run")
    assert not run.in_space and run.format_version == PLANE_VERSION
    assert "shape_corners" not in run.scene and run.scene["body_area"] == pytest.approx(0.25 * np.pi)


def test_a_real_run_leaves_frames_of_what_moves(tmp_path):
    scene = Scene3D(law=Linear(1e4))
    spin = np.array([0.0, 0.0, 2.0])
    scene.add(sphere(0.5), (1.0, 2.0, 3.0), velocity=(0.1, 0.2, 0.3), spin=spin)
    scene.add(sphere(0.2), (5.0, 2.0, 3.0))
    run = clast.run(scene, until=1.0, dt=1e-3, out=tmp_path / "run", frames=4, progress=clast.quiet())
    last = run.frames[-1]
    assert last.positions == pytest.approx(np.array([(1.1, 2.2, 3.3), (5.0, 2.0, 3.0)]), abs=1e-12)
    assert last.orientations[0] == pytest.approx(about((0, 0, 1), 2.0), abs=1e-9)
    assert last.velocities[0] == pytest.approx((0.1, 0.2, 0.3)) and last.spins[0] == pytest.approx(spin)
    assert len(run.contacts) == len(run.frames) == 5


def test_csv_in_space_reads_back_to_the_same_bits(tmp_path):
    rng = np.random.default_rng(7)
    scene = every_kind()
    frames = [{"positions": rng.normal(size=(10, 3)), "orientations": random_turns(rng, 10), "spins": rng.normal(size=(10, 3)),
               "present": np.array([1, 0, 1, 1, 1, 1, 1, 1, 1, 1], np.uint8)} for _ in range(2)]  # fmt: skip
    run = stored_run(tmp_path / "run", scene, frames)
    folder = export_csv(run, tmp_path / "text")

    def table(name):
        with (folder / name).open(encoding="utf-8") as file:
            names = [each.rpartition(" [")[0] or each for each in file.readline().strip().split(",")]
        return names, np.loadtxt(folder / name, delimiter=",", skiprows=1, ndmin=2, encoding="utf-8")

    names, values = table("frames/0001.csv")
    frame = run.frames[1]
    assert names == ["id", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "spin x", "spin y", "spin z", "present"]
    wanted = [np.arange(10), frame.positions, frame.orientations, frame.velocities, frame.spins, frame.present]
    assert values.tobytes() == np.column_stack(wanted).tobytes()
    names, values = table("bodies.csv")
    assert names == ["id", "shape", "mass", "inertia x", "inertia y", "inertia z", "big"]
    assert np.array_equal(values[:, 3:6], run.scene["body_inertia"])
    for number, solid in enumerate(run_solids(run)):
        names, values = table("shapes.csv")
        assert np.array_equal(values[values[:, 0] == number, 2:5], solid.vertices)
        names, values = table("edges.csv")
        assert np.array_equal(values[values[:, 0] == number, 2:4], solid.edges)
        names, values = table("faces.csv")
        mine = values[values[:, 0] == number]
        assert [mine[mine[:, 1] == k, 2].tolist() for k in range(len(solid.faces))] == [loop.tolist() for loop in solid.faces]


# --- pictures --------------------------------------------------------------------------------------------------------


def ball_scene(**given):
    """A ball of radius 0.5 and a smaller one above a floor."""
    scene = Scene3D(law=Linear(1e4), **given)
    scene.add_wall(floor(2.0))
    scene.add(sphere(0.5), (-1.0, 0.0, 1.0), velocity=(1.0, 0.0, 0.0))
    scene.add(sphere(0.3), (1.2, 0.5, 1.5))
    return scene


def is_orange(picture):
    """Where a picture shows the second colour of ids, lit or in shadow."""
    red, green, blue = (picture[:, :, k].astype(int) for k in range(3))
    return (red - blue > 60) & (red > green + 15)


def test_a_ball_is_seen_where_it_is_and_as_large_as_it_is(tmp_path):
    run = stored_run(tmp_path / "run", ball_scene(), [{}])
    bodies = run_surfaces(run)
    camera = Camera.towards(*view_of(run, bodies, [0]), run.scene["gravity"], 300, 1.2, 20)
    frame = run.frames[0]
    studio = Studio(bodies, camera)
    colours = Tint("id").fixed(3)
    shown = studio.draw(frame.positions, turns(frame), colours)
    hidden = studio.draw(frame.positions, turns(frame), colours, absent=np.array([False, True, False]))
    moved = studio.draw(frame.positions + np.array([0.5, 0.0, 0.0]), turns(frame), colours)
    studio.close()
    assert shown.shape == (camera.height, 300, 3) and (shown[0] == 255).all(), "a light background"
    rows, columns = np.nonzero(is_orange(shown))  # body 1 has the second colour
    at = camera.pixels(frame.positions[1])
    assert [columns.mean(), rows.mean()] == pytest.approx(at, abs=1.5)
    assert np.ptp(columns) + 1 == pytest.approx(2.0 * 0.5 * camera.scale, abs=2.5)
    assert not is_orange(hidden).any()
    rows, columns = np.nonzero(is_orange(moved))
    assert [columns.mean(), rows.mean()] == pytest.approx(camera.pixels(frame.positions[1] + (0.5, 0.0, 0.0)), abs=1.5)


def test_one_sees_through_a_wall(tmp_path):
    scene = ball_scene()
    scene.add_wall(plate([(-2, -1.5, 0.2), (2, -1.5, 0.2), (2, -1.5, 2.6), (-2, -1.5, 2.6)], 0.05))  # between eye and balls
    run = stored_run(tmp_path / "run", scene, [{}])
    bodies = run_surfaces(run)
    camera = Camera.towards(np.full(3, -2.2), np.full(3, 2.7), np.zeros(3), 300, 1.2, 10)
    frame = run.frames[0]
    studio = Studio(bodies, camera)
    shown = studio.draw(frame.positions, turns(frame), Tint("id").fixed(4))
    studio.close()
    column, row = np.rint(camera.pixels(frame.positions[1])).astype(int)
    assert is_orange(shown[row : row + 1, column : column + 1]).all()
    column, row = np.rint(camera.pixels(np.array([1.7, -1.5, 2.4]))).astype(int)
    assert 150 < shown[row, column].min() < 250, "but the wall is there"


def test_a_picture_is_taken_of_all_grains_but_not_of_lost_ones(tmp_path):
    scene = ball_scene(gravity=(0.0, 0.0, -10.0))
    far = np.array([body.position for body in scene.bodies])
    far[2] = (1.2, 0.5, -500.0)
    run = stored_run(tmp_path / "run", scene, [{}, {"positions": far}])
    low, high = view_of(run, run_surfaces(run), [0, 1])
    assert low[2] > -3.0 and high[2] > 1.75
    camera = Camera.towards(low, high, run.scene["gravity"], 400, 1.2, 30)
    corners = camera.pixels(np.array([low, high, (low[0], low[1], high[2]), (high[0], high[1], low[2])]))
    assert (corners > 0.0).all() and (corners < [400, camera.height]).all()
    assert camera.height <= 1.2 * 400 + 2
    up = camera.pixels(camera.middle + np.array([0.0, 0.0, 1.0])) - camera.pixels(camera.middle)
    assert abs(up[0]) < 1e-9 and up[1] < 0.0, "z goes up in the picture"


@pytest.mark.parametrize("gravity, up", [((0, 0, 0), (0, 0, 1)), ((0, -9.8, 0), (0, 1, 0)), ((3.0, 0, -1.0), (-1, 0, 0))])
def test_up_is_where_nothing_falls_to(gravity, up):
    camera = Camera.towards(np.zeros(3), np.ones(3), np.array(gravity), 300, 2.0, 10)
    shown = camera.pixels(camera.middle + np.array(up)) - camera.pixels(camera.middle)
    assert abs(shown[0]) < 1e-9 and shown[1] < 0.0
    for axis, start, _ in camera.rims():
        end = start.copy()
        end[axis] = 1.0 - start[axis]
        assert set(np.abs(start)) | set(np.abs(end)) <= {0.0, 1.0}
    assert sorted(axis for axis, _, _ in camera.rims()) == [0, 1, 2]


def test_grains_are_put_back_into_a_periodic_box(tmp_path):
    scene = Scene3D(law=Linear(1e4), box=Box3D(4.0, 0.0, 4.0))
    scene.add(sphere(0.5), (1.0, 1.0, 1.0))
    run = stored_run(tmp_path / "run", scene, [{"positions": np.array([[9.5, 9.5, -0.5]])}])
    bodies = run_surfaces(run)
    assert bodies.inside(run.frames[0].positions) == pytest.approx(np.array([[1.5, 9.5, 3.5]]))
    low, high = view_of(run, bodies, [0])
    assert low[0] == 0.0 and high[0] == 4.0 and high[2] == 4.0 and high[1] > 9.9


def test_many_bodies_are_drawn_coarser():
    scene = every_kind()
    fine = space_bodies.scene_surfaces(scene)
    solids = [body.shape for body in scene.bodies]
    few = space_bodies.solid_surfaces(solids, np.arange(10), fine.big, fine.period, 100)
    assert sum(len(mesh.points) for mesh in few.meshes) < 0.3 * sum(len(mesh.points) for mesh in fine.meshes)


def test_a_crowd_is_every_body_turned_and_moved():
    scene = every_kind()
    bodies = space_bodies.scene_surfaces(scene)
    mesh = MeshOfBodies(bodies, np.array([5, 2, 3]))
    places = np.array([body.position for body in scene.bodies])
    orientations = np.array([body.orientation for body in scene.bodies])
    points, normals = mesh.points(places, orientations), mesh.normals(orientations)
    for number in (2, 3, 5):
        body, mine = scene.bodies[number], mesh.owners == number
        wanted = bodies.meshes[bodies.shape[number]].points @ matrix(body.orientation).T + body.position
        assert points[mine] == pytest.approx(wanted, abs=1e-12)
        assert points[mine] - body.shape.radius * normals[mine] == pytest.approx(
            np.array([min(places[number] + body.turned_vertices(), key=lambda v, p=p, n=n, r=body.shape.radius:
                          np.linalg.norm(v - p + r * n)) for p, n in zip(points[mine], normals[mine], strict=True)]), abs=1e-9
        )  # fmt: skip
    assert set(mesh.owners) == {2, 3, 5}
    assert (np.ptp(mesh.owners[mesh.triangles], axis=1) == 0).all(), "no triangle between two bodies"


def test_figures_of_a_run_and_a_scene(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(space_figures, "WIDTH", 400)
    scene = every_kind(gravity=(0.0, 0.0, -10.0))
    later = np.array([body.position for body in scene.bodies])
    later[1:] += 0.5
    run = stored_run(tmp_path / "run", scene, [{}, {"positions": later}])
    figure = run.plot(0, -1)
    assert [axes.get_title() for axes in figure.axes[:2]] == ["t = 0", "t = 0.1"]
    assert figure.axes[2].get_ylabel() == "speed [length/time]"
    written = {text.get_text() for text in figure.axes[0].texts}
    assert {"x", "y", "z", "0"} <= written
    assert [path.name for path in draw_run(run)] == ["frames.png", "energy.png"]
    with Image.open(tmp_path / "run" / "frames.png") as file:
        pixels = np.asarray(file.convert("RGB")).astype(int)
    assert (np.ptp(pixels, axis=2) > 40).mean() > 0.05, "there is colour in it"
    with Image.open(io.BytesIO(scene_png(scene))) as file:
        assert file.size[0] > 300
    with Image.open(io.BytesIO(solid_png(CONVEX["cuboid"]))) as file:
        pixels = np.asarray(file.convert("RGB")).astype(int)
    assert (pixels[:, :, 2] - pixels[:, :, 0] > 40).mean() > 0.1, "blue, as a shape of the plane is"
    assert len(base64.b64decode(re.search(r"base64,([^\"]+)", run_html(run))[1])) > 10_000
    assert capfd.readouterr().err == "", "no word of a missing window system"


def test_grains_of_sources_are_not_there_yet(monkeypatch):
    monkeypatch.setattr(space_figures, "WIDTH", 200)
    scene = ball_scene()
    before = scene_png(scene)
    scene.source(sphere(0.5), (0.0, 0.0, 9.0), (0.0, 0.0, 9.0), count=3)
    assert scene_png(scene) == before


def test_what_does_not_move_is_told_apart_by_id(tmp_path):
    scene = ball_scene()
    still = {"velocities": np.zeros((3, 3))}
    run = stored_run(tmp_path / "run", scene, [still, still])
    assert Tint.of(run, "speed", [0, 1]).quantity == "id"
    assert len(np.unique(Tint("id").fixed(10), axis=0)) == 10 and len(np.unique(Tint("none").fixed(10), axis=0)) == 1
    assert len(frames_figure(run, [0]).axes) == 1, "no scale of speeds"


def test_a_movie_follows_a_ball(tmp_path):
    scene = ball_scene()
    start = np.array([body.position for body in scene.bodies])
    frames = [{"positions": start + np.array([[0, 0, 0], [0.7 * k, 0, 0], [0, 0, 0]])} for k in range(3)]
    run = stored_run(tmp_path / "run", scene, frames)
    path = write_movie(run, width=301, fps=20.0, color="id")
    with Image.open(path) as file:
        assert file.n_frames == 3 and file.info["duration"] == 50 and file.size[0] == 300
        seen = []
        for k in range(3):
            file.seek(k)
            seen.append(np.asarray(file.convert("RGB")))
    assert (seen[0][HEADER + 2 : HEADER + 10, 2:10] == 255).all(), "white stays white"
    columns = [np.nonzero(is_orange(each[HEADER:]))[1].mean() for each in seen]
    assert columns[1] - columns[0] == pytest.approx(columns[2] - columns[1], abs=1.5) and columns[1] - columns[0] > 10.0
    left = [each[:HEADER, :150].astype(int) for each in seen]
    assert left[0].min() < 100 and (left[0] != left[1]).any(), "the time"
    film = write_movie(run, kind="mp4", width=301, every=2, color="speed")
    import imageio_ffmpeg

    assert imageio_ffmpeg.count_frames_and_secs(film)[0] == 2
    with pytest.raises(InputError, match="speed, spin, none, id, not 'mass'"):
        write_movie(run, color="mass")


def test_without_pyvista_a_picture_is_refused_in_one_sentence(tmp_path, monkeypatch):
    run = stored_run(tmp_path / "run", ball_scene(), [{}])
    monkeypatch.setitem(sys.modules, "pyvista", None)
    for draw in (lambda: run.plot(), lambda: write_movie(run), lambda: scene_figure(ball_scene())):
        with pytest.raises(InputError, match=r'pip install "clast\[view\]"'):
            draw()
    assert not (tmp_path / "run" / "movie.gif").exists()


def test_commands_in_space(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(space_figures, "WIDTH", 300)
    scene = Scene3D(law=Linear(1e4))
    scene.add(cuboid((1.0, 1.0, 1.0), 0.1), (0.0, 0.0, 0.0), velocity=(1.0, 0.0, 0.0))
    stored_run(tmp_path / "run", scene, [{}, {}])
    folder = str(tmp_path / "run")
    for words, told in (
        (["figure", folder], "run/frames.png"),
        (["movie", folder, "--width", "200", "--color", "id", "--quiet"], "run/movie.gif"),
        (["export", folder], "run/csv"),
        (["export", folder, "--to", "vtkhdf"], "run/frames.vtkhdf"),
        (["export", folder, "--to", "gsd"], "run/frames.gsd"),
    ):
        assert run_command(words) == 0
        assert told in capsys.readouterr().out
        assert (tmp_path / told).exists()
    assert run_command(["export", folder, "--to", "xml"]) == 2
    assert "choose csv, vtkhdf, gsd" in capsys.readouterr().err
