"""Tasks on this machine: what is left alone, what is tried again, what comes last, and what is shown. No process is started."""

import math
from pathlib import Path

import pytest

from clast.errors import InputError
from clast.experiments import find, names
from clast.experiments.experiment import Study
from clast.sweeps import display as displays
from clast.sweeps import local
from clast.sweeps.display import Display
from clast.sweeps.sharing import run_tasks
from clast.sweeps.sweep import Sweep, run_plan
from clast.sweeps.task import DRAWN_FILE, Task, keep_error


def make_complete(run: Path) -> None:
    """All the files by which a run is known to need nothing more."""
    run.mkdir(parents=True, exist_ok=True)
    for name in ("run.h5", "result.json", DRAWN_FILE):
        (run / name).touch()


@pytest.fixture
def shared(monkeypatch):
    """Instead of processes: notes who was asked for what, and finishes all but those called "bad"."""
    asked = []

    def share_out(module, pieces, *, jobs, hear, threads, look):
        for number, piece in enumerate(pieces):
            asked.append((piece["task"]["name"], jobs, threads, piece["device"]))
            hear(number, {"share": 0.5})
            look()
            name, folder = piece["task"]["name"], Path(piece["folder"])
            if name == "dies":
                hear(number, {"end": True, "died": "its process was killed"})
                continue
            if name != "held":
                make_complete(folder / name)
            state = "elsewhere" if name == "held" else "finished"
            hear(number, {"state": state, "message": "", "seconds": 1.5, "end": True})

    monkeypatch.setattr(local, "share_out", share_out)
    return asked


def test_only_what_is_missing_is_run_and_what_is_alone_comes_last(tmp_path, shared, capsys):
    tasks = [Task("timed", "cost-of-shape", alone=True), Task("done", "a"), Task("new", "a"), Task("failed", "a"),
             Task("dies", "a"), Task("held", "a")]  # fmt: skip
    make_complete(tmp_path / "done")
    keep_error(tmp_path / "failed", tasks[3], "fell apart")
    endings = run_tasks(tasks, tmp_path, jobs=3, threads=2, device="auto")
    assert shared == [("new", 3, 2, "auto"), ("dies", 3, 2, "auto"), ("held", 3, 2, "auto"), ("timed", 1, 2, "auto")]
    assert [(each.task.name, each.state, each.seconds) for each in endings] == [
        ("timed", "finished", 1.5), ("done", "finished", 0.0), ("new", "finished", 1.5), ("failed", "failed", 0.0),
        ("dies", "failed", 0.0), ("held", "elsewhere", 1.5),
    ]  # fmt: skip
    assert endings[3].message == "fell apart" and "was killed" in endings[4].message
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 4, "a line per ended run where there is no terminal"
    assert "new finished in 1.5 s (2 of 6 finished, 1 failed" in said.err and "held elsewhere" in said.err
    shared.clear()
    run_tasks(tasks, tmp_path, retry=True, progress=Display(silent=True))
    assert [name for name, *_ in shared] == ["failed", "dies", "held"]
    assert capsys.readouterr().err == ""


def test_bad_calls_are_refused(tmp_path):
    for tasks, jobs, said in (([Task("a", "x"), Task("a", "y")], 1, "two tasks are called a"), ([], 0, "jobs = 0")):
        with pytest.raises(InputError, match=said):
            run_tasks(tasks, tmp_path / "s", jobs=jobs)
    assert not (tmp_path / "s").exists()


def test_a_sweep_of_what_measures_time_runs_alone_and_rows_are_chosen_by_number(tmp_path, shared):
    timed = [name for name in names() if isinstance(found := find(name), Study) and found.timed]
    assert timed == ["cost-of-shape", "cost-of-sides", "verlet-distance"]
    plan = Sweep("cost-of-sides", vary={"seed": range(1, 5)}).plan(tmp_path / "s")
    run_plan(plan, only=[2, 4], jobs=2, progress=Display(silent=True))
    assert shared == [("0002_seed=2", 1, 1, None), ("0004_seed=4", 1, 1, None)]
    assert (tmp_path / "s" / "index.csv").read_text().count("finished") == 2
    with pytest.raises(InputError, match="no row 5"):
        run_plan(tmp_path / "s", only=[5])


def test_the_time_left_counts_runs_under_way_by_their_share(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(displays.time, "monotonic", lambda: clock[0])
    display = Display(silent=True)
    display.start(10, ["finished", "finished", "failed"])
    assert display.left == 7 and display.seconds_left is None
    clock[0] = 160.0
    display.look(2, 0.5)
    assert math.isclose(display.seconds_left, 60.0 * 6.5 / 0.5)
    display.ended("a", "finished", "", 50.0)
    display.look(1, 0.0)
    assert math.isclose(display.seconds_left, 60.0 * 6.0)
    assert display.summary() == "3 of 10 finished, 1 failed, 1 running, 60 runs per hour, about 6 min left"
