"""What is wrong with a scene file, in one sentence that names the entry: "walls[2].radius: -0.1 must be positive"."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from clast.errors import ClastError

LONGEST = 60  # characters of a bad value that are repeated
WANTED = {
    "float_type": "must be a number",
    "int_type": "must be a whole number",
    "string_type": "must be a text",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
    "finite_number": "must be finite",
}


@contextmanager
def at(entry: str) -> Iterator[None]:
    """Put the entry before the message of an error raised inside: "tags[0]" around "x" around "…" gives "tags[0].x: …"."""
    try:
        yield
    except ClastError as error:
        inner, message = getattr(error, "entry", None), getattr(error, "message", str(error))
        whole = f"{entry}.{inner}" if inner else entry
        named = type(error)(f"{whole}: {message}")
        vars(named).update(entry=whole, message=message)
        raise named from None


def complaint(error: ValidationError, given: object, root: type[BaseModel]) -> tuple[list[str | int], str]:
    """Path of the first bad entry in the tables `given`, and how the sentence goes on behind it: ": -1 must be positive".

    A misspelt key is reported before the key that is missing because of it.
    """
    records = error.errors()
    first = next((each for each in records if each["type"] == "extra_forbidden"), records[0])
    path = real_path(first["loc"], given)
    if first["type"] in ("union_tag_not_found", "union_tag_invalid") and isinstance(first["input"], dict):
        path.append("kind")
    what = wrong(first, root)
    return path, f" {what}" if what.startswith("is ") else f": {what}"


def real_path(location: Sequence[str | int], given: object) -> list[str | int]:
    """Keys and numbers that lead to an entry; pydantic also names the kinds of tables it went through."""
    path: list[str | int] = []
    for k, part in enumerate(location):
        last = k == len(location) - 1
        if isinstance(given, dict) and (part in given or last):
            given = given.get(part)
            path.append(part)
        elif isinstance(given, list) and isinstance(part, int) and part < len(given):
            given = given[part]
            path.append(part)
    return path


def written(path: Sequence[str | int]) -> str:
    """walls[2].radius."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def wrong(record: ErrorDetails, root: type[BaseModel]) -> str:
    """The end of the sentence, from one of pydantic's records."""
    kind, limits, value = record["type"], record.get("ctx", {}), shown(record["input"])
    if kind == "missing":
        return "is missing"
    if kind == "extra_forbidden":
        known = list(dict.fromkeys(name for each in tables_at(record["loc"][:-1], root) for name in each.model_fields))
        near = difflib.get_close_matches(str(record["loc"][-1]), known, 1)
        return f'is an unknown key; did you mean "{near[0]}"?' if near else f"is an unknown key; known are {', '.join(known)}"
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        if not isinstance(record["input"], dict):
            return f"{value} must be a table"
        tables = tables_at(record["loc"], root)
        kinds = ", ".join(f'"{kind}"' for each in tables for kind in get_args(each.model_fields["kind"].annotation))
        missing = "kind" not in record["input"]
        return f"is missing; it is one of {kinds}" if missing else f"{shown(record['input']['kind'])} must be one of {kinds}"
    if kind == "literal_error":
        return f"{value} must be {limits['expected']}"
    if kind in ("too_short", "too_long"):
        word, count = ("at least", limits.get("min_length")) if kind == "too_short" else ("at most", limits.get("max_length"))
        return f"{value} must have {word} {count} entr{'y' if count == 1 else 'ies'}"
    if kind == "string_too_short":
        return "must not be empty"
    for name, words in (("gt", "greater than"), ("ge", "at least"), ("lt", "less than"), ("le", "at most")):
        if name in limits:
            if limits[name] == 0 and name in ("gt", "ge"):
                return f"{value} must be positive" if name == "gt" else f"{value} must not be negative"
            return f"{value} must be {words} {limits[name]:g}"
    return f"{value} {WANTED.get(kind, record['msg'][:1].lower() + record['msg'][1:])}"


def shown(value: object) -> str:
    """A value as it stands in the file, shortened."""
    if isinstance(value, bool):
        return str(value).lower()
    text = f'"{value}"' if isinstance(value, str) else repr(value) if isinstance(value, int | float | list | dict) else str(value)
    return " ".join(text.split()) if len(text) <= LONGEST else " ".join(text[: LONGEST - 1].split()) + "…"


def tables_at(location: Sequence[str | int], root: type[BaseModel]) -> list[type[BaseModel]]:
    """What the table at `location` may be."""
    candidates, skip = [root], False
    for part in location:
        if skip or isinstance(part, int):
            skip = False
            continue
        holders = [each for each in candidates if part in each.model_fields]
        if holders:
            annotation = holders[0].model_fields[part].annotation
            candidates, skip = models_in(annotation), get_origin(annotation) is dict
        else:
            candidates = [each for each in candidates if part in get_args(each.model_fields["kind"].annotation)] or candidates
    return candidates


def models_in(annotation: object) -> list[type[BaseModel]]:
    """Every table an entry may be."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for each in get_args(annotation) for model in models_in(each)]
