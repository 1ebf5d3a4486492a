"""What stands on top of a report: how the claims of the papers came out, what else was judged, and how much of it is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clast.experiments import names
from clast.output.estimate import duration
from clast.report.claims.judging import (
    REASON_UNKNOWN,
    VERDICTS,
    JudgedClaim,
    count_verdicts,
    judge_claims,
    stray_rows,
)
from clast.report.claims.reading import FOUNDING, KINDS, against_what
from clast.report.gathering import LACKING, Report, RunReport, Section
from clast.report.rows import rows_of
from clast.report.words import after, measured_text, number

PAPERS = {
    "EPL08": "Alonso-Marroquín, Spheropolygons, Europhysics Letters 83 (2008) 14001",
    "GM09": "Alonso-Marroquín and Wang, An efficient algorithm for granular dynamics simulations with complex-shaped objects, "
    "Granular Matter (2009), doi 10.1007/s10035-009-0139-1",
    "ARX": "Galindo-Torres and Alonso-Marroquín, arXiv:0811.2858",
    "PRE10": "Galindo-Torres, Muñoz and Alonso-Marroquín, Minkowski-Voronoi diagrams as a method to generate random packings of "
    "spheropolygons for the simulation of soils, Physical Review E (2010)",
    "CSM10": "Chen, Schinner and Matuttis, Discrete element simulation for polyhedral granular particles (2010)",
}
AGREEMENT = {True: "yes", False: "no", None: "–"}
FOLDED = ("shown only", "missing")  # behind a fold: nothing was judged


@dataclass(frozen=True)
class SummaryLine:
    """A judged quantity beside the published number, as text; `where` names the runs, "" if there is only one, `against` is what
    it was compared with."""

    quantity: str
    where: str
    published: str
    measured: str
    agrees: bool
    against: str


@dataclass(frozen=True)
class PaperSummary:
    """The claims of a paper: those that were judged, disagreements first, and those that were not."""

    paper: str
    judged: tuple[JudgedClaim, ...]
    folded: tuple[JudgedClaim, ...]


def papers_summary(report: Report) -> list[PaperSummary]:
    """The claims of each paper of which the report has anything."""
    found = []
    claims = judge_claims(rows_of(report), report.size)
    for paper in FOUNDING:
        mine = [each for verdict in VERDICTS for each in claims if each.claim.paper == paper and each.verdict == verdict]
        judged = tuple(each for each in mine if each.verdict not in FOLDED)
        folded = tuple(each for each in mine if each.verdict in FOLDED)
        if judged or any(each.verdict == "shown only" for each in folded):
            found.append(PaperSummary(paper, judged, folded))
    return found


def by_paper(sections: Sequence[Section]) -> list[Section]:
    """Experiments in the order of the papers, those of several with the first of them, the others at the end."""

    def place(section: Section) -> int:
        places = [k for k, paper in enumerate(FOUNDING) if section.paper.startswith(paper)]
        return places[0] if places else len(FOUNDING)

    return sorted(sections, key=place)


def summary_lines(section: Section) -> list[SummaryLine]:
    """All that was judged of an experiment: one line per quantity, published number and verdict."""
    groups: dict[tuple[Any, ...], list[tuple[RunReport, dict[str, Any]]]] = {}
    for run in section.runs:
        for each in () if run.uncounted else run.judged:
            key = (each["name"], each["unit"], each["published"], each["agrees"])
            groups.setdefault(key, []).append((run, each))
    done = [run for run in section.runs if run.state == "finished" and not run.uncounted]
    lines = []
    for (name, unit, _, agrees), found in groups.items():
        values = sorted((each for _, each in found), key=lambda each: each["measured"])
        span = ours_of(values[0])
        if values[0]["measured"] != values[-1]["measured"]:
            span = f"{number(values[0]['measured'])} … {number(values[-1]['measured'])}{after(unit)}"
        where = "" if len(done) == 1 else "all runs" if len(found) == len(done) else "; ".join(run.label for run, _ in found)
        against = against_what(section.name, found[0][0].variant, name)
        lines.append(SummaryLine(name, where, published_of(values[0]), span, agrees, against))
    return lines


def published_of(quantity: dict[str, Any]) -> str:
    """The published number with its error; a dash where the paper gives none."""
    return measured_text(quantity["published"], quantity.get("published_error"), quantity["unit"])


def ours_of(quantity: dict[str, Any]) -> str:
    """What was measured, with its error."""
    return measured_text(quantity["measured"], quantity.get("error"), quantity["unit"])


def merit_of(section: Section) -> list[tuple[str, str]]:
    """Wall time, Cundall number and energy error of an experiment over its finished runs: name and text of what is known."""
    done = [run for run in section.runs if run.state == "finished"]
    words = []
    if done:
        words.append(("time", duration(sum(run.wall_s or 0.0 for run in done))))
    speeds = [run.cundall for run in done if run.cundall]
    if speeds:
        low, high = number(min(speeds), 2), number(max(speeds), 2)
        words.append(("c", f"{low if low == high else f'{low} … {high}'} 1/s"))
    errors = [run.energy_error for run in done if run.energy_error is not None]
    if errors:
        words.append(("energy error", f"{'' if len(errors) == 1 else '≤ '}{number(max(errors), 2)}"))
    return words


def lacking(section: Section) -> list[str]:
    """What is not there yet: "2 of 4 failed", "1 of 4 not run yet"; nothing where all is."""
    counts = []
    for state, called in LACKING.items():
        count = sum(run.state == state for run in section.runs)
        if count:
            counts.append(called if len(section.runs) == 1 else f"{count} of {len(section.runs)} {called}")
    return counts


def note_of(quantity: dict[str, Any]) -> str:
    """What the experiment notes on a quantity: of one that disagrees the likely reason, or that nobody knows it."""
    return quantity["note"] or (REASON_UNKNOWN if quantity["agrees"] is False else "")


def reasons(run: RunReport) -> list[tuple[str, str]]:
    """Name and likely reason of everything that disagrees: what the experiment notes on it; names with one reason together."""
    found: dict[str, list[str]] = {}
    for each in run.judged:
        if not each["agrees"]:
            found.setdefault(note_of(each), []).append(each["name"])
    return [("; ".join(names), reason) for reason, names in found.items()]


def facts_of(run: RunReport) -> list[tuple[str, str]]:
    """Figures of merit and origin of a run, name and text, of what is known."""
    revision = None
    if run.revision:
        commit, plus, _ = run.revision.partition("+")
        revision = f"{commit[:10]}{' with changes' if plus else ''}"
    facts = [
        ("grains", None if run.grains is None else number(run.grains)),
        ("steps", None if run.steps is None else number(run.steps)),
        ("Cundall number", None if run.cundall is None else f"{number(run.cundall, 2)} 1/s"),
        ("energy error", None if run.energy_error is None else number(run.energy_error, 2)),
        ("wall time", None if run.wall_s is None else duration(run.wall_s)),
        ("seeds" if "…" in run.seeds else "seed", run.seeds),
        ("begun", run.date and run.date[:10]),
        ("made by", run.versions.split(", numpy")[0].partition(", ")[2] or None),
        ("revision", revision),
    ]
    return [(name, text) for name, text in facts if text]


def standing(report: Report) -> str:
    """How much of it is done and how it came out, in a few sentences: runs, claims of the five papers, and the rest."""
    runs = sum(not run.uncounted for run in report.runs)
    counts = [f"{report.count('finished')} of {runs} runs are finished"]
    counts += [f"{report.count(state)} {called}" for state, called in LACKING.items() if report.count(state)]
    others = len(report.runs) - runs
    more = f" Beside them {others} of other parameters than the papers', not counted." if others else ""
    return f"{', '.join(counts)}.{more}{claims_standing(report)}{others_standing(report)}"


def claims_standing(report: Report) -> str:
    """How the claims of the five papers came out that these runs judge; nothing where they judge none."""
    counts = count_verdicts(judge_claims(rows_of(report), report.size))
    known = counts["agrees"] + counts["better"] + counts["disagrees"]
    if not known:
        return ""
    verdict = (
        f" Of {known} claims of the five papers that they judge, {counts['agrees']} agree, {counts['better']} are better than "
    )
    verdict += f"published, {counts['disagrees']} do not agree."
    return verdict + (f" {counts['shown only']} more are shown, and not judged." if counts["shown only"] else "")


def others_standing(report: Report) -> str:
    """How rows came out that compare with something else than the papers, each kind apart."""
    parts = []
    known = [(row, against_what(row.experiment, row.variant, row.name)) for row in rows_of(report) if row.agrees is not None]
    for kind in (*KINDS, ""):
        mine = [row.agrees for row, against in known if against == kind]
        words = {"own bar": "our own bars", "other paper": "other papers", "": "what no table names"}.get(kind, kind)
        if mine:
            parts.append(f"{sum(each is True for each in mine)} of {len(mine)} against {words}")
    return f" Counted apart: {', '.join(parts)} hold." if parts else ""


def strays(report: Report) -> list[str]:
    """Judged rows that no table of claims accounts for, such as those of an experiment of your own."""
    return stray_rows(rows_of(report))


def origin(report: Report) -> list[str]:
    """When, how long and on what, a sentence each."""
    sentences = []
    if report.dates:
        first, last = report.dates
        sentences.append(f"Begun on {first}." if first == last else f"Begun between {first} and {last}.")
        sentences.append(f"All runs together took {duration(report.wall_s)}, one thread each.")
    sentences += [f"Machine: {machine}." for machine in report.machines]
    sentences += [f"Made by {versions}." for versions in report.versions]
    included = {section.name for section in report.sections}
    if absent := [name for name in names() if name not in included]:  # or a part would pass for the whole
        sentences.append(f"Not in this report, since not requested or not run: {', '.join(absent)}.")
    return sentences


def papers_of(report: Report) -> list[tuple[str, str]]:
    """Abbreviation and source of every paper that is named."""
    named = " ".join(section.paper for section in report.sections)
    return [(key, text) for key, text in PAPERS.items() if key in named]
