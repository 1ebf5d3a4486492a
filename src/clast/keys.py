"""How a law, a shape, a scene or a run declares what a scene file may write for it, beside the parameter itself:

    stiffness: Annotated[float, Key("k_n", "force/length", gt=0.0)]

`clast.scene_files.declared` makes the tables of scene files and their reference from that. The kind of a law is `Law.kind`, that
of a function which makes a shape stands above it: `@in_files("drum", "a drum about the y axis")`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints


@dataclass(frozen=True)
class Key:
    """What a key of a scene file means, its unit and its limits.

    meaning          in a few words, for the reference
    unit             such as "force/length"; empty for a pure number
    gt, ge, lt, le   the value is greater than, at least, less than, at most
    infinite         inf is a value
    at_zero          what would happen at 0, for the sentence that refuses it
    form             how a file writes it where that is not its type in Python: a name in `clast.scene_files.tables.FORMS`
    required         a file must give it, though Python need not
    called           its name in a file, where that is not the name of the parameter
    made             what becomes of the entry on its way to the parameter
    """

    meaning: str
    unit: str = ""
    gt: float | None = None
    ge: float | None = None
    lt: float | None = None
    le: float | None = None
    infinite: bool = False
    at_zero: str = ""
    form: str = ""
    required: bool = False
    called: str = ""
    made: Callable[[Any], Any] | None = None

    @property
    def limits(self) -> dict[str, float]:
        """Those of gt, ge, lt and le that are given."""
        return {name: limit for name in ("gt", "ge", "lt", "le") if (limit := getattr(self, name)) is not None}


def positive_length(meaning: str) -> Key:
    """The key of a positive length."""
    return Key(meaning, "length", gt=0.0)


Radius = Annotated[float, positive_length("sphero-radius")]
Rounding = Annotated[float, Key("sphero-radius; 0: sharp", "length", ge=0.0)]


class InFiles(NamedTuple):
    """What a function that makes a shape is called in scene files."""

    kind: str
    known_as: str  # what that name stands for, in a few words
    listed: int  # lists go by this number, then by the kind


Maker = TypeVar("Maker", bound=Callable[..., Any])


def in_files(kind: str, known_as: str, listed: int = 100) -> Callable[[Maker], Maker]:
    """Give a function that makes a shape a name in scene files; its parameters with a `Key` are the keys there."""

    def marked(maker: Maker) -> Maker:
        vars(maker)["in_files"] = InFiles(kind, known_as, listed)
        return maker

    return marked


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
    nothing = (id(MISSING), id(inspect.Parameter.empty))
    defaults = {each.name: ... if id(each.default) in nothing else each.default for each in given}
    found = {}
    for name, hint in hints.items():
        inside = get_args(hint) if get_origin(hint) is Annotated else ()
        for key in inside[1:]:
            if isinstance(key, Key):
                found[name] = Declared(inside[0], defaults[name], key)
    return found
