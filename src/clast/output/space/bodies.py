"""The bodies of a run or scene in space as triangles, which pictures and exports are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clast.algebra.lattice import put_back
from clast.algebra.quaternions import IDENTITY, matrix
from clast.output.space.solids import run_solids
from clast.output.space.surface import Surface, ridges, surface, triangulate
from clast.output.store.reader import Frame, Run
from clast.shapes.plane.inside import Floats, Ints
from clast.shapes.space.solid import Solid

if TYPE_CHECKING:
    from clast.scene.space import Scene3D

FINEST, COARSEST = 8, 2  # chords per right angle
MOST_POINTS = 400_000  # of all bodies together in a picture, about


@dataclass(frozen=True)
class Surfaces:
    """What a picture needs to know of the bodies besides where they are."""

    meshes: Sequence[Surface]  # of each shape in its body frame
    shape: Ints  # (n,) which of them a body has
    big: np.ndarray  # (n,)
    period: Floats  # (3,) 0: open
    ridges: Sequence[Floats] = ()  # lines (m, 2, 3) of each shape that show where it bends

    def period_at(self, frame: Frame) -> Floats:
        """Periods (3,) at a frame: those of the frame where the cell moves."""
        return in_three(frame["period"]) if "period" in frame.names else self.period

    @cached_property
    def reach(self) -> Floats:
        """Largest distance from the centre of each body to its surface (n,)."""
        return np.array([np.linalg.norm(mesh.points, axis=1).max() for mesh in self.meshes])[self.shape]

    def inside(self, positions: Floats, period: Floats | None = None, offset: float = 0.0) -> Floats:
        """Centres (n, 3) with the grains put back into a periodic box; a grain across a side is shown whole, at one of them."""
        places = np.array(positions, dtype=np.float64)
        period = self.period if period is None else period
        places[~self.big] = put_back(places[~self.big], period, offset)
        return places


class MeshOfBodies:
    """Some bodies as one mesh: triangles and owners are the same for every frame, only points and normals move."""

    def __init__(self, bodies: Surfaces, chosen: Ints) -> None:
        chosen = np.asarray(chosen, dtype=np.int64)
        self._meshes = bodies.meshes
        self._groups = [(int(k), chosen[bodies.shape[chosen] == k]) for k in np.unique(bodies.shape[chosen])]
        triangles, owners, count = [np.zeros((0, 3), np.int64)], [np.zeros(0, np.int64)], 0
        for k, members in self._groups:
            mesh, size = self._meshes[k], len(self._meshes[k].points)
            starts = count + size * np.arange(len(members))
            triangles.append((mesh.triangles + starts[:, None, None]).reshape(-1, 3))
            owners.append(np.repeat(members, size))
            count += size * len(members)
        self.triangles: Ints = np.concatenate(triangles)  # (t, 3)
        self.owners: Ints = np.concatenate(owners)  # (p,) the body of every point

    def points(self, positions: Floats, orientations: Floats, hidden: np.ndarray | None = None) -> Floats:
        """Points (p, 3) of the bodies at these places of all (n, 3) and (n, 4); a `hidden` body shrinks to its centre."""
        size = np.ones(len(positions)) if hidden is None else np.where(hidden, 0.0, 1.0)
        placed = [np.zeros((0, 3))]
        for k, members in self._groups:
            turned = self._meshes[k].points @ matrix(orientations[members]).swapaxes(1, 2)
            placed.append((size[members, None, None] * turned + positions[members, None, :]).reshape(-1, 3))
        return np.concatenate(placed)

    def normals(self, orientations: Floats) -> Floats:
        """Outward unit vectors (p, 3) at the points."""
        turned = [self._meshes[k].normals @ matrix(orientations[members]).swapaxes(1, 2) for k, members in self._groups]
        return np.concatenate([np.zeros((0, 3)), *(each.reshape(-1, 3) for each in turned)])


def run_surfaces(run: Run, most: int = MOST_POINTS) -> Surfaces:
    """The bodies of a stored run with about `most` points or less. One of the plane is flat: its outlines, filled, at z = 0."""
    scene = run.scene
    big, shape = scene["body_big"].astype(bool), scene["body_shape"]
    if run.in_space:
        return solid_surfaces(run_solids(run), shape, big, scene["period"], most)
    from clast.output.figures.plane import run_outlines

    flat = run_outlines(run)
    return Surfaces([flat_surface(ring) for ring in flat.rings], shape, big, in_three(flat.period))


def scene_surfaces(scene: Scene3D) -> Surfaces:
    """The bodies of a scene in space."""
    solids, which = scene.bodies.distinct("shape")
    return solid_surfaces(solids, which, scene.bodies.column("big"), np.array(scene.box.periods))


def solid_surfaces(solids: Sequence[Solid], shape: Ints, big: np.ndarray, period: Floats, most: int = MOST_POINTS) -> Surfaces:
    """Bodies with these solids, drawn as fine as their number allows."""
    pieces = np.array([max(8, 2 * (len(solid.edges) - len(solid.vertices))) for solid in solids])  # triangles between normals
    many = float(pieces[shape].sum()) if len(shape) else 1.0
    quality = int(np.clip(math.sqrt(2.0 * most / many), COARSEST, FINEST))
    return Surfaces([surface(solid, quality) for solid in solids], shape, big, period, [ridges(solid) for solid in solids])


def flat_surface(ring: Floats) -> Surface:
    """The inside of a closed outline (k, 2) of the plane, as triangles that look up."""
    corners = ring[:-1] if np.array_equal(ring[0], ring[-1]) else ring
    x, y = corners.T
    if x @ np.roll(y, -1) < y @ np.roll(x, -1):
        corners = corners[::-1]
    return Surface(in_three(corners), triangulate(corners), np.tile((0.0, 0.0, 1.0), (len(corners), 1)))


def in_three(flat: Any) -> Floats:
    """Vectors of the plane (…, 2) with a third component 0; those of space as they are."""
    vectors = np.asarray(flat, dtype=np.float64)
    return vectors if vectors.shape[-1] == 3 else np.concatenate([vectors, np.zeros((*vectors.shape[:-1], 1))], axis=-1)


def turns(frame: Frame) -> Floats:
    """Orientations (n, 4) of a frame, w x y z; those of the plane turn about z."""
    if "orientations" in frame.names:
        return frame.orientations
    made = np.tile(IDENTITY, (len(frame.angles), 1))
    made[:, 0], made[:, 3] = np.cos(0.5 * frame.angles), np.sin(0.5 * frame.angles)
    return made


def spins(frame: Frame) -> Floats:
    """Spin vectors (n, 3) of a frame (rad/time); those of the plane are along z."""
    if frame.spins.ndim == 2:
        return frame.spins
    return np.stack([np.zeros_like(frame.spins), np.zeros_like(frame.spins), frame.spins], axis=1)
