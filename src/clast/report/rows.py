"""Rows of finished runs, as a report and its summary.csv have them: what claims are judged by."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clast.errors import InputError
from clast.report.gathering import Report

CSV_FILE = "summary.csv"
FULL = "full"


@dataclass(frozen=True)
class StoredRow:
    """One quantity of a run of the papers' figures. Errors are standard errors; None where there is none."""

    experiment: str
    variant: str
    size: str
    name: str
    unit: str
    published: float | None
    published_error: float | None
    measured: float | None
    error: float | None
    agrees: bool | None
    note: str

    @property
    def is_full(self) -> bool:
        """Whether the run had the papers' size."""
        return self.size == FULL


def rows_of(report: Report) -> list[StoredRow]:
    """All rows of a report but those of runs of somebody's own."""
    return [
        stored_row(section.name, run.variant, report.size, each)
        for section in report.sections
        for run in section.runs
        if not run.uncounted
        for each in run.quantities
    ]


def stored_row(experiment: str, variant: str, size: str, each: Mapping[str, Any]) -> StoredRow:
    """A row from what result.json holds; results of older versions have no errors."""
    return StoredRow(
        experiment, variant, size, each["name"], each["unit"], each["published"], each.get("published_error"),
        each["measured"], each.get("error"), each["agrees"], each["note"],
    )  # fmt: skip


def read_rows(path: Path) -> list[StoredRow]:
    """The rows of a summary.csv, or of the one in a folder; InputError if there is none, or if it is of an older version."""
    path = path / CSV_FILE if path.is_dir() else path
    if not path.is_file():
        raise InputError(f"there is no {path}: make it with `clast reproduce --report-only --out {path.parent}`")
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if not {"size", "variant", "counted", "error"} <= set(reader.fieldnames or ()):
            raise InputError(f"{path} is of an older version: write it anew with `clast reproduce --report-only`")
        return [row_of_cells(each) for each in reader if each["quantity"] and each["counted"] == "True"]


def row_of_cells(each: Mapping[str, str]) -> StoredRow:
    """A row from the cells of a summary.csv."""
    published, published_error, measured, error = (
        as_number(each[name]) for name in ("published", "published_error", "measured", "error")
    )
    return StoredRow(
        each["experiment"], each["variant"], each["size"], each["quantity"], each["unit"], published, published_error, measured,
        error, {"True": True, "False": False}.get(each["agrees"]), each["note"],
    )  # fmt: skip


def as_number(text: str) -> float | None:
    """The number of a cell; None of an empty one."""
    return float(text) if text else None
