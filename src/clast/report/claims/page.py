"""claims.md: one row per claim of the five papers, for a project's site."""

from __future__ import annotations

from collections.abc import Sequence

from clast.report.claims.judging import VERDICTS, JudgedClaim, count_verdicts, stray_rows
from clast.report.claims.reading import FOUNDING, other_rows
from clast.report.rows import FULL, StoredRow
from clast.report.words import escaped, table

HEAD = ("claim", "where", "in our words", "published", "ours", "verdict", "reason, remark", "rows")
TITLE = "# What the five papers claim"
VERDICT_WORDS = """\
*Agrees* and *disagrees* are by the rule of the experiment, fixed before its first full run, or by that of the claim. *Better* is
not counted as agreement. *Shown only*: it can be seen in a picture or a number, and nothing judges it. *Missing*: no run has it.
A sentence is one row, however many runs and readings there are of it; of several runs all must agree, of several readings one."""


def claims_page(judged: Sequence[JudgedClaim], rows: Sequence[StoredRow]) -> str:
    """The page, of claims judged by these rows."""
    parts = [
        TITLE,
        f"Written by `clast claims` from stored runs, not by hand. **{standing_of(judged)}**",
        f"{sizes_in_words(rows)} {VERDICT_WORDS}",
        counts_table(judged),
        *(part for paper in FOUNDING for part in paper_part(paper, [each for each in judged if each.claim.paper == paper])),
        "## Not judged yet",
        waiting_list(judged),
        "## Rows that are no claim",
        others_table(rows),
    ]
    if stray := stray_rows(rows):
        parts.append(f"Judged, and in no table of claims: {'; '.join(escaped(each) for each in stray)}.")
    return "\n\n".join(parts) + "\n"


def standing_of(judged: Sequence[JudgedClaim]) -> str:
    """How claims came out, in a sentence."""
    counts = count_verdicts(judged)
    known = sum(counts[each] for each in ("disagrees", "better", "agrees"))
    words = (
        f"Of {len(judged)} claims of the five papers {known} are judged: {counts['agrees']} agree, {counts['better']} are better "
    )
    return (
        words
        + f"than published, {counts['disagrees']} disagree. {counts['shown only']} are shown only, {counts['missing']} missing."
    )


def sizes_in_words(rows: Sequence[StoredRow]) -> str:
    """Of which size the runs were."""
    sizes = {row.size for row in rows}
    if sizes <= {FULL}:
        return "Runs are of the papers' size."
    return "Ours is of a run at the papers' size" + (
        ", or of the size in brackets." if FULL in sizes else " where no size is given."
    )


def counts_table(judged: Sequence[JudgedClaim]) -> str:
    """Verdicts by paper."""
    papers = [(paper, count_verdicts(each for each in judged if each.claim.paper == paper)) for paper in FOUNDING]
    lines = [[paper, *(str(counts[each]) for each in VERDICTS)] for paper, counts in papers]
    total = count_verdicts(judged)
    return table(["paper", *VERDICTS], [*lines, ["**all**", *(f"**{total[each]}**" for each in VERDICTS)]])


def paper_part(paper: str, judged: Sequence[JudgedClaim]) -> list[str]:
    """The claims of a paper in the order of its pages."""
    return [f"## {paper}", table(HEAD, [claim_cells(each) for each in judged])]


def claim_cells(each: JudgedClaim) -> list[str]:
    """A claim as a row."""
    claim = each.claim
    verdict = f"**{each.verdict}**" if each.verdict == "disagrees" else each.verdict
    texts = [claim.place, claim.claim, claim.published or "–", each.ours]
    named = "<br>".join(escaped(str(key)) for key in claim.needs) or "–"
    return [claim.key, *(escaped(text) for text in texts), verdict, escaped(each.reason), named]


def waiting_list(judged: Sequence[JudgedClaim]) -> str:
    """What is missing, and why."""
    lines = [
        f"- {each.claim.key}: {escaped(each.claim.claim)} {escaped(each.ours if each.not_run else '')}"
        f"{': ' if each.not_run and each.reason else ''}{escaped(each.reason)}".rstrip()
        for each in judged
        if each.verdict == "missing"
    ]
    return "\n".join(lines) or "Nothing."


def others_table(rows: Sequence[StoredRow]) -> str:
    """What else experiments judge, with how it came out, counted apart from the papers."""
    lines = []
    for other in other_rows():
        mine = [
            row
            for row in rows
            if row.agrees is not None and any(key.holds(row.experiment, row.variant, row.name) for key in other.rows)
        ]
        good = sum(row.agrees is True for row in mine)
        names = ", ".join(dict.fromkeys(key.experiment for key in other.rows))
        lines.append([other.against, escaped(other.source), names, str(len(mine)), str(good), str(len(mine) - good)])
    return table(["against", "what", "experiments", "rows", "hold", "do not"], lines)
