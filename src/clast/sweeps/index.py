"""Parameters and results of all rows of a sweep as columns, and as a file for other programs, index.csv."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import math
import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from clast.errors import ClastError, StoreError
from clast.experiments import find
from clast.output.store.atomic import TEMPORARY, sync_folder
from clast.output.store.files import RESULT_FILE
from clast.sweeps.plan import SweepPlan, read_plan, varied_names
from clast.sweeps.task import read_error, state_of

INDEX_FILE = "index.csv"
LOCK_FILE = ".index.lock"
MERIT = ("grains", "steps", "wall_s", "cundall", "energy_error", "overlap_share")  # of result.json
LARGEST = 2**63  # whole numbers from here on stay Python's own
RESULT = " (result)"  # after the name of one that is called like a parameter
UNITS = {"wall_s": "s", "cundall": "1/s"}


@dataclass
class SweepColumns:
    """A sweep by columns, all of one length.

    columns      arrays by name: row, name, state, message, then parameters, then results; NaN where there is none
    units        of the columns that have one
    parameters   names of the columns that are parameters
    varied       those of them that are not the same in all rows
    results      names of the columns that were measured
    """

    columns: dict[str, np.ndarray] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    parameters: list[str] = field(default_factory=list)
    varied: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)


def collect(plan: SweepPlan) -> SweepColumns:
    """Read states, parameters and results of all rows."""
    rows = complete_rows(plan)
    runs = [plan.folder / name for name in plan.names]
    states = [state_of(run) for run in runs]
    found = SweepColumns(parameters=plan.parameters, varied=varied_names(rows))
    found.columns = {
        "row": np.arange(1, len(runs) + 1),
        "name": np.array(plan.names, str),
        "state": np.array(states, str),
        "message": np.array([read_error(run) if state == "failed" else "" for run, state in zip(runs, states, strict=True)], str),
    }
    for name in found.parameters:
        found.columns[name] = column([row.get(name) for row in rows])
        if unit := unit_of(plan, name):
            found.units[name] = unit
    measured = [measured_in(run) if state == "finished" else {} for run, state in zip(runs, states, strict=True)]
    for name in dict.fromkeys(name for each in measured for name in each):
        # a parameter keeps its name: the number of grains requested, say, beside that of grains there were
        title = f"{name}{RESULT}" if name in found.columns else name
        found.columns[title] = np.array([each.get(name, (math.nan, ""))[0] for each in measured], float)
        found.results.append(title)
        if unit := next((each[name][1] for each in measured if name in each), ""):
            found.units[title] = unit
    return found


def complete_rows(plan: SweepPlan) -> list[Mapping[str, Any]]:
    """The rows with the experiment's own value where one of them does not give a parameter that others give."""
    if not plan.may_be_looked_up or all(len(row) == len(plan.parameters) for row in plan.rows):
        return list(plan.rows)
    with suppress(ClastError):  # an experiment that has changed since: what was given can still be shown
        defaults = find(plan.source).choose(plan.size or "quick", {}).model_dump(mode="json")
        return [{**{name: defaults[name] for name in plan.parameters}, **row} for row in plan.rows]
    return list(plan.rows)


def unit_of(plan: SweepPlan, name: str) -> str:
    """The unit of a parameter of an experiment."""
    with suppress(ClastError):
        if plan.may_be_looked_up and (known := find(plan.source).parameters.model_fields.get(name)) is not None:
            extra = known.json_schema_extra
            return str(extra.get("unit", "")) if isinstance(extra, dict) else ""
    return ""


def measured_in(run: Path) -> dict[str, tuple[float, str]]:
    """Numbers of result.json of a run with their units, by name: figures of merit, then quantities; none if it is damaged."""
    try:
        result = json.loads((run / RESULT_FILE).read_text(encoding="utf-8"))
        found = {name: (number(result[name]), UNITS.get(name, "")) for name in MERIT if result.get(name) is not None}
        for each in result.get("quantities", []):
            found[str(each["name"])] = (number(each["measured"]), str(each["unit"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    return found


def number(value: Any) -> float:
    """A number; NaN for what was not measured."""
    return math.nan if value is None else float(value)


def column(values: Sequence[Any]) -> np.ndarray:
    """Values of a parameter as an array: truths, whole numbers, numbers with NaN where there is none, or texts."""
    kinds = {type(value) for value in values}
    if kinds in ({bool}, {int}):
        return np.array(values, None if all(-LARGEST <= value < LARGEST for value in values) else object)  # a seed has any length
    if kinds <= {int, float, type(None)}:
        return np.array([number(value) for value in values], float)
    return np.array(["" if value is None else value if isinstance(value, str) else json.dumps(value) for value in values], str)


# --- the file --------------------------------------------------------------------------------------------------------


def write_index(plan: SweepPlan) -> SweepColumns:
    """Collect index.csv anew. Several processes may do so at once: each collects and writes under a lock, so that the last
    one to write has seen all that were done."""
    with locked(plan.folder / LOCK_FILE):
        found = collect(read_plan(plan.folder))  # it may have grown since it was read
        write_csv(plan.folder / INDEX_FILE, found)
    return found


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Wait for the lock and hold it; on a disk that knows no locks go on without."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise StoreError(f"{path.parent} cannot be written ({error})") from None
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def write_csv(path: Path, found: SweepColumns) -> None:
    """Columns as a CSV file (UTF-8), whole or not at all; numbers read back to the same bits, NaN is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(titles(found))
    for row in zip(*(values.tolist() for values in found.columns.values()), strict=True):
        writer.writerow(["" if isinstance(cell, float) and math.isnan(cell) else plain_cell(cell) for cell in row])
    temporary = path.with_name(f".{path.name}-{uuid.uuid4().hex}{TEMPORARY}")
    try:
        temporary.write_text(text.getvalue(), encoding="utf-8")
        temporary.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StoreError(f"{path} cannot be written ({error})") from None


def titles(found: SweepColumns) -> list[str]:
    """Names of the columns with their units."""
    return [f"{name} [{found.units[name]}]" if name in found.units else name for name in found.columns]


def plain_cell(value: Any) -> str:
    """A cell as a user would write it; the shortest text that reads back to the same number."""
    return repr(value) if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)
