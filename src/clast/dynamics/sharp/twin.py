"""What an engine asks about sharp bodies in space: name by name as `clast.dynamics.space.twin`, much of which holds here."""

from __future__ import annotations

import numpy as np

from clast.backend.bind import SHARP
from clast.backend.threads import LAUNCHED
from clast.contact.overlap import LINKS, POINTS
from clast.contact.polyhedra import Polyhedra
from clast.dynamics.sharp.arrays import CONSTANT, WIDTH, Contacts, Forces, Workspace
from clast.dynamics.sharp.layout import lay_out
from clast.dynamics.sharp.memory import put_springs, springs_of
from clast.dynamics.sharp.timestep import safe_step, unstable_step
from clast.dynamics.space.arrays import LOSS, PAIR, PULL
from clast.dynamics.space.twin import (
    DIMENSION,
    PER_BODY,
    TABLE,
    Memory,
    as_today,
    with_derivatives,
    kinetic,
    meet,
    motion,
    slow,
    speeds,
    stop,
)
from clast.neighbours.sweep import empty_sweep

TEMPLATE = SHARP
DEPTH_OF, TOO_DEEP = "the length of the pair", "more than a quarter of the smaller volume"  # for messages
CURE = "take a larger Young modulus, a lower or slower load"

__all__ = [
    "DIMENSION", "PER_BODY", "TABLE", "Memory", "as_today", "with_derivatives", "kinetic", "lay_out", "meet", "motion", "put_springs", "safe_step",
    "slow", "speeds", "springs_of", "stop", "unstable_step",
]  # fmt: skip


def searches(period: np.ndarray) -> tuple[str, ...]:
    """Ways to find near pairs, the best first: by sorted boxes, but not across periodic sides."""
    return ("cells",) if period.any() else ("sweep", "cells")


def workspace(bodies: int, features: int, pairs: int, search: str) -> Workspace:
    """Scratch of a rebuild; `features` is not needed here."""
    return Workspace(
        np.zeros(4 * bodies + 66, np.int64), np.zeros(bodies, np.int64), np.zeros(bodies, np.int64),
        np.zeros((pairs, 5), np.int32), np.zeros((pairs, 5), np.int32), np.zeros(bodies + 1, np.int64),
        empty_sweep(bodies), np.array([search == "sweep"], np.uint8),
    )  # fmt: skip


def empty_lists(bodies: int, pairs: int, candidates: int, kept: int, extra: int, rolling: int) -> Contacts:
    """Lists with room; `kept` is the number of candidates that may remember something."""
    return Contacts(
        np.zeros((pairs + 1, PAIR), np.uint32), np.zeros((pairs, CONSTANT)), np.zeros((pairs, 3), np.int32),
        np.zeros((candidates, 2), np.uint32), np.zeros((kept, WIDTH)), np.zeros(kept),
        np.zeros(bodies + 1, np.uint32), np.zeros(bodies + 1, np.uint32), np.zeros(pairs, np.uint32), np.zeros((bodies, 8)),
        np.zeros((1, 1)), np.zeros((1, 1), np.int64),
    )  # fmt: skip


def with_scratch(lists: Contacts, geometry: Polyhedra) -> Contacts:
    """The lists with scratch in which each thread can cut any two pieces."""
    room = int(geometry.room[0])
    return lists._replace(
        point=np.zeros((LAUNCHED, POINTS * room)), link=np.zeros((LAUNCHED, LINKS * room), np.int64)
    )  # fmt: skip


def empty_forces(pairs: int, kept: int) -> Forces:
    """Force tables with room for `pairs`, of which `kept` lose energy."""
    return Forces(np.zeros((pairs, PULL)), np.zeros((kept, LOSS)), np.zeros((kept, PULL)))


def without_extra(memory: np.ndarray) -> np.ndarray:
    """What another law may take over: all of it, for laws of overlaps remember the same."""
    return memory
