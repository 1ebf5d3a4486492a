"""What became of each claim in the rows of stored runs: agrees, better, disagrees, shown only, or missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from clast.report.claims.reading import Claim, RowKey, Rule, all_claims, unaccounted
from clast.report.rows import FULL, StoredRow
from clast.report.words import measured_text

Verdict = Literal["disagrees", "better", "agrees", "shown only", "missing"]
VERDICTS: tuple[Verdict, ...] = ("disagrees", "better", "agrees", "shown only", "missing")  # in the order of a report
REASON_UNKNOWN = "the reason is not known"
NOT_RUN, NOT_JUDGED = "not run", "not judged at this size"
YES_OR_NO = "(1) or not (0)"  # in names of rows
FEW = 4  # values that are written one by one


@dataclass(frozen=True)
class JudgedClaim:
    """A claim beside what the runs hold. `ours` and `reason` are texts; `not_run` where a run of it is missing."""

    claim: Claim
    verdict: Verdict
    ours: str
    reason: str
    not_run: bool = False


def judge_claims(rows: Sequence[StoredRow], usual: str = FULL) -> list[JudgedClaim]:
    """Every claim, in its order. Numbers of runs of another size than the usual one have that size beside them."""
    return [judge(claim, rows, usual) for claim in all_claims()]


def judge(claim: Claim, rows: Sequence[StoredRow], usual: str = FULL) -> JudgedClaim:
    """One claim. Rows of runs at full size count if there are any, else those of quick ones."""
    if claim.missing:
        return JudgedClaim(claim, "missing", "–", joined([claim.missing, claim.remark]))
    found = [row for row in rows if any(key.holds(row.experiment, row.variant, row.name) for key in claim.needs)]
    if not found:
        return nothing_found(claim, rows)
    if any(row.is_full for row in found):
        found = [row for row in found if row.is_full]
    if claim.shown:
        named = [row for row in found if any(key.row and key.holds(row.experiment, row.variant, row.name) for key in claim.shown)]
        ours = numbers_of(named, usual) if named else f"drawn{size_of(found, usual)}"
        return JudgedClaim(claim, "shown only", ours, joined([claim.reason, claim.remark]))
    known = [(row, verdict) for row in found if (verdict := verdict_of(row, claim.rule)) is not None]
    if not known:
        note = next((row.note for row in found if row.note), "")
        return JudgedClaim(claim, "missing", f"{NOT_JUDGED}{size_of(found, usual)}", joined([note, claim.remark]), not_run=True)
    verdict = together([each for _, each in known], claim.readings)
    return JudgedClaim(claim, verdict, numbers_of([row for row, _ in known], usual), why(claim, verdict, known, len(found)))


def nothing_found(claim: Claim, rows: Sequence[StoredRow]) -> JudgedClaim:
    """A claim without a row: its experiment was not run, or has no row of that name any more."""
    gone = [str(key) for key in claim.needs if key.row and is_there(key, rows)]
    reason = f"no row {'; '.join(gone)}" if gone else ""
    return JudgedClaim(claim, "missing", NOT_RUN, joined([reason, claim.remark]), not_run=True)


def is_there(key: RowKey, rows: Sequence[StoredRow]) -> bool:
    """Whether one of the runs that a key names is there."""
    return any(RowKey(key.experiment, key.variant, "").holds(row.experiment, row.variant, row.name) for row in rows)


def verdict_of(row: StoredRow, rule: Rule | None) -> Verdict | None:
    """What a row is to a claim; None where nothing was measured, or where the experiment does not judge. Where it has the
    published number and yet does not judge, there is a reason, and no rule of a claim does either."""
    refused = row.agrees is None and row.published is not None
    if row.measured is None or refused:
        return None
    if rule is None:
        return None if row.agrees is None else "agrees" if row.agrees else "disagrees"
    if rule.value is None:
        low = rule.below is None or row.measured < rule.below
        high = rule.above is None or row.measured > rule.above
        return "agrees" if low and high else "disagrees"
    away = row.measured - rule.value
    if abs(away) <= rule.margin:
        return "agrees"
    side = "above" if away > 0.0 else "below"
    return "better" if rule.better == side else "disagrees"


def together(verdicts: Sequence[Verdict], readings: bool) -> Verdict:
    """Of several rows: all must agree; of several readings one is enough."""
    if readings:
        return "agrees" if "agrees" in verdicts else "better" if "better" in verdicts else "disagrees"
    return next(each for each in VERDICTS if each in verdicts)


def why(claim: Claim, verdict: Verdict, known: Sequence[tuple[StoredRow, Verdict]], wanted: int) -> str:
    """The reason that stands beside a verdict."""
    parts = []
    good = sum(each != "disagrees" for _, each in known)
    if len(known) > 1 and 0 < good < len(known):
        parts.append(f"{good} of {len(known)} {'readings' if claim.readings else 'rows'} agree")
    if verdict == "disagrees":
        notes = list(dict.fromkeys(row.note for row, each in known if each == "disagrees" and row.note))
        parts.append(claim.reason or "; ".join(notes) or REASON_UNKNOWN)
    elif verdict == "better" or (claim.readings and good < len(known)):
        parts.append(claim.reason)
    if len(known) < wanted:
        parts.append(f"{wanted - len(known)} of {wanted} not judged")
    return joined([*parts, claim.remark])


def numbers_of(rows: Sequence[StoredRow], usual: str) -> str:
    """Measured numbers with their errors, one by one if they are few, and the size of the runs where it is not the usual one."""
    known = [row for row in rows if row.measured is not None]
    if not known:
        return NOT_JUDGED
    if len(known) > FEW:
        ranked = sorted(known, key=lambda row: row.measured or 0.0)
        known = [ranked[0], ranked[-1]]
    units = {row.unit for row in known}
    texts = list(dict.fromkeys(number_of(row, "" if len(units) == 1 else row.unit) for row in known))
    text = (" … " if len(rows) > FEW else ", ").join(texts)
    unit = units.pop() if len(units) == 1 else ""
    return f"{text}{unit if unit == '°' else f' {unit}' if unit else ''}{size_of(rows, usual)}"


def number_of(row: StoredRow, unit: str) -> str:
    """What a row measured; yes or no where that is all it can be."""
    if YES_OR_NO in row.name and row.measured in (0.0, 1.0):
        return "yes" if row.measured else "no"
    return measured_text(row.measured, row.error, unit)


def size_of(rows: Iterable[StoredRow], usual: str) -> str:
    """The size of the runs in brackets; nothing where it is the usual one."""
    sizes = sorted({row.size for row in rows if row.size != usual})
    return f" ({', '.join(sizes)})" if sizes else ""


def joined(parts: Iterable[str]) -> str:
    """Parts of a reason, those that are empty left out."""
    return "; ".join(part for part in parts if part)


def count_verdicts(judged: Iterable[JudgedClaim]) -> Counter[str]:
    """How often each verdict."""
    return Counter(each.verdict for each in judged)


def stray_rows(rows: Iterable[StoredRow]) -> list[str]:
    """Judged rows that no table of claims accounts for: "experiment: row"."""
    judged = [row for row in rows if row.agrees is not None]
    return list(dict.fromkeys(f"{row.experiment}: {row.name}" for row in judged if unaccounted(row.experiment, [row.name])))
