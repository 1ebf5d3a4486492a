"""Frames of a run as blocks for the page: where bodies are, how fast, how hard pressed, and what touches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clast.algebra.tensors import lengths
from clast.measures.stored import grains_of, sizes_of
from clast.measures.touching import Contacts, contacts_at
from clast.output.viewer.packed import Block

if TYPE_CHECKING:
    from clast.output.store.reader import Frame, Run

Array = np.ndarray[Any, Any]
FINE = 400.0  # places are kept to this part of the reach of a small grain
TURN = 1.0 / 512.0  # radians
QUATERNION = 1.0 / 2048.0
ARM = 30.0  # contact points are kept to this part of the reach of a small grain
BODIES_PER_BLOCK = 25_000  # bodies × frames: so many make some hundred kilobytes
MOST_FRAMES = 25  # of a block


@dataclass
class Framed:
    """Chosen frames of a run, cut into blocks.

    chosen   numbers of the frames, in order
    reach    of every body (n,)
    """

    run: Run
    chosen: list[int]
    reach: Array

    @cached_property
    def per_block(self) -> int:
        """Frames of a block; the last may have fewer."""
        return int(np.clip(BODIES_PER_BLOCK // max(len(self.reach), 1), 1, MOST_FRAMES))

    @property
    def blocks(self) -> int:
        """How many there are."""
        return -(-len(self.chosen) // self.per_block)

    @cached_property
    def small(self) -> float:
        """Reach of a small grain, of which there are still many."""
        grains = self.reach[grains_of(self.run)]
        return float(np.quantile(grains if grains.size else self.reach, 0.05)) or 1.0

    def block(self, number: int, level: int = 6) -> bytes:
        """Block `number` (from 0), deflated at `level`."""
        first = number * self.per_block
        numbers = self.chosen[first : first + self.per_block]
        frames = [self.run.frames[k] for k in numbers]
        block = Block(first=first, count=len(frames))
        block.steps("positions", np.stack([frame.positions.T for frame in frames]), self.small / FINE)
        if self.run.in_space:
            turns = along(np.stack([frame.orientations for frame in frames]))
            block.steps("orientations", turns.swapaxes(1, 2), QUATERNION)
        else:
            block.steps("angles", np.stack([frame.angles for frame in frames]), TURN)
        block.halves("speed", np.stack([lengths(frame.velocities) for frame in frames]))
        block.halves("spin", np.stack([spin_of(frame) for frame in frames]))
        if "present" in frames[0].names:
            block.raw("present", np.stack([frame.present for frame in frames]), "uint8")
        if "period" in frames[0].names:
            block.raw("period", np.stack([frame.period for frame in frames]), "float32")
        if has_contacts(self.run):
            self._put_contacts(block, numbers)
        return block.packed(level)

    def _put_contacts(self, block: Block, numbers: list[int]) -> None:
        """Pressure of the grains; pairs that touch, one frame after the other, sorted by ids."""
        pressures, tables = [], []
        for number in numbers:
            contacts = contacts_at(self.run, number)
            pressures.append(pressure_of(contacts, sizes_of(self.run)))
            tables.append(touching(contacts))
        block.halves("pressure", np.stack(pressures))
        block.raw("contact_count", np.array([len(table[0]) for table in tables]), "uint32")
        bodies, forces, arms = (np.concatenate(each) for each in zip(*tables, strict=True))
        block.steps("contact_first", bodies[:, 0], 1.0)
        block.steps("contact_second", (bodies[:, 1] - bodies[:, 0])[None], 1.0)
        block.halves("contact_force", forces)
        block.steps("contact_arm", arms.T[None], self.small / ARM)


def has_contacts(run: Run) -> bool:
    """Whether what touches was stored with every frame."""
    return len(run.contacts) == len(run.frames) > 0


def along(turns: Array) -> Array:
    """Quaternions (f, n, 4) with the sign that is nearer to that of the frame before: q and −q are one turn."""
    flips: Array = np.where(np.einsum("fnk,fnk->fn", turns[1:], turns[:-1]) < 0.0, -1.0, 1.0)
    signs = np.concatenate([np.ones((1, turns.shape[1])), np.cumprod(flips, axis=0)])
    return turns * signs[:, :, None]


def spin_of(frame: Frame) -> Array:
    """Spin (n,) [rad/time]: with its sign in the plane, its size in space."""
    return frame.spins if frame.spins.ndim == 1 else lengths(frame.spins)


def pressure_of(contacts: Contacts, sizes: Array) -> Array:
    """Mean of the principal stresses in every body (n,), compression positive: −Σ f · l / (d A), in space V, f the force on
    it and l from its centre to the contact."""
    total = np.zeros(len(sizes))
    for side, arms, sign in ((0, contacts.first_arms, -1.0), (1, contacts.second_arms, 1.0)):
        work = sign * np.einsum("ka,ka->k", contacts.forces, arms)
        total += np.bincount(contacts.bodies[:, side], weights=work, minlength=len(sizes))
    return np.where(sizes > 0.0, total / (contacts.forces.shape[1] * np.where(sizes > 0.0, sizes, 1.0)), 0.0)


def touching(contacts: Contacts) -> tuple[Array, Array, Array]:
    """Pairs that touch: ids (m, 2), the smaller first but a wall last; size of the force (m,) all contacts of the pair carry
    together; and where they touch, in the middle of their contacts, from the centre of the first (m, d)."""
    if len(contacts.bodies) == 0:
        return np.zeros((0, 2), np.int64), np.zeros(0), np.zeros((0, contacts.forces.shape[1]))
    swapped: Array = np.where(contacts.big[:, 0] != contacts.big[:, 1], contacts.big[:, 0],
                       contacts.bodies[:, 0] > contacts.bodies[:, 1])  # fmt: skip
    first = np.where(swapped, contacts.bodies[:, 1], contacts.bodies[:, 0])
    second = np.where(swapped, contacts.bodies[:, 0], contacts.bodies[:, 1])
    arms = np.where(swapped[:, None], contacts.second_arms, contacts.first_arms)
    forces = np.where(swapped[:, None], -contacts.forces, contacts.forces)
    images = np.where(contacts.big.any(axis=1, keepdims=True), 0, np.where(swapped[:, None], -contacts.images, contacts.images))
    key = np.column_stack([first, second, images])
    order = np.lexsort(key.T[::-1])
    starts = np.flatnonzero(np.append(True, np.diff(key[order], axis=0).any(axis=1)))
    rows = np.diff(np.append(starts, len(order)))
    summed = lengths(np.add.reduceat(forces[order], starts, axis=0))
    middle = np.add.reduceat(arms[order], starts, axis=0) / rows[:, None]
    return key[order][starts, :2], summed, middle
