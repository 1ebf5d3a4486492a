"""The family of sharp polyhedra: what the engine does with its tables. Its passes: `clast.dynamics.sharp.passes`."""

from __future__ import annotations

from clast.contact.sharp.overlap import LINKS, POINTS
from clast.contact.sharp.polyhedra import Polyhedra
from clast.dynamics.arrays import Scratch
from clast.dynamics.bodies.room import scratch
from clast.dynamics.contacts.depth import SHARP
from clast.dynamics.contacts.kinds import ONLY_OTHERS
from clast.dynamics.sharp import passes
from clast.dynamics.sharp.columns import CONSTANT
from clast.dynamics.sharp.layout import TOGETHER, lay_out
from clast.dynamics.sharp.listing import WORDS, room_of, trees_of
from clast.dynamics.space import family as space
from clast.dynamics.space.family import (
    DIMENSION,
    OFFSET,
    OFFSET_RATE,
    SPINS,
    TABLE,
    VELOCITIES,
    completed,
    kinetic,
    motion,
    slow,
    stop,
    with_derivatives,
    with_gains,
)  # fmt: skip

PASSES = passes.__name__
WIDTHS = space.WIDTHS._replace(pair_constant=CONSTANT, overlaps=True)
MEMORY = space.MEMORY._replace(overlaps=True)
KINDS: tuple[int, ...] = (ONLY_OTHERS,)
DEPTH = SHARP

__all__ = [
    "DEPTH", "DIMENSION", "KINDS", "MEMORY", "OFFSET", "OFFSET_RATE", "PASSES", "SPINS", "TABLE", "TOGETHER", "VELOCITIES",
    "WIDTHS", "WORDS", "completed", "kinetic", "lay_out", "motion", "room_of", "scratch_of", "slow", "stop", "trees_of",
    "with_derivatives", "with_gains",
]  # fmt: skip


def scratch_of(geometry: Polyhedra, threads: int, room: tuple[int, int]) -> Scratch:
    """Room in which each thread can cut any two pieces."""
    capacity = int(geometry.room[0])
    return scratch(threads, POINTS * capacity, LINKS * capacity)
