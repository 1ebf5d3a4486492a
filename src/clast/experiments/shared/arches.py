"""Arches above an opening: the shortest chain of contacts from one wall to the other."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np


class Contacts(Protocol):
    """What is needed of contacts, of an engine or a stored frame; see `clast.dynamics.named_contacts`."""

    @property
    def bodies(self) -> np.ndarray:
        """Both ids (k, 2)."""

    @property
    def counts(self) -> np.ndarray:
        """How much each counts (k,)."""

    @property
    def first_arms(self) -> np.ndarray:
        """From the centre of the first body (k, 2)."""

    @property
    def second_arms(self) -> np.ndarray:
        """From the centre of the second body (k, 2)."""


@dataclass(frozen=True)
class Arch:
    """A chain of grains that touch, from wall to wall.

    grains   their ids, from the left wall to the right
    length   from the contact with one wall through the centres of mass to the contact with the other [length]
    """

    grains: np.ndarray
    length: float


NO_ARCH = Arch(np.zeros(0, int), math.nan)


def arch_between(left: int, right: int, contacts: Contacts, bodies: int) -> Arch:
    """The chain of the least length between two walls; `NO_ARCH` where no chain leads across.

    bodies   number of bodies of the scene
    """
    counting = np.flatnonzero(contacts.counts > 0.0)
    touching, here, there = contacts.bodies[counting], contacts.first_arms[counting], contacts.second_arms[counting]
    at_first, at_second = np.isin(touching, (left, right)).T
    step = np.linalg.norm(here - there, axis=1)
    step[at_first] = np.linalg.norm(there[at_first], axis=1)  # a wall has no centre: from the contact
    step[at_second] = np.linalg.norm(here[at_second], axis=1)
    return shortest_chain(touching, step, left, right, bodies)


def shortest_chain(touching: np.ndarray, step: np.ndarray, left: int, right: int, bodies: int) -> Arch:
    """The chain of the least length among contacts (k, 2), each of which leads `step` (k,) > 0 further."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    low, high = touching.min(axis=1, initial=bodies), touching.max(axis=1, initial=0)
    order = np.lexsort((step, high, low))  # bodies may touch in several places: the nearest is first
    ends = np.stack([low, high], axis=1)[order]
    once = np.flatnonzero(np.r_[True, (ends[1:] != ends[:-1]).any(axis=1)][: len(ends)])
    graph = csr_matrix((step[order][once], (ends[once, 0], ends[once, 1])), shape=(bodies, bodies))
    lengths, before = dijkstra(graph, directed=False, indices=left, return_predecessors=True)
    if not np.isfinite(lengths[right]):
        return NO_ARCH
    chain, body = [], int(before[right])
    while body != left:
        chain.append(body)
        body = int(before[body])
    return Arch(np.array(chain[::-1], int), float(lengths[right]))
