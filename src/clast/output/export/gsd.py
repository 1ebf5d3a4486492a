"""A run as a GSD file in the schema of HOOMD, which OVITO opens as a series in time with the shapes of the grains.

Every shape is a particle type, walls apart from grains ("wall: …"). What a type looks like stands in `type_shapes`:

    a ball, a disk                  Sphere
    balls or disks glued together   SphereUnion
    convex solid, capsule           ConvexPolyhedron with rounding_radius: OVITO rounds it ("shape rounding resolution")
    any other solid                 Mesh of the rounded surface: OVITO rounds no meshes, so it is written round
    closed shape of the plane       Polygon with rounding_radius
    open shape of the plane         Polygon of its rounded outline

The box is the periodic cell, or what holds all bodies along an open side; its middle is the origin, as the schema requires.
Grains that were taken out are left out; `log/particles/id` holds the ids, `log/particles/spin` holds the spin vectors.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from clast.algebra.lattice import numbers, shifts
from clast.errors import InputError
from clast.output.export.csv import check_place, write_export
from clast.output.space.bodies import in_three, run_surfaces, spins, turns
from clast.output.space.solids import run_solids
from clast.output.space.surface import surface
from clast.output.store.reader import Frame, Run
from clast.shapes.plane.inside import Floats
from clast.shapes.space.solid import Solid
from clast.shapes.space.surfaces.faces import plane_of

ROUND = 4  # chords per right angle of a mesh
FLAT = 1e-9  # of the size: how far a vertex may lie above a face of a convex solid


def export_gsd(run: Run, path: Path, *, overwrite: bool = False) -> Path:
    """Write the frames of a run into `path` and return it.

    StoreError if there is something of that name, unless `overwrite` is set and it is a GSD file, or if the disk refuses;
    InputError if the run has no frames or gsd is not installed.
    """
    try:
        hoomd = import_module("gsd.hoomd")
    except ImportError:
        raise InputError('a GSD file needs gsd: pip install "clast[gsd]"') from None
    check_place(run, path, overwrite, is_gsd)
    maker = FrameMaker(run)

    def fill(temporary: Path) -> None:
        with hoomd.open(str(temporary), "w") as file:
            for frame in run.frames:
                file.append(maker.snapshot(hoomd.Frame(), frame))
        temporary.chmod(0o644)  # gsd makes its files private

    return write_export(path, fill)


def is_gsd(path: Path) -> bool:
    """Whether a file begins as GSD files do."""
    with path.open("rb") as file:
        return file.read(8) == bytes.fromhex("DF65DF65DF65DF65")


class FrameMaker:
    """Makes frames of GSD; holds what stays the same from frame to frame: types, masses, and the box that holds all frames."""

    def __init__(self, run: Run) -> None:
        scene = run.scene
        self.in_space = run.in_space
        self.bodies = run_surfaces(run)
        self.mass = scene["body_mass"]
        inertia = scene["body_inertia"]
        self.inertia = inertia if inertia.ndim == 2 else np.stack([0.0 * inertia, 0.0 * inertia, inertia], axis=1)
        pairs = np.stack([self.bodies.shape, self.bodies.big], axis=1)
        kinds, typeid = np.unique(pairs, axis=0, return_inverse=True)
        self.typeid = typeid.reshape(-1)
        looks = [solid_look(each) for each in run_solids(run)] if run.in_space else plane_looks(run)
        names = scene["shape_name"] if run.in_space else ["shape"] * len(looks)
        self.types = [f"{'wall: ' if big else ''}{names[shape]} {shape}" for shape, big in kinds]
        self.looks = [looks[shape] for shape, _ in kinds]
        self.low, self.high = self._room(run)

    def _room(self, run: Run) -> tuple[Floats, Floats]:
        """Corners of a box that holds all bodies at all times; along a periodic side it is the cell."""
        reach = self.bodies.reach[:, None]
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        for frame in run.frames:
            places = in_three(frame.positions)[~frame.absent]
            low = np.minimum(low, (places - reach[~frame.absent]).min(axis=0, initial=np.inf))
            high = np.maximum(high, (places + reach[~frame.absent]).max(axis=0, initial=-np.inf))
        if not np.isfinite(low).all():  # nobody was ever there
            low, high = np.zeros(3), np.ones(3)
        if not self.in_space:
            low[2], high[2] = -0.5, 0.5
        return low, high

    def snapshot(self, made: Any, frame: Frame) -> Any:
        """A frame of the run, put into an empty one of GSD."""
        here = np.flatnonzero(~frame.absent)
        period = self.bodies.period_at(frame)
        sides = np.where(period > 0.0, period, self.high - self.low)
        middle = np.where(period > 0.0, 0.5 * period, 0.5 * (self.low + self.high))
        places = in_three(frame.positions)[here]
        # the lattice of a sheared cell is the same when it leans by a whole period less, and viewers want it to lean little
        lean = frame.offset - sides[0] * np.rint(frame.offset / sides[0])
        middle[0] += 0.5 * lean
        tilt = lean / sides[1]
        rounds = numbers(places - np.outer(places[:, 1], [tilt, 0.0, 0.0]), period)
        made.configuration.step = frame.step
        made.configuration.dimensions = 3 if self.in_space else 2
        made.configuration.box = [*sides, tilt, 0.0, 0.0]
        particles = made.particles
        particles.N = len(here)
        particles.types, particles.type_shapes = self.types, self.looks
        particles.typeid = self.typeid[here].astype(np.uint32)
        particles.position = (places - shifts(rounds, period, lean) - middle).astype(np.float32)
        particles.image = rounds.astype(np.int32)
        particles.orientation = turns(frame)[here].astype(np.float32)
        particles.velocity = in_three(frame.velocities)[here].astype(np.float32)
        particles.mass = self.mass[here].astype(np.float32)
        particles.moment_inertia = self.inertia[here].astype(np.float32)
        made.log["particles/id"] = here.astype(np.int32)
        made.log["particles/spin"] = spins(frame)[here].astype(np.float32)
        made.log["time"] = np.array([frame.time])
        return made


def solid_look(solid: Solid) -> dict[str, Any]:
    """A solid as GSD describes shapes."""
    if len(solid.vertices) == 1:
        return {"type": "Sphere", "diameter": 2.0 * solid.radius}
    if len(solid.edges) == 0:
        return ball_union(solid.vertices, solid.radius)
    if is_convex(solid) or len(solid.vertices) == 2:
        return {"type": "ConvexPolyhedron", "rounding_radius": solid.radius, "vertices": solid.vertices.tolist()}
    mesh = surface(solid, ROUND)
    return {"type": "Mesh", "vertices": mesh.points.tolist(), "indices": mesh.triangles.tolist()}


def is_convex(solid: Solid) -> bool:
    """Whether a closed solid lies below every one of its faces."""
    if not solid.is_closed:
        return False
    planes = [plane_of(solid.vertices, loop.tolist()) for loop in solid.faces]
    return all(float(((solid.vertices - at) @ normal).max()) <= FLAT * solid.reach for at, normal in planes)


def ball_union(centres: Floats, radius: float) -> dict[str, Any]:
    """Balls of one size."""
    return {"type": "SphereUnion", "centers": in_three(centres).tolist(), "diameters": [2.0 * radius] * len(centres)}


def plane_looks(run: Run) -> list[dict[str, Any]]:
    """The shapes of a run in the plane as GSD describes them."""
    from clast.output.figures.plane import run_outlines

    scene, rings = run.scene, run_outlines(run).rings
    looks = []
    for k, ring in enumerate(rings):
        corners = scene["shape_vertices"][slice(*scene["shape_first_vertex"][k : k + 2])]
        radius = float(scene["shape_radius"][k])
        edges = int(np.diff(scene["shape_first_edge"])[k])
        if len(corners) == 1:
            looks.append({"type": "Sphere", "diameter": 2.0 * radius})
        elif edges == 0:
            looks.append(ball_union(corners, radius))
        elif scene["shape_closed"][k]:
            looks.append({"type": "Polygon", "rounding_radius": radius, "vertices": leftward(corners).tolist()})
        else:
            looks.append({"type": "Polygon", "rounding_radius": 0.0, "vertices": leftward(ring[:-1]).tolist()})
    return looks


def leftward(corners: Floats) -> Floats:
    """A ring of corners (k, 2), counter-clockwise."""
    x, y = corners.T
    return corners if x @ np.roll(y, -1) >= y @ np.roll(x, -1) else corners[::-1]
