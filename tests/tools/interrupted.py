"""Ctrl-C by a timer, in the middle of a run."""

import signal

from clast.dynamics.engine import Engine


def interrupt(*_: object) -> None:
    """What a signal does who means Ctrl-C."""
    raise KeyboardInterrupt


def advance_interrupted(engine: Engine, steps: int, after: float) -> int:
    """Advance to step `steps`, interrupted again and again, each time after 1 to 3 times `after` seconds; returns how often."""
    broken, before = 0, signal.signal(signal.SIGALRM, interrupt)
    try:
        while engine.step < steps:
            signal.setitimer(signal.ITIMER_REAL, after * (1.0 + 0.17 * (broken % 11)))
            try:
                engine.advance(steps)
            except KeyboardInterrupt:
                broken += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
    finally:
        signal.signal(signal.SIGALRM, before)
    return broken
