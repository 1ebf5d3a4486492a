"""The nouns of a stretch of steps: what is constant, what moves, who is near whom. NamedTuples of arrays.

The host sees tables with rows; passes see the same tables flat (`flat`), with named columns, and read records from them.
"""

from typing import Any, NamedTuple, TypeVar

import numpy as np

# columns of State.book, path integrals per body
VISCOUS, SLIDING, LOST, TAG_WORK, DRAG, ROLLING, REMOVED, WORK = range(8)
ACCOUNTS = 8  # a cache line each
STAYS, MOVES, SHEARED = range(3)  # a periodic cell: nothing of it moves, its lengths do, or its height and its offset


class Model(NamedTuple):
    """Constants of a scene, n bodies: free grains first, then tagged bodies, then those at rest for ever."""

    shape: np.ndarray  # (n,) int64 index into Geometry
    material: np.ndarray  # (n,) int64
    inverse_mass: np.ndarray  # (n,) 0 where nothing moves it
    inverse_inertia: np.ndarray  # (n,), in space (n, 3) about the principal axes
    contact_inverse_mass: np.ndarray  # (n,) 0 for fixed and big bodies: what the reduced mass of a contact sees
    contact_inverse_inertia: np.ndarray  # (n,) or (n, 3) likewise, 0 where it cannot turn
    ease: np.ndarray  # (n, 2) at most how much a push at the surface shifts and turns its point: 1/m and l²/I for the time step
    reach: np.ndarray  # (n,) largest distance from the centre of mass to the surface
    inverse_radius: np.ndarray  # (n,) one over the sphero-radius, 0 for big bodies: for the reduced radius of a contact
    law: np.ndarray  # (materials², parameters) per material pair: of the law, then of rolling, then of cohesion
    stiffness: np.ndarray  # (2,) largest ∂F/∂δ at the overlap the time step is made for, and at one that is surely reached
    period: np.ndarray  # (2 or 3,) length of the periodic cell at the last rebuild, 0 where a side is open
    cell: np.ndarray  # (1,) int64: row of the body whose place is the lengths of the moving cell, −1 where it stays
    shear: np.ndarray  # (4,) of a sheared cell, see below; 0 where it stands upright
    gravity: np.ndarray  # (2 or 3,) acceleration


PER_BODY = Model._fields[: Model._fields.index("law")]  # those with a row for each body
# Model.shear: by which images one cell up lie further along x at the last rebuild; how far apart along y bodies lie at most that
# may meet; the strain since that rebuild, as expected for the end of the step; the rate of shear at the start of the step
OFFSET, SPAN, STRAIN, RATE = range(4)


class State(NamedTuple):
    """What moves. Between steps velocities are those of the half step before (Verlet), or predicted for t_n (Gear)."""

    body: np.ndarray  # (n, 8): x, y, cos, sin of the angle, velocity x, y and spin, sphero-radius; a cache line each
    angle: np.ndarray  # (n,) radians, not wrapped
    book: np.ndarray  # (n, 8) heats and work since the start, per body
    gear: np.ndarray  # (n, 3, q − 1) scaled derivatives Δt^k r^(k)/k!, k = 2 … q, of x, y, angle; (1, 3, 1) for Verlet
    mid_step: np.ndarray  # (n, 3) velocity and spin half a step ago, which springs follow; (1, 3) for Verlet, whose own they are
    # (n, 8) for Verlet and dashpots: what velocity x, y and spin are expected to gain until the next forces, 0, then what they
    # gained in the last step, 0 (`clast.dynamics.bodies.gains`); else (1, 8)
    gain: np.ndarray
    bond: np.ndarray  # (bonds, 3) what became of each: step at which it broke or −1, its energy then, how; none without bonds


class SpaceState(NamedTuple):
    """What moves in space; velocities as in `State`."""

    body: np.ndarray  # (n, 16): x y z, sphero-radius, quaternion w x y z, velocity x y z, 0, spin x y z in the world, 0
    # (its mean over the last drift under Verlet, which contacts see); two cache lines each
    momentum: np.ndarray  # (n, 4) angular momentum in the principal frame at the end of the last drift, and a 0; of bodies with
    # three equal moments Verlet keeps the spin only
    book: np.ndarray  # (n, 8) heats and work since the start, per body
    gear: np.ndarray  # (n, 10, order) for Gear, see `clast.dynamics.space.predicting`; (1, 10, 1) for Verlet
    mid_step: np.ndarray  # (n, 6) velocity and spin half a step ago, which springs follow; (1, 6) for Verlet, whose own they are
    gain: np.ndarray  # (n, 16) or (1, 16), as in `State`: velocity x y z, 0, spin x y z, 0; then the same of the last step


