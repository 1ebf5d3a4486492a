"""What all measures are: made with their settings, filled by `compute(run)`, shown by `repr` and `plot()`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from clast.errors import InputError


class UnreadError(InputError, AttributeError):
    """A result was read before `compute`; an AttributeError too, so that hasattr() keeps its meaning."""


class Measure:
    """Base of the measures: its repr shows the settings, and reading a result before `compute` raises UnreadError.

    reads_space   whether it reads runs in space; a measure of the plane refuses them by `refuse_space`
    example       settings that have no default, for a run from t = 0 to 1: the tests of all measures compute it with these
    """

    reads_space: ClassVar[bool] = True
    example: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    def __repr__(self) -> str:
        """The call that made it, settings that are defaults left out; with what it has found, unless nothing yet."""
        settings = inspect.signature(type(self)).parameters
        given = {name: vars(self)[name] for name in settings if name in vars(self)}  # a traceback may ask for it half-made
        shown = [f"{name}={value!r}" for name, value in given.items() if value != settings[name].default]
        found = [name for name in vars(self) if name not in settings and not name.startswith("_")]
        return f"{type(self).__name__}({', '.join(shown)})" + (f": {', '.join(found)}" if found else ", not computed yet")

    if not TYPE_CHECKING:  # a type checker shall go on to find misspelt names

        def __getattr__(self, name: str) -> Any:
            kind = type(self).__name__
            computed = set(vars(self)) - set(inspect.signature(type(self)).parameters)
            if name.startswith("__") or computed:
                raise AttributeError(f"{kind} has no {name}; it has {', '.join(sorted(k for k in vars(self) if k[0] != '_'))}")
            raise UnreadError(f"{kind} has nothing to show yet: call compute(run) first, then read {name.lstrip('_')}")
