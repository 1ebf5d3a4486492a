"""Two runs compared bit by bit: all that a run may write anywhere, and the comparison."""

from collections.abc import Callable

import numpy as np

from clast.dynamics.engine import Engine
from clast.measures.snapshots.accounts import accounts


def result(engine: Engine) -> dict[str, np.ndarray]:
    """State, springs, table of contacts and book; everything that may be written anywhere."""
    arrays, scalars = engine.checkpoint()
    snap = engine.snapshot()
    kept = {name: np.array(array) for name, array in arrays.items()}
    kept["step"] = np.array(scalars["step"])
    kept["outputs"] = np.concatenate([a.ravel() for a in snap.state])
    kept["table"] = snap.floats.copy()
    kept["accounts"] = np.array(list(accounts(engine, snap).values()))
    return kept


def after(engine: Engine, steps: int) -> dict[str, np.ndarray]:
    """What an engine has written after so many steps."""
    engine.advance(steps)
    return result(engine)


def with_outputs(engine: Engine, steps: int, every: int) -> dict[str, np.ndarray]:
    """The same, with a snapshot every so many steps."""
    for step in [*range(every, steps, every), steps]:
        engine.advance(step)
        engine.snapshot()
    return result(engine)


def hand_over(one: Engine, other: Engine) -> None:
    """The other engine goes on from where the first is."""
    arrays, scalars = one.checkpoint()
    other.restore({name: array.copy() for name, array in arrays.items()}, scalars)


def assert_threads_change_no_bit(
    make: Callable[..., Engine], threads: int, steps: int, expected: dict[str, np.ndarray], *, first: int, last: int
) -> None:
    """Over the `first` steps from the start, and over the `last` from the packed state on: all of them would take long on a busy
    machine. `make(threads=…)` is the engine at the start, `expected` what it has written after all steps."""
    alone, together = (make(threads=n) for n in (1, threads))
    assert_same_bits(after(together, first), after(alone, first))
    alone.advance(steps - last)
    hand_over(alone, together)
    assert_same_bits(after(together, steps), expected)


def assert_out_of_touch(alone: Engine, together: Engine, who: int, steps: tuple[int, ...]) -> None:
    """Body `who` is the same, to the bit and in its book, in a scene of its own and in one with a body that does not touch it."""
    turned = "angles" if hasattr(alone, "angles") else "orientations"
    for step in steps:
        alone.advance(step)
        together.advance(step)
        for name in ("positions", turned, "velocities", "spins"):
            assert np.array_equal(getattr(alone, name)[who], getattr(together, name)[who]), name
        books = alone.snapshot().book, together.snapshot().book
        assert all(books[0][name][who] == books[1][name][who] for name in books[0])


def assert_same_bits(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    """Fails with the name of the first array that differs, and by how much."""
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert array.shape == other[name].shape, name
        assert np.array_equal(array, other[name]), f"{name} differs by {np.abs(array - other[name]).max()}"
