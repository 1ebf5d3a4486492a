"""A sweep on Dask, scheduler and workers as processes of their own: killed workers, Ctrl-C, no disk in common, rows that fail.

Runs are those of `test_sweep_killed`, and end with the bits of runs made one by one.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from test_killed import content, require_same
from test_sweep_killed import GAS, PATIENCE, saved_step

import clast
from clast.cli import run_command
from clast.output.store.lock import is_written
from clast.scene_files.running import run_file
from clast.sweeps.display import Display
from clast.sweeps.scene_row import read_row
from clast.sweeps.task import state_of

distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'clast[dask]'")
from dask_cluster import cluster  # noqa: E402

LONG = 10.0  # time of a run that takes some seconds


def wait_for(condition, what):
    """Until something has happened."""
    limit = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < limit, what
        time.sleep(0.02)
    return found


def at_work(worker):
    """Whether a worker has a process for rows."""
    return any("clast.sweeps.worker" in " ".join(each.cmdline()) for each in worker.children() if each.is_running())


def has_in_hand(worker, run):
    """Whether the process that holds a run, here or in the worker's own folder, was started by a worker."""
    locks = [run / ".lock", *worker.folder.rglob(f"{run.name}/.lock")]
    holders = {lock.read_text().strip() for lock in locks if lock.exists()}
    return any(str(each.pid) in holders for each in worker.children())


def killed_in_the_middle(workers, run):
    """A thread that kills the worker which has a run in hand when it has been saved, and notes the run's id and step."""
    found = {}

    def watch():
        wait_for(lambda: saved_step(run) > 0, "the run has not begun")
        found["id"], found["step"] = clast.open(run).run_id, saved_step(run)
        worker = wait_for(lambda: next((each for each in workers if has_in_hand(each, run)), None), "nobody has the run")
        worker.kill()
        found["killed"] = worker

    thread = threading.Thread(target=watch)
    thread.start()
    return thread, found


def whole(folder, given):
    """The same row by itself."""
    run_file(read_row(Path("gas.toml"), given), out=folder)
    return content(folder)


@pytest.fixture(autouse=True)
def _home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("gas.toml").write_text(GAS)


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    """Address, scheduler and two workers that see the folder."""
    with cluster(tmp_path_factory.mktemp("cluster")) as found:
        yield found


def test_a_killed_worker_costs_the_steps_since_the_checkpoint_and_a_failed_row_is_named(dask, capsys):
    address, _, workers = dask
    rows = "fill.0.seed,run.until,fill.0.speed\n" + f"1,{LONG},1\n2,1,300\n3,1,1\n4,1,1\n"
    Path("rows.csv").write_text(rows)
    request = ["sweep", "gas.toml", "--table", "rows.csv", "--out", "s"]
    assert run_command([*request, "--plan"]) == 0
    runs = [Path("s") / str(name) for name in clast.open_sweep("s")["name"]]
    runs[2].write_text("no folder can be made here, as on a disk that is lost")
    thread, found = killed_in_the_middle(workers, runs[0])
    capsys.readouterr()
    assert run_command([*request, "--on", address, "--checkpoint", "0.02"]) == 3
    thread.join()
    shown = capsys.readouterr()
    assert found["killed"] and found["step"] > 0
    assert clast.open(runs[0]).run_id == found["id"], "it did not go on from its checkpoint"
    assert [state_of(run) for run in runs] == ["finished", "failed", "missing", "finished"]
    assert "2 of 4 rows failed" in shown.err and f"{runs[2].name} failed: " in shown.err and "Not a directory" in shown.err
    assert "against each other in one step" in clast.open_sweep("s").rows[1]["message"]
    assert runs[2].name[:4].lstrip("0") + "     failed" in shown.out, "it is named in the table"
    assert "2 workers take 2 rows at a time" in shown.err
    for run, row in ((runs[0], (1, LONG)), (runs[3], (4, 1.0))):
        require_same(content(run), whole(Path("whole") / run.name, {"fill.0.seed": row[0], "run.until": row[1]}))
    runs[2].unlink()
    assert run_command(["sweep", "s", "--on", address]) == 3, "the one that failed is left alone"
    assert [state_of(run) for run in runs] == ["finished", "failed", "finished", "finished"]
    assert not Path("s/.home").exists()


