"""Free bodies are put in memory order again when a run has mixed them: neighbours in space should lie near in memory.

Nothing of a result depends on where bodies lie. Each keeps the rank it had at t = 0, and all sums go by ranks: who of two is the
first of a pair, the order of a body's pairs, the tables of contacts and springs, totals. Rows are only where things stand. A cell
that moves is the exception: the force on it is a sum over all pairs as they lie in memory, so such a run keeps its rows.

How much is lost is read off the lists: the mean distance, in rows, of near pairs of free bodies. In Morton order of n bodies it
is about n^(1 − 1/d) in d dimensions, the size of a cut through the sample; of bodies in no order it is n/3. That depends on
places at the last rebuild alone, and looks are due at certain numbers of rebuilds: never on clocks or threads.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from clast.dynamics.bodies.removal import reorder
from clast.dynamics.bodies.rows import morton_key

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine

MANY = 20_000  # free bodies from which it is worth while: fewer are in the cache, wherever they lie
LOOKS = 16  # rebuilds from one look to the next
LOST = 4.0  # times n^(1 − 1/d), the mean distance from which bodies are ordered anew,
GROWN = 2.0  # if it is also this many times what the last ordering reached: some samples cannot be ordered better


def keep(engine: Engine) -> None:
    """Order the free bodies anew where that is due; the lists must be built anew in any case."""
    if engine.rebuilds % LOOKS != 0 or engine.free < MANY or engine.kernels.CELL:
        return
    began = time.perf_counter()
    if is_lost(engine):
        order_again(engine)
    engine.seconds += time.perf_counter() - began


def spread(engine: Engine) -> float:
    """Mean distance in rows of the near pairs of free bodies; 0 where there are none."""
    i, j = engine._seen_pairs.astype(np.int64).T
    both = np.maximum(i, j) < engine.free
    return float(np.abs(i - j)[both].mean()) if both.any() else 0.0


def is_lost(engine: Engine) -> bool:
    """Whether neighbours lie far apart in memory."""
    now = spread(engine)
    if engine.fresh_spread is None:  # the first look since bodies were ordered
        engine.fresh_spread = now
    least = engine.free ** (1.0 - 1.0 / engine.family.DIMENSION)
    return now > max(LOST * least, GROWN * engine.fresh_spread)


def order_again(engine: Engine) -> None:
    """Let the free rows be in Morton order of where bodies are now."""
    rows = np.arange(engine.order.size)
    rows[: engine.free] = near_rows(engine)
    reorder(engine, rows, engine.gone, engine._memory(engine._seen_lists))
    engine.fresh_spread = None


def near_rows(engine: Engine) -> np.ndarray:
    """The free rows (free,), neighbours in space near each other; all images of a body lie in one periodic cell."""
    free, period = engine.free, engine.model.period
    places = engine._seen_state.body[:free, : engine.family.DIMENSION]
    places = np.where(period > 0.0, np.mod(places, np.where(period > 0.0, period, 1.0)), places)
    return np.lexsort((engine.roles.rank[:free], morton_key(places, engine.model.reach[:free])))


def by_rank(rank: np.ndarray, integers: np.ndarray, floats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The table of contacts with pairs by the rank of their first body; those of one body come in order."""
    first = rank[integers[:, :2]].min(axis=1)
    if (first[1:] >= first[:-1]).all():
        return integers, floats
    place = np.argsort(first, kind="stable")
    return integers[place], floats[place]
