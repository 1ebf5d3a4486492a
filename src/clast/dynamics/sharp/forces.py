"""Contact force of a pair of sharp pieces: overlap → contact record → law → force and torque on both bodies (CSM10; model §4)."""

import math
from types import SimpleNamespace
from typing import Any, NamedTuple

from clast.algebra.space import along, cross, dot, minus, plus, times, triple
from clast.backend.device import device
from clast.dynamics.sharp.columns import width_of
from clast.dynamics.sharp.turning import new_held, read_held, turning_of, write_held
from clast.dynamics.sharp.visit import sliding_before, sliding_now
from clast.dynamics.space.columns import (
    NONE,
    NOTHING,
    PULL,
    SUMS,
    Wrench,
    add_wrench,
    write_triple,
    write_wrench,
)  # fmt: skip
from clast.dynamics.space.tangents import carried
from clast.laws.law import Memory
from clast.laws.turning import turning_energy


class Sums(NamedTuple):
    """What the overlap of a pair does."""

    force: Wrench
    drag: Wrench  # the viscous part of it
    push: Wrench  # the elastic part along the normal, which may have no potential
    heat: float  # of sliding
    rolled: float  # of torsion and rocking
    lost: float  # energy of a spring whose overlap is gone
    too_deep: bool


@device
def force_at(force, arm, side):
    """A force on i at `arm` from its centre, the opposite on j."""
    return Wrench(force, cross(arm, force), cross(force, minus(arm, side.branch)))


@device
def in_space(u, w, touch):
    """The vector with these parts along the two tangents."""
    return along(times(u, touch.one), w, touch.two)


@device
def couple_of(couple):
    """A couple on i, the opposite on j."""
    return Wrench(NONE, couple, times(-1.0, couple))


