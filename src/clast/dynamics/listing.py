"""Rows of the lists that all families write alike: who meets whom, which image, and the constants of a pair."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from clast.backend.device import device, unsigned
from clast.neighbours.pairs import note_of
from clast.neighbours.scratch import CANDIDATES, PAIRS

BODY_I, BODY_J, FIRST = 0, 1, 2  # the columns with which every row of Lists.pair begins


def shift_by(periods: Any) -> Any:
    """`shift(image, model)`: the way to an image in an upright box of these `periods(model)`."""

    @device
    def shift(image, model):
        lx, ly, lz = periods(model)
        return image[0] * lx, image[1] * ly, image[2] * lz

    return shift


def shift_in_sheared(periods: Any, offset: Any) -> Any:
    """The same in a sheared cell, whose images one row up lie `offset(model)` further along x."""

    @device
    def shift(image, model):
        lx, ly, lz = periods(model)
        return image[0] * lx + image[1] * offset(model), image[1] * ly, image[2] * lz

    return shift


def pair_rows_of(columns: SimpleNamespace) -> SimpleNamespace:
    """`read_pair`, `write_pair` and `close_pairs` for a family.

    columns   axes; PAIR, CONSTANT, MASS and LAW as in the columns of the family, whose constants begin with the shift of the
              image; `place(body, b)` and `shift(image, model)`, three numbers each
    """
    axes, PAIR, CONSTANT, MASS, LAW = columns.axes, columns.PAIR, columns.CONSTANT, columns.MASS, columns.LAW
    place, shift_of, read_near = columns.place, columns.shift, note_of(columns.axes).read_near

    @device
    def read_pair(q, world):
        """Near pair q: i, j, the image of j that is met, and the way there from i."""
        i, j, image = read_near(world.work.near, q)
        (xi, yi, zi), (xj, yj, zj), shift = place(world.state.body, i), place(world.state.body, j), shift_of(image, world.model)
        return unsigned(i), unsigned(j), image, (xj - xi + shift[0], yj - yi + shift[1], zj - zi + shift[2])

    @device
    def write_pair(p, q, first, world):
        """Row p of the pairs, which was near pair q and whose candidates begin at `first`, with its constants."""
        model, new, at, row = world.model, world.new, PAIR * p, CONSTANT * p
        i, j, image = read_near(world.work.near, q)
        shift, constant = shift_of(image, model), new.pair_constant
        new.pair[at + BODY_I], new.pair[at + BODY_J], new.pair[at + FIRST] = i, j, first
        for axis in range(axes):
            new.image[axes * p + axis], constant[row + axis] = image[axis], shift[axis]
        inverse = model.contact_inverse_mass[i] + model.contact_inverse_mass[j]
        constant[row + MASS] = 1.0 / inverse if inverse > 0.0 else 0.0
        constant[row + LAW] = (model.material[i] * world.materials + model.material[j]) * world.parameters

    @device
    def close_pairs(world):
        """The row after the last pair, and where the ranges of bodies begin and end."""
        size, new, bodies = world.work.size, world.new, world.work.level.size
        new.pair[PAIR * size[PAIRS] + FIRST] = size[CANDIDATES]
        new.first_pair[bodies], new.first_other[0] = size[PAIRS], 0

    return SimpleNamespace(read_pair=read_pair, write_pair=write_pair, close_pairs=close_pairs)


@device
def carry_nothing(p, world):
    """Contacts without memory."""
    return np.int64(-1)


def with_memory(remembers: bool, carry: Any) -> Any:
    """`carry` where contacts remember anything."""
    return carry if remembers else carry_nothing
