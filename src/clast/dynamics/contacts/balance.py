"""The passes that weigh what opens or closes in a step so that its energy balances; the reasoning stands in `onset`.

Pairs of which a contact may open or close were marked when all forces were found. For each of them the correction is found with
the pushes of all other pairs as they are, and added when all corrections are known: so it does not matter in which order, or by
how many threads.
"""

from types import SimpleNamespace
from typing import Any, NamedTuple

from clast.backend.device import device
from clast.dynamics.contacts.forces import memory_width, record_of_law
from clast.dynamics.contacts.onset import TURNS, balanced_parts, kicks_of_dashpots, parts_in_contact
from clast.laws.law import Memory

FLAT = (0.0, 0.0)


class Turn(NamedTuple):
    """One turn of the iteration."""

    gain_i: Any  # what the kick adds to velocity and spin of i and of j, as the turn before left it
    gain_j: Any
    push: Any  # wrench of the whole kick over Δt
    more: Any  # what the balanced parts add to the sums of the pair


class Answer(NamedTuple):
    """Forces that the law returns for a contact whose spring stays as it is."""

    elastic: float
    viscous: float
    shear: tuple[float, float]
    drag: tuple[float, float]


def answer_of_law(family: SimpleNamespace, law: SimpleNamespace, remembers: bool) -> Any:
    """`answer_of(touch, met, side, pair, world)`."""
    elastic, force, extra, read_row = law.elastic, law.force, law.extra, law.read_row
    read_spring, sliding_now, spring_width = family.read_spring, family.sliding_now, family.SPRING
    width, record_of = memory_width(family, law), record_of_law(family, law)

    @device
    def answer_of(touch, met, side, pair, world):
        row = read_row(world.model.law, pair.row)
        push = elastic(row, touch.depth, pair.radius)
        if remembers and met.counts > 0.0:
            spring, at, slip = world.lists.spring, width * met.k, sliding_now(touch, side)
            remembered = read_spring(spring, at, touch, 0.0)
            found = force(
                row, record_of(touch, slip, side, pair),
                Memory(remembered[0], remembered[1], spring[at + spring_width] if extra else 0.0), 0.0,
            )  # fmt: skip
            return Answer(push, found.viscous, (found.shear_u, found.shear_w), (found.drag_u, found.drag_w))
        return Answer(push, 0.0, FLAT, FLAT)

    return answer_of


def balance_of(family: SimpleNamespace, law: SimpleNamespace, remembers: bool) -> Any:
    """The pass `pair_balance(p, world)`."""
    visit, touch_of, on_pair, with_fade, add = family.visit, family.touch_of, family.on_pair, family.with_fade, family.add_wrench
    fades, fading, nothing, PULL, SUMS = family.fades, family.FADING, family.NOTHING, family.PULL, family.SUMS
    read_pair, read_wrench, write_wrench = family.read_pair, family.read_wrench, family.write_wrench
    gain_of_others, gain_of, closing_gain = family.gain_of_others, family.gain_of, family.closing_gain
    normal_energy, read_row, answer_of = law.normal_energy, law.read_row, answer_of_law(family, law, remembers)
    damped, kicks = law.damped, kicks_of_dashpots(law.begun)

    @device
    def wrench_of(touch, side, answer, count, part, kick, stored):
        """A contact weighted with `part` of the step, its dashpots with `kick`."""
        weight, lossy = count * part, count * kick
        shear = (answer.shear[0] * weight + answer.drag[0] * lossy, answer.shear[1] * weight + answer.drag[1] * lossy)
        wrench = on_pair(touch, side, answer.elastic * weight + answer.viscous * lossy, shear)
        if fading and fades(touch):
            wrench = with_fade(wrench, touch, side, stored * part)
        return wrench

    @device
    def add_balanced(met, side, pair, world, t):
        if not met.touching:
            return t
        clock, touch = world.clock, touch_of(met, side)
        answer = answer_of(touch, met, side, pair, world)
        after = touch.closing + closing_gain(touch, side, t.gain_i, t.gain_j)
        rough_past, rough_future = parts_in_contact(touch.depth, touch.closing, clock.dt, 1.0)
        stored = normal_energy(read_row(world.model.law, pair.row), touch.depth, pair.radius)
        # a contact may just touch, with no depth and no force left after rounding
        ratio = 2.0 * stored / (answer.elastic * clock.dt) if answer.elastic > 0.0 else 0.0
        past_part, future_part, both = balanced_parts(touch.depth, ratio, touch.closing, after, clock.dt)
        # where dashpots hold back all that springs push, nothing acts, and there is nothing to balance
        if both or (damped and answer.elastic + answer.viscous <= 0.0):
            past_part, future_part = rough_past, rough_future
        before = 0.5 if clock.spring_dt > 0.0 else 0.0  # the first step has no step before it
        whole = before * past_part + 0.5 * future_part
        change = clock.past * (past_part - rough_past) + clock.future * (future_part - rough_future)
        kick = before + 0.5
        if damped:
            kick = kicks(rough_past, rough_future, answer.elastic + answer.viscous < 0.0, before, 0.5)
        push = wrench_of(touch, side, answer, met.counts, whole, kick, stored)
        more = wrench_of(touch, side, answer, met.counts, change, 0.0, stored)
        return Turn(t.gain_i, t.gain_j, add(t.push, push), add(t.more, more))

    @device
    def pair_balance(p, world):
        """What balanced parts add to the sums of pair p, over those of `parts_in_contact`, into forces.more.

        The whole kick of the step decides, whatever part of it is wanted: an output finds the same parts as the run.
        """
        if world.forces.refine[p] != 0:
            pair, mine = read_pair(world, p), read_wrench(world.forces.pair, SUMS * p)
            i, j = gain_of_others(pair.i, mine, 1.0, world), gain_of_others(pair.j, mine, -1.0, world)
            push, more = nothing, nothing
            for _ in range(TURNS):
                gain_i, gain_j = gain_of(pair.i, i, push, 1.0, world), gain_of(pair.j, j, push, -1.0, world)
                turn = visit(pair, world, add_balanced, Turn(gain_i, gain_j, nothing, nothing))
                push, more = turn.push, turn.more
            write_wrench(world.forces.more, PULL * p, more)
        return False

    return pair_balance


def add_balance_of(family: SimpleNamespace) -> Any:
    """The pass `add_balance(p, world)`: the corrections are added to the forces."""
    width, SUMS = family.PULL, family.SUMS

    @device
    def add_balance(p, world):
        if world.forces.refine[p] != 0:
            for c in range(width):
                world.forces.pair[SUMS * p + c] += world.forces.more[width * p + c]
        return False

    return add_balance
