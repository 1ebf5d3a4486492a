"""A sweep killed in the middle and started again runs only what is missing, and ends as an unbroken one, bit for bit."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
from test_killed import content, require_same

import clast
from clast.cli import run_command
from clast.scene_files.running import run_file
from clast.sweeps.scene_row import read_row
from clast.sweeps.task import is_complete, state_of

GAS = """
[law]
kind = "linear"
normal_stiffness = 1e4
tangential_stiffness = 5e3
friction = 0.5

[box]
period_x = 8.0
period_y = 8.0

[[fill]]
kind = "lattice"
count = 16
lower = [0.5, 0.5]
upper = [7.5, 7.5]
shapes = [{ shape = "disk" }]
speed = 1.0

[run]
until = 10.0
dt = 1e-3
frames = 10
"""
ROWS = "fill.0.seed,run.until\n1,10\n2,100\n3,100\n"
PATIENCE = 400.0  # seconds, of which compiling may take many


def saved_step(run: Path) -> int:
    """The step of the last checkpoint, 0 before the first."""
    try:
        saved = clast.open(run).checkpoint
    except clast.errors.StoreError:
        return 0
    return saved.step if saved is not None else 0


def kill_in_the_middle(words: list[str], runs: list[Path]) -> list[Path]:
    """Start a sweep and kill it with all its processes when one run is done and another under way; returns the latter."""
    child = subprocess.Popen([sys.executable, "-m", "clast.cli", *words], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    limit = time.monotonic() + PATIENCE
    while not (is_complete(runs[0]) and any(saved_step(run) > 0 and state_of(run) == "begun" for run in runs)):
        assert time.monotonic() < limit and child.poll() is None, [state_of(run) for run in runs]
        time.sleep(0.01)
    processes = [psutil.Process(child.pid), *psutil.Process(child.pid).children()]
    assert len(processes) == 3, "one that shares out and two that work"
    for each in processes:
        os.kill(each.pid, signal.SIGKILL)
    child.wait()
    psutil.wait_procs(processes, timeout=PATIENCE)
    return [run for run in runs if state_of(run) == "begun"]


def test_a_killed_sweep_runs_only_what_is_missing_and_ends_as_an_unbroken_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("gas.toml").write_text(GAS)
    Path("rows.csv").write_text(ROWS)
    request = ["sweep", "gas.toml", "--table", "rows.csv", "--out", "s", "--jobs", "2", "--checkpoint", "0.02"]
    assert run_command([*request, "--plan"]) == 0
    runs = [Path("s") / str(name) for name in clast.open_sweep("s")["name"]]
    begun = kill_in_the_middle(request, runs)
    assert begun, "a run was under way when it was killed"
    done = {run: (clast.open(run).run_id, (run / "run.h5").stat().st_mtime_ns) for run in runs if is_complete(run)}
    assert runs[0] in done
    reached = {run: (clast.open(run).run_id, saved_step(run)) for run in begun}
    Path("gas.toml").write_text("this is no longer a scene")  # the sweep has its own copy
    capsys.readouterr()
    assert run_command(["sweep", "s", "--jobs", "1"]) == 0
    said = capsys.readouterr()
    assert said.err.count("finished in") == len(runs) - len(done), said.err
    for run, before in done.items():
        assert (clast.open(run).run_id, (run / "run.h5").stat().st_mtime_ns) == before, f"{run} was run again"
    assert any(step > 0 for _, step in reached.values())
    for run, (name, step) in reached.items():
        if step > 0:  # another may just have begun
            assert clast.open(run).run_id == name, f"{run} did not go on from its checkpoint"
    Path("gas.toml").write_text(GAS)
    for run, row in zip(runs, clast.open_sweep("s").rows, strict=True):
        given = {name: row[name] for name in ("fill.0.seed", "run.until")}
        run_file(read_row(Path("gas.toml"), given), out=Path("whole") / run.name)
        require_same(content(run), content(Path("whole") / run.name))
    table = clast.open_sweep("s")
    assert (table["state"] == "finished").all() and table["steps"].tolist() == [10_000, 100_000, 100_000]
    assert len(Path("s/index.csv").read_text().splitlines()) == 4
