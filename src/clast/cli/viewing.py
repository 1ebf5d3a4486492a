"""`clast view`: a run in the browser, or as one file."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from clast.cli.app import app
from clast.cli.folders import readable
from clast.errors import InputError

SECONDS = 0.2  # between two looks whether a run has begun


@app.command()
def view(
    folder: Annotated[Path, typer.Argument(help="Folder of a run or of a sweep.", metavar="RUN")],
    save: Annotated[Path | None, typer.Option(help="Write one HTML file that needs no network, to keep or to mail.")] = None,
    frames: Annotated[int, typer.Option(help="Frames in that file at most.")] = 400,
    port: Annotated[int, typer.Option(help="Port of this machine; a free one if 0.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until there is a run in RUN.")] = False,
) -> None:
    """Look at a run in the browser, also while it is made. Ctrl-C ends it.

    The address works on this machine only, and holds a random token: who does not have it sees nothing.
    """
    if not 0 <= port < 65536:
        raise InputError(f"--port {port}: give a number from 0 to 65535")
    if frames < 1:
        raise InputError(f"--frames {frames}: give a positive number")
    while wait and not (folder / "run.h5").exists():
        time.sleep(SECONDS)
    if save is not None:
        from clast.output.viewer.page import save_page

        with readable(folder) as stored:
            path = save_page(stored, save, frames)
        print(f"{path} ({path.stat().st_size / 1e6:.1f} MB): open it by a double click")
        return
    serve(folder, port, browser)


def serve(folder: Path, port: int, browser: bool) -> None:
    """Serve a run or sweep until Ctrl-C."""
    import webbrowser

    from clast.output.viewer.served import ServedRun
    from clast.output.viewer.server import ViewServer

    if (folder / "sweep.json").exists():
        from clast.cli.sweep_view import ServedSweep

        sweep = ServedSweep(folder)
        server = ViewServer(sweep, sweep.row, port)
    else:
        with readable(folder):
            pass
        server = ViewServer(ServedRun(folder), port=port)
    with server:
        print(server.address, flush=True)
        print(f"{folder} is shown at that address on this machine; Ctrl-C ends it", file=sys.stderr, flush=True)
        if browser and has_display():
            webbrowser.open(server.address)
        server.serve_forever(poll_interval=SECONDS)


@contextmanager
def viewed(folder: Path, wanted: bool) -> Iterator[None]:
    """Show a run in the browser while it is made; in a terminal also afterwards, until Ctrl-C."""
    if not wanted:
        yield
        return
    with subprocess.Popen([sys.executable, "-m", "clast.cli", "view", "--wait", str(folder)]) as viewer:
        try:
            yield
            if sys.stdin.isatty():
                print("finished; the view stays open until Ctrl-C", file=sys.stderr, flush=True)
                viewer.wait()
        finally:
            viewer.terminate()


def has_display() -> bool:
    """Whether a browser has where to open: else one for terminals might."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
