"""A bin above a funnel of 45° in space, the grains in it, and the flow through its opening."""

from __future__ import annotations

import math

import numpy as np

from clast.errors import InputError
from clast.experiments.shared.space import DIAMETER
from clast.scene.space import Scene3D
from clast.shapes.space.forms import hopper
from clast.shapes.space.make import plate
from clast.shapes.space.solid import Solid

WALL = 0.1  # sphero-radius of the walls
SIDES = 8  # of the funnel: nearly round
BEVERLOO = 1.4  # k of spheres: grains that the edge of the opening takes from its width


def layers(room: tuple[np.ndarray, np.ndarray], grains: int, opening: float, width: float) -> np.ndarray:
    """Places (grains, 3) from the gate up, as many in a layer as the funnel is wide there; InputError if the bin is too narrow.

    room             lowest and highest corner (3,), from its centre of mass, of the room for a grain
    opening, width   clear widths of funnel and bin [DIAMETER]
    """
    low, wide = (0.5 * each * DIAMETER + WALL for each in (opening, width))
    below, above = room
    pitch = above - below
    found: list[np.ndarray] = []
    left, z = grains, WALL - below[2]
    most = int(2.0 * wide / pitch[:2].min()) + 2
    steps = np.arange(-most, most + 1)
    x, y = (each.ravel() for each in np.meshgrid(steps * pitch[0], steps * pitch[1], indexing="ij"))
    corners = np.stack([np.hypot(x + a, y + b) for a in (below[0], above[0]) for b in (below[1], above[1])]).max(axis=0)
    while left > 0:
        clear = min(wide - WALL, low + z + below[2] - math.sqrt(2.0) * WALL)
        inside = np.flatnonzero(corners <= clear)[:left]
        found.append(np.column_stack([x[inside], y[inside], np.full(inside.size, z)]))
        left, z = left - inside.size, z + (pitch[2] if inside.size else 0.1)
        if z > 1e3 * pitch[2]:
            raise InputError(f"a bin of --width {width} has no room for a grain; widen it")
    return np.concatenate(found)


def add_funnel(scene: Scene3D, opening: float, width: float, top: float) -> None:
    """Add the walls, named "funnel"; the bin reaches 2 above `top` [length]. Clear widths in DIAMETER."""
    low, wide = (each * DIAMETER + 2.0 * WALL for each in (opening, width))
    height = 0.5 * (wide - low)
    scene.add_wall(hopper(low, wide, height, WALL, sides=SIDES, bin_height=max(1.0, top + 2.0 - height)), name="funnel")


def gate(opening: float) -> Solid:
    """A square plate under the opening [DIAMETER]."""
    far = 0.6 * (opening * DIAMETER + 2.0 * WALL)
    return plate([(-far, -far, 0.0), (far, -far, 0.0), (far, far, 0.0), (-far, far, 0.0)], WALL)
