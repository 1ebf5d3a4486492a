"""Grains that have fallen out of sight leave the run (`Scene.remove_below`), at fixed step numbers so that bits don't depend
on lists, threads or outputs. The others keep their ranks, so every sum is taken in the same order as before.

Here too is how rows change places (`reorder`), for whoever has a reason: grains that leave or come, lost locality, a resumed run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clast.backend.lines import at_a_line
from clast.dynamics.arrays import PER_BODY, REMOVED, Roles
from clast.dynamics.bodies.at_once import at_once
from clast.dynamics.bodies.bonds import reordered, whole

if TYPE_CHECKING:
    from clast.dynamics.bodies.flow import Flow
    from clast.dynamics.engine import Engine
    from clast.dynamics.snapshot import Snapshot


INTERVAL = 1024  # steps between looks
NEVER = int(np.iinfo(np.int64).max)
FALLEN = -1  # in place of the number of a sink


class WholeRoles(NamedTuple):
    """Who takes part before anybody has left, by ids."""

    level: np.ndarray  # (n,) level of cells, −1 for big bodies, −2 for a moving periodic cell
    mobile: np.ndarray  # (n,)
    rank: np.ndarray  # (n,) int32
    free: int
    moving: int

    @classmethod
    def of(cls, order: np.ndarray, roles: Roles, free: int, moving: int) -> WholeRoles:
        """The roles of a fresh layout."""
        level = np.full(order.size, -2, np.int64)
        level[order[roles.big]] = -1
        level[order[roles.grains]] = roles.level
        mobile, rank = np.zeros(order.size, np.uint8), np.zeros(order.size, np.int32)
        mobile[order], rank[order] = roles.mobile, roles.rank
        return cls(level, mobile, rank, free, moving)


def may_remove(engine: Engine) -> bool:
    """Whether bodies can leave the run before its end, or have left it: frames then store who is present."""
    return engine.scene.remove_below is not None or engine.gone > 0 or engine.flow.active


def absent(engine: Any) -> list[int]:
    """Rows of the free bodies that take no part, yet or no more."""
    rows = np.arange(engine.order.size - engine.gone, engine.order.size)
    found: list[int] = rows[engine.roles.rank[rows] < engine.whole_roles.free].tolist()
    return found


def is_due(engine: Engine) -> bool:
    """Whether this is a step to look for fallen grains."""
    return engine.scene.remove_below is not None and engine.step % INTERVAL == 0


def next_look(engine: Engine) -> int:
    """The next step to look at."""
    return NEVER if engine.scene.remove_below is None else (engine.step // INTERVAL + 1) * INTERVAL


def remove_fallen(engine: Engine) -> None:
    """Take out free grains below the limit that touch nobody, fragments as a whole; the energy they carry off is booked."""
    body = engine.state.body
    fallen = body[: engine.free, engine.family.DIMENSION - 1] < engine.scene.remove_below  # the last axis points up
    if not fallen.any():
        return
    snapshot = engine.snapshot()
    near = snapshot.integers[:, :2].ravel()
    fallen[near[near < engine.free]] = False
    stays = parts_that_stay(engine, fallen)
    fallen[stays[stays < engine.free]] = False
    rows = np.flatnonzero(fallen)
    if rows.size == 0:
        return
    rows = rows[np.argsort(engine.roles.rank[rows])]  # products of matrices may round by where a row stands
    with at_once(engine):
        take_out(engine, rows, snapshot, FALLEN)


def take_out(engine: Engine, rows: np.ndarray, snapshot: Snapshot, sinks: np.ndarray | int) -> None:
    """Let free grains (rows, by rank) be the last rows, in this order; their own energy is booked as carried off.

    snapshot   of this instant
    sinks      numbers of those they have gone into, for the log of the flow
    """
    model = engine.model
    moving, turning = engine.family.kinetic(model, snapshot.before, snapshot.after, rows)
    place = snapshot.state.body[rows, : engine.family.DIMENSION]
    carried = moving + turning - (place @ model.gravity) / model.inverse_mass[rows]
    engine.state.book[rows] = snapshot.state.book[rows]  # finished to this instant: nobody will do it later
    engine.state.book[rows, REMOVED] += carried
    engine.family.stop(engine.state, rows)
    stay = np.setdiff1d(np.arange(engine.order.size), rows)
    flow = engine.flow.without(engine.order[rows], engine.step, sinks)
    springs = without_bodies(engine._memory(engine._seen_lists), engine.order[rows])
    reorder(engine, np.concatenate([stay, rows]), engine.gone + rows.size, springs, flow)
    engine._rebuild()


def parts_that_stay(engine: Engine, fallen: np.ndarray) -> np.ndarray:
    """Rows of bodies that stay where the free ones marked in `fallen` (free,) are to leave: who is not marked, and whom bonds
    hold to one of these, directly or through others. A fragment leaves as a whole."""
    links = whole(engine.bonds, engine.state)
    stays = np.ones(engine.order.size, bool)
    stays[: fallen.size] = ~fallen
    while (held := stays[links].any(axis=1) & ~stays[links].all(axis=1)).any():
        stays[links[held]] = True
    return np.flatnonzero(stays)


def without_bodies(springs: Any, gone: np.ndarray) -> Any:
    """What contacts remember, without those of some bodies (ids)."""
    keep = ~np.isin(springs.key[:, :2], gone).any(axis=1)
    return springs._replace(key=springs.key[keep], memory=springs.memory[keep])


def reorder(engine: Engine, rows: np.ndarray, gone: int, springs: Any, flow: Flow | None = None) -> None:
    """Let row k hold what row rows[k] held, and take the last `gone` rows out of the motion. Lists must be built anew; they will
    find `springs`. `flow`, where given, is who has come and gone by then.

    Ranks stay with their bodies: free rows may come in any order, tagged ones and those at rest keep theirs; of
    tagged ones none is taken out.
    """
    new_row, whole, order = np.argsort(rows), engine.whole_roles, engine.order[rows]
    place = whole.rank[order[order.size - gone :]]  # in a fresh layout, of those that take no part
    free, moving = whole.free - int((place < whole.free).sum()), whole.moving - int((place < whole.moving).sum())
    model = engine.model._replace(**{name: np.ascontiguousarray(getattr(engine.model, name)[rows]) for name in PER_BODY})
    if engine.kernels.CELL:
        model = model._replace(cell=np.array([moving - 1], np.int64))
    tables = {name: each for name, each in engine.state._asdict().items() if name != "bond" and len(each) == len(rows)}
    state = engine.state._replace(**{name: at_a_line(each[rows]) for name, each in tables.items()})
    level = whole.level[order]
    grains = np.flatnonzero(level[: order.size - gone] >= 0)
    roles = Roles(
        grains, level[grains], engine.roles.level_reach, np.flatnonzero(level[: order.size - gone] == -1), whole.mobile[order],
        whole.rank[order],
    )  # fmt: skip
    load = engine.tags.load.copy()
    for first in range(2, load.shape[1], 3):  # the walls of each gap
        walls = load[:, first : first + 2]
        walls[...] = np.where(walls >= 0, new_row[walls], -1)
    tags = engine.tags._replace(load=load)
    bonds = reordered(engine.bonds, new_row)
    lists, pairs = engine._lists_with(springs, order, roles.rank, model)
    flow = engine.flow if flow is None else flow
    engine._host_is_newer()
    # no interrupt comes between these; if one comes before the lists are whole, the run begins with new ones
    engine.order, engine.free, engine.moving, engine.gone = order, free, moving, gone
    engine.model, engine._state_here, engine.roles, engine.tags = model, state, roles, tags
    engine._lists_here, engine.pairs, engine.flow, engine._unsure = lists, pairs, flow, True
    engine.bonds = bonds
