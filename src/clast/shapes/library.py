"""Ready-made shapes: GM09's disk, rice, peanut and pebble (fig 5), and the cow of EPL08.

Each is drawn in units of its sphero-radius and then scaled to the exact area asked for.
"""

from __future__ import annotations

import math

from clast.errors import ShapeError
from clast.shapes.cow import clumpy_cow, cow
from clast.shapes.make import point, polyline, regular, segment
from clast.shapes.skeleton import Shape

__all__ = ["clumpy_cow", "cow", "disk", "peanut", "pebble", "rice"]

RICE_LENGTH = 2.0  # segment, in sphero-radii
PEANUT_ARM = 1.2  # each of two arms, in sphero-radii
PEANUT_BEND = math.radians(40.0)  # by which the second arm turns away from the first
PEBBLE_SIDE = 1.2  # equilateral triangle, in sphero-radii


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