def test_ctrl_c_saves_rows_and_leaves_the_cluster_as_it_was(dask):
    address, _, workers = dask
    words = ["sweep", "gas.toml", "--vary", "fill.0.seed=1:4", "--run.until", "50000", "--out", "s", "--checkpoint", "1e6"]
    source = str(Path(clast.__file__).parent.parent)
    child = subprocess.Popen(
        [sys.executable, "-m", "clast.cli", *words, "--on", address], stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([source, os.environ.get("PYTHONPATH", "")])},
    )  # fmt: skip
    wait_for(lambda: sum(state_of(run) == "begun" for run in Path("s").glob("000*")) == 2, "two rows run")
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=PATIENCE)
    assert child.returncode == 130
    assert f"Go on with: clast sweep s --on {address}" in err
    begun = [run for run in Path("s").glob("000*") if state_of(run) == "begun"]
    assert len(begun) == 2 and all(saved_step(run) > 0 and not is_written(run) for run in begun)
    wait_for(lambda: not any(at_work(each) for each in workers), "no process of a row is left")
    with distributed.Client(address.replace("dask", "tcp"), set_as_default=False) as client:
        assert client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) == 0
    assert not Path("s/.home").exists()


def test_the_papers_are_reproduced_on_the_same_engines(dask, capsys):
    address, _, _ = dask
    assert run_command(["reproduce", "gallery", "--on", address, "--out", "r"]) == 0
    shown = capsys.readouterr()
    assert "2 workers take" in shown.err and "gallery finished in" in shown.err and Path("r/report.html").exists()


def test_a_client_of_ones_own_and_a_row_that_runs_out_of_memory(dask):
    """The system kills the largest process, which is that of the row."""
    address, _, workers = dask
    with distributed.Client(address.replace("dask", "tcp"), set_as_default=False) as client:
        sweep = clast.Sweep("gas.toml", table=[{"fill.0.seed": 1, "run.until": LONG}, {"fill.0.seed": 2, "run.until": 1.0}])
        run = Path("s") / sweep.plan("s").names[0]

        def kill():
            wait_for(lambda: saved_step(run) > 0 and any(has_in_hand(each, run) for each in workers), "the run has not begun")
            os.kill(int((run / ".lock").read_text()), signal.SIGKILL)

        thread = threading.Thread(target=kill)
        thread.start()
        starts = [each.starts for each in workers]
        table = sweep.run("s", on=client, progress=Display(silent=True), checkpoint_seconds=0.05)
        thread.join()
        assert table["state"].tolist() == ["failed", "finished"]
        assert "killed (SIGKILL), as happens when memory runs out" in table["message"][0]
        before = clast.open(run).run_id
        table = sweep.run("s", on=client, jobs=1, retry=True, progress=Display(silent=True))
        assert client.status == "running" and [each.starts for each in workers] == starts
    assert (table["state"] == "finished").all() and clast.open(run).run_id == before


def test_without_a_disk_in_common_results_and_checkpoints_come_home(tmp_path):
    with cluster(tmp_path / "cluster", blind=True) as (address, _, workers):
        sweep = clast.Sweep("gas.toml", table=[{"fill.0.seed": 1, "run.until": LONG}, {"fill.0.seed": 2, "run.until": 1.0}])
        runs = [Path("s") / name for name in sweep.plan("s").names]
        thread, found = killed_in_the_middle(workers, runs[0])
        table = sweep.run("s", on=address, progress=Display(silent=True), checkpoint_seconds=0.3)
        thread.join()
        assert found["killed"] and (table["state"] == "finished").all()
        assert clast.open(runs[0]).run_id == found["id"], "it did not go on from the checkpoint at home"
        survivor = next(each for each in workers if each is not found["killed"])
        assert not list(survivor.folder.rglob("*.h5")), "it keeps files of rows that are home"
        assert not is_written(runs[0]) and not list(Path("s").glob(".*arriving"))
    for run, row in zip(runs, sweep.rows, strict=True):
        require_same(content(run), whole(Path("whole") / run.name, row))
        there = {path.name for path in run.iterdir()}
        assert there == {".drawn", ".lock", "checkpoint.h5", "energy.png", "frames.png", "parts", "result.json", "run.h5"}
