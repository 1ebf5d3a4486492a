"""Whether solids have room at the start: pure geometry, before anything is compiled. The plane's is `clast.scene_files.room`.

Refused are skeletons nearer than a tenth of the sum of their sphero-radii, where a run would end (model §3), and a grain hidden
inside another, where no contact would ever be seen. Inside a closed wall there is room.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from scipy.spatial import cKDTree

from clast.packing.space.distance import Skeleton, distance, slab
from clast.packing.space.packing import with_images
from clast.scene.space import Scene3D
from clast.scene_files.room import NEAREST, TooNear
from clast.shapes.plane.inside import Floats
from clast.shapes.space.solid import Solid
from clast.shapes.space.surfaces.faces import plane_of
from clast.shapes.space.surfaces.inside import distance_to_skeleton

Meeting = tuple[int, int, Floats]  # two bodies, and the shift (3,) of the second to the image meant


def crowded_space(scene: Scene3D) -> TooNear | None:
    """The two bodies whose skeletons are nearest, measured by their radii, if that is too near."""
    start = _Start(scene)
    worst: TooNear | None = None
    for one, other, shift in itertools.chain(start.grains_that_may_meet(), start.walls_that_may_be_met()):
        radii = start.radius[one] + start.radius[other]
        if slab(start.bones(one), start.bones(other).shifted(shift)) >= NEAREST * radii:
            continue
        apart = distance(start.cut_up(one), start.cut_up(other).shifted(shift))
        if apart < NEAREST * radii and (worst is None or apart / radii < worst.distance / worst.radii):
            worst = TooNear(min(one, other), max(one, other), float(apart), float(radii))
    return worst


class _Start:
    """The bodies of a scene where they start, moved by whole periods into the box."""

    def __init__(self, scene: Scene3D) -> None:
        self.period = np.array(scene.box.periods)
        self.periodic = tuple(bool(side > 0.0) for side in self.period)
        self.side = np.where(self.period > 0.0, self.period, 1.0)
        bodies = scene.bodies
        self.radius = bodies.of_shapes(lambda solid: solid.radius)
        self.span = bodies.of_shapes(lambda solid: solid.reach) - self.radius  # of the skeleton about its centre
        self.big, self.turns, places = (bodies.column(name) for name in ("big", "orientation", "position"))
        self.places: Floats = places - np.where(self.period > 0.0, self.period * np.floor(places / self.side), 0.0)
        self.solids = bodies.objects("shape")
        self.grains = np.setdiff1d(np.flatnonzero(~self.big), scene.waiting)  # those of sources come in where there is room
        self.drawn = {id(solid): uncut(solid) for solid in bodies.distinct("shape")[0]}
        self.placed: dict[int, Skeleton] = {}  # those that were looked at

    def bones(self, number: int) -> Skeleton:
        """The skeleton of a body where it stands, its faces not cut."""
        if number not in self.placed:
            solid = self.solids[number]
            placed = self.drawn[id(solid)].placed(self.places[number], self.turns[number])
            self.placed[number] = placed._replace(closed=solid.is_closed and not self.big[number])
        return self.placed[number]

    def cut_up(self, number: int) -> Skeleton:
        """The skeleton of a body with its faces cut into triangles: that takes longer than all the rest and is seldom needed."""
        return self.bones(number)._replace(triangles=self.solids[number].triangles)

    def grains_that_may_meet(self) -> Iterator[Meeting]:
        """Pairs of grains whose bounding balls are near enough."""
        grains = self.grains
        if not grains.size:
            return
        most = 2.0 * float((self.span[grains] + NEAREST * self.radius[grains]).max())
        x, y, z = self.periodic
        owner, copies = with_images(self.places[grains], np.zeros(3), self.side, (x, y, z), most)
        near = cKDTree(self.places[grains]).sparse_distance_matrix(cKDTree(copies), most, output_type="ndarray")
        one, other = grains[near["i"]], grains[owner[near["j"]]]
        reach = self.span + NEAREST * self.radius
        for k in np.flatnonzero((one < other) & (near["v"] <= reach[one] + reach[other])):
            yield int(one[k]), int(other[k]), copies[near["j"][k]] - self.places[other[k]]

    def walls_that_may_be_met(self) -> Iterator[Meeting]:
        """Grains and the walls, or images of walls, that their bounding balls come near to."""
        grains, walls = self.grains, np.flatnonzero(self.big)
        images = [*itertools.product(*((-1.0, 0.0, 1.0) if side else (0.0,) for side in self.periodic))]
        for wall, image in itertools.product(walls.tolist(), images):
            shift = np.array(image) * self.period
            bones = self.cut_up(wall).shifted(shift)
            away = distance_to_skeleton(self.places[grains], bones.vertices, bones.edges, bones.triangles)
            for grain in grains[away < self.span[grains] + NEAREST * (self.radius[grains] + self.radius[wall])]:
                yield int(grain), wall, shift


def uncut(solid: Solid) -> Skeleton:
    """The skeleton in the body frame, its faces known by their normals alone: enough to find a slab between two of them."""
    normals = np.array([plane_of(solid.vertices, loop.tolist())[1] for loop in solid.faces]).reshape(-1, 3)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Skeleton(solid.vertices, solid.edges, np.zeros((0, 3), np.int64), normals, solid.is_closed)
