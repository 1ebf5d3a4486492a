"""Bodies in space in front of a camera, drawn by pyvista. No window is opened, and none is needed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from clast.algebra.quaternions import matrix
from clast.errors import InputError
from clast.output.space.bodies import MeshOfBodies, Surfaces
from clast.output.space.view import Camera
from clast.shapes.plane.inside import Floats

WALL, RIDGE, BOX = "#8a8f98", "#6b7078", "#a8adb5"
SEE_THROUGH = 0.13  # of a wall's light is its own
LAYERS = 6  # of walls behind one another that are drawn separately


def load_pyvista() -> Any:
    """pyvista, set to draw without a window; InputError where it is not installed."""
    try:
        import pyvista
    except ImportError:
        raise InputError('a picture in space needs pyvista: pip install "clast[view]"') from None
    return pyvista


@contextmanager
def without_murmur() -> Iterator[None]:
    """Keep VTK from writing to the terminal that there is no window system, while it looks for another way to draw."""
    from vtkmodules.vtkCommonCore import vtkLogger

    before = vtkLogger.GetCurrentVerbosityCutoff()
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)
    try:
        yield
    finally:
        vtkLogger.SetStderrVerbosity(before)


class Studio:
    """A stage set up once: from frame to frame only points, normals and colours change."""

    def __init__(self, bodies: Surfaces, camera: Camera) -> None:
        pyvista = load_pyvista()
        self.bodies, self.camera = bodies, camera
        self.grains = MeshOfBodies(bodies, np.flatnonzero(~bodies.big))
        self.walls = MeshOfBodies(bodies, np.flatnonzero(bodies.big))
        with without_murmur():
            self.plotter = pyvista.Plotter(off_screen=True, window_size=(camera.width, camera.height), lighting="none")
        self.plotter.set_background("white")
        self._add_lights(pyvista)
        self._grain_mesh, self._wall_mesh = (triangle_mesh(pyvista, source) for source in (self.grains, self.walls))
        self._ridge_mesh = line_mesh(pyvista, np.concatenate([np.zeros((0, 2, 3)), *self._ridges()]))
        if self.grains.owners.size:
            self._grain_mesh.point_data["colour"] = np.zeros((self.grains.owners.size, 3), np.uint8)
            self.plotter.add_mesh(
                self._grain_mesh, scalars="colour", rgb=True, smooth_shading=True, ambient=0.3, diffuse=0.75, specular=0.1,
                specular_power=15.0,
            )  # fmt: skip
        if self.walls.owners.size:
            self._cut(self.plotter.add_mesh(self._wall_mesh, color=WALL, opacity=SEE_THROUGH, smooth_shading=True, ambient=0.5))
            self.plotter.enable_depth_peeling(LAYERS)
        if self._ridge_mesh.n_points:
            self._cut(self.plotter.add_mesh(self._ridge_mesh, color=RIDGE, line_width=1.5, opacity=0.6))
        self.plotter.add_mesh(line_mesh(pyvista, box_lines(camera.low, camera.high)), color=BOX, line_width=1.0)
        self.plotter.enable_anti_aliasing("ssaa")
        self._aim()

    def _ridges(self) -> list[Floats]:
        """Lines of every wall in its body frame."""
        return [self.bodies.ridges[self.bodies.shape[k]] for k in np.flatnonzero(self.bodies.big)]

    def _add_lights(self, pyvista: Any) -> None:
        """One lamp over the left shoulder of the eye, a weaker one from the right."""
        camera = self.camera
        for side, above, strength in ((-0.7, 1.0, 0.85), (0.9, 0.1, 0.35)):
            way = camera.back + side * camera.right + above * camera.up
            light = pyvista.Light(position=tuple(camera.middle + camera.size * way), focal_point=tuple(camera.middle))
            light.intensity, light.positional = strength, False
            self.plotter.add_light(light)

    def _cut(self, actor: Any) -> None:
        """Show walls inside the box only: a floor may go on for miles."""
        from vtkmodules.vtkCommonDataModel import vtkPlane

        for axis, (place, sign) in itertools.product(range(3), ((self.camera.low, 1.0), (self.camera.high, -1.0))):
            plane = vtkPlane()
            plane.SetOrigin(*place)
            plane.SetNormal(*(sign * np.eye(3)[axis]))
            actor.mapper.AddClippingPlane(plane)

    def _aim(self) -> None:
        camera, seen = self.camera, self.plotter.camera
        seen.focal_point = tuple(camera.middle)
        seen.position = tuple(camera.middle + 2.0 * camera.size * camera.back)
        seen.up = tuple(camera.up)
        seen.parallel_projection = True
        seen.parallel_scale = 0.5 * camera.height / camera.scale
        seen.clipping_range = (0.5 * camera.size, 3.5 * camera.size)

    def draw(
        self, positions: Floats, orientations: Floats, colours: Floats, *, absent: np.ndarray | None = None,
        period: Floats | None = None, offset: float = 0.0,
    ) -> np.ndarray:  # fmt: skip
        """The picture (height, width, 3) of all bodies at these places, in `colours` (n, 3) from 0 to 1.

        absent   bodies (n,) that are not drawn
        period   of a cell that has moved since the start
        offset   of one that leans: by which images one period_y up lie further along x
        """
        placed = self.bodies.inside(positions, period, offset)
        for source, mesh in ((self.grains, self._grain_mesh), (self.walls, self._wall_mesh)):
            if source.owners.size:
                mesh.points = source.points(placed, orientations, absent).astype(np.float32)
                mesh.point_data["Normals"] = source.normals(orientations).astype(np.float32)
        if self.grains.owners.size:
            self._grain_mesh.point_data["colour"] = np.rint(255.0 * colours[self.grains.owners]).astype(np.uint8)
        if self._ridge_mesh.n_points:
            big = np.flatnonzero(self.bodies.big)
            size = np.ones(len(placed)) if absent is None else np.where(absent, 0.0, 1.0)
            ridges = zip(big, self._ridges(), strict=True)
            moved = [size[k] * each @ matrix(orientations[k]).T + placed[k] for k, each in ridges]
            self._ridge_mesh.points = np.concatenate(moved).reshape(-1, 3).astype(np.float32)
        with without_murmur():
            self.plotter.render()
            return np.array(self.plotter.screenshot(return_img=True))[:, :, :3]

    def close(self) -> None:
        """Let go of the graphics memory."""
        self.plotter.close()


def triangle_mesh(pyvista: Any, source: MeshOfBodies) -> Any:
    """The bodies of `source`, all points still at the origin."""
    if not source.owners.size:
        return pyvista.PolyData()
    threes = np.full((len(source.triangles), 1), 3)
    mesh = pyvista.PolyData(np.zeros((source.owners.size, 3), np.float32), np.hstack([threes, source.triangles]).ravel())
    mesh.point_data["Normals"] = np.zeros((source.owners.size, 3), np.float32)
    mesh.point_data.active_normals_name = "Normals"
    return mesh


def line_mesh(pyvista: Any, lines: Floats) -> Any:
    """Lines (m, 2, 3)."""
    mesh = pyvista.PolyData()
    if len(lines):
        mesh.points = lines.reshape(-1, 3).astype(np.float32)
        mesh.lines = np.hstack([np.full((len(lines), 1), 2), np.arange(2 * len(lines)).reshape(-1, 2)]).ravel()
    return mesh


def box_lines(low: Floats, high: Floats) -> Floats:
    """The twelve edges (12, 2, 3) of a box."""
    corners = np.array(list(itertools.product((0, 1), repeat=3)))
    pairs = [(a, b) for a, b in itertools.combinations(range(8), 2) if np.abs(corners[a] - corners[b]).sum() == 1]
    return np.where(corners[np.array(pairs)] == 1, high, low)
