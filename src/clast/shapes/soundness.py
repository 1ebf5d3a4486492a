"""What a user should know of a rounded grain, in plane or space, before thousands of them run."""

from __future__ import annotations

from clast.shapes.plane.skeleton import Shape
from clast.shapes.plane.thickness import THIN
from clast.shapes.space.solid import Solid

SMALL_ROUNDING = 0.01  # of the reach


def rounding_warnings(grain: Shape | Solid) -> list[str]:
    """What is wrong with its rounding, a sentence each; empty for a sound grain."""
    found = []
    if grain.thickness < THIN * grain.radius:
        found.append(
            f"the skeleton is only {grain.thickness:.3g} thick somewhere, less than {THIN:g} sphero-radii: "
            "overlaps deeper than that are miscounted"
        )
    if grain.radius < SMALL_ROUNDING * grain.reach:
        found.append(
            f"the sphero-radius is only {grain.radius / grain.reach:.2g} of the reach: overlaps must stay below a fifth of it, "
            "which needs stiff contacts and small steps"
        )
    return found
