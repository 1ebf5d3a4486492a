"""What is read off a run: `stress = Stress().compute(run)`, then `stress.p`, `stress.plot()`.

One file is one measure; a new file is found by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clast.found import classes_in

if TYPE_CHECKING:
    from clast.measures.measure import Measure


def by_name() -> dict[str, type[Measure]]:
    """The measures by the names of their classes."""
    from clast.measures.measure import Measure

    found = classes_in(__name__).items()
    return {name: each for name, each in sorted(found) if issubclass(each, Measure) and each is not Measure}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return ["Measure", "Walls", "by_name", *by_name()]
    if name in ("Measure", "Walls") or (not name.startswith("_") and name in by_name()):
        return classes_in(__name__)[name]
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
