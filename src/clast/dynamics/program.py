"""What tags prescribe, as numbers for the coming steps: functions of time become rows of a table, block by block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clast.errors import SceneError
from clast.scene.timed import Timed, evaluate, is_constant

NUMBERS = 2**18  # of a block, about
FEWEST, MOST = 16, 4096  # steps of a block


@dataclass(frozen=True)
class Column:
    """One prescribed number: the sum of some values, wanted at t_n, or later in the step where it is a velocity."""

    values: tuple[Timed, ...]
    later: bool
    what: str  # for error messages
    not_negative: bool = False


class Program:
    """The columns of `Tags.program`. Values depend on the step only, never on where a block begins."""

    def __init__(self, columns: list[Column], dt: float, ahead: float) -> None:
        self.columns, self.dt = columns, dt
        self.ahead = ahead  # part of a step by which velocities are wanted later: ½ (Verlet) or 1 (Gear)
        self.timed = [k for k, column in enumerate(columns) if not all(is_constant(value) for value in column.values)]
        self.rows = int(np.clip(NUMBERS // max(len(columns), 1), FEWEST, MOST)) if self.timed else 1
        start = np.zeros(1)
        changing = set(self.timed)
        self._constant = np.array([0.0 if k in changing else self._at(each, start)[0] for k, each in enumerate(columns)])

    @property
    def is_constant(self) -> bool:
        """Whether nothing changes with time."""
        return not self.timed

    @staticmethod
    def _at(column: Column, times: np.ndarray) -> np.ndarray:
        total = np.zeros(times.shape)
        for value in column.values:
            total += evaluate(value, times, column.what)
        if column.not_negative and (total < 0.0).any():
            k = int(np.flatnonzero(total < 0.0)[0])
            raise SceneError(f"{column.what} = {total[k]:.6g} at t = {times[k]:.6g}: it must not be negative at any time")
        return total

    def block(self, start: int, last: int) -> np.ndarray:
        """Rows for the steps `start` … `last`, or as many as a block holds; one row for all steps if nothing changes."""
        if self.is_constant:
            return self._constant[None, :].copy()
        steps = np.arange(start, min(start + self.rows, max(last, start) + 1))
        table = np.tile(self._constant, (steps.size, 1))
        for k in self.timed:
            column = self.columns[k]
            table[:, k] = self._at(column, (steps + (self.ahead if column.later else 0.0)) * self.dt)
        return table
