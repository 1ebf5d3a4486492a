"""What a run says about its making, and what it keeps to itself."""

from __future__ import annotations

import getpass
import json
import platform
import subprocess
from pathlib import Path

import pytest

from clast.output.store import provenance


def test_it_tells_versions_machine_command_and_date() -> None:
    record = provenance.collect_provenance(["clast", "run", "box"])
    assert set(record) == {"versions", "revision", "machine", "command", "date"}
    assert record["versions"]["python"] == platform.python_version()
    assert {"clast", "numpy", "numba", "h5py"} <= set(record["versions"])
    assert record["machine"]["cores"] >= 1
    assert record["command"] == ["clast", "run", "box"]
    assert record["date"].endswith("+00:00")
    json.dumps(record, allow_nan=False)


def test_it_tells_nobody_who_or_where() -> None:
    home = str(Path.home() / "data" / "box")
    text = json.dumps(provenance.collect_provenance([f"{home}/clast", f"--out={home}", home]))
    assert str(Path.home()) not in text or str(Path.home()) == "/"
    assert getpass.getuser() not in provenance.without_folders(f"/home/{getpass.getuser()}/box")
    assert str(Path(provenance.__file__).parents[2]) not in text


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("/usr/bin/clast", "…/clast"),
        ("--out=/data/me/box", "--out=…/box"),
        ("law:/home/me/law.py", "law:…/law.py"),
        ("C:\\me\\box", "…/box"),
        ("~/box", "…/box"),
        ("~me", "…/"),
        ("runs/box", "runs/box"),
        ("1/2", "1/2"),
    ],
)
def test_absolute_paths_are_cut(given: str, kept: str) -> None:
    assert provenance.without_folders(given) == kept


def test_the_revision_is_of_clasts_own_checkout_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*words: str) -> str:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", "-C", tmp_path, *identity, *words], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    own, foreign = (tmp_path / each / "clast" / "output" / "store" for each in ("src", "venv"))
    for folder in (own, foreign):
        folder.mkdir(parents=True)
        (folder / "provenance.py").write_text("")
    monkeypatch.setattr(provenance, "__file__", str(own / "provenance.py"))
    assert provenance.collect_provenance()["revision"] is None  # no checkout
    git("init", "-q")
    assert provenance.collect_provenance()["revision"] is None  # no commit yet
    git("add", "src")
    git("commit", "-q", "-m", "one")
    commit = git("rev-parse", "HEAD")
    assert provenance.collect_provenance()["revision"] == commit
    (own / "provenance.py").write_text("changed")
    assert provenance.collect_provenance()["revision"] == f"{commit}+changes"
    monkeypatch.setattr(provenance, "__file__", str(foreign / "provenance.py"))
    assert provenance.collect_provenance()["revision"] is None  # somebody else's repository
    monkeypatch.setenv("PATH", str(tmp_path))
    assert provenance.collect_provenance()["revision"] is None  # no git at all
