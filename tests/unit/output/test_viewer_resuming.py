"""A run that was stopped, in the viewer: the command that resumes it, and who may start it."""

import json
import os
import shlex
import subprocess
import sys
import threading
import time

import pytest
from stored_runs import stored_run
from viewed_runs import flat_run

from clast.errors import InputError
from clast.laws import Linear
from clast.output.store.lock import RunLock
from clast.output.store.reader import open_run
from clast.output.viewer import resuming
from clast.output.viewer.served import ServedRun
from clast.scene.plane import Scene
from clast.shapes import disk


def stopped_run(folder, *command):
    """A run with a checkpoint that nobody steps, begun by a command."""
    run = flat_run(folder, frames=2)
    run.finished = False
    run.provenance["command"] = list(command)
    return run


@pytest.mark.parametrize(
    ("command", "name", "safe"),
    [
        (["clast", "run", "cow-bounce", "--until", "2"], "cow-bounce", True),
        (["…/entry.py", "run", "box.toml"], "box.toml", True),
        (["clast", "run", "gone.toml"], "gone.toml", False),
        (["clast", "run", "mine.py"], "mine.py", False),
        (["clast", "run", "a file.py; rm -rf x.py"], "a file.py; rm -rf x.py", False),
    ],
)
def test_the_command_is_that_which_began_it(tmp_path, monkeypatch, command, name, safe):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "box.toml").write_text("")
    (tmp_path / "mine.py").write_text("")
    run = stopped_run(tmp_path / "run with spaces", *command)
    words = shlex.split(resuming.shown_command(run))
    assert words == ["clast", "run", name, "--resume", "--out", str(tmp_path / "run with spaces")]
    assert resuming.may_resume(run) is safe


@pytest.mark.parametrize(
    "command",
    [["my_script.py"], [], ["clast", "sweep", "cow-gas"], ["clast", "run"], ["clast", "run", "--help"],
     ["clast", "run", "-c.py"], ["clast", "run", "Evil;x"], ["clast", "run", "../cow-bounce"]],
)  # fmt: skip
def test_there_is_none_for_what_a_script_made(tmp_path, command):
    run = stopped_run(tmp_path / "run", *command)
    assert resuming.shown_command(run) == "" and not resuming.may_resume(run)
    with pytest.raises(InputError, match="cannot be resumed from the page"):
        resuming.Resumed(run)


def test_a_finished_run_and_one_without_a_checkpoint_have_none(tmp_path):
    run = stopped_run(tmp_path / "run", "clast", "run", "cow-bounce")
    run.finished = True
    assert resuming.shown_command(run) == ""
    scene = Scene(law=Linear(1e4))
    scene.add(disk(radius=0.5), (0.0, 0.0))
    begun = stored_run(tmp_path / "begun", scene, [])
    begun.provenance["command"] = ["clast", "run", "cow-bounce"]
    assert resuming.shown_command(begun) == ""


@pytest.fixture
def served(tmp_path, monkeypatch):
    run = stopped_run(tmp_path / "run", "clast", "run", "cow-bounce")
    found = ServedRun(run.folder)
    opened = found._now

    def stopped():
        described = opened()
        described.run.finished, described.run.provenance = False, run.provenance
        return described

    monkeypatch.setattr(found, "_now", stopped)
    return found


def facts(served):
    return json.loads(served.answer("facts", {})[1])


def test_the_page_starts_it_once(served, monkeypatch, tmp_path):
    begun = []
    real = subprocess.Popen

    def started(words, **given):
        begun.append(words)
        return real([sys.executable, "-c", "import time; time.sleep(30)"], **given)

    monkeypatch.setattr(resuming.subprocess, "Popen", started)
    assert facts(served)["resumable"] and not facts(served)["starting"]
    served.wish("resume")
    assert begun == [[sys.executable, "-m", "clast.cli", "run", "cow-bounce", "--resume", "--out", str(tmp_path / "run")]]
    assert facts(served)["starting"]
    with pytest.raises(InputError, match="already"):
        served.wish("resume")
    served._resumed.process.kill()
    served._resumed.process.wait()
    assert not facts(served)["starting"]


def test_a_start_that_fails_says_why(served, monkeypatch):
    real = subprocess.Popen
    code = "import sys; sys.exit('clast: the scene is another one')"
    monkeypatch.setattr(resuming.subprocess, "Popen", lambda _, **given: real([sys.executable, "-c", code], **given))
    served.wish("resume")
    served._resumed.process.wait()
    assert facts(served)["failure"] == "clast: the scene is another one"


def test_a_run_that_is_stepped_is_not_resumed(served):
    lock = RunLock(served.folder)
    try:
        assert "go_on" not in facts(served)
        with pytest.raises(InputError, match="already"):
            served.wish("resume")
    finally:
        lock.release()


def test_a_real_one_goes_on_to_its_end(tmp_path):
    """Stopped by a signal on the way, resumed as the page does it: finished, in a process of its own."""
    import signal

    out = tmp_path / "run"
    words = [sys.executable, "-m", "clast.cli", "run", "cow-gas", "--grains", "20", "--out", str(out), "--quiet"]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL, env={**os.environ}) as first:
        while not (out / "checkpoint.h5").exists():
            assert first.poll() is None
            time.sleep(0.01)
        first.send_signal(signal.SIGINT)
        threading.Timer(60.0, first.kill).start()
    if open_run(out).finished:
        pytest.skip("it was too quick to be stopped")
    served = ServedRun(out)
    served.wish("resume")
    assert served._resumed.process.wait(120) == 0
    assert open_run(out).finished and not served._resumed.failure()
