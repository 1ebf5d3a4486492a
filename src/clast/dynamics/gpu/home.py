"""The tables of a run on the host, where it may run on a GPU: brought home before anybody looks at them or changes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from clast.dynamics.gpu.grid import LISTS, STATE, Grid
from clast.dynamics.named import NamedEngine


class HomeEngine(NamedEngine):
    """State and lists of an engine.

    `state` and `_lists` are for whoever may change them: a GPU gets them again before the next step. `_seen_state` and
    `_seen_lists` are for whoever only looks. Without a GPU they are the same.
    """

    _grid: Grid | None = None  # the same run on a GPU
    pairs: int
    _state_here: Any
    _lists_here: Any

    @property
    def state(self) -> Any:
        """What moves, to be looked at or changed."""
        if self._grid is not None:
            self._grid.bring_state(self._state_here)
            self._grid.touched.add(STATE)
        return self._state_here

    @state.setter
    def state(self, state: Any) -> None:
        if self._grid is not None:
            self._grid.newer.discard(STATE)
            self._grid.touched.add(STATE)
        self._state_here = state

    @property
    def _lists(self) -> Any:
        """The present lists, to be looked at or changed."""
        if self._grid is not None:
            self._grid.bring_lists(self)  # type: ignore[arg-type]
            self._grid.touched.add(LISTS)
        return self._lists_here

    @_lists.setter
    def _lists(self, lists: Any) -> None:
        if self._grid is not None:
            self._grid.newer.discard(LISTS)
            self._grid.touched.add(LISTS)
        self._lists_here = lists

    def _host_is_newer(self) -> None:
        """Note that the tables of the host are the valid ones: a GPU copies all of them before its next launch.

        Called before several tables are replaced one after the other. Those lines assign `_state_here` and `_lists_here`, which
        no interrupt can part; the properties are calls, in which one may come."""
        if self._grid is not None:
            self._grid.newer.clear()
            self._grid.touched |= {STATE, LISTS}

    @property
    def _seen_state(self) -> Any:
        """What moves, not to be changed."""
        if self._grid is not None:
            self._grid.bring_state(self._state_here)
        return self._state_here

    @property
    def _seen_lists(self) -> Any:
        """The present lists, not to be changed."""
        if self._grid is not None:
            self._grid.bring_lists(self)  # type: ignore[arg-type]
        return self._lists_here

    @property
    def _seen_pairs(self) -> np.ndarray:
        """Rows of both bodies of each pair of the present lists (pairs, 2), without the rest of the lists."""
        if self._grid is not None:
            return self._grid.pairs_of(self)  # type: ignore[arg-type]
        return self._lists_here.pair[: self.pairs, :2]

    @property
    def flagged(self) -> float:
        """Of the pairs, how many were weighed for opening or closing in a step, on average over the last stretch on a GPU."""
        return 0.0 if self._grid is None else self._grid.flagged

    def launch_times(self) -> dict[str, float]:
        """Seconds of each launch of a step and of a rebuild on a GPU, by name, for who looks where the time goes; the run is of
        no use afterwards. Without a GPU there are none."""
        return {} if self._grid is None else self._grid.launch_times(self)  # type: ignore[arg-type]
