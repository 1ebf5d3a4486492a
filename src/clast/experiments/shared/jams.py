"""Figures of hoppers that jam or flow: odds against the opening, what came out against time, and where the grains ended."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clast.experiments.hopper import BELOW, COLOURS, LAYERS
from clast.output.figures.plane import draw_bodies, scene_outlines

MARKS = ("o", "^", "s", "p")
TINTS = ("#c8614f", "#e8a33a", "#4878a8", "#6a9f58")  # of shapes, in their order
ASIDE = 0.3  # m: shapes beside each other at one opening
ABOVE = 6.0  # m, of the pictures of grains, above the highest


def draw_odds(
    curves: Mapping[tuple[float, str], Mapping[float, tuple[float, float, float]]],
    zetas: Sequence[float],
    names: Mapping[Any, str],
    paper: float,
) -> Any:
    """Jam probability against the opening, a panel per damping.

    curves   by damping and shape: by opening [m] the probability and both ends of its interval
    paper    opening [m] below which cows jam in the paper
    """
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(
        1, len(zetas), figsize=(5.2 * len(zetas), 4.2), sharey=True, layout="constrained", squeeze=False
    )
    for axes, zeta in zip(panels[0], zetas, strict=True):
        wide = sorted({aperture for (at, _), curve in curves.items() if at == zeta for aperture in curve}) or [paper]
        edge = [min(wide[0], paper) - 2.0, paper, paper, max(wide[-1], paper) + 2.0]
        axes.plot(edge, [1.0, 1.0, 0.0, 0.0], color="0.55", lw=5.0, alpha=0.35, label="paper: cows jam below 30 m")
        for number, (shape, name) in enumerate(names.items()):
            curve = curves[zeta, shape]
            if not curve:
                continue
            x = np.array(sorted(curve))
            share, low, high = np.array([curve[each] for each in x]).T
            axes.errorbar(
                x + ASIDE * (number - 1.5), share, [share - low, high - share], color=TINTS[number], fmt=f"{MARKS[number]}-",
                ms=5.5, lw=1.3, capsize=2.5, elinewidth=0.9, label=name,
            )  # fmt: skip
        axes.set(xlabel="opening [m]", ylim=(-0.05, 1.05), xlim=(edge[0], edge[-1]), title=damping_in_words(zeta))
        axes.set_xticks(wide)
    panels[0][0].set_ylabel("jam probability")
    handles = {label: each for axes in panels[0] for each, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=5, fontsize=9, frameon=False)
    return figure


def damping_in_words(zeta: float) -> str:
    """A title."""
    return f"damped after opening, ζ = {zeta:g}" if zeta else "not damped after opening, ζ = 0"


def draw_outflow(
    series: Mapping[tuple[float, str, float], Sequence[Any]],
    zetas: Sequence[float],
    shapes: Sequence[str],
    names: Mapping[Any, str],
    grains: int,
    until: float,
) -> Any:
    """Grains through the opening against time: a row of panels per damping, an opening a panel, a line per seed.

    series   by damping, shape and opening: tables with `time` and `through`
    """
    import matplotlib.pyplot as plt

    wide = sorted({aperture for zeta, shape, aperture in series if shape in shapes and zeta in zetas})
    size = (1.95 * len(wide) + 0.7, 2.3 * len(zetas) + 0.5)
    figure, panels = plt.subplots(
        len(zetas), len(wide), figsize=size, sharex=True, sharey=True, layout="constrained", squeeze=False
    )
    tints = {shape: TINTS[list(names).index(shape)] for shape in shapes}
    for row, zeta in zip(panels, zetas, strict=True):
        for axes, aperture in zip(row, wide, strict=True):
            for shape in shapes:
                for number, table in enumerate(series.get((zeta, shape, aperture), ())):
                    time, through = table["time"], table["through"]
                    if through[-1] >= grains:  # all are out, and stay so
                        time, through = np.append(time, until), np.append(through, grains)
                    axes.plot(time, through, color=tints[shape], lw=0.8, alpha=0.85, label=names[shape] if number == 0 else None)
            axes.set(xlim=(0.0, until), ylim=(0.0, 1.03 * grains))
        row[0].set_ylabel(f"ζ = {zeta:g}\ngrains through")
    for axes, aperture in zip(panels[0], wide, strict=True):
        axes.set_title(f"{aperture:g} m", fontsize=10)
    for axes in panels[-1]:
        axes.set_xlabel("time [s]")
    panels[0][0].legend(fontsize=8, loc="upper left")
    return figure


def draw_paper(ends: Sequence[Sequence[tuple[str, Any, np.ndarray, np.ndarray] | None]], width: float) -> Any:
    """EPL08 fig 6: the grains at the end, disks left, cows right, the narrower opening above; colours are layers of the bed.

    ends    rows of panels: a title, the scene, where its bodies are (bodies, 4): x, y, angle, present, and who forms an arch;
            None for a run that is not there
    width   of the bin [m]
    """
    import matplotlib.pyplot as plt

    half, shown_ones = 0.53 * width, [each for row in ends for each in row if each is not None]
    top = ABOVE + max((float(bodies[:-2, 1].max()) for _, _, bodies, _ in shown_ones), default=width)  # walls come last
    size = (4.0 * len(ends[0]) + 0.5, 4.0 * len(ends) * (top - BELOW) / (2.0 * half) + 0.5)
    figure, panels = plt.subplots(
        len(ends), len(ends[0]), figsize=size, sharex=True, sharey=True, layout="constrained", squeeze=False
    )
    for axes, shown in zip(panels.flat, [each for row in ends for each in row], strict=True):
        if shown is None:
            axes.axis("off")
            continue
        title, scene, bodies, arch = shown
        outlines = scene_outlines(scene)
        walls, grains = np.flatnonzero(outlines.big), np.flatnonzero(~outlines.big)
        colours = np.array(COLOURS)[LAYERS * np.arange(grains.size) // grains.size % len(COLOURS)]  # filled in this order
        draw_bodies(axes, outlines, walls, bodies[:, :2], bodies[:, 2], facecolor="0.25", edgecolor="0.25", lw=1.2)
        there = bodies[grains, 3] != 0.0
        draw_bodies(axes, outlines, grains[there], bodies[:, :2], bodies[:, 2], facecolor=colours[there], lw=0.25)
        if arch.size:
            draw_bodies(axes, outlines, arch, bodies[:, :2], bodies[:, 2], facecolor="none", edgecolor="k", lw=1.8)
        axes.set_aspect("equal")
        axes.set(xlim=(-half, half), ylim=(BELOW, top), xlabel="x [m]", ylabel="y [m]", title=title)
        axes.label_outer()
    return figure
