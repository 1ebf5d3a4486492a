"""A law bound to the passes of a run: its functions, what rolls and pulls on top of it, and where its numbers stand.

Choices are made here, once, by taking one function or another: nothing that a scene does not have is compiled.
"""

from types import SimpleNamespace
from typing import Any

from clast.backend.device import device, law_function
from clast.laws.cohesion import pull, pull_energy
from clast.laws.rolling import rolling_energy, rolling_torque


@device
def no_gap(pair, world):
    """How far apart surfaces still act on each other: not at all."""
    return 0.0


@device
def does_not_touch(met, side):
    """Whether a candidate does nothing."""
    return not met.touching


@device
def is_out_of_reach(met, side):
    """The same with cohesion, which acts across a gap."""
    return met.counts == 0.0 or met.square >= side.near


def at_once(part):
    """Weight of the half of a kick for a step of which a contact lasts a part, for dashpots that act in full from the first touch
    on: that half is all that is counted of the step, and they act all along the part."""
    return 2.0 * part


def bind_law(
    functions: Any, read_row: Any, *, law_width: int, extra: bool, rolling: bool, cohesive: bool, damped: bool
) -> SimpleNamespace:
    """The law of a run.

    functions   module or object with elastic, force, normal_energy, spring_energy (see `clast.laws.law`)
    read_row    (table, at) → its parameters as a tuple
    law_width   how many these are: those of rolling, then those of cohesion follow them
    extra       whether contacts remember one number more
    damped      whether there may be dashpots
    """
    names = ("elastic", "force", "normal_energy", "spring_energy")
    law = SimpleNamespace(**{name: law_function(getattr(functions, name)) for name in names})
    law.read_row, law.functions = law_function(read_row), functions
    law.begun = law_function(getattr(functions, "begun", at_once))
    law.extra, law.rolling, law.cohesive, law.damped = int(extra), int(rolling), int(cohesive), int(damped)
    pull_at = law_width + 2 * law.rolling

    @device
    def gap_of(pair, world):
        """How far apart surfaces still act on each other."""
        return world.model.law[pair.row + pull_at + 1]

    @device
    def attraction(depth, pair, world):
        """Pull of cohesion."""
        table = world.model.law
        return pull(table[pair.row + pull_at], table[pair.row + pull_at + 1], depth)

    @device
    def attraction_energy(depth, pair, world):
        """Energy of that pull."""
        table = world.model.law
        return pull_energy(table[pair.row + pull_at], table[pair.row + pull_at + 1], depth)

    @device
    def roll(push, speed, angle, pair, world, time):
        """Torque of rolling (u, w), new angle (u, w) and heat; `push` is the normal force of the law."""
        table, at = world.model.law, pair.row + law_width
        return rolling_torque(table[at], table[at + 1], push, pair.radius, speed[0], speed[1], angle[0], angle[1], time)

    @device
    def roll_energy(angle, pair, world):
        """Energy of a spring of rolling."""
        return rolling_energy(world.model.law[pair.row + law_width], angle)

    law.width = law_width + 2 * law.rolling + 2 * law.cohesive  # parameters of a row
    law.gap_of, law.is_idle = (gap_of, is_out_of_reach) if cohesive else (no_gap, does_not_touch)
    law.attraction, law.attraction_energy = attraction, attraction_energy
    law.roll, law.roll_energy = roll, roll_energy
    return law
