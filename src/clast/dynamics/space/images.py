"""Images of a periodic cell of space that moves, or leans as well: where they lie now and how fast they are.

Image (n_x, n_y, n_z) lies n_x L_x + n_y S, n_y L_y, n_z L_z away. The lengths and the offset S are the place of the body that
stands for the cell (`clast.dynamics.space.cell`), and images move with it.
"""

from types import SimpleNamespace
from typing import Any, NamedTuple

from clast.algebra.space import plus, triple
from clast.backend.device import device
from clast.dynamics.arrays import SHEARED
from clast.dynamics.space.columns import BODY, PLACE_OF_OFFSET, SPIN, VELOCITY, Gain, read_gain

AXES = 3


class Images(NamedTuple):
    """How pairs look across the sides of a cell that moves."""

    shift: Any  # shift(p, world): from j of pair p to its image
    velocity: Any  # velocity(p, world): by how much the image is faster than j
    gain: Any  # gain(gain, p, world): what the image will gain, of what j will


@device
def times_across(image, p, lengths):
    """Three numbers for the axes, each as many times as the image of pair p lies cells away."""
    at = AXES * p
    return image[at] * lengths[0], image[at + 1] * lengths[1], image[at + 2] * lengths[2]


@device
def leaning(image, p, lengths, offset):
    """The same in a sheared cell, where each cell up adds `offset` along x."""
    x, y, z = times_across(image, p, lengths)
    return x + image[AXES * p + 1] * offset, y, z


@device
def shift_now(p, world):
    """Where the image of j lies, from j."""
    return times_across(world.lists.image, p, triple(world.state.body, BODY * world.model.cell[0]))


@device
def shift_leaning(p, world):
    """The same in a sheared cell."""
    body, at = world.state.body, BODY * world.model.cell[0]
    return leaning(world.lists.image, p, triple(body, at), body[at + PLACE_OF_OFFSET])


@device
def velocity_now(p, world):
    """By how much the image of j is faster than j."""
    return times_across(world.lists.image, p, triple(world.state.body, BODY * world.model.cell[0] + VELOCITY))


@device
def velocity_leaning(p, world):
    """The same in a sheared cell."""
    body, at = world.state.body, BODY * world.model.cell[0]
    return leaning(world.lists.image, p, triple(body, at + VELOCITY), body[at + SPIN])


@device
def gain_now(gain, p, world):
    """What the image of j will gain: with the cell."""
    rate = read_gain(world.state, world.model.cell[0]).velocity
    return Gain(plus(gain.velocity, times_across(world.lists.image, p, rate)), gain.spin)


@device
def gain_leaning(gain, p, world):
    """The same in a sheared cell."""
    rate = read_gain(world.state, world.model.cell[0])
    return Gain(plus(gain.velocity, leaning(world.lists.image, p, rate.velocity, rate.spin[0])), gain.spin)


@device
def same_gain(gain, p, world):
    """The same where nobody sees it."""
    return gain


def images_of(choice: SimpleNamespace) -> Images:
    """How pairs see images, for a cell whose lengths move and one that leans."""
    if choice.cell == SHEARED:
        return Images(shift_leaning, velocity_leaning, gain_leaning if choice.expecting else same_gain)
    return Images(shift_now, velocity_now, gain_now if choice.expecting else same_gain)
