"""The report as one HTML file: pictures inside, no script, fit for a phone, for paper and for a dark room."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from clast.report.claims.reading import against_what
from clast.report.gathering import LACKING, Report, RunReport, Section
from clast.report.html_top import TITLE, agreement, all_rows, claims, heading, sources
from clast.report.pictures import TYPE, Picture, fit_pictures
from clast.report.style import STYLE
from clast.report.summary import by_paper, facts_of, ours_of, published_of, reasons
from clast.report.words import number, plain, typeset

BROAD = 1.6  # width over height from which a picture gets a row of its own


def html_page(report: Report, folder: Path) -> str:
    """The whole page; pictures are read from the folder."""
    pictures = fit_pictures([folder / name for run in report.runs for name in run.pictures])
    shown = {path.relative_to(folder).as_posix(): picture for path, picture in pictures.items()}
    sections = by_paper(report.sections)
    body = [heading(report), claims(report), all_rows(report), *(section_part(each, shown) for each in sections), sources(report)]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{TITLE}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


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
            f'<tr><td>{typeset(each["name"])}</td><td class="number">{typeset(published_of(each))}</td>'
            f'<td class="number">{typeset(ours_of(each))}</td>'
            f"{agreement(each['agrees'], against_what(section.name, run.variant, each['name']))}"
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
