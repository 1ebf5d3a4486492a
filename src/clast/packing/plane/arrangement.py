"""Loose packings of given shapes: on a lattice or at random, at random angles, all of one size or after a grading."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from clast.errors import InputError
from clast.packing.grading import Grading
from clast.packing.plane.insertion import insert_at_random
from clast.packing.plane.lattice import square_lattice
from clast.packing.plane.packing import Packing
from clast.shapes.plane.make import regular
from clast.shapes.plane.skeleton import Shape

PLACINGS = ("lattice", "random")


def lattice_packing(shapes: Sequence[Shape], columns: int, rng: np.random.Generator, *, spacing: float | None = None) -> Packing:
    """Grains at random angles on a square lattice, row by row from the lower left; the cell is as large as the lattice.

    Without `spacing` (length) it is twice the largest reach: room for any angle. With less, angles are chosen so that
    grains do not overlap, or OverlapWarning is issued.
    """
    if not shapes:
        raise InputError("a packing needs one grain at least")
    if isinstance(columns, bool) or not isinstance(columns, int | np.integer) or columns < 1:
        raise InputError(f"columns = {columns!r} must be a whole number of at least 1")
    pitch = 2.0 * max(shape.reach for shape in shapes) if spacing is None else spacing
    if not (math.isfinite(pitch) and pitch > 0.0):
        raise InputError(f"spacing = {spacing!r} must be a positive length")
    rows = -(-len(shapes) // columns)
    places = square_lattice(len(shapes), columns, pitch)
    return Packing(shapes, places, np.zeros(len(shapes)), columns * pitch, rows * pitch).turned(rng)


def regular_packing(
    sides: int, columns: int, rows: int, rng: np.random.Generator, *, area: float, radius: float, spacing: float | None = None
) -> Packing:
    """Regular polygons (ARX, PRE10: n = 3 …) of one area (length², rounded corners included) and sphero-radius (length)."""
    return lattice_packing([regular_of_area(sides, area, radius)] * (columns * rows), columns, rng, spacing=spacing)


def regular_of_area(sides: int, area: float, radius: float) -> Shape:
    """Regular polygon ⊕ disk of `radius` (length) with the given area (length²) of the whole."""
    if isinstance(sides, bool) or not isinstance(sides, int | np.integer) or sides < 3:
        raise InputError(f"a regular polygon needs a whole number of at least 3 sides, not {sides!r}")
    rest = area - math.pi * radius**2
    if not rest > 0.0:
        raise InputError(
            f"area = {area:.6g} of a {sides}-gon must exceed that of its rounding, π radius² = {math.pi * radius**2:.6g}: "
            "take a smaller radius"
        )
    # Steiner: a c² + b c = rest, c the circumradius
    a = 0.5 * sides * math.sin(2.0 * math.pi / sides)
    b = 2.0 * sides * math.sin(math.pi / sides) * radius
    return regular(sides, radius, circumradius=2.0 * rest / (b + math.sqrt(b * b + 4.0 * a * rest)))


def graded_packing(
    shapes: Sequence[Shape],
    grading: Grading,
    rng: np.random.Generator,
    *,
    width: float,
    count: int | None = None,
    area: float | None = None,
    height: float | None = None,
    placing: str = "lattice",
    periodic: bool = False,
) -> Packing:
    """Grains after a grading: sizes drawn, shapes chosen at random among `shapes` and scaled to them, angles at random.

    count or area      how many grains, or their total area (length²)
    placing            "lattice": as many columns as `width` (length) has room for, the height follows;
                       "random": anywhere in width × height where circles round the grains do not overlap
    periodic           with placing="random": in both directions

    Any shapes will do: ready-made ones, n-gons, the grains of a Voronoi packing. Corners are scaled with the grain. A grain
    of diameter d has the area πd²/4.
    """
    if not shapes:
        raise InputError("a packing needs one shape at least")
    if placing not in PLACINGS:
        raise InputError(f"placing = {placing!r} must be one of {', '.join(PLACINGS)}")
    if not isinstance(width, int | float | np.number) or not (math.isfinite(width) and width > 0.0):
        raise InputError(f"width = {width!r} must be a positive length")
    if (count is None) == (area is None):
        raise InputError("a graded packing needs either count=… (grains) or area=… (their total), and not both")
    diameters = grading.draw(count, rng) if count is not None else grading.draw_area(area or 0.0, rng)
    chosen = rng.integers(0, len(shapes), diameters.size)
    grains = [shapes[k].with_area(0.25 * math.pi * d**2) for k, d in zip(chosen, diameters.tolist(), strict=True)]
    reach = np.array([grain.reach for grain in grains])
    if placing == "random":
        if height is None:
            raise InputError('placing="random" needs the height of the cell')
        places = insert_at_random(reach, width, height, rng, periodic=periodic)
        angles = rng.uniform(0.0, 2.0 * np.pi, len(grains))
        return Packing(grains, places, angles, width, height, (periodic, periodic))
    if height is not None or periodic:
        raise InputError('placing="lattice" takes neither height, which follows from the number of grains, nor periodic')
    columns = math.floor(width / (2.0 * float(reach.max())))
    if columns < 1:
        raise InputError(f"width = {width:.6g} has no room for the largest grain, {2.0 * float(reach.max()):.6g} across")
    return lattice_packing(grains, columns, rng, spacing=width / columns)
