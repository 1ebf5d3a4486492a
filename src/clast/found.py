"""What lies in the modules of a package: a new file is found by itself."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from clast.errors import ClastError


@cache
def defined_in(package: str) -> list[Any]:
    """Public classes and functions that the modules of a package define. Imports all of them."""
    found: list[Any] = []
    for each in pkgutil.iter_modules(import_module(package).__path__):
        module = import_module(f"{package}.{each.name}")
        public = [value for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
        found += [value for value in public if getattr(value, "__module__", "") == module.__name__]
    return found


def classes_in(package: str) -> dict[str, type]:
    """The public classes that the modules of a package define, by name; ClastError where two modules define the same name."""
    return by_own_name([each for each in defined_in(package) if isinstance(each, type)])


def by_own_name(things: list[Any]) -> dict[str, Any]:
    """Classes or functions by their names; ClastError where two have the same: a copied file in which one was not renamed."""
    found: dict[str, Any] = {}
    for each in things:
        other = found.setdefault(each.__name__, each)
        if other is not each:
            raise ClastError(f"{other.__module__} and {each.__module__} both define {each.__name__}: rename one of them")
    return found


def makers_in(package: str) -> dict[str, Callable[..., Any]]:
    """The functions of a package that make shapes and have a name in scene files (`clast.keys.in_files`), by that name."""
    marked = list(by_own_name([each for each in defined_in(package) if "in_files" in getattr(each, "__dict__", {})]).values())
    return in_order({each: (each.in_files.kind, each.in_files.listed) for each in marked})


def in_order(found: dict[Any, tuple[str, int]]) -> dict[str, Any]:
    """What has a kind and a place in lists, by kind and in that order; ClastError where two have the same kind."""
    kinds: dict[str, Any] = {}
    for each, (kind, _) in sorted(found.items(), key=lambda pair: (pair[1][1], pair[1][0])):
        if kind in kinds:
            raise ClastError(f'{kinds[kind].__name__} and {each.__name__} are both of the kind "{kind}": rename one of them')
        kinds[kind] = each
    return kinds
