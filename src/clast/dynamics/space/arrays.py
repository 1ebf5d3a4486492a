"""The nouns of a stretch of steps in space; twins of `clast.dynamics.arrays`, whose ACCOUNTS, Cast and Tags serve both.

Rows of State.body: x y z, sphero-radius, quaternion w x y z, velocity x y z, 0, spin x y z (in the world), 0.
"""

from typing import NamedTuple

import numpy as np

ROW = 16  # numbers of a body: two cache lines
RADIUS, TURN, VELOCITY, SPIN = 3, 4, 8, 12  # columns of State.body where these begin
PAIR = 6  # numbers of a row of Contacts.pair
CONSTANT = 6  # of Contacts.pair_constant
PULL = 9  # of Forces.pair
LOSS = 12  # of Forces.loss


class Model(NamedTuple):
    """Constants of a scene, n bodies: free grains first, then tagged bodies, then those at rest for ever."""

    shape: np.ndarray  # (n,) int64 index into Geometry
    material: np.ndarray  # (n,) int64
    inverse_mass: np.ndarray  # (n,)
    inverse_inertia: np.ndarray  # (n, 3) about the principal axes
    contact_inverse_mass: np.ndarray  # (n,) 0 for fixed and big bodies: what the reduced mass of a contact sees
    contact_inverse_inertia: np.ndarray  # (n, 3) likewise, 0 where it cannot turn
    ease: np.ndarray  # (n,) at most how much a push at the surface turns its point: l²/I for the time step
    reach: np.ndarray  # (n,) largest distance from the centre of mass to the surface
    inverse_radius: np.ndarray  # (n,) one over the sphero-radius, 0 for big bodies: for the reduced radius of a contact
    law: np.ndarray  # (materials², parameters) per material pair: of the law, then of rolling, then of cohesion
    stiffness: np.ndarray  # (2,) largest ∂F/∂δ at the overlap the time step is made for, and at one that is surely reached
    period: np.ndarray  # (3,) length of the periodic cell, 0 where a side is open
    gravity: np.ndarray  # (3,) acceleration


class SpaceState(NamedTuple):
    """What moves. Between steps velocities are those of the half step before (Verlet), or predicted for t_n (Gear)."""

    body: np.ndarray  # (n, 16), see above; the spin is the mean over the last drift (Verlet), which contacts see
    momentum: np.ndarray  # (n, 4) angular momentum in the principal frame at the end of the last drift, and a 0
    book: np.ndarray  # (n, 8) heats and work since the start, per body
    gear: np.ndarray  # (n, 10, order) for Gear, see clast.dynamics.space.predicting; (1, 10, 1) for Verlet
    late: np.ndarray  # (n, 6) velocity and spin half a step ago, which springs follow; (1, 6) for Verlet, whose own they are


class Contacts(NamedTuple):
    """Pairs of near bodies and their candidates, sorted by (i, j, image) and (section, first, second).

    Three sections: i's vertices on j's features, j's vertices on i's features, i's edges and vertices against j's.
    """

    pair: np.ndarray  # (np + 1, 6) uint32: i, j, first candidate of each section, 1 for two spheres; the next row closes it
    pair_constant: np.ndarray  # (np, 6): image shift x, y, z of j, reduced mass, row of Model.law, reduced sphero-radius
    image: np.ndarray  # (np, 3) int32: image of j
    candidate: np.ndarray  # (nc, 2) uint32: features, numbered through all shapes (see clast.contact.solid_features)
    spring: np.ndarray  # (nc, memory) tangential spring (3, in the world) and whatever else the law remembers
    weight: np.ndarray  # (nc,) how much the candidate counted as a contact at the last step, 0 where it was none
    first_pair: np.ndarray  # (n + 1,) uint32: pairs with this body as i
    first_other: np.ndarray  # (n + 1,) uint32: into `other`
    other: np.ndarray  # (np,) uint32: pairs with this body as j, ascending
    reference: np.ndarray  # (n, 8): x, y, z, reach, quaternion at the last rebuild


class Forces(NamedTuple):
    """Sums over the contacts of each pair."""

    pair: np.ndarray  # (np, 9): force on i, torque on i, torque on j
    loss: np.ndarray  # (np, 12): viscous part of the above (9), heat of sliding, of rolling, energy of lost springs
    refine: np.ndarray  # (np,) uint8: 1 where a contact may open or close in this step
    more: np.ndarray  # (np, 9): what that adds to the first table
    work: np.ndarray  # (1, 9): nothing; of sharp bodies the part of the first table that has no potential


class Workspace(NamedTuple):
    """Scratch of a rebuild, allocated once and grown by the host."""

    cell_start: np.ndarray  # (cells + 2,) int64
    cell_item: np.ndarray  # (n,) int64
    cell_of: np.ndarray  # (n,) int64
    raw: np.ndarray  # (capacity, 5) int32: i, j, image x, y, z
    sorted: np.ndarray  # (capacity, 5) int32
    pair_start: np.ndarray  # (n + 1,) int64
    near_feature: np.ndarray  # (largest number of features of a shape,) int64
    near_other: np.ndarray  # (the same,) int64
