"""The report's pages: whole, self-contained HTML; numbers and names as they should stand; pictures within their budget."""

import base64
import csv
import dataclasses
import io
import json
import math
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image, ImageDraw
from pydantic import Field
from viewed_runs import flat_run

from clast.experiments import find
from clast.experiments.experiment import Parameters, Quantity
from clast.report import views
from clast.report.claims.judging import REASON_UNKNOWN
from clast.report.data import COLUMNS, write_data
from clast.report.gathering import ABSOLUTE, ParameterValue, Report, RunReport, Section, machine_in_words, parameter_values
from clast.report.html import html_page
from clast.report.markdown import markdown_page
from clast.report.pictures import LEAST, LIGHT, WIDEST, WIDTHS, fit_pictures, scaled
from clast.report.summary import by_paper, lacking, merit_of, origin, reasons, standing, summary_lines
from clast.report.words import measured_text, number, plain, typeset

VOID = {"meta", "img", "br", "link"}


class Page(HTMLParser):
    """What a page is made of; a tag that is not closed, or closed twice, is an error."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.images, self.tags, self.words = [], [], [], [], set(), []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        said = dict(attributes)
        self.tags.add(tag)
        self.ids += [said["id"]] if "id" in said else []
        self.links += [said["href"]] if "href" in said else []
        self.images += [said] if tag == "img" else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        """All words, one space between them."""
        return " ".join(" ".join(self.words).split())


def quantities(*rows):
    """As a result stores them."""
    return tuple(Quantity(*row).as_json() for row in rows)


def draw(path, size=(300, 200), noise=False):
    """A picture: one colour, or as much as a picture can hold."""
    path.parent.mkdir(exist_ok=True)
    pixels = np.random.default_rng(1).integers(0, 256, (size[1], size[0], 3)) if noise else np.full((size[1], size[0], 3), 99)
    Image.fromarray(pixels.astype(np.uint8)).save(path)


@pytest.fixture
def report(tmp_path):
    """An experiment with two finished runs and one that failed, and one that was not run."""
    known = RunReport("gas", "disk", "finished", "", "clast run gas --shape disk", (), "1 … 4")
    first = dataclasses.replace(
        known,
        parameters=(ParameterValue("dt", 1e-5, "s", 2e-5, True), ParameterValue("onset", True, "", True, False)),
        quantities=quantities(
            ("energy error", 3e-7, "", 1e-4, True, "below; Δt < 1e-5 s & no more"),
            ("|residual|/E at k_n", 0.25, "J/m²", None, False, "likely <too> coarse"),
            ("flow", math.nan, "1/s", 3.0, False, ""),
            ("contacts per grain", 3.5, "", None, None, "nobody says"),
        ),
        pictures=("gas-disk/gas.png", "gas-disk/broad.png"),
        grains=400, steps=7_665_485, cundall=3.71e7, energy_error=3e-7, wall_s=80.0, date="2026-01-02T03:04:05+00:00",
        revision="0123456789abcdef+changes", machine="Some CPU, 2 cores", versions="python 3.11, clast 1, numpy 2",
    )  # fmt: skip
    second = dataclasses.replace(
        first, name="gas-rice", label="rice, 20 m", command="clast run gas", wall_s=40.0, pictures=(), date="2026-01-05T00:00:00",
        quantities=quantities(
            ("energy error", 5e-7, "", 1e-4, True, ""),
            ("|residual|/E at k_n", 0.125, "J/m²", None, False, ""),
        ),
    )  # fmt: skip
    failed = dataclasses.replace(known, name="gas-cow", label="cow", state="failed", message="overlap too deep & <odd>")
    missing = dataclasses.replace(known, name="loop", label="", state="missing", command="clast run loop --size full")
    draw(tmp_path / "gas-disk" / "gas.png")
    draw(tmp_path / "gas-disk" / "broad.png", (1500, 300))
    sections = (
        Section("gas", "GM09 fig 5-6", "a gas", "energy ∝ n^1.56(23)", "The gas (fig 5).", (first, second, failed)),
        Section("loop", "PRE10 fig 21", "a loop", "a loop", "", (missing,)),
    )
    return Report("full", sections)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("K_n and σ_yy, E_max", "K<sub>n</sub> and σ<sub>yy</sub>, E<sub>max</sub>"),
        ("find_peak d_a2", "find_peak d_a2"),
        ("n^1.56(23), α^β, Δt^2.", "n<sup>1.56(23)</sup>, α<sup>β</sup>, Δt<sup>2</sup>."),
        ("4.4e-07 at 1e-5 s, 2.5e+06, -1e3", "4.4 × 10<sup>−7</sup> at 10<sup>−5</sup> s, 2.5 × 10<sup>6</sup>, −10<sup>3</sup>"),
        ("1-8 s, fig 5-6, x = -3, --size", "1-8 s, fig 5-6, x = −3, --size"),
        ("a < b & <b>", "a &lt; b &amp; &lt;b&gt;"),
        ("½ k_t Δ² (2n − 1) × 2", "½ k<sub>t</sub> Δ² (2n − 1) × 2"),
    ],
)
def test_names_and_numbers_are_set(text, expected):
    assert typeset(text) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "–"), (math.nan, "–"), (0.0, "0"), (62, "62"), (3.0, "3"), (1e-6, "1e-06"), (4.4353e-7, "4.44e-07"),
        (0.8362, "0.8362"), (1.82, "1.82"), (80_000.0, "80\u202f000"), (3.71e7, "3.71e+07"), (-0.0765, "-0.0765"),
        (53456.7, "53457"),
    ],
)  # fmt: skip
def test_numbers_as_text(value, expected):
    assert number(value) == expected


@pytest.mark.parametrize(
    ("value", "error", "unit", "expected"),
    [
        (60.0, None, "°", "60°"), (3.0, None, "m", "3 m"), (3.0, math.nan, "", "3"), (None, 0.1, "m", "–"),
        (0.8532, 0.0123, "", "0.853 ± 0.012"), (29.6, 1.34, "°", "29.6 ± 1.3°"), (1234.0, 56.0, "m", "1234 ± 56 m"),
        (1.23e-6, 4.5e-8, "", "1.23e-06 ± 4.5e-08"), (5.0, 0.0, "", "5"), (11.2, 130.0, "K_n", "11 ± 130 K_n"),
    ],
)  # fmt: skip
def test_numbers_with_their_errors(value, error, unit, expected):
    assert measured_text(value, error, unit) == expected


def test_values_as_they_are_given():
    assert [plain(each) for each in (True, 20.0, 1e-5, 0.1 + 0.2, "cow", 4)] == [
        "true", "20", "1e-05", "0.30000000000000004", "cow", "4",
    ]  # fmt: skip


def test_page_is_whole_and_needs_nothing_else(report, tmp_path):
    text = html_page(report, tmp_path)
    page = Page(text)
    assert len(set(page.ids)) == len(page.ids)
    assert page.links and all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    assert "script" not in page.tags and "link" not in page.tags
    assert not re.search(r"https?://|url\(|@import|file:", text)
    assert len(page.images) == 2
    for image, width in zip(page.images, (300, WIDTHS[0]), strict=True):
        kind, _, data = image["src"].partition(";base64,")
        with Image.open(io.BytesIO(base64.b64decode(data, validate=True))) as shown:
            assert (shown.width, shown.height) == (int(image["width"]), int(image["height"]))
            assert shown.width == width
        assert kind == "data:image/webp" and "a gas, disk" in image["alt"]
    assert page.images[1]["class"] == "broad" and "class" not in page.images[0]
    assert str(tmp_path) not in text


def test_page_says_what_was_found(report, tmp_path):
    said = Page(html_page(report, tmp_path)).text
    assert "2 of 4 runs are finished, 1 failed, 1 not run yet. Counted apart: 2 of 4 against what no table names hold." in said
    assert "In no table of claims, and not counted: gas: energy error; gas: |residual|/E at k n" in said
    assert "Begun between 2026-01-02 and 2026-01-05. All runs together took 2 min" in said
    assert "failed: overlap too deep & <odd>" in said
    assert "not run yet: clast run loop --size full" in said and said.count("clast run loop") == 1
    assert "dt 10 −5 s (not 2 × 10 −5 )" in said, "a parameter that is not the experiment's own"
    assert "onset true" in said and "onset true (" not in said
    assert "likely <too> coarse" in said and REASON_UNKNOWN in said
    assert "revision 0123456789 with changes" in said and "steps 7 665 485" in said
    assert "clast run gas --shape disk" in said and "seeds 1 … 4" in said
    assert "GM09: Alonso" in said and "CSM10" not in said, "the papers that are named"


def test_runs_that_say_the_same_share_a_line(report):
    energy, residual = summary_lines(report.sections[0])
    assert (energy.where, energy.published, energy.measured, energy.agrees) == ("all runs", "1e-04", "3e-07 … 5e-07", True)
    assert (residual.published, residual.measured, residual.agrees) == ("–", "0.125 … 0.25 J/m²", False)
    first, second, _ = report.sections[0].runs
    other = quantities(("energy error", 2.0, "", 1e-4, False, "because"), ("energy error", 2.0, "s", 1e-4, False, "because"))
    apart = dataclasses.replace(report.sections[0], runs=(first, dataclasses.replace(second, quantities=other)))
    assert [line.where for line in summary_lines(apart)] == ["disk", "disk", "rice, 20 m", "rice, 20 m"]
    assert reasons(apart.runs[1]) == [("energy error; energy error", "because")]
    assert summary_lines(report.sections[1]) == [] and lacking(report.sections[1]) == ["not run yet"]
    assert lacking(report.sections[0]) == ["1 of 3 failed"]


def claims_report(tmp_path):
    """A report with claims of two papers: some that agree, one better, one that does not, some shown; and rows of theory."""
    section = Section("packing", "GM09 fig 7", "packings", "the order", "", (
        RunReport("packing", "", "finished", "", "clast run packing", (), "1", quantities=(
            Quantity("disks: fraction", 0.81, "", 0.8, True, "near", 0.004).as_json(),
            Quantity("peanuts: fraction", 0.7, "", 0.87, False, "too loose").as_json(),
            Quantity("largest overlap / r", 0.1).as_json(),
        )),
    ))  # fmt: skip
    shear = Section("shear-energy", "PRE10 fig 9-10", "cell", "order", "", (
        RunReport("shear-energy-voronoi", "voronoi", "finished", "", "clast run shear-energy", (), "1", "voronoi", quantities=(
            Quantity("order of the error in Δt", 2.02, "", 1.0, True, "at least").as_json(),
        )),
    ))  # fmt: skip
    sound = Section("sound", "CSM10 fig 12-14", "chain", "speed", "", (
        RunReport("sound", "", "finished", "", "clast run sound", (), "1", quantities=(
            Quantity("1 m: c_50/√(Y/ρ)", 0.98, "", 0.982, True, "").as_json(),
        )),
    ))  # fmt: skip
    return Report("full", (shear, sound, section))


def test_claims_are_counted_by_paper_and_apart_from_the_rest(tmp_path):
    report = claims_report(tmp_path)
    assert standing(report).startswith(
        "3 of 3 runs are finished. Of 3 claims of the five papers that they judge, 1 agree, 1 are better than published, "
        "1 do not agree."
    )
    assert standing(report).endswith("Counted apart: 1 of 1 against theory hold.")
    assert [section.name for section in by_paper(report.sections)] == ["packing", "shear-energy", "sound"]
    page = Page(html_page(report, tmp_path))
    first, second = page.text.index("Peanuts pack to 0.87."), page.text.index("Without friction disks pack to 0.80.")
    assert first < second, "disagreements first"
    assert "0.8100 ± 0.0040" in page.text and "too loose" in page.text and "+ better" in page.text
    assert "details" in page.tags and "✓ yes theory" in page.text
    assert all(link[1:] in page.ids for link in page.links if link.startswith("#"))
    text, _ = markdown_page(report, tmp_path, "report")
    claims = text[text.index("## What the papers claim") : text.index("## All rows")]
    assert "| Peanuts pack to 0.87. (§4, fig 7) | 0.87 | 0.7 | **disagrees** | too loose |" in claims
    assert claims.index("### GM09") < claims.index("### PRE10") and "[claims.md](claims.md)" in claims
    assert "yes (theory)" in text[text.index("## All rows") :]


def test_merit_of_an_experiment(report):
    assert merit_of(report.sections[0]) == [("time", "2 min"), ("c", "3.7e+07 1/s"), ("energy error", "≤ 3e-07")]
    assert merit_of(report.sections[1]) == []
    assert standing(Report("quick", ())) == "0 of 0 runs are finished."
    assert "verlet-distance" in origin(Report("quick", ()))[-1], "a part does not pass for the whole"


def test_data_is_written_whole_and_without_nan(report, tmp_path):
    write_data(report, tmp_path)
    stored = json.loads((tmp_path / "report.json").read_text(), parse_constant=lambda name: pytest.fail(name))
    assert stored["runs"] == {"finished": 2, "failed": 1, "begun": 0, "missing": 1}
    assert stored["verdicts"]["agrees"] == stored["verdicts"]["disagrees"] == 0 and stored["wall_s"] == 120.0
    assert {each["verdict"] for each in stored["claims"]} == {"missing"}, "no experiment of the papers is in it"
    assert stored["experiments"][0]["runs"][0]["quantities"][2]["measured"] is None
    rows = list(csv.DictReader((tmp_path / "summary.csv").open(encoding="utf-8")))
    assert tuple(rows[0]) == COLUMNS
    assert [(row["run"], row["quantity"]) for row in rows][-3:] == [
        ("gas-rice", "|residual|/E at k_n"), ("gas-cow", ""), ("loop", ""),
    ]  # fmt: skip
    assert rows[0]["measured"] == "3e-07" and rows[0]["agrees"] == "True" and rows[2]["measured"] == ""
    assert (rows[0]["size"], rows[0]["counted"], rows[0]["against"], rows[0]["error"]) == ("full", "True", "", "")
    assert rows[-2]["note"] == "overlap too deep & <odd>"


def test_markdown_has_whole_tables_and_its_pictures(report, tmp_path):
    text, pictures = markdown_page(report, tmp_path, "report")
    assert set(pictures) == {"gas-disk-gas.webp", "gas-disk-broad.webp"}
    assert re.findall(r"!\[[^]]+\]\(([^)]+)\)", text) == [f"report/{name}" for name in pictures]
    tables = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    assert len(tables) == 3, "the summary, and what the papers say of two runs"
    for lines in tables:
        assert {line.count("|") for line in lines} == {lines[0].count("|")}
    assert "&#124;residual&#124;/E at k<sub>n</sub>" in text and "**no**" in text
    assert "    clast run gas --shape disk" in text
    assert "contacts per grain" not in text and "contacts per grain" in html_page(report, tmp_path), "the HTML has all of it"
    assert "**not run yet**:\n\n    clast run loop --size full\n" in text
    assert REASON_UNKNOWN in text and "likely &lt;too&gt; coarse" in text
    assert "**failed**: overlap too deep &amp; &lt;odd&gt;" in text


def chains(path, number):
    """A picture of `number` thin lines on white: the more, the more it has to lose."""
    picture = Image.new("RGB", (1200, 900), "white")
    rng = np.random.default_rng(1)
    for x, y, dx, dy in rng.uniform((0, 0, -60, -60), (1200, 900, 60, 60), (number, 4)):
        ImageDraw.Draw(picture).line((x, y, x + dx, y + dy), fill=(20, 20, 90))
    picture.save(path)


def test_pictures_shrink_until_they_fit_those_with_much_detail_last(tmp_path):
    busy, curves, plain = (tmp_path / name for name in ("busy.png", "curves.png", "plain.png"))
    chains(busy, 4000)
    chains(curves, 400)
    draw(plain, (1200, 900))
    at_ease = fit_pictures([busy, curves, plain])
    assert {each.width for each in at_ease.values()} == {WIDEST}
    budget = sum(len(each.data) for each in at_ease.values()) // 2
    fitted = fit_pictures([busy, curves, plain], budget)
    assert sum(len(each.data) for each in fitted.values()) <= budget
    assert fitted[curves].width < fitted[busy].width < WIDEST, "the busiest keeps most of its pixels"
    assert len(fitted[plain].data) < LIGHT and fitted[plain].width == WIDEST, "what weighs nothing stays"
    assert fit_pictures([busy], 1)[busy].width == WIDTHS[-1] >= LEAST, "no smaller than can be read"


def test_a_picture_that_is_cut_off_is_left_out(report, tmp_path):
    """A run that draws while another ends: the report must not end them all."""
    cut = tmp_path / "gas-disk" / "gas.png"
    draw(cut, (400, 300), noise=True)
    cut.write_bytes(cut.read_bytes()[:20_000])
    (tmp_path / "gas-disk" / "broad.png").write_bytes(b"")
    assert Page(html_page(report, tmp_path)).images == []
    text, pictures = markdown_page(report, tmp_path, "report")
    assert pictures == {} and "![" not in text


def test_a_folder_may_be_called_anything(report, tmp_path):
    gas = report.sections[0]
    odd = [dataclasses.replace(run, name=f'my "<b>{run.name} & co', label="") for run in gas.runs[:2]]
    page = Page(html_page(Report("full", (dataclasses.replace(gas, runs=tuple(odd)),)), tmp_path))
    assert all(link[1:] in page.ids for link in page.links) and not any(re.search(r"\s", each) for each in page.ids)
    assert 'my "<b>gas & co' in page.text
    draw(tmp_path / "my run" / "a.png")
    moved = dataclasses.replace(gas.runs[0], pictures=("my run/a.png",))
    text, pictures = markdown_page(Report("full", (dataclasses.replace(gas, runs=(moved,)),)), tmp_path, "report")
    assert list(pictures) == ["my run-a.webp"] and "](report/my%20run-a.webp)" in text


def test_messages_tell_no_folder_and_a_parameter_may_have_no_value_of_its_own():
    said = "/home/me/my/run.h5 cannot be read ('/tmp/x/a.png', 1/2 of 3 m/s)"
    assert ABSOLUTE.sub("…/", said) == "…/run.h5 cannot be read ('…/a.png', 1/2 of 3 m/s)"

    class Own(Parameters):
        """A parameter that the sizes give."""

        speed: float = Field(json_schema_extra={"unit": "m/s"})

    entry = dataclasses.replace(find("gallery"), parameters=Own, sizes={"quick": {"speed": 2.0}})
    said = parameter_values(entry, entry.choose("quick", {}))
    assert said[1] == ParameterValue("speed", 2.0, "m/s", 2.0, False)


def test_a_picture_drawn_anew_is_shown_anew(tmp_path):
    path = tmp_path / "a.png"
    draw(path, (80, 40))
    before = scaled(path, 1000)
    draw(path, (90, 40))
    assert (before.width, scaled(path, 1000).width) == (80, 90)


def test_machine_is_told_without_its_name():
    said = {"cpu": "Some CPU", "cores": 1, "platform": "Linux 6.1-host-name", "architecture": "x86_64"}
    assert machine_in_words(said) == "Some CPU, 1 core, Linux on x86_64"
    assert machine_in_words({}) == ""


def test_a_run_leads_to_its_view(report, tmp_path):
    seen = dataclasses.replace(report.sections[0].runs[0], view="gas disk/view.html")
    section = dataclasses.replace(report.sections[0], runs=(seen, *report.sections[0].runs[1:]))
    page = html_page(dataclasses.replace(report, sections=(section, report.sections[1])), tmp_path)
    assert page.count('<a href="gas%20disk/view.html">') == 1
    assert "view.html" not in html_page(report, tmp_path)


def test_views_are_written_of_finished_runs_with_frames(tmp_path, monkeypatch):
    states = {"done": "finished", "begun": "begun", "empty": "finished"}
    runs = {name: flat_run(tmp_path / name, frames=0 if name == "empty" else 2) for name in states}
    plan = [SimpleNamespace(folder=run.folder) for run in runs.values()]
    monkeypatch.setattr(
        views, "progress_of", lambda each: SimpleNamespace(run=runs[each.folder.name], state=states[each.folder.name])
    )
    assert views.write_views(plan) == [tmp_path / "done" / "view.html"]
    assert views.write_views(plan) == [], "what is there is not written again"
