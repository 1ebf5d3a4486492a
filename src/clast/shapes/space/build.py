"""From a checked skeleton in the user's coordinates to a `Solid` in its body frame."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from clast.algebra.quaternions import matrix
from clast.errors import ShapeError
from clast.shapes.plane.inside import Floats, Ints
from clast.shapes.plane.validity import TOLERANCE, body_size
from clast.shapes.space.frame import principal_frame
from clast.shapes.space.mass import SolidMass, convex_mass, is_convex, is_convex_loop
from clast.shapes.space.solid import Solid
from clast.shapes.space.surfaces.faces import Loop
from clast.shapes.space.symmetry import symmetrised
from clast.shapes.space.union import union_mass

FAR = 1e30  # largest size of a body, and one over the smallest: volumes and moments must be numbers
NO_EDGES: Ints = np.empty((0, 2), dtype=np.int64)


def build(name: str, vertices: Floats, edges: Ints, loops: Sequence[Loop], radius: float, *, hollow: bool = False) -> Solid:
    """The solid of a checked skeleton: vertices (n, 3) in the user's coordinates, edges (m, 2), faces as loops.

    A `hollow` closed surface has no inside. Without rounding it has to be closed and convex.
    """
    size = body_size(vertices, radius)
    if radius == 0.0 and not is_convex(vertices, loops, TOLERANCE * size):
        raise ShapeError(
            f"This {name} is not convex, which a sharp solid (sphero-radius 0) has to be: give it a positive radius, or put a "
            "wall together from sharp convex solids with pieces."
        )
    if not 1.0 / FAR < size < FAR:
        raise ShapeError(f"A {name} of size {size:.3g} cannot be weighed: choose another unit of length.")
    # lengths near 1 while it is weighed: squares cannot overflow, and a power of two in the user's unit changes no bit
    unit = 2.0 ** math.frexp(size)[1]
    at = vertices / unit
    mass = solid_mass(at, edges, loops, radius / unit, hollow=hollow)
    moments, turn = principal_frame(mass.inertia, mass.error)
    body = (at - mass.centroid) @ matrix(turn)
    reach = float(np.sqrt((body * body).sum(axis=1).max())) + radius / unit
    return Solid(
        name, body * unit, edges, tuple(np.array(loop) for loop in loops), radius, mass.volume * unit**3, moments * unit**5,
        reach * unit, mass.centroid * unit, turn, hollow=hollow, mass_error=mass.error,
    )  # fmt: skip


def closes(edges: Ints, loops: Sequence[Loop]) -> bool:
    """Whether the faces close a surface: two of them at every edge."""
    return len(loops) >= 4 and sum(len(loop) for loop in loops) == 2 * len(edges)


def solid_mass(vertices: Floats, edges: Ints, loops: Sequence[Loop], radius: float, *, hollow: bool = False) -> SolidMass:
    """Mass properties of skeleton ⊕ ball: closed form where the skeleton is convex, else by lines through the union."""
    closed = closes(edges, loops) and not hollow
    tolerance = TOLERANCE * body_size(vertices, radius)
    plate = len(loops) == 1 and len(edges) == len(loops[0]) == len(vertices) and is_convex_loop(vertices, loops[0])
    segment = not loops and len(vertices) == 2 and len(edges) == 1
    if len(vertices) == 1 or segment or plate or (closed and is_convex(vertices, loops, tolerance)):
        return convex_mass(vertices, edges, loops, radius)
    return symmetrised(union_mass(vertices, edges, loops, radius, closed=closed), vertices, edges, loops)
