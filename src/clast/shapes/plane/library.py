"""Ready-made shapes: GM09's disk, rice, peanut and pebble (fig 5), ARX's regular polygons, and the cow of EPL08.

All but the cows are drawn in units of their sphero-radius and then scaled to exactly the given area.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from clast.errors import ShapeError
from clast.shapes.plane.cow import SHELL_DISKS, clumpy_cow, cow, long_legged_cow
from clast.shapes.plane.make import point, polyline, regular, segment
from clast.shapes.plane.skeleton import Shape

__all__ = ["clumpy_cow", "cow", "disk", "library_shape", "library_shapes", "long_legged_cow", "peanut", "pebble", "rice"]

RICE_LENGTH = 2.0  # segment, in sphero-radii
PEANUT_ARM = 1.2  # each of two arms, in sphero-radii
PEANUT_BEND = math.radians(40.0)  # by which the second arm turns away from the first
PEBBLE_SIDE = 1.2  # equilateral triangle, in sphero-radii
REGULAR_SIDE = 5.0  # regular polygons, in sphero-radii
REGULAR_NAMES = ("triangle", "square", "pentagon", "hexagon", "heptagon")  # ARX fig 11: n = 3 … 7


def disk(area: float | None = None, *, radius: float | None = None) -> Shape:
    """Disk of the given area (length²; 1 if nothing is given) or radius (length)."""
    if area is not None and radius is not None:
        raise ShapeError("A disk is given by its area or by its radius, not by both.")
    if radius is not None:
        return point(radius)
    return point(1.0).with_area(1.0 if area is None else area)


def rice(area: float = 1.0) -> Shape:
    """Rice grain (GM09 fig 5b): a stadium about a segment of length 2r."""
    return segment((-0.5 * RICE_LENGTH, 0.0), (0.5 * RICE_LENGTH, 0.0), 1.0, name="rice").with_area(area)


def peanut(area: float = 1.0) -> Shape:
    """Peanut (GM09 fig 5c): an open polyline of two arms of 1.2 r with a bend of 40° (140° between the arms)."""
    x, y = PEANUT_ARM * math.cos(0.5 * PEANUT_BEND), PEANUT_ARM * math.sin(0.5 * PEANUT_BEND)
    return polyline([(-x, y), (0.0, 0.0), (x, y)], 1.0, name="peanut").with_area(area)


def pebble(area: float = 1.0) -> Shape:
    """Pebble (GM09 fig 5d): a rounded equilateral triangle of side 1.2 r."""
    return regular(3, 1.0, side=PEBBLE_SIDE, name="pebble").with_area(area)


def _regular(sides: int) -> Shape:
    """Rounded regular polygon of area 1 (ARX, PRE10), its side five sphero-radii long."""
    return regular(sides, 1.0, side=REGULAR_SIDE, name=REGULAR_NAMES[sides - 3]).with_area(1.0)


def library_shapes() -> dict[str, Callable[[], Shape]]:
    """Every ready-made shape by the name the command line knows it by; call the value to make it.

    The area is 1, except that of the cows, which have EPL08's 6.52 m².
    """
    shapes: dict[str, Callable[[], Shape]] = {"disk": disk, "rice": rice, "peanut": peanut, "pebble": pebble}
    for sides, name in enumerate(REGULAR_NAMES, start=3):
        shapes[name] = partial(_regular, sides)
    shapes["cow"] = cow
    shapes["long-legged-cow"] = long_legged_cow
    shapes["clumpy-cow"] = clumpy_cow
    shapes["hollow-cow"] = partial(clumpy_cow, SHELL_DISKS)
    return shapes


def library_shape(name: str) -> Shape:
    """The ready-made shape called `name`, or ShapeError with the names there are."""
    shapes = library_shapes()
    if name not in shapes:
        raise ShapeError(f'There is no ready-made shape "{name}": choose among {", ".join(shapes)}.')
    return shapes[name]()
