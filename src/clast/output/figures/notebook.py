"""How clast shows itself in a notebook: a scene or shape as its picture, a run as a small table, a bar below the cell.

Nothing here is needed elsewhere, and nothing heavy is imported before it is shown.
"""

from __future__ import annotations

import base64
import html
import io
import sys
import time
from typing import TYPE_CHECKING, Any

from clast.measures.book import ACCOUNTS
from clast.output.estimate import duration
from clast.output.figures.drawn import Figure

if TYPE_CHECKING:
    from clast.output.store.reader import Run
    from clast.scene.plane import Scene
    from clast.scene.space import Scene3D
    from clast.shapes.plane.skeleton import Shape
    from clast.shapes.space.solid import Solid

REFRESH = 0.2  # seconds between two looks of the bar
MOST_BODIES = 5000  # in a picture that a notebook draws by itself


def in_notebook() -> bool:
    """Whether what is shown goes into the cell of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def register() -> None:
    """Have scenes and shapes shown as pictures. By name, since their modules may not know of pictures and need not be loaded."""
    if in_notebook():
        shell: Any = sys.modules["IPython"].get_ipython()
        pictures = shell.display_formatter.formatters["image/png"]
        pictures.for_type_by_name("clast.scene.plane", "Scene", scene_png)
        pictures.for_type_by_name("clast.scene.space", "Scene3D", scene_png)
        pictures.for_type_by_name("clast.shapes.plane.skeleton", "Shape", shape_png)
        pictures.for_type_by_name("clast.shapes.space.solid", "Solid", solid_png)


def scene_png(scene: Scene | Scene3D) -> bytes | None:
    """The picture of a scene, or None where there is nothing to see or too much to draw unasked."""
    from clast.output.figures.plane import scene_figure

    return figure_png(scene_figure(scene)) if 0 < len(scene.bodies) - scene.waiting.size <= MOST_BODIES else None


def shape_png(shape: Shape) -> bytes:
    """The picture of a shape."""
    from clast.output.figures.plane import plain_figure
    from clast.output.figures.shape import draw_shape

    figure = plain_figure()
    figure.set_size_inches(3.0, 3.0)
    draw_shape(figure.add_subplot(), shape)
    return figure_png(figure)


def solid_png(solid: Solid) -> bytes:
    """The picture of a solid."""
    from clast.output.space.figures import solid_figure

    figure = solid_figure(solid)
    figure.set_size_inches(3.0, 3.0)
    return figure_png(figure)


def run_html(run: Run) -> str:
    """A table of what a run is, and its last frame."""
    rows = {"run": str(run.folder), "state": "finished" if run.finished else "not finished"}
    if (name := run.provenance.get("experiment")) is not None:
        rows["experiment"] = f"{name}, size {run.provenance.get('size')}"
    times = run.series["time"]
    if len(times):
        rows["series"] = f"{len(times)} samples to t = {times[-1]:.4g}: {', '.join(run.series.names)}"
        if set(ACCOUNTS) <= set(run.series.names):
            rows["energy error"] = f"{run.book.energy_error:.2g}"
    rows |= {f"table {name}": f"{table.rows} rows: {', '.join(table)}" for name, table in run.tables.items()}
    picture = ""
    if count := len(run.frames):
        bodies = len(run.scene["body_shape"])
        rows["frames"] = f"{count} of {bodies} bodies"
        if bodies <= MOST_BODIES:
            from clast.output.figures.plane import frames_figure

            code = base64.b64encode(figure_png(frames_figure(run, [count - 1]))).decode()
            picture = f'<img alt="last frame" src="data:image/png;base64,{code}" style="max-height: 22em">'
    cells = "".join(f"<tr><th>{html.escape(key)}</th><td>{html.escape(value)}</td></tr>" for key, value in rows.items())
    return f"<table>{cells}</table>{picture}"


def figure_png(figure: Figure) -> bytes:
    """A figure as the bytes of a PNG file."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


class NotebookBar:
    """A bar below the cell of a notebook, in plain HTML: rich's own needs ipywidgets, which many do not have."""

    def __init__(self, label: str) -> None:
        from IPython.display import HTML, display

        self.console = self  # what rich's bar calls the place above it
        self._html, self._label = HTML, html.escape(label)
        self._handle: Any = display(HTML(""), display_id=True)
        self._shown = -REFRESH

    def print(self, text: str, **_: Any) -> None:
        """A sentence above the bar."""
        print(text, file=sys.stderr, flush=True)

    def update(self, share: float, left: float | None, merit: str) -> None:
        """Show the share done; not more often than the eye sees."""
        now = time.monotonic()
        if now - self._shown < REFRESH:
            return
        self._shown = now
        parts = [f"{share:.1%}", f"{duration(left)} left" if left is not None else "", merit]
        bar = f"<progress value={share:.4f} max=1></progress>"
        self._handle.update(self._html(f"{self._label} {bar} {', '.join(each for each in parts if each)}"))

    def stop(self) -> None:
        """Take the bar away."""
        self._handle.update(self._html(""))
