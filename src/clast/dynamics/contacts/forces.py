"""Contact forces of a pair: geometry → contact record → law → force and torque on both bodies (GM09 eq 2-4, 13).

A contact that counts w is w contacts in one place: w multiplies all that the law answers. Where w changes from step to step
(edges that become parallel fade, in space) the spring is stretched so that its energy stays, and the fade of the normal energy
has a torque of its own. In the plane w is 1, or −1 where a vertex of a notch is taken back.
"""

import math
from types import SimpleNamespace
from typing import Any, NamedTuple

from clast.backend.device import device, unlikely
from clast.dynamics.contacts.depth import DEEP
from clast.dynamics.contacts.onset import BELOW, kicks_of_dashpots, parts_in_contact
from clast.dynamics.contacts.springs import springs_of_law
from clast.laws.law import Contact, Memory

FLAT = (0.0, 0.0)


class Sums(NamedTuple):
    """What the contacts of a pair add up to."""

    force: Any  # a wrench of the family
    drag: Any  # the viscous part of it
    heat: float  # of sliding
    rolled: float  # heat of rolling
    lost: float  # energy of springs that nobody took over
    too_deep: bool
    changes: bool  # a contact may open or close in this step


class PlainSums(NamedTuple):
    """The same for contacts that remember and lose nothing."""

    force: Any
    too_deep: bool
    changes: bool


class Push(NamedTuple):
    """One contact. Vectors across the normal are pairs of numbers."""

    elastic: float  # along −N, weighted with the part of the step in contact
    viscous: float
    shear: tuple[float, float]  # with the drag
    drag: tuple[float, float]
    roll: tuple[float, float]  # torque on a
    heat: float
    rolled: float


def record_of_law(family: SimpleNamespace, law: SimpleNamespace) -> Any:
    """`record_of(touch, slip, side, pair)`: what a law may know of a contact. Springs follow `slip`; dashpots see t_n."""
    gained, sliding_now, damped, expecting = family.gained, family.sliding_now, law.damped, family.EXPECTING

    @device
    def speeds_of(touch, slip, side):
        """Closing speed and sliding velocity at t_n."""
        if not damped:
            return touch.closing, slip
        slip = sliding_now(touch, side)
        if expecting:
            closing, more = gained(touch, side)
            return touch.closing + closing, (slip[0] + more[0], slip[1] + more[1])
        return touch.closing, slip

    @device
    def record_of(touch, slip, side, pair):
        closing, now = speeds_of(touch, slip, side)
        return Contact(touch.depth, closing, slip[0], slip[1], pair.mass, pair.radius, now[0], now[1])

    return record_of


def push_of_law(family: SimpleNamespace, law: SimpleNamespace) -> Any:
    """`push_of(touch, met, side, pair, world)`: the law for a touching contact, springs brought up to date."""
    elastic, force, extra, rolling = law.elastic, law.force, law.extra, law.rolling
    read_spring, write_spring, sliding_before = family.read_spring, family.write_spring, family.sliding_before
    turned_about_normal, rolling_rate, spring_width = family.turned_about_normal, family.rolling_rate, family.SPRING
    width, read_row, roll_law = memory_width(family, law), law.read_row, law.roll
    last, record_of, damped, kicks = width - spring_width, record_of_law(family, law), law.damped, kicks_of_dashpots(law.begun)

    @device
    def roll_of(push, touch, side, met, pair, world, time, turned):
        """Torque and heat of rolling."""
        if rolling:
            spring, at = world.lists.spring, width * met.k + last
            remembered = read_spring(spring, at, touch, turned)
            u, w, angle_u, angle_w, heat = roll_law(push, rolling_rate(touch, side), remembered, pair, world, time)
            write_spring(spring, at, touch, angle_u, angle_w)
            return (u, w), heat
        return FLAT, 0.0

    @device
    def push_of(touch, met, side, pair, world):
        clock, spring, row = world.clock, world.lists.spring, read_row(world.model.law, pair.row)
        past_part, future_part = parts_in_contact(touch.depth, touch.closing, clock.dt, clock.onset)
        weight = clock.past * past_part + clock.future * future_part
        count, kick, time = met.counts, clock.past + clock.future, past_part * clock.spring_dt
        if count < 0.0:
            return Push(count * elastic(row, touch.depth, pair.radius) * weight, 0.0, FLAT, FLAT, FLAT, 0.0, 0.0)
        turned = turned_about_normal(touch, side, time)
        slip = sliding_before(touch, side, turned, clock.spring_dt)
        at = width * met.k
        remembered = read_spring(spring, at, touch, turned)
        answer = force(
            row, record_of(touch, slip, side, pair),
            Memory(remembered[0], remembered[1], spring[at + spring_width] if extra else 0.0), time,
        )  # fmt: skip
        write_spring(spring, at, touch, answer.spring_u, answer.spring_w)
        if extra:
            spring[at + spring_width] = answer.extra
        if damped:
            kick = kicks(past_part, future_part, answer.elastic + answer.viscous < 0.0, clock.past, clock.future)
        lossy = count * kick
        drag = (lossy * answer.drag_u, lossy * answer.drag_w)
        part = count * weight
        shear = (part * answer.shear_u + drag[0], part * answer.shear_w + drag[1])
        (roll_u, roll_w), rolled = roll_of(answer.elastic + answer.viscous, touch, side, met, pair, world, time, turned)
        return Push(
            count * answer.elastic * weight, answer.viscous * lossy, shear, drag, (part * roll_u, part * roll_w),
            count * answer.heat, count * rolled,
        )  # fmt: skip

    return push_of


