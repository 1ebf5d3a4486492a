"""The range loop of a pass, one piece of machine code: what an executor runs a part of a stage by."""

from typing import Any

import numpy as np

from clast.backend.device import device, routine, stay_whole, unsigned

STOP, CHANGES = 1, 2  # marks of a pass: the stretch must end here; a contact opens or closes


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


def loops_of(several: tuple[Any, ...]) -> Any:
    """Loops over kinds of pairs, one after the other, as one."""
    loop = several[0]
    if len(several) == 1:
        return loop
    others = loops_of(several[1:])

    @device
    def loops(low, high, world):
        first, marks = loop(low, high, world)
        other, more = others(low, high, world)
        return (first if other < 0 or 0 <= first < other else other), marks | more

    return loops
