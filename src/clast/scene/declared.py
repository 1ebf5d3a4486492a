"""Tables of a scene file made from what they describe: a class or a function that declares its keys (`clast.keys`).

A table remembers what makes the thing it describes; `made_from` goes that way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import cache, reduce
from operator import or_
from typing import Any, Literal, get_args

from pydantic import create_model

from clast.keys import Declared, keys_of
from clast.scene.schema_shapes import Keys, key

MAKERS: dict[type[Keys], Callable[..., Any]] = {}


def new_table(
    name: str, base: type[Keys], words: str, keys: Mapping[str, Declared], kind: tuple[str, str] = ("", "")
) -> type[Keys]:
    """A table with the keys of a `base` and its own; `words` describe it, `kind` is its name in a file and what that means."""
    own: dict[str, Any] = {}
    if kind[0]:
        own["kind"] = (Literal[kind[0]], key(..., kind[1]))
    for each, (form, default, declared) in keys.items():
        infinite = {"allow_inf_nan": True} if declared.infinite else {}
        own[each] = (in_file(form), key(default, declared.meaning, declared.unit, **declared.limits, **infinite))
    return create_model(name, __base__=base, __doc__=words, **own)


@cache
def table_of(described: type) -> type[Keys]:
    """The table of a dataclass."""
    made = new_table(f"{described.__name__}Keys", Keys, first_words(described), keys_of(described))
    MAKERS[made] = described
    return made


def in_file(form: Any) -> Any:
    """The type of a parameter as a file has it: a dataclass is a table there."""
    if isinstance(form, type) and is_dataclass(form):
        return table_of(form)
    if any(is_dataclass(each) for each in get_args(form)):
        return reduce(or_, (in_file(each) for each in get_args(form)))
    return form


def first_words(described: Any) -> str:
    """First sentence of a docstring, with the module where the rest is told."""
    return f"{(described.__doc__ or '').split('.')[0]} (`{described.__module__}`)."


def made_from(keys: Keys) -> Any:
    """What a table describes, made from its entries; whatever refuses them raises its own error."""
    given = {name: getattr(keys, name) for name in type(keys).model_fields if name != "kind"}
    return MAKERS[type(keys)](**{name: made_from(value) if isinstance(value, Keys) else value for name, value in given.items()})
