"""The page: one file with everything in it, or a frame that gets its data from the server.

The script of the page is built from `viewer/` by `make viewer` and lies in `bundle/`. Nothing of a run becomes markup or code:
its texts travel as JSON in which no tag can end, its arrays as base64, and the page may run no script but its own, by hash.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from clast.errors import InputError, StoreError
from clast.output.store.atomic import write_text
from clast.output.store.reader import Run
from clast.output.viewer.described import Described

BUNDLE = Path(__file__).parent / "bundle"
INLINE_FRAMES = 400  # of a page that is one file, at most
MANY_BYTES = 200e6  # that a browser still opens


@lru_cache(maxsize=1)
def bundle() -> tuple[str, str]:
    """Script and style of the page. StoreError where the package was built without them."""
    try:
        return (BUNDLE / "viewer.js").read_text(encoding="utf-8"), (BUNDLE / "viewer.css").read_text(encoding="utf-8")
    except OSError as error:
        raise StoreError(f"the viewer is not built ({error}): run `make viewer`") from None


def policy(connect: str) -> str:
    """What the page may do: run its own script, show pictures it made itself, and ask `connect`."""
    digest = base64.b64encode(hashlib.sha256(bundle()[0].encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:; media-src blob:; "
        f"connect-src {connect}; base-uri 'none'; form-action 'none'"
    )


def page(parts: list[str], connect: str) -> str:
    """The whole page around some elements with data."""
    script, style = bundle()
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy(connect)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">',
            '<title>clast</title>\n<link rel="icon" href="data:,">',
            f'<style>{style}</style>\n</head>\n<body>\n<div id="app"><p class="failure">Opening the run …</p></div>',
            *parts,
            f"<script>{script}</script>\n</body>\n</html>\n",
        ]
    )


def as_json(facts: Any) -> str:
    """JSON that no parser of HTML takes for markup."""
    text = json.dumps(facts, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def saved_page(run: Run, most: int | None = INLINE_FRAMES) -> str:
    """A run as one page that needs nothing else. InputError if it has no frames, or is too much for one page.

    most   frames at most; of more, evenly chosen ones are kept; None for all
    """
    if len(run.frames) == 0:
        raise InputError(f"no frames were stored in {run.folder}: there is nothing to view (run it with frames=100)")
    described = Described(run, most)

    def data(name: str, content: bytes) -> str:
        return f'<script type="text/plain" id="clast-{name}">{base64.b64encode(content).decode()}</script>'

    parts = [f'<script type="application/json" id="clast-facts">{as_json(described.facts)}</script>']
    parts += [data("bodies", described.bodies()), data("series", described.series())]
    total = 0
    for number in range(described.framed.blocks):
        content = described.framed.block(number, 9)
        total += len(content)
        if total > MANY_BYTES:
            raise InputError(f"{run.folder} makes a page of more than {MANY_BYTES / 1e6:.0f} MB: keep fewer frames")
        parts.append(data(f"block-{number}", content))
    return page(parts, "'none'")


def served_page() -> str:
    """The page that gets its run from where it came from."""
    return page([], "'self'")


def save_page(run: Run, path: Path, most: int | None = INLINE_FRAMES) -> Path:
    """Write the run as one HTML file and return its path."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{path}: the name of a saved view ends in .html")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    write_text(path, saved_page(run, most))
    return path
