"""Tables of a scene file made from what they describe: a class or a function that declares its keys (`clast.keys`).

A table remembers what makes the thing it describes: `MAKERS`, `made_from`. Entries become arguments by the names of their keys,
or as a key declares it: `arguments`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache, reduce
from operator import or_
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import create_model

from clast.found import makers_in
from clast.keys import Declared, keys_of
from clast.scene_files.complaint import at
from clast.scene_files.tables import CODE, FORMS, SAME, Keys, Way, key, way_of

MAKERS: dict[type[Keys], Callable[..., Any]] = {}
Marked = TypeVar("Marked", bound=type[Keys])


def makes(maker: Callable[..., Any]) -> Callable[[Marked], Marked]:
    """Above a table that is written down: what takes its entries. A table that inherits from it makes the same."""

    def marked(table: Marked) -> Marked:
        MAKERS[table] = maker
        return table

    return marked


def new_table(
    name: str, base: type[Keys], words: str, keys: Mapping[str, Declared], kind: tuple[str, str] = ("", "")
) -> type[Keys]:
    """A table with the keys of a `base` and its own, those that must be given first.

    words   what it is, for the reference
    kind    its name in a file, and what that stands for
    """
    fields: dict[str, Any] = {} if not kind[0] else {"kind": (Literal[kind[0]], key(..., kind[1]))}
    required = {each: keys[each].default is ... or keys[each].key.required for each in keys}
    for each in sorted(keys, key=lambda each: not required[each]):
        _, default, declared = keys[each]
        shown = ... if required[each] else list(default) if isinstance(default, tuple) else default
        limits: dict[str, Any] = {**declared.limits, **({"allow_inf_nan": True} if declared.infinite else {})}
        to = each if declared.called else SAME
        about = key(shown, declared.meaning, declared.unit, to=to, made=declared.made, **limits)
        fields[declared.called or each] = (in_file(keys[each], required[each]), about)
    return create_model(name, __base__=base, __doc__=words, **fields)


def in_file(parameter: Declared, required: bool) -> Any:
    """The type of a parameter as a file has it: a dataclass is a table there, and what must be given is something."""
    form, default, declared = parameter
    types: Sequence[Any] = get_args(form) if isinstance(form, UnionType) or get_origin(form) is Union else [form]
    if declared.form:
        types = [FORMS[declared.form], *([NoneType] if default is None else [])]
    others = [each for each in types if not (required and each is NoneType)]
    return reduce(or_, [table_of(each) if isinstance(each, type) and is_dataclass(each) else each for each in others])


def table_of_arguments(name: str, words: str, taker: type) -> type[Keys]:
    """A table of the keys that a class and its parents declare beside the arguments they are made with."""
    makers = [vars(each)["__init__"] for each in reversed(taker.__mro__[:-1]) if "__init__" in vars(each)]
    return new_table(name, Keys, words, {key: each for maker in makers for key, each in keys_of(maker).items()})


@cache
def table_of(described: type) -> type[Keys]:
    """The table of a dataclass."""
    words = f"{first_sentence(described)} (`{described.__module__}`)."
    made = new_table(f"{described.__name__}Keys", Keys, words, keys_of(described))
    MAKERS[made] = described
    return made


def found_shapes(package: str, base: type[Keys]) -> dict[str, type[Keys]]:
    """The tables of all functions in a package that make shapes and have a kind, by that kind, in the order of lists."""
    tables = {}
    for kind, maker in makers_in(package).items():
        named = "".join(word.capitalize() for word in maker.__name__.split("_"))
        words, known_as = f"{first_sentence(maker)}.", vars(maker)["in_files"].known_as
        tables[kind] = new_table(f"{named}Keys", base, words, keys_of(maker), (kind, known_as))
        MAKERS[tables[kind]] = maker
    return tables


def first_sentence(described: object) -> str:
    """First sentence of a docstring, in one line and without its full stop."""
    return " ".join((described.__doc__ or "").split(". ")[0].split()).rstrip(".")


@cache
def handed_on(table: type[Keys], taker: str = "", base: type[Keys] = Keys) -> dict[str, Way]:
    """The keys of a table that are arguments of what takes it, without those of `base`: first those that must be given."""
    fields = table.model_fields
    ways = {name: way_of(fields[name]) for name in sorted(fields, key=lambda each: not fields[each].is_required())}
    left_out = {"kind", *base.model_fields}
    return {name: way for name, way in ways.items() if name not in left_out and way.to is not CODE and way.taker == taker}


def arguments(keys: Keys, taker: str = "", base: type[Keys] = Keys) -> dict[str, Any]:
    """The entries of a table as arguments of what takes them, without those of `base`; an error names the entry.

    An entry that was left out and has no default is no argument, nor is the kind, nor what code reads (`CODE`).
    """
    found = {}
    for name, way in handed_on(type(keys), taker, base).items():
        value = getattr(keys, name)
        if isinstance(value, Keys) or way.made:
            with at(name):
                value = made_from(value) if isinstance(value, Keys) else value
                value = way.made(value) if way.made and value is not None else value
        if value is not None:
            found[name if way.to == SAME else str(way.to)] = value
    return found


def maker_of(table: type[Keys]) -> Callable[..., Any]:
    """What takes the entries of a table."""
    return next(MAKERS[each] for each in table.__mro__ if each in MAKERS)


def made_from(keys: Keys, base: type[Keys] = Keys, **more: Any) -> Any:
    """What a table describes, made from its entries, without those of `base`; its maker may refuse them with an error."""
    return maker_of(type(keys))(**arguments(keys, base=base), **more)
