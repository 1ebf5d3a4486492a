"""What moves, by name, bodies in the order of their ids whatever their order in memory: for all that lies outside `dynamics`.

This module and `clast.dynamics.named_contacts` are the only ones that know rows and columns on behalf of others. Row k of every
array here is the body with id k of the scene. Bodies that were taken out of a run, or wait to come in, stay in the arrays: the
former at their last place and at rest, the latter as the scene gave them. A periodic cell that moves is a row of the engine's
tables but no body: it has names of its own (`period`, `cell`).

Units are those of the scene; brackets say what they are in SI units.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from clast.algebra.quaternions import matrix
from clast.dynamics.arrays import DRAG, LOST, REMOVED, ROLLING, SHEARED, SLIDING, TAG_WORK, VISCOUS, WORK
from clast.dynamics.bodies.removal import absent
from clast.dynamics.family import Family
from clast.dynamics.named_contacts import ContactTable
from clast.dynamics.plane.columns import COS, SIN
from clast.dynamics.space.columns import THEN, TURN
from clast.dynamics.space.family import momenta
from clast.dynamics.timestep import safe_step

LISTED_ANGLE = 2  # of Lists.reference in the plane; places come first
# accounts that are path integrals: columns of State.book
PATHS = {
    "heat_sliding": SLIDING, "heat_viscous": VISCOUS, "heat_lost_springs": LOST, "heat_rolling": ROLLING, "heat_drag": DRAG,
    "overlap_work": WORK, "carried_off": REMOVED, "work_tags": TAG_WORK,
}  # fmt: skip


class Rows(NamedTuple):
    """What the rows of an engine's tables stand for at an instant: free bodies, tagged ones, those at rest, those taken out."""

    order: np.ndarray  # (rows,) int64: id in each row; a cell that moves has the id after the last body
    body: np.ndarray  # (n,) int64: row of each body
    cell: int  # row of a periodic cell that moves, −1 where none does
    free: int
    moving: int
    gone: int
    rank: np.ndarray  # (rows,) int32: see `Roles`
    sheared: bool  # whether that cell leans or may lean

    @classmethod
    def of(cls, engine: Any) -> Rows:
        """Of an engine as it stands."""
        rows = np.argsort(engine.order)
        cell = int(rows[-1]) if engine.kernels.CELL else -1
        body = rows[:-1] if engine.kernels.CELL else rows
        return cls(
            engine.order, body, cell, engine.free, engine.moving, engine.gone, engine.roles.rank, engine.kernels.CELL == SHEARED
        )

    def by_rank(self, count: int) -> np.ndarray:
        """The first `count` rows by rank: sums in this order do not depend on where bodies lie in memory."""
        return np.argsort(self.rank[:count])

    def spread(self, some: np.ndarray, first: int = 0) -> np.ndarray:
        """A table (rows, …) that holds `some` from row `first` on, and 0 elsewhere."""
        table = np.zeros((self.order.size, *some.shape[1:]), some.dtype)
        table[first : first + len(some)] = some
        return table


class Cell(NamedTuple):
    """A periodic cell that moves, along each axis."""

    lengths: np.ndarray  # (2 or 3,) [m], 0 where a side is open
    rates: np.ndarray  # (2 or 3,) velocities of the lengths [m/s]
    loads: np.ndarray  # (2 or 3,) force of its tags on the lengths, pulling is positive [N]
    held: np.ndarray  # (2 or 3,) bool: whether a tag prescribes the rate
    dashpots: np.ndarray  # (2 or 3,) coefficients [N s/m]
    sheared: bool  # whether it leans or may lean
    offset: float  # by which images one period_y up lie further along x [m]; never wrapped
    offset_rate: float  # how fast that grows [m/s]


