"""The sources of the page, and the hash that its bundle carries; `sourcesHash` in viewer/vite.config.mjs is the same."""

import hashlib
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "viewer"
BESIDE = ("package-lock.json", "tsconfig.json", "vite.config.mjs")


def sources_hash(folder=SOURCES):
    """SHA-256 of names and texts of all sources, in the order of their names."""
    names = [path.relative_to(folder).as_posix() for path in (folder / "src").rglob("*") if path.is_file()]
    digest = hashlib.sha256()
    for name in sorted([*names, *BESIDE]):
        text = (folder / name).read_text(encoding="utf-8").replace("\r\n", "\n")
        digest.update(name.encode() + b"\0" + text.encode() + b"\0")
    return digest.hexdigest()
