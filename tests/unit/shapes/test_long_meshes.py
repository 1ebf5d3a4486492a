"""Meshes of thousands of triangles are checked, weighed and measured by boxes in a tree, not pair by pair."""

import math
import time

import numpy as np
import pytest
import trimesh

from clast.errors import ShapeError
from clast.shapes import mesh, shell

SECONDS = 20.0  # of this process; pair by pair takes minutes


def dented(subdivisions: int) -> tuple[np.ndarray, np.ndarray]:
    """A ball of radius 1 with two dents opposite each other, at z = ± 0.3: vertices and triangles."""
    ball = trimesh.creation.icosphere(subdivisions=subdivisions)
    x, y, z = ball.vertices.T
    depth = 0.7 * np.exp(-8.0 * (x * x + y * y))
    return np.stack([x, y, z * (1.0 - depth)], axis=1), ball.faces


def test_a_ball_of_20_000_triangles_is_made_in_seconds_and_measured_right():
    ball, began = trimesh.creation.icosphere(subdivisions=5), time.process_time()
    solid = mesh(ball.vertices.tolist(), ball.faces.tolist(), radius=0.01)
    assert time.process_time() - began < SECONDS
    assert solid.thickness == pytest.approx(2.0, rel=2e-3)
    assert solid.volume == pytest.approx(4.0 / 3.0 * math.pi * 1.01**3, rel=2e-3)
    assert np.ptp(solid.inertia) < 1e-3 * np.max(solid.inertia)


def test_the_thinnest_place_is_that_found_pair_by_pair():
    """The numbers are those of the version that looked at all pairs of features."""
    found = [mesh(*(part.tolist() for part in dented(k)), radius=0.01).thickness for k in (2, 3)]
    assert found == pytest.approx([0.9196271669032913, 0.7335364302810825], rel=1e-12)


def test_a_terrain_of_20_000_triangles_is_made_in_seconds():
    n = 101
    x, y = np.meshgrid(np.linspace(0.0, 50.0, n), np.linspace(0.0, 50.0, n), indexing="ij")
    at = np.arange(n * n).reshape(n, n)
    low, high = [at[:-1, :-1], at[1:, :-1], at[1:, 1:]], [at[:-1, :-1], at[1:, 1:], at[:-1, 1:]]
    faces = np.concatenate([np.stack(each, axis=-1).reshape(-1, 3) for each in (low, high)])
    vertices = np.stack([x, y, 0.5 * np.sin(x) * np.cos(0.7 * y)], axis=-1).reshape(-1, 3)
    began = time.process_time()
    terrain = shell(vertices.tolist(), faces.tolist(), radius=0.05)
    assert time.process_time() - began < SECONDS
    assert len(terrain.vertices) == n * n


def test_one_vertex_pulled_through_a_large_mesh_is_found():
    vertices, faces = dented(4)
    vertices[5] *= -1.1
    with pytest.raises(ShapeError):
        mesh(vertices.tolist(), faces.tolist(), radius=0.01)
