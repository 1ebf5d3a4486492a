"""The tables of claims: whole, of rows that exist, judged by their rules; docs/claims.md is what they and stored rows give."""

import csv
import dataclasses
import re
from pathlib import Path

import pytest
from names_of_rows import can_have, texts_of

from clast.cli import run_command
from clast.errors import InputError
from clast.experiments import names
from clast.report.claims import reading
from clast.report.claims.judging import REASON_UNKNOWN, VERDICTS, count_verdicts, judge, judge_claims, stray_rows, verdict_of
from clast.report.claims.page import claims_page
from clast.report.claims.reading import (
    FOUNDING,
    Rule,
    against_what,
    all_claims,
    matches,
    other_rows,
    read_claim,
    row_key,
    unaccounted,
)
from clast.report.data import COLUMNS
from clast.report.rows import StoredRow, as_number, read_rows

DOCS = Path(__file__).parents[3] / "docs"
STORED = sorted((DOCS / "report").glob("summary*.csv"))  # of the papers' size, and of quick ones where there is no other
ROW = StoredRow("gas", "disk", "full", "energy error", "", 1e-4, None, 2e-5, None, True, "a note")
GOOD = {"place": "fig 1", "claim": "It flows.", "rows": ["hopper: flow"]}


def test_there_are_as_many_claims_as_a_reader_finds():
    claims = all_claims()
    assert len(claims) >= 135
    assert {claim.paper for claim in claims} == set(FOUNDING)
    assert len({claim.key for claim in claims}) == len(claims)
    sentences = [(claim.paper, claim.claim) for claim in claims]
    assert len(set(sentences)) == len(sentences), "a sentence of a paper is one row"


@pytest.mark.parametrize("claim", all_claims(), ids=lambda claim: claim.key)
def test_a_claim_names_rows_that_its_experiment_can_have(claim):
    gone = [str(key) for key in claim.needs if key.experiment not in names()]
    assert not gone, f"{claim.key} ({claim.claim}) needs experiments that do not exist: {gone}"
    gone = [str(key) for key in claim.needs if key.row and not can_have(key.experiment, key.row)]
    assert not gone, f"{claim.key} ({claim.claim}) needs rows that the code no longer makes: {gone}"
    assert claim.missing or claim.needs
    if claim.shown:
        assert claim.reason, f"{claim.key} is shown only: there is a reason why nothing judges it"


@pytest.mark.parametrize("other", other_rows(), ids=lambda other: other.source[:20])
def test_other_rows_are_rows_that_experiments_can_have(other):
    gone = [str(key) for key in other.rows if key.experiment not in names() or not can_have(key.experiment, key.row)]
    assert not gone, f"others.toml names rows that the code no longer makes: {gone}"


def test_texts_of_a_source_are_found_with_their_holes():
    source = '"""Doc."""\nname = f"{shape}: peak at {p.x:g} K_n"\nlist = ["flow rate", f"{a}, {b}", "x"]\n'
    assert texts_of(source) == {r".*:\ peak\ at\ .*\ K_n", r"flow\ rate"}
    assert can_have("hopper", "flow rate") and not can_have("hopper", "flow fate")
    assert can_have("failure-line", "local exponent at * K_n") and not can_have("failure-line", "exponent at * K_n of all")