class Tags(NamedTuple):
    """What is imposed on the bodies free ≤ b < moving: rows b − free. In the plane d = 3 components, x y and spin; in space
    d = 6, x y z and the spin about x y z of the world, and spins are prescribed all three or none.

    The program holds what may change with time, one row per step of the present block, or one row for all steps:
    columns 2d·r + (0 … d − 1) prescribed velocity and spin at t_n + ½Δt (Gear: t_n + Δt), the next d force and torque at t_n
    of tagged row r, then the pressures of the loads, then the drag rate of the grains.

    One class for both: numba takes two of one name and the same kinds of arrays for the same when it is called, and then looks
    for the right code in every call, which costs a millisecond.
    """

    imposed: np.ndarray  # (m, d) uint8: 1 where the component is prescribed
    program: np.ndarray  # (steps or 1, 2dm + loads + 1)
    load: np.ndarray  # (loads, 5 or 8) int64: tagged row, component, bodies a and b (−1: none), axis of the gap; in space twice
    load_number: np.ndarray  # (loads, 2 or 3): sign along the component, and gap − (x_b − x_a), of each gap
    dashpot: np.ndarray  # (m, 2 or 3) coefficients of a dashpot along x, y and z
    dragged: np.ndarray  # (m,) uint8: 1 for tagged grains, which the drag acts on; walls it does not
    push: np.ndarray  # (loads,) scratch: their forces at this step


class Lists(NamedTuple):
    """Pairs of near bodies and their candidates, sorted by (i, rank of j, image) and (section, first, second); i is the body of
    the smaller rank. One class for all families, whose columns stand in `plane.columns` and `space.columns`.

    In the plane two sections: i's probes on j's features, and j's on i's. In space three: i's vertices on j's features, j's on
    i's, i's edges and vertices against j's.
    """

    pair: np.ndarray  # (np + 1, 4 or 6) uint32: i, j, first candidate of each section, …; the next row closes it
    pair_constant: np.ndarray  # (np, 5 … 7): image shift of j, reduced mass, where in Model.law, reduced sphero-radius, …
    image: np.ndarray  # (np, 2 or 3) int32: image of j
    candidate: np.ndarray  # (nc, 2) uint32: features, numbered through all shapes
    spring: np.ndarray  # (nc, memory) tangential spring and whatever else the law remembers
    weight: np.ndarray  # (nc,) uint8, in space float: how much the candidate counted at the last step, 0 where it was no contact
    first_pair: np.ndarray  # (n + 1,) uint32: pairs with this body as i
    first_other: np.ndarray  # (n + 1,) uint32: into `other`
    other: np.ndarray  # (np,) uint32: pairs with this body as j, by (rank of i, pair)
    reference: np.ndarray  # (n, 4): x, y, angle, reach at the last rebuild; in space (n, 8): x, y, z, reach, quaternion


class Forces(NamedTuple):
    """Sums over the contacts of each pair."""

    pair: np.ndarray  # (np, 8 or 18): force on i, torque on i, torque on j; then the viscous part of these
    refine: np.ndarray  # (np,) uint8: 1 where a contact may open or close in this step
    more: np.ndarray  # (np, 4 or 9): what that adds to force and torques
    work: np.ndarray  # (np, 9): of sharp bodies the part of the first table that has no potential
    loss: np.ndarray  # (np, 4) on a grid: heats of a pair, see `contacts.heats`


class Bonds(NamedTuple):
    """Beams that hold two bodies together, m of them, in the order of the scene; see `plane.bonds`. Where a scene has none, an
    empty tuple stands in place of the record."""

    link: np.ndarray  # (m, 2) int64 rows of both bodies
    constant: np.ndarray  # (m, 20) arms, rest, stiffness, dashpots, strength
    row: np.ndarray  # (m, 16) scratch: wrench, the viscous part of it, and what it carries whatever the part of the kick
    first: np.ndarray  # (n + 1,) int64 into `of`, of each row
    of: np.ndarray  # (2m,) int64: 2 × bond, + 1 where the body is the second of it; ascending for each body


class Roles(NamedTuple):
    """How each body is searched: grains in cells by size, big bodies apart. Changes only where rows do."""

    grains: np.ndarray  # int64 rows of the bodies that live in cells
    level: np.ndarray  # (grains,) int64, 0 the coarsest
    level_reach: np.ndarray  # (levels,) largest reach of a level
    big: np.ndarray  # int64 rows of big bodies
    mobile: np.ndarray  # (n,) uint8: 1 where at least one component is free
    rank: np.ndarray  # (n,) int32: row at t = 0, which the order of sums goes by; it stays with a body when rows change


# --- what a pass sees ----------------------------------------------------------------------------------------------------


