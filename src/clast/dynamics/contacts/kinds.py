"""Kinds of pairs: two round bodies, a round body that probes another, and all others. Each has a loop of its own, or one would
slow down the other; loops of kinds that a scene does not have are not run. Kinds are compiled in few sets, so that disks alone
and disks between walls share their machine code."""

from types import SimpleNamespace
from typing import Any, NamedTuple

from clast.backend.device import device
from clast.dynamics.contacts.blocks import blocks_of, room_of
from clast.dynamics.contacts.forces import forces_with_memory, forces_without_memory
from clast.dynamics.contacts.heats import book_at_once
from clast.dynamics.loops import loop_of

# marks of pairs in the lists; the kinds that a scene has are bits: 1 << kind
OTHERS, TWO_ROUND, ONE_ROUND = range(3)
ONLY_OTHERS, ONLY_ROUND, ALL_KINDS = 1 << OTHERS, (1 << TWO_ROUND) | (1 << ONE_ROUND), 7


class Kind(NamedTuple):
    """Pairs that have a loop of their own."""

    bits: int  # marks, 1 << mark each
    is_mine: Any  # (p, world) → whether pair p is one of them
    geometry: SimpleNamespace


def compiled_set(found: int, sets: tuple[int, ...]) -> int:
    """The first of the sets of kinds a family is compiled for that holds all of those found."""
    return next(each for each in sets if found & ~each == 0)


def marked(width: int, mark: int, bits: int) -> Any:
    """`is_mine(p, world)`: whether the mark of a pair is one of `bits`; for rows of Lists.pair of some width and the column of
    their mark."""

    @device
    def is_mine(p, world):
        return (bits >> world.lists.pair[width * p + mark]) & 1 != 0

    return is_mine


@device
def every_pair(p, world):
    """All pairs are alike."""
    return True


def only(is_mine: Any, one_pass: Any) -> Any:
    """A pass over some pairs."""

    @device
    def some_pairs(p, world):
        return one_pass(p, world) if is_mine(p, world) else 0

    return some_pairs


def kinds_of(choice: SimpleNamespace, made: dict[tuple[int, ...], Any], width: int, mark: int) -> list[Kind]:
    """The kinds of pairs to be compiled; `made` makes the geometry of pairs with certain marks, `width` and `mark` are as in
    `marked`."""
    found = [(sum(1 << each for each in marks), make) for marks, make in made.items()]
    present = [(bits, make) for bits, make in found if choice.kinds & bits]
    if len(present) == 1:
        return [Kind(bits, every_pair, make()) for bits, make in present]
    return [Kind(bits, marked(width, mark, bits), make()) for bits, make in present]


def forces_of_kinds(
    kinds: list[Kind], law: SimpleNamespace, choice: SimpleNamespace
) -> tuple[list[tuple[int, Any]], tuple[int, int]]:
    """The loops of the stage of forces, each with the bits of its kinds, and the floats and integers that each thread needs for
    blocks of contacts.

    Contacts go in blocks; with Gear's method one after the other.
    """
    if not choice.gear:
        rooms = [room_of(each.geometry, law) for each in kinds]
        room = max(floats for floats, _ in rooms), max(integers for _, integers in rooms)
        loops = [(each.bits, blocks_of(each.geometry, law, each.is_mine, room)) for each in kinds]
        return loops, room
    return [(bits, loop_of(one_pass)) for bits, one_pass in pair_passes(kinds, law, choice, book_at_once)], (0, 0)


def pair_passes(kinds: list[Kind], law: SimpleNamespace, choice: SimpleNamespace, book: Any) -> list[tuple[int, Any]]:
    """The passes of the stage of forces, one pair at a time, each with the bits of its kinds; `book` is one of `heats`."""
    if choice.remembers:
        made = [forces_with_memory(each.geometry, law, book) for each in kinds]
    else:
        made = [forces_without_memory(each.geometry, law) for each in kinds]
    return [(each.bits, only(each.is_mine, one_pass)) for each, one_pass in zip(kinds, made, strict=True)]
