"""What a grain is in space: a skeleton of points, edges and faces swept by a ball (Minkowski sum; GM09 eq 13), or a sharp
convex polyhedron (CSM10)."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from clast.algebra.quaternions import IDENTITY, matrix, product
from clast.errors import ShapeError
from clast.shapes.plane.inside import Bools, Floats, Ints
from clast.shapes.space.surfaces.faces import triangulated
from clast.shapes.space.surfaces.inside import distance_to_skeleton, in_convex, in_surface
from clast.shapes.space.surfaces.thickness import solid_thickness

SURFACE = 1e-12  # of the reach: a point that near to the plane of a face of a sharp solid lies on it


@dataclass(frozen=True, eq=False)
class Solid:
    """A spheropolyhedron in its body frame: centre of mass at the origin, axes the principal axes, lengths in any one unit.

    Made by the constructors of `clast.shapes.space.make`, which check what they are given. A face is a loop of vertex numbers,
    counter-clockwise seen from outside, of a plane polygon, convex or not, without holes. Every side of a face is an edge; at
    most two faces meet at an edge. Edges without a face are the segments of a capsule or of a wire; a point or a clump has
    vertices only. A closed surface owns its inside, a plate (one face) has none. The arrays are read-only.

    With radius 0 it is *sharp*: a closed convex polyhedron, or several that move as one (`clast.shapes.space.pieces`), which
    share no vertex and no edge but may touch or overlap.
    """

    name: str
    vertices: Floats  # (n, 3)
    edges: Ints  # (m, 2) vertex numbers, the smaller first, sorted
    faces: tuple[Ints, ...]  # each (k,) vertex numbers
    radius: float  # sphero-radius; 0: sharp
    volume: float  # of the union skeleton ⊕ ball; of several pieces their sum
    inertia: Floats  # (3,) principal moments of the volume, ∫(y² + z²) dV …; times the density they are those of the body
    reach: float  # largest distance from the centre of mass to the surface
    centre: Floats  # (3,) centre of mass in the user's coordinates
    orientation: Floats  # (4,) quaternion (w, x, y, z): user = centre + orientation · body
    hollow: bool = False  # a closed surface without an inside, as the walls of a drum
    mass_error: float = 0.0  # relative error of volume and inertia; 0 where they are closed forms (round-off)
    piece: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # (faces,) which piece each is of; empty: one piece

    def __repr__(self) -> str:
        counts = f"{len(self.vertices)} vertices, {len(self.edges)} edges, {len(self.faces)} faces"
        return f"<{self.name}: {counts}, radius {self.radius:.6g}, volume {self.volume:.6g}>"

    def __post_init__(self) -> None:
        for name, kind in (
            ("vertices", np.float64), ("edges", np.int64), ("inertia", np.float64), ("centre", np.float64),
            ("orientation", np.float64), ("piece", np.int64),
        ):  # fmt: skip
            array = np.array(getattr(self, name), dtype=kind)
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        loops = tuple(np.array(loop, dtype=np.int64) for loop in self.faces)
        for loop in loops:
            loop.flags.writeable = False
        object.__setattr__(self, "faces", loops)

    @cached_property
    def is_closed(self) -> bool:
        """Whether the faces close a surface, so that its inside belongs to the grain."""
        sides = sum(len(loop) for loop in self.faces)
        return not self.hollow and len(self.faces) >= 4 and sides == 2 * len(self.edges)

    @cached_property
    def is_round(self) -> bool:
        """Whether it is a sphere: one point at the centre of mass, so that turning it changes nothing."""
        return len(self.vertices) == 1 and not self.vertices.any()

    @property
    def sharp(self) -> bool:
        """Whether it is not rounded: its contacts are overlaps of convex polyhedra."""
        return self.radius == 0.0

    @property
    def piece_count(self) -> int:
        """Number of convex pieces of a sharp solid; 1 for any other."""
        return int(self.piece.max()) + 1 if len(self.piece) else 1

    @cached_property
    def _cut(self) -> tuple[Ints, Ints]:
        triangles, owner = triangulated(self.vertices, self.faces)
        triangles.flags.writeable = owner.flags.writeable = False
        return triangles, owner

    @property
    def triangles(self) -> Ints:
        """The faces of the skeleton cut into triangles (t, 3) of vertex numbers, counter-clockwise seen from outside."""
        return self._cut[0]

    @cached_property
    def thickness(self) -> float:
        """Smallest width of the skeleton between parts that do not adjoin; infinite where there is no inside.

        Contact weights hold while overlaps stay below it: see `clast.shapes.space.surfaces.thickness`. Of several pieces the
        thinnest.
        """
        if not self.is_closed:
            return math.inf
        if self.piece_count == 1:
            return solid_thickness(self.vertices, self.edges, self.faces, *self._cut)
        return min(solid_thickness(*part, *triangulated(part[0], part[2])) for part in self.parts())

    def parts(self) -> list[tuple[Floats, Ints, list[Ints]]]:
        """Vertices (n, 3), edges (m, 2) and faces of each piece by itself, in the body frame."""
        if self.piece_count == 1:
            return [(self.vertices, self.edges, list(self.faces))]
        found = []
        for k in range(self.piece_count):
            loops = [loop for loop, piece in zip(self.faces, self.piece.tolist(), strict=True) if piece == k]
            used = np.unique(np.concatenate(loops))
            edges = self.edges[np.isin(self.edges[:, 0], used)]  # pieces share no vertices
            found.append((self.vertices[used], np.searchsorted(used, edges), [np.searchsorted(used, loop) for loop in loops]))
        return found

    def scaled(self, factor: float) -> Solid:
        """The same solid, every length (the sphero-radius too) times `factor` > 0.

        Volume and inertia are multiplied, not computed anew, so a power of two changes no bit of any mantissa.
        """
        if not (math.isfinite(factor) and factor > 0.0):
            raise ShapeError(f"A solid is scaled by a positive number, not by {factor!r}.")
        return dataclasses.replace(
            self,
            vertices=self.vertices * factor,
            radius=self.radius * factor,
            volume=self.volume * factor**3,
            inertia=self.inertia * factor**5,
            reach=self.reach * factor,
            centre=self.centre * factor,
        )

    def with_volume(self, volume: float) -> Solid:
        """The same solid scaled to the given volume of the union (length³)."""
        if not (math.isfinite(volume) and volume > 0.0):
            raise ShapeError(f"The volume of a solid is a positive number, not {volume!r}.")
        return dataclasses.replace(self.scaled(math.cbrt(volume / self.volume)), volume=float(volume))

    def moved(self, position: ArrayLike, turn: ArrayLike = IDENTITY) -> Solid:
        """The same solid drawn elsewhere: turned by the unit quaternion `turn` (w, x, y, z) about the origin of its drawing,
        which is put at `position` (3,)."""
        where, how = np.asarray(position, dtype=np.float64), np.asarray(turn, dtype=np.float64)
        if where.shape != (3,) or how.shape != (4,) or not (np.isfinite(where).all() and np.isfinite(how).all()):
            raise ShapeError(f"A solid is moved to a place (x, y, z) by a turn (w, x, y, z), not to {position!r} by {turn!r}.")
        if abs(float(how @ how) - 1.0) > 1e-9:
            raise ShapeError(f"A solid is turned by a quaternion of length 1, not by {turn!r}.")
        return dataclasses.replace(self, centre=where + matrix(how) @ self.centre, orientation=product(how, self.orientation))

    def contains(self, points: ArrayLike) -> Bools:
        """Whether each of `points` (…, 3), in the body frame, lies in the grain, its surface included; returns (…).

        GM09's test: inside the skeleton by crossing number, or no farther than the sphero-radius from it. In a sharp solid:
        behind all planes of one of its pieces, but for round-off.
        """
        where = np.asarray(points, dtype=np.float64)
        if where.ndim == 0 or where.shape[-1] != 3:
            raise ShapeError(f"Points to test have shape (…, 3), not {where.shape}.")
        flat = where.reshape(-1, 3)
        if self.sharp:
            within = [in_convex(flat, vertices, loops, SURFACE * self.reach) for vertices, _, loops in self.parts()]
            return np.logical_or.reduce(within).reshape(where.shape[:-1])
        inside = distance_to_skeleton(flat, self.vertices, self.edges, self.triangles) <= self.radius
        if self.is_closed:
            inside |= in_surface(flat, self.vertices, self.triangles)
        return inside.reshape(where.shape[:-1])

    def drawn(self) -> Floats:
        """The vertices (n, 3) in the coordinates the solid was drawn in."""
        return self.centre + self.vertices @ matrix(self.orientation).T
