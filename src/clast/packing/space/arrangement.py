"""Loose packings of given solids: on a lattice or at random, in random orientations, all of one size or after a grading."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from clast.algebra.quaternions import random_turns
from clast.errors import InputError
from clast.packing.grading import Grading, SieveCurve
from clast.packing.plane.erosion import Floats, Ints
from clast.packing.space.insertion import insert_at_random3d
from clast.packing.space.packing import Packing3D, checked_periodic, checked_size
from clast.shapes.space.solid import Solid


def lattice_packing3d(
    shapes: Sequence[Solid],
    rng: np.random.Generator,
    *,
    fraction: float | None = None,
    jitter: float = 0.0,
    periodic: bool | Sequence[bool] = True,
) -> Packing3D:
    """Grains in random orientations on a simple cubic lattice, in a cube that they fill to a `fraction` of its volume.

    jitter     0 … 1: every grain is displaced at random by up to half of this times the spacing, along x, y and z
    periodic   along all three axes, none, or three values, one for each

    Without `fraction` the spacing is twice the largest reach: room for any orientation. With less room, grains that overlap
    are drawn anew until they do not, or OverlapWarning is issued. Where the lattice has more places than there are
    grains, the empty ones are at random.
    """
    grains = _checked_shapes(shapes)
    if not (isinstance(jitter, int | float | np.number) and 0.0 <= jitter <= 1.0):
        raise InputError(f"jitter = {jitter!r} must be between 0 and 1: it is a part of the spacing")
    along = math.ceil(round(len(grains) ** (1.0 / 3.0), 9))
    spacing = 2.0 * max(shape.reach for shape in grains)
    if fraction is not None:
        spacing = _side(grains, fraction) / along
    places = np.sort(rng.permutation(along**3)[: len(grains)])
    lattice = (np.stack([places % along, places // along % along, places // along**2], axis=1) + 0.5) * spacing

    def draw(numbers: Ints) -> tuple[Floats, Floats]:
        away = jitter * spacing * rng.uniform(-0.5, 0.5, (numbers.size, 3))
        return lattice[numbers] + away, random_turns(rng, numbers.size)

    start = Packing3D(grains, lattice, random_turns(rng, len(grains)), np.full(3, along * spacing), checked_periodic(periodic))
    return start.redrawn(draw)


def random_packing3d(
    shapes: Sequence[Solid],
    rng: np.random.Generator,
    *,
    size: ArrayLike | None = None,
    fraction: float | None = None,
    periodic: bool | Sequence[bool] = True,
) -> Packing3D:
    """Grains in random orientations at random places in a box where they do not overlap, inserted one by one.

    size or fraction   of the box: lengths (3,) along x, y, z; or a cube that the grains fill to this part of its volume
    periodic           along all three axes, none, or three values, one for each; grains stay within closed sides

    InputError when there is no room: spheres go in up to a fraction of about 0.36, cubes about 0.3, longer and flatter
    grains less. A lattice is denser.
    """
    grains = _checked_shapes(shapes)
    if (size is None) == (fraction is None):
        raise InputError("a random packing needs either size=… (three lengths) or fraction=… (of a cube), and not both")
    box = checked_size(size) if size is not None else np.full(3, _side(grains, fraction or 0.0))
    along = checked_periodic(periodic)
    positions, orientations = insert_at_random3d(grains, box, rng, along)
    return Packing3D(grains, positions, orientations, box, along)


def graded_solids(
    shapes: Sequence[Solid],
    grading: Grading,
    rng: np.random.Generator,
    *,
    count: int | None = None,
    volume: float | None = None,
) -> list[Solid]:
    """Grains after a grading: diameters drawn, shapes chosen at random among `shapes` and scaled to them, corners and all.

    count or volume    how many grains, or their total volume (length³), as nearly as the last of them allows

    A grain of diameter d has the volume πd³/6. Gradings by number are taken as they are. A sieve curve by mass is read for
    solids, whose mass goes with d³ and not with d² as in the plane.
    """
    kinds = _checked_shapes(shapes)
    if (count is None) == (volume is None):
        raise InputError("graded grains need either count=… (grains) or volume=… (their total), and not both")
    if count is not None:
        diameters = _draw(grading, count, rng)
    else:
        if not (isinstance(volume, int | float | np.number) and math.isfinite(volume) and volume > 0.0):
            raise InputError(f"total volume = {volume!r} must be a positive number")
        diameters = np.zeros(0)
        while (filled := math.pi / 6.0 * np.cumsum(diameters**3)).size == 0 or filled[-1] < volume:
            diameters = np.concatenate([diameters, _draw(grading, 64, rng)])
        last = int(np.searchsorted(filled, volume))
        if last > 0 and volume - filled[last - 1] < filled[last] - volume:
            last -= 1
        diameters = diameters[: last + 1]
    chosen = rng.integers(0, len(kinds), diameters.size)
    wanted = math.pi / 6.0 * diameters**3
    return [kinds[k].scaled((v / kinds[k].volume) ** (1.0 / 3.0)) for k, v in zip(chosen, wanted.tolist(), strict=True)]


def _draw(grading: Grading, count: int, rng: np.random.Generator) -> Floats:
    """Diameters (count,) by number.

    Between two sieves of a curve by mass n(d) ∝ d⁻³ here and ∝ d⁻² in the plane: of what is drawn for the plane a part ∝ 1/d
    is kept.
    """
    drawn = grading.draw(count, rng)
    if not (isinstance(grading, SieveCurve) and grading.by == "mass"):
        return drawn
    smallest = grading.limits[0]
    accepted = drawn[:0]
    while accepted.size < count:
        accepted = np.concatenate([accepted, drawn[rng.uniform(0.0, drawn) < smallest]])
        drawn = grading.draw(count, rng)
    return accepted[:count]


def _checked_shapes(shapes: Sequence[Solid]) -> list[Solid]:
    grains = list(shapes)
    if not grains:
        raise InputError("a packing needs one grain at least")
    for k, shape in enumerate(grains):
        if not isinstance(shape, Solid):
            raise InputError(f"grain {k} of a packing in space is no solid: make it with clast.shapes.space.make")
    return grains


def _side(shapes: Sequence[Solid], fraction: float) -> float:
    """Of a cube that the shapes fill to a fraction of its volume, length."""
    if not (isinstance(fraction, int | float | np.number) and 0.0 < fraction < 1.0):
        raise InputError(f"fraction = {fraction!r} must lie between 0 and 1: it is the part of the box that is grains")
    return (math.fsum(shape.volume for shape in shapes) / fraction) ** (1.0 / 3.0)
