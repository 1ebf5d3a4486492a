"""Valid scene files spoiled, one entry at a time, in every way that makes them invalid."""

from __future__ import annotations

import copy
import datetime
import math
import tomllib
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from scene_texts import toml

DATE = datetime.date(2020, 1, 1)
FREE_TEXT = {"title", "units"}  # may be empty
REFERENCES = {"shape", "on", "file"}  # and the names of ready-made shapes

Spoiled = tuple[str, list[str | int], dict[str, Any]]  # what was done, the entry, the tables


def changed(tables: dict[str, Any], path: list[str | int], new: Any) -> dict[str, Any]:
    """The tables with one entry replaced."""
    copied = copy.deepcopy(tables)
    place: Any = copied
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = new
    return copied


def without(tables: dict[str, Any], path: list[str | int], instead: str | None = None) -> dict[str, Any]:
    """The tables without one entry, or with its key renamed."""
    copied = copy.deepcopy(tables)
    place: Any = copied
    for part in path[:-1]:
        place = place[part]
    old = place.pop(path[-1])
    if instead is not None:
        place[instead] = old
    return copied


def spoil_table(tables: dict[str, Any], model: Any, path: list[str | int], raw: dict[str, Any]) -> Iterator[Spoiled]:
    """Unknown, misspelt and missing keys of one table, then its entries."""
    yield "unknown key", [*path, "colour"], changed(tables, [*path, "colour"], 1)
    for key, value in raw.items():
        entry = [*path, key]
        if isinstance(model, BaseModel):
            field = type(model).model_fields[key]
            yield "misspelt key", [*path, key + "x"], without(tables, entry, key + "x")
            if field.is_required():
                yield "missing", entry, without(tables, entry)
            yield from spoil_value(tables, getattr(model, key), field, entry, value)
        else:  # tables by name
            yield "renamed", [*path, key], without(tables, entry, key + "x")
            yield from spoil_value(tables, model[key], None, entry, value)


def spoil_value(tables: dict[str, Any], model: Any, field: Any, path: list[str | int], raw: Any) -> Iterator[Spoiled]:
    """Whatever an entry must not be."""

    def put(what: str, *values: Any) -> Iterator[Spoiled]:
        for new in values:
            yield f"{what} {new!r}", path, changed(tables, path, new)

    named = path[-1] if isinstance(path[-1], str) else path[-2]
    if isinstance(raw, dict):
        yield from put("not a table", "text", [1.0])
        yield from spoil_table(tables, model, path, raw)
    elif isinstance(raw, list):
        yield from put("not a list", 1.5, {"a": 1})
        tuple_like = any(getattr(part, "max_length", None) for part in field.metadata) if field is not None else False
        if raw and not isinstance(raw[0], list | dict) and (len(raw) == 2 and named not in ("times", "values", "on")):
            tuple_like = True
        if tuple_like:
            yield from put("wrong length", [*raw, raw[0]], raw[:1])
        if named in ("vertices", "times", "values", "on") or (named == "shapes" and len(path) > 1):
            yield from put("empty", [])
        numbers = [each for each in raw if not isinstance(each, dict)]
        for k, each in enumerate(raw if not numbers else raw[:1]):  # one vertex is as good as another
            inner = model[k] if isinstance(model, list) else model
            yield from spoil_value(tables, inner, field, [*path, k], each)
    elif isinstance(raw, bool):
        yield from put("not a switch", "true", 1)
    elif isinstance(raw, int | float):
        yield from put("not a number", "1", True, DATE, math.nan)
        if named != "on":
            yield from put("not a number", [raw])
        if named != "friction":
            yield from put("infinite", math.inf)
        whole = field is not None and field.annotation is int
        if whole or named in ("on", "threads"):
            yield from put("not whole", raw + 0.5)
        if named in ("alpha", "threads"):
            yield from put("not positive", 0, -1)
        yield from put("out of limits", *beyond(field))
    elif isinstance(raw, str):
        yield from put("not a text", True, *([0.5] if named != "alpha" else []), *([[raw]] if named != "on" else []))
        if field is not None and named not in FREE_TEXT and named not in ("alpha", "threads"):
            yield from put("empty", "")
        if field is not None and literal(field.annotation):
            yield from put("misspelt", raw + "x", raw.upper() + "?")
        if named in REFERENCES or (named == "name" and path[0] == "shapes") or named == "between":
            yield from put("points to nothing", "no-such-thing")
        if named in ("alpha", "threads"):
            yield from put("misspelt", "automatic")


def literal(annotation: Any) -> bool:
    """Whether only some words are allowed."""
    return get_origin(annotation) is Literal or any(literal(each) for each in get_args(annotation))


def beyond(field: Any) -> list[float]:
    """Numbers just outside the limits of a field."""
    found: list[float] = []
    for part in field.metadata if field is not None else []:
        for name, values in (("gt", (0, -1)), ("ge", (-1,)), ("lt", (0, 1)), ("le", (1,))):
            limit = getattr(part, name, None)
            if limit is not None:
                found += [limit + each for each in values]
    return found


def with_changes(text: str, *changes: tuple[str, Any]) -> str:
    """A scene with some entries, written as "walls.1.radius", replaced, added (list.+) or removed (None)."""
    tables = tomllib.loads(text)
    for where, new in changes:
        place: Any = tables
        *way, last = where.split(".")
        for part in way:
            place = place[int(part)] if isinstance(place, list) else place.setdefault(part, {})
        if last == "+":
            place.append(new)
        elif new is None:
            del place[int(last) if isinstance(place, list) else last]
        else:
            place[int(last) if isinstance(place, list) else last] = new
    return toml(tables)
