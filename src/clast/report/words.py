"""How names, numbers and units stand on a page: k_n, 4.4e-07 and n^1.56 with their subscripts, powers and signs."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from typing import Any

NARROW = "\u202f"  # no-break space between thousands
LARGEST = 1e7  # whole numbers are written out below it
PLAIN = (1e-3, 1e5)  # other numbers without a power of ten

SUBSCRIPT = re.compile(r"(?<![^\W_])([^\W\d_]\u0307?)_([^\W\d_]{1,3}|\d)(?![^\W_])")
POWER = re.compile(r"\^(\(?[−-]?\d+(?:\.\d+)?\)?(?:\(\d+\))?|[α-ω])")
SCIENTIFIC = re.compile(r"(?<![\w.])([−-]?)(\d+(?:\.\d+)?)e([+-]?)0*(\d+)(?!\w)")
NEGATIVE = re.compile(r"(?<![\w)\]-])-(?=\d)")


def typeset(text: str) -> str:
    """Plain text as HTML: K_n with a subscript, n^1.56(23) and 4.4e-07 with powers, minus signs; the rest escaped."""
    marked = SCIENTIFIC.sub(power_of_ten, html.escape(text, quote=False))
    marked = POWER.sub(lambda m: f"<sup>{m[1].replace('-', '−')}</sup>", marked)
    marked = SUBSCRIPT.sub(r"\1<sub>\2</sub>", marked)
    return NEGATIVE.sub("−", marked)


def escaped(text: str) -> str:
    """Plain text in a Markdown table: bars would end the cell, stars would set it in bold."""
    return typeset(text).replace("|", "&#124;").replace("*", "&#42;")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table of ready cells."""
    return "\n".join(["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)])


def power_of_ten(found: re.Match[str]) -> str:
    """4.4e-07 → 4.4 × 10⁻⁷, 1e-06 → 10⁻⁶."""
    sign, factor, minus, power = found.groups()
    ten = f"10<sup>{'−' if minus == '-' else ''}{power}</sup>"
    return f"{'−' if sign else ''}{ten if factor == '1' else f'{factor} × {ten}'}"


def number(value: float | None, digits: int = 4) -> str:
    """A number as text, to so many digits; whole ones written out, a dash where there is none."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == int(value) and abs(value) < LARGEST:
        return f"{int(value):,}".replace(",", NARROW) if abs(value) >= 1e4 else str(int(value))
    if PLAIN[0] <= abs(value) < PLAIN[1]:
        return f"{value:.{digits}g}" if abs(value) < 10.0**digits else f"{value:.0f}"
    factor, _, power = f"{value:.{min(digits, 3) - 1}e}".partition("e")
    return f"{factor.rstrip('0').rstrip('.') if '.' in factor else factor}e{power}"


def after(unit: str) -> str:
    """A unit as it follows its number: with a space, but for degrees."""
    return unit if unit in ("", "°") else f" {unit}"


def measured_text(value: float | None, error: float | None, unit: str = "") -> str:
    """A number with its standard error, both to the second digit of the error: 0.853 ± 0.012 m². A dash where there is none."""
    if value is None or not math.isfinite(value):
        return "–"
    if error is None or not 0.0 < error < math.inf:
        return f"{number(value)}{after(unit)}"
    if PLAIN[0] <= max(abs(value), error) < PLAIN[1]:
        places = max(0, 1 - math.floor(math.log10(error)))
        return f"{value:.{places}f} ± {error:.{places}f}{after(unit)}"
    return f"{number(value)} ± {number(error, 2)}{after(unit)}"


def plain(value: Any) -> str:
    """A parameter's value as one writes it after an option."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, float):
        return str(value)
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)
