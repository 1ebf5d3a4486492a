"""One grain, drawn and described in words: what `clast shape` shows."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from clast.output.figures.drawn import Axes
from clast.output.figures.plane import save_figure
from clast.shapes import Shape, mass_properties
from clast.shapes.plane.inside import Floats
from clast.shapes.soundness import rounding_warnings

FILL, RIM, BONE = "#cfdff0", "#2b5c8a", "#b5482f"  # grain, its surface, its skeleton
CENTRE = "#1a1a1a"
FEW = 120  # up to so many vertices are marked by dots


def round_length(wanted: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not above `wanted`."""
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(step * power for step in (5.0, 2.0, 1.0) if step * power <= wanted * (1.0 + 1e-12))


def fill_rings(axes: Axes, rings: list[Floats], **style: Any) -> None:
    """Fill a figure given by its closed rings (k, 2), holes left open."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Curve

    corners = np.concatenate(rings)
    codes = np.concatenate([[Curve.MOVETO, *[Curve.LINETO] * (len(ring) - 2), Curve.CLOSEPOLY] for ring in rings])
    axes.add_patch(PathPatch(Curve(corners, codes), **style))


def draw_shape(axes: Axes, shape: Shape, *, bar: bool = True, mark_centre: bool = True) -> None:
    """Draw the grain in its body frame into matplotlib axes: surface, skeleton, centre of mass, a bar of known length."""
    rings = shape.outline(128)
    fill_rings(axes, rings, facecolor=FILL, edgecolor=RIM, lw=1.2, zorder=1)
    corners = shape.vertices
    if len(shape.edges):
        chain = corners[[*shape.edges[:, 0], shape.edges[-1, 1]]]
        axes.plot(*chain.T, color=BONE, lw=1.0, solid_joinstyle="round", zorder=2)
    if len(corners) <= FEW or not len(shape.edges):
        size = 3.0 if len(corners) <= 20 else 2.0 if len(corners) <= FEW else 1.0
        axes.plot(*corners.T, "o", color=BONE, ms=size, mew=0, zorder=2)
    if mark_centre:
        axes.plot(0.0, 0.0, "+", color=CENTRE, ms=9, mew=1.3, zorder=3)
    low, high = np.concatenate(rings).min(axis=0), np.concatenate(rings).max(axis=0)
    axes.set_aspect("equal")
    axes.set_axis_off()
    edge = 0.06 * float((high - low).max())
    axes.set_xlim(low[0] - edge, high[0] + edge)
    axes.set_ylim(low[1] - edge, high[1] + edge)
    if bar:
        length = round_length(0.35 * float(high[0] - low[0]))
        y = low[1] - 1.5 * edge
        axes.plot([low[0], low[0] + length], [y, y], color=CENTRE, lw=2.5, solid_capstyle="butt")
        axes.text(low[0] + length + 0.6 * edge, y, f"{length:g}", va="center", ha="left", fontsize=8, color=CENTRE)
        axes.set_ylim(y - 1.5 * edge, high[1] + edge)


def shape_report(shape: Shape) -> list[str]:
    """What is known of a grain, a line each, in the unit of length it was drawn in; warnings last, if there are any."""
    n, m = len(shape.vertices), len(shape.edges)
    kind = "closed polygon" if shape.is_closed else "open chain" if m else "point" if n == 1 else "clump of disks"
    low, high = shape.vertices.min(axis=0) - shape.radius, shape.vertices.max(axis=0) + shape.radius
    lines = [
        f"name        {shape.name}",
        f"skeleton    {kind}, {n} {'vertex' if n == 1 else 'vertices'}, {m} {'edge' if m == 1 else 'edges'}",
        f"radius      {shape.radius:.6g}",
        f"extent      {high[0] - low[0]:.6g} × {high[1] - low[1]:.6g}",
        f"area        {shape.area:.6g}",
        f"inertia     {shape.inertia:.6g}   (∫|x|² dA about the centre of mass)",
        f"reach       {shape.reach:.6g}   (centre of mass to the farthest point)",
        f"thickness   {shape.thickness:.6g}   (of the skeleton)" if shape.is_closed else "thickness   no interior",
    ]
    return lines + [f"warning     {words}" for words in shape_warnings(shape)]


def shape_warnings(shape: Shape) -> list[str]:
    """What a user should know before thousands of these grains run; empty for a sound shape."""
    found = rounding_warnings(shape)
    rings = shape.outline()
    parts = sum(_turns_left(ring) == _turns_left(rings[0]) for ring in rings)  # holes go the other way round
    if parts > 1:
        found.append(f"the grain is in {parts} separate parts that move as one body")
    if len(rings) > parts:
        holes = len(rings) - parts
        found.append(f"the surface closes round {holes} {'hole' if holes == 1 else 'holes'}, which a small grain may get into")
    union = mass_properties(shape.vertices, shape.edges, shape.radius, closed=shape.is_closed)
    if not math.isclose(union.area, shape.area, rel_tol=1e-9):
        found.append(f"its area is given and not that of its disks, {union.area:.6g}")
    return found


def _turns_left(ring: Floats) -> bool:
    """Whether a ring (k, 2) goes round counter-clockwise."""
    x, y = ring[:-1].T
    return bool(x @ np.roll(y, -1) > y @ np.roll(x, -1))


def save_shape_figure(shape: Shape, path: Path) -> Path:
    """A picture of one grain, with its name."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 5), layout="constrained")
    draw_shape(axes, shape)
    axes.set_title(shape.name)
    return save_figure(figure, path)
