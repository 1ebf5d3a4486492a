"""Contact record → force, history, energies. One file is one law; a new file is found by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clast.errors import ClastError
from clast.found import classes_in

if TYPE_CHECKING:
    from clast.laws.law import Law


def by_kind() -> dict[str, type[Law]]:
    """The laws that scene files know, by their names there, in the order in which they are listed."""
    from clast.laws.law import Law

    found = [each for each in classes_in(__name__).values() if issubclass(each, Law) and each.kind]
    kinds: dict[str, type[Law]] = {}
    for law in sorted(found, key=lambda law: (law.listed, law.kind)):
        if law.kind in kinds:
            raise ClastError(f'{kinds[law.kind].__name__} and {law.__name__} both have kind = "{law.kind}": rename one of them')
        kinds[law.kind] = law
    return kinds


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return ["by_kind", *sorted(classes_in(__name__))]
    if name.startswith("__") or name not in classes_in(__name__):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return classes_in(__name__)[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *classes_in(__name__)})
