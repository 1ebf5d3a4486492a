"""Experiments outside the package: a file of the user's, run, swept and drawn; entry points of other packages."""

import re
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import clast
from clast.cli import run_command
from clast.errors import InputError
from clast.experiments import find, names
from clast.experiments.shared import own_file
from clast.sweeps.sweep import Sweep, run_plan
from clast.sweeps.table import open_sweep

PAGE = Path(__file__).parents[2] / "docs" / "your-own-experiment.md"
REBOUND = re.search(r"^```python\n(import math.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]
QUICK = ["--dt", "5e-5"]


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The experiment of the page, as a file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    Path("my.py").write_text(REBOUND)
    return tmp_path


def test_it_is_run_resumed_and_drawn(own, capsys):
    assert run_command(["run", "my.py", *QUICK, "--damping", "50", "--out", "one", "-q"]) == 0
    run = clast.open("one")
    assert run.provenance["parameters"]["damping"] == 50.0 and run.provenance["experiment"] == "rebound"
    assert run.result["quantities"][0]["name"] == "height of the rebound"
    picture = Path("one/rebound.png")
    picture.unlink()
    assert run_command(["run", "my.py", "--resume", "--out", "one", "-q"]) == 0 and picture.exists()
    picture.unlink()
    assert run_command(["figure", "one", "--experiment", "my.py"]) == 0 and picture.exists()
    capsys.readouterr()
    assert run_command(["figure", "one"]) == 2 and "FILE.py" in capsys.readouterr().err  # nobody runs code that is not named
    assert run_command(["run", "my.py", "--help"]) == 0 and "dashpot G_n" in capsys.readouterr().out


def test_it_is_swept(own, capsys):
    """Rows run the copy of the file that was made when the sweep was planned; a folder of somebody else runs nothing unasked."""
    words = ["sweep", "my.py", "--vary", "damping=50,100", *QUICK, "--out", "rows", "--jobs", "1"]
    assert run_command([*words, "--plan", "-q"]) == 0
    assert Path("rows/scene/my.py").read_text() == REBOUND
    Path("my.py").write_text("broken(")
    capsys.readouterr()
    assert run_command(["sweep", "rows", "--jobs", "1"]) == 2
    assert "--allow-code" in capsys.readouterr().err
    assert run_command(["sweep", "rows", "--jobs", "1", "-q", "--allow-code"]) == 0
    table = open_sweep("rows")
    assert list(table["state"]) == ["finished", "finished"] and list(table["damping"]) == [50.0, 100.0]
    assert table["height of the rebound"][0] > table["height of the rebound"][1]


def test_a_table_is_read_without_running_code(own):
    sweep = Sweep("my.py", vary={"damping": [50.0]}, given={"until": 0.001})
    plan = sweep.plan("rows")
    (own / "rows/scene/my.py").write_text("raise SystemExit(7)")  # as if it came from somebody else
    assert list(open_sweep("rows")["state"]) == ["missing"]
    assert not plan.may_be_looked_up
    with pytest.raises(SystemExit):
        run_plan(plan)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("EXPERIMENT = 3\n", "must define EXPERIMENT"),
        ("", "must define EXPERIMENT"),
        ("x = 1\ny = (\n", "fails at line 2: SyntaxError"),
        ("x = 1\nimport no_such_module\n", "fails at line 2: ModuleNotFoundError"),
        ("x = 1\n\nx / 0\n", "fails at line 3: ZeroDivisionError"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence(own, capsys, text, words):
    Path("bad.py").write_text(text)
    before = {*sys.modules}
    assert run_command(["run", "bad.py"]) == 2
    error = capsys.readouterr().err
    assert words in error and "bad.py" in error and error.count("\n") == 1
    assert not any(name.startswith("clast_own") for name in {*sys.modules} - before) or text in ("", "EXPERIMENT = 3\n")
    assert run_command(["run", "none.py"]) == 2 and "there is no file none.py" in capsys.readouterr().err


def test_a_file_that_has_changed_is_another_one(own):
    first = find("my.py")
    assert find("my.py") is first
    Path("my.py").write_text(REBOUND.replace("my thesis, fig 1", "my thesis, fig 2"))
    assert (first.paper, find("my.py").paper) == ("my thesis, fig 1", "my thesis, fig 2")


def test_other_packages_have_entry_points(own, capsys, monkeypatch):
    (own / "bouncing_package.py").write_text(REBOUND)
    monkeypatch.syspath_prepend(own)
    points = {
        "rebound": EntryPoint("rebound", "bouncing_package:EXPERIMENT", own_file.GROUP),
        "astray": EntryPoint("astray", "bouncing_package:EXPERIMENT", own_file.GROUP),
        "gone": EntryPoint("gone", "no_such_package:EXPERIMENT", own_file.GROUP),
    }
    monkeypatch.setattr("clast.experiments.installed", lambda: points)
    assert find("rebound").title == "how high a ball comes back" and "rebound" not in names()
    with pytest.raises(InputError, match="its entry point is called 'astray'"):
        find("astray")
    with pytest.raises(InputError, match=r"gone .* fails: ModuleNotFoundError"):
        find("gone")
    assert run_command(["list"]) == 0
    out = capsys.readouterr().out
    assert "how high a ball comes back" in out and "ModuleNotFoundError" in out
