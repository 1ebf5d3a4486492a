"""The table of contacts at an instant: what energies, outputs and measures read. One row per counted contact, in list order.

Forces are the law's, unweighted by the part of a step; springs are read, not moved. With cohesion, features that pull across a
gap have rows too: their depth is negative.
"""

from types import SimpleNamespace
from typing import Any, NamedTuple

from clast.backend.device import device
from clast.dynamics.contacts.balance import FLAT, answer_of_law
from clast.dynamics.contacts.forces import memory_width


class Carried(NamedTuple):
    """What one contact carries, as it counts."""

    push: float
    damping: float
    shear: tuple[float, float]
    drag: tuple[float, float]
    spring: tuple[float, float]
    normal_energy: float
    tangential_energy: float
    pull: float
    cohesion_energy: float
    roll: tuple[float, float]
    rolling_energy: float


def rows_of(family: SimpleNamespace, law: SimpleNamespace, remembers: bool) -> Any:
    """`fill_rows(pairs, world)`: fills the table, returns how many rows it needs, which may exceed its capacity."""
    visit, touch_of, read_pair, write_row, row_width = (
        family.visit,
        family.touch_of,
        family.read_pair,
        family.write_row,
        family.ROW,
    )
    read_spring, spring_width, width, extra, rolling = (
        family.read_spring,
        family.SPRING,
        memory_width(family, law),
        law.extra,
        law.rolling,
    )
    normal_energy, spring_energy, read_row, cohesive = law.normal_energy, law.spring_energy, law.read_row, law.cohesive
    roll_law, roll_energy, attraction, attraction_energy = law.roll, law.roll_energy, law.attraction, law.attraction_energy
    answer_of, length, last = answer_of_law(family, law, remembers), family.length, width - spring_width
    acting = family.acting

    @device
    def rolls(answer, touch, met, pair, world):
        """Torque (u, w) and energy of rolling."""
        if rolling:
            remembered = read_spring(world.lists.spring, width * met.k + last, touch, 0.0)
            u, w, _, _, _ = roll_law(answer.elastic + answer.viscous, FLAT, remembered, pair, world, 0.0)
            return (met.counts * u, met.counts * w), met.counts * roll_energy(length(remembered), pair, world)
        return FLAT, 0.0

    @device
    def memory_of(answer, touch, met, pair, world):
        """Spring (u, w), its energy, torque (u, w) and energy of rolling."""
        if remembers and met.counts > 0.0:
            spring, at = world.lists.spring, width * met.k
            remembered = read_spring(spring, at, touch, 0.0)
            row = read_row(world.model.law, pair.row)
            energy = spring_energy(row, length(remembered), 0.0, spring[at + spring_width] if extra else 0.0)
            roll, roll_stored = rolls(answer, touch, met, pair, world)
            return remembered, met.counts * energy, roll, roll_stored
        return FLAT, 0.0, FLAT, 0.0

    @device
    def carried_by(touch, met, side, pair, world):
        pulled = stored = 0.0
        if cohesive:
            pulled = met.counts * attraction(touch.depth, pair, world)
            stored = met.counts * attraction_energy(touch.depth, pair, world)
        if not touch.depth > 0.0:
            return Carried(0.0, 0.0, FLAT, FLAT, FLAT, 0.0, 0.0, pulled, stored, FLAT, 0.0)
        count, answer = met.counts, answer_of(touch, met, side, pair, world)
        shear, drag = acting(answer.shear, touch, side), acting(answer.drag, touch, side)
        energy = normal_energy(read_row(world.model.law, pair.row), touch.depth, pair.radius)
        remembered, tangential, roll, roll_stored = memory_of(answer, touch, met, pair, world)
        return Carried(
            count * answer.elastic, count * answer.viscous, (count * shear[0], count * shear[1]),
            (count * drag[0], count * drag[1]), remembered, count * energy, tangential, pulled, stored, roll,
            roll_stored,
        )  # fmt: skip

    @device
    def add_row(met, side, pair, world, rows):
        if met.counts == 0.0 or met.square >= side.near:
            return rows
        if row_width * rows < world.scratch.row_floats.size:
            touch = touch_of(met, side)
            write_row(rows, touch, met, side, pair, carried_by(touch, met, side, pair, world), world)
        return rows + 1

    return filling(visit, read_pair, add_row)


def filling(visit: Any, read_pair: Any, add_row: Any) -> Any:
    """`fill_rows(pairs, world)`: hands every candidate of every pair to `add_row`; returns how many rows there are."""

    @device
    def fill_rows(pairs, world):
        rows = 0
        for p in range(pairs):
            rows = visit(read_pair(world, p), world, add_row, rows)
        return rows

    return fill_rows
