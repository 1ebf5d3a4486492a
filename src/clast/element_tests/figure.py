"""Pictures of a sample that was recorded in memory: its grains, and its force chains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from clast.element_tests.recorded import PERIOD, Record
from clast.output.figures.chains import draw_chains
from clast.output.figures.drawn import Axes, Figure
from clast.output.figures.plane import GRAIN, WALL, draw_bodies, run_outlines
from clast.output.store.reader import Run


def frame_sample(axes: Axes, record: Record, index: int) -> None:
    """Axes around the sample of a frame, without numbers; one period of a periodic one."""
    axes.set(xticks=[], yticks=[], aspect="equal")
    axes.set_autoscale_on(False)
    if PERIOD in record.frames[index].names:
        width, height = record.frames[index][PERIOD]
        axes.set(xlim=(0.0, width), ylim=(0.0, height))
        return
    big = np.asarray(record.scene["body_big"], bool)
    places = record.frames[index].positions[~big]
    low, high = places.min(axis=0), places.max(axis=0)
    margin = 1.2 * float(np.sqrt(np.asarray(record.scene["body_area"])[~big].mean()))
    axes.set(xlim=(low[0] - margin, high[0] + margin), ylim=(low[1] - margin, high[1] + margin))


def cells_figure(cells: Mapping[str, Record], unit: str) -> Figure:
    """Shear cells at their last frame with their forces, side by side, by title; `unit` is that of length."""
    import matplotlib.pyplot as plt

    shown = [one_period(record) for record in cells.values()]
    wide = 9.0 / len(shown) + 2.0
    tall = max(height / width for width, height in shown)
    figure, panels = plt.subplots(
        1, len(shown), figsize=(wide * len(shown), wide * tall + 0.7), squeeze=False, layout="constrained"
    )
    for axes, (title, record), (width, height) in zip(panels[0], cells.items(), shown, strict=True):
        axes.set(xlim=(0.0, width), ylim=(-0.04 * height, height), xlabel=f"x [{unit}]", aspect="equal")
        axes.set_autoscale_on(False)
        draw_chains_of(axes, record, -1)
        axes.set(xlim=(0.0, width), ylim=(-0.04 * height, height))
        axes.set_title(title, fontsize=9)
    panels[0, 0].set_ylabel(f"y [{unit}]")
    return figure


def one_period(record: Record) -> tuple[float, float]:
    """Width and height of a picture of a cell that is periodic along x, with its upper plate."""
    top = float(record.frames[-1].positions[:, 1].max())
    return float(record.scene["period"][0]), 1.04 * top


def draw_packing(axes: Axes, record: Record, index: int) -> None:
    """The bodies of a frame."""
    outlines, frame = run_outlines(cast(Run, record)), record.frames[index]
    for chosen, colour in ((np.flatnonzero(outlines.big), WALL), (np.flatnonzero(~outlines.big), GRAIN)):
        draw_bodies(axes, outlines, chosen, frame.positions, frame.angles, facecolor=colour)


def draw_chains_of(axes: Axes, record: Record, index: int) -> None:
    """The bodies of a frame and the forces between them; set the limits of the axes before."""
    draw_chains(axes, cast(Run, record), index)


def draw_strained(axes: Axes, record: Record, columns: Mapping[str, Any], index: int, name: str) -> None:
    """A sheared sample at a frame with its forces, titled with its name and the axial strain it has reached.

    columns   `time` and `axial_strain` (samples,) of the test
    """
    strain = float(np.interp(record.frames[index].time, columns["time"], columns["axial_strain"]))
    frame_sample(axes, record, index)
    axes.set_title(f"{name}, ε = {strain:.2f}", fontsize=10)
    draw_chains_of(axes, record, index)
