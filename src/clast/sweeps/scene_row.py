"""A scene file with some of its entries replaced, each by its dotted key: `law.friction`, `run.until`, `fill.0.seed`."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clast.errors import InputError
from clast.scene_files.reading import SceneFile, built, parse, read_text
from clast.scene_files.schema import SceneKeys
from clast.scene_files.schema_run import RunKeys


def read_row(path: Path, given: Mapping[str, Any]) -> SceneFile:
    """The scene in a file with entries replaced; errors read as for the file itself."""
    return built(path, *parse_row(path, given))


def parse_row(path: Path, given: Mapping[str, Any]) -> tuple[str, SceneKeys]:
    """The text with entries replaced, and its entries, each checked by itself: quick, nothing is built."""
    text = read_text(path)
    parse(path, text, {})  # what is wrong with the file itself is reported first
    tables = tomllib.loads(text)
    for key, value in given.items():
        if "." not in key and key not in SceneKeys.model_fields:
            places = [*dict.fromkeys([*places_of(key, tables), *([f"run.{key}"] if key in RunKeys.model_fields else [])])]
            cure = f"did you mean {' or '.join(places)}?" if places else "name it as law.friction, fill.0.seed or run.until"
            raise InputError(f"{path}: a scene has no entry {key}; {cure}")
        replace(tables, key, value, path)
    text = toml_text(tables)
    return text, parse(path, text, {})


def places_of(name: str, entries: Any, above: str = "") -> list[str]:
    """Dotted keys of all entries of that name in a file."""
    pairs = entries.items() if isinstance(entries, dict) else enumerate(entries) if isinstance(entries, list) else ()
    found = []
    for key, value in pairs:
        found += [f"{above}{key}"] * (key == name) + places_of(name, value, f"{above}{key}.")
    return found


def replace(tables: dict[str, Any], key: str, value: Any, path: Path) -> None:
    """Put a value at a dotted key; a table on the way that is not there is made. InputError if the key leads nowhere."""
    place: Any = tables
    parts = key.split(".")
    for k, part in enumerate(parts):
        last, so_far = k == len(parts) - 1, ".".join(parts[:k])
        if isinstance(place, list):
            if not (part.isdecimal() and int(part) < len(place)):
                many = f"{len(place)} entr{'y' if len(place) == 1 else 'ies'}"
                raise InputError(f"{path}: {key}: {so_far} has {many}, numbered from 0; there is no '{part}'")
            if last:
                place[int(part)] = value
            place = place[int(part)]
        elif isinstance(place, dict):
            if last:
                place[part] = value
            place = place.setdefault(part, {})
        else:
            raise InputError(f"{path}: {key}: {so_far} is a single value, it has no '{part}'")


def files_of(keys: SceneKeys) -> dict[str, str]:
    """The files that the shapes of a scene are read from (outlines, photographs), by the dotted keys that name them."""
    return {f"shapes.{name}.file": str(each.file) for name, each in keys.shapes.items() if hasattr(each, "file")}


def toml_text(tables: Mapping[str, Any]) -> str:
    """A TOML text, a line a key; comments are not kept."""
    return "".join(f"{quoted(key)} = {toml_value(each)}\n" for key, each in tables.items())


def toml_value(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{quoted(key)} = {toml_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(each) for each in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return quoted(value) if isinstance(value, str) else str(value) if not isinstance(value, float) else repr(value)


def quoted(text: str) -> str:
    """A text in quotes: what JSON escapes, TOML reads; it needs one character more escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
