"""Kinds of pairs: two round bodies, a round body that probes another, and all others. Each has a loop of its own, or one would
slow down the other; a kind that a scene does not have is not compiled."""

from types import SimpleNamespace
from typing import Any

from clast.backend.device import device
from clast.dynamics.blocks import blocks_of, room_of
from clast.dynamics.forces import forces_with_memory, forces_without_memory
from clast.dynamics.loops import loop_of

# marks of pairs in the lists; the kinds that a scene has are bits: 1 << kind
OTHERS, TWO_ROUND, ONE_ROUND = range(3)


def marked(width: int, mark: int, wanted: tuple[int, ...]) -> Any:
    """`is_mine(p, world)`: whether the mark of a pair is one of those wanted; for rows of Contacts.pair of some width and the
    column of their mark."""
    bits = sum(1 << each for each in wanted)

    @device
    def is_mine(p, world):
        return (bits >> world.contacts.pair[width * p + mark]) & 1 != 0

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


def kinds_of(choice: SimpleNamespace, made: dict[tuple[int, ...], Any], width: int, mark: int) -> list[tuple[Any, Any]]:
    """The kinds of pairs of a scene: `is_mine` and geometry of each. `made` makes the geometry of pairs with certain marks."""
    present = {marks: make for marks, make in made.items() if any(choice.kinds >> mark & 1 for mark in marks)}
    if len(present) == 1:
        return [(every_pair, make()) for make in present.values()]
    return [(marked(width, mark, marks), make()) for marks, make in present.items()]


def forces_of_kinds(
    kinds: list[tuple[Any, Any]], law: SimpleNamespace, choice: SimpleNamespace
) -> tuple[tuple[Any, ...], tuple[int, int]]:
    """The loops of the stage of forces, and the floats and integers that each thread needs for blocks of contacts.

    Contacts that remember go in blocks; Gear's method and laws without memory one contact after the other.
    """
    if choice.remembers and not choice.gear:
        rooms = [room_of(geometry, law) for _, geometry in kinds]
        room = max(floats for floats, _ in rooms), max(integers for _, integers in rooms)
        return tuple(blocks_of(geometry, law, is_mine, room) for is_mine, geometry in kinds), room
    forces_of = forces_with_memory if choice.remembers else forces_without_memory
    return tuple(loop_of(only(is_mine, forces_of(geometry, law))) for is_mine, geometry in kinds), (0, 0)
