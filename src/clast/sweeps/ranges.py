"""Values from a user's words: `1:8`, `10,30,100`, `10:1000:log5`, rows of a CSV file, numbers of rows."""

from __future__ import annotations

import csv
import datetime
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clast.errors import InputError

WHOLE = re.compile(r"([+-]?\d+):([+-]?\d+)(?::([+-]?\d+))?")
SPACED = re.compile(r"([^:\s]+):([^:\s]+):(lin|log)(\d+)")
MOST = 1_000_000  # values in one range
MORE = re.compile(r"[^\"'#]*#|.*\n")
OPENING, CLOSING, QUOTES = "[{", "]}", "\"'"


def read_vary(text: str) -> tuple[str, list[Any]]:
    """`seed=1:8` as a name and its values; InputError if it is not of that form."""
    name, equals, written = text.partition("=")
    if not equals or not name.strip():
        raise InputError(f"--vary {text}: write NAME=VALUES, as in seed=1:8 or pressure=10,30,100")
    return name.strip(), read_values(written, f"--vary {text}")


def read_values(text: str, where: str) -> list[Any]:
    """Values apart by commas, each one value or a range:

        1:4          whole numbers from 1 to 4
        0:20:5       0, 5, 10, 15, 20
        0:1:lin5     5 values from 0 to 1, evenly spaced
        10:1000:log5 5 values from 10 to 1000, with one ratio between them

    A value is a number, true or false, a list in brackets, a text. InputError begins with `where`.
    """
    values: list[Any] = []
    for part in split(text):
        if not part:
            raise InputError(f"{where}: a value is missing")
        if whole := WHOLE.fullmatch(part):
            first, last, step = int(whole[1]), int(whole[2]), int(whole[3] or 1)
            if step == 0 or (last - first) * step < 0 or abs((last - first) // step) >= MOST:
                raise InputError(f"{where}: {part} holds no value, or too many; write FIRST:LAST or FIRST:LAST:STEP")
            values += range(first, last + (1 if step > 0 else -1), step)
        elif spaced := SPACED.fullmatch(part):
            values += spaced_values(spaced, f"{where}: {part}")
        elif ":" in part and all(is_number(each) for each in part.split(":")):
            raise InputError(f"{where}: {part} is for whole numbers; write FIRST:LAST:lin5 for 5 evenly spaced values, or log5")
        else:
            values.append(read_value(part))
    return values


def spaced_values(found: re.Match[str], where: str) -> list[float]:
    """The values of FIRST:LAST:lin5 and FIRST:LAST:log5."""
    if not (is_number(found[1]) and is_number(found[2])):
        raise InputError(f"{where}: the ends must be numbers")
    first, last, count = float(found[1]), float(found[2]), int(found[4])
    if not 2 <= count <= MOST:
        raise InputError(f"{where}: ask for at least 2 values")
    if found[3] == "lin":
        return np.linspace(first, last, count).tolist()
    if first * last <= 0.0:
        raise InputError(f"{where}: the ends must be of one sign and not 0")
    values: list[float] = np.geomspace(first, last, count).tolist()
    return values


def split(text: str) -> list[str]:
    """Text cut at its commas, but for those in brackets or quotes."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in QUOTES:
            quote = letter
        depth += (letter in OPENING) - (letter in CLOSING)
        if letter == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def read_value(text: str) -> Any:
    """A value as TOML has it; what is none is a text."""
    if MORE.match(text):  # TOML would read the rest as a remark, or as another line
        return text
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return float(text) if is_number(text) else text
    return text if isinstance(value, datetime.date | datetime.time) else value


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_table(path: Path) -> list[dict[str, Any]]:
    """The rows of a CSV file whose first line names the parameters; an empty cell is a parameter not given in that row."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = [line for line in csv.reader(file) if any(cell.strip() for cell in line)]
    except FileNotFoundError:
        raise InputError(f"there is no table {path}") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"the table {path} cannot be read: {error}") from None
    if len(lines) < 2:
        raise InputError(f"the table {path} has no rows: its first line names the parameters, each line below is a run")
    names = [name.strip() for name in lines[0]]
    if len(names) == 1 and (other := re.search(r"[;\t]", names[0])):
        mark = "semicolons" if other[0] == ";" else "tabs"
        raise InputError(f"the table {path}: its columns are apart by {mark}: write it with commas")
    if "" in names or len(set(names)) != len(names):
        raise InputError(f"the table {path}: its first line must name every column, each by another name")
    rows = []
    for number, line in enumerate(lines[1:], start=1):
        if len(line) != len(names):
            raise InputError(f"the table {path}: row {number} has {len(line)} cells, not {len(names)}")
        rows.append({name: read_value(cell.strip()) for name, cell in zip(names, line, strict=True) if cell.strip()})
    return rows


def read_numbers(text: str, most: int) -> list[int]:
    """Numbers of rows, from 1: `7`, `3,5:9`. InputError if there is no such row."""
    numbers = read_values(text, f"--only {text}")
    for number in numbers:
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= most:
            raise InputError(f"--only {text}: there is no row {number}; they are numbered from 1 to {most}")
    return sorted(set(numbers))


def written(parameters: Any, names: Sequence[str] | None = None) -> str:
    """Parameters in a line: `seed=1, pressure=30`."""
    chosen = parameters if names is None else {name: parameters[name] for name in names if name in parameters}
    return ", ".join(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in chosen.items())
