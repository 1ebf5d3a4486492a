"""Springs that change hands where features adjoin, springs that fade, and springs that are lost. Rare."""

import math
from types import SimpleNamespace
from typing import Any

from clast.backend.device import device
from clast.dynamics.contacts.onset import last_part


def springs_of_law(family: SimpleNamespace, law: SimpleNamespace) -> Any:
    """`change_hands(met, counted, side, pair, world)` for a law: returns the energy of a spring that nobody took over."""
    heir, left_behind, touch_of, stretched = family.heir, family.left_behind, family.touch_of, family.stretched
    sliding_now, turning_now, passes_on = family.sliding_now, family.turning_now, family.passes_on
    spring_energy, roll_energy, read_row, extra, rolling = (
        law.spring_energy,
        law.roll_energy,
        law.read_row,
        law.extra,
        law.rolling,
    )
    spring_width = family.SPRING
    width = spring_width * (1 + rolling) + extra

    @device
    def clear(spring, k):
        for c in range(width):
            spring[width * k + c] = 0.0

    @device
    def move(spring, giver, taker, sign):
        """Give a spring away; what slides and rolls changes its sign where the bodies change their parts."""
        for c in range(width):
            value = spring[width * giver + c]
            spring[width * taker + c] = value if extra and c == spring_width else sign * value
            spring[width * giver + c] = 0.0

    @device
    def length(spring, at):
        """Of the spring that begins at `at`, as it is kept."""
        if spring_width == 1:
            return spring[at]
        square = 0.0
        for c in range(spring_width):
            square += spring[at + c] * spring[at + c]
        return math.sqrt(square)

    @device
    def energy_left(met, side, pair, world):
        """Energy of a spring that nobody takes over, at mid-way: the last kick's half for this step has still worked on it."""
        clock, spring, at = world.clock, world.lists.spring, width * met.k
        last = at + width - spring_width
        where = left_behind(met, side, pair, world)
        if where.square > 0.0:
            touch = touch_of(where, side)
            half = 0.5 * clock.spring_dt * last_part(min(touch.depth, 0.0), touch.closing, clock.dt, clock.onset)
            size = stretched(spring, at, sliding_now(touch, side), touch, half)
            turned = stretched(spring, last, turning_now(touch, side), touch, half) if rolling else 0.0
        else:  # its features face no more: no normal to slide across
            size, turned = length(spring, at), length(spring, last) if rolling else 0.0
        energy = spring_energy(read_row(world.model.law, pair.row), size, 0.0, spring[at + spring_width] if extra else 0.0)
        if rolling:
            energy += roll_energy(turned, pair, world)
        return energy

    @device
    def keep_energy(spring, k, was, now):
        """The same energy in another number of springs."""
        ratio = math.sqrt(was / now)
        for c in range(spring_width):
            spring[width * k + c] *= ratio
        if rolling:
            for c in range(width - spring_width, width):
                spring[width * k + c] *= ratio

    @device
    def change_hands(met, counted, side, pair, world):
        spring, weight, k, lost = world.lists.spring, world.lists.weight, met.k, 0.0
        was = weight[k]
        if was == 0:
            clear(spring, k)
            giver = heir(met, side, pair, world, True)
            if giver >= 0:
                was = weight[giver]
                weight[giver] = 0
                move(spring, giver, k, passes_on(side, giver, pair))
        elif counted == 0.0:
            taker = heir(met, side, pair, world, False)
            if taker >= 0:
                weight[taker] = was
                move(spring, k, taker, passes_on(side, taker, pair))
            else:
                lost = was * energy_left(met, side, pair, world)
            clear(spring, k)
        if was > 0 and counted > 0.0 and was != counted:
            keep_energy(spring, k, was, counted)
        weight[k] = counted
        return lost

    return change_hands
