"""How results are shown: tables without boxes, numbers with their units, one line of merit."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo
    from rich.table import Table

    from clast.experiments.experiment import Entry, Quantity
    from clast.experiments.shared.running import Outcome
    from clast.output.store.reader import Run

PLAIN_WIDTH = 160  # columns where there is no terminal to ask
LIMITS = {"gt": ">", "ge": "≥", "lt": "<", "le": "≤"}


def show(table: Table) -> None:
    """Print a table to stdout, wide enough where that is not a terminal."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else PLAIN_WIDTH
    Console(width=width, highlight=False, markup=False, emoji=False).print(table)


def plain_table(*columns: str) -> Table:
    """A table without boxes: good to read and to grep."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=column in ("experiment", "case", "parameter", "limits"))
    return table


def number(value: float | None, unit: str = "") -> str:
    """A number with its unit; a dash where there is none."""
    if value is None or value != value:
        return "–"
    return f"{value:.6g} {unit}".rstrip()


def one_line(value: Any) -> str:
    """A stored value as text."""
    if isinstance(value, dict):
        return ", ".join(f"{key} = {each}" for key, each in value.items())
    if isinstance(value, list):
        return " ".join(str(each) for each in value)
    return str(value)


def show_parameters(experiment: Entry) -> None:
    """The parameters of an experiment, from its pydantic model: unit, value for each size, limits and meaning."""
    print(f"\n{experiment.name} ({experiment.paper}): {experiment.title}\n")
    sizes = list(experiment.sizes) if any(experiment.sizes.values()) else []
    show_fields(experiment.parameters.model_fields, sizes or ["default"], [experiment.sizes[size] for size in sizes] or [{}])


def show_fields(fields: Mapping[str, FieldInfo], columns: Sequence[str], sizes: Sequence[Mapping[str, Any]]) -> None:
    """Options of a run by name, with their values for each of `sizes`, called `columns`."""
    table = plain_table("parameter", "unit", *columns, "limits", "description")
    for name, each in fields.items():
        extra = each.json_schema_extra if isinstance(each.json_schema_extra, dict) else {}
        values = [size.get(name, None if each.is_required() else each.default) for size in sizes]
        option = f"--{name.replace('_', '-')}"
        table.add_row(option, str(extra.get("unit", "")), *map(plain_value, values), limits(each), each.description or "")
    show(table)


def plain_value(value: Any) -> str:
    """A parameter's value as a user would write it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return str(value).lower()
    short = f"{value:g}" if isinstance(value, float) else str(value)
    return short if not isinstance(value, float) or float(short) == value else repr(value)


def limits(field: FieldInfo) -> str:
    """What a parameter may be: "> 0", "≥ 2, ≤ 9", the choices of a Literal, or "true, false"."""
    if field.annotation is bool:
        return "true, false"
    bounds = [f"{sign} {bound}" for each in field.metadata for key, sign in LIMITS.items()
              if (bound := getattr(each, key, None)) is not None]  # fmt: skip
    choices = [str(choice) for choice in get_args(field.annotation) if isinstance(choice, str)]
    return ", ".join(bounds + choices)


def show_quantities(quantities: Sequence[Quantity]) -> None:
    """Published beside measured."""
    if not quantities:
        return
    words = {True: "yes", False: "no", None: "–"}
    table = plain_table("quantity", "published", "measured", "agrees", "note")
    for each in quantities:
        table.add_row(
            each.name, number(each.published, each.unit), number(each.measured, each.unit),
            words[each.agrees], each.note,
        )  # fmt: skip
    show(table)


def show_merit(result: dict[str, Any]) -> None:
    """The figures of merit of a finished run, in one line."""
    from clast.output.recording import merit

    print(merit(result))


def show_outcome(outcome: Outcome) -> None:
    """Table, figures of merit, folder and figures at the end of a run."""
    show_quantities(outcome.quantities)
    show_merit(outcome.run.result or {})
    print(f"run in {outcome.run.folder}; figures: {', '.join(path.name for path in outcome.figures) or 'none'}")


def show_book(stored: Run) -> None:
    """The accounts at the end, the energy error and the papers' ratios."""
    from clast.measures.book import ACCOUNTS, KNOWN, Book

    if not len(stored.series["time"]) or any(account not in stored.series.names for account in ACCOUNTS):
        return
    book = Book(stored.series["time"], stored.series)
    table = plain_table("account", "at the start", f"at t = {book.time[-1]:.6g}")
    kept = [account for account in KNOWN if account in stored.series.names]
    rows = {account.replace("_", " "): book.shown(account) for account in kept}
    rows |= {"energy + heat − work": book.energy + book.heat - book.work}
    for account, values in rows.items():
        table.add_row(account, f"{values[0]:.8g}", f"{values[-1]:.8g}")
    show(table)
    print(f"energy error {book.energy_error:.3g} (largest residual over max(kinetic + elastic) + heat)")
    for ratio, value in book.papers().items():
        print(f"{ratio} {value:.3g}")