class Named:
    """Where bodies are and how they move, of an engine or a snapshot of it. All arrays are copies."""

    state: Any
    model: Any
    tags: Any
    family: Family

    def _where(self) -> Rows:
        raise NotImplementedError

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return self.family.DIMENSION

    @property
    def positions(self) -> np.ndarray:
        """Centres of mass (n, 2 or 3) [m]; never wrapped into a periodic box."""
        return self.state.body[self._where().body, : self.dimension]

    @property
    def angles(self) -> np.ndarray:
        """Angles (n,) [rad], positive counter-clockwise, never wrapped; in the plane only."""
        if self.dimension != 2:
            raise AttributeError("bodies in space have orientations, not angles")
        return self.state.angle[self._where().body]

    @property
    def orientations(self) -> np.ndarray:
        """Unit quaternions w x y z (n, 4) that turn the principal frame of a body into the world; in space only."""
        if self.dimension != 3:
            raise AttributeError("bodies in the plane have angles, not orientations")
        return self.state.body[self._where().body, TURN : TURN + 4]

    @property
    def velocities(self) -> np.ndarray:
        """Velocities of the centres of mass (n, 2 or 3) [m/s]; of an engine between steps see `NamedEngine`."""
        return self.state.body[self._where().body, self.family.VELOCITIES]

    @property
    def spins(self) -> np.ndarray:
        """Angular velocities [rad/s]: (n,) in the plane, in space (n, 3) about the axes of the world."""
        return self.state.body[self._where().body, self.family.SPINS]

    @property
    def present(self) -> np.ndarray:
        """Bodies (n,) bool that take part: neither taken out of the run nor waiting to come in."""
        rows = self._where()
        return np.asarray(rows.body < rows.order.size - rows.gone)

    @property
    def free_ids(self) -> np.ndarray:
        """Ids (f,) of the bodies that take part and have no tags, always in one order: sums over them keep their bits."""
        rows = self._where()
        return rows.order[rows.by_rank(rows.free)]

    @property
    def period(self) -> np.ndarray:
        """Lengths of the periodic cell (2 or 3,) [m], 0 where a side is open."""
        cell = self._where().cell
        return self.model.period.copy() if cell < 0 else self.state.body[cell, : self.dimension].copy()

    @property
    def offset(self) -> float:
        """By which images one period up lie further along x [m], never wrapped; 0 in a cell that stands upright."""
        rows = self._where()
        return float(self.state.body[rows.cell, self.family.OFFSET]) if rows.sheared else 0.0

    @property
    def gravity(self) -> np.ndarray:
        """Acceleration (2 or 3,) [m/s²]."""
        return self.model.gravity.copy()

    @property
    def inverse_masses(self) -> np.ndarray:
        """1/m (n,) [1/kg], as the engine multiplies with it."""
        return self.model.inverse_mass[self._where().body]

    @property
    def inverse_inertias(self) -> np.ndarray:
        """1/I [1/(kg m²)]: (n,) in the plane, in space (n, 3) about the principal axes."""
        return self.model.inverse_inertia[self._where().body]

    @property
    def reaches(self) -> np.ndarray:
        """Largest distance (n,) from the centre of mass to the surface [m]."""
        return self.model.reach[self._where().body]


