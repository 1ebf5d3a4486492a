"""The nouns of a stretch of steps: what is constant, what moves, who is near whom. NamedTuples of arrays.

Kernels take these and unpack them first; device functions take scalars.
"""

from typing import NamedTuple

import numpy as np

# columns of State.book, path integrals per body
VISCOUS, SLIDING, LOST, TAG_WORK = range(4)


class Model(NamedTuple):
    """Constants of a scene, n bodies: free grains first, then tagged bodies, then those at rest for ever."""

    shape: np.ndarray  # (n,) int64 index into Geometry
    material: np.ndarray  # (n,) int64
    inverse_mass: np.ndarray  # (n,) 0 where nothing moves it
    inverse_inertia: np.ndarray  # (n,)
    contact_inverse_mass: np.ndarray  # (n,) 0 for fixed and big bodies: what the reduced mass of a contact sees
    reach: np.ndarray  # (n,) largest distance from the centre of mass to the surface
    law: np.ndarray  # (materials², parameters) law parameters per material pair
    period: np.ndarray  # (2,) length of the periodic cell, 0 where a side is open
    gravity: np.ndarray  # (2,) acceleration


class State(NamedTuple):
    """What moves. Velocities are those of the half step before."""

    body: np.ndarray  # (n, 8): x, y, cos, sin of the angle, velocity x, y and spin, sphero-radius; a cache line each
    angle: np.ndarray  # (n,) radians, not wrapped
    book: np.ndarray  # (n, 4) heats and work since the start, per body


class Tags(NamedTuple):
    """What is imposed on the bodies free ≤ b < moving: rows b − free."""

    imposed: np.ndarray  # (m, 3) uint8: 1 where the velocity component (x, y, spin) is prescribed
    velocity: np.ndarray  # (m, 3)
    force: np.ndarray  # (m, 3) force x, force y, torque


class Contacts(NamedTuple):
    """Pairs of near bodies and their candidates (probe, feature), sorted by (i, j, image) and (side, probe, feature)."""

    pair: np.ndarray  # (np + 1, 4) uint32: i, j, first candidate, first candidate of side 1; the next row closes it
    pair_constant: np.ndarray  # (np, 4): image shift x, y of j, reduced mass, row of Model.law
    image: np.ndarray  # (np, 2) int32: image of j
    candidate: np.ndarray  # (nc, 2) uint32: probe, feature
    spring: np.ndarray  # (nc,) tangential spring
    active: np.ndarray  # (nc,) uint8: 1 where the candidate was a counted contact at the last step
    first_pair: np.ndarray  # (n + 1,) uint32: pairs with this body as i
    first_other: np.ndarray  # (n + 1,) uint32: into `other`
    other: np.ndarray  # (np,) uint32: pairs with this body as j, ascending
    reference: np.ndarray  # (n, 4): x, y, angle, reach at the last rebuild


class Forces(NamedTuple):
    """Sums over the contacts of each pair."""

    pair: np.ndarray  # (np, 4): force on i (x, y), torque on i, torque on j
    loss: np.ndarray  # (np, 6): viscous part of the above (4), heat of sliding, energy of lost springs


class Workspace(NamedTuple):
    """Scratch of a rebuild, allocated once and grown by the host."""

    cell_start: np.ndarray  # (cells + 2,) int64
    cell_item: np.ndarray  # (n,) int64
    cell_of: np.ndarray  # (n,) int64
    raw: np.ndarray  # (capacity, 4) int32: i, j, image x, image y
    sorted: np.ndarray  # (capacity, 4) int32
    pair_start: np.ndarray  # (n + 1,) int64
    near_feature: np.ndarray  # (largest number of features of a shape,) int64


class Cast(NamedTuple):
    """Who is searched how, fixed for a run."""

    grains: np.ndarray  # int64 ids of the bodies that live in cells
    level: np.ndarray  # (grains,) int64, 0 the coarsest
    level_reach: np.ndarray  # (levels,) largest reach of a level
    big: np.ndarray  # int64 ids of big bodies
    mobile: np.ndarray  # (n,) uint8: 1 where at least one component is free
