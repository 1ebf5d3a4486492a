"""A run of a changed scene goes on where another run stands: bodies move as they did, contacts remember what they did.

The changed scene has the bodies of the other one under the same ids, and may have more behind them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clast.dynamics.bodies.arrival import half_a_step_back
from clast.dynamics.bodies.bonds import take_over_fates
from clast.dynamics.bodies.prescribed import Prescribed
from clast.dynamics.bodies.removal import reorder, without_bodies

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine


def take_over(new: Engine, old: Engine, gone: np.ndarray) -> None:
    """Let `new`, an engine at its start, go on where `old` stands; the bodies `gone` (ids) take no part.

    Both have one time step and one integrator. Bodies that `old` does not have move on from what their scene gives.
    """
    springs = without_bodies(old._memory(old._seen_lists), gone)
    row = np.argsort(new.order)
    out = row[gone]
    reorder(new, np.concatenate([np.setdiff1d(np.arange(row.size), out), out]), gone.size, springs)
    here, there = same_bodies(new, old)
    first, old_state = new.state, old._seen_state
    fresh = type(first)(*(array.copy() for array in first))
    for name, array in old_state._asdict().items():
        table = getattr(first, name)
        of_bodies = name != "bond" and len(array) == old.order.size and len(table) == new.order.size
        if of_bodies and table.shape[1:] == array.shape[1:]:
            table[here] = array[there]
    take_over_fates(new, old, gone)
    keep_masses(new, old, here, there)
    new.step = old.step
    if old.step == 0:
        prescribe_again(new, fresh)
    else:
        half_a_step_back(new, np.setdiff1d(np.arange(new.moving), here))
    new.family.stop(first, np.arange(new.moving, new.order.size))
    for name in (
        "rebuilds", "seconds", "grain_steps", "work_changes", "_search", "_thread_search", "threads", "_slice", "fresh_spread",
        "flow",
    ):  # fmt: skip
        setattr(new, name, getattr(old, name))
    new._write_program(new.step)
    new._rebuild()
    new._prescribed = Prescribed(new)


def same_bodies(new: Engine, old: Engine) -> tuple[np.ndarray, np.ndarray]:
    """Rows in `new` and in `old` of all that `old` has; a periodic cell that moves has the id after the last body."""
    here, there = np.argsort(new.order), np.argsort(old.order)
    if old.kernels.CELL:
        here = np.append(here[: there.size - 1], here[-1])
    return here[: there.size], there


def keep_masses(new: Engine, old: Engine, here: np.ndarray, there: np.ndarray) -> None:
    """A free wall without a mass weighs √N mean grains: of as many as there were, for it was weighed before others came."""
    weighed = (there < old.moving) & old.roles.mobile[there].astype(bool)
    for name in ("inverse_mass", "inverse_inertia"):
        getattr(new.model, name)[here[weighed]] = getattr(old.model, name)[there[weighed]]


def prescribe_again(new: Engine, fresh: Any) -> None:
    """Before the first step bodies have the velocities that tags prescribe at t = 0; `fresh` is a state that has them."""
    family, axes, held, state = new.family, new.family.DIMENSION, new.tags.imposed != 0, new.state
    rows, columns = np.arange(new.free, new.moving), np.arange(state.body.shape[1])
    for component, column in enumerate([*columns[family.VELOCITIES], *np.atleast_1d(columns[family.SPINS])]):
        chosen = rows[held[:, component]]
        state.body[chosen, column] = fresh.body[chosen, column]
    if axes == 3:
        turned = rows[held[:, axes:].any(axis=1)]
        state.momentum[turned] = fresh.momentum[turned]
