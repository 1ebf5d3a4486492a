"""The picture of a packing and its force chains: outlines of the grains, lines between centres as thick as their force."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np

from clast.algebra.lattice import numbers, shifts
from clast.errors import InputError
from clast.measures.chains import ForceChains
from clast.measures.stored import StoredRun, frame_at, frame_offset, frame_period, present_grains, refuse_space
from clast.output.figures.drawn import Axes, Figure
from clast.output.figures.plane import WALL, Outlines, copies, draw_bodies, fit_figure, plain_figure, run_outlines
from clast.output.figures.shape import round_length
from clast.output.store.reader import Run

LINE, IN_CHAIN, OTHER = "#a01020", "#f6d58a", "#eef1f4"  # force, grains of chains, grains beside
MEAN_WIDTH, WIDEST = 0.10, 0.45  # of the mean grain diameter: a line of the mean force, and the most any line gets
BELOW = 4.8  # letters between a picture and its scale of forces, for the numbers of its axis
KEY = 0.7  # inches that the scale of forces takes
MARGIN = 0.05  # of the larger side, around the grains


def chains_figure(run: StoredRun, frame: int = -1) -> Figure:
    """Picture of a frame of a run with its forces; grains of force chains are shaded. InputError if no contacts were stored."""
    refuse_space(run, "chains_figure", "read ForceChains().segments and .forces")
    chains = ForceChains(frame).compute(run)
    figure = plain_figure()
    axes = figure.subplots()
    show_packing(axes, run, frame)
    fit_figure(figure, 1)
    summary = f"{chains.number} chains of {chains.mean_length:.1f} grains on average, {chains.share:.0%} of all grains"
    axes.set(xlabel="x", ylabel="y")
    axes.set_title(f"t = {frame_at(run, frame).time:.4g}: {summary}", fontsize=8)
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + KEY)
    draw_chains(axes, run, frame, chains, key=True)
    return figure


def draw_chains(
    axes: Axes, run: StoredRun, frame: int = -1, chains: ForceChains | None = None, *, key: bool = False
) -> ForceChains:
    """Draw the grains and forces of one frame into axes, which then show the packing; returns the chains.

    key   with a scale of forces below

    The width of lines follows the present size of the axes: give the figure its size before.
    """
    refuse_space(run, "draw_chains", "read ForceChains().segments and .forces")
    chains = chains or ForceChains(frame).compute(run)
    stored, bodies = frame_at(run, frame), outlines_at(run, frame)
    grains = np.flatnonzero(present_grains(run, stored))
    inside = np.isin(grains, np.concatenate([np.empty(0, np.int64), *chains.chains]))
    style: Any = {"edgecolor": "0.45", "lw": 0.4}
    for wall in np.flatnonzero(bodies.big):
        for shift in wall_shifts(bodies, int(wall), stored["positions"][wall]):
            draw_bodies(axes, bodies, np.array([wall]), stored["positions"] + shift, stored["angles"], facecolor=WALL, **style)
    for chosen, color in ((grains[~inside], OTHER), (grains[inside], IN_CHAIN)):
        draw_bodies(axes, bodies, chosen, stored["positions"], stored["angles"], facecolor=color, **style)
    show_packing(axes, run, frame)
    diameters = 2.0 * np.sqrt(np.asarray(run.scene["body_area"])[grains] / np.pi)
    draw_forces(axes, chains, bodies, float(diameters.mean()), key=key)
    return chains


def draw_forces(
    axes: Axes, chains: ForceChains, bodies: Outlines, diameter: float, *, seen: np.ndarray | None = None, key: bool = False
) -> None:
    """Add the lines, measured by the mean grain diameter; those that cross a periodic side are drawn on both.

    seen   forces by whose mean and largest lines are measured; those of the chains if None
    key    with lines of two forces below the picture
    """
    from matplotlib.collections import LineCollection

    if chains.forces.size == 0:
        return
    period = bodies.period
    begin = chains.segments[:, 0]
    image = shifts(numbers(begin, period, bodies.offset), period, bodies.offset)
    inside = chains.segments - image[:, None, :]
    seen = chains.forces if seen is None else seen
    mean = float(seen.mean())
    widths = np.minimum(MEAN_WIDTH * diameter * chains.forces / mean, WIDEST * diameter)
    lines, widths_seen = [], []
    for way in copies(period, bodies.offset):
        moved = inside + way
        inner = ((moved.max(axis=1) > 0.0) & (moved.min(axis=1) < period) | (period == 0.0)).all(axis=1)
        lines.append(moved[inner])
        widths_seen.append(widths[inner])
    figure, shown = axes.figure.figure, []
    if key:
        top = min(float(seen.max()), WIDEST / MEAN_WIDTH * mean)
        shown = [round_length(0.5 * top), round_length(top)]
    keys = scale_of_forces(axes, shown) if shown else []
    figure.draw_without_rendering()  # a layout still to come would change the scale
    points = axes.get_window_extent().width / figure.dpi * 72.0 / float(np.ptp(axes.get_xlim()))  # per unit of length
    for line, force in zip(keys, shown, strict=True):
        line.set_linewidth(points * MEAN_WIDTH * diameter * force / mean)
    drawn: Any = np.concatenate(lines)
    axes.add_collection(
        LineCollection(drawn, linewidths=points * np.concatenate(widths_seen), colors=LINE, capstyle="round", zorder=3),
        autolim=False,
    )


def scale_of_forces(axes: Axes, forces: Sequence[float]) -> list[Any]:
    """A key below a picture with a line for each of some forces; the lines, whose widths are to be set."""
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], color=LINE, solid_capstyle="butt", label=f"{force:g}") for force in forces]
    key = axes.legend(
        handles=lines, title="force", loc="upper center", bbox_to_anchor=(0.5, 0.0), borderaxespad=BELOW, ncols=len(lines),
        fontsize=8, title_fontsize=8, frameon=False,
    )  # fmt: skip
    return list(key.get_lines())


def wall_shifts(bodies: Outlines, wall: int, place: np.ndarray) -> Iterator[np.ndarray]:
    """By what to move a wall so that all its images that reach into a periodic box are drawn: a plate may have gone far."""
    reach = float(np.hypot(*bodies.rings[bodies.shape[wall]].T).max())
    ranges = [
        range(math.ceil((-reach - x) / period), math.floor((period + reach - x) / period) + 1) if period > 0.0 else range(1)
        for x, period in zip(place, bodies.period, strict=True)
    ]
    for image in itertools.product(*ranges):
        yield np.array(image) * bodies.period


def show_packing(axes: Axes, run: StoredRun, frame: int) -> None:
    """Limits of the axes: the grains, with a bit of the walls they press on; one period along a periodic side."""
    bodies, stored = outlines_at(run, frame), frame_at(run, frame)
    rings = bodies.place(np.flatnonzero(present_grains(run, stored)), stored["positions"], stored["angles"])[0].reshape(-1, 2)
    if len(rings) == 0:
        raise InputError(f"frame {frame} has no grains to draw")
    margin = MARGIN * float(np.ptp(rings, axis=0).max())
    periodic = bodies.period > 0.0
    low = np.where(periodic, 0.0, rings.min(axis=0) - margin)
    high = np.where(periodic, bodies.period, rings.max(axis=0) + margin)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")


def outlines_at(run: StoredRun, frame: int) -> Outlines:
    """Outlines of the bodies, with the periods of that frame: those of a cell that moves change."""
    stored = frame_at(run, frame)
    return dataclasses.replace(run_outlines(cast(Run, run)), period=frame_period(run, stored), offset=frame_offset(stored))
