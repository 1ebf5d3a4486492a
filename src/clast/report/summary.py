"""The lines of the summary: what was judged, runs with equal verdicts put together; and the sentences that all pages share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clast.experiments import names
from clast.output.estimate import duration
from clast.report.gathering import LACKING, Report, RunReport, Section
from clast.report.words import number

REASON_UNKNOWN = "the reason is not known"
PAPERS = {
    "EPL08": "Alonso-Marroquín, Spheropolygons, Europhysics Letters 83 (2008) 14001",
    "GM09": "Alonso-Marroquín and Wang, An efficient algorithm for granular dynamics simulations with complex-shaped objects, "
    "Granular Matter (2009), doi 10.1007/s10035-009-0139-1",
    "ARX": "Galindo-Torres and Alonso-Marroquín, arXiv:0811.2858",
    "PRE10": "Galindo-Torres, Muñoz and Alonso-Marroquín, Minkowski-Voronoi diagrams as a method to generate random packings of "
    "spheropolygons for the simulation of soils, Physical Review E (2010)",
    "CSM10": "Chen, Schinner and Matuttis, Discrete element simulation for polyhedral granular particles (2010)",
}
VERDICTS = {True: "yes", False: "no", None: "–"}


@dataclass(frozen=True)
class SummaryLine:
    """A judged quantity beside the paper's number, as text; `where` names the runs, "" if there is only one."""

    quantity: str
    where: str
    published: str
    measured: str
    agrees: bool


def summary_lines(section: Section) -> list[SummaryLine]:
    """What an experiment claims and was found: one line per quantity, published number and verdict."""
    groups: dict[tuple[Any, ...], list[tuple[RunReport, float]]] = {}
    for run in section.runs:
        for each in () if run.uncounted else run.judged:
            key = (each["name"], each["unit"], each["published"], each["agrees"])
            groups.setdefault(key, []).append((run, each["measured"]))
    done = [run for run in section.runs if run.state == "finished" and not run.uncounted]
    lines = []
    for (name, unit, published, agrees), found in groups.items():
        values = [value for _, value in found]
        span = number(values[0]) if min(values) == max(values) else f"{number(min(values))} … {number(max(values))}"
        where = "" if len(done) == 1 else "all runs" if len(found) == len(done) else "; ".join(run.label for run, _ in found)
        lines.append(SummaryLine(name, where, with_unit(published, unit), f"{span}{after(unit)}", agrees))
    return lines


def with_unit(value: float | None, unit: str) -> str:
    """A published number; a dash where the paper gives none."""
    return "–" if value is None else f"{number(value)}{after(unit)}"


def after(unit: str) -> str:
    """A unit as it follows its number: with a space, but for degrees."""
    return unit if unit in ("", "°") else f" {unit}"


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
    """How much of it is done and how it came out, in a sentence or two."""
    runs = sum(not run.uncounted for run in report.runs)
    counts = [f"{report.count('finished')} of {runs} runs are finished"]
    counts += [f"{report.count(state)} {called}" for state, called in LACKING.items() if report.count(state)]
    yes, no = report.verdicts(True), report.verdicts(False)
    verdict = f" Of {yes + no} judged quantities {yes} agree with the papers, {no} do not." if yes + no else ""
    others = len(report.runs) - runs
    more = f" Beside them {others} of other parameters than the papers', not counted." if others else ""
    return ", ".join(counts) + "." + more + verdict


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
