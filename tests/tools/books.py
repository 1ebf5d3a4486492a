"""Energy books of engines that are run without a store, and what a book with a wrong account has to show."""

import numpy as np

from clast.dynamics.engine import Engine
from clast.measures.book import Book
from clast.measures.snapshots.accounts import accounts


def booked(engine: Engine, end: int, samples: int = 200) -> Book:
    """The book of a run to step `end`, with the accounts at `samples` instants after the first."""
    rows, times = [accounts(engine, engine.snapshot())], [engine.time]
    for step in np.unique(np.linspace(engine.step, end, samples + 1).astype(int))[1:]:
        engine.advance(int(step))
        rows.append(accounts(engine, engine.snapshot()))
        times.append(engine.time)
    return Book(np.array(times), {name: np.array([row[name] for row in rows]) for name in rows[0]})


def assert_a_broken_account_is_seen(book: Book, name: str, wrong: float) -> None:
    """With one account times `wrong` the residual grows by what is missing."""
    broken = Book(book.time, {**book.series, name: wrong * book[name]})
    missing = (wrong - 1.0) * np.abs(book[name] - book[name][0]).max() / book.scale
    assert missing > 2 * book.energy_error
    assert broken.energy_error > 0.5 * missing
    assert broken.energy_error > 1.5 * book.energy_error
