"""A report as data: report.json with all of it, summary.csv with a row per quantity, from which claims can be judged anew."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from pathlib import Path
from typing import Any

from clast.output.store.atomic import write_text
from clast.report.claims.judging import VERDICTS, JudgedClaim, count_verdicts, judge_claims
from clast.report.claims.reading import against_what
from clast.report.gathering import LACKING, Report
from clast.report.rows import CSV_FILE, rows_of

FORMAT, FORMAT_VERSION = "clast-report", 2
JSON_FILE = "report.json"
COLUMNS = (
    "experiment", "run", "variant", "size", "counted", "paper", "state", "quantity", "unit", "published", "published_error",
    "measured", "error", "agrees", "against", "note", "wall_s", "cundall", "energy_error",
)  # fmt: skip


def report_data(report: Report) -> dict[str, Any]:
    """The report as plain data; `claims` are those of the five papers, `verdicts` how many of them came out how."""
    judged = judge_claims(rows_of(report), report.size)
    counts = count_verdicts(judged)
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "size": report.size,
        "machines": report.machines,
        "versions": report.versions,
        "dates": report.dates,
        "wall_s": report.wall_s,
        "runs": {state: report.count(state) for state in ("finished", *LACKING)},
        "verdicts": {verdict: counts[verdict] for verdict in VERDICTS},
        "claims": [claim_data(each) for each in judged],
        "experiments": [dataclasses.asdict(section) for section in report.sections],
    }


def claim_data(each: JudgedClaim) -> dict[str, Any]:
    """A claim as plain data."""
    claim = each.claim
    return {
        "key": claim.key, "place": claim.place, "claim": claim.claim, "published": claim.published, "ours": each.ours,
        "verdict": each.verdict, "reason": each.reason, "rows": [str(key) for key in claim.needs],
    }  # fmt: skip


def summary_rows(report: Report) -> list[dict[str, Any]]:
    """One row per quantity of every run; a run without quantities has one row too. `against` is what a verdict compares with."""
    rows = []
    for section in report.sections:
        for run in section.runs:
            about: dict[str, Any] = {"experiment": section.name, "run": run.name, "paper": section.paper, "state": run.state}
            about |= {"variant": run.variant, "size": report.size, "counted": not run.uncounted}
            about |= {"wall_s": run.wall_s, "cundall": run.cundall, "energy_error": run.energy_error}
            if not run.quantities:
                rows.append({**about, "note": run.message})
            for each in run.quantities:
                against = against_what(section.name, run.variant, each["name"]) if each["agrees"] is not None else ""
                own = {key: each[key] for key in COLUMNS if key in each}
                rows.append({**about, "quantity": each["name"], **own, "against": against})
    return rows


def write_data(report: Report, folder: Path) -> None:
    """report.json and summary.csv, each whole or as it was."""
    write_text(folder / JSON_FILE, json.dumps(report_data(report), indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    write_text(folder / CSV_FILE, summary_text(report))


def summary_text(report: Report) -> str:
    """The text of summary.csv."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="")
    writer.writeheader()
    for row in summary_rows(report):
        writer.writerow({name: "" if value is None else value for name, value in row.items()})
    return text.getvalue()
