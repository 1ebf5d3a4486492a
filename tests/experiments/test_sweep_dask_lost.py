"""Two hundred runs on Dask through five killed workers and a scheduler that starts anew; what a run costs beside its own time."""

import threading
import time
from pathlib import Path

import pytest
from test_killed import content, require_same
from test_sweep_dask import at_work
from test_sweep_killed import GAS

import clast
from clast.sweeps.display import Display
from clast.sweeps.sweep import run_plan
from clast.sweeps.task import is_complete

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'clast[dask]'")
from dask_cluster import cluster

ROWS = 200
GIVEN = {"run.until": 0.2, "run.samples": 50, "run.frames": 2}
KILLS = (20, 50, 80, 120, 160)  # finished rows at which a worker is killed
SCHEDULER = 100
OVERHEAD = 0.2  # s per run
pytestmark = pytest.mark.validate


@pytest.fixture(autouse=True)
def _home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("gas.toml").write_text(GAS)


def test_two_hundred_runs_through_kills_have_the_bits_of_a_serial_sweep(tmp_path):
    sweep = clast.Sweep("gas.toml", vary={"fill.0.seed": range(1, ROWS + 1)}, given=GIVEN)
    names = sweep.plan("s").names
    over = threading.Event()

    def kill(scheduler, worker):
        for finished in sorted((*KILLS, SCHEDULER)):
            while sum(is_complete(Path("s") / name) for name in names) < finished:
                if over.wait(0.1):
                    return
            if finished == SCHEDULER:
                scheduler.kill()
                continue
            while not at_work(worker) and not over.is_set():
                time.sleep(0.01)
            worker.kill()

    with cluster(tmp_path / "cluster") as (address, scheduler, workers):
        thread = threading.Thread(target=kill, args=(scheduler, workers[0]))
        thread.start()
        began = time.monotonic()
        table = sweep.run("s", on=address, checkpoint_seconds=0.05)
        print(f"{ROWS} runs with kills in {time.monotonic() - began:.0f} s")
        over.set()
        thread.join()
        assert scheduler.starts == 2 and workers[0].starts >= 1 + len(KILLS)
    assert (table["state"] == "finished").all()
    sweep.run("serial", jobs=1, progress=Display(silent=True))
    for name in names:
        require_same(content(Path("s") / name), content(Path("serial") / name))


def test_a_run_costs_little_beside_its_own_time(tmp_path):
    plan = clast.Sweep("gas.toml", vary={"fill.0.seed": range(1, ROWS + 1)}, given=GIVEN).plan("s")
    with cluster(tmp_path / "cluster") as (address, _, _):
        run_plan(clast.Sweep("gas.toml", vary={"fill.0.seed": [1, 2]}, given=GIVEN).plan("warm"), on=address)
        began = time.monotonic()
        endings = run_plan(plan, on=address, progress=Display(silent=True))
        took = time.monotonic() - began
    assert all(each.state == "finished" for each in endings)
    extra = (2 * took - sum(each.seconds for each in endings)) / ROWS
    print(f"{ROWS} runs on two workers in {took:.0f} s: {extra:.3f} s a run beside its own time")
    assert extra < OVERHEAD
