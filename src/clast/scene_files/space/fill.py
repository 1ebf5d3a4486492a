"""Many solids at once, from a table `fill` of a scene file: in layers, at random, or as Voronoi cells."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from clast.algebra.quaternions import random_turns
from clast.errors import SceneError
from clast.packing.space.insertion import insert_at_random3d
from clast.packing.space.packing import Packing3D
from clast.packing.space.voronoi import voronoi_packing3d
from clast.scene.flow import apportion
from clast.scene.space import Scene3D
from clast.scene_files.declared import arguments
from clast.scene_files.fill import SAME, lattice_spacing, require_periods
from clast.scene_files.flow import mixture_of
from clast.scene_files.space.build import SolidShelf
from clast.scene_files.space.schema import LatticeFillKeys, RandomFillKeys, SpaceVoronoiFillKeys
from clast.shapes.space.solid import Solid


def add_space_fill(scene: Scene3D, keys: LatticeFillKeys | RandomFillKeys | SpaceVoronoiFillKeys, shelf: SolidShelf) -> None:
    """Add the grains of one `fill`; SceneError where there is no room for them. The same seed, the same grains."""
    if isinstance(keys, SpaceVoronoiFillKeys):
        add_space_voronoi(scene, keys)
    else:
        add_space_mixture(scene, keys, shelf)


def add_space_mixture(scene: Scene3D, keys: LatticeFillKeys | RandomFillKeys, shelf: SolidShelf) -> None:
    """Add grains of some solids, in layers or at random; SceneError where the box is too small for them."""
    size = np.array(keys.upper) - np.array(keys.lower)
    if not (size > 0.0).all():
        raise SceneError(f"upper = {keys.upper} must be larger than lower = {keys.lower} along x, y and z")
    kinds, shares = mixture_of(keys.shapes, shelf)
    require_space(keys, kinds, size)
    rng = np.random.default_rng(keys.seed)
    chosen = rng.permutation(np.repeat(np.arange(len(kinds)), apportion(keys.count, shares)))
    factor = rng.uniform(1.0 - keys.spread, 1.0 + keys.spread, keys.count)
    solids = [kinds[k] if keys.spread == 0.0 else kinds[k].scaled(float(f)) for k, f in zip(chosen, factor, strict=True)]
    if isinstance(keys, LatticeFillKeys):
        places = cubic_lattice(keys.count, size, lattice_spacing(kinds, keys.spread, keys.gap))
        turns = random_turns(rng, keys.count) if keys.random_turns else np.array([solid.orientation for solid in solids])
    else:
        periods = np.array(scene.box.periods)
        x, y, z = (bool(spans) for spans in (periods > 0.0) & np.isclose(size, periods, rtol=SAME, atol=0.0))
        places, turns = insert_at_random3d(with_room(solids, keys.gap), size, rng, (x, y, z))
    ahead = rng.normal(size=(keys.count, 3))
    velocities = keys.speed * ahead / np.linalg.norm(ahead, axis=1, keepdims=True)
    scene.add_many(solids, places + keys.lower, orientations=turns, velocities=velocities, **arguments(keys))


def with_room(solids: list[Solid], gap: float) -> list[Solid]:
    """The solids half a `gap` (length) larger on every side: where these do not touch, the grains are a gap apart."""
    if gap == 0.0:
        return solids
    grown = {
        id(solid): dataclasses.replace(solid, radius=solid.radius + 0.5 * gap, reach=solid.reach + 0.5 * gap) for solid in solids
    }
    return [grown[id(solid)] for solid in solids]


def cubic_lattice(count: int, size: np.ndarray, pitch: float) -> np.ndarray:
    """`count` places (n, 3) in a box of `size` (3,): along x, then y, then in layers up, in the middle of x and y."""
    across, deep = (int(length / pitch) for length in size[:2])
    number = np.arange(count)
    cells = np.stack([number % across, number // across % deep, number // (across * deep)], axis=1)
    margin = np.array([size[0] - across * pitch, size[1] - deep * pitch, 0.0])
    return (cells + 0.5) * pitch + 0.5 * margin


def require_space(keys: LatticeFillKeys | RandomFillKeys, kinds: list[Solid], size: np.ndarray) -> None:
    """SceneError, before grains are made, where there surely is not enough room."""
    if isinstance(keys, LatticeFillKeys):
        pitch = lattice_spacing(kinds, keys.spread, keys.gap)
        room, why = math.prod(int(length / pitch) for length in size), f"places are {pitch:.6g} apart, for any orientation"
    else:
        smallest = min(solid.volume for solid in kinds) * (1.0 - keys.spread) ** 3
        room, why = int(float(np.prod(size)) / smallest), "by their volume alone"
    if keys.count > room:
        raise SceneError(f"count = {keys.count}, but there is room for {room} at most ({why}): make the box larger")


def add_space_voronoi(scene: Scene3D, keys: SpaceVoronoiFillKeys) -> None:
    """Add a Voronoi-Minkowski packing; its borders are periodic where the box is, and must then fit it."""
    counts = {"columns": keys.columns, "rows": keys.rows, "layers": keys.layers}
    require_periods(scene.box.periods, counts, "cube", keys.cube, keys.expand)
    axes = "".join(axis for axis, period in zip("xyz", scene.box.periods, strict=True) if period > 0.0)
    packing: Packing3D = voronoi_packing3d(**arguments(keys, "packing"), border=f"periodic-{axes}" if axes else "closed")
    if keys.expand > 1.0:
        packing = packing.expanded(keys.expand)
    if keys.random_turns:
        packing = packing.turned(np.random.default_rng(keys.seed))
    scene.add_packing(packing.shifted(*keys.lower), **arguments(keys))
