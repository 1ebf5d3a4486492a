"""The range loop of a pass, one piece of machine code: what an executor runs a part of a stage by."""

from typing import Any

import numpy as np

from clast.backend.device import device, routine, stay_whole, unsigned

STOP, CHANGES, FAST = 1, 2, 4  # marks of a pass: the stretch must end here; a contact opens or closes; a body may pass unseen


def loop_of(one_pass: Any) -> Any:
    """A pass over a range as one piece of machine code: the first index with the mark STOP, or −1, and the marks of all."""

    @routine
    def loop(low, high, world):
        stay_whole()
        first, marks = np.int64(-1), np.int64(0)
        for q in range(low, high):
            mark = one_pass(unsigned(q), world)
            marks |= mark
            if mark & STOP and first < 0:
                first = np.int64(q)
        return first, marks

    return loop


def loops_of(several: list[tuple[int, Any]]) -> Any:
    """`loops(low, high, kinds, world)`: loops over kinds of pairs one after the other, as one. Each is given with the bits of its
    kinds, and run where a scene has some of them; one that is alone takes all pairs."""
    if len(several) == 1:
        alone = several[0][1]
        return device(lambda low, high, kinds, world: alone(low, high, world))
    return one_after_the_other(several)


def one_after_the_other(several: list[tuple[int, Any]]) -> Any:
    """`loops_of` two or more."""
    (bits, loop), rest = several[0], several[1:]

    @device
    def where_there_are(low, high, kinds, world):
        return loop(low, high, world) if kinds & bits else (np.int64(-1), np.int64(0))

    if not rest:
        return where_there_are
    others = one_after_the_other(rest)

    @device
    def loops(low, high, kinds, world):
        first, marks = where_there_are(low, high, kinds, world)
        other, more = others(low, high, kinds, world)
        return (first if other < 0 or 0 <= first < other else other), marks | more

    return loops
