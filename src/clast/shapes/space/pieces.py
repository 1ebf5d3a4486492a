"""Big bodies of several sharp convex pieces that move as one: a floor with a rim, a drum, a hopper (model §4)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from clast.algebra.quaternions import matrix
from clast.errors import ShapeError
from clast.shapes.plane.inside import Floats
from clast.shapes.space.frame import principal_frame
from clast.shapes.space.mass import SolidMass
from clast.shapes.space.solid import Solid
from clast.shapes.space.vectors import length


def pieces(solids: Iterable[Solid], *, name: str = "pieces") -> Solid:
    """Sharp solids put together where they were drawn, as one body: each is a convex piece of it, in the order given.

    Pieces may touch or overlap, and a grain then meets each of them by itself. Volume, centre of mass and inertia are those of
    all pieces together: what lies in two of them counts twice. Only walls are made of pieces, a scene takes no such grains.
    """
    try:
        given = list(solids)
    except TypeError:
        raise ShapeError(f"The {name} must be a list of sharp solids, not one {type(solids).__name__}.") from None
    if not given:
        raise ShapeError(f"This {name} has no pieces: give one sharp solid at least.")
    for k, solid in enumerate(given):
        if not isinstance(solid, Solid):
            raise ShapeError(f"Piece {k} of this {name} is not a solid, but of type {type(solid).__name__}.")
        if not solid.sharp:
            raise ShapeError(
                f"Piece {k} of this {name}, {solid.name}, is rounded (sphero-radius {solid.radius:.3g}): a body is made of sharp "
                "convex pieces, so draw it with radius 0."
            )
    mass = _together(given)
    moments, turn = principal_frame(mass.inertia)
    first = np.cumsum([0, *(len(solid.vertices) for solid in given)])
    vertices = (np.concatenate([solid.drawn() for solid in given]) - mass.centroid) @ matrix(turn)
    edges = np.concatenate([solid.edges + start for solid, start in zip(given, first[:-1], strict=True)])
    faces = tuple(loop + start for solid, start in zip(given, first[:-1], strict=True) for loop in solid.faces)
    number: list[int] = []
    for solid in given:
        before = number[-1] + 1 if number else 0
        number += [before + k for k in (solid.piece.tolist() or [0] * len(solid.faces))]
    piece = np.array(number if number[-1] else [], dtype=np.int64)
    reach = float(length(vertices).max())
    return Solid(
        name, vertices, edges, faces, 0.0, mass.volume, moments, reach, mass.centroid, turn, piece=piece,
    )  # fmt: skip


def _together(solids: list[Solid]) -> SolidMass:
    """Volume, centre of mass and inertia about it of several solids where they were drawn."""
    volume = sum(solid.volume for solid in solids)
    centre: Floats = sum((solid.volume * solid.centre for solid in solids), np.zeros(3)) / volume
    inertia = np.zeros((3, 3))
    for solid in solids:
        turn, off = matrix(solid.orientation), solid.centre - centre
        inertia += turn @ np.diag(solid.inertia) @ turn.T
        inertia += solid.volume * (float(off @ off) * np.eye(3) - np.outer(off, off))
    return SolidMass(volume, centre, inertia)