def memory_width(family: SimpleNamespace, law: SimpleNamespace) -> int:
    """Numbers a contact remembers: the tangential spring, perhaps one more, perhaps the spring of rolling, in this order."""
    return int(family.SPRING * (1 + law.rolling) + law.extra)


def energy_that_fades(family: SimpleNamespace, law: SimpleNamespace) -> Any:
    """`fading_energy(touch, met, pair, world)`."""
    cohesive, attraction_energy, normal_energy, read_row = law.cohesive, law.attraction_energy, law.normal_energy, law.read_row

    @device
    def fading_energy(touch, met, pair, world):
        """Energy whose weight changes as the bodies turn, times the part of the kick."""
        clock, energy = world.clock, 0.0
        if met.touching:
            past_part, future_part = parts_in_contact(touch.depth, touch.closing, clock.dt, clock.onset)
            weight = clock.past * past_part + clock.future * future_part
            energy = normal_energy(read_row(world.model.law, pair.row), touch.depth, pair.radius) * weight
        if cohesive:
            energy += attraction_energy(touch.depth, pair, world) * (clock.past + clock.future)
        return energy

    return fading_energy


class Answer(NamedTuple):
    """What a contact does to its pair."""

    force: Any  # a wrench of the family
    drag: Any  # the viscous part of it
    heat: float
    rolled: float
    changes: bool


@device
def is_too_deep(met, side):
    """Whether the normal of a contact is about to lose its meaning."""
    return met.square < DEEP * DEEP * (side.reach * side.reach)


def contact_of_law(family: SimpleNamespace, law: SimpleNamespace, touch_of: Any) -> Any:
    """`contact(met, side, pair, world)`: what a contact that acts does to its pair, springs brought up to date."""
    on_pair, with_roll, with_fade, fades, fading = (
        family.on_pair, family.with_roll, family.with_fade, family.fades, family.FADING
    )  # fmt: skip
    fading_energy, push_of, attraction = energy_that_fades(family, law), push_of_law(family, law), law.attraction
    cohesive, rolling = law.cohesive, law.rolling

    @device
    def contact(met, side, pair, world):
        touch, clock = touch_of(met, side), world.clock
        push = push_of(touch, met, side, pair, world) if met.touching else Push(0.0, 0.0, FLAT, FLAT, FLAT, 0.0, 0.0)
        elastic = push.elastic
        if cohesive:
            elastic -= met.counts * attraction(touch.depth, pair, world) * (clock.past + clock.future)
        wrench = on_pair(touch, side, elastic + push.viscous, push.shear)
        if rolling:
            wrench = with_roll(wrench, touch, side, push.roll)
        if fading and fades(touch):
            wrench = with_fade(wrench, touch, side, fading_energy(touch, met, pair, world))
        return Answer(
            wrench, on_pair(touch, side, push.viscous, push.drag), push.heat, push.rolled,
            met.touching and touch.depth < BELOW * clock.dt * math.fabs(touch.closing),
        )  # fmt: skip

    return contact


