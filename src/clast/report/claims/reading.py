"""Reads the tables of claims.

A claim is a table `[[claim]]` in the file of its paper:

    place       page, section or figure
    claim       the sentence, in our words
    published   the number as it is printed, with its error, or what there is in words
    rows        rows of experiments that judge it: "hopper[cow-2*]: jammed*" are the rows whose name begins with "jammed", of the
                runs of hopper whose variant begins with "cow-2"; without brackets, of all runs
    readings    true where the rows are different readings of one sentence: then one that agrees is enough
    below, above, or value with margin
                the rule, where the experiment's own is not that of the claim; with `value`, `better` = "below" or "above" is the
                side on which ours is better than published
    shown       experiments, or rows, in which it can be seen though nothing judges it
    missing     why there is nothing yet
    reason      of a disagreement, of what is better, shown only or missing
    remark      what stands beside it in any case

It has `rows`, `shown` or `missing`, one of them. In others.toml a table `[[rows]]` has `against` (theory, own bar, other paper),
`source` and `rows`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

FOLDER = Path(__file__).parent
FOUNDING = ("EPL08", "GM09", "ARX", "PRE10", "CSM10")  # in the order of their years
OTHERS = "others.toml"
KINDS = ("theory", "own bar", "other paper")
REFERENCE = re.compile(r"(?P<experiment>[a-z0-9-]+)(?:\[(?P<variant>[^\]]*)\])?(?:: (?P<row>.+))?")
TEXTS = ("place", "claim", "published", "missing", "reason", "remark")
LISTS = ("rows", "shown")
NUMBERS = ("below", "above", "value", "margin")

Better = Literal["", "below", "above"]


@dataclass(frozen=True)
class RowKey:
    """Rows of an experiment: variant and name with * for anything; `row` is "" for the experiment as a whole."""

    experiment: str
    variant: str
    row: str

    def holds(self, experiment: str, variant: str, name: str) -> bool:
        """Whether a row is one of these."""
        return experiment == self.experiment and matches(self.variant, variant) and (not self.row or matches(self.row, name))

    def __str__(self) -> str:
        chosen = f"[{self.variant}]" if self.variant != "*" else ""
        return f"{self.experiment}{chosen}" + (f": {self.row}" if self.row else "")


@dataclass(frozen=True)
class Rule:
    """When a measured number agrees with a claim."""

    below: float | None = None
    above: float | None = None
    value: float | None = None
    margin: float = 0.0
    better: Better = ""


@dataclass(frozen=True)
class Claim:
    """One claim of a paper; `key` is EPL08-07, its place in the table."""

    key: str
    paper: str
    place: str
    claim: str
    published: str = ""
    rows: tuple[RowKey, ...] = ()
    readings: bool = False
    rule: Rule | None = None
    shown: tuple[RowKey, ...] = ()
    missing: str = ""
    reason: str = ""
    remark: str = ""

    @property
    def needs(self) -> tuple[RowKey, ...]:
        """All rows and experiments that it names."""
        return self.rows + self.shown


@dataclass(frozen=True)
class OtherRows:
    """Judged rows that are no claim of the five papers."""

    against: str
    source: str
    rows: tuple[RowKey, ...]


def matches(pattern: str, text: str) -> bool:
    """Whether a text is of a pattern in which * stands for anything."""
    return compiled(pattern).fullmatch(text) is not None


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern as a regular expression."""
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")))


def row_key(text: str) -> RowKey:
    """The rows that "hopper[cow-2*]: jammed*" names."""
    found = REFERENCE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no row: write experiment: row, or experiment[variant]: row")
    return RowKey(found["experiment"], "*" if found["variant"] is None else found["variant"], found["row"] or "")


def read_claim(paper: str, number: int, table: Mapping[str, Any]) -> Claim:
    """A claim from its table; ValueError where the table makes no sense."""
    key = f"{paper}-{number:02d}"
    if unknown := set(table) - {*TEXTS, *LISTS, *NUMBERS, "readings", "better"}:
        raise ValueError(f"{key}: {', '.join(sorted(unknown))}: there is no such key")
    if len([name for name in ("rows", "shown", "missing") if table.get(name)]) != 1:
        raise ValueError(f"{key}: give rows, shown or missing, one of them")
    for name in ("place", "claim"):
        if not table.get(name):
            raise ValueError(f"{key}: {name} is empty")
    numbers = {name: float(table[name]) for name in NUMBERS if name in table}
    if len(numbers.keys() - {"margin"}) > 1 or ("value" in numbers) != ("margin" in numbers):
        raise ValueError(f"{key}: give below, above, or value with margin")
    rule = Rule(**numbers, better=table.get("better", "")) if numbers else None
    if (rule is not None and rule.better not in ("", "below", "above")) or ("better" in table and "value" not in numbers):
        raise ValueError(f"{key}: better is below or above, and needs a value with a margin")
    text = {name: str(table.get(name, "")) for name in TEXTS}
    rows, shown = (tuple(row_key(each) for each in table.get(name, ())) for name in LISTS)
    if any(not each.row for each in rows):
        raise ValueError(f"{key}: a row that judges needs a name")
    return Claim(
        key, paper, text["place"], text["claim"], text["published"], rows, bool(table.get("readings", False)), rule, shown,
        text["missing"], text["reason"], text["remark"],
    )  # fmt: skip


def read_table(path: Path, name: str) -> list[dict[str, Any]]:
    """The tables of one kind in a file."""
    return list(tomllib.loads(path.read_text(encoding="utf-8")).get(name, []))


@cache
def all_claims() -> tuple[Claim, ...]:
    """Every claim of the five papers, in the order of the papers and of their pages."""
    return tuple(
        read_claim(paper, number, table)
        for paper in FOUNDING
        for number, table in enumerate(read_table(FOLDER / f"{paper}.toml", "claim"), start=1)
    )


@cache
def other_rows() -> tuple[OtherRows, ...]:
    """Judged rows that are no claim."""
    found = []
    for table in read_table(FOLDER / OTHERS, "rows"):
        if table["against"] not in KINDS:
            raise ValueError(f"{OTHERS}: against is one of {', '.join(KINDS)}, not {table['against']!r}")
        found.append(OtherRows(table["against"], table["source"], tuple(row_key(each) for each in table["rows"])))
    return tuple(found)


def claims_on(experiment: str, variant: str, name: str) -> list[Claim]:
    """The claims that a row judges."""
    return [claim for claim in all_claims() if any(key.holds(experiment, variant, name) for key in claim.rows)]


def against_what(experiment: str, variant: str, name: str) -> str:
    """What the verdict of a row is against: one of KINDS where others.toml has it, "papers" where it judges a claim of the five
    papers, "" where nobody knows. A row of others.toml may judge a claim too, by a rule of that claim."""
    for each in other_rows():
        if any(key.holds(experiment, variant, name) for key in each.rows):
            return each.against
    return "papers" if claims_on(experiment, variant, name) else ""


def unaccounted(experiment: str, names: Iterable[str]) -> list[str]:
    """Which of the judged rows of an experiment are neither part of a claim nor marked as something else, in any variant."""
    known = [key for claim in all_claims() for key in claim.rows] + [key for each in other_rows() for key in each.rows]
    mine = [key.row for key in known if key.experiment == experiment]
    return [name for name in names if not any(matches(row, name) for row in mine)]
