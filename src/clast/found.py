"""What lies in the modules of a package: a new file is found by itself."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module


@cache
def classes_in(package: str) -> dict[str, type]:
    """The public classes that the modules of a package define, by name. Imports all of them."""
    found: dict[str, type] = {}
    for each in pkgutil.iter_modules(import_module(package).__path__):
        module = import_module(f"{package}.{each.name}")
        own = {name: value for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}
        found |= {name: value for name, value in own.items() if isinstance(value, type) and not name.startswith("_")}
    return found
