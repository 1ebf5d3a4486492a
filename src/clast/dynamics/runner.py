"""Stretches between outputs. Each output names its next step; nothing else interrupts the compiled loop."""

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from clast.dynamics.engine import Engine, Snapshot

SLICE_SECONDS = 0.2  # the loop comes up for air this often, to move a progress bar or to heed a signal


class Output(Protocol):
    """Something that reads a run at certain steps."""

    def next_step(self, step: int) -> int | None:
        """The first step not before `step` at which data is wanted, or None."""
        ...

    def take(self, engine: Engine, snapshot: Snapshot) -> None:
        """Receive the data; the snapshot is a copy."""
        ...


class Every:
    """A schedule: steps 0, interval, 2·interval … and the last step."""

    def __init__(self, interval: int, last: int) -> None:
        self.interval, self.last = max(1, interval), last

    def next_step(self, step: int) -> int | None:
        """The first scheduled step not before `step`."""
        if step > self.last:
            return None
        return min(-(-step // self.interval) * self.interval, self.last)


def run_stretches(
    engine: Engine,
    end: int,
    outputs: Sequence[Output],
    *,
    resumed: bool = False,
    pause: Callable[[], None] = lambda: None,
    stop: Callable[[], bool] = lambda: False,
) -> bool:
    """Advance to `end`, serving the outputs; returns False when `stop` ended it earlier.

    A resumed run has served the outputs of its first step already. `pause` is called between slices, after outputs.
    """
    served = engine.step if resumed else -1
    pace = 1000.0  # steps per slice, adapted to the clock: results don't depend on where a stretch is cut
    while True:
        if engine.step != served:
            due = [output for output in outputs if output.next_step(engine.step) == engine.step]
            if due:
                snapshot = engine.snapshot()
                for output in due:
                    output.take(engine, snapshot)
            served = engine.step
        pause()
        if engine.step >= end:
            return True
        if stop():
            return False
        wanted = [step for output in outputs if (step := output.next_step(engine.step + 1)) is not None]
        target = min([end, engine.step + int(pace), *wanted])
        began, before = time.perf_counter(), engine.step
        engine.advance(target)
        took = time.perf_counter() - began
        done = engine.step - before
        pace = min(max(done * SLICE_SECONDS / max(took, 1e-6), 1.0), 4.0 * max(pace, done))
