"""Pictures of a report: scaled down together until all of them fit into what one page may weigh."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

BUDGET = 2_100_000  # bytes of all pictures; a page holds them in base64, a third more
WIDTHS = (1000, 850, 700, 580, 480, 400)  # pixels, tried from the left
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
    """All pictures, as large as the budget allows: the heaviest one is made smaller until the sum fits.

    One that cannot be read is left out: a run that draws it at this moment, or was killed while it did.
    """
    fitted = {}
    for path in paths:
        with suppress(OSError, SyntaxError):  # what Pillow raises for a picture that is cut off
            fitted[path] = scaled(path, WIDTHS[0])
    rung = dict.fromkeys(fitted, 0)
    while sum(len(each.data) for each in fitted.values()) > budget:
        shrinkable = [path for path in fitted if rung[path] + 1 < len(WIDTHS)]
        if not shrinkable:
            break
        heaviest = max(shrinkable, key=lambda path: len(fitted[path].data))
        rung[heaviest] += 1
        fitted[heaviest] = scaled(heaviest, WIDTHS[rung[heaviest]])
    return fitted


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
