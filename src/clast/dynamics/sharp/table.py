"""The table of overlaps at an instant: what energies, outputs and measures read. One row per overlap.

The columns are those of `clast.dynamics.space.table`. The depth of an overlap is V/|A|, held against the L of its pair. Normals
and branches point from the first to the second body; the twist is the couple of a conserving law.
"""

import math
from types import SimpleNamespace
from typing import Any

from clast.algebra.space import along, cross, dot, minus, plus, times, triple
from clast.backend.device import device
from clast.dynamics.contacts.contact_rows import filling
from clast.dynamics.sharp.columns import width_of
from clast.dynamics.sharp.turning import read_held, turning_of
from clast.dynamics.sharp.visit import sliding_now
from clast.dynamics.space.columns import CANDIDATE
from clast.dynamics.space.table import (
    AT_VERTEX,
    BRANCH,
    CLOSING_SPEED,
    COUNT,
    DAMPING,
    DEPTH,
    DRAG,
    FIRST,
    INTEGERS,
    NORMAL,
    NORMAL_ENERGY,
    POINT,
    PROBED,
    PROBER,
    PUSH,
    REACH,
    ROLLING_ENERGY,
    ROLLING_TORQUE,
    SECOND,
    SECTION,
    SHEAR,
    SIGN,
    TANGENTIAL_ENERGY,
    TWIST,
    write,
)  # fmt: skip
from clast.dynamics.space.table import CANDIDATE as CANDIDATE_COLUMN
from clast.dynamics.space.table import WIDTH as ROW
from clast.dynamics.space.tangents import carried
from clast.laws.law import Memory
from clast.laws.turning import turning_energy


@device
def write_place(rows, touch, met, side, pair, world):
    """Who overlaps, where and how deep."""
    integers, floats, n, at, k = world.scratch.row_integers, world.scratch.row_floats, INTEGERS * rows, ROW * rows, met.k
    integers[n + PROBER], integers[n + PROBED], integers[n + SECTION] = pair.i, pair.j, 0
    integers[n + FIRST] = world.lists.candidate[CANDIDATE * k]
    integers[n + SECOND] = world.lists.candidate[CANDIDATE * k + 1]
    integers[n + SIGN], integers[n + CANDIDATE_COLUMN], integers[n + AT_VERTEX] = 1, k, 0
    floats[at + DEPTH], floats[at + REACH] = met.volume / touch.width, pair.size
    floats[at + CLOSING_SPEED], floats[at + COUNT] = touch.closing, 1.0
    write(floats, at + NORMAL, touch.normal)
    write(floats, at + POINT, plus(side.a.place, touch.arm))
    write(floats, at + BRANCH, side.branch)


def rows_of(visiting: SimpleNamespace, law: SimpleNamespace, remembers: bool) -> Any:
    """`fill_rows(pairs, world)`: fills the table, returns how many rows it needs, which may exceed its capacity."""
    read_pair, visit, touch_of, record_of = visiting.read_pair, visiting.visit, visiting.touch_of, visiting.record_of
    conserving = int(law.functions.CONSERVING)
    elastic, force, normal_energy = law.elastic, law.force, law.normal_energy
    spring_energy, read_row = law.spring_energy, law.read_row
    turning, turned, width = law.rolling, turning_of(law, visiting.expecting) if law.rolling else None, width_of(law.rolling)

    @device
    def write_carried(at, touch, met, side, pair, world):
        """What an overlap carries; its spring is read, not moved."""
        floats, row, record = (
            world.scratch.row_floats,
            read_row(world.model.law, pair.row),
            record_of(touch, met, side, pair, sliding_now(touch)),
        )
        push = elastic(row, record)
        floats[at + PUSH], floats[at + NORMAL_ENERGY] = push, normal_energy(row, record)
        if conserving:
            pressed = times(push / touch.width, met.turning)
            write(floats, at + TWIST, minus(pressed, cross(touch.arm, times(-push, touch.normal))))
        if remembers:
            remembered = carried(triple(world.lists.spring, width * met.k), touch.normal, 0.0)
            answer = force(row, record, Memory(dot(remembered, touch.one), dot(remembered, touch.two), 0.0), 0.0)
            floats[at + DAMPING] = answer.viscous
            write(floats, at + SHEAR, along(times(answer.shear_u, touch.one), answer.shear_w, touch.two))
            write(floats, at + DRAG, along(times(answer.drag_u, touch.one), answer.drag_w, touch.two))
            floats[at + TANGENTIAL_ENERGY] = spring_energy(row, pair.size, math.sqrt(dot(remembered, remembered)), 0.0)
            if turning:
                held = read_held(world.lists.spring, width * met.k)
                push = answer.elastic + answer.viscous
                found = turned(held, push, touch, met, side, pair, world, 0.0)
                write(floats, at + ROLLING_TORQUE, found.spring)
                floats[at + ROLLING_ENERGY] = turning_energy(found.held.q)

    @device
    def add_row(met, side, pair, world, rows):
        if not met.touching:
            return rows
        if ROW * rows < world.scratch.row_floats.size:
            touch = touch_of(met, side, pair)
            write_place(rows, touch, met, side, pair, world)
            write_carried(ROW * rows, touch, met, side, pair, world)
        return rows + 1

    return filling(visit, read_pair, add_row)
