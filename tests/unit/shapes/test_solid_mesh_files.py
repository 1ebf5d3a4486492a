"""Grains from STL, OBJ and PLY files: what is read, how far the grain is from it, and what is refused with which words."""

import sys

import numpy as np
import pytest

from clast.algebra.quaternions import matrix
from clast.errors import InputError, ShapeError
from clast.shapes import cuboid, read_mesh
from clast.shapes.space.meshes.misfit import distance_to_triangles, mesh_volume
from clast.shapes.space.meshes.simplify import moved_in

trimesh = pytest.importorskip("trimesh")


def exported(folder, name, mesh):
    mesh.export(folder / name)
    return folder / name


def box(**changes):
    """A box of 10 × 20 × 30 units, finely meshed; `changes` replace its faces."""
    mesh = trimesh.creation.box((10.0, 20.0, 30.0)).subdivide().subdivide()
    if "faces" in changes:
        mesh = trimesh.Trimesh(mesh.vertices, changes["faces"](np.array(mesh.faces)), process=False)
    return mesh


@pytest.mark.parametrize("kind", ["stl", "obj", "ply"])
def test_a_box_keeps_its_size_and_its_flat_sides(tmp_path, kind):
    grain = read_mesh(exported(tmp_path, f"brick.{kind}", box()), radius=1e-3, scale=1e-3)
    solid = grain.solid
    assert (solid.name, len(solid.vertices), len(solid.faces)) == ("brick", 8, 6)
    assert np.ptp(solid.drawn(), axis=0) + 2e-3 == pytest.approx([0.010, 0.020, 0.030])
    assert solid.volume == pytest.approx(cuboid((0.008, 0.018, 0.028), 1e-3).volume)
    exact = solid.volume / 6e-6 - 1.0
    corner = (3.0**0.5 - 1.0) * 1e-3 / 0.030  # where the ball does not reach
    assert grain.misfit.volume == pytest.approx(exact)
    assert grain.misfit.back == pytest.approx(corner, rel=1e-6)
    assert 0.0 < grain.misfit.outward < corner


def test_the_scale_is_asked_for_and_told(tmp_path):
    path = exported(tmp_path, "brick.stl", box())
    with pytest.raises(TypeError, match="scale"):
        read_mesh(path, radius=1e-3)
    with pytest.raises(ShapeError, match="The scale of a mesh file must be positive"):
        read_mesh(path, radius=1e-3, scale=0.0)
    lines = read_mesh(path, radius=1e-3, scale=1e-3).describe()
    assert lines[0].endswith("brick.stl: 98 vertices, 192 faces")
    assert lines[1] == "scale       0.001   (one unit of the file; the mesh is then 0.01 × 0.02 × 0.03)"
    assert "skeleton    closed surface, 8 vertices, 12 edges, 6 faces" in lines
    assert lines[-2] == "error       volume -0.836 % against the mesh"
    assert lines[-1] == "error       surface at most 1.41 % of the size off the mesh, the mesh 2.44 % off the surface"


def test_taken_as_a_skeleton_it_grows(tmp_path):
    path = exported(tmp_path, "brick.ply", box())
    grain = read_mesh(path, radius=0.5, scale=1.0, skeleton=True, name="fat")
    assert grain.solid.name == "fat"
    assert grain.solid.volume == pytest.approx(cuboid((10, 20, 30), 0.5).volume)
    assert grain.misfit.volume > 0.1


def test_simplified_to_a_budget_with_the_volume_kept(tmp_path):
    ball = trimesh.creation.icosphere(3, 1.0)
    grain = read_mesh(exported(tmp_path, "ball.stl", ball), radius=0.1, scale=1.0, vertices=40)
    assert len(grain.solid.vertices) <= 40 < grain.given[0] == len(ball.vertices)
    assert grain.solid.volume == pytest.approx(ball.volume, rel=3e-3)
    assert grain.misfit.volume == pytest.approx(grain.solid.volume / ball.volume - 1.0, abs=1e-6)
    assert 0.005 < grain.misfit.outward < 0.06
    assert 0.005 < grain.misfit.back < 0.06
    # the same measured plainly: how far the grain's surface is from the unit ball, along many rays
    rays = np.random.default_rng(0).normal(size=(300, 3))
    rays /= np.linalg.norm(rays, axis=1)[:, None]
    turn = matrix(grain.solid.orientation)
    low, high = (1.0 + sign * (2.0 * grain.misfit.back + 0.003) for sign in (-1.0, 1.0))  # parts of its diameter; 0.003: chords
    assert grain.solid.contains((low * rays - grain.solid.centre) @ turn).all()
    assert not grain.solid.contains((high * rays - grain.solid.centre) @ turn).any()


