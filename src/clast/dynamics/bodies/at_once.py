"""A change of who takes part happens whole or not at all: a Ctrl-C on the way leaves the run as it was before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clast.dynamics.engine import Engine

TABLES = (
    "order", "free", "moving", "gone", "model", "_state_here", "roles", "tags", "_program_start", "_program_end", "_lists_here",
    "pairs", "flow", "bonds",
)  # fmt: skip


@contextmanager
def at_once(engine: Engine) -> Iterator[None]:
    """Change the rows of a run inside: what moves is a copy meanwhile, and everything else is replaced, never written into."""
    state, _ = engine.state, engine._lists  # brought home from a GPU
    kept = {name: getattr(engine, name) for name in TABLES} | {"_unsure": True}
    try:
        engine._state_here = type(state)(*(array.copy() for array in state))
        yield
    except BaseException:
        vars(engine).update(kept)  # one call, which no interrupt can part
        engine._host_is_newer()
        raise
