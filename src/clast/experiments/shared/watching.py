"""Steps with the book open: what studies that step scenes themselves know of their energy."""

from collections.abc import Iterable

import numpy as np

from clast.dynamics.engine import Engine
from clast.measures.book import Book
from clast.measures.snapshots.accounts import accounts


def watched(engine: Engine, steps: Iterable[int]) -> Book:
    """Run from one of these steps to the next, and return the book with a row at each."""
    times, rows = [], []
    for step in steps:
        engine.advance(int(step))
        times.append(engine.time)
        rows.append(accounts(engine, engine.snapshot()))
    return Book(np.array(times), {name: np.array([row[name] for row in rows]) for name in rows[0]})