@pytest.mark.validate
def test_a_shape_with_a_hole_stays_one(tmp_path):
    ring = trimesh.creation.torus(1.0, 0.4, major_sections=24, minor_sections=12)
    solid = read_mesh(exported(tmp_path, "ring.obj", ring), radius=0.05, scale=1.0, vertices=90).solid
    assert len(solid.vertices) - len(solid.edges) + len(solid.faces) == 0
    assert not solid.contains(-solid.centre)
    assert solid.volume == pytest.approx(ring.volume, rel=5e-3)


def test_faces_move_in_by_the_radius():
    corners = np.array([(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    assert np.allclose(moved_in(corners, faces, 0.1), 0.5 + 0.8 * (corners - 0.5))


def test_distance_to_many_triangles():
    mesh = trimesh.creation.box((1.0, 1.0, 1.0))
    mesh = trimesh.util.concatenate(mesh, trimesh.creation.icosphere(2, 0.2).apply_translation((3.0, 0.0, 0.0)))
    vertices, faces = np.array(mesh.vertices), np.array(mesh.faces)
    points = np.array([(0.0, 0.0, 0.0), (0.0, 0.0, 2.0), (1.0, 1.0, 1.0), (0.4, 0.1, 0.0), (0.5, 0.2, 0.3), (0.9, 0.0, 0.0)])
    expected = [0.5, 1.5, 0.75**0.5, 0.1, 0.0, 0.4]
    assert distance_to_triangles(points, vertices, faces) == pytest.approx(expected, abs=1e-12)
    assert mesh_volume(vertices[:8], faces[:12]) == pytest.approx(1.0)


BAD = {
    "open": (lambda f: f[1:], "The surface of this mesh is open: edge"),
    "inverted": (lambda f: f[:, ::-1], "is inside out: its faces look inwards; let mend=True turn them round"),
    "one inverted": (lambda f: np.vstack([f[:1, ::-1], f[1:]]), "go the same way along edge"),
    "degenerate": (lambda f: np.vstack([f, [f[0, [0, 1, 1]]]]), "Face 192 of this mesh must have three different vertices"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_meshes_are_refused_or_mended(tmp_path, name):
    change, words = BAD[name]
    path = exported(tmp_path, "bad.ply", box(faces=change))
    with pytest.raises(ShapeError) as caught:
        read_mesh(path, radius=0.5, scale=1.0)
    assert str(caught.value).startswith(f"{path}: ") and words in str(caught.value) and str(caught.value).endswith(".")
    grain = read_mesh(path, radius=0.5, scale=1.0, mend=True)
    assert len(grain.mended) == 1
    assert f"mended      {grain.mended[0]}" in grain.describe()
    assert grain.solid.volume == pytest.approx(cuboid((9, 19, 29), 0.5).volume)


def test_a_radius_too_large_is_refused(tmp_path):
    path = exported(tmp_path, "brick.stl", box())
    with pytest.raises(ShapeError, match=r"brick\.stl: This brick (is inside out|crosses)"):
        read_mesh(path, radius=6.0, scale=1.0)


def test_files_that_are_none(tmp_path):
    with pytest.raises(ShapeError, match=r"There is no mesh file .*none\.stl"):
        read_mesh(tmp_path / "none.stl", radius=1.0, scale=1.0)
    with pytest.raises(ShapeError, match=r"must end in \.stl, \.obj, \.ply"):
        read_mesh(tmp_path / "none.doc", radius=1.0, scale=1.0)
    (tmp_path / "words.ply").write_text("these are words")
    with pytest.raises(ShapeError, match=r"mesh file .*words\.ply (cannot be read|holds no faces)"):
        read_mesh(tmp_path / "words.ply", radius=1.0, scale=1.0)
    (tmp_path / "points.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\n")
    with pytest.raises(ShapeError, match=r"points\.obj (cannot be read|holds no faces)"):
        read_mesh(tmp_path / "points.obj", radius=1.0, scale=1.0)
    path = exported(tmp_path, "brick.stl", box())
    with pytest.raises(ShapeError, match="a budget of 4 vertices at least, not 3"):
        read_mesh(path, radius=1.0, scale=1.0, vertices=3)


def test_without_the_extra_it_says_how_to_get_it(tmp_path, monkeypatch):
    path = exported(tmp_path, "brick.stl", box())
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(InputError, match=r'pip install "clast\[mesh\]"'):
        read_mesh(path, radius=1.0, scale=1.0)
