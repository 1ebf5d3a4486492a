"""Bonds in a picture: a line along each face, coloured by what it carries; broken ones in black."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clast.algebra.lattice import put_back
from clast.measures.bonded import bonds_at, bonds_of, fates_at
from clast.measures.stored import StoredRun, frame_at, frame_period

BROKEN, WIDTH, CRACK = "k", 1.4, 2.2  # colour and widths in points
COLOURS = "coolwarm"  # compressed blue, pulled red


def draw_bonds(axes: Any, run: StoredRun, frame: int = -1, most: float | None = None) -> Any:
    """Add the bonds of a frame to a picture of a run in the plane; returns what a colour bar is made of, None if none is whole.

    A line lies along the face of each bond; red where it is pulled and blue where it is pressed, by force; black where it broke.
    `most` is the force of the deepest colours, that of `usual_force` if not given.
    """
    bonds, (steps, _), lying, stored = bonds_of(run), fates_at(run, frame), bonds_at(run, frame), frame_at(run, frame)
    if bonds.size == 0:
        return None
    pulls = (np.asarray(stored["bond_forces"], float) * lying.normals).sum(axis=1)
    points = put_back(lying.points, frame_period(run, stored), 0.0)
    return draw_faces(axes, points, lying.normals, bonds.width, pulls, steps < 0, usual_force(pulls) if most is None else most)


def force_in(run: StoredRun, frames: Sequence[int]) -> float:
    """The force that few bonds exceed in any of some frames: one scale for all of them."""
    return max(usual_force(np.hypot(*np.asarray(frame_at(run, each)["bond_forces"], float).T)) for each in frames)


def usual_force(pulls: np.ndarray) -> float:
    """What all but the largest fiftieth of forces stay below; 1 where there are none."""
    return float(np.quantile(np.abs(pulls), 0.98)) or 1.0


def draw_faces(
    axes: Any, points: np.ndarray, normals: np.ndarray, widths: np.ndarray, pulls: np.ndarray, holding: np.ndarray, most: float
) -> Any:
    """Add faces (m, 2) with unit normals (m, 2) and widths (m,); `pulls` (m,) are forces, pulling positive, `most` that of the
    deepest colours; `holding` (m,) is True for whole bonds."""
    from matplotlib.collections import LineCollection

    along = 0.5 * widths[:, None] * np.stack([-normals[:, 1], normals[:, 0]], axis=1)
    lines: Any = np.stack([points - along, points + along], axis=1)
    axes.add_collection(LineCollection(lines[~holding], colors=BROKEN, linewidths=CRACK, capstyle="round", zorder=4))
    if not holding.any():
        return None
    whole = LineCollection(lines[holding], cmap=COLOURS, linewidths=WIDTH, zorder=3)
    whole.set_array(pulls[holding])
    whole.set_clim(-most, most)
    axes.add_collection(whole)
    return whole
