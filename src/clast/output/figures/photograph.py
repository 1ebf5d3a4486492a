"""A photograph, what was seen in it and what was made of it: what `clast shape grains.png` shows."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from clast.output.figures.drawn import Axes, Figure
from clast.output.figures.plane import save_figure
from clast.output.figures.shape import BONE, CENTRE, FILL, RIM, fill_rings
from clast.shapes.plane.photograph import Photograph, TracedGrain

SEEN = "#f2b134"  # the outline as it was traced, on the photograph
CLOSE = 12  # grains that are drawn by themselves, those with the largest distance first
WIDTH = 10.0  # inches
COLUMNS = 6  # of grains drawn by themselves


def worst_first(photograph: Photograph) -> list[TracedGrain]:
    """The grains, the one farthest from its outline first, for its size."""
    return sorted(photograph, key=lambda each: -each.misfit.largest / math.sqrt(each.area))


def draw_photograph(axes: Axes, photograph: Photograph) -> None:
    """Draw the photograph into matplotlib axes, every grain with its number, traced outline and fitted surface."""
    height, width = photograph.grey.shape
    size = photograph.scale
    axes.imshow(photograph.grey, cmap="gray", extent=(0.0, width * size, 0.0, height * size), vmin=0.0)
    for grain in photograph:
        ring = np.vstack([grain.outline, grain.outline[:1]])
        axes.plot(*ring.T, color=SEEN, lw=2.2, zorder=2)
        for surface in grain.shape.outline(128):
            axes.plot(*(surface - grain.shape.origin).T, color=BONE, lw=0.9, zorder=3)
        axes.text(
            grain.centre[0], grain.centre[1], str(grain.number), color="white", ha="center", va="center", fontsize=8, zorder=4,
            bbox={"boxstyle": "round,pad=0.15", "facecolor": CENTRE, "edgecolor": "none", "alpha": 0.65},
        )  # fmt: skip
    axes.set_xlim(0.0, width * size)
    axes.set_ylim(0.0, height * size)
    axes.set_xlabel("x [pixels]" if size == 1.0 else "x")
    axes.set_ylabel("y [pixels]" if size == 1.0 else "y")


def draw_close(axes: Axes, grain: TracedGrain) -> None:
    """Draw one grain by itself: traced outline, grain, skeleton with its vertices."""
    origin = grain.shape.origin
    fill_rings(axes, [ring - origin for ring in grain.shape.outline(128)], facecolor=FILL, edgecolor=RIM, lw=1.0, zorder=1)
    axes.plot(*np.vstack([grain.outline, grain.outline[:1]]).T, color=SEEN, lw=1.0, zorder=2)
    bones = grain.shape.vertices - origin
    axes.plot(*np.vstack([bones, bones[:1]]).T, "o-", color=BONE, lw=0.6, ms=2.0, mew=0.0, zorder=3)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_title(
        f"{grain.number}: {len(bones)} vertices\nmismatch {grain.misfit.mismatch:.1%}, off by ≤ {grain.misfit.largest:.2g}",
        fontsize=7,
    )


def photograph_figure(photograph: Photograph) -> Figure:
    """The photograph above; below, by themselves, the grains that are farthest from their outlines."""
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    close = worst_first(photograph)[:CLOSE]
    rows = math.ceil(len(close) / COLUMNS)
    height, width = photograph.grey.shape
    tall = min(WIDTH * height / width, 1.5 * WIDTH)
    figure = plt.figure(figsize=(WIDTH, tall + 0.6 + rows * 1.9), layout="constrained")
    parts: Any = figure.subfigures(2, 1, height_ratios=[tall + 0.6, rows * 1.9])
    above, below = parts
    axes = above.subplots()
    draw_photograph(axes, photograph)
    left = [f"{n} {what}" for n, what in ((photograph.cut, "cut by the border"), (photograph.specks, "specks")) if n]
    axes.set_title(
        f"{photograph.path.name}: {len(photograph)} grains" + (f"; left out: {', '.join(left)}" if left else ""), fontsize=10
    )
    axes.legend(
        handles=[Line2D([], [], color=SEEN, lw=2.2, label="outline traced"), Line2D([], [], color=BONE, lw=0.9, label="grain")],
        loc="lower right", fontsize=8, framealpha=0.8,
    )  # fmt: skip
    for place, grain in zip(np.ravel(below.subplots(rows, COLUMNS, squeeze=False)), [*close, *[None] * COLUMNS], strict=False):
        if grain is None:
            place.set_axis_off()
        else:
            draw_close(place, grain)
    return figure


def save_photograph_figure(photograph: Photograph, path: Path) -> Path:
    """`photograph_figure` as a file."""
    return save_figure(photograph_figure(photograph), path)