class Run(NamedTuple):
    """Numbers of a stretch of steps, or of a look at the present instant: forces and part of a kick, without moving."""

    dt: float
    onset: float  # 1 where contacts that open or close are weighted
    alpha: float  # how far a body may move before the lists are stale
    free: int  # bodies without tags are the first rows
    start: int  # step at which the program of the tags begins
    kinds: int  # of pairs that there may be, as bits (`clast.dynamics.contacts.kinds`)
    look: bool
    past: float  # of a look: parts of Δt before and after t_n that are wanted of the kick,
    future: float
    whole: float  # and the whole kick of the running step
    thin: float  # the thinnest body, see `clast.dynamics.bodies.haste`


class Clock(NamedTuple):
    """Numbers of one step."""

    dt: float
    spring_dt: float  # time springs have had to grow since the last forces: Δt, 0 at the start
    past: float  # parts of Δt before and after t_n whose forces are summed
    future: float
    onset: float
    drift: float  # Δt, 0 for a look
    kick: float  # part of Δt that everything else acts
    whole: float  # the kick of the running step, of which a look does a part
    share: float  # of the work of a kick that is booked with the new velocity: ½, 1 at the start, 0 for a look
    drag: float  # rate of the drag of grains
    alpha: float
    resync: bool  # whether (cos, sin) are computed anew from the angle
    first: bool  # whether this is the first step
    row: int  # of the program of the tags
    free: int
    thin: float  # the thinnest body
    pace: float  # below this square of a speed no body can pass through another unseen, see `clast.dynamics.bodies.haste`


class Scratch(NamedTuple):
    """Room in which each thread may work on one item, equal shares, one per thread; and a table of contacts to be filled."""

    floats: np.ndarray
    integers: np.ndarray
    row_floats: np.ndarray
    row_integers: np.ndarray


# A pass over pairs and one over bodies see different arrays, most of them as bare tables (`clast.backend.bare`): what a function
# does not use would still be compiled into its calls.


class PairModel(NamedTuple):
    """See `Model`."""

    contact_inverse_mass: np.ndarray
    contact_inverse_inertia: np.ndarray
    law: np.ndarray
    cell: np.ndarray
    gravity: np.ndarray


class PairState(NamedTuple):
    """See `State`."""

    body: np.ndarray
    book: np.ndarray  # of i, in which the heats of a pair are booked: its pairs are the work of one thread
    mid_step: np.ndarray
    gain: np.ndarray


class PairLists(NamedTuple):
    """See `Lists`."""

    pair: np.ndarray
    pair_constant: np.ndarray
    image: np.ndarray
    candidate: np.ndarray
    spring: np.ndarray
    weight: np.ndarray
    first_pair: np.ndarray
    first_other: np.ndarray
    other: np.ndarray


class PairBonds(NamedTuple):
    """See `Bonds`; with what a pass over bonds needs of the state."""

    link: np.ndarray
    constant: np.ndarray
    row: np.ndarray
    first: np.ndarray
    of: np.ndarray
    fate: np.ndarray  # State.bond
    angle: np.ndarray
    step: int


class PairWorld(NamedTuple):
    """All that a pass over pairs may read or write."""

    geometry: Any  # what of it the family needs
    model: PairModel
    state: PairState
    lists: PairLists
    forces: Forces
    scratch: Scratch
    clock: Clock
    thread: int  # who works
    bonds: Any  # PairBonds, or an empty tuple


class BodyModel(NamedTuple):
    """See `Model`."""

    inverse_mass: np.ndarray
    inverse_inertia: np.ndarray
    cell: np.ndarray
    shear: np.ndarray
    gravity: np.ndarray


class BodyLists(NamedTuple):
    """See `Lists`."""

    image: np.ndarray
    first_pair: np.ndarray
    first_other: np.ndarray
    other: np.ndarray
    reference: np.ndarray


class BodyForces(NamedTuple):
    """See `Forces`."""

    pair: np.ndarray
    work: np.ndarray
    loss: np.ndarray


class BodyBonds(NamedTuple):
    """See `Bonds`."""

    row: np.ndarray
    first: np.ndarray
    of: np.ndarray


class BodyWorld(NamedTuple):
    """All that a pass over bodies may read or write."""

    model: BodyModel
    state: Any  # State or SpaceState
    lists: BodyLists
    forces: BodyForces
    tags: Tags
    clock: Clock
    pairs: int  # how many there are
    bonds: Any  # BodyBonds, or an empty tuple


Record = TypeVar("Record", bound=tuple)
ROWS_KEPT = ("gear", "program")  # indexed by row in compiled code as well


def flat(record: Record) -> Record:
    """The same arrays, tables as one row of numbers."""
    if not record:
        return record
    names = record._fields  # type: ignore[attr-defined]
    arrays = (each if name in ROWS_KEPT else each.reshape(-1) for name, each in zip(names, record, strict=True))
    return type(record)(*arrays)
