"""The report as a page of text for a project's site: shorter than the HTML, with its pictures in a folder beside it.

Sites of code show Markdown and not HTML; and a page of text shows in a comparison of versions which numbers have moved.
Only what the papers say something about stands in it, the rest is in the HTML.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from clast.report.claims.judging import VERDICTS, count_verdicts
from clast.report.gathering import LACKING, Report, RunReport, Section
from clast.report.pictures import SUFFIX, Picture, fit_pictures
from clast.report.summary import (
    AGREEMENT,
    by_paper,
    facts_of,
    lacking,
    merit_of,
    note_of,
    origin,
    ours_of,
    papers_of,
    papers_summary,
    published_of,
    standing,
    summary_lines,
)
from clast.report.words import escaped, table, typeset

BUDGET = 2_400_000  # bytes of all pictures
CLAIMS_FILE = "claims.md"


def markdown_page(report: Report, folder: Path, pictures_folder: str) -> tuple[str, dict[str, Picture]]:
    """The text, and its pictures by their names in the folder `pictures_folder` beside it."""
    fitted = fit_pictures([folder / name for run in report.runs for name in run.pictures], BUDGET)
    pictures = {picture_name(path.relative_to(folder).as_posix()): picture for path, picture in fitted.items()}
    text = [
        f"# The figures of the papers, {report.size} size",
        f"Written by `clast reproduce --report-only --format markdown`, not by hand. **{standing(report)}**",
        *([" ".join(origin(report))] if origin(report) else []),
        "## What the papers claim",
        f"All claims with the rows that judge them, and those that nothing judges yet: [{CLAIMS_FILE}]({CLAIMS_FILE}).",
        claims(report),
        "## All rows",
        "A dash under *published*: there is no number, only words.",
        all_rows(report),
        *(section_part(section, pictures, pictures_folder) for section in by_paper(report.sections)),
        "\n".join(["## Papers", "", *(f"- {key}: {text}" for key, text in papers_of(report))]),
    ]
    return "\n\n".join(text) + "\n", pictures


def picture_name(name: str) -> str:
    """hopper-cow-20/discharge.png → hopper-cow-20-discharge.webp."""
    return Path(name).with_suffix(SUFFIX).as_posix().replace("/", "-")


def claims(report: Report) -> str:
    """The claims of the five papers that were judged, paper by paper, disagreements first."""
    head = ["what the paper claims", "published", "ours", "verdict", "reason"]
    parts = []
    for each in papers_summary(report):
        counts = count_verdicts(each.folded)
        rest = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
        rows = [
            [
                f"{escaped(judged.claim.claim)} ({escaped(judged.claim.place)})", escaped(judged.claim.published or "–"),
                escaped(judged.ours), f"**{judged.verdict}**" if judged.verdict == "disagrees" else judged.verdict,
                escaped(judged.reason),
            ]
            for judged in each.judged
        ]  # fmt: skip
        parts += [f"### {each.paper}", *([table(head, rows)] if rows else []), *([f"Besides: {rest}."] if rest else [])]
    return "\n\n".join(parts) or "These runs judge no claim of the five papers."


def all_rows(report: Report) -> str:
    """What was judged, of all experiments, folded away."""
    rows = []
    for section in by_paper(report.sections):
        lines = summary_lines(section)
        link = f"[{section.name}](#{section.name})"
        for number, line in enumerate(lines):
            what = line.quantity + (f" ({line.where})" if line.where else "")
            other = "" if line.against in ("papers", "") else f" ({line.against})"
            cells = [escaped(text) for text in (what, line.published, line.measured)]
            rows.append([link if number == 0 else "", *cells, bold_no(line.agrees) + other])
        if not lines:
            rows.append([link, escaped(", ".join(lacking(section)) or "nothing to judge"), "", "", ""])
    body = table(["experiment", "what was judged", "published", "measured", "agrees"], rows)
    return f"<details><summary>Everything that was judged, experiment by experiment</summary>\n\n{body}\n\n</details>"


def bold_no(agrees: bool | None) -> str:
    """yes, **no** or a dash."""
    return "**no**" if agrees is False else AGREEMENT[agrees]


def section_part(section: Section, pictures: Mapping[str, Picture], pictures_folder: str) -> str:
    """One experiment."""
    merit = "; ".join(f"{name} {typeset(text)}" for name, text in merit_of(section))
    parts = [f"## {section.name}", f"{section.paper}: {typeset(section.claim)}.{f' Ours: {merit}.' if merit else ''}"]
    for run in section.runs:
        if run.state != "missing":
            parts += [f"### {typeset(run.label or run.name)}"] if len(section.runs) > 1 else []
            parts += run_part(section, run, pictures, pictures_folder)
    if missing := [f"    {run.command}" for run in section.runs if run.state == "missing"]:
        parts += [f"**{LACKING['missing']}**:", "\n".join(missing)]
    return "\n\n".join(parts)


def run_part(section: Section, run: RunReport, pictures: Mapping[str, Picture], pictures_folder: str) -> list[str]:
    """One run: pictures, its numbers beside the paper's with the likely reason where they disagree, command."""
    parts = []
    if run.state in LACKING:
        parts.append(f"**{LACKING[run.state]}**{': ' if run.message else ''}{escaped(run.message)}")
    shown = []
    for name in (each for each in run.pictures if picture_name(each) in pictures):
        what = f"{section.title}{f', {run.label}' if run.label else ''}: {Path(name).stem.replace('-', ' ')}"
        shown.append(f"![{what}]({pictures_folder}/{quote(picture_name(name))})")
    if shown:
        parts += ["\n".join(shown), f"*{escaped(section.caption)}*"]
    listed = [each for each in run.quantities if each["agrees"] is not None or each["published"] is not None]
    if listed:
        rows = [
            [
                escaped(each["name"]), escaped(published_of(each)), escaped(ours_of(each)), bold_no(each["agrees"]),
                escaped(note_of(each)),
            ]
            for each in listed
        ]  # fmt: skip
        parts.append(table(["quantity", "published", "measured", "agrees", "note"], rows))
    if facts := facts_of(run):
        parts.append("; ".join(f"{name} {typeset(text)}" for name, text in facts) + ".")
    parts.append(f"    {run.command}")
    return parts
