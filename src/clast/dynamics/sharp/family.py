"""The family of sharp polyhedra: what the engine does with its tables. Its passes: `clast.dynamics.sharp.passes`."""

from __future__ import annotations

import numpy as np

from clast.contact.overlap import LINKS, POINTS
from clast.contact.polyhedra import Polyhedra
from clast.dynamics.arrays import Contacts, Forces, Scratch, no_scratch
from clast.dynamics.sharp import passes
from clast.dynamics.sharp.arrays import Workspace
from clast.dynamics.sharp.columns import CONSTANT, WIDTH
from clast.dynamics.sharp.layout import lay_out
from clast.dynamics.sharp.memory import put_springs, springs_of
from clast.dynamics.sharp.timestep import safe_step, unstable_step
from clast.dynamics.space.columns import LOSS, PAIR, PULL
from clast.dynamics.space.family import (
    DIMENSION,
    PER_BODY,
    TABLE,
    Memory,
    as_today,
    kinetic,
    meet,
    motion,
    slow,
    speeds,
    stop,
    with_derivatives,
)
from clast.neighbours.sweep import empty_sweep

PASSES = passes.__name__
DEPTH_OF, TOO_DEEP = "the length of the pair", "more than a quarter of the smaller volume"  # for messages
CURE = "take a larger Young modulus, a lower or slower load"

__all__ = [
    "DIMENSION",
    "PER_BODY",
    "TABLE",
    "Memory",
    "as_today",
    "kinetic",
    "lay_out",
    "meet",
    "motion",
    "put_springs",
    "safe_step",
    "slow",
    "speeds",
    "springs_of",
    "stop",
    "unstable_step",
    "with_derivatives",
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


def empty_lists(bodies: int, pairs: int, candidates: int, kept: int, extra: int, rolling: int) -> Contacts:
    """Lists with room; `kept` is the number of candidates that may remember something."""
    return Contacts(
        np.zeros((pairs + 1, PAIR), np.uint32), np.zeros((pairs, CONSTANT)), np.zeros((pairs, 3), np.int32),
        np.zeros((candidates, 2), np.uint32), np.zeros((kept, WIDTH)), np.zeros(kept),
        np.zeros(bodies + 1, np.uint32), np.zeros(bodies + 1, np.uint32), np.zeros(pairs, np.uint32), np.zeros((bodies, 8)),
    )  # fmt: skip


def scratch_of(geometry: Polyhedra, threads: int) -> Scratch:
    """Room in which each thread can cut any two pieces."""
    room = int(geometry.room[0])
    return no_scratch()._replace(floats=np.zeros(threads * POINTS * room), integers=np.zeros(threads * LINKS * room, np.int64))


def empty_forces(pairs: int, kept: int) -> Forces:
    """Force tables with room for `pairs`, of which `kept` lose energy."""
    return Forces(
        np.zeros((pairs, PULL)), np.zeros((kept, LOSS)), np.zeros(pairs, np.uint8), np.zeros((1, PULL)), np.zeros((kept, PULL))
    )  # fmt: skip


def without_extra(memory: np.ndarray) -> np.ndarray:
    """What another law may take over: all of it, for laws of overlaps remember the same."""
    return memory
