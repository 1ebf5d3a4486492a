"""The family of sharp polyhedra: what the engine does with its tables. Its passes: `clast.dynamics.sharp.passes`."""

from __future__ import annotations

import numpy as np

from clast.contact.overlap import LINKS, POINTS
from clast.contact.polyhedra import Polyhedra
from clast.dynamics.arrays import Scratch
from clast.dynamics.depth import SHARP
from clast.dynamics.room import scratch
from clast.dynamics.sharp import passes
from clast.dynamics.sharp.arrays import Workspace
from clast.dynamics.sharp.columns import CONSTANT
from clast.dynamics.sharp.layout import TOGETHER, lay_out
from clast.dynamics.space import family as space
from clast.dynamics.space.family import (
    DIMENSION,
    SPINS,
    TABLE,
    VELOCITIES,
    as_today,
    kinetic,
    motion,
    slow,
    speeds,
    stop,
    with_derivatives,
)  # fmt: skip
from clast.neighbours.sweep import empty_sweep

PASSES = passes.__name__
WIDTHS = space.WIDTHS._replace(pair_constant=CONSTANT, overlaps=True)
MEMORY = space.MEMORY._replace(overlaps=True)
DEPTH = SHARP

__all__ = [
    "DEPTH", "DIMENSION", "MEMORY", "PASSES", "SPINS", "TABLE", "TOGETHER", "VELOCITIES", "WIDTHS", "as_today", "kinetic",
    "lay_out", "motion", "scratch_of", "searches", "slow", "speeds", "stop", "with_derivatives", "workspace",
]  # fmt: skip


def searches(period: np.ndarray) -> tuple[str, ...]:
    """Ways to find near pairs, the best first: by sorted boxes, but not across periodic sides."""
    return ("cells",) if period.any() else ("sweep", "cells")


def workspace(bodies: int, geometry: Polyhedra, pairs: int, search: str) -> Workspace:
    """Scratch of a rebuild."""
    return Workspace(
        np.zeros(4 * bodies + 66, np.int64), np.zeros(bodies, np.int64), np.zeros(bodies, np.int64),
        np.zeros((pairs, 5), np.int32), np.zeros((pairs, 5), np.int32), np.zeros(bodies + 1, np.int64),
        empty_sweep(bodies), np.array([search == "sweep"], np.uint8), np.zeros(POINTS * int(geometry.room[0])),
    )  # fmt: skip


def scratch_of(geometry: Polyhedra, threads: int) -> Scratch:
    """Room in which each thread can cut any two pieces."""
    room = int(geometry.room[0])
    return scratch(threads, POINTS * room, LINKS * room)
