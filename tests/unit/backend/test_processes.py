"""Work shared out among processes: every piece answered once, a death costs one piece, nobody is left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import sweep_toy

from clast.backend import processes as workers
from clast.backend.processes import Worker, converse, count_jobs, share_out
from clast.errors import InputError

TOOLS = Path(sweep_toy.__file__).parent


@pytest.fixture(autouse=True)
def _toys_are_found(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(TOOLS), os.environ.get("PYTHONPATH")])))
    monkeypatch.setattr(workers, "AHEAD_SECONDS", 0.0)  # toys compile nothing


def test_every_piece_is_answered_and_a_death_costs_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "queue.py").write_text("raise SystemExit('a file of the user, who did not mean Python')")
    pieces = [{"do": "square", "value": value} for value in range(6)]
    pieces[1] = {"do": "die", "value": 1}
    pieces[4] = {"do": "leave", "value": 4}
    pieces[5] = {"do": "die", "signal": signal.SIGTERM}
    heard: dict[int, list[dict]] = {}
    share_out("sweep_toy", pieces, jobs=2, hear=lambda number, answer: heard.setdefault(number, []).append(answer))
    for number in (0, 2, 3):
        half, last = heard[number]
        assert half == {"half": number / 2} and last["square"] == number**2 and last["end"]
    for number, said, told in ((1, "SIGKILL", False), (4, "status 1: no more of this", False), (5, "SIGTERM", True)):
        (only,) = heard[number]
        assert only["end"] and said in only["died"] and only["signalled"] is told
    assert len({heard[number][-1]["process"] for number in (0, 2, 3)}) < 3, "a process takes more than one piece"


def test_the_first_goes_ahead_until_code_is_compiled(monkeypatch):
    monkeypatch.setattr(workers, "AHEAD_SECONDS", 60.0)
    order = []
    pieces = [{"do": "square", "value": value} for value in range(3)]
    share_out("sweep_toy", pieces, jobs=3, hear=lambda number, answer: order.append((number, "end" in answer)))
    assert order[:2] == [(0, False), (0, True)], "nobody else before the first has ended: it compiled nothing"


def test_what_is_raised_ends_the_processes(tmp_path):
    marks = [tmp_path / "one", tmp_path / "two"]
    pieces = [{"do": "square", "value": 1}, *({"do": "sleep", "mark": str(mark)} for mark in marks)]

    def look():
        if all(mark.exists() and mark.read_text() for mark in marks):
            raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        share_out("sweep_toy", pieces, jobs=2, hear=lambda *_: None, look=look)
    assert not any(psutil.pid_exists(int(mark.read_text())) for mark in marks)
    assert time.monotonic() - began < 50.0, "not by waiting for the sleepers"


def test_a_process_that_a_signal_reaches_by_itself_is_not_sent_another(tmp_path):
    """As when all processes of a job are told to end: the second signal would end a run unsaved."""
    mark = tmp_path / "mark"

    def look():
        if mark.exists() and mark.read_text():
            os.kill(int(mark.read_text()), signal.SIGTERM)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        share_out("sweep_toy", [{"do": "save", "mark": str(mark)}], jobs=1, hear=lambda *_: None, look=look)
    assert mark.read_text() == "saved after 1"


def test_no_process_outlives_who_started_it(tmp_path):
    mark = tmp_path / "mark"
    script = f"""
from clast.backend.processes import share_out
share = [{{"do": "sleep", "mark": {str(mark)!r}}}]
share_out("sweep_toy", share, jobs=1, hear=print)
"""
    parent = subprocess.Popen([sys.executable, "-c", script])
    limit = time.monotonic() + 60.0
    while not mark.exists() or not mark.read_text():
        assert time.monotonic() < limit and parent.poll() is None
        time.sleep(0.01)
    worker = psutil.Process(int(mark.read_text()))
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    worker.wait(20.0)  # raises if it lives on


def test_a_process_whose_starter_was_gone_before_it_listened_ends_too():
    """Piece and end of input are there at once."""
    words = [sys.executable, "-m", "sweep_toy", "1"]
    done = subprocess.run(words, input=b'{"do": "sleep"}\n', stdout=subprocess.DEVNULL, timeout=20.0)  # raises if it works on
    assert done.returncode == -signal.SIGTERM


def test_number_of_processes():
    assert count_jobs(4, 2) == 2 and count_jobs(1, 9) == 1 and count_jobs(3, 0) == 1
    assert count_jobs(None, 1000) == workers.usable_cores()
    with pytest.raises(InputError, match="jobs = 0"):
        count_jobs(0, 3)


def test_a_conversation_is_answered_stopped_or_ends_with_its_process(tmp_path):
    def talk(process, piece, stop=lambda: False):
        heard = []
        return converse(process, piece, hear=heard.append, stop=stop, look=lambda: None), heard

    process = Worker("sweep_toy", 1)
    for value in (3, 4):
        last, heard = talk(process, {"do": "square", "value": value})
        assert last["square"] == value**2 and {"half": value / 2} in heard
    last, _ = talk(process, {"do": "die"})
    assert last["end"] and "SIGKILL" in last["died"] and not last["signalled"]
    mark = tmp_path / "mark"
    process = Worker("sweep_toy", 1)
    talk(process, {"do": "save", "mark": str(mark)}, stop=lambda: mark.exists() and bool(mark.read_text()))
    process.end()
    assert mark.read_text() == "saved after 1"