def forces_of(visiting: SimpleNamespace, law: SimpleNamespace, remembers: bool, book: Any) -> Any:
    """The pass `pair_forces(p, world)` for a law of overlaps; `book` is one of `clast.dynamics.contacts.heats`."""
    read_pair, visit, touch_of, record_of = visiting.read_pair, visiting.visit, visiting.touch_of, visiting.record_of
    conserving = int(law.functions.CONSERVING)
    elastic, force, spring_energy, read_row = law.elastic, law.force, law.spring_energy, law.read_row
    booked, damped = remembers and not conserving, law.damped  # booked: the work of pushes without a potential
    turning, turned, width = law.rolling, turning_of(law, visiting.expecting) if law.rolling else None, width_of(law.rolling)

    @device
    def pushed(push, touch, met, side):
        """The elastic push along the normal; a conserving law presses on the surfaces, which adds a couple."""
        wrench = force_at(times(-push, touch.normal), touch.arm, side)
        if conserving:
            couple = minus(times(push / touch.width, met.turning), wrench.on_i)
            return Wrench(wrench.force, plus(wrench.on_i, couple), minus(wrench.on_j, couple))
        return wrench

    @device
    def part_in_contact(touch, met, world):
        """How much of the half of a kick for the step before counts for dashpots. A face that has met a face since then has grown
        the overlap at the rate |A| c, and its dashpot has acted in full; that half is all that is counted of the step."""
        way = touch.closing * world.clock.dt * touch.width
        if damped and way > 0.0 and world.lists.weight[met.k] == 0.0:
            return min(2.0 * met.volume / way, 2.0)
        return 1.0

    @device
    def left_over(met, pair, world):
        """Energy of the spring of an overlap that is gone."""
        if remembers:
            spring, weight = world.lists.spring, world.lists.weight
            if weight[met.k] != 0.0:
                remembered = triple(spring, width * met.k)
                weight[met.k] = 0.0
                row, length = read_row(world.model.law, pair.row), math.sqrt(dot(remembered, remembered))
                energy = spring_energy(row, pair.size, length, 0.0)
                return energy + turning_energy(read_held(spring, width * met.k).q) if turning else energy
        return 0.0

    @device
    def answer_of(touch, met, side, pair, world):
        """The law, with the spring brought up to date: it stands with centroid and normal of the last step."""
        spring, weight, clock, at = world.lists.spring, world.lists.weight, world.clock, width * met.k
        place, normal = plus(side.a.place, touch.arm), touch.normal
        if weight[met.k] == 0.0:
            weight[met.k] = 1.0
            write_triple(spring, at, NONE)
            write_triple(spring, at + 3, place)
            write_triple(spring, at + 6, normal)
        sliding = sliding_before(touch, side, triple(spring, at + 3), triple(spring, at + 6), clock.dt)
        mean = 0.5 * (dot(side.a.mid_spin, normal) + dot(side.b.mid_spin, normal)) * clock.spring_dt
        remembered = carried(triple(spring, at), normal, mean)
        sliding = along(sliding, 0.5 * mean, cross(normal, sliding))  # grown all along the turn: by half of it
        answer = force(
            read_row(world.model.law, pair.row), record_of(touch, met, side, pair, sliding),
            Memory(dot(remembered, touch.one), dot(remembered, touch.two), 0.0), clock.spring_dt,
        )  # fmt: skip
        write_triple(spring, at, in_space(answer.spring_u, answer.spring_w, touch))
        write_triple(spring, at + 3, place)
        write_triple(spring, at + 6, normal)
        return answer

    @device
    def turned_of(held, push, touch, met, side, pair, world):
        """What torsion and rocking do, their springs brought up to date."""
        answer = turned(held, push, touch, met, side, pair, world, world.clock.spring_dt)
        write_held(world.lists.spring, width * met.k, answer.held)
        return answer

    @device
    def held_before(met, touch, world):
        """What was remembered before this step."""
        return new_held(touch.normal) if world.lists.weight[met.k] == 0.0 else read_held(world.lists.spring, width * met.k)

    @device
    def add_overlap(met, side, pair, world, s):
        if not met.touching:
            return Sums(s.force, s.drag, s.push, s.heat, s.rolled, s.lost + left_over(met, pair, world), met.deep)
        touch, clock = touch_of(met, side, pair), world.clock
        kick = clock.past + clock.future
        if not remembers:
            push = kick * elastic(read_row(world.model.law, pair.row), record_of(touch, met, side, pair, sliding_now(touch)))
            return Sums(add_wrench(s.force, pushed(push, touch, met, side)), s.drag, s.push, 0.0, 0.0, 0.0, met.deep)
        lasting = clock.past * part_in_contact(touch, met, world) + clock.future
        before = held_before(met, touch, world) if turning else new_held(NONE)
        answer = answer_of(touch, met, side, pair, world)
        push, viscous = pushed(answer.elastic * kick, touch, met, side), answer.viscous * lasting
        dragged = in_space(lasting * answer.drag_u, lasting * answer.drag_w, touch)
        across = plus(in_space(kick * answer.shear_u, kick * answer.shear_w, touch), dragged)
        rest = force_at(along(across, -viscous, touch.normal), touch.arm, side)
        lossy = force_at(along(dragged, -viscous, touch.normal), touch.arm, side)
        rolled = 0.0
        if turning:
            found = turned_of(before, answer.elastic + answer.viscous, touch, met, side, pair, world)
            drag, rolled = times(lasting, found.drag), found.heat
            rest, lossy = add_wrench(rest, couple_of(along(drag, kick, found.spring))), add_wrench(lossy, couple_of(drag))
        return Sums(add_wrench(push, rest), lossy, push, answer.heat, rolled, s.lost, met.deep)

    @device
    def pair_forces(p, world):
        """Force and torques of pair p into the tables of forces, heats to the book; returns whether it overlaps too deeply."""
        pair = read_pair(world, p)
        s = visit(pair, world, add_overlap, Sums(NOTHING, NOTHING, NOTHING, 0.0, 0.0, 0.0, False))
        write_wrench(world.forces.pair, SUMS * p, s.force)
        if remembers:
            write_wrench(world.forces.pair, SUMS * p + PULL, s.drag)
            book(p, pair.i, s.heat, s.lost, s.rolled, world)
        if booked:
            write_wrench(world.forces.work, PULL * p, s.push)
        return s.too_deep | 0

    return pair_forces
