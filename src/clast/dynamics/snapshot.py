"""A run at an instant, for outputs and measures: a copy on which the running kick is finished. The run does not notice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from clast.dynamics.bodies.pushes import pushes_of
from clast.dynamics.contacts.onset import BELOW
from clast.dynamics.family import Family
from clast.dynamics.named import NamedInstant, Rows
from clast.dynamics.named_bonds import BondsNow

if TYPE_CHECKING:
    from clast.dynamics.bodies.flow import Flow
    from clast.dynamics.engine import Engine


@dataclass(frozen=True, eq=False, repr=False)
class Snapshot(NamedInstant):
    """A copy of the run at t = n Δt with velocities of the same instant.

    By name, row k for the body with id k (shapes and units in the docstrings, `help(Snapshot.positions)`):

        positions, angles or orientations, velocities, spins   where bodies are and how they move
        contacts                                               what touches: a `ContactTable`, arrays by name
        present, free_ids                                      who takes part, and who of them has no tags
        loads, held, dashpots                                  what tags do
        period, cell                                           lengths of the periodic cell, and what moves it
        book, totals                                           energy accounts of every body, and of all
        gravity, inverse_masses, inverse_inertias, reaches     constants

    The fields below are the engine's own tables, in its order of rows: they are for `clast.dynamics` alone.
    """

    step: int
    time: float
    state: Any
    before: np.ndarray  # (rows, 3) velocity and spin half a step earlier; in space (rows, 6) velocity, momentum in the body frame
    after: np.ndarray  # the same half a step later
    integers: np.ndarray  # contact table, see clast.dynamics.contacts.table
    floats: np.ndarray
    family: Family
    model: Any
    tags: Any  # with the loads of this instant
    rows: Rows
    work_changes: float  # done so far by whoever changed the run
    flow: Flow  # who has come in and gone out so far
    bonds: BondsNow | None = None  # bonds by name, None where the scene has none

    def _where(self) -> Rows:
        return self.rows

    def __repr__(self) -> str:
        return f"<snapshot at step {self.step}, t = {self.time:g}: {len(self.rows.body)} bodies, {len(self.floats)} contacts>"


def take_snapshot(engine: Engine) -> Snapshot:
    """The run at this instant, velocities and path integrals finished to t = n Δt, on a copy: the run is not touched."""
    past = 0.5 if engine.step > 0 else 0.0
    engine._renew_program()
    motion = partial(engine.family.motion, engine.model)
    state, lists = engine._copy()
    engine._kick(state, lists, past, 0.0, past + 0.5)
    bonds = BondsNow(engine.bonds, state, engine.order) if engine.bonds else None
    if engine.kernels.GEAR:
        before = after = motion(state)
    else:
        later, later_lists = engine._copy()
        engine._kick(later, later_lists, past, 0.5, past + 0.5)
        after = motion(later)
        before = motion(engine._seen_state) if engine.step > 0 else 2.0 * motion(engine._seen_state) - after
    integers, floats = engine.contact_table(state, lists)
    if engine._onset and engine.step > 0:
        balance(engine, before, after, integers, floats)
    if bonds is not None:
        take_instant(engine, state, before, after, motion(state))
    row = engine.step - engine._program_start if len(engine.tags.program) > 1 else 0
    tags = engine.tags._replace(push=pushes_of(engine.tags, row, state.body))
    rows = Rows.of(engine)
    constants = engine.family, engine.model, tags, rows, engine.work_changes, engine.flow
    return Snapshot(engine.step, engine.time, state, before, after, integers, floats, *constants, bonds)


def take_instant(engine: Engine, state: Any, before: np.ndarray, after: np.ndarray, now: np.ndarray) -> None:
    """Where a bond breaks at this instant, only the half of the kick before it was done: its bodies have the velocities of the
    instant, `now`, in place of those half a step before and after."""
    breaks = (state.bond != engine._seen_state.bond).any(axis=1)
    rows = np.unique(engine.bonds.link[breaks])
    before[rows] = after[rows] = now[rows]


def balance(engine: Engine, before: np.ndarray, after: np.ndarray, integers: np.ndarray, floats: np.ndarray) -> None:
    """Where a contact of a body closed in the step before, or opens in the step after, one half of the kick was weighted.

    The kinetic energy ½ v₋·M·v₊ belongs to a kick of equal halves: so take the velocity that the whole of the weighted
    half would have led from (closing) or to (opening).
    """
    table, motion = engine.family.TABLE, partial(engine.family.motion, engine.model)
    closing_speed, depth = floats[:, table.CLOSING_SPEED], floats[:, table.DEPTH]
    near = (depth > 0.0) & (depth < BELOW * np.abs(closing_speed) * engine.dt)
    if not near.any():
        return
    whole, lists = engine._copy()
    engine._kick(whole, lists, 0.5, 0.5, 1.0, onset=0.0)
    kick = motion(whole) - motion(engine._seen_state)
    ends = closing_speed <= 0.0
    opening, closing = (rows_of(engine, integers[near & chosen]) for chosen in (ends, ~ends))
    after[opening] = before[opening] + kick[opening]
    closing = np.setdiff1d(closing, opening)
    before[closing] = after[closing] - kick[closing]


def rows_of(engine: Engine, contacts: np.ndarray) -> np.ndarray:
    """Bodies of some rows of the contact table, and the cell that moves where one of them lies across its seam."""
    table = engine.family.TABLE
    rows = np.unique(contacts[:, [table.PROBER, table.PROBED]])
    if engine.kernels.CELL and len(contacts):
        first = engine._seen_lists.pair[: engine.pairs + 1, 2].astype(np.int64)
        pairs = np.searchsorted(first, contacts[:, table.CANDIDATE], side="right") - 1
        if engine._seen_lists.image[pairs].any():
            rows = np.append(rows, engine.model.cell[0])
    return rows
