"""The report as one HTML file: pictures inside, no script, fit for a phone, for paper and for a dark room."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from clast.report.gathering import LACKING, Report, RunReport, Section
from clast.report.pictures import TYPE, Picture, fit_pictures
from clast.report.summary import (
    VERDICTS,
    facts_of,
    lacking,
    merit_of,
    origin,
    papers_of,
    reasons,
    standing,
    summary_lines,
    with_unit,
)
from clast.report.words import number, plain, typeset

TITLE = "clast: the figures of the papers"
BROAD = 1.6  # width over height from which a picture gets a row of its own
STYLE = """
:root { color-scheme: light dark; --ink: #1c1f23; --soft: #5c646e; --paper: #fff; --line: #d9dde2; --shade: #f4f5f7;
  --yes: #17692f; --no: #b3261e; --link: #1b5e9e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e6e9; --soft: #a0a8b2; --paper: #16181b; --line: #3a4048;
  --shade: #202327; --yes: #6fcf8a; --no: #ff8f85; --link: #86bdf2; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .5rem 0 1rem; }
h2 { font-size: 1.3rem; margin: 3rem 0 .3rem; padding-top: .8rem; border-top: 2px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.8rem 0 .4rem; }
p { margin: .5rem 0; }
a { color: var(--link); }
.soft, figcaption, .facts { color: var(--soft); font-size: .88rem; }
.wide { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 600; border-bottom-width: 2px; }
.summary tbody th { background: var(--shade); font-weight: 400; padding: .5rem .5rem .4rem; }
.summary td:first-child { padding-left: .5rem; }
.summary th a { font-weight: 700; }
.yes { color: var(--yes); } .no { color: var(--no); font-weight: 700; }
td.yes, td.no, td.number { white-space: nowrap; }
figure { margin: 1rem 0; }
.pictures { display: grid; gap: .6rem; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }
@media (max-width: 40rem) { .quantities, .quantities thead, .quantities tbody { display: block; }
  .quantities tr { display: grid; grid-template-columns: 2fr 1fr 1.2fr 3.6rem; border-bottom: 1px solid var(--line); }
  .quantities td { border: 0; } .quantities .note { grid-column: 1 / -1; color: var(--soft); }
  .quantities th.note { display: none; } }
.broad { grid-column: 1 / -1; }
img { max-width: 100%; height: auto; background: #fff; border-radius: 4px; display: block; margin: 0 auto; }
code { font: .85rem/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.command { background: var(--shade); padding: .5rem .7rem; border-radius: 4px; display: block; }
.reasons { border-left: 3px solid var(--no); padding-left: .8rem; margin: .8rem 0; font-size: .92rem; }
.reasons ul { margin: .2rem 0; padding-left: 1.1rem; }
sub, sup { line-height: 0; }
@media print { html { font-size: 9.5pt; } body { max-width: none; } figure, tr, .reasons { break-inside: avoid; }
  h2, h3, h2 + p { break-after: avoid; } .wide { overflow: visible; } a { color: inherit; text-decoration: none; } }
"""


def html_page(report: Report, folder: Path) -> str:
    """The whole page; pictures are read from the folder."""
    pictures = fit_pictures([folder / name for run in report.runs for name in run.pictures])
    shown = {path.relative_to(folder).as_posix(): picture for path, picture in pictures.items()}
    body = [heading(report), summary(report), *(section_part(each, shown) for each in report.sections), sources(report)]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{TITLE}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


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


def summary(report: Report) -> str:
    """The table on top: each experiment with its claim, and what was judged."""
    groups = []
    for section in report.sections:
        merit = [f"{typeset(name)} {typeset(text)}" for name, text in merit_of(section)]
        about = " · ".join([*merit, *(f"<b>{each}</b>" for each in lacking(section))])
        head = (
            f'<tr><th colspan="4" scope="rowgroup"><a href="#{section.name}">{section.name}</a> ({html.escape(section.paper)}): '
            f'{typeset(section.claim)}<br><span class="soft">{about}</span></th></tr>'
        )
        rows = [
            f"<tr><td>{typeset(line.quantity)}{f' <span class=soft>({typeset(line.where)})</span>' if line.where else ''}</td>"
            f'<td class="number">{typeset(line.published)}</td><td class="number">{typeset(line.measured)}</td>'
            f"{verdict(line.agrees)}</tr>"
            for line in summary_lines(section)
        ]
        if not rows and any(run.quantities for run in section.runs):
            rows = ['<tr><td colspan="4" class="soft">nothing to judge at this size</td></tr>']
        groups.append(f"<tbody>{head}{''.join(rows)}</tbody>")
    return (
        '<h2 id="summary">Summary</h2>\n<div class="wide"><table class="summary">\n<thead><tr><th>what was judged</th>'
        "<th>published</th><th>measured</th><th>agrees</th></tr></thead>\n" + "\n".join(groups) + "\n</table></div>\n"
        '<p class="soft">– under “published”: the paper has it in words, without a number. c is the Cundall number, grains × '
        "steps per second; the energy error is the largest gap of the energy book over the energy that moves in it, and "
        "agrees when it is below the published one.</p>"
    )


def sources(report: Report) -> str:
    """The papers that are named above."""
    named = [f"<li>{key}: {html.escape(text)}</li>" for key, text in papers_of(report)]
    return f'<h2 id="papers">Papers</h2>\n<ul>{"".join(named)}</ul>' if named else ""


def verdict(agrees: bool | None) -> str:
    """A cell: yes, no, or a dash."""
    mark = {True: "✓ ", False: "✗ ", None: ""}[agrees]
    return f"<td{'' if agrees is None else f' class={VERDICTS[agrees]}'}>{mark}{VERDICTS[agrees]}</td>"


def section_part(section: Section, pictures: Mapping[str, Picture]) -> str:
    """One experiment."""
    parts = [f'<h2 id="{section.name}">{section.name}: {typeset(section.title)}</h2>']
    claim = f": {typeset(section.claim)}" if section.claim != section.title else ""
    parts.append(f'<p>{html.escape(section.paper)}{claim}. <a class="soft" href="#summary">Summary</a></p>')
    parts.append(comparison([run for run in section.runs if run.quantities]))
    for run in section.runs:
        if run.state != "missing":
            label = typeset(run.label or run.name)
            parts += [f'<h3 id="{anchor(run)}">{label}</h3>'] if len(section.runs) > 1 else []
            parts.append(run_part(section, run, pictures))
    if missing := [html.escape(run.command) for run in section.runs if run.state == "missing"]:
        parts.append(f'<p class="no">{LACKING["missing"]}:</p>\n<code class="command">{"<br>".join(missing)}</code>')
    return "\n".join(each for each in parts if each)


def comparison(runs: Sequence[RunReport]) -> str:
    """What several runs of an experiment measured, side by side."""
    if len(runs) < 2:
        return ""
    rows: dict[tuple[str, str], dict[str, float | None]] = {}
    for run in runs:
        for each in run.quantities:
            rows.setdefault((each["name"], each["unit"]), {})[run.name] = each["measured"]
    head = "".join(f'<th><a href="#{anchor(run)}">{typeset(run.label or run.name)}</a></th>' for run in runs)
    lines = [
        f"<tr><td>{typeset(name)}{f' [{typeset(unit)}]' if unit else ''}</td>"
        + "".join(f'<td class="number">{typeset(number(values.get(run.name), 3))}</td>' for run in runs)
        + "</tr>"
        for (name, unit), values in rows.items()
    ]
    return (
        f'<div class="wide"><table><thead><tr><th>measured</th>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'
    )


def anchor(run: RunReport) -> str:
    """Where on the page a run stands; its folder may be called anything, an anchor may hold no space."""
    return "run-" + quote(run.name, safe="")


def run_part(section: Section, run: RunReport, pictures: Mapping[str, Picture]) -> str:
    """One run: pictures, numbers, reasons, parameters, command."""
    parts = []
    if run.state in LACKING:
        parts.append(f'<p class="no">{LACKING[run.state]}{": " if run.message else ""}{typeset(run.message)}</p>')
    if shown := "".join(image(section, run, name, pictures[name]) for name in run.pictures if name in pictures):
        label = f"<b>{typeset(run.label)}.</b> " if run.label else ""
        parts.append(
            f'<figure><div class="pictures">{shown}</div><figcaption>{label}{typeset(section.caption)}</figcaption></figure>'
        )
    if run.quantities:
        rows = "".join(
            f'<tr><td>{typeset(each["name"])}</td><td class="number">{typeset(with_unit(each["published"], each["unit"]))}</td>'
            f'<td class="number">{typeset(with_unit(each["measured"], each["unit"]))}</td>{verdict(each["agrees"])}'
            f'<td class="note">{typeset(each["note"])}</td></tr>'
            for each in run.quantities
        )
        parts.append(
            '<div class="wide"><table class="quantities"><thead><tr><th>quantity</th><th>published</th><th>measured</th>'
            f'<th>agrees</th><th class="note">note</th></tr></thead><tbody>{rows}</tbody></table></div>'
        )
    if why := reasons(run):
        lines = "".join(f"<li>{typeset(name)}: {typeset(reason)}</li>" for name, reason in why)
        parts.append(f'<div class="reasons"><b>Where it disagrees, and the likely reason</b><ul>{lines}</ul></div>')
    if run.view is not None:
        parts.append(f'<p><a href="{quote(run.view)}">See the run in the browser</a></p>')
    facts = " · ".join(f"{name} {typeset(text)}" for name, text in facts_of(run))
    parts.append(f'<p class="facts">{facts}</p>\n<p class="facts">{parameter_line(run)}</p>')
    parts.append(f'<code class="command">{html.escape(run.command)}</code>')
    return "\n".join(parts)


def parameter_line(run: RunReport) -> str:
    """All parameters; those that are not the experiment's own in bold, with what that would be."""
    words = []
    for each in run.parameters:
        text = f"{each.name} {typeset(plain(each.value))} {typeset(each.unit)}".rstrip()
        words.append(f"<b>{text}</b> (not {typeset(plain(each.default))})" if each.differs else text)
    return "Parameters: " + " · ".join(words)


def image(section: Section, run: RunReport, name: str, picture: Picture) -> str:
    """A picture within the page."""
    what = f"{section.title}{f', {run.label}' if run.label else ''}: {Path(name).stem.replace('-', ' ')}"
    data = base64.b64encode(picture.data).decode("ascii")
    broad = ' class="broad"' if picture.width > BROAD * picture.height else ""
    return (
        f'<img{broad} alt="{html.escape(what)}" width="{picture.width}" height="{picture.height}" loading="lazy" '
        f'src="data:{TYPE};base64,{data}">'
    )
