"""Empty tables of a run, with room for so many pairs and candidates; how wide they are is up to the family of its bodies."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clast.backend.lines import zeros
from clast.dynamics.arrays import Forces, Lists, Scratch
from clast.dynamics.contacts.heats import LOSS


class Widths(NamedTuple):
    """Numbers in a row of the tables of `Lists` and `Forces`; those of springs see `contacts.memory.ContactMemory.columns`."""

    pair: int
    pair_constant: int
    image: int
    reference: int
    pull: int  # of Forces.more and work; Forces.pair has twice as many
    weight: type  # of Lists.weight: how much a contact counts is a whole number, or not
    overlaps: bool = False  # whether pushes have a part without a potential, and none is balanced where a contact opens or closes


def empty_lists(widths: Widths, spring: int, bodies: int, pairs: int, candidates: int, springs: int) -> Lists:
    """Lists with room; `springs` is the number of candidates that may remember something, `spring` numbers each."""
    return Lists(
        pair=zeros((pairs + 1, widths.pair), np.uint32),
        pair_constant=zeros((pairs, widths.pair_constant)),
        image=zeros((pairs, widths.image), np.int32),
        candidate=zeros((candidates, 2), np.uint32),
        spring=zeros((springs, spring)),
        weight=zeros(springs, widths.weight),
        first_pair=zeros(bodies + 1, np.uint32),
        first_other=zeros(bodies + 1, np.uint32),
        other=zeros(pairs, np.uint32),
        reference=zeros((bodies, widths.reference)),
    )


def filled_in(arrays: dict[str, np.ndarray], gain: int, mid_step: int, before: Callable[[], np.ndarray]) -> dict[str, np.ndarray]:
    """Arrays of a checkpoint, older ones with what they lack: gains, and velocities of half a step ago.

    gain, mid_step   numbers of a row of both
    before           velocities of half a step ago, of a run by Gear's method
    """
    arrays = {"gain": np.zeros((1, gain)), **arrays}
    if "mid_step" in arrays:
        return arrays
    verlet = arrays["gear"].shape[2] == 1
    return {**arrays, "mid_step": np.zeros((1, mid_step)) if verlet else before()}


def empty_forces(widths: Widths, pairs: int, lossy: int, left: int) -> Forces:
    """Force tables with room for `pairs`, of which `lossy` lose energy and `left` leave it to their bodies to book that."""
    return Forces(
        pair=zeros((pairs, 2 * widths.pull)),
        refine=zeros(pairs, np.uint8),
        more=zeros((1 if widths.overlaps else pairs, widths.pull)),
        work=zeros((lossy if widths.overlaps else 1, widths.pull)),
        loss=zeros((left, LOSS)),
    )


def scratch_for_blocks(geometry: Any, threads: int, room: tuple[int, int]) -> Scratch:
    """Scratch of a family that needs room for blocks of contacts only: floats and integers of each thread."""
    return scratch(threads, *room)


def scratch(threads: int, floats: int, integers: int) -> Scratch:
    """Room for so many numbers of each thread, at least one in all, without a table of contacts."""
    return Scratch(zeros(max(threads * floats, 1)), zeros(max(threads * integers, 1), np.int64), zeros(0), zeros(0, np.int64))
