"""The top of the HTML report: what it is, the claims of the papers, then all that was judged."""

from __future__ import annotations

import html
from collections.abc import Sequence

from clast.report.claims.judging import VERDICTS, JudgedClaim, count_verdicts
from clast.report.gathering import Report
from clast.report.summary import (
    AGREEMENT,
    PaperSummary,
    by_paper,
    lacking,
    merit_of,
    origin,
    papers_of,
    papers_summary,
    standing,
    strays,
    summary_lines,
)
from clast.report.words import typeset

TITLE = "clast: the figures of the papers"
MARKS = {"agrees": ("yes", "✓ "), "better": ("more", "+ "), "disagrees": ("no", "✗ ")}  # class of a cell and what it begins with


def heading(report: Report) -> str:
    """What this is, and where it comes from."""
    words = (
        "Every simulation of the papers on spheropolygons that clast knows, run again by it: our picture, the published "
        "numbers beside ours, and whether they agree by a rule that was fixed before the first full run. "
        f"Size of the runs: {report.size}."
    )
    begun = " ".join(origin(report))
    parts = [f"<h1>{TITLE}</h1>", f"<p>{typeset(words)}</p>", f"<p><b>{typeset(standing(report))}</b></p>"]
    return "\n".join([*parts, *([f'<p class="soft">{typeset(begun)}</p>'] if begun else [])])


def claims(report: Report) -> str:
    """The claims of the five papers, paper by paper, disagreements first; what nothing judges is folded away."""
    papers = papers_summary(report)
    there = {section.name for section in report.sections}
    parts = ['<h2 id="summary">What the papers claim</h2>']
    if not papers:
        return "\n".join([*parts, '<p class="soft">These runs judge no claim of the five papers.</p>'])
    parts.append(counts_table(papers))
    parts.append(
        '<p class="soft">A sentence of a paper is one row, however many runs and readings there are of it. <b>Better</b> than '
        "published is not counted as agreement. What is judged against theory, our own bars or other papers is counted apart, "
        'under <a href="#rows">all rows</a>.</p>'
    )
    for each in papers:
        parts.append(f"<h3>{each.paper}</h3>")
        if each.judged:
            parts.append(claims_table(each.judged, there))
        if each.folded:
            parts.append(folded(each.folded, there))
    return "\n".join(parts)


def counts_table(papers: Sequence[PaperSummary]) -> str:
    """Verdicts by paper."""
    head = "".join(f"<th>{each}</th>" for each in ("paper", *VERDICTS))
    lines = []
    for each in papers:
        counts = count_verdicts([*each.judged, *each.folded])
        lines.append(f"<tr><td>{each.paper}</td>{''.join(f'<td>{counts[verdict]}</td>' for verdict in VERDICTS)}</tr>")
    return f'<div class="wide"><table class="counts"><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def claims_table(judged: Sequence[JudgedClaim], there: set[str]) -> str:
    """Claims with their verdicts; the reason of one is a row below it."""
    head = "<tr><th>what the paper claims</th><th>published</th><th>ours</th><th>verdict</th></tr>"
    lines = []
    for each in judged:
        claim = each.claim
        kind, mark = MARKS.get(each.verdict, ("", ""))
        lines.append(
            f'<tr class="claim{" whole" if not each.reason else ""}"><td class="first">{typeset(claim.claim)} '
            f'<span class="place">{typeset(claim.place)}{links(each, there)}</span></td>'
            f'<td class="number" data-what="published">{typeset(claim.published or "–")}</td>'
            f'<td class="number" data-what="ours">{typeset(each.ours)}</td>'
            f'<td class="{kind}" data-what="verdict">{mark}{each.verdict}</td></tr>'
        )
        if each.reason:
            lines.append(f'<tr class="why"><td colspan="4">{typeset(each.reason)}</td></tr>')
    return f'<table class="claims"><thead>{head}</thead><tbody>{"".join(lines)}</tbody></table>'


def links(each: JudgedClaim, there: set[str]) -> str:
    """The experiments that a verdict comes from, where they are on the page."""
    names = dict.fromkeys(key.experiment for key in each.claim.needs)
    found = (f'<a href="#{name}">{name}</a>' if name in there else name for name in names)
    return f" · {', '.join(found)}" if names else ""


def folded(each: Sequence[JudgedClaim], there: set[str]) -> str:
    """Claims that nothing judges, behind a fold."""
    counts = count_verdicts(each)
    words = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    return f"<details><summary>{words}</summary>{claims_table(each, there)}</details>"


def all_rows(report: Report) -> str:
    """All that was judged, experiment by experiment, behind a fold."""
    groups = []
    for section in by_paper(report.sections):
        merit = [f"{typeset(name)} {typeset(text)}" for name, text in merit_of(section)]
        about = " · ".join([*merit, *(f"<b>{each}</b>" for each in lacking(section))])
        head = (
            f'<tr><th colspan="4" scope="rowgroup"><a href="#{section.name}">{section.name}</a> ({html.escape(section.paper)}): '
            f'{typeset(section.claim)}<br><span class="soft">{about}</span></th></tr>'
        )
        rows = [
            f"<tr><td>{typeset(line.quantity)}{f' <span class=soft>({typeset(line.where)})</span>' if line.where else ''}</td>"
            f'<td class="number">{typeset(line.published)}</td><td class="number">{typeset(line.measured)}</td>'
            f"{agreement(line.agrees, line.against)}</tr>"
            for line in summary_lines(section)
        ]
        if not rows and any(run.quantities for run in section.runs):
            rows = ['<tr><td colspan="4" class="soft">nothing to judge at this size</td></tr>']
        groups.append(f"<tbody>{head}{''.join(rows)}</tbody>")
    unknown = strays(report)
    note = f"In no table of claims, and not counted: {'; '.join(typeset(each) for each in unknown)}. " if unknown else ""
    return (
        '<h2 id="rows">All rows</h2>\n<details class="rows"><summary>Everything that was judged, experiment by experiment'
        '</summary><table class="summary">\n<thead><tr><th>what was judged</th>'
        "<th>published</th><th>measured</th><th>agrees</th></tr></thead>\n" + "\n".join(groups) + "\n</table>\n"
        f'<p class="soft">{note}– under “published”: there is no number, only words. c is the Cundall number, grains × '
        "steps per second; the energy error is the largest gap of the energy book over the energy that moves in it, and "
        "agrees when it is below the published one.</p></details>"
    )


def agreement(agrees: bool | None, against: str) -> str:
    """A cell: yes, no, or a dash, and what it was compared with if that is none of the five papers."""
    mark = {True: "✓ ", False: "✗ ", None: ""}[agrees]
    other = f'<br><span class="soft">{against}</span>' if agrees is not None and against not in ("papers", "") else ""
    return f"<td{'' if agrees is None else f' class={AGREEMENT[agrees]}'}>{mark}{AGREEMENT[agrees]}{other}</td>"


def sources(report: Report) -> str:
    """The papers that are named above."""
    named = [f"<li>{key}: {html.escape(text)}</li>" for key, text in papers_of(report)]
    return f'<h2 id="papers">Papers</h2>\n<ul>{"".join(named)}</ul>' if named else ""
