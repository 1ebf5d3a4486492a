"""Pictures of a sample that was recorded in memory: its grains, and its force chains."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from clast.output.chains_figure import draw_chains
from clast.output.figures import GRAIN, WALL, draw_bodies, run_outlines
from clast.output.reader import Run
from clast.preparation.element_test import PERIOD, Record


def frame_sample(axes: Any, record: Record, index: int) -> None:
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


def draw_packing(axes: Any, record: Record, index: int) -> None:
    """The bodies of a frame."""
    outlines, frame = run_outlines(cast(Run, record)), record.frames[index]
    for chosen, colour in ((np.flatnonzero(outlines.big), WALL), (np.flatnonzero(~outlines.big), GRAIN)):
        draw_bodies(axes, outlines, chosen, frame.positions, frame.angles, facecolor=colour)


def draw_chains_of(axes: Any, record: Record, index: int) -> None:
    """The bodies of a frame and the forces between them; set the limits of the axes before."""
    draw_chains(axes, cast(Run, record), index)
