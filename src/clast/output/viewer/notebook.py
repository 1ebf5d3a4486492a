"""The view of a run in a notebook: the whole page inside the cell, so that it is still there when the notebook is sent on."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING

from clast.errors import InputError
from clast.output.viewer.page import save_page, saved_page

if TYPE_CHECKING:
    from clast.output.store.reader import Run


def check_height(height: object) -> None:
    """InputError unless it is a number of pixels that shows something."""
    if isinstance(height, bool) or not isinstance(height, int) or height < 100:
        raise InputError(f"height = {height!r} must be a number of pixels, 100 at least")


class View:
    """A run to look at: the last line of a notebook's cell shows it, `save` writes it as one file."""

    def __init__(self, run: Run, height: int, most: int) -> None:
        check_height(height)
        if isinstance(most, bool) or not isinstance(most, int) or most < 1:
            raise InputError(f"frames = {most!r} must be a number of frames, 1 at least")
        self.run, self.height, self.most = run, height, most

    def save(self, path: Path | str) -> Path:
        """Write the view as one HTML file, which needs no network and no clast to be opened."""
        return save_page(self.run, Path(path), self.most)

    def _repr_html_(self) -> str:
        page = html.escape(saved_page(self.run, self.most), quote=True)
        style = f"width: 100%; height: {self.height}px; border: 1px solid #8884; border-radius: 8px"
        return f'<iframe srcdoc="{page}" style="{style}" sandbox="allow-scripts allow-downloads" title="view of a run"></iframe>'

    def __repr__(self) -> str:
        return f"view of {self.run.folder}: .save('run.html') writes it as one file; `clast view {self.run.folder}` opens it"