def test_a_bad_table_is_refused():
    for change, word in (
        ({"row": ["x: y"]}, "no such key"), ({"missing": "too"}, "one of them"), ({"rows": []}, "one of them"),
        ({"claim": ""}, "claim is empty"), ({"below": 1.0, "above": 2.0}, "give below"), ({"value": 1.0}, "give below"),
        ({"value": 1.0, "margin": 0.1, "better": "left"}, "better is"), ({"below": 1.0, "better": "below"}, "better is"),
        ({"rows": ["hopper"]}, "needs a name"), ({"rows": ["Hopper flows"]}, "is no row"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=word):
            read_claim("EPL08", 1, {**GOOD, **change})
    assert read_claim("EPL08", 7, GOOD).key == "EPL08-07"


def test_rows_are_named_by_experiment_variant_and_name():
    key = row_key("hopper[cow-2*]: jammed (1) or not (0)")
    assert key.holds("hopper", "cow-25", "jammed (1) or not (0)") and not key.holds("hopper", "disk-25", "jammed (1) or not (0)")
    assert not key.holds("hopper", "cow-25", "jammed (1) or not (0)!") and not key.holds("hopper-3d", "cow-25", key.row)
    assert str(key) == "hopper[cow-2*]: jammed (1) or not (0)" and str(row_key("gallery")) == "gallery"
    assert row_key("sound: 1 m: c_5").row == "1 m: c_5"
    assert matches("*: c_*/√(Y/ρ)", "1 m: c_5/√(Y/ρ)") and not matches("a.c", "abc")


@pytest.mark.parametrize(
    ("rule", "measured", "expected"),
    [
        (None, 3.0, "agrees"), (None, None, None), (Rule(below=2.0), 1.9, "agrees"), (Rule(below=2.0), 2.0, "disagrees"),
        (Rule(above=0.0), 0.0, "disagrees"), (Rule(above=0.0), 0.1, "agrees"), (Rule(value=1.0, margin=0.1), 1.09, "agrees"),
        (Rule(value=1.0, margin=0.1), 1.2, "disagrees"), (Rule(value=1.0, margin=0.1, better="above"), 1.2, "better"),
        (Rule(value=1.0, margin=0.1, better="above"), 0.8, "disagrees"),
        (Rule(value=1.0, margin=0.1, better="below"), 0.8, "better"),
    ],
)  # fmt: skip
def test_rules(rule, measured, expected):
    assert verdict_of(dataclasses.replace(ROW, measured=measured), rule) == expected
    assert verdict_of(dataclasses.replace(ROW, measured=1.0, agrees=None), None) is None
    assert verdict_of(dataclasses.replace(ROW, measured=1.0, agrees=None), Rule(below=2.0)) is None, "the experiment refuses to"
    free = dataclasses.replace(ROW, measured=1.0, agrees=None, published=None)
    assert verdict_of(free, Rule(below=2.0)) == "agrees", "it has no rule of its own"


def claim_of(**changes):
    """A claim on the energy error of gas."""
    return read_claim("GM09", 1, {"place": "fig 6", "claim": "It stays.", "rows": ["gas: energy error"], **changes})


def other(**changes):
    """Another row of the same."""
    return dataclasses.replace(ROW, variant="rice", measured=3e-4, agrees=False, note="because", **changes)


def test_of_several_runs_all_must_agree_of_several_readings_one():
    both = [ROW, other()]
    assert judge(claim_of(), both).verdict == "disagrees"
    assert judge(claim_of(), both).reason == "1 of 2 rows agree; because"
    assert judge(claim_of(reason="known"), both).reason == "1 of 2 rows agree; known"
    one = judge(claim_of(readings=True, reason="known", remark="seen"), both)
    assert (one.verdict, one.reason) == ("agrees", "1 of 2 readings agree; known; seen")
    assert judge(claim_of(), [ROW]).reason == "", "an agreement needs none"
    assert judge(claim_of(), [dataclasses.replace(other(), note="")]).reason == REASON_UNKNOWN
    assert judge(claim_of(), both).ours == "2e-05, 3e-04"
    many = [dataclasses.replace(ROW, measured=float(k), unit="m") for k in range(1, 7)]
    assert judge(claim_of(), many).ours == "1 … 6 m"


def test_what_is_not_there_is_missing():
    assert judge(claim_of(), []).verdict == "missing" and judge(claim_of(), []).ours == "not run"
    gone = judge(claim_of(), [dataclasses.replace(ROW, name="energy fault")])
    assert (gone.verdict, gone.reason) == ("missing", "no row gas: energy error"), "a row that was renamed is named"
    unknown = judge(claim_of(), [dataclasses.replace(ROW, agrees=None)])
    assert (unknown.verdict, unknown.ours) == ("missing", "not judged at this size")
    later = {"place": "p", "claim": "c", "missing": "not built"}
    assert judge(read_claim("GM09", 1, later), [ROW]).reason == "not built"


def test_full_size_goes_before_quick_which_is_named():
    quick = other(size="quick")
    assert judge(claim_of(), [quick]).ours == "3e-04 (quick)"
    assert judge(claim_of(), [quick], "quick").ours == "3e-04", "in a report of that size"
    full = judge(claim_of(), [quick, ROW])
    assert (full.verdict, full.ours) == ("agrees", "2e-05")


def test_numbers_stand_with_their_errors():
    row = dataclasses.replace(ROW, measured=0.8532, error=0.0123, unit="m")
    assert judge(claim_of(), [row]).ours == "0.853 ± 0.012 m"
    shown = {"place": "p", "claim": "c", "shown": ["gas"], "reason": "a picture"}
    assert judge(read_claim("GM09", 1, shown), [row]).ours == "drawn"
    numbers = judge(read_claim("GM09", 1, {**shown, "shown": ["gas: energy error"]}), [row])
    assert (numbers.verdict, numbers.ours) == ("shown only", "0.853 ± 0.012 m")
    jam = dataclasses.replace(ROW, name="jammed (1) or not (0)", measured=1.0)
    assert judge(claim_of(rows=["gas: jammed (1) or not (0)"]), [jam]).ours == "yes"


def test_judged_rows_are_claims_or_something_else():
    assert against_what("packing", "", "disks: fraction") == "papers"
    assert against_what("sound", "", "1 m: c_50/√(Y/ρ)") == "theory"
    assert against_what("chung-ooi", "", "3: restitution off") == "other paper"
    assert against_what("packing", "", "stones: fraction") == ""
    assert unaccounted("packing", ["disks: fraction", "stones: fraction"]) == ["stones: fraction"]
    stray = dataclasses.replace(ROW, experiment="packing", name="stones: fraction")
    assert stray_rows([stray, stray, dataclasses.replace(stray, agrees=None)]) == ["packing: stones: fraction"]


def test_the_page_has_a_row_for_each_claim():
    judged = judge_claims([])
    text = claims_page(judged, [])
    keys = re.findall(r"^\| ([A-Z0-9]+-\d+) \|", text, re.MULTILINE)
    assert keys == [claim.key for claim in all_claims()]
    for block in text.split("\n\n"):
        lines = block.splitlines()
        if lines[0].startswith("| "):
            assert {re.sub(r"&#124;", "", line).count("|") for line in lines} == {lines[0].count("|")}
    assert count_verdicts(judged) == {"missing": len(judged)} and set(count_verdicts(judged)) <= set(VERDICTS)
    stray = dataclasses.replace(ROW, experiment="packing", name="stones: fraction")
    assert "in no table of claims: packing: stones: fraction" in claims_page(judged, [stray])


def stored_rows():
    """Rows of the runs that the docs are made of."""
    return [row for path in STORED for row in read_rows(path)]


def test_the_page_of_the_docs_is_that_of_the_stored_rows():
    rows = stored_rows()
    assert (DOCS / "claims.md").read_text(encoding="utf-8") == claims_page(judge_claims(rows), rows), (
        "write it anew: clast claims docs/report/summary*.csv --out docs/claims.md"
    )


def test_stored_rows_are_accounted_for_and_claims_find_theirs():
    rows = stored_rows()
    assert stray_rows(rows) == [], "these judge something: add them to a claim or to others.toml"
    full = {row.experiment for row in rows if row.is_full}
    lost = [
        f"{claim.key}: {key}"
        for claim in all_claims()
        for key in claim.rows
        if key.experiment in full and not any(key.holds(row.experiment, row.variant, row.name) for row in rows)
    ]
    assert lost == [], "these rows were not among those of the runs at full size"


def test_rows_of_an_older_report_are_refused(tmp_path):
    with pytest.raises(InputError, match="clast reproduce"):
        read_rows(tmp_path)
    (tmp_path / "summary.csv").write_text("experiment,quantity\n")
    with pytest.raises(InputError, match="older version"):
        read_rows(tmp_path)
    with (tmp_path / "summary.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        known = {"experiment": "gas", "counted": "True", "quantity": "energy error", "measured": "2e-05", "agrees": "True"}
        writer.writerows([known, {**known, "counted": "False"}, {**known, "quantity": ""}])
    assert read_rows(tmp_path) == [dataclasses.replace(ROW, variant="", size="", published=None, note="", measured=2e-5)]
    assert as_number("") is None


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_command(["claims"]) == 2 and "there is no report" in capsys.readouterr().err
    assert run_command(["claims", *map(str, STORED)]) == 0
    shown = capsys.readouterr().out
    assert f"Of {len(all_claims())} claims of the five papers" in shown and "EPL08-01" in shown
    assert run_command(["claims", *map(str, STORED), "--out", "page.md"]) == 0
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == (DOCS / "claims.md").read_text(encoding="utf-8")


def test_tables_are_in_plain_words():
    for path in sorted(reading.FOLDER.glob("*.toml")):
        assert not re.search(r"\b(told|asked|asks|says|said)\b", path.read_text(encoding="utf-8")), path.name