class NamedInstant(Named):
    """What a snapshot holds besides: contacts, loads of tags, a cell that moves, energies."""

    before: np.ndarray
    after: np.ndarray
    integers: np.ndarray
    floats: np.ndarray
    work_changes: float
    flow: Any

    @property
    def contacts(self) -> ContactTable:
        """What touches, one row per counted contact, in the order of the lists."""
        return ContactTable(self.family.TABLE, self._where().order, self.state, self.integers, self.floats)

    @property
    def loads(self) -> np.ndarray:
        """Forces of tags (n, 2 or 3) [N]: `Force` and `Pressure`, not what holds a prescribed velocity."""
        rows = self._where()
        return rows.spread(self.tags.push[:, : self.dimension], rows.free)[rows.body]

    @property
    def held(self) -> np.ndarray:
        """Whether the velocity along an axis is prescribed (n, 2 or 3) bool; all along where a body is fixed."""
        return self._held(self._where())[self._where().body]

    def _held(self, rows: Rows) -> np.ndarray:
        held = rows.spread(self.tags.imposed[:, : self.dimension] != 0, rows.free)
        held[rows.moving : rows.order.size - rows.gone] = True
        return held

    @property
    def dashpots(self) -> np.ndarray:
        """Coefficients of dashpots between bodies and the world (n, 2 or 3) [N s/m]."""
        rows = self._where()
        return rows.spread(self.tags.dashpot, rows.free)[rows.body]

    @property
    def cell(self) -> Cell | None:
        """The periodic cell where tags move it, None where it stays."""
        rows = self._where()
        if rows.cell < 0:
            return None
        row, tagged, axes = self.state.body[rows.cell], rows.cell - rows.free, self.dimension
        return Cell(
            lengths=row[:axes].copy(),
            rates=row[self.family.VELOCITIES].copy(),
            loads=self.tags.push[tagged, :axes].copy(),
            held=self._held(rows)[rows.cell],
            dashpots=self.tags.dashpot[tagged].copy(),
            sheared=rows.sheared,
            offset=self.offset,
            offset_rate=float(row[self.family.OFFSET_RATE]) if rows.sheared else 0.0,
        )

    @property
    def book(self) -> dict[str, np.ndarray]:
        """The accounts of every body by name (n,) [J].

        translational, rotational   kinetic energy ½ v₋·M·v₊, of bodies that move
        gravitational               −m g·x, of bodies that move
        heat_sliding, heat_viscous, heat_lost_springs, heat_rolling, heat_drag, overlap_work, carried_off, work_tags
                                    since the start; heat of sliding and rolling and lost springs of two bodies stand with
                                    the one that came first in memory at t = 0
        """
        rows = self._where()
        translational, rotational, lifted = self._moving_energies(slice(0, rows.moving))
        named = {"translational": translational, "rotational": rotational, "gravitational": -lifted}
        found = {name: rows.spread(values)[rows.body] for name, values in named.items()}
        return found | {name: self.state.book[rows.body, column] for name, column in PATHS.items()}

    @property
    def totals(self) -> dict[str, float]:
        """The same accounts, each summed over all bodies and a cell that moves, and those that belong to no body [J]:
        `work_changes`, and where the scene has sources or sinks `brought_in`.

        By rank: the order is part of the bits."""
        rows = self._where()
        everyone, (translational, rotational, lifted) = (
            rows.by_rank(rows.order.size),
            self._moving_energies(rows.by_rank(rows.moving)),
        )
        found = {"translational": np.sum(translational), "rotational": np.sum(rotational), "gravitational": -np.sum(lifted)}
        found |= {name: np.sum(self.state.book[everyone, column]) for name, column in PATHS.items()}
        come = {"brought_in": self.flow.brought} if self.flow.active else {}
        return {name: float(value) for name, value in found.items()} | {"work_changes": self.work_changes} | come

    def _moving_energies(self, rows: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of some rows: kinetic energies, and m g·x, whose negative is the energy in the field of gravity."""
        body = self.state.body
        translational, rotational = self.family.kinetic(self.model, self.before, self.after, rows)
        mass = 1.0 / self.model.inverse_mass[rows]
        fallen = sum(g * body[rows, axis] for axis, g in enumerate(self.model.gravity))  # axis by axis: part of the bits too
        return translational, rotational, mass * fallen


class NamedEngine(Named):
    """What protocols and studies read of an engine between stretches, and what they may set. Nothing of it is booked.

    Between steps velocities and spins are those of half a step before (Verlet; at the start those of t = 0), or predicted for
    now (Gear); a snapshot has those of the instant.
    """

    order: np.ndarray
    roles: Any
    kernels: Any
    free: int
    moving: int
    gone: int
    alpha: float
    bonds: Any
    _lists: Any

    def _where(self) -> Rows:
        return Rows.of(self)

    def contacts(self) -> ContactTable:
        """What touches now, with the velocities of half a step before; a snapshot takes longer and has those of the instant."""
        integers, floats = self.contact_table(self.state)  # type: ignore[attr-defined]
        return ContactTable(self.family.TABLE, self.order, self.state, integers, floats)

    @property
    def kinetic_energies(self) -> tuple[np.ndarray, np.ndarray]:
        """Translational and rotational energy of every body (n,) [J], of the velocities half a step before."""
        rows, motion = self._where(), self.family.motion(self.model, self.state)
        energies = self.family.kinetic(self.model, motion, motion, slice(0, rows.moving))
        translational, rotational = (rows.spread(each)[rows.body] for each in energies)
        return translational, rotational

    @property
    def bond_count(self) -> int:
        """How many bonds there are, broken ones included."""
        return len(self.bonds.link) if self.bonds else 0

    @property
    def big(self) -> np.ndarray:
        """Which bodies are walls (n,) bool."""
        rows = self._where()
        found = np.zeros(rows.order.size, bool)
        found[self.roles.big] = True
        return found[rows.body]

    @property
    def stiffness(self) -> float:
        """Largest stiffness of a contact, ∂F/∂δ at the overlap the time step is made for [N/m]."""
        return float(self.model.stiffness[0])

    @property
    def levels(self) -> int:
        """Into how many sizes of cells the grains are sorted."""
        return len(self.roles.level_reach)

    @property
    def safe_step(self) -> float:
        """The time step that `dt=None` takes [s]; see `clast.dynamics.timestep`."""
        return safe_step(self.model, self.tags, self.moving, self.family.TOGETHER, self.bonds, absent(self))

    @property
    def depth_held_against(self) -> str:
        """What the depth of an overlap is held against, in words; as a number `ContactTable.reaches`."""
        return self.family.DEPTH.held_against

    def place(self, ids: ArrayLike, positions: ArrayLike, turns: ArrayLike | None = None) -> None:
        """Put bodies somewhere: `positions` (k, 2 or 3) [m]; `turns`, where given, are angles (k,) [rad] or quaternions (k, 4).

        Velocities stay as they are; in space so does the angular momentum about the principal axes.
        """
        rows, state, d = self._where().body[np.asarray(ids, np.int64)], self.state, self.dimension
        state.body[rows, :d] = positions
        if turns is not None and d == 2:
            state.angle[rows] = turns
            state.body[rows, COS], state.body[rows, SIN] = np.cos(turns), np.sin(turns)
        elif turns is not None:
            spins = self.model.inverse_inertia[rows] * momenta(self.model, state)[rows]
            state.body[rows, TURN : TURN + 4] = turns
            state.body[rows, self.family.SPINS] = np.einsum("...ij,...j->...i", matrix(state.body[rows, TURN : TURN + 4]), spins)
        listed = self._lists.reference[rows]
        if d == 2:
            turned = listed[..., LISTED_ANGLE] != state.angle[rows]
        else:
            turned = (listed[..., THEN:] != state.body[rows, TURN : TURN + 4]).any(axis=-1)
        if (turned | (np.linalg.norm(state.body[rows, :d] - listed[..., :d], axis=-1) > self.alpha)).any():
            self._rebuild()  # type: ignore[attr-defined]

    def set_velocities(self, ids: ArrayLike, velocities: ArrayLike, spins: ArrayLike) -> None:
        """Let bodies move: `velocities` (k, 2 or 3) [m/s]; `spins` (k,) [rad/s], in space (k, 3) about the axes of the world."""
        rows, state = self._where().body[np.asarray(ids, np.int64)], self.state
        state.body[rows, self.family.VELOCITIES], state.body[rows, self.family.SPINS] = velocities, spins
        if self.dimension == 3:
            spins_in_body = np.einsum(
                "...ji,...j->...i", matrix(state.body[rows, TURN : TURN + 4]), state.body[rows, self.family.SPINS]
            )
            state.momentum[rows, :3] = spins_in_body / self.model.inverse_inertia[rows]

    def slow(self, keep: float) -> None:
        """Leave the part `keep` of the motion of all that moves, a cell too; what tags prescribe stays."""
        held = np.zeros((self.moving, self.tags.imposed.shape[1]), bool)
        held[self.free :] = self.tags.imposed != 0
        self.family.slow(self.state, np.where(held, 1.0, keep))
