"""Two runs compared bit by bit: all that a run may write anywhere, and the comparison."""

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


def assert_same_bits(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    """Fails with the name of the first array that differs, and by how much."""
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert array.shape == other[name].shape, name
        assert np.array_equal(array, other[name]), f"{name} differs by {np.abs(array - other[name]).max()}"
