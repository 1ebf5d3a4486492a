"""What is known of a solid, in words: what `clast shape` prints, as `clast.output.figures.shape.shape_report` in the plane."""

from __future__ import annotations

import numpy as np

from clast.shapes.soundness import rounding_warnings
from clast.shapes.space.solid import Solid


def describe_solid(solid: Solid) -> list[str]:
    """What is known of a solid, a line each, in the unit of length it was drawn in; warnings last, if there are any."""
    n, m, f = len(solid.vertices), len(solid.edges), len(solid.faces)
    if f:
        kind = "closed surface" if solid.is_closed else "plate" if f == 1 else "hollow surface"
    else:
        kind = "segment" if m else "point" if n == 1 else "clump of balls"
    extent = np.ptp(solid.drawn(), axis=0) + 2.0 * solid.radius
    error = f"   (to {solid.mass_error:.1g}, relative)" if solid.mass_error else ""
    if solid.piece_count > 1:
        kind = f"{solid.piece_count} convex pieces"
    thinnest = "skeleton" if solid.piece_count == 1 else "thinnest piece"
    counts = f"{n} {'vertex' if n == 1 else 'vertices'}, {m} {'edge' if m == 1 else 'edges'}, {f} {'face' if f == 1 else 'faces'}"
    lines = [
        f"name        {solid.name}",
        f"skeleton    {kind}, {counts}",
        "radius      0   (sharp)" if solid.sharp else f"radius      {solid.radius:.6g}",
        f"extent      {extent[0]:.6g} × {extent[1]:.6g} × {extent[2]:.6g}",
        f"volume      {solid.volume:.6g}{error}",
        "inertia     {:.6g}, {:.6g}, {:.6g}   (principal moments of the volume)".format(*solid.inertia),
        "centre      ({:.6g}, {:.6g}, {:.6g})   (of mass, where it was drawn)".format(*solid.centre),
        f"reach       {solid.reach:.6g}   (centre of mass to the farthest point)",
        f"thickness   {solid.thickness:.6g}   (of the {thinnest})" if solid.is_closed else "thickness   no inside",
    ]
    return lines + [f"warning     {words}" for words in solid_warnings(solid)]


def solid_warnings(solid: Solid) -> list[str]:
    """What a user should know before thousands of these grains run; empty for a sound solid."""
    return [] if solid.sharp else rounding_warnings(solid)  # all are about rounding
