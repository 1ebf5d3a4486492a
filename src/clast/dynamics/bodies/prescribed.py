"""Bodies whose every component is prescribed, and that go through each other: nothing can push them, so they are in no list.

A grain that moves by its tags alone is held against all other bodies of that kind, walls and grains, at fixed step numbers, so
often that nobody crosses the layer in which an overlap is too deep (`clast.dynamics.bodies.haste`) between two looks. Those that
overlap so deeply at t = 0 are taken for parts of one thing. Walls are not held against each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clast.dynamics.arrays import Roles, flat
from clast.dynamics.bodies.haste import is_sharp
from clast.dynamics.contacts.depth import DEEP
from clast.errors import OverlapError, SceneError
from clast.neighbours.rebuilder import Reach, Rebuilder

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine

MOST = 1024  # steps between two looks; at multiples of it the next ones are planned
NEVER = int(np.iinfo(np.int64).max)
SHARP_DEEP = 0.5  # of the smaller half thickness: the depth at which sharp bodies are taken to go through each other


class Prescribed:
    """The looks of one run at bodies that only tags move."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        order, grains, walls = engine.order, engine.roles.grains, engine.roles.big
        grains, walls = (rows[engine.roles.mobile[rows] == 0] for rows in (grains, walls))
        self._driven = order[grains[grains < engine.moving]]  # grains that move, by ids
        self._held = order[np.concatenate([grains, walls])]
        self._wanted = self._driven.size > 0 and self._held.size > 1
        self._plan: tuple[int, int] | None = None  # from which step on, how many steps between looks
        self._together: set[tuple[int, int]] = set()
        if self._wanted:
            kernels, family = engine.kernels, engine.family
            self._rebuilder = Rebuilder(kernels, family.DIMENSION, family.WORDS, family.room_of(engine.geometry))
            self._lists = engine._empty_lists(64, 256)
            self._together = set(self._deep())

    def next_look(self) -> int:
        """The next step to look at."""
        if not self._wanted:
            return NEVER
        interval = self._interval()
        return (self._engine.step // interval + 1) * interval

    def look(self) -> None:
        """OverlapError where this is a step to look at, and two bodies that only tags move go through each other."""
        engine = self._engine
        if not self._wanted or engine.step % self._interval() != 0:
            return
        for (i, j), depth in sorted(self._deep().items()):
            if (i, j) not in self._together:
                raise OverlapError(
                    f"bodies {i} and {j} overlap by {depth:.3g} at t = {engine.time:.6g} (step {engine.step}), and every "
                    "component of both is prescribed, so nothing can keep them apart: change their tags, or leave one a "
                    "component that is free"
                )

    def _interval(self) -> int:
        """Steps between two looks, a power of two: planned for MOST steps at a time from what tags prescribe for them, so that it
        depends on the step alone."""
        engine = self._engine
        start = engine.step - engine.step % MOST
        if self._plan is None or self._plan[0] != start:
            way = engine.dt * self._fastest(start)
            room = 2.0 * DEEP * float(engine.thickness.min())
            steps = room / way if way * MOST > room else float(MOST)
            self._plan = start, 1 << int(np.log2(max(steps, 1.0)))
        return self._plan[1]

    def _fastest(self, start: int) -> float:
        """The largest speed that tags prescribe for any point of such a body, from step `start` on for MOST steps; inf where a
        function of time cannot be worked out that far, which the run may never need."""
        engine, fastest, step = self._engine, 0.0, start
        d, tagged = engine.tags.imposed.shape[1], np.arange(engine.free, engine.moving)
        rows = np.flatnonzero(np.isin(engine.order[tagged], self._held))
        axes = engine.family.DIMENSION
        columns = 2 * d * rows[:, None] + np.arange(d)
        while step < start + MOST:
            try:
                block = engine._program.block(step, start + MOST - 1)
            except SceneError:
                return float("inf")
            given = block[:, columns]
            turning = np.linalg.norm(given[:, :, axes:], axis=2) * engine.model.reach[tagged[rows]]
            fastest = max(fastest, float((np.linalg.norm(given[:, :, :axes], axis=2) + turning).max()))
            step += MOST if engine._program.is_constant else len(block)
        return fastest

    def _deep(self) -> dict[tuple[int, int], float]:
        """Pairs of such bodies that overlap too deeply now, by ids, and how deep."""
        engine = self._engine
        pairs = self._list()
        table, floats = engine.contact_table(engine._seen_state, self._lists, pairs)
        depth, reach = floats[:, engine.family.TABLE.DEPTH], floats[:, engine.family.TABLE.REACH]
        ids = np.sort(engine.order[table[:, :2]], axis=1)
        limit = (1.0 - DEEP) * reach
        if is_sharp(engine.scene):
            limit = SHARP_DEEP * engine.thickness[ids].min(axis=1)
        return {(int(i), int(j)): float(d) for (i, j), d in zip(ids[depth > limit], depth[depth > limit], strict=True)}

    def _list(self) -> int:
        """Lists of these bodies alone; returns the number of pairs."""
        engine = self._engine
        row_of = np.argsort(engine.order)
        chosen = np.zeros(engine.order.size, bool)
        chosen[row_of[self._held]] = True
        mine = chosen[engine.roles.grains]
        mobile = np.zeros(engine.order.size, np.uint8)
        mobile[row_of[self._driven]] = 1
        walls = engine.roles.big[chosen[engine.roles.big]]
        roles = Roles(
            engine.roles.grains[mine], engine.roles.level[mine], engine.roles.level_reach, walls, mobile, engine.roles.rank
        )
        geometry, model, state = flat(engine.geometry), flat(engine.model), flat(engine._seen_state)
        nobody = engine._empty_lists(1, 1)
        world: tuple[Any, ...] = (geometry, *map(flat, engine._trees), model, state, roles, flat(nobody))
        reach = Reach(1e-3 * float(engine.thickness.min()), 0.0)
        return self._rebuilder.renew(1, reach, engine.moving, engine._laws, (*world, flat(self._lists)), self._wider)

    def _wider(self, pairs: int, candidates: int) -> Any:
        """Lists with room for so many, flat."""
        self._lists = self._engine._empty_lists(pairs, candidates)
        return flat(self._lists)
