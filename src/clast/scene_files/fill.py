"""Many grains at once, from a table `fill` of a scene file: in rows or at random, a mixture of shapes and sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from clast.errors import SceneError
from clast.packing.plane.insertion import insert_at_random
from clast.packing.plane.lattice import square_lattice
from clast.packing.plane.packing import Packing
from clast.packing.plane.voronoi import voronoi_packing
from clast.scene.flow import apportion
from clast.scene.plane import Scene
from clast.scene_files.build import ShapeShelf
from clast.scene_files.declared import arguments
from clast.scene_files.flow import mixture_of
from clast.scene_files.schema import FillKeys, VoronoiFillKeys
from clast.shapes import Shape, Solid

SAME = 1e-9  # relative: how near to a period the box to be filled spans it


def add_fill(scene: Scene, keys: FillKeys | VoronoiFillKeys, shelf: ShapeShelf) -> None:
    """Add the grains of one `fill`; SceneError where there is no room for them. The same seed, the same grains."""
    if isinstance(keys, VoronoiFillKeys):
        add_voronoi(scene, keys)
    else:
        add_mixture(scene, keys, shelf)


def add_mixture(scene: Scene, keys: FillKeys, shelf: ShapeShelf) -> None:
    """Add grains of some shapes, in rows or at random; SceneError where the rectangle is too small for them."""
    width, height = keys.upper[0] - keys.lower[0], keys.upper[1] - keys.lower[1]
    if not (width > 0.0 and height > 0.0):
        raise SceneError(f"upper = {keys.upper} must lie above and to the right of lower = {keys.lower}")
    kinds, shares = mixture_of(keys.shapes, shelf)
    require_room(keys, kinds, width, height)
    rng = np.random.default_rng(keys.seed)
    chosen = rng.permutation(np.repeat(np.arange(len(kinds)), apportion(keys.count, shares)))
    factor = rng.uniform(1.0 - keys.spread, 1.0 + keys.spread, keys.count) if keys.spread > 0.0 else np.ones(keys.count)
    reach = np.array([kinds[k].reach for k in chosen]) * factor + 0.5 * keys.gap
    if keys.kind == "lattice":
        spacing = lattice_spacing(kinds, keys.spread, keys.gap)
        columns = int(width / spacing)
        places = square_lattice(keys.count, columns, spacing) + 0.5 * np.array([width - columns * spacing, 0.0])
    else:
        places = insert_at_random(reach, width, height, rng, periodic=False)
    turn = rng.uniform(0.0, 2.0 * np.pi, keys.count) if keys.random_angles else np.zeros(keys.count)
    heading = rng.uniform(0.0, 2.0 * np.pi, keys.count)
    scaled = [kinds[k].scaled(f) for k, f in zip(chosen.tolist(), factor.tolist(), strict=True)] if keys.spread > 0.0 else None
    scene.add_many(
        scaled or kinds, places + keys.lower, which=None if scaled else chosen, angles=turn,
        velocities=np.array([(keys.speed * math.cos(way), keys.speed * math.sin(way)) for way in heading.tolist()]),
        **arguments(keys),
    )  # fmt: skip


def add_voronoi(scene: Scene, keys: VoronoiFillKeys) -> None:
    """Add a Voronoi-Minkowski packing; its borders are periodic where the box is, and must then fit it."""
    box = scene.box.periods
    require_periods(box, {"columns": keys.columns, "rows": keys.rows}, "square", keys.square, keys.expand)
    if box[1] > 0.0 and box[0] == 0.0:
        raise SceneError("the box is periodic along y only; a Voronoi fill may be periodic along x, or both ways")
    packing: Packing = voronoi_packing(
        **arguments(keys, "packing"), border="periodic" if box[1] > 0.0 else "periodic-x" if box[0] > 0.0 else "closed"
    )
    if keys.expand > 1.0:
        packing = packing.expanded(keys.expand)
    if keys.random_angles:
        packing = packing.turned(np.random.default_rng(keys.seed))
    scene.add_packing(packing.shifted(keys.lower[0], keys.lower[1]), **arguments(keys))


def require_periods(periods: Sequence[float], counts: Mapping[str, int], side: str, length: float, expand: float) -> None:
    """SceneError unless a Voronoi packing spans the box along each axis that is periodic.

    counts    of squares or cubes along each axis, by the names they have in files
    side      what `length`, that of a square or cube, is called there
    """
    for axis, period, (name, count) in zip("xyz", periods, counts.items(), strict=False):
        size = expand * count * length
        if period > 0.0 and not math.isclose(period, size, rel_tol=SAME):
            raise SceneError(
                f"the period along {axis} is {period:.9g}, and {name} × {side} × expand is {size:.9g}: make them equal"
            )


def lattice_spacing(kinds: Sequence[Shape] | Sequence[Solid], spread: float, gap: float) -> float:
    """Distance of the places of a lattice: whatever is put there, however it is turned, nobody touches anybody."""
    return 2.0 * max(each.reach for each in kinds) * (1.0 + spread) + gap


def require_room(keys: FillKeys, kinds: list[Shape], width: float, height: float) -> None:
    """SceneError, before grains are made, where there surely is not enough room."""
    spacing = lattice_spacing(kinds, keys.spread, keys.gap)
    if min(width, height) < spacing:
        raise SceneError(
            f"the rectangle is {width:.6g} by {height:.6g}, and a grain of it may be {spacing:.6g} across: make it larger"
        )
    if keys.kind == "lattice":
        room = int(width / spacing) * int(height / spacing)
    else:
        smallest = min(shape.reach for shape in kinds) * (1.0 - keys.spread) + 0.5 * keys.gap
        room = int(width * height / (math.pi * smallest**2))
    if keys.count > room:
        raise SceneError(
            f"count = {keys.count}, but there is room for {room} at most (bounding circles do not overlap): make the rectangle "
            "larger"
        )
