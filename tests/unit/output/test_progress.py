"""How a long task shows itself: in a log, in a terminal, in a notebook."""

import os
import pty
import re
import subprocess
import sys
import types

import numpy as np
import pytest

from clast.output import progress
from clast.output.figures import notebook
from clast.output.progress import Pace, Progress


class Clock:
    """A clock that a test sets."""

    def __init__(self):
        self.now = 1000.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    fake = Clock()
    monkeypatch.setattr(progress, "time", fake)
    monkeypatch.setattr(notebook, "time", fake)
    return fake


def go(shown, clock, seconds, *, step=0.5, end=200000, cundall=4.0e7):
    """A steady task of so many seconds, looked at every half second: 1 % takes two."""
    with shown:
        for _ in range(int(seconds / step) + 1):
            done = round((clock.now - 1000.0) * end / 200.0)
            shown.update(done, end, cundall)
            clock.now += step


def test_a_line_a_minute_where_there_is_no_terminal(capsys, clock):
    go(Progress("gas"), clock, 185.0)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        "about 3.3 min to go at this pace",
        "gas: 30.0%, 2.3 min left, c = 4.0e7/s",
        "gas: 60.0%, 80 s left, c = 4.0e7/s",
        "gas: 90.0%, 20 s left, c = 4.0e7/s",
    ]


def test_a_short_task_says_nothing_by_itself(capsys, clock):
    with Progress("gas") as shown:
        for k in range(9):
            shown.update(k, 8)
            clock.now += 1.0
    assert capsys.readouterr().err == ""


def test_a_resumed_run_is_timed_from_where_it_went_on(capsys, clock):
    with Progress("gas") as shown:
        shown.update(900, 1000)
        clock.now += 61.0
        shown.update(910, 1000)
    assert capsys.readouterr().err.splitlines()[-1] == "gas: 91.0%, 9.2 min left"


def slower(share):
    """A task of 1000 s that gets ten times slower after a fifth of its steps: the time at which a share is done."""
    return 200.0 * share * 5.0 / 41.0 + (max(share - 0.2, 0.0) * 5.0 * 9.0 / 41.0) * 200.0


@pytest.mark.parametrize("seconds", [0.1, 3.0])
def test_the_time_left_is_within_a_factor_of_two_when_a_run_gets_slower(clock, capsys, seconds):
    """Pace 1, then 10 times slower from 20 % on; looked at often, or seldom. A pace of the whole is off by 3 at 30 %."""
    whole = slower(1.0)
    shares = np.interp(np.arange(0.0, whole, seconds), [0.0, slower(0.2), whole], [0.0, 0.2, 1.0])
    pace = Pace(1000.0)
    seen = [pace.left(1000.0 + k * seconds, share, 1.0) for k, share in enumerate(shares)]
    late = (shares > 0.3) & (shares < 0.95)
    ratio = np.array(seen[1:])[late[1:]] / (whole - seconds * np.arange(len(shares)))[1:][late[1:]]
    assert ratio.min() > 0.5 and ratio.max() < 2.0
    assert len(pace._looks) < 3 * progress.LOOKS, "few are kept however often one looks"


def test_the_time_left_of_a_task_that_moves_in_rare_steps():
    pace = Pace(0.0)
    assert [pace.left(float(t), t // 40 * 10, 100) for t in (0, 39, 40, 79, 80)] == [None, None, 360.0, 360.0, 320.0]


def test_quiet_says_nothing(capsys, clock):
    shown = Progress("gas", silent=True, verbose=True)
    go(shown, clock, 185.0)
    shown.say("a sentence")
    shown.detail("a detail")
    assert capsys.readouterr() == ("", "")


def test_details_are_for_who_asked(capsys):
    Progress().detail("no")
    Progress(verbose=True).detail("yes")
    assert capsys.readouterr().err == "yes\n"


TASK = """
import time
from clast.output.progress import Progress
with Progress("gas") as shown:
    shown.say("a sentence above")
    for k in range(40):
        shown.update(k, 40, 4.0e7)
        time.sleep(0.02)
print("done")
"""


@pytest.mark.parametrize("columns", [100, 50])
def test_a_bar_in_a_terminal_fits_and_vanishes(columns):
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns)}
    with subprocess.Popen([sys.executable, "-c", TASK], stderr=slave, stdout=subprocess.PIPE, env=environment) as task:
        os.close(slave)
        said = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            said += piece
        assert task.stdout.read() == b"done\n"
    os.close(master)
    text = said.decode()
    shown = [line for line in re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)) if line.strip()]
    assert "a sentence above" in shown
    bars = [line for line in shown if line.startswith(("gas ━", "gas ╸"))]
    assert len(bars) >= 3 and all(len(line.rstrip()) <= columns for line in bars)
    assert re.fullmatch(r"gas [━╸╺ ]+ +\d+\.\d % (\d\S* m?s left )?c = 4\.0e7/s", bars[-1].rstrip()), bars[-1]
    assert text.rstrip("\r\n").endswith("\x1b[2K"), "the bar's line is wiped at the end"


class Handle:
    """What IPython gives for a display that can be changed."""

    def __init__(self):
        self.shown = []

    def update(self, content):
        self.shown.append(content)


@pytest.fixture
def cell(monkeypatch):
    """A notebook's IPython, as far as it is asked."""
    shell = type("ZMQInteractiveShell", (), {})()
    handle = Handle()
    ipython, display = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    ipython.get_ipython = lambda: shell
    display.HTML = str
    display.display = lambda content, display_id: handle
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return shell, handle


def test_a_bar_below_the_cell_of_a_notebook(capsys, clock, cell):
    go(Progress("<gas>"), clock, 100.0, step=0.05)
    shown = cell[1].shown
    assert 400 <= len(shown) <= 501, "not more than five times a second"
    assert re.fullmatch(
        r"&lt;gas&gt; <progress value=0\.3\d+ max=1></progress> 3\d\.\d%, 2\.3 min left, c = 4\.0e7/s", shown[250]
    )
    assert shown[-1] == "", "gone at the end"
    assert capsys.readouterr().err == "about 3.3 min to go at this pace\n"


def test_an_ipython_in_a_terminal_is_no_notebook(monkeypatch):
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: type("TerminalInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert not notebook.in_notebook()
    monkeypatch.delitem(sys.modules, "IPython")
    assert not notebook.in_notebook()


def test_scenes_and_shapes_are_registered_by_name(cell):
    import importlib

    import clast

    shell, _ = cell
    registered = {}
    formatter = types.SimpleNamespace(for_type_by_name=lambda module, name, draw: registered.update({(module, name): draw}))
    shell.display_formatter = types.SimpleNamespace(formatters={"image/png": formatter})
    importlib.reload(clast)  # what `import clast` does in a notebook
    assert set(registered) == {
        ("clast.scene.plane", "Scene"), ("clast.shapes.plane.skeleton", "Shape"),
        ("clast.scene.space", "Scene3D"), ("clast.shapes.space.solid", "Solid"),
    }  # fmt: skip
    for module, name in registered:
        assert hasattr(importlib.import_module(module), name)
