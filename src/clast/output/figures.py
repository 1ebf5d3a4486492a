"""Pictures from a stored run, never from a live one."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from clast.output.reader import Run

ARC = 8  # chords per quarter circle of a rounded corner


def outlines(run: Run) -> list[np.ndarray]:
    """Outline of each shape of a run, in its body frame: skeleton ⊕ disk, outer ring only."""
    import shapely

    scene = run.scene
    rings = []
    for k in range(len(scene["shape_radius"])):
        corners = scene["shape_vertices"][scene["shape_first_vertex"][k] : scene["shape_first_vertex"][k + 1]]
        edges = scene["shape_edges"][scene["shape_first_edge"][k] : scene["shape_first_edge"][k + 1]]
        if scene["shape_closed"][k]:
            skeleton = shapely.Polygon(corners)
        elif len(edges):
            skeleton = shapely.MultiLineString([corners[edge] for edge in edges])
        else:
            skeleton = shapely.MultiPoint(corners)
        body = skeleton.buffer(float(scene["shape_radius"][k]), quad_segs=ARC)
        if body.geom_type == "MultiPolygon":
            body = max(body.geoms, key=lambda part: part.area)
        rings.append(np.asarray(body.exterior.coords))
    return rings


def draw_frames(axes: Any, run: Run, chosen: Iterable[int]) -> None:
    """Draw configurations into one picture, later ones darker; periodic images where a body crosses a side."""
    from matplotlib.collections import PolyCollection

    scene = run.scene
    rings = outlines(run)
    period = scene["period"]
    chosen = list(chosen)
    big = scene["body_big"]
    for order, index in enumerate(chosen):
        frame = run.frames[index]
        positions = frame.positions.copy()
        for axis in range(2):
            if period[axis] > 0.0:
                positions[~big, axis] %= period[axis]
        for walls in (True, False):
            if walls and order > 0:
                continue
            polygons = []
            for body in np.flatnonzero(big == walls):
                c, s = np.cos(frame.angles[body]), np.sin(frame.angles[body])
                ring = rings[scene["body_shape"][body]] @ np.array([[c, s], [-s, c]]) + positions[body]
                polygons.append(ring)
                for axis in range(2):  # the other half of a body that crosses a side
                    if period[axis] > 0.0 and not walls:
                        shift = np.zeros(2)
                        if ring[:, axis].min() < 0.0:
                            shift[axis] = period[axis]
                        elif ring[:, axis].max() > period[axis]:
                            shift[axis] = -period[axis]
                        if shift.any():
                            polygons.append(ring + shift)
            shade = 0.25 + 0.6 * (order + 1) / len(chosen)
            axes.add_collection(
                PolyCollection(
                    polygons, facecolor="0.55" if walls else "C0", edgecolor="k", lw=0.3, alpha=1.0 if walls else shade
                )
            )
    axes.autoscale_view()
    axes.set_aspect("equal")
    if period[0] > 0.0:
        axes.set_xlim(0.0, period[0])
    if period[1] > 0.0:
        axes.set_ylim(0.0, period[1])


def save_figure(figure: Any, path: Path) -> Path:
    """Write a figure and let go of it."""
    import matplotlib.pyplot as plt

    figure.savefig(path, dpi=130)
    plt.close(figure)
    return path
