"""`clast.Simulation`: a scene that is stepped by hand, with a view that follows its steps.

Frames are taken by the thread that steps, at the end of `step` and `run_until`, and only while a page is open: the server's
thread computes nothing of the run and only hands out what there is. So nobody who looks can disturb a step.
"""

from __future__ import annotations

import html
import sys
import threading
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any

from clast.dynamics.snapshot import Snapshot
from clast.errors import ClastError, InputError, StoreError
from clast.laboratory import simulation as laboratory
from clast.output.viewer.described import Described
from clast.output.viewer.film import Film
from clast.output.viewer.notebook import check_height
from clast.output.viewer.page import save_page
from clast.output.viewer.served import Served
from clast.output.viewer.server import ViewServer

FRESH = 90.0  # seconds since a page was last heard of, after which nobody looks: pages in the background sleep for a minute
SHORTEST = 0.1  # seconds between two frames
SHARE = 30.0  # times as long as a frame takes
POLL = 0.1  # seconds between two looks whether the server is to end


class ServedSimulation(Served):
    """Answers for a simulation, from the frames it has left behind."""

    def __init__(self, film: Film) -> None:
        super().__init__("memory")
        self.film = film
        self.looked = -FRESH  # when a page was last heard of, on the monotonic clock
        self._stamp: tuple[int, int] = (-1, -1)

    @property
    def is_watched(self) -> bool:
        """Whether a page is open, as far as can be known."""
        return time.monotonic() - self.looked < FRESH

    def _now(self) -> Described:
        issue, run = self.film.run()
        stamp = issue, len(run.frames)
        if self._described is None or stamp != self._stamp:
            self._described, self._stamp = Described(run), stamp
        return self._described

    def _facts(self, described: Described) -> dict[str, Any]:
        self.looked = time.monotonic()
        return {**described.facts, "live": True, "held": False, "stepped": True, "issue": self._stamp[0]}

    def wish(self, what: str) -> None:
        """Refused: who steps it decides."""
        raise InputError("a simulation goes on when its script or notebook steps it")

    def keep(self) -> None:
        """Nothing is held."""


class SteppedView:
    """The view of a simulation: the last line of a cell shows it, and it follows every `step`.

    address   what to open in a browser of this machine
    """

    def __init__(self, simulation: Simulation, port: int) -> None:
        self.height = 0
        self._simulation = weakref.ref(simulation)
        self._film = Film()
        self._served = ServedSimulation(self._film)
        self._server = ViewServer(self._served, port=port, framed=True)
        self._taken, self._cost = 0.0, 0.0
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": POLL}, daemon=True)
        thread.start()
        self._end = weakref.finalize(simulation, end, self._server, thread)
        self._end.atexit = False  # the thread ends with the process
        after_cells(self)

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return self._server.address

    @property
    def is_open(self) -> bool:
        """Whether it is still served."""
        return self._end.alive

    @property
    def is_watched(self) -> bool:
        """Whether a page is open, as far as can be known."""
        return self._served.is_watched

    def take(self) -> None:
        """Add the present state to what is shown."""
        simulation = self._simulation()
        if simulation is not None and self.is_open:
            began = time.monotonic()
            self._film.take(simulation)
            self._taken = time.monotonic()
            self._cost = self._taken - began

    def follow(self) -> None:
        """Take the present state if somebody looks and the last is not too recent."""
        if self.is_watched and time.monotonic() - self._taken > max(SHORTEST, SHARE * self._cost):
            self.take()

    def open(self) -> SteppedView:
        """Open a browser."""
        import webbrowser

        self._served.looked = time.monotonic()  # it needs a moment to begin
        webbrowser.open(self.address)
        return self

    def wait(self) -> None:
        """Take the present state and stay until Ctrl-C, at the end of a script."""
        self.take()
        print(f"shown at {self.address}; Ctrl-C ends it", file=sys.stderr, flush=True)
        try:
            while self.is_open:
                time.sleep(POLL)
        except KeyboardInterrupt:
            self.close()

    def save(self, path: Path | str, frames: int = 400) -> Path:
        """Write what has been seen so far, up to the present state, as one HTML file."""
        self.take()
        return save_page(self._film.run()[1], Path(path), frames)

    def close(self) -> None:
        """End the view; the page keeps what it has."""
        self._end()

    def _repr_html_(self) -> str:
        self.take()
        self._served.looked = time.monotonic()
        style = f"width: 100%; height: {self.height}px; border: 1px solid #8884; border-radius: 8px"
        return (
            f'<iframe src="{html.escape(self.address, quote=True)}" style="{style}" title="view of a simulation" '
            'sandbox="allow-scripts allow-same-origin allow-downloads"></iframe>'
        )

    def __repr__(self) -> str:
        return f"view of a simulation at {self.address}: .open() opens a browser, .save('now.html') keeps it"


class Simulation(laboratory.Simulation):
    __doc__ = laboratory.Simulation.__doc__

    _shown: SteppedView | None = None

    def view(self, height: int = 560, port: int = 0) -> SteppedView:
        """The simulation to look at, in the cell of a notebook or, by `.open()`, in a browser; it follows every `step`.

        height   of the cell (pixels)
        port     of this machine, from which the page is served; a free one if 0
        """
        check_height(height)
        if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port < 65536:
            raise InputError(f"port = {port!r} must be a number from 0 to 65535")
        if self._shown is None or not self._shown.is_open:
            try:
                self._shown = SteppedView(self, port)
            except OSError as error:
                raise StoreError(f"the view cannot be served at port {port} ({error}): give another, or 0") from None
        self._shown.height = height
        self._shown.take()
        return self._shown

    def _advance(self, end: int) -> None:
        super()._advance(end)
        self._follow_view()

    def call_due(self, snapshot: Snapshot | None = None) -> None:
        """Call the functions that are due at this step, and let the view follow."""
        super().call_due(snapshot)
        self._follow_view()

    def _follow_view(self) -> None:
        if self._shown is not None:
            self._shown.follow()


def end(server: ViewServer, thread: threading.Thread) -> None:
    """Stop serving. The server cannot wait for itself: its thread may be the one that finds the simulation gone."""
    if threading.current_thread() is thread:
        threading.Thread(target=end, args=(server, thread), daemon=True).start()
        return
    server.shutdown()
    server.server_close()


def after_cells(view: SteppedView) -> None:
    """In a notebook, take the state that a cell leaves behind if somebody looks: the last step may have been too quick."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None:
        return
    seen = weakref.ref(view)

    def after(*_: Any) -> None:
        shown = seen()
        if shown is None or not shown.is_open:
            shell.events.unregister("post_run_cell", after)
        elif shown.is_watched:
            with suppress(ClastError):  # the cell has failed with it already
                shown.take()

    shell.events.register("post_run_cell", after)
