"""Pictures of a report: scaled down together until all of them fit into what one page may weigh, each by its detail.

All are made smaller by the same factor, so that letters stay alike, but for what a picture has to lose: one of grains or force
chains keeps up to a quarter more of its width, curves on white a quarter less. What a picture has to lose is how far it is, point
by point in shades of grey, from itself when it is made small. One that weighs next to nothing stays as it is.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

BUDGET = 3_300_000  # bytes of all pictures; a page holds them in base64, a third more
WIDEST, LEAST = 1000, 400  # pixels
STEP = 0.93  # by which all are made smaller until they fit
WIDTHS = tuple(w for k in range(20) if (w := round(WIDEST * STEP**k)) >= LEAST)  # few, so that those made once can be used again
LIGHT = 8_000  # bytes below which a picture is not made smaller
POWER, SHARES = 0.25, (0.75, 1.25)  # of the detail of a picture over that of most, and how much that may count
WEIGHT = 1.5  # power of the width with which a picture's bytes grow, about: where the search begins
QUALITY = 75
TYPE = "image/webp"  # half the size of a PNG of 64 colours, and no halo around letters as in a JPEG
SUFFIX = ".webp"


class Picture(NamedTuple):
    """A picture as it will be shown."""

    data: bytes
    width: int
    height: int

    def save(self, path: Path) -> None:
        """Write it to a file."""
        path.write_bytes(self.data)


def fit_pictures(paths: Sequence[Path], budget: int = BUDGET) -> dict[Path, Picture]:
    """All pictures, as large as the budget allows, those with much detail larger than others.

    One that cannot be read is left out: a run that draws it at this moment, or was killed while it did.
    """
    fitted = {}
    for path in paths:
        with suppress(OSError, SyntaxError):  # what Pillow raises for a picture that is cut off
            fitted[path] = scaled(path, WIDEST)
    total = sum(len(each.data) for each in fitted.values())
    if total <= budget:
        return fitted
    share, widest = shares(fitted), {path: each.width for path, each in fitted.items()}
    factor = (budget / total) ** (1.0 / WEIGHT) / STEP**2
    least = 0
    while total > budget and least < len(fitted):
        factor *= STEP
        fitted = {path: of_width(path, factor * share[path] * widest[path]) for path in fitted}
        total = sum(len(each.data) for each in fitted.values())
        least = sum(factor * share[path] * widest[path] <= WIDTHS[-1] for path in fitted)
    return fitted


def of_width(path: Path, width: float) -> Picture:
    """A picture of about that width, or wider if it is light then."""
    rung = next((k for k, each in enumerate(WIDTHS) if each <= width), len(WIDTHS) - 1)
    picture = scaled(path, WIDTHS[rung])
    while rung > 0 and len(picture.data) < LIGHT:
        rung -= 1
        picture = scaled(path, WIDTHS[rung])
    return picture


def shares(paths: Iterable[Path]) -> dict[Path, float]:
    """How much of its width each picture keeps beside the others, by its detail."""
    found = {path: detail(path) for path in paths}
    usual = sorted(found.values())[len(found) // 2] or 1.0
    return {path: min(max((each / usual) ** POWER, SHARES[0]), SHARES[1]) for path, each in found.items()}


def detail(path: Path) -> float:
    """What a picture loses when it is made as small as it may be: mean difference of its points [shades of grey]."""
    return lost(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=1000)
def lost(path: Path, changed: int) -> float:
    """The same of the picture as it was when the file was last changed."""
    from PIL import Image, ImageChops, ImageStat

    with Image.open(io.BytesIO(encoded(path, changed, WIDEST).data)) as shown:
        whole = shown.convert("L")
    small = whole.resize((LEAST, max(1, round(whole.height * LEAST / whole.width))), Image.Resampling.LANCZOS)
    return float(ImageStat.Stat(ImageChops.difference(whole, small.resize(whole.size, Image.Resampling.BICUBIC))).mean[0])


def scaled(path: Path, width: int) -> Picture:
    """A picture no wider than `width`; made once, since a report is written many times while runs go on."""
    return encoded(path, path.stat().st_mtime_ns, width)


@lru_cache(maxsize=1000)
def encoded(path: Path, _changed: int, width: int) -> Picture:
    """The picture as it was when the file was last changed."""
    from PIL import Image

    with Image.open(path) as stored:
        paper = Image.new("RGB", stored.size, "white")  # transparent figures are drawn for white paper
        shown = stored.convert("RGBA")
        paper.paste(shown, mask=shown)
    if paper.width > width:
        paper = paper.resize((width, max(1, round(paper.height * width / paper.width))), Image.Resampling.LANCZOS)
    encoded = io.BytesIO()
    paper.save(encoded, "WEBP", quality=QUALITY, method=4)
    return Picture(encoded.getvalue(), paper.width, paper.height)