def forces_with_memory(family: SimpleNamespace, law: SimpleNamespace, book: Any) -> Any:
    """The pass `pair_forces(p, world)` for laws that remember or lose something; `book` is one of `heats`."""
    visit, read_pair, nothing, add, write_wrench = (
        family.visit, family.read_pair, family.NOTHING, family.add_wrench, family.write_wrench
    )  # fmt: skip
    contact, change_hands, is_idle = contact_of_law(family, law, family.touch_of), springs_of_law(family, law), law.is_idle
    SUMS, PULL = family.SUMS, family.PULL

    @device
    def add_contact(met, side, pair, world, s):
        counted = met.counts if met.touching and met.counts > 0.0 else 0.0
        if unlikely(counted != world.lists.weight[met.k]):
            lost = s.lost + change_hands(met, counted, side, pair, world)
            s = Sums(s.force, s.drag, s.heat, s.rolled, lost, s.too_deep, s.changes)
        if is_idle(met, side):
            return s
        found = contact(met, side, pair, world)
        return Sums(
            add(s.force, found.force), add(s.drag, found.drag), s.heat + found.heat, s.rolled + found.rolled, s.lost,
            s.too_deep or is_too_deep(met, side), s.changes or found.changes,
        )  # fmt: skip

    @device
    def pair_forces(p, world):
        """Sums over the contacts of pair p into the tables of forces, heats to the book; returns marks: 1 where its skeletons
        nearly touch, 2 where a contact may open or close."""
        pair = read_pair(world, p)
        s = visit(pair, world, add_contact, Sums(nothing, nothing, 0.0, 0.0, 0.0, False, False))
        write_wrench(world.forces.pair, SUMS * p, s.force)
        write_wrench(world.forces.pair, SUMS * p + PULL, s.drag)
        book(p, pair.i, s.heat, s.lost, s.rolled, world)
        world.forces.refine[p] = s.changes
        return s.too_deep | (s.changes << 1)

    return pair_forces


class PlainAnswer(NamedTuple):
    """The same of a contact that remembers and loses nothing."""

    force: Any
    changes: bool


def plain_contact_of_law(family: SimpleNamespace, law: SimpleNamespace, touch_of: Any) -> Any:
    """`contact(met, side, pair, world)` for laws that remember and lose nothing."""
    push_on_pair, with_fade, fades, fading = family.push_on_pair, family.with_fade, family.fades, family.FADING
    fading_energy, cohesive, elastic, attraction = energy_that_fades(family, law), law.cohesive, law.elastic, law.attraction
    read_row = law.read_row

    @device
    def contact(met, side, pair, world):
        clock, row, touch = world.clock, read_row(world.model.law, pair.row), touch_of(met, side)
        past_part, future_part = parts_in_contact(touch.depth, touch.closing, clock.dt, clock.onset)
        weight = clock.past * past_part + clock.future * future_part
        push = met.counts * elastic(row, touch.depth, pair.radius) * weight if met.touching else 0.0
        if cohesive:
            push -= met.counts * attraction(touch.depth, pair, world) * (clock.past + clock.future)
        wrench = push_on_pair(touch, side, push)
        if fading and fades(touch):
            wrench = with_fade(wrench, touch, side, fading_energy(touch, met, pair, world))
        return PlainAnswer(wrench, met.touching and touch.depth < BELOW * clock.dt * math.fabs(touch.closing))

    return contact


def forces_without_memory(family: SimpleNamespace, law: SimpleNamespace) -> Any:
    """The pass `pair_forces(p, world)` for laws that remember and lose nothing."""
    visit, read_pair, contact, add = (
        family.visit,
        family.read_pair,
        plain_contact_of_law(family, law, family.touch_of),
        family.add_wrench,
    )
    is_idle, write_wrench, nothing, SUMS = law.is_idle, family.write_wrench, family.NOTHING, family.SUMS

    @device
    def add_contact(met, side, pair, world, s):
        if is_idle(met, side):
            return s
        found = contact(met, side, pair, world)
        return PlainSums(add(s.force, found.force), s.too_deep or is_too_deep(met, side), s.changes or found.changes)

    @device
    def pair_forces(p, world):
        """Sums over the contacts of pair p into the tables of forces; returns marks: 1 where its skeletons nearly touch, 2 where
        a contact may open or close."""
        s = visit(read_pair(world, p), world, add_contact, PlainSums(nothing, False, False))
        write_wrench(world.forces.pair, SUMS * p, s.force)
        world.forces.refine[p] = s.changes
        return s.too_deep | (s.changes << 1)

    return pair_forces
