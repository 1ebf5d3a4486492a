"""How a law or a shape declares what a scene file may write for it, beside the parameter itself:

    stiffness: Annotated[float, Key("k_n", "force/length", gt=0.0)]

`clast.scene.declared` makes the tables of scene files and their reference from that.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints


@dataclass(frozen=True)
class Key:
    """What a key of a scene file means, its unit and its limits.

    meaning          in a few words, for the reference
    unit             such as "force/length"; empty for a pure number
    gt, ge, lt, le   the value is greater than, at least, less than, at most
    infinite         inf is a value
    at_zero          what would happen at 0, for the sentence that refuses it
    """

    meaning: str
    unit: str = ""
    gt: float | None = None
    ge: float | None = None
    lt: float | None = None
    le: float | None = None
    infinite: bool = False
    at_zero: str = ""

    @property
    def limits(self) -> dict[str, float]:
        """Those of gt, ge, lt and le that are given."""
        return {name: limit for name in ("gt", "ge", "lt", "le") if (limit := getattr(self, name)) is not None}


class Declared(NamedTuple):
    """A parameter with its key."""

    form: Any  # its type
    default: Any  # `...` where it must be given
    key: Key


@cache
def keys_of(maker: Callable[..., Any]) -> dict[str, Declared]:
    """The parameters of a function, or the fields of a dataclass and its parents, that have a key; in their order."""
    hints = get_type_hints(maker, include_extras=True)
    given = fields(maker) if is_dataclass(maker) else inspect.signature(maker).parameters.values()
    defaults = {each.name: ... if each.default in (MISSING, inspect.Parameter.empty) else each.default for each in given}
    found = {}
    for name, hint in hints.items():
        inside = get_args(hint) if get_origin(hint) is Annotated else ()
        for key in inside[1:]:
            if isinstance(key, Key):
                found[name] = Declared(inside[0], defaults[name], key)
    return found
