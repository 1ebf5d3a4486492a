"""Contact record → force, history, energies. One file is one law; a new file is found by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clast.found import classes_in, in_order

if TYPE_CHECKING:
    from clast.laws.law import Law


def by_kind() -> dict[str, type[Law]]:
    """The laws that scene files know, by their names there, in the order in which they are listed."""
    from clast.laws.law import Law

    found = [each for each in classes_in(__name__).values() if issubclass(each, Law) and each.kind]
    return in_order({law: (law.kind, law.listed) for law in found})


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return ["by_kind", *sorted(classes_in(__name__))]
    if name.startswith("__") or name not in classes_in(__name__):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return classes_in(__name__)[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *classes_in(__name__)})
