"""The nouns of a stretch of steps with sharp bodies: those of `clast.dynamics.space.arrays` but for what is listed here.

Contacts: a row of `pair` is a piece of i and a piece of j; the sections of its candidates are those of
`clast.neighbours.sharp_lists`, and the last number is 1 where only i does not give way (is big or fixed), 2 where only j does
not. A spring belongs to the first candidate of its row. `pair_constant`: image shift of j (3), reduced mass, row of Model.law,
L and A₀ of the pair.

Model.inverse_radius is one over the radius of a ball of the body's volume, 0 for big bodies.
"""

from typing import NamedTuple

import numpy as np

from clast.neighbours.sweep import Sweep

CONSTANT = 7  # numbers of a row of Contacts.pair_constant
WIDTH = 9  # of Contacts.spring: tangential spring, centroid and normal of the last step; all in the world


class Contacts(NamedTuple):
    """Pairs of near pieces with their candidates; see above."""

    pair: np.ndarray  # (np + 1, 6) uint32: i, j, first candidate of each section, who is big; the next row closes it
    pair_constant: np.ndarray  # (np, 7)
    image: np.ndarray  # (np, 3) int32: image of j
    candidate: np.ndarray  # (nc, 2) uint32
    spring: np.ndarray  # (nc, 9) of the first candidate of a row; see WIDTH
    weight: np.ndarray  # (nc,) 1 where there was an overlap at the last step
    first_pair: np.ndarray  # (n + 1,) uint32: pairs with this body as i
    first_other: np.ndarray  # (n + 1,) uint32: into `other`
    other: np.ndarray  # (np,) uint32: pairs with this body as j, ascending
    reference: np.ndarray  # (n, 8): x, y, z, reach, quaternion at the last rebuild


class Forces(NamedTuple):
    """Sums of each pair."""

    pair: np.ndarray  # (np, 9): force on i, torque on i, torque on j
    loss: np.ndarray  # (np, 12): viscous part of the above (9), heat of sliding, 0, energy of lost springs
    work: np.ndarray  # (np, 9): part of the first table that has no potential


class Workspace(NamedTuple):
    """Scratch of a rebuild: what `clast.dynamics.space.arrays.Workspace` has as far as it is needed, and sorted boxes."""

    cell_start: np.ndarray  # (cells + 2,) int64
    cell_item: np.ndarray  # (n,) int64
    cell_of: np.ndarray  # (n,) int64
    raw: np.ndarray  # (capacity, 5) int32: i, j, image x, y, z
    sorted: np.ndarray  # (capacity, 5) int32
    pair_start: np.ndarray  # (n + 1,) int64
    sweep: Sweep
    by_sweep: np.ndarray  # (1,) uint8: 1 to find pairs by sorted boxes, 0 by cells
    planes: np.ndarray  # planes of a piece, in the frame of another
